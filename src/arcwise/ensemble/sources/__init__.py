"""The sources of networks by name: a new one is a file next to these, and a line here.

Another package adds one by an entry point of the group "arcwise.sources", whose value is the class.
"""

from importlib.metadata import entry_points

from arcwise.ensemble.sources.bootstrap import Bootstrap
from arcwise.ensemble.sources.credible import Credible
from arcwise.ensemble.sources.source import Source
from arcwise.errors import UnknownNameError, suggestion

__all__ = ["SOURCES", "Source", "find_source"]

# In the order in which `learn` tries them, if it is not told which to take.
SOURCES: dict[str, Source] = {source.name: source for source in (Credible(), Bootstrap())}
SOURCES |= {entry.name: entry.load()() for entry in entry_points(group="arcwise.sources")}


def find_source(name: str) -> Source:
    """Return the source of the given name."""
    if name not in SOURCES:
        raise UnknownNameError(suggestion("method", str(name), SOURCES))
    return SOURCES[name]

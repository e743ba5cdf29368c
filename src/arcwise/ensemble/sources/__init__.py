"""The sources of networks by name: a new one is a file next to these, and a line here.

Another package adds one by an entry point of the group "arcwise.sources", whose value is the class.
"""

import warnings
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points

from arcwise.ensemble.sources.bootstrap import Bootstrap
from arcwise.ensemble.sources.credible import Credible
from arcwise.ensemble.sources.optimum import OptimumSource
from arcwise.ensemble.sources.posterior import PosteriorSource
from arcwise.ensemble.sources.search import SearchSource
from arcwise.ensemble.sources.source import Source
from arcwise.errors import UnknownNameError, suggestion

__all__ = ["SOURCES", "Source", "find_source"]

# In the order in which `learn` tries the usual ones, if it is not told which to take.
SOURCES: dict[str, Source] = {
    source.name: source for source in (Credible(), Bootstrap(), PosteriorSource(), SearchSource(), OptimumSource())
}


def _load(entries: Iterable[EntryPoint]) -> None:
    """Add the sources of other packages; one that cannot be used is told of and left out, and arcwise works on."""
    for entry in entries:
        package = f"the package {entry.dist.name}" if entry.dist is not None else entry.value
        if entry.name in SOURCES:
            _warn(f"the source '{entry.name}' of {package} is left out: there is one of that name already.")
            continue
        try:
            source = entry.load()()
            if not isinstance(source, Source):
                raise TypeError(f"{entry.value} is no subclass of arcwise.ensemble.sources.Source")
            if source.name != entry.name:
                raise ValueError(f"its name is '{source.name}', but the entry point's is '{entry.name}'")
        except Exception as error:  # whatever a foreign module does when it is imported
            _warn(f"the source '{entry.name}' of {package} cannot be loaded: {type(error).__name__}: {error}.")
        else:
            SOURCES[entry.name] = source


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def find_source(name: str) -> Source:
    """Return the source of the given name."""
    if name not in SOURCES:
        raise UnknownNameError(suggestion("method", str(name), SOURCES))
    return SOURCES[name]


_load(entry_points(group="arcwise.sources"))

"""The sources of networks: a new one is a class, and an entry in the loop here.

Another package adds one by an entry point of the group "arcwise.sources", whose value is the class.
"""

from __future__ import annotations

import warnings
from importlib.metadata import entry_points

from arcwise.networks.recipe import SOURCES, find_source, register
from arcwise.recipes.bootstrap import BootstrapSource
from arcwise.recipes.credible import CredibleSource
from arcwise.recipes.optimum import OptimumSource, SearchSource
from arcwise.recipes.posterior import PosteriorSource
from arcwise.recipes.source import Source

__all__ = ["SOURCES", "find_source", "register"]

for own in (CredibleSource(), BootstrapSource(), PosteriorSource(), SearchSource(), OptimumSource()):
    register(own)


def register_entry_points() -> None:
    """Add the sources of other packages; one that cannot be used is told of and left out, and arcwise works on."""
    for entry in entry_points(group="arcwise.sources"):
        package = f"the package {entry.dist.name}" if entry.dist is not None else entry.value
        if entry.name in SOURCES:
            _warn(f"the source '{entry.name}' of {package} is left out: there is one of that name already.")
            continue
        try:
            source = entry.load()()
            if not isinstance(source, Source):
                raise TypeError(f"{entry.value} is no subclass of arcwise.recipes.source.Source")
            if source.name != entry.name:
                raise ValueError(f"its name is '{source.name}', but the entry point's is '{entry.name}'")
        except Exception as error:  # whatever a foreign module does when it is imported
            _warn(f"the source '{entry.name}' of {package} cannot be loaded: {type(error).__name__}: {error}.")
        else:
            register(source)


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


register_entry_points()

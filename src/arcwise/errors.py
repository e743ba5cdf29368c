"""Every error that a user can cause, each a sentence that says what, where, what is allowed, and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ArcwiseError",
    "ConfigError",
    "ConstraintError",
    "DataError",
    "DataWarning",
    "FormatError",
    "GraphError",
    "GuaranteeError",
    "OptionError",
    "UnknownNameError",
    "UnknownScoreError",
    "suggestion",
]


class ArcwiseError(ValueError):
    """The user's mistake, told in one message: the command line prints it and exits with code 1."""


class DataError(ArcwiseError):
    """The data cannot be used as they are."""


class DataWarning(UserWarning):
    """The data can be used, but probably not for what was intended."""


class FormatError(ArcwiseError):
    """A file is not what it should be: truncated, malformed, edited, or of another kind than its suffix says."""


class GraphError(ArcwiseError):
    """A graph that is not what it must be, such as a cycle in a DAG or an unknown node."""


class ConstraintError(ArcwiseError):
    """Constraints that contradict each other, or that no table entry can satisfy."""


class ConfigError(ArcwiseError):
    """A study's configuration that cannot be run: an unknown key, a wrong type, a network that is not there."""


class OptionError(ArcwiseError):
    """An argument outside its range."""


class UnknownNameError(OptionError):
    """A name that is not in a list of known names; the message suggests the nearest one."""


class UnknownScoreError(UnknownNameError):
    """A score that arcwise does not know."""


class GuaranteeError(ArcwiseError):
    """A result was asked for that the given table cannot guarantee."""


# A message lists so many names at most.
LISTED_NAMES = 30


def suggestion(kind: str, name: str, known: Iterable[str]) -> str:
    """Say that `name` is not a known `kind`, suggest the nearest known name, and list the first ones.

    >>> suggestion("score", "bdue", ["aic", "bdeu"])
    "unknown score 'bdue'; did you mean 'bdeu'? Known: aic, bdeu."
    """
    names = sorted(known)
    # Letters in the wrong order are the commonest slip, and difflib thinks a missing letter nearer.
    swapped = [known for known in names if sorted(known) == sorted(name)]
    near = swapped or difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean '{near[0]}'?" if near else "."
    more = f" and {len(names) - LISTED_NAMES:,} more" if len(names) > LISTED_NAMES else ""
    return f"unknown {kind} '{name}'{guess} Known: {', '.join(names[:LISTED_NAMES])}{more}."

"""Every error that a user can cause, each a sentence that says what, where, what is allowed, and the remedy."""

from __future__ import annotations

import contextlib
import difflib
import errno
import itertools
import os
from collections.abc import Iterable
from pathlib import Path

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
    "UnfinishedError",
    "UnknownNameError",
    "UnknownScoreError",
    "suggestion",
    "unreadable",
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


class UnfinishedError(ArcwiseError):
    """A number was asked for that a limit kept from being found; the message says what it would take."""


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


# So many names of a folder are compared with one that is not there.
MOST_NAMES = 5_000


def unreadable(path: str | os.PathLike[str], error: OSError) -> str:
    """Say why a file cannot be read; if it is not there, name the one beside it whose name is nearest."""
    message = f"cannot read {path}: {error.strerror}."
    if error.errno == errno.ENOENT:
        with contextlib.suppress(OSError):
            beside = [entry.name for entry in itertools.islice(os.scandir(Path(path).parent), MOST_NAMES)]
            near = difflib.get_close_matches(Path(path).name, beside, n=1)
            if near:
                message += f" Did you mean {Path(path).with_name(near[0])}?"
    return message

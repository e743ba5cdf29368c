"""The options that all verbs share: one name, one meaning, one help text each."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.errors import OptionError
from arcwise.limits import Limits, Status

__all__ = [
    "CategoricalOption",
    "ConstraintsOption",
    "DataArgument",
    "EssOption",
    "JsonOption",
    "LimitSecondsOption",
    "MaxParentsOption",
    "OutputOption",
    "QuietOption",
    "ScoreOption",
    "SeedOption",
    "ThreadsOption",
    "finish",
    "limits_from",
    "print_json",
    "progress_from",
]

DataArgument = Annotated[
    Path, typer.Argument(help="The data: .csv, .tsv, .arff, .parquet and others, also with .gz; - for stdin.")
]
ScoreOption = Annotated[str, typer.Option("--score", help="A score, e.g. bic, or with parameters, bdeu:ess=10.")]
EssOption = Annotated[
    float | None,
    typer.Option("--ess", help="The equivalent sample size, for scores that have one.", show_default=False),
]
MaxParentsOption = Annotated[
    int | None, typer.Option("--max-parents", min=0, help="The most parents of any variable.", show_default=False)
]
ConstraintsOption = Annotated[
    Path | None,
    typer.Option("--constraints", help="A file of constraints: required and forbidden arcs.", show_default=False),
]
CategoricalOption = Annotated[
    bool, typer.Option("--categorical", help="Take columns of numbers as categories, however many values.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result on stdout as one JSON object.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers; same seed, same result.")]
ThreadsOption = Annotated[int, typer.Option("--threads", min=1, help="Threads to use; results do not depend on it.")]
LimitSecondsOption = Annotated[
    float | None,
    typer.Option("--limit-seconds", help="Stop after this time with what there is (exit code 3)."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks on stderr.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to write the result; - for stdout.", show_default=False)
]


def progress_from(quiet: bool) -> bool | None:
    """Return the `progress` argument: nothing if quiet, else a bar where stderr is a terminal."""
    return False if quiet else None


def limits_from(limit_seconds: float | None) -> Limits:
    """Return the limits that the options ask for."""
    if limit_seconds is not None and not limit_seconds > 0:
        raise OptionError(f"--limit-seconds {limit_seconds:g}: must be positive.")
    return Limits(seconds=limit_seconds)


def print_json(payload: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; infinities and NaN, which JSON does not know, become null."""
    json.dump(_plain(payload), sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def finish(status: Status) -> None:
    """End the verb: exit code 3 if a limit was reached or the user interrupted, else 0."""
    if status is not Status.COMPLETE:
        raise typer.Exit(3)

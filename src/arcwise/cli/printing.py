"""What a verb prints and where: data and --json on stdout, remarks and progress on stderr; and how it ends."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from arcwise.cli.option_group import OptionGroup
from arcwise.cli.output_file import OutputOption
from arcwise.limits import Status

__all__ = ["OutputOptions", "PrintOptions", "ResultOptions", "finish", "print_json", "score_shares"]


@dataclass(frozen=True)
class PrintOptions(OptionGroup):
    """What to print."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the result on stdout as one JSON object.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks on stderr.")] = False

    @property
    def progress(self) -> bool | None:
        """The `progress` argument: nothing if quiet, else a bar where stderr is a terminal."""
        return False if self.quiet else None

    def remark(self, text: str) -> None:
        """Say something on stderr, unless quiet."""
        if not self.quiet:
            typer.echo(text, err=True)

    def stdout_is_taken(self, output: Path | None, *, otherwise: bool = False) -> bool:
        """Return whether the result itself goes to stdout: by `-o -`, or without -o if `otherwise`; --json cannot."""
        taken = otherwise if output is None else str(output) == "-"
        if taken and self.as_json:
            raise typer.BadParameter("--json prints a summary on stdout, so the result needs a file: -o FILE.")
        return taken


def print_json(payload: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; infinities and NaN, which JSON does not know, become null."""
    json.dump(_plain(payload), sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


class Scored(Protocol):
    """A network with its score, and how much of it is the prior's."""

    @property
    def score(self) -> float: ...
    @property
    def data_score(self) -> float: ...
    @property
    def log_prior(self) -> float | None: ...


def score_shares(result: Scored) -> str:
    """Return the score; with prior odds also the data's part and the prior's."""
    if result.log_prior is None:
        return f"{result.score:.6f}"
    return f"{result.score:.6f} (data {result.data_score:.6f}, log prior {result.log_prior:.6f})"


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


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """Where the result goes."""

    output: OutputOption = None


@dataclass(frozen=True)
class ResultOptions(PrintOptions, OutputOptions):
    """Where the result goes, and what to print; --output comes first."""


def finish(status: Status) -> None:
    """End the verb: exit code 3 if a limit was reached or the user interrupted, else 0."""
    if status is not Status.COMPLETE:
        raise typer.Exit(3)

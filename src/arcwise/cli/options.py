"""The options that all verbs share: one name, one meaning, one help text each."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.limits import Limits, Status

if TYPE_CHECKING:
    from arcwise.data import Table
    from arcwise.graph import Constraints
    from arcwise.scores import Score

__all__ = [
    "MOST_THREADS",
    "BlacklistOption",
    "CategoricalOption",
    "ColumnOption",
    "ConstraintsOption",
    "DataArgument",
    "DropOption",
    "EssOption",
    "JsonOption",
    "LimitSecondsOption",
    "MaxParentsOption",
    "OutputOption",
    "QuietOption",
    "ScoreOption",
    "SeedOption",
    "SeparatorOption",
    "ThreadsOption",
    "WhitelistOption",
    "check_file_name",
    "check_writable",
    "constraints_from",
    "finish",
    "limits_from",
    "print_json",
    "progress_from",
    "refuse_with_table",
    "score_from",
    "stdout_is_taken",
    "table_from",
]

MOST_THREADS = 1024

DataArgument = Annotated[
    Path, typer.Argument(help="The data: .csv, .tsv, .arff, .parquet and others, also with .gz; - for stdin.")
]


def _complete_score(incomplete: str) -> list[str]:
    from arcwise.scores import SCORES

    return [name for name in SCORES if name.startswith(incomplete)]


ScoreOption = Annotated[
    str,
    typer.Option(
        "--score",
        "-s",
        help="A score, e.g. bic, or with parameters, bdeu:ess=10.",
        autocompletion=_complete_score,
    ),
]
EssOption = Annotated[
    float | None,
    typer.Option("--ess", help="The equivalent sample size, for scores that have one.", show_default=False),
]
MaxParentsOption = Annotated[
    int | None, typer.Option("--max-parents", min=0, help="The most parents of any variable.", show_default=False)
]
ConstraintsOption = Annotated[
    Path | None,
    typer.Option(
        "--constraints",
        help="A .toml or .json file of required and forbidden arcs, tiers and parent limits.",
        show_default=False,
    ),
]
WhitelistOption = Annotated[
    Path | None,
    typer.Option("--whitelist", "--required", help="A CSV file from,to of required arcs.", show_default=False),
]
BlacklistOption = Annotated[
    Path | None,
    typer.Option("--blacklist", "--forbidden", help="A CSV file from,to of forbidden arcs.", show_default=False),
]
CategoricalOption = Annotated[
    bool, typer.Option("--categorical", help="Take columns of numbers as categories, however many values.")
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option("--column", help="Read only this column; may be repeated.", show_default=False),
]
DropOption = Annotated[
    list[str] | None, typer.Option("--drop", help="Leave this column out; may be repeated.", show_default=False)
]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--separator", help="Between fields of a text file (default: a comma or a tab).", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result on stdout as one JSON object.")]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed of the random numbers; same seed, same result.")
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", min=1, max=MOST_THREADS, help="Threads to use; results do not depend on it.")
]
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


def table_from(
    data: Path, *, columns: list[str] | None, drop: list[str] | None, separator: str | None, quiet: bool
) -> Table:
    """Read a data file as it is, with its gaps and numbers."""
    from arcwise.data import read_table

    return read_table(data, columns=columns, drop=drop or (), separator=separator, progress=progress_from(quiet))


def stdout_is_taken(output: Path | None, as_json: bool, *, otherwise: bool = False) -> bool:
    """Return whether the result itself goes to stdout: by `-o -`, or without -o if `otherwise`; then --json cannot."""
    taken = otherwise if output is None else str(output) == "-"
    if taken and as_json:
        raise typer.BadParameter("--json prints a summary on stdout, so that the result needs a file: -o FILE.")
    return taken


def check_file_name(output: Path | None, what: str, suffixes: Sequence[str] = ("",)) -> None:
    """Refuse a name that cannot be written before any work is done: stdout, another suffix, a missing folder."""
    if output is None:
        return
    if str(output) == "-":
        raise FormatError(f"cannot write {what} to stdout: give a file, e.g. -o {what}.parquet.")
    if not output.name.endswith(tuple(suffixes)):
        raise FormatError(f"cannot write {output}: the name of a file of {what} ends in {', '.join(suffixes)}.")
    check_writable(output)


def check_writable(output: Path) -> None:
    """Refuse a file whose folder is not there, or that is a folder itself."""
    try:
        is_folder, has_folder = output.is_dir(), output.parent.is_dir()
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(f"cannot write {output}: {reason}.") from None
    if is_folder:
        raise FormatError(f"cannot write {output}: it is a folder. Give a file name.")
    if not has_folder:
        raise FormatError(f"cannot write {output}: there is no folder {output.parent}. Make it first.")


def limits_from(limit_seconds: float | None) -> Limits:
    """Return the limits that the options ask for."""
    if limit_seconds is not None and not limit_seconds > 0:
        raise OptionError(f"--limit-seconds {limit_seconds:g}: must be positive.")
    return Limits(seconds=limit_seconds)


def score_from(score: str, ess: float | None) -> Score:
    """Return the score that the options ask for: `--score bdeu --ess 10` is `--score bdeu:ess=10`."""
    from arcwise.scores import make_score

    return make_score(score) if ess is None else make_score(score, ess=ess)


def refuse_with_table(**given: object) -> None:
    """Refuse options that say how a table is built where the table is given, rather than ignore them."""
    for name, value in given.items():
        if value is not None:
            option = name.replace("_", "-")
            raise OptionError(f"--{option} applies when a table is built; this one is already built. Leave it out.")


def constraints_from(
    names: Sequence[str], constraints: Path | None, whitelist: Path | None = None, blacklist: Path | None = None
) -> Constraints | None:
    """Return the constraints of all the files together, or None if there are none."""
    from arcwise.graph import Constraints, read_arc_list, read_constraints

    base = None if constraints is None else read_constraints(constraints, names)
    if whitelist is None and blacklist is None:
        return base
    base = base or Constraints(names)
    required, forbidden = list(base.required), list(base.forbidden)
    if whitelist is not None:
        listed = read_arc_list(whitelist)
        if listed.edges:
            a, b = listed.edges[0]
            raise ConstraintError(f"{whitelist}: {a} and {b} are required in both directions; keep one of them.")
        required += listed.arcs
    if blacklist is not None:
        listed = read_arc_list(blacklist)
        forbidden += (*listed.arcs, *listed.edges, *((b, a) for a, b in listed.edges))
    files = ", ".join(str(path) for path in (constraints, whitelist, blacklist) if path is not None)
    try:
        return Constraints(
            names,
            required=required,
            forbidden=forbidden,
            tiers=base.tiers,
            max_parents=base.max_parents,
            max_parents_of=base.max_parents_by_name,
        )
    except ConstraintError as error:
        raise ConstraintError(f"{files}: {error}") from None


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

"""`arcwise scores`: the table of parent sets and local scores that searches work on."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.options import (
    BlacklistOption,
    CategoricalOption,
    ConstraintsOption,
    DataArgument,
    EssOption,
    JsonOption,
    LimitSecondsOption,
    MaxParentsOption,
    OutputOption,
    QuietOption,
    ScoreOption,
    ThreadsOption,
    WhitelistOption,
    constraints_from,
    finish,
    limits_from,
    print_json,
    progress_from,
    score_from,
    stdout_is_taken,
)
from arcwise.errors import FormatError, OptionError
from arcwise.limits import Limits, Status

if TYPE_CHECKING:
    from arcwise.parent_sets import ParentSetTable

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("scores")(scores)


def scores(
    data: DataArgument,
    score: ScoreOption = "bic",
    ess: EssOption = None,
    slack: Annotated[
        float | None, typer.Option("--slack", help="How far from the optimum networks matter (natural log). Default 0.")
    ] = None,
    bayes_factor: Annotated[
        float | None, typer.Option("--bayes-factor", help="The same as a Bayes factor: 20 is a slack of 2.996.")
    ] = None,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    output: OutputOption = None,
    restart: Annotated[bool, typer.Option("--restart", help="Start anew even if there is a checkpoint.")] = False,
    threads: ThreadsOption = 1,
    limit_seconds: LimitSecondsOption = None,
    limit_memory: Annotated[
        float | None, typer.Option("--limit-memory", help="Gigabytes for tables; default: 3/4 of what is available.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score the parent sets of every variable, and keep those of networks within the slack of the optimum.

    The suffix of the output says how it is written: .jkl (the text format of GOBNILP) or .arct (binary, with a
    checksum), each also with .gz; without -o, or with -o -, jkl goes to stdout. Work is done level by level, first all
    sets of 0 parents, then of 1, 2, ...; each finished level is kept in a checkpoint beside the output, and the same
    command goes on from there after an interruption. A limit or Ctrl-C writes the finished levels (exit code 3).

    Example: arcwise scores survey.csv --score bdeu:ess=1 --bayes-factor 20 -o survey.jkl
    """
    from arcwise.data import read_data
    from arcwise.parent_sets import build_parent_sets

    to_stdout = stdout_is_taken(output, as_json, otherwise=True)
    checkpoint = None if output is None or to_stdout else _checkpoint(output, restart=restart)
    margin = _slack(slack, bayes_factor)
    progress = progress_from(quiet)
    scored = score_from(score, ess)
    cases = read_data(data, categorical=categorical, progress=progress)
    table = build_parent_sets(
        cases,
        scored,
        slack=margin,
        max_parents=max_parents,
        constraints=constraints_from(cases.names, constraints, whitelist, blacklist),
        threads=threads,
        limits=_limits(limit_seconds, limit_memory),
        progress=progress,
        checkpoint=checkpoint,
    )
    _write(table, output)
    if as_json:
        _print_summary(table, data, output)
    elif not quiet:
        _say(table, output, checkpoint)
    finish(table.status)


def _slack(slack: float | None, bayes_factor: float | None) -> float:
    if bayes_factor is None:
        return 0.0 if slack is None else slack
    if slack is not None:
        raise OptionError("--slack and --bayes-factor say the same in two ways; give one of them.")
    if not bayes_factor >= 1:
        raise OptionError(f"--bayes-factor {bayes_factor:g}: must be 1 or more.")
    return math.log(bayes_factor)


def _limits(seconds: float | None, gigabytes: float | None) -> Limits:
    if gigabytes is not None and not 0 < gigabytes < math.inf:
        raise OptionError(f"--limit-memory {gigabytes:g}: must be a positive number of gigabytes.")
    memory = None if gigabytes is None else int(gigabytes * 1e9)
    return Limits(seconds=limits_from(seconds).seconds, memory_bytes=memory)


def _checkpoint(output: Path, *, restart: bool) -> Path:
    if not output.name.removesuffix(".gz").endswith((".jkl", ".arct")):
        raise FormatError(f"cannot write {output}: a table's name ends in .jkl, .arct, .jkl.gz or .arct.gz.")
    checkpoint = output.with_name(output.name + ".checkpoint")
    if restart:
        checkpoint.unlink(missing_ok=True)
    return checkpoint


def _write(table: ParentSetTable, output: Path | None) -> None:
    from arcwise.parent_sets import format_jkl, write_parent_sets

    if output is None or str(output) == "-":
        sys.stdout.buffer.write(format_jkl(table))
        sys.stdout.buffer.flush()
    else:
        write_parent_sets(output, table)


def _print_summary(table: ParentSetTable, data: Path, output: Path | None) -> None:
    assert table.statistics is not None  # it was built, not read
    print_json(
        {
            "data": data,
            "output": output,
            "status": str(table.status),
            "score": table.score,
            "slack": table.slack,
            "max_parents": table.max_parents,
            "variables": table.n_variables,
            "parent_sets": table.n_rows,
            "families_scored": table.statistics.families,
            "tables_counted": table.statistics.sets,
            "seconds": table.statistics.seconds,
            "data_digest": table.data_digest,
            "digest": table.digest,
        }
    )


def _say(table: ParentSetTable, output: Path | None, checkpoint: Path | None) -> None:
    assert table.statistics is not None  # it was built, not read
    where = "stdout" if output is None or str(output) == "-" else str(output)
    typer.echo(
        f"wrote {table.n_rows:,} parent sets of {table.n_variables} variables to {where} "
        f"({table.statistics.families:,} families scored in {table.statistics.seconds:.1f} s)",
        err=True,
    )
    if table.status is not Status.COMPLETE:
        remedy = "" if checkpoint is None else f" Run the same command to go on from {checkpoint}."
        typer.echo(f"{table.status}: the table holds sets of at most {table.max_parents} parents.{remedy}", err=True)

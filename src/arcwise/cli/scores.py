"""`arcwise scores`: the table of parent sets and local scores that searches work on."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import option, row, rows
from arcwise.base.run import Status
from arcwise.cli.options import (
    DataArgument,
    DataOptions,
    MemoryLimit,
    RuleOptions,
    ScoreOptions,
    factor_from,
    tell_idle,
)
from arcwise.cli.output import OutputOptions, PrintOptions, check_writable, finish, print_json
from arcwise.parent_sets.build import BuildSettings
from arcwise.recipes.credible import CredibleOptions

if TYPE_CHECKING:
    from arcwise.parent_sets.table import ParentSetTable


@dataclass(frozen=True)
class SlackOptions:
    """How far from the optimum networks matter."""

    slack: float | None = option(None, "how far from the optimum networks matter (natural log)", usual="0")
    bayes_factor: str | None = row(
        CredibleOptions,
        "bayes_factor",
        default=None,
        kind=str,
        help="the same as a Bayes factor: 20 is a slack of 2.996",
    )

    @property
    def value(self) -> float:
        """The slack, whichever way it was given."""
        if self.bayes_factor is None:
            return 0.0 if self.slack is None else self.slack
        if self.slack is not None:
            raise OptionError("--slack and --bayes-factor say the same thing in two ways; give one of them.")
        return math.log(factor_from(self.bayes_factor))


@dataclass(frozen=True)
class BuildingOptions(OutputOptions):
    """Where the table goes, and how it is built."""

    restart: bool = option(False, "start again even if there is a checkpoint")
    settings: BuildSettings = rows(BuildSettings)


def scores(
    data: DataArgument,
    scored: ScoreOptions,
    *,
    margin: SlackOptions,
    rules: RuleOptions,
    reading: DataOptions,
    building: BuildingOptions,
    limit: MemoryLimit,
    printing: PrintOptions,
) -> None:
    """Score the parent sets of every variable, and keep those of networks within the slack of the optimum.

    The suffix of the output says how it is written: .jkl (the text format of GOBNILP) or .arct (binary, with a
    checksum), each also with .gz; without -o, or with -o -, jkl goes to stdout. Work is done level by level, first all
    sets of 0 parents, then of 1, 2, ...; each finished level is kept in a checkpoint next to the output, and the same
    command continues from there after an interruption. A limit or Ctrl-C writes the finished levels (exit code 3).

    Example: arcwise scores survey.csv --score bdeu:ess=1 --bayes-factor 20 -o survey.jkl
    """
    from arcwise.parent_sets.build import build_parent_sets

    to_stdout = printing.stdout_is_taken(building.output, otherwise=True)
    output = building.output
    checkpoint = None if output is None or to_stdout else _checkpoint(output, restart=building.restart)
    limits, slack = limit.limits, margin.value
    score = scored.make()
    cases, known = reading.read_known(data, printing.progress, rules, score)
    tell_idle(score, known, quiet=printing.quiet)
    table = build_parent_sets(
        cases,
        score,
        slack=slack,
        max_parents=rules.max_parents,
        constraints=known,
        limits=limits,
        progress=printing.progress,
        settings=replace(building.settings, checkpoint=checkpoint),
    )
    _write(table, output)
    if printing.as_json:
        _print_summary(table, data, output)
    elif not printing.quiet:
        _say(table, output, checkpoint)
    finish(table.status)


def _checkpoint(output: Path, *, restart: bool) -> Path:
    if not output.name.removesuffix(".gz").endswith((".jkl", ".arct")):
        raise FormatError(f"cannot write {output}: a table's name ends in .jkl, .arct, .jkl.gz or .arct.gz.")
    check_writable(output)
    checkpoint = output.with_name(output.name + ".checkpoint")
    if restart:
        checkpoint.unlink(missing_ok=True)
    return checkpoint


def _write(table: ParentSetTable, output: Path | None) -> None:
    from arcwise.parent_sets.files import format_jkl, write_parent_sets

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
        remedy = "" if checkpoint is None else f" Run the same command to continue from {checkpoint}."
        typer.echo(f"{table.status}: the table holds sets of at most {table.max_parents} parents.{remedy}", err=True)

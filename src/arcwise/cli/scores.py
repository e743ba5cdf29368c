"""`arcwise scores`: the table of parent sets and local scores that searches work on."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import option, row, rows
from arcwise.base.run import Status
from arcwise.cli.options import DataArgument, LearningVerb, MemoryLimit, ScoreOptions, factor_from
from arcwise.cli.output import ResultVerb, check_writable
from arcwise.cli.verb import Result, Verb, facts
from arcwise.parent_sets.build import BuildSettings
from arcwise.parent_sets.files import format_jkl, write_parent_sets
from arcwise.recipes.credible import CredibleOptions


@dataclass(frozen=True)
class BuildingOptions:
    """Where the table goes, and how it is built."""

    output: Path | None = row(ResultVerb, "output")
    restart: bool = option(False, "start again even if there is a checkpoint")
    settings: BuildSettings = rows(BuildSettings)


class Scores(LearningVerb, BuildingOptions, MemoryLimit, Verb):
    """Score the parent sets of every variable, and keep those of networks within the slack of the optimum.

    The suffix of the output says how it is written: .jkl (the text format of GOBNILP) or .arct (binary, with a
    checksum), each also with .gz; without -o, or with -o -, jkl goes to stdout. Work is done level by level, first all
    sets of 0 parents, then of 1, 2, ...; each finished level is kept in a checkpoint next to the output, and the same
    command continues from there after an interruption. A limit or Ctrl-C writes the finished levels (exit code 3).

    Example: arcwise scores survey.csv --score bdeu:ess=1 --bayes-factor 20 -o survey.jkl
    """

    data: DataArgument
    scored: ScoreOptions = rows(ScoreOptions)
    slack: float | None = option(None, "how far from the optimum networks matter (natural log)", usual="0")
    bayes_factor: str | None = row(
        CredibleOptions,
        "bayes_factor",
        default=None,
        kind=str,
        help="the same as a Bayes factor: 20 is a slack of 2.996",
    )

    def _run(self) -> Result:
        output = None if self.stdout_is_taken(self.output, otherwise=True) else self.output
        checkpoint = None if output is None else self._checkpoint(output)
        settings = replace(self.settings, checkpoint=checkpoint)
        table = self.build_parent_sets(self.data, self.scored, settings, self.limits, self._slack()).table
        if output is None:
            sys.stdout.buffer.write(format_jkl(table))
            sys.stdout.buffer.flush()
        else:
            write_parent_sets(output, table)
        made = table.statistics
        assert made is not None  # it was built, not read
        payload = {
            "data": self.data,
            "output": output,
            **facts(table, "status", "score", "slack", "max_parents"),
            "variables": table.n_variables,
            "parent_sets": table.n_rows,
            "families_scored": made.families,
            "tables_counted": made.sets,
            "seconds": made.seconds,
            **facts(table, "data_digest", "digest"),
        }
        told = (
            f"wrote {table.n_rows:,} parent sets of {table.n_variables} variables to {output or 'stdout'} "
            f"({made.families:,} families scored in {made.seconds:.1f} s)"
        )
        if table.status is not Status.COMPLETE:
            remedy = "" if checkpoint is None else f" Run the same command to continue from {checkpoint}."
            told += f"\n{table.status}: the table holds sets of at most {table.max_parents} parents.{remedy}"
        return Result(payload, told=told, status=table.status)

    def _checkpoint(self, output: Path) -> Path:
        if not output.name.removesuffix(".gz").endswith((".jkl", ".arct")):
            raise FormatError(f"cannot write {output}: a table's name ends in .jkl, .arct, .jkl.gz or .arct.gz.")
        check_writable(output)
        checkpoint = output.with_name(output.name + ".checkpoint")
        if self.restart:
            checkpoint.unlink(missing_ok=True)
        return checkpoint

    def _slack(self) -> float:
        """Return how far from the optimum networks matter, whichever way it was given."""
        if self.bayes_factor is None:
            return 0.0 if self.slack is None else self.slack
        if self.slack is not None:
            raise OptionError("--slack and --bayes-factor say the same thing in two ways; give one of them.")
        return math.log(factor_from(self.bayes_factor))

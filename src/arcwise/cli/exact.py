"""The verbs of exact search: tables of parent sets, the best network with a proof, and whether a proof holds."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.base.errors import Argument, FormatError, OptionError, Remedy
from arcwise.base.options import Common, option, row, rows
from arcwise.base.run import Status
from arcwise.certificate.certified import Certified, check_certificate
from arcwise.cli import options
from arcwise.cli import output as files
from arcwise.cli.verb import Result, Verb, facts
from arcwise.credible.bayes_factors import factor_of
from arcwise.exact.optimal import METHODS, certify_optimal, find_optimal
from arcwise.exact.proof import Optimum
from arcwise.graph.constraints import assert_obeys
from arcwise.parent_sets.build import BuildSettings
from arcwise.parent_sets.table import ParentSetTable, format_jkl, write_parent_sets
from arcwise.recipes.credible import CredibleOptions


@dataclass(frozen=True)
class BuildingOptions:
    """Where the table goes, and how it is built."""

    output: Path | None = row(files.ResultVerb, "output")
    restart: bool = option(False, "start again even if there is a checkpoint")
    settings: BuildSettings = rows(BuildSettings)


class ScoresVerb(options.LearningVerb, BuildingOptions, options.MemoryLimit, Verb):
    """Score the parent sets of every variable, and keep those of networks within the slack of the optimum.

    The suffix of the output says how it is written: .jkl (the text format of GOBNILP) or .arct (binary, with a
    checksum), each also with .gz; without -o, or with -o -, jkl goes to stdout. Work is done level by level, first all
    sets of 0 parents, then of 1, 2, ...; each finished level is kept in a checkpoint next to the output, and the same
    command continues from there after an interruption. A limit or Ctrl-C writes the finished levels (exit code 3).

    Example: arcwise scores survey.csv --score bdeu:ess=1 --bayes-factor 20 -o survey.jkl
    """

    data: options.DataArgument
    scored: options.ScoreOptions = rows(options.ScoreOptions)
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
        message = (
            f"wrote {table.n_rows:,} parent sets of {table.n_variables} variables to {output or 'stdout'} "
            f"({made.families:,} families scored in {made.seconds:.1f} s)"
        )
        if table.status is not Status.COMPLETE:
            remedy = "" if checkpoint is None else f" Run the same command to continue from {checkpoint}."
            message += f"\n{table.status}: the table holds sets of at most {table.max_parents} parents.{remedy}"
        return Result(payload, message=message, status=table.status)

    def _checkpoint(self, output: Path) -> Path:
        if not output.name.removesuffix(".gz").endswith((".jkl", ".arct")):
            raise FormatError(f"cannot write {output}: a table's name ends in .jkl, .arct, .jkl.gz or .arct.gz.")
        files.check_writable(output)
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
        return math.log(factor_of(self.bayes_factor))


CERTIFYING = ("auto", "branch-and-bound")


class OptimalVerb(options.LearningVerb, options.NodeLimit, files.GraphFileVerb):
    """Find the network with the highest score and prove that there is none better.

    From data, all parent sets that can matter are scored first, without a limit on parents unless one is given. The
    time limit covers both steps; when a limit is reached, the best network so far, its bound and gap are printed
    and the exit code is 3. The suffix of the output says how the network is written: .txt (structure file), .csv
    (arcs), .dot or .graphml.

    A certificate is the proof as a file: any program can check it without trusting this one. It is about the networks
    that the table of parent sets allows; what pruning left out of the table is not part of it. Of a time limit, a
    quarter is kept for writing and checking it.

    Example: arcwise optimal survey.csv --score bdeu:ess=10 --json
    """

    source: options.SourceArgument
    scored: options.ScoreOptions = rows(options.ScoreOptions)
    method: str = option("auto", choices=METHODS)
    certificate: Path | None = option(
        None, "where to write the proof (.json.gz), for `arcwise check-certificate`; by branch-and-bound"
    )
    threads: int | None = row(Common, "threads")
    seed: int = row(Common, "seed")

    def _check(self) -> None:
        super()._check()
        if self.certificate is None:
            return
        files.check_file_name(self.certificate, "a certificate", (".json", ".json.gz"))
        if self.method not in CERTIFYING:
            raise OptionError(
                Argument("method", self.method),
                "writes no certificate: its proof is no list of steps that another program could check.",
                remedies=Remedy("use", Argument("method", "branch-and-bound")),
            )

    def _run(self) -> Result:
        as_csv = self.stdout_is_taken(self.output)
        clock = self.clock
        loaded = self.load_parent_sets(self.source, self.scored, BuildSettings(self.threads), clock.uncounted)
        table = loaded.table
        common: dict[str, Any] = {
            "data": loaded.data,
            "constraints": loaded.constraints,
            "limits": clock.limits,
            "seed": self.seed,
            "progress": self.progress,
        }
        if self.certificate is None:
            result = find_optimal(table, method=self.method, threads=self.threads, **common)
        else:
            result = certify_optimal(table, self.certificate, **common)
            self.remark(f"wrote {self.certificate}")
            if loaded.data is not None:
                self.remark("It is about the table of parent sets; `arcwise scores` with the same options writes that.")
        assert_obeys(result.dag, loaded.constraints)
        if self.output is not None:
            files.write_graph_file(self.output, result.dag)
        payload = {
            "score": result.score,
            **({} if result.log_prior is None else {"data_score": result.data_score, "log_prior": result.log_prior}),
            **facts(result, "upper_bound", "gap", "status"),
            "table_status": table.status,
            **facts(result, "method", "reason", "seconds", "nodes", "ties_possible"),
            "variables": table.names,
            "arcs": result.dag.arcs,
            "score_function": table.score,
            "max_parents": table.max_parents,
            "statistics": result.statistics,
        }
        status = result.status if result.status is not Status.COMPLETE else table.status
        return Result(payload, () if as_csv else _lines(table, result), status=status)


def _lines(table: ParentSetTable, result: Optimum) -> Iterator[str]:
    yield from (f"{parent} -> {child}" for parent, child in result.dag.arcs)
    what = "proved optimal" if result.is_proved else f"not proved ({result.status})"
    limited = "" if table.status is Status.COMPLETE else f" among the sets scored before the {table.status}"
    yield f"score        {files.score_shares(result)}  {what}{limited}"
    yield f"upper bound  {result.upper_bound:.6f}  gap {result.gap:.6g}"
    yield f"method       {result.method}: {result.reason}"
    yield f"search       {result.seconds:.2f} s, {result.nodes:,} nodes, {table.n_rows:,} parent sets"
    if result.ties_possible:
        yield "Other networks may have the same score."


class CheckCertificateVerb(Verb):
    """Check the proof that a network is the best of a table, in exact arithmetic and without any part of the search.

    The checker is one file of plain Python, arcwise/certificate/checker.py, which also runs alone. A certificate that
    does not prove what it states, or that is about another table, is refused with exit code 1.

    Example: arcwise check-certificate survey.arct optimum.json.gz
    """

    table: Annotated[Path, typer.Argument(metavar="TABLE", help="The table of parent sets (.jkl, .arct; also .gz).")]
    certificate: Annotated[Path, typer.Argument(help="What `arcwise optimal --certificate` wrote.")]

    def _run(self) -> Result:
        found = check_certificate(self.table, self.certificate)
        payload = {
            "accepted": True,
            "score": float(found.score),
            "bound": float(found.bound),
            "gap": float(found.gap),
            "exact_score": str(found.score),
            "exact_bound": str(found.bound),
            "steps": found.steps,
            "variables": found.dag.names,
            "arcs": found.dag.arcs,
            "required": found.required,
            "forbidden": found.forbidden,
            "max_parents": found.max_parents,
        }
        return Result(payload, _proof_lines(found))


def _proof_lines(found: Certified) -> Iterator[str]:
    yield from (f"{parent} -> {child}" for parent, child in found.dag.arcs)
    yield f"score        {float(found.score):.6f}"
    yield f"proved       no network of the table scores higher by more than {float(found.gap):.2g}"
    counted = {
        "required arcs": found.required,
        "forbidden arcs": found.forbidden,
        "parent limits": found.max_parents,
    }
    rules = [f"{len(some)} {what}" for what, some in counted.items() if some]
    if rules:
        yield f"constraints  among the networks with {', '.join(rules)} (--json lists them)"
    yield f"proof        {found.steps:,} steps, all of them checked in exact arithmetic"

"""`arcwise optimal`: the best network, with a proof."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcwise.base.errors import Argument, OptionError, Remedy
from arcwise.base.options import Common, option, row, rows
from arcwise.base.run import Run, Status
from arcwise.cli.options import LearningVerb, NodeLimit, ScoreOptions, SourceArgument
from arcwise.cli.output import GraphFileVerb, check_file_name, score_shares, write_graph_file
from arcwise.cli.verb import Result, facts
from arcwise.exact.optimal import METHODS, certify_optimal, find_optimal
from arcwise.exact.optimum import Optimum
from arcwise.graph.constraints import assert_obeys
from arcwise.parent_sets.build import BuildSettings
from arcwise.parent_sets.table import ParentSetTable

CERTIFYING = ("auto", "branch-and-bound")


class Optimal(LearningVerb, NodeLimit, GraphFileVerb):
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

    source: SourceArgument
    scored: ScoreOptions = rows(ScoreOptions)
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
        check_file_name(self.certificate, "a certificate", (".json", ".json.gz"))
        if self.method not in CERTIFYING:
            raise OptionError(
                Argument("method", self.method),
                "writes no certificate: its proof is no list of steps that another program could check.",
                remedies=Remedy("use", Argument("method", "branch-and-bound")),
            )

    def _run(self) -> Result:
        as_csv = self.stdout_is_taken(self.output)
        deadline = Run.of(self.limits)
        loaded = self.load_parent_sets(self.source, self.scored, BuildSettings(self.threads), deadline.uncounted)
        table = loaded.table
        common: dict[str, Any] = {
            "data": loaded.data,
            "constraints": loaded.constraints,
            "limits": deadline.limits,
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
            write_graph_file(self.output, result.dag)
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
    yield f"score        {score_shares(result)}  {what}{limited}"
    yield f"upper bound  {result.upper_bound:.6f}  gap {result.gap:.6g}"
    yield f"method       {result.method}: {result.reason}"
    yield f"search       {result.seconds:.2f} s, {result.nodes:,} nodes, {table.n_rows:,} parent sets"
    if result.ties_possible:
        yield "Other networks may have the same score."

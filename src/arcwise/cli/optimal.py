"""`arcwise optimal`: the best network, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcwise.base.errors import Argument, OptionError, Remedy
from arcwise.base.options import Common, option, row
from arcwise.cli.options import (
    DataOptions,
    NodeLimit,
    RuleOptions,
    ScoreOptions,
    SourceArgument,
    load_parent_sets,
)
from arcwise.cli.output import (
    ResultOptions,
    check_file_name,
    check_output_name,
    finish,
    print_json,
    score_shares,
    write_graph_file,
)
from arcwise.exact.optimal import METHODS

if TYPE_CHECKING:
    from arcwise.exact.optimum import Optimum
    from arcwise.parent_sets.table import ParentSetTable

CERTIFYING = ("auto", "branch-and-bound")


@dataclass(frozen=True)
class SolvingOptions:
    """How the optimum is found."""

    method: str = option("auto", choices=METHODS)
    certificate: Path | None = option(
        None, "where to write the proof (.json.gz), for `arcwise check-certificate`; by branch-and-bound"
    )
    threads: int | None = row(Common, "threads")
    seed: int = row(Common, "seed")

    def check_certificate(self) -> None:
        """Refuse a certificate that could not be written, before any work is done."""
        if self.certificate is None:
            return
        check_file_name(self.certificate, "a certificate", (".json", ".json.gz"))
        if self.method not in CERTIFYING:
            raise OptionError(
                Argument("method", self.method),
                "writes no certificate: its proof is no list of steps that another program could check.",
                remedies=Remedy("use", Argument("method", "branch-and-bound")),
            )


def optimal(
    source: SourceArgument,
    scored: ScoreOptions,
    *,
    solving: SolvingOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: NodeLimit,
    printing: ResultOptions,
) -> None:
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
    from arcwise.base.run import Run, Status
    from arcwise.exact.optimal import certify_optimal, find_optimal
    from arcwise.graph.constraints import assert_obeys
    from arcwise.parent_sets.build import BuildSettings

    output, certificate = printing.output, solving.certificate
    as_csv = printing.stdout_is_taken(output)
    if output is not None:
        check_output_name(output)
    solving.check_certificate()
    deadline = Run.of(limit.limits)
    loaded = load_parent_sets(
        source,
        scored=scored,
        rules=rules,
        reading=reading,
        building=BuildSettings(solving.threads),
        limits=deadline.uncounted,
        progress=printing.progress,
    )
    table = loaded.table
    common: dict[str, Any] = {
        "data": loaded.data,
        "constraints": loaded.constraints,
        "limits": deadline.limits,
        "seed": solving.seed,
        "progress": printing.progress,
    }
    if certificate is None:
        result = find_optimal(table, method=solving.method, threads=solving.threads, **common)
    else:
        result = certify_optimal(table, certificate, **common)
        printing.remark(f"wrote {certificate}")
        if loaded.data is not None:
            printing.remark("It is about the table of parent sets; `arcwise scores` with the same options writes that.")
    assert_obeys(result.dag, loaded.constraints)
    if output is not None:
        write_graph_file(output, result.dag)
    built = table.status
    if printing.as_json:
        print_json(_payload(table, result, built))
    elif not as_csv:
        _print(table, result, built)
    finish(result.status if result.status is not Status.COMPLETE else built)


def _payload(table: ParentSetTable, result: Optimum, built: str) -> dict[str, object]:
    return {
        "score": result.score,
        **({} if result.log_prior is None else {"data_score": result.data_score, "log_prior": result.log_prior}),
        "upper_bound": result.upper_bound,
        "gap": result.gap,
        "status": result.status,
        "table_status": built,
        "method": result.method,
        "reason": result.reason,
        "seconds": result.seconds,
        "nodes": result.nodes,
        "ties_possible": result.ties_possible,
        "variables": list(table.names),
        "arcs": [list(arc) for arc in result.dag.arcs],
        "score_function": table.score,
        "max_parents": table.max_parents,
        "statistics": dict(result.statistics),
    }


def _print(table: ParentSetTable, result: Optimum, built: str) -> None:
    for parent, child in result.dag.arcs:
        typer.echo(f"{parent} -> {child}")
    what = "proved optimal" if result.is_proved else f"not proved ({result.status})"
    limited = "" if built == "complete" else f" among the sets scored before the {built}"
    typer.echo(f"score        {score_shares(result)}  {what}{limited}")
    typer.echo(f"upper bound  {result.upper_bound:.6f}  gap {result.gap:.6g}")
    typer.echo(f"method       {result.method}: {result.reason}")
    typer.echo(f"search       {result.seconds:.2f} s, {result.nodes:,} nodes, {table.n_rows:,} parent sets")
    if result.ties_possible:
        typer.echo("Other networks may have the same score.")

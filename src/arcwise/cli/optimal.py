"""`arcwise optimal`: the best network, with a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.graph_files import check_output_name, write_graph_file
from arcwise.cli.options import (
    BlacklistOption,
    CategoricalOption,
    ConstraintsOption,
    EssOption,
    JsonOption,
    LimitSecondsOption,
    MaxParentsOption,
    OutputOption,
    QuietOption,
    ScoreOption,
    SeedOption,
    ThreadsOption,
    WhitelistOption,
    finish,
    limits_from,
    print_json,
    progress_from,
    stdout_is_taken,
)
from arcwise.cli.parent_set_source import SourceArgument, load_parent_sets

if TYPE_CHECKING:
    from arcwise.parent_sets import ParentSetTable
    from arcwise.search import Optimum

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("optimal")(optimal)


def optimal(
    source: SourceArgument,
    score: ScoreOption = "bic",
    ess: EssOption = None,
    method: Annotated[
        str, typer.Option("--method", help="auto, dp, branch-and-bound or ilp.", show_default=True)
    ] = "auto",
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    limit_seconds: LimitSecondsOption = None,
    threads: ThreadsOption = 1,
    seed: SeedOption = 0,
    output: OutputOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the network of highest score and prove that there is none better.

    From data, all parent sets that can matter are scored first, without a limit on parents unless one is given. The
    limit of time covers both steps; when it is reached, the best network so far, its bound and gap are printed and
    the exit code is 3. The suffix of the output says how the network is written: .txt (structure file), .csv (arcs),
    .dot or .graphml.

    Example: arcwise optimal survey.csv --score bdeu:ess=10 --json
    """
    from arcwise.limits import Limits, Status
    from arcwise.search import find_optimal

    as_csv = stdout_is_taken(output, as_json)
    if output is not None:
        check_output_name(output)
    limits = limits_from(limit_seconds)
    progress = progress_from(quiet)
    loaded = load_parent_sets(
        source,
        score=score,
        ess=ess,
        max_parents=max_parents,
        constraints=(constraints, whitelist, blacklist),
        categorical=categorical,
        threads=threads,
        limits=limits,
        progress=progress,
    )
    table = loaded.table
    if limits.seconds is not None and table.statistics is not None:
        limits = Limits(seconds=max(limits.seconds - table.statistics.seconds, 0.1))
    result = find_optimal(
        table,
        data=loaded.data,
        method=method,
        constraints=loaded.constraints,
        limits=limits,
        threads=threads,
        seed=seed,
        progress=progress,
    )
    if output is not None:
        write_graph_file(output, result.dag)
    built = table.status
    if as_json:
        print_json(_payload(table, result, built))
    elif not as_csv:
        _print(table, result, built)
    finish(result.status if result.status is not Status.COMPLETE else built)


def _payload(table: ParentSetTable, result: Optimum, built: str) -> dict[str, object]:
    return {
        "score": result.score,
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
    typer.echo(f"score        {result.score:.6f}  {what}{limited}")
    typer.echo(f"upper bound  {result.upper_bound:.6f}  gap {result.gap:.6g}")
    typer.echo(f"method       {result.method}: {result.reason}")
    typer.echo(f"search       {result.seconds:.2f} s, {result.nodes:,} nodes, {table.n_rows:,} parent sets")
    if result.ties_possible:
        typer.echo("Other networks may have the same score.")

"""`arcwise learn`: from a data file to a network that can be defended, and its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.options import (
    BlacklistOption,
    CategoricalOption,
    ConstraintsOption,
    DataArgument,
    EssOption,
    JsonOption,
    MaxParentsOption,
    QuietOption,
    SeedOption,
    ThreadsOption,
    WhitelistOption,
    constraints_from,
    finish,
    limits_from,
    print_json,
    progress_from,
    score_from,
)

if TYPE_CHECKING:
    from arcwise.analysis import Analysis, Preparation
    from arcwise.data import Dataset, Table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("learn")(learn)


def learn(
    data: DataArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to write; without it only the summary.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the result of an earlier run.")] = False,
    method: Annotated[
        str, typer.Option("--method", help="credible, bootstrap, or auto: the credible set if it can be completed.")
    ] = "auto",
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            "-s",
            help="A score, e.g. bic or bdeu:ess=10 (default: qnml for the credible set, bdeu for the bootstrap).",
            show_default=False,
        ),
    ] = None,
    ess: EssOption = None,
    bayes_factor: Annotated[
        float, typer.Option("--bayes-factor", "-b", help="Networks within this factor of the best are credible.")
    ] = 20.0,
    replicates: Annotated[int, typer.Option("--replicates", min=1, help="Networks of a bootstrap.")] = 200,
    missed_edge_cost: Annotated[
        float, typer.Option("--missed-edge-cost", help="How many extra edges a missed edge is worth to you.")
    ] = 1.0,
    rule: Annotated[
        str, typer.Option("--rule", help="From the cost to a cut-off: learned (from known networks), or cost.")
    ] = "learned",
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="A cut-off instead of the one by cost.", show_default=False)
    ] = None,
    permutations: Annotated[
        int | None,
        typer.Option(
            "--permutations",
            min=0,
            max=100_000,
            help="Shuffled data sets for Broom's rule; 0 for none (default: 20 where that is quick).",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare/--no-compare", help="Find the confidences by other methods and scores too.")
    ] = True,
    impute: Annotated[
        str | None, typer.Option("--impute", help="Fill missing values: knn, mode, or drop rows.", show_default=False)
    ] = None,
    discretize: Annotated[
        str | None,
        typer.Option("--discretize", help="Cut numbers: quantile, width, kmeans, mean, or mdl.", show_default=False),
    ] = None,
    bins: Annotated[int, typer.Option("--bins", min=2, max=10_000, help="Intervals to cut numbers into.")] = 3,
    target: Annotated[
        str | None, typer.Option("--target", help="The class column for --discretize mdl.", show_default=False)
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.", show_default=False)
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            help="A column that is a variable although it looks like an identifier; may be repeated.",
            show_default=False,
        ),
    ] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", help="What stands between fields, e.g. ';'.", show_default=False)
    ] = None,
    categorical: CategoricalOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Agree to what is proposed to prepare the data.")] = False,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = 1,
    limit_seconds: Annotated[
        float, typer.Option("--limit-seconds", help="The time allowed for the whole analysis.")
    ] = 120.0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a network from data, say which of its edges to trust, and write a report.

    Missing values, numbers and useless columns are dealt with as the options say; if not, a proposal is printed.
    The folder has report.html, edges.csv, network.bif, cpdag.dot, cpdag.graphml, confidence.parquet and run.json. The
    same data, options and seed give the same bytes.

    Example: arcwise learn survey.csv -o survey-report --seed 1
    """
    from arcwise.analysis.folder import check_folder, run_record
    from arcwise.analysis.learning import learn_prepared
    from arcwise.analysis.preparation import Preparation, open_table, prepare

    limits = limits_from(limit_seconds)
    if output is not None:
        check_folder(output, force=force)
    chosen = None if score is None and ess is None else score_from(score or "bdeu", ess)
    progress = progress_from(quiet)
    reading: dict[str, Any] = {} if separator is None else {"separator": separator}
    table = open_table(data, progress=progress, **reading)
    preparation = Preparation(
        drop=tuple(drop or ()),
        keep=tuple(keep or ()),
        impute=impute,
        discretize=discretize,
        bins=bins,
        target=target,
        categorical=categorical,
        agree=yes,
    )
    preparation = _agreed(table, preparation)
    prepared = prepare(table, preparation, name="standard input" if str(data) == "-" else data.name, progress=progress)
    found = learn_prepared(
        prepared,
        method=method,  # type: ignore[arg-type]
        score=chosen,
        bayes_factor=bayes_factor,
        replicates=replicates,
        missed_edge_cost=missed_edge_cost,
        rule=rule,  # type: ignore[arg-type]
        threshold=threshold,
        permutations=permutations,
        compare=compare,
        max_parents=max_parents,
        constraints=constraints_from(prepared.data.names, constraints, whitelist, blacklist),
        seed=seed,
        threads=threads,
        limits=limits,
        progress=progress,
    )
    if output is not None:
        found.save(output, force=force)
    if as_json:
        print_json({**run_record(found), "output": output, "edges": found.to_frame().to_dict(orient="records")})
    elif not quiet:
        _show(found, output)
    elif output is None:
        typer.echo(found.to_text(), nl=False)
    finish(found.status)


def _agreed(table: Table | Dataset, preparation: Preparation) -> Preparation:
    """Ask whether to do what is proposed, if a person is there to answer."""
    from dataclasses import replace

    from arcwise.analysis.preparation import open_points, proposal_message
    from arcwise.data import Table

    if preparation.agree or not isinstance(table, Table) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return preparation
    dropped = table.drop(table.checked_names(preparation.drop, "--drop"))
    points = open_points(dropped, preparation)
    if not points:
        return preparation
    typer.echo(proposal_message(dropped, points), err=True)
    return replace(preparation, agree=typer.confirm("Go on with this?", default=False, err=True))


def _show(found: Analysis, output: Path | None) -> None:
    """Print the summary: the answer, the edges, and where the rest is."""
    from rich.console import Console

    from arcwise.report.text import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_report(found.report, console, sections=("ensemble", "prior") if output is not None else None)
    if output is not None:
        console.print()
        console.print(f"Report: {output / 'report.html'}", soft_wrap=True, markup=False)

"""`arcwise learn`: from a data file to a network that can be defended, and its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.bayes_factor import BayesFactorOption, factor_from
from arcwise.cli.completion import names_of, one_of
from arcwise.cli.data_options import CategoricalOption, DataArgument, TableOptions
from arcwise.cli.limit_options import TimeLimit
from arcwise.cli.option_group import expanded
from arcwise.cli.printing import PrintOptions, finish, print_json
from arcwise.cli.repeat_options import SeedOption, ThreadsOption
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import EssOption, ScoreOptions, complete_score

if TYPE_CHECKING:
    from arcwise.analysis import Analysis, Preparation
    from arcwise.data import Dataset, Table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("learn")(expanded(learn))


def learn(
    data: DataArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to write; without it only the summary.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the result of an earlier run.")] = False,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="credible, bootstrap, or auto: the credible set if it can be completed.",
            autocompletion=names_of("arcwise.analysis.learning", "METHODS"),
        ),
    ] = "auto",
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            "-s",
            help="A score, e.g. bic or bdeu:ess=10 (default: qnml for the credible set, bdeu for the bootstrap).",
            autocompletion=complete_score,
            show_default=False,
        ),
    ] = None,
    ess: EssOption = None,
    bayes_factor: BayesFactorOption = "20",
    replicates: Annotated[int, typer.Option("--replicates", min=1, help="Networks of a bootstrap.")] = 200,
    missed_edge_cost: Annotated[
        float, typer.Option("--missed-edge-cost", "--alpha", help="How many extra edges a missed edge is worth to you.")
    ] = 1.0,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            help="From the cost to a cut-off: learned (from known networks), or cost.",
            autocompletion=one_of("learned", "cost"),
        ),
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
        str | None,
        typer.Option(
            "--impute",
            help="Fill missing values: knn, mode, or drop rows.",
            autocompletion=names_of("arcwise.data.impute", "METHODS"),
            show_default=False,
        ),
    ] = None,
    discretize: Annotated[
        str | None,
        typer.Option(
            "--discretize",
            help="Cut numbers: quantile, width, kmeans, mean, or mdl.",
            autocompletion=names_of("arcwise.data.discretize", "METHODS"),
            show_default=False,
        ),
    ] = None,
    bins: Annotated[int, typer.Option("--bins", min=2, max=10_000, help="Intervals to cut numbers into.")] = 3,
    target: Annotated[
        str | None, typer.Option("--target", help="The class column for --discretize mdl.", show_default=False)
    ] = None,
    *,
    reading: TableOptions,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="NAME",
            help="A column that is a variable although it looks like an identifier; may be repeated.",
            show_default=False,
        ),
    ] = None,
    categorical: CategoricalOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Agree to what is proposed to prepare the data.")] = False,
    rules: RuleOptions,
    seed: SeedOption = 0,
    threads: ThreadsOption = 1,
    limit_seconds: Annotated[
        float, typer.Option("--limit-seconds", help="The time allowed for the whole analysis.")
    ] = 120.0,
    printing: PrintOptions,
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

    limits = TimeLimit(limit_seconds).limits
    factor = factor_from(bayes_factor)
    if output is not None:
        check_folder(output, force=force)
    chosen = None if score is None and ess is None else ScoreOptions(score or "bdeu", ess).make()
    progress = printing.progress
    table = open_table(data, progress=progress, **reading.keywords)
    others = () if reading.column is None else _others(table, reading.column)
    preparation = Preparation(
        drop=(*(reading.drop or ()), *others),
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
        bayes_factor=factor,
        replicates=replicates,
        missed_edge_cost=missed_edge_cost,
        rule=rule,  # type: ignore[arg-type]
        threshold=threshold,
        permutations=permutations,
        compare=compare,
        max_parents=rules.max_parents,
        constraints=rules.read(prepared.data.names),
        seed=seed,
        threads=threads,
        limits=limits,
        progress=progress,
    )
    if output is not None:
        found.save(output, force=force)
    if printing.as_json:
        print_json({**run_record(found), "output": output, "edges": found.to_frame().to_dict(orient="records")})
    elif not printing.quiet:
        _show(found, output)
    elif output is None:
        typer.echo(found.to_text(), nl=False)
    finish(found.status)


def _others(table: Table | Dataset, columns: list[str]) -> tuple[str, ...]:
    """Return the columns that are not chosen: a run is recorded, and repeated, by what is left out."""
    from arcwise.data import Table

    assert isinstance(table, Table)  # a file was read
    chosen = table.checked_names(columns, "--column")
    return tuple(name for name in table.names if name not in chosen)


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

    from arcwise.report.render.text import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_report(found.report, console, sections=("ensemble", "prior") if output is not None else None)
    if output is not None:
        console.print()
        console.print(f"Report: {output / 'report.html'}", soft_wrap=True, markup=False)

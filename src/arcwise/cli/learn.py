"""`arcwise learn`: from a data file to a network that can be defended, and its report."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.analysis.options import LearnOptions
from arcwise.cli.data_options import DataArgument
from arcwise.cli.limit_options import TimeLimit
from arcwise.cli.mistakes import tell
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.option_table import group_of, keywords_of
from arcwise.cli.printing import PrintOptions, finish, print_json
from arcwise.cli.rule_options import ConstraintOptions
from arcwise.cli.score_options import BeliefsOption, EssOption, ScoreOptions
from arcwise.cli.verb_group import TYPED
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from arcwise.analysis import Analysis
    from arcwise.data import Dataset, Incomplete, Table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("learn")(expanded(learn))


@dataclass(frozen=True)
class FolderOptions(OptionGroup):
    """Where the report goes."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to write; without it, a summary only.", show_default=False),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace the result of an earlier run.")] = False


@dataclass(frozen=True)
class WeighingOptions(OptionGroup):
    """What the score of networks is made of, besides its name."""

    ess: EssOption = None
    beliefs: BeliefsOption = None


WAITING = 5.0  # seconds after which somebody who waits is told that there is something to look at
# What is printed next to a written report.
SHOWN = ("target", "prediction", "ensemble", "constraints", "cuts", "prior")
LearnGroup = group_of(LearnOptions, leave_out=("constraints", "beliefs"))


def learn(
    context: typer.Context,
    data: DataArgument,
    folder: FolderOptions,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME", help="Read only this column; may be repeated.", show_default=False),
    ] = None,
    *,
    weighing: WeighingOptions,
    given: LearnGroup,  # type: ignore[valid-type]
    known: ConstraintOptions,
    printing: PrintOptions,
) -> None:
    """Learn a network from data, say which of its edges to trust, and write a report.

    Missing values, numbers and useless columns are handled as the options say; otherwise, a proposal is printed.
    The folder has report.html, edges.csv, network.bif, cpdag.dot, cpdag.graphml, confidence.parquet and run.json; and,
    for the verbs that answer questions, data.parquet, coding.json and networks.nets. The same data, options and seed
    give the same bytes.

    Example: arcwise learn survey.csv -o survey-report --seed 1
    """
    from arcwise.analysis.folder import check_folder, run_record
    from arcwise.analysis.learning import learn_prepared
    from arcwise.analysis.preparation import open_table, prepare

    output = folder.output
    if output is not None:
        check_folder(output, force=folder.force)
    options = _options(given, weighing)
    progress = printing.progress
    grouping = replace(options.grouping, columns=column)
    table = open_table(data, progress=progress, **options.reading | {"grouping": grouping})
    if column is not None:
        options = replace(options, drop=(*options.drop, *_others(table, column)))
    options = _agreed(table, options, context)
    prepared = prepare(table, options, file=str(data), progress=progress, known=known.read)
    for step in prepared.steps:
        printing.remark(step)
    options = replace(options, constraints=known.read(prepared.data.names))
    written, told, begin = False, False, time.monotonic()

    def write(first: Analysis) -> None:
        """Write a result that more is to be added to; what was written before is replaced."""
        nonlocal written, told
        if output is not None:
            replaced, written = folder.force or written, True  # also if Ctrl-C comes just after it is there
            first.save(output, force=replaced)
            if time.monotonic() - begin > WAITING:
                printing.remark(f"{'A fuller' if told else 'A first'} report: {output / 'report.html'}")
                told = True

    found = learn_prepared(prepared, options, progress=progress, on_result=write)
    if output is not None:
        found.save(output, force=folder.force or written)
    if printing.as_json:
        print_json({**run_record(found), "output": output, "edges": found.to_frame().to_dict(orient="records")})
    elif not printing.quiet:
        _show(found, output)
    elif output is None:
        typer.echo(found.to_text(), nl=False)
    finish(found.status)


def _options(given: OptionGroup, weighing: WeighingOptions) -> LearnOptions:
    """Return the options, with `--score bdeu --ess 10` as `--score bdeu:ess=10`."""
    from arcwise.graph import make_beliefs

    keywords = keywords_of(given, LearnOptions)
    TimeLimit(keywords["limit_seconds"]).limits  # noqa: B018 - refuses what is not positive
    if weighing.ess is not None:
        keywords["score"] = ScoreOptions(keywords.get("score", "bdeu"), weighing.ess).make()
    return LearnOptions(**keywords, beliefs=make_beliefs(weighing.beliefs))


def _others(table: Table | Dataset | Incomplete, columns: list[str]) -> tuple[str, ...]:
    """Return the columns that are not chosen: a run is recorded, and repeated, by what is left out."""
    from arcwise.data import Table

    assert isinstance(table, Table)  # a file was read
    chosen = table.at_positions(columns)
    table.checked_names(table.still_there(columns), Argument("columns"))
    return tuple(name for name in (*table.names, *table.left_out) if name not in chosen)


def _agreed(table: Table | Dataset | Incomplete, options: LearnOptions, context: typer.Context) -> LearnOptions:
    """Ask whether to do what is proposed, if a person is there to answer."""
    from arcwise.analysis.preparation import open_points, proposal
    from arcwise.data import Table

    if options.agree or not isinstance(table, Table) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return options
    dropped = table.drop(table.checked_names(table.still_there(options.drop), Argument("drop")))
    points = open_points(dropped, options)
    if not points:
        return options
    verbs, typed = {"learn": context.command}, context.meta.get(TYPED, ())
    typer.echo(tell(proposal(dropped, points), context.command, verbs, typed), err=True)
    return replace(options, agree=typer.confirm("Continue with this?", default=False, err=True))


def _show(found: Analysis, output: Path | None) -> None:
    """Print the summary: the answer, the edges, and where the rest is."""
    from rich.console import Console

    from arcwise.report.render.text import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_report(found.report, console, sections=SHOWN if output is not None else None)
    if output is not None:
        console.print()
        console.print(f"Report: {output / 'report.html'}", soft_wrap=True, markup=False)

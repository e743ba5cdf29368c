"""`arcwise learn`: from a data file to a network that can be defended, and its report."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import Argument
from arcwise.base.options import Common, row
from arcwise.cli.mistakes import tell
from arcwise.cli.options import (
    TYPED,
    ConstraintOptions,
    DataArgument,
    Rows,
    ScoreOptions,
    TimeLimit,
    WeighingOptions,
)
from arcwise.cli.output import FolderOptions, PrintOptions, finish, print_json
from arcwise.findings.options import LearnOptions

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.data.dataset import Dataset, Incomplete
    from arcwise.data.table import Table


WAITING = 5.0  # seconds after which somebody who waits is told that there is something to look at
# What is printed next to a written report.
SHOWN = ("target", "prediction", "ensemble", "constraints", "cuts", "prior")
GIVEN = Rows((LearnOptions,), leave_out=("constraints", "beliefs"))


def learn(
    context: typer.Context,
    data: DataArgument,
    folder: FolderOptions,
    columns: tuple[str, ...] | None = row(Common, "columns"),
    *,
    weighing: WeighingOptions,
    given: Annotated[dict[str, Any], GIVEN],
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
    from arcwise.findings.preparation import open_table, prepare

    output = folder.output
    if output is not None:
        check_folder(output, force=folder.force)
    options = _options(given, weighing)
    progress = printing.progress
    grouping = replace(options.grouping, columns=columns)
    table = open_table(data, progress=progress, **options.reading | {"grouping": grouping})
    if columns is not None:
        options = replace(options, drop=(*options.drop, *_others(table, columns)))
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


def _options(keywords: dict[str, Any], weighing: WeighingOptions) -> LearnOptions:
    """Return the options, with `--score bdeu --ess 10` as `--score bdeu:ess=10`."""
    from arcwise.graph.beliefs import make_beliefs

    TimeLimit(keywords["limit_seconds"]).limits  # noqa: B018 - refuses what is not positive
    if weighing.ess is not None:
        keywords["score"] = ScoreOptions(keywords.get("score", "bdeu"), WeighingOptions(weighing.ess)).make()
    return LearnOptions(**keywords, beliefs=make_beliefs(weighing.beliefs))


def _others(table: Table | Dataset | Incomplete, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that are not chosen: a run is recorded, and repeated, by what is left out."""
    from arcwise.data.table import Table

    assert isinstance(table, Table)  # a file was read
    chosen = table.at_positions(columns)
    table.checked_names(table.still_there(columns), Argument("columns"))
    return tuple(name for name in (*table.names, *table.left_out) if name not in chosen)


def _agreed(table: Table | Dataset | Incomplete, options: LearnOptions, context: typer.Context) -> LearnOptions:
    """Ask whether to do what is proposed, if a person is there to answer."""
    from arcwise.data.table import Table
    from arcwise.findings.preparation import open_points, proposal

    if options.agree or not isinstance(table, Table) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return options
    dropped = table.drop(table.checked_names(table.still_there(options.drop), Argument("drop")))
    points = open_points(dropped, options)
    if not points:
        return options
    find = {"learn": context.command}.get
    typer.echo(tell(proposal(dropped, points), context.command, find, context.meta.get(TYPED, ())), err=True)
    return replace(options, agree=typer.confirm("Continue with this?", default=False, err=True))


def _show(found: Analysis, output: Path | None) -> None:
    """Print the summary: the answer, the edges, and where the rest is."""
    from rich.console import Console

    from arcwise.report.text import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    print_report(found.report, console, sections=SHOWN if output is not None else None)
    if output is not None:
        console.print()
        console.print(f"Report: {output / 'report.html'}", soft_wrap=True, markup=False)

"""`arcwise learn`: from a data file to a network that can be defended, and its report; `arcwise demo`: an example."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise import datasets
from arcwise.analysis.folder import check_folder, run_record
from arcwise.analysis.learning import learn_prepared
from arcwise.base.errors import Argument
from arcwise.base.files import read_bytes
from arcwise.base.options import Common, Group, option, row, rows
from arcwise.base.run import Limits, Run
from arcwise.cli.options import ConstraintOptions, DataArgument, ScoreOptions, TimeLimit, WeighingOptions
from arcwise.cli.output import FolderOptions, print_found
from arcwise.cli.spelling import spell_error
from arcwise.cli.verb import TYPED, Result, Rows, Verb
from arcwise.data.table import Table
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import open_points, open_table, prepare, proposal
from arcwise.graph.beliefs import make_beliefs
from arcwise.graph.constraints import Constraints

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis


WAITING = 5.0  # seconds after which somebody who waits is told that there is something to look at
LEARN_ROWS = Rows((LearnOptions,), leave_out=("constraints", "beliefs"))


class LearnVerb(ConstraintOptions, Verb):
    """Learn a network from data, say which of its edges to trust, and write a report.

    Missing values, numbers and useless columns are handled as the options say; otherwise, a proposal is printed.
    The folder has report.html, edges.csv, network.bif, cpdag.dot, cpdag.graphml, confidence.parquet, run.json and
    report.json; and, for the verbs that answer questions, data.parquet, coding.json and networks.nets. The same data,
    options and seed give the same bytes.

    Example: arcwise learn survey.csv -o survey-report --seed 1
    """

    context: typer.Context
    data: DataArgument
    folder: FolderOptions = rows(FolderOptions)
    columns: tuple[str, ...] | None = row(Common, "columns")
    details: bool = option(
        False, "print all edges and the sections of the report, not the answer alone", group=Group.OUTPUT
    )
    given: Annotated[dict[str, Any], LEARN_ROWS]
    weighing: WeighingOptions = rows(WeighingOptions)

    def _run(self) -> Result:
        output, force = self.folder.output, self.folder.force
        if output is not None:
            check_folder(output, force=force)
        options = self._options()
        clock = Run(limits=Limits(options.limit_seconds))
        grouping = replace(options.grouping, columns=self.columns)
        table = open_table(self.data, progress=self.progress, **options.reading | {"grouping": grouping})
        assert isinstance(table, Table)  # a file was read
        if self.columns is not None:
            options = replace(options, drop=(*options.drop, *_others(table, self.columns)))
        asked = clock.seconds
        options = self._agreed(table, options)
        clock.pause(clock.seconds - asked)  # a person may think for as long as that takes
        known = self.read_constraints
        prepared = prepare(table, options, file=str(self.data), progress=self.progress, known=known, clock=clock)
        for step in prepared.steps:
            self.remark(step)
        options = replace(options, constraints=self.read_constraints(prepared.data.names))
        written, announced, begin = False, False, time.monotonic()

        def write(first: Analysis) -> None:
            """Write a result that more is to be added to; what was written before is replaced."""
            nonlocal written, announced
            if output is not None:
                replaced, written = force or written, True  # also if Ctrl-C comes just after it is there
                first.save(output, force=replaced)
                if time.monotonic() - begin > WAITING:
                    self.remark(f"{'A fuller' if announced else 'A first'} report: {output / 'report.html'}")
                    announced = True

        found = learn_prepared(prepared, options, progress=self.progress, on_result=write, clock=clock)
        if output is not None:
            found.save(output, force=force or written)
        payload = {**run_record(found), "output": output, "edges": found.to_frame(full=True)}
        return Result(payload, lambda: self._show(found), status=found.status)

    def _options(self) -> LearnOptions:
        """Return the options, with `--score bdeu --ess 10` as `--score bdeu:ess=10`."""
        TimeLimit(self.given["limit_seconds"]).limits  # noqa: B018 - refuses what is not positive
        keywords = dict(self.given)
        if self.weighing.ess is not None:
            keywords["score"] = ScoreOptions(keywords.get("score", "bdeu"), WeighingOptions(self.weighing.ess)).make()
        return LearnOptions(**keywords, beliefs=make_beliefs(self.weighing.beliefs))

    def _agreed(self, table: Table, options: LearnOptions) -> LearnOptions:
        """Ask whether to do what is proposed, if a person is there to answer."""
        if options.agree or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return options
        dropped = table.drop(table.checked_names(table.still_there(options.drop), Argument("drop")))
        points = open_points(dropped, options)
        if not points:
            return options
        command = self.context.command
        typed = self.context.meta.get(TYPED, ())
        typer.echo(spell_error(proposal(dropped, points), command, {"learn": command}.get, typed), err=True)
        return replace(options, agree=typer.confirm("Continue with this?", default=False, err=True))

    def _show(self, found: Analysis) -> None:
        """Print the summary: the answer, the edges, and where the rest is."""
        output = self.folder.output
        if self.quiet:
            if output is None:
                typer.echo(found.to_text(), nl=False)
            return
        print_found(found.report, found.report.network, output, target=found.options.target, details=self.details)


def _others(table: Table, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that are not chosen: a run is recorded, and repeated, by what is left out."""
    chosen = table.at_positions(columns)
    table.checked_names(table.still_there(columns), Argument("columns"))
    return tuple(name for name in (*table.names, *table.left_out) if name not in chosen)


DEMO_DATA, DEMO_TIERS = "survey.csv", "age, sex | *"


class DemoVerb(Verb):
    """Learn from a survey of 2,000 invented people, and write a report and survey.csv: you need no data of your own.

    What is done is what `arcwise learn demo-output/survey.csv --tiers "age, sex | *" --seed 1 -o DIR` would do.

    Example: arcwise demo -o demo-output
    """

    output: Path = row(FolderOptions, "output", help="the folder to write", default=Path("demo-output"))
    force: bool = row(FolderOptions, "force")

    def _run(self) -> Result:
        survey, file = datasets.load("survey"), self.output / DEMO_DATA
        known = Constraints(survey.names, tiers=DEMO_TIERS)
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, DEMO_DATA)
            survey.to_file(written)
            # An earlier demo left the survey there; a file of that name that is not ours is refused, as any other is.
            if self.force and file.is_file() and read_bytes(file) == read_bytes(written):
                file.unlink()
            check_folder(self.output, force=self.force)
            table, options = open_table(written, progress=False), LearnOptions(seed=1, constraints=known)
            found = learn_prepared(prepare(table, options, file=str(file)), options, progress=self.progress)
        found.save(self.output, force=self.force)
        survey.to_file(file)
        payload = {**run_record(found), "output": self.output, "edges": found.to_frame(full=True)}
        return Result(payload, () if self.quiet else lambda: self._show(found), status=found.status)

    def _show(self, found: Analysis) -> None:
        print_found(found.report, found.report.network, self.output)

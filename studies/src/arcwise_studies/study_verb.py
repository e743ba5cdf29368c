"""`arcwise study`: plan, run, watch, summarize and export a study."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import REQUIRED, Common, load_figure, option, row, rows
from arcwise.base.run import Status
from arcwise.bootstrap.bootstrap import BootstrapSettings
from arcwise.cli.options import TimeLimit
from arcwise.cli.verb import Result, Verb, VerbGroup, add_verb

if TYPE_CHECKING:
    from arcwise.base.progress import ProgressCallback, ProgressEvent
    from arcwise_studies import Cell, RunReport, Study

ConfigArgument = Annotated[Path, typer.Argument(help="The study: a TOML file.")]
OptionalConfigArgument = Annotated[
    Path | None, typer.Argument(help="The study: a TOML file. May be left out if --store is given.", show_default=False)
]
# On anything but a terminal, a line of progress this often.
LINE_SECONDS = 30.0


@dataclass(frozen=True)
class StoreOptions:
    """Which results of a study."""

    store: Path | None = option(None, "the DuckDB file with the results", usual="the study's name")
    smoke: bool = option(False, "the small version of the study")


@dataclass(frozen=True)
class FileOptions:
    """Where the files are that a study names."""

    networks: Path | None = option(None, "a folder of BIF files, for networks by name")
    data: Path | None = option(None, "a folder of data files, for data sets by name")


study = typer.Typer(
    cls=VerbGroup, help="Run experiments from a TOML file, on this machine or a cluster; resume after an interruption."
)


class PlanVerb(Verb):
    """Check a study and list its cells, without running anything.

    Example: arcwise study plan studies/smoke.toml
    """

    config: ConfigArgument
    smoke: bool = row(StoreOptions, "smoke")
    files: FileOptions = rows(FileOptions)
    measured: Path | None = option(None, "a store from whose cells to estimate how long all cells take")

    def _run(self) -> Result:
        from arcwise_studies import estimate_study, plan_study

        chosen = _read(self.config, self.smoke, self.files)
        cells = plan_study(chosen)
        chosen.check()
        estimate = None if self.measured is None else estimate_study(chosen, self.measured)
        listed = ({"id": cell.id, "experiment": cell.experiment, "parameters": cell.parameters} for cell in cells)
        guess = None if estimate is None else {**asdict(estimate), "hours": estimate.hours()}
        payload = {"name": chosen.name, "digest": chosen.digest, "cells": listed, "estimate": guess}
        counts = Counter(cell.experiment for cell in cells)
        listed_counts = ", ".join(f"{count:,} of {name}" for name, count in counts.items())
        message = f"{chosen.name}: {len(cells):,} cells ({listed_counts})"
        if estimate is not None:
            like = f"; {estimate.like_limited:,} of them are like cells that hit a limit"
            note = like if estimate.like_limited else ""
            error = estimate.uncertainty / 3600
            message += (
                f"\nabout {estimate.hours():,.2f} hours on one processor (+- {error:,.2f}), from "
                f"{estimate.measured:,} measured cells{note}"
            )
        return Result(payload, (_line(cell) for cell in cells), message=message)


def _line(cell: Cell) -> str:
    parameters = "  ".join(f"{name}={value}" for name, value in cell.parameters.items())
    return f"{cell.id}  {cell.experiment}  {parameters}"


@dataclass(frozen=True)
class RunningOptions:
    """Who does the work, and how much of it."""

    workers: int = row(BootstrapSettings, "workers", default=1)
    cluster: str | None = row(Common, "cluster")
    retry: tuple[str, ...] = option((), "run such cells again; may be repeated", choices=("failed", "limit"))
    accept_changes: bool = option(False, "continue although the configuration has changed")
    limit_cells: int | None = option(None, "stop after this many cells (exit code 3)", low=1)
    summary: Path | None = option(None, "the folder of tables and figures", usual="next to the store")


class RunVerb(StoreOptions, FileOptions, RunningOptions, TimeLimit, Verb):
    """Run the cells that are missing, then write tables and figures.

    May be stopped or killed at any time; the same command continues. Exit code 3 if cells are pending or have failed.

    Example: arcwise study run studies/smoke.toml --workers 2
    """

    config: ConfigArgument

    def _run(self) -> Result:
        from arcwise_studies import run_study, summarize_study

        limits = self.limits
        chosen = _read(self.config, self.smoke, self)
        where = self.store or Path(f"{chosen.name}.duckdb")
        report = run_study(
            chosen,
            where,
            workers=self.workers,
            cluster=self.cluster,
            retry=self.retry,
            accept_changes=self.accept_changes,
            limits=replace(limits, count=self.limit_cells),
            progress=_progress(self.quiet),
        )
        folder = self.summary or _summary_folder(where)
        self.remark(_sentence(report))
        if report.finished + report.limited:
            files = summarize_study(where).write(folder, figures=_can_draw(self))
            self.remark(f"{len(files)} files in {folder}; the results are in {where}")
        payload = {
            "name": chosen.name,
            "store": where,
            "summary": folder,
            **_counts(report),
            "done": report.done,
            "seconds": report.seconds,
            "cells_per_second": report.cells_per_second,
            "status": report.status,
        }
        # Cells that failed are missing, whether or not a limit was reached.
        return Result(payload, status=Status.COUNT_LIMIT if report.failed else report.status)


def _can_draw(verb: Verb) -> bool:
    """Whether figures can be drawn; if not, it is said, and what can be written is."""
    try:
        load_figure()
    except OptionError as error:
        verb.remark(f"Without pictures: {error}")
        return False
    return True


class StatusVerb(StoreOptions, Verb):
    """Say how far a study has come, also while it runs.

    Example: arcwise study status studies/smoke.toml
    """

    config: OptionalConfigArgument = None

    def _run(self) -> Result:
        from arcwise_studies import study_status

        found = study_status(_existing(self.config, self))
        return Result(found.to_dict(), found.lines())


class SummarizeVerb(Verb):
    """Write the tables and figures of a study, from its store alone.

    Example: arcwise study summarize --store smoke.duckdb -o smoke-summary
    """

    config: OptionalConfigArgument = None
    stored: StoreOptions = rows(StoreOptions)
    output: Path | None = row(RunningOptions, "summary", flags=("--output", "-o"))
    figures: bool = option(True, "draw figures as well as tables", flags=("--figures", "--no-figures"))

    def _run(self) -> Result:
        from arcwise_studies import summarize_study

        where = _existing(self.config, self.stored)
        found = summarize_study(where)
        figures = self.figures and _can_draw(self)
        files = found.write(self.output or _summary_folder(where), figures=figures)
        return Result({**found.facts, "files": files}, map(str, files))


class ExportVerb(Verb):
    """Write the rows of all cells to one file, or a product that is made from them.

    Example: arcwise study export --store smoke.duckdb -o rows.parquet --experiment discovery
    """

    config: OptionalConfigArgument = None
    output: Path = option(
        REQUIRED, "the file: .parquet or .csv; of a product: .json, .csv.gz", flags=("--output", "-o")
    )
    stored: StoreOptions = rows(StoreOptions)
    experiment: str | None = option(None, "which one, if the study has several")
    product: str | None = option(
        None, "instead of rows, what the package learns from a discovery study: thresholds or ensemble"
    )

    def _run(self) -> Result:
        from arcwise_studies import export_rows
        from arcwise_studies.products import export_product

        where = _existing(self.config, self.stored)
        if self.product is None:
            count = export_rows(where, self.output, experiment=self.experiment)
        else:
            count = export_product(where, self.output, self.product)
        return Result({"rows": count, "file": self.output}, message=f"{count:,} rows in {self.output}")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    verbs: dict[str, type[Verb]] = {
        "plan": PlanVerb,
        "run": RunVerb,
        "status": StatusVerb,
        "summarize": SummarizeVerb,
        "export": ExportVerb,
    }
    for name, verb in verbs.items():
        add_verb(study, name, verb)
    app.add_typer(study, name="study")


def _read(config: Path, smoke: bool, files: FileOptions | None = None) -> Study:
    from arcwise_studies import read_study

    files = files or FileOptions()
    for flag, folder in (("--networks", files.networks), ("--data", files.data)):
        if folder is not None and not folder.is_dir():
            raise OptionError(f"{flag} {folder}: no such folder.")
    return read_study(config, smoke=smoke, networks_folder=files.networks, data_folder=files.data)


def _summary_folder(store: Path) -> Path:
    return store.with_suffix("").with_name(f"{store.stem}-summary")


def _existing(config: Path | None, stored: StoreOptions) -> Path:
    """Return the store of a study that has been started; say so if the configuration is no longer the store's."""
    from arcwise_studies.store import Store

    if config is None:
        if stored.store is None:
            raise OptionError("give the study's TOML file, or its store with --store FILE.duckdb.")
        return stored.store
    chosen = _read(config, stored.smoke)
    where = stored.store or Path(f"{chosen.name}.duckdb")
    if Store(where).facts()["digest"] != chosen.digest:
        typer.echo(f"note: {config} has changed since {where} was started; this is what the store holds", err=True)
    return where


def _counts(report: RunReport) -> dict[str, Any]:
    return {
        "planned": report.planned,
        "finished": report.finished,
        "limit": report.limited,
        "failed": report.failed,
        "pending": report.pending,
    }


def _sentence(report: RunReport) -> str:
    listed = ", ".join(f"{count:,} {name}" for name, count in _counts(report).items() if count and name != "planned")
    note = "" if report.status is Status.COMPLETE else f"; stopped: {report.status}"
    return (
        f"{report.done:,} cells in {report.seconds:.1f} s ({report.cells_per_second:.3g} cells/s); of "
        f"{report.planned:,}: {listed}{note}"
    )


def _progress(quiet: bool) -> bool | ProgressCallback | None:
    """Return what shows progress: a bar on a terminal, a line now and then in a log."""
    if quiet:
        return False
    return None if sys.stderr.isatty() else _Lines()


class _Lines:
    def __init__(self) -> None:
        self._next = time.monotonic() + LINE_SECONDS

    def __call__(self, event: ProgressEvent) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LINE_SECONDS
        left = event.details.get("seconds left")
        note = "" if left is None else f", about {left:,.0f} s left"
        failed = event.details["failed"]
        typer.echo(
            f"{event.done:,} of {event.total or 0:,} cells, {failed:.0f} failed, {event.details['cells/s']:.3g} "
            f"cells/s{note}",
            err=True,
        )

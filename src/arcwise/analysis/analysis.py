"""`Analysis`: everything that `learn` found, as one object with a report."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.analysis.folder import check_folder, write_files
from arcwise.analysis.questions import Questions
from arcwise.base.files import atomic_folder, write_text
from arcwise.base.run import Status
from arcwise.base.showing import counted
from arcwise.findings.edge_record import edge_frame, short_frame
from arcwise.findings.findings import Findings
from arcwise.findings.parts import Remark
from arcwise.findings.verdict import Verdict
from arcwise.report.edges import explain_edge
from arcwise.report.page import build_report
from arcwise.report.remarks import analysis_remarks, is_by_time, status_of
from arcwise.report.report import Report, answer_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Analysis(Findings, Questions):
    """What `learn` found, from the data to the network, with a report of it all.

    In a notebook it shows itself as the interactive report. `print` and `summary` show the answer on one screen,
    `to_text` all of the report; `save` writes the page, or the folder that ``arcwise learn -o`` writes.

    Parameters
    ----------
    prepared
        The data that were learned from, what they are called, and what was done to make them complete and discrete.
    options
        Everything that was asked for.
    parts
        What the steps found, in their order: see `arcwise.findings.parts`. A step that was not taken has none.
    unfinished
        What was still to be done when the user stopped the run, or when this first result was given out.
    stopped
        Whether the user stopped the run.
    """

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What the reader has to know: why another method was used, what was not computed."""
        return analysis_remarks(self)

    @property
    def by_time(self) -> bool:
        """Whether the clock decided something: a run with more time, or on a faster machine, may differ."""
        return is_by_time(self)

    @property
    def status(self) -> Status:
        """COMPLETE; or the limit that cut the main set of networks short, or that of time if it decided anything.

        INTERRUPTED if the user stopped the run, or this is a first result that more is to be added to.
        """
        return status_of(self)

    @property
    def complete(self) -> bool:
        """False if a limit cut the main set of networks short, or the clock decided what else was computed."""
        return self.status is Status.COMPLETE

    def _words_about(self, first: str, second: str) -> str:
        return explain_edge(self, self.edge(first, second))

    def to_frame(self, *, full: bool = False) -> pd.DataFrame:
        """Return the described edges as a table, the most certain first.

        Six columns: the link, its probability, its direction, the verdict, what to do, and the range of its confidence
        over all methods. `full` has all columns of ``edges.csv``, which the page on files explains.
        """
        if not full:
            return short_frame(self.edges)
        titles = [other.title for other in self.comparisons]
        return edge_frame(self.edges, titles, [explain_edge(self, edge) for edge in self.edges])

    @cached_property
    def report(self) -> Report:
        """The content of the report: sections, tables, figures and the network."""
        return build_report(self)

    def to_text(self, *, width: int = 100) -> str:
        """Return the report as plain text."""
        return self.report.to_text(width=width)

    def summary(self) -> str:
        """Return the answer on one screen: which links to rely on, what to expect, and what the checks say."""
        return answer_text(self.report, self.report.network, target=self.target)

    @property
    def target(self) -> str | None:
        """The variable of interest that was named when the networks were learned, if any."""
        return self.options.target

    def _page(self) -> Path:
        with tempfile.NamedTemporaryFile(prefix="arcwise-", suffix=".html", delete=False) as file:
            file.write(self.to_html().encode())
        return Path(file.name)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the page alone if the name ends in .html; else a folder that can be asked again.

        The folder has report.html, edges.csv, network.bif, cpdag.dot, cpdag.graphml, confidence.parquet, run.json
        and report.json.

        For later questions (`arcwise.open`), also the data as they were learned from (data.parquet), how they were
        coded (coding.json), and the networks or draws from them (networks.nets, families.nets).
        The folder appears whole or not at all. One that is there already is refused, unless `force` is True and
        everything in it was written by arcwise.
        """
        if Path(folder).suffix.lower() in (".html", ".htm"):
            write_text(folder, self.to_html())
            return Path(folder)
        target = check_folder(folder, force=force)
        with atomic_folder(target, lambda: check_folder(folder, force=force)) as part:
            table = self.to_frame(full=True).to_csv(index=False, lineterminator="\n")
            texts = {"report.html": self.report.to_html(), "report.json": self.report.to_json(), "edges.csv": table}
            write_files(self, part, texts)
        return target

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        kept = [edge.verdict for edge in self.edges if edge.fate.in_network]
        return (
            f"Analysis({self.name}: {self.data.n_variables} variables, {self.data.n_cases:,} rows; {self.main.title}; "
            f"{counted(len(kept), 'edge')}, {kept.count(Verdict.RELY)} to rely on)"
        )

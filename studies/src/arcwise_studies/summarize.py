"""`summarize_study`: tables (CSV and Markdown) and figures (PNG and SVG) from the store alone."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.files import atomic_write, parse_json, write_text
from arcwise.base.showing import one_screen
from arcwise.errors import ArcwiseError, FormatError
from arcwise_studies.experiment import SummaryFigure, SummaryTable
from arcwise_studies.frames import read_frames
from arcwise_studies.outcome import CELL_STATUSES
from arcwise_studies.registry import load_experiment
from arcwise_studies.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StudySummary", "summarize_study"]

# How many different messages of cells that are not finished the summary lists.
LISTED_MESSAGES = 20


@one_screen
@dataclass(frozen=True, eq=False)
class StudySummary:
    """The tables and figures of a study, by experiment, and what they were made from."""

    name: str
    facts: dict[str, Any]
    parts: dict[str, Sequence[SummaryTable | SummaryFigure]]

    def table(self, experiment: str, name: str) -> pd.DataFrame:
        """Return one table by its name."""
        for part in self.parts[experiment]:
            if isinstance(part, SummaryTable) and part.name == name:
                return part.frame
        known = [part.name for part in self.parts[experiment] if isinstance(part, SummaryTable)]
        raise KeyError(f"no table '{name}' in the summary of '{experiment}'; there are {', '.join(known)}")

    def write(self, folder: str | os.PathLike[str], *, figures: bool = True) -> list[Path]:
        """Write everything into a folder: a file per table and figure, summary.md and summary.json; return the paths.

        summary.json holds the study's name, digest, version and configuration, and the number of cells by status.
        """
        target = Path(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"cannot make the folder {target}: {error.strerror}.") from error
        written: list[Path] = []
        page = [f"# {self.name}\n\n{_sentence(self.facts)}\n"]
        for experiment, parts in self.parts.items():
            page.append(f"\n## {experiment}\n")
            for part in parts:
                stem = f"{experiment}-{part.name}" if len(self.parts) > 1 else part.name
                if isinstance(part, SummaryTable):
                    path = target / f"{stem}.csv"
                    with atomic_write(path) as file:
                        part.frame.to_csv(file, index=False, float_format="%.10g")
                    written.append(path)
                    page.append(f"\n{part.caption}\n\n{markdown_table(part.frame)}")
                elif figures:
                    written += _draw(part, target / stem)
                    page.append(f"\n![{part.caption}]({stem}.svg)\n\n*{part.caption}*\n")
        for name, text in (
            ("summary.md", "".join(page)),
            ("summary.json", json.dumps(self.facts, indent=2, sort_keys=True) + "\n"),
        ):
            write_text(target / name, text)
            written.append(target / name)
        return written


def summarize_study(store: str | os.PathLike[str]) -> StudySummary:
    """Return the tables and figures of a study, made from its store and nothing else.

    Every experiment also has the table "cells": the number of cells by status, and for those that are not
    finished what they said. A store of a run that is under way can be summarized too.
    """
    source = Store(store)
    facts = source.facts()
    study = source.study()
    frames = read_frames(source)
    parts: dict[str, Sequence[SummaryTable | SummaryFigure]] = {}
    counts: dict[str, dict[str, int]] = {}
    for name, (rows, cells) in frames.items():
        if name not in study.experiments:
            raise FormatError(f"the store has cells of '{name}', which is no experiment of its study; it was edited.")
        experiment = load_experiment(name)
        counts[name] = {status: int((cells["status"] == status).sum()) for status in CELL_STATUSES}
        own = _summarized(experiment, study.experiments[name], rows, cells, facts["name"]) if len(rows) else ()
        parts[name] = [_cell_table(cells), *own]
    described = {
        "name": facts["name"],
        "digest": facts["digest"],
        "version": facts["version"],
        "configuration": parse_json(facts["content"], source=facts["name"]),
        "cells": counts,
        "seconds": sum(float(cells["seconds"].sum()) for _, cells in frames.values()),
    }
    return StudySummary(facts["name"], described, parts)


def _summarized(
    experiment: Any, settings: Any, rows: pd.DataFrame, cells: pd.DataFrame, name: str
) -> Sequence[SummaryTable | SummaryFigure]:
    """Return an experiment's summary; rows that are not what it writes are an error of the store."""
    try:
        found: Sequence[SummaryTable | SummaryFigure] = experiment.summarize(settings, rows, cells)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        if isinstance(error, ArcwiseError):
            raise
        raise FormatError(
            f"{name}: the rows in the store are not those that its experiments write ({error!r}): the store was "
            "edited, or is of another version."
        ) from error
    return found


def _cell_table(cells: pd.DataFrame) -> SummaryTable:
    import pandas as pd

    lines: list[dict[str, Any]] = []
    for status in CELL_STATUSES:
        of_status = cells[cells["status"] == status]
        if status == "finished" or not len(of_status):
            if len(of_status):
                lines.append({"status": status, "message": "", "cells": len(of_status)})
            continue
        messages = of_status["message"].value_counts()
        for message, count in messages.head(LISTED_MESSAGES).items():
            lines.append({"status": status, "message": message, "cells": int(count)})
        rest = int(messages.iloc[LISTED_MESSAGES:].sum())
        if rest:
            lines.append({"status": status, "message": "other messages", "cells": rest})
    caption = f"The {len(cells)} cells by status; those that failed or stopped at a limit, by what they said."
    return SummaryTable("cells", caption, pd.DataFrame(lines, columns=["status", "message", "cells"]))


def _sentence(facts: dict[str, Any]) -> str:
    total = {status: sum(counts[status] for counts in facts["cells"].values()) for status in CELL_STATUSES}
    listed = ", ".join(f"{count:,} {status}" for status, count in total.items() if count)
    return (
        f"{sum(total.values()):,} cells: {listed}; {facts['seconds']:,.0f} seconds of cells. "
        f"arcwise {facts['version']}, configuration {facts['digest'][:12]}."
    )


def markdown_table(frame: pd.DataFrame) -> str:
    """Return a DataFrame as a Markdown table; numbers are rounded to 5 digits and set to the right."""
    numeric = [frame[name].dtype.kind in "iuf" for name in frame.columns]
    head = "| " + " | ".join(_cell_text(name) for name in frame.columns) + " |"
    rule = "|" + "|".join("---:" if is_number else "---" for is_number in numeric) + "|"
    lines = ["| " + " | ".join(_cell_text(value) for value in row) + " |" for row in frame.itertuples(index=False)]
    return "\n".join([head, rule, *lines]) + "\n"


def _cell_text(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:,.5g}" if abs(value) < 1e5 else f"{value:,.0f}"
    if value is None:
        return ""
    return str(value).replace("|", r"\|").replace("\n", " ")


def _draw(figure: SummaryFigure, stem: Path) -> list[Path]:
    """Draw a figure and save it as PNG and SVG."""
    from arcwise.base.options import load_figure

    Figure = load_figure()
    import matplotlib as mpl

    written: list[Path] = []
    # The same files every time: no date, and names inside that do not depend on chance.
    with mpl.rc_context({"svg.hashsalt": figure.name}):
        canvas = Figure(figsize=(6.4, 4.2), layout="constrained")
        figure.draw(canvas.subplots())
        for kind, metadata in (("png", {}), ("svg", {"Date": None})):
            path = stem.with_name(f"{stem.name}.{kind}")
            with atomic_write(path) as file:
                canvas.savefig(file, format=kind, dpi=120, metadata=metadata)
            written.append(path)
    return written

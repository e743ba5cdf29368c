"""The audit in words: the columns with their distributions, the findings, and what is missing together."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.prose.gap_dependence import dependence_blocks
from arcwise.audit import Audit, Finding, Severity
from arcwise.data import Column as DataColumn
from arcwise.data import Table as DataTable
from arcwise.mentions import Argument
from arcwise.report.content.blocks import Block, Column, Paragraph, Table

if TYPE_CHECKING:
    from arcwise.analysis.preparation import Obstacle

__all__ = ["audit_blocks", "missing_together"]

BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 12
MOST_COLUMNS = 200  # that are listed one by one
MOST_PATTERNS = 12
MOST_VALUES = 4  # that an option is spelled with
TITLES = {
    Severity.BLOCKS: "blocks",
    Severity.MISLEADS: "misleads",
    Severity.NOTE: "note",
}


def audit_blocks(audit: Audit, obstacles: Sequence[Obstacle] = ()) -> tuple[Block, ...]:
    """Return the page of the audit: findings, columns, gaps; and what else would be in the way of learning."""
    rows, columns = audit.table.n_cases, len(audit.table.columns)
    grave = sum(finding.severity is not Severity.NOTE for finding in audit.findings)
    serious = grave + len(obstacles)
    if not audit.findings and not obstacles:
        told = "Nothing was found that stands in the way of learning from them."
    else:
        notes = len(audit.findings) - grave
        told = (
            f"{_number(serious, 'point')} would have to be dealt with, and {_number(notes, 'more')} "
            f"{'is' if notes == 1 else 'are'} worth knowing."
        )
    blocks: list[Block] = [Paragraph(f"The data have {columns:,} columns and {rows:,} rows. {told}")]
    if audit.table.told:  # by the reader of a large file, who had to leave out and to cut before anything was counted
        blocks.append(Paragraph(" ".join(audit.table.told)))
    if audit.findings or obstacles:
        blocks.append(_findings(audit, obstacles))
    blocks.append(_columns(audit.read))
    if patterns := missing_together(audit.repaired):
        blocks.append(patterns)
        blocks += dependence_blocks(audit.gap_dependences)
    return tuple(blocks)


def _number(count: int, what: str) -> str:
    if what == "more":
        return "1 more" if count == 1 else f"{count} more"
    return f"1 {what}" if count == 1 else f"{count} {what}s"


def _findings(audit: Audit, obstacles: Sequence[Obstacle]) -> Table:
    order = list(Severity)
    listed = sorted(audit.findings, key=lambda finding: order.index(finding.severity))
    rows = [(TITLES[f.severity], _what(f.what, f.evidence), _proposal(f)) for f in listed]
    graver = sum(finding.severity is Severity.BLOCKS for finding in listed)
    rows[graver:graver] = [
        (TITLES[Severity.BLOCKS], _what(o.what, o.details), f"{o.proposal} ({_option(o.remedy)})") for o in obstacles
    ]
    return Table(
        "What was found, the gravest first",
        (Column("severity"), Column("finding"), Column("proposal")),
        tuple(rows),
    )


def _what(what: str, evidence: str) -> str:
    text = f"{what}{f' ({evidence})' if evidence else ''}"
    return text[0].upper() + text[1:]


def _proposal(finding: Finding) -> str:
    option = "" if finding.remedy is None else _option(finding.remedy)
    if not finding.proposal:
        return f"none needed; {option}" if option else "none needed"
    if not finding.safe or finding.repair is None:
        return f"your choice: {finding.proposal} ({option})"
    return f"{finding.proposal} ({option})"


def _option(remedy: Argument) -> str:
    """Spell the option that applies a proposal: "--drop id", "--decimal ,", "--yes"."""
    if remedy.name == "agree":
        return "--yes"
    values = remedy.value if isinstance(remedy.value, list) else [remedy.value]
    spelled = [f"--{remedy.name.replace('_', '-')} {shlex.quote(str(value))}" for value in values[:MOST_VALUES]]
    return " ".join(spelled) + (" ..." if len(values) > MOST_VALUES else "")


def _columns(columns: Sequence[DataColumn]) -> Table:
    shown = columns[:MOST_COLUMNS]
    more = len(columns) - len(shown)
    rows = []
    for column in shown:
        counts = column.counts()
        seen = counts[counts > 0]
        top = column.labels[int(counts.argmax())] if len(seen) else "–"
        share = counts.max(initial=0) / max(1, counts.sum())
        gaps = column.n_missing / max(1, column.n_cases)
        rows.append((column.name, len(seen), _bars(column), f"{_short(top)} ({share:.0%})", f"{gaps:.1%}"))
    return Table(
        f"The columns as they are read{f'; the first {MOST_COLUMNS} of {len(columns):,}' if more else ''}",
        (Column("column"), Column("values", 0), Column("how often"), Column("most frequent"), Column("missing")),
        tuple(rows),
    )


def _short(label: str) -> str:
    return label if len(label) <= 24 else f"{label[:23]}…"


def _bars(column: DataColumn) -> str:
    """Return a small histogram: numbers in equal intervals, labels from the most frequent down."""
    counts = column.counts()
    if column.is_continuous():
        values = column.values()
        heights = np.histogram(values[~np.isnan(values)], bins=MOST_BARS)[0]
    else:
        heights = np.sort(counts[counts > 0])[::-1][:MOST_BARS]
    if not len(heights) or heights.max() == 0:
        return ""
    level = np.ceil(heights / heights.max() * (len(BARS) - 1)).astype(int)
    return "".join(BARS[k] if height else " " for k, height in zip(level.tolist(), heights.tolist(), strict=True))


def missing_together(table: DataTable) -> Table | None:
    """Return which values are missing together: the patterns of gaps, the most frequent first."""
    gappy = [column for column in table.columns if column.n_missing]
    if not gappy:
        return None
    matrix = np.array([column.is_missing for column in gappy]).T
    patterns, of_row = np.unique(np.packbits(matrix, axis=1), axis=0, return_inverse=True)
    counts = np.bincount(of_row.ravel(), gappy[0].weights).astype(np.int64)
    order = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
    flags = np.unpackbits(patterns[order], axis=1, count=len(gappy)).astype(bool)
    rows = []
    for which, count in zip(flags, counts[order].tolist(), strict=True):
        names = [column.name for column, missing in zip(gappy, which.tolist(), strict=True) if missing]
        picture = "".join("■" if missing else "·" for missing in which.tolist()[:60])
        rows.append((count, f"{count / table.n_cases:.1%}", picture, ", ".join(names) if names else "nothing"))
    left = len(counts) - len(order)
    more = f"; {left:,} rarer {'pattern is' if left == 1 else 'patterns are'} not shown" if left else ""
    return Table(
        f"What is missing together (■ missing, one sign per column with gaps{more})",
        (Column("rows", 0), Column("share"), Column("pattern"), Column("missing")),
        tuple(rows),
    )

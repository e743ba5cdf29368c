"""How far the methods agree on each edge: a forest plot, and what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.edges import HALF, EdgeFinding
from arcwise.report import Paragraph, Section
from arcwise.report.content.forest import Forest, ForestRow
from arcwise.report.content.numbers import show_confidence
from arcwise.report.content.trust import Trust

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["range_sections"]

TITLE = "How far the methods agree"
# Of more edges than this, those on which all methods agree are left out of the plot.
MOST_ROWS = 60
WHY_METHODS_DIFFER = (
    "A confidence of 1 means that every network of the set has the edge; it is not a proof. Each score weighs fit "
    "against complexity in its own way, and a bootstrap also asks what other samples of the same size would have "
    "shown, so it is more careful. An edge on which all agree can be reported as it is; one on which they disagree "
    "needs its range, or more data."
)


def range_sections(analysis: Analysis) -> tuple[Section, ...]:
    """Return the ranges of all edges that some method finds likely or that are in the network."""
    if not analysis.comparisons:
        return ()
    asked = [e for e in analysis.edges if e.trust is not Trust.ALONE and (e.fate.in_network or e.spread[1] > HALF)]
    if not asked:
        return ()
    shown = asked if len(asked) <= MOST_ROWS else [e for e in asked if e.trust is not Trust.AGREED]
    left = len(asked) - len(shown)
    shown = sorted(shown, key=lambda e: (not e.fate.in_network, -e.spread[0], -e.present))[:MOST_ROWS]
    beyond = len(asked) - left - len(shown)
    notes = [f"{left:,} edges on which all methods agree are not drawn"] if left else []
    notes += [f"the {beyond:,} least certain are left to the table"] if beyond else []
    widest = max(asked, key=lambda e: e.spread[1] - e.spread[0])
    low, high = widest.spread
    summary = (
        f"The widest range is that of {widest.first} — {widest.second}, from {show_confidence(low, 2)} to "
        f"{show_confidence(high, 2)}{'; ' + '; '.join(notes) if notes else ''}."
    )
    cutoffs = ((analysis.threshold, f"cut-off {analysis.threshold:.2g}"),)
    blocks = [Paragraph(WHY_METHODS_DIFFER)]
    if not shown:
        return (Section("ranges", TITLE, (*blocks, Paragraph(summary))),)
    forest = Forest(
        f"The confidence in each edge by the {analysis.main.title} (dot) and by {len(analysis.comparisons)} other "
        "combinations of method and score (ticks).",
        summary,
        tuple(_row(edge) for edge in shown),
        cutoffs,
    )
    return (Section("ranges", TITLE, (*blocks, forest)),)


def _row(edge: EdgeFinding) -> ForestRow:
    others = tuple(value for _, value in edge.by_method[1:] if value is not None)
    arrow = "→" if edge.fate.is_arc and edge.is_settled else "—"
    return ForestRow(f"{edge.tail} {arrow} {edge.head}", edge.present, others, edge.trust)

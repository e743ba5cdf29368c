"""Forest plots as SVG, drawn with classes that the page's style sheet colours; no script is needed to see them."""

from __future__ import annotations

from html import escape

from arcwise.report.content.forest import Forest, ForestRow
from arcwise.report.content.numbers import show_range

__all__ = ["forest_line", "forest_svg"]

LABEL, PLOT, NUMBERS = 275.0, 290.0, 90.0
ROW, TOP, BOTTOM = 19.0, 24.0, 26.0
LONGEST = 38
CELLS = 24


def forest_svg(forest: Forest, key: str) -> str:
    """Return the plot as an SVG element whose ids start with `key`."""
    height = TOP + ROW * len(forest.rows) + BOTTOM
    parts = [
        f'<svg class="forest" viewBox="0 0 {LABEL + PLOT + NUMBERS:g} {height:g}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc"><title id="{key}-title">{escape(forest.caption)}</title>'
        f'<desc id="{key}-desc">{escape(forest.summary)}</desc>'
    ]
    low, high = TOP - 6, height - BOTTOM
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(tick)
        parts.append(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="{low:g}" y2="{high:g}"/>')
        parts.append(f'<text class="middle" x="{x:g}" y="{high + 16:g}">{tick:g}</text>')
    for value, label in forest.cutoffs:
        x = _x(value)
        parts.append(f'<line class="guide" x1="{x:.1f}" x2="{x:.1f}" y1="{low:g}" y2="{high:g}"/>')
        parts.append(f'<text class="middle" x="{x:.1f}" y="{TOP - 12:g}">{escape(label)}</text>')
    for k, row in enumerate(forest.rows):
        parts.append(_row(row, TOP + ROW * (k + 0.5)))
    return "".join([*parts, "</svg>"])


def _x(value: float) -> float:
    return LABEL + 10 + value * (PLOT - 20)


def _row(row: ForestRow, y: float) -> str:
    low, high = row.spread
    label = row.label if len(row.label) <= LONGEST else row.label[: LONGEST - 1].rstrip() + "…"
    ticks = "".join(f"M{_x(value):.1f},{y - 4:.1f}v8" for value in row.others)
    return (
        f'<g class="edge {row.trust}"><title>{escape(row.words)}</title>'
        f'<text class="end label" x="{LABEL:g}" y="{y + 4:.1f}">{escape(label)}</text>'
        f'<path class="ink" d="M{_x(low):.1f},{y:.1f}H{_x(high):.1f}"/><path class="tick" d="{ticks}"/>'
        f'<circle class="head" cx="{_x(row.value):.1f}" cy="{y:.1f}" r="4"/>'
        f'<text x="{LABEL + PLOT:g}" y="{y + 4:.1f}">{escape(show_range(low, high))}</text></g>'
    )


def forest_line(row: ForestRow) -> str:
    """Return a row for text: a line from the least to the largest value, and a dot.

    >>> from arcwise.report.content.trust import Trust
    >>> forest_line(ForestRow("a — b", 1.0, (0.5,), Trust.VARIED))
    '            ───────────●'
    """
    low, high = (round(value * (CELLS - 1)) for value in row.spread)
    cells = [" "] * low + ["─"] * (high - low + 1) + [" "] * (CELLS - 1 - high)
    cells[round(row.value * (CELLS - 1))] = "●"
    return "".join(cells)

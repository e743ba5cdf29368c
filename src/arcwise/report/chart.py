"""Line charts as SVG, drawn with classes that the page's style sheet colours; no script is needed to see them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from arcwise.findings.trust import Forest, ForestRow, show_range
from arcwise.report.blocks import Chart, Series

WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 118.0, 14.0, 46.0


class _Axis:
    """One axis: from values to places, with round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float, log: bool) -> None:
        self.log = log and low > 0
        if self.log:
            low, high = math.log10(low), math.log10(high)
        if high - low < 1e-12:
            high = low + 1.0
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value: float) -> float:
        place = math.log10(value) if self.log else value
        return self.start + (place - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
            jump = max(1, math.ceil((last - first) / 6))
            powers = [10.0**k for k in range(first, last + 1, jump)]
            if len(powers) >= 3:
                return powers
            fine = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
            return [v for v in fine if self.low - 1e-9 <= math.log10(v) <= self.high + 1e-9]
        span = self.high - self.low
        raw = span / 5
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw - 1e-12)
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def chart_svg(chart: Chart, key: str) -> str:
    """Return the chart as an SVG element whose ids start with `key`."""
    xs = [v for series in chart.series for v in series.x]
    ys = [v for series in chart.series for v in series.y] + [guide.value for guide in chart.guides]
    x_axis = _Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT, chart.log_x)
    low = min(ys) if chart.log_y else min(0.0, *ys)
    y_axis = _Axis(low, max(ys) * (1.0 if chart.log_y else 1.06), HEIGHT - BOTTOM, TOP, chart.log_y)
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-labelledby="{key}-title {key}-desc">',
        f'<title id="{key}-title">{escape(chart.caption)}</title><desc id="{key}-desc">{escape(chart.summary)}</desc>',
    ]
    for value in y_axis.ticks():
        y = y_axis.at(value)
        parts.append(f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 8, y + 4, _number(value), "tick end"))
    for value in x_axis.ticks():
        x = x_axis.at(value)
        y = HEIGHT - BOTTOM
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{y:g}" y2="{y + 5:g}"/>')
        parts.append(_text(x, y + 19, _number(value), "tick middle"))
    parts.append(
        f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{HEIGHT - BOTTOM:g}" y2="{HEIGHT - BOTTOM:g}"/>'
    )
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, chart.x_label, "label middle"))
    parts.append(
        f'<text class="label middle" transform="rotate(-90)" x="{-(TOP + HEIGHT - BOTTOM) / 2:.1f}" y="16">'
        f"{escape(chart.y_label)}</text>"
    )
    for guide in chart.guides:
        y = y_axis.at(guide.value)
        parts.append(f'<line class="guide" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(WIDTH - RIGHT + 6, y + 4, guide.label, "tick"))
    for number, series in enumerate(chart.series):
        parts += _line(series, number, x_axis, y_axis, labelled=len(chart.series) > 1)
    return "".join([*parts, "</svg>"])


def _line(series: Series, number: int, x_axis: _Axis, y_axis: _Axis, *, labelled: bool) -> list[str]:
    points = [(x_axis.at(x), y_axis.at(y)) for x, y in zip(series.x, series.y, strict=True)]
    text = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (_, before), (x, y) in pairwise(points):
        text += (f"L{x:.1f},{before:.1f}" if series.steps else "") + f"L{x:.1f},{y:.1f}"
    parts = [f'<path class="line s{number}" d="{text}"/>']
    if len(points) <= 24:
        parts += [_marker(x, y, number) for x, y in points]
    if labelled:
        parts.append(_text(points[-1][0] + 8, points[-1][1] + 4, series.label, f"tick s{number}"))
    return parts


def _marker(x: float, y: float, number: int) -> str:
    """Return a circle or, for the next line, a square: lines differ by more than colour."""
    if number % 2 == 0:
        return f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    return f'<rect class="dot s{number}" x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'


def _text(x: float, y: float, text: str, classes: str) -> str:
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}" if abs(value) < 1e-12 else f"{value:.4g}"


def sparkline(values: Sequence[float]) -> str:
    """Return a line of block characters for text."""
    if not values:
        return ""
    low, high = min(values), max(values)
    blocks = "▁▂▃▄▅▆▇█"
    return "".join(blocks[int((v - low) / (high - low) * 7.999) if high > low else 0] for v in values)


# Forest plots as SVG, drawn with classes that the page's style sheet colours; no script is needed to see them.


LABEL, PLOT, NUMBERS = 275.0, 290.0, 90.0
ROW, FOREST_TOP, FOREST_BOTTOM = 19.0, 24.0, 26.0
LONGEST = 38
CELLS = 24


def forest_svg(forest: Forest, key: str) -> str:
    """Return the plot as an SVG element whose ids start with `key`."""
    height = FOREST_TOP + ROW * len(forest.rows) + FOREST_BOTTOM
    parts = [
        f'<svg class="forest" viewBox="0 0 {LABEL + PLOT + NUMBERS:g} {height:g}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc"><title id="{key}-title">{escape(forest.caption)}</title>'
        f'<desc id="{key}-desc">{escape(forest.summary)}</desc>'
    ]
    low, high = FOREST_TOP - 6, height - FOREST_BOTTOM
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(tick)
        parts.append(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="{low:g}" y2="{high:g}"/>')
        parts.append(f'<text class="middle" x="{x:g}" y="{high + 16:g}">{tick:g}</text>')
    for value, label in forest.cutoffs:
        x = _x(value)
        parts.append(f'<line class="guide" x1="{x:.1f}" x2="{x:.1f}" y1="{low:g}" y2="{high:g}"/>')
        parts.append(f'<text class="middle" x="{x:.1f}" y="{FOREST_TOP - 12:g}">{escape(label)}</text>')
    for k, row in enumerate(forest.rows):
        parts.append(_row(row, FOREST_TOP + ROW * (k + 0.5)))
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

    >>> from arcwise.findings.trust import Trust
    >>> forest_line(ForestRow("a — b", 1.0, (0.5,), Trust.VARIED))
    '            ───────────●'
    """
    low, high = (round(value * (CELLS - 1)) for value in row.spread)
    cells = [" "] * low + ["─"] * (high - low + 1) + [" "] * (CELLS - 1 - high)
    cells[round(row.value * (CELLS - 1))] = "●"
    return "".join(cells)

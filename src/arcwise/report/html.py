"""A report as one self-contained HTML page.

The page carries its own style and script, the data as JSON, and a content security policy that allows exactly these
two by their digests: nothing is fetched, and nothing that comes from the data can run. Text from the data is escaped by
the template; the script sets text, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arcwise.base.options import MANY_VARIABLES
from arcwise.base.showing import round_inside, show_range
from arcwise.findings.edge_picture import EdgePicture, Scatter
from arcwise.findings.edge_record import (
    EdgeColumn,
    EdgeRecord,
    Origin,
    Shown,
    script_values,
    shown_columns,
    shown_direction,
)
from arcwise.findings.verdict import Direction, Forest, ForestRow, Verdict, thickness
from arcwise.plotting.layout import Drawing, communities, draw_network, label_of, undrawn_network
from arcwise.report.blocks import Block, Bullets, Chart, NetworkView, Paragraph, Section, Series, TableBlock, Verbatim

if TYPE_CHECKING:
    from arcwise.report.report import Report


# Fewer letters than this next to a table would leave half of a wide window empty.
FEWEST_BESIDE = 260
# From so many variables on, weakly joined parts of so many at least can be looked at by themselves.
LARGE, SMALLEST_PART = 40, 3
# The parts of the script, in their order: what comes later uses what comes before.
SCRIPT = (
    *("page", "consensus", "verdict", "junction_tree", "evidence", "camera", "drawing", "neighbourhood", "parts"),
    *("edge_picture", "edge_panel", "variable_panel", "edge_table", "controls", "start"),
)
# Significant digits of a probability in a table: sums over many of them are right to 1e-9.
DIGITS = 12
KINDS = {
    Paragraph: "paragraph",
    Bullets: "bullets",
    TableBlock: "table",
    Chart: "chart",
    Forest: "chart",
    Verbatim: "verbatim",
}


def render_html(report: Report) -> str:
    """Return the whole page; the same report gives the same bytes."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["kind"] = lambda block: KINDS[type(block)]
    environment.filters["sides"] = _sides
    environment.filters["code"] = lambda text: Markup(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))
    environment.filters["svg"] = lambda chart, key: Markup(_picture(chart, key))
    style, script = _stripped(_asset("report.css")), _script()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; base-uri "
        "'none'; "
        "form-action 'none'"
    )
    template = environment.from_string(_asset("report.html"))
    columns = shown_columns(Shown.PAGE, report.network.edges)
    return template.render(
        report=report,
        view=report.network,
        columns=columns,
        headings=_headings(columns),
        page_of=Shown.PAGE,
        stated=any(edge.origin is not Origin.FOUND for edge in report.network.edges),
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        payload=Markup(_json({**_payload(report.network), "glossary": dict(report.glossary)})),
    )


def _picture(chart: Chart | Forest, key: str) -> str:
    return forest_svg(chart, key) if isinstance(chart, Forest) else chart_svg(chart, key)


def frame_of(page: str, title: str) -> str:
    """Return a page inside a sandboxed frame, for notebooks: its style and script touch nothing outside."""
    return (
        f'<iframe title="{escape(title, quote=True)}" srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 720px; border: 1px solid #8888"></iframe>'
    )


@cache
def _asset(name: str) -> str:
    return files("arcwise.report").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return all parts of the script as one, in a scope of their own."""
    parts = "".join(_stripped(_asset(f"script/{name}.js")) for name in SCRIPT)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _stripped(source: str) -> str:
    """Return a program or style sheet without its indentation and its lines of comment."""
    lines = (line.strip() for line in source.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _json(value: Any) -> str:
    """Return JSON that is safe inside a script element: no `<`, `>`, `&`, and no line separators."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _sides(section: Section) -> list[tuple[str, list[tuple[int, Block]]]]:
    """Return the numbered blocks of a section in one or two columns: what is read, and next to it what is looked at.

    A wide window shows the columns side by side, a narrow one the first above the second.
    """
    numbered: list[tuple[int, Block]] = list(enumerate(section.blocks, start=1))
    read = [(k, block) for k, block in numbered if isinstance(block, Paragraph | Bullets)]
    seen = [(k, block) for k, block in numbered if not isinstance(block, Paragraph | Bullets)]
    if not seen:
        return [("flow", numbered)]
    letters = sum(len(block.text) if isinstance(block, Paragraph) else sum(map(len, block.items)) for _, block in read)
    if letters < FEWEST_BESIDE:
        return [("all", numbered)]
    first: tuple[str, list[tuple[int, Block]]] = ("read", [*read])
    second: tuple[str, list[tuple[int, Block]]] = ("seen", [*seen])
    return [first, second] if numbered[0] in first[1] else [second, first]


def _headings(columns: list[EdgeColumn]) -> list[tuple[str, list[EdgeColumn]]]:
    groups: list[tuple[str, list[EdgeColumn]]] = []
    for column in columns:
        if column.group and groups and groups[-1][0] == column.group:
            groups[-1][1].append(column)
        else:
            groups.append((column.group, [column]))
    return groups


def _short(value: float) -> float | int:
    """Round a point of a curve to two digits, which a drawing of this size cannot tell apart."""
    rounded = float(f"{value:.2g}")
    return int(rounded) if abs(rounded) >= 10 else rounded


def _table(rows: tuple[tuple[float, ...], ...] | None, order: tuple[int, ...]) -> list[list[float]] | None:
    """Return a table of probabilities: exactly where the page computes with it, else as it is shown."""
    if rows is None:
        return None
    return [[float(f"{value:.{DIGITS}g}") if order else round(value, 4) for value in row] for row in rows]


def _weak_parts(view: NetworkView, drawing: Drawing) -> list[dict[str, Any]]:
    """Return the weakly joined parts of a large network, each called by its best joined variable."""
    if len(view.nodes) < LARGE or not drawing.x:
        return []
    parts = []
    weighed = [(*ends, edge.real) for edge, ends in zip(view.edges, view.ends, strict=True) if edge.fate.in_network]
    for group in drawing.blocks or communities(len(view.nodes), weighed):
        ends = [(first, second) for first, second, _ in weighed if {first, second} <= set(group)]
        inside = Counter(v for pair in ends for v in pair)
        if len(group) >= SMALLEST_PART and ends:
            best = min(group, key=lambda v: (-inside[v], v))
            parts.append({"name": view.nodes[best].name, "nodes": group})
    return parts if len(parts) > 1 else []


def _best_joined(view: NetworkView) -> int:
    """Return the variable with most edges in the network: where a page begins that does not draw the whole."""
    ends = Counter(v for edge, ends in zip(view.edges, view.ends, strict=True) if edge.fate.in_network for v in ends)
    return min(range(len(view.nodes)), key=lambda v: (-ends[v], v))


def _edge(index: dict[str, int], edge: EdgeRecord, few: int) -> dict[str, Any]:
    """Return what the script has of an edge: the columns that it shows or computes with, and what it draws."""
    prior = edge.prior
    return {
        "first": index[edge.first],
        "second": index[edge.second],
        "tail": index[edge.tail],
        **script_values(edge),
        "forward": round_inside(edge.forward, 6),
        "backward": round_inside(edge.backward, 6),
        "undirected": round_inside(edge.undirected, 6),
        "by_method": [None if value is None else round_inside(value, 4) for _, value in edge.by_method],
        "counts": edge.counts.tolist(),
        "curve": [] if prior is None else [_short(value) for value in prior.exact.tolist()],
        "given": [] if prior is None else [index[name] for name in prior.given],
        "verdict": edge.verdict.key,
        "direction": edge.direction,
        "way": shown_direction(edge, few),
        **({"leans": 1} if edge.leans else {}),
        "action": edge.action,
        "label": edge.label,
    }


# Places in a picture are whole numbers from 0 to this: finer than a screen.
FINE = 999


def _place(value: float, ends: tuple[float, float]) -> int:
    return round((value - ends[0]) / ((ends[1] - ends[0]) or 1.0) * FINE)


def _picture_of(picture: EdgePicture, index: dict[str, int]) -> dict[str, Any]:
    """Return what the script has of a picture."""
    if isinstance(picture, Scatter):
        xs, ys = picture.x_range, picture.y_range

        def places(points: tuple[tuple[float, float], ...]) -> list[int]:
            return [place for x, y in points for place in (_place(x, xs), _place(y, ys))]

        shown = (
            {"points": places(picture.points)}
            if picture.points
            else {
                "cells": [number for cell in picture.cells for number in cell],
                "grid": picture.grid,
            }
        )
        ends = {"xs": [float(f"{x:.6g}") for x in xs], "ys": [float(f"{y:.6g}") for y in ys]}
        curve = {"curve": places(picture.curve)} if picture.curve else {}
        return {"x": index[picture.x], "y": index[picture.y], **ends, **shown, **curve}
    return {
        "x": index[picture.x],
        "y": index[picture.y],
        "states": picture.states,
        "cases": picture.cases,
        "quantiles": [[float(f"{value:.5g}") for value in own] for own in picture.quantiles],
        "means": [float(f"{value:.5g}") for value in picture.means],
        **({"out": picture.left_out} if picture.left_out else {}),
    }


def _payload(view: NetworkView) -> dict[str, Any]:
    arcs = [(parent, child) for child, parents in enumerate(view.parents) for parent in parents]
    counts = Counter(sentence for words in view.words for sentence in words)
    phrases = {sentence: k for k, sentence in enumerate(s for s, count in counts.items() if count > 1)}  # sent once
    names, index = [node.name for node in view.nodes], view.index
    drawing = (
        draw_network(names, arcs, view.ends, [edge.label for edge in view.edges])
        if len(names) <= MANY_VARIABLES
        else undrawn_network(names, len(view.edges))
    )
    return {
        "nodes": [
            {"name": node.name, "label": label_of(node.name), "states": node.states, "shares": node.shares}
            for node in view.nodes
        ],
        "drawing": {
            "x": drawing.x,
            "y": drawing.y,
            "w": drawing.widths,
            "h": drawing.height,
            "size": drawing.size,
            "apart": bool(drawing.blocks),
            **({} if drawing.x else {"start": _best_joined(view)}),
        },
        "edges": [
            {
                **_edge(index, edge, view.few),
                "sentences": [phrases.get(sentence, sentence) for sentence in words],
                **({} if picture is None else {"picture": _picture_of(picture, index)}),
                "path": path,
                "label_at": middle,
            }
            for edge, words, picture, path, middle in zip(
                view.edges, view.words, view.pictures, drawing.paths, drawing.middles, strict=True
            )
        ],
        "phrases": list(phrases),
        **({"record": view.record} if view.record else {}),
        "verdicts": {one.key: {"title": one, "words": one.words, "dashes": one.dashes} for one in Verdict},
        "threshold": view.threshold,
        "cost": view.cost,
        "rules": [{"label": rule.label, "value": rule.value, "meaning": rule.meaning} for rule in view.rules],
        "methods": view.methods,
        "ess": view.ess,
        "parents": view.parents,
        "tables": [_table(rows, view.evidence.order) for rows in view.tables],
        "evidence": {
            "order": view.evidence.order,
            "refusal": view.evidence.refusal,
            "given": view.evidence.given,
        },
        "parts": _weak_parts(view, drawing),
        **({} if view.target is None else {"target": view.target}),
        "floor": view.floor,
        **({"few": view.few} if view.few else {}),
        **({} if view.scale is None else {"scale": view.scale}),
        **({} if view.unseen is None else {"unseen": view.unseen}),
        "powers": view.cost_powers,
        "cutoffs": view.cost_cutoffs,
        **({} if view.known is None else {"known": {"required": view.known.required, "limits": view.known.limits}}),
    }


# The network at its cut-off as a picture: an SVG file for papers and pages, without a script.


STYLE = (
    "text{font:13px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central;fill:#1b1f24}"
    ".n{fill:#fff;stroke:#57606a;stroke-width:1.2}.e{fill:none;stroke:currentColor}"
    ".rely{color:#0b5cad}.probably{color:#3f7f8f}.open{color:#c04a00}.yours{color:#6b4fa0}.unlikely{color:#7a828c}"
    ".h{fill:currentColor;stroke:currentColor;stroke-width:1.4;stroke-linejoin:round}.o{fill:#fff}.said{fill:#b9a8d8}"
    ".v{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:7px;stroke-linejoin:round}"
)


def network_svg(view: NetworkView, *, numbers: bool = True) -> str:
    """Return the network at the view's threshold as an SVG document.

    The more probable, the wider the line; colour and dashes are the verdict. An arrow head is filled where the data
    settle the direction, hollow where it is likely, and missing where it is unknown. Numbers are probabilities.
    """
    arcs = [(parent, child) for child, parents in enumerate(view.parents) for parent in parents]
    shown = [edge for edge in view.edges if edge.fate.in_network]
    drawing = draw_network(
        [n.name for n in view.nodes],
        arcs,
        [ends for edge, ends in zip(view.edges, view.ends, strict=True) if edge.fate.in_network],
        [edge.label if numbers else "" for edge in shown],
    )
    width, height = drawing.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}"><title>Network of {len(view.nodes)} variables and {len(shown)} edges</title>'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
    ]
    for edge, path in zip(shown, drawing.paths, strict=True):
        broken = f' stroke-dasharray="{edge.verdict.dashes}"' if edge.verdict.dashes else ""
        width = thickness(edge.real)
        parts.append(f'<path class="e {edge.verdict.key}" d="{path}" stroke-width="{width:.2f}"{broken}/>')
        if edge.is_pointed:
            parts.append(_head(edge, path))
    if numbers:
        for edge, (x, y) in zip(shown, drawing.middles, strict=True):
            if edge.label:
                parts.append(f'<text class="v" x="{x:g}" y="{y:g}">{escape(edge.label)}</text>')
    for v, node in enumerate(view.nodes):
        x, y, w, h = drawing.x[v], drawing.y[v], drawing.widths[v], drawing.height
        parts.append(
            f'<rect class="n" x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:g}" height="{h:g}" rx="7"/>'
            f'<text x="{x:g}" y="{y:g}">{escape(label_of(node.name))}</text>'
        )
    return "".join([*parts, "</svg>\n"])


def _head(edge: EdgeRecord, path: str) -> str:
    """Return the arrow head at the end of a path, or at its start for an arc from second to first."""
    points = [
        tuple(map(float, pair.split(",")))
        for pair in path.replace("M", " ").replace("C", " ").replace("Q", " ").split()
    ]
    if not edge.is_ahead:
        points.reverse()
    (bx, by), (tx, ty) = points[-2], points[-1]
    angle = math.atan2(ty - by, tx - bx)
    size = thickness(edge.real)
    length, half = 9 + size, 3.6 + 0.8 * size
    corners = [
        (tx - length * math.cos(angle) - side * math.sin(angle), ty - length * math.sin(angle) + side * math.cos(angle))
        for side in (half, -half)
    ]
    kind = {Direction.SETTLED: "h", Direction.YOURS: "h said"}.get(edge.direction, "h o")
    text = "L".join(f"{x:.1f},{y:.1f}" for x, y in [(tx, ty), *corners])
    return f'<path class="{kind} {edge.verdict.key}" d="M{text}Z"/>'


# Line charts and forest plots as SVG, drawn with classes that the page's style sheet colours; no script is needed.


WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 142.0, 14.0, 46.0
LETTERS = 15.0  # from one line of letters to the next


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
    labels = []  # what stands at the right: where, and what
    for guide in chart.guides:
        y = y_axis.at(guide.value)
        parts.append(f'<line class="guide" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        labels.append((y, WIDTH - RIGHT + 6, guide.label, "tick"))
    for number, series in enumerate(chart.series):
        parts += _line(series, number, x_axis, y_axis)
        if len(chart.series) > 1:
            labels.append((y_axis.at(series.y[-1]), x_axis.at(series.x[-1]) + 8, series.label, f"tick s{number}"))
    labels.sort()
    for y, (_, x, label, style) in zip(_spread([y for y, *_ in labels]), labels, strict=True):
        parts.append(_text(x, y + 4, label, style))
    return "".join([*parts, "</svg>"])


def _spread(places: Sequence[float]) -> list[float]:
    """Return rising places moved apart, so that no line of letters lies on another, and none below the axis.

    >>> _spread([20.0, 21.0, 90.0]), _spread([250.0, 254.0])
    ([20.0, 35.0, 90.0], [239.0, 254.0])
    """
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + LETTERS) if found else place)
    lowest = HEIGHT - BOTTOM
    for k in reversed(range(len(found))):
        found[k] = min(found[k], lowest)
        lowest = found[k] - LETTERS
    return found


def _line(series: Series, number: int, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    points = [(x_axis.at(x), y_axis.at(y)) for x, y in zip(series.x, series.y, strict=True)]
    text = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (_, before), (x, y) in pairwise(points):
        text += (f"L{x:.1f},{before:.1f}" if series.steps else "") + f"L{x:.1f},{y:.1f}"
    parts = [f'<path class="line s{number}" d="{text}"/>']
    if len(points) <= 24:
        parts += [_marker(x, y, number) for x, y in points]
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


LABEL, PLOT, NUMBERS = 275.0, 290.0, 90.0
ROW, FOREST_TOP, FOREST_BOTTOM = 19.0, 24.0, 26.0
LONGEST = 38  # letters of a label that fit LABEL


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
        f'<g class="edge {row.verdict.key}"><title>{escape(row.words)}</title>'
        f'<text class="end label" x="{LABEL:g}" y="{y + 4:.1f}">{escape(label)}</text>'
        f'<path class="ink" d="M{_x(low):.1f},{y:.1f}H{_x(high):.1f}"/><path class="tick" d="{ticks}"/>'
        f'<circle class="head" cx="{_x(row.value):.1f}" cy="{y:.1f}" r="4"/>'
        f'<text x="{LABEL + PLOT:g}" y="{y + 4:.1f}">{escape(show_range(low, high))}</text></g>'
    )

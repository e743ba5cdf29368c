"""A report as one self-contained HTML page.

The page carries its own style and script, the data as JSON, and a content security policy that allows exactly these
two by their digests: nothing is fetched, and nothing that comes from the data can run. Text from the data is escaped by
the template; the script sets text, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from arcwise.confidence.consensus import Fate
from arcwise.defaults import MANY_VARIABLES
from arcwise.plotting.communities import communities
from arcwise.plotting.layout import Drawing, draw_network, label_of, undrawn_network
from arcwise.report.content.blocks import (
    FOUND,
    Block,
    Bullets,
    Chart,
    NetworkView,
    Paragraph,
    Report,
    Section,
    Table,
    Verbatim,
)
from arcwise.report.content.forest import Forest
from arcwise.report.content.numbers import percent, round_inside, show_confidence
from arcwise.report.drawing.chart import chart_svg
from arcwise.report.drawing.forest import forest_svg

__all__ = ["render_frame", "render_html"]

# Fewer letters than this next to a table would leave half of a wide window empty.
FEWEST_BESIDE = 260
# From so many variables on, weakly joined parts of so many at least can be looked at by themselves.
LARGE, SMALLEST_PART = 40, 3
# The parts of the script, in their order: what comes later uses what comes before.
SCRIPT = (
    *("page", "consensus", "trust", "junction_tree", "evidence", "camera", "drawing", "neighbourhood", "parts"),
    *("edge_panel", "variable_panel", "edge_table", "controls", "start"),
)
# Significant digits of a probability in a table: sums over many of them are right to 1e-9.
DIGITS = 12
KINDS = {
    Paragraph: "paragraph",
    Bullets: "bullets",
    Table: "table",
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
    environment.filters["confidence"] = show_confidence
    environment.filters["percent"] = percent
    environment.filters["sides"] = _sides
    environment.filters["svg"] = lambda chart, key: Markup(_picture(chart, key))
    style, script = _stripped(_asset("report.css")), _script()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; base-uri "
        "'none'; "
        "form-action 'none'"
    )
    template = environment.from_string(_asset("report.html"))
    return template.render(
        report=report,
        view=report.network,
        rows=_edge_rows(report.network),
        stated=any(edge.origin != FOUND for edge in report.network.edges),
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        payload=Markup(_json(_payload(report.network))),
    )


def _picture(chart: Chart | Forest, key: str) -> str:
    return forest_svg(chart, key) if isinstance(chart, Forest) else chart_svg(chart, key)


def render_frame(report: Report) -> str:
    """Return the page inside a sandboxed frame, for notebooks: its style and script touch nothing outside."""
    page = escape(render_html(report), quote=True)
    return (
        f'<iframe title="{escape(report.title, quote=True)}" srcdoc="{page}" sandbox="allow-scripts" '
        'style="width: 100%; height: 720px; border: 1px solid #8888"></iframe>'
    )


@cache
def _asset(name: str) -> str:
    return files("arcwise.report.render").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


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


# What the last column of the table says without a script; with one, the slider decides.
IN_NETWORK = {
    Fate.KEPT: "yes",
    Fate.UNDIRECTED: "yes, open",
    Fate.REQUIRED: "yes, required",
    Fate.DROPPED: "left out (cycle)",
    Fate.FORBIDDEN: "left out (forbidden)",
    Fate.LIMITED: "left out (parents)",
    Fate.MISLEADING: "left out (ancestors)",
    Fate.BELOW: "no",
}


def _edge_rows(view: NetworkView) -> list[dict[str, Any]]:
    """Return what the table of edges shows without a script."""
    names = [node.name for node in view.nodes]
    return [
        {
            "tail": names[edge.second if edge.backward > edge.forward else edge.first],
            "head": names[edge.first if edge.backward > edge.forward else edge.second],
            "present": edge.present,
            "probability": edge.probability,
            "shares": edge.shares,
            "low": min(v for v in edge.by_method if v is not None),
            "high": max(v for v in edge.by_method if v is not None),
            "agreement": edge.agreement,
            "in_network": IN_NETWORK[edge.fate],
            "origin": edge.origin,
        }
        for edge in view.edges
    ]


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
    shown = [edge for edge in view.edges if edge.fate.in_network]
    parts = []
    weighed = [(edge.first, edge.second, edge.real) for edge in shown]
    for group in drawing.blocks or communities(len(view.nodes), weighed):
        ends = [(edge.first, edge.second) for edge in shown if {edge.first, edge.second} <= set(group)]
        inside = Counter(v for pair in ends for v in pair)
        if len(group) >= SMALLEST_PART and ends:
            best = min(group, key=lambda v: (-inside[v], v))
            parts.append({"name": view.nodes[best].name, "nodes": group})
    return parts if len(parts) > 1 else []


def _best_joined(view: NetworkView) -> int:
    """Return the variable with most edges in the network: where a page begins that does not draw the whole."""
    ends = Counter(v for edge in view.edges if edge.fate.in_network for v in (edge.first, edge.second))
    return min(range(len(view.nodes)), key=lambda v: (-ends[v], v))


def _payload(view: NetworkView) -> dict[str, Any]:
    """Return what the script needs, with short keys: there may be hundreds of edges."""
    arcs = [(parent, child) for child, parents in enumerate(view.parents) for parent in parents]
    said = Counter(sentence for edge in view.edges for sentence in edge.words)
    phrases = {sentence: k for k, sentence in enumerate(s for s, count in said.items() if count > 1)}  # sent once
    names = [node.name for node in view.nodes]
    drawing = (
        draw_network(
            names, arcs, [(edge.first, edge.second) for edge in view.edges], [edge.label for edge in view.edges]
        )
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
                "a": edge.first,
                "b": edge.second,
                "p": edge.present,
                "f": edge.forward,
                "r": edge.backward,
                "u": edge.undirected,
                "e": edge.error,
                **({} if edge.probability is None else {"o": edge.probability}),
                **({"z": 1} if edge.is_settled else {}),
                "m": [None if value is None else round_inside(value, 4) for value in edge.by_method],
                "t": edge.tail,
                "c": edge.counts,
                "q": [_short(value) for value in edge.curve],
                "g": edge.given,
                "w": [phrases.get(sentence, sentence) for sentence in edge.words],
                "s": edge.agreement,
                "v": edge.trust,
                "l": edge.label,
                "d": path,
                "k": middle,
            }
            for edge, path, middle in zip(view.edges, drawing.paths, drawing.middles, strict=True)
        ],
        "phrases": list(phrases),
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
        **({} if view.unseen is None else {"unseen": view.unseen}),
        "powers": view.cost_powers,
        "cutoffs": view.cost_cutoffs,
        **({} if view.known is None else {"known": {"required": view.known.required, "limits": view.known.limits}}),
    }

"""The network at its cut-off as a picture: an SVG file for papers and pages, without a script."""

from __future__ import annotations

import math
from html import escape

from arcwise.plotting.layout import draw_network, label_of
from arcwise.report.content.blocks import NetworkEdge, NetworkView
from arcwise.report.content.trust import dashes_of, thickness

__all__ = ["network_svg"]

STYLE = (
    "text{font:13px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central;fill:#1b1f24}"
    ".n{fill:#fff;stroke:#57606a;stroke-width:1.2}.e{fill:none;stroke:currentColor}"
    ".alone{color:#3b4754}.agreed{color:#0b5cad}.varied{color:#3f7f8f}.disputed{color:#c04a00}.weak,.guess{color:#7a828c}"
    ".h{fill:currentColor;stroke:currentColor;stroke-width:1.4;stroke-linejoin:round}.o{fill:#fff}"
    ".v{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
)


def network_svg(view: NetworkView, *, numbers: bool = True) -> str:
    """Return the network at the view's threshold as an SVG document.

    The more probable, the wider the line; colour and dashes say whether all methods support the edge (`Trust`). An
    arrow head is filled where the data settle the direction, hollow where they lean towards it, and missing where it is
    open. Numbers stand where they tell something.
    """
    arcs = [(parent, child) for child, parents in enumerate(view.parents) for parent in parents]
    shown = [edge for edge in view.edges if edge.fate.in_network]
    drawing = draw_network(
        [n.name for n in view.nodes],
        arcs,
        [(edge.first, edge.second) for edge in shown],
        [edge.label if numbers else "" for edge in shown],
    )
    width, height = drawing.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}"><title>Network of {len(view.nodes)} variables and {len(shown)} edges</title>'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
    ]
    for edge, path in zip(shown, drawing.paths, strict=True):
        dashes = dashes_of(edge.trust, edge.present)
        broken = f' stroke-dasharray="{dashes}"' if dashes else ""
        width = thickness(edge.real)
        parts.append(f'<path class="e {edge.trust}" d="{path}" stroke-width="{width:.2f}"{broken}/>')
        if edge.fate.is_arc:
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


def _head(edge: NetworkEdge, path: str) -> str:
    """Return the arrow head at the end of a path, or at its start for an arc from second to first."""
    points = [
        tuple(map(float, pair.split(",")))
        for pair in path.replace("M", " ").replace("C", " ").replace("Q", " ").split()
    ]
    if edge.tail == edge.second:
        points.reverse()
    (bx, by), (tx, ty) = points[-2], points[-1]
    angle = math.atan2(ty - by, tx - bx)
    size = thickness(edge.real)
    length, half = 9 + size, 3.6 + 0.8 * size
    corners = [
        (tx - length * math.cos(angle) - side * math.sin(angle), ty - length * math.sin(angle) + side * math.cos(angle))
        for side in (half, -half)
    ]
    kind = "h" if edge.is_settled else "h o"
    text = "L".join(f"{x:.1f},{y:.1f}" for x, y in [(tx, ty), *corners])
    return f'<path class="{kind} {edge.trust}" d="M{text}Z"/>'

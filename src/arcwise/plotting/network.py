"""A network as a layered drawing: lines by confidence, arrow heads where there is a direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from arcwise.plotting.axes import axes_or_new
from arcwise.plotting.layout import Drawing, draw_network, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

__all__ = ["network_picture", "plot_network"]

INK, PAPER = "#3b4754", "#ffffff"
INCH = 96.0
MOST_SHOWN = 300  # beyond, a drawing in a notebook says less than a table

Arcs = Sequence[tuple[int, int]]


def plot_network(
    names: Sequence[str],
    arcs: Arcs,
    edges: Arcs = (),
    *,
    weights: Mapping[frozenset[int], float] | None = None,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw arcs (with heads) and edges (without); wider lines have more weight, broken ones less than three quarters.

    `arcs` and `edges` together must be the skeleton of a DAG in which the edges point from the first to the second.
    """
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    drawing = draw_network(names, [*arcs, *edges], [*arcs, *edges])
    width, height = drawing.size
    ax = axes_or_new(ax, max(3.0, width / INCH), max(2.0, height / INCH))
    for k, (a, b) in enumerate([*arcs, *edges]):
        weight = 1.0 if weights is None else weights.get(frozenset((a, b)), 1.0)
        ax.add_patch(
            FancyArrowPatch(
                path=_path(drawing.paths[k]),
                arrowstyle="-|>" if k < len(arcs) else "-",
                mutation_scale=12,
                linewidth=0.8 + 1.8 * weight,
                linestyle="-" if weight >= 0.75 else "--" if weight >= 0.5 else ":",
                color=INK,
                shrinkA=0,
                shrinkB=0,
            )
        )
        if weights is not None and numbers:
            x, y = drawing.middles[k]
            ax.text(x, y, f"{weight:.2f}", fontsize=7, ha="center", va="center", backgroundcolor=PAPER)
    for v, name in enumerate(names):
        x, y, w, h = drawing.x[v], drawing.y[v], drawing.widths[v], drawing.height
        box = FancyBboxPatch(
            (x - w / 2, y - h / 2), w, h, boxstyle="round,pad=0,rounding_size=7", facecolor=PAPER, edgecolor=INK
        )
        ax.add_patch(box)
        ax.text(x, y, label_of(name), fontsize=9, ha="center", va="center")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _points(path: str) -> tuple[list[tuple[float, float]], str]:
    """Return the points of an SVG path of one kind of curve, and the kind."""
    kind = "C" if "C" in path else "Q" if "Q" in path else "L"
    words = path.replace("M", " ").replace("C", " ").replace("Q", " ").replace("L", " ").split()
    return [(float(x), float(y)) for x, y in (word.split(",") for word in words)], kind


def _path(path: str) -> Path:
    from matplotlib.path import Path as Curve

    points, kind = _points(path)
    code = {"C": Curve.CURVE4, "Q": Curve.CURVE3, "L": Curve.LINETO}[kind]
    return Curve(points, [Curve.MOVETO, *[code] * (len(points) - 1)])


def network_picture(names: Sequence[str], arcs: Arcs, edges: Arcs = ()) -> str:
    """Return the drawing as SVG for a notebook; pointing at a line or a box names it. Empty for very many nodes."""
    if not names or len(names) > MOST_SHOWN:
        return ""
    both = [*arcs, *edges]
    drawing = draw_network(names, both, both)
    width, height = drawing.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" role="img" aria-label="network of {len(names)} variables">'
        '<defs><marker id="arcwise-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0,0L10,5L0,10z" fill="{INK}"/></marker></defs>'
        '<g style="font:13px system-ui,sans-serif" text-anchor="middle">'
    ]
    for k, (a, b) in enumerate(both):
        sign, head = ("→", ' marker-end="url(#arcwise-head)"') if k < len(arcs) else ("—", "")
        told = escape(f"{names[a]} {sign} {names[b]}")
        parts.append(
            f'<path d="{drawing.paths[k]}" fill="none" stroke="{INK}" stroke-width="1.8"{head}><title>{told}</title>'
            "</path>"
        )
    parts += [_box(drawing, v, name) for v, name in enumerate(names)]
    return "".join([*parts, "</g></svg>"])


def _box(drawing: Drawing, v: int, name: str) -> str:
    x, y, w, h = drawing.x[v], drawing.y[v], drawing.widths[v], drawing.height
    return (
        f'<g><title>{escape(name)}</title><rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:g}" height="{h:g}" '
        f'rx="7" fill="{PAPER}" stroke="{INK}"/><text x="{x:g}" y="{y + 4.5:g}" fill="#1b1f24">'
        f"{escape(label_of(name))}</text></g>"
    )

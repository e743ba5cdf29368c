"""A report as text for a terminal, by rich: the same content, with the network as a table of edges."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arcwise.confidence.consensus import Fate
from arcwise.report.content.blocks import (
    FOUND,
    NOT_COMPARED,
    OPEN,
    Block,
    Bullets,
    Chart,
    NetworkEdge,
    NetworkView,
    Paragraph,
    Report,
    Verbatim,
)
from arcwise.report.content.forest import Forest
from arcwise.report.content.numbers import percent, show_confidence, show_range
from arcwise.report.drawing.chart import sparkline
from arcwise.report.drawing.forest import forest_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["print_blocks", "print_report", "render_text"]

BAR = 12
# Why an edge above the cut-off is not in the network.
LEFT_OUT = {
    Fate.DROPPED: "left out: a cycle",
    Fate.FORBIDDEN: "left out: forbidden",
    Fate.LIMITED: "left out: too many parents",
    Fate.MISLEADING: "left out: must not lead there",
}
SPARKLINE_POINTS = 40


def render_text(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Return the report as text of the given width, with terminal colours if asked for."""
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
    )
    print_report(report, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in str(text).splitlines()) + "\n"


def print_report(report: Report, console: Console, *, sections: tuple[str, ...] | None = None) -> None:
    """Print the report on a console; `sections` limits it to those with the given keys."""
    from rich.text import Text

    console.print(Text(report.title, style="bold"))
    console.print(Text(report.subtitle))
    console.print()
    console.print(Text("  ".join(f"{label}: {value};" for label, value in report.facts).rstrip(";")))
    console.print()
    for sentence in report.summary:
        console.print(_bullet(sentence))
    console.print()
    console.print(_edge_table(report.network))
    if sections is None and report.glossary:
        console.print()
        console.print(Text("The words", style="bold underline"))
        console.print(_glossary(report))
    for section in report.sections:
        if sections is not None and section.key not in sections:
            continue
        console.print()
        console.print(Text(section.title, style="bold underline"))
        print_blocks(section.blocks, console)


def print_blocks(blocks: Iterable[Block], console: Console) -> None:
    """Print blocks one after the other, without a heading."""
    for block in blocks:
        for part in _block(block):
            console.print(part)


def _glossary(report: Report) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 2))
    for word, meaning in report.glossary:
        grid.add_row(Text(word, style="bold"), Text(meaning))
    return grid


def _bullet(text: str) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row("•", Text(text))
    return grid


def _edge_table(view: NetworkView) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    shown = [edge for edge in view.edges if edge.present > view.threshold]
    left = sum(0 < edge.present <= view.threshold for edge in view.edges)
    grid = Grid(title=None, box=None, pad_edge=False, header_style="bold")
    grid.add_column("edge")
    grid.add_column("in networks" if view.few else "confidence", justify="right")
    grid.add_column("")
    probable = any(edge.probability is not None for edge in view.edges)
    if probable:
        grid.add_column("probability", justify="right")
    grid.add_column("direction, if present")
    grid.add_column("other methods")
    stated = any(edge.origin != FOUND for edge in view.edges)
    shown += [edge for edge in view.edges if edge.origin != FOUND and edge not in shown and edge.present <= 0]
    if stated:
        grid.add_column("origin")
    for edge in shown:
        first, second = view.nodes[edge.first].name, view.nodes[edge.second].name
        arrow = "→" if edge.fate.is_arc else "—"
        absent = edge.present <= 0
        if edge.tail == edge.second:
            first, second = second, first
        bar = "█" * round(edge.present * BAR) + "░" * (BAR - round(edge.present * BAR))
        odds = [show_confidence(edge.probability or 0.0, 2)] if probable else []
        cells = [
            view.shown_confidence(edge.present),
            "" if view.few else bar,
            *odds,
            *(("", "") if absent or view.few else (_direction(edge), _others(edge))),
        ]
        grid.add_row(Text(f"{first} {arrow} {second}"), *cells, *([edge.origin] if stated else []))
    if left:
        more = "1 more pair has" if left == 1 else f"{left:,} more pairs have"
        grid.caption = Text(f"{more} a confidence between {view.floor:g} and {view.threshold:.3g}.")
        grid.caption_justify = "left"
    return grid


def _direction(edge: NetworkEdge) -> str:
    """Say how far the direction is settled: shares of the networks that have the edge."""
    way, back, free = edge.shares
    if edge.fate.is_left_out:
        return LEFT_OUT[edge.fate]
    if free >= OPEN:
        return f"either way ({percent(free)})"
    word = "settled" if edge.is_settled else "leaning" if edge.fate.is_arc else "open"
    return f"{word} ({percent(way)}, reversed {percent(back)})"


def _others(edge: NetworkEdge) -> str:
    known = [value for value in edge.by_method[1:] if value is not None]
    if not known or edge.agreement == NOT_COMPARED:
        return ""
    return f"{edge.agreement}: {show_range(min(known), max(known))}"


def _block(block: Block) -> list[RenderableType]:
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    if isinstance(block, Paragraph):
        return [Text(block.text)]
    if isinstance(block, Bullets):
        return [_bullet(item) for item in block.items]
    if isinstance(block, Verbatim):
        return [Padding(Text(block.text), (0, 4))]
    if isinstance(block, Chart):
        lines: list[RenderableType] = []
        for series in block.series:
            step = max(1, len(series.y) // SPARKLINE_POINTS)
            lines.append(Text(f"  {sparkline(series.y[::step])}  {series.label}"))
        return [*lines, Text(f"  {block.caption} {block.summary}")]
    if isinstance(block, Forest):
        forest = Grid(box=None, pad_edge=False, show_header=False)
        for own in block.rows:
            forest.add_row(Text(own.label), Text(forest_line(own)), Text(show_range(*own.spread)))
        return [forest, Text(f"  {block.caption} {block.summary}")]
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for column in block.columns:
        grid.add_column(Text(column.title), justify="right" if column.digits is not None else "left")
    for row in block.rows:
        grid.add_row(*(Text(column.show(cell)) for column, cell in zip(block.columns, row, strict=True)))
    return [Text(block.caption), grid] if block.caption else [grid]

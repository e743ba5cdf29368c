"""A report as text for a terminal, by rich: the same content, with the network as a table of edges."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from arcwise.findings.edge_record import Origin, Shown, shown_columns
from arcwise.findings.trust import Forest, ForestRow, show_range
from arcwise.report.blocks import Block, Bullets, Chart, NetworkView, Paragraph, Verbatim

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from arcwise.report.report import Report


SPARKLINE_POINTS = 40
CELLS = 24  # of a line of a forest plot


def render_text(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Return the report as text of the given width, with terminal colours if asked for."""
    return rendered(partial(print_report, report), width=width, color=color)


def rendered(show: Callable[[Console], None], *, width: int, color: bool = False) -> str:
    """Return as text what a function prints on a console of the given width."""
    from rich.console import Console

    file = io.StringIO()
    colors: Literal["standard"] | None = "standard" if color else None
    show(Console(file=file, width=width, force_terminal=color, color_system=colors, highlight=False))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


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
    shown += [e for e in view.edges if e.origin is not Origin.FOUND and e.present <= 0]
    columns = shown_columns(Shown.TEXT, view.edges)
    grid = Grid(title=None, box=None, pad_edge=False, header_style="bold")
    grid.add_column("edge")
    for column in columns:
        grid.add_column(column.title(view.few), justify="right" if column.is_number else "left")
    for edge in shown:
        grid.add_row(Text(edge.name), *(Text(column.show(edge, view.few, Shown.TEXT)) for column in columns))
    if left:
        more = "1 more pair has" if left == 1 else f"{left:,} more pairs have"
        grid.caption = Text(f"{more} a confidence between {view.floor:g} and {view.threshold:.3g}.")
        grid.caption_justify = "left"
    return grid


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


def sparkline(values: Sequence[float]) -> str:
    """Return a line of block characters for text."""
    if not values:
        return ""
    low, high = min(values), max(values)
    blocks = "▁▂▃▄▅▆▇█"
    return "".join(blocks[int((v - low) / (high - low) * 7.999) if high > low else 0] for v in values)


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

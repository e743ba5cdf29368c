"""`Report` and `Answer`: content that renders itself, as HTML or as text for a terminal (by rich)."""

from __future__ import annotations

import dataclasses
import enum
import io
import json
import re
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arcwise.base.errors import reading
from arcwise.base.files import parse_json, read_bytes, read_text
from arcwise.base.showing import first_few, one_screen, show_confidence, show_range
from arcwise.findings.edge_record import Origin, Shown, shown_columns, shown_direction
from arcwise.findings.verdict import Forest, ForestRow, Verdict
from arcwise.report.blocks import (
    Block,
    Blocks,
    Bullets,
    Chart,
    CheckLine,
    EdgeList,
    NetworkView,
    Paragraph,
    Section,
    TableBlock,
    Verbatim,
)
from arcwise.report.html import frame_of, network_svg, render_html

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


SPARKLINE_POINTS = 40  # characters of a line of text
CELLS = 24  # of a line of a forest plot


def render_text(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Return the report as text of the given width, with terminal colours if asked for."""
    return rendered(partial(print_report, report, report.network), width=width, color=color)


def rendered(show: Callable[[Console], None], *, width: int, color: bool = False) -> str:
    """Return as text what a function prints on a console of the given width."""
    from rich.console import Console

    file = io.StringIO()
    colors: Literal["standard"] | None = "standard" if color else None
    show(Console(file=file, width=width, force_terminal=color, color_system=colors, highlight=False))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def print_report(report: Words, edges: EdgeList, console: Console, *, sections: tuple[str, ...] | None = None) -> None:
    """Print the report on a console; `sections` limits it to those with the given keys."""
    from rich.text import Text

    console.print(Text(report.title, style="bold"))
    console.print(Text(report.subtitle))
    console.print()
    console.print(Text("  ".join(f"{label}: {value};" for label, value in report.facts).rstrip(";")))
    console.print()
    for sentence in filter(None, (report.headline, *report.summary, *report.notes)):
        console.print(_bullet(sentence))
    console.print()
    for check in report.checks:
        console.print(Text(check.text))
    console.print()
    console.print(_edge_table(edges))
    if sections is None and report.glossary:
        console.print()
        console.print(Text("Glossary", style="bold underline"))
        console.print(_glossary(report))
    for section in report.sections:
        if sections is not None and section.key not in sections:
            continue
        console.print()
        console.print(Text(section.title, style="bold underline"))
        print_blocks(section.blocks, console)


# An answer has so many lines with the path and the commands that follow it; so many at most are sentences, and from so
# many on a verdict has a line for each of its edges.
SCREEN, FOLLOWING, SENTENCES, FEWEST_ROWS = 25, 4, 10, 3
FEWEST_LINES = 6  # of sentences, where so many edges have a line each that there is no place for more
WITH_ROWS = (Verdict.RELY, Verdict.PROBABLY)
COLOURS = {Verdict.RELY: "blue", Verdict.PROBABLY: "cyan", Verdict.OPEN: "yellow", Verdict.YOURS: "magenta"}
SHOWN_BEFORE = re.compile(r"probability \S+?(; |$)")  # it stands in its own column
OUTCOMES = (("FAIL", False, "bold red"), ("note", None, "yellow"), ("ok", True, "green"))


def print_answer(report: Words, view: EdgeList, console: Console, *, target: str | None = None) -> None:
    """Print the answer on one screen: the edges by their verdicts, those of a target first; what to expect; checks."""
    from rich.text import Text

    subtitle, checks = Text(report.subtitle, style="bold"), _check_line(report)
    rows = sum(len(own) + 1 if verdict in WITH_ROWS else 1 for verdict, own in view.by_verdict)
    most = max(FEWEST_LINES, min(SENTENCES, SCREEN - FOLLOWING - 3 - rows))
    sentences = _fitting((*report.summary, *report.notes), console, most)
    height = sum(_height(sentence, console) for sentence in sentences)
    height += sum(len(line.wrap(console, console.width)) for line in (subtitle, checks))
    room = SCREEN - FOLLOWING - 1 - height
    console.print(subtitle)
    _print_verdicts(view, room, console, target)
    console.print()
    for sentence in sentences:
        console.print(_bullet(sentence))
    if checks:
        console.print(checks)


def _check_line(report: Words) -> Text:
    """Return the checks on one line, the failed ones first; empty if there are none."""
    from rich.text import Text

    checks = [
        Text(f"{word} {', '.join(names)}", style)
        for word, ok, style in OUTCOMES
        if (names := [check.short for check in report.checks if check.ok is ok])
    ]
    return Text("Checks: ").append_text(Text("; ").join(checks)) if checks else Text()


def answer_text(words: Words, view: EdgeList, *, target: str | None = None) -> str:
    """Return the answer on one screen as plain text."""
    return rendered(lambda console: print_answer(words, view, console, target=target), width=100)


def _height(sentence: str, console: Console) -> int:
    """Return on how many lines a sentence stands."""
    from rich.text import Text

    return len(Text(sentence).wrap(console, console.width - 2))


def _fitting(sentences: Sequence[str], console: Console, most: int) -> list[str]:
    """Return the first sentences, on so many lines at most, and how many there are behind --details."""
    used, found = 0, []
    for sentence in sentences:
        used += _height(sentence, console)
        if used > most - (sentence is not sentences[-1]):
            break
        found.append(sentence)
    left = len(sentences) - len(found)
    return [*found, f"{left} more {'note' if left == 1 else 'notes'}: --details"] if left else found


def _print_verdicts(view: EdgeList, room: int, console: Console, target: str | None) -> None:
    """Print the edges by their verdicts on so many lines: those to rely on and the probable ones each on its own."""
    from rich.table import Table as Grid
    from rich.text import Text

    groups = view.by_verdict
    listed = [verdict for verdict, _ in groups if verdict in WITH_ROWS]
    room = max(room - len(groups), FEWEST_ROWS * len(listed))
    for verdict, edges in groups:
        own = sorted(edges, key=lambda edge: target not in (edge.first, edge.second))
        title = Text(f"{verdict[0].upper()}{verdict[1:]} ({len(own)})", style=f"bold {COLOURS.get(verdict, 'default')}")
        if verdict not in listed:
            names = [f"{edge.name} {edge.label}".rstrip() for edge in own]
            most = next((k for k in range(len(names), 1, -1) if _length(title, names, k) <= console.width), 1)
            console.print(Text.assemble(title, "  ", first_few(names, most, ";  ")), overflow="ellipsis", no_wrap=True)
            continue
        listed = listed[1:]
        place = max(FEWEST_ROWS, room - FEWEST_ROWS * len(listed))
        rows = own if len(own) <= place else own[: place - 1]  # the last line names the others
        room -= min(len(own), place)
        table = [
            (
                f"  {edge.name}",
                show_confidence(edge.real, 2),
                shown_direction(edge, view.few),
                SHOWN_BEFORE.sub("", edge.depends),
            )
            for edge in rows
        ]
        grid = Grid.grid(padding=(0, 2))
        for column in list(zip(*table, strict=True))[:3]:  # whole, but for names that leave no place for the rest
            widest = min(max(map(len, column)), console.width // 2)
            grid.add_column(no_wrap=True, overflow="ellipsis", min_width=widest, max_width=widest)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        for cells in table:
            grid.add_row(*(Text(cell, overflow="ellipsis") for cell in cells))
        console.print(title)
        console.print(grid)
        if left := [edge.name for edge in own[len(rows) :]]:
            begin = Text("  and")
            most = next((k for k in range(len(left), 1, -1) if _length(begin, left, k) <= console.width), 1)
            console.print(Text.assemble(begin, " ", first_few(left, most, "; ")), overflow="ellipsis", no_wrap=True)


def _length(title: Text, names: Sequence[str], most: int) -> int:
    return len(title) + 2 + len(first_few(names, most, ";  "))


def print_blocks(blocks: Iterable[Block], console: Console) -> None:
    """Print blocks one after the other, without a heading."""
    for block in blocks:
        for part in _block(block):
            console.print(part)


def _glossary(report: Words) -> RenderableType:
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


def _edge_table(view: EdgeList) -> RenderableType:
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
        more = "1 more pair is" if left == 1 else f"{left:,} more pairs are"
        grid.caption = Text(f"{more} below the cut-off.")
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

    >>> from arcwise.findings.verdict import Verdict
    >>> forest_line(ForestRow("a — b", 1.0, (0.5,), Verdict.PROBABLY))
    '            ───────────●'
    """
    low, high = (round(value * (CELLS - 1)) for value in row.spread)
    cells = [" "] * low + ["─"] * (high - low + 1) + [" "] * (CELLS - 1 - high)
    cells[round(row.value * (CELLS - 1))] = "●"
    return "".join(cells)


# A report is read back by the types of its parts: nothing in a file says what to make of it but the kind of a block.
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (*typing.get_args(Block),)}


def _fields(value: Any) -> dict[str, Any]:
    """Return one record for JSON, which asks again for those within it."""
    kind = {"kind": type(value).__name__} if type(value).__name__ in KINDS else {}
    return kind | {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}


def _made(kind: Any, value: Any) -> Any:
    """Return what a type and plain values make; a value of another type is a TypeError."""
    parts = typing.get_args(kind)
    if kind == Block:
        return _made(KINDS[value["kind"]], value)
    if typing.get_origin(kind) is tuple:
        kinds = [parts[0]] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(_made(one, item) for one, item in zip(kinds, value, strict=True))
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{f.name: _made(hints[f.name], value[f.name]) for f in dataclasses.fields(kind)})  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if not isinstance(value, parts or kind) and not (kind is float and isinstance(value, int)):
        raise TypeError(value)
    return value


@one_screen
@dataclass(frozen=True)
class Words:
    """What a report says, without the network.

    Parameters
    ----------
    title, subtitle
        The heading, and a line below it.
    facts
        Short facts: (label, value).
    headline
        The answer in one sentence; "" where the summary begins with something graver.
    summary
        What to know besides, in a few sentences.
    notes
        What changes no verdict: comparisons that were not made, or not completed.
    glossary
        The words that the report uses, each with what it means.
    checks
        What was checked, and what came of it.
    sections
        Everything else.
    """

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...] = ()
    summary: tuple[str, ...] = ()
    sections: tuple[Section, ...] = field(default=())
    glossary: tuple[tuple[str, str], ...] = ()
    checks: tuple[CheckLine, ...] = ()
    headline: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return all words as JSON, which `read` reads."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(Words)}
        return json.dumps(own, indent=1, ensure_ascii=False, allow_nan=False, default=_fields) + "\n"

    @staticmethod
    def read(path: Path) -> Words:
        """Read what `to_json` wrote."""
        found = parse_json(read_bytes(path), source=str(path))
        with reading(f"{path}: the words of a report"):
            made: Words = _made(Words, found)
            made.to_json()  # which refuses numbers that are none
        return made


@one_screen
@dataclass(frozen=True)
class Report(Words):
    """A whole report: its words, and the view of the network. In a notebook it shows itself."""

    network: NetworkView = field(kw_only=True)

    def to_html(self) -> str:
        """Return one self-contained HTML page: no other file and no network access."""
        return render_html(self)

    def to_text(self, *, width: int = 100, color: bool = False) -> str:
        """Return the report as text for a terminal, with colour codes if asked for."""
        return render_text(self, width=width, color=color)

    def to_svg(self, *, numbers: bool = True) -> str:
        """Return a picture of the network at its cut-off, with or without the confidences on the edges."""
        return network_svg(self.network, numbers=numbers)

    def _repr_html_(self) -> str:
        return frame_of(self.to_html(), self.title)


@dataclass(frozen=True, slots=True)
class SavedReport:
    """A report as it was written: the page of a folder. In a notebook it shows itself."""

    path: Path

    def to_html(self) -> str:
        """Return the page."""
        return read_text(self.path)

    def _repr_html_(self) -> str:
        return frame_of(self.to_html(), str(self.path.parent))


@one_screen
@dataclass(frozen=True, slots=True)
class Answer:
    """A heading and blocks of text, tables and charts."""

    title: str
    blocks: Blocks

    def to_text(self, *, width: int = 100) -> str:
        """Return the answer as plain text of the given width."""

        def show(console: Console) -> None:
            console.print(self.title, markup=False)
            for block in self.blocks:
                console.print()
                print_blocks([block], console)

        return rendered(show, width=width)

    def to_markdown(self) -> str:
        """Return the answer as Markdown, to be pasted into a report."""
        return f"## {self.title}\n\n" + "\n\n".join(_markdown(block) for block in self.blocks) + "\n"

    def to_html(self) -> str:
        """Return the answer as a piece of HTML."""
        return f"<section><h3>{escape(self.title)}</h3>{''.join(map(_html, self.blocks))}</section>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def _markdown(block: Block) -> str:
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Bullets):
        return "\n".join(f"- {item}" for item in block.items)
    if isinstance(block, Verbatim):
        return f"```text\n{block.text}\n```"
    if isinstance(block, Chart | Forest):
        return f"{block.caption} {block.summary}"
    head = "| " + " | ".join(_cell(column.title) for column in block.columns) + " |"
    rule = "|" + "|".join("---:" if column.digits is not None else "---" for column in block.columns) + "|"
    rows = ["| " + " | ".join(map(_cell, _shown(block, row))) + " |" for row in block.rows]
    return "\n".join([f"{block.caption}\n", head, rule, *rows] if block.caption else [head, rule, *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _shown(table: TableBlock, row: tuple[str | float | int | None, ...]) -> list[str]:
    return [column.show(cell) for column, cell in zip(table.columns, row, strict=True)]


def _html(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in block.items)}</ul>"
    if isinstance(block, Verbatim):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Chart | Forest):
        return f"<p>{escape(block.caption)} {escape(block.summary)}</p>"
    head = "".join(f"<th>{escape(column.title)}</th>" for column in block.columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _shown(block, row))}</tr>" for row in block.rows
    )
    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

"""`Report`: all that is said about a result, and `Answer`, to one question; they show themselves as HTML and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from arcwise.base.showing import one_screen
from arcwise.findings.trust import Forest
from arcwise.report.blocks import Block, Blocks, Bullets, Chart, NetworkView, Paragraph, Section, Table, Verbatim
from arcwise.report.html import network_svg, render_frame, render_html
from arcwise.report.text import print_blocks, render_text, rendered

if TYPE_CHECKING:
    from rich.console import Console


@one_screen
@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. In a notebook it shows itself.

    Parameters
    ----------
    title, subtitle
        The heading, and a line below it.
    facts
        Short facts for the top: (label, value).
    summary
        The answer in a few sentences.
    glossary
        The words that the report uses, each with what it means.
    network
        The network view.
    sections
        Everything else.
    """

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    summary: tuple[str, ...]
    network: NetworkView
    sections: tuple[Section, ...] = field(default=())
    glossary: tuple[tuple[str, str], ...] = ()

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
        return render_frame(self)


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


def _shown(table: Table, row: tuple[str | float | int | None, ...]) -> list[str]:
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

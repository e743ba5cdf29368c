"""`Answer`: the answer to one question, to be read, pasted or shown in a notebook."""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape

from arcwise.base.showing import one_screen
from arcwise.findings.trust import Forest
from arcwise.report.blocks import Block, Bullets, Chart, Paragraph, Table, Verbatim
from arcwise.report.text import print_blocks


@one_screen
@dataclass(frozen=True, slots=True)
class Answer:
    """A heading and blocks of text, tables and charts."""

    title: str
    blocks: tuple[Block, ...]

    def to_text(self, *, width: int = 100) -> str:
        """Return the answer as plain text of the given width."""
        from rich.console import Console

        console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
        console.print(self.title, markup=False)
        for block in self.blocks:
            console.print()
            print_blocks([block], console)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in str(text).splitlines()) + "\n"

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

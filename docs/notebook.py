"""The tutorial as a notebook: its paragraphs and examples as cells, made from the page, so that both say the same."""

from __future__ import annotations

import hashlib
import json
import re

BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$\n?", re.MULTILINE | re.DOTALL)


def notebook_of(page: str) -> str:
    """Return a page as a notebook (nbformat 4.5): `python` blocks are code, a `text` block after one its output."""
    cells: list[dict[str, object]] = []
    position = 0
    for match in BLOCK.finditer(page):
        _add_text(cells, page[position : match.start()])
        position = match.end()
        if match["language"] == "python":
            cells.append(_cell("code", match["body"], len(cells), execution_count=None, metadata={}, outputs=[]))
        elif match["language"] == "text" and cells and cells[-1]["cell_type"] == "code":
            cells[-1]["outputs"] = [{"name": "stdout", "output_type": "stream", "text": _lines(match["body"])}]
        else:
            _add_text(cells, match[0])
    _add_text(cells, page[position:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    facts = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": facts, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _add_text(cells: list[dict[str, object]], text: str) -> None:
    if text.strip():
        cells.append(_cell("markdown", text.strip() + "\n", len(cells), metadata={}))


def _cell(kind: str, source: str, number: int, **more: object) -> dict[str, object]:
    # An id that stays with the content.
    digest = hashlib.sha256(f"{number} {source}".encode()).hexdigest()[:12]
    return {"cell_type": kind, "id": digest, "source": _lines(source.rstrip("\n")), **more}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)

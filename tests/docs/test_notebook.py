"""The tutorial's notebook: what the page says, cell by cell, and it runs, because the page does."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def notebook_of(page: str) -> str:
    spec = importlib.util.spec_from_file_location("docs_notebook", DOCS / "notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: str = module.notebook_of(page)
    return made


def test_the_notebook_is_the_page() -> None:
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    cells = json.loads(notebook_of(page))["cells"]
    # All of the code of the page, which `test_pages` runs, in its order.
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) == page.count("```python\n")
    assert all(text in page for text in code)
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_cells_run_one_after_the_other(tmp_path: Path) -> None:
    page = (
        "# Title\n\n```python\nx = 2\nprint(x + 1)\n```\n\n```text\n3\n```\n\nWords.\n\n```python\nprint(x * x)\n```\n"
    )
    cells = json.loads(notebook_of(page))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code"]
    assert cells[1]["outputs"][0]["text"] == ["3\n"]
    space: dict[str, object] = {}
    printed = io.StringIO()
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        with contextlib.redirect_stdout(printed):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), space)
    finally:
        os.chdir(here)
    assert printed.getvalue() == "3\n4\n"

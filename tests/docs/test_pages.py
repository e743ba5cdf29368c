"""Every Python example in README.md and docs/ runs, and prints what the page says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, int]]:
    text = page.read_text(encoding="utf-8")
    return [(m["language"], m["body"], text.count("\n", 0, m.start()) + 1) for m in BLOCK.finditer(text)]


def matches(expected: str, printed: str) -> bool:
    """Compare line by line; `...` in the page stands for anything (a time, a path)."""
    told, said = ("\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (expected, printed))
    return re.fullmatch(re.escape(told).replace(re.escape("..."), ".*?"), said, re.DOTALL) is not None


QUICK = ("README", "tutorial")  # what a reader runs first
RUN = [
    pytest.param(page, id=page.stem, marks=[] if page.stem in QUICK else [pytest.mark.slow])
    for page in PAGES
    if any(language == "python" for language, _, _ in blocks(page))
]


@pytest.mark.parametrize("page", RUN)
def test_examples_run_and_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """A `python` block runs in the page's namespace; a `text` block right after it is what it printed."""
    namespace: dict[str, object] = {"__name__": "page"}
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        printed = None
        for language, body, line in blocks(page):
            if language == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile("\n" * line + body, str(page), "exec"), namespace)
                printed = output.getvalue()
            elif language == "text" and printed is not None:
                assert matches(body, printed), f"{page}:{line}: the page says\n{body}\nbut it printed\n{printed}"
                printed = None
            else:
                printed = None
    finally:
        os.chdir(here)


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a ... c\n", "a b c\n")
    assert not matches("a b\n", "a c\n")

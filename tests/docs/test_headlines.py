"""Headlines say what something is; who wrote about it comes below. The words of the glossary have one sense."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from pathlib import Path

import pytest

import arcwise

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
YEAR = re.compile(r"\b(19|20)\d\d\b")
ROOMS = sorted(path.parent.name for path in Path(arcwise.__file__).parent.glob("[!_]*/__init__.py"))
STAGES = [*ROOMS, "counts", "datasets", "ensemble"]
# Words that others use for what the glossary calls otherwise, as they would stand in a sentence about data or networks.
RIVALS = {
    r"\bcutoffs?\b": "cut-off",
    r"\bdata ?points?\b": "case",
    r"\bmissing cells?\b": "gap",
    r"\bnull values?\b": "gap",
    r"\bequivalence classes of dags\b": "class",
    r"\bedge strengths?\b": "confidence",
    r"\barc strengths?\b": "confidence",
    r"\bmodel[- ]averaged network\b": "consensus",
    r"\bblacklisted\b": "forbidden",
    r"\bresamples\b(?!\n)": "replicate",  # a field of that name stands on a line of its own
}
CODE = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->", re.DOTALL)


def headings(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


@functools.cache
def prose(path: Path) -> list[str]:
    """What people read: a page without its code, or the docstrings and messages of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [CODE.sub("", text)]
    nodes = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return [re.sub(r"``.*?``|`[^`]*`", "", value) for value in nodes if isinstance(value, str) and " " in value]


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="there are no docs beside this source distribution")
def test_headings_cite_nobody() -> None:
    """Pages about a paper are named for it; a date in parentheses or a version is no citation."""
    cited = [
        f"{page.name}: {title}"
        for page in PAGES
        if page.parent.name != "papers"
        for title in headings(page)
        if YEAR.search(title)
    ]
    assert cited == []


@pytest.mark.parametrize("stage", STAGES)
def test_the_first_line_of_a_public_docstring_cites_nobody(stage: str) -> None:
    module = importlib.import_module(f"arcwise.{stage}")
    cited = [
        f"{name}: {(inspect.getdoc(value) or '').splitlines()[0]}"
        for name, value in ((name, getattr(module, name)) for name in getattr(module, "__all__", ()))
        if (inspect.isfunction(value) or inspect.isclass(value)) and inspect.getdoc(value)
        if YEAR.search((inspect.getdoc(value) or "").splitlines()[0])
    ]
    assert cited == []


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="there are no docs beside this source distribution")
@pytest.mark.parametrize("rival", RIVALS)
def test_the_words_of_the_glossary_are_used_everywhere(rival: str) -> None:
    """What the glossary has a word for is called by no other, in pages, help texts and messages alike."""
    found = [
        f"{path.relative_to(ROOT)}: {text[max(0, match.start() - 30) : match.end() + 30]!r}"
        for path in [*PAGES, *sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "studies" / "src").rglob("*.py"))]
        for text in prose(path)
        for match in re.finditer(rival, text, re.IGNORECASE)
    ]
    assert not found, f"the glossary calls it {RIVALS[rival]!r}: {found}"

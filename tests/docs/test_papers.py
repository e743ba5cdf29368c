"""The pages of the papers: a verdict on every element, one form for all pages, figures that are of their summaries."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)
spec = importlib.util.spec_from_file_location("docs_papers", DOCS / "papers.py")
assert spec is not None
assert spec.loader is not None
papers = importlib.util.module_from_spec(spec)
sys.modules["docs_papers"] = papers  # inspect looks for the source of its functions
spec.loader.exec_module(papers)
ELEMENTS = papers.elements()


def test_every_element_of_the_list_has_a_verdict() -> None:
    numbers = {int(re.sub(r"[a-z]$", "", one["row"])) for one in ELEMENTS}
    assert numbers == set(range(1, papers.ROWS + 1)), "an element of the list has no verdict"
    assert len({one["row"] for one in ELEMENTS}) == len(ELEMENTS)
    assert {one["page"] for one in ELEMENTS} == set(papers.PAGES)


@pytest.mark.parametrize("one", ELEMENTS, ids=lambda one: f"row-{one['row']}")
def test_an_element_says_what_is_printed_what_is_ours_and_why_they_differ(one: dict[str, str]) -> None:
    assert set(one) <= {"row", "page", "what", "where", "printed", "ours", "verdict", "why"}
    assert one["verdict"] in papers.VERDICTS
    assert all(one[key].strip() and "@" not in one[key] for key in ("what", "where", "printed", "ours"))
    assert one["verdict"] == "agrees" or len(one.get("why", "")) > 20, "say why"
    assert "[[" not in papers.filled(one["ours"] + one.get("why", ""))


@pytest.mark.parametrize("page", papers.PAGES)
def test_every_page_has_the_same_form(page: str) -> None:
    text = (DOCS / "papers" / f"{page}.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == papers.HEADINGS
    assert f"<!-- built verdicts {page} -->" in text
    rows = [one["row"] for one in ELEMENTS if one["page"] == page]
    assert all(f"\n| {row} | " in papers.verdict_table(page) for row in rows)
    summary = text.split("## The paper\n")[1].split("## ")[0]
    assert 4 <= len(re.findall(r"[.?](?=\s)", summary)) <= 8, "about five sentences"
    assert "make papers" in text


@pytest.mark.parametrize("name", papers.FIGURES)
def test_every_figure_is_drawn_from_its_summary_and_is_on_a_page(name: str) -> None:
    text = (DOCS / "papers" / f"{name}.svg").read_text(encoding="utf-8")
    assert f"<!-- {papers.digest(name)} -->" in text, "run: make papers"
    pages = [(DOCS / "papers" / f"{page}.md").read_text(encoding="utf-8") for page in papers.PAGES]
    assert any(f"({name}.svg)" in page for page in pages)


def test_a_number_is_read_from_a_summary() -> None:
    mention = "[[lau/claims: all; claim=... and they vary more]]"
    assert re.fullmatch(r"\d+ of \d+", papers.filled(mention))
    assert re.fullmatch(r"14 of 20", papers.filled("[[steck/table-1: same alpha^I printed / alpha^I]]"))
    with pytest.raises(ValueError, match="no such row"):
        papers.filled("[[steck/table-1: k; data=nothing]]")
    with pytest.raises(ValueError, match="20 rows, not one"):
        papers.filled("[[steck/table-1: k]]")

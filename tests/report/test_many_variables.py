"""A report of more variables than one drawing can show: it begins around one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.report.conftest import opened

import arcwise
from arcwise.plotting.layout import draw_network, undrawn_network
from arcwise.report import html

DRAWN = "return [...document.querySelectorAll('#graph .node')].filter(e => e.getAttribute('display') !== 'none').length"


def test_the_whole_is_not_drawn_and_the_page_begins_at_the_best_joined(
    monkeypatch: pytest.MonkeyPatch, ladder: arcwise.Analysis
) -> None:
    view = ladder.report.network
    drawn = html._payload(view)
    assert len(drawn["drawing"]["x"]) == 45 and "start" not in drawn["drawing"]
    monkeypatch.setattr(html, "MANY_VARIABLES", 44)
    found = html._payload(view)
    assert found["drawing"]["x"] == () and found["parts"] == [] and {edge["path"] for edge in found["edges"]} == {""}
    assert found["drawing"]["w"] == drawn["drawing"]["w"]
    ends = [v for edge, ends in zip(view.edges, view.ends, strict=True) if edge.fate.in_network for v in ends]
    assert ends.count(found["drawing"]["start"]) == max(ends.count(v) for v in range(45))


def test_widths_are_those_of_a_drawing() -> None:
    names = ["a", "a name of many letters that is cut short", "mmm"]
    assert undrawn_network(names, 0).widths == draw_network(names, [(0, 1)], [(0, 1)]).widths


def test_the_page_shows_what_is_around_one(
    monkeypatch: pytest.MonkeyPatch, browser: Any, ladder: arcwise.Analysis, tmp_path: Path
) -> None:
    monkeypatch.setattr(html, "MANY_VARIABLES", 44)
    page = opened(browser, ladder, tmp_path / "many.html")
    around = page.run(DRAWN)
    assert 2 <= around < 45
    assert "are around" in page.text("#status")
    assert page.run("return document.getElementById('whole').disabled")
    page.run("const e = document.getElementById('distance'); e.value = 4; e.dispatchEvent(new Event('input'));")
    assert around < page.run(DRAWN) <= 45
    assert browser.log("browser") == []

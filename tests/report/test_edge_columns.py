"""The one list of the columns of edges: a row of it is shown wherever it says, and nothing else has to know of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import arcwise
from arcwise.analysis import explain_folder
from arcwise.base.showing import show_confidence
from arcwise.findings import edge_record
from arcwise.findings.edge_record import EDGE_COLUMNS, EdgeColumn, Shown
from arcwise.report.edges import statement

EVERYWHERE = Shown.CSV | Shown.EXPLAIN | Shown.PAGE | Shown.TEXT


def test_a_new_column_is_shown_everywhere(
    wine: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = wine.save(tmp_path / "old")
    toy = EdgeColumn(
        "doubt", "what is left of the confidence", value=lambda e: 1 - e.present, since="9", shown=EVERYWHERE
    )
    monkeypatch.setattr(edge_record, "EDGE_COLUMNS", (*EDGE_COLUMNS, toy))
    expected = [1 - edge.present for edge in wine.edges]
    assert wine.to_frame(full=True)["doubt"].tolist() == pytest.approx(expected)
    page = replace(wine.report).to_html()
    payload = json.loads(re.findall(r'id="payload">(.*?)</script>', page)[0])
    assert [edge["doubt"] for edge in payload["edges"]] == pytest.approx(expected, abs=1e-4)
    assert (
        '<th scope="col" rowspan="2" data-key="doubt" title="what is left of the confidence" class="number">doubt</th>'
        in page
    )
    rows = re.findall(r"<tr data-edge.*<td>(.*?)</td></tr>", page)
    assert rows == [show_confidence(value) for value in expected]
    assert re.search(r"edge +probability .* doubt\n", wine.report.to_text(width=160))
    # It is asked of a new folder and of an old one: what the old one lacks follows from what it has.
    for folder in (wine.save(tmp_path / "new"), old):
        found = [one.to_dict() for one in explain_folder(folder)]
        assert [one["doubt"] for one in found] == pytest.approx([1 - one["confidence"] for one in found])


def test_the_page_sorts_by_a_new_column(
    browser: Any, wine: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    number = EdgeColumn("doubt", value=lambda e: 1 - e.present, shown=Shown.PAGE)
    word = EdgeColumn("ends", value=lambda e: e.second[::-1], kind=str, shown=Shown.PAGE)
    monkeypatch.setattr(edge_record, "EDGE_COLUMNS", (*EDGE_COLUMNS, number, word))
    (tmp_path / "report.html").write_text(wine.to_html(), encoding="utf-8")
    browser.open(tmp_path / "report.html")
    browser.run("document.querySelector('#edges details').open = true")
    cells = "return [...document.querySelectorAll('#edge-table tbody tr')].map(r => [...r.cells].at({}).textContent)"
    browser.click('th[data-key="doubt"] button')  # the largest first
    assert browser.run(cells.format(-2)) == [
        show_confidence(value) for value in sorted((1 - edge.present for edge in wine.edges), reverse=True)
    ]
    browser.click('th[data-key="ends"] button')
    assert browser.run(cells.format(-1)) == sorted(edge.second[::-1] for edge in wine.edges)


def test_a_column_with_a_field_is_read_from_the_file(
    wine: arcwise.Analysis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = wine.save(tmp_path / "out")
    frame = pd.read_csv(folder / "edges.csv")
    shown = tuple(replace(c, shown=c.shown | Shown.EXPLAIN) if c.name == "standard_error" else c for c in EDGE_COLUMNS)
    monkeypatch.setattr(edge_record, "EDGE_COLUMNS", shown)
    found = [one.to_dict()["standard_error"] for one in explain_folder(folder)]
    assert found == frame["standard_error"][frame["in_network"]].tolist()


def test_every_column_of_the_file_says_what_it_is() -> None:
    written = [column for column in EDGE_COLUMNS if Shown.CSV in column.shown]
    assert all(column.meaning and column.since for column in written)
    assert len({column.name for column in EDGE_COLUMNS}) == len({c.page_key for c in EDGE_COLUMNS}) == len(EDGE_COLUMNS)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("0.0", "x = 0"),
        ("-12.00", "x = -12"),
        ("72.57477920000001", "x = 72.5748"),
        ("8.899999618530273", "x = 8.9"),
        ("1.05", "x = 1.05"),
        ("1.0.0", "x = 1.0.0"),
        ("(2.45,4.75]", "x from 2.45 to 4.75"),
        ("(4.75,inf)", "x > 4.75"),
        (">50K", "x >50K"),
    ],
)
def test_states_are_told_as_people_write_them(state: str, told: str) -> None:
    assert statement("x", state) == told

"""The pictures of edges at numbers, in a real browser: where cases are, schemes, print, and hostile names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analysis.test_as_they_are import quick

from arcwise.analysis.analysis import Analysis
from arcwise.findings.edge_picture import Boxes, Scatter
from arcwise.report.html import FINE

MOST_BYTES = 10_000
HOSTILE = "<img src=x onerror=document.title='taken'>"


@pytest.fixture(scope="module")
def few() -> Analysis:
    rng = np.random.default_rng(2)
    age = rng.normal(50, 10, 200)
    group = rng.integers(0, 3, 200)
    dose = 3 * age + 40 * group + rng.normal(0, 5, 200)
    names = np.array(["</svg><script>document.title='taken'</script>", HOSTILE, "plain"])
    return quick(pd.DataFrame({HOSTILE: age, "group": names[group], "dose": dose}))


@pytest.fixture(scope="module")
def many() -> Analysis:
    rng = np.random.default_rng(3)
    x = np.exp(rng.normal(size=5000))
    return quick(pd.DataFrame({"x": x, "y": np.log(x) + rng.normal(size=5000), "z": x * rng.normal(size=5000)}))


def shown(browser: Any, analysis: Analysis, tmp_path: Path, first: str, second: str) -> int:
    """Open the details of an edge; return its position."""
    path = tmp_path / "report.html"
    path.write_text(analysis.to_html(), encoding="utf-8")
    browser.emulate()
    browser.log("browser")
    browser.requests()
    browser.open(path)
    index = next(k for k, edge in enumerate(analysis.edges) if {edge.first, edge.second} == {first, second})
    browser.run("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click'))", f'[data-edge="{index}"]')
    return index


def payload(analysis: Analysis) -> list[dict[str, Any]]:
    found = json.loads(re.findall(r'id="payload">(.*?)</script>', analysis.to_html())[0])
    return list(found["edges"])


def test_a_point_for_each_case(browser: Any, few: Analysis, tmp_path: Path) -> None:
    index = shown(browser, few, tmp_path, HOSTILE, "dose")
    picture = few.pictures[index]
    assert isinstance(picture, Scatter)
    places = browser.run(
        "return [...document.querySelectorAll('.pair .case')].map(c => ['cx', 'cy'].map(k => +c.getAttribute(k)))"
    )
    frame = np.array(picture.points)
    assert len(places) == 200
    assert np.corrcoef(frame[:, 0], np.array(places)[:, 0])[0, 1] > 0.99999
    assert np.corrcoef(frame[:, 1], np.array(places)[:, 1])[0, 1] < -0.99999
    path = browser.run("return document.querySelector('.pair .curve').getAttribute('d')")
    assert len(re.findall("[ML]", path)) == len(picture.curve)
    assert HOSTILE in browser.run("return document.querySelector('.pair').getAttribute('aria-label')")
    assert "Effect" not in browser.text("#details h4:last-of-type")
    assert browser.run("return document.images.length") == 0
    assert browser.run("return document.title").startswith("Which edges")
    assert browser.log("browser") == []
    assert browser.requests() == [(tmp_path / "report.html").resolve().as_uri()]


def test_a_box_for_each_state(browser: Any, few: Analysis, tmp_path: Path) -> None:
    index = shown(browser, few, tmp_path, "group", "dose")
    picture = few.pictures[index]
    assert isinstance(picture, Boxes)
    boxes = browser.run(
        "return [...document.querySelectorAll('.box rect')].map(r => ['y', 'height'].map(k => +r.getAttribute(k)))"
    )
    upper = [own[3] for own in picture.quantiles]
    heights = [own[3] - own[1] for own in picture.quantiles]
    assert np.corrcoef(upper, np.array(boxes)[:, 0])[0, 1] < -0.9999
    assert np.corrcoef(heights, np.array(boxes)[:, 1])[0, 1] > 0.999
    titles = browser.run("return [...document.querySelectorAll('.pair title')].map(t => t.textContent)")
    assert titles == [f"{state}: {count} rows" for state, count in zip(picture.states, picture.cases, strict=True)]
    assert browser.run("return document.images.length") == 0 and browser.log("browser") == []


def test_many_cases_are_cells(browser: Any, many: Analysis, tmp_path: Path) -> None:
    index = shown(browser, many, tmp_path, "x", "y")
    picture = many.pictures[index]
    assert isinstance(picture, Scatter)
    count = browser.run("return document.querySelectorAll('.pair .cell').length")
    assert count == len(picture.cells) > 50
    assert browser.run("return document.querySelectorAll('.pair .case').length") == 0
    darkest = browser.run(
        "return [...document.querySelectorAll('.pair .cell')].map(c => +c.getAttribute('fill-opacity'))"
    )
    counts = [cell[2] for cell in picture.cells]
    assert np.corrcoef(darkest, np.sqrt(counts))[0, 1] > 0.999
    assert "It is no straight line" in browser.text("#details")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_seen_in_both_schemes_and_in_print(browser: Any, few: Analysis, tmp_path: Path, scheme: str) -> None:
    shown(browser, few, tmp_path, HOSTILE, "dose")
    luminance = """
        const rgb = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
        const light = (c) => rgb(c).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
        const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const panel = getComputedStyle(document.querySelector('#details')).backgroundColor;
        const of = (s, what) => contrast(getComputedStyle(document.querySelector(s))[what], panel);
        return [of('.pair .case', 'fill'), of('.pair .curve', 'stroke'), of('.pair text', 'fill')]"""
    for media in ("screen", "print"):
        browser.emulate(scheme=scheme, media=media)
        point, curve, text = browser.run(luminance)
        assert min(point, curve) >= 3 and text >= 4.5, media
        assert browser.run("return document.querySelector('.pair').getClientRects().length") == 1


def test_a_picture_is_small(few: Analysis, many: Analysis) -> None:
    for analysis in (few, many):
        for edge in payload(analysis):
            if "picture" in edge:
                assert len(json.dumps(edge["picture"], separators=(",", ":"))) < MOST_BYTES
                assert all(0 <= place <= FINE for place in edge["picture"].get("points", []))
    assert any("picture" in edge for edge in payload(many))

"""The page: self-contained, small, and nothing from the data can become markup or script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.analysis import learn
from arcwise.base.showing import percent, round_inside, show_confidence, show_range
from arcwise.confidence import Fate
from arcwise.findings.parts import Comparisons
from arcwise.report import Chart, Guide, Series, render_html
from arcwise.report.html import _Axis, chart_svg
from arcwise.report.report import sparkline

HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)> & 'quoted' {{ 7 * 7 }}",
    "]]>--><!-- \\u003c/script> ${1+1} ` \u2028 \u202e",
]


class Elements(HTMLParser):
    """All elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def hostile() -> arcwise.Analysis:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 300)
    frame = pd.DataFrame({HOSTILE[0]: first, HOSTILE[1]: (first + (rng.random(300) < 0.1)) % 2})
    frame[HOSTILE[2]] = rng.choice(["</td><td>", "</script>", "<b>"], size=300)
    frame[HOSTILE[3]] = np.where(first > 0, "a&b", "c<d")
    return learn(frame, keep=[HOSTILE[3]], permutations=0, name="<title>'&")


def payload(page: str) -> dict[str, object]:
    return dict(json.loads(re.findall(r'id="payload">(.*?)</script>', page)[0]))


def test_names_from_the_data_stay_text(hostile: arcwise.Analysis) -> None:
    page = hostile.to_html()
    elements = Elements(page).found
    assert sum(tag == "script" for tag, _ in elements) == 2  # the data and the program
    assert not {"img", "b", "iframe", "object", "base", "form"} & {tag for tag, _ in elements}
    assert not any(name.startswith("on") for _, attributes in elements for name in attributes)
    assert not re.search(r"(?<![\d.])49(?!\d)", page.split("<main>")[0])  # no template in a template
    assert [node["name"] for node in payload(page)["nodes"]] == list(hostile.data.names)  # type: ignore[attr-defined]


def test_only_its_own_script_may_run(wine: arcwise.Analysis) -> None:
    page = wine.to_html()
    policy = next(a["content"] for tag, a in Elements(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)


def test_forty_variables_fit_in_a_megabyte() -> None:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 3, 300)]
    for _ in range(39):
        noise = rng.random(300) < 0.5
        columns.append(np.where(noise, rng.integers(0, 3, 300), columns[rng.integers(len(columns))]))
    frame = pd.DataFrame({f"a variable with a name {k}": column for k, column in enumerate(columns)})
    # AIC and few cases: almost every pair of variables has an edge in some network.
    analysis = learn(frame.head(60), method="bootstrap", score="aic", replicates=60, permutations=0, compare=False)
    # As if five other methods had been asked, and each said something else: the longest explanations.
    titles = [s.title for s in (analysis.main,)] + [f"credible set, BDeu (ess {k})" for k in range(5)]
    edges = tuple(
        replace(e, by_method=tuple((title, e.present if k == 0 else rng.random()) for k, title in enumerate(titles)))
        for e in analysis.edges
    )
    largest = analysis.plus(Comparisons((analysis.main,) * 5))
    vars(largest)["edges"] = edges  # before they are asked for
    assert len(analysis.edges) > 450  # of about 670: the floor rises, and the page says to which confidence
    assert len(largest.to_html().encode()) < 1_000_000


def test_a_notebook_shows_the_page_in_a_sandbox(wine: arcwise.Analysis) -> None:
    frame = wine._repr_html_()
    (tag, attributes), *rest = Elements(frame).found
    assert tag == "iframe"
    assert rest == []
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"] == wine.to_html()


def test_the_text_has_the_same_content(wine: arcwise.Analysis) -> None:
    text = wine.to_text(width=120)
    flat = " ".join(text.split())
    for sentence in wine.report.summary:
        assert sentence in flat.replace("• ", "")
    for section in wine.report.sections:
        assert section.title in flat
    for word, meaning in wine.report.glossary:
        assert f"{word} {meaning}" in flat
    wide = " ".join(wine.to_text(width=160).split())  # names in one line
    for edge in wine.edges:
        arrow = "→" if edge.fate == "kept" and edge.leans else "—"
        assert f"{edge.tail} {arrow} {edge.head}" in wide or not edge.fate.in_network
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "\x1b" not in text
    assert "\x1b[1m" in wine.report.to_text(color=True)


def test_what_is_only_rounded_is_not_shown_as_all_or_nothing() -> None:
    assert [show_confidence(v) for v in (1.0, 1 - 1e-12, 0.99951, 0.9994, 0.0004, 0.0)] == [
        "1.000",
        "1.000",
        ">0.999",
        "0.999",
        "<0.001",
        "0.000",
    ]
    assert show_range(0.996, 0.999) == ">0.99"
    assert show_range(0.71, 1.0) == "0.71 to 1.00"
    assert [percent(v) for v in (1.0, 0.9999, 0.004, 0.0)] == ["100%", "over 99%", "under 1%", "0%"]
    assert [round_inside(v, 4) for v in (1.0, 0.99999, 0.00001, 0.0, 0.25)] == [1.0, 0.9999, 0.0001, 0.0, 0.25]


def test_charts_are_drawn_to_scale() -> None:
    chart = Chart(
        "Caption <b>", "Summary & all", "x", "y", (Series("a", (1, 10, 100), (0, 1, 2)),), (Guide(2, "two"),), True
    )
    svg = chart_svg(chart, "k")
    assert "Caption &lt;b&gt;" in svg
    assert "Summary &amp; all" in svg
    xs = [float(x) for x in re.findall(r'<circle class="dot s0" cx="([\d.]+)"', svg)]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)  # a logarithmic axis
    assert _Axis(0, 1, 0, 100, False).ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert _Axis(20, 640, 0, 100, True).ticks() == [20, 50, 100, 200, 500]
    assert sparkline([0, 1, 2]) == "▁▄█"
    assert sparkline([]) == ""


def test_without_a_script_a_dropped_edge_is_not_in_the_network(hostile: arcwise.Analysis) -> None:
    """The table says what became of each edge, not whether its confidence is above the cut-off."""
    report = hostile.report
    first, *rest = report.network.edges
    assert first.present > report.network.threshold
    for fate, said in ((Fate.KEPT, "yes"), (Fate.DROPPED, "left out (cycle)"), (Fate.UNDIRECTED, "yes, open")):
        network = replace(report.network, edges=(replace(first, fate=fate), *rest))
        page = render_html(replace(report, network=network))
        assert re.findall(r'<td class="state">(.*?)</td>', page)[0] == said

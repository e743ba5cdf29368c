"""The report in a real browser: what a person does with it, by mouse and by keyboard."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import arcwise
from arcwise import datasets
from arcwise.base.showing import percent, show_confidence, show_range
from arcwise.confidence import consensus_network, recommend
from arcwise.findings.verdict import track_record
from arcwise.plotting.layout import label_of

SET = "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'));"
SHOWN = """return [...document.querySelectorAll('#graph .edge')].filter(e => e.getAttribute('display') !== 'none')
    .map(e => e.getAttribute('aria-label').split(/, (?:probability|confidence) /)[0]).sort()"""
ROWS = """return [...document.querySelectorAll('#edge-table tbody tr')].filter(r => !r.classList.contains('hidden'))
    .map(r => [...r.cells].map(c => c.textContent))"""


def drawn(analysis: arcwise.Analysis, threshold: float) -> list[str]:
    found = consensus_network(analysis.confidence, threshold)
    names = list(analysis.data.names)
    shown = []
    for edge in found.edges:
        if edge.fate.is_arc:
            record = analysis.edge(edge.tail, edge.head)
            leans = record.leans and record.tail == edge.tail
            shown.append(f"{edge.tail} {'→' if leans else '—'} {edge.head}")
        elif edge.fate == "undirected":
            pair = analysis.confidence.pair(*sorted((edge.tail, edge.head), key=names.index))
            ends = (pair.second, pair.first) if pair.backward > pair.forward else (pair.first, pair.second)
            shown.append(" — ".join(ends))
    return sorted(shown)


def shown(analysis: arcwise.Analysis, confidence: float) -> str:
    return show_confidence(float(analysis.probability.calibration.curve(confidence)), 2)


def below(analysis: arcwise.Analysis, probability: float) -> float:
    """The largest confidence whose probability is no higher: edges above it are those that are more probable."""
    confidences = analysis.confidence.vector[analysis.probability.vector <= probability]
    return max(0.01, float(confidences.max(initial=0.0)))


def test_the_slider_is_a_probability(page: Any, wine: arcwise.Analysis) -> None:
    """As the numbers on the lines and in the table are: an edge is drawn if its own is above the slider's."""
    assert page.run(SHOWN) == drawn(wine, wine.threshold)
    before = page.text("#status")
    for value in (0.05, 0.1, 0.25, 0.51, 0.75, 0.9, 0.96):
        page.run(SET, "threshold", value)
        assert page.run(SHOWN) == drawn(wine, below(wine, value)), value
        assert f"with a probability above {show_confidence(value, 2)}" in page.text("#status")
        assert page.text("#threshold-value") == show_confidence(value, 2)
        kept = {frozenset((e.first, e.second)) for e in wine.edges if e.real > value}
        assert {frozenset(re.split(" [—→] ", name)) for name in page.run(SHOWN)} <= kept
    assert page.text("#status") != before
    page.click("#reset")
    assert page.text("#status") == before


def test_the_slider_obeys_the_constraints(browser: Any, tmp_path: Path) -> None:
    data = arcwise.datasets.load("wine")
    names = list(data.names)
    known = arcwise.Constraints(
        names,
        tiers=[names[:1], names[10:]],
        required=[(names[1], names[8])],
        forbidden=[(names[2], names[3])],
    )
    analysis = arcwise.learn(data, method="credible", constraints=known, seed=1, permutations=0, compare=False)
    browser.log("browser")
    path = tmp_path / "report.html"
    path.write_text(analysis.to_html(), encoding="utf-8")
    browser.open(path)
    fates = set()
    for value in (0.05, 0.1, 0.25, 0.505, 0.75, 0.9):
        browser.run(SET, "threshold", value)
        cut = below(analysis, value)
        assert browser.run(SHOWN) == drawn(analysis, cut), value
        fates |= {edge.fate for edge in consensus_network(analysis.confidence, cut).edges}
    assert {"required", "kept", "undirected"} <= fates
    assert browser.log("browser") == []


def test_the_slider_moves_by_keyboard(page: Any, wine: arcwise.Analysis) -> None:
    page.run("document.getElementById('threshold').focus()")
    before = float(page.text("#threshold-value"))
    page.press("ArrowRight", "ArrowRight")
    assert float(page.text("#threshold-value")) == pytest.approx(before + 0.02, abs=0.011)
    page.press("End")
    assert page.text("#status").startswith("0 edges")
    assert (
        page.run("return document.getElementById('threshold').getAttribute('aria-valuetext')")
        == f"probability above {shown(wine, 1)}"
    )


def test_the_cost_moves_the_cut_off_and_back(page: Any, wine: arcwise.Analysis) -> None:
    for power, words in ((2, "4 extra edges"), (0, "1 extra edge"), (-1, "0.5 extra edges"), (0.5, "1.4 extra edges")):
        page.run(SET, "cost", power)
        assert page.text("#cost-value") == words
        cut = max(0.01, recommend(wine.confidence, metric="cost", alpha=2**power).threshold.value)
        assert page.text("#threshold-value") == shown(wine, cut)
        assert page.run(SHOWN) == drawn(wine, cut)
    page.run(SET, "threshold", 0.255)
    assert page.text("#cost-value") == "1.4 extra edges"
    assert "another one is set" in page.text("#cost-help")
    page.click("#reset")
    assert page.text("#cost-value") == "1 extra edge"
    assert page.text("#threshold-value") == shown(wine, wine.threshold)


def test_a_rule_sets_its_cut_off(page: Any, wine: arcwise.Analysis) -> None:
    labels = page.run("return [...document.querySelectorAll('#rule option')].map(o => o.textContent)")
    expected = {f"{m.label} {shown(wine, m.threshold.value)}" for m in wine.thresholds.marks}
    assert set(labels) == {"by hand", *expected}
    chosen = "return document.getElementById('rule').selectedOptions[0].textContent"
    assert page.run(chosen).startswith("calibrated")
    choose = """const e = document.getElementById('rule');
        e.value = [...e.options].find(o => o.textContent.startsWith(arguments[0])).value;
        e.dispatchEvent(new Event('change'))"""
    broom = next(mark for mark in wine.thresholds.marks if mark.label == "Broom")
    page.run(choose, "Broom")
    assert page.text("#threshold-value") == shown(wine, broom.threshold.value)
    assert broom.meaning in page.text("#rule-help")
    page.run(SET, "threshold", 0.3)
    assert page.run(chosen) == "by hand"
    assert page.text("#rule-help") == ""


def test_the_controls_stand_in_one_row(page: Any) -> None:
    script = """const boxes = [...document.querySelectorAll('#controls .control')].filter(e => !e.hidden)
        .map(e => e.getBoundingClientRect());
        return Math.max(...boxes.map(b => b.top)) < Math.min(...boxes.map(b => b.bottom))"""
    assert page.run(script)
    page.click("#around")  # with the distance there is one more
    assert page.run(script)


def test_the_drawing_fits_on_load_and_again_when_asked(page: Any) -> None:
    fits = """const s = document.getElementById('scroll');
        return [s.scrollWidth <= s.clientWidth, s.scrollHeight <= s.clientHeight]"""
    assert page.run(fits) == [True, True]
    for _ in range(6):
        page.click("#larger")
    assert page.run(fits) != [True, True]
    page.click("#fit-all")
    assert page.run(fits) == [True, True]
    page.resize(700, 600)
    assert page.run(fits) == [True, True]


def test_the_verdict_is_seen_without_colour(page: Any, wine: arcwise.Analysis) -> None:
    """Every verdict has dashes of its own; a number on a line is a probability, and an edge to rely on needs none."""
    script = """const ink = (e, name) => e.querySelector('.ink').getAttribute(name);
        return [...document.querySelectorAll('#graph .edge')].map((e, k) => [e.getAttribute('class').split(' ')[1],
        ink(e, 'stroke-dasharray'), Number(ink(e, 'stroke-width')),
        document.querySelectorAll('#graph .labels text')[k].textContent])"""
    seen = page.run(script)
    assert [kind for kind, *_ in seen] == [edge.verdict.key for edge in wine.edges]
    dashes = {kind: {own for other, own, *_ in seen if other == kind} for kind, *_ in seen}
    assert len(dashes) > 2
    assert all(len(own) == 1 for own in dashes.values())
    assert len({next(iter(own)) for own in dashes.values()}) == len(dashes)
    for edge, (kind, _, width, label) in zip(wine.edges, seen, strict=True):
        assert edge.probability is not None
        assert width == pytest.approx(0.8 + 3.6 * edge.probability.edge, abs=0.01)
        disputed = kind == "open" and edge.agreement == "disagree"
        assert label == ("" if kind == "rely" else "?" if disputed else show_confidence(edge.real, 2))
    kept = [edge.verdict.key for edge in wine.edges if edge.fate.in_network]
    rely, probably, opened = (kept.count(kind) for kind in ("rely", "probably", "open"))
    assert f"rely on {rely}, probably {probably}, open {opened}" in page.text("#status")
    assert wine.report.headline.startswith(
        f"{len(kept)} edges: {rely} to rely on, {probably} probable and {opened} open."
    )


def test_an_edge_that_is_clicked_shows_its_details(page: Any, wine: arcwise.Analysis) -> None:
    index = 3
    edge = wine.edges[index]
    page.run(
        "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click'))", f'.edge[data-edge="{index}"]'
    )
    body = page.text("#details")
    for name in (edge.first, edge.second):
        assert name in page.text("#details-title")
    for sentence in (wine.explain(edge.first, edge.second).split(". ")[0], "Confidence by method and score", "Effect"):
        assert sentence in body
    for title, value in edge.by_method:
        assert title in body
        assert show_confidence(float(value)) in body
    rows = page.run("return [...document.querySelectorAll('#details tr')].map(r => r.textContent)")
    labels = (f"{edge.first} → {edge.second}", f"{edge.second} → {edge.first}", "either way")
    for label, share in zip(labels, edge.split, strict=True):  # as in the sentences and in the table of edges
        assert label + percent(share) in rows
    listed = page.run(f"return [...document.querySelector('tr[data-edge=\"{index}\"]').cells].map(c => c.textContent)")
    assert edge.probability is not None
    assert listed[1] == edge.verdict
    assert float(listed[2]) == pytest.approx(edge.probability.edge, abs=1e-3)
    assert listed[3].startswith(edge.direction)
    assert listed[4] == edge.action
    assert listed[5] == show_confidence(edge.present)
    assert edge.action in body
    share = edge.counts[0] / edge.counts[0].sum()
    assert f"{round(float(share.max()) * 100)}%" in body
    curve = page.run("return document.querySelector('#details .line').getAttribute('d')")
    assert edge.prior is not None
    assert len(re.findall(r"[ML]", curve)) == len(edge.prior.ess)
    assert page.run("return document.querySelector('tr.chosen').dataset.edge") == str(index)
    assert page.run("return document.querySelectorAll('.node.near').length") == 2


def test_edges_that_need_a_second_look_are_offered(page: Any, wine: arcwise.Analysis) -> None:
    kept = [e for e in wine.edges if e.fate in ("kept", "undirected")]
    doubtful = [e for e in kept if e.verdict == "open"]
    offered = page.run("return [...document.querySelectorAll('#details .offers button')].map(b => b.textContent)")
    assert len(offered) == len(kept)
    assert all(
        e.first in text and e.second in text for e, text in zip(doubtful, offered[-len(doubtful) :], strict=True)
    )
    page.click("#details .offers button")
    assert page.text("#details-title") in offered[0]
    assert page.run("return document.activeElement.id") == "details"


def test_a_real_click_finds_the_edge(page: Any) -> None:
    """Not an event made by a script: the line itself, or what is around it, is under the pointer.

    Arcs from a hub share their beginning, so the end counts.
    """
    page.run("document.querySelector('.edge[tabindex=\"0\"]').scrollIntoView({block: 'center'})")
    places = page.run(
        """const e = document.querySelector('.edge[tabindex="0"]'), p = e.querySelector('.ink');
        return [0.1, 0.9].map(share => {
            const q = p.getPointAtLength(p.getTotalLength() * share).matrixTransform(p.getScreenCTM());
            return [q.x, q.y, e.dataset.edge]; })"""
    )
    hit = []
    for x, y, index in places:
        for kind in ("mousePressed", "mouseReleased"):
            page.devtools("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        hit.append(page.run("return document.querySelector('.edge.chosen').dataset.edge") == index)
    assert any(hit)


def test_everything_can_be_done_by_keyboard(page: Any) -> None:
    for _ in range(60):
        page.press("Tab")
        if page.run("return document.activeElement.classList.contains('edge')"):
            break
    first = page.run("return document.activeElement.getAttribute('aria-label')")
    assert "probability" in first
    page.press("ArrowRight")
    second = page.run("return document.activeElement.getAttribute('aria-label')")
    assert second != first
    page.press("Home")
    assert page.run("return document.activeElement.getAttribute('aria-label')") == first
    page.press("Enter")
    assert page.run("return document.activeElement.id") == "details"
    assert page.text("#details-title") == first.split(", probability")[0]
    page.press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab")
    assert page.run("return document.activeElement !== document.body")


def test_the_table_sorts_and_filters(page: Any, wine: arcwise.Analysis) -> None:
    rows = page.run(ROWS)
    assert len(rows) == wine.dag.n_arcs
    confidences = [float(row[5]) for row in rows]
    assert confidences == sorted(confidences, reverse=True)
    page.click('th[data-key="confidence"] button')
    assert [float(row[5]) for row in page.run(ROWS)] == sorted(confidences)
    assert page.run("return document.querySelector('th[data-key=confidence]').getAttribute('aria-sort')") == "ascending"
    page.click('th[data-key="name"] button')
    page.click("#only")
    assert len(page.run(ROWS)) == len(wine.edges)
    assert f"{len(wine.edges)} edges listed." == page.text("#table-status")
    page.type("#filter", "FLAVAN")
    found = page.run(ROWS)
    assert 0 < len(found) < len(wine.edges)
    assert all("flavan" in row[0] for row in found)
    page.click("#edge-table tbody tr:not(.hidden) button")
    assert "flavan" in page.text("#details-title")


def test_a_variable_shows_its_edges(page: Any, wine: arcwise.Analysis) -> None:
    node = wine.data.index("cultivar")
    page.run("document.querySelectorAll('.node')[arguments[0]].dispatchEvent(new MouseEvent('click'))", node)
    assert all("cultivar" in row[0] for row in page.run(ROWS))
    degree = sum("cultivar" in arc for arc in wine.dag.arcs)
    assert len(page.run(ROWS)) == degree
    assert page.run("return document.querySelectorAll('.node.near').length") == degree
    page.press("Escape")
    assert page.run("return document.querySelectorAll('.node.near').length") == 0


def test_roles_and_names_for_screen_readers(page: Any) -> None:
    tree = page.devtools("Accessibility.getFullAXTree")["nodes"]
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value") in ("button", "slider", "checkbox", "searchbox", "link", "region", "img")
        and not node.get("name", {}).get("value")
    ]
    assert unnamed == []
    roles = [node["role"]["value"] for node in tree if not node.get("ignored") and "role" in node]
    for role in ("slider", "status", "table", "heading", "navigation", "main", "complementary"):
        assert role in roles
    headings = page.run("return [...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))")
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(page: Any, scheme: str) -> None:
    page.emulate(scheme=scheme)
    script = """
        const rgb = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
        const light = (c) => rgb(c).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
        const clear = 'rgba(0, 0, 0, 0)';
        const behind = (e) => { while (e && getComputedStyle(e).backgroundColor === clear) e = e.parentElement;
            return e ? getComputedStyle(e).backgroundColor : 'rgb(255, 255, 255)'; };
        const worst = [21, ''];
        for (const e of document.querySelectorAll('h1,h2,p,li,td,th,dt,dd,a,button,caption,figcaption,label,output')) {
            if (!e.textContent.trim() || !e.getClientRects().length) continue;
            const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < worst[0]) { worst[0] = ratio; worst[1] = e.outerHTML.slice(0, 80); }
        }
        return worst"""
    ratio, where = page.run(script)
    assert ratio >= 4.5, where


def test_it_prints(page: Any) -> None:
    page.resize(760, 1000)  # as wide as a page
    page.emulate(media="print", scheme="dark")
    hidden = page.run("return [...document.querySelectorAll('.controls, nav')].every(e => !e.getClientRects().length)")
    assert hidden
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    wide = page.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert wide
    clipped = page.run(
        """const wide = document.documentElement.clientWidth, cut = [];
        for (const e of document.querySelectorAll('table, svg, pre')) {
            const box = e.getBoundingClientRect();
            if (box.width && (box.right > wide + 1 || box.left < -1)) cut.push(e.outerHTML.slice(0, 60));
        }
        for (const e of document.querySelectorAll('.scroll, #details')) {
            if (e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== 'visible') cut.push(e.id);
        }
        return cut"""
    )
    assert clipped == []
    assert page.print_pdf().startswith(b"%PDF")


def test_what_is_wider_than_its_place_says_so(page: Any) -> None:
    hint = "return document.querySelector('#edges .scroll.table').classList.contains('more-right')"
    assert page.run(hint) is False
    page.resize(390, 800)
    assert page.run(hint) is True
    page.run("const e = document.querySelector('#edges .scroll.table'); e.scrollLeft = e.scrollWidth")
    page.run("document.querySelector('#edges .scroll.table').dispatchEvent(new Event('scroll'))")
    assert page.run(hint) is False


def test_the_forest_shows_the_range_of_every_disputed_edge(page: Any, wine: arcwise.Analysis) -> None:
    rows = page.run("return [...document.querySelectorAll('#ranges .forest .edge title')].map(t => t.textContent)")
    disputed = [e for e in wine.edges if e.agreement == "disagree"]
    assert len(disputed) > 3
    for edge in disputed:
        told = [row for row in rows if {edge.first, edge.second} == set(re.split(" [—→] ", row.split(": ")[0]))]
        assert len(told) == 1
        assert told[0].endswith(show_range(*edge.spread))


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_no_window_needs_sideways_scrolling(page: Any, width: int) -> None:
    page.resize(width, 800)
    assert page.run("return document.documentElement.scrollWidth") <= width


def test_the_first_screen_is_the_answer(browser: Any, wine: arcwise.Analysis, tmp_path: Path) -> None:
    """Headline, checks, picture, what to do about each edge; the rest is folded, and opens for links and in print."""
    path = tmp_path / "report.html"
    path.write_text(wine.to_html(), encoding="utf-8")
    browser.resize(1400, 900)
    browser.open(path)
    seen = "return document.body.innerText"
    assert len(browser.run(seen).split()) <= 900
    bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert browser.run(bottom, "#graph") < 420 and browser.run(bottom, "#details .offers") < 500
    listed = browser.run(
        "return [...document.querySelectorAll('#details .offers tr[data-edge]')].map(r => r.textContent)"
    )
    kept = [edge for edge in wine.edges if edge.fate.in_network]
    assert len(listed) == len(kept)
    for verdict, own in wine.report.network.by_verdict:
        assert f"{verdict} ({len(own)})" in browser.text("#details").lower()
    for edge in kept:
        assert any(edge.first in row and edge.second in row and row.endswith(edge.action) for row in listed)
    for check in wine.report.checks:
        assert check.words in browser.text(".checks")
    assert track_record() in browser.text("#details")
    assert "independences that the network claims" not in browser.run(seen)
    browser.click('.check[href="#fit"]')
    assert browser.run("return document.querySelector('#fit details').open") is True
    assert "independences that the network claims" in browser.run(seen)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return [...document.querySelectorAll('details')].every(d => d.open)") is True
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.querySelector('#edges details').open") is False


def test_an_edge_has_an_address(browser: Any, page: Any, wine: arcwise.Analysis, tmp_path: Path) -> None:
    edge = next(edge for edge in wine.edges if edge.fate.in_network)
    page.run("document.querySelector('#details .offers button').click()")
    assert page.run("return location.hash").startswith("#edge=")
    page.run("location.hash = arguments[0]; location.reload()", f"#edge={edge.second}--{edge.first}")
    wait = (
        "const done = arguments[0], look = () => document.querySelector('#badge') ? done(true) : setTimeout(look, 50);"
    )
    assert page.run_later(f"{wait} look()")
    assert {edge.first, edge.second} <= {*page.text("#details-title").split()}
    page.run("document.querySelector('#details button').click()")  # back to all edges
    assert page.run("return location.hash") == ""
    page.log("browser")
    page.requests()
    page.open(tmp_path / "report.html")


def test_the_picture_can_be_saved(page: Any, wine: arcwise.Analysis) -> None:
    """As it is drawn, with its colours in it: other programs know nothing of the page's style."""
    keep = """const done = arguments[1];
        URL.createObjectURL = (blob) => { blob.type === 'image/png' ? done([blob.type, blob.size]) :
            blob.text().then((text) => done([blob.type, text])); return '#'; };
        document.getElementById(arguments[0]).click()"""
    kind, text = page.run_later(keep, "save-svg")
    assert kind == "image/svg+xml"
    drawing = ElementTree.fromstring(text)
    shown = {node.text for node in drawing.iter() if node.tag.endswith("text")}
    assert {label_of(name) for name in wine.data.names} <= shown
    inks = [path for path in drawing.iter() if path.tag.endswith("path") and path.get("fill") == "none"]
    assert len(inks) == sum(edge.fate.in_network for edge in wine.edges)
    assert all(path.get("stroke", "").startswith("rgb") for path in inks)
    kind, size = page.run_later(keep, "save-png")
    assert kind == "image/png" and size > 10_000


def test_a_click_in_the_table_is_seen(page: Any) -> None:
    page.run("document.querySelector('#edge-table tbody tr').click()")
    top, bottom = page.run(
        "const b = document.getElementById('details').getBoundingClientRect(); return [b.top, b.bottom]"
    )
    assert bottom > 0 and top < page.run("return innerHeight")


def test_a_wide_window_is_used(page: Any) -> None:
    """Text and what it is about stand side by side; in a narrow window, one above the other."""
    script = """return [...document.querySelectorAll('.stage, :is(#ensemble, #rules, #prior) .sides')]
        .filter(e => e.children.length > 1)
        .map(e => [...e.children].map(c => c.getBoundingClientRect()))
        .map(([a, b]) => a.right <= b.left && b.right > 0.8 * document.documentElement.clientWidth)"""
    page.resize(1400, 900)
    wide = page.run(script)
    assert len(wide) >= 3 and all(wide)
    page.resize(800, 900)
    assert page.run(script) == [False] * len(wide)


def test_too_few_networks_are_drawn_as_a_guess(browser: Any, tmp_path: Path) -> None:
    """One network: no verdict, no confidence of 1.000, and lines that look like what they are."""
    found = arcwise.learn(datasets.load("balance-scale"), method="search", permutations=0, compare=False, seed=1)
    path = tmp_path / "guess.html"
    path.write_text(found.to_html(), encoding="utf-8")
    browser.log("browser")
    browser.open(path)
    assert "rely" not in browser.text("#status")
    edges = "[...document.querySelectorAll('#graph .edge.open .ink')]"
    dashes = browser.run(f"return {edges}.map((line) => line.getAttribute('stroke-dasharray'))")
    assert dashes == ["7 5"] * len(found.edges)
    browser.run("document.querySelector('g.edge').dispatchEvent(new MouseEvent('click'))")
    assert browser.text("#badge").startswith("in 1 of 1 network,")
    assert "1.000" not in browser.text("#edge-table")
    assert browser.log("browser") == []


def test_hostile_names_do_nothing(browser: Any, tmp_path: Path) -> None:
    import numpy as np
    import pandas as pd

    names = ["</script><script>document.title='taken'</script>", "<img src=x onerror=document.title='taken'>", "a\"'&b"]
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 300)
    frame = pd.DataFrame(
        {names[0]: first, names[1]: first ^ (rng.random(300) < 0.1), names[2]: rng.integers(0, 2, 300)}
    )
    path = tmp_path / "hostile.html"
    path.write_text(arcwise.learn(frame, permutations=0, compare=False).to_html(), encoding="utf-8")
    browser.log("browser")
    browser.requests()
    browser.open(path)
    browser.run("document.querySelector('.edge').dispatchEvent(new MouseEvent('click'))")
    assert names[0] in browser.text("#details")
    assert browser.run("return document.title").startswith("Which edges to trust")
    assert browser.run("return document.images.length") == 0
    assert browser.log("browser") == []
    assert browser.requests() == [path.resolve().as_uri()]


def test_the_legend_says_whose_directions_are_settled(browser: Any, tmp_path: Path) -> None:
    """A head that comes from the user's own tiers is not the data's."""
    data = datasets.load("balance-scale")
    tiers = arcwise.Constraints(data.names, tiers=[[name for name in data.names if name != "class"], ["class"]])
    wine = datasets.load("wine")
    for table, said, words in ((data, tiers, "is what you said"), (wine, None, "likely")):
        analysis = arcwise.learn(table, constraints=said, seed=1, permutations=0, compare=False, threshold=0.5)
        path = tmp_path / "report.html"
        path.write_text(analysis.to_html(), encoding="utf-8")
        browser.open(path)
        assert f"direction {words}" in browser.text("#legend")


def test_an_edge_that_hardly_leans_has_no_arrow_head(page: Any, wine: arcwise.Analysis) -> None:
    drawn = "return [...document.querySelectorAll('#graph .edge .head')].map(h => h.hasAttribute('d'))"
    heads = page.run(drawn)
    shown = [edge.fate.in_network for edge in wine.edges]
    assert [head for head, is_shown in zip(heads, shown, strict=True) if is_shown] == [
        edge.is_pointed for edge in wine.edges if edge.fate.in_network
    ]
    assert any(edge.fate.is_arc and not edge.is_pointed for edge in wine.edges)


def test_percentages_are_rounded_as_in_the_sentences(page: Any) -> None:
    script = (Path(arcwise.__file__).parent / "report" / "assets" / "script" / "page.js").read_text(encoding="utf-8")
    shown = script[script.index("const hundredths") : script.index("const short")]
    shares = [k / n for n in (8, 40, 200, 303) for k in range(n + 1)]
    assert page.run(f"{shown} return arguments[0].map(percent)", shares) == [percent(one) for one in shares]

"""Variables in the page: their panel, evidence by clicking, what is around one, and the parts of a large network."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.report import page as evidence_plan
from arcwise.report.page import elimination_order, plan_evidence

CLICK = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))"
BARS = """return [...document.querySelectorAll('#cards .states')].map(l => [Number(l.dataset.variable),
    [...l.querySelectorAll('.state-bar')].map(b => Number(b.dataset.p))]).sort((s, t) => s[0] - t[0]).map(p => p[1])"""
DRAWN = """return [...document.querySelectorAll('#graph .node')].filter(n => n.getAttribute('display') !== 'none')
    .map(n => Number(n.dataset.node))"""
SET = "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'));"


def state(variable: int, number: int) -> str:
    return f'#cards .states[data-variable="{variable}"] .state-bar[data-state="{number}"]'


def expected(analysis: arcwise.Analysis, evidence: dict[str, str]) -> list[list[float]]:
    network = analysis.network
    found = network.marginals(evidence, progress=False)
    return [
        [float(own == evidence[name]) for own in states] if name in evidence else list(found[name].probabilities)
        for name, states in zip(network.names, network.states, strict=True)
    ]


def same(found: list[list[float]], wanted: list[list[float]], tolerance: float = 1e-9) -> None:
    assert max(
        abs(a - b) for own, other in zip(found, wanted, strict=True) for a, b in zip(own, other, strict=True)
    ) <= (tolerance)


def test_evidence_moves_all_bars_as_exact_inference_does(page: Any, wine: arcwise.Analysis) -> None:
    same(page.run(BARS), expected(wine, {}))
    network = wine.network
    evidence: dict[str, str] = {}
    for name, number in (("proline", 0), ("hue", 1), ("cultivar", 2)):
        evidence[name] = network.states[network.index(name)][number]
        page.run(CLICK, state(network.index(name), number))
        same(page.run(BARS), expected(wine, evidence))
        assert name in page.text("#known")
    chance = math.exp(network.log_probability(evidence, progress=False))
    assert f"{chance:.0%}" in page.text("#known") or "under 1%" in page.text("#known")
    # Another state of the same variable takes the place of the first; the same one again is forgotten.
    page.run(CLICK, state(network.index("cultivar"), 0))
    evidence["cultivar"] = network.states[network.index("cultivar")][0]
    same(page.run(BARS), expected(wine, evidence))
    page.run(CLICK, state(network.index("cultivar"), 0))
    del evidence["cultivar"]
    same(page.run(BARS), expected(wine, evidence))
    assert page.run("return document.querySelectorAll('#graph .node.known').length") == 2
    page.click("#forget")
    same(page.run(BARS), expected(wine, {}))
    assert page.run("return document.querySelectorAll('#graph .node.known').length") == 0


def test_evidence_of_many_variables_is_exact(large: Any, ladder: arcwise.Analysis) -> None:
    rng = np.random.default_rng(1)
    evidence: dict[str, str] = {}
    for v in rng.choice(45, 6, replace=False).tolist():
        number = int(rng.integers(2))
        evidence[ladder.network.names[v]] = ladder.network.states[v][number]
        large.run(CLICK, state(v, number))
    same(large.run(BARS), expected(ladder, evidence))


def test_a_network_that_does_not_fit_has_single_answers_ready(
    browser: Any, wine: arcwise.Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_plan, "MOST_CELLS", 10)
    plan = plan_evidence(wine.network)
    assert not plan.order
    assert "One state at a time" in plan.refusal
    report = replace(wine.report, network=replace(wine.report.network, evidence=plan))
    path = tmp_path / "single.html"
    path.write_text(report.to_html(), encoding="utf-8")
    browser.open(path)
    network = wine.network
    for name, number in (("cultivar", 1), ("hue", 0)):  # the second takes the place of the first
        browser.run(CLICK, state(network.index(name), number))
        own = network.states[network.index(name)][number]
        same(browser.run(BARS), expected(wine, {name: own}), 1e-4)
    assert "its junction tree has" in browser.text("#evidence-help")
    monkeypatch.setattr(evidence_plan, "MOST_STATES", 5)
    refused = plan_evidence(wine.network)
    assert not refused.given
    report = replace(wine.report, network=replace(wine.report.network, evidence=refused))
    path.write_text(report.to_html(), encoding="utf-8")
    browser.open(path)
    assert browser.run("return [...document.querySelectorAll('.state-bar')].every(b => b.disabled)")
    assert "arcwise query" in browser.text("#evidence-help")
    assert browser.log("browser") == []


def test_the_order_of_elimination_counts_its_cells() -> None:
    assert elimination_order([2, 3], [[], [0]]) == ((0, 1), 9)
    order, cells = elimination_order([2] * 6, [[], [0], [1], [2], [3], [4]])
    assert sorted(order) == list(range(6))
    assert cells == 5 * 4 + 2


def test_a_variable_that_is_clicked_shows_its_panel(page: Any, wine: arcwise.Analysis) -> None:
    page.run(CLICK, '.edge[data-edge="0"]')
    network = wine.network
    v = network.index("cultivar")
    page.run(CLICK, f'.node[data-node="{v}"]')
    assert page.text("#details-title") == "cultivar"
    body = page.text("#details-body")
    assert "Confidence by method" not in body  # the last edge is gone
    for name in (*network.dag.parents_of("cultivar"), *network.dag.children_of("cultivar")):
        assert name in body
    child = network.dag.children_of("cultivar")[0]
    page.run(CLICK, f'.node[data-node="{network.index(child)}"]')
    cells = page.run("return [...document.querySelectorAll('#details .heat tbody tr')].map(r => r.cells.length)")
    table = network.tables[network.index(child)]
    assert len(cells) == len(table)
    assert set(cells) == {table.shape[1] + len(network.dag.parents_of(child))}
    page.press("Escape")
    assert page.text("#details-title") == "What to do about each edge"


def test_what_a_parent_adds_is_conditional_information(page: Any, wine: arcwise.Analysis) -> None:
    network = wine.network
    child = next(name for name in network.names if len(network.dag.parents_of(name)) > 1)
    page.run(CLICK, f'.node[data-node="{network.index(child)}"]')
    shown = page.run(
        """return Object.fromEntries([...document.querySelectorAll('#details td[data-adds]')]
        .map(c => [c.closest('tr').querySelector('button').textContent, Number(c.dataset.adds)]))"""
    )
    parents = list(network.dag.parents_of(child))
    joint = np.asarray(network.query([*parents, child], progress=False).probabilities)
    for axis, parent in enumerate(parents):
        with_it = joint / joint.sum(axis=-1, keepdims=True)
        rest = joint.sum(axis=axis, keepdims=True)
        without = rest / rest.sum(axis=-1, keepdims=True)
        bits = float((joint * np.log2(with_it / without)).sum())
        assert shown[parent] == pytest.approx(bits, abs=1e-9)


def test_the_neighbourhood_grows_with_the_distance(large: Any, ladder: arcwise.Analysis) -> None:
    dag = ladder.dag
    v = dag.names.index("x0")
    large.run(CLICK, f'.node[data-node="{v}"]')
    large.click("#around")
    reached = {v}
    for distance in (1, 2, 3):
        large.run(SET, "distance", distance)
        ends = [(dag.names.index(a), dag.names.index(b)) for a, b in dag.arcs]
        reached |= {u for pair in ends if set(pair) & reached for u in pair}
        assert set(large.run(DRAWN)) == reached
        overlap = """const boxes = [...document.querySelectorAll('#graph .node')]
            .filter(n => n.getAttribute('display') !== 'none')
            .map(n => n.querySelector('.box').getBoundingClientRect());
            return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right
            && a.top < b.bottom && b.top < a.bottom))"""
        assert large.run(overlap) is False
        fits = "const s = document.getElementById('scroll'); return s.scrollHeight <= s.clientHeight + 1"
        assert large.run(fits)
    large.click("#whole")
    assert len(large.run(DRAWN)) == 45


def test_the_search_zooms_to_what_it_finds(large: Any) -> None:
    scale = "return Number(document.getElementById('graph').getAttribute('width'))"
    before = large.run(scale)
    find = "const e = document.getElementById('find'); e.value = arguments[0]; e.dispatchEvent(new Event('change'))"
    large.run(find, "X44")
    assert large.text("#details-title") == "x44"
    assert large.run(scale) > before
    inside = """const n = document.querySelector('.node[data-node="44"] .box').getBoundingClientRect();
        const s = document.getElementById('scroll').getBoundingClientRect();
        return n.left >= s.left && n.right <= s.right && n.top >= s.top && n.bottom <= s.bottom"""
    assert large.run(inside)
    large.run(find, "nobody")
    assert "No variable" in large.text("#found")


def test_weakly_joined_parts_can_be_looked_at(large: Any, ladder: arcwise.Analysis) -> None:
    parts = large.run("return [...document.querySelectorAll('#part-list button')].map(b => b.textContent)")
    assert len(parts) >= 3
    large.click("#part-list button")
    faded = large.run("return document.querySelectorAll('#graph .node.faded').length")
    size = int(parts[0].split("(")[1].rstrip(")"))
    assert faded == ladder.data.n_variables - size
    large.press("Escape")
    assert large.run("return document.querySelectorAll('#graph .node.faded').length") == 0


def test_a_target_stands_in_the_middle(browser: Any, tmp_path: Path) -> None:
    analysis = arcwise.learn(
        arcwise.datasets.load("balance-scale"), target="class", seed=1, permutations=0, compare=False
    )
    path = tmp_path / "target.html"
    path.write_text(analysis.to_html(), encoding="utf-8")
    browser.resize(1440, 1000)
    browser.open(path)
    assert browser.text("#details-title") == "What to do about each edge"
    heading = browser.text("#details .offers th.verdict")
    assert heading.endswith(", at class")  # its own edges come first
    assert browser.run("return document.getElementById('around').getAttribute('aria-pressed')") == "true"
    place = """const n = document.querySelector('.node.chosen .box').getBoundingClientRect();
        const boxes = [...document.querySelectorAll('#graph .node')].map(n => n.getBoundingClientRect());
        const middle = (Math.min(...boxes.map(b => b.left)) + Math.max(...boxes.map(b => b.right))) / 2;
        return Math.abs((n.left + n.right) / 2 - middle)"""
    assert browser.run(place) < 60
    height = "return document.getElementById(arguments[0]).clientHeight"
    assert browser.run(height, "scroll") > 500  # a few neighbours fill the place beside the table
    assert any("class is probably linked with" in sentence for sentence in analysis.report.summary)

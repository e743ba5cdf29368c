"""Cut-offs that follow from probabilities: each is the best of all cut-offs, by brute force."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.confidence import EdgeConfidence, choose_threshold, learned_table, recommend
from arcwise.confidence.calibration import Calibration
from arcwise.confidence.cuts import best_cut, f_expected, false_rate_cut
from arcwise.errors import OptionError

N = 6


def test_a_table_of_thresholds_is_not_for_the_rule_of_probabilities() -> None:
    made = EdgeConfidence(
        ("a", "b"),
        np.zeros((2, 2)),
        np.array([[0, 0.5], [0.5, 0]]),
        "cpdag",
        "credible",
        9,
        "posterior",
        True,
        n_cases=50,
    )
    with pytest.raises(OptionError, match="learned thresholds was given"):
        recommend(made, rule="calibrated", table=learned_table())
    assert recommend(made, table=learned_table()).threshold.rule == "learned"


@st.composite
def confidences(draw: st.DrawFn) -> EdgeConfidence:
    """Random confidences that are taken for probabilities."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    parts = rng.dirichlet([0.5, 0.5, 0.5, 1.5], size=(N, N))
    if draw(st.booleans()):  # ties, as bootstraps have
        parts = np.floor(parts * 8) / 8
    upper = np.triu(np.ones((N, N)), 1)
    directed = parts[..., 0] * upper + (parts[..., 1] * upper).T
    free = parts[..., 2] * upper
    made = EdgeConfidence(
        tuple("abcdef"), directed, free + free.T, "cpdag", "credible", 100, "posterior", exact=True, n_cases=100
    )
    return replace(made, calibration=Calibration.identity())


def expectation(found: EdgeConfidence, cut: float, metric: str, weight: float) -> float:
    """Return the expected loss at a cut-off, pair by pair."""
    p, chosen = found.probability, found.vector > cut
    i, j = np.triu_indices(N, 1)
    right = np.max([p.directed[i, j], p.directed[j, i], p.undirected[i, j]], axis=0)
    if metric == "cost":
        return float((1 - p.vector[chosen]).sum() + weight * p.vector[~chosen].sum())
    if metric == "shd":
        return float((1 - right[chosen]).sum() + p.vector[~chosen].sum())
    if not chosen.any():
        return -float(np.prod(1 - p.vector))
    hits = (p.vector if metric == "f" else right)[chosen]
    total = 0.0
    for own, hit in zip(p.vector[chosen], hits, strict=True):  # beside an edge that is hit, how many others are there?
        rest = np.delete(p.vector, np.flatnonzero(p.vector == own)[0])
        total += hit * sum(
            chance * (1 + weight**2) / (chosen.sum() + weight**2 * (1 + others))
            for others, chance in enumerate(counts_of(rest))
        )
    return -float(total)


def counts_of(chances: np.ndarray) -> np.ndarray:
    """Return the probabilities of 0, 1, 2, ... edges, by adding one pair after the other."""
    found = np.array([1.0])
    for chance in chances:
        found = np.convolve(found, [1 - chance, chance])
    return found


@settings(max_examples=60)
@given(confidences(), st.sampled_from(["cost", "shd", "f", "f-cpdag"]), st.sampled_from([0.25, 1.0, 4.0]))
def test_no_cut_off_is_better_on_average(found: EdgeConfidence, metric: str, weight: float) -> None:
    weight = 1.0 if metric == "shd" else weight
    cut, bar = best_cut(found, metric, weight)
    rivals = [-1e-9, *np.unique(found.vector)]
    if metric in ("cost", "shd"):
        rivals = rivals[1:] if float(found.vector.min()) == 0 else rivals
    best = min(expectation(found, rival, metric, weight) for rival in rivals)
    assert expectation(found, cut, metric, weight) == pytest.approx(best, abs=1e-9)
    assert bar == pytest.approx(cut, abs=1e-9)  # the curve is the identity


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=7),
    st.sampled_from([0.125, 0.5, 1.0, 2.0, 4.0, 8.0, 30.0]),
    st.data(),
)
def test_expected_f_is_the_mean_over_all_graphs(
    pairs: list[tuple[float, float]], beta: float, data: st.DataObject
) -> None:
    p = np.array([edge for edge, _ in pairs])
    way = np.array([share for _, share in pairs])  # of the edges, how many are as they are drawn
    most = data.draw(st.integers(0, len(p)))
    mean = np.zeros(most + 1)
    for there in itertools.product([False, True], repeat=len(p)):
        edges = np.array(there)
        chance = np.prod(np.where(edges, p, 1 - p))
        for k in range(most + 1):
            bottom = k + beta**2 * edges.sum()
            mean[k] += chance * ((1 + beta**2) * (edges * way)[:k].sum() / bottom if bottom else 1.0)
    assert f_expected((p * way)[:most], p, beta) == pytest.approx(mean, abs=1e-10)
    counted = np.unique(p[most:], return_counts=True)
    assert f_expected((p * way)[:most], p[:most], beta, counted) == pytest.approx(mean, abs=1e-10)


def test_no_edge_is_best_where_none_is_probable() -> None:
    found = replace(
        EdgeConfidence(
            ("a", "b", "c"), np.zeros((3, 3)), np.zeros((3, 3)), "cpdag", "bootstrap", 100, "equal", False, n_cases=100
        ),
        undirected=np.array([[0, 0.2, 0], [0.2, 0, 0.05], [0, 0.05, 0]]),
        calibration=Calibration.identity(),
    )
    assert best_cut(found, "f", 1.0)[0] == pytest.approx(0.2)
    assert best_cut(found, "f", 8.0)[0] == pytest.approx(0.2)


@given(confidences(), st.floats(0, 1))
def test_a_false_rate_is_kept_and_used_up(found: EdgeConfidence, rate: float) -> None:
    cut, _ = false_rate_cut(found, rate)
    vector = found.vector
    chosen = vector > cut
    assert not chosen.any() or (1 - vector[chosen]).mean() <= rate + 1e-9
    larger = [c for c in np.unique(vector) if (vector > c).sum() > chosen.sum()]
    assert all((1 - vector[vector > c]).mean() > rate - 1e-9 for c in larger)


def test_a_rate_stands_instead_of_a_metric() -> None:
    found = EdgeConfidence(
        ("a", "b"), np.array([[0, 0.9], [0, 0]]), np.zeros((2, 2)), "cpdag", "credible", 10, "posterior", exact=True
    )
    assert choose_threshold(found, "calibrated", false_rate=1.0).value < 0.9
    with pytest.raises(OptionError, match="instead of a metric"):
        choose_threshold(found, "calibrated", false_rate=0.1, metric="f")
    with pytest.raises(OptionError, match="between 0 and 1"):
        choose_threshold(found, "calibrated", false_rate=1.5)


def test_the_recommendation_says_which_rule_and_why() -> None:
    directed = np.zeros((3, 3))
    directed[0, 1] = 0.95
    found = EdgeConfidence(
        ("a", "b", "c"), directed, np.zeros((3, 3)), "cpdag", "credible", 10, "posterior", exact=True, n_cases=500
    )
    by_probability = recommend(found, metric="cost", alpha=1)
    assert by_probability.threshold.rule == "calibrated"
    assert "chosen for these data" in by_probability.text
    assert by_probability.expected is not None
    assert by_probability.expected.sentence() in by_probability.text
    cut, expected = by_probability.threshold.details, by_probability.expected
    assert (cut["false"], cut["missed"]) == pytest.approx((expected.false, expected.missed))
    learned = recommend(found, metric="cost", alpha=1, rule="learned")
    assert learned.threshold.rule == "learned"
    plain = replace(found, calibration=Calibration.identity())
    assert recommend(plain, metric="cost", alpha=1).threshold.rule == "learned"

"""Cut-offs that follow from probabilities: each is the best of all cut-offs, by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.confidence import EdgeConfidence, choose_threshold, learned_table, recommend
from arcwise.confidence.calibration.calibration import Calibration
from arcwise.confidence.calibration.decisions import best_cut, false_rate_cut
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
    total = p.vector.sum()
    if metric == "cost":
        return float((1 - p.vector[chosen]).sum() + weight * p.vector[~chosen].sum())
    if metric == "shd":
        return float((1 - right[chosen]).sum() + p.vector[~chosen].sum())
    hits = (p.vector if metric == "f" else right)[chosen].sum()
    return float(-(1 + weight**2) * hits / max(chosen.sum() + weight**2 * total, 1e-300))


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
    assert "rather than for all data sets of a kind" in by_probability.text
    assert by_probability.expected is not None
    assert by_probability.expected.sentence() in by_probability.text
    learned = recommend(found, metric="cost", alpha=1, rule="learned")
    assert learned.threshold.rule == "learned"
    plain = replace(found, calibration=Calibration.identity())
    assert recommend(plain, metric="cost", alpha=1).threshold.rule == "learned"

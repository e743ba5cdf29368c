"""`PairStates`: the same numbers as the measures of `arcwise.evaluate`, graph by graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.confidence import consensus_network, edge_confidence
from arcwise.ensemble import NetworkSet
from arcwise.evaluate import compare
from arcwise.graph import Dag
from arcwise_studies.experiments.ensemble_study import sample_pairs
from arcwise_studies.experiments.pair_states import PairStates, losses


def random_dag(n: int, rng: np.random.Generator) -> Dag:
    order = rng.permutation(n)
    place = {int(v): k for k, v in enumerate(order)}
    parents = [[u for u in range(n) if place[u] < place[v] and rng.random() < 0.4] for v in range(n)]
    return Dag([f"v{v}" for v in range(n)], parents)


@given(st.integers(3, 7), st.integers(0, 2**32 - 1), st.sampled_from([0.25, 1.0, 4.0]))
def test_every_measure_equals_that_of_the_graphs(n: int, seed: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    truth = random_dag(n, rng)
    learned = [random_dag(n, rng) for _ in range(5)]
    confidence = edge_confidence(NetworkSet.from_dags(learned, origin="test"))
    thresholds = np.array([0.1, 0.5, 0.7])
    counts = PairStates.of(confidence, truth).count(thresholds)
    for k, threshold in enumerate(thresholds):
        consensus = consensus_network(confidence, threshold)
        if consensus.dropped:  # pairs are read one by one; a graph has no cycle
            continue
        expected = compare(truth, consensus.pattern, beta=weight, alpha=weight)
        pairs = n * (n - 1)
        assert losses(counts, "shd", 1.0)[k] * pairs == pytest.approx(expected.shd)
        assert losses(counts, "cost", weight)[k] * pairs == pytest.approx(expected.misclassification_cost)
        assert 1 - losses(counts, "f", weight)[k] == pytest.approx(expected.f_beta)
        assert 1 - losses(counts, "f-cpdag", weight)[k] == pytest.approx(expected.multiclass_f_beta)


def test_arrays_survive_the_text() -> None:
    rng = np.random.default_rng(1)
    confidence = edge_confidence(NetworkSet.from_dags([random_dag(6, rng) for _ in range(8)], origin="test"))
    states = PairStates.of(confidence, random_dag(6, rng))
    again = PairStates.unpack(states.pack())
    np.testing.assert_array_equal(again.truth, states.truth)
    np.testing.assert_array_equal(again.shares, states.shares)
    assert again.n_variables == 6


@given(st.integers(3, 60), st.integers(0, 2**32 - 1))
def test_sampled_pairs_stand_for_all(pairs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = (rng.random(pairs) < 0.2).astype(np.uint8)
    rows, weight = sample_pairs(truth, [rng.random(pairs), rng.random(pairs)], rng)
    assert weight.sum() == pytest.approx(1)
    assert len(set(rows.tolist())) == len(rows)
    assert weight[truth[rows] == 1].sum() == pytest.approx(truth.mean())

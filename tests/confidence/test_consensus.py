from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.confidence import EdgeConfidence, consensus_network, edge_confidence
from arcwise.ensemble import NetworkSet
from arcwise.errors import OptionError
from arcwise.graph import Dag


def confidence(directed: np.ndarray, undirected: np.ndarray | None = None) -> EdgeConfidence:
    n = len(directed)
    return EdgeConfidence(
        names=tuple("abcdefgh"[:n]),
        directed=np.asarray(directed, dtype=float),
        undirected=np.zeros((n, n)) if undirected is None else undirected,
        orient="cpdag",
        origin="test",
        n_networks=100,
        weights="equal",
        exact=False,
    )


def test_the_weakest_edge_of_a_cycle_is_dropped_and_listed() -> None:
    directed = np.zeros((3, 3))
    directed[0, 1], directed[1, 2], directed[2, 0] = 0.9, 0.8, 0.7
    result = consensus_network(confidence(directed), 0.5)
    assert result.dag.arcs == (("a", "b"), ("b", "c"))
    assert [(e.tail, e.head, e.present) for e in result.dropped] == [("c", "a", 0.7)]


def test_strictly_above_counts() -> None:
    directed = np.zeros((2, 2))
    directed[0, 1] = 0.5
    assert consensus_network(confidence(directed), 0.5).dag.arcs == ()
    assert consensus_network(confidence(directed), 0.49).dag.arcs == (("a", "b"),)


def test_the_stronger_side_wins_and_a_toss_up_is_listed() -> None:
    directed = np.zeros((3, 3))
    directed[0, 1], directed[1, 0] = 0.2, 0.6
    undirected = np.zeros((3, 3))
    undirected[1, 2] = undirected[2, 1] = 0.9
    result = consensus_network(confidence(directed, undirected), 0.5)
    assert ("b", "a") in result.dag.arcs
    assert [(e.tail, e.head) for e in result.undirected] == [("b", "c")]
    edge = next(e for e in result.edges if e.head == "a")
    assert edge.direction == pytest.approx(0.75)


def test_a_toss_up_never_closes_a_cycle() -> None:
    directed = np.zeros((3, 3))
    directed[1, 0] = directed[2, 1] = 0.9  # c -> b -> a, so a -> c would close a cycle
    undirected = np.zeros((3, 3))
    undirected[0, 2] = undirected[2, 0] = 0.95
    result = consensus_network(confidence(directed, undirected), 0.5)
    assert ("c", "a") in result.dag.arcs
    assert result.dropped == ()


def test_a_senseless_threshold_is_refused() -> None:
    with pytest.raises(OptionError, match="must be 0 or more"):
        consensus_network(confidence(np.zeros((2, 2))), float("nan"))


@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_every_significant_pair_is_kept_or_listed_as_dropped(n: int, seed: int, threshold: float) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)), 1)
    share = rng.random((n, n))
    given_ = confidence(upper * share + (upper * (1 - share)).T)
    result = consensus_network(given_, threshold)
    assert len(result.edges) == (given_.vector > threshold).sum()
    assert len(result.dag.arcs) + len(result.dropped) == len(result.edges)
    for edge in result.dropped:  # a path back, all of it at least as credible
        others = {(e.tail, e.head): e.present for e in result.edges if e.fate != "dropped"}
        assert any(value >= edge.present for value in others.values())


def test_an_open_direction_makes_no_v_structure() -> None:
    """A chain whose class has no direction, its middle the last variable: a -> c <- b would claim a dependence."""
    undirected = np.zeros((3, 3))
    undirected[0, 2] = undirected[2, 0] = 0.9
    undirected[1, 2] = undirected[2, 1] = 0.8
    directed = np.zeros((3, 3))
    directed[0, 2] = directed[1, 2] = 0.05  # the stronger side, for both, would make one
    result = consensus_network(confidence(directed, undirected), 0.5)
    assert result.cpdag.arcs == ()
    assert result.pattern.arcs == ()
    assert len(result.undirected) == 2
    assert ("a", "c") in result.dag.arcs  # the more credible one gets its side


def test_an_open_direction_follows_the_stronger_side_where_it_can() -> None:
    undirected = np.zeros((2, 2))
    undirected[0, 1] = undirected[1, 0] = 0.5
    for forward, backward, arc in ((0.3, 0.1, ("a", "b")), (0.1, 0.3, ("b", "a"))):
        directed = np.array([[0, forward], [backward, 0]])
        result = consensus_network(confidence(directed, undirected), 0.5)
        assert result.dag.arcs == (arc,)
        assert [(e.tail, e.head, e.fate) for e in result.edges] == [(*arc, "undirected")]
        assert result.edges[0].direction == pytest.approx(0.55 / 0.9)


def test_contradictory_edges_still_give_a_dag() -> None:
    """An undirected square without a chord has no orientation without a new v-structure."""
    undirected = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 3), (0, 3)):
        undirected[i, j] = undirected[j, i] = 0.9
    result = consensus_network(confidence(np.zeros((4, 4)), undirected), 0.5)
    assert result.dag.n_arcs == 4
    assert result.dropped == ()


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_the_consensus_of_one_class_is_that_class(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    parents = [[int(order[k]) for k in range(n) if k < list(order).index(v) and rng.random() < 0.4] for v in range(n)]
    dag = Dag([f"v{v}" for v in range(n)], parents)
    result = consensus_network(edge_confidence(NetworkSet.from_dags([dag], origin="test")), 0.5)
    assert result.cpdag == dag.cpdag
    assert result.pattern == dag.cpdag


def test_other_features_make_no_network() -> None:
    networks = NetworkSet.from_dags([Dag(["a", "b"], [[], [0]])], origin="test")
    with pytest.raises(OptionError, match="feature 'path'"):
        consensus_network(edge_confidence(networks, feature="path"), 0.5)

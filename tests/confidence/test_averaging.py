from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.averages import class_sums_twin

from arcwise.base.arrays import read_parquet, write_parquet
from arcwise.confidence import EdgeConfidence, edge_confidence, feature_confidence
from arcwise.ensemble import NetworkSet
from arcwise.errors import FormatError, OptionError, UnknownNameError
from arcwise.graph import Dag


@st.composite
def network_sets(draw: st.DrawFn, *, most: int = 6) -> NetworkSet:
    n = draw(st.integers(2, most))
    names = [f"X{v}" for v in range(n)]
    dags = []
    for _ in range(draw(st.integers(1, 6))):
        order = draw(st.permutations(range(n)))
        parents = [[p for p in order[: order.index(v)] if draw(st.booleans())] for v in range(n)]
        dags.append(Dag(names, parents))
    scores = draw(st.lists(st.floats(-50, 0), min_size=len(dags), max_size=len(dags)))
    return NetworkSet.from_dags(dags, origin="test", scores=scores)


@given(network_sets())
def test_class_sums_equal_the_twin(networks: NetworkSet) -> None:
    confidence = edge_confidence(networks)
    directed, undirected = class_sums_twin(networks)
    np.testing.assert_allclose(confidence.directed, directed, atol=1e-12)
    np.testing.assert_allclose(confidence.undirected, undirected, atol=1e-12)


@given(network_sets())
def test_all_readings_agree_on_which_pairs_are_joined(networks: NetworkSet) -> None:
    by = {orient: edge_confidence(networks, orient=orient) for orient in ("cpdag", "dag", "skeleton")}
    for other in ("dag", "skeleton"):
        np.testing.assert_allclose(by["cpdag"].present, by[other].present, atol=1e-9)
    assert all(abs(p.forward + p.backward + p.undirected + p.absent - 1) < 1e-9 for p in by["cpdag"].pairs)


@given(network_sets())
def test_features_equal_their_definition(networks: NetworkSet) -> None:
    n = networks.n_variables
    blankets, paths = np.zeros((n, n)), np.zeros((n, n))
    for dag, weight in zip(networks, networks.weights, strict=True):
        reach = np.zeros((n, n), dtype=int)
        for v, ps in enumerate(dag.parents):
            reach[list(ps), v] = 1
        arcs = reach.copy()
        for _ in range(n):
            reach = ((reach + reach @ reach) > 0).astype(int)
        paths += weight * reach
        joined = (arcs + arcs.T + arcs @ arcs.T) > 0
        np.fill_diagonal(joined, False)
        blankets += weight * joined
    np.testing.assert_allclose(feature_confidence(networks, feature="markov-blanket"), blankets, atol=1e-12)
    np.testing.assert_allclose(feature_confidence(networks, feature="path"), paths, atol=1e-12)


def test_more_than_64_variables() -> None:
    names = [f"X{v}" for v in range(130)]
    chain = Dag(names, [[v - 1] if v else [] for v in range(130)])
    networks = NetworkSet.from_dags([chain], origin="test")
    assert edge_confidence(networks).undirected[0, 1] == 1
    assert feature_confidence(networks, feature="path")[0, 129] == 1
    assert feature_confidence(networks, feature="path")[129, 0] == 0
    assert feature_confidence(networks).sum() == 258


def confidence_of(parents: list[list[int]]) -> EdgeConfidence:
    return edge_confidence(NetworkSet.from_dags([Dag(["a", "b", "c"], parents)], origin="bootstrap"))


def test_a_collider_is_directed_and_a_chain_is_not() -> None:
    assert confidence_of([[], [], [0, 1]]).directed[0, 2] == 1
    assert confidence_of([[], [0], [1]]).undirected[0, 1] == 1
    pair = confidence_of([[], [], [0, 1]]).pair("c", "a")
    assert (pair.forward, pair.backward, pair.present) == (0, 1, 1)


def test_a_bootstrap_has_an_error_and_a_credible_set_has_none() -> None:
    dags = [Dag(["a", "b"], [[], []]), Dag(["a", "b"], [[], [0]])]
    sample = edge_confidence(NetworkSet.from_dags(dags, origin="bootstrap"))
    assert sample.standard_error[0, 1] == pytest.approx(np.sqrt(0.25 / 2))
    assert edge_confidence(NetworkSet.from_dags(dags, origin="credible")).standard_error[0, 1] == 0


def test_bad_requests_are_refused() -> None:
    networks = NetworkSet.from_dags([Dag(["a", "b"], [[], []])], origin="test")
    with pytest.raises(OptionError, match="n_cases=-5 must be an integer >= 0"):
        edge_confidence(networks, n_cases=-5)
    with pytest.raises(UnknownNameError, match="did you mean 'cpdag'"):
        edge_confidence(networks, orient="cpdags")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown weighting"):
        edge_confidence(networks, weights="some")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown feature"):
        feature_confidence(networks, feature="cycle")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no network"):
        edge_confidence(networks[0:0])
    with pytest.raises(OptionError, match="unknown variable 'z'"):
        edge_confidence(networks).pair("a", "z")
    other = edge_confidence(NetworkSet.from_dags([Dag(["a", "c"], [[], []])], origin="test"))
    with pytest.raises(OptionError, match="b, c occur in one only"):
        edge_confidence(networks).compare(other)


@settings(max_examples=10)
@given(network_sets(most=4))
def test_files_keep_everything(tmp_path_factory: pytest.TempPathFactory, networks: NetworkSet) -> None:
    path = tmp_path_factory.mktemp("confidence") / "c.parquet"
    confidence = edge_confidence(networks, n_cases=100)
    confidence.save(path)
    again = EdgeConfidence.load(path)
    np.testing.assert_array_equal(again.directed, confidence.directed)
    np.testing.assert_array_equal(again.undirected, confidence.undirected)
    assert (again.names, again.orient, again.n_cases, again.exact) == (confidence.names, "cpdag", 100, True)


def test_edited_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    confidence_of([[], [], [0, 1]]).save(path)
    frame, facts = read_parquet(path)
    for edit, message in [
        (frame.drop(columns="forward"), "'forward' is missing"),
        (frame.iloc[1:], "1 pairs are missing"),
        (frame.assign(forward=0.9, backward=0.9), "not probabilities"),
        (frame.assign(first="zzz"), "unknown or listed twice"),
    ]:
        write_parquet(edit, path, facts=facts)
        with pytest.raises(FormatError, match=message):
            EdgeConfidence.load(path)
    for fact in ("n_cases", "n_networks", "completions"):
        write_parquet(frame, path, facts={**facts, fact: -5})
        with pytest.raises(FormatError, match=f"the fact '{fact}' of the confidences is missing or wrong"):
            EdgeConfidence.load(path)
    write_parquet(pd.DataFrame({"a": [1]}), path)
    with pytest.raises(FormatError, match="not one of edge confidences"):
        EdgeConfidence.load(path)
    with pytest.raises(FormatError, match="must end in"):
        confidence_of([[], [], []]).save(tmp_path / "c.txt")
    confidence_of([[], [], []]).save(tmp_path / "c.csv")
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 4


def test_half_of_the_weights_is_not_above_one_half() -> None:
    joined, apart = Dag(["a", "b"], [[], [0]]), Dag(["a", "b"], [[], []])
    for half in (3, 96, 1001):
        networks = NetworkSet.from_dags([joined, apart] * half, origin="credible")
        assert edge_confidence(networks).present[0, 1] == 0.5

"""What people guess works: the names that pandas and other libraries taught them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from arcwise.confidence import edge_confidence
from arcwise.data import Dataset, Table
from arcwise.ensemble import bootstrap_networks, count_credible, exact_posterior
from arcwise.errors import DataError, GraphError, OptionError
from arcwise.graph import Dag, Pdag
from arcwise.model import BayesianNetwork, fit_parameters
from arcwise.parent_sets import build_parent_sets

DAG = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("c", "b")])
DATA = Dataset.from_codes(
    np.array([[0, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]]),
    names=["a", "b", "c"],
    states=[["no", "yes"]] * 3,
)


def test_a_data_set_is_asked_like_a_frame() -> None:
    assert len(DATA) == 6
    assert DATA.shape == DATA.to_dataframe().shape == (6, 3)
    pd.testing.assert_series_equal(DATA["b"], DATA.to_dataframe()["b"])
    assert list(DATA) == ["a", "b", "c"]
    assert "b" in DATA and "d" not in DATA
    with pytest.raises(DataError, match="unknown variable 'd'"):
        DATA["d"]
    table = Table.from_dataframe(DATA.to_dataframe())
    assert len(table) == 6 and table.shape == (6, 3)


def test_relatives_by_position_and_by_name() -> None:
    assert DAG.parents == ((), (0, 2), ())
    assert DAG.parents[1] == (0, 2)
    assert DAG.parents("b") == ("a", "c")
    assert DAG.children("a") == ("b",)
    assert DAG.parents(1) == ("a", "c")
    assert DAG.edges == DAG.arcs == (("a", "b"), ("c", "b"))
    with pytest.raises(GraphError, match="unknown node 'd'"):
        DAG.parents("d")
    copy = pickle.loads(pickle.dumps(DAG.parents))
    assert copy == DAG.parents and copy("b") == ("a", "c")
    mixed = Pdag(["a", "b", "c"], [(), (0,), ()], [(), (2,), (1,)])
    assert mixed.parents("b") == ("a",)
    assert mixed.neighbours("b") == ("c",)


def test_a_table_of_a_network_has_labels() -> None:
    network = fit_parameters(DAG, DATA, ess=1)
    frame = network.cpt("b")
    assert list(frame.columns) == ["no", "yes"] and frame.columns.name == "b"
    assert frame.index.names == ["a", "c"]
    assert frame.loc[("yes", "no"), "yes"] == network.table("b")[1, 0, 1]
    np.testing.assert_allclose(frame.sum(axis=1), 1)
    root = network.cpt("a")
    assert root.shape == (1, 2)
    one = fit_parameters(Dag.from_arcs(["a", "b", "c"], [("a", "b")]), DATA).cpt("b")
    assert one.index.name == "a" and list(one.index) == ["no", "yes"]
    frame.iloc[0, 0] = 9.0  # a copy: the network stays as it is
    assert network.table("b").max() <= 1


def test_a_query_takes_a_name_and_the_evidence() -> None:
    network: BayesianNetwork = fit_parameters(DAG, DATA, ess=1)
    found = network.query("b", {"a": "yes"})
    assert found["yes"] == network.query(["b"], evidence={"a": "yes"})["yes"]
    frame = network.query(["b", "a"]).to_frame()
    assert list(frame.columns) == ["b", "a", "probability"]
    assert len(frame) == 4
    assert frame["probability"].sum() == pytest.approx(1)


def test_a_confidence_is_asked_by_the_pair() -> None:
    confidence = edge_confidence(bootstrap_networks(DATA, replicates=10, seed=1))
    assert confidence["a", "b"] == confidence["b", "a"] == confidence.pair("a", "b").present
    with pytest.raises(OptionError, match="two variables"):
        confidence["a"]
    with pytest.raises(OptionError, match="unknown variable 'd'"):
        confidence["a", "d"]


def test_sets_and_posteriors_as_frames() -> None:
    networks = bootstrap_networks(DATA, replicates=12, seed=1)
    frame = networks.to_frame()
    assert list(frame.columns) == ["score", "weight", "arcs", "network"]
    assert frame["weight"].sum() == pytest.approx(1)
    for row, dag in zip(frame.itertuples(), networks, strict=True):
        assert row.arcs == dag.n_arcs
        families = [f"[{n}|{','.join(dag.parents(n))}]" if dag.parents(n) else f"[{n}]" for n in dag.names]
        assert row.network == "".join(families)
    assert networks[:0].to_frame().empty
    table = build_parent_sets(DATA, "bdeu", slack=float("inf"))
    posterior = exact_posterior(table)
    summary = count_credible(table, bayes_factor=1000.0)
    for found in (posterior, summary):
        arcs = found.to_frame()
        matrix = found.arc_probabilities()
        assert len(arcs) == int((matrix > 0).sum())
        assert arcs["probability"].is_monotonic_decreasing
        first = arcs.iloc[0]
        at = [found.names.index(first["from"]), found.names.index(first["to"])]
        assert first["probability"] == matrix[at[0], at[1]]

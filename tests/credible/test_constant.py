"""Variables that never vary get no arc: the data say nothing about them, whatever states are declared."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arcwise.confidence import edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import bootstrap_networks, find_credible
from arcwise.errors import DataWarning
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag
from arcwise.local import first_ascent, genetic_search, hill_climb, tabu_search
from arcwise.parent_sets import build_parent_sets


@pytest.fixture(scope="module")
def data() -> Dataset:
    rng = np.random.default_rng(0)
    codes = np.zeros((100, 4), dtype=int)
    codes[:, 2] = rng.integers(0, 2, 100)
    codes[:, 3] = np.where(rng.random(100) < 0.9, codes[:, 2], 1 - codes[:, 2])
    states = [list("xyz"), list("xyz"), list("01"), list("01")]
    return Dataset.from_codes(codes, names=["a", "b", "c", "d"], states=states)


def test_which_variables_never_vary(data: Dataset) -> None:
    assert data.constant.tolist() == [True, True, False, False]
    weights = np.zeros(100, dtype=np.int64)
    weights[:1] = 7
    weighted = Dataset(data.codes, data.names, data.states, weights)
    assert weighted.constant.all()


@pytest.mark.parametrize("score", ["bdeu:ess=1", "bdeu:ess=10", "k2", "qnml", "bic"])
def test_no_network_joins_them(data: Dataset, score: str) -> None:
    """BDeu joined a and b with a confidence of 1 by the bootstrap and of 0.99 by the credible set."""
    apart = {"a", "b"}
    table = build_parent_sets(data, score, slack=math.log(20), progress=False)
    assert all(not {0, 1} & set(table.parents_of(row)) for row in range(table.n_rows))
    assert len(table.rows_of(0)) == len(table.rows_of(1)) == 1
    credible = edge_confidence(find_credible(table, bayes_factor=20, progress=False))
    sampled = edge_confidence(bootstrap_networks(data, score=score, seed=1, replicates=10, progress=False))
    for confidence in (credible, sampled):
        assert not confidence.present[:2].any()
        assert confidence.present[2, 3] > 0.9
    start = Dag.from_arcs(data.names, [("a", "b"), ("b", "c")])
    for found in (
        hill_climb(data, score=score, progress=False),
        hill_climb(data, score=score, start=start, progress=False),
        tabu_search(data, score=score, seed=1, progress=False),
        first_ascent(data, score=score, seed=1, progress=False),
        genetic_search(data, score=score, seed=1, progress=False),
        find_optimal(table, progress=False),
    ):
        assert not any(apart & set(arc) for arc in found.dag.arcs)
        assert found.dag.n_arcs == 1


def test_a_required_arc_stays(data: Dataset) -> None:
    rules = Constraints(data.names, required=[("a", "b")])
    assert hill_climb(data, score="bdeu", constraints=rules, progress=False).dag.arcs.count(("a", "b")) == 1
    table = build_parent_sets(data, "bdeu", constraints=rules, progress=False)
    assert find_optimal(table, constraints=rules, progress=False).dag.arcs.count(("a", "b")) == 1


def test_the_user_is_told(data: Dataset) -> None:
    with pytest.warns(DataWarning, match="2 of 4 columns show one of their declared states in all rows: 'a', 'b'"):
        Dataset.from_dataframe(data.to_dataframe())


def test_who_gives_the_states_is_not_told(data: Dataset) -> None:
    """The rows of one fold need not show what the whole data do; warnings are errors here."""
    frame = data.to_dataframe()
    given = dict(zip(data.names, data.states, strict=True))
    assert Dataset.from_dataframe(frame, states=given).constant.tolist() == [True, True, False, False]
    assert Dataset.from_dataframe(frame.astype(str), states=given).states == data.states
    with pytest.warns(DataWarning, match="1 of 4 columns show one of their declared states in all rows: 'b'"):
        Dataset.from_dataframe(frame, states={"a": data.states[0]})

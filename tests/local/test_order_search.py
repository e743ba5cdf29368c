from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.bnlearn_samples import read_sample

from arcwise.errors import ConstraintError, OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints
from arcwise.local import hill_climb, order_search
from arcwise.parent_sets import ParentSetTable, build_parent_sets


@st.composite
def tables(draw: st.DrawFn) -> ParentSetTable:
    """Random sets with random scores; every variable has the empty set."""
    n = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        subsets = [c for k in range(1, n) for c in itertools.combinations(others, k) if rng.random() < 0.4]
        entries.append([(float(rng.normal(3, 2)), subset) for subset in subsets] + [(0.0, ())])
    return ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries)


def best_of_orders(table: ParentSetTable) -> float:
    return max(
        sum(
            max(
                float(table.scores[row])
                for row in table.rows_of(v)
                if set(table.parents_of(row)) <= set(order[:position])
            )
            for position, v in enumerate(order)
        )
        for order in itertools.permutations(range(table.n_variables))
    )


@settings(max_examples=40)
@given(tables(), st.integers(0, 2**32))
def test_small_tables_are_solved(table: ParentSetTable, seed: int) -> None:
    found = order_search(table, seed=seed)
    assert found.score == pytest.approx(best_of_orders(table))
    assert found.method == "order"


def test_a_given_order_is_where_the_search_starts() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(1.0, [1]), (0.0, [])], [(0.0, [])]])
    assert order_search(table, start=["b", "a"], iterations=1).dag.arcs == (("b", "a"),)
    with pytest.raises(OptionError, match="every variable once"):
        order_search(table, start=["a"])


def test_an_impossible_table_is_told() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(1.0, [1])], [(0.0, [0])]])
    with pytest.raises(ConstraintError, match="no order was found"):
        order_search(table, seed=1)
    with pytest.raises(ConstraintError, match="no parent set of"):
        order_search(table, constraints=Constraints(["a", "b"], forbidden=[("a", "b")]))


def test_it_reaches_the_optimum_where_hill_climbing_is_far_below() -> None:
    data, _ = read_sample("insurance")
    table = build_parent_sets(data, "bic")
    found = order_search(table, seed=1)
    assert found.score == pytest.approx(find_optimal(table).score, abs=1e-6)
    assert found.score > hill_climb(data, score="bic", refine=0).score + 100
    assert list(found.history) == sorted(found.history)

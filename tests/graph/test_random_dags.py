from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from arcwise.errors import GraphError, OptionError
from arcwise.graph import Dag, all_dags, all_parent_masks, bounded_degree_dag, count_dags, sparse_dag, uniform_dag
from arcwise.graph.nodes import integer_below, pick_by_weight
from arcwise.graph.random_dags import _sources


def assert_uniform(counts: Counter[Dag], outcomes: set[Dag]) -> None:
    """Pearson's chi-square: within four standard deviations of its mean."""
    assert set(counts) <= outcomes
    expected = counts.total() / len(outcomes)
    chi_square = sum((counts[outcome] - expected) ** 2 / expected for outcome in outcomes)
    freedom = len(outcomes) - 1
    assert abs(chi_square - freedom) < 4 * math.sqrt(2 * freedom)


def test_numbers_of_dags_of_oeis_a003024() -> None:
    assert [count_dags(n) for n in range(8)] == [1, 1, 3, 25, 543, 29281, 3781503, 1138779265]
    assert all(sum(_sources(n)) == count_dags(n) for n in range(1, 60))  # two different recursions


@pytest.mark.parametrize(("n", "draws"), [(2, 3000), (3, 5000), (4, 25000)])
def test_uniform_dags_are_uniform(n: int, draws: int) -> None:
    rng = np.random.default_rng(n)
    assert_uniform(Counter(uniform_dag("abcd"[:n], rng) for _ in range(draws)), set(all_dags("abcd"[:n])))


def test_uniform_dags_beyond_the_exact_table() -> None:
    rng = np.random.default_rng(3)
    dags = [uniform_dag(150, rng) for _ in range(20)]
    arcs = np.mean([dag.n_arcs for dag in dags])
    assert abs(arcs / (150 * 149 / 4) - 1) < 0.03  # asymptotically half of all pairs are joined
    sources = np.mean([sum(not ps for ps in dag.parents) for dag in dags])
    shares = [count / count_dags(60) for count in _sources(60)]
    assert abs(sources - sum(k * share for k, share in enumerate(shares, start=1))) < 0.5


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_numbers_of_dags_by_sources(n: int) -> None:
    counts = Counter(masks.count(0) for masks in all_parent_masks(n))
    assert _sources(n) == tuple(counts[k] for k in range(1, n + 1))


def test_shares_of_sources_have_converged() -> None:
    here, beyond = _sources(100), _sources(110)
    totals = count_dags(100), count_dags(110)
    for k in range(1, 20):
        assert abs(Fraction(here[k - 1], totals[0]) - Fraction(beyond[k - 1], totals[1])) < Fraction(1, 2**170)


def test_seeds_repeat() -> None:
    for draw in (uniform_dag, sparse_dag, bounded_degree_dag):
        assert draw(12, np.random.default_rng(1)) == draw(12, np.random.default_rng(1))
        assert draw(12, np.random.default_rng(1)) != draw(12, np.random.default_rng(2))
        options = {"mean_parents": 0} if draw is sparse_dag else {}
        assert draw(0, np.random.default_rng(1), **options).n_nodes == 0
        assert draw(1, np.random.default_rng(1), **options).names == ("X0",)
        with pytest.raises(GraphError, match="cannot have -1 nodes"):
            draw(-1, np.random.default_rng(1))


def connected(names: str, max_degree: int, max_parents: int, max_arcs: int) -> set[Dag]:
    return {
        dag
        for dag in all_dags(names)
        if nx.is_weakly_connected(dag.to_networkx())
        and dag.n_arcs <= max_arcs
        and all(
            len(ps) <= max_parents and len(ps) + len(cs) <= max_degree
            for ps, cs in zip(dag.parents, dag.children, strict=True)
        )
    }


@pytest.mark.parametrize(
    ("names", "max_degree", "max_parents", "max_arcs"),
    [("ab", 1, 9, 9), ("abc", 6, 9, 9), ("abcd", 2, 9, 9), ("abcd", 3, 1, 9), ("abcd", 3, 9, 3), ("abcd", 6, 2, 5)],
)
def test_bounded_degree_dags_are_uniform(names: str, max_degree: int, max_parents: int, max_arcs: int) -> None:
    outcomes = connected(names, max_degree, max_parents, max_arcs)
    rng = np.random.default_rng(0)
    limits = {"max_degree": max_degree, "max_parents": max_parents, "max_arcs": max_arcs}
    counts = Counter(bounded_degree_dag(names, rng, steps=200, **limits) for _ in range(20 * len(outcomes)))
    assert_uniform(counts, outcomes)


def test_scanagatta_section_4_networks() -> None:
    dag = bounded_degree_dag(50, np.random.default_rng(7), max_parents=4)
    assert nx.is_weakly_connected(dag.to_networkx())
    assert max(len(ps) + len(cs) for ps, cs in zip(dag.parents, dag.children, strict=True)) == 6
    assert max(map(len, dag.parents)) <= 4


def test_sparse_dags_have_the_mean_asked_for() -> None:
    rng = np.random.default_rng(0)
    arcs = np.mean([sparse_dag(200, rng, mean_parents=1.5).n_arcs for _ in range(30)])
    assert abs(arcs - 300) < 4 * math.sqrt(300 / 30)
    assert sparse_dag(6, rng, mean_parents=2.5).n_arcs == 15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_degree": 1}, "degree of at least 2"),
        ({"max_parents": 0}, "at least one parent"),
        ({"max_arcs": 3}, "at least 4 arcs"),
        ({"steps": -1}, "negative"),
    ],
)
def test_impossible_limits_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bounded_degree_dag(5, np.random.default_rng(0), **options)
    with pytest.raises(OptionError, match="mean_parents=3"):
        sparse_dag(5, np.random.default_rng(0), mean_parents=3)


def test_big_integers() -> None:
    rng = np.random.default_rng(0)
    values = [integer_below(3 * 2**200, rng) for _ in range(3000)]
    assert min(values) >= 0
    assert max(values) < 3 * 2**200
    assert abs(sum(v >= 2**201 for v in values) - 1000) < 110
    assert integer_below(1, rng) == 0
    picks = Counter(pick_by_weight([2**100, 0, 3 * 2**100], rng) for _ in range(4000))
    assert abs(picks[0] - 1000) < 110
    assert picks[1] == 0

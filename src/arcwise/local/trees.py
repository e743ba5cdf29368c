"""Networks of a fixed shape that others are measured by: naive Bayes, tree-augmented naive Bayes, Chow and Liu's tree.

For an equivalent score the gain of an edge, s(j | i) - s(j), is the same in both directions: i -> j and j -> i are one
class. The best network among trees is then a maximum spanning tree of these gains (Chow and Liu 1968, for the
likelihood, where the gain is N times the mutual information), and an edge without a gain is left out: scores that
weigh parameters make a forest. Given a class variable C that is a parent of all others, the gain of an edge is
s(j | i, C) - s(j | C), which is symmetric for the same reason (Friedman, Geiger and Goldszmidt 1997, section 4).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, check_argument
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.local.problem import LocalSearchResult
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score


def naive_bayes(data: Dataset, target: str, score: str | Score = "bic") -> LocalSearchResult:
    """Return naive Bayes: the target is the only parent of every other variable.

    Nothing is searched; the score is that of the network.

    Examples
    --------
    >>> from arcwise import datasets
    >>> naive_bayes(datasets.load("iris"), "species").dag.children_of("species")
    ('sepal-length', 'sepal-width', 'petal-length', 'petal-width')
    """
    begin = time.perf_counter()
    c = data.index(target)
    parents = [[] if v == c else [c] for v in range(data.n_variables)]
    return _result(data, make_score(score), "naive-bayes", parents, 0, begin)


def tree_augmented(data: Dataset, target: str, score: str | Score = "ll") -> LocalSearchResult:
    """Return tree-augmented naive Bayes, TAN: the best tree over the other variables, all of them below the target.

    The score is an equivalent one. The likelihood, "ll", gives the tree of Friedman, Geiger and Goldszmidt; a score
    that weighs parameters, such as "bic", leaves out edges that do not pay.

    Examples
    --------
    >>> from arcwise import datasets
    >>> len(tree_augmented(datasets.load("iris"), "species").dag.arcs)  # 4 from the species, 3 of the tree
    7
    """
    c = data.index(target)
    return _tree(data, make_score(score), "tan", [v for v in range(data.n_variables) if v != c], [c])


def chow_liu(data: Dataset, score: str | Score = "ll") -> LocalSearchResult:
    """Return the best network in which every variable has at most one parent: the tree of Chow and Liu.

    The score is an equivalent one. The likelihood, "ll", gives a tree; a score that weighs parameters, such as "bic", a
    forest of the edges that pay.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = chow_liu(datasets.load("iris"))
    >>> len(found.dag.arcs), max(map(len, found.dag.parents))
    (4, 1)
    """
    return _tree(data, make_score(score), "chow-liu", list(range(data.n_variables)), [])


def spanning_forest(gains: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return a forest of the largest sum of gains: edges (i, j), i < j, whose gain is above 0 (Kruskal's algorithm).

    Of edges with the same gain the first in the order of (i, j) is tried first.

    >>> spanning_forest(np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0.0]]))
    [(0, 1), (0, 2)]
    """
    n = len(gains)
    pairs = sorted(itertools.combinations(range(n), 2), key=lambda pair: (-gains[pair], pair))
    tree = np.arange(n)  # which each node is in
    edges = []
    for i, j in pairs:
        if gains[i, j] > 0 and tree[i] != tree[j]:
            tree[tree == tree[j]] = tree[i]
            edges.append((i, j))
    return edges


def _tree(data: Dataset, score: Score, method: str, nodes: list[int], above: list[int]) -> LocalSearchResult:
    begin = time.perf_counter()
    _check(data, score, method)
    alone = score.score_families(data, [(v, above) for v in nodes])
    pairs = list(itertools.combinations(range(len(nodes)), 2))
    joined = score.score_families(data, [(nodes[j], [nodes[i], *above]) for i, j in pairs])
    gains = np.zeros((len(nodes), len(nodes)))
    for (i, j), value in zip(pairs, joined, strict=True):
        gains[i, j] = gains[j, i] = value - alone[j]
    parents: list[list[int]] = [[] for _ in range(data.n_variables)]
    for v in nodes:
        parents[v] = list(above)
    for i, j in _from_roots(len(nodes), spanning_forest(gains)):
        parents[nodes[j]] = sorted([nodes[i], *above])
    return _result(data, score, method, parents, len(pairs) + len(nodes), begin)


def _from_roots(n: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Direct the edges of a forest away from the first node of each of its trees."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    arcs: list[tuple[int, int]] = []
    left = set(range(n))
    for root in range(n):
        waiting = [root] if root in left else []
        while waiting:
            v = waiting.pop()
            left.remove(v)
            below = [child for child in neighbours[v] if child in left]
            arcs += [(v, child) for child in below]
            waiting += below
    return arcs


def _check(data: Dataset, score: Score, method: str) -> None:
    rule = (
        f"gives equivalent networks different scores, so that an edge of {method} has no gain of its own; use one that "
        "does not, such as ll, bic or bdeu."
    )
    check_argument(score.facts.equivalent, "score", score.name, rule)
    if data.targets is not None:
        raise OptionError(
            f"{method} is for observations alone: with experiments the gain of an edge depends on its direction. Use "
            "hill_climb."
        )


def _result(
    data: Dataset, score: Score, method: str, parents: list[list[int]], families: int, begin: float
) -> LocalSearchResult:
    dag = Dag(data.names, parents)
    value = score.score_network(data, dag)
    return LocalSearchResult(
        dag=dag,
        score=value,
        method=method,
        scored_by=score.describe(),
        history=np.array([value]),
        iterations=len(dag.arcs),
        operations=families,
        families_scored=families + data.n_variables,
        seconds=time.perf_counter() - begin,
    )

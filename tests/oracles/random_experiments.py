"""Random data in which variables were set, and interventional equivalence by its definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Dag

Key = tuple[object, ...]


def random_experiments(n: int, rng: np.random.Generator, rows: int = 70) -> Dataset:
    """Few cases of a random network with random experiments in it; sometimes a variable is set in all of them."""
    names = list("abcde"[:n])
    patterns = [np.zeros(n, dtype=bool)] if rng.random() < 0.8 else []
    patterns += [rng.random(n) < 0.4 for _ in range(int(rng.integers(1, 4)))]
    patterns[-1][0] = True  # something is set
    if rng.random() < 0.2:
        patterns = [pattern | (np.arange(n) == 1) for pattern in patterns]
    mask = np.array([patterns[k] for k in rng.integers(len(patterns), size=rows)])
    signs = np.triu(rng.choice([-1, 0, 1], size=(n, n)), 1)
    codes = np.zeros((rows, n), dtype=int)
    for v in range(n):
        chance = np.clip(0.5 + 0.35 * ((2 * codes - 1) @ signs[:, v]), 0.05, 0.95)
        codes[:, v] = rng.random(rows) < np.where(mask[:, v], 0.5, chance)
    order = rng.permutation(n)
    return Dataset.from_codes(codes[:, order], names=names, states=[["0", "1"]] * n).with_targets(mask[:, order])


def interventional_class(dag: Dag, targets: Iterable[Sequence[str]]) -> Key:
    """Equal for two networks if and only if they are I-Markov equivalent (Hauser and Buehlmann 2012, Theorem 10).

    They have the same skeleton and v-structures, and for every target the same skeleton without the arcs into it.
    """
    arcs = set(dag.arcs)
    skeleton = frozenset(frozenset(arc) for arc in arcs)
    colliders = frozenset(
        (frozenset((a, b)), c)
        for a, c in arcs
        for b, other in arcs
        if c == other and a < b and frozenset((a, b)) not in skeleton
    )
    cut = tuple(frozenset(frozenset(arc) for arc in arcs if arc[1] not in target) for target in sorted(targets))
    return skeleton, colliders, cut


def class_graphs(dags: Sequence[Dag], everything: Sequence[Dag], targets: Sequence[Sequence[str]]) -> np.ndarray:
    """For each network, the arcs that all members of its class have and the edges that they turn."""
    members: dict[Key, list[np.ndarray]] = {}
    for dag in everything:
        members.setdefault(interventional_class(dag, targets), []).append(np.array(dag.to_adjacency(), dtype=bool))
    graphs = {}
    for key, matrices in members.items():
        shared, any_way = np.all(matrices, axis=0), np.any(matrices, axis=0)
        graphs[key] = np.array([shared, any_way & any_way.T], dtype=float)
    return np.array([graphs[interventional_class(dag, targets)] for dag in dags])

"""Random constraints that some network satisfies, and what is true of the networks that do."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise.errors import ConstraintError
from arcwise.graph import Constraints, Dag


def random_constraints(
    names: Sequence[str], rng: np.random.Generator, *, limits: bool = True, own_limits: bool = True
) -> Constraints:
    """Return tiers, required and forbidden arcs, roots, leaves, a group and limits that agree with one order."""
    order = [str(name) for name in rng.permutation(list(names))]
    place = {name: i for i, name in enumerate(order)}
    tiers: list[list[str]] = []
    if rng.random() < 0.5:
        cuts = sorted(rng.choice(len(order) + 1, size=2).tolist())
        tiers = [order[: cuts[0]], order[cuts[0] : cuts[1]], order[cuts[1] :]]
        free = rng.random(len(order)) < 0.2
        tiers = [[x for x in tier if not free[place[x]]] for tier in tiers]
        tiers = [tier for tier in tiers if tier]
    arcs = list(itertools.permutations(order, 2))
    required = [(a, b) for a, b in arcs if place[a] < place[b] and rng.random() < 0.5 / len(order)]
    forbidden = [arc for arc in arcs if arc not in required and rng.random() < rng.choice([0.05, 0.3])]
    needed = {name: sum(b == name for _, b in required) for name in order}
    most = max(needed.values()) + int(rng.integers(0, 2)) if limits and rng.random() < 0.3 else None
    own = {}
    if limits and own_limits and rng.random() < 0.4:  # above the limit of all, or below it
        own = {x: needed[x] + int(rng.integers(0, 4)) for x in order if rng.random() < 0.4}
    some = [str(name) for name in rng.choice(order, size=min(3, len(order)), replace=False)]
    apart = len(some) > 1 and rng.random() < 0.2 and not any(a in some and b in some for a, b in required)
    return Constraints(
        tuple(names),
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        roots=[x for x in order if not needed[x] and rng.random() < 0.08],
        leaves=[x for x in order if all(a != x for a, _ in required) and rng.random() < 0.08],
        groups=[some] if apart else [],
        max_parents=most,
        max_parents_of=own,
    )


def drawn_constraints(names: Sequence[str], data: st.DataObject) -> Constraints | None:
    """Let Hypothesis draw required and forbidden arcs and a limit; None if they contradict each other."""
    pairs = list(itertools.permutations(names, 2))
    forbidden = data.draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True)) if pairs else []
    required = data.draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True)) if pairs else []
    try:
        return Constraints(
            tuple(names), required=required, forbidden=forbidden, max_parents=data.draw(st.none() | st.integers(0, 3))
        )
    except ConstraintError:
        return None


def markov_class(dag: Dag) -> tuple[frozenset[frozenset[str]], frozenset[tuple[frozenset[str], str]]]:
    """Skeleton and v-structures, straight from the arcs (Liao, Theorem 2.1)."""
    skeleton = frozenset(frozenset(arc) for arc in dag.arcs)
    colliders = frozenset(
        (frozenset((a, b)), c)
        for a, c in dag.arcs
        for b, other in dag.arcs
        if c == other and a != b and frozenset((a, b)) not in skeleton
    )
    return skeleton, colliders


def class_matrices(
    dags: Sequence[Dag], members: Iterable[Dag]
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """For each DAG, the arcs that all `members` of its Markov class have, and the edges that they turn, as matrices.

    `members` are all DAGs that satisfy what is known.
    """
    together: dict[object, list[NDArray[np.float64]]] = defaultdict(list)
    for dag in members:
        together[markov_class(dag)].append(dag.to_adjacency().astype(float))
    directed, undirected = [], []
    for dag in dags:
        group = together[markov_class(dag)]
        shared = np.min(group, axis=0)
        directed.append(shared)
        undirected.append(np.max(group, axis=0) - shared)
    return directed, undirected

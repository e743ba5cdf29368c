"""Shapes and tables of random networks that are not alike: what the world of an analyst may look like.

Shapes are lists of parents over nodes in a random order, so that no column's place tells its depth:

tree          every node but one has one parent, any node before it
polytree      a tree whose edges point either way
lattice       a grid, pointing right and down
small-world   a ring of near neighbours, a fifth of whose edges lead anywhere (Watts and Strogatz 1998)
scale-free    new nodes prefer parents that have many children (Barabasi and Albert 1999)
bipartite     a third of the nodes are causes, the others have one to three of them
chain         every node but one has one parent, the node before it
hubs          one node in eight has children, which have no other parent; every hub but one has an earlier one
modules       groups of four to six nodes, each of which has one to three parents in its group and none elsewhere
layers        three layers, whose nodes have one to three parents in the layer above

Tables (the default, rows of a Dirichlet distribution, is in `random_networks`):

monotone      ordered states: a cumulative logit that rises or falls with the state of every parent
noisy-or      two states: every parent alone may bring the child about
parity        two states: the parity of the parents, or their majority, and some noise: no pair need be dependent
rare          two states, the second in 1 to 7 % of the cases where no parent has it
logistic      a logit of several outcomes, to which every state of every parent adds its own number
copying       a copy of one of the parents, drawn anew for each case, or any state
contexts      rows that agree on all that a random tree of questions asks have the same probabilities
votes         two states: the weighted vote of the parents, and some noise
skewed        one state has most of the cases, also given the parents
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINARY", "SHAPES", "TABLES", "shape_parents"]

Parents = list[list[int]]
Generator = np.random.Generator
REWIRED = 0.2
MOST_PARENTS = 4  # of a node in a small world


def _tree(n: int, rng: Generator) -> Parents:
    return [[], *([int(rng.integers(v))] for v in range(1, n))]


def _polytree(n: int, rng: Generator) -> Parents:
    found: Parents = [[] for _ in range(n)]
    for v in range(1, n):
        other = int(rng.integers(v))
        child, parent = (v, other) if rng.random() < 0.5 or len(found[other]) >= MOST_PARENTS else (other, v)
        found[child].append(parent)
    return found


def _lattice(n: int, rng: Generator) -> Parents:
    width = max(2, math.isqrt(n) + int(rng.integers(-1, 2)))
    left = ([v - 1] if v % width else [] for v in range(n))
    return [[*own, *([v - width] if v >= width else [])] for v, own in enumerate(left)]


def _small_world(n: int, rng: Generator) -> Parents:
    found: Parents = [[] for _ in range(n)]
    for v in range(n):
        for step in (1, 2):
            other = int(rng.integers(n)) if rng.random() < REWIRED else (v + step) % n
            child, parent = max(v, other), min(v, other)
            if parent not in found[child] and child != parent and len(found[child]) < MOST_PARENTS:
                found[child].append(parent)
    return found


def _scale_free(n: int, rng: Generator) -> Parents:
    found: Parents = [[]]
    ends = [0]  # every node as often as it has edges
    for v in range(1, n):
        wanted = 1 + int(rng.random() < 0.5)
        own = sorted({ends[int(rng.integers(len(ends)))] for _ in range(wanted)})
        found.append(own)
        ends += [*own, v]
    return found


def _bipartite(n: int, rng: Generator) -> Parents:
    causes = max(1, n // 3)
    some = (int(rng.integers(1, min(3, causes) + 1)) for _ in range(n - causes))
    return [[] for _ in range(causes)] + [rng.choice(causes, size=k, replace=False).tolist() for k in some]


def _chain(n: int, rng: Generator) -> Parents:
    return [[], *([v - 1] for v in range(1, n))]


def _hubs(n: int, rng: Generator) -> Parents:
    count = max(1, n // 8)
    return [[], *([int(rng.integers(min(v, count)))] for v in range(1, n))]


def _modules(n: int, rng: Generator) -> Parents:
    found: Parents = []
    while len(found) < n:
        start, size = len(found), int(rng.integers(4, 7))
        counts = (min(v, int(rng.integers(1, 4))) for v in range(size))
        own = [(start + rng.choice(v, size=k, replace=False)).tolist() if v else [] for v, k in enumerate(counts)]
        found += own[: n - start]
    return found


def _layers(n: int, rng: Generator) -> Parents:
    size = max(1, n // 3)
    counts = (int(rng.integers(1, min(3, size) + 1)) for _ in range(n - size))
    above = (size * (v // size - 1) for v in range(size, n))
    return [[] for _ in range(size)] + [
        (start + rng.choice(size, size=k, replace=False)).tolist() for start, k in zip(above, counts, strict=True)
    ]


SHAPES: Mapping[str, Callable[[int, Generator], Parents]] = {
    "tree": _tree,
    "polytree": _polytree,
    "lattice": _lattice,
    "small-world": _small_world,
    "scale-free": _scale_free,
    "bipartite": _bipartite,
    "chain": _chain,
    "hubs": _hubs,
    "modules": _modules,
    "layers": _layers,
}


def shape_parents(shape: str, n: int, rng: Generator) -> Parents:
    """Return the parents of every node of a shape, whose nodes are in a random order."""
    found = SHAPES[shape](n, rng)
    place = rng.permutation(n).tolist()
    shuffled: Parents = [[] for _ in range(n)]
    for v, own in enumerate(found):
        shuffled[place[v]] = sorted(place[p] for p in own)
    return shuffled


def _rows(arities: Sequence[int]) -> NDArray[np.int64]:
    """Return the states of the parents in every row of a table, the last parent's changing first."""
    grid = np.indices(tuple(arities)).reshape(len(arities), math.prod(arities))
    return np.asarray(grid.T, dtype=np.int64)


def _monotone(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    weights = rng.uniform(0.8, 2.2, size=len(arities)) * rng.choice([-1, 1], size=len(arities))
    scores = 2 * _rows(arities) / (np.array(arities, dtype=float) - 1) - 1  # each parent's state from -1 to 1
    level = np.linspace(0, 1, states + 1)[1:-1] + rng.uniform(-0.3, 0.3, size=states - 1) / states
    cuts = np.log(level / (1 - level))
    below = 1 / (1 + np.exp(-(cuts[None, :] - (scores @ weights)[:, None])))
    return np.diff(np.column_stack([np.zeros(len(below)), below, np.ones(len(below))]), axis=1)


def _two(second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([1 - second, second])


def _noisy_or(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    if not arities:
        return _two(rng.uniform(0.1, 0.5, size=1))
    leak, fails = rng.uniform(0.01, 0.1), rng.uniform(0.1, 0.6, size=len(arities))
    return _two(1 - (1 - leak) * np.prod(np.where(_rows(arities) > 0, fails, 1.0), axis=1))


def _parity(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    if not arities:
        return _two(rng.uniform(0.3, 0.7, size=1))
    rows, noise = _rows(arities), rng.uniform(0.02, 0.2)
    is_odd = rows.sum(axis=1) % 2 == 1
    wins = rows.mean(axis=1) > 0.5 if rng.random() < 0.5 else is_odd
    return _two(np.where(wins, 1 - noise, noise))


def _rare(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    base = rng.uniform(0.01, 0.07)
    if not arities:
        return _two(np.array([base]))
    odds = math.log(base / (1 - base)) + (_rows(arities) > 0) @ rng.uniform(1.5, 3.5, size=len(arities))
    return _two(1 / (1 + np.exp(-odds)))


def _logistic(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    rows = _rows(arities)
    odds = np.tile(rng.normal(scale=0.5, size=states), (len(rows), 1))
    for parent, arity in enumerate(arities):
        odds += rng.normal(scale=rng.uniform(0.4, 1.4), size=(arity, states))[rows[:, parent]]
    shares = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _copying(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    if not arities:
        return rng.dirichlet(np.full(states, 3.0), size=1)
    rows, strays = _rows(arities), rng.uniform(0.1, 0.7)
    found = np.full((len(rows), states), strays / states)
    for parent in range(len(arities)):
        found[np.arange(len(rows)), rows[:, parent] % states] += (1 - strays) / len(arities)
    return found


def _contexts(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    rows = _rows(arities)
    found = np.empty((len(rows), states))

    def split(own: NDArray[np.int64], asked: frozenset[int]) -> None:
        left = [parent for parent in range(len(arities)) if parent not in asked]
        if not left or (asked and rng.random() < 0.4):
            found[own] = rng.dirichlet(np.full(states, 0.7))
            return
        parent = int(rng.choice(left))
        is_one = rows[own, parent] == rng.integers(arities[parent])
        for part in (own[is_one], own[~is_one]):
            split(part, asked | {parent})

    split(np.arange(len(rows)), frozenset())
    return found


def _votes(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    if not arities:
        return _two(rng.uniform(0.2, 0.8, size=1))
    signs = rng.choice([-1, 1], size=len(arities)) * rng.uniform(0.5, 1.5, size=len(arities))
    votes, noise = (2 * (_rows(arities) > 0) - 1) @ signs, rng.uniform(0.05, 0.3)
    return _two(np.where(votes > 0, 1 - noise, noise))


def _skewed(arities: Sequence[int], states: int, rng: Generator) -> NDArray[np.float64]:
    level = 0.35 ** np.arange(states)
    return rng.dirichlet(4 * level / level.sum(), size=math.prod(arities))


TABLES: Mapping[str, Callable[[Sequence[int], int, Generator], NDArray[np.float64]]] = {
    "monotone": _monotone,
    "noisy-or": _noisy_or,
    "parity": _parity,
    "rare": _rare,
    "logistic": _logistic,
    "copying": _copying,
    "contexts": _contexts,
    "votes": _votes,
    "skewed": _skewed,
}
BINARY = ("noisy-or", "parity", "rare", "votes")

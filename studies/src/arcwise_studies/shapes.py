"""Shapes and tables of random networks that are not alike: what the world of an analyst may look like.

Shapes are lists of parents over nodes in a random order, so that no column's place tells its depth:

tree          every node but one has one parent, any node before it
polytree      a tree whose edges point either way
lattice       a grid, pointing right and down
small-world   a ring of near neighbours, a fifth of whose edges lead anywhere (Watts and Strogatz 1998)
scale-free    new nodes prefer parents that have many children (Barabasi and Albert 1999)
bipartite     a third of the nodes are causes, the others have one to three of them

Tables (the default, rows of a Dirichlet distribution, is in `random_networks`):

monotone      ordered states: a cumulative logit that rises or falls with the state of every parent
noisy-or      two states: every parent alone may bring the child about
parity        two states: the parity of the parents, or their majority, and some noise: no pair need be dependent
rare          two states, the second in 1 to 7 % of the cases where no parent has it
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


SHAPES: Mapping[str, Callable[[int, Generator], Parents]] = {
    "tree": _tree,
    "polytree": _polytree,
    "lattice": _lattice,
    "small-world": _small_world,
    "scale-free": _scale_free,
    "bipartite": _bipartite,
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


TABLES: Mapping[str, Callable[[Sequence[int], int, Generator], NDArray[np.float64]]] = {
    "monotone": _monotone,
    "noisy-or": _noisy_or,
    "parity": _parity,
    "rare": _rare,
}
BINARY = ("noisy-or", "parity", "rare")

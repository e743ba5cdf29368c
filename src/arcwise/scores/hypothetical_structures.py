"""Hypothetical structures (Ueno & Uto 2012): prior networks estimated from the data, one per structure.

A hypothetical structure g^h has the parameters of their eq. (10), theta_jk = (n_jk + 1/(r q)) / (n_j + 1/q). With the
smoothed frequencies f(T) = (n_T + 1/|T|) / (N + 1) of variable sets, theta is f(S) / f(P), and the joint distribution
of g^h is a product of quotients f(S_i) / f(P_i). Markov equivalent structures have the same joint distribution: an
average over all 29,281 DAGs of five variables is one over 8,782 classes, weighted by their sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.graph import all_parent_masks, class_keys_from_masks, uniform_dag

__all__ = ["all_structures", "every_structure", "local_joints", "marginals", "sampled_structures", "smoothed_joints"]

Masks = NDArray[np.uint64]
"""Structures, shape (structures, variables): bit p of entry v is set if p is a parent of v."""


def every_structure(variables: int) -> Masks:
    """Return every DAG."""
    return np.array(list(all_parent_masks(variables)), dtype=np.uint64)


@lru_cache(maxsize=8)
def all_structures(variables: int) -> tuple[Masks, NDArray[np.float64]]:
    """Return one DAG of each equivalence class as parent masks, and the class sizes as weights."""
    masks = every_structure(variables)
    keys = class_keys_from_masks(masks, progress=False)
    _, first, sizes = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return masks[first], sizes / sizes.sum()


@lru_cache(maxsize=8)
def sampled_structures(variables: int, size: int, seed: int) -> Masks:
    """Draw DAGs uniformly, as parent masks."""
    rng = np.random.default_rng(seed)
    dags = (uniform_dag(variables, rng) for _ in range(size))
    return np.array([[sum(1 << p for p in parents) for parents in dag.parents] for dag in dags], dtype=np.uint64)


def smoothed_joints(data: Dataset, masks: Masks) -> NDArray[np.float64]:
    """Return the joint distribution of each structure, one row each, with the parameters of eq. (10).

    By logarithms: each row is the sum of log f(S_i) - log f(P_i), so a block of rows is a matrix of coefficients
    (structures x variable sets) times a matrix of logarithms (variable sets x cells).
    """
    n = data.n_variables
    shape = tuple(data.arities.tolist())
    cells = math.prod(shape)
    joints = np.empty((len(masks), cells))
    block = max(1, 2**23 // (2 * n * cells))
    own = np.uint64(1) << np.arange(n, dtype=np.uint64)
    for start in range(0, len(masks), block):
        parents = masks[start : start + block]
        sets, place = np.unique(np.concatenate([parents | own, parents], axis=1), return_inverse=True)
        place = place.reshape(len(parents), 2 * n)
        logs = np.stack([_log_smoothed(data, int(mask), shape).ravel() for mask in sets])
        coefficients = np.zeros((len(parents), len(sets)))
        rows = np.arange(len(parents))
        for v in range(n):
            np.add.at(coefficients, (rows, place[:, v]), 1.0)
            np.add.at(coefficients, (rows, place[:, n + v]), -1.0)
        joints[start : start + block] = np.exp(coefficients @ logs)
    return joints


def _log_smoothed(data: Dataset, mask: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return log f(T) for a variable set, spread over the cells of all variables."""
    members = [v for v in range(data.n_variables) if mask >> v & 1]
    counts = contingency(data, members)
    logs = np.log((counts + 1 / counts.size) / (data.n_cases + 1))
    spread = [shape[v] if mask >> v & 1 else 1 for v in range(data.n_variables)]
    return np.broadcast_to(logs.reshape(spread), shape)


def marginals(joints: NDArray[np.float64], data: Dataset, variables: Sequence[int]) -> NDArray[np.float64]:
    """Return the marginals of some variables from joint distributions over all, one row each, first varying slowest."""
    table = joints.reshape(len(joints), *data.arities.tolist())
    others = tuple(v + 1 for v in range(data.n_variables) if v not in variables)
    kept = sorted(variables)
    ordered = np.transpose(table.sum(axis=others), [0, *(1 + kept.index(v) for v in variables)])
    return ordered.reshape(len(joints), -1)


def local_joints(data: Dataset, child: int, parents: Sequence[int], largest: int) -> NDArray[np.float64]:
    """Return p(P = j, x_i = k) under each hypothetical parent set H of the child, one row each.

    The hypothetical distribution is that of the structure in which P + H is complete and the child has the parents H:
    f(P + H) theta(child | H), with what is not in the family summed out. Readable rather than fast: dense tables.
    """
    others = [v for v in range(data.n_variables) if v != child]
    rows = []
    for size in range(largest + 1):
        for hypothesis in itertools.combinations(others, size):
            union = sorted({*parents, *hypothesis})
            counts = contingency(data, union)
            frequencies = (counts + 1 / counts.size) / (data.n_cases + 1)
            with_child = contingency(data, [*hypothesis, child])
            above, below = with_child + 1 / with_child.size, contingency(data, hypothesis)
            theta = above / (below + 1 / below.size)[..., None]
            # Axes: the union's variables, then the child.
            spread = [int(data.arities[v]) if v in hypothesis else 1 for v in union]
            joint = frequencies[..., None] * theta.reshape(*spread, -1)
            summed = tuple(axis for axis, v in enumerate(union) if v not in parents)
            rows.append(joint.sum(axis=summed).ravel())
    return np.stack(rows)

"""Entropies of a joint distribution that is written out: the readable twin of `_core.exact.Information`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def joint_of(
    tables: list[NDArray[np.float64]], parents: list[tuple[int, ...]], arities: list[int]
) -> NDArray[np.float64]:
    """The joint distribution of a network: `tables[v]` has one axis per parent, ascending, and one for v."""
    joint = np.ones(arities)
    for v, table in enumerate(tables):
        axes = (*parents[v], v)
        shape = [arities[u] if u in axes else 1 for u in range(len(arities))]
        joint = joint * table.transpose(np.argsort(axes)).reshape(shape)
    return joint


def entropy(joint: NDArray[np.float64], variables: Iterable[int]) -> float:
    """The entropy of some of the variables."""
    rest = tuple(set(range(joint.ndim)) - set(variables))
    marginal = joint.sum(axis=rest).ravel()
    return float(-sum(p * np.log(p) for p in marginal.tolist() if p > 0))


def told(joint: NDArray[np.float64], v: int, parents: Iterable[int]) -> float:
    """What parents tell about v: their mutual information."""
    known = set(parents)
    return entropy(joint, {v}) + entropy(joint, known) - entropy(joint, known | {v})


def total_correlation(joint: NDArray[np.float64], variables: Iterable[int]) -> float:
    """The sum of the entropies, less the entropy of all."""
    chosen = set(variables)
    return sum(entropy(joint, {v}) for v in chosen) - entropy(joint, chosen)

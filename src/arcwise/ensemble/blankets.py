"""Markov blankets over a set of networks: how probable it is that one variable is in another's, and which are whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.network_set import NetworkSet

__all__ = ["blanket_shares", "blankets_of"]


def blankets_of(networks: NetworkSet, variable: int) -> NDArray[np.bool_]:
    """Return, for each network, which variables are in the Markov blanket of one: [network, variable]."""
    families, n = networks.families, len(networks.names)
    masks = families.masks[networks.choices.astype(np.int64) + families.node_offsets[:-1]]
    word, bit = variable // 64, np.uint64(variable % 64)
    found = masks[:, variable].copy()
    for child in range(n):
        has = ((masks[:, child, word] >> bit) & np.uint64(1)) != 0
        own = masks[:, child].copy()
        own[:, child // 64] |= np.uint64(1) << np.uint64(child % 64)
        found |= np.where(has[:, None], own, np.uint64(0))
    at, shift = np.arange(n) // 64, (np.arange(n) % 64).astype(np.uint64)
    inside = ((found[:, at] >> shift) & np.uint64(1)) != 0
    inside[:, variable] = False
    return np.asarray(inside)


def blanket_shares(
    networks: NetworkSet, variable: int
) -> tuple[NDArray[np.float64], list[tuple[tuple[str, ...], float]]]:
    """Return the weight of the networks with each variable in the blanket of one, and the whole blankets by weight."""
    inside = blankets_of(networks, variable)
    shares = networks.weights @ inside
    kinds, inverse = np.unique(inside, axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), weights=networks.weights)
    order = np.argsort(-weights.round(12), kind="stable")
    names = networks.names
    whole = [(tuple(names[v] for v in np.flatnonzero(kinds[k])), float(weights[k])) for k in order.tolist()]
    return np.minimum(shares, 1.0), whole

"""Sets of node positions as Python integers, bit v for node v: any number of nodes, set algebra at machine speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["bits", "bitset", "components", "first_bit", "to_words"]


def bitset(members: Iterable[int]) -> int:
    """Return the set of the given positions.

    >>> bitset([0, 2])
    5
    """
    mask = 0
    for v in members:
        mask |= 1 << v
    return mask


def bits(mask: int) -> Iterator[int]:
    """Yield the positions in a set, ascending.

    >>> list(bits(5))
    [0, 2]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def first_bit(mask: int) -> int:
    """Return the smallest position in a set that is not empty."""
    return (mask & -mask).bit_length() - 1


def components(neighbours: Sequence[int], within: int) -> Iterator[int]:
    """Yield the connected components of an undirected graph, restricted to the set `within`."""
    while within:
        component = frontier = within & -within
        while frontier:
            reached = 0
            for v in bits(frontier):
                reached |= neighbours[v]
            frontier = reached & within & ~component
            component |= frontier
        yield component
        within &= ~component


def to_words(masks: Sequence[int], n_nodes: int) -> NDArray[np.uint64]:
    """Return sets as the native core takes them: one row per set, 64 positions per word, lowest first."""
    n_words = max(1, -(-n_nodes // 64))
    raw = b"".join(mask.to_bytes(8 * n_words, "little") for mask in masks)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(len(masks), n_words)

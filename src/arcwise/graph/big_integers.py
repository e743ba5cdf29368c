"""Exact random choices with integers of any size: counts of graphs do not fit into a machine word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["integer_below", "pick_by_weight"]


def integer_below(bound: int, rng: np.random.Generator) -> int:
    """Return an integer from 0 to bound - 1, each with the same probability: random bits until one is in range."""
    n_bits = (bound - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:
        value = int.from_bytes(rng.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if value < bound:
            return value


def pick_by_weight(weights: Sequence[int], rng: np.random.Generator) -> int:
    """Return a position with probability proportional to its weight, exactly."""
    rest = integer_below(sum(weights), rng)
    for position, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return position
    raise AssertionError("unreachable: the weights sum to more than the value drawn")

"""One seed in, one number for the native core out."""

from __future__ import annotations

import operator

import numpy as np

from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["Seed", "generator_of", "native_seed", "resolve_seed"]

Seed = int | np.random.Generator | None
"""What fixes random numbers: an integer >= 0, a numpy generator, or None for fresh ones."""


def resolve_seed(seed: Seed) -> int:
    """Return the seed to use and to record: the given one, one number drawn from a generator, or a fresh one."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise OptionError(
            Argument("seed", seed), "must be an integer >= 0, a numpy.random.Generator, or None for a fresh seed."
        )
    return number


def generator_of(seed: Seed) -> np.random.Generator:
    """Return the generator itself, which goes on where it is, or a new one of the given or a fresh seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(resolve_seed(seed))


def native_seed(seed: int, purpose: int = 0) -> int:
    """Return 64 well-mixed bits for the core; seeds of any size, and purposes, give different streams."""
    return int(np.random.SeedSequence(seed).generate_state(purpose + 1, np.uint64)[purpose])

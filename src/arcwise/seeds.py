"""One seed in, one number for the native core out."""

from __future__ import annotations

import operator

import numpy as np

from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["native_seed", "resolve_seed"]


def resolve_seed(seed: int | np.random.Generator | None, rng: np.random.Generator | None = None) -> int:
    """Return the seed to use and to record: the given one, one drawn from `rng`, or a fresh one.

    Parameters
    ----------
    seed
        An integer >= 0, or None.
    rng
        A numpy generator, from which one number is drawn, or None. At most one of the two may be given.
    """
    if isinstance(seed, np.random.Generator):
        seed, rng = None, seed
    if seed is not None and rng is not None:
        raise OptionError("give seed or rng, not both: each fixes the random numbers.")
    if rng is not None:
        if not isinstance(rng, np.random.Generator):
            raise OptionError(f"rng must be a numpy generator, e.g. numpy.random.default_rng(1), not {rng!r}.")
        return int(rng.integers(0, 2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise OptionError(Argument("seed", seed), "must be an integer >= 0, or None for a fresh one.")
    return number


def native_seed(seed: int, purpose: int = 0) -> int:
    """Return 64 well-mixed bits for the core; seeds of any size, and purposes, give different streams."""
    return int(np.random.SeedSequence(seed).generate_state(purpose + 1, np.uint64)[purpose])

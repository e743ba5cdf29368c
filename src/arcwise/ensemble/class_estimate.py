"""How many equivalence classes a credible set has, where they are too many to be counted.

A class of m networks, all of them in the set, is drawn uniformly with probability m / count. The mean of 1 / m over
uniform draws is therefore (number of classes) / count: an estimate without bias, whatever the sizes are, and with an
interval, because the draws are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arcwise.ensemble.class_sizes import class_sizes
from arcwise.errors import GuaranteeError, UnfinishedError
from arcwise.limits import Limits
from arcwise.seeds import Seed
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.ensemble.credible_set import CredibleSet

__all__ = ["ClassEstimate", "estimate_classes"]

NORMAL_95 = 1.959964
ROUNDING = 1e-9  # where all classes have the same size, the interval has no width but this


@one_screen
@dataclass(frozen=True, slots=True)
class ClassEstimate:
    """An estimated number of classes, with a 95 % interval.

    Parameters
    ----------
    count
        The estimate.
    low, high
        The ends of the interval, at least 1 and at most the number of networks.
    draws
        How many networks it rests on.
    """

    count: float
    low: float
    high: float
    draws: int


def estimate_classes(
    credible: CredibleSet, *, draws: int = 20_000, seed: Seed = None, limits: Limits | None = None
) -> ClassEstimate:
    """Estimate the number of Markov equivalence classes of a credible set from uniform draws of its networks.

    Parameters
    ----------
    credible
        A complete set that consists of whole classes: a score that gives their members the same value, no limit on
        the parents of single variables.
    draws
        How many networks; the interval shrinks with the root of their number.
    seed
        An integer gives the same estimate each time.
    limits
        See `CredibleSet.sample`.

    Examples
    --------
    >>> import math
    >>> from arcwise import CredibleSet, build_parent_sets, datasets
    >>> table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(20))
    >>> credible = CredibleSet.build(table, bayes_factor=20)
    >>> found = estimate_classes(credible, draws=4000, seed=1)
    >>> found.low < credible.class_count < found.high
    True
    """
    if not credible.has_whole_classes:
        raise GuaranteeError(
            "classes can be estimated only where a set has all members of each: with a score that gives them the same "
            "value, and without constraints."
        )
    networks = credible.sample(draws, weights="equal", seed=seed, limits=limits)
    if networks.count < 2:
        raise UnfinishedError(f"only {networks.count} of {draws:,} networks were drawn ({networks.status}).")
    shares = np.array([1.0 / size for size in class_sizes(networks, credible.fixed)])
    total = credible.count
    mean = float(shares.mean())
    half = NORMAL_95 * float(shares.std(ddof=1)) / math.sqrt(len(shares)) + ROUNDING * mean
    return ClassEstimate(
        count=total * mean,
        low=max(1.0, total * (mean - half)),
        high=min(float(total), total * (mean + half)),
        draws=len(shares),
    )

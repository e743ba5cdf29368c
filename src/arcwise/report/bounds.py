"""What is proved of a best network, in words; numbers are rounded so that they stay bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcwise.exact.optimum import Optimum
    from arcwise.networks.recipe import Recipe

WIDEST = math.log(1e6)  # beyond, a Bayes factor tells nobody anything
DECIMALS = 1e6  # a score is shown in millionths


def bound_words(found: Optimum, recipe: Recipe) -> str:
    """Return what is proved: "no network can have more than -97.100000, so that none is better by more than 1.2 nats".

    If only parent sets of up to `found.most_parents` were scored, it is said of networks of these, as nothing is known
    of others.
    """
    most = found.most_parents
    within = recipe if most is None else replace(recipe, max_parents=most)
    which = (within.restriction("network") or "network").replace("that satisfy", "that satisfies")
    others = "" if most is None else ", and nothing is known of others"
    if found.is_proved:
        return f"no {which} has a better one, which is proved"
    if not math.isfinite(found.gap):
        return "no bound is known"
    if most is not None and found.gap <= 0:
        return f"no {which} has a better one{others}"
    bound = math.ceil(found.upper_bound * DECIMALS) / DECIMALS
    meaning = factor_words(found.gap) if found.gap < WIDEST else "too much to tell how near the best it is"
    return (
        f"no {which} can have more than {bound:.6f}, so that none is better by more than {_up(found.gap, 4)} nats, "
        f"{meaning}{others}"
    )


def factor_words(gap: float) -> str:
    """Return a difference of scores as a Bayes factor, rounded up; beyond a million, in nats.

    >>> factor_words(1.2), factor_words(38770)
    ('a Bayes factor of 3.33', '38,770 nats')
    """
    return f"a Bayes factor of {_up(math.exp(gap), 3)}" if gap < WIDEST else f"{_up(gap, 4)} nats"


def _up(value: float, digits: int) -> str:
    """Return a number with so many digits that is not below the value, without a power of ten."""
    text = f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

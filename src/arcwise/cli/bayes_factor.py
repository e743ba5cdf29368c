"""Bayes factors on the command line: a number, or the name of a degree of evidence."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from arcwise.errors import OptionError

__all__ = ["BayesFactorOption", "factor_from"]

BayesFactorOption = Annotated[
    str,
    typer.Option(
        "--bayes-factor",
        "-b",
        help="Networks within this factor of the best: a number >= 1, or anecdotal (3), positive (20), strong (150).",
    ),
]


def factor_from(text: str) -> float:
    """Return the factor that a text names."""
    from arcwise.ensemble import BAYES_FACTORS

    if text in BAYES_FACTORS:
        return BAYES_FACTORS[text]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1 <= value < math.inf:
        raise OptionError(f"--bayes-factor {text}: give a number >= 1, or {', '.join(BAYES_FACTORS)}.")
    return value

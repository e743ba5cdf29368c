"""The cut-offs that follow from the analyst's costs, if the confidences are calibrated probabilities.

- For the misclassification cost C_alpha = alpha FN + FP, believing an edge of probability p costs 1 - p and leaving it
  out costs alpha p; the edge pays if p > 1 / (1 + alpha).
- For F_beta the best cut-off is F* / (1 + beta^2), with F* the best F_beta that can be reached. It is not known, but at
  most 1, so 1 / (1 + beta^2) is an upper end (Liao 2022, section 5.4, p. 65).
"""

from __future__ import annotations

import math

from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["cost_threshold"]


def cost_threshold(*, beta: float | None = None, alpha: float | None = None) -> Threshold:
    """Return 1 / (1 + beta^2) for F_beta, or 1 / (1 + alpha) for C_alpha; give exactly one of the two.

    `alpha` says how many extra edges a missed edge costs; `beta` weighs recall against precision.
    """
    if (beta is None) == (alpha is None):
        raise OptionError(
            "the cost rule takes either beta (for F_beta) or alpha (for the cost alpha FN + FP); give one."
        )
    name, weight = ("beta", beta) if beta is not None else ("alpha", alpha)
    assert weight is not None
    if not (weight > 0 and math.isfinite(weight)):
        raise OptionError(Argument(name, weight), "must be a positive number: 1 weighs missed and extra edges alike.")
    value = 1 / (1 + (weight * weight if name == "beta" else weight))
    return Threshold(
        value=value, rule="cost", assumes="the confidences are calibrated probabilities", details={name: float(weight)}
    )

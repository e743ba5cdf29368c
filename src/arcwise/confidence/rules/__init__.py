"""The threshold rules, one file each: from edge confidences to a cut-off, with what each rule assumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.rules.broom import broom_threshold
from arcwise.confidence.rules.cost import cost_threshold
from arcwise.confidence.rules.fixed import fixed_threshold
from arcwise.confidence.rules.gross import gross_threshold
from arcwise.confidence.rules.scutari import scutari_threshold
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError, UnknownNameError, suggestion

__all__ = [
    "RULES",
    "Threshold",
    "broom_threshold",
    "choose_threshold",
    "cost_threshold",
    "fixed_threshold",
    "gross_threshold",
    "scutari_threshold",
]

RULES: dict[str, Callable[..., Threshold]] = {
    "scutari": lambda confidence: scutari_threshold(confidence.vector),
    "broom": lambda confidence, **options: broom_threshold(confidence.vector, **options),
    "gross": lambda confidence: gross_threshold(confidence.n_networks),
    "cost": lambda confidence, **options: cost_threshold(**options),
    "fixed": lambda confidence, **options: fixed_threshold(**options),
}


def choose_threshold(confidence: EdgeConfidence, rule: str, **options: Any) -> Threshold:
    """Apply a rule by name: "scutari", "broom" (permuted=), "gross", "cost" (beta= or alpha=), "fixed" (value=)."""
    if rule not in RULES:
        raise UnknownNameError(suggestion("threshold rule", rule, RULES))
    try:
        return RULES[rule](confidence, **options)
    except TypeError as error:
        given = ", ".join(options) or "none"
        raise OptionError(f"wrong options for the rule '{rule}' (given: {given}): {error}.") from error

"""The threshold rules, one file each: from edge confidences to a cut-off, with what each rule assumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.rules.broom import broom_from_confidence, broom_threshold
from arcwise.confidence.rules.calibrated import calibrated_threshold
from arcwise.confidence.rules.cost import cost_threshold
from arcwise.confidence.rules.fixed import fixed_threshold
from arcwise.confidence.rules.gross import gross_threshold
from arcwise.confidence.rules.learned import learned_from_confidence, learned_threshold
from arcwise.confidence.rules.scutari import scutari_threshold
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.mentions import Argument

__all__ = [
    "RULES",
    "Threshold",
    "broom_threshold",
    "calibrated_threshold",
    "choose_threshold",
    "cost_threshold",
    "fixed_threshold",
    "gross_threshold",
    "learned_threshold",
    "scutari_threshold",
]

RULES: dict[str, Callable[..., Threshold]] = {
    "scutari": lambda confidence: scutari_threshold(confidence.vector),
    "broom": broom_from_confidence,
    "gross": lambda confidence: gross_threshold(confidence.n_networks),
    "cost": lambda confidence, **options: cost_threshold(**options),
    "calibrated": calibrated_threshold,
    "fixed": lambda confidence, **options: fixed_threshold(**options),
    "learned": learned_from_confidence,
}


# What each rule takes, and what it cannot do without.
TAKEN: dict[str, tuple[str, ...]] = {
    "scutari": (),
    "broom": ("data", "permuted", "significance", "permutations", "seed", "threads", "limits", "progress"),
    "gross": (),
    "cost": ("beta", "alpha"),
    "calibrated": ("metric", "beta", "alpha", "false_rate"),
    "fixed": ("value",),
    "learned": ("metric", "beta", "alpha", "score", "n_cases", "source", "table"),
}
NEEDED = {"fixed": ("value",)}


def choose_threshold(confidence: EdgeConfidence, rule: str, **options: Any) -> Threshold:
    """Apply a rule by name, with its options.

    "scutari"; "broom" (data=, the data that the confidences come from, or permuted=, vectors of permuted data);
    "gross"; "cost" (beta= or alpha=); "calibrated" (metric=, and beta= or alpha=; or
    false_rate=); "fixed" (value=); "learned" (metric=, and beta= or alpha=).
    """
    if rule not in RULES:
        raise UnknownNameError(suggestion("threshold rule", rule, RULES))
    for name, value in options.items():
        if name not in TAKEN[rule]:
            takes = f"takes {', '.join(TAKEN[rule])}" if TAKEN[rule] else "has no options"
            raise OptionError(Argument(name, value), f": the rule '{rule}' {takes}.")
    if missing := [name for name in NEEDED.get(rule, ()) if name not in options]:
        raise OptionError(f"the rule '{rule}' needs", Argument(missing[0]), ".")
    return RULES[rule](confidence, **options)

"""Effects: what happens to y if x is set, over all networks of a set."""

from arcwise.effects.effect import Effect
from arcwise.effects.effect_matrix import EffectMatrix, find_effects
from arcwise.effects.possible_effects import PossibleEffects, possible_effects
from arcwise.effects.search import find_effect

__all__ = [
    "Effect",
    "EffectMatrix",
    "PossibleEffects",
    "find_effect",
    "find_effects",
    "possible_effects",
]

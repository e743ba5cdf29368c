"""Effects: what happens to y if x is set, over all networks of a set."""

from arcwise.base import doors
from arcwise.effects.effect import Effect as Effect
from arcwise.effects.effect_matrix import EffectMatrix as EffectMatrix
from arcwise.effects.effect_matrix import find_effects as find_effects
from arcwise.effects.possible_effects import PossibleEffects as PossibleEffects
from arcwise.effects.possible_effects import possible_effects as possible_effects
from arcwise.effects.search import find_effect as find_effect

doors.export(__name__)

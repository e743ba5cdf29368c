"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.effects.effect import Effect as Effect
from arcwise.effects.effect import PossibleEffects as PossibleEffects
from arcwise.effects.effect import find_effect as find_effect
from arcwise.effects.effect import possible_effects as possible_effects
from arcwise.effects.effect_matrix import EffectMatrix as EffectMatrix
from arcwise.effects.effect_matrix import find_effects as find_effects
from arcwise.effects.mixed_effect import MixedEffect as MixedEffect
from arcwise.effects.mixed_effect import MixedEffects as MixedEffects
from arcwise.effects.mixed_effect import find_mixed_effect as find_mixed_effect
from arcwise.effects.mixed_effect import find_mixed_effects as find_mixed_effects
from arcwise.effects.mixed_effect import possible_mixed_effects as possible_mixed_effects
from arcwise.effects.model_average import AveragedDistribution as AveragedDistribution
from arcwise.effects.model_average import ModelAverage as ModelAverage

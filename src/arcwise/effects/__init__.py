"""Effects: what happens to y if x is set, over all networks of a set."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "effects.effect": "Effect PossibleEffects find_effect possible_effects",
        "effects.effect_matrix": "EffectMatrix find_effects",
        "effects.mixed_effect": "MixedEffect MixedEffects find_mixed_effect find_mixed_effects possible_mixed_effects",
        "effects.model_average": "AveragedDistribution ModelAverage",
    },
)

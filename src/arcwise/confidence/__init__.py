"""Confidence: how far each edge can be trusted, above which confidence to believe it, and the network that results."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "confidence.averaging": ("edge_confidence", "feature_confidence"),
        "confidence.by_recipe": (
            "PermutedConfidences",
            "confidence_by_recipe",
            "permuted_confidences",
            "studied_recipes",
            "team_confidences",
        ),
        "confidence.chance": ("Chance",),
        "confidence.consensus": ("ConsensusEdge", "ConsensusNetwork", "Fate", "consensus_network"),
        "confidence.edge_confidence": ("EdgeConfidence", "PairConfidence", "Threshold"),
        "confidence.learned_table": ("LearnedEntry", "LearnedTable", "learned_table", "published_table"),
        "confidence.meta_ensemble": ("EnsembleConfidence", "combine_confidences"),
        "confidence.next_experiment": ("NextExperiment", "next_experiment"),
        "confidence.recommendation": ("Alternative", "Recommendation", "recommend"),
        "confidence.rules": ("RULES", "choose_threshold"),
    },
)

"""Confidence: how far each edge can be trusted, above which confidence to believe it, and the network that results."""

from arcwise.confidence.averaging import edge_confidence, feature_confidence
from arcwise.confidence.by_recipe import confidence_by_recipe, studied_recipes, team_confidences
from arcwise.confidence.consensus import ConsensusEdge, ConsensusNetwork, Fate, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence, PairConfidence
from arcwise.confidence.learned_table import LearnedEntry, LearnedTable, learned_table, published_table
from arcwise.confidence.meta_ensemble import EnsembleConfidence, combine_confidences
from arcwise.confidence.next_experiment import NextExperiment, next_experiment
from arcwise.confidence.permutations import PermutedConfidences, permuted_confidences
from arcwise.confidence.recommendation import RULES, Alternative, Recommendation, choose_threshold, recommend
from arcwise.confidence.threshold import Threshold

__all__ = [
    "RULES",
    "Alternative",
    "ConsensusEdge",
    "ConsensusNetwork",
    "EdgeConfidence",
    "EnsembleConfidence",
    "Fate",
    "LearnedEntry",
    "LearnedTable",
    "NextExperiment",
    "PairConfidence",
    "PermutedConfidences",
    "Recommendation",
    "Threshold",
    "choose_threshold",
    "combine_confidences",
    "confidence_by_recipe",
    "consensus_network",
    "edge_confidence",
    "feature_confidence",
    "learned_table",
    "next_experiment",
    "permuted_confidences",
    "published_table",
    "recommend",
    "studied_recipes",
    "team_confidences",
]

"""Confidence: how far each edge can be trusted, from where on to believe it, and the network that results."""

from arcwise.confidence.averaging import edge_confidence, feature_confidence
from arcwise.confidence.consensus import ConsensusEdge, ConsensusNetwork, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence, PairConfidence
from arcwise.confidence.learned_table import LearnedEntry, LearnedTable, learned_table, published_table
from arcwise.confidence.members import Member
from arcwise.confidence.meta_ensemble import EnsembleConfidence, combine_confidences, ensemble_confidence
from arcwise.confidence.permutations import PermutedConfidences, member_of, permuted_confidences
from arcwise.confidence.recommendation import Alternative, Recommendation, recommend
from arcwise.confidence.rules import RULES, Threshold, choose_threshold

__all__ = [
    "RULES",
    "Alternative",
    "ConsensusEdge",
    "ConsensusNetwork",
    "EdgeConfidence",
    "EnsembleConfidence",
    "LearnedEntry",
    "LearnedTable",
    "Member",
    "PairConfidence",
    "PermutedConfidences",
    "Recommendation",
    "Threshold",
    "choose_threshold",
    "combine_confidences",
    "consensus_network",
    "edge_confidence",
    "ensemble_confidence",
    "feature_confidence",
    "learned_table",
    "member_of",
    "permuted_confidences",
    "published_table",
    "recommend",
]

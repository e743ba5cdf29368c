"""Confidence: how far each edge can be trusted, from where on to believe it, and the network that results."""

from arcwise.confidence.averaging import edge_confidence, feature_confidence
from arcwise.confidence.consensus import ConsensusEdge, ConsensusNetwork, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence, PairConfidence
from arcwise.confidence.rules import RULES, Threshold, choose_threshold

__all__ = [
    "RULES",
    "ConsensusEdge",
    "ConsensusNetwork",
    "EdgeConfidence",
    "PairConfidence",
    "Threshold",
    "choose_threshold",
    "consensus_network",
    "edge_confidence",
    "feature_confidence",
]

"""Confidence: how far each edge can be trusted, above which confidence to believe it, and the network that results."""

from arcwise.base import doors
from arcwise.confidence.averaging import edge_confidence as edge_confidence
from arcwise.confidence.averaging import feature_confidence as feature_confidence
from arcwise.confidence.by_recipe import confidence_by_recipe as confidence_by_recipe
from arcwise.confidence.by_recipe import studied_recipes as studied_recipes
from arcwise.confidence.by_recipe import team_confidences as team_confidences
from arcwise.confidence.consensus import ConsensusEdge as ConsensusEdge
from arcwise.confidence.consensus import ConsensusNetwork as ConsensusNetwork
from arcwise.confidence.consensus import Fate as Fate
from arcwise.confidence.consensus import consensus_network as consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence as EdgeConfidence
from arcwise.confidence.edge_confidence import PairConfidence as PairConfidence
from arcwise.confidence.learned_table import LearnedEntry as LearnedEntry
from arcwise.confidence.learned_table import LearnedTable as LearnedTable
from arcwise.confidence.learned_table import learned_table as learned_table
from arcwise.confidence.learned_table import published_table as published_table
from arcwise.confidence.meta_ensemble import EnsembleConfidence as EnsembleConfidence
from arcwise.confidence.meta_ensemble import combine_confidences as combine_confidences
from arcwise.confidence.next_experiment import NextExperiment as NextExperiment
from arcwise.confidence.next_experiment import next_experiment as next_experiment
from arcwise.confidence.permutations import PermutedConfidences as PermutedConfidences
from arcwise.confidence.permutations import permuted_confidences as permuted_confidences
from arcwise.confidence.recommendation import RULES as RULES
from arcwise.confidence.recommendation import Alternative as Alternative
from arcwise.confidence.recommendation import Recommendation as Recommendation
from arcwise.confidence.recommendation import choose_threshold as choose_threshold
from arcwise.confidence.recommendation import recommend as recommend
from arcwise.confidence.threshold import Threshold as Threshold

doors.export(__name__)

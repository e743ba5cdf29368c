"""Evaluation: how far a learned structure is from the true one, and how well networks predict."""

from arcwise.evaluate.adjustment import AdjustmentDistance, adjustment_distance, sid
from arcwise.evaluate.borda import BordaCount, borda_count
from arcwise.evaluate.comparison import Comparison, compare
from arcwise.evaluate.curves import ConfidenceCurve, confidence_curve, confidence_reliability
from arcwise.evaluate.edge_counts import (
    EdgeCounts,
    directed_counts,
    misclassification_cost,
    skeleton_counts,
    undirected_counts,
)
from arcwise.evaluate.f_beta import f_beta, multiclass_f_beta
from arcwise.evaluate.fit_check import FitCheck, check_fit
from arcwise.evaluate.held_out import accuracy_score, negative_log_likelihood
from arcwise.evaluate.moral_distance import moral_distance
from arcwise.evaluate.predictions import PredictionScores, cross_validate, score_predictions
from arcwise.evaluate.structural_hamming import StructuralHamming, shd, structural_hamming

__all__ = [
    "AdjustmentDistance",
    "BordaCount",
    "Comparison",
    "ConfidenceCurve",
    "EdgeCounts",
    "FitCheck",
    "PredictionScores",
    "StructuralHamming",
    "accuracy_score",
    "adjustment_distance",
    "borda_count",
    "check_fit",
    "compare",
    "confidence_curve",
    "confidence_reliability",
    "cross_validate",
    "directed_counts",
    "f_beta",
    "misclassification_cost",
    "moral_distance",
    "multiclass_f_beta",
    "negative_log_likelihood",
    "score_predictions",
    "shd",
    "sid",
    "skeleton_counts",
    "structural_hamming",
    "undirected_counts",
]

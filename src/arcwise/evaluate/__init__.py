"""Evaluation: how far a learned structure is from the true one, and how well networks predict."""

from arcwise.base import doors
from arcwise.evaluate.comparison import AdjustmentDistance as AdjustmentDistance
from arcwise.evaluate.comparison import BordaCount as BordaCount
from arcwise.evaluate.comparison import Comparison as Comparison
from arcwise.evaluate.comparison import EdgeCounts as EdgeCounts
from arcwise.evaluate.comparison import StructuralHamming as StructuralHamming
from arcwise.evaluate.comparison import adjustment_distance as adjustment_distance
from arcwise.evaluate.comparison import borda_count as borda_count
from arcwise.evaluate.comparison import compare as compare
from arcwise.evaluate.comparison import directed_counts as directed_counts
from arcwise.evaluate.comparison import f_beta as f_beta
from arcwise.evaluate.comparison import misclassification_cost as misclassification_cost
from arcwise.evaluate.comparison import moral_distance as moral_distance
from arcwise.evaluate.comparison import multiclass_f_beta as multiclass_f_beta
from arcwise.evaluate.comparison import shd as shd
from arcwise.evaluate.comparison import sid as sid
from arcwise.evaluate.comparison import skeleton_counts as skeleton_counts
from arcwise.evaluate.comparison import structural_hamming as structural_hamming
from arcwise.evaluate.comparison import undirected_counts as undirected_counts
from arcwise.evaluate.curves import ConfidenceCurve as ConfidenceCurve
from arcwise.evaluate.curves import confidence_curve as confidence_curve
from arcwise.evaluate.curves import confidence_reliability as confidence_reliability
from arcwise.evaluate.fit_check import FitCheck as FitCheck
from arcwise.evaluate.fit_check import check_fit as check_fit
from arcwise.evaluate.predictions import PredictionScores as PredictionScores
from arcwise.evaluate.predictions import accuracy_score as accuracy_score
from arcwise.evaluate.predictions import cross_validate as cross_validate
from arcwise.evaluate.predictions import negative_log_likelihood as negative_log_likelihood
from arcwise.evaluate.predictions import score_predictions as score_predictions

doors.export(__name__)

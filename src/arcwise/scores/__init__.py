"""Scores: how well a variable's parents explain it, one family per file; natural logarithms, higher is better."""

from arcwise.scores.believed import BelievedScore
from arcwise.scores.hypothetical import Estimate
from arcwise.scores.prior_network import JointPrior, PriorNetwork, UniformPrior
from arcwise.scores.registry import SCORES, make_score
from arcwise.scores.score import Facts, Parameter, Score

__all__ = [
    "SCORES",
    "BelievedScore",
    "Estimate",
    "Facts",
    "JointPrior",
    "Parameter",
    "PriorNetwork",
    "Score",
    "UniformPrior",
    "make_score",
]

"""Scores: how well a variable's parents explain it. One score per file; natural logarithms, higher is better."""

from arcwise.scores.facts import Facts, Parameter
from arcwise.scores.registry import SCORES, make_score
from arcwise.scores.score import Score

__all__ = ["SCORES", "Facts", "Parameter", "Score", "make_score"]

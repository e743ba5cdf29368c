"""The whole pipeline in one call: `learn` takes data and returns an `Analysis` with its report."""

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.edges import EdgeFinding
from arcwise.analysis.learning import learn
from arcwise.analysis.preparation import Preparation, PreparationError
from arcwise.analysis.prose.explanation import Explanation, explain_folder, explain_graph

__all__ = [
    "Analysis",
    "EdgeFinding",
    "Explanation",
    "Preparation",
    "PreparationError",
    "explain_folder",
    "explain_graph",
    "learn",
]

"""The whole pipeline in one call: `learn` takes data and returns an `Analysis` with its report.

The names come from their modules on first use: `arcwise check` reads the options of `learn`, and does
not need the rest for it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis as Analysis
    from arcwise.analysis.estimator import BayesianNetworkEstimator as BayesianNetworkEstimator
    from arcwise.analysis.folder import SavedAnalysis as SavedAnalysis
    from arcwise.analysis.folder import open_analysis as open_analysis
    from arcwise.analysis.learning import learn as learn
    from arcwise.findings.edge_record import EdgeRecord as EdgeRecord
    from arcwise.findings.edge_record import Origin as Origin
    from arcwise.findings.method_result import MethodResult as MethodResult
    from arcwise.findings.options import LearnOptions as LearnOptions
    from arcwise.findings.preparation import PreparationError as PreparationError
    from arcwise.findings.price import ConstraintPrice as ConstraintPrice
    from arcwise.findings.price import constraint_price as constraint_price
    from arcwise.findings.variable import VariableFinding as VariableFinding
    from arcwise.report.explanation import Explanation as Explanation
    from arcwise.report.explanation import explain_folder as explain_folder
    from arcwise.report.explanation import explain_graph as explain_graph

_MODULES = {
    "Analysis": "analysis.analysis",
    "MethodResult": "findings.method_result",
    "BayesianNetworkEstimator": "analysis.estimator",
    "ConstraintPrice": "findings.price",
    "EdgeRecord": "findings.edge_record",
    "Explanation": "report.explanation",
    "LearnOptions": "findings.options",
    "Origin": "findings.edge_record",
    "PreparationError": "findings.preparation",
    "SavedAnalysis": "analysis.folder",
    "VariableFinding": "findings.variable",
    "constraint_price": "findings.price",
    "explain_folder": "report.explanation",
    "explain_graph": "report.explanation",
    "learn": "analysis.learning",
    "open_analysis": "analysis.folder",
}

__all__ = [  # noqa: PLE0604
    *_MODULES
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(importlib.import_module(f"arcwise.{_MODULES[name]}"), name)
        globals()[name] = value
        return value

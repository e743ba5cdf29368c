"""The whole pipeline in one call: `learn` takes data and returns an `Analysis` with its report.

The names come from their modules on first use: `arcwise check` reads the options of `learn`, and does
not need the rest for it. Type checkers know them from __init__.pyi, which docs/update.py writes.
"""

from __future__ import annotations

import importlib
from typing import Any

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

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"arcwise.{_MODULES[name]}"), name)
    globals()[name] = value
    return value

"""The whole pipeline in one call: `learn` takes data and returns an `Analysis` with its report.

The names come from their modules on first use: the command line reads the options of `learn` at every start, and does
not need the rest for it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis as Analysis
    from arcwise.analysis.averaged import Averaged as Averaged
    from arcwise.analysis.edges import EdgeFinding as EdgeFinding
    from arcwise.analysis.learning import learn as learn
    from arcwise.analysis.options import LearnOptions as LearnOptions
    from arcwise.analysis.origins import EdgeOrigin as EdgeOrigin
    from arcwise.analysis.origins import Origin as Origin
    from arcwise.analysis.preparation import PreparationError as PreparationError
    from arcwise.analysis.price import ConstraintPrice as ConstraintPrice
    from arcwise.analysis.price import constraint_price as constraint_price
    from arcwise.analysis.prose.explanation import Explanation as Explanation
    from arcwise.analysis.prose.explanation import explain_folder as explain_folder
    from arcwise.analysis.prose.explanation import explain_graph as explain_graph
    from arcwise.analysis.saved import SavedAnalysis as SavedAnalysis
    from arcwise.analysis.saved import open_analysis as open_analysis
    from arcwise.analysis.variable import VariableFinding as VariableFinding

_MODULES = {
    "Analysis": "analysis",
    "Averaged": "averaged",
    "ConstraintPrice": "price",
    "EdgeFinding": "edges",
    "EdgeOrigin": "origins",
    "Explanation": "prose.explanation",
    "LearnOptions": "options",
    "Origin": "origins",
    "PreparationError": "preparation",
    "SavedAnalysis": "saved",
    "VariableFinding": "variable",
    "constraint_price": "price",
    "explain_folder": "prose.explanation",
    "explain_graph": "prose.explanation",
    "learn": "learning",
    "open_analysis": "saved",
}

__all__ = [  # noqa: PLE0604
    *_MODULES
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value

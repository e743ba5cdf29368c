"""The whole pipeline in one call: `learn` takes data and returns an `Analysis` with its report."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "analysis.analysis": ("Analysis",),
        "findings.method_result": ("MethodResult",),
        "analysis.estimator": ("BayesianNetworkEstimator",),
        "findings.price": ("ConstraintPrice", "constraint_price"),
        "findings.edge_record": ("EdgeRecord", "Origin"),
        "report.explanation": ("EdgeExplanation", "explain_folder", "explain_graph"),
        "findings.options": ("LearnOptions",),
        "findings.preparation": ("PreparationError",),
        "analysis.saved": ("SavedAnalysis", "open"),
        "findings.variable": ("VariableFinding",),
        "analysis.learning": ("learn",),
    },
)

"""Evaluation: how far a learned structure is from the true one, and how well networks predict."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "evaluate.comparison": (
            "AdjustmentDistance BordaCount Comparison ConfidenceCurve EdgeCounts StructuralHamming "
            "adjustment_distance borda_count compare confidence_curve confidence_reliability directed_counts "
            "f_beta misclassification_cost moral_distance multiclass_f_beta shd sid skeleton_counts "
            "structural_hamming undirected_counts"
        ),
        "evaluate.fit": "FitCheck check_fit",
        "evaluate.prediction": (
            "PredictionScores accuracy_score cross_validate negative_log_likelihood score_predictions"
        ),
    },
)

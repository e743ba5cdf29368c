"""Scores: how well a variable's parents explain it, one family per file; natural logarithms, higher is better."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "scores.dirichlet": "Estimate JointPrior PriorNetwork UniformPrior",
        "scores.registry": "MIXED_SCORES SCORES make_score",
        "scores.score": "BelievedScore Facts Parameter Score",
    },
)

"""Exact search: the best network, with a proof that there is none better."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "exact.optimal": "METHODS certify_optimal find_optimal",
        "exact.proof": "PROOF_TOLERANCE Optimum",
    },
)

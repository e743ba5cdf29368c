"""Exact search: the best network, with a proof that there is none better."""

from arcwise.exact.optimal import METHODS, certify_optimal, find_optimal
from arcwise.exact.optimum import PROOF_TOLERANCE, Optimum

__all__ = [
    "METHODS",
    "PROOF_TOLERANCE",
    "Optimum",
    "certify_optimal",
    "find_optimal",
]

"""Estimators: from the counts of a family to its table of probabilities; one file each."""

from __future__ import annotations

from arcwise.model.estimators.bd import BD
from arcwise.model.estimators.estimator import Estimator, FamilyCounts
from arcwise.model.estimators.laplace import LAPLACE
from arcwise.model.estimators.m_estimate import M_ESTIMATE
from arcwise.model.estimators.mle import MLE
from arcwise.model.estimators.snml import SNML

__all__ = ["ESTIMATORS", "Estimator", "FamilyCounts"]

ESTIMATORS: dict[str, Estimator] = {
    "mle": MLE,
    "laplace": LAPLACE,
    "m-estimate": M_ESTIMATE,
    "bd": BD,
    "snml": SNML,
}

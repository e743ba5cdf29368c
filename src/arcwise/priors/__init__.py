"""The prior under the microscope: what the equivalent sample size does, which to take, how sensitive the answer is."""

from arcwise.priors.analytic_ess import AnalyticEss, analytic_ess, analytic_ess_of_class, effective_parameters
from arcwise.priors.edge_prior import EdgePrior, edge_prior
from arcwise.priors.uniformity import uniformity, uniformity_by_squares

__all__ = [
    "AnalyticEss",
    "EdgePrior",
    "analytic_ess",
    "analytic_ess_of_class",
    "edge_prior",
    "effective_parameters",
    "uniformity",
    "uniformity_by_squares",
]

"""The prior under the microscope: what the equivalent sample size does, which to use, how sensitive the answer is."""

from arcwise.priors.analytic_ess import (
    AnalyticEss,
    SkewnessEffect,
    analytic_ess,
    analytic_ess_of_class,
    effective_parameters,
    skewness_effect,
)
from arcwise.priors.edge_prior import (
    EdgePrior,
    Sensitivity,
    edge_prior,
    prior_sensitivity,
    uniformity,
    uniformity_by_squares,
)
from arcwise.priors.ess_path import EssInterval, EssPath, EssSolver, ess_path
from arcwise.priors.optima import LearnedNetwork, Learning, find_optima
from arcwise.priors.optimal_ess import EssAscent, EssMaximum, ascend_ess, maximise_ess
from arcwise.priors.saturation import Saturation, data_saturation

__all__ = [
    "AnalyticEss",
    "EdgePrior",
    "EssAscent",
    "EssInterval",
    "EssMaximum",
    "EssPath",
    "EssSolver",
    "LearnedNetwork",
    "Learning",
    "Saturation",
    "Sensitivity",
    "SkewnessEffect",
    "analytic_ess",
    "analytic_ess_of_class",
    "ascend_ess",
    "data_saturation",
    "edge_prior",
    "effective_parameters",
    "ess_path",
    "find_optima",
    "maximise_ess",
    "prior_sensitivity",
    "skewness_effect",
    "uniformity",
    "uniformity_by_squares",
]

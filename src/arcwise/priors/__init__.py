"""The prior under the microscope: what the equivalent sample size does, which to use, how sensitive the answer is."""

from arcwise.priors.analytic_ess import AnalyticEss, analytic_ess, analytic_ess_of_class, effective_parameters
from arcwise.priors.comparison import PredictionSettings, PriorComparison, compare_priors
from arcwise.priors.edge_prior import EdgePrior, edge_prior
from arcwise.priors.ess_path import EssInterval, EssPath, ess_path
from arcwise.priors.ess_solver import EssSolver
from arcwise.priors.optima import LearnedNetwork, Learning, find_optima
from arcwise.priors.optimal_ess import EssAscent, EssMaximum, ascend_ess, maximise_ess
from arcwise.priors.saturation import Saturation, data_saturation
from arcwise.priors.sensitivity import Sensitivity, prior_sensitivity
from arcwise.priors.skewness import SkewnessEffect, skewness_effect
from arcwise.priors.uniformity import uniformity, uniformity_by_squares

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
    "PredictionSettings",
    "PriorComparison",
    "Saturation",
    "Sensitivity",
    "SkewnessEffect",
    "analytic_ess",
    "analytic_ess_of_class",
    "ascend_ess",
    "compare_priors",
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

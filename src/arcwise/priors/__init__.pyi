"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.priors.ess_path import EssInterval as EssInterval
from arcwise.priors.ess_path import EssPath as EssPath
from arcwise.priors.ess_path import EssSolver as EssSolver
from arcwise.priors.ess_path import Saturation as Saturation
from arcwise.priors.ess_path import data_saturation as data_saturation
from arcwise.priors.ess_path import ess_path as ess_path
from arcwise.priors.optima import EdgePrior as EdgePrior
from arcwise.priors.optima import LearnedNetwork as LearnedNetwork
from arcwise.priors.optima import Learning as Learning
from arcwise.priors.optima import Sensitivity as Sensitivity
from arcwise.priors.optima import edge_prior as edge_prior
from arcwise.priors.optima import find_optima as find_optima
from arcwise.priors.optima import prior_sensitivity as prior_sensitivity
from arcwise.priors.optima import uniformity as uniformity
from arcwise.priors.optima import uniformity_by_squares as uniformity_by_squares
from arcwise.priors.optimal_ess import AnalyticEss as AnalyticEss
from arcwise.priors.optimal_ess import EssAscent as EssAscent
from arcwise.priors.optimal_ess import EssMaximum as EssMaximum
from arcwise.priors.optimal_ess import SkewnessEffect as SkewnessEffect
from arcwise.priors.optimal_ess import analytic_ess as analytic_ess
from arcwise.priors.optimal_ess import analytic_ess_of_class as analytic_ess_of_class
from arcwise.priors.optimal_ess import ascend_ess as ascend_ess
from arcwise.priors.optimal_ess import effective_parameters as effective_parameters
from arcwise.priors.optimal_ess import maximise_ess as maximise_ess
from arcwise.priors.optimal_ess import skewness_effect as skewness_effect

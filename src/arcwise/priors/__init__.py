"""The prior under the microscope: what the equivalent sample size does, which to use, how sensitive the answer is."""

from arcwise.base import doors
from arcwise.priors.edge_prior import EdgePrior as EdgePrior
from arcwise.priors.edge_prior import Sensitivity as Sensitivity
from arcwise.priors.edge_prior import edge_prior as edge_prior
from arcwise.priors.edge_prior import prior_sensitivity as prior_sensitivity
from arcwise.priors.edge_prior import uniformity as uniformity
from arcwise.priors.edge_prior import uniformity_by_squares as uniformity_by_squares
from arcwise.priors.ess_path import EssInterval as EssInterval
from arcwise.priors.ess_path import EssPath as EssPath
from arcwise.priors.ess_path import EssSolver as EssSolver
from arcwise.priors.ess_path import ess_path as ess_path
from arcwise.priors.optima import LearnedNetwork as LearnedNetwork
from arcwise.priors.optima import Learning as Learning
from arcwise.priors.optima import find_optima as find_optima
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
from arcwise.priors.saturation import Saturation as Saturation
from arcwise.priors.saturation import data_saturation as data_saturation

doors.export(__name__)

"""The prior under the microscope: what the equivalent sample size does, which to use, how sensitive the answer is."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "priors.ess_path": "EssInterval EssPath EssSolver Saturation data_saturation ess_path",
        "priors.optima": (
            "EdgePrior LearnedNetwork Learning Sensitivity edge_prior find_optima prior_sensitivity uniformity "
            "uniformity_by_squares"
        ),
        "priors.optimal_ess": (
            "AnalyticEss EssAscent EssMaximum SkewnessEffect analytic_ess analytic_ess_of_class ascend_ess "
            "effective_parameters maximise_ess skewness_effect"
        ),
    },
)

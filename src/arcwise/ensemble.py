"""Ensembles: many networks with weights, found in several ways; the door to the rooms that make and hold them."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "base.run": ("Run",),
        "bootstrap.bootstrap": ("BootstrapSettings", "bootstrap_networks"),
        "credible.bayes_factors": ("BAYES_FACTORS", "describe_bayes_factor"),
        "credible.credible_set": ("CredibleSet",),
        "credible.diagram": ("Parallel",),
        "credible.find": (
            "ClassEstimate",
            "count_credible",
            "estimate_classes",
            "find_credible",
            "k_best",
            "stream_credible",
        ),
        "credible.listing": ("NetworkStream",),
        "networks.classes": ("class_size", "class_sizes", "weigh_classes"),
        "networks.families": ("Families",),
        "networks.network_list": ("NetworkSet", "concatenate", "deviation_curve", "plot_deviations", "NetworkSummary"),
        "networks.recipe": ("Ensemble", "EnsembleFacts", "Recipe"),
        "posterior.chain_posterior": ("ChainPosterior", "Share", "PairDisagreement", "ChainVerdict"),
        "posterior.exact": ("DagTotals", "ExactPosterior", "exact_posterior"),
        "posterior.posterior": ("Posterior",),
        "posterior.sampling": ("sample_posterior",),
        "posterior.settings": ("ChainSettings", "PosteriorSettings"),
        "recipes.posterior": ("find_posterior",),
        "recipes.registry": ("SOURCES", "find_source", "register"),
        "recipes.source": ("Source",),
    },
)

# Behind the table: sources of other packages, which it loads, may import from this door.
import arcwise.recipes.registry  # noqa: E402, F401 - a recipe finds its source there

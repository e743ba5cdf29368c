"""Ensembles: many networks with weights, found in several ways."""

from arcwise.ensemble.bayes_factors import BAYES_FACTORS, describe_bayes_factor
from arcwise.ensemble.chains.chain_posterior import ChainPosterior, Share
from arcwise.ensemble.chains.diagnostics import PairDisagreement, Verdict
from arcwise.ensemble.chains.sampling import sample_posterior
from arcwise.ensemble.chains.settings import ChainSettings
from arcwise.ensemble.class_estimate import ClassEstimate, estimate_classes
from arcwise.ensemble.class_sizes import class_size, class_sizes, weigh_classes
from arcwise.ensemble.credible import count_credible, find_credible
from arcwise.ensemble.credible_set import CredibleSet
from arcwise.ensemble.deviation import deviation_curve, plot_deviations
from arcwise.ensemble.diagram.sharing import Sharing
from arcwise.ensemble.ensemble_facts import EnsembleFacts
from arcwise.ensemble.exact_posterior import DagTotals, ExactPosterior, exact_posterior
from arcwise.ensemble.families import Families
from arcwise.ensemble.k_best import k_best
from arcwise.ensemble.network_set import NetworkSet, concatenate
from arcwise.ensemble.network_summary import Ensemble, NetworkSummary
from arcwise.ensemble.posterior import Posterior, PosteriorSettings, find_posterior
from arcwise.ensemble.recipe import Recipe
from arcwise.ensemble.replicates.bootstrap import bootstrap_networks
from arcwise.ensemble.replicates.settings import BootstrapSettings
from arcwise.ensemble.stream import NetworkStream, stream_credible

__all__ = [
    "BAYES_FACTORS",
    "BootstrapSettings",
    "ChainPosterior",
    "ChainSettings",
    "ClassEstimate",
    "CredibleSet",
    "DagTotals",
    "Ensemble",
    "EnsembleFacts",
    "ExactPosterior",
    "Families",
    "NetworkSet",
    "NetworkStream",
    "NetworkSummary",
    "PairDisagreement",
    "Posterior",
    "PosteriorSettings",
    "Recipe",
    "Share",
    "Sharing",
    "Verdict",
    "bootstrap_networks",
    "class_size",
    "class_sizes",
    "concatenate",
    "count_credible",
    "describe_bayes_factor",
    "deviation_curve",
    "estimate_classes",
    "exact_posterior",
    "find_credible",
    "find_posterior",
    "k_best",
    "plot_deviations",
    "sample_posterior",
    "stream_credible",
    "weigh_classes",
]

"""Ensembles: many networks with weights, found in several ways; the door to the rooms that make and hold them."""

from arcwise.base.run import Run
from arcwise.bootstrap.bootstrap import BootstrapSettings, bootstrap_networks
from arcwise.credible.bayes_factors import BAYES_FACTORS, describe_bayes_factor
from arcwise.credible.credible_set import CredibleSet
from arcwise.credible.diagram import Sharing
from arcwise.credible.find import (
    ClassEstimate,
    count_credible,
    estimate_classes,
    find_credible,
    k_best,
    stream_credible,
)
from arcwise.credible.stream import NetworkStream
from arcwise.networks.classes import class_size, class_sizes, weigh_classes
from arcwise.networks.families import Families
from arcwise.networks.network_list import NetworkSet, concatenate, deviation_curve, plot_deviations
from arcwise.networks.origin import Ensemble, EnsembleFacts
from arcwise.networks.recipe import Recipe
from arcwise.networks.summary import NetworkSummary
from arcwise.posterior.chain_posterior import ChainPosterior, Share
from arcwise.posterior.diagnostics import PairDisagreement, Verdict
from arcwise.posterior.exact import DagTotals, ExactPosterior, exact_posterior
from arcwise.posterior.posterior import Posterior
from arcwise.posterior.sampling import sample_posterior
from arcwise.posterior.settings import ChainSettings, PosteriorSettings
from arcwise.recipes.posterior import find_posterior
from arcwise.recipes.registry import SOURCES, find_source, register
from arcwise.recipes.source import Source

__all__ = [
    "BAYES_FACTORS",
    "SOURCES",
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
    "Run",
    "Share",
    "Sharing",
    "Source",
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
    "find_source",
    "k_best",
    "plot_deviations",
    "register",
    "sample_posterior",
    "stream_credible",
    "weigh_classes",
]

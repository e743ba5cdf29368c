"""Ensembles: many networks with weights, found in several ways; the door to the rooms that make and hold them."""

from arcwise.base import doors
from arcwise.base.run import Run as Run
from arcwise.bootstrap.bootstrap import BootstrapSettings as BootstrapSettings
from arcwise.bootstrap.bootstrap import bootstrap_networks as bootstrap_networks
from arcwise.credible.bayes_factors import BAYES_FACTORS as BAYES_FACTORS
from arcwise.credible.bayes_factors import describe_bayes_factor as describe_bayes_factor
from arcwise.credible.credible_set import CredibleSet as CredibleSet
from arcwise.credible.diagram import Sharing as Sharing
from arcwise.credible.find import ClassEstimate as ClassEstimate
from arcwise.credible.find import count_credible as count_credible
from arcwise.credible.find import estimate_classes as estimate_classes
from arcwise.credible.find import find_credible as find_credible
from arcwise.credible.find import k_best as k_best
from arcwise.credible.find import stream_credible as stream_credible
from arcwise.credible.stream import NetworkStream as NetworkStream
from arcwise.networks.classes import class_size as class_size
from arcwise.networks.classes import class_sizes as class_sizes
from arcwise.networks.classes import weigh_classes as weigh_classes
from arcwise.networks.families import Families as Families
from arcwise.networks.network_list import NetworkSet as NetworkSet
from arcwise.networks.network_list import concatenate as concatenate
from arcwise.networks.network_list import deviation_curve as deviation_curve
from arcwise.networks.network_list import plot_deviations as plot_deviations
from arcwise.networks.origin import Ensemble as Ensemble
from arcwise.networks.origin import EnsembleFacts as EnsembleFacts
from arcwise.networks.recipe import Recipe as Recipe
from arcwise.networks.summary import NetworkSummary as NetworkSummary
from arcwise.posterior.chain_posterior import ChainPosterior as ChainPosterior
from arcwise.posterior.chain_posterior import Share as Share
from arcwise.posterior.diagnostics import PairDisagreement as PairDisagreement
from arcwise.posterior.diagnostics import Verdict as Verdict
from arcwise.posterior.exact import DagTotals as DagTotals
from arcwise.posterior.exact import ExactPosterior as ExactPosterior
from arcwise.posterior.exact import exact_posterior as exact_posterior
from arcwise.posterior.posterior import Posterior as Posterior
from arcwise.posterior.sampling import sample_posterior as sample_posterior
from arcwise.posterior.settings import ChainSettings as ChainSettings
from arcwise.posterior.settings import PosteriorSettings as PosteriorSettings
from arcwise.recipes.posterior import find_posterior as find_posterior
from arcwise.recipes.registry import SOURCES as SOURCES
from arcwise.recipes.registry import find_source as find_source
from arcwise.recipes.registry import register as register
from arcwise.recipes.source import Source as Source

doors.export(__name__)

"""Ensembles: many networks with weights, found in several ways."""

from arcwise.ensemble.bayes_factors import BAYES_FACTORS, describe_bayes_factor
from arcwise.ensemble.bootstrap import bootstrap_networks
from arcwise.ensemble.credible import count_credible, find_credible
from arcwise.ensemble.families import Families
from arcwise.ensemble.network_set import NetworkSet, concatenate
from arcwise.ensemble.network_summary import Ensemble, NetworkSummary

__all__ = [
    "BAYES_FACTORS",
    "Ensemble",
    "Families",
    "NetworkSet",
    "NetworkSummary",
    "bootstrap_networks",
    "concatenate",
    "count_credible",
    "describe_bayes_factor",
    "find_credible",
]

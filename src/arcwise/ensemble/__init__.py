"""Ensembles: many networks with weights, found in several ways."""

from arcwise.ensemble.bootstrap import bootstrap_networks
from arcwise.ensemble.families import Families
from arcwise.ensemble.network_set import NetworkSet, concatenate
from arcwise.ensemble.network_summary import Ensemble, NetworkSummary

__all__ = ["Ensemble", "Families", "NetworkSet", "NetworkSummary", "bootstrap_networks", "concatenate"]

"""arcwise learns Bayesian-network structure from discrete data and says which arcs to trust."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The names below once more, for type checkers and editors; a test compares the two lists. A function in a module of
    # its own name comes from that module: mypy would take it for the module otherwise.
    from arcwise import analysis as analysis
    from arcwise import confidence as confidence
    from arcwise import counts as counts
    from arcwise import data as data
    from arcwise import datasets as datasets
    from arcwise import ensemble as ensemble
    from arcwise import errors as errors
    from arcwise import estimator as estimator
    from arcwise import evaluate as evaluate
    from arcwise import exact as exact
    from arcwise import graph as graph
    from arcwise import limits as limits
    from arcwise import local as local
    from arcwise import model as model
    from arcwise import parent_sets as parent_sets
    from arcwise import priors as priors
    from arcwise import progress as progress
    from arcwise import report as report
    from arcwise import scores as scores
    from arcwise import study as study
    from arcwise.analysis import Analysis as Analysis
    from arcwise.analysis import learn as learn
    from arcwise.confidence import EdgeConfidence as EdgeConfidence
    from arcwise.confidence import choose_threshold as choose_threshold
    from arcwise.confidence import consensus_network as consensus_network
    from arcwise.confidence import ensemble_confidence as ensemble_confidence
    from arcwise.confidence import recommend as recommend
    from arcwise.confidence.averaging import edge_confidence as edge_confidence
    from arcwise.data import Dataset as Dataset
    from arcwise.data import Table as Table
    from arcwise.data import read_data as read_data
    from arcwise.data import read_table as read_table
    from arcwise.data import write_data as write_data
    from arcwise.data.discretize import discretize as discretize
    from arcwise.data.impute import impute as impute
    from arcwise.ensemble import NetworkSet as NetworkSet
    from arcwise.ensemble import NetworkSummary as NetworkSummary
    from arcwise.ensemble import bootstrap_networks as bootstrap_networks
    from arcwise.ensemble import count_credible as count_credible
    from arcwise.ensemble import find_credible as find_credible
    from arcwise.ensemble.exact_posterior import exact_posterior as exact_posterior
    from arcwise.ensemble.k_best import k_best as k_best
    from arcwise.estimator import BayesianNetworkEstimator as BayesianNetworkEstimator
    from arcwise.evaluate import Comparison as Comparison
    from arcwise.evaluate import compare as compare
    from arcwise.exact import Optimum as Optimum
    from arcwise.exact import find_optimal as find_optimal
    from arcwise.graph import Constraints as Constraints
    from arcwise.graph import Cpdag as Cpdag
    from arcwise.graph import Dag as Dag
    from arcwise.graph import Pdag as Pdag
    from arcwise.graph import read_constraints as read_constraints
    from arcwise.limits import Limits as Limits
    from arcwise.limits import Status as Status
    from arcwise.local import LocalSearchResult as LocalSearchResult
    from arcwise.local import analyse_runs as analyse_runs
    from arcwise.local import genetic_search as genetic_search
    from arcwise.local import hill_climb as hill_climb
    from arcwise.local import tabu_search as tabu_search
    from arcwise.local.first_ascent import first_ascent as first_ascent
    from arcwise.local.order_search import order_search as order_search
    from arcwise.model import BayesianNetwork as BayesianNetwork
    from arcwise.model import fit_parameters as fit_parameters
    from arcwise.model import read_bif as read_bif
    from arcwise.model import write_bif as write_bif
    from arcwise.parent_sets import ParentSetTable as ParentSetTable
    from arcwise.parent_sets import build_parent_sets as build_parent_sets
    from arcwise.parent_sets import read_parent_sets as read_parent_sets
    from arcwise.parent_sets import write_parent_sets as write_parent_sets
    from arcwise.priors import ascend_ess as ascend_ess
    from arcwise.priors import data_saturation as data_saturation
    from arcwise.priors import maximise_ess as maximise_ess
    from arcwise.priors import prior_sensitivity as prior_sensitivity
    from arcwise.priors.analytic_ess import analytic_ess as analytic_ess
    from arcwise.priors.edge_prior import edge_prior as edge_prior
    from arcwise.priors.ess_path import ess_path as ess_path
    from arcwise.report import Report as Report
    from arcwise.scores import SCORES as SCORES
    from arcwise.scores import make_score as make_score

    __version__: str

# Public names by the stage that defines them, in the order of the pipeline. A stage is imported on first use, so that
# `import arcwise` is fast; the stages themselves are attributes too, as in `arcwise.datasets.load`.
_PUBLIC: dict[str, tuple[str, ...]] = {
    "limits": ("Limits", "Status"),
    "data": ("Dataset", "Table", "read_data", "read_table", "write_data", "impute", "discretize"),
    "graph": ("Dag", "Pdag", "Cpdag", "Constraints", "read_constraints"),
    "scores": ("SCORES", "make_score"),
    "parent_sets": ("ParentSetTable", "build_parent_sets", "read_parent_sets", "write_parent_sets"),
    "exact": ("Optimum", "find_optimal"),
    "local": (
        *("LocalSearchResult", "hill_climb", "tabu_search", "first_ascent", "genetic_search", "order_search"),
        "analyse_runs",
    ),
    "ensemble": (
        *("NetworkSet", "NetworkSummary"),
        *("find_credible", "count_credible", "k_best", "exact_posterior", "bootstrap_networks"),
    ),
    "confidence": (
        "EdgeConfidence",
        "edge_confidence",
        "ensemble_confidence",
        "recommend",
        "choose_threshold",
        "consensus_network",
    ),
    "model": ("BayesianNetwork", "fit_parameters", "read_bif", "write_bif"),
    "evaluate": ("Comparison", "compare"),
    "priors": (
        *("analytic_ess", "ascend_ess", "maximise_ess", "ess_path"),
        *("edge_prior", "prior_sensitivity", "data_saturation"),
    ),
    "report": ("Report",),
    "analysis": ("Analysis", "learn"),
    "estimator": ("BayesianNetworkEstimator",),
}
_MODULES = (*_PUBLIC, "counts", "datasets", "errors", "progress", "study")
_STAGE = {name: stage for stage, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", *_STAGE]  # noqa: PLE0604


if not TYPE_CHECKING:  # a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        if name in _STAGE:
            value = getattr(importlib.import_module(f"arcwise.{_STAGE[name]}"), name)
        elif name in _MODULES:
            value = importlib.import_module(f"arcwise.{name}")
        elif name == "__version__":
            from importlib.metadata import version

            value = version("arcwise")
        else:
            raise AttributeError(f"module 'arcwise' has no attribute '{name}'")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})

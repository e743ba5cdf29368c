"""Searches for networks: local ones, which are fast, and exact ones, which prove what they find."""

from arcwise.search.first_ascent import first_ascent
from arcwise.search.genetic import genetic_search
from arcwise.search.hill_climbing import hill_climb
from arcwise.search.local_result import LocalSearchResult
from arcwise.search.optimal import METHODS, find_optimal
from arcwise.search.optimum import PROOF_TOLERANCE, Optimum
from arcwise.search.order_search import order_search
from arcwise.search.run_analysis import RunAnalysis, RunSample, analyse_runs
from arcwise.search.tabu import tabu_search

__all__ = [
    "METHODS",
    "PROOF_TOLERANCE",
    "LocalSearchResult",
    "Optimum",
    "RunAnalysis",
    "RunSample",
    "analyse_runs",
    "find_optimal",
    "first_ascent",
    "genetic_search",
    "hill_climb",
    "order_search",
    "tabu_search",
]

"""Local search: a good network, quickly; climbs, tabu search, a genetic search, orders, classes, trees."""

from arcwise.local.climbing import (
    ClimbSettings,
    GeneticSettings,
    StartSettings,
    TabuSettings,
    first_ascent,
    genetic_search,
    hill_climb,
    tabu_search,
)
from arcwise.local.equivalence_search import equivalence_search
from arcwise.local.joint_cuts import JointCuts, joint_cuts
from arcwise.local.order_search import order_search
from arcwise.local.problem import LocalSearchResult
from arcwise.local.run_analysis import AscentSettings, RunAnalysis, RunSample, analyse_runs
from arcwise.local.trees import chow_liu, naive_bayes, tree_augmented

__all__ = [
    "AscentSettings",
    "ClimbSettings",
    "GeneticSettings",
    "JointCuts",
    "LocalSearchResult",
    "RunAnalysis",
    "RunSample",
    "StartSettings",
    "TabuSettings",
    "analyse_runs",
    "chow_liu",
    "equivalence_search",
    "first_ascent",
    "genetic_search",
    "hill_climb",
    "joint_cuts",
    "naive_bayes",
    "order_search",
    "tabu_search",
    "tree_augmented",
]

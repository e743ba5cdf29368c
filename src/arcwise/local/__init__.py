"""Local search: a good network, quickly; climbs, tabu search, a genetic search, orders, classes, trees."""

from arcwise.base import doors
from arcwise.local.climbing import ClimbSettings as ClimbSettings
from arcwise.local.climbing import GeneticSettings as GeneticSettings
from arcwise.local.climbing import StartSettings as StartSettings
from arcwise.local.climbing import TabuSettings as TabuSettings
from arcwise.local.climbing import first_ascent as first_ascent
from arcwise.local.climbing import genetic_search as genetic_search
from arcwise.local.climbing import hill_climb as hill_climb
from arcwise.local.climbing import tabu_search as tabu_search
from arcwise.local.equivalence_search import equivalence_search as equivalence_search
from arcwise.local.joint_cuts import JointCuts as JointCuts
from arcwise.local.joint_cuts import joint_cuts as joint_cuts
from arcwise.local.order_search import order_search as order_search
from arcwise.local.problem import LocalSearchResult as LocalSearchResult
from arcwise.local.run_analysis import AscentSettings as AscentSettings
from arcwise.local.run_analysis import RunAnalysis as RunAnalysis
from arcwise.local.run_analysis import RunSample as RunSample
from arcwise.local.run_analysis import analyse_runs as analyse_runs
from arcwise.local.trees import chow_liu as chow_liu
from arcwise.local.trees import naive_bayes as naive_bayes
from arcwise.local.trees import tree_augmented as tree_augmented

doors.export(__name__)

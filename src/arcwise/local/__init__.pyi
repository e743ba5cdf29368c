"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.local.joint_cuts import JointCuts as JointCuts
from arcwise.local.joint_cuts import joint_cuts as joint_cuts
from arcwise.local.problem import LocalSearchResult as LocalSearchResult
from arcwise.local.run_analysis import AscentSettings as AscentSettings
from arcwise.local.run_analysis import RunAnalysis as RunAnalysis
from arcwise.local.run_analysis import RunSample as RunSample
from arcwise.local.run_analysis import analyse_runs as analyse_runs
from arcwise.local.searches import ClimbSettings as ClimbSettings
from arcwise.local.searches import GeneticSettings as GeneticSettings
from arcwise.local.searches import StartSettings as StartSettings
from arcwise.local.searches import TabuSettings as TabuSettings
from arcwise.local.searches import chow_liu as chow_liu
from arcwise.local.searches import equivalence_search as equivalence_search
from arcwise.local.searches import first_ascent as first_ascent
from arcwise.local.searches import genetic_search as genetic_search
from arcwise.local.searches import hill_climb as hill_climb
from arcwise.local.searches import naive_bayes as naive_bayes
from arcwise.local.searches import order_search as order_search
from arcwise.local.searches import tabu_search as tabu_search
from arcwise.local.searches import tree_augmented as tree_augmented

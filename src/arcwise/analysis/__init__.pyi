"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.analysis.analysis import Analysis as Analysis
from arcwise.analysis.estimator import BayesianNetworkEstimator as BayesianNetworkEstimator
from arcwise.analysis.learning import learn as learn
from arcwise.analysis.saved import SavedAnalysis as SavedAnalysis
from arcwise.analysis.saved import open as open
from arcwise.findings.edge_record import EdgeRecord as EdgeRecord
from arcwise.findings.edge_record import Origin as Origin
from arcwise.findings.method_result import MethodResult as MethodResult
from arcwise.findings.options import LearnOptions as LearnOptions
from arcwise.findings.preparation import PreparationError as PreparationError
from arcwise.findings.price import ConstraintPrice as ConstraintPrice
from arcwise.findings.price import constraint_price as constraint_price
from arcwise.findings.variable import VariableFinding as VariableFinding
from arcwise.report.explanation import EdgeExplanation as EdgeExplanation
from arcwise.report.explanation import explain_folder as explain_folder
from arcwise.report.explanation import explain_graph as explain_graph

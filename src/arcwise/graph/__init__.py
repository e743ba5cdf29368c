"""Graphs: the nouns that the stages share."""

from arcwise.base import doors
from arcwise.graph.beliefs import Beliefs as Beliefs
from arcwise.graph.beliefs import FamilyPrior as FamilyPrior
from arcwise.graph.beliefs import beliefs_from_frame as beliefs_from_frame
from arcwise.graph.beliefs import expected_edges as expected_edges
from arcwise.graph.beliefs import make_beliefs as make_beliefs
from arcwise.graph.beliefs import parse_beliefs as parse_beliefs
from arcwise.graph.beliefs import read_beliefs as read_beliefs
from arcwise.graph.classes import class_keys as class_keys
from arcwise.graph.classes import class_keys_from_masks as class_keys_from_masks
from arcwise.graph.classes import number_classes as number_classes
from arcwise.graph.constraints import Constraints as Constraints
from arcwise.graph.constraints import NativeConstraints as NativeConstraints
from arcwise.graph.constraints import assert_obeys as assert_obeys
from arcwise.graph.constraints import broken_rules as broken_rules
from arcwise.graph.constraints import constraints_from_frame as constraints_from_frame
from arcwise.graph.constraints import parse_constraints as parse_constraints
from arcwise.graph.constraints import read_constraints as read_constraints
from arcwise.graph.constraints import write_constraints as write_constraints
from arcwise.graph.dag import Cpdag as Cpdag
from arcwise.graph.dag import Dag as Dag
from arcwise.graph.dag import Pdag as Pdag
from arcwise.graph.dag import format_model_string as format_model_string
from arcwise.graph.dag import parse_model_string as parse_model_string
from arcwise.graph.drawings import format_dot as format_dot
from arcwise.graph.drawings import format_graphml as format_graphml
from arcwise.graph.drawings import write_dot as write_dot
from arcwise.graph.drawings import write_graphml as write_graphml
from arcwise.graph.files import GRAPH_FORMATS as GRAPH_FORMATS
from arcwise.graph.files import ArcList as ArcList
from arcwise.graph.files import format_arc_list as format_arc_list
from arcwise.graph.files import format_structure as format_structure
from arcwise.graph.files import graph_format as graph_format
from arcwise.graph.files import parse_graph as parse_graph
from arcwise.graph.files import parse_structure as parse_structure
from arcwise.graph.files import read_arc_list as read_arc_list
from arcwise.graph.files import read_graph as read_graph
from arcwise.graph.files import read_graph_csv as read_graph_csv
from arcwise.graph.files import read_structure as read_structure
from arcwise.graph.files import write_adjacency as write_adjacency
from arcwise.graph.files import write_arc_list as write_arc_list
from arcwise.graph.files import write_structure as write_structure
from arcwise.graph.fixed_pairs import FixedPairs as FixedPairs
from arcwise.graph.random_dags import all_dags as all_dags
from arcwise.graph.random_dags import all_parent_masks as all_parent_masks
from arcwise.graph.random_dags import bounded_degree_dag as bounded_degree_dag
from arcwise.graph.random_dags import count_dags as count_dags
from arcwise.graph.random_dags import sparse_dag as sparse_dag
from arcwise.graph.random_dags import uniform_dag as uniform_dag
from arcwise.graph.statements import Kind as Kind
from arcwise.graph.statements import Statement as Statement

doors.export(__name__)

"""Graphs: the nouns that the stages share."""

from arcwise.graph.all_dags import all_dags, all_parent_masks
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.beliefs_file import beliefs_from_frame, make_beliefs, parse_beliefs, read_beliefs
from arcwise.graph.bounded_degree_dags import bounded_degree_dag
from arcwise.graph.constraints import Constraints, NativeConstraints
from arcwise.graph.constraints_file import parse_constraints, read_constraints, write_constraints
from arcwise.graph.constraints_table import constraints_from_frame
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.drawing_files import format_dot, format_graphml, write_dot, write_graphml
from arcwise.graph.equivalence_classes import class_keys, class_keys_from_masks, number_classes
from arcwise.graph.expected_edges import expected_edges
from arcwise.graph.family_prior import FamilyPrior
from arcwise.graph.fixed_pairs import FixedPairs
from arcwise.graph.graph_files import GRAPH_FORMATS, graph_format, parse_graph, read_graph
from arcwise.graph.graph_table_files import (
    ArcList,
    format_arc_list,
    read_arc_list,
    read_graph_csv,
    write_adjacency,
    write_arc_list,
)
from arcwise.graph.model_string import format_model_string, parse_model_string
from arcwise.graph.obedience import assert_obeys, broken_rules
from arcwise.graph.pdag import Pdag
from arcwise.graph.sparse_dags import sparse_dag
from arcwise.graph.statements import Kind, Statement
from arcwise.graph.structure_file import format_structure, parse_structure, read_structure, write_structure
from arcwise.graph.uniform_dags import count_dags, uniform_dag

__all__ = [
    "GRAPH_FORMATS",
    "ArcList",
    "Beliefs",
    "Constraints",
    "Cpdag",
    "Dag",
    "FamilyPrior",
    "FixedPairs",
    "Kind",
    "NativeConstraints",
    "Pdag",
    "Statement",
    "all_dags",
    "all_parent_masks",
    "assert_obeys",
    "beliefs_from_frame",
    "bounded_degree_dag",
    "broken_rules",
    "class_keys",
    "class_keys_from_masks",
    "constraints_from_frame",
    "count_dags",
    "expected_edges",
    "format_arc_list",
    "format_dot",
    "format_graphml",
    "format_model_string",
    "format_structure",
    "graph_format",
    "make_beliefs",
    "number_classes",
    "parse_beliefs",
    "parse_constraints",
    "parse_graph",
    "parse_model_string",
    "parse_structure",
    "read_arc_list",
    "read_beliefs",
    "read_constraints",
    "read_graph",
    "read_graph_csv",
    "read_structure",
    "sparse_dag",
    "uniform_dag",
    "write_adjacency",
    "write_arc_list",
    "write_constraints",
    "write_dot",
    "write_graphml",
    "write_structure",
]

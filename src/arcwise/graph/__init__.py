"""Graphs: the nouns that the stages share."""

from arcwise.graph.all_dags import all_dags, all_parent_masks
from arcwise.graph.constraints import Constraints, NativeConstraints
from arcwise.graph.constraints_file import read_constraints, write_constraints
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.equivalence_classes import class_keys, class_keys_from_masks, number_classes
from arcwise.graph.pdag import Pdag

__all__ = [
    "Constraints",
    "Cpdag",
    "Dag",
    "NativeConstraints",
    "Pdag",
    "all_dags",
    "all_parent_masks",
    "class_keys",
    "class_keys_from_masks",
    "number_classes",
    "read_constraints",
    "write_constraints",
]

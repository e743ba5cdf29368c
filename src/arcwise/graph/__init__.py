"""Graphs: the nouns that the stages share."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "graph.beliefs": (
            "Beliefs FamilyPrior beliefs_from_frame expected_edges make_beliefs parse_beliefs read_beliefs"
        ),
        "graph.classes": "FixedPairs class_keys class_keys_from_masks collider_keys number_classes",
        "graph.constraints": (
            "Constraints NativeConstraints assert_obeys broken_rules constraints_from_frame parse_constraints "
            "read_constraints write_constraints"
        ),
        "graph.dag": "Cpdag Dag Pdag format_model_string parse_model_string",
        "graph.files": (
            "GRAPH_FORMATS ArcList format_arc_list format_dot format_graphml format_structure graph_format "
            "parse_graph parse_structure read_arc_list read_graph read_graph_csv read_structure write_adjacency "
            "write_arc_list write_dot write_graphml write_structure"
        ),
        "graph.random_dags": "all_dags all_parent_masks bounded_degree_dag count_dags sparse_dag uniform_dag",
        "graph.statements": "Statement StatementKind",
    },
)

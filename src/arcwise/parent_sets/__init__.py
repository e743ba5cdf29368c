"""Tables of candidate parent sets."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "parent_sets.build": "BuildSettings build_parent_set_tables build_parent_sets",
        "parent_sets.table": (
            "BuildStatistics ParentSetTable format_binary format_jkl parse_binary parse_jkl parse_parent_sets "
            "read_jkl read_parent_sets write_jkl write_parent_sets"
        ),
    },
)

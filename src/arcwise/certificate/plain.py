"""A table of parent sets as the checker takes it: names and lists."""

from __future__ import annotations

from arcwise.certificate.checker import Table
from arcwise.parent_sets import ParentSetTable

__all__ = ["plain_table"]


def plain_table(table: ParentSetTable) -> Table:
    """Return the table as names and, for each variable, (score, parents) pairs."""
    scores, ends, members = table.scores.tolist(), table.set_offsets.tolist(), table.members.tolist()
    rows = [(scores[row], tuple(members[ends[row] : ends[row + 1]])) for row in range(table.n_rows)]
    return list(table.names), [[rows[row] for row in table.rows_of(node)] for node in range(table.n_variables)]

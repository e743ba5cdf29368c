"""Data for a graph: the columns of its nodes, with the states that it declares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.cli.data_options import DataOptions
from arcwise.errors import DataError

if TYPE_CHECKING:
    from arcwise.cli.graph_files import GraphFile
    from arcwise.data import Dataset

__all__ = ["read_data_for"]


def read_data_for(
    given: GraphFile, data: Path, reading: DataOptions, progress: bool | None, *, with_states: bool = True
) -> Dataset:
    """Read the columns of a graph's nodes: what else the file holds need not be discrete or complete.

    A list of arcs does not name all nodes, so that all columns are read. The states are those that a network declares,
    if it has any and `with_states` is True.
    """
    from arcwise.data.labels import quoted

    declared = None
    if given.network is not None and with_states:
        declared = dict(zip(given.network.names, given.network.states, strict=True))
    # Rows are grouped by what is needed, and by the states that a network declares.
    grouping = reading.grouping
    if given.names is not None:
        grouping = replace(grouping, columns=given.names, categories=declared or grouping.categories)
    table = reading.read_table(data, progress, grouping)
    if given.names is not None:
        missing = [name for name in given.names if name not in table.names]
        if missing:
            raise DataError(
                f"{table.prefix}there is no column {quoted(missing)} of the structure's nodes; the columns are "
                f"{quoted(table.names, 20)}."
            )
        table = table.select(given.names)
    return table.to_dataset(states=declared, categorical=reading.categorical)

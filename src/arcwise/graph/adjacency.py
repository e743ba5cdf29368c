"""Adjacency matrices as users hold them: arrays, nested lists, DataFrames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import GraphError

__all__ = ["read_matrix"]


def read_matrix(matrix: ArrayLike, names: Sequence[str] | None) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return the node names and where the matrix is not zero; anything but a square matrix of numbers is refused.

    A DataFrame names the nodes by its columns; its index, unless it is the default one, must say the same.
    """
    columns = getattr(matrix, "columns", None)
    if columns is not None:
        labels = [str(label) for label in columns]
        index = [str(label) for label in matrix.index]  # type: ignore[union-attr]
        if index not in (labels, [str(row) for row in range(len(index))]):
            raise GraphError("the index and the columns of the adjacency matrix name different nodes.")
        names = labels if names is None else names
    try:
        entries = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError("an adjacency matrix holds numbers: 0 for no arc, 1 for an arc.") from None
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {entries.shape}.")
    if np.isnan(entries).any():
        raise GraphError("the adjacency matrix has missing entries (NaN); write 0 for no arc.")
    if names is None:
        names = [f"X{v}" for v in range(len(entries))]
    if len(names) != len(entries):
        raise GraphError(f"{len(names)} names for an adjacency matrix of {len(entries)} nodes.")
    return tuple(names), entries != 0

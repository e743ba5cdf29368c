"""`EvidenceColumns`: the rows of a data set or table as evidence on a network's variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, Table
from arcwise.errors import DataError
from arcwise.model.network import BayesianNetwork

__all__ = ["EvidenceColumns"]


class EvidenceColumns:
    """Columns of states, in the network's coding, with gaps where a row does not observe a variable.

    Parameters
    ----------
    network
        The network.
    rows
        The data; columns that the network does not have are left aside.
    asked
        The variables asked for: their columns are left aside, too.
    given
        The state of every variable that all rows observe, else -1.
    """

    def __init__(
        self, network: BayesianNetwork, rows: Dataset | Table, asked: Sequence[int], given: Sequence[int]
    ) -> None:
        self._network = network
        self._rows = rows
        self._given = given
        self.n_rows = rows.n_rows
        self._columns = {network.index(name): c for c, name in enumerate(rows.names) if name in set(network.names)}
        for v in asked:
            self._columns.pop(v, None)
        twice = [network.names[v] for v in self._columns if given[v] >= 0]
        if twice:
            raise DataError(f"'{twice[0]}' is both in the rows and in the evidence of all rows; give it in one place.")
        known = {v for v, state in enumerate(given) if state >= 0}
        if rows.names and not self._columns and not known and not any(network.names[v] in rows.names for v in asked):
            raise DataError(
                f"no column of the rows is a variable of the network: the columns are {', '.join(rows.names[:10])}; "
                f"the variables are {', '.join(network.names[:10])}{', ...' if network.n_variables > 10 else ''}."
            )
        self._recodes = {v: self._recode(v, c) for v, c in self._columns.items()}

    def patterns(self) -> Iterator[tuple[NDArray[np.int64] | slice, list[int]]]:
        """Yield, for each set of variables that some rows observe, these rows and the variables."""
        everywhere = [v for v, state in enumerate(self._given) if state >= 0]
        gaps = {}
        for v, c in self._columns.items():
            missing = self._is_missing(c)
            if missing is None or not missing.any():
                everywhere.append(v)
            else:
                gaps[v] = missing
        if not gaps:
            yield slice(None), sorted(everywhere)
            return
        packed = np.packbits(np.stack(list(gaps.values())), axis=0)
        kinds, kind_of_row = np.unique(packed, axis=1, return_inverse=True)
        order = np.argsort(kind_of_row.ravel(), kind="stable")
        bounds = np.cumsum(np.bincount(kind_of_row.ravel(), minlength=kinds.shape[1]))
        for rows in np.split(order, bounds[:-1]):
            yield rows, sorted([*everywhere, *(v for v, missing in gaps.items() if not missing[rows[0]])])

    def codes(self, variables: Sequence[int], rows: NDArray[np.int64] | slice) -> NDArray[np.int32]:
        """Return the states of variables in rows that observe them all: one line per variable."""
        count = self.n_rows if isinstance(rows, slice) else len(rows)
        codes = np.empty((len(variables), count), dtype=np.int32)
        for line, v in enumerate(variables):
            codes[line] = self._given[v] if self._given[v] >= 0 else self._recodes[v][self._column(v)[rows]]
        return codes

    def describe(self, row: int, variables: Sequence[int]) -> str:
        """Return where a row is and what it observes: for messages."""
        parts = []
        for v in variables[:8]:
            state = int(self.codes([v], np.array([row]))[0, 0])
            parts.append(f"{self._network.names[v]}={self._network.states[v][state]}")
        listed = ", ".join(parts) + (", ..." if len(variables) > 8 else "")
        where = self._rows.where(row) if isinstance(self._rows, Table) else f"row {row:,}"
        return f"{where} ({listed})"

    def _column(self, v: int) -> NDArray[np.integer]:
        c = self._columns[v]
        return self._rows.codes[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].codes

    def _labels(self, c: int) -> tuple[str, ...]:
        return self._rows.states[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].labels

    def _is_missing(self, c: int) -> NDArray[np.bool_] | None:
        return None if isinstance(self._rows, Dataset) else self._rows.columns[c].is_missing

    def _recode(self, v: int, c: int) -> NDArray[np.int32]:
        """From the column's codes to the network's, -1 for a gap; a state that the network lacks is an error."""
        known = {state: code for code, state in enumerate(self._network.states[v])}
        labels = self._labels(c)
        recode = np.array([*(known.get(label, -1) for label in labels), -1], dtype=np.int32)
        unknown = np.flatnonzero(recode[: len(labels)] < 0)
        if not len(unknown):
            return recode
        codes = self._column(v)
        seen = unknown[np.isin(unknown, codes)]
        if len(seen):
            shown = np.count_nonzero(codes == seen[0])
            raise DataError(
                f"column '{self._network.names[v]}' has the state '{labels[seen[0]]}', which the network does not "
                f"know, in {shown:,} rows; the network's states are {', '.join(self._network.states[v])}."
            )
        return recode

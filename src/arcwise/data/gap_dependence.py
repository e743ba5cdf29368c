"""Which gaps depend on which observed values: what can be checked about why values are missing.

Values are missing completely at random if gaps depend on nothing, at random if they depend on observed values only. The
first can be refuted by data; that gaps depend on the missing values themselves can be neither seen nor excluded.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from arcwise.base.errors import DataWarning
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Incomplete
from arcwise.data.discretize import discretize
from arcwise.data.table import Table

if TYPE_CHECKING:
    import pandas as pd


# The level of the tests, after Holm's correction for their number.
LEVEL = 0.05
# Columns of text with more labels are no variables yet.
MOST_LABELS = 50


@one_screen
@dataclass(frozen=True, slots=True)
class GapDependence:
    """How the gaps of one variable go with the observed values of another.

    Parameters
    ----------
    variable, on
        The variable with gaps, and the other one.
    p_value
        Of the likelihood-ratio test of independence, times its place among all tests (Holm 1979), at most 1.
    least, most
        The states of the other variable with the smallest and the largest share of gaps.
    least_share, most_share
        These shares.
    """

    variable: str
    on: str
    p_value: float
    least: str
    least_share: float
    most: str
    most_share: float

    @property
    def is_clear(self) -> bool:
        """Whether the test refutes independence."""
        return self.p_value < LEVEL


def gap_dependences(data: Incomplete) -> tuple[GapDependence, ...]:
    """Test for every variable with gaps whether they depend on each other variable, where that is observed.

    All tests are returned, the clearest first. Holm's correction keeps the chance of any false alarm below the level.
    """
    weights = np.ones(data.n_rows) if data.held.weights is None else data.held.weights.astype(np.float64)
    found = []
    for v in np.flatnonzero(data.missing.any(axis=1)).tolist():
        for u in range(data.n_variables):
            if u == v:
                continue
            seen = ~data.missing[u]
            codes, gaps = data.held.codes[u][seen], data.missing[v][seen]
            counts = np.zeros((int(data.arities[u]), 2))
            np.add.at(counts, (codes, gaps.astype(np.intp)), weights[seen])
            shown = np.flatnonzero(counts.sum(axis=1) > 0)
            shares = counts[shown, 1] / counts[shown].sum(axis=1)
            extremes = [(data.states[u][shown[k]], float(shares[k])) for k in (shares.argmin(), shares.argmax())]
            found.append(
                GapDependence(data.names[v], data.names[u], _p_value(counts[shown]), *extremes[0], *extremes[1])
            )
    found.sort(key=lambda one: one.p_value)
    return _corrected(found)


def table_gap_dependences(table: Table) -> tuple[GapDependence, ...]:
    """Test the gaps of a table as it came: numbers in three intervals, without columns of very many labels."""
    told = [c.name for c in table.columns if c.n_missing < table.n_cases and len(c.labels) > 1]
    few = [name for name in told if table.column(name).is_continuous() or len(table.column(name).labels) <= MOST_LABELS]
    if len(few) < 2 or not any(table.column(name).n_missing for name in few):
        return ()
    chosen = table.select(few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        cut = discretize(chosen, method="quantile", without_cuts="drop")
        if len(cut.columns) < 2:
            return ()
        return gap_dependences(cut.to_incomplete(categorical=True))


def _p_value(counts: NDArray[np.float64]) -> float:
    """Return that of the G test of a table of two columns; 1 if there is nothing to test."""
    if len(counts) < 2 or (counts.sum(axis=0) == 0).any():
        return 1.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    some = counts > 0
    statistic = 2.0 * float((counts[some] * np.log(counts[some] / expected[some])).sum())
    return float(chdtrc(len(counts) - 1, max(statistic, 0.0)))


def _corrected(ordered: Sequence[GapDependence]) -> tuple[GapDependence, ...]:
    """Return rising p-values corrected by Holm's method."""
    corrected, so_far = [], 0.0
    for place, one in enumerate(ordered):
        so_far = max(so_far, min(1.0, one.p_value * (len(ordered) - place)))
        corrected.append(replace(one, p_value=so_far))
    return tuple(corrected)


def gap_frame(dependences: Sequence[GapDependence]) -> pd.DataFrame:
    """Return the tests as a table."""
    import pandas as pd

    return pd.DataFrame(list(map(asdict, dependences)), columns=[field.name for field in fields(GapDependence)])

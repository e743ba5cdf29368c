"""Counts: contingency tables of a data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import DataError

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset

__all__ = ["contingency"]

MAX_CELLS = 2**31  # 16 GB of counts


def contingency(data: Dataset, variables: Sequence[int]) -> NDArray[Any]:
    """Count the cases in each cell of `variables`; the result has one axis per variable, in the order given.

    Rows of a survey count for what they are worth, so that the counts are no
    whole numbers. The cost grows with rows x variables, plus the number of cells.
    """
    shape = _shape(data, variables)
    if data.is_survey:
        place = np.ravel_multi_index(tuple(data.codes[[*variables]].astype(np.int64)), shape)
        return np.bincount(place, data.worths, minlength=math.prod(shape)).reshape(shape)
    members = np.array(variables, dtype=np.int32)
    cells = _core.counts.count_cells(data.codes, data.arities, data.native_weights, members, math.prod(shape))
    return cells.reshape(shape)


def _shape(data: Dataset, variables: Sequence[int]) -> tuple[int, ...]:
    for v in variables:
        if not 0 <= v < data.n_variables:
            raise DataError(f"no variable at position {v}; the positions are 0 to {data.n_variables - 1}.")
    shape = tuple(int(data.arities[v]) for v in variables)
    if math.prod(shape) > MAX_CELLS:
        names = ", ".join([data.names[v] for v in variables[:6]] + ["..."] * (len(variables) > 6))
        raise DataError(
            f"a table over {names} has {math.prod(shape):,} cells; at most {MAX_CELLS:,} are counted densely."
        )
    return shape

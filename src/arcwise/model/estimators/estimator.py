"""What an estimator is: a function of the counts of one family, with a name and described parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError

__all__ = ["Estimator", "FamilyCounts", "posterior_mean"]


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """The counts of a variable and its parents.

    Parameters
    ----------
    child
        The variable.
    parents
        Its parents, in the order of the table: the first varies slowest.
    counts
        n_jk, of shape (q, r): one row per parent configuration, one column per state of the child.
    """

    child: str
    parents: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Estimator:
    """An estimator of a table.

    Parameters
    ----------
    summary
        What it computes, in a line.
    table
        The function: from the counts of a family and the parameters to probabilities of the same shape, with rows
        that are NaN where they are not defined.
    parameters
        The names of its parameters, with what they mean.
    """

    summary: str
    table: Callable[..., NDArray[np.float64]]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def check_parameters(self, name: str, given: Mapping[str, Any]) -> None:
        """Refuse parameters that the estimator does not have."""
        for parameter in given:
            if parameter not in self.parameters:
                takes = f"takes {', '.join(self.parameters)}" if self.parameters else "has no parameters"
                raise OptionError(f"estimator '{name}' has no parameter '{parameter}'; it {takes}.")


def posterior_mean(counts: NDArray[np.int64], alpha: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return (n_jk + a_jk) / (n_j + a_j), NaN in the rows where nothing was counted and nothing assumed."""
    weights = counts + alpha
    totals = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        table: NDArray[np.float64] = weights / totals
    return table

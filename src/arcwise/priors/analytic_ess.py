"""Steck's analytic equivalent sample size for a given graph (Steck 2008, section 4.2, eq. 18).

    alpha* = d_eff / ( E_data[log p(X)] - E_prior[log p(X)] )

with p the maximum-likelihood distribution of the graph, E_data its mean log-likelihood per case, E_prior the same mean
under the uniform prior distribution, and d_eff (eq. 15) the number of parameters that the data can show: cells that
occur, minus parent configurations that occur. It is small where the data are skewed or strongly dependent.

The prior expectation meets cells with no case, where log p is minus infinity. As in the paper, such a cell counts as
one case there: log(N+ / N_parents) with N+ = max(N, 1), and 0 for a parent configuration that does not occur. The sum
over the families is then a difference of functions of variable sets, so alpha* is the same for all members of an
equivalence class. (The "probabilities" of a row with an empty cell sum to more than 1. Normalising them gives smaller
values that depend on the member, and agrees with fewer rows of the paper's Table 1. bnlearn's alpha.star instead adds 1
to every cell, in both expectations, and counts r rather than r - 1 parameters for a variable without parents; its
values differ by a few per cent for that reason.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Cpdag, Dag
from arcwise.scores.score import families_of, family_counts

__all__ = ["AnalyticEss", "analytic_ess", "analytic_ess_of_class", "effective_parameters"]


@dataclass(frozen=True)
class AnalyticEss:
    """The analytic equivalent sample size of a graph, and its parts."""

    value: float  # alpha*
    effective_parameters: int  # d_eff
    data_expectation: float  # E_data[log p(X)], per case
    prior_expectation: float  # E_prior[log p(X)]


def effective_parameters(data: Dataset, dag: Dag) -> int:
    """Return d_eff (eq. 15): cells that occur, minus parent configurations that occur, over all families."""
    return sum(_effective(family_counts(data, child, sorted(ps))) for child, ps in families_of(data, dag))


def _effective(counts: np.ndarray) -> int:
    return int((counts > 0).sum()) - int((counts.sum(axis=1) > 0).sum())


def analytic_ess(data: Dataset, dag: Dag) -> AnalyticEss:
    """Return alpha* of a graph (eq. 18). The cost is one count of every family.

    All members of an equivalence class have the same alpha*: each part is a difference of functions of variable sets.
    """
    parameters, in_data, in_prior = 0, 0.0, 0.0
    for child, parents in families_of(data, dag):
        counts = family_counts(data, child, sorted(parents)).astype(np.float64)
        rows = counts.sum(axis=1, keepdims=True)
        seen = counts > 0
        parameters += _effective(counts)
        in_data += float((counts[seen] * np.log((counts / np.maximum(rows, 1))[seen])).sum()) / data.n_cases
        in_prior += float(np.log(np.maximum(counts, 1.0) / np.maximum(rows, 1.0)).mean())
    if not in_data > in_prior:
        raise OptionError(
            "the data are exactly as uniform as the prior: no equivalent sample size is better than another "
            "(the denominator of eq. 18 is zero)."
        )
    return AnalyticEss(parameters / (in_data - in_prior), parameters, in_data, in_prior)


def analytic_ess_of_class(data: Dataset, dag: Dag, *, most: int = 10_000) -> tuple[float, float]:
    """Return the least and the largest alpha* over the DAGs of the graph's equivalence class, at most `most` of them.

    A class with more members than `most` is refused, since a part of it could hide the extremes.
    """
    cpdag = Cpdag.from_dag(dag)
    if cpdag.size > most:
        raise OptionError(f"the class has {cpdag.size:,} members; the spread is found for at most {most:,}.")
    values = [analytic_ess(data, member).value for member in cpdag.members()]
    return min(values), max(values)

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, check_argument
from arcwise.base.options import load_figure
from arcwise.base.showing import one_screen
from arcwise.data.checks import refuse_targets
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Cpdag, Dag
from arcwise.priors.edge_prior import checked_sizes, log_bayes_factors
from arcwise.scores.score import families_of, family_counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@one_screen
@dataclass(frozen=True)
class AnalyticEss:
    """The analytic equivalent sample size of a graph, and its parts."""

    value: float  # alpha*
    effective_parameters: int  # d_eff
    data_expectation: float  # E_data[log p(X)], per case
    prior_expectation: float  # E_prior[log p(X)]
    names: tuple[str, ...]
    by_node: tuple[tuple[int, float], ...]  # d_eff and E_data - E_prior of each variable's family

    def to_frame(self) -> pd.DataFrame:
        """Return what each variable adds to the numerator and the denominator of eq. 18, in the order of the data."""
        import pandas as pd

        parameters, skewness = zip(*self.by_node, strict=True)
        return pd.DataFrame({"variable": self.names, "effective parameters": parameters, "skewness": skewness})

    def plot(self) -> Figure:
        """Plot both parts by variable: many parameters ask for a large ESS, skewed or dependent data for a small."""
        Figure = load_figure()
        frame = self.to_frame()[::-1]
        figure = Figure(figsize=(9, 0.25 * len(frame) + 1.5), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        left.barh(frame["variable"], frame["effective parameters"])
        left.set_xlabel(f"effective parameters (in total {self.effective_parameters:,})")
        right.barh(frame["variable"], frame["skewness"])
        right.set_xlabel("E_data − E_prior of log p, nats")
        figure.suptitle(f"alpha* = {self.value:.4g}: the sum of the left by the sum of the right")
        return figure


def effective_parameters(data: Dataset, dag: Dag) -> int:
    """Return d_eff (eq. 15): cells that occur, minus parent configurations that occur, over all families."""
    return sum(_effective(family_counts(data, child, sorted(ps))) for child, ps in families_of(data, dag))


def _effective(counts: np.ndarray) -> int:
    return int((counts > 0).sum()) - int((counts.sum(axis=1) > 0).sum())


def analytic_ess(data: Dataset, dag: Dag) -> AnalyticEss:
    """Return alpha* of a graph (eq. 18). The cost is one count of every family.

    All members of an equivalence class have the same alpha*: each part is a difference of functions of variable sets.
    """
    refuse_targets(data, "the analytic equivalent sample size")
    parameters, in_data, in_prior = 0, 0.0, 0.0
    by_node: dict[int, tuple[int, float]] = {}
    for child, parents in families_of(data, dag):
        counts = family_counts(data, child, sorted(parents)).astype(np.float64)
        rows = counts.sum(axis=1, keepdims=True)
        seen = counts > 0
        of_data = float((counts[seen] * np.log((counts / np.maximum(rows, 1))[seen])).sum()) / data.n_cases
        of_prior = float(np.log(np.maximum(counts, 1.0) / np.maximum(rows, 1.0)).mean())
        by_node[child] = (_effective(counts), of_data - of_prior)
        parameters += by_node[child][0]
        in_data += of_data
        in_prior += of_prior
    if not in_data > in_prior:
        raise OptionError(
            "the data are exactly as uniform as the prior: no equivalent sample size is better than another "
            "(the denominator of eq. 18 is zero)."
        )
    parts = tuple(by_node[v] for v in range(data.n_variables))
    return AnalyticEss(parameters / (in_data - in_prior), parameters, in_data, in_prior, data.names, parts)


def analytic_ess_of_class(data: Dataset, dag: Dag, *, most: int = 10_000) -> tuple[float, float]:
    """Return the least and the largest alpha* over the DAGs of the graph's equivalence class, at most `most` of them.

    A class with more members than `most` is refused, because a part of it could hide the extremes.
    """
    cpdag = Cpdag.from_dag(dag)
    if cpdag.size > most:
        raise OptionError(f"the class has {cpdag.size:,} members; the spread is found for at most {most:,}.")
    values = [analytic_ess(data, member).value for member in cpdag.members()]
    return min(values), max(values)


# Steck's Figure 1: how skewness alone, without any dependence, speaks for an edge as the ESS grows (section 3.3).
#
# Two binary variables are independent in the data, both with p(1) = z. The smaller z, the more skewed they are; the
# log Bayes factor for an edge between them (eq. 7) rises with the skewness, and above some ESS it is positive: the
# prior's imaginary cases are uniform, the real ones are not, and the mixture of two products is not a product.


@one_screen
@dataclass(frozen=True, eq=False)
class SkewnessEffect:
    """The log Bayes factor for an edge between two independent binary variables.

    Parameters
    ----------
    z
        The probability of state 1 of both variables, from 0 (constant) to 0.5 (uniform).
    ess
        The equivalent sample sizes.
    log_bayes_factors
        One row per ESS, one column per z.
    """

    n_cases: int
    z: NDArray[np.float64]
    ess: NDArray[np.float64]
    log_bayes_factors: NDArray[np.float64]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per z, one column per ESS."""
        import pandas as pd

        columns = {f"{ess:g}": values for ess, values in zip(self.ess, self.log_bayes_factors, strict=True)}
        return pd.DataFrame({"z": self.z, **columns})

    def plot(self) -> Figure:
        """Plot one curve per ESS over z; those above the number of cases are dashed, as in the paper."""
        Figure = load_figure()
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        for ess, values in zip(self.ess, self.log_bayes_factors, strict=True):
            axes.plot(self.z, values, "--" if ess > self.n_cases else "-", label=f"{ess:,g}")
        axes.set_xlabel("z: both variables have p(1) = z and are independent")
        axes.set_ylabel("log Bayes factor for the edge")
        axes.set_title(f"{self.n_cases:,} cases")
        axes.legend(title="ESS")
        return figure


def skewness_effect(
    n_cases: int = 100,
    *,
    z: Sequence[float] | NDArray[np.float64] | None = None,
    ess: Sequence[float] | NDArray[np.float64] = (1, 10, 100, 1_000, 10_000),
) -> SkewnessEffect:
    """Return the log Bayes factor (eq. 7) for independent variables with expected counts, over z and the ESS."""
    values = np.linspace(0, 0.5, 51) if z is None else np.asarray(z, dtype=np.float64)
    sizes = checked_sizes(ess)
    check_argument(n_cases >= 1, "n_cases", n_cases, "must be at least 1.")
    if values.ndim != 1 or not ((values >= 0) & (values <= 0.5)).all():
        raise OptionError("z must be probabilities from 0 to 0.5; above that the picture repeats itself.")
    margins = np.stack([1 - values, values], axis=1)
    tables = n_cases * margins[:, :, None, None] * margins[:, None, :, None]
    factors = np.stack([log_bayes_factors(table, sizes) for table in tables], axis=1)
    return SkewnessEffect(n_cases, values, sizes, factors)

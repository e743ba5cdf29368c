"""What the equivalent sample size does to one edge (Steck 2008, section 3).

The log Bayes factor of the edge B -> A, given the other parents P of A, is the difference of two BDeu scores, eq. (7).
For an ESS far above the number of cases N it behaves as eq. (8),

    N / (2 ess) (N U - d_F) + O(ess^-2),        d_F = |P| (|A| - 1) (|B| - 1),

with U the uniformity measure of the data. So a large ESS favours the edge if N U > d_F (Corollary 1), and U is large
not only if A and B depend on each other: two independent but skewed variables have it too. Then the prior, not the
data, makes the edge. (The paper states the error as O(N^2 / ess^2); the next term of eq. (9), with N_y^3 / ess_y^2,
makes it O(N^3 |A,B,P|^2 / ess^2): the power of ess is the same.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.priors.uniformity import uniformity
from arcwise.scores.bdeu import Bdeu
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["ESS_GRID", "EdgePrior", "edge_prior", "leading_order", "log_bayes_factors"]

ESS_GRID: NDArray[np.float64] = np.logspace(-3, 5, 81)

Cause = Literal["dependence", "skewness", "none"]


@one_screen
@dataclass(frozen=True, eq=False)
class EdgePrior:
    """An edge over the equivalent sample size.

    Parameters
    ----------
    ess, exact, approximate
        The grid, the exact log Bayes factor for the edge (eq. 7), and its leading order (eq. 8), which holds for an ESS
        far above N.
    uniformity, degrees_of_freedom
        U of the data and d_F.
    sign_changes
        The ESS values, solved to 1e-6 relative, at which the preference for or against the edge changes.
    alpha_plus
        Above this ESS the edge is favoured for good (Corollary 1's alpha+); None if a large ESS does not favour it.
    cause
        Why a large ESS favours the edge: "dependence" if a chi-squared test shows the two variables to depend on each
        other given the parents (p < 0.05), "skewness" if not, so that the prior makes the edge; "none" if it does not.
    """

    child: str
    parent: str
    given: tuple[str, ...]
    n_cases: int
    ess: NDArray[np.float64]
    exact: NDArray[np.float64]
    approximate: NDArray[np.float64]
    uniformity: float
    degrees_of_freedom: int
    dependence_p_value: float
    sign_changes: tuple[float, ...]
    alpha_plus: float | None
    cause: Cause

    @property
    def favoured_by_large_ess(self) -> bool:
        """Corollary 1: N U - d_F > 0."""
        return self.n_cases * self.uniformity > self.degrees_of_freedom

    def to_frame(self) -> pd.DataFrame:
        """Return one row per ESS: the log Bayes factor, exact and to leading order."""
        import pandas as pd

        return pd.DataFrame({"ess": self.ess, "log Bayes factor": self.exact, "leading order": self.approximate})

    def plot(self) -> Figure:
        """Plot the log Bayes factor over the ESS."""
        from arcwise.extras import load_figure

        Figure = load_figure()
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        axes.plot(self.ess, self.exact, label="exact (eq. 7)")
        far = self.ess >= self.n_cases
        axes.plot(self.ess[far], self.approximate[far], "--", label="large ESS (eq. 8)")
        if self.sign_changes:
            changes = ", ".join(f"{ess:.4g}" for ess in self.sign_changes)
            axes.plot(self.sign_changes, np.zeros(len(self.sign_changes)), "ko", label=f"change at {changes}")
        axes.set_xscale("log")
        # What matters is the sign, also where the factor is near 0, as it is for every large ESS.
        axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
        axes.set_xlabel("equivalent sample size")
        axes.set_ylabel("log Bayes factor for the edge")
        given = f" given {', '.join(self.given)}" if self.given else ""
        axes.set_title(f"{self.parent} → {self.child}{given}")
        axes.legend()
        return figure


def edge_prior(
    data: Dataset,
    *,
    child: str,
    parent: str,
    given: Sequence[str] = (),
    ess: Sequence[float] | NDArray[np.float64] | None = None,
) -> EdgePrior:
    """Analyse the edge parent -> child, given other parents of the child, over a grid of equivalent sample sizes.

    Cases in which the child was set are left out.
    """
    if child == parent or child in given or parent in given or len(set(given)) < len(given):
        raise OptionError(f"child '{child}', parent '{parent}' and the given {list(given)} must all be different.")
    a, b = data.index(child), data.index(parent)
    others = [data.index(name) for name in given]
    grid = ESS_GRID if ess is None else np.sort(np.asarray(ess, dtype=np.float64))
    if grid.ndim != 1 or len(grid) == 0 or not ((grid > 0) & np.isfinite(grid)).all():
        raise OptionError("the grid of equivalent sample sizes must be positive, finite numbers.")
    data = data.cases_without(child)
    counts = contingency(data, [a, b, *others])
    counts = counts.reshape(counts.shape[0], counts.shape[1], -1)
    exact = log_bayes_factors(counts, grid)
    changes = _sign_changes(counts, grid, exact)
    measure, freedom = uniformity(counts.astype(float)), _degrees_of_freedom(counts)
    favoured = data.n_cases * measure > freedom
    p_value = _dependence_p_value(counts)
    cause: Cause = "none" if not favoured else "dependence" if p_value < 0.05 else "skewness"
    alpha_plus = None
    if favoured and exact[-1] > 0:
        alpha_plus = changes[-1] if changes else float(grid[0])
    return EdgePrior(
        child=child,
        parent=parent,
        given=tuple(given),
        n_cases=data.n_cases,
        ess=grid,
        exact=exact,
        approximate=leading_order(counts, grid),
        uniformity=measure,
        degrees_of_freedom=freedom,
        dependence_p_value=p_value,
        sign_changes=changes,
        alpha_plus=alpha_plus,
        cause=cause,
    )


def log_bayes_factors(counts: NDArray[np.int64] | NDArray[np.float64], ess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return eq. (7) for each ESS: BDeu of A given B and P, minus BDeu of A given P. Axes of the counts: A, B, P."""
    table = cast("NDArray[np.int64]", counts.reshape(counts.shape[0], counts.shape[1], -1))  # expected counts will do
    with_edge = np.moveaxis(table, 0, -1).reshape(-1, table.shape[0])
    without = table.sum(axis=1).T.reshape(-1, table.shape[0])
    return np.array([Bdeu(ess=float(e)).local(with_edge) - Bdeu(ess=float(e)).local(without) for e in ess])


def leading_order(counts: NDArray[np.int64], ess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return eq. (8) for each ESS: N / (2 ess) (N U - d_F)."""
    cases = float(counts.sum())
    return cases / (2 * ess) * (cases * uniformity(counts.astype(float)) - _degrees_of_freedom(counts))


def _degrees_of_freedom(counts: NDArray[np.int64]) -> int:
    """Return d_F, not corrected for empty cells: it comes from the prior (Steck, footnote 1)."""
    contexts = math.prod(int(size) for size in counts.shape[2:])
    return contexts * (int(counts.shape[0]) - 1) * (int(counts.shape[1]) - 1)


def _sign_changes(
    counts: NDArray[np.int64], grid: NDArray[np.float64], exact: NDArray[np.float64]
) -> tuple[float, ...]:
    from scipy.optimize import brentq

    def at(x: float) -> float:
        return float(log_bayes_factors(counts, np.array([np.exp(x)]))[0])

    changes = []
    for k in np.flatnonzero(np.sign(exact[:-1]) * np.sign(exact[1:]) < 0):
        low, high = float(np.log(grid[k])), float(np.log(grid[k + 1]))
        ends = at(low), at(high)
        if ends[0] * ends[1] < 0:
            root = brentq(at, low, high, xtol=1e-7)
        else:  # an end is zero but for rounding, which exp(log(x)) makes fall on the other side
            root = low if abs(ends[0]) < abs(ends[1]) else high
        changes.append(float(np.exp(root)))
    return tuple(changes)


def _dependence_p_value(counts: NDArray[np.int64]) -> float:
    """Return the p-value of the G test of independence given P; empty rows and columns take no degree of freedom."""
    table = counts.astype(float)
    statistic, freedom = 0.0, 0
    for k in range(table.shape[2]):
        layer = table[:, :, k]
        rows, columns = layer.sum(axis=1), layer.sum(axis=0)
        if layer.sum() == 0:
            continue
        expected = np.outer(rows, columns) / layer.sum()
        seen = layer > 0
        statistic += 2 * float((layer[seen] * np.log(layer[seen] / expected[seen])).sum())
        freedom += (int((rows > 0).sum()) - 1) * (int((columns > 0).sum()) - 1)
    if freedom == 0:
        return 1.0
    return float(chdtrc(freedom, statistic))

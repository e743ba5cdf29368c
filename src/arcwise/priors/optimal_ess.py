"""Which equivalent sample size? Steck's ascent with the analytic alpha*, and the exact maximiser alpha^M.

Steck (2008, section 4.1) alternates: the best graph for an ESS, then the ESS for that graph by eq. (18), from the
BIC-optimal graph until alpha* changes by less than 0.1. The exact maximiser of max_G p(D | ESS, G) (eq. 11), and the
interval of ESS over which its graph stays optimal, are what Silander, Kontkanen and Myllymäki (2007) computed and what
alpha* approximates (Steck's Table 1: alpha^M and alpha^I).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Cpdag, Dag
from arcwise.limits import Status
from arcwise.priors.analytic_ess import analytic_ess, analytic_ess_of_class
from arcwise.priors.ess_solver import EssSolver
from arcwise.priors.optima import Learning, all_or_interrupt, find_optima, stays_optimal, worst_status
from arcwise.progress import ProgressCallback
from arcwise.scores import make_score
from arcwise.search import Optimum

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EssAscent", "EssMaximum", "ascend_ess", "maximise_ess"]

# A class with more DAGs than this is not searched for the spread of alpha*.
MOST_MEMBERS = 10_000


@dataclass(frozen=True, eq=False)
class EssAscent:
    """Steck's coordinate ascent.

    Parameters
    ----------
    alpha_star
        The equivalent sample size at the end.
    rounds
        How many times the graph was optimised for an ESS, k in Steck's Table 1 (the BIC-optimal graph is round 0).
    history
        alpha* after each round, the first from the BIC-optimal graph.
    n_arcs
        The number of arcs of the graph of each round.
    dag
        The last graph.
    spread
        The least and the largest alpha* over the DAGs of its equivalence class; None if there are too many.
    converged
        False if alpha* still moved after the last round allowed, or if the ascent came back to a graph it had before
        without settling.
    """

    alpha_star: float
    rounds: int
    history: tuple[float, ...]
    n_arcs: tuple[int, ...]
    dag: Dag
    spread: tuple[float, float] | None
    converged: bool
    status: Status

    def to_frame(self) -> pd.DataFrame:
        """Return one row per round: alpha* of its graph, and the graph's arcs."""
        import pandas as pd

        return pd.DataFrame({"round": range(len(self.history)), "alpha*": self.history, "arcs": self.n_arcs})

    def plot(self) -> Figure:
        """Plot alpha* and the number of arcs over the rounds."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 5), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(range(len(self.history)), self.history, marker="o")
        above.set_ylabel("alpha*")
        below.plot(range(len(self.n_arcs)), self.n_arcs, marker="o")
        below.set_ylabel("arcs of the graph")
        below.set_xlabel("round; 0 is the BIC-optimal graph")
        below.xaxis.get_major_locator().set_params(integer=True)
        below.yaxis.get_major_locator().set_params(integer=True)
        return figure


def ascend_ess(
    data: Dataset,
    *,
    tolerance: float = 0.1,
    most_rounds: int = 50,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> EssAscent:
    """Alternate between the best graph for an ESS and the analytic ESS for a graph, from the BIC-optimal graph."""
    if not tolerance > 0:
        raise OptionError(f"tolerance={tolerance!r} must be positive; Steck stops at a change below 0.1.")
    optima = all_or_interrupt(find_optima(data, [make_score("bic")], learning, progress=progress))
    solver = EssSolver(data, learning, progress=progress)
    history = [analytic_ess(data, optima[0].dag).value]
    converged = cycling = False
    while not (converged or cycling) and len(history) <= most_rounds:
        optima += all_or_interrupt(solver.solve([history[-1]], stage=f"ESS {history[-1]:.4g}"))
        history.append(analytic_ess(data, optima[-1].dag).value)
        converged = abs(history[-1] - history[-2]) < tolerance
        # Each graph determines the next: one that comes back begins a cycle, which alpha* never leaves.
        cycling = not converged and any(before.dag == optima[-1].dag for before in optima[1:-1])
    dag = optima[-1].dag
    small = Cpdag.from_dag(dag).size <= MOST_MEMBERS
    return EssAscent(
        alpha_star=history[-1],
        rounds=len(history) - 1,
        history=tuple(history),
        n_arcs=tuple(optimum.dag.n_arcs for optimum in optima),
        dag=dag,
        spread=analytic_ess_of_class(data, dag, most=MOST_MEMBERS) if small else None,
        converged=converged,
        status=worst_status(optima),
    )


@dataclass(frozen=True, eq=False)
class EssMaximum:
    """The exact maximiser of max_G p(D | ESS, G).

    Parameters
    ----------
    alpha_max
        alpha^M, to the given accuracy.
    score
        The log marginal likelihood there.
    interval
        The ends of the ESS interval around alpha^M over which the network stays optimal; an end at
        the limit of the search range is that limit.
    integers
        The whole numbers in the interval, as Silander et al. report them: (first, last), or None if there is none.
    best_integer
        The whole number in the search range at which the optimal score is highest.
    ess, scores, n_arcs
        The grid over the search range, the score of the optimal network at each value, and its arcs.
    """

    alpha_max: float
    score: float
    interval: tuple[float, float]
    integers: tuple[int, int] | None
    best_integer: int
    dag: Dag
    ess: NDArray[np.float64]
    scores: NDArray[np.float64]
    n_arcs: NDArray[np.int64]
    status: Status

    def to_frame(self) -> pd.DataFrame:
        """Return one row per value of the grid."""
        import pandas as pd

        return pd.DataFrame({"ess": self.ess, "score": self.scores, "arcs": self.n_arcs})

    def plot(self) -> Figure:
        """Plot the score of the optimal network over the ESS, its maximum, and where its network stays optimal."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        axes.axvspan(*self.interval, color="0.9", label="the best network stays optimal")
        axes.plot(self.ess, self.scores)
        axes.plot([self.alpha_max], [self.score], "o", label=f"maximum, at {self.alpha_max:.4g}")
        axes.set_xscale("log")
        axes.set_xlabel("equivalent sample size")
        axes.set_ylabel("optimal log score")
        axes.legend()
        return figure


def maximise_ess(
    data: Dataset,
    *,
    low: float = 0.01,
    high: float = 10_000.0,
    accuracy: float = 1e-3,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> EssMaximum:
    """Maximise the optimal score over the equivalent sample size, between `low` and `high`.

    max_G p(D | ESS, G) is the upper envelope of one smooth curve per graph. It is evaluated on a logarithmic grid;
    around the best value, the curve of that graph is maximised, and the graph is optimised again, until the graph
    stays: then both coordinates are at their optimum. The ends of the interval are found by bisection on the logarithm,
    each step an exact search.
    """
    if not 0 < low < high < math.inf:
        raise OptionError(f"the range of the search, {low!r} to {high!r}, must be positive and ascending.")
    grid = np.geomspace(low, high, 60)
    solver = EssSolver(data, learning, progress=progress)
    path = all_or_interrupt(solver.solve(grid, stage="ESS grid"))
    best = int(np.argmax([optimum.score for optimum in path]))
    bracket = (float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)]))
    alpha, optimum = float(grid[best]), path[best]
    seen = [*path]
    while True:
        alpha = _maximise_for(data, optimum.dag, *bracket)
        again = _solve(solver, alpha)
        seen.append(again)
        if stays_optimal(data, optimum.dag, make_score("bdeu", ess=alpha), again):
            break
        optimum = again
    edge = math.log1p(accuracy)
    lower = _end(data, solver, optimum, alpha, grid[:best][::-1], path[:best][::-1], edge, seen)
    upper = _end(data, solver, optimum, alpha, grid[best + 1 :], path[best + 1 :], edge, seen)
    interval = (low if lower is None else lower, high if upper is None else upper)
    first, last = math.ceil(interval[0] - 1e-9), math.floor(interval[1] + 1e-9)
    around = [value for value in {math.floor(alpha), math.ceil(alpha)} if value >= 1]
    integer_scores = {value: _solve(solver, float(value)).score for value in around}
    return EssMaximum(
        alpha_max=alpha,
        score=make_score("bdeu", ess=alpha).score_network(data, optimum.dag),
        interval=interval,
        integers=(max(first, 1), last) if last >= max(first, 1) else None,
        best_integer=max(integer_scores, key=lambda value: (integer_scores[value], -value)),
        dag=optimum.dag,
        ess=grid,
        scores=np.array([found.score for found in path]),
        n_arcs=np.array([found.dag.n_arcs for found in path], dtype=np.int64),
        status=worst_status(seen),
    )


def _solve(solver: EssSolver, ess: float) -> Optimum:
    return all_or_interrupt(solver.solve([ess]))[0]


def _maximise_for(data: Dataset, dag: Dag, low: float, high: float) -> float:
    """Return the ESS between low and high at which one graph's score is highest."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda x: -make_score("bdeu", ess=math.exp(x)).score_network(data, dag),
        bounds=(math.log(low), math.log(high)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return math.exp(float(found.x))


def _end(
    data: Dataset,
    solver: EssSolver,
    optimum: Optimum,
    alpha: float,
    grid: np.ndarray,
    path: list[Optimum],
    edge: float,
    seen: list[Optimum],
) -> float | None:
    """Return where the network stops being optimal, outwards from alpha over the grid; None if it does not."""
    inside, outside = math.log(alpha), None
    for value, other in zip(grid, path, strict=True):
        if not stays_optimal(data, optimum.dag, make_score("bdeu", ess=float(value)), other):
            outside = math.log(float(value))
            break
        inside = math.log(float(value))
    if outside is None:
        return None
    while abs(outside - inside) > edge:
        middle = (inside + outside) / 2
        found = _solve(solver, math.exp(middle))
        seen.append(found)
        if stays_optimal(data, optimum.dag, make_score("bdeu", ess=math.exp(middle)), found):
            inside = middle
        else:
            outside = middle
    return math.exp(inside)

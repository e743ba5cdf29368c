"""Which equivalent sample size? Steck's ascent with the analytic alpha*, and the exact maximiser alpha^M.

Steck (2008, section 4.1) alternates: the best graph for an ESS, then the ESS for that graph by eq. (18), from the
BIC-optimal graph until alpha* changes by less than 0.1. The exact maximiser of max_G p(D | ESS, G) (eq. 11), and the
interval of ESS over which its graph stays optimal, are what Silander, Kontkanen and Myllymäki (2007) computed and what
alpha* approximates (Steck's Table 1: alpha^M and alpha^I).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, Remedy, UnfinishedError, check_argument
from arcwise.base.options import load_figure
from arcwise.base.run import ProgressCallback, Run, Status
from arcwise.base.showing import one_screen
from arcwise.data.checks import refuse_targets
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Cpdag, Dag
from arcwise.priors.analytic_ess import analytic_ess
from arcwise.priors.ess_path import EnvelopePiece, EssSolver, curve, trace_envelope
from arcwise.priors.optima import LearnedNetwork, Learning, all_or_interrupt, find_optima, stays_optimal, worst_status
from arcwise.scores.registry import make_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# A class with more DAGs than this is not searched for the spread of alpha*.
MOST_MEMBERS = 10_000
# The BIC-optimal graph, where the ascent begins, gets this part of the time.
FIRST_SHARE = 0.5
# Where the optimal score is within this of its highest value on the grid, the pieces of its envelope are found.
NEAR = 3.0


@one_screen
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
        The least and the largest alpha* over the DAGs of its equivalence class; None if there are too many, or if there
        was no time for all of them.
    converged
        False if alpha* still moved after the last round allowed, if the ascent came back to a graph it had before
        without settling, or if Ctrl-C or the time limit ended it.
    status
        INTERRUPTED if Ctrl-C, TIME_LIMIT if the time limit ended the ascent after the round that is the last here.
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
        Figure = load_figure()
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
    """Alternate between the best graph for an ESS and the analytic ESS for a graph, from the BIC-optimal graph.

    The graphs are those of an exact search, or of a local one (`Learning.search`) where there are many variables.
    Ctrl-C and the time limit end the ascent with the rounds that are finished; Ctrl-C before the first graph raises
    KeyboardInterrupt.
    """
    check_argument(tolerance > 0, "tolerance", tolerance, "must be positive; Steck stops at a change below 0.1.")
    refuse_targets(data, "the ascent to an equivalent sample size")
    run = learning.run
    first = learning.within(run.share(FIRST_SHARE))
    optima = all_or_interrupt(find_optima(data, [make_score("bic")], first, progress=progress))
    history = [analytic_ess(data, optima[0].dag).value]
    converged = cycling = interrupted = False
    try:
        solver = EssSolver(data, learning.within(run), progress=progress)
        while not (converged or cycling or run.is_over) and len(history) <= most_rounds:
            found = all_or_interrupt(solver.solve([history[-1]], stage=f"ESS {history[-1]:.4g}"))[0]
            history.append(analytic_ess(data, found.dag).value)
            optima.append(found)
            converged = abs(history[-1] - history[-2]) < tolerance
            # Each graph determines the next: one that comes back begins a cycle, which alpha* never leaves.
            cycling = not converged and any(before.dag == found.dag for before in optima[1:-1])
    except KeyboardInterrupt:
        interrupted = True
        history = history[: len(optima)]
    dag = optima[-1].dag
    cut = Status.INTERRUPTED if interrupted else worst_status(optima)
    if cut is Status.COMPLETE and not (converged or cycling):
        cut = run.status
    return EssAscent(
        alpha_star=history[-1],
        rounds=len(history) - 1,
        history=tuple(history),
        n_arcs=tuple(optimum.dag.n_arcs for optimum in optima),
        dag=dag,
        spread=_spread(data, dag, run),
        converged=converged,
        status=cut,
    )


def _spread(data: Dataset, dag: Dag, run: Run) -> tuple[float, float] | None:
    """Return the least and the largest alpha* of a class; None if it has too many members or there is no time."""
    cpdag = Cpdag.from_dag(dag)
    if cpdag.size > MOST_MEMBERS:
        return None
    members = itertools.takewhile(lambda member: not run.is_over, cpdag.members())
    found = [analytic_ess(data, member).value for member in members]
    return None if len(found) < cpdag.size else (min(found), max(found))


@one_screen
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
    best_integer
        The whole number at which the optimal score is highest: alpha^M as Silander et al. report it.
    integers
        The first and the last whole number around it at which the network that is optimal there stays optimal. (It is
        the network of `alpha_max` unless that one's interval holds no whole number, as for the wine data.)
    ess, scores, n_arcs
        The grid over the search range, the score of the optimal network at each value, and its arcs.
    """

    alpha_max: float
    score: float
    interval: tuple[float, float]
    integers: tuple[int, int]
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
        Figure = load_figure()
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

    max_G p(D | ESS, G) is the upper envelope of one smooth curve per graph, and may have several peaks. It is evaluated
    on a logarithmic grid; wherever that comes near its highest value, the pieces of the envelope are found
    (`trace_envelope`), and the curve of each piece is maximised. The ends of the interval over which the best graph
    stays optimal are found by bisection on the logarithm, to a relative `accuracy`, each step an exact search. The
    maximum of a part of the range is not an answer: Ctrl-C raises KeyboardInterrupt, and a time limit during the grid
    UnfinishedError. After the grid, a time limit leaves pieces and ends as they are found by then, with that status.
    """
    if not 0 < low < high < math.inf:
        raise OptionError(f"the range of the search, {low!r} to {high!r}, must be positive and ascending.")
    grid = np.geomspace(low, high, 60)
    solver = EssSolver(data, learning, progress=progress)
    path = all_or_interrupt(solver.solve(grid, stage="ESS grid"))
    if len(path) < len(grid):
        raise UnfinishedError(
            f"the time limit came after {len(path)} of the {len(grid)} sample sizes of the grid: which one has the "
            "highest score is not known.",
            remedies=Remedy("allow more time, or search locally"),
        )
    scores = np.array([optimum.score for optimum in path])
    seen = [*path]
    near = np.flatnonzero(scores >= scores.max() - NEAR)
    first, last = max(int(near[0]) - 1, 0), min(int(near[-1]) + 1, len(grid) - 1)
    pieces = trace_envelope(data, solver, grid[first : last + 1], path[first : last + 1], seen)
    best = max(pieces, key=lambda piece: piece.score)
    edge = math.log1p(accuracy)

    def interval_of(dag: Dag, start: float) -> tuple[float, float]:
        ends = []
        for side, limit in ((np.flatnonzero(grid < start)[::-1], low), (np.flatnonzero(grid > start), high)):
            beyond = [path[k] for k in side]
            end = _end(data, solver, dag, start, grid=grid[side], path=beyond, edge=edge, seen=seen)
            ends.append(limit if end is None else end)
        return ends[0], ends[1]

    interval = interval_of(best.dag, best.best)
    best_integer = _best_integer(data, solver, pieces)
    at_integer = _solve(solver, float(best_integer))
    around = interval
    if not stays_optimal(data, best.dag, make_score("bdeu", ess=float(best_integer)), at_integer):
        around = interval_of(at_integer.dag, float(best_integer))
    integers = max(math.ceil(around[0] - 1e-9), 1), max(math.floor(around[1] + 1e-9), best_integer)
    return EssMaximum(
        alpha_max=best.best,
        score=best.score,
        interval=interval,
        integers=integers,
        best_integer=best_integer,
        dag=best.dag,
        ess=grid,
        scores=scores,
        n_arcs=np.array([found.dag.n_arcs for found in path], dtype=np.int64),
        status=worst_status(seen) if not solver.is_over else Status.TIME_LIMIT,
    )


def _best_integer(data: Dataset, solver: EssSolver, pieces: list[EnvelopePiece]) -> int:
    """Return the whole number with the highest optimal score: in each piece, one next to the maximum of its curve."""
    scores: dict[int, float] = {}
    for piece in pieces:
        inside = range(max(math.ceil(piece.low), 1), math.floor(piece.high) + 1)
        for value in {math.floor(piece.best), math.ceil(piece.best)} & set(inside):
            scores[value] = max(scores.get(value, -math.inf), curve(data, piece.dag, float(value)))
    if not scores:  # all of the envelope near its maximum lies between two whole numbers
        around = {max(math.floor(pieces[0].low), 1), math.ceil(pieces[-1].high)}
        scores = {value: _solve(solver, float(value)).score for value in around}
    return max(scores, key=lambda value: (scores[value], -value))


def _solve(solver: EssSolver, ess: float) -> LearnedNetwork:
    return all_or_interrupt(solver.solve([ess]))[0]


def _end(
    data: Dataset,
    solver: EssSolver,
    dag: Dag,
    start: float,
    *,
    grid: NDArray[np.float64],
    path: list[LearnedNetwork],
    edge: float,
    seen: list[LearnedNetwork],
) -> float | None:
    """Return where the network stops being optimal, outwards from the start over the grid; None if it does not."""
    inside = start
    for outside, other in zip(grid.tolist(), path, strict=True):
        if not stays_optimal(data, dag, make_score("bdeu", ess=outside), other):
            break
        inside = outside
    else:
        return None
    inside, outside = math.log(inside), math.log(outside)
    while abs(outside - inside) > edge and not solver.is_over:
        middle = (inside + outside) / 2
        found = _solve(solver, math.exp(middle))
        seen.append(found)
        if stays_optimal(data, dag, make_score("bdeu", ess=math.exp(middle)), found):
            inside = middle
        else:
            outside = middle
    return math.exp(inside)

"""Which equivalent sample size? Steck's ascent with the analytic alpha*, and the exact maximiser alpha^M.

Steck (2008, section 4.1) alternates: the best graph for an ESS, then the ESS for that graph by eq. (18), from the
BIC-optimal graph until alpha* changes by less than 0.1. The exact maximiser of max_G p(D | ESS, G) (eq. 11), and the
interval of ESS over which its graph stays optimal, are what Silander, Kontkanen and Myllymäki (2007) computed and what
alpha* approximates (Steck's Table 1: alpha^M and alpha^I).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, Remedy, UnfinishedError, check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Status
from arcwise.base.showing import data_frame, one_screen
from arcwise.data.checks import refuse_targets
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.graph.dag import Cpdag, Dag
from arcwise.plotting.layout import new_figure
from arcwise.priors import optima
from arcwise.priors.ess_path import EnvelopePiece, EssSolver, curve, trace_envelope
from arcwise.priors.optima import LearnedNetwork, Learning
from arcwise.scores.registry import make_score
from arcwise.scores.score import families_of, family_counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# Steck's analytic equivalent sample size for a given graph (Steck 2008, section 4.2, eq. 18).
#
#     alpha* = d_eff / ( E_data[log p(X)] - E_prior[log p(X)] )
#
# with p the maximum-likelihood distribution of the graph, E_data its mean log-likelihood per case, E_prior the same
# mean under the uniform prior distribution, and d_eff (eq. 15) the number of parameters that the data can show: cells
# that occur, minus parent configurations that occur. It is small where the data are skewed or strongly dependent.
#
# The prior expectation meets cells with no case, where log p is minus infinity. As in the paper, such a cell counts as
# one case there: log(N+ / N_parents) with N+ = max(N, 1), and 0 for a parent configuration that does not occur. The sum
# over the families is then a difference of functions of variable sets, so alpha* is the same for all members of an
# equivalence class. (The "probabilities" of a row with an empty cell sum to more than 1. Normalising them gives smaller
# values that depend on the member, and agrees with fewer rows of the paper's Table 1. bnlearn's alpha.star instead adds
# 1 to every cell, in both expectations, and counts r rather than r - 1 parameters for a variable without parents; its
# values differ by a few per cent for that reason.)


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
        parameters, skewness = zip(*self.by_node, strict=True)
        return data_frame({"variable": self.names, "effective parameters": parameters, "skewness": skewness})

    def plot(self) -> Figure:
        """Plot both parts by variable: many parameters ask for a large ESS, skewed or dependent data for a small."""
        frame = self.to_frame()[::-1]
        figure = new_figure(9, 0.25 * len(frame) + 1.5)
        left, right = figure.subplots(1, 2, sharey=True)
        left.barh(frame["variable"], frame["effective parameters"])
        left.set_xlabel(f"effective parameters (in total {self.effective_parameters:,})")
        right.barh(frame["variable"], frame["skewness"])
        right.set_xlabel("E_data − E_prior of log p, nats")
        figure.suptitle(f"alpha* = {self.value:.4g}: the sum of the left by the sum of the right")
        return figure


def effective_parameters(data: Dataset | Frame, dag: Dag) -> int:
    """Return d_eff (eq. 15): cells that occur, minus parent configurations that occur, over all families."""
    data = states_of(data)
    return sum(_effective(family_counts(data, child, sorted(ps))) for child, ps in families_of(data, dag))


def _effective(counts: np.ndarray) -> int:
    return int((counts > 0).sum()) - int((counts.sum(axis=1) > 0).sum())


def analytic_ess(data: Dataset | Frame, dag: Dag) -> AnalyticEss:
    """Return alpha* of a graph (eq. 18). The cost is one count of every family.

    All members of an equivalence class have the same alpha*: each part is a difference of functions of variable sets.
    """
    data = states_of(data)
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


def analytic_ess_of_class(data: Dataset | Frame, dag: Dag, *, most: int = 10_000) -> tuple[float, float]:
    """Return the least and the largest alpha* over the DAGs of the graph's equivalence class, at most `most` of them.

    A class with more members than `most` is refused, because a part of it could hide the extremes.
    """
    data = states_of(data)
    found = _spread(data, dag, Run(), most)
    if found is None:
        raise OptionError(f"the class has {dag.cpdag.size:,} members; the spread is found for at most {most:,}.")
    return found


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
        columns = {f"{ess:g}": values for ess, values in zip(self.ess, self.log_bayes_factors, strict=True)}
        return data_frame({"z": self.z, **columns})

    def plot(self) -> Figure:
        """Plot one curve per ESS over z; those above the number of cases are dashed, as in the paper."""
        figure = new_figure(6, 4)
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        for ess, values in zip(self.ess, self.log_bayes_factors, strict=True):
            axes.plot(self.z, values, "--" if ess > self.n_cases else "-", label=f"{ess:,g}")
        axes.set(
            xlabel="z: both variables have p(1) = z and are independent",
            ylabel="log Bayes factor for the edge",
            title=f"{self.n_cases:,} rows",
        )
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
    sizes = optima.checked_sizes(ess)
    check_argument(n_cases >= 1, "n_cases", n_cases, "must be at least 1.")
    if values.ndim != 1 or not ((values >= 0) & (values <= 0.5)).all():
        raise OptionError("z must be probabilities from 0 to 0.5; above that the picture repeats itself.")
    margins = np.stack([1 - values, values], axis=1)
    tables = n_cases * margins[:, :, None, None] * margins[:, None, :, None]
    factors = np.stack([optima.log_bayes_factors(table, sizes) for table in tables], axis=1)
    return SkewnessEffect(n_cases, values, sizes, factors)


# Steck's ascent with alpha*, and the exact maximiser.


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
        return data_frame({"round": range(len(self.history)), "alpha*": self.history, "arcs": self.n_arcs})

    def plot(self) -> Figure:
        """Plot alpha* and the number of arcs over the rounds."""
        figure = new_figure(6, 5)
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(range(len(self.history)), self.history, marker="o")
        above.set_ylabel("alpha*")
        below.plot(range(len(self.n_arcs)), self.n_arcs, marker="o")
        below.set(ylabel="arcs of the graph", xlabel="round; 0 is the BIC-optimal graph")
        below.xaxis.get_major_locator().set_params(integer=True)
        below.yaxis.get_major_locator().set_params(integer=True)
        return figure


def ascend_ess(
    data: Dataset | Frame,
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
    data = states_of(data)
    check_argument(tolerance > 0, "tolerance", tolerance, "must be positive; Steck stops at a change below 0.1.")
    refuse_targets(data, "the ascent to an equivalent sample size")
    run = learning.run
    first = learning.within(run.share(FIRST_SHARE))
    learned = optima.all_or_interrupt(optima.find_optima(data, [make_score("bic")], first, progress=progress))
    history = [analytic_ess(data, learned[0].dag).value]
    converged = cycling = interrupted = False
    try:
        solver = EssSolver(data, learning.within(run), progress=progress)
        while not (converged or cycling or run.is_over) and len(history) <= most_rounds:
            found = optima.all_or_interrupt(solver.solve([history[-1]], stage=f"ESS {history[-1]:.4g}"))[0]
            history.append(analytic_ess(data, found.dag).value)
            learned.append(found)
            converged = abs(history[-1] - history[-2]) < tolerance
            # Each graph determines the next: one that comes back begins a cycle, which alpha* never leaves.
            cycling = not converged and any(before.dag == found.dag for before in learned[1:-1])
    except KeyboardInterrupt:
        interrupted = True
        history = history[: len(learned)]
    dag = learned[-1].dag
    cut = Status.INTERRUPTED if interrupted else optima.worst_status(learned)
    if cut is Status.COMPLETE and not (converged or cycling):
        cut = run.status
    return EssAscent(
        alpha_star=history[-1],
        rounds=len(history) - 1,
        history=tuple(history),
        n_arcs=tuple(optimum.dag.n_arcs for optimum in learned),
        dag=dag,
        spread=_spread(data, dag, run),
        converged=converged,
        status=cut,
    )


def _spread(data: Dataset, dag: Dag, run: Run, most: int = MOST_MEMBERS) -> tuple[float, float] | None:
    """Return the least and the largest alpha* of a class; None if it has too many members or there is no time."""
    cpdag = Cpdag.from_dag(dag)
    if cpdag.size > most:
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
        return data_frame({"ess": self.ess, "score": self.scores, "arcs": self.n_arcs})

    def plot(self) -> Figure:
        """Plot the score of the optimal network over the ESS, its maximum, and where its network stays optimal."""
        figure = new_figure(6, 4)
        axes = figure.subplots()
        axes.axvspan(*self.interval, color="0.9", label="the best network stays optimal")
        axes.plot(self.ess, self.scores)
        axes.plot([self.alpha_max], [self.score], "o", label=f"maximum, at {self.alpha_max:.4g}")
        axes.set(xscale="log", xlabel="equivalent sample size", ylabel="optimal log score")
        axes.legend()
        return figure


def maximise_ess(
    data: Dataset | Frame,
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
    data = states_of(data)
    if not 0 < low < high < math.inf:
        raise OptionError(f"the range of the search, {low!r} to {high!r}, must be positive and ascending.")
    grid = np.geomspace(low, high, 60)
    solver = EssSolver(data, learning, progress=progress)
    path = optima.all_or_interrupt(solver.solve(grid, stage="ESS grid"))
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
    if not optima.stays_optimal(data, best.dag, make_score("bdeu", ess=float(best_integer)), at_integer):
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
        status=optima.worst_status(seen) if not solver.is_over else Status.TIME_LIMIT,
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
    return optima.all_or_interrupt(solver.solve([ess]))[0]


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
        if not optima.stays_optimal(data, dag, make_score("bdeu", ess=outside), other):
            break
        inside = outside
    else:
        return None
    inside, outside = math.log(inside), math.log(outside)
    while abs(outside - inside) > edge and not solver.is_over:
        middle = (inside + outside) / 2
        found = _solve(solver, math.exp(middle))
        seen.append(found)
        if optima.stays_optimal(data, dag, make_score("bdeu", ess=math.exp(middle)), found):
            inside = middle
        else:
            outside = middle
    return math.exp(inside)

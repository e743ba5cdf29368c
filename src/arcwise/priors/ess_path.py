"""The optimal network as a function of the equivalent sample size, and of the number of cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ConstraintError, DataError, check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Seed, Status
from arcwise.base.showing import data_frame, one_screen
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.evaluate.comparison import shd
from arcwise.evaluate.prediction import accuracy_score
from arcwise.graph.constraints import assert_obeys
from arcwise.graph.dag import Dag
from arcwise.model.fitting import fit_parameters
from arcwise.model.network import BayesianNetwork
from arcwise.parent_sets.build import allowed_families
from arcwise.plotting.charts import two_axes_or_new
from arcwise.plotting.layout import new_figure
from arcwise.priors import optima
from arcwise.priors.optima import LearnedNetwork, Learning
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, check_cases

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from arcwise._core.priors import CountSpectra, EssOptimizer


# `EssSolver`: the BDeu-optimal network at any equivalent sample size, from data that were counted once.
#
# BDeu depends on the data through the multiset of counts of every set of variables. For up to 20 variables all those
# multisets are kept (cpp/core/priors/count_spectra.hpp), and a new size costs no look at the data, no pruning and no
# table of parent sets: some milliseconds for 14 variables. For more variables each batch of sizes gets tables of
# parent sets, counted together, and the exact search on each; so it is, without tables, for a local search.


class EssSolver:
    """Finds optimal networks for one data set at one equivalent sample size after the other.

    The time limit of `learning` is for the counting, which then ends with the sets of a smaller number of parents (and
    that status on every network), and for all that is solved afterwards.
    """

    def __init__(
        self,
        data: Dataset,
        learning: Learning = Learning(),  # noqa: B008
        *,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        self._data = check_cases(data)
        self._run = learning.run.replace(progress=progress)
        self._learning = learning.within(self._run)
        self._status = Status.COMPLETE
        self._optimizer: EssOptimizer | None = None
        self._rules = _family_rules(data, learning)
        if self._fits():
            self._optimizer = self._count()

    @property
    def keeps_counts(self) -> bool:
        """Whether the counts of all sets are kept; not for many variables, in little memory, or for a local search."""
        return self._optimizer is not None

    def solve(self, ess: Sequence[float] | NDArray[np.float64], *, stage: str = "ESS") -> list[LearnedNetwork]:
        """Return the optimal network for each equivalent sample size.

        Ctrl-C returns the networks found so far, the last with the status INTERRUPTED; if there is none yet, it raises
        KeyboardInterrupt. The time limit does the same with the status TIME_LIMIT, but there is always a first network.
        """
        sizes = optima.checked_sizes(ess)
        if self._optimizer is None:
            return self._from_tables([make_score("bdeu", ess=float(value)) for value in sizes], stage)
        return self._rescore(self._optimizer, sizes, averaged=False, stage=stage)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._run.is_over

    def solve_with_average(
        self, ess: Sequence[float] | NDArray[np.float64], *, stage: str = "ESS"
    ) -> tuple[list[LearnedNetwork], LearnedNetwork | None]:
        """Return the networks of `solve`, and the optimal network under the mean of the log scores over all sizes.

        The latter is that of the score `bdeu_averaged` with this grid; None if Ctrl-C or the time limit came before it.
        """
        sizes = optima.checked_sizes(ess)
        if self._optimizer is None:
            averaged = make_score("bdeu_averaged", grid=tuple(sizes.tolist()))
            scores = [make_score("bdeu", ess=float(value)) for value in sizes]
            found = self._from_tables([*scores, averaged], stage)
        else:
            found = self._rescore(self._optimizer, sizes, averaged=True, stage=stage)
        return found[: len(sizes)], found[-1] if len(found) == len(sizes) + 1 else None

    def _from_tables(self, scores: Sequence[Score], stage: str) -> list[LearnedNetwork]:
        return optima.find_optima(
            self._data, scores, self._learning, partly=True, progress=self._run.progress, stage=stage
        )

    def _fits(self) -> bool:
        learning = self._learning
        n = self._data.n_variables
        if self._data.targets is not None:  # one set of counts would not serve all children
            return False
        if learning.search != "exact" or n > _core.priors.CountSpectra.largest or self._data.n_cases >= 2**31:
            return False
        return _core.priors.EssOptimizer.memory_for(n, 1) < self._run.given.native_memory

    @cached_property
    def _threads(self) -> int:
        """As many as were asked for and have memory: each takes some, and none changes a result."""
        needed, given = _core.priors.EssOptimizer.memory_for, self._run.given.native_memory
        threads = self._run.thread_count
        while threads > 1 and needed(self._data.n_variables, threads) >= given:
            threads -= 1
        return threads

    def _count(self) -> EssOptimizer | None:
        """Count all sets of up to the largest family's size, one size after the other, as the builder of tables does.

        None if the memory limit does not hold the counts: tables, which forget the counts of one level when they have
        those of the next, may do.
        """
        data = self._data
        required, _, limits = self._rules
        spectra: CountSpectra = _core.priors.make_spectra(data.codes, data.arities, data.native_weights)
        last = min(data.n_variables, max(limits, default=0) + 1)
        least = max((mask.bit_count() for mask in required), default=0) + 1  # without these there is no network
        with self._run.share(optima.TABLE_SHARE).shown() as run:
            while spectra.level < last:
                size = spectra.level + 1
                left = math.inf if size <= least else run.seconds_left
                report = run.native_report(f"counting sets of {size}")
                memory = float(run.given.native_memory)
                status = Status.from_native(spectra.advance(report, left, self._threads, memory))
                if status is Status.MEMORY_LIMIT:
                    return None
                if status.unless_interrupted() is not Status.COMPLETE:
                    self._status = status
                    break
        return _core.priors.EssOptimizer(spectra)

    def _rescore(
        self, optimizer: EssOptimizer, sizes: NDArray[np.float64], *, averaged: bool, stage: str
    ) -> list[LearnedNetwork]:
        with self._run.shown() as run:
            code, solved, scores, parents = optimizer.solve(
                sizes, averaged, *self._rules, self._threads, run.native_report(stage), run.seconds_left
            )
        status = Status.from_native(code)
        count = int(np.argmin(solved)) if not solved.all() else len(solved)  # the first that are all solved
        if count == 0 and status is Status.TIME_LIMIT:  # a first network there must be
            return self._from_tables([make_score("bdeu", ess=float(sizes[0]))], stage)
        if count == 0:
            raise KeyboardInterrupt
        if not np.isfinite(scores[:count]).all():
            raise ConstraintError(
                "no acyclic network satisfies the constraints: every choice of allowed parent sets has a cycle. "
                "Relax them."
            )
        masks = parents.reshape(len(solved), -1)[:count].tolist()
        ends = [self._status] * (count - 1) + [self._status if status is Status.COMPLETE else status]
        return [
            self._network(row, float(score), end) for row, score, end in zip(masks, scores[:count], ends, strict=True)
        ]

    def _network(self, masks: list[int], score: float, status: Status) -> LearnedNetwork:
        n = self._data.n_variables
        dag = Dag(self._data.names, [[p for p in range(n) if mask >> p & 1] for mask in masks])
        assert_obeys(dag, self._learning.constraints)
        return LearnedNetwork(dag, score, status, proved=self._status is Status.COMPLETE)


def _family_rules(data: Dataset, learning: Learning) -> tuple[list[int], list[int], list[int]]:
    """Return for each variable masks of the parents it must and may have, and how many at most."""
    families = allowed_families(data, learning.constraints, learning.max_parents)
    needed = [sum(1 << p for p in parents) for parents in families.required]
    allowed = [mask | sum(1 << p for p in parents) for mask, parents in zip(needed, families.allowed, strict=True)]
    return needed, allowed, [min(size, data.n_variables - 1) for size in families.sizes]


@one_screen
@dataclass(frozen=True, eq=False)
class EssInterval:
    """A run of grid values over which one network stays optimal."""

    low: float
    high: float
    dag: Dag

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return len(self.dag.arcs)


@one_screen
@dataclass(frozen=True, eq=False)
class EssPath:
    """The optimal network over a grid of equivalent sample sizes.

    Parameters
    ----------
    ess, scores, dags
        The grid, and the optimum at each value.
    intervals
        The grid, cut where the network that was optimal so far no longer is.
    averaged
        The optimal network under BDeu averaged over the whole grid (`bdeu_averaged`), which needs no choice; None if
        Ctrl-C or the time limit came before it.
    status
        COMPLETE if every optimum is proved.
    """

    ess: NDArray[np.float64]
    scores: NDArray[np.float64]
    dags: tuple[Dag, ...]
    intervals: tuple[EssInterval, ...]
    averaged: LearnedNetwork | None
    status: Status

    @property
    def n_arcs(self) -> NDArray[np.int64]:
        """The number of arcs at each ESS."""
        return np.array([len(dag.arcs) for dag in self.dags], dtype=np.int64)

    @property
    def best_ess(self) -> float:
        """The grid value at which the optimal score is highest."""
        return float(self.ess[int(np.argmax(self.scores))])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per interval: its ends, the number of arcs, and the arcs."""
        rows = [
            {"from": i.low, "to": i.high, "arcs": i.n_arcs, "network": ", ".join(f"{a} -> {b}" for a, b in i.dag.arcs)}
            for i in self.intervals
        ]
        return data_frame(rows)

    def plot(self, *, axes: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
        """Plot the number of arcs and the optimal score over the ESS, one above the other; return both axes."""
        above, below = two_axes_or_new(axes, 7.0, 5.0)
        above.step(self.ess, self.n_arcs, where="mid")
        if self.averaged is not None:
            above.axhline(len(self.averaged.dag.arcs), linestyle="--", color="0.4", label="averaged over the grid")
            above.legend()
        above.set_ylabel("arcs of the optimum")
        below.plot(self.ess, self.scores)
        below.axvline(self.best_ess, linestyle=":", color="0.4")
        below.annotate(
            f"highest at {self.best_ess:.3g}",
            (self.best_ess, float(self.scores.min())),
            xytext=(-5, 0),
            textcoords="offset points",
            horizontalalignment="right",
        )
        below.set(ylabel="optimal log score", xlabel="equivalent sample size", xscale="log")
        return above, below


def ess_path(
    data: Dataset | Frame,
    *,
    ess: Sequence[float] | NDArray[np.float64] | None = None,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> EssPath:
    """Find the optimal network for each equivalent sample size of a grid, by default 60 from 10^-3 to 10^5.

    The data are counted once. With up to 20 variables a value costs milliseconds more (`EssSolver`); beyond, the
    pruning and the search of one table. Ctrl-C and the time limit end the path early: it then has the values up
    to there.
    """
    data = states_of(data)
    grid = np.unique(optima.checked_sizes(np.logspace(-3, 5, 60) if ess is None else ess))
    path, averaged = EssSolver(data, learning, progress=progress).solve_with_average(grid, stage="ESS path")
    grid = grid[: len(path)]
    starts = [0]
    for k in range(1, len(path)):
        if not optima.stays_optimal(data, path[starts[-1]].dag, make_score("bdeu", ess=float(grid[k])), path[k]):
            starts.append(k)
    ends = [*(start - 1 for start in starts[1:]), len(path) - 1]
    return EssPath(
        ess=grid,
        scores=np.array([optimum.score for optimum in path]),
        dags=tuple(optimum.dag for optimum in path),
        intervals=tuple(
            EssInterval(float(grid[a]), float(grid[b]), path[a].dag) for a, b in zip(starts, ends, strict=True)
        ),
        averaged=averaged,
        status=optima.worst_status(path if averaged is None else [*path, averaged]),
    )


# The pieces of max_G p(D | ESS, G): over which interval of the ESS which network is the best.
#
# The optimal score as a function of the ESS is the upper envelope of one smooth curve per network. Between two sample
# sizes with different optimal networks, the two curves cross; an exact search where they cross either finds a third
# network that is better there, and the two halves are looked at in the same way, or proves the crossing to be a
# breakpoint (Eisner & Severance 1976, for lines). Curves that cross twice within a step of the grid can hide a
# piece, so each interval without a crossing is also searched in its middle.
#
# A grid alone is not enough: on the wine data the envelope has two peaks between 6 and 9, of which a grid of 60
# values shows the lower one.


# Two scores this close, relative to their size, count as equal: an optimum may have many equals.
TIE = 1e-9
# Pieces shorter than this in log(ESS) are not looked for.
FINEST = 1e-4


@dataclass(frozen=True, eq=False)
class EnvelopePiece:
    """One network is optimal from `low` to `high`; its own score is highest at `best`, within the piece."""

    low: float
    high: float
    dag: Dag
    best: float
    score: float


def curve(data: Dataset, dag: Dag, ess: float) -> float:
    """Return the BDeu score of one network at one equivalent sample size."""
    return make_score("bdeu", ess=ess).score_network(data, dag)


def trace_envelope(
    data: Dataset,
    solver: EssSolver,
    ess: NDArray[np.float64],
    best: Sequence[LearnedNetwork],
    found: list[LearnedNetwork],
) -> list[EnvelopePiece]:
    """Return the pieces between the first and the last of ascending sample sizes, whose best networks are given.

    Every network that a search returns on the way is appended to `found`. Once the solver's time is over, no more
    pieces are looked for.
    """
    breaks: list[tuple[float, Dag]] = [(float(ess[0]), best[0].dag)]  # where a piece begins, and with which network
    for k in range(len(ess) - 1):
        ends = (float(ess[k]), breaks[-1][1]), (float(ess[k + 1]), best[k + 1].dag)
        _split(data, solver, *ends, breaks, found)
    closes = [begin for begin, _ in breaks[1:]] + [float(ess[-1])]
    return [_piece(data, low, high, dag) for (low, dag), high in zip(breaks, closes, strict=True) if high > low]


def _split(
    data: Dataset,
    solver: EssSolver,
    at_left: tuple[float, Dag],
    at_right: tuple[float, Dag],
    breaks: list[tuple[float, Dag]],
    found: list[LearnedNetwork],
) -> None:
    """Append the beginnings of the pieces between two sample sizes, each with the network that is optimal at it."""
    (low, left), (high, right) = at_left, at_right
    if math.log(high / low) < FINEST or solver.is_over:
        if left != right:
            breaks.append((high, right))
        return
    at_low, at_high = curve(data, left, low), curve(data, right, high)
    behind = at_low - curve(data, right, low)  # how far the right network is behind at the left end
    ahead = at_high - curve(data, left, high)
    same = left == right or ahead <= TIE * abs(at_high)  # the left network is optimal at the right end as well
    crossing = math.sqrt(low * high)
    if not same and behind > TIE * abs(at_low):
        crossing = _crossing(data, left, right, low, high)
    best = optima.all_or_interrupt(solver.solve([crossing]))[0]
    found.append(best)
    known = max(curve(data, left, crossing), curve(data, right, crossing))
    if best.score > known + TIE * abs(known):
        between = (crossing, best.dag)
        _split(data, solver, at_left, between, breaks, found)
        _split(data, solver, between, at_right, breaks, found)
    elif not same:
        breaks.append((crossing, right))


def _crossing(data: Dataset, left: Dag, right: Dag, low: float, high: float) -> float:
    from scipy.optimize import brentq

    def gap(x: float) -> float:
        return curve(data, left, math.exp(x)) - curve(data, right, math.exp(x))

    return math.exp(float(brentq(gap, math.log(low), math.log(high), xtol=1e-8)))


def _piece(data: Dataset, low: float, high: float, dag: Dag) -> EnvelopePiece:
    """Return a piece with the maximum of its curve."""
    from scipy.optimize import minimize_scalar

    inner = minimize_scalar(
        lambda x: -curve(data, dag, math.exp(x)),
        bounds=(math.log(low), math.log(high)),
        method="bounded",
        options={"xatol": 1e-7},
    )
    best = max((low, high, math.exp(float(inner.x))), key=lambda ess: curve(data, dag, ess))
    return EnvelopePiece(low, high, dag, best, curve(data, dag, best))


# Is there enough data? Sensitivity and structure over growing subsamples (Scanagatta 2014, section 4.2).
#
# The sensitivity of the learned graph to the prior falls with the number of cases in step with the graph's accuracy,
# and it needs no knowledge of the truth. Here it is followed over nested subsamples of N = 20, 40, 80, ... cases,
# together with how much the learned structure still changes when the data double.


# Below this share of the edges changed by the last doubling, more data are said to change little.
SETTLED = 0.1
UNSEEN = 10_000
MEASURES = ("sensitivity", "edges", "change", "distance", "accuracy")


@one_screen
@dataclass(frozen=True, eq=False)
class Saturation:
    """What more data changed so far; arrays have one entry per sample size, means over the repetitions.

    Parameters
    ----------
    sizes
        The numbers of cases, the last all of them.
    sensitivity
        The relative sensitivity to the prior of the graph learned from this many cases.
    edges
        The number of edges of that graph.
    change
        The structural Hamming distance to the graph learned from the next smaller subsample; the first is NaN.
    distance
        The structural Hamming distance to the true graph, where one was given; else NaN.
    accuracy
        By how many per cent the log-likelihood of unseen cases falls short of the true network's, where a network with
        parameters was given (`arcwise.evaluate.accuracy_score`; lower is better); else NaN.
    repetitions, status
        How many repetitions the means are over, and INTERRUPTED or TIME_LIMIT if Ctrl-C or the time limit ended it
        there. If it came during the first one, `sizes` ends with the last size that was finished.
    """

    sizes: NDArray[np.int64]
    sensitivity: NDArray[np.float64]
    edges: NDArray[np.float64]
    change: NDArray[np.float64]
    distance: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    repetitions: int
    ess: float
    epsilon: float
    dag: Dag
    status: Status

    @property
    def changed_share(self) -> float:
        """The share of the edges that the last step to all the data changed."""
        return float(self.change[-1] / max(self.edges[-1], 1.0))

    @property
    def settled(self) -> bool:
        """Whether the last step changed less than a tenth of the edges."""
        return self.changed_share < SETTLED

    @property
    def advice(self) -> str:
        """What this means, in two sentences."""
        before, after = int(self.sizes[-2]), int(self.sizes[-1])
        verdict = "would not change the structure much" if self.settled else "would change the structure"
        return (
            f"More data {verdict}: from {before:,} to all {after:,} rows about {self.change[-1]:.0f} edges were "
            f"added, removed or reversed; the network of all rows has {self.edges[-1]:.0f}. The sensitivity to the "
            f"prior fell from {self.sensitivity[-2]:.3g} to {self.sensitivity[-1]:.3g} of the score."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per sample size."""
        return data_frame({"cases": self.sizes, **{name: getattr(self, name) for name in MEASURES}})

    def plot(self) -> Figure:
        """Plot sensitivity and change of structure over the sample size."""
        figure = new_figure(7, 5)
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(self.sizes, self.sensitivity, marker=".")
        above.set_ylabel("relative sensitivity")
        if np.isfinite(self.accuracy).any():
            beside = above.twinx()
            beside.plot(self.sizes, self.accuracy, marker="x", color="C1")
            beside.set_ylabel("accuracy score, per cent", color="C1")
        above.set_yscale("log")
        below.plot(self.sizes, self.change, marker=".", label="change since the previous size (SHD)")
        below.plot(self.sizes, self.edges, "--", color="0.5", label="edges")
        if np.isfinite(self.distance).any():
            below.plot(self.sizes, self.distance, marker="x", label="distance from the truth (SHD)")
        below.set_xscale("log")
        below.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes], rotation=0 if len(self.sizes) < 9 else 30)
        below.minorticks_off()
        below.set_ylim(bottom=0)
        below.set(xlabel="rows", ylabel="edges")
        below.legend()
        return figure


def data_saturation(
    data: Dataset | Frame,
    *,
    truth: Dag | BayesianNetwork | None = None,
    ess: float = 1.0,
    epsilon: float = 0.5,
    repetitions: int = 5,
    seed: Seed = 0,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> Saturation:
    """Learn the BDeu-optimal graph from nested subsamples of 20, 40, 80, ... cases up to all, several times over.

    Each repetition shuffles the cases and takes longer and longer beginnings. The cost is `repetitions` x log2(N / 10)
    searches. Where the truth is known, the graphs are compared with it, and, if it has parameters, so are predictions
    of 10,000 cases sampled from it.

    Ctrl-C and the time limit end it with the repetitions that are finished, or in the first one with the sizes that
    are; before there are two sizes, Ctrl-C raises KeyboardInterrupt, and the time limit waits for them.
    """
    data = states_of(data)
    check_argument(repetitions >= 1, "repetitions", repetitions, "must be at least 1.")
    sizes = _sizes(data.n_cases)
    score = make_score("bdeu", ess=ess)
    rng = np.random.default_rng(seed)
    true_dag = truth.dag if isinstance(truth, BayesianNetwork) else truth
    unseen = truth.sample(UNSEEN, seed=rng) if isinstance(truth, BayesianNetwork) else None
    run = learning.run
    steps = repetitions * len(sizes) + 1
    share = learning.within(run.part(steps))
    whole = optima.all_or_interrupt(optima.find_optima(data, [score], share, progress=progress))[0]
    learned = [whole]
    rows = np.repeat(np.arange(data.n_rows), 1 if data.weights is None else data.weights)
    shape = (repetitions, len(sizes))
    measured = {name: np.full(shape, np.nan) for name in MEASURES}
    done, cut = 0, Status.COMPLETE  # steps, each of them one size of one repetition
    try:
        with run.replace(progress=progress).shown() as run:
            for repetition, k in np.ndindex(shape):
                if done >= 2 and run.is_over:
                    cut = Status.TIME_LIMIT
                    break
                run.report("saturation", done, repetitions * len(sizes))
                if k == 0:
                    shuffled = rng.permutation(rows)
                part, found = data, whole
                if k < len(sizes) - 1:
                    weights = np.bincount(shuffled[: sizes[k]], minlength=data.n_rows).astype(np.int64)
                    part = Dataset(data.codes, data.names, data.states, weights, data.targets)
                    share = learning.within(run.part(steps - len(learned)))
                    found = optima.all_or_interrupt(optima.find_optima(part, [score], share, progress=False))[0]
                here = repetition, k
                sensitive = optima.prior_sensitivity(part, found.dag, ess=ess, epsilon=epsilon, epsilons=())
                measured["sensitivity"][here] = sensitive.relative
                measured["edges"][here] = len(found.dag.arcs)
                if k > 0:
                    measured["change"][here] = shd(learned[-1].dag, found.dag)
                if true_dag is not None:
                    measured["distance"][here] = shd(true_dag, found.dag)
                if isinstance(truth, BayesianNetwork):
                    fitted = fit_parameters(found.dag, part, ess=ess)
                    measured["accuracy"][here] = accuracy_score(truth, fitted, unseen)
                learned.append(found)
                done += 1
    except KeyboardInterrupt:
        cut = Status.INTERRUPTED
    if done < 2:
        raise KeyboardInterrupt
    finished = max(1, done // len(sizes))
    kept = min(done, len(sizes))
    return Saturation(
        sizes=np.array(sizes[:kept], dtype=np.int64),
        **{name: values[:finished, :kept].mean(axis=0) for name, values in measured.items()},
        repetitions=finished,
        ess=ess,
        epsilon=epsilon,
        dag=whole.dag,
        status=cut if cut is not Status.COMPLETE else optima.worst_status(learned),
    )


def _sizes(cases: int) -> list[int]:
    """Return 20, 40, 80, ... and the number of cases, whose step should be about a doubling, too."""
    sizes = [20 * 2**i for i in range(64) if 20 * 2**i < cases]
    if not sizes:
        raise DataError(f"{cases} rows are too few to see saturation; at least 21 are needed.")
    sizes.append(cases)
    if len(sizes) > 2 and sizes[-1] < 1.5 * sizes[-2]:
        del sizes[-2]
    return sizes

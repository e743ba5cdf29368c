"""The optimal network as a function of the equivalent sample size (Silander, Kontkanen and Myllymäki 2007)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ConstraintError
from arcwise.base.run import ProgressCallback, Status
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset
from arcwise.graph.constraints import assert_obeys
from arcwise.graph.dag import Dag
from arcwise.parent_sets.build import allowed_families
from arcwise.plotting.charts import two_axes_or_new
from arcwise.priors import optima
from arcwise.priors.edge_prior import checked_sizes
from arcwise.priors.optima import LearnedNetwork, Learning
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, check_cases

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise._core.priors import CountSpectra, EssOptimizer


# `EssSolver`: the BDeu-optimal network at any equivalent sample size, from data that were counted once.
#
# BDeu depends on the data through the multiset of counts of every set of variables. For up to 20 variables all those
# multisets are kept (cpp/core/priors/count_spectra.hpp), and a new size costs no look at the data, no pruning and no
# table of parent sets: some milliseconds for 14 variables. For more variables each batch of sizes gets tables of
# parent sets, counted together, and the exact search on each; so it is, without tables, for a local search.


class EssSolver:
    """Finds optimal networks for one data set at one equivalent sample size after the other.

    Parameters
    ----------
    data
        Discrete data.
    learning
        Limits, constraints, threads. The time limit is for the counting, which then ends with the sets of a smaller
        number of parents (and that status on every network), and for all that is solved afterwards.
    """

    def __init__(
        self,
        data: Dataset,
        learning: Learning = Learning(),  # noqa: B008
        *,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        self._data = check_cases(data)
        self._run = learning.run.but(progress=progress)
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
        sizes = checked_sizes(ess)
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
        sizes = checked_sizes(ess)
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
        import pandas as pd

        rows = [
            {"from": i.low, "to": i.high, "arcs": i.n_arcs, "network": ", ".join(f"{a} -> {b}" for a, b in i.dag.arcs)}
            for i in self.intervals
        ]
        return pd.DataFrame(rows)

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
        below.set_ylabel("optimal log score")
        below.set_xlabel("equivalent sample size")
        below.set_xscale("log")
        return above, below


def ess_path(
    data: Dataset,
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
    grid = np.unique(checked_sizes(np.logspace(-3, 5, 60) if ess is None else ess))
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

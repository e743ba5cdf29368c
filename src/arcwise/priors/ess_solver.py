"""`EssSolver`: the BDeu-optimal network at any equivalent sample size, from data that were counted once.

BDeu depends on the data through the multiset of counts of every set of variables. For up to 20 variables all those
multisets are kept (cpp/core/priors/count_spectra.hpp), and a new size costs no look at the data, no pruning and no
table of parent sets: some milliseconds for 14 variables. For more variables each batch of sizes gets tables of parent
sets, counted together, and the exact search on each; so it is, without tables, for a local search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import ConstraintError, OptionError
from arcwise.graph import Dag, assert_obeys
from arcwise.limits import Status
from arcwise.parent_sets.build import allowed_families
from arcwise.priors.optima import TABLE_SHARE, LearnedNetwork, Learning, find_optima
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.scores import Score, make_score
from arcwise.scores.score import check_cases
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from arcwise._core.priors import CountSpectra, EssOptimizer

__all__ = ["EssSolver"]


class EssSolver:
    """Finds optimal networks for one data set at one equivalent sample size after the other.

    Parameters
    ----------
    data
        Discrete data.
    learning
        Limits, constraints, threads. The time limit is for the counting, which then ends with the sets of a smaller
        number of parents (and that status on every network), and for all that is solved afterwards.
    progress
        See `arcwise.progress.show_progress`.
    """

    def __init__(
        self,
        data: Dataset,
        learning: Learning = Learning(),  # noqa: B008
        *,
        progress: bool | ProgressCallback | None = None,
    ) -> None:
        self._data = check_cases(data)
        self._deadline = learning.deadline
        self._learning = learning.within(self._deadline)
        self._progress = progress
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
        sizes = _checked(ess)
        if self._optimizer is None:
            return self._from_tables([make_score("bdeu", ess=float(value)) for value in sizes], stage)
        return self._rescore(self._optimizer, sizes, averaged=False, stage=stage)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._deadline.is_over

    def solve_with_average(
        self, ess: Sequence[float] | NDArray[np.float64], *, stage: str = "ESS"
    ) -> tuple[list[LearnedNetwork], LearnedNetwork | None]:
        """Return the networks of `solve`, and the optimal network under the mean of the log scores over all sizes.

        The latter is that of the score `bdeu_averaged` with this grid; None if Ctrl-C or the time limit came before it.
        """
        sizes = _checked(ess)
        if self._optimizer is None:
            averaged = make_score("bdeu_averaged", grid=tuple(sizes.tolist()))
            scores = [make_score("bdeu", ess=float(value)) for value in sizes]
            found = self._from_tables([*scores, averaged], stage)
        else:
            found = self._rescore(self._optimizer, sizes, averaged=True, stage=stage)
        return found[: len(sizes)], found[-1] if len(found) == len(sizes) + 1 else None

    def _from_tables(self, scores: Sequence[Score], stage: str) -> list[LearnedNetwork]:
        return find_optima(self._data, scores, self._learning, partly=True, progress=self._progress, stage=stage)

    def _fits(self) -> bool:
        from arcwise import _core

        learning = self._learning
        n = self._data.n_variables
        if self._data.targets is not None:  # one set of counts would not serve all children
            return False
        if learning.search != "exact" or n > _core.priors.CountSpectra.largest or self._data.n_cases >= 2**31:
            return False
        return _core.priors.EssOptimizer.memory_for(n, 1) < self._deadline.given.native_memory

    @cached_property
    def _threads(self) -> int:
        """As many as were asked for and have memory: each takes some, and none changes a result."""
        from arcwise import _core

        needed, given = _core.priors.EssOptimizer.memory_for, self._deadline.given.native_memory
        threads = thread_count(self._learning.threads)
        while threads > 1 and needed(self._data.n_variables, threads) >= given:
            threads -= 1
        return threads

    def _count(self) -> EssOptimizer | None:
        """Count all sets of up to the largest family's size, one size after the other, as the builder of tables does.

        None if the memory limit does not hold the counts: tables, which forget the counts of one level when they have
        those of the next, may do.
        """
        from arcwise import _core

        data = self._data
        required, _, limits = self._rules
        spectra: CountSpectra = _core.priors.make_spectra(data.codes, data.arities, data.native_weights)
        last = min(data.n_variables, max(limits, default=0) + 1)
        least = max((mask.bit_count() for mask in required), default=0) + 1  # without these there is no network
        deadline = self._deadline.share(TABLE_SHARE)
        with show_progress(self._progress) as callback:
            while spectra.level < last:
                size = spectra.level + 1
                left = math.inf if size <= least else deadline.seconds_left
                report = native_callback(callback, f"counting sets of {size}")
                memory = float(deadline.given.native_memory)
                status = Status.from_native(spectra.advance(report, left, self._threads, memory))
                if status is Status.MEMORY_LIMIT:
                    return None
                if status is Status.INTERRUPTED:
                    raise KeyboardInterrupt
                if status is not Status.COMPLETE:
                    self._status = status
                    break
        return _core.priors.EssOptimizer(spectra)

    def _rescore(
        self, optimizer: EssOptimizer, sizes: NDArray[np.float64], *, averaged: bool, stage: str
    ) -> list[LearnedNetwork]:
        with show_progress(self._progress) as callback:
            report, threads = native_callback(callback, stage), self._threads
            left = self._deadline.seconds_left
            code, solved, scores, parents = optimizer.solve(sizes, averaged, *self._rules, threads, report, left)
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


def _checked(ess: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    sizes = np.ascontiguousarray(ess, dtype=np.float64)
    if sizes.ndim != 1 or len(sizes) == 0 or not ((sizes > 0) & np.isfinite(sizes)).all():
        raise OptionError("equivalent sample sizes must be positive, finite numbers, and at least one.")
    return sizes


def _family_rules(data: Dataset, learning: Learning) -> tuple[list[int], list[int], list[int]]:
    """Return for each variable masks of the parents it must and may have, and how many at most."""
    families = allowed_families(data, learning.constraints, learning.max_parents)
    needed = [sum(1 << p for p in parents) for parents in families.required]
    allowed = [mask | sum(1 << p for p in parents) for mask, parents in zip(needed, families.allowed, strict=True)]
    return needed, allowed, [min(size, data.n_variables - 1) for size in families.sizes]

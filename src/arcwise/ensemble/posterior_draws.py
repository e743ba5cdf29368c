"""Independent random networks from the whole posterior, where sums over all DAGs can be found.

Layers of nodes are drawn one after the other, the weights of what may follow being sums over all DAGs; how, and why the
draws are exact, stands in cpp/core/ensemble/all_dags/dag_sampler.hpp.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.deadline import Deadline
from arcwise.ensemble.ensemble_facts import known_facts
from arcwise.ensemble.families import Families, choice_type
from arcwise.ensemble.joint_constraints import joint_constraints
from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import OptionError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.memory import available_memory
from arcwise.mentions import Argument, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.seeds import Seed, native_seed, resolve_seed
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from arcwise import _core

__all__ = ["PosteriorDraws"]


class PosteriorDraws:
    """Draws from the posterior over all DAGs of a table; what they are made from is kept from call to call.

    Parameters
    ----------
    table
        All parent sets, those that the constraints allow.
    constraints
        What the table was cut down to.
    cut
        Networks more than this many nats below the best may be missing.
    """

    def __init__(self, table: ParentSetTable, constraints: Constraints | None, cut: float) -> None:
        self.table = table
        self.obeyed = joint_constraints(table.names, table.constraints, constraints)
        self.cut = cut
        self._ready: _core.ensemble.DagSampler | None = None

    def needed_bytes(self, threads: int = 1) -> int:
        """Return the memory that the draws take, without the networks themselves."""
        from arcwise import _core

        return _core.ensemble.DagSampler.bytes_for(self.table.native, threads)

    def sample(
        self,
        count: int,
        *,
        seed: Seed = None,
        threads: int | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> NetworkSet:
        """Draw networks; see `ExactPosterior.sample`."""
        if count < 1:
            raise OptionError(Argument("count", count), "must be at least 1.")
        crew = thread_count(threads)
        used = resolve_seed(seed)
        limits = limits or Limits()
        if limits.memory_bytes is None:
            limits = replace(limits, memory_bytes=available_memory())
        deadline = Deadline(limits)
        most = min(count, limits.native_count)
        while crew > 1 and self._room(crew, limits) < most:  # each takes memory, and none changes the draws
            crew -= 1
        allowed = min(most, self._room(crew, limits))
        rows, scores = np.empty(0, dtype=np.uint32), np.empty(0)
        status = Status.MEMORY_LIMIT if allowed < most else Status.COMPLETE
        with show_progress(progress) as callback:
            if allowed > 0:
                stopped = self._prepare(crew, deadline, callback)
                if stopped is None:
                    assert self._ready is not None
                    report = native_callback(callback, "exact posterior: draws")
                    code, rows, scores = self._ready.draw(
                        allowed, native_seed(used), crew, deadline.seconds_left, report
                    )
                    stopped = Status.from_native(code)
                if stopped is not Status.COMPLETE:
                    status = stopped
        if status is Status.COMPLETE and allowed < count:
            status = Status.COUNT_LIMIT
        return self._networks(rows, scores, status, {"seed": used, "seconds": deadline.seconds})

    def fit(self, count: int, limits: Limits) -> bool:
        """Say whether there is memory for so many networks, on one thread at least."""
        return self._room(1, limits) >= count

    def _room(self, threads: int, limits: Limits) -> int:
        """Return how many networks there is memory for."""
        each = 4 * self.table.n_variables + 8
        return max(0, limits.native_memory - self.needed_bytes(threads)) // each

    def _prepare(self, threads: int, deadline: Deadline, callback: ProgressCallback) -> Status | None:
        """Find the sums that are drawn by; return why that was stopped, or None if they are there."""
        if self._ready is not None:
            return None
        from arcwise import _core

        sampler = _core.ensemble.DagSampler(self.table.native, self.cut, threads)
        ready, code = sampler.prepare(deadline.seconds_left, native_callback(callback, "exact posterior: sums"))
        if not ready:
            stopped = Status.from_native(code)
            if stopped is Status.COMPLETE:
                raise UnfinishedError(
                    "there is nothing to draw from: the sum over all DAGs is not a positive number.",
                    remedies=Remedy("raise", Argument("cut", self.cut)),
                )
            return stopped
        self._ready = sampler
        return None

    def _networks(self, rows: Any, scores: Any, status: Status, facts: dict[str, Any]) -> NetworkSet:
        table = self.table
        kind = choice_type(int(np.diff(table.node_offsets).max(initial=1)))
        return NetworkSet(
            names=table.names,
            families=Families(table.node_offsets, table.set_offsets, table.members),
            choices=rows.reshape(len(scores), table.n_variables).astype(kind),
            scores=scores,
            log_weights=np.full(len(scores), -math.log(max(1, len(scores)))),
            origin="draws",
            status=status,
            max_parents=table.max_parents,
            score=dict(table.score),
            data_digest=table.data_digest,
            facts={"drawn_by": "posterior", **facts, **known_facts(self.obeyed, table.targets)},
        ).compact()

"""Handing out replicates to workers, batch by batch, and taking in what they learn."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from concurrent import futures

from arcwise.deadline import Deadline
from arcwise.ensemble.replicates.journal import unpack_replicates
from arcwise.ensemble.replicates.task import Replicate, ReplicateTask
from arcwise.ensemble.replicates.together import Interrupted
from arcwise.ensemble.replicates.workers import Batch, Workers
from arcwise.exact.interruption import deferred_interrupt
from arcwise.limits import Status

__all__ = ["Dispatch"]

SHORTEST = 1e-6  # seconds of a replicate: a clock may not tell two of its looks apart
LARGEST_BATCH = 4096
LOOK_SECONDS = 0.1  # how long Ctrl-C may have to wait
LAST_SECONDS = 5.0  # how long batches that were stopped may take to hand over what they have
MOST_DEATHS = 3  # how often in a row workers may die before any batch is finished


class Dispatch:
    """The batches of one bootstrap, of `nodes` variables; `note` gets the replicates as they come."""

    def __init__(
        self,
        task: ReplicateTask,
        workers: Workers,
        deadline: Deadline,
        note: Callable[[list[Replicate]], None],
        nodes: int,
    ) -> None:
        self._task, self._workers, self._deadline, self._note, self._nodes = task, workers, deadline, note, nodes
        self._waiting: deque[int] = deque()
        self._running: dict[Batch, list[int]] = {}
        self._begun = self._last = 0.0  # when the first batch was handed out, and the last whole one came
        self._done = 0  # how many replicates came in whole batches

    def expected_seconds(self, count: int) -> float:
        """Return about how long so many replicates take, NaN before a batch came whole.

        By the time when the last one came: what is under way then tells of no replicate yet, and in replicates that are
        counted together most of the time is in the first.
        """
        return self._begun + (self._last - self._begun) * count / self._done if self._done else math.nan

    def learn(self, missing: list[int]) -> Status:
        """Learn what is missing; at a limit or on Ctrl-C, take what is finished of the batches under way.

        Where many replicates are learned together, that is much; a batch of a quarter of a second is not waited for.
        """
        self._waiting = deque(missing)
        try:
            status = self._learn_all()
        except Interrupted as stop:  # in this thread
            self._note(stop.found)
            raise
        except KeyboardInterrupt:
            self._take_last()
            raise
        if status is not Status.COMPLETE:
            self._take_last()
        return status

    def _learn_all(self) -> Status:
        """Hand out batches and take in results until nothing is missing or the time is up.

        Two batches per worker are under way. Batches grow from one replicate to what takes `workers.batch_seconds`, and
        shrink towards the end, so that all workers end at the same time. Replicates that are counted `together` are as
        many rounds of equal batches as it takes, after those that another bootstrap has left.
        """
        workers, waiting, running, deadline = self._workers, self._waiting, self._running, self._deadline
        together = self._task.together
        rounds = math.ceil(len(waiting) / (workers.count * together))
        least = math.ceil(len(waiting) / (workers.count * rounds)) if together > 1 else 1
        start, done, deaths = deadline.seconds, 0, 0
        self._begun = start
        while waiting or running:
            left = deadline.limits.seconds
            if deadline.is_over:
                return Status.TIME_LIMIT
            while waiting and len(running) < 2 * workers.count:
                pace = (deadline.seconds - start) * workers.count / done if done else math.inf  # seconds per replicate
                size = int(
                    min(
                        1 + workers.batch_seconds / max(pace, SHORTEST),
                        LARGEST_BATCH,
                        1 + len(waiting) / (2 * workers.count),
                    )
                )
                batch = self._next_batch(max(size, least))
                running[workers.submit(batch, left)] = batch
                if workers.count == 1:
                    break
            broken: BaseException | None = None
            for future in self._ready(LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)):
                batch = running.pop(future)
                error = futures.CancelledError() if future.cancelled() else future.exception()
                found = self._received(future) if error is None else []
                if error is not None:
                    broken = error
                elif found:
                    self._note(found)
                    done += len(found)
                    if len(found) == len(batch):
                        self._done, self._last = self._done + len(found), deadline.seconds
                    deaths = 0
                known = {replicate.index for replicate in found}
                waiting.extendleft(index for index in reversed(batch) if index not in known)
            if broken is not None:
                deaths += 1
                if deaths > MOST_DEATHS or not workers.recover(broken):
                    raise broken
                self._take_back()
        return Status.COMPLETE

    def _ready(self, patience: float) -> set[Batch]:
        """Wait a little for a batch, and return those that are ready.

        Ctrl-C is raised afterwards: where threads meet, it would leave a lock of Python's in disorder, and the run
        would end with an error, or worker threads with a traceback each.
        """
        pressed: list[bool] = []
        with deferred_interrupt(lambda: pressed.append(True)):
            ready, _ = futures.wait(self._running, timeout=patience, return_when=futures.FIRST_COMPLETED)
        if pressed:
            raise KeyboardInterrupt
        return ready

    def _next_batch(self, size: int) -> list[int]:
        """Take a batch out of those that wait: one that is drawn already, as far as there are such."""
        kept = self._task.list_kept(self._waiting)
        for index in kept:
            self._waiting.remove(index)
        return kept or [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    def _take_back(self) -> None:
        """Let the batches wait again that died with the workers, unless they had just finished."""
        for future, batch in self._running.items():
            if _is_finished(future):
                self._note(self._received(future))
            else:
                self._waiting.extendleft(reversed(batch))
        self._running.clear()

    def _take_last(self) -> None:
        """Stop the batches under way and take what they have finished."""
        if self._task.together == 1:
            return
        self._workers.stop()
        with deferred_interrupt(lambda: None):  # a shell may pass on the same Ctrl-C once more
            futures.wait(self._running, timeout=LAST_SECONDS)
        for future in self._running:
            if _is_finished(future):
                self._note(self._received(future))

    def _received(self, batch: Batch) -> list[Replicate]:
        """Return the replicates of a finished batch; what was sent is checked, what was learned here is not."""
        result: bytes | list[Replicate] = batch.result()
        return unpack_replicates(result, self._nodes)[0] if isinstance(result, bytes) else result


def _is_finished(batch: Batch) -> bool:
    return batch.done() and not batch.cancelled() and batch.exception() is None

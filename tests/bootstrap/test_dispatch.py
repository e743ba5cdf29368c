"""Handing out replicates: how long all of them would take, by those that are finished."""

from __future__ import annotations

import math
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from arcwise.bootstrap.workers import Dispatch
from arcwise.limits import Limits, Status


class Clock:
    """A deadline whose time passes while batches are learned, a second for each replicate after `begin` seconds."""

    def __init__(self, most: float, begin: float, workers: int, batch: int) -> None:
        self.seconds, self.most, self.count = begin, most, workers
        self.batch_seconds = 1e9 if batch > 1 else 0.0
        self.handed: list[int] = []

    @property
    def is_over(self) -> bool:
        return self.seconds >= self.most

    @property
    def limits(self) -> Limits:
        return Limits(max(1e-9, self.most - self.seconds))

    def submit(self, batch: list[int], seconds: float | None) -> Future[list[Any]]:
        """Learn as much of a batch as the time allows."""
        made = batch[: max(0, min(len(batch), int((self.most - self.seconds) * self.count)))]
        self.seconds = min(self.most, self.seconds + len(batch) / self.count)
        future: Future[list[Any]] = Future()
        future.set_result([SimpleNamespace(index=index) for index in made])
        self.handed += [len(batch)]
        return future

    def stop(self) -> None:
        """There is nothing under way."""


def dispatched(clock: Clock, replicates: int, together: int = 1) -> tuple[Dispatch, list[int], Status]:
    found: list[int] = []
    task: Any = SimpleNamespace(together=together, list_kept=lambda waiting: [])
    note: Any = lambda batch: found.extend(one.index for one in batch)  # noqa: E731
    workers: Any = clock
    deadline: Any = clock
    dispatch = Dispatch(task, workers, deadline, note, 5)
    return dispatch, found, dispatch.learn(list(range(replicates)))


@pytest.mark.parametrize("batch", [1, 50])
def test_what_is_under_way_at_the_limit_does_not_count_as_time_for_what_is_finished(batch: int) -> None:
    """Batches grow: after one replicate comes a large one, which the limit cuts short."""
    clock = Clock(most=30, begin=2, workers=1, batch=batch)
    dispatch, found, status = dispatched(clock, 200)
    assert status is Status.TIME_LIMIT and len(found) < 30
    assert dispatch.expected_seconds(200) == pytest.approx(202)


def test_before_a_batch_is_whole_nothing_is_known() -> None:
    dispatch, found, status = dispatched(Clock(most=10, begin=0, workers=1, batch=1), 200, together=32)
    assert status is Status.TIME_LIMIT and len(found) == 10
    assert math.isnan(dispatch.expected_seconds(200))


def test_of_a_bootstrap_that_was_finished_it_is_what_it_took() -> None:
    clock = Clock(most=1000, begin=3, workers=1, batch=50)
    dispatch, found, status = dispatched(clock, 60)
    assert status is Status.COMPLETE and len(found) == 60
    assert dispatch.expected_seconds(60) == pytest.approx(clock.seconds)

"""One clock for what is left of limits: no floors, shares of what is left, memory that is in use."""

from __future__ import annotations

import math

import pytest

from arcwise.base import run
from arcwise.base.run import Run
from arcwise.limits import Limits, Status


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Return the time that the test set."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(run, "time", made)
    return made


def test_without_limits_there_is_always_time(clock: Clock) -> None:
    deadline = Run.of(None)
    clock.now += 1e9
    assert deadline.seconds_left == math.inf
    assert not deadline.is_over
    assert deadline.status is Status.COMPLETE
    assert deadline.limits == Limits()
    assert deadline.share(0.5).limits == Limits()


def test_what_is_left(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10, memory_bytes=1000, count=7))
    clock.now += 4
    assert deadline.seconds == 4
    assert deadline.seconds_left == 6
    assert deadline.limits == Limits(seconds=6, memory_bytes=1000, count=7)
    assert deadline.uncounted == Limits(seconds=6, memory_bytes=1000)
    assert deadline.given == Limits(seconds=10, memory_bytes=1000, count=7)


def test_no_floor_when_time_is_over(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10))
    clock.now += 10
    assert deadline.is_over
    assert deadline.status is Status.TIME_LIMIT
    assert deadline.seconds_left == 0
    step = Run.of(deadline.limits)
    clock.now += 1e-6  # whatever a step does before it looks at the clock
    assert step.is_over
    assert deadline.share(0.5).seconds_left <= 1e-9


def test_shares_are_of_what_is_left(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10, count=3))
    clock.now += 2
    half = deadline.share(0.5)
    assert half.limits == Limits(seconds=4, count=3)
    spent = 0.0
    for steps in (3, 2, 1):
        part = deadline.part(steps)
        spent += part.seconds_left
        clock.now += part.seconds_left
    assert spent == pytest.approx(8)
    assert deadline.seconds_left == pytest.approx(0)


def test_time_is_kept_for_what_does_not_fit_behind_the_limit(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10))  # 13 are promised: of these 3, 1.2 are for finding a result at all
    clock.now += 2
    assert [deadline.keeping(seconds).seconds_left for seconds in (0, 1.8, 3.8, 100)] == pytest.approx(
        [8, 8, 6, 0], abs=1e-8
    )
    assert deadline.keeping(100).is_over is False  # it is the first look at the clock that tells
    assert Run.of(None).keeping(100).limits == Limits()


def test_a_running_deadline_stays_the_same(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10))
    clock.now += 4
    assert Run.of(deadline) is deadline


def test_memory_in_use_is_taken_off_and_the_clock_goes_on(clock: Clock) -> None:
    deadline = Run.of(Limits(seconds=10, memory_bytes=1000))
    clock.now += 4
    beside = deadline.holding(600)
    assert beside.limits == Limits(seconds=6, memory_bytes=400)
    assert deadline.holding(5000).limits.memory_bytes == 1
    assert Run.of(None).holding(5).limits == Limits()


def test_a_run_that_is_handed_on_keeps_its_seed() -> None:
    with Run.begin(Run(seed=7)) as found:
        assert found.seed == 7
    with Run.begin(Run(seed=7), seed=3) as found:
        assert found.seed == 3

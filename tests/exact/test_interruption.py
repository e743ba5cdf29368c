"""Ctrl-C at any moment of an exact search: the best network so far with its bound and a status, never an exception."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.exact.tables import HARD_OPTIMUM, hard_table, random_table
from tests.exact.test_optimal_limits import full_table

from arcwise.base.run import deferred_interrupt
from arcwise.exact import Optimum, find_optimal
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable, write_jkl
from arcwise.progress import ProgressEvent


def interrupted_after(delay: float, table: ParentSetTable, method: str = "auto") -> Optimum:
    """Search, and send Ctrl-C so many seconds after the search has begun; one that comes too late is caught here."""
    timers: list[threading.Timer] = []
    results: list[Optimum] = []
    before = signal.getsignal(signal.SIGINT)

    def begin(event: ProgressEvent) -> None:
        if not timers:
            timers.append(threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    try:
        results.append(find_optimal(table, method=method, progress=begin))
        timers[0].cancel()
        timers[0].join()
    except KeyboardInterrupt:
        if not results:
            pytest.fail(f"Ctrl-C after {delay:.3f} s raised KeyboardInterrupt")
    assert signal.getsignal(signal.SIGINT) is before
    return results[0]


@pytest.fixture(scope="module")
def wide() -> tuple[ParentSetTable, float]:
    """A table that takes a while to prepare, and how long all of it takes."""
    table = full_table(40, 3)
    start = time.monotonic()
    assert find_optimal(table).is_proved
    return table, time.monotonic() - start


@pytest.mark.parametrize("share", [0.01, 0.15, 0.3, 0.45, 0.6])
def test_ctrl_c_during_the_preparation(wide: tuple[ParentSetTable, float], share: float) -> None:
    table, seconds = wide
    result = interrupted_after(share * seconds, table)
    assert result.status in (Status.INTERRUPTED, Status.COMPLETE)
    assert result.score <= 0.0 <= result.upper_bound
    assert len(result.dag.names) == 40


@pytest.mark.parametrize("delay", [0.003, 0.05, 0.4])
@pytest.mark.parametrize("method", ["auto", "branch-and-bound", "ilp"])
def test_ctrl_c_at_any_moment(method: str, delay: float) -> None:
    result = interrupted_after(delay, hard_table(), method)
    assert result.status is Status.INTERRUPTED
    assert result.score <= HARD_OPTIMUM <= result.upper_bound
    assert result.gap > 0


@pytest.mark.parametrize("delay", [0.003, 0.1, 0.4])
def test_ctrl_c_in_the_subset_dp(delay: float) -> None:
    table = random_table(26, sets=60, seed=1)
    result = interrupted_after(delay, table, "dp")
    assert result.status is Status.INTERRUPTED
    assert result.score < result.upper_bound


def test_every_step_of_the_preparation_can_be_interrupted(wide: tuple[ParentSetTable, float]) -> None:
    """By the callback: what a notebook's stop button or a limit on CPU time does."""
    for step in range(4):

        def interrupt(event: ProgressEvent, step: int = step) -> None:
            if event.stage == "preparing" and event.done == step:
                raise KeyboardInterrupt

        result = find_optimal(wide[0], progress=interrupt)
        assert result.status is Status.INTERRUPTED
        assert result.score < 0.0 <= result.upper_bound


@pytest.fixture
def python_handles_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_handles_ctrl_c")
def test_a_second_ctrl_c_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes at once is the same, passed on twice."""
    clock = iter([10.0, 10.5, 12.0])
    monkeypatch.setattr("arcwise.base.run.time.monotonic", lambda: next(clock))
    calls: list[int] = []
    with pytest.raises(KeyboardInterrupt), deferred_interrupt(lambda: calls.append(1)):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert len(calls) == 2
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextlib.contextmanager
def handled_by(handler: Callable[[int, object], None]) -> Iterator[None]:
    """While inside, a program's own handler is called on Ctrl-C."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_handler_of_somebody_else_decides() -> None:
    calls: list[int] = []
    with handled_by(lambda number, frame: calls.append(number)), deferred_interrupt(lambda: pytest.fail("not asked")):
        signal.raise_signal(signal.SIGINT)
    assert calls == [signal.SIGINT]

    def end(number: int, frame: object) -> None:
        raise SystemExit(7)

    with pytest.raises(SystemExit), handled_by(end), deferred_interrupt(lambda: pytest.fail("not asked")):
        signal.raise_signal(signal.SIGINT)


def logged(number: int, frame: object) -> None:
    """What a program does that has something to say or to close before it ends."""
    raise KeyboardInterrupt


def test_a_handler_that_raises_ctrl_c_asks_to_stop(wide: tuple[ParentSetTable, float]) -> None:
    calls: list[int] = []
    with handled_by(logged), deferred_interrupt(lambda: calls.append(1)):
        signal.raise_signal(signal.SIGINT)
    assert calls == [1]
    table, seconds = wide
    for share in (0.01, 0.3, 0.6):
        with handled_by(logged):
            result = interrupted_after(share * seconds, table)
        assert result.status in (Status.INTERRUPTED, Status.COMPLETE)
        assert result.score <= 0.0 <= result.upper_bound


def test_a_handler_that_is_set_meanwhile_stays() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with deferred_interrupt(lambda: None):
            signal.signal(signal.SIGINT, logged)
        assert signal.getsignal(signal.SIGINT) is logged
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_search_too() -> None:
    results: list[Optimum] = []
    thread = threading.Thread(target=lambda: results.append(find_optimal(random_table(8, sets=5, seed=1))))
    thread.start()
    thread.join()
    assert results[0].is_proved


def test_ctrl_c_on_the_command_line(tmp_path: Path) -> None:
    """Until the search begins, Ctrl-C ends the program (130); from then on it prints the network (3)."""
    source = tmp_path / "hard.jkl"
    write_jkl(source, hard_table())
    command = [sys.executable, "-m", "arcwise.cli", "optimal", str(source), "--json"]
    delay, code, answer = 0.3, 130, ""
    # Minus SIGINT: Python itself was still starting.
    while code in (130, -signal.SIGINT) and delay < 60:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        answer, log = process.communicate(timeout=120)
        code = process.returncode
        delay *= 1.5
    assert code == 3, log
    result = json.loads(answer)
    assert result["status"] == "interrupted"
    assert result["score"] <= HARD_OPTIMUM <= result["upper_bound"]
    assert result["gap"] > 0

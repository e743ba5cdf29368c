"""Chains on a cluster do not wait for each other, nor for the verdict, and draw what they draw here."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.posterior.chain_tables import random_table

from arcwise.base.cluster import Cluster, Tasks, is_still_wanted, open_cluster
from arcwise.ensemble import CredibleSet, sample_posterior
from arcwise.limits import Limits, Status
from arcwise.posterior import sampling, walk
from arcwise.posterior.chain_posterior import ChainVerdict
from arcwise.posterior.sampling import _Walkers
from arcwise.posterior.walk import Pace, Stretches
from arcwise.progress import ProgressEvent

pytest.importorskip("distributed")


@pytest.fixture(scope="module", params=[1, 2])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with open_cluster(None, request.param) as opened:
        yield opened


def noted_gives(patch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list that every task is noted in that is given from now on."""
    given: list[Any] = []
    give = Tasks.give

    def noted(self: Tasks[Any], argument: Any) -> int:
        given.append(argument)
        return give(self, argument)

    patch.setattr(Tasks, "give", noted)
    return given


def look_early(patch: pytest.MonkeyPatch) -> None:
    """Look after 100, 200, 400, ... draws, and let stretches have 100."""
    patch.setattr(sampling, "FIRST_REMOTE", 100)
    patch.setattr(sampling, "FIRST_LOOK", 100)
    patch.setattr(sampling, "GROWTH", 2.0)


@pytest.mark.parametrize("jumping", [False, True])
def test_what_is_drawn_ahead_leaves_no_trace(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, jumping: bool
) -> None:
    table = random_table(6, 7)
    asked: dict[str, Any] = {"seed": 5, "most_draws": 5000}
    if jumping:
        asked["credible"] = CredibleSet.build(table, bayes_factor=20)
    judge = _Walkers.verdict

    def agree(run: _Walkers) -> ChainVerdict:
        time.sleep(0.3)
        return replace(judge(run), converged=run.done >= 400)

    monkeypatch.setattr(_Walkers, "verdict", agree)
    look_early(monkeypatch)
    here = sample_posterior(table, path=tmp_path / "here", **asked)
    given = noted_gives(monkeypatch)
    there = sample_posterior(table, path=tmp_path / "there", cluster=cluster, **asked)
    assert here.status is Status.COMPLETE and here.facts["draws_made"] == 400
    assert sum(one.count for one in given) > 4 * 400  # some were for nothing
    assert np.array_equal(here.rows, there.rows) and np.array_equal(here.scores, there.scores)
    assert here.moves == there.moves and here.verdict == there.verdict
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_chains_go_on_while_they_are_looked_at(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, bool]] = []
    judge = _Walkers.verdict

    def wait_for_more(run: _Walkers) -> ChainVerdict:
        here, remote = threading.current_thread() is threading.main_thread(), run._remote
        assert remote is not None
        end = time.monotonic() + (10.0 if not seen else 0.0)
        while min(map(len, remote._ahead)) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        seen.append((min(map(len, remote._ahead)), here))
        return judge(run)

    monkeypatch.setattr(_Walkers, "verdict", wait_for_more)
    look_early(monkeypatch)
    sample_posterior(random_table(6, 7), seed=5, limits=Limits(count=800), cluster=cluster)
    assert seen[0] == (3, False) or seen[0] == (4, False)  # every chain, before the first verdict was there
    assert seen[-1] == (0, True)  # nothing is left to draw during the last one


@pytest.mark.parametrize("cluster", [2], indirect=True)  # one worker does one after the other
def test_a_chain_does_not_wait_for_a_slower_one(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    given, ahead = noted_gives(monkeypatch), []
    monkeypatch.setattr(walk, "advance_chain", _slow_first)
    take = walk.RemoteRun._take

    def noted(self: walk.RemoteRun) -> None:
        take(self)
        ahead.append(max(map(len, self._ahead)) - min(map(len, self._ahead)))

    monkeypatch.setattr(walk.RemoteRun, "_take", noted)
    here = sample_posterior(random_table(6, 7), seed=5, limits=Limits(count=900))
    there = sample_posterior(random_table(6, 7), seed=5, limits=Limits(count=900), cluster=cluster)
    assert np.array_equal(here.rows, there.rows)
    assert max(ahead) >= 2 and len(given) >= 8
    assert max(ahead) <= walk.MOST_AHEAD


def _slow_first(task: walk.ChainTask, asked: walk.StretchRequest) -> walk.Walked:
    if not asked.state[2].any():  # at its start; the first of them that is taken is not alone
        time.sleep(0.2 + 0.8 * (int(asked.state[1][0]) % 2))
    return task.advance(asked)


def test_limits_and_ctrl_c_leave_what_all_chains_have(cluster: Cluster, tmp_path: Any) -> None:
    table, path = random_table(6, 7), tmp_path / "chains"

    def press(event: ProgressEvent) -> None:
        if event.done and event.done >= 256:
            raise KeyboardInterrupt

    asked: dict[str, Any] = {"seed": 5, "most_draws": 1500}
    whole = sample_posterior(table, **asked)
    pressed = sample_posterior(table, path=path, cluster=cluster, progress=press, **asked)
    assert pressed.status is Status.INTERRUPTED and 256 <= pressed.facts["draws_made"] < 1500
    late = sample_posterior(table, path=path, cluster=cluster, limits=Limits(seconds=1e-9), **asked)
    assert late.status is Status.TIME_LIMIT
    after = sample_posterior(table, path=path, cluster=cluster, **asked)
    assert np.array_equal(after.rows, whole.rows) and after.moves == whole.moves


def test_ctrl_c_while_the_chains_are_looked_at_leaves_the_draws(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, main = _Walkers.verdict, threading.main_thread().ident
    assert main is not None

    def press(run: _Walkers) -> ChainVerdict:
        if threading.get_ident() != main:
            signal.pthread_kill(main, signal.SIGINT)
            time.sleep(0.2)
        return judge(run)

    monkeypatch.setattr(_Walkers, "verdict", press)
    look_early(monkeypatch)
    pressed = sample_posterior(random_table(6, 7), seed=5, most_draws=5000, cluster=cluster)
    assert pressed.status is Status.INTERRUPTED and pressed.facts["draws_made"] == 100
    assert pressed.rows.shape[1] == pressed.verdict.draws == 75


def _stuck(task: walk.ChainTask, asked: walk.StretchRequest) -> walk.Walked:
    end = time.monotonic() + 20.0
    while asked.state[2].any() and time.monotonic() < end and is_still_wanted():  # not at the start
        time.sleep(0.05)
    return task.advance(asked)


def test_the_end_of_the_time_does_not_wait_for_workers(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "advance_chain", _stuck)
    look_early(monkeypatch)
    begin = time.monotonic()
    late = sample_posterior(random_table(6, 7), seed=5, most_draws=5000, cluster=cluster, limits=Limits(seconds=3.0))
    assert late.status is Status.TIME_LIMIT and late.facts["draws_made"] == 100
    assert time.monotonic() - begin < 10.0


@pytest.mark.parametrize(("variables", "chains"), [(100, 4), (400, 4), (100, 32)])
def test_what_all_chains_have_ahead_fits_into_memory(variables: int, chains: int) -> None:
    most = sampling._largest_remote(variables, chains)
    assert sampling.FIRST_REMOTE < most < sampling.LARGEST_REMOTE
    assert chains * (walk.MOST_AHEAD + 1) * most * (4 * variables + 8) <= sampling.REMOTE_BYTES


def test_stretches_are_the_same_for_all_chains_and_end_at_looks() -> None:
    pace = Pace(100, 1.0, 400)
    stretches = Stretches(pace, None, lambda done: min(sampling._next_look(done), 1200))
    one = stretches.at(0)
    assert one is not None and (one.first, one.count) == (0, 100)
    pace.note(100, 0.1)
    assert stretches.at(0) is one and pace.draws == 200
    pace.note(150, 0.1)  # cut short
    pace.note(200, 1.5)
    assert pace.draws == 200
    ends = []
    done = 100
    while (stretch := stretches.at(done)) is not None:
        done += stretch.count
        ends.append(done)
    assert ends == [300, 500, 700, 900, 1000, 1200]
    stretches.forget(1000)
    pace.draws = 50
    again = stretches.at(0)
    assert again is not None and again.count == 50

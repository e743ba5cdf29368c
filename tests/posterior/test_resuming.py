"""Chains that are killed, and chains on a cluster, draw what chains that nobody disturbed draw."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.posterior.chain_tables import random_table

from arcwise import datasets
from arcwise.ensemble import CredibleSet, find_posterior, sample_posterior
from arcwise.errors import OptionError, UnfinishedError
from arcwise.limits import Limits, Status
from arcwise.posterior.chain_posterior import ChainPosterior
from arcwise.progress import ProgressEvent

# Saves after every stretch, and says so with a line; ends by itself after 1,500 draws.
CHILD = """
import sys
from tests.posterior.test_resuming import killed_run
from arcwise.posterior import sampling

sampling.SAVE_SECONDS = sampling.SAVE_SHARE = 0.0
saved = sampling._Walkers._save
sampling._Walkers._save = lambda run: (saved(run), print(run.done, flush=True))[0]
killed_run(sys.argv[1])
"""


def killed_run(path: str | None) -> ChainPosterior:
    table = random_table(6, 8)
    credible = CredibleSet.build(table, bayes_factor=20)
    return sample_posterior(table, seed=5, credible=credible, steps=300, most_draws=1500, path=path)


def test_a_run_that_is_killed_goes_on_without_loss_or_repetition(tmp_path: Path) -> None:
    path = tmp_path / "chains"
    seen = []
    for lines in (2, 5):  # at other moments: in a save, between saves
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert child.stdout is not None
        seen.append([int(child.stdout.readline()) for _ in range(lines)])
        time.sleep(0.003 * lines)
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
        child.stdout.close()
    assert seen[1][0] > seen[0][-1]  # the second went on from what the first had saved
    resumed, whole = killed_run(os.fspath(path)), killed_run(None)
    assert resumed.facts["draws_made"] == whole.facts["draws_made"] > seen[1][-1]
    assert np.array_equal(resumed.rows, whole.rows)
    assert np.array_equal(resumed.scores, whole.scores)
    assert resumed.moves == whole.moves
    assert resumed.verdict == whole.verdict


def test_a_run_that_kept_some_of_its_draws_goes_on_keeping_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arcwise.posterior.sampling.FIRST_LOOK", 50)
    monkeypatch.setattr("arcwise.posterior.sampling.MOST_KEPT", 1)  # then 4 * 50 are
    table, path = random_table(6, 8), tmp_path / "chains"
    for most in (500, 650):
        resumed = sample_posterior(table, seed=5, steps=10, most_draws=most, path=path)
    whole = sample_posterior(table, seed=5, steps=10, most_draws=650)
    assert whole.facts["draws_made"] == 650 > 4 * whole.scores.shape[1]
    assert np.array_equal(resumed.rows, whole.rows)
    assert np.array_equal(resumed.scores, whole.scores)
    monkeypatch.setattr("arcwise.posterior.sampling.MOST_KEPT", 1000)
    every = sample_posterior(
        table, seed=5, steps=10, most_draws=650
    )  # less the first 162; of every fourth, the first 40
    assert np.array_equal(whole.scores[:, 1:], every.scores[:, 2::4])


def test_a_resumed_run_jumps_if_it_jumped_before_however_much_time_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = datasets.load("balance-scale")
    asked = {"way": "chains", "seed": 1, "most_draws": 1500}
    whole = find_posterior(data, "bdeu:ess=1", **asked)
    assert whole.chains.facts["jumps"]
    path = tmp_path / "with"
    find_posterior(data, "bdeu:ess=1", path=path, limits=Limits(count=200), **asked)
    monkeypatch.setattr("arcwise.posterior.posterior.JUMP_SHARE", 0.0)  # of the time, where it is limited
    resumed = find_posterior(data, "bdeu:ess=1", path=path, limits=Limits(seconds=1000), **asked)
    assert np.array_equal(resumed.chains.rows, whole.chains.rows)
    before = path.read_bytes()
    with pytest.raises(UnfinishedError, match="were found again"):
        find_posterior(data, "bdeu:ess=1", path=path, limits=Limits(seconds=1e-9), **asked)
    assert path.read_bytes() == before
    without = tmp_path / "without"
    begun = find_posterior(data, "bdeu:ess=1", path=without, limits=Limits(seconds=1000, count=200), **asked)
    assert not begun.chains.facts["jumps"]
    monkeypatch.undo()
    assert not find_posterior(data, "bdeu:ess=1", path=without, **asked).chains.facts["jumps"]
    asked["most_draws"] = 200_000
    agreed = find_posterior(data, "bdeu:ess=1", path=without, **asked)
    assert agreed.chains.verdict.converged
    assert agreed.status is Status.TIME_LIMIT  # it would have jumped, had the clock not been in the way
    assert find_posterior(data, "bdeu:ess=1", path=path, **asked).complete


def test_a_run_without_a_draw_leaves_no_file_to_go_on_from(tmp_path: Path) -> None:
    path = tmp_path / "chains"
    found = sample_posterior(random_table(6, 8), seed=5, path=path, limits=Limits(seconds=1e-9))
    assert found.status is Status.TIME_LIMIT
    assert not path.exists()


def test_chains_on_a_cluster_draw_the_same_and_survive_killed_workers() -> None:
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    table = random_table(6, 7)
    credible = CredibleSet.build(table, bayes_factor=20)
    asked = {"seed": 5, "credible": credible, "heats": (1.0, 0.5), "limits": Limits(count=900)}
    here = sample_posterior(table, **asked)
    killed: list[int] = []
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),  # the machine may be busy
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):

        def kill_all(event: ProgressEvent) -> None:
            if not killed:  # all of them, so that what chains walk on is lost, too
                killed.extend(client.run(os.getpid).values())
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)

        there = sample_posterior(table, cluster=client, progress=kill_all, **asked)
    assert killed
    for found in (there, sample_posterior(table, threads=2, **asked)):
        assert np.array_equal(found.rows, here.rows)
        assert np.array_equal(found.scores, here.scores)
        assert found.moves == here.moves
        assert found.verdict == here.verdict
    with pytest.raises(OptionError, match="no Dask scheduler answers"):
        sample_posterior(table, cluster="no such scheme://x", seed=1)

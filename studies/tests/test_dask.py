"""A Dask cluster: the same results as locally, and workers that die are survived."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arcwise.errors import ArcwiseError
from arcwise_studies import plan_study, read_study, run_study, study_frames, study_status

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own, when its workers are killed


def processes_left() -> int:
    from arcwise_studies.dask_workers import _pools

    return len(_pools)


@pytest.fixture
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
    ) as made:
        yield made


def test_a_cluster_gives_the_results_of_one_process_and_survives_the_death_of_workers(
    tmp_path: Path, cluster: Any
) -> None:
    path = tmp_path / "study.toml"
    path.write_text("seed = 1\n[experiments.overhead]\ncells = 60\nseconds = 0.1\nfail = [3]\ndie = [5]\n")
    study = read_study(path)
    store = tmp_path / "x.duckdb"
    killed: list[int] = []

    def kill_a_worker() -> None:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                done = study_status(store).counts["overhead"]["finished"]
            except ArcwiseError:
                done = 0
            if done:
                pid = next(iter(cluster.workers.values())).pid
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
            time.sleep(0.05)

    watcher = threading.Thread(target=kill_a_worker)
    watcher.start()
    report = run_study(study, store, cluster=cluster.scheduler_address, progress=False)
    watcher.join()
    assert killed
    with distributed.Client(cluster) as client:  # no process of the study is left on the cluster
        assert all(left == 0 for left in client.run(processes_left, on_error="ignore").values())
    assert (report.finished, report.failed, report.pending) == (58, 2, 0)
    rows, cells = study_frames(store)["overhead"]
    expected = {cell.parameters["number"]: cell.context(study).rng.random(1).item() for cell in plan_study(study)}
    assert dict(zip(rows["number"], rows["value"], strict=True)) == {
        number: value for number, value in expected.items() if number not in (3, 5)
    }
    said = cells.set_index("number")["message"]
    assert "told to fail" in said[3]
    assert "died 2 times" in said[5]


def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise_studies.dask_workers.CONNECT_SECONDS", 1.0)
    path = tmp_path / "study.toml"
    path.write_text("[experiments.overhead]\ncells = 1\n")
    with pytest.raises(ArcwiseError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        run_study(read_study(path), tmp_path / "x.duckdb", cluster="tcp://127.0.0.1:1", progress=False)


def test_a_cluster_with_another_version_is_refused(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[experiments.overhead]\ncells = 1\n")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "99.0")  # here, not on the cluster
    with pytest.raises(ArcwiseError, match=r"2 of 2 Dask workers do not have arcwise 99\.0"):
        run_study(read_study(path), tmp_path / "x.duckdb", cluster=cluster.scheduler_address, progress=False)

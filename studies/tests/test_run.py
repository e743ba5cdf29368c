"""Runs: every cell has one outcome, whatever fails, dies, is killed or comes again."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arcwise.base.run import Run
from arcwise.errors import ArcwiseError, ConfigError, FormatError
from arcwise.limits import Limits, Status
from arcwise.progress import ProgressEvent
from arcwise_studies import (
    Study,
    export_rows,
    plan_study,
    read_study,
    run_study,
    study_frames,
    study_status,
    summarize_study,
)
from arcwise_studies.local_workers import LocalWorkers
from arcwise_studies.outcome import Outcome
from arcwise_studies.plan import plan_in_time
from arcwise_studies.run_lock import RunLock
from arcwise_studies.store import Store


def study_of(folder: Path, settings: str, limits: str = "") -> Study:
    path = folder / "study.toml"
    path.write_text(f"seed = 1\n[limits]\n{limits}\n[experiments.overhead]\n{settings}\n", encoding="utf-8")
    return read_study(path)


def values(store: Path) -> dict[int, float]:
    rows, _ = study_frames(store)["overhead"]
    return dict(zip(rows["number"], rows["value"], strict=True))


def test_results_do_not_depend_on_workers(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 30")
    one = run_study(study, tmp_path / "one.duckdb", progress=False)
    two = run_study(study, tmp_path / "two.duckdb", workers=2, progress=False)
    assert (one.finished, two.finished, one.status) == (30, 30, Status.COMPLETE)
    found = values(tmp_path / "one.duckdb")
    assert found == values(tmp_path / "two.duckdb")
    # The numbers are those of the cells' own generators, and stay so in later versions.
    cells = plan_study(study)
    assert found == {c.parameters["number"]: c.context(study).rng.random(1).item() for c in cells}


def test_a_cell_fails_alone(tmp_path: Path) -> None:
    settings = "cells = 12\nfail = [1]\nmemory = [3]\nmemory_mb = 900\ndie = [5]\nstop = [7]"
    study = study_of(tmp_path, settings, "memory_mb = 400")
    store = tmp_path / "x.duckdb"
    report = run_study(study, store, workers=2, progress=False)
    assert (report.finished, report.limited, report.failed, report.pending) == (8, 1, 3, 0)
    _, cells = study_frames(store)["overhead"]
    said = cells.set_index("number")["message"]
    assert "told to fail" in said[1]
    assert said[3] == "memory limit of 400 MB exceeded"
    assert "died 2 times (signal 6" in said[5]
    assert said[7] == "time limit"
    assert set(values(store)) == set(range(12)) - {1, 3, 5}, "a cell at its limit keeps its rows"
    status = study_status(store)
    assert status.counts["overhead"] == {"finished": 8, "limit": 1, "failed": 3, "pending": 0}
    assert status.is_complete
    assert any("memory limit" in line for line in status.lines())


def test_a_cell_that_ignores_its_time_limit_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise_studies.local_workers.GRACE_SECONDS", 1.0)
    study = study_of(tmp_path, "cells = 1\nseconds = 600", "seconds = 0.2")
    report = run_study(study, tmp_path / "x.duckdb", progress=False)
    assert report.limited == 1
    _, cells = study_frames(tmp_path / "x.duckdb")["overhead"]
    assert "did not keep its limit of 0.2 s" in cells["message"][0]


def test_finished_cells_are_not_run_again(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 10\nfail = [2]\nstop = [4]")
    store = tmp_path / "x.duckdb"
    first = run_study(study, store, limits=Limits(count=6), progress=False)
    assert (first.done, first.pending, first.status) == (6, 4, Status.COUNT_LIMIT)
    second = run_study(study, store, progress=False)
    assert (second.done, second.pending, second.failed) == (4, 0, 1)
    assert run_study(study, store, progress=False).done == 0
    assert run_study(study, store, retry=["failed"], progress=False).done == 1
    assert run_study(study, store, retry=["failed", "limit"], progress=False).done == 2
    with pytest.raises(ArcwiseError, match="unknown status to retry 'finished'"):
        run_study(study, store, retry=["finished"], progress=False)
    runs = Store(store).runs()
    assert [run["run"] for run in runs] == [1, 2, 3, 4]
    assert all(run["ended"] for run in runs)
    # A finished outcome is never replaced, a failed one is.
    done = Store(store).cells()
    from arcwise_studies.outcome import Outcome

    Store(store).append([Outcome(done[0][0], "failed", "late"), Outcome(done[2][0], "finished", "better")], 9)
    messages = [cell[4] for cell in Store(store).cells()]
    assert (messages[0], messages[2]) == ("", "better")


class StoppedClock(Run):
    """A deadline that is over after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    @property
    def is_over(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_a_time_limit_holds_while_a_study_is_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning and writing look at the clock in between; what was not written whole is not there."""
    monkeypatch.setattr("arcwise_studies.plan.CELLS_PER_LOOK", 1)
    monkeypatch.setattr("arcwise_studies.store.CELLS_PER_LOOK", 10)
    study, store = study_of(tmp_path, "cells = 40"), Store(tmp_path / "x.duckdb")
    report = run_study(study, store.path, limits=Limits(seconds=1e-9), progress=False)
    assert (report.planned, report.done, report.pending) == (40, 0, 40)
    assert report.status is Status.TIME_LIMIT
    plan = plan_study(study)
    assert plan_in_time(study, StoppedClock(39)) is None
    assert plan_in_time(study, StoppedClock(40)) == plan
    for looks in range(4):
        assert not store.begin(study, plan, deadline=StoppedClock(looks))
        assert not list(tmp_path.glob("*.duckdb*"))
    assert store.begin(study, plan, deadline=StoppedClock(4))
    assert [row[0] for row in store.cells(rows=False)] == [cell.id for cell in plan]
    # Another plan for the same store: the old one stays.
    larger = study_of(tmp_path, "cells = 41")
    clock = StoppedClock(1)
    assert not store.begin(larger, plan_study(larger), accept_changes=True, deadline=clock)
    assert len(store.cells(rows=False)) == 40
    report = run_study(study, store.path, limits=Limits(seconds=1e-9), progress=False)
    assert (report.planned, report.finished, report.status) == (40, 0, Status.TIME_LIMIT)


def test_a_time_limit_of_the_run_keeps_what_is_finished(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 5000\nseconds = 0.05")
    for seconds in (3.0, 15.0, 60.0):  # on a slow machine a worker may need more than three seconds to start
        report = run_study(study, tmp_path / "x.duckdb", limits=Limits(seconds=seconds), progress=False)
        if report.done:
            break
    assert report.status is Status.TIME_LIMIT
    assert 0 < report.done == report.finished < 5000
    assert len(values(tmp_path / "x.duckdb")) == report.done


def test_a_changed_configuration_is_detected(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_study(study_of(tmp_path, "cells = 4"), store, progress=False)
    longer = study_of(tmp_path, "cells = 6")
    with pytest.raises(ConfigError, match=r"experiments.overhead.cells: 4 there, 6 here.*--accept-changes"):
        run_study(longer, store, progress=False)
    before = values(store)
    report = run_study(longer, store, accept_changes=True, progress=False)
    assert (report.done, report.finished) == (2, 6)
    assert before.items() <= values(store).items()
    shorter = run_study(study_of(tmp_path, "cells = 3"), store, accept_changes=True, progress=False)
    assert (shorter.planned, shorter.done, shorter.finished) == (3, 0, 3)
    other = run_study(study_of(tmp_path, "cells = 3\nrows = 2"), store, accept_changes=True, progress=False)
    assert other.done == 3


def test_a_second_run_on_a_store_is_refused(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 2")
    store = tmp_path / "x.duckdb"
    with RunLock(store), pytest.raises(FormatError, match=rf"being run by process {os.getpid()}"):
        run_study(study, store, progress=False)
    assert run_study(study, store, progress=False).finished == 2


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    import duckdb

    study = study_of(tmp_path, "cells = 2")
    text = tmp_path / "text.duckdb"
    text.write_text("hello", encoding="utf-8")
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE mine (x INTEGER)")
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(FormatError, match="not a store of a study"):
            run_study(study, path, progress=False)
        with pytest.raises(FormatError, match="not a store of a study"):
            study_status(path)
        assert path.read_bytes() == before
    with pytest.raises(FormatError, match="there is no store"):
        study_status(tmp_path / "absent.duckdb")


SCRIPT = """
import sys
from arcwise_studies import read_study, run_study
run_study(read_study(sys.argv[1]), sys.argv[2], workers=2, progress=False)
"""


def start(study: Path, store: Path) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", SCRIPT, str(study), str(store)]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finished(store: Path) -> int:
    return study_status(store).counts["overhead"]["finished"] if store.exists() else 0


def wait_until(condition: object, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    """kill -9, twice: every cell has one outcome in the end, and what was finished is not computed again."""
    study = study_of(tmp_path, "cells = 400\nseconds = 0.05")
    store = tmp_path / "x.duckdb"
    seen: list[dict[str, object]] = []
    for _ in range(2):
        already = finished(store)
        process = start(tmp_path / "study.toml", store)
        wait_until(lambda already=already: finished(store) > already)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append({cell[0]: cell[3:] for cell in Store(store).cells() if cell[3] == "finished"})
    assert len(seen[-1]) < 400, "killed before the end"
    report = run_study(study, store, workers=2, progress=False)
    assert report.finished == 400
    assert report.done == 400 - len(seen[-1])
    after = {cell[0]: cell[3:] for cell in Store(store).cells()}
    for kept in seen:  # the seconds too: they would differ if a cell had been computed again
        assert kept.items() <= after.items()
    assert values(store) == {
        cell.parameters["number"]: cell.context(study).rng.random(1).item() for cell in plan_study(study)
    }
    assert [run["status"] for run in Store(store).runs()] == ["running", "running", "complete"]


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    study_of(tmp_path, "cells = 2000\nseconds = 0.05")
    store = tmp_path / "x.duckdb"
    arguments = ["study", "run", str(tmp_path / "study.toml"), "--store", str(store)]
    process = subprocess.Popen(
        [sys.executable, "-m", "arcwise.cli", *arguments], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    wait_until(lambda: finished(store) > 0)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "stopped: interrupted" in said
    assert "Traceback" not in said
    assert 0 < finished(store) < 2000
    assert Store(store).runs()[0]["status"] == "interrupted"


def test_a_store_that_another_program_has_open_is_waited_for(tmp_path: Path) -> None:
    """Cells go on meanwhile; their outcomes are written when the store is free again."""
    study = study_of(tmp_path, "cells = 10\nseconds = 0.2")
    store = tmp_path / "x.duckdb"
    run_study(study, store, limits=Limits(count=1), progress=False)
    script = "import duckdb, sys, time; c = duckdb.connect(sys.argv[1], read_only=True); print(1, flush=True); input()"
    reader = subprocess.Popen(
        [sys.executable, "-c", script, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    from arcwise_studies.outcome import Outcome
    from arcwise_studies.store import StoreBusyError

    reader.stdout.readline()
    with pytest.raises(StoreBusyError, match="held open by another program"):
        Store(store).append([Outcome("0", "finished")], 1, patience=0.2)
    assert study_status(store).counts["overhead"]["finished"] == 1, "many may read"
    done: list[int] = []

    def release(event: ProgressEvent) -> None:
        done.append(event.done)
        if event.done >= 5 and reader.poll() is None:
            reader.communicate("\n")

    # The reader goes away once the run is half done, which it can only be if cells go on.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "begin_run", lambda self, workers: 7)
        patch.setattr(Store, "begin", lambda self, study, plan, **options: True)
        report = run_study(study, store, progress=release)
    reader.wait()
    assert report.finished == 10
    assert len(values(store)) == 10


def test_workers_end_when_the_runner_is_killed(tmp_path: Path) -> None:
    study_of(tmp_path, "cells = 50\nseconds = 600")
    process = start(tmp_path / "study.toml", tmp_path / "x.duckdb")

    def children() -> list[int]:
        folder = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return [int(pid) for pid in folder.read_text(encoding="ascii").split()] if folder.exists() else []

    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        process.kill()
        process.wait()
        pytest.skip("this system does not list the children of a process")
    wait_until(lambda: len(children()) == 2)
    workers = children()
    # Once it listens for cells, in a thread of its own, a worker gets one at once.
    wait_until(lambda: all(len(list(Path(f"/proc/{pid}/task").iterdir())) > 1 for pid in workers))
    time.sleep(1.0)
    process.send_signal(signal.SIGKILL)
    process.wait()

    def is_alive(pid: int) -> bool:
        stat = Path(f"/proc/{pid}/stat")
        try:
            return stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    wait_until(lambda: not any(map(is_alive, workers)))


def test_a_worker_that_is_killed_is_replaced_and_its_cell_tried_again(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 6\nseconds = 0.3")
    pool = LocalWorkers(study, 2)
    try:
        cells = plan_study(study)
        for cell in cells:
            pool.submit(cell)
        outcomes = pool.collect(60.0)
        pool._processes[0].kill()
        while len(outcomes) < len(cells):
            outcomes += pool.collect(60.0)
    finally:
        pool.close()
    assert {outcome.id for outcome in outcomes} == {cell.id for cell in cells}
    assert all(outcome.status == "finished" for outcome in outcomes)


class DeafPipe:
    """A pipe to a worker that fails once, though the worker is alive: what was written is lost."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._failures = 1

    def write(self, content: bytes) -> None:
        if self._failures:
            self._failures -= 1
            raise OSError(errno.EIO, "injected")
        self._pipe.write(content)

    def flush(self) -> None:
        self._pipe.flush()

    def close(self) -> None:
        self._pipe.close()


def test_a_cell_that_cannot_be_handed_over_is_handed_to_another_worker(tmp_path: Path) -> None:
    study = study_of(tmp_path, "cells = 1")
    (cell,) = plan_study(study)
    workers = LocalWorkers(study, 1)
    try:
        (process,) = workers._processes
        process._popen.stdin = DeafPipe(process._popen.stdin)  # type: ignore[assignment]
        workers.submit(cell)
        found: list[Outcome] = []
        wait_until(lambda: found.extend(workers.collect(1.0)) or found, 100)
        assert [(outcome.id, outcome.status) for outcome in found] == [(cell.id, "finished")]
    finally:
        workers.close()


def test_workers_that_cannot_start_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ArcwiseError, match="cannot start"):
        run_study(study_of(tmp_path, "cells = 1"), tmp_path / "x.duckdb", progress=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))
    with pytest.raises(ArcwiseError, match="cannot start a worker process: No such file"):
        run_study(study_of(tmp_path, "cells = 1"), tmp_path / "x.duckdb", progress=False)
    with pytest.raises(ArcwiseError, match="workers=0"):
        run_study(study_of(tmp_path, "cells = 1"), tmp_path / "x.duckdb", workers=0, progress=False)


def test_summaries_rebuild_from_the_store_alone(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_study(study_of(tmp_path, "cells = 8\nfail = [3]"), store, limits=Limits(count=6), progress=False)
    (tmp_path / "study.toml").unlink()
    summary = summarize_study(store)
    cells = summary.table("overhead", "cells").set_index("status")["cells"].to_dict()
    assert cells == {"finished": 5, "failed": 1, "pending": 2}
    assert summary.table("overhead", "cell-times")["cells"].tolist() == [8]
    files = summary.write(tmp_path / "out")
    assert {file.name for file in files} == {
        *("cells.csv", "cell-times.csv", "cell-times.png", "cell-times.svg", "summary.md", "summary.json")
    }
    facts = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert facts["cells"]["overhead"] == {"finished": 5, "limit": 0, "failed": 1, "pending": 2}
    assert "1 failed" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    again = {file.name: file.read_bytes() for file in files}
    summarize_study(store).write(tmp_path / "out")
    assert again == {file.name: file.read_bytes() for file in files}
    with pytest.raises(KeyError, match="there are cells, cell-times"):
        summary.table("overhead", "absent")


def test_rows_are_exported_with_the_cells_that_have_none(tmp_path: Path) -> None:
    import pandas as pd

    from arcwise.base.arrays import read_parquet

    store = tmp_path / "x.duckdb"
    study = study_of(tmp_path, "cells = 4\nrows = 3\nfail = [1]")
    run_study(study, store, progress=False)
    assert export_rows(store, tmp_path / "rows.parquet") == 10
    frame, facts = read_parquet(tmp_path / "rows.parquet")
    assert facts is not None
    assert facts["digest"] == study.digest
    assert (frame["status"] == "failed").sum() == 1
    assert export_rows(store, tmp_path / "rows.csv", experiment="overhead") == 10
    pd.testing.assert_series_equal(pd.read_csv(tmp_path / "rows.csv")["value"], frame["value"])
    with pytest.raises(FormatError, match="end the name in one of them"):
        export_rows(store, tmp_path / "rows.txt")
    with pytest.raises(FormatError, match="the study has overhead"):
        export_rows(store, tmp_path / "rows.csv", experiment="other")

"""Credible sets on disk: whole, resumed after a kill, and refused when they do not belong."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arcwise import datasets
from arcwise.credible import credible_set
from arcwise.credible import diagram as credible_diagram
from arcwise.ensemble import CredibleSet, NetworkSet, NetworkStream, find_credible, stream_credible
from arcwise.errors import FormatError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
import importlib.util
spec = importlib.util.spec_from_file_location("stream_tests", {file!r})
tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tests)
tests.stream(tests.flat_table(5), {folder!r}, chunk=50)
"""


def flat_table(n: int) -> ParentSetTable:
    entries = [[(0.0, [p for p in range(n) if m >> p & 1]) for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


def stream(table: ParentSetTable, folder: Path, chunk: int, log_slack: float = 0.0, **options: Any) -> NetworkStream:
    return CredibleSet.build(table, log_slack=log_slack).stream(folder, chunk=chunk, **options)


def contents(stream: NetworkStream) -> list[object]:
    return [dag for part in stream for dag in part]


@pytest.mark.parametrize("parquet", [False, True])
def test_a_stream_is_the_list(tmp_path: Path, parquet: bool) -> None:
    table = flat_table(4)
    written = stream(table, tmp_path / "s", chunk=100, parquet=parquet)
    assert (written.count, written.complete, len(written.files)) == (543, True, 6)
    listed = contents(written)
    assert len(set(listed)) == 543
    assert set(listed) == set(find_credible(table, log_slack=0.0))
    again = stream(table, tmp_path / "s", chunk=100, parquet=parquet)
    assert again.files == written.files


def test_limits_leave_a_stream_that_goes_on(tmp_path: Path) -> None:
    table = flat_table(4)
    first = stream(table, tmp_path, chunk=100, limits=Limits(count=150))
    assert (first.count, first.status) == (200, Status.COUNT_LIMIT)
    whole = stream(table, tmp_path, chunk=100)
    assert whole.complete
    assert len(set(contents(whole))) == 543
    assert whole.files[:2] == first.files


def test_a_killed_stream_is_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    here = Path(__file__)
    code = PROGRAM.format(here=str(here.parent), file=str(here), folder=str(folder))
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (folder / "progress.json").exists() and len(list(folder.glob("*.nets"))) >= 3:
            break
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    begun = NetworkStream.load(folder)
    assert not begun.complete, "the program ended before it could be killed"
    assert 0 < begun.count < 29281
    stamps = {name: (folder / name).stat().st_mtime_ns for name in begun.files}
    whole = stream(flat_table(5), folder, chunk=50)
    assert whole.count == 29281
    assert whole.complete
    assert {name: (folder / name).stat().st_mtime_ns for name in begun.files} == stamps, "finished files were rewritten"
    assert len(set(contents(whole))) == 29281


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    stream(flat_table(3), tmp_path, chunk=10)
    with pytest.raises(OptionError, match="another table"):
        stream(flat_table(3), tmp_path, log_slack=1.0, chunk=10)
    state = json.loads((tmp_path / "progress.json").read_text())
    (tmp_path / state["files"][0]).unlink()
    with pytest.raises(FormatError, match="is missing"):
        NetworkStream.load(tmp_path)
    (tmp_path / "progress.json").write_text("{}")
    with pytest.raises(FormatError, match="cannot be read"):
        NetworkStream.load(tmp_path)


def test_a_list_goes_on_in_the_same_diagram_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = flat_table(4)
    stream(table, tmp_path, chunk=100, limits=Limits(count=150))
    with monkeypatch.context() as patch:
        patch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)  # the same networks in another order
        with pytest.raises(FormatError, match="in another way"):
            stream(table, tmp_path, chunk=100)
    assert len(set(contents(stream(table, tmp_path, chunk=100)))) == 543


def test_ctrl_c_leaves_a_stream_that_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, saved = flat_table(4), []
    save = NetworkSet.save

    def interrupted(self: NetworkSet, path: Path) -> None:
        if len(saved) == 2:
            raise KeyboardInterrupt
        saved.append(path)
        save(self, path)

    with monkeypatch.context() as patch:
        patch.setattr(NetworkSet, "save", interrupted)
        begun = stream(table, tmp_path, chunk=100)
    assert (begun.status, begun.count, len(begun.files)) == (Status.INTERRUPTED, 200, 2)
    assert len(set(contents(stream(table, tmp_path, chunk=100)))) == 543


def test_a_folder_belongs_to_its_constraints(tmp_path: Path) -> None:
    # Two constraints that look alike: each forbids one arc.
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(3))
    a, b = "middle-middle-square", "Class"
    options = {"bayes_factor": 3, "progress": False}
    one = Constraints(table.names, forbidden=[(a, b)])
    other = Constraints(table.names, forbidden=[(b, a)])
    assert repr(one) == repr(other)
    first = stream_credible(table, tmp_path / "s", constraints=one, **options)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="another table, slack, constraints"):
        stream_credible(table, tmp_path / "s", constraints=other, **options)  # type: ignore[arg-type]
    assert not any(one.violations(dag) for dag in contents(first))  # type: ignore[arg-type]
    again = stream_credible(table, tmp_path / "s", constraints=one, **options)  # type: ignore[arg-type]
    assert again.files == first.files


def test_a_complete_folder_asks_for_no_diagram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stream_credible(flat_table(3), tmp_path, log_slack=0.0)
    monkeypatch.setattr(credible_set, "build_diagram", None)
    assert stream_credible(flat_table(3), tmp_path, log_slack=0.0).count == whole.count == 25

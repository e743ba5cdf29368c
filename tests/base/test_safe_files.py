"""Devices, pipes, links, permissions; files that shrink; what killed processes leave; what is on disk."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import arcwise.base.files
from arcwise.base.arrays import write_array_file, write_parquet
from arcwise.base.files import (
    atomic_folder,
    atomic_path,
    atomic_write,
    parse_json,
    parse_toml,
    read_descriptor,
    write_text,
)
from arcwise.errors import FormatError


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[tuple[Path, list[bytes]]]:
    path = tmp_path / "pipe.parquet"
    os.mkfifo(path)
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    thread.start()
    yield path, read
    thread.join(10)


def test_a_pipe_is_written_to_and_not_replaced(fifo: tuple[Path, list[bytes]]) -> None:
    path, read = fifo
    write_text(path, "text")
    assert stat.S_ISFIFO(path.stat().st_mode)
    while not read:
        time.sleep(0.01)
    assert read == [b"text"]


def test_a_pipe_takes_parquet(fifo: tuple[Path, list[bytes]]) -> None:
    path, read = fifo
    write_parquet(pd.DataFrame({"a": [1]}), path)
    while not read:
        time.sleep(0.01)
    assert read[0].startswith(b"PAR1")
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can make a device")
def test_a_device_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"x")
    except OSError:
        pytest.skip("this system does not let even root make a device")
    write_text(path, "text")
    assert stat.S_ISCHR(path.stat().st_mode)


def test_a_link_stays_one_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "folder" / "real.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to("folder/real.txt")
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    for name, write in {
        "a.txt": lambda path: write_text(path, "new"),
        "a.parquet": lambda path: write_parquet(pd.DataFrame({"a": [1]}), path),
        "a.nets": lambda path: write_array_file(path, "arcwise-test 1", {}, {}),
    }.items():
        path = tmp_path / name
        path.touch()
        path.chmod(mode)
        write(path)
        assert path.stat().st_size > 0
        assert stat.S_IMODE(path.stat().st_mode) == mode, name


def test_a_new_file_has_the_permissions_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "")
        write_parquet(pd.DataFrame({"a": [1]}), tmp_path / "b.parquet")
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o640}


def test_files_and_their_folder_are_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[str] = []
    real = os.fsync

    def note(descriptor: int) -> None:
        kinds.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real(descriptor)

    monkeypatch.setattr("os.fsync", note)
    write_text(tmp_path / "a", "text")
    assert kinds == ["file", "folder"]
    kinds.clear()
    write_parquet(pd.DataFrame({"a": [1]}), tmp_path / "a.parquet")
    assert kinds == ["file", "folder"]
    kinds.clear()
    with atomic_folder(tmp_path / "out") as part:
        write_text(part / "a", "text")
    assert kinds == ["file", "folder", "folder", "folder"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    if call == "fsync":
        monkeypatch.setattr("os.fsync", fail)
    elif call == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    with (
        pytest.raises(FormatError, match=r"cannot write .*a\.txt: No space left on device"),
        atomic_write(path) as file,
    ):
        file.write(b"new")
        if call == "write":
            fail()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


HELD = """
import sys, time
from arcwise.base.files import {what}
with {what}(sys.argv[1]):
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("what", ["atomic_write", "atomic_folder"])
def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path, what: str) -> None:
    command = [sys.executable, "-c", HELD.format(what=what), str(tmp_path / "result")]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
        assert len(list(tmp_path.glob(".result.*.arcwise.part"))) == 2
        writers[0].send_signal(signal.SIGKILL)
        writers[0].wait()
        arcwise.base.files._swept.clear()
        (tmp_path / ".other.part").touch()
        write_text(tmp_path / "next", "text")
        assert len(list(tmp_path.glob(".result.*.arcwise.part"))) == 1  # of the one that lives
        assert (tmp_path / ".other.part").exists()
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
            assert writer.stdout is not None
            writer.stdout.close()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="it is a folder"):
        write_text(tmp_path, "text")
    with pytest.raises(FormatError, match="NUL character"):
        write_text(tmp_path / "a\0b", "text")


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * 100_000)

    class Shrinking(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            os.truncate(path, 10)
            return super().read(-1 if size is None else size) or b""

    with Shrinking(path) as file, pytest.raises(FormatError, match=r"a\.csv: the file became shorter while"):
        read_descriptor(file, str(path))  # type: ignore[arg-type]


def test_a_data_file_is_not_mapped_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"x,y\n" * 100_000)
    code = (
        "import os, sys; from arcwise.data.source import open_source; source = open_source(sys.argv[1]); "
        "os.truncate(sys.argv[1], 0); print(source.content.sum())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.returncode  # -7: SIGBUS


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "9" * 5_000, '{"a":' * 200 + "1" + "}" * 200, "nul", "", "\ud800", b"\xff", "[1"]
)
def test_text_that_is_no_json(text: str | bytes) -> None:
    with pytest.raises(FormatError, match=r"^a\.json"):
        parse_json(text, source="a.json")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5_000, "a = " + "9" * 5_000, "a = 0000-00-00", "a" + ".a" * 10_000 + " = 1", "[" * 100, "="]
)
def test_text_that_is_no_toml(text: str) -> None:
    with pytest.raises(FormatError, match=r"^a\.toml"):
        parse_toml(text, source="a.toml")


def test_what_is_no_unicode_is_refused_at_writing(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not valid Unicode"):
        write_text(tmp_path / "a", "x\ud800")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="the flags of an open file cannot be asked for")
def test_what_is_synced_is_open_for_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    modes: list[int] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):  # Windows refuses to sync what was opened for reading
            modes.append(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    with atomic_write(tmp_path / "own") as file:
        file.write(b"x")
    with atomic_path(tmp_path / "another") as name:
        name.unlink()
        name.write_bytes(b"y")
    assert len(modes) == 2
    assert os.O_RDONLY not in modes
    assert (tmp_path / "own").read_bytes() + (tmp_path / "another").read_bytes() == b"xy"

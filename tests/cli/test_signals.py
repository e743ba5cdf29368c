"""Ctrl-C, SIGTERM and a stdout that cannot be written: the program ends in order and without a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

import arcwise
from arcwise_studies import plan_study, read_study

PROGRAM = [sys.executable, "-m", "arcwise.cli"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["typer", "numpy", "arcwise.cli.networks"])
def test_a_signal_while_modules_are_imported(tmp_path: Path, number: signal.Signals, module: str) -> None:
    """The signal comes in the middle of an import, at a module that a finder watches for."""
    code = f"""
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {int(number)})
        return None
sys.meta_path.insert(0, Finder())
sys.argv = ["arcwise", "convert", "--help"]
from arcwise.cli.entry import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 128 + number, done
    assert done.stderr == {signal.SIGINT: "interrupted\n", signal.SIGTERM: "terminated\n"}[number]


SENDS = {
    "while it is said": "main.typer.echo = lambda *_, **__: kill()",
    "while the program ends": "entry.end_quietly = kill",
    "after that": "entry.sys.exit = lambda code: kill()",
}


@pytest.mark.parametrize("when", SENDS)
def test_a_second_ctrl_c_has_no_traceback(tmp_path: Path, when: str) -> None:
    code = f"""
import os, signal, sys
def kill(*given):
    os.kill(os.getpid(), signal.SIGINT)
from arcwise.cli import entry, main
main._command = lambda: kill() or sys.exit(7)
{SENDS[when]}
sys.argv = ["arcwise", "--version"]
entry.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 130, done
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("error", ["ImportError", "arcwise.errors.FormatError"])
def test_what_a_library_makes_of_ctrl_c_is_not_told(tmp_path: Path, error: str) -> None:
    """It comes while DuckDB looks for pandas, which then seems not to be installed, and the file to be unreadable."""
    code = f"""
import os, signal, sys
import arcwise.errors
from arcwise.cli import entry
from arcwise.data import formats
def load():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise {error}("'pandas' is required for this operation") from None
formats.load_duckdb = load
sys.argv = ["arcwise", "check", "few.duckdb"]
entry.main()
"""
    (tmp_path / "few.duckdb").write_bytes(bytes(8) + b"DUCK" + bytes(100))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.replace("interrupted\n", "")) == (130, "")


def test_nothing_is_imported_before_signals_are_listened_to() -> None:
    """Until then, Ctrl-C is Python's own traceback: in its own start, and in what the script of pip imports."""
    code = f"""
import re, sys
sys.path.insert(0, {str(Path(arcwise.__file__).parents[1])!r})
before = set(sys.modules)
import arcwise.cli
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "arcwise", "arcwise.cli"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["at exit", "among modules"])
def test_a_signal_while_the_interpreter_ends_changes_no_exit_code(number: signal.Signals, when: str) -> None:
    code = f"""
import atexit, os, sys
from arcwise.cli import signals
kill, own = os.kill, os.getpid()
class Last:
    def __del__(self):
        kill(own, {int(number)})
last = Last() if {when == "among modules"} else None
if last is None:
    atexit.register(kill, own, {int(number)})
signals.listen()
signals.end_quietly()
sys.exit(3)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "")


def start(tmp_path: Path, *arguments: str) -> subprocess.Popen[bytes]:
    (tmp_path / "network.bif").write_text(
        "network x {}\nvariable a { type discrete [ 2 ] { x, y }; }\nvariable b { type discrete [ 2 ] { x, y }; }\n"
        "probability ( a ) { table 0.5, 0.5; }\nprobability ( b | a ) { (x) 0.1, 0.9; (y) 0.8, 0.2; }\n"
    )
    return subprocess.Popen([*PROGRAM, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_sigterm_ends_as_ctrl_c_does(tmp_path: Path) -> None:
    program = start(tmp_path, "sample", "network.bif", "--rows", "50000000", "-o", "rows.csv")
    for _ in range(600):
        time.sleep(0.1)
        if program.poll() is not None or list(tmp_path.glob(".rows.csv.*")):
            break
    program.send_signal(signal.SIGTERM)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (143, b"", b"terminated\n")
    assert [path.name for path in tmp_path.iterdir()] == ["network.bif"]


def test_sigterm_keeps_what_is_finished(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[experiments.overhead]\ncells = 1000\nseconds = 0.2\nwork = "sleep"\n')
    program = start(tmp_path, "study", "run", "s.toml", "--store", "s.duckdb", "-q")
    for _ in range(600):
        time.sleep(0.1)
        if program.poll() is not None or (tmp_path / "s.duckdb").exists():
            break
    time.sleep(3)
    program.send_signal(signal.SIGTERM)
    _, err = program.communicate(timeout=60)
    assert program.returncode == 143
    assert b"Traceback" not in err
    assert b"Fatal" not in err
    shown = subprocess.run(
        [*PROGRAM, "study", "status", "--store", "s.duckdb"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "interrupted" in shown.stdout + shown.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("rows", ["3", "100000"])
def test_a_full_stdout(tmp_path: Path, rows: str) -> None:
    start(tmp_path, "--version").communicate()
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "sample", "network.bif", "--rows", rows],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "FormatError: cannot write to stdout: No space left on device.\n"


def test_closed_streams_take_no_file_s_place(tmp_path: Path) -> None:
    start(tmp_path, "--version").communicate()
    command = " ".join([*PROGRAM, "sample", "network.bif", "--rows", "3", "-o", "rows.csv"])
    done = subprocess.run(["/bin/sh", "-c", f"exec {command} >&- 2>&- <&-"], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert (tmp_path / "rows.csv").read_text().count("\n") == 4


def test_a_worker_whose_runner_is_gone_ends_silently(tmp_path: Path) -> None:
    """Also while it writes an outcome that nobody reads."""
    (tmp_path / "s.toml").write_text('[experiments.overhead]\ncells = 3\nseconds = 1.0\nwork = "sleep"\n')
    study = read_study(tmp_path / "s.toml")
    first = json.dumps({"study": study.content, "sources": asdict(study.sources)})
    cells = "".join(json.dumps(asdict(cell)) + "\n" for cell in plan_study(study))
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", "from arcwise_studies.worker import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdin.write(f"{first}\n{cells}".encode())
    program.stdin.flush()
    assert program.stdout.readline() == b"ready\n"
    program.stdout.close()  # the outcome of the first cell cannot be written
    assert program.stderr.read() == b""
    assert program.wait(30) == 0
    program.stdin.close()
    program.stderr.close()


def test_a_verb_writes_to_a_pipe(tmp_path: Path) -> None:
    start(tmp_path, "--version").communicate()
    os.mkfifo(tmp_path / "rows.csv")
    program = start(tmp_path, "sample", "network.bif", "--rows", "3", "-o", "rows.csv")
    assert (tmp_path / "rows.csv").read_text().count("\n") == 4
    program.communicate(timeout=60)
    assert program.returncode == 0
    assert (tmp_path / "rows.csv").is_fifo()

"""The process in which things fail: prepares an old result, then, once per k in a process of its own, makes a new one.

    python child.py SCENARIO KIND FOLDER K [K ...]

prints a line per k: k, the exit code (0 done, 1 a clear error, 3 a limit, 70 anything else), how often something
failed, and whether the target is the old or a whole new result.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np

from arcwise.cli.main import main
from arcwise.credible.listing import NetworkStream
from arcwise.data import Dataset, write_data
from arcwise.ensemble import CredibleSet
from arcwise.errors import ArcwiseError
from arcwise.parent_sets import build_parent_sets, read_parent_sets
from arcwise_studies import study_status

KINDS = {"memory": 1, "write": 2, "fsync": 3, "rename": 4, "disk-full": 5}
STUDY = 'name = "tiny"\nseed = 3\n[experiments.overhead]\ncells = {cells}\nwork = "sleep"\nseconds = 0.0\n'


def make_data(path: Path, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (120, 5))
    codes[:, 1:] = np.where(rng.random((120, 4)) < 0.8, codes[:, :4], codes[:, 1:])
    data = Dataset.from_codes(codes, names=list("abcde"), states=[["n", "y"]] * 5)
    write_data(data, path)
    return data


def command(*arguments: object) -> int:
    """Run a verb; the exit code, where anything but an orderly end is 70."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as ending:
        return int(ending.code or 0)
    return 0


def scores(folder: Path, number: int) -> int:
    return command("scores", folder / f"data{number}.csv", "--score", "bdeu", "-o", folder / "target.arct", "-q")


def learn(folder: Path, number: int) -> int:
    target = ("-o", folder / "target", "--force", "-q")
    return command("learn", folder / f"data{number}.csv", "--limit-seconds", 100_000, *target)  # a limit is code 3


def stream(folder: Path, number: int) -> int:
    """As a library: the errors that may come are arcwise's own, of memory, or of the system."""
    table = build_parent_sets(make_data(folder / "again.csv", number), "bic", slack=1.0, progress=False)
    CredibleSet.build(table, log_slack=1.0, progress=False).stream(folder / f"target{number}", chunk=3)
    return 0


def study(folder: Path, number: int) -> int:
    (folder / "study.toml").write_text(STUDY.format(cells=2 + number))
    return command("study", "run", folder / "study.toml", "--store", folder / "target.duckdb", "--accept-changes", "-q")


SCENARIOS = {"scores": scores, "learn": learn, "stream": stream, "study": study}


def state_of(scenario: str, folder: Path) -> str:
    """Say what the target is; read it, so that half a result is noticed."""
    if scenario == "scores":
        read_parent_sets(folder / "target.arct").validate()
        return hashlib.sha256((folder / "target.arct").read_bytes()).hexdigest()
    if scenario == "learn":
        names = sorted(path.name for path in (folder / "target").iterdir())
        assert "report.html" in names, names
        assert "edges.csv" in names, names
        return hashlib.sha256((folder / "target" / "edges.csv").read_bytes()).hexdigest()
    if scenario == "stream":
        counts = []
        for target in sorted(folder.glob("target*")):
            if (target / "progress.json").exists():
                found = NetworkStream.load(target)
                assert sum(len(part) for part in found) == found.count
                counts.append(f"{target.name} {found.count} {found.status}")
        return "; ".join(counts)
    return "; ".join(study_status(folder / "target.duckdb").lines()[:1])


def attempt(scenario: str, kind: str, folder: Path, k: int, shim: ctypes.CDLL) -> tuple[int, int]:
    shim.arm(KINDS[kind], ctypes.c_long(k))
    try:
        code = SCENARIOS[scenario](folder, 2)
    except (ArcwiseError, MemoryError, OSError):
        code = 1
    except BaseException:
        failed = shim.disarm()
        traceback.print_exc()
        return 70, failed
    return code, shim.disarm()


def run(scenario: str, kind: str, base: Path, ks: list[int]) -> None:
    shim = ctypes.CDLL(None)
    shim.disarm.restype = ctypes.c_long
    for number in (1, 2):
        make_data(base / f"data{number}.csv", number)
    assert SCENARIOS[scenario](base, 1) == 0
    old = state_of(scenario, base)
    for k in ks:
        folder = base.with_name(f"{base.name}-{k}")
        shutil.copytree(base, folder)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code, failed = attempt(scenario, kind, folder, k, shim)
            os.write(writer, f"{code} {failed}".encode())
            os._exit(0)
        os.close(writer)
        said = os.read(reader, 100).decode() or f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])} -1"
        os.close(reader)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
        try:
            now = state_of(scenario, folder)
            state = "old" if now == old else "new"
        except Exception as error:
            state = f"broken:{type(error).__name__}:{str(error)[:200]!r}".replace(" ", "_")
        print(k, said, state, flush=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(sys.argv[1], sys.argv[2], Path(sys.argv[3]), [int(k) for k in sys.argv[4:]])

"""What all topics share: how options are read, where the reference data are, and what is said of what is not there.

A topic is a module of this package whose name does not begin with an underscore. It has `main(arguments=())`, which
without arguments measures what `make benchmark` shows and ends within a bounded time; what takes longer is an option.
What is not there, a peer or a folder of data, is said loudly and left out: it is no failure.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = ROOT / "build" / "networks"  # `make networks`
SHARED = Path(os.environ.get("ARCWISE_SHARED", ROOT.parent / "shared"))
TITLES = {
    "pyagrum": "pyAgrum",
    "bnlearn": "R's package bnlearn",
    "distributed": "Dask (pip install 'arcwise[cluster]')",
}


def parser_for(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of a topic's options; one that it does not know is refused, never passed over."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )


def listed(kind: Callable[[str], object] = str) -> Callable[[str], list[object]]:
    """Return the type of an option whose value is a list with commas."""

    def read(text: str) -> list[object]:
        return [kind(part) for part in text.split(",")]

    read.__name__ = f"list of {kind.__name__}"  # what a refusal calls it
    return read


def has_data(*places: Path) -> bool:
    """Return whether all these files or folders are there; say loudly which is not."""
    missing = [place for place in places if not place.exists()]
    for place in missing:
        print(f"\nTHE REFERENCE DATA ARE NOT AT {place}: what needs them is not measured.\n", flush=True)
    return not missing


@contextmanager
def log_at(path: Path | None) -> Iterator[Path]:
    """Yield the file that cells are written to: the one given, which is continued, or a fresh one that is not kept."""
    if path is not None:
        if path.exists():
            print(f"(Cells that {path} has are not measured again.)\n", flush=True)
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "log"


def _exit_code(command: list[str]) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


@cache
def has_peer(name: str) -> bool:
    """Return whether a peer is installed (`bnlearn`: R and its package); say loudly, once, if it is not."""
    if name == "bnlearn":
        command = ["Rscript", "-e", "library(bnlearn)"]
        there = shutil.which("Rscript") is not None and not _exit_code(command)
    else:
        there = importlib.util.find_spec(name) is not None
    if not there:
        print(f"\n{TITLES.get(name, name)} IS NOT INSTALLED: it is not compared with.\n", flush=True)
    return there


def without_missing(ways: Iterable[str], peers: dict[str, str]) -> list[str]:
    """Leave out the ways of peers that are not installed; `peers` has the peer of each way that needs one."""
    return [way for way in ways if way not in peers or has_peer(peers[way])]


def arcs_by_r(script: str, got: Path, seconds: float) -> set[tuple[int, int]] | str:
    """Run R, which writes arcs between V0, V1, ... to a file, and return their places, or why there are none."""
    import pandas as pd

    try:
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"longer than {seconds:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["R failed"])[-1][:80]
    return {(int(a[1:]), int(b[1:])) for a, b in pd.read_csv(got).itertuples(index=False)}

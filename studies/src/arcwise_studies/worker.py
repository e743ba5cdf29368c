"""The worker process: one cell after the other.

A process of its own, and not a fork: it shares no memory, lock or open file with the runner, so that it can be killed
at any time, and it ends by itself when the runner does. The first line of its input is the study, every other line a
cell; every line of its output is an outcome, except "ready" at the start, and "leaving" if it ends by itself. Nothing
else may go to its output: what cells print goes to stderr.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import BinaryIO

from arcwise_studies.config import Study
from arcwise_studies.outcome import run_cell
from arcwise_studies.plan import Cell
from arcwise_studies.sources import Sources

__all__ = ["LEAVING", "READY", "main"]

READY = b"ready\n"
LEAVING = b"leaving\n"


def main() -> None:
    """Run cells until the input ends.

    The process never ends as Python does by itself: that waits for the thread that reads the input, and complains
    loudly of the lock it holds.
    """
    try:
        _serve()
    except BrokenPipeError:  # the runner is gone, and nobody waits for the outcome
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _serve() -> None:
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lines: queue.Queue[bytes] = queue.Queue()
    first = sys.stdin.buffer.readline()
    if not first:
        return
    given = json.loads(first)
    study = Study.from_content(given["study"], Sources(**given["sources"]))
    threading.Thread(target=_read, args=(sys.stdin.buffer, lines), daemon=True).start()
    output.write(READY)
    while True:
        cell = Cell(**json.loads(lines.get()))
        _limit_memory(study.limits.memory_bytes)
        outcome = run_cell(study, cell)
        output.write(outcome.to_json().encode() + b"\n")
        if outcome.out_of_memory:
            output.write(LEAVING)  # a fresh process rather than one whose memory is in pieces
            return


def _read(source: BinaryIO, lines: queue.Queue[bytes]) -> None:
    """Take in cells; the end of the input means that the runner is done, or dead: the process ends at once."""
    for line in source:
        lines.put(line)
    os._exit(0)


def _limit_memory(limit: int | None) -> None:
    """Let the process have this much more memory than it has now, where the system can limit it (Linux).

    RLIMIT_DATA counts what can be written to, unlike RLIMIT_AS, which counts reserved addresses as well.
    """
    if limit is None:
        return
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        own = pages * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = own + limit
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if most < 0 else min(wanted, most), most))
    except (ImportError, OSError):
        return

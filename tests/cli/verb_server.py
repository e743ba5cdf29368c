"""A process that has imported every verb and runs commands in copies of itself: their CPU has no start of a program.

Reads one JSON object a line, `{"words": [...], "folder": ..., "output": ..., "load": ...}`, and answers with the exit
code and the CPU seconds of the process and its children. With a load the clock of the command is that of `clock.cpp`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import sys
import traceback


def import_all() -> None:
    """Import what any verb imports on first use."""
    import arcwise
    from arcwise.cli.main import _register_verbs

    _register_verbs()
    for module in pkgutil.walk_packages(arcwise.__path__, "arcwise."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in (
        "duckdb",
        "highspy",
        "jinja2",
        "matplotlib.pyplot",
        "pandas",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
    ):
        importlib.import_module(name)


def answer(words: list[str], folder: str, output: str, load: float) -> dict[str, float]:
    """Run one command in a child, on one core: two threads would use twice the limit in CPU before it."""
    child = os.fork()
    if child == 0:
        if load:
            ctypes.c_double.in_dll(ctypes.CDLL(None), "arcwise_load").value = load
        run(words, folder, output)
    _, status, used = os.wait4(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "cpu": used.ru_utime + used.ru_stime}


def run(words: list[str], folder: str, output: str) -> None:
    """Be the command: never return."""
    code = 70
    try:
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[os.getppid() % len(cores)]})
        for stream, end in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{output}.{end}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        os.chdir(folder)
        sys.argv = ["arcwise", *words]
        from arcwise.cli.main import main

        main()
        code = 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


if __name__ == "__main__":
    import_all()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), flush=True)

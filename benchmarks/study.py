"""The study runner: what it costs for cells of a second, how many trivial cells it passes, and how it scales.

Sleeping cells measure the runner on a busy machine: they need no processor, so what is above their own time is the
runner's. Computing cells measure the machine as well.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arcwise.limits import Limits
from arcwise_studies import Study, plan_study, run_study, study_frames
from arcwise_studies.experiments.overhead import OverheadSettings
from arcwise_studies.outcome import Outcome
from arcwise_studies.store import Store
from benchmarks._topic import has_peer, parser_for


def study_of(**settings: Any) -> Study:
    return Study("benchmark", 1, {"overhead": OverheadSettings(**settings)}, Limits())


def run(workers: int = 1, cluster: Any = None, **settings: Any) -> tuple[float, float, float, int]:
    """Return wall-clock seconds, the runner's own CPU seconds, the seconds of all cells, and their number."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "x.duckdb")
        wall, cpu = time.perf_counter(), time.process_time()
        report = run_study(study_of(**settings), store, workers=workers, cluster=cluster, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert report.finished == report.planned
        _, cells = study_frames(store)["overhead"]
        return wall, cpu, float(cells["seconds"].sum()), report.done


def seconds_long_cells() -> None:
    print(
        "Cells of one second (sleeping), one worker. The start of the worker and the last write count in the first two"
    )
    print("lines; the last one is what each additional cell costs.\n")
    print("| cells | seconds of the cells | wall s | overhead | runner's CPU s |")
    print("|---:|---:|---:|---:|---:|")
    found = [run(cells=count, seconds=1.0) for count in (10, 60)]
    found.append(tuple(b - a for a, b in zip(*found, strict=True)))
    for wall, cpu, spent, done in found:
        print(f"| {done} | {spent:.2f} | {wall:.2f} | {wall / spent - 1:.1%} | {cpu:.2f} |", flush=True)


def trivial_cells() -> None:
    print("\nTrivial cells, through worker processes and the store.\n")
    print("| workers | cells | wall s | cells/s | runner's CPU ms per cell |")
    print("|---|---:|---:|---:|---:|")
    for workers in (1, 2):
        wall, cpu, _, done = run(workers=workers, cells=20_000)
        print(f"| {workers} | {done:,} | {wall:.1f} | {done / wall:,.0f} | {1000 * cpu / done:.3f} |", flush=True)


def store_alone() -> None:
    print(
        "\nThe store alone: outcomes with one row each, a transaction per batch, the file opened and closed for each.\n"
    )
    print("| batch | outcomes | outcomes/s | ms per batch |")
    print("|---:|---:|---:|---:|")
    rows = '[{"row": 0, "value": 0.123456789}]'
    for batch in (1, 10, 100, 1000, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder, "x.duckdb"))
            study = study_of(cells=1)
            store.begin(study, plan_study(study))
            count = max(20, 50_000 // batch if batch > 100 else 20)
            start = time.perf_counter()
            for i in range(count):
                store.append([Outcome(f"{i * batch + k:024x}", "finished", "", 0.1, rows) for k in range(batch)], 1)
            spent = time.perf_counter() - start
        print(
            f"| {batch:,} | {count * batch:,} | {count * batch / spent:,.0f} | {1000 * spent / count:.1f} |", flush=True
        )


def scaling() -> None:
    print(
        "\nMore workers. Sleeping cells tell whether the runner keeps all workers busy; computing cells tell what the"
    )
    print("machine gives.\n")
    print("| cells | workers | cells | wall s | speed against one worker | of the ideal |")
    print("|---|---:|---:|---:|---:|---:|")
    for work, seconds, per_worker, numbers in (("sleep", 0.5, 30, (1, 2, 8, 32)), ("compute", 0.5, 30, (1, 2))):
        first = None
        for workers in numbers:
            wall, _, _, done = run(workers=workers, cells=per_worker * workers, seconds=seconds, work=work)
            speed = done / wall
            first = first or speed
            print(
                f"| {work} | {workers} | {done} | {wall:.1f} | {speed / first:.2f} | {speed / first / workers:.0%} |",
                flush=True,
            )


def dask() -> None:
    if not has_peer("distributed"):
        return
    from distributed import LocalCluster

    print("\nA Dask cluster of two local workers.\n")
    print("| cells | wall s | cells/s |")
    print("|---|---:|---:|")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR") as cluster:
        for label, settings in (
            ("20 sleeping, 1 s", {"cells": 20, "seconds": 1.0}),
            ("10,000 trivial", {"cells": 10_000}),
        ):
            wall, _, _, done = run(cluster=cluster.scheduler_address, **settings)
            print(f"| {label} | {wall:.1f} | {done / wall:,.0f} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    seconds_long_cells()
    trivial_cells()
    store_alone()
    scaling()
    dask()


if __name__ == "__main__":
    main(sys.argv[1:])

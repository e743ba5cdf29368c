"""The bootstrap: tabu replicates of a sample of insurance, against bnlearn's recorded time; workers and their overhead.

bnlearn's seconds are those recorded with its golden values (R 4.x, one core); all others are measured here. Wall-clock
seconds, except where it says CPU.
"""

from __future__ import annotations

import csv
import gzip
import json
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from arcwise.bootstrap.task import OPTIONS
from arcwise.data import Dataset
from arcwise.ensemble import NetworkSet, bootstrap_networks
from benchmarks._topic import SHARED, has_data, parser_for

GOLDEN = SHARED / "golden" / "bnlearn"


def read_insurance(golden: dict[str, Any]) -> Dataset:
    states = golden["networks"]["insurance"]["states"]
    with gzip.open(GOLDEN / "insurance_1000.csv.gz", "rt") as file:
        names, *rows = csv.reader(file)
    codes = [[states[names[v]].index(value) for v, value in enumerate(row)] for row in rows]
    return Dataset.from_codes(np.array(codes), names=names, states=[states[name] for name in names])


def timed(data: Dataset, **options: Any) -> tuple[float, float, NetworkSet]:
    wall, cpu = time.perf_counter(), time.process_time()
    networks = bootstrap_networks(data, score="bic", seed=1, progress=False, **{"workers": 1, **options})
    return time.perf_counter() - wall, time.process_time() - cpu, networks


def compare_with_bnlearn(data: Dataset, golden: dict[str, Any]) -> None:
    print("200 replicates of insurance, N = 1,000, BIC, one core.\n")
    print("| learner | bnlearn s (recorded) | arcwise s | CPU s | ratio | correlation of strengths | mean difference |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for learner, key in (("tabu", "insurance_1000_tabu"), ("hill-climbing", "insurance_1000_hc")):
        theirs = golden["boot"][key]
        asked = {"learner": learner, "options": {"refine": 0}}  # as bnlearn learns
        wall, cpu, networks = min((timed(data, **asked) for _ in range(3)), key=lambda t: t[1])
        arcs = networks.arc_probabilities()
        pairs = [tuple(data.index(name) for name in pair.split("|")) for pair in theirs["strength"]]
        ours = np.array([(arcs + arcs.T)[pair] for pair in pairs])
        expected = np.array([value[0] for value in theirs["strength"].values()])
        print(
            f"| {learner} | {theirs['seconds']:.1f} | {wall:.3f} | {cpu:.3f} | {theirs['seconds'] / cpu:.0f} | "
            f"{np.corrcoef(ours, expected)[0, 1]:.4f} | {np.abs(ours - expected).mean():.4f} |",
            flush=True,
        )


def compare_learners(data: Dataset) -> None:
    print("\n200 replicates by every learner, BIC, one core: seconds and the mean score on the replicates' own data.\n")
    print("| learner | CPU s | mean score |")
    print("|---|---:|---:|")
    for learner in ("hill-climbing", "tabu", "first-ascent", "genetic", "order", "exact"):
        _, cpu, networks = timed(data, learner=learner, options={"refine": 0} if "refine" in OPTIONS[learner] else {})
        print(f"| {learner} | {cpu:.2f} | {np.mean(networks.facts['replicate_scores'] or []):.2f} |", flush=True)


def total_cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def compare_workers(data: Dataset) -> None:
    replicates = 60_000  # over a minute
    print(
        f"\n{replicates:,} tabu replicates by workers. CPU seconds of all processes tell the overhead of a backend even"
    )
    print("on a busy machine; wall-clock seconds tell the speed on an idle one.\n")
    print("| workers | wall s | relative speed | CPU s | overhead |")
    print("|---|---:|---:|---:|---:|")
    first = None
    for label, options in (
        ("1 thread", {}),
        ("2 threads", {"workers": 2}),
        ("2 processes (loky)", {"workers": 2, "backend": "loky"}),
        ("2 Dask workers", {"workers": 2, "backend": "dask"}),
    ):
        before = total_cpu()
        wall, _, _ = timed(data, replicates=replicates, **options, options={"refine": 0})
        cpu = total_cpu() - before
        first = first or (wall, cpu)
        print(f"| {label} | {wall:.1f} | {first[0] / wall:.2f} | {cpu:.1f} | {cpu / first[1] - 1:+.0%} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    if not has_data(GOLDEN):
        return
    golden = json.loads((GOLDEN / "golden.json").read_text())
    data = read_insurance(golden)
    compare_with_bnlearn(data, golden)
    compare_learners(data)
    compare_workers(data)


if __name__ == "__main__":
    main(sys.argv[1:])

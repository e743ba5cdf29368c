"""One problem on a cluster: how much quicker two workers are than one, how long tasks take, and what 32 would do.

    python -m benchmarks.cluster            # the whole table of docs/benchmarks/cluster.md

Each job runs on a cluster of this machine with one worker of one thread, then with two; the answers must be equal. Two
efficiencies are told. That of the clock is the time with one worker over twice the time with two: it means something
on an idle machine only. That of the processors does not mind who else computes: the CPU seconds that the tasks took on
one worker over those on two (tasks that disturb each other, or do work twice, lower it), times the share of the two
workers' tasks in twice the longer one's, with what this process does itself added (what does not run at the same time
lowers it). What 32 workers would do is computed from the CPU seconds of each task: those tasks, the longest first, on
32 workers that each take the next when it is free, with the overhead of a task as measured, and what this process does
itself before and after.
"""

from __future__ import annotations

import argparse
import heapq
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import arcwise
from arcwise import build_parent_sets
from arcwise.base.cluster import Cluster, open_cluster
from arcwise.confidence import permuted_confidences
from arcwise.data import read_data
from arcwise.effects import find_effects
from arcwise.ensemble import CredibleSet, Recipe, sample_posterior
from arcwise.model import read_network
from benchmarks._topic import SHARED, has_data, has_peer, parser_for

DATA = SHARED / "data"
MANY = 32
AT_ONCE = {"chains": 4}  # tasks, however many workers there are: each of a chain's needs the one before


def makespan(seconds: Sequence[float], workers: int, overhead: float) -> float:
    """Return how long tasks take on so many workers, each of which takes the next task when it is free.

    >>> makespan([1.0, 1.0, 1.0], 2, 0.0)
    2.0
    """
    free = [0.0] * workers
    for own in seconds:
        heapq.heappush(free, heapq.heappop(free) + own + overhead)
    return max(free)


@dataclass
class Spent:
    """What a job took: by the clock, of this process, and each task's CPU seconds with the worker that had it."""

    clock: float = 0.0
    here: float = 0.0
    tasks: list[tuple[int, float]] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        """Of every task."""
        return [seconds for _, seconds in self.tasks]

    @property
    def longest_worker(self) -> float:
        """Of the worker that had most to do."""
        loads: dict[int, float] = {}
        for worker, seconds in self.tasks:
            loads[worker] = loads.get(worker, 0.0) + seconds
        return max(loads.values(), default=0.0)


class TimedCluster(Cluster):
    """A cluster that notes the CPU seconds of each task on its worker."""

    def __init__(self, client: Any, spent: Spent) -> None:
        super().__init__(client)
        self.spent = spent

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Start one task."""
        started = super().submit(_timed, function, *arguments)
        return _Unwrapped(started, self.spent.tasks).future


class _Unwrapped:
    """The result of a timed task without its time."""

    def __init__(self, started: Any, tasks: list[tuple[int, float]]) -> None:
        from concurrent import futures

        self.future: futures.Future[Any] = futures.Future()

        def take(ended: Any) -> None:
            if ended.cancelled() or self.future.cancelled():
                self.future.cancel()
                return
            error = ended.exception()
            if error is not None:
                self.future.set_exception(error)
                return
            who, own, result = ended.result()
            tasks.append((who, own))
            self.future.set_result(result)

        started.add_done_callback(take)
        self.future.add_done_callback(lambda _: started.cancel() if self.future.cancelled() else None)


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[int, float, Any]:
    begin = time.thread_time()
    result = function(*arguments)
    return os.getpid(), time.thread_time() - begin, result


Job = Callable[[Cluster | None], Any]  # returns something that compares


def jobs(given: argparse.Namespace) -> dict[str, Callable[[], Job]]:
    """Return by name what makes the jobs ready: what they need is no part of them."""
    network = read_network(DATA / "networks" / f"{given.network}.bif.gz")
    data = network.sample(given.cases, seed=1)
    recipe = Recipe.usual("bootstrap", "qnml", n_cases=data.n_cases, arities=data.arities.tolist(), replicates=40)
    quiet: dict[str, Any] = {"seed": 1, "progress": False}

    def resampled(replicates: int, cluster: Cluster | None) -> Any:
        options: dict[str, Any] = {"replicates": replicates, "max_parents": recipe.max_parents, **quiet}
        backend: Any = "threads" if cluster is None else "dask"
        return arcwise.bootstrap_networks(data, "qnml", **options, backend=backend, workers=1, cluster=cluster)

    def bootstrap() -> Job:
        return lambda cluster: list(resampled(given.replicates, cluster))

    def shuffled() -> Job:
        options: dict[str, Any] = {"permutations": given.permutations, "threads": 1, **quiet}
        return lambda cluster: permuted_confidences(data, recipe, **options, cluster=cluster).vectors.tolist()

    def chains() -> Job:
        table = build_parent_sets(data, "bdeu:ess=1", slack=8.0, max_parents=4, threads=1, progress=False)
        options: dict[str, Any] = {"most_draws": given.draws, "steps": given.steps, "threads": 1, **quiet}
        return lambda cluster: sample_posterior(table, **options | {"cluster": cluster}).arc_probabilities().tolist()

    def effects() -> Job:
        few = network.sample(given.effect_cases, seed=1)  # many parent sets
        networks = arcwise.bootstrap_networks(few, "qnml", replicates=given.networks, max_parents=3, **quiet)
        return lambda cluster: find_effects(networks, few, progress=False, cluster=cluster).to_frame().to_csv()

    def tables() -> Job:
        many = network.sample(given.table_cases, seed=1)
        options: dict[str, Any] = {"slack": 3.0, "max_parents": given.parents, "threads": 1, "progress": False}
        return lambda cluster: build_parent_sets(many, "bdeu:ess=1", **options, cluster=cluster).digest

    def parts(name: str, factor: float) -> Job:
        read = read_data(DATA / "liao2019" / f"{name}.csv.gz", categorical=True)
        table = build_parent_sets(read, "bic", slack=math.log(factor), threads=1, progress=False)

        def run(cluster: Cluster | None) -> Any:
            found = CredibleSet.build(table, bayes_factor=factor, threads=1, cluster=cluster, progress=False)
            return found.count, found.diagram().native.fingerprint

        return run

    return {
        "bootstrap": bootstrap,
        "shuffled columns": shuffled,
        "chains": chains,
        "effects by cause": effects,
        "tables by sets": tables,
        "three parts (bands)": lambda: parts("bands", given.bands_factor),
        "many parts (soybean)": lambda: parts("soybean", given.soybean_factor),
    }


def measured(job: Job, workers: int) -> tuple[Any, Spent]:
    """Run a job here (no workers), or on a cluster of its own."""
    spent = Spent()

    def run(cluster: Cluster | None) -> Any:
        clock, here = time.perf_counter(), time.process_time()
        answer = job(cluster)
        spent.clock, spent.here = time.perf_counter() - clock, time.process_time() - here
        return answer

    if not workers:
        return run(None), spent
    with open_cluster(None, workers) as opened:
        opened.client.run(_warm)  # imports are no part of a job
        return run(TimedCluster(opened.client, spent)), spent


def row(name: str, here: Spent, one: Spent, two: Spent) -> str:
    """Return a line of the table."""
    tasks = one.seconds
    by_clock = one.clock / (2 * two.clock)
    path = min(one.here, two.here) + sum(tasks), min(one.here, two.here) + two.longest_worker
    by_processor = path[0] / (2 * path[1])
    overhead = max(0.0, (one.clock - one.here - sum(tasks)) / len(tasks))
    # Of what this process did, Dask's own work is the overhead; the rest is done before tasks begin or after.
    many = one.here + makespan(sorted(tasks, reverse=True), min(MANY, AT_ONCE.get(name, MANY)), min(overhead, 0.02))
    return (
        f"| {name} | {here.here:.1f} | {one.clock:.1f} | {two.clock:.1f} | {by_clock:.0%} | {one.here:.1f} | "
        f"{sum(tasks):.1f} | {sum(two.seconds):.1f} | {two.longest_worker:.1f} | {by_processor:.0%} | {len(tasks)} | "
        f"{statistics.median(tasks):.2f} | {max(tasks):.2f} | {many:.1f} | {path[0] / many:.1f} |"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Run every job with one worker and with two, and print what follows."""
    parser = parser_for(__doc__)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--replicates", type=int, default=6000)
    parser.add_argument("--permutations", type=int, default=300)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--networks", type=int, default=3000)
    parser.add_argument("--effect-cases", type=int, default=500)
    parser.add_argument("--bands-factor", type=float, default=150.0)
    parser.add_argument("--soybean-factor", type=float, default=150.0)
    parser.add_argument("--table-cases", type=int, default=300_000)
    parser.add_argument("--parents", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args(arguments)
    if not has_data(DATA) or not has_peer("distributed"):
        return
    print(
        "| job | here, one thread, CPU s | one worker, s | two, s | efficiency by the clock | this process, CPU s "
        "| tasks on one, CPU s | on two | on the busier | efficiency by CPU | tasks | median task, s | longest, s "
        f"| {MANY} workers, s | times as fast as one |"
    )
    print("|---" + "|---:" * 14 + "|")
    for name, prepare in jobs(given).items():
        if given.only and name not in given.only:
            continue
        job = prepare()
        (answer, here), (first, one), (second, two) = (measured(job, workers) for workers in (0, 1, 2))
        if not answer == first == second:
            raise SystemExit(f"{name}: another answer than here")
        print(row(name, here, one, two), flush=True)


def _warm() -> None:
    import arcwise._core
    import arcwise.ensemble  # noqa: F401


if __name__ == "__main__":
    main(sys.argv[1:])

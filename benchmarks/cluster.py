"""One problem on a cluster: how much quicker two workers are than one, how long tasks take, and what 32 would do.

    python benchmarks/cluster.py --cases 5000 --replicates 400 --permutations 40

Each job runs on a cluster of this machine with one worker of one thread, then with two; the answers must be equal. The
efficiency is the time with one worker over twice the time with two. What 32 workers would do is computed from the
seconds of each task: those tasks in this order on 32 workers, each taking the next when it is free, and the overhead of
a task as measured. Run it on an idle machine of two cores: the scheduler and this process take a share of them, too.
"""

from __future__ import annotations

import argparse
import heapq
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import arcwise
from arcwise import build_parent_sets
from arcwise.cluster import Cluster, open_cluster
from arcwise.confidence import permuted_confidences
from arcwise.effects import find_effects
from arcwise.ensemble import Recipe
from arcwise.model import read_network

Timed = list[float]
SHARED = Path(os.environ.get("ARCWISE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data" / "networks"


def makespan(seconds: Sequence[float], workers: int, overhead: float) -> float:
    """Return how long tasks take on so many workers, each of which takes the next task when it is free.

    >>> makespan([1.0, 1.0, 1.0], 2, 0.0)
    2.0
    """
    free = [0.0] * workers
    for own in seconds:
        heapq.heappush(free, heapq.heappop(free) + own + overhead)
    return max(free)


class TimedCluster(Cluster):
    """A cluster that notes how long each task took on its worker."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.seconds: Timed = []

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        started = self._executor.submit(_timed, function, *arguments)
        return _Unwrapped(started, self.seconds).future


class _Unwrapped:
    """The result of a timed task without its time."""

    def __init__(self, started: Any, seconds: Timed) -> None:
        from concurrent import futures

        self.future: futures.Future[Any] = futures.Future()

        def take(ended: Any) -> None:
            error = ended.exception()
            if error is not None:
                self.future.set_exception(error)
                return
            own, result = ended.result()
            seconds.append(own)
            self.future.set_result(result)

        started.add_done_callback(take)


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - begin, result


def jobs(given: argparse.Namespace) -> dict[str, Callable[[Cluster | None], Any]]:
    """Return the jobs by name; each returns something that compares."""
    data = read_network(SHARED / f"{given.network}.bif.gz").sample(given.cases, seed=1)
    recipe = Recipe.usual("bootstrap", "qnml", n_cases=data.n_cases, arities=data.arities.tolist(), replicates=40)

    def bootstrap(cluster: Cluster | None) -> Any:
        options: dict[str, Any] = {"replicates": given.replicates, "seed": 1, "max_parents": recipe.max_parents}
        backend: Any = "threads" if cluster is None else "dask"
        return list(
            arcwise.bootstrap_networks(data, "qnml", **options, backend=backend, cluster=cluster, progress=False)
        )

    def shuffled(cluster: Cluster | None) -> Any:
        found = permuted_confidences(
            data, recipe, permutations=given.permutations, seed=1, progress=False, cluster=cluster
        )
        return found.vectors.tolist()

    def tables(cluster: Cluster | None) -> Any:
        built = build_parent_sets(data, "bdeu:ess=1", slack=3.0, max_parents=4, cluster=cluster, progress=False)
        return built.digest

    networks = arcwise.bootstrap_networks(data, "qnml", replicates=20, seed=1, max_parents=4, progress=False)

    def effects(cluster: Cluster | None) -> Any:
        found = find_effects(networks, data, progress=False, cluster=cluster)
        return found.to_frame().to_csv()

    return {
        "bootstrap": bootstrap,
        "shuffled columns": shuffled,
        "tables": tables,
        "effects by cause": effects,
    }


def main() -> None:
    """Run every job with one worker and with two, and print what follows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--permutations", type=int, default=40)
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    print(
        "| job | here, one thread, s | one worker, s | two, s | efficiency | tasks | median task, s | longest, s "
        "| 32 workers, s | efficiency |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, job in jobs(given).items():
        if given.only and name not in given.only:
            continue
        took, tasks = [], Timed()
        begin = time.perf_counter()
        answers = [job(None)]
        here = time.perf_counter() - begin
        for count in (1, 2):
            with open_cluster(None, count) as opened:
                cluster = TimedCluster(opened.client)
                cluster.client.run(_warm)  # imports are no part of a job
                begin = time.perf_counter()
                answers.append(job(cluster))
                took.append(time.perf_counter() - begin)
                tasks = tasks or cluster.seconds
        if not answers[0] == answers[1] == answers[2]:
            raise SystemExit(f"{name}: another answer than here")
        efficiency = took[0] / (2 * took[1])
        overhead = max(0.0, (took[0] - sum(tasks)) / len(tasks))
        many = makespan(sorted(tasks, reverse=True), 32, overhead)
        print(
            f"| {name} | {here:.1f} | {took[0]:.1f} | {took[1]:.1f} | {efficiency:.0%} | {len(tasks)} | "
            f"{statistics.median(tasks):.2f} | {max(tasks):.2f} | {many:.1f} | {took[0] / (32 * many):.0%} |",
            flush=True,
        )


def _warm() -> None:
    import arcwise._core
    import arcwise.ensemble  # noqa: F401


if __name__ == "__main__":
    main()

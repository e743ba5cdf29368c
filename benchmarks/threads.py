"""Two threads beside one, by the clock: everything that computes for more than a moment and uses threads.

    python -m benchmarks.threads                        all, three rounds by turns
    python -m benchmarks.threads chains "sums"          those whose names begin so
    python -m benchmarks.threads --rounds 5 --page docs/benchmarks/threads.md

Each row is a process of its own, which does the work with one thread and with two by turns; seconds are medians, and
the answers are compared to the last byte. That says something on two idle cores only: what else computes shows. Needs
the folder of reference data; see CONTRIBUTING.md.
"""

from __future__ import annotations

import math
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcwise import bootstrap_networks, learn
from arcwise.data import Dataset, read_data
from arcwise.ensemble import CredibleSet, exact_posterior, find_posterior
from arcwise.exact import find_optimal
from arcwise.model import BayesianNetwork, read_bif
from arcwise.parent_sets import build_parent_sets
from benchmarks._topic import SHARED, has_data, parser_for
from benchmarks.chains import ROWS as CHAINS
from benchmarks.posterior import put

HEADING = "## By the clock"
TABLE = "| work | data | one thread, s | two, s | times | CPU s of one | of two | same bytes |"
Work = Callable[[int], bytes]


def known(network: str) -> BayesianNetwork:
    return read_bif(SHARED / "data" / "networks" / f"{network}.bif.gz").normalized()


def sampled(network: str, cases: int, columns: int | None = None) -> Dataset:
    data = (
        read_bif(SHARED / "data" / "networks" / f"{network}.bif.gz").normalized().sample(cases, seed=1, progress=False)
    )
    return data if columns is None else data.select(data.names[:columns])


def published(name: str) -> Dataset:
    return read_data(SHARED / "data" / "liao2019" / f"{name}.csv.gz")


def sums(network: str, columns: int | None) -> Work:
    data = sampled(network, 1000, columns)
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, max_parents=4, progress=False)
    return lambda threads: exact_posterior(table, threads=threads, progress=False).family_probabilities().tobytes()


def chains(network: str) -> Work:
    row = next(row for row in CHAINS if row.name == network)
    data = row.data()
    asked: dict[str, Any] = {"max_parents": row.max_parents, "way": "chains", "seed": 1, "progress": False}

    def work(threads: int) -> bytes:
        return find_posterior(data, row.score, threads=threads, **asked).arc_probabilities().tobytes()

    return work


def diagram(name: str, factor: float) -> Work:
    table = build_parent_sets(published(name), "bic", max_parents=3, slack=math.log(factor), progress=False)

    def work(threads: int) -> bytes:
        found = CredibleSet.build(table, bayes_factor=factor, threads=threads, progress=False)
        return str(found.count).encode() + found.arc_probabilities().tobytes()

    return work


def tables(network: str, cases: int, parents: int) -> Work:
    data = sampled(network, cases)

    def work(threads: int) -> bytes:
        made = build_parent_sets(data, "bdeu", max_parents=parents, threads=threads, progress=False)
        return made.scores.tobytes() + made.members.tobytes()

    return work


def subsets(name: str) -> Work:
    table = build_parent_sets(published(name), "bic", progress=False)
    return lambda threads: str(find_optimal(table, method="dp", threads=threads, progress=False).score).encode()


def replicates(network: str, cases: int) -> Work:
    data = sampled(network, cases)

    def work(threads: int) -> bytes:
        made = bootstrap_networks(data, "qnml", replicates=200, seed=1, workers=threads, progress=False)
        return made.arc_probabilities().tobytes()

    return work


def analyses(network: str, cases: int) -> Work:
    data = sampled(network, cases)

    def work(threads: int) -> bytes:
        return learn(data, seed=1, threads=threads, agree=True, progress=False).confidence.present.tobytes()

    return work


@dataclass(frozen=True)
class Row:
    name: str
    data: str
    make: Callable[..., Work]
    given: tuple[object, ...]


ROWS = (
    Row("sums over all DAGs", "child", sums, ("child", None)),
    Row("sums over all DAGs", "alarm, 20 columns", sums, ("alarm", 20)),
    Row("chains until they agree", "water", chains, ("water",)),
    Row("chains until they agree", "alarm", chains, ("alarm",)),
    Row("credible set, counted, with shares", "bands at 20", diagram, ("bands", 20.0)),
    Row("credible set, counted, with shares", "bands at 150", diagram, ("bands", 150.0)),
    Row("credible set, counted, with shares", "lung-cancer at 20", diagram, ("lung-cancer", 20.0)),
    Row("table of parent sets", "alarm, 20,000 cases, 4 parents", tables, ("alarm", 20_000, 4)),
    Row("best network of every subset", "steel", subsets, ("steel",)),
    Row("200 replicates", "alarm, 5,000 cases", replicates, ("alarm", 5_000)),
    Row("200 replicates", "hailfinder, 5,000 cases", replicates, ("hailfinder", 5_000)),
    Row("whole analysis", "alarm, 5,000 cases", analyses, ("alarm", 5_000)),
    Row("whole analysis", "hailfinder, 5,000 cases", analyses, ("hailfinder", 5_000)),
)


@dataclass(frozen=True)
class Clock:
    wall: list[float]
    cpu: list[float]


def measure(row: Row, rounds: int) -> str:
    work = row.make(*row.given)
    work(2)  # what is imported or made once is not of either
    answers = set()
    clock = Clock([], []), Clock([], [])
    for _ in range(rounds):
        for threads, spent in enumerate(clock, start=1):
            begin = time.perf_counter(), time.process_time()
            answers.add(work(threads))
            spent.wall.append(time.perf_counter() - begin[0])
            spent.cpu.append(time.process_time() - begin[1])
    one, two = (statistics.median(spent.wall) for spent in clock)
    cpu = " | ".join(f"{statistics.median(spent.cpu):.2f}" for spent in clock)
    same = "yes" if len(answers) == 1 else "NO"
    return f"| {row.name} | {row.data} | {one:.2f} | {two:.2f} | {one / two:.2f} | {cpu} | {same} |"


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("names", nargs="*", help="rows whose work begins so; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=Path, help="put the table into this page")
    given = parser.parse_args(arguments)
    if not has_data(SHARED / "data"):
        return
    lines = [TABLE, "|---|---|---:|---:|---:|---:|---:|---|"]
    print("\n".join(lines), flush=True)
    for row in ROWS:
        if not row.name.startswith(tuple(given.names) or ("",)):
            continue
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            lines.append(pool.apply(measure, (row, given.rounds)))
        print(lines[-1], flush=True)
    if given.page is not None:
        put(given.page, HEADING, lines)


if __name__ == "__main__":
    main(sys.argv[1:])

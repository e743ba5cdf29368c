"""Thousands of variables: hill climbing, bootstrap replicates, and the peers as far as they go; CPU s on one core.

`python -m benchmarks.large` measures up to 1,000 variables, `python -m benchmarks.large 200 500 1000 2000 5000` what is
asked for. Every figure is of a process of its own, so that memory is that of one task. Slopes are those of log-log
plots between consecutive sizes; with `--draw` the plot goes to docs/benchmarks/large-variables.svg. pyAgrum and R's
bnlearn are measured where they are installed, up to `MOST_OF_PEERS` variables; `--peers` measures them alone.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.data import Dataset
from arcwise.ensemble import bootstrap_networks
from arcwise.evaluate import compare
from arcwise.graph import Dag
from arcwise.local import hill_climb
from arcwise.scores import make_score
from benchmarks._topic import ROOT, has_peer, parser_for

CASES = 5000
SIZES = (200, 500, 1000)
MOST_OF_PEERS = 1000
FIGURE = ROOT / "docs" / "benchmarks" / "large-variables.svg"
REPLICATES = 2
BNLEARN = """
suppressMessages(library(bnlearn))
d <- read.csv("{path}", colClasses = "factor")
t <- system.time(g <- {search}(d, score = "bic"))
write.csv(arcs(g), "{arcs}", row.names = FALSE)
cat(t["user.self"])
"""


def random_sample(variables: int, cases: int = CASES) -> tuple[Dag, Dataset]:
    """Variables of two or three states with at most three parents, anywhere before them, and a sample."""
    rng = np.random.default_rng([1, variables])
    arities = rng.integers(2, 4, size=variables)
    codes = np.empty((cases, variables), dtype=np.uint8)
    parents: list[list[int]] = []
    for v in range(variables):
        own = sorted(rng.choice(v, size=min(v, int(rng.integers(0, 4))), replace=False).tolist())
        tables = rng.dirichlet([0.7] * arities[v], size=int(np.prod(arities[own], initial=1))).cumsum(axis=1)
        row = np.ravel_multi_index([codes[:, p] for p in own], arities[own]) if own else np.zeros(cases, dtype=np.int64)
        codes[:, v] = (rng.random(cases)[:, None] > tables[row]).sum(axis=1).clip(0, arities[v] - 1)
        parents.append(own)
    data = Dataset.from_codes(codes, states=[[str(k) for k in range(arity)] for arity in arities])
    return Dag(data.names, parents), data


def found(data: Dataset, truth: Dag, dag: Dag, seconds: float) -> dict[str, Any]:
    bic = make_score("bic")
    return {
        "seconds": seconds,
        "bic": bic.score_network(data, dag),
        "true": bic.score_network(data, truth),
        "arcs": dag.n_arcs,
        "shd": compare(truth, dag).shd,
    }


def climb(variables: int, refine: int) -> dict[str, Any]:
    truth, data = random_sample(variables)
    begin = time.process_time()
    result = hill_climb(data, refine=refine, progress=False)
    return found(data, truth, result.dag, time.process_time() - begin)


def replicate(variables: int) -> dict[str, Any]:
    """What `learn` averages: qNML with at most five parents, by tabu search and refined."""
    _, data = random_sample(variables)
    begin = time.process_time()
    bootstrap_networks(data, "qnml", replicates=REPLICATES, max_parents=5, seed=1, workers=1, progress=False)
    return {"seconds": (time.process_time() - begin) / REPLICATES}


def pyagrum(variables: int, method: str) -> dict[str, Any]:
    from benchmarks.local_search import Peer

    truth, data = random_sample(variables)
    seconds, dag = Peer(data).learn(method, times=1)
    return found(data, truth, dag, seconds)


def bnlearn(variables: int, search: str) -> dict[str, Any]:
    truth, data = random_sample(variables)
    with tempfile.TemporaryDirectory() as folder:
        path, arcs = Path(folder) / "data.csv", Path(folder) / "arcs.csv"
        data.to_file(path)
        program = BNLEARN.format(path=path, arcs=arcs, search=search)
        ran = subprocess.run(["Rscript", "-e", program], capture_output=True, text=True, check=True)
        rows = arcs.read_text().replace('"', "").splitlines()[1:]
    dag = Dag.from_arcs(data.names, [(parent, child) for parent, child in (row.split(",") for row in rows)])
    return found(data, truth, dag, float(ran.stdout))


MEASURES: dict[str, Callable[[int], dict[str, Any]]] = {
    "plain": lambda n: climb(n, 0),
    "refined": lambda n: climb(n, 3),
    "replicate": replicate,
    "pyagrum": lambda n: pyagrum(n, "useGreedyHillClimbing"),
    "pyagrum-tabu": lambda n: pyagrum(n, "useLocalSearchWithTabuList"),
    "bnlearn": lambda n: bnlearn(n, "hc"),
    "bnlearn-tabu": lambda n: bnlearn(n, "tabu"),
}


def measured(what: str, variables: int) -> dict[str, Any]:
    """Return the figures of a measure in a process of its own, with the megabytes that it took."""
    command = [sys.executable, "-m", "benchmarks.large", "--measure", what, str(variables)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    made: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return made


def slopes(sizes: list[int], seconds: list[float]) -> str:
    pairs = pairwise(zip(sizes, seconds, strict=True))
    return ", ".join(f"{math.log(t / s) / math.log(m / n):.1f}" for (n, s), (m, t) in pairs)


def print_search(sizes: list[int], what: str, title: str) -> list[float]:
    print(f"\n{title}, BIC, N = {CASES:,}, one core:\n")
    print("| n | CPU s | MB | arcs | BIC | true network's BIC | SHD |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    rows = [measured(what, n) for n in sizes]
    for n, row in zip(sizes, rows, strict=True):
        print(
            f"| {n:,} | {row['seconds']:.2f} | {row['mb']:,} | {row['arcs']:,} | {row['bic']:.1f} | "
            f"{row['true']:.1f} | {row['shd']} |",
            flush=True,
        )
    return print_slopes(sizes, rows)


def print_slopes(sizes: list[int], rows: list[dict[str, Any]]) -> list[float]:
    seconds: list[float] = [row["seconds"] for row in rows]
    print(f"\nSlopes of time: {slopes(sizes, seconds) or 'one size only'}.")
    return seconds


def print_replicates(sizes: list[int]) -> list[float]:
    print(f"\nA bootstrap replicate (qNML, at most five parents, tabu search), N = {CASES:,}, one core:\n")
    print("| n | CPU s | 200 replicates on two cores, minutes | MB |")
    print("|---:|---:|---:|---:|")
    rows = [measured("replicate", n) for n in sizes]
    for n, row in zip(sizes, rows, strict=True):
        minutes = 200 * row["seconds"] / 2 / 60
        print(f"| {n:,} | {row['seconds']:.2f} | {minutes:.1f} | {row['mb']:,} |", flush=True)
    return print_slopes(sizes, rows)


def draw(sizes: list[int], seconds: dict[str, list[float]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "arcwise"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for title, curve in seconds.items():
        axes.loglog(sizes, curve, "o-", label=title)
    first = seconds[next(iter(seconds))][0]
    axes.loglog(sizes, [first * (n / sizes[0]) ** 2 for n in sizes], "--", color="grey", label="slope 2")
    axes.set(xlabel="variables", ylabel="CPU seconds", title=f"{CASES:,} cases, one core")
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes], minor=False)
    axes.minorticks_off()
    axes.legend()
    figure.savefig(FIGURE, bbox_inches="tight", metadata={"Date": None})


def print_own(sizes: list[int], *, drawn: bool) -> None:
    seconds = {
        "hill climbing, refine=0": print_search(sizes, "plain", "Hill climbing, `refine=0`"),
        "hill climbing": print_search(sizes, "refined", "Hill climbing"),
        "a bootstrap replicate": print_replicates(sizes),
    }
    if drawn:
        draw(sizes, seconds)


def print_peers(sizes: list[int]) -> None:
    if has_peer("pyagrum"):
        print_search(sizes, "pyagrum", "pyAgrum, greedy hill climbing")
        print_search(sizes, "pyagrum-tabu", "pyAgrum, tabu list")
    if has_peer("bnlearn"):
        print_search(sizes, "bnlearn", "bnlearn, hc")
        print_search(sizes, "bnlearn-tabu", "bnlearn, tabu")


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, help="numbers of variables")
    parser.add_argument("--draw", action="store_true", help="draw the plot of the page")
    parser.add_argument("--peers", action="store_true", help="only the other programs")
    parser.add_argument("--measure", choices=list(MEASURES), help="one task of the first size, in this process")
    given = parser.parse_args(arguments)
    sizes = given.sizes or list(SIZES)
    if given.measure is not None:
        made = MEASURES[given.measure](sizes[0])
        print(json.dumps(made | {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
        return
    if not given.peers:
        print_own(sizes, drawn=given.draw)
    print_peers([n for n in sizes if n <= MOST_OF_PEERS])


if __name__ == "__main__":
    main(sys.argv[1:])

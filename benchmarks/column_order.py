"""Does the order of the columns decide what a search finds? 1,000 cases of 16 networks, the columns in 100 orders.

Kitson and Constantinou, "The impact of variable ordering on Bayesian network structure learning" (Data Mining and
Knowledge Discovery 2024), and "Stable structure learning with HC-Stable and Tabu-Stable" (arXiv 2504.01740). Tabu
search with ties by position and without refinement is bnlearn's, in 25 orders, as there; ours, with its defaults, in
100, the names of the columns drawn anew, too. Printed is what the graphs and scores amount to that the authors keep
(github causal-iq/discovery, experiments/TABU/BASE3 and STABLE3/SCORE_PLUS): other samples of the same networks, so
that gains over Tabu can be compared, not scores. F1 is that of the edges and arcs of the classes, as there.

    python -m benchmarks.column_order [--orders N] [--cases N] [--data FOLDER] [--page] [NETWORK ...]

`make networks` downloads twelve of the networks. Four (sports, property, diarrhoea, formed) are in that repository,
experiments/bn/*.dsc: FOLDER has these files.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Cpdag, Dag
from arcwise.local import LocalSearchResult, tabu_search
from arcwise.model import BayesianNetwork, read_bif
from benchmarks._page import PageTable, draw, parse_networks
from benchmarks._topic import NETWORKS, parser_for

# Printed for so many cases: the mean F1 and BIC of Tabu over 25 orders, then those of Tabu-Stable.
PRINTED = {
    1000: {
        "asia": (0.687, -2274.6, 0.933, -2271.6),
        "sports": (0.664, -11558.9, 0.750, -11521.8),
        "sachs": (0.653, -7612.5, 0.774, -7608.2),
        "child": (0.845, -12840.5, 0.851, -12837.6),
        "insurance": (0.372, -14630.4, 0.190, -14561.9),
        "property": (0.554, -27468.2, 0.509, -27457.9),
        "diarrhoea": (0.357, -19963.4, 0.323, -19965.2),
        "water": (0.133, -13667.7, 0.133, -13665.1),
        "mildew": (0.000, -57551.6, 0.000, -57522.3),
        "alarm": (0.450, -11810.2, 0.511, -11808.2),
        "barley": (0.092, -69484.8, 0.101, -69507.6),
        "hailfinder": (0.413, -53112.4, 0.362, -53080.0),
        "hepar2": (0.385, -33438.9, 0.432, -33431.6),
        "win95pts": (0.317, -9990.3, 0.442, -9939.2),
        "formed": (0.428, -43658.3, 0.535, -43592.8),
        "pathfinder": (0.115, -35148.5, 0.099, -35140.3),
    },
    10_000: {
        "asia": (0.851, -22414.4, 1.0, -22408.4),
        "sports": (0.516, -109872.4, 0.64, -109579.4),
        "sachs": (0.986, -72555.2, 1.0, -72540.3),
        "child": (0.904, -123555.1, 1.0, -123215.6),
        "insurance": (0.465, -134221.5, 0.604, -134068.5),
        "property": (0.807, -240578.3, 0.967, -240690.3),
        "diarrhoea": (0.435, -194714.8, 0.475, -194686.8),
        "water": (0.219, -131777.7, 0.373, -131750.0),
        "mildew": (0.254, -502907.8, 0.22, -502714.0),
        "alarm": (0.551, -107577.2, 0.583, -107148.2),
        "barley": (0.35, -570830.5, 0.331, -572465.9),
        "hailfinder": (0.586, -498441.4, 0.576, -498134.7),
        "hepar2": (0.602, -326354.4, 0.701, -326285.8),
        "win95pts": (0.47, -93323.6, 0.622, -93004.1),
        "formed": (0.576, -420683.3, 0.781, -419589.0),
        "pathfinder": (0.235, -289195.8, 0.225, -288462.3),
    },
}
CASES, ORDERS, PRINTED_ORDERS = 1000, 100, 25
HEADER = (
    *("network", "columns", "copies", "Tabu: classes", "ours: classes", "but for copies", "Tabu: range of scores"),
    *("printed: gain over Tabu", "ours: gain over Tabu", "best Tabu over ours"),
    *("printed: F1 of Tabu", "F1 of Tabu-Stable", "here: F1 of Tabu", "F1 of ours", "CPU s, Tabu", "CPU s, ours"),
)
MEAN = "mean"
Class = frozenset[tuple[str, str, bool]]


def read_dsc(path: Path) -> BayesianNetwork:
    """Read a network of the format DSC, as far as these files use it."""
    text = path.read_text(encoding="utf-8")
    sizes = {name: int(size) for name, size in re.findall(r"node (\S+) \{\s*type : discrete \[ (\d+) \]", text)}
    names = list(sizes)
    states = [[f"s{k}" for k in range(sizes[name])] for name in names]
    parents: dict[str, list[str]] = {}
    tables: dict[str, np.ndarray] = {}
    for child, said, body in re.findall(r"probability \( (\S+)(?: \| ([^)]*))? \) \{(.*?)\n\}", text, re.DOTALL):
        parents[child] = [name.strip() for name in said.split(",") if name.strip()]
        table = np.zeros([sizes[name] for name in [*parents[child], child]])
        for at, numbers in re.findall(r"(?:\(([\d, ]*)\) : )?([-+.\deE, ]+);", body):
            table[tuple(int(k) for k in at.split(",") if k.strip())] = [float(number) for number in numbers.split(",")]
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    dag = Dag(names, [[names.index(parent) for parent in parents[name]] for name in names])
    ordered = [_in_order(tables[name], parents[name], names) for name in names]
    return BayesianNetwork(dag, states, ordered)


def _in_order(table: np.ndarray, parents: list[str], names: list[str]) -> np.ndarray:
    """Return a table with the axes of its parents in the order of the variables."""
    axes = sorted(range(len(parents)), key=lambda k: names.index(parents[k]))
    return table.transpose([*axes, len(parents)])


def _edge(one: str, other: str) -> tuple[str, str, bool]:
    return min(one, other), max(one, other), False


def class_of(dag: Dag, called: dict[str, str]) -> Class:
    """Return the edges of a network's class, under the names that the variables are called here."""
    graph = Cpdag.from_dag(dag)
    names = [called[name] for name in graph.names]
    arcs = {(names[p], names[v], True) for v, own in enumerate(graph.parents) for p in own}
    edges = {_edge(names[w], names[v]) for v, own in enumerate(graph.neighbours) for w in own}
    return frozenset(arcs | edges)


def f1(found: Class, truth: Class) -> float:
    return 2 * len(found & truth) / max(len(found) + len(truth), 1)


def copies_of(data: Dataset) -> list[list[str]]:
    """Return the groups of columns that say the same of all cases."""
    groups: dict[bytes, list[str]] = {}
    for name, own in zip(data.names, data.codes, strict=True):
        _, first = np.unique(own, return_index=True)
        rank = {int(own[at]): k for k, at in enumerate(sorted(first))}
        groups.setdefault(bytes(rank[int(code)] for code in own), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def but_for_copies(classes: set[Class], groups: Sequence[Sequence[str]]) -> int:
    """Count the classes that are left if columns that are alike may change places."""
    ways = [
        {old: new for group, order in zip(groups, orders, strict=True) for old, new in zip(group, order, strict=True)}
        for orders in itertools.product(*(itertools.permutations(group) for group in groups))
    ]
    left = set(classes)
    count = 0
    while left:
        one = left.pop()
        count += 1
        for way in ways:
            moved = ((way.get(a, a), way.get(b, b), arc) for a, b, arc in one)
            left.discard(frozenset((a, b, True) if arc else _edge(a, b) for a, b, arc in moved))
    return count


def search(
    data: Dataset, order: int, *, rename: bool, **settings: bool | int
) -> tuple[LocalSearchResult, Class, float]:
    """Search with the columns in an order of their own; return the class under the names that they had."""
    rng = np.random.default_rng(order)
    moved = data.select(rng.permutation(data.names).tolist())
    called = dict(zip(moved.names, moved.names, strict=True))
    if rename:
        names = [f"V{v}" for v in rng.permutation(len(moved.names))]
        called = dict(zip(names, moved.names, strict=True))
        moved = Dataset.from_codes(moved.codes.T, names=names, states=moved.states)
    begin = time.process_time()
    found = tabu_search(moved, "bic", seed=1, progress=False, **settings)  # type: ignore[arg-type]
    return found, class_of(found.dag, called), time.process_time() - begin


def measure(name: str, network: BayesianNetwork, cases: int, orders: int) -> tuple[list[str], list[float]]:
    data = network.sample(cases, seed=1, progress=False)
    itself = {variable: variable for variable in network.names}
    truth = class_of(network.dag, itself)
    tabu = [search(data, k, rename=False, by_position=True, refine=0) for k in range(min(orders, PRINTED_ORDERS))]
    ours = [search(data, k, rename=True) for k in range(orders)]
    groups = copies_of(data)
    alike = math.prod(math.factorial(len(group)) for group in groups)
    theirs = [found.score for found, _, _ in tabu]
    classes = {own for _, own, _ in ours}
    printed = PRINTED.get(cases, {}).get(name, (math.nan,) * 4)
    means = [
        printed[3] - printed[1],
        float(np.mean([found.score for found, _, _ in ours]) - np.mean(theirs)),
        max(theirs) - float(np.mean([found.score for found, _, _ in ours])),
        printed[0],
        printed[2],
        float(np.mean([f1(own, truth) for _, own, _ in tabu])),
        float(np.mean([f1(own, truth) for _, own, _ in ours])),
        float(np.mean([seconds for _, _, seconds in tabu])),
        float(np.mean([seconds for _, _, seconds in ours])),
    ]
    counts = [
        str(data.n_variables),
        str(sum(map(len, groups))),
        str(len({own for _, own, _ in tabu})),
        str(len(classes)),
        str(but_for_copies(classes, groups)) if alike <= 5040 else "",
        f"{max(theirs) - min(theirs):.1f}",
    ]
    return counts, means


def told(means: Sequence[float]) -> list[str]:
    forms = ["+.1f"] * 3 + [".2f"] * 4 + [".3f"] * 2
    return [
        "" if math.isnan(value) else format(round(value, 6) + 0.0, form)
        for value, form in zip(means, forms, strict=True)
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--orders", type=int, default=ORDERS, help=f"orders of the columns (default {ORDERS})")
    parser.add_argument("--cases", type=int, default=CASES, help=f"rows (default {CASES:,})")
    parser.add_argument("--data", type=Path, help="a folder with networks in the format DSC")
    given = parse_networks(parser, arguments, PRINTED[CASES], "asia")
    table = PageTable("column-order", HEADER, [*PRINTED[CASES], MEAN], write=given.page)
    all_means = []
    for name in given.networks:
        path = NETWORKS / f"{name}.bif.gz"
        if not path.exists():
            path = (given.data or NETWORKS) / f"{name}.dsc"
        if not path.exists():
            print(f"THE NETWORK {name} IS NOT AT {path}: it is left out.")
            continue
        network = read_dsc(path) if path.suffix == ".dsc" else read_bif(path)
        counts, means = measure(name, network, given.cases, given.orders)
        all_means.append(means)
        table.add([name, *counts, *told(means)])
    if len(all_means) > 1:
        table.add([MEAN, *[""] * 6, *told(np.mean(all_means, axis=0).tolist())])
    if given.page:
        draw("column-order", {"Tabu": 10, "Tabu-Stable": 11, "Tabu, here": 12, "arcwise": 13}, "F1")


if __name__ == "__main__":
    main(sys.argv[1:])

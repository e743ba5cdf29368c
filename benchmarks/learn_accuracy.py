"""Is the network of `learn` as near to the truth as the best single search?

    python -m benchmarks.learn_accuracy                     three networks, 500 and 5,000 cases, one sample of each
    python -m benchmarks.learn_accuracy --all --log log.csv everything that the page has, which takes hours

Samples of child, insurance, alarm, hailfinder, hepar2, win95pts, pathfinder and andes, which are in no study that the
package's tables come from. By `learn` at its defaults (without comparisons and shuffled columns, which change no edge,
and with an hour, so that the load of the machine changes none either),
by our `hill_climb` with BIC, and, where Rscript and bnlearn are there, by bnlearn's tabu search with BIC and its
averaged bootstrap network (200 replicates; 50 beyond 5,000 cases or 60 variables): structural Hamming distance between
equivalence classes, F1 of the skeleton, processor seconds. Every cell is a line of the log, and those that a given log
has are not done again: what takes bnlearn longer than `SECONDS` is a line that says so. Needs the folder of reference
networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import csv
import resource
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from arcwise import hill_climb, learn
from arcwise.data import Dataset
from arcwise.errors import DataWarning
from arcwise.evaluate import shd as hamming
from arcwise.graph import Pdag
from arcwise.model import BayesianNetwork, read_bif
from benchmarks._topic import SHARED, arcs_by_r, has_data, listed, log_at, parser_for, without_missing

NETWORKS = SHARED / "data" / "networks"
NAMES = ("child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "pathfinder", "andes")
CASES = (500, 5_000, 50_000)
SEEDS = (1, 2, 3)
SOME_NAMES, SOME_CASES = ("child", "alarm", "hailfinder"), (500, 5_000)
SECONDS = 120  # of the clock, for one cell of bnlearn
LEARN_SECONDS = 3_600  # so many that the load of the machine changes no network
SCORE = "bic"
KEYS = ("network", "cases", "seed", "way")
COLUMNS = (*KEYS, "shd", "f1", "seconds", "status")
TABU = "bnlearn tabu"
AVERAGED = "bnlearn averaged"
WAYS = ("learn", "hill_climb", TABU, AVERAGED)


def plan(ways: list[str], names: list[str], sizes: list[int], seeds: list[int]) -> Iterator[dict[str, object]]:
    """One sample of every network and size first, then the next: what is finished is balanced."""
    for seed in seeds:
        for cases in sizes:
            for name in names:
                yield from ({"network": name, "cases": cases, "seed": seed, "way": way} for way in ways)


def run_cell(cell: dict[str, object]) -> dict[str, object]:
    truth = read_bif(NETWORKS / f"{cell['network']}.bif.gz").normalized()
    data = truth.sample(int(str(cell["cases"])), seed=1000 + int(str(cell["seed"])), progress=False)
    begin, status = processor_seconds(), "complete"
    found: Pdag | None
    if cell["way"] == "learn":
        made = learn(data, compare=False, permutations=0, limit_seconds=LEARN_SECONDS, seed=1, progress=False)
        found, status = made.cpdag, f"{made.main.recipe.title}: {made.status}"
    elif cell["way"] == "hill_climb":
        found = hill_climb(data, SCORE, seed=1, progress=False).dag.cpdag
    else:
        found, status = by_bnlearn(data, str(cell["way"]))
    row = {**cell, "seconds": round(processor_seconds() - begin, 2), "status": status}
    if found is None:
        return {**row, "shd": "", "f1": ""}
    return {**row, "shd": hamming(truth.dag.cpdag, found), "f1": round(skeleton_f1(truth, found), 4)}


def skeleton_f1(truth: BayesianNetwork, found: Pdag) -> float:
    real, got = ({frozenset(pair) for pair in graph.skeleton} for graph in (truth.dag.cpdag, found))
    return 2 * len(real & got) / max(1, len(real) + len(got))


def by_bnlearn(data: Dataset, way: str) -> tuple[Pdag | None, str]:
    """Return the equivalence class that bnlearn finds; None if it took too long or refused."""
    replicates = 200 if data.n_cases <= 5_000 and data.n_variables <= 60 else 50
    call = {
        TABU: "tabu(d)",
        AVERAGED: f"averaged.network(boot.strength(d, R = {replicates}, algorithm = 'hc'))",
    }[way]
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "data.csv", Path(folder) / "arcs.csv"
        columns = {f"V{v}": [f"s{c}" for c in data.codes[v]] for v in range(data.n_variables) if not data.constant[v]}
        pd.DataFrame(columns).to_csv(given, index=False)
        script = (
            "suppressMessages(library(bnlearn)); set.seed(1);"
            f"d = read.csv('{given}', stringsAsFactors = TRUE); g = {call};"
            f"write.csv(arcs(cpdag(g)), '{got}', row.names = FALSE)"
        )
        arcs = arcs_by_r(script, got, SECONDS)
    if isinstance(arcs, str):
        return None, arcs
    directed = np.zeros((data.n_variables, data.n_variables), dtype=bool)
    for tail, head in arcs:
        directed[tail, head] = True
    return Pdag.from_adjacency(directed, names=data.names), f"R = {replicates}" if way == AVERAGED else "complete"


def processor_seconds() -> float:
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def show(log: Path) -> None:
    """Print the means over samples with their standard errors, a table in the order of networks and cases."""
    frame = pd.read_csv(log).dropna(subset=["shd"])
    kept = [way for way in WAYS if way in set(frame["way"])]
    print("SHD and F1, each with its standard error; processor seconds; samples")
    print(f"\n| network | cases | {' | '.join(kept)} |\n|---|---:|{'---:|' * len(kept)}")
    for name in NAMES:
        for cases in CASES:
            rows = frame[(frame["network"] == name) & (frame["cases"] == cases)]
            cells = [_cell(rows[rows["way"] == way]) for way in kept]
            if any(cells):
                print(f"| {name} | {cases:,} | {' | '.join(cells)} |")


def _cell(rows: pd.DataFrame) -> str:
    if not len(rows):
        return ""
    error = rows[["shd", "f1"]].sem() if len(rows) > 1 else {"shd": np.nan, "f1": np.nan}
    shd, f1 = (f"{rows[key].mean():{form}}" for key, form in (("shd", ".1f"), ("f1", ".2f")))
    if len(rows) > 1:
        shd, f1 = f"{shd} ± {error['shd']:.1f}", f"{f1} ± {error['f1']:.2f}"
    return f"{shd}, {f1} ({rows['seconds'].mean():.1f} s; {len(rows)})"


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--all", action="store_true", help="all networks, cases and seeds, unless some are given")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    parser.add_argument("--ways", type=listed(), default=list(WAYS), help=", ".join(WAYS))
    parser.add_argument("--networks", type=listed(), help=",".join(NAMES))
    parser.add_argument("--cases", type=listed(int))
    parser.add_argument("--seeds", type=listed(int))
    given = parser.parse_args(arguments)
    if not has_data(NETWORKS):
        return
    warnings.simplefilter("ignore", DataWarning)
    names = given.networks or list(NAMES if given.all else SOME_NAMES)
    sizes = given.cases or list(CASES if given.all else SOME_CASES)
    seeds = given.seeds or list(SEEDS if given.all else SEEDS[:1])
    ways = without_missing(given.ways, dict.fromkeys((TABU, AVERAGED), "bnlearn"))
    with log_at(given.log) as log:
        measure(log, plan(ways, names, sizes, seeds))
        show(log)


def measure(log: Path, cells: Iterator[dict[str, object]]) -> None:
    """Carry out the cells that the log does not have."""
    known = set()
    if log.exists():
        known = {tuple(map(str, row)) for row in pd.read_csv(log)[list(KEYS)].itertuples(index=False)}
    for cell in cells:
        if tuple(str(cell[key]) for key in KEYS) in known:
            continue
        row = run_cell(cell)
        fresh = not log.exists()
        with log.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if fresh:
                writer.writeheader()
            writer.writerow(row)
        print(" ".join(str(row[column]) for column in COLUMNS), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

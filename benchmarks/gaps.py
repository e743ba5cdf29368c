"""Data with gaps: averages over completions beside other ways to learn from them.

Samples of known networks, from which values are removed completely at random, or at random: then the variables of even
position are complete, and the gaps of the others depend on one of them each. Ways that give confidences learn alike, by
a bootstrap of 40 tabu searches with at most 4 parents, under BDeu (ess 1), or PNAL for available cases; ways that give
one network (structural EM, bnlearn) have the confidence 1 in its edges and 0 in all others. Confidences are clipped to
[0.01, 0.99] for all. Scored are the log loss of the confidences over all pairs of variables, F1 of the skeleton above
one half, the structural Hamming distance of the (consensus) network's class, and seconds of processor time.

    python -m benchmarks gaps                        everything, into gaps.csv in the current folder
    python -m benchmarks.gaps FILE WAYS SEEDS CASES  some of it: gaps.csv completions,knn 1,2 500
    python -m benchmarks.gap_tables FILE ...         the tables of files that are there

Every cell is written when it is finished, and a run continues where the last one ended, seed by seed. bnlearn needs R
with the package; without it, its ways are left out, which is said.
"""

from __future__ import annotations

import csv
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arcwise.confidence import EdgeConfidence, consensus_network
from arcwise.confidence.recipe_confidence import carry_out
from arcwise.data import Dataset, Incomplete, Table, impute
from arcwise.ensemble import Recipe
from arcwise.ensemble.recipe import Run
from arcwise.errors import DataError, DataWarning
from arcwise.evaluate import shd
from arcwise.graph import Cpdag, Dag
from arcwise.limits import Limits
from arcwise.model import BayesianNetwork, read_bif, structural_em

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "networks"
NAMES = ("sachs", "child", "insurance", "alarm", "water")
CASES = (500, 2000)
SHARES = (0.1, 0.25, 0.5)
SEEDS = (1, 2, 3, 4, 5)
REPLICATES = 40
MAX_PARENTS = 4
# A confidence of 0 or 1 is that of at most 40 networks: it is not held to be certain.
LEAST = 0.01
CELL = ["network", "cases", "gaps", "share"]
COLUMNS = [*CELL, "seed", "way", "log loss", "F1", "SHD", "seconds", "status"]


def remove(data: Dataset, share: float, at_random: bool, seed: int) -> Incomplete:
    """Remove values: everywhere alike, or from every other variable, by the state of one that stays complete."""
    rng = np.random.default_rng(seed)
    n, rows = data.n_variables, data.n_rows
    chance = np.full((n, rows), share)
    if at_random:
        chance[::2] = 0
        for v in range(1, n, 2):
            low = data.codes[int(rng.integers(0, (n + 1) // 2)) * 2] == 0
            weight = np.where(low, 1.6, 0.4)
            chance[v] = np.minimum(0.95, share * weight / weight.mean())
    missing = rng.random((n, rows)) < chance
    missing[:, 0] = False
    return Incomplete(data, missing)


def as_frame(data: Incomplete) -> pd.DataFrame:
    frame = data.held.to_dataframe()
    for v, name in enumerate(data.names):
        frame.loc[data.missing[v], name] = None
    return frame


# ---- The ways: from data to a confidence, or to one network

Found = EdgeConfidence | Dag


def averaged(data: Dataset | Incomplete, seed: int, score: str = "bdeu:ess=1") -> Found:
    # Plain searches, as bnlearn's are: refined ones take three times as long, and lower the log losses of all ways.
    recipe = Recipe.usual("bootstrap", score, replicates=REPLICATES, max_parents=MAX_PARENTS, refine=0)
    found = carry_out(recipe, data, Run(seed=seed, threads=1)).confidence
    assert found is not None
    return found


def filled(method: str) -> Callable[[Incomplete, int], Found]:
    def learn(data: Incomplete, seed: int) -> Found:
        whole = impute(Table.from_dataframe(as_frame(data)), method=method, progress=False)
        return averaged(whole.to_dataset(categorical=True), seed)

    return learn


def by_em(data: Incomplete, seed: int) -> Found:
    return structural_em(data, max_parents=MAX_PARENTS, limits=Limits(seconds=600), progress=False).dag


BNLEARN = {
    "bnlearn structural.em": f"structural.em(d, maximize = 'hc', maximize.args = list(maxp = {MAX_PARENTS}))",
    "bnlearn pnal": f"hc(d, score = 'pnal', maxp = {MAX_PARENTS})",
}


def by_bnlearn(call: str) -> Callable[[Incomplete, int], Found]:
    def learn(data: Incomplete, seed: int) -> Found:
        with tempfile.TemporaryDirectory() as folder:
            given, got = Path(folder) / "data.csv", Path(folder) / "arcs.csv"
            plain = data.held.to_dataframe()
            frame = pd.DataFrame({f"V{v}": [f"s{c}" for c in data.held.codes[v]] for v in range(data.n_variables)})
            for v in range(data.n_variables):
                frame.loc[data.missing[v], f"V{v}"] = None
            assert len(frame) == len(plain)
            frame.to_csv(given, index=False)
            # Levels that no case shows would stop bnlearn, and so would a variable with one level.
            script = (
                "suppressMessages(library(bnlearn));"
                f"set.seed({seed}); d = read.csv('{given}', na.strings = '', stringsAsFactors = TRUE);"
                "d = d[, sapply(d, nlevels) > 1];"
                f"write.csv(arcs({call}), '{got}', row.names = FALSE)"
            )
            done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False)
            if done.returncode:
                raise DataError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "R failed")
            arcs = pd.read_csv(got)
            position = {f"V{v}": name for v, name in enumerate(data.names)}
            return Dag.from_arcs(
                data.names, [(position[a], position[b]) for a, b in zip(arcs["from"], arcs["to"], strict=True)]
            )

    return learn


WAYS: dict[str, Callable[[Incomplete, int], Found]] = {
    "completions": averaged,
    "pnal": lambda data, seed: averaged(data, seed, "pnal"),
    "knn": filled("knn"),
    "mode": filled("mode"),
    "complete cases": lambda data, seed: averaged(data.complete_cases(), seed),
    "structural EM": by_em,
    **{way: by_bnlearn(call) for way, call in BNLEARN.items()},
}


def measures(truth: BayesianNetwork, found: Found) -> tuple[float, float, int]:
    """Return log loss, F1 of the skeleton, and the structural Hamming distance."""
    n = truth.n_variables
    pairs = np.triu_indices(n, 1)
    there = _skeleton(truth.dag)[pairs]
    confidence = found.vector if isinstance(found, EdgeConfidence) else _skeleton(found)[pairs].astype(float)
    p = np.clip(confidence, LEAST, 1 - LEAST)
    loss = -float(np.log(np.where(there, p, 1 - p)).sum())
    above = confidence > 0.5
    f1 = 2 * int((above & there).sum()) / max(1, int(above.sum() + there.sum()))
    dag = consensus_network(found, 0.5).dag if isinstance(found, EdgeConfidence) else found
    return loss, f1, shd(Cpdag.from_dag(truth.dag), Cpdag.from_dag(dag))


def _skeleton(dag: Dag) -> NDArray[np.bool_]:
    joined = np.zeros((dag.n_nodes, dag.n_nodes), dtype=bool)
    for v, parents in enumerate(dag.parents):
        for p in parents:
            joined[v, p] = joined[p, v] = True
    return joined


def processor_seconds() -> float:
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def plan(ways: list[str], seeds: list[int], sizes: list[int]) -> Iterator[dict[str, object]]:
    """All cells of a seed before the next one, and small samples first: what is finished is balanced."""
    for seed in seeds:
        for cases in sizes:
            for name in NAMES:
                if "no gaps" in ways:
                    row = {"network": name, "cases": cases, "gaps": "none", "share": 0.0, "seed": seed}
                    yield {**row, "way": "no gaps"}
                for kind in ("completely at random", "at random"):
                    for share in SHARES:
                        row = {"network": name, "cases": cases, "gaps": kind, "share": share, "seed": seed}
                        yield from ({**row, "way": way} for way in ways if way != "no gaps")


def run_cell(row: dict[str, object]) -> dict[str, object]:
    truth = read_bif(NETWORKS / f"{row['network']}.bif.gz")
    seed = int(str(row["seed"]))
    whole = truth.sample(int(str(row["cases"])), seed=seed)
    begin = processor_seconds()
    try:
        if row["way"] == "no gaps":
            found = averaged(whole, seed)
        else:
            data = remove(whole, float(str(row["share"])), row["gaps"] == "at random", seed)
            begin = processor_seconds()
            found = WAYS[str(row["way"])](data, seed)
        status = "complete"
    except DataError as error:  # no case is complete, or R refuses
        found, status = Dag.from_arcs(whole.names, ()), f"nothing learned: {error}".splitlines()[0][:80]
    loss, f1, distance = measures(truth, found)
    return {
        **row,
        "log loss": round(loss, 4),
        "F1": round(f1, 4),
        "SHD": distance,
        "seconds": round(processor_seconds() - begin, 3),
        "status": status,
    }


def main() -> None:
    warnings.simplefilter("ignore", DataWarning)
    given = sys.argv[1:] if __name__ == "__main__" else []
    path = Path(given[0] if given else "gaps.csv")
    ways = given[1].split(",") if len(given) > 1 else ["no gaps", *WAYS]
    seeds = [int(seed) for seed in given[2].split(",")] if len(given) > 2 else list(SEEDS)
    sizes = [int(cases) for cases in given[3].split(",")] if len(given) > 3 else list(CASES)
    if shutil.which("Rscript") is None and any(way in BNLEARN for way in ways):
        print("Rscript is not there: bnlearn is left out.", file=sys.stderr)
        ways = [way for way in ways if way not in BNLEARN]
    done = pd.read_csv(path)[COLUMNS[:6]].astype(str).apply(tuple, axis=1).tolist() if path.exists() else []
    known = set(done)
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not known:
            writer.writeheader()
        for row in plan(ways, seeds, sizes):
            if tuple(str(row[name]) for name in COLUMNS[:6]) in known:
                continue
            writer.writerow(run_cell(row))
            file.flush()
    print(f"python -m benchmarks.gap_tables {path}   # prints the tables")


if __name__ == "__main__":
    main()

"""Data with gaps: averages over completions beside other ways to learn from them.

Samples of known networks, from which values are removed completely at random, or at random: then the variables of even
position are complete, and the gaps of the others depend on one of them each. Ways that give confidences learn alike, by
a bootstrap of 40 tabu searches with at most 4 parents, under BDeu (ess 1), or PNAL for available cases; ways that give
one network (structural EM, bnlearn) have the confidence 1 in its edges and 0 in all others. Confidences are clipped to
[0.01, 0.99] for all. Scored are the log loss of the confidences over all pairs of variables, F1 of the skeleton above
one half, the structural Hamming distance of the (consensus) network's class, and seconds of processor time.

    python -m benchmarks.gaps                        two networks, 500 cases, one seed
    python -m benchmarks.gaps --all --log gaps.csv   everything that the page has, which takes hours
    python -m benchmarks.gaps --tables gaps.csv      the tables of a log that is there, with --page into a page

Every cell is written when it is finished, and a run continues the log that it is given, seed by seed. bnlearn needs R
with the package; without it, its ways are left out, which is said.
"""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arcwise.base.run import Run
from arcwise.confidence import EdgeConfidence, consensus_network
from arcwise.confidence.by_recipe import carry_out
from arcwise.data import Dataset, Incomplete, Table, impute
from arcwise.ensemble import Recipe
from arcwise.errors import DataError, DataWarning
from arcwise.evaluate import shd
from arcwise.graph import Cpdag, Dag
from arcwise.limits import Limits
from arcwise.model import BayesianNetwork, read_bif, structural_em
from benchmarks._topic import SHARED, has_data, listed, log_at, parser_for, without_missing

NETWORKS = SHARED / "data" / "networks"
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


def plan(ways: list[str], names: list[str], seeds: list[int], sizes: list[int]) -> Iterator[dict[str, object]]:
    """All cells of a seed before the next one, and small samples first: what is finished is balanced."""
    for seed in seeds:
        for cases in sizes:
            for name in names:
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


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--all", action="store_true", help="all networks, cases and seeds, unless some are given")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    parser.add_argument("--ways", type=listed(), default=["no gaps", *WAYS], help=", ".join(WAYS))
    parser.add_argument("--networks", type=listed(), help=",".join(NAMES))
    parser.add_argument("--cases", type=listed(int))
    parser.add_argument("--seeds", type=listed(int))
    parser.add_argument("--tables", type=Path, nargs="+", metavar="FILE", help="print the tables of these logs alone")
    parser.add_argument("--page", type=Path, help="put the tables into this page, between its two marks")
    given = parser.parse_args(arguments)
    if given.tables is not None:
        tell(given.tables, given.page)
        return
    if not has_data(NETWORKS):
        return
    warnings.simplefilter("ignore", DataWarning)
    names = given.networks or list(NAMES if given.all else NAMES[:2])
    sizes = given.cases or list(CASES if given.all else CASES[:1])
    seeds = given.seeds or list(SEEDS if given.all else SEEDS[:1])
    ways = without_missing(given.ways, dict.fromkeys(BNLEARN, "bnlearn"))
    with log_at(given.log) as log:
        measure(log, plan(ways, names, seeds, sizes))
        tell([log], given.page)


def measure(log: Path, cells: Iterator[dict[str, object]]) -> None:
    """Carry out the cells that the log does not have."""
    done = pd.read_csv(log)[COLUMNS[:6]].astype(str).apply(tuple, axis=1).tolist() if log.exists() else []
    known = set(done)
    with log.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not known:
            writer.writeheader()
        for row in cells:
            if tuple(str(row[name]) for name in COLUMNS[:6]) in known:
                continue
            writer.writerow(run_cell(row))
            file.flush()


def tell(logs: Sequence[Path], page: Path | None) -> None:
    """Print the tables of these logs, or put them into a page."""
    from benchmarks._gap_tables import put_tables

    put_tables(logs, page)


if __name__ == "__main__":
    main(sys.argv[1:])

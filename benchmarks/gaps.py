"""Data with gaps: averages over completions beside filling once and beside complete cases.

Samples of known networks, from which values are removed completely at random, or at random: then the variables of even
position are complete, and the gaps of the others depend on one of them each. All ways of handling the gaps learn in the
same way, by a bootstrap of tabu searches under BDeu, and are scored by their confidences: log loss over all pairs, F1
of the skeleton above one half, the structural Hamming distance of the consensus network's class, and the time. The
first row of each network is the complete sample: what there was to be found.

    python -m benchmarks gaps
"""

from __future__ import annotations

import time
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
from arcwise.errors import DataError
from arcwise.evaluate import shd
from arcwise.graph import Cpdag
from arcwise.model import BayesianNetwork, read_bif

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "networks"
NAMES = ("sachs", "child", "insurance", "alarm", "water")
CASES = (500,)
SHARES = (0.1, 0.25, 0.5)
SEEDS = (1,)
REPLICATES = 40
# A confidence of 0 or 1 is that of 40 networks: it is not held to be certain.
LEAST = 0.5 / REPLICATES


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


def as_table(data: Incomplete) -> Table:
    frame = data.held.to_dataframe()
    for v, name in enumerate(data.names):
        frame.loc[data.missing[v], name] = None
    return Table.from_dataframe(frame)


def filled(method: str) -> Callable[[Incomplete], Dataset]:
    return lambda data: impute(as_table(data), method=method, progress=False).to_dataset(categorical=True)


WAYS: dict[str, Callable[[Incomplete], Dataset | Incomplete]] = {
    "completions": lambda data: data,
    "knn": filled("knn"),
    "mode": filled("mode"),
    "complete cases": lambda data: data.complete_cases(),
}


def measures(truth: BayesianNetwork, found: EdgeConfidence) -> tuple[float, float, int]:
    """Return log loss, F1 of the skeleton, and the structural Hamming distance."""
    n = truth.n_variables
    joined: NDArray[np.bool_] = np.zeros((n, n), dtype=bool)
    for tail, head in truth.dag.arcs:
        i, j = sorted((truth.index(tail), truth.index(head)))
        joined[i, j] = True
    there = joined[np.triu_indices(n, 1)]
    p = np.clip(found.vector, LEAST, 1 - LEAST)
    loss = -float(np.log(np.where(there, p, 1 - p)).sum())
    above = found.vector > 0.5
    f1 = 2 * int((above & there).sum()) / max(1, int(above.sum() + there.sum()))
    learned = Cpdag.from_dag(consensus_network(found, 0.5).dag)
    return loss, f1, shd(Cpdag.from_dag(truth.dag), learned)


def cells() -> Iterator[dict[str, object]]:
    recipe = Recipe.usual("bootstrap", "bdeu:ess=1", replicates=REPLICATES, max_parents=4)
    for name in NAMES:
        truth = read_bif(NETWORKS / f"{name}.bif.gz")
        for cases in CASES:
            for seed in SEEDS:
                whole = truth.sample(cases, seed=seed)
                given: list[tuple[str, float, str, Callable[[], Dataset | Incomplete]]] = [
                    ("-", 0.0, "no gaps", lambda whole=whole: whole)
                ]
                for at_random in (False, True):
                    for share in SHARES:
                        data = remove(whole, share, at_random, seed)
                        kind = "at random" if at_random else "completely at random"
                        given += [(kind, share, way, lambda f=f, data=data: f(data)) for way, f in WAYS.items()]
                for kind, share, way, make in given:
                    row = {"network": name, "cases": cases, "seed": seed, "gaps": kind, "share": share, "way": way}
                    begin = time.perf_counter()
                    try:
                        found = carry_out(recipe, make(), Run(seed=seed)).confidence
                    except DataError:  # no case is complete, or a column of complete cases is constant
                        found = None
                    seconds = time.perf_counter() - begin
                    loss, f1, distance = (np.nan, np.nan, np.nan) if found is None else measures(truth, found)
                    yield {**row, "log loss": loss, "F1": f1, "SHD": distance, "seconds": seconds}


def main() -> None:
    rows = []
    for row in cells():
        rows.append(row)
        print(*(f"{value:.3g}" if isinstance(value, float) else value for value in row.values()), flush=True)
    frame = pd.DataFrame(rows)
    cell = ["network", "gaps", "share"]
    for what in ("log loss", "F1", "SHD", "seconds"):
        wide = frame.groupby([*cell, "way"], sort=False)[what].mean().unstack("way")
        print(f"\n{what}\n\n{wide.round(2).to_string()}", flush=True)

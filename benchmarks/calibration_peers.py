"""What is "0.9" worth by others, and by each of our ways to probabilities, on worlds that nothing was learned from?

    python -m benchmarks.calibration_peers                        parts of three networks, 500 cases
    python -m benchmarks.calibration_peers --all --log log.jsonl  everything that the page has, which takes hours

Connected parts of 12 variables of child, insurance, alarm, hailfinder, hepar2, win95pts and andes, and child, insurance
and alarm whole: none of these networks is in a study that the package's tables come from. Shares of 200 networks (50 of
those of others, 20 of pgmpy's, whose search takes seconds) that have an edge, by

- our recipes as they are, by the package's table, by data simulated from the networks found (self), pooled, and by the
  meta-ensemble of the thesis (boosting over all studied members);
- bnlearn's boot.strength (hill climbing, BIC), through Rscript;
- pyAgrum's and pgmpy's greedy hill climbing with BIC, on resampled rows.

Expected calibration error (15 bins, pairs above 0.01), log loss and Brier score of all pairs, and seconds of the clock.
What is not installed is left out and said. pgmpy only learns from the parts. Needs the folder of reference networks:
CONTRIBUTING.md says where.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arcwise.base.run import Run
from arcwise.confidence import EdgeConfidence, combine_confidences
from arcwise.confidence.by_recipe import confidence_by_recipe, studied_recipes, team_confidences
from arcwise.confidence.probability import reliability
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.graph import Dag
from arcwise.limits import Limits
from arcwise_studies.experiments.calibration import as_seen
from arcwise_studies.sources import Sources
from benchmarks._topic import SHARED, has_data, has_peer, listed, log_at, parser_for

NETWORKS = SHARED / "data" / "networks"
PARTS = ("child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "andes")
WHOLE = ("child", "insurance", "alarm")
PART = 12
CASES = (100, 500, 2_000)
SEEDS = (1,)
SOME, SOME_CASES = ("child", "alarm", "hailfinder"), (500,)
TEAM = 120.0  # seconds for all members of the meta-ensemble
PEERS = {"bnlearn": 50, "pyagrum": 50, "pgmpy": 20}

Claims = NDArray[np.float64]


def ours(source: str, data: Dataset) -> EdgeConfidence:
    """Return the confidences of a recipe of `learn`."""
    found = confidence_by_recipe(
        Recipe.usual(source, "qnml", n_cases=data.n_cases), data, Run(seed=1, threads=1, progress=False)
    )
    assert found is not None
    return found


def by_bnlearn(data: Dataset) -> Claims:
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "data.csv", Path(folder) / "strength.csv"
        as_frame(data).to_csv(given, index=False)
        script = (
            f"suppressMessages(library(bnlearn)); set.seed(1); d = read.csv('{given}', stringsAsFactors = TRUE);"
            f"s = boot.strength(d, R = {PEERS['bnlearn']}, algorithm = 'hc');"
            f"write.csv(s[, 1:3], '{got}', row.names = FALSE)"
        )
        subprocess.run(["Rscript", "-e", script], capture_output=True, check=True)
        found = {(a, b): float(share) for a, b, share in pd.read_csv(got).itertuples(index=False)}
    n = data.n_variables
    return np.array([found[f"V{i}", f"V{j}"] for i in range(n) for j in range(i + 1, n)])


def by_pyagrum(data: Dataset) -> Claims:
    import pyagrum

    def learn(frame: pd.DataFrame) -> list[tuple[str, str]]:
        learner = pyagrum.BNLearner(frame)
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        names = learner.names()
        return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]

    return resampled(data, learn, PEERS["pyagrum"])


def by_pgmpy(data: Dataset) -> Claims:
    from pgmpy.estimators import HillClimbSearch

    def learn(frame: pd.DataFrame) -> list[tuple[str, str]]:
        return list(HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False).edges())

    return resampled(data, learn, PEERS["pgmpy"])


def resampled(data: Dataset, learn: Callable[[pd.DataFrame], list[tuple[str, str]]], replicates: int) -> Claims:
    """Return the shares of networks with an edge, learned from resampled rows."""
    frame, n = as_frame(data), data.n_variables
    rng = np.random.default_rng(1)
    joined = np.zeros((n, n))
    for _ in range(replicates):
        sample = frame.iloc[rng.integers(len(frame), size=len(frame))].reset_index(drop=True)
        for a, b in learn(sample.loc[:, sample.nunique() > 1]):
            i, j = sorted((int(a[1:]), int(b[1:])))
            joined[i, j] += 1
    return joined[np.triu_indices(n, 1)] / replicates


def as_frame(data: Dataset) -> pd.DataFrame:
    return pd.DataFrame({f"V{v}": [f"s{code}" for code in data.codes[v]] for v in range(data.n_variables)})


def our_ways(data: Dataset) -> Mapping[str, Callable[[], Claims]]:
    """Return our claims; those that others build on are computed once."""
    known: dict[str, EdgeConfidence] = {}

    def of(source: str) -> EdgeConfidence:
        if source not in known:
            known[source] = ours(source, data)
        return known[source]

    def by_boosting() -> Claims:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return combine_confidences(
                team_confidences(data, studied_recipes(), seed=1, limits=Limits(TEAM), progress=False)
            ).vector

    def by_pool() -> Claims:
        members = {f"{source}:qnml": of(source) for source in ("credible", "bootstrap")}
        return combine_confidences(members, combine="probability").vector

    ways: dict[str, Callable[[], Claims]] = {}
    for source in ("bootstrap", "credible"):
        ways[f"{source}: confidence"] = lambda source=source: of(source).vector
        ways[f"{source}: table"] = lambda source=source: of(source).probability.vector
    if data.n_variables > PART:  # twenty credible sets, and those of all studied scores, are for the parts
        del ways["credible: self"]
        return {**ways, "pooled": by_pool}
    return {**ways, "pooled": by_pool, "boosting": by_boosting}


def peers(data: Dataset) -> Mapping[str, Callable[[], Claims]]:
    found: dict[str, Callable[[], Claims]] = {}
    if has_peer("bnlearn"):
        found["bnlearn"] = lambda: by_bnlearn(data)
    if has_peer("pyagrum"):
        found["pyagrum"] = lambda: by_pyagrum(data)
    if data.n_variables <= PART and has_peer("pgmpy"):
        found["pgmpy"] = lambda: by_pgmpy(data)
    return found


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--all", action="store_true", help="all networks and cases, parts and whole")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    parser.add_argument("--ways", type=listed(), help="all by default")
    parser.add_argument("--networks", type=listed(), help=",".join(PARTS))
    parser.add_argument("--cases", type=listed(int))
    parser.add_argument("--seeds", type=listed(int), default=list(SEEDS))
    parser.add_argument("--worlds", choices=("parts", "whole", "both"))
    given = parser.parse_args(arguments)
    if not has_data(NETWORKS):
        return
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    names = given.networks or (PARTS if given.all else SOME)
    which = given.worlds or ("both" if given.all else "parts")
    parts = [f"part:network={name},nodes={PART},seed=1" for name in names]
    worlds = {"parts": parts, "whole": []}.get(which, parts)
    worlds += [name for name in WHOLE if name in names and which != "parts"]
    sizes = given.cases or (CASES if given.all else SOME_CASES)
    with log_at(given.log) as log:
        show(measure(log, worlds, sizes, given.seeds, given.ways))


def measure(
    log: Path, worlds: Sequence[str], sizes: Sequence[int], seeds: Sequence[int], wanted: Sequence[str] | None
) -> list[dict[str, object]]:
    """Carry out what the log does not have; return all its lines."""
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = {(row["world"], row["cases"], row["seed"], row["way"]) for row in lines}
    sources = Sources(str(NETWORKS))
    for seed in seeds:
        for cases in sizes:
            for world in worlds:
                network = sources.network(world)
                data = as_seen(network.sample(cases, seed=2000 + seed, progress=False), network.names)
                if data is None:
                    continue
                real = skeleton(network.dag, data.names)
                for way, claim in {**our_ways(data), **peers(data)}.items():
                    if (world, cases, seed, way) in done or (wanted is not None and way not in wanted):
                        continue
                    begin = time.monotonic()
                    row = {"world": world, "cases": cases, "seed": seed, "way": way}
                    row |= {"claims": claim().round(5).tolist(), "seconds": round(time.monotonic() - begin, 2)}
                    row["real"] = real.astype(int).tolist()
                    lines.append(row)
                    with log.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                    print(world, cases, way, row["seconds"], file=sys.stderr, flush=True)
    return lines


def skeleton(dag: Dag, names: tuple[str, ...]) -> NDArray[np.bool_]:
    joined = {frozenset(arc) for arc in dag.arcs}
    return np.array([frozenset((a, b)) in joined for k, a in enumerate(names) for b in names[k + 1 :]])


def show(lines: list[dict[str, object]]) -> None:
    """Print a table for the parts, which all learned from, and one for the whole networks."""
    for title, part in (("Parts of 12 variables", True), ("Whole networks: child, insurance, alarm", False)):
        print(f"\n{title}\n\n| cases | way | calibration error | log loss | Brier score | seconds | samples |")
        print("|---:|---|---:|---:|---:|---:|---:|")
        for cases in CASES:
            own = [row for row in lines if row["cases"] == cases and str(row["world"]).startswith("part:") == part]
            for way in dict.fromkeys(str(row["way"]) for row in own):
                of_way = [row for row in own if row["way"] == way]
                found = reliability(
                    np.concatenate([np.array(row["claims"]) for row in of_way]),
                    np.concatenate([np.array(row["real"], dtype=bool) for row in of_way]),
                )
                seconds = sum(float(str(row["seconds"])) for row in of_way) / len(of_way)
                figures = f"{found.error:.3f} | {found.log_loss:.3f} | {found.brier:.4f} | {seconds:.2f}"
                print(f"| {cases:,} | {way} | {figures} | {len(of_way)} |")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Do the intervals of effects hold the truth? Data from known networks, whose P(y | do(x)) is computed exactly.

    python -m benchmarks.effects [--sets 25] [--pairs 6] [--log effects.csv]

For every network, number of cases and data set: the networks that `learn` averages (a bootstrap with qNML), and the
95 % intervals of P(y = s | do(x = a)) for some causes x and outcomes y, all states. The share of the intervals that
hold the truth should be near 0.95; its standard error is that between data sets. With --log, every data set is a line,
and finished ones are not done again. Also the time for all pairs of 20 variables. Needs the folder of reference
networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset
from arcwise.effects import find_effects
from arcwise.effects.effect import CauseParts
from arcwise.ensemble import Ensemble, Recipe
from arcwise.model import BayesianNetwork, read_bif
from benchmarks._topic import SHARED, has_data, parser_for

NETWORKS = ("asia", "sachs", "child", "insurance")
CASES = (500, 5000)


def networks_of(data: Dataset, seed: int) -> Ensemble:
    """Return what `learn` averages over."""
    return Recipe.usual("bootstrap", n_cases=data.n_cases).run(data, seed=seed, progress=False)


class Cell:
    """One network, whose effects are known."""

    def __init__(self, truth: BayesianNetwork) -> None:
        self.truth = truth
        self.effects = cache(self._effects)

    def _effects(self, cause: str) -> list[dict[str, np.ndarray]]:
        states = self.truth.states[self.truth.index(cause)]
        found = [self.truth.do({cause: state}).marginals() for state in states]
        return [{name: one[name].probabilities for name in self.truth.names if name != cause} for one in found]

    def covered(self, cases: int, seed: int, pairs: int) -> dict[str, object]:
        """Return the share of intervals that hold the truth in one data set, of all and given an effect."""
        data = self.truth.sample(cases, seed=10_000 + seed, progress=False)
        networks = networks_of(data, seed)
        reach = family_reach(networks, seed=seed)
        rng = np.random.default_rng([seed, cases, data.n_variables])
        n, dag = data.n_variables, self.truth.dag
        inside: list[float] = []
        given: list[float] = []
        width: list[float] = []
        for x in rng.choice(n, size=min(pairs, n), replace=False).tolist():
            others = [v for v in range(n) if v != x]
            outcomes = rng.choice(others, size=min(pairs, n - 1), replace=False).tolist()
            parts = CauseParts(reach, data, x, 1.0)
            for row in parts.rows:
                parts.add(row, outcomes)
            for y in outcomes:
                effect = parts.effect(y, 0.95)
                real = np.array([one[data.names[y]] for one in self.effects(data.names[x])])
                for found, kept in ((effect.set_to, inside), (effect.set_if_effect, given)):
                    if found is None or (kept is given and data.names[y] not in dag.descendants(data.names[x])):
                        continue
                    kept.append(float(((found.low - 1e-9 <= real) & (real <= found.high + 1e-9)).mean()))
                width.append(float((effect.set_to.high - effect.set_to.low).mean()))
        return {
            "source": networks.origin,
            "inside": np.mean(inside),
            "given": np.mean(given) if given else np.nan,
            "width": np.mean(width),
        }


def main(arguments: Sequence[str] = ()) -> None:
    """Print one row per network and number of cases."""
    parser = parser_for(__doc__)
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args(arguments)
    if not has_data(SHARED / "data" / "networks"):
        return
    warnings.simplefilter("ignore")  # states that no case shows
    rows: list[dict[str, object]] = []
    if asked.log is not None and asked.log.exists():
        with asked.log.open() as file:
            rows = list(csv.DictReader(file))
    done = {(row["network"], int(str(row["cases"])), int(str(row["seed"]))) for row in rows}
    cells = {name: Cell(read_bif(SHARED / "data" / "networks" / f"{name}.bif.gz")) for name in asked.networks}
    for seed in range(asked.sets):
        for name, cell in cells.items():
            for cases in CASES:
                if (name, cases, seed) in done:
                    continue
                row = {"network": name, "cases": cases, "seed": seed, **cell.covered(cases, seed, asked.pairs)}
                rows.append(row)
                if asked.log is not None:
                    new = not asked.log.exists()
                    with asked.log.open("a") as file:
                        writer = csv.DictWriter(file, list(row))
                        if new:
                            writer.writeheader()
                        writer.writerow(row)
    print("| network | cases | data sets | intervals that hold the truth | of those given an effect | mean width |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in asked.networks:
        for cases in CASES:
            own = [row for row in rows if row["network"] == name and int(str(row["cases"])) == cases]
            inside = np.array([float(str(row["inside"])) for row in own])
            given = np.array([float(str(row["given"])) for row in own])
            width = np.array([float(str(row["width"])) for row in own])
            error = inside.std(ddof=1) / np.sqrt(len(inside)) if len(inside) > 1 else np.nan
            print(
                f"| {name} | {cases:,} | {len(own)} | {inside.mean():.3f} ± {1.96 * error:.3f} | "
                f"{np.nanmean(given):.3f} | {width.mean():.3f} |"
            )
    if "child" not in cells:
        return
    data = cells["child"].truth.sample(5000, seed=1, progress=False)
    networks = networks_of(data, 1)
    wall, start = time.perf_counter(), time.process_time()
    find_effects(networks, data, progress=False)
    print(
        f"\nAll {20 * 19} pairs of child, 5,000 cases: {time.perf_counter() - wall:.1f} s, "
        f"{time.process_time() - start:.1f} s of one core."
    )


if __name__ == "__main__":
    main(sys.argv[1:])

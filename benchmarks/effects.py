"""Do the intervals of effects hold the truth, and how far off is what they are around?

    python -m benchmarks.effects [--networks asia child] [--kinds chain votes] [--sets 25] [--first 0] [--pairs 6]

Data from known networks, of which P(y = s | do(x = a)) is computed exactly: published ones, and worlds of ten variables
of the kinds that no map of the package was learned from (`arcwise_studies.experiments.calibration_check`). For every
network, number of cases and data set: the networks that `learn` averages (a bootstrap with qNML), and the 95 %
intervals of P(y = s | do(x = a)) for some causes x and outcomes y, all states. The share of the intervals that hold the
truth should be near 0.95. Beside it, for pairs with and without an effect, the mean error of the average over all
networks, of the effect if there is one, and of the plain share P(y = s | x = a). Standard errors are those between data
sets. With --log, every data set is a line, and finished ones are not done again. Published networks need the folder of
reference networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from arcwise.base.run import Run
from arcwise.confidence.by_recipe import carry_out, with_chance
from arcwise.confidence.reach import FamilyReach, family_reach
from arcwise.data import Dataset
from arcwise.effects.effect import CauseParts
from arcwise.ensemble import Recipe
from arcwise.model import BayesianNetwork, read_bif
from arcwise_studies.experiments.calibration_check import world_text
from arcwise_studies.sources import Sources
from benchmarks._topic import SHARED, has_data, parser_for

NETWORKS = ("asia", "sachs", "child", "insurance")
KINDS = ("logistic", "hubs", "contexts", "modules", "copying", "chain", "votes", "skewed")
NODES = 10  # of the worlds of a kind
CASES = (500, 3000)
SOME = 1e-6  # what changes by less has no effect
INSIDE = ("inside", "inside_real", "inside_if", "width", "width_if")
FIELDS = (*INSIDE, *(f"{kind}_{what}" for kind in ("real", "none") for what in "aip"))


def reach_of(data: Dataset, seed: int) -> FamilyReach:
    """Return what `learn` averages over."""
    recipe = Recipe.usual("bootstrap", n_cases=data.n_cases, arities=data.arities.tolist())
    run = Run(seed, progress=False)
    made = carry_out(recipe, data, run)
    assert made.confidence is not None
    return family_reach(made.networks, confidence=with_chance(made.confidence, recipe, data, run), seed=seed)


class Cell:
    """One network, whose effects are known."""

    def __init__(self, truth: BayesianNetwork) -> None:
        self.truth = truth
        self.effects = cache(self._effects)

    def _effects(self, cause: str) -> list[dict[str, np.ndarray]]:
        states = self.truth.states[self.truth.index(cause)]
        found = [self.truth.do({cause: state}).marginals() for state in states]
        return [{name: one[name].probabilities for name in self.truth.names if name != cause} for one in found]

    def measured(self, cases: int, seed: int, pairs: int) -> dict[str, object]:
        """Return the share of intervals that hold the truth in one data set, and errors, with and without an effect."""
        data = self.truth.sample(cases, seed=10_000 + seed, progress=False)
        reach = reach_of(data, seed)
        rng = np.random.default_rng([seed, cases, data.n_variables])
        n = data.n_variables
        found: dict[str, list[float]] = {name: [] for name in FIELDS}
        for x in rng.choice(n, size=min(pairs, n), replace=False).tolist():
            others = [v for v in range(n) if v != x]
            outcomes = rng.choice(others, size=min(pairs, n - 1), replace=False).tolist()
            parts = CauseParts(reach, data, x, 1.0)
            for row in parts.rows:
                parts.add(row, outcomes)
            for y in outcomes:
                effect = parts.effect(y, 0.95)
                real = np.array([one[data.names[y]] for one in self.effects(data.names[x])])
                of = "real" if np.ptp(real, axis=0).max() > SOME else "none"
                if_effect = effect.set_to if effect.set_if_effect is None else effect.set_if_effect
                claims = {"a": effect.set_to.mean, "i": if_effect.mean, "p": effect.observed}
                for name, claim in claims.items():
                    found[f"{of}_{name}"].append(float(np.nanmean(np.abs(claim - real))))
                for part, held, wide in ((effect.set_to, "inside_real", "width"), (if_effect, "inside_if", "width_if")):
                    holds = float(((part.low - 1e-9 <= real) & (real <= part.high + 1e-9)).mean())
                    found[wide].append(float((part.high - part.low).mean()))
                    if of == "real":
                        found[held].append(holds)
                    if part is effect.set_to:
                        found["inside"].append(holds)
        return {name: float(np.mean(values)) if values else np.nan for name, values in found.items()}


def worlds(names: Sequence[str], kinds: Sequence[str], seed: int) -> Iterator[tuple[str, Cell]]:
    """Return the networks of one data set each."""
    for name in names:
        yield name, _published(name)
    for kind in kinds:
        text = world_text(kind, NODES, np.random.default_rng([38, seed, KINDS.index(kind)]))
        yield kind, Cell(Sources().network(text))


@cache
def _published(name: str) -> Cell:
    return Cell(read_bif(SHARED / "data" / "networks" / f"{name}.bif.gz"))


def mean(rows: Sequence[dict[str, object]], name: str) -> str:
    """Return a mean with its standard error."""
    values = np.array([float(str(row[name])) for row in rows])
    values = values[np.isfinite(values)]
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.3f} ± {error:.3f}" if len(values) else "–"


def show(rows: Sequence[dict[str, object]]) -> None:
    """Print a line per network and number of cases, and one for all."""
    heads = "all intervals hold the truth | of real effects | if any | width | if any | real: average | if any | plain"
    print(f"| network | cases | data sets | {heads} | none: average | if any | plain |\n|---|---:|---:{'|---:' * 11}|")
    names = list(dict.fromkeys(str(row["network"]) for row in rows))
    for name in (*names, "all"):
        for cases in CASES:
            own = [row for row in rows if name in (row["network"], "all") and int(str(row["cases"])) == cases]
            if own:
                print(f"| {name} | {cases:,} | {len(own)} | {' | '.join(mean(own, field) for field in FIELDS)} |")


def main(arguments: Sequence[str] = ()) -> None:
    """Print one row per network and number of cases."""
    parser = parser_for(__doc__)
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--first", type=int, default=0, help="the number of the first data set: others are fresh ones")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args(arguments)
    if asked.networks and not has_data(SHARED / "data" / "networks"):
        return
    warnings.simplefilter("ignore")  # states that no case shows
    rows: list[dict[str, object]] = []
    if asked.log is not None and asked.log.exists():
        with asked.log.open() as file:
            rows = list(csv.DictReader(file))
    done = {(row["network"], int(str(row["cases"])), int(str(row["seed"]))) for row in rows}
    for seed in range(asked.first, asked.first + asked.sets):
        for name, cell in worlds(asked.networks, asked.kinds, seed):
            for cases in CASES:
                if (name, cases, seed) in done:
                    continue
                row = {"network": name, "cases": cases, "seed": seed, **cell.measured(cases, seed, asked.pairs)}
                rows.append(row)
                if asked.log is not None:
                    new = not asked.log.exists()
                    with asked.log.open("a") as file:
                        writer = csv.DictWriter(file, list(row))
                        if new:
                            writer.writeheader()
                        writer.writerow(row)
    show(rows)


if __name__ == "__main__":
    main(sys.argv[1:])

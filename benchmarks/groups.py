"""Rows that belong together: are probabilities right with `--groups`, and what do they say without?

    python -m benchmarks.groups                             two worlds of each kind, about two minutes
    python -m benchmarks.groups --worlds 8 --log log.csv    what the page has; a log is continued

Worlds of ten variables of kinds that no map of the package was learned from, with 600 and 3,000 rows: each row three
times; clusters of ten, three in five of whose values are those of the first row; random intercepts, where three in ten
values are what a group of ten likes best; and independent rows. Every table is learned with its groups, and as if its
rows were independent, which `learn` warns of. Counted are the edges above one half, how many of them are false, how
many that was to be by the probabilities, and the edges of 0.95 and more.
"""

from __future__ import annotations

import csv
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.limits import Limits
from arcwise_studies.experiments.calibration import among, as_seen, learn_sample
from arcwise_studies.experiments.calibration_check import KINDS, world_text
from arcwise_studies.experiments.pair_states import ABSENT, PairStates
from arcwise_studies.sources import Sources
from benchmarks._topic import log_at, parser_for

NODES, CASES = 10, (600, 3000)
SOME = ("logistic", "chain", "hubs", "contexts")
SIZES = {"tripled": 3, "clusters": 10, "intercepts": 10, "independent": 1}
COPIED, LIKED = 0.6, 0.3  # values of a cluster that are those of its first row; values that a group likes
COUNTED = ("edges", "false", "expected", "sure", "sure_right", "missed", "in_false_range", "in_missed_range")
COLUMNS = ("kind", "cases", "world", "design", "grouped", "worth", *COUNTED)


def sample(kind: str, cases: int, world: int, design: str) -> tuple[Dataset, np.ndarray, object]:
    """Return the rows of a design, the group of each, and the true network."""
    rng = np.random.default_rng([11, world, KINDS.index(kind), cases])
    truth = Sources().world(world_text(kind, NODES, rng))
    codes = np.array(truth.sample(cases, seed=rng, threads=1).expand().codes)
    size = SIZES[design]
    groups = np.repeat(np.arange(cases // size), size)
    codes = codes[:, : len(groups)]
    first = codes[:, : cases // size]
    if design == "tripled":
        codes = first[:, groups]
    elif design == "clusters":
        copied = rng.random(len(groups)) < COPIED
        codes[:, copied] = first[:, groups][:, copied]
    elif design == "intercepts":
        liked = np.array([rng.permutation(own) for own in first])
        codes = np.where(rng.random(codes.shape) < LIKED, liked[:, groups], codes)
    states = [[str(k) for k in range(max(2, int(own.max()) + 1))] for own in codes]
    made = as_seen(Dataset.from_codes(codes.T.astype(int), names=list(truth.names), states=states), truth.names)
    assert made is not None
    return made, groups, among(truth.dag, made.names)


def cells(worlds: int) -> Iterator[tuple[str, int, int, str, bool]]:
    """Return what is measured: a world of every kind first, then the next."""
    for world, kind, cases, design in itertools.product(range(worlds), SOME, CASES, SIZES):
        yield from ((kind, cases, world, design, told) for told in (True, False) if told is False or SIZES[design] > 1)


def measured(kind: str, cases: int, world: int, design: str, told: bool) -> dict[str, object]:
    """Learn from a table with its groups, or without, and count."""
    data, groups, truth = sample(kind, cases, world, design)
    data = data.with_groups([str(one) for one in groups]) if told else data
    recipe = Recipe.usual("bootstrap", n_cases=data.n_effective, arities=data.arities.tolist(), replicates=100)
    found = learn_sample(recipe, data, truth, 1, Limits())  # type: ignore[arg-type]
    assert found.confidence is not None
    probability = found.confidence.probability
    claims, real = probability.vector, PairStates.unpack(found.row).truth != ABSENT
    drawn, sure = claims > 0.5, claims >= 0.95
    said, false, missed = probability.expected(drawn), int((drawn & ~real).sum()), int((~drawn & real).sum())
    counts = (
        *(int(drawn.sum()), false, round(said.false, 2), int(sure.sum()), int((sure & real).sum()), missed),
        *(
            said.is_chance or low <= count <= high
            for (low, high), count in ((said.false_range, false), (said.missed_range, missed))
        ),
    )
    return dict(zip(COLUMNS, (kind, cases, world, design, told, round(data.n_effective), *counts), strict=True))


def show(rows: Sequence[dict[str, str]]) -> None:
    """Print a line for each design and number of rows, with groups and without."""
    heads = "rows | design | groups | tables | worth | edges | false | expected | 0.95 and more | right"
    print(f"| {heads} | in the range of false ones | of missing ones |")
    print(f"|---:|---|---|{'---:|' * 9}")
    for cases, design, told in itertools.product(CASES, SIZES, ("True", "False")):
        own = [row for row in rows if (row["cases"], row["design"], row["grouped"]) == (str(cases), design, told)]
        if own:
            total = {name: sum(float(row[name]) for row in own) for name in COUNTED[:6]}
            held = (np.mean([row[name] == "True" for row in own]) for name in COUNTED[6:])
            worth = np.mean([float(row["worth"]) for row in own])
            print(
                f"| {cases:,} | {design} | {'told' if told == 'True' else 'not told'} | {len(own)} | {worth:,.0f} | "
                f"{total['edges']:.0f} | {total['false']:.0f} | {total['expected']:.1f} | {total['sure']:.0f} | "
                f"{total['sure_right']:.0f} | {' | '.join(f'{share:.2f}' for share in held)} |"
            )


def main(arguments: Sequence[str] = ()) -> None:
    """Measure what the log does not have, and print the table."""
    parser = parser_for(__doc__)
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args(arguments)
    with log_at(asked.log) as path:
        done = list(csv.DictReader(path.open())) if path.exists() and path.stat().st_size else []
        finished = {tuple(row[name] for name in COLUMNS[:5]) for row in done}
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if not done:
                writer.writeheader()
            for cell in cells(asked.worlds):
                if tuple(map(str, cell)) not in finished:
                    writer.writerow(measured(*cell))
                    file.flush()
        show(list(csv.DictReader(path.open())))


if __name__ == "__main__":
    main(sys.argv[1:])

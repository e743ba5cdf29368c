"""How often is each verdict right? Samples of worlds that no calibration has seen, by kind of world.

    python -m benchmarks.verdicts                              four worlds of each kind, about 15 minutes
    python -m benchmarks.verdicts --worlds 20 --log log.csv    what the page has; a log is continued

The first worlds from number 500 on of the families that the calibration study makes (its own begin at 0), of at most
25 variables, and networks that are in none of its families, each sampled once. `learn` at its defaults, with all its
checks; numbers are cut by `learn` itself. An edge is right if the truth joins the two variables, a direction if it
points that way in the truth. Where a common cause is hidden, an edge between its effects counts as wrong. Intervals are
Wilson's, of 95 %.
"""

from __future__ import annotations

import csv
import itertools
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arcwise import learn
from arcwise.errors import ArcwiseError, DataWarning
from arcwise.findings.verdict import Verdict, Way
from arcwise_studies.cut_systems import CutSystem
from arcwise_studies.experiments.calibration import MADE, as_seen
from arcwise_studies.random_networks import visible_names
from arcwise_studies.sources import Sources
from benchmarks._topic import SHARED, log_at, parser_for

FAMILIES = (
    "random",
    "sparse",
    "dense",
    "shaped",
    "ordered",
    "causes",
    "parity",
    "rare",
    "many",
    "cut",
    "mixed",
    "hidden",
)
HELD_OUT = ("child", "insurance", "alarm", "win95pts")
UNSEEN = "networks of others"
CASES = (200, 500, 1_000, 2_000, 5_000)
FIRST = 500  # the first world of a family that is taken
MOST = 25  # variables: larger ones are passed over
SEED = 7
VERDICTS, WAYS = (Verdict.RELY, Verdict.PROBABLY, Verdict.OPEN), (Way.SETTLED, Way.LIKELY)
COLUMNS = ("family", "world", "cases", "kind", "right", "all")


def plan(worlds: int) -> Iterator[tuple[str, str, int]]:
    """One world of every kind first, then the next: what is finished is balanced."""
    drawn = {family: _small(family) for family in FAMILIES}
    for k in range(worlds):
        for turn, family in enumerate(FAMILIES):
            yield family, next(drawn[family]), CASES[(k + turn) % len(CASES)]
        yield UNSEEN, HELD_OUT[k % len(HELD_OUT)], CASES[(k // len(HELD_OUT) + k) % len(CASES)]


def _small(family: str) -> Iterator[str]:
    texts = (MADE[family](family, k) for k in itertools.count(FIRST))
    return (text for text in texts if int(re.findall(r"nodes=(\d+)", text)[0]) <= MOST)


def run_cell(sources: Sources, family: str, text: str, cases: int) -> dict[str, tuple[int, int]]:
    """Return of each verdict and each direction how many are right, and how many there are."""
    world = sources.world(text)
    rng = np.random.default_rng([SEED, cases, *text.encode()])
    names = visible_names(world.names)
    data: Any
    if isinstance(world, CutSystem):
        columns = dict(zip(world.names, world.numbers(cases, rng), strict=True))
        data = pd.DataFrame({name: columns[name] for name in names})
    else:
        data = as_seen(world.sample(cases, seed=rng, threads=1), names)
    if data is None:
        return {}
    found = learn(data, agree=True, seed=1, progress=False)
    arcs = set(world.dag.arcs)
    told: dict[str, list[bool]] = {str(kind): [] for kind in (*VERDICTS, *WAYS)}
    for edge in found.edges:
        if not edge.fate.in_network or edge.verdict not in VERDICTS:
            continue
        ahead = (edge.tail, edge.head) in arcs
        told[edge.verdict].append(ahead or (edge.head, edge.tail) in arcs)
        if edge.direction in WAYS:
            told[edge.direction].append(ahead)
    return {kind: (sum(right), len(right)) for kind, right in told.items()}


def show(log: Path) -> None:
    """Print how often each verdict and direction was right, by kind of world."""
    frame = pd.read_csv(log)
    kinds = [str(kind) for kind in (*VERDICTS, *WAYS)]
    print(f"| worlds | data sets | {' | '.join(kinds)} |\n|---|---:|{'---:|' * len(kinds)}")
    for family in (*FAMILIES, UNSEEN, "all"):
        own = frame if family == "all" else frame[frame["family"] == family]
        if len(own):
            sums = own.groupby("kind")[["right", "all"]].sum()
            cells = [_rate(*map(int, sums.loc[kind])) for kind in kinds]
            print(f"| {family} | {len(own) // len(kinds):,} | {' | '.join(cells)} |")


def _rate(right: int, total: int) -> str:
    if not total:
        return "–"
    low, high = wilson(right, total)
    return f"{right:,} of {total:,} ({100 * low:.0f}-{100 * high:.0f} %)"


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    share, weight = right / total, z**2 / total
    middle = (share + weight / 2) / (1 + weight)
    half = z * np.sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    return float(middle - half), float(middle + half)


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--worlds", type=int, default=4, help="of each kind")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    given = parser.parse_args(arguments)
    networks = SHARED / "data" / "networks"
    warnings.simplefilter("ignore", DataWarning)
    sources = Sources(networks_folder=str(networks))
    with log_at(given.log) as log:
        known = set(pd.read_csv(log)["world"] + pd.read_csv(log)["cases"].astype(str)) if log.exists() else set()
        for family, text, cases in plan(given.worlds):
            if f"{text}{cases}" in known or (family == UNSEEN and not networks.exists()):
                continue
            try:
                told = run_cell(sources, family, text, cases)
            except ArcwiseError as error:  # such as a sample in which nothing varies
                print(f"{text}, {cases} cases: {error}", file=sys.stderr, flush=True)
                continue
            fresh = not log.exists()
            with log.open("a", newline="") as file:
                writer = csv.writer(file)
                if fresh:
                    writer.writerow(COLUMNS)
                writer.writerows((family, text, cases, kind, *counts) for kind, counts in told.items())
        show(log)


if __name__ == "__main__":
    main(sys.argv[1:])

"""How often is each verdict right? Samples of worlds that no calibration has seen, by kind of world.

    python -m benchmarks.verdicts                              four worlds of each kind, about 5 minutes
    python -m benchmarks.verdicts --worlds 12 --log log.csv    what the page has; a log is continued
    python -m benchmarks.verdicts --first 900 --log fresh.csv  worlds that no rule has seen
    python -m benchmarks.verdicts --worlds 4 --log tiers.csv --tiers      the same samples, told what comes first
    python -m benchmarks.verdicts --worlds 4 --log gaps.csv --gaps 0.1    the same samples with a tenth missing

The first worlds from number 500 on of the families that the calibration study makes (its own begin at 0), of at most
25 variables, and networks that are in none of its families, each sampled once. `learn` at its defaults, with all
that a verdict rests on and the test of fit. An edge is right if the truth joins the two variables, a direction if it
points that way in the truth. Where a common cause is hidden, an edge between its effects counts as wrong. With tiers,
the true order is cut into three; gaps are anywhere. Intervals are Wilson's, of 95 %, as if edges were independent.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arcwise.analysis import Analysis
from arcwise.analysis.learning import first_result, later_steps
from arcwise.analysis.run import begin_run
from arcwise.base.progress import run_line
from arcwise.errors import ArcwiseError, DataWarning
from arcwise.findings.dependence import with_dependence
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import open_table, prepare
from arcwise.findings.verdict import Direction, Verdict
from arcwise.graph import Constraints, Dag
from arcwise.report.sections import checks
from arcwise_studies.cut_systems import CutSystem
from arcwise_studies.experiments.calibration import AS_THEY_ARE, MADE, as_seen
from arcwise_studies.number_systems import NumberSystem
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
    "mixed",
    "hidden",
)
NUMBERS = ("cut", *(family for family in AS_THEY_ARE if family != "unrelated"))
HELD_OUT = ("child", "insurance", "alarm", "win95pts")
UNSEEN = "networks of others"
CASES = (200, 500, 1_000, 2_000, 5_000)
FIRST = 500  # the first world of a family that is taken; other seeds are a fresh study
MOST = 25  # variables: larger ones are passed over
TIERS = 3
SEED = 7
VERDICTS, WAYS = (Verdict.RELY, Verdict.PROBABLY, Verdict.OPEN), (Direction.SETTLED, Direction.LIKELY)
# What no verdict rests on, and takes half of the time.
UNUSED = ("shuffled columns", "growing parts of the data", "price of the constraints")
COLUMNS = (
    "family",
    "world",
    "cases",
    "tiers",
    "gaps",
    "numbers",
    "fits",
    "first",
    "second",
    "probability",
    "lowest",
    "verdict",
    "direction",
    "action",
    "methods",
    "joined",
    "ahead",
    "one_of",
    "one_of_probability",
)


def plan(worlds: int, families: Sequence[str], first: int = FIRST) -> Iterator[tuple[str, str, int]]:
    """One world of every kind first, then the next: what is finished is balanced."""
    drawn = {family: _small(family, first) for family in families if family != UNSEEN}
    for k in range(worlds):
        for turn, family in enumerate(families):
            if family == UNSEEN:
                yield UNSEEN, HELD_OUT[k % len(HELD_OUT)], CASES[(k // len(HELD_OUT) + k) % len(CASES)]
            else:
                yield family, next(drawn[family]), CASES[(k + turn) % len(CASES)]


def _small(family: str, first: int) -> Iterator[str]:
    texts = (MADE[family](family, k) for k in itertools.count(first))
    return (text for text in texts if int(re.findall(r"nodes=(\d+)", text)[0]) <= MOST)


def sample(world: Any, cases: int, rng: np.random.Generator) -> Any:
    """Return a sample as a file would have it; None if too little of it varies."""
    names = visible_names(world.names)
    if isinstance(world, CutSystem):
        columns = dict(zip(world.names, world.numbers(cases, rng), strict=True))
        return pd.DataFrame({name: columns[name] for name in names})
    found = as_seen(world.sample(cases, seed=rng, threads=1), names)
    return found.to_table() if isinstance(world, NumberSystem) and found is not None else found


def true_tiers(truth: Dag, names: Sequence[str]) -> list[list[str]]:
    """Cut the order of the truth into three, among the variables that are seen."""
    order = [truth.names[v] for v in truth.topological_order if truth.names[v] in names]
    size = math.ceil(len(order) / TIERS)
    return [order[k : k + size] for k in range(0, len(order), size)]


def analysed(data: Any, truth: Dag, *, tiers: bool, numbers: str) -> Analysis:
    """Return what `learn` finds, without what no verdict rests on."""
    options = LearnOptions(agree=True, seed=1, numbers=numbers)

    def known(names: tuple[str, ...]) -> Constraints | None:
        return Constraints(names, tiers=true_tiers(truth, names)) if tiers else None

    prepared = with_dependence(prepare(open_table(data), options, known=known), options.seed)
    options = replace(options, constraints=known(prepared.data.names))
    run = begin_run(prepared, options)
    with run_line(False) as line:
        found = first_result(run, line)
        for step in later_steps(found, run):
            if step.name not in UNUSED:
                found = found.plus(step.take(found, run))
    return found


def run_cell(
    sources: Sources, family: str, text: str, cases: int, *, tiers: bool, gaps: float, numbers: str, first: int
) -> list[tuple[Any, ...]]:
    """Return a row for each edge of the network; one without names if there is none."""
    world = sources.world(text)
    rng = np.random.default_rng([SEED, first, cases, *text.encode()])
    data = sample(world, cases, rng)
    if data is None:
        return []
    if gaps:
        data = (data if isinstance(data, pd.DataFrame) else data.to_dataframe()).astype(object)
        data = data.mask(rng.random(data.shape) < gaps)
    found = analysed(data, world.dag, tiers=tiers, numbers=numbers)
    arcs = set(world.dag.arcs)
    fits = next((check.ok for check in checks(found) if check.key == "fit"), None)
    taken = "none" if found.prepared.uncut is None else "cut" if found.prepared.mixed is None else "as they are"
    begin = (family, text, cases, tiers, gaps, taken, {True: "yes", False: "no", None: "note"}[fits])
    rows: list[tuple[Any, ...]] = []
    for edge in found.edges:
        if edge.fate.in_network or edge.one_of:
            ahead, back = ((one, other) in arcs for one, other in ((edge.tail, edge.head), (edge.head, edge.tail)))
            told = (edge.tail, edge.head, round(edge.real, 4), round(edge.spread[0], 4), edge.verdict, edge.direction)
            methods = "; ".join(f"{title} {value:.3f}" for title, value in edge.by_method if value is not None)
            rows.append(
                (*begin, *told, edge.action, methods, ahead or back, ahead, edge.one_of, edge.one_of_probability)
            )
    return rows or [(*begin, *[""] * (len(COLUMNS) - len(begin)))]


def show(log: Path) -> None:
    """Print how often each verdict and direction was right, by kind of world."""
    everything = pd.read_csv(log)
    for (tiers, gaps), frame in everything.groupby(["tiers", "gaps"]):
        print(f"\n{'With tiers' if bool(tiers) else 'Without constraints'}, {gaps:.0%} missing\n")
        kinds = [str(kind) for kind in (*VERDICTS, *WAYS)]
        print(f"| worlds | data sets | {' | '.join(kinds)} |\n|---|---:|{'---:|' * len(kinds)}")
        for family in (*FAMILIES, *NUMBERS, UNSEEN, "all"):
            own = frame if family == "all" else frame[frame["family"] == family]
            if len(own):
                cells = [_rate(own[own["verdict"] == str(kind)]["joined"]) for kind in VERDICTS]
                cells += [_rate(own[own["direction"] == str(kind)]["ahead"]) for kind in WAYS]
                print(f"| {family} | {len(own[['world', 'cases']].drop_duplicates())} | {' | '.join(cells)} |")

    sets = everything[everything["one_of"].notna()]
    by_set = sets.groupby(["family", "world", "cases", "tiers", "gaps", "one_of"])
    right = by_set["joined"].agg(lambda own: bool((own.astype(str) == "True").any()))
    expected = by_set["one_of_probability"].first().sum()
    print(f"\nSets of which at least one edge is said to be real: {_rate(right)}, {expected:.1f} expected")


def _rate(right: pd.Series[Any]) -> str:
    if not len(right):
        return "–"
    hits, total = int((right.astype(str) == "True").sum()), len(right)
    low, high = wilson(hits, total)
    return f"{hits:,} of {total:,} ({100 * low:.0f}-{100 * high:.0f} %)"


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    share, weight = right / total, z**2 / total
    middle = (share + weight / 2) / (1 + weight)
    half = z * np.sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    return float(middle - half), float(middle + half)


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--worlds", type=int, default=4, help="of each kind")
    parser.add_argument("--first", type=int, default=FIRST, help="the number of the first world that is taken")
    parser.add_argument("--families", default=",".join((*FAMILIES, *NUMBERS, UNSEEN)), help="with commas")
    parser.add_argument("--tiers", action="store_true", help="tell the true order, cut into three")
    parser.add_argument("--gaps", type=float, default=0.0, help="the share of the values to take away")
    parser.add_argument("--numbers", default="auto", help="as the option of learn")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    given = parser.parse_args(arguments)
    networks = SHARED / "data" / "networks"
    warnings.simplefilter("ignore", DataWarning)
    sources = Sources(networks_folder=str(networks))
    told = {"tiers": given.tiers, "gaps": given.gaps, "numbers": given.numbers}
    with log_at(given.log) as log:
        had = pd.read_csv(log) if log.exists() else pd.DataFrame(columns=COLUMNS)
        known = {*zip(had["world"], had["cases"], had["tiers"], had["gaps"], strict=True)}
        for family, text, cases in plan(given.worlds, given.families.split(","), given.first):
            if (text, cases, given.tiers, given.gaps) in known or (family == UNSEEN and not networks.exists()):
                continue
            try:
                rows = run_cell(sources, family, text, cases, **told, first=given.first)
            except ArcwiseError as error:  # such as a sample in which nothing varies
                print(f"{text}, {cases} cases: {error}", file=sys.stderr, flush=True)
                continue
            fresh = not log.exists()
            with log.open("a", newline="") as file:
                writer = csv.writer(file)
                if fresh:
                    writer.writerow(COLUMNS)
                writer.writerows(rows)
        show(log)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The instances of ASlib's BNSL-2016 that can be rebuilt: is the best network found and proved, beside four solvers?

Malone, Kangas, Järvisalo, Koivisto and Myllymäki, "Empirical hardness of finding optimal Bayesian network structures"
(Machine Learning 2018). An instance is a table of parent sets with scores; its name has the data, the score, the prior
and the largest number of parents. Rebuilt is what has as many variables and exactly as many parent sets as is told
there; the rest is left out. Solving is timed in CPU seconds with one thread, and so was solving there (at most 7,200
seconds), without the time that scoring takes. The best network of all is proved, or the instance is not solved.

    python -m benchmarks.aslib --data FOLDER [--log FILE] [--seconds S] [--page] [DATA ...]

FOLDER has scores/reference with the scenario, and the data in liao2019 and uci.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arcwise import build_parent_sets, find_optimal
from arcwise.data import Dataset
from arcwise.limits import Limits, Status
from benchmarks._page import PageTable, draw, parse_networks
from benchmarks._topic import SHARED, has_data, parser_for

# Which file has the data of a name; columns with one state are left out, and are one parent set each.
FILES = {
    "zoo": "uci/zoo",
    "voting": "liao2019/voting",
    "lymph": "uci/lymphography",
    "insurance_1000": "liao2019/insurance1000",
    "water_1000": "liao2019/water1000",
    "mildew_1000": "liao2019/mildew1000",
    "alarm_1000": "liao2019/alarm1000",
    "hailfinder_100": "liao2019/hailfinder100",
    "promoters": "liao2019/promoters",
    "carpo_100": "liao2019/carpo100",
}
SOLVERS = {"GOBNILP": "ilp-162", "CPBayes": "cpbayes", "A*": "astar-ed3"}
TIMES = (60, 600, 7200)
SECONDS = 60.0
HEADER = (
    *("data", "variables", "instances", "rebuilt", "measured"),
    *("ours: solved in 60 s", "CPU s, mean", "longest"),
    *(f"{name}: solved in {seconds:,} s" for name in SOLVERS for seconds in TIMES),
)
TOTAL = "all"


@dataclass(frozen=True)
class Instance:
    """What a name defines, and what is told of it."""

    name: str
    data: str
    score: str
    max_parents: int | None
    variables: int
    parent_sets: int


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = file.read()
    for line in text[text.index("@DATA") + 5 :].splitlines():
        if line.strip() and line[0] != "%":
            yield line.strip().split(",")


def instances(folder: Path) -> list[Instance]:
    """Return the instances whose data are known."""
    path = folder / "scores" / "reference" / "aslib_BNSL-2016_feature_values.arff.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        columns = [line.split()[1] for line in file if line.startswith("@ATTRIBUTE")]
    found = []
    for row in _rows(path):
        parts = re.fullmatch(r"(.*)_(bic|bdeu)(?:-(0\.1|1|10|100))?(?:-([2-6]))?", row[0])
        if parts is None or parts[1] not in FILES:
            continue
        score = "bic" if parts[2] == "bic" else f"bdeu:ess={parts[3]}"
        most = None if parts[4] is None else int(parts[4])
        told = dict(zip(columns, row, strict=True))
        sizes = int(told["Variable-Count"]), int(told["POPS-Count"])
        found.append(Instance(row[0], parts[1], score, most, *sizes))
    return sorted(found, key=lambda own: own.parent_sets)


def published(folder: Path) -> dict[tuple[str, str], float]:
    """Return the seconds of each solver on each instance; infinite where it did not solve it."""
    path = folder / "scores" / "reference" / "aslib_BNSL-2016_algorithm_runs.arff.gz"
    return {(row[0], row[2]): float(row[3]) if row[4] == "ok" else np.inf for row in _rows(path)}


def read(path: Path) -> tuple[Dataset, int]:
    """Read a table, and how many of its columns have one state."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    columns = {str(name): pd.Categorical(frame[name]) for name in frame}
    used = {name: column for name, column in columns.items() if len(column.categories) > 1}
    codes = np.array([column.codes for column in used.values()]).T
    states = [list(map(str, column.categories)) for column in used.values()]
    return Dataset.from_codes(codes, names=list(used), states=states), len(columns) - len(used)


def measure(instance: Instance, folder: Path, seconds: float) -> dict[str, Any]:
    """Rebuild an instance and solve it; by the clock, both may take ten times as long as they may take of a CPU."""
    data, constant = read(folder / f"{FILES[instance.data]}.csv.gz")
    limits = Limits(seconds=10 * seconds)
    begin = time.process_time()
    own: dict[str, Any] = {"threads": 1, "limits": limits, "progress": False}
    table = build_parent_sets(data, instance.score, max_parents=instance.max_parents, **own)
    built = time.process_time() - begin
    found: dict[str, Any] = {"built": built, "same": table.n_rows + constant == instance.parent_sets}
    found["whole"] = table.status is Status.COMPLETE
    if found["same"]:
        begin = time.process_time()
        best = find_optimal(table, **own)
        found |= {"seconds": time.process_time() - begin, "score": best.score, "status": str(best.status)}
        found["solved"] = best.status is Status.COMPLETE
    return found


def cells(own: Sequence[Instance], log: dict[str, Any], times: dict[tuple[str, str], float]) -> list[str]:
    """Return the cells of some instances."""
    tried = [log[one.name] for one in own if one.name in log]
    rebuilt = [one for one in own if log.get(one.name, {}).get("same")]
    spent = [log[one.name]["seconds"] for one in rebuilt]
    solved = [log[one.name]["solved"] and log[one.name]["seconds"] <= SECONDS for one in rebuilt]
    theirs = [
        f"{sum(times[one.name, solver] <= seconds for one in rebuilt)}"
        for solver in SOLVERS.values()
        for seconds in TIMES
    ]
    mean, longest = (f"{np.mean(spent):.2f}", f"{max(spent):.1f}") if spent else ("", "")
    return [str(len(own)), str(len(rebuilt)), str(len(tried)), str(sum(solved)), mean, longest, *theirs]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED / "data", help="the folder (default: the shared one)")
    parser.add_argument("--log", type=Path, help="a file of what was measured, which is continued")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"CPU seconds (default {SECONDS:g})")
    given = parse_networks(parser, arguments, FILES, "zoo")
    if not has_data(given.data / "scores" / "reference"):
        return
    log: dict[str, Any] = {}
    if given.log is not None and given.log.exists():
        log = json.loads(given.log.read_text())
    known, times = instances(given.data), published(given.data)
    for instance in known:
        if instance.name in log or instance.data not in given.networks:
            continue
        log[instance.name] = measure(instance, given.data, given.seconds)
        print(f"{instance.name}: {log[instance.name]}", file=sys.stderr, flush=True)
        if given.log is not None:
            given.log.write_text(json.dumps(log))
    table = PageTable("aslib", HEADER, [*FILES, TOTAL], write=given.page)
    for name in given.networks:
        own = [one for one in known if one.data == name]
        table.add([name, own[0].variables, *cells(own, log, times)])
    table.add([TOTAL, "", *cells([one for one in known if one.data in given.networks], log, times)])
    if given.page:
        at = {name: 8 + len(TIMES) * i for i, name in enumerate(SOLVERS)}
        draw("aslib", {"arcwise": 5} | at, "instances that are solved in 60 seconds")


if __name__ == "__main__":
    main(sys.argv[1:])

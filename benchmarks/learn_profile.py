"""Where does the time of `learn` go, by stage, and how does it grow?

    python -m benchmarks.learn_profile                      three networks, 500 and 5,000 cases, at most a minute each
    python -m benchmarks.learn_profile --all --log log.csv  everything that the page has, which takes hours
    python -m benchmarks.learn_profile --networks child --cases 2000000 --limit 300    one cell, limited
    python -m benchmarks.learn_profile --show --log log.csv the tables of a log that is there
    python -m benchmarks.learn_profile --rows 10000000      how counting grows with the rows

Samples of asia, child, alarm, hailfinder, win95pts, pathfinder and andes, and two million rows of child, as `arcwise
learn` has them at its defaults: read from a CSV file and audited, learned from, a first report written, then
comparisons and shuffled columns. Every cell is a process of its own and a line of the log: wall-clock and processor
seconds of each stage, and of all until the first report, and the largest memory; cells that a given log has are not
done again. `--limit` is `limit_seconds` of `learn`; a run that it ended is marked in the tables. `--label` names the
program that was measured, and `--python` its interpreter: with that of an older version, the same measurement says what
has changed. The tables are printed in the end, fit for docs/benchmarks/learn.md.

`--rows` measures how counting grows with the distinct rows: all pairs of variables, and one network by tabu search, of
random bits and of samples of child from 10^3 rows up; prints slopes and draws docs/benchmarks/learn-rows.svg. Needs the
folder of reference networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Nothing of this package is imported above main: a cell may run with the interpreter of an older version.
NETWORKS = Path(os.environ.get("ARCWISE_SHARED", ROOT.parent / "shared")) / "data" / "networks"
FIGURE = ROOT / "docs" / "benchmarks" / "learn-rows.svg"
NAMES = ("asia", "child", "alarm", "hailfinder", "win95pts", "pathfinder", "andes")
CASES = (500, 5_000, 50_000, 500_000)
LARGEST = ("child", 2_000_000)
THREADS = (1, 2)
# What is measured unless more is asked for, and the seconds that each may take.
SOME_NAMES, SOME_CASES, SOME_THREADS, SOME_SECONDS = ("child", "alarm", "hailfinder"), (500, 5_000), (1, 2), 60.0
KEYS = ("label", "network", "cases", "threads", "limit")
COMPLETE = "complete"
# The stages in their order, with the functions that each consists of: a module that calls it, and its name there.
STAGES: dict[str, tuple[tuple[str, str], ...]] = {
    "reading, audit": (("arcwise.analysis.learning", "open_table"), ("arcwise.analysis.learning", "prepare")),
    "replicates": (("arcwise.recipes.bootstrap", "bootstrap_networks"),),
    "averaging, calibration": (("arcwise.analysis.answer", "average"), ("arcwise.analysis.run", "average")),
    "cut-off, consensus": (
        ("arcwise.analysis.answer", "choose_thresholds"),
        ("arcwise.analysis.answer", "consensus_network"),
    ),
    "prior checks": (
        ("arcwise.analysis.answer", "describe_edges"),
        ("arcwise.analysis.answer", "check_prior"),
        ("arcwise.analysis.additions", "grow_parts"),
    ),
    "comparisons": (("arcwise.analysis.additions", "compare"),),
    "simulated data": (("arcwise.analysis.additions", "simulated_data"),),
    "shuffled columns": (("arcwise.analysis.additions", "shuffled_columns"),),
}
REPORT, REST, FIRST, ALL = "first report", "rest", "first answer", "all"
# What is learned within these belongs to them.
WHOLE = {"comparisons", "simulated data", "shuffled columns", "prior checks"}
AFTER_FIRST = ("comparisons", "simulated data", "shuffled columns", REST)
BEFORE_FIRST = (*(name for name in STAGES if name not in AFTER_FIRST), REPORT)
SHOWN = (*STAGES, REPORT, REST, FIRST, ALL)
MEMORY = "peak GB"
COLUMNS = (*KEYS, *(f"{name} {clock}" for name in SHOWN for clock in ("wall", "cpu")), "status", MEMORY)


class Clock:
    """Wall-clock and processor seconds by stage; those of a stage within another are not the other's."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._open: list[str] = []
        self._last = self.now()

    @staticmethod
    def now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def turn(self) -> None:
        """Book what has passed since the last change on the stage that was open."""
        now = self.now()
        booked = self.spent[self._open[-1] if self._open else REST]
        for k in range(2):
            booked[k] += now[k] - self._last[k]
        self._last = now

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            if self._open and self._open[-1] in WHOLE:
                return function(*arguments, **options)
            self.turn()
            self._open.append(stage)
            try:
                return function(*arguments, **options)
            finally:
                self.turn()
                self._open.pop()

        return run


def run_cell(network: str, cases: int, threads: int, limit: float | None) -> dict[str, object]:
    """Learn from one sample, in this process."""
    import importlib

    from arcwise.errors import FormatError
    from arcwise.model import read_bif

    truth = read_bif(NETWORKS / f"{network}.bif.gz").normalized()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        data = truth.sample(cases, seed=1001, progress=False)
        try:
            data.to_file(file)
        except FormatError:  # a state called NA, as pathfinder has, would be read as a gap
            file = file.with_suffix(".parquet")
            data.to_file(file)
        return run_learn(file, threads, limit, importlib.import_module, Path(folder) / "out")


def run_learn(
    file: Path, threads: int, limit: float | None, module: Callable[[str], Any], folder: Path
) -> dict[str, object]:
    learning = module("arcwise.analysis.learning")
    options = module("arcwise.findings.options").LearnOptions(
        threads=threads, seed=1, limit_seconds=limit, agree=True, categorical=True
    )
    clock, first = Clock(), {}
    for stage, functions in STAGES.items():
        for place, name in functions:
            setattr(module(place), name, clock.timed(stage, getattr(module(place), name)))
    begin = clock.now()

    def write(analysis: Any) -> None:
        if not first:
            analysis.save(folder)
            first.update({clock_name: clock.now()[k] - begin[k] for k, clock_name in enumerate(("wall", "cpu"))})

    write = clock.timed(REPORT, write)
    clock._last = begin
    opened = learning.open_table(os.fspath(file), progress=False, **options.reading)
    prepared = learning.prepare(opened, options, file=os.fspath(file), progress=False)
    made = learning.learn_prepared(prepared, options, progress=False, on_result=write)
    clock.turn()
    end = clock.now()
    write(made)  # where the whole took so little that no first report was wanted
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    row: dict[str, object] = {"status": str(made.status), MEMORY: round(peak, 2)}
    for k, name in enumerate(("wall", "cpu")):
        row |= {f"{stage} {name}": round(clock.spent[stage][k], 3) for stage in (*STAGES, REPORT, REST)}
        row |= {f"{FIRST} {name}": round(first[name], 3), f"{ALL} {name}": round(end[k] - begin[k], 3)}
    return row


def plan(
    given: argparse.Namespace, names: Sequence[str], sizes: Sequence[int], threads: Sequence[int]
) -> Iterator[dict[str, object]]:
    cells = [(name, cases) for cases in sizes for name in names]
    if given.all and not given.networks and not given.cases:
        cells.append(LARGEST)
    for name, cases in cells:
        for count in threads:
            own = {"network": name, "cases": cases, "threads": count}
            yield {"label": given.label, **own, "limit": "" if given.limit is None else f"{given.limit:g}"}


def read_log(log: Path) -> list[dict[str, str]]:
    if not log.exists():
        return []
    with log.open(newline="") as file:
        return [{"limit": "", MEMORY: "", **row} for row in csv.DictReader(file)]


def measure(log: Path, cells: Iterator[dict[str, object]], python: str) -> None:
    """Carry out the cells that the log does not have, each in a process of its own."""
    known = {tuple(row[key] for key in KEYS) for row in read_log(log)}
    for cell in cells:
        if tuple(str(cell[key]) for key in KEYS) in known:
            continue
        command = [python, str(Path(__file__).resolve()), "--cell", *(str(cell[key]) for key in KEYS[1:])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        failed = done.returncode != 0
        words = (done.stderr.strip().splitlines() or ["it failed"])[-1][:80]
        row = {**cell, **({"status": words} if failed else json.loads(done.stdout.splitlines()[-1]))}
        fresh = not log.exists()
        with log.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if fresh:
                writer.writeheader()
            writer.writerow(row)
        told = (row.get(column, "") for column in (*KEYS, f"{FIRST} wall", f"{ALL} wall", "status"))
        print(*told, file=sys.stderr, flush=True)


def show(log: Path) -> None:
    """Print Markdown: stages of each label and number of threads by network and cases, then the answers together."""
    lines = read_log(log)
    rows = [row for row in lines if row[f"{ALL} wall"]]
    groups = list(dict.fromkeys((row["label"], row["threads"], row["limit"]) for row in rows))
    for group in groups:
        own = [row for row in rows if (row["label"], row["threads"], row["limit"]) == group]
        print(f"\n{title(group)}: seconds of the clock by stage\n")
        print(f"| stage | {' | '.join(named(row) for row in own)} |\n|---|{'---:|' * len(own)}")
        for name in (*BEFORE_FIRST, FIRST, *AFTER_FIRST, ALL):
            bold = "**" if name in (FIRST, ALL) else ""
            seconds = [f"{bold}{float(row[f'{name} wall']):.2f}{bold}{mark(row, name)}" for row in own]
            print(f"| {bold}{name}{bold} | {' | '.join(seconds)} |")
        print(f"| CPU, {FIRST} | {' | '.join(seconds_of(row, FIRST, 'cpu') for row in own)} |")
        print(f"| CPU, {ALL} | {' | '.join(seconds_of(row, ALL, 'cpu') for row in own)} |")
        print(f"| {MEMORY} | {' | '.join(row[MEMORY] for row in own)} |")
    if groups:
        print("\nFirst answer and all, seconds of the clock, and CPU seconds of all\n")
        columns = [f"{title(group)}: {part}" for group in groups for part in ("first answer", "all", "CPU")]
        print(f"| network | cases | {' | '.join(columns)} |\n|---|---:|{'---:|' * len(columns)}")
    for cell in dict.fromkeys((row["network"], row["cases"]) for row in rows):
        texts = []
        for group in groups:
            of_group = [row for row in rows if (row["label"], row["threads"], row["limit"]) == group]
            found = [row for row in of_group if (row["network"], row["cases"]) == cell]
            texts += [answers(found[-1]) if found else " | | "]
        print(f"| {cell[0]} | {int(cell[1]):,} | {' | '.join(texts)} |")
    ended = [row for row in rows if row["status"] != COMPLETE]
    if ended:
        told = "; ".join(f"{named(row)}, {row['threads']} thread(s): {row['status']}" for row in ended)
        print(f"\n* Ended by a limit, so that less was computed: {told}.")
    for row in lines:
        if not row[f"{ALL} wall"]:
            print(f"\nFAILED: {named(row)}, {row['threads']} thread(s): {row['status']}")


def title(group: tuple[str, str, str]) -> str:
    label, threads, limit = group
    return f"{label}, {threads} thread{'s' * (threads != '1')}{f', limit {limit} s' * bool(limit)}"


def named(row: dict[str, str]) -> str:
    return f"{row['network']}, {int(row['cases']):,}"


def mark(row: dict[str, str], name: str) -> str:
    """Return an asterisk for the whole of a run that a limit ended."""
    return r" \*" if name == ALL and row["status"] != COMPLETE else ""


def seconds_of(row: dict[str, str], name: str, clock: str) -> str:
    return f"{float(row[f'{name} {clock}']):.2f}"


def answers(row: dict[str, str]) -> str:
    whole = f"{seconds_of(row, ALL, 'wall')}{mark(row, ALL)}"
    return f"{seconds_of(row, FIRST, 'wall')} | {whole} | {seconds_of(row, ALL, 'cpu')}"


def measure_rows(most: int) -> None:
    """Count and learn from more and more rows; print the seconds, and the slopes on logarithmic axes."""
    import numpy as np

    from arcwise import tabu_search
    from arcwise.data import Dataset
    from arcwise.model import read_bif
    from arcwise.parent_sets import build_parent_sets

    child = read_bif(NETWORKS / "child.bif.gz").normalized()
    bits = [["0", "1"]] * 24

    def random_bits(rows: int) -> Dataset:
        codes = np.random.default_rng(rows).integers(0, 2, (rows, len(bits)), dtype=np.uint8)
        return Dataset.from_codes(codes, states=bits)

    kinds = {"random bits": random_bits, "child": lambda rows: child.sample(rows, seed=rows, progress=False)}
    works: dict[str, Callable[[Any], object]] = {
        "all pairs": lambda data: build_parent_sets(data, "bic", max_parents=1, threads=1, progress=False),
        "one network": lambda data: tabu_search(data, "qnml", max_parents=5, seed=1, refine=0, progress=False),
    }
    points: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    print("| data | rows | distinct rows | all pairs, CPU s | one network, CPU s |\n|---|---:|---:|---:|---:|")
    for kind, make in kinds.items():
        rows = 1_000
        while rows <= most:
            data = make(rows).collapse()
            distinct, spent = int(data.codes.shape[1]), []
            for name, work in works.items():
                begin, repeats = time.process_time(), 0
                while repeats == 0 or (time.process_time() - begin < 0.2 and repeats < 100):
                    work(data)
                    repeats += 1
                spent.append((time.process_time() - begin) / repeats)
                points[kind, name].append((distinct, spent[-1]))
            print(f"| {kind} | {rows:,} | {distinct:,} | {' | '.join(f'{one:.4f}' for one in spent)} |", flush=True)
            rows *= 10
    slopes = {key: slope(known) for key, known in points.items()}
    for (kind, name), value in slopes.items():
        print(f"\n{kind}, {name}: slope {value:.2f} over the upper half; in theory 1", end="")
    print()
    draw_rows(points, slopes)


def slope(points: list[tuple[int, float]]) -> float:
    """Return the slope on logarithmic axes over the upper half of the sizes: below, what does not grow counts most."""
    import numpy as np

    sizes, seconds = np.log(np.array(points[len(points) // 2 - 1 :])).T
    return float(np.polyfit(sizes, seconds, 1)[0])


def draw_rows(points: dict[tuple[str, str], list[tuple[int, float]]], slopes: dict[tuple[str, str], float]) -> None:
    """Both axes logarithmic; the dotted lines are the theory: proportional to the distinct rows."""
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    for place, name in enumerate(dict.fromkeys(name for _, name in points), start=1):
        axes = figure.add_subplot(1, 2, place)
        for (kind, work), known in points.items():
            if work != name:
                continue
            sizes, seconds = np.array(known).T
            line = axes.loglog(sizes, seconds, "o-", label=f"{kind}, slope {slopes[kind, work]:.2f}")[0]
            axes.loglog(sizes, seconds[-1] * sizes / sizes[-1], ":", color=line.get_color())
        axes.set(title=name, xlabel="distinct rows", ylabel="seconds of CPU")
        axes.legend()
    figure.savefig(FIGURE, metadata={"Date": None})


def main(arguments: Sequence[str] = ()) -> None:
    from benchmarks._topic import has_data, listed, log_at, parser_for

    parser = parser_for(__doc__)
    parser.add_argument("--all", action="store_true", help="all networks, cases and threads, without a limit")
    parser.add_argument("--log", type=Path, help="a file that is continued")
    parser.add_argument("--label", default="this version", help="what the program that is measured is called")
    parser.add_argument("--networks", type=listed(), help=",".join(NAMES))
    parser.add_argument("--cases", type=listed(int))
    parser.add_argument("--threads", type=listed(int))
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="limit_seconds of every learn")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the program")
    parser.add_argument("--show", action="store_true", help="print the tables of the log alone")
    parser.add_argument("--rows", type=int, metavar="MOST", help="count up to so many rows instead")
    given = parser.parse_args(arguments)
    if given.show:
        if given.log is None:
            parser.error("--show needs --log.")
        show(given.log)
        return
    if not has_data(NETWORKS):
        return
    if given.rows is not None:
        measure_rows(given.rows)
        return
    some = not (given.all or given.networks or given.cases)
    if some and given.limit is None:
        given.limit = SOME_SECONDS
    names = given.networks or (SOME_NAMES if some else NAMES)
    sizes = given.cases or (SOME_CASES if some else CASES)
    threads = given.threads or (SOME_THREADS if some else THREADS)
    with log_at(given.log) as log:
        measure(log, plan(given, names, sizes, threads), given.python)
        show(log)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cell"]:
        warnings.simplefilter("ignore")
        name, cases, threads, limit = sys.argv[2:]
        print(json.dumps(run_cell(name, int(cases), int(threads), float(limit) if limit else None)))
    else:
        main(sys.argv[1:])

"""Where does the time of `learn` go, by stage, and how does it grow?

    python -m benchmarks.learn_profile [log.csv] [label] [network,...] [cases,...] [threads,...] [python]
    python -m benchmarks.learn_profile rows [most rows]

Samples of asia, child, alarm, hailfinder, win95pts, pathfinder and andes, as `arcwise learn` has them at its defaults:
read and audited, learned from, a first report written, then comparisons and shuffled columns. Every cell is a process
of its own and a line of the log: wall-clock and processor seconds of each stage, and of all until the first report;
finished cells are not done again. `label` names the program that was measured, and `python` its interpreter: with that
of an older version, the same measurement says what has changed. The tables are printed in the end.

`rows` measures how counting grows with the distinct rows: all pairs of variables, and one network by tabu search, of
random bits and of samples of child from 10^3 rows up; prints slopes and draws docs/benchmarks/learn-rows.svg. Needs the
folder of reference networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = ROOT.parent / "shared" / "data" / "networks"
FIGURE = ROOT / "docs" / "benchmarks" / "learn-rows.svg"
NAMES = ("asia", "child", "alarm", "hailfinder", "win95pts", "pathfinder", "andes")
CASES = (500, 5_000, 50_000, 500_000)
THREADS = (1, 2)
KEYS = ("label", "network", "cases", "threads")
# The stages in their order, with the functions that each consists of: a module that calls it, and its name there.
STAGES: dict[str, tuple[tuple[str, str], ...]] = {
    "reading, audit": (("arcwise.analysis.learning", "open_table"), ("arcwise.analysis.learning", "prepare")),
    "replicates": (("arcwise.ensemble.sources.bootstrap", "bootstrap_networks"),),
    "averaging, calibration": (("arcwise.analysis.work", "average"),),
    "cut-off, consensus": (
        ("arcwise.analysis.refinement", "choose_thresholds"),
        ("arcwise.analysis.refinement", "consensus_network"),
    ),
    "prior checks": (
        ("arcwise.analysis.refinement", "describe_edges"),
        ("arcwise.analysis.refinement", "check_prior"),
        ("arcwise.analysis.refinement", "_with_saturation"),
    ),
    "comparisons": (("arcwise.analysis.refinement", "_compared"),),
    "simulated data": (("arcwise.analysis.refinement", "_with_simulated"),),
    "shuffled columns": (("arcwise.analysis.refinement", "_with_broom"),),
}
REPORT, REST, FIRST, ALL = "first report", "rest", "first answer", "all"
# What is learned within these belongs to them.
WHOLE = {"comparisons", "simulated data", "shuffled columns", "prior checks"}
SHOWN = (*STAGES, REPORT, REST, FIRST, ALL)
COLUMNS = (*KEYS, *(f"{name} {clock}" for name in SHOWN for clock in ("wall", "cpu")), "status")


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


def run_cell(network: str, cases: int, threads: int) -> dict[str, object]:
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
        return run_learn(file, threads, importlib.import_module, Path(folder) / "out")


def run_learn(file: Path, threads: int, module: Callable[[str], Any], folder: Path) -> dict[str, object]:
    learning = module("arcwise.analysis.learning")
    options = module("arcwise.analysis.options").LearnOptions(
        threads=threads, seed=1, limit_seconds=None, agree=True, categorical=True
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
    row: dict[str, object] = {"status": str(made.status)}
    for k, name in enumerate(("wall", "cpu")):
        row |= {f"{stage} {name}": round(clock.spent[stage][k], 3) for stage in (*STAGES, REPORT, REST)}
        row |= {f"{FIRST} {name}": round(first[name], 3), f"{ALL} {name}": round(end[k] - begin[k], 3)}
    return row


def plan(label: str, names: list[str], sizes: list[int], threads: list[int]) -> Iterator[dict[str, object]]:
    for cases in sizes:
        for name in names:
            yield from ({"label": label, "network": name, "cases": cases, "threads": count} for count in threads)


def measure(log: Path, cells: Iterator[dict[str, object]], python: str) -> None:
    """Carry out the cells that the log does not have, each in a process of its own."""
    known = set()
    if log.exists():
        with log.open(newline="") as file:
            known = {tuple(row[key] for key in KEYS) for row in csv.DictReader(file)}
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
        print(*(row.get(column, "") for column in (*KEYS, f"{FIRST} wall", f"{ALL} wall", "status")), flush=True)


def show(log: Path) -> None:
    """Print a table of stages for each label and number of threads, and the answers side by side."""
    with log.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[f"{ALL} wall"]]
    groups = list(dict.fromkeys((row["label"], row["threads"]) for row in rows))
    for label, threads in groups:
        print(f"\n{label}, {threads} thread(s): wall-clock seconds\n")
        print(f"| network | cases | {' | '.join(SHOWN)} | CPU |\n|---|---:|{'---:|' * (len(SHOWN) + 1)}")
        for row in rows:
            if (row["label"], row["threads"]) == (label, threads):
                seconds = [f"{float(row[f'{name} wall']):.2f}" for name in SHOWN]
                cpu = f"{float(row[f'{ALL} cpu']):.2f}"
                print(f"| {row['network']} | {int(row['cases']):,} | {' | '.join(seconds)} | {cpu} |")
    print("\nFirst answer / all, wall-clock seconds\n")
    print("| network | cases |", " | ".join(f"{label}, {threads} thread(s)" for label, threads in groups), "|")
    print(f"|---|---:|{'---:|' * len(groups)}")
    for cell in dict.fromkeys((row["network"], row["cases"]) for row in rows):
        found = {(r["label"], r["threads"]): r for r in rows if (r["network"], r["cases"]) == cell}
        texts = [
            f"{float(found[g][f'{FIRST} wall']):.2f} / {float(found[g][f'{ALL} wall']):.2f}" if g in found else ""
            for g in groups
        ]
        print(f"| {cell[0]} | {int(cell[1]):,} | {' | '.join(texts)} |")


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


def main() -> None:
    given = sys.argv[1:] if __name__ == "__main__" else []
    if given[:1] == ["rows"]:
        measure_rows(int(given[1]) if len(given) > 1 else 10**7)
        return
    parts = [*given[1:], *[""] * 5]
    log = Path(given[0] if given else "learn_profile.csv")
    names = parts[1].split(",") if parts[1] else list(NAMES)
    sizes = [int(text) for text in parts[2].split(",")] if parts[2] else list(CASES)
    threads = [int(text) for text in parts[3].split(",")] if parts[3] else list(THREADS)
    measure(log, plan(parts[0] or "this version", names, sizes, threads), parts[4] or sys.executable)
    show(log)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cell"]:
        warnings.simplefilter("ignore")
        print(json.dumps(run_cell(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        main()

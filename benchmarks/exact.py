"""The exact solver on published instances: CPU seconds of one thread, from the finished table to the proof.

`python -m benchmarks.exact` prints all tables; `--sections published methods` some of them; `--write` puts them into
docs/benchmarks/exact.md. The figures of GOBNILP and ELSA are data, with their source: those programs are not run here.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from arcwise.data import Dataset, read_data
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets, read_jkl
from arcwise.search import Optimum, find_optimal

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks" / "exact.md"

# (file, optimum, GOBNILP CPU s, ELSA-light CPU s); None: not run or not finished. Source: one core of a shared two-core
# Xeon; GOBNILP-dev of Liao et al. (2019) on SCIP 6.0.2 with SoPlex; ELSA of CP 2022, -nodtrees, pattern databases
# 14 14 15 30, except steel (20 20 50 500) and kdd_test (20 20 15 30).
ANCHORS: tuple[tuple[str, float, float | None, float | None], ...] = (
    ("computed/barley1000_BIC", -67699.7275, 0.28, 0.87),
    ("computed/lung-cancer_BIC", -1379.2860, 0.52, 0.18),
    ("computed/hailfinder500_BIC", -27777.5544, 0.44, 64.6),
    ("computed/carpo100_BIC", -2000.2132, 0.59, 0.25),
    ("computed/horse_BIC", -4524.6631, 1.6, 0.27),
    ("computed/insurance1000_BIC", -14350.4714, 0.65, 0.13),
    ("computed/sponge_BIC", -2072.6115, 1.6, 0.18),
    ("computed/flag_BIC", -2748.1052, 3.0, 0.17),
    ("computed/alarm1000_BIC", -11783.0524, 3.5, 0.96),
    ("computed/autos_BIC", -1585.7597, 25.8, 0.30),
    ("soybean_BIC", -3122.0630, 113.0, 16.8),
    ("computed/wdbc_BIC", -6602.1181, 272.0, 3.7),
    ("steel_BIC", -18805.5229, None, 158.0),
    ("kdd_test", -57209.5659, None, 464.0),
    ("bnslim_child-5000", -62059.5035, 0.88, 0.09),
    ("bnslim_insurance-5000", -68053.1412, 2.6, 0.30),
    ("bnslim_water-5000", -65865.8128, 0.27, 0.10),
    ("bnslim_mildew-5000", -262638.0713, 0.44, 0.13),
    ("bnslim_alarm-5000", -53781.3386, 26.6, 86.5),
    ("bnslim_barley-5000", -294944.9522, 1.3, None),
    ("bnslim_hailfinder-5000", -252358.1055, 19.1, None),
    ("bnslim_hepar2-5000", -164432.7558, 4.3, None),
    ("bnslim_pathfinder-5000", -149209.6744, 86.6, 76.9),
    ("bnslim_munin1-5000", -230117.8800, 109.0, None),
)
OPEN = ("Diabetes_1000_1_2", "bnslim_diabetes-5000", "bnslim_pigs-5000", "bnslim_link-5000", "bnslim_munin-5000")
OPEN_SECONDS = 600.0
METHOD_INSTANCES = (
    "zoo_BIC",
    "computed/hepatitis_BIC",
    "bnslim_child-5000",
    "computed/insurance1000_BIC",
    "bnslim_insurance-5000",
    "computed/flag_BIC",
    "computed/alarm1000_BIC",
    "bnslim_barley-5000",
)
METHOD_SECONDS = 120.0
GROWTH_SECONDS = 120.0


def solve(table: ParentSetTable, *, method: str = "auto", seconds: float | None = None) -> tuple[Optimum, float]:
    start = time.process_time()
    result = find_optimal(table, method=method, limits=Limits(seconds=seconds), progress=False)
    return result, time.process_time() - start


def seconds_text(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}" if seconds < 10 else f"{seconds:,.0f}"


def published_instances() -> Iterator[str]:
    yield "## Published instances\n"
    yield "CPU seconds. The ratio is against the faster of the two anchors; below 1 is faster than both."
    yield "Anchors were measured on another machine; `ilp` below is the live baseline.\n"
    yield "| instance | n | parent sets | optimum | as published | arcwise | nodes | GOBNILP | ELSA | ratio |"
    yield "|---|---:|---:|---:|---|---:|---:|---:|---:|---:|"
    for name, optimum, gobnilp, elsa in ANCHORS:
        table = read_jkl(SHARED / "scores" / f"{name}.jkl.gz")
        result, used = solve(table, seconds=1200)
        best = min(anchor for anchor in (gobnilp, elsa) if anchor is not None)
        agrees = "yes" if abs(result.score - optimum) < 1e-3 and result.is_proved else f"NO ({result.status})"
        yield (
            f"| {Path(name).name} | {table.n_variables} | {table.n_rows:,} | {result.score:.4f} | {agrees} "
            f"| {seconds_text(used)} | {result.nodes} | {seconds_text(gobnilp)} | {seconds_text(elsa)} "
            f"| {used / best:.2f} |"
        )


def methods_side_by_side() -> Iterator[str]:
    yield "\n## Our methods side by side\n"
    yield f"CPU seconds, each limited to {METHOD_SECONDS:.0f} s; `ilp` is HiGHS with lazily added cuts.\n"
    yield "| instance | n | parent sets | auto | branch-and-bound | dp | ilp | scores agree |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    for name in METHOD_INSTANCES:
        table = read_jkl(SHARED / "scores" / f"{name}.jkl.gz")
        cells, scores = [], []
        for method in ("auto", "branch-and-bound", "dp", "ilp"):
            if method == "dp" and table.n_variables > 27:
                cells.append("-")
                continue
            result, used = solve(table, method=method, seconds=METHOD_SECONDS)
            cells.append(seconds_text(used) if result.is_proved else f"gap {result.gap:.3g}")
            scores += [result.score] if result.is_proved else []
        agree = "yes" if max(scores) - min(scores) < 1e-6 else "NO"
        yield f"| {Path(name).name} | {table.n_variables} | {table.n_rows:,} | {' | '.join(cells)} | {agree} |"


def random_data(n: int, rows: int, seed: int) -> Dataset:
    """Binary data from a random network: each node has up to three parents among the eight before it."""
    rng = np.random.default_rng(seed)
    columns = np.zeros((rows, n), dtype=np.int64)
    for v in range(n):
        near = np.arange(max(0, v - 8), v)
        parents = rng.choice(near, size=min(near.size, int(rng.integers(0, 4))), replace=False)
        configuration = columns[:, parents] @ (1 << np.arange(parents.size))
        chances = rng.random(size=2**parents.size)
        columns[:, v] = rng.random(rows) < chances[configuration]
    order = rng.permutation(n)
    return Dataset.from_codes(columns[:, order], states=[["0", "1"]] * n)


def cost_against_n() -> Iterator[str]:
    yield "\n## Cost against the number of variables\n"
    yield "Random sparse networks of binary variables, 1,000 rows, BIC, up to three parents everywhere;"
    yield f"CPU seconds from table to proof, three networks each, limited to {GROWTH_SECONDS:.0f} s.\n"
    yield "| n | parent sets | seconds |"
    yield "|---:|---|---|"
    points = []
    for n in (20, 40, 60, 80, 100):
        sizes, times = [], []
        for seed in range(3):
            table = build_parent_sets(random_data(n, 1000, 100 * n + seed), "bic", max_parents=3, progress=False)
            result, used = solve(table, seconds=GROWTH_SECONDS)
            sizes.append(table.n_rows)
            times.append(f"{used:.2f}" if result.is_proved else f"gap {result.gap:.2g}")
            points.append((n, used, result.is_proved))
        yield f"| {n} | {', '.join(f'{s:,}' for s in sizes)} | {', '.join(times)} |"
    plot(points)
    yield "\n![cost against n](exact-cost.svg)"


def plot(points: list[tuple[int, float, bool]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.5))
    axes.semilogy([n for n, _, _ in points], [used for _, used, _ in points], "o")
    axes.set_xlabel("variables")
    axes.set_ylabel("CPU seconds to the proof")
    axes.grid(alpha=0.3)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PAGE.parent / "exact-cost.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def open_instances(seconds: float = OPEN_SECONDS) -> Iterator[str]:
    yield "\n## Open instances\n"
    yield f"Best network, bound and gap after {seconds:.0f} s of wall-clock time.\n"
    yield "| instance | n | parent sets | score | upper bound | gap | gap % | status | nodes |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---:|"
    for name in OPEN:
        table = read_jkl(SHARED / "scores" / f"{name}.jkl.gz")
        result, _ = solve(table, seconds=seconds)
        yield (
            f"| {name} | {table.n_variables} | {table.n_rows:,} | {result.score:.4f} | {result.upper_bound:.4f} "
            f"| {result.gap:.4f} | {100 * result.gap / abs(result.score):.4f} | {result.status} | {result.nodes} |"
        )


def published_optima() -> Iterator[str]:
    """From the raw data: table by arcwise, optimum against published_optima.csv.gz (BIC)."""
    yield "\n## From raw data: BIC optima against the published ones\n"
    yield "Tables built by arcwise without a parent limit; CPU seconds for building and for the proof.\n"
    yield "| data | n | parent sets | build | search | optimum | published | difference |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    with gzip.open(SHARED / "liao2019" / "published_optima.csv.gz", "rt") as file:
        rows = [line.strip().split(",") for line in file][1:]
    published = {row[0].removesuffix("_BIC"): row[2] or f"-{row[1]}" for row in rows if row[0].endswith("_BIC")}
    for path in sorted((SHARED / "liao2019").glob("*.csv.gz")):
        name = path.name.removesuffix(".csv.gz")
        if name not in published or name in {"published_optima"}:
            continue
        start = time.process_time()
        table = build_parent_sets(read_data(path, categorical=True), "bic", progress=False, limits=Limits(seconds=300))
        built = time.process_time() - start
        if table.status is not Status.COMPLETE:
            yield f"| {name} | {table.n_variables} | {table.n_rows:,} | {table.status} | | | {published[name]} | |"
            continue
        result, used = solve(table, seconds=300)
        difference = result.score - float(published[name])
        mark = f"{difference:.4f}" if result.is_proved else f"{result.status}"
        yield (
            f"| {name} | {table.n_variables} | {table.n_rows:,} | {seconds_text(built)} | {seconds_text(used)} "
            f"| {result.score:.4f} | {published[name]} | {mark} |"
        )


SECTIONS = {
    "published": published_instances,
    "methods": methods_side_by_side,
    "growth": cost_against_n,
    "raw": published_optima,
    "open": open_instances,
}


def main(sections: list[str] | None = None, *, write: bool = False) -> None:
    lines = []
    for section in sections or SECTIONS:
        for line in SECTIONS[section]():
            print(line, flush=True)
            lines.append(line)
    if write:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(
            "# Exact search\n\nProduced by `python -m benchmarks.exact --write`.\n\n" + "\n".join(lines) + "\n"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", nargs="*", choices=list(SECTIONS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(sys.argv[1:])
    main(options.sections, write=options.write)

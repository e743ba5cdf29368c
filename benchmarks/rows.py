"""How long reading, and how much memory, files of more rows than memory take, by the rows of thirty columns.

    python -m benchmarks.rows                   10^5 to 10^7 rows, in a temporary folder
    python -m benchmarks.rows --folder FOLDER --rows 1000000 10000000 100000000 --memory 2   what the page has: 10 GB

The rows are cases of a network of thirty variables of two to four states, thinned so that new distinct rows keep
appearing, which is the hard case: drawn in blocks from a chain of parents by DuckDB's hash, written as one Parquet file
a block. Each size is read in a process of its own, whose peak memory is the system's account of it.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks._topic import parser_for

COLUMNS = 30
BLOCK = 5_000_000


def write_rows(folder: Path, rows: int) -> float:
    """Write a folder of Parquet files; each variable copies an earlier one or strays, with a chance of its own."""
    import duckdb

    if folder.exists():
        return _size(folder)
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    expressions = []
    for v in range(COLUMNS):
        states = 2 + v % 3
        draw = f"(hash(i, {v}) % 1000003) / 1000003.0"
        stray = f"CAST(hash(i, {v + 1000}) % {states} AS TINYINT)"
        parent = f"v{max(0, v - 1 - v % 4)}"
        kept = f"CAST({parent} % {states} AS TINYINT)" if v else stray
        expressions.append(f"CASE WHEN {draw} < {0.1 + 0.02 * (v % 5)} THEN {stray} ELSE {kept} END AS v{v}")
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        for k, start in enumerate(range(0, rows, BLOCK)):
            block = f"range({start}, {min(rows, start + BLOCK)}) t(i)"
            target = part / f"rows-{k:04d}.parquet"
            connection.execute(
                f"COPY (SELECT * EXCLUDE (i) FROM (SELECT i, {', '.join(expressions)} FROM {block})) "
                f"TO '{target}' (FORMAT PARQUET)"
            )
    part.rename(folder)
    return _size(folder)


def _size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.glob("*.parquet")) / 1e9


def read_rows(folder: Path, memory: float, temporary: Path) -> dict[str, float]:
    """Read one folder and score all families of one parent, in this process."""
    from arcwise import read_data
    from arcwise.data.large import Grouping
    from arcwise.parent_sets import build_parent_sets

    begin, used = time.perf_counter(), _processor()
    grouping = Grouping(always=True, memory=memory, temporary=temporary)
    data = read_data(folder, progress=False, grouping=grouping)
    read, spent = time.perf_counter() - begin, _processor() - used
    begin = time.perf_counter()
    table = build_parent_sets(data, "bic", max_parents=2, progress=False)
    return {
        "rows": data.n_cases,
        "distinct": data.n_rows,
        "wall": read,
        "processor": spent,
        "tables": time.perf_counter() - begin,
        "families": table.n_rows,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def plot(found: list[dict[str, float]], path: Path) -> tuple[float, float]:
    """Draw time and distinct rows over rows, both axes logarithmic, and return the slopes of the last two points.

    The dotted line is the theory: reading is proportional to the rows.
    """
    import matplotlib
    import numpy as np
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "arcwise"
    rows = np.array([one["rows"] for one in found])
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    left = figure.subplots()
    slopes = []
    for name, label in (("processor", "processor seconds to read"), ("distinct", "distinct rows / 10,000")):
        values = np.array([one[name] for one in found]) / (1 if name == "processor" else 10_000)
        slopes.append(float(np.log(values[-1] / values[-2]) / np.log(rows[-1] / rows[-2])) if len(rows) > 1 else 0.0)
        line = left.loglog(rows, values, "o-", label=f"{label} (slope {slopes[-1]:.2f})")[0]
        if name == "processor":  # every pass looks at each row once
            theory = values[-1] * rows / rows[-1]
            left.loglog(rows, theory, ":", color=line.get_color(), label="theory of reading (slope 1)")
    left.set_xlabel("rows of thirty columns")
    left.grid(True, which="major", alpha=0.3)
    left.legend()
    figure.savefig(path, metadata={"Date": None})
    return slopes[0], slopes[1]


def main(arguments: Sequence[str] = ()) -> None:
    """Write, read, print a table, draw."""
    parser = parser_for(__doc__)
    parser.add_argument("--folder", type=Path, help="where files are written and kept; a temporary one by default")
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7])
    parser.add_argument("--memory", type=float, default=2.0)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one is not None:
        print(json.dumps(read_rows(given.one, given.memory, given.folder)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        found = measure(given.folder or Path(temporary), given.rows, given.memory)
    if given.plot is not None and len(found) > 1:
        seconds, distinct = plot(found, given.plot)
        print(f"slopes of the last tenfold: processor {seconds:.2f}, distinct rows {distinct:.2f}")


def measure(folder: Path, sizes: Sequence[int], memory: float) -> list[dict[str, float]]:
    """Write and read each size; print its row of the table."""
    found = []
    print("| rows | GB of Parquet | distinct rows | read, wall s | read, CPU s | families, s | peak memory, GB |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for rows in sizes:
        source = folder / f"rows-{rows}"
        size = write_rows(source, rows)
        command = [sys.executable, "-m", "benchmarks.rows", "--folder", str(folder), "--memory", str(memory)]
        answer = subprocess.run([*command, "--one", str(source)], check=True, stdout=subprocess.PIPE, text=True)
        one = json.loads(answer.stdout)
        found.append(one)
        print(
            f"| {one['rows']:,} | {size:.3f} | {one['distinct']:,} | {one['wall']:.1f} | {one['processor']:.1f} | "
            f"{one['tables']:.1f} | {one['peak']:.2f} |",
            flush=True,
        )
    return found


if __name__ == "__main__":
    main(sys.argv[1:])

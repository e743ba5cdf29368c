"""Data in: reading CSV against pandas, the memory of a large data set, and what is done to it.

Times are CPU seconds (user + system) of the best of several runs in one process; memory is the growth of the
resident set in a process of its own, read from /proc.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks._topic import parser_for

ROWS, COLUMNS = 100_000, 40
LARGE_ROWS, LARGE_COLUMNS = 10_000_000, 50


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the least CPU time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def write_table(path: Path, words: list[list[str]], rng: np.random.Generator) -> None:
    columns = [np.array(own, dtype=object)[rng.integers(0, len(own), ROWS)] for own in words]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"variable_{v}" for v in range(len(words))) + "\n")
        for row in zip(*columns, strict=True):
            file.write(",".join(row) + "\n")


def reading(folder: Path) -> None:
    import pandas as pd

    from arcwise.data import Dataset, read_data, read_table

    rng = np.random.default_rng(1)
    kinds: dict[str, list[list[str]]] = {
        "digits 0 to 3": [["0", "1", "2", "3"]] * COLUMNS,
        "words": [["never", "sometimes", "quite often", "always"]] * COLUMNS,
        "words, 200 states": [[f"state {k}" for k in range(200)]] * COLUMNS,
    }
    print(f"Reading {ROWS:,} rows x {COLUMNS} columns of CSV\n")
    print("| file | MB | read_data | pandas.read_csv | read_csv + from_dataframe | read_csv / read_data |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, words in kinds.items():
        path = folder / "table.csv"
        write_table(path, words, rng)
        ours = seconds(lambda path=path: read_data(path))
        theirs = seconds(lambda path=path: pd.read_csv(path), 3)
        both = seconds(lambda path=path: Dataset.from_dataframe(pd.read_csv(path)), 3)
        size = path.stat().st_size / 1e6
        print(
            f"| {name} | {size:.1f} | {ours:.3f} s | {theirs:.3f} s | {both:.3f} s | {theirs / ours:.1f} |", flush=True
        )
    path = folder / "numbers.csv"
    frame = pd.DataFrame(rng.normal(size=(ROWS, 10)).round(4), columns=[f"x{v}" for v in range(10)])
    frame.to_csv(path, index=False)
    ours, theirs = seconds(lambda: read_table(path), 3), seconds(lambda: pd.read_csv(path), 3)
    size = path.stat().st_size / 1e6
    print(
        f"| 10 columns of reals (read_table) | {size:.1f} | {ours:.3f} s | {theirs:.3f} s | - | {theirs / ours:.1f} |"
    )


def writing(folder: Path) -> None:
    from arcwise.data import Dataset, write_data

    rng = np.random.default_rng(1)
    data = Dataset.from_codes(
        rng.integers(0, 4, (ROWS, COLUMNS)), states=[["never", "some", "often", "always"]] * COLUMNS
    )
    frame = data.to_dataframe()
    ours = seconds(lambda: write_data(data, folder / "out.csv"), 3)
    theirs = seconds(lambda: frame.to_csv(folder / "out.csv", index=False), 2)
    print(f"\nWriting the same: write_data {ours:.3f} s, DataFrame.to_csv {theirs:.3f} s, ratio {theirs / ours:.1f}")


def resident(what: str) -> float:
    """Return VmRSS (now) or VmHWM (peak) in MiB, from Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(what))


def large() -> None:
    """Print what a data set of 10 million rows x 50 binary columns costs; run in a process of its own."""
    from arcwise.data import Dataset

    rng = np.random.default_rng(1)
    source = np.empty((LARGE_ROWS, LARGE_COLUMNS), dtype=np.uint8)
    for start in range(0, LARGE_ROWS, 100_000):
        block = rng.integers(0, 2, (100_000, LARGE_COLUMNS), dtype=np.uint8)
        block[:, 20:] = block[:, :1].copy()  # so that rows repeat
        source[start : start + 100_000] = block

    size = source.nbytes / 2**20
    print(f"{LARGE_ROWS:,} rows x {LARGE_COLUMNS} binary columns (the array of codes itself: {size:.0f} MiB)\n")
    print("| step | CPU | memory at its peak | memory kept |")
    print("|---|---:|---:|---:|")
    made: dict[str, Dataset] = {}

    def step(name: str, call: Callable[[], object]) -> None:
        before, start = resident("VmRSS"), time.process_time()
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        call()
        used = time.process_time() - start
        print(
            f"| {name} | {used:.2f} s | {resident('VmHWM') - before:.0f} MiB | {resident('VmRSS') - before:.0f} MiB |"
        )

    def construct() -> None:
        made["data"] = Dataset.from_codes(source)

    step("Dataset.from_codes (copies)", construct)
    data = made["data"]
    codes = data.codes.copy()
    step("Dataset(codes, ...) (shares)", lambda: Dataset(codes, data.names, data.states))
    step("digest", lambda: data.digest)
    step("resample", lambda: made.update(sample=data.resample(rng)))
    step("permute_columns", lambda: made.update(shuffled=data.permute_columns(rng)))
    step("collapse", lambda: made.update(small=data.collapse()))
    print(f"\ncollapse leaves {made['small'].n_rows:,} rows.")


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        reading(Path(folder))
        writing(Path(folder))
    print(flush=True)
    subprocess.run([sys.executable, "-c", "from benchmarks.data import large; large()"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

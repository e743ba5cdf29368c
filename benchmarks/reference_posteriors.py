"""Exact posteriors of public data, as files with checksums: what samplers of networks can be tested with.

For every table of at most `--most` columns in the folders of `--data` (CSV, plain or gzip; default: data of
`arcwise.datasets`): rows with gaps and columns with one state are left out, and numbers are cut into three bins of
equal width. The posterior is over all DAGs of at most `--parents` parents, each as likely as the other before the data.
A file has the names and states of the columns, the SHA-256 of the codes (one byte per cell, row by row, states in
order), the log of the sum over all networks, a bound on what the sum left out, and the probability of every arc.
`SHA256SUMS` has the checksum of every file; `--check` makes the posteriors again and compares.

    python -m benchmarks.reference_posteriors [-o FOLDER] [--data FOLDER ...] [--check FOLDER]
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from arcwise import datasets
from arcwise.base.errors import ArcwiseError
from arcwise.data import Dataset, discretize, read_table
from arcwise.parent_sets import build_parent_sets
from arcwise.posterior.exact import exact_posterior
from benchmarks._topic import has_data, parser_for

SCORES = ("bdeu:ess=1", "bdeu:ess=10", "bic", "qnml")
MOST, PARENTS = 14, 5
DIGITS = 10  # of probabilities
BUILT_IN = ("iris", "tic-tac-toe", "wine")


def prepared(table: Any) -> Dataset:
    """Return a table as it is summed over: complete rows, three bins, no constant columns."""
    whole = ~np.any([column.is_missing for column in table.columns], axis=0)
    cut = discretize(table.take(whole), method="width", bins=3, columns="continuous")
    data = cut.to_dataset()
    used = [name for v, name in enumerate(data.names) if len(np.unique(data.codes[v])) > 1]
    return data.select(used)


def tables(folders: Sequence[Path], most: int) -> Iterator[tuple[str, Dataset]]:
    """Yield each data set that is small enough."""
    if not folders:
        for name in BUILT_IN:
            data = datasets.load(name)
            if data.n_variables <= most:
                yield name, data
    for folder in folders:
        for path in sorted([*folder.glob("*.csv"), *folder.glob("*.csv.gz")]):
            try:
                table = read_table(path, progress=False)
                if len(table.columns) > most:
                    continue
                yield f"{folder.name}-{path.name.split('.')[0]}", prepared(table)
            except ArcwiseError as error:
                print(f"{path} IS LEFT OUT: {error}", flush=True)


def posterior(name: str, data: Dataset, score: str, parents: int) -> dict[str, Any]:
    table = build_parent_sets(
        data, score, slack=math.inf, max_parents=min(parents, data.n_variables - 1), threads=1, progress=False
    )
    found = exact_posterior(table, threads=1, progress=False)
    codes = np.ascontiguousarray(data.codes.T.astype(np.uint8))
    return {
        "data": name,
        "rows": data.n_cases,
        "columns": list(data.names),
        "states": [list(states) for states in data.states],
        "codes_sha256": hashlib.sha256(codes.tobytes()).hexdigest(),
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
        for score in SCORES:
            begin = time.process_time()
            made = posterior(name, data, score, parents)
            content = (json.dumps(made, indent=1) + "\n").encode()
            file = f"{name}-{score.replace(':', '-').replace('=', '')}.json"
            (folder / file).write_bytes(content)
            sums[file] = hashlib.sha256(content).hexdigest()
            seconds = time.process_time() - begin
            cells = (name, data.n_variables, data.n_cases, score, f"{made['log_total']:.4f}", f"{seconds:.2f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    (folder / "SHA256SUMS").write_text("".join(f"{own}  {file}\n" for file, own in sorted(sums.items())))
    return sums


def main(arguments: Sequence[str] = ()) -> int:
    parser = parser_for(__doc__)
    parser.add_argument("-o", "--output", type=Path, help="where the files go (default: nowhere)")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="folders of CSV files")
    parser.add_argument("--most", type=int, default=MOST, help=f"columns at most (default {MOST})")
    parser.add_argument("--parents", type=int, default=PARENTS, help=f"parents at most (default {PARENTS})")
    parser.add_argument("--check", type=Path, help="a folder of such files to compare with")
    given = parser.parse_args(arguments)
    if not has_data(*given.data):
        return 0
    print("| data | columns | rows | score | log total | CPU s |\n|---|---:|---:|---|---:|---:|")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) if given.output is None else given.output
        folder.mkdir(parents=True, exist_ok=True)
        sums = write(folder, tables(given.data, given.most), given.parents)
    if given.check is None:
        return 0
    known = dict(line.split()[::-1] for line in (given.check / "SHA256SUMS").read_text().splitlines())
    different = sorted(file for file in sums.keys() & known.keys() if sums[file] != known[file])
    print(f"\n{len(sums.keys() & known.keys()) - len(different)} files are the same; different: {different or 'none'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The probability of evidence in the 78 networks of UAI's evaluation of 2006; one core.

The problems are at github dechterlab/uai-competitions, UAI-2006/PE: BN_*.erg.gz, networks in the format of Ergo, and
BN_*.erg.evid.gz, what is observed. Timed is one `query` with the evidence; reading is not. What is too large for the
limit of memory is refused, which takes a moment.

    python -m benchmarks.uai --data FOLDER [--page]
"""

from __future__ import annotations

import gzip
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arcwise.base.errors import ArcwiseError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from benchmarks._page import PageTable, page_option
from benchmarks._topic import SHARED, has_data, parser_for

GROUPS = {"BN_0 to 15": 15, "BN_16 to 28": 28, "BN_29 to 41": 41, "BN_42 to 68": 68, "BN_69 to 77": 77}
LAST = "BN_78 to 131"
HEADER = ("networks", "problems", "variables", "answered", "CPU s, all answered", "longest")


def words(path: Path) -> Iterator[str]:
    """Return the words of a file without its comments."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return iter(re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL).split())


def read_network(path: Path) -> BayesianNetwork:
    """Read a network: how many variables, their numbers of states, their parents, their tables."""
    rest = words(path)
    sizes = [int(next(rest)) for _ in range(int(next(rest)))]
    parents = [[int(next(rest)) for _ in range(int(next(rest)))] for _ in sizes]
    tables = []
    for v, own in enumerate(parents):
        numbers = np.array([float(next(rest)) for _ in range(int(next(rest)))])
        order = np.argsort(own).tolist()
        table = numbers.reshape([*(sizes[parent] for parent in own), sizes[v]]).transpose([*order, len(own)])
        tables.append(table / table.sum(axis=-1, keepdims=True))
    names = [f"v{v}" for v in range(len(sizes))]
    return BayesianNetwork(Dag(names, parents), [[str(k) for k in range(size)] for size in sizes], tables)


def read_evidence(path: Path) -> dict[str, str]:
    """Read what is observed: how many variables, and each with its state."""
    rest = words(path)
    return {f"v{int(next(rest))}": next(rest) for _ in range(int(next(rest)))}


def measure(network: BayesianNetwork, evidence: dict[str, str]) -> tuple[float | None, float]:
    """Return the natural logarithm of the probability, None if it is refused, and the CPU seconds."""
    asked = next(name for name in network.names if name not in evidence)
    begin = time.process_time()
    try:
        found: float | None = network.query(asked, evidence, threads=1, progress=False).log_evidence
    except ArcwiseError:
        found = None
    return found, time.process_time() - begin


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED / "data" / "uai2006", help="the folder of the problems")
    page_option(parser)
    given = parser.parse_args(arguments)
    if not has_data(given.data):
        return
    groups: dict[str, list[tuple[int, float | None, float]]] = {name: [] for name in [*GROUPS, LAST]}
    for path in sorted(given.data.glob("BN_*.erg.gz"), key=lambda own: int(re.findall(r"\d+", own.name)[0])):
        number = int(re.findall(r"\d+", path.name)[0])
        network, evidence = read_network(path), read_evidence(path.with_name(f"BN_{number}.erg.evid.gz"))
        found, seconds = measure(network, evidence)
        print(f"{path.name}: {found}, {seconds:.2f} s", file=sys.stderr, flush=True)
        group = next((name for name, last in GROUPS.items() if number <= last), LAST)
        groups[group].append((network.n_variables, found, seconds))
    table = PageTable("uai", HEADER, list(groups), write=given.page)
    for name, own in groups.items():
        if not own:
            continue
        sizes = [size for size, _, _ in own]
        spent = [seconds for _, found, seconds in own if found is not None]
        times = (f"{sum(spent):.2f}", f"{max(spent):.2f}") if spent else ("", "")
        table.add([name, len(own), f"{min(sizes):,} to {max(sizes):,}", len(spent), *times])


if __name__ == "__main__":
    main(sys.argv[1:])

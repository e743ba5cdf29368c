"""Does the order of the columns decide what a search finds? 1,000 cases, the columns in 30 orders.

Ties by position is how searches break ties elsewhere, bnlearn's among them; ties by content is the default here. For
both, how many equivalence classes the orders end in, how far their scores are apart and below the best one found, and
the structural Hamming distance to the network that the cases were sampled from. Networks: `make networks`.

    python -m benchmarks.column_order [--orders N] [--page] [NETWORK ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from arcwise.data import Dataset
from arcwise.evaluate import compare
from arcwise.graph import Dag, Pdag
from arcwise.local import LocalSearchResult, hill_climb, tabu_search
from arcwise.model import read_bif
from benchmarks._page import PageTable, draw, page_option
from benchmarks._topic import NETWORKS, has_data, parser_for

NAMES = ("alarm", "insurance", "hailfinder", "win95pts")
SEARCHES: dict[str, Callable[..., LocalSearchResult]] = {"hill climbing": hill_climb, "tabu": tabu_search}
CASES, ORDERS = 1000, 30
HEADER = (
    *("network, search", "classes: by position", "by content", "score range: by position", "by content"),
    *("mean below the best: by position", "by content", "SHD: by position", "by content", "CPU ratio"),
)


class Ends:
    """Where the orders of the columns end."""

    def __init__(self) -> None:
        self.classes: set[Pdag] = set()
        self.scores: list[float] = []
        self.distances: list[float] = []
        self.seconds = 0.0

    def add(self, data: Dataset, truth: Dag, search: str, *, by_position: bool) -> None:
        begin = time.process_time()
        found = SEARCHES[search](data, "bic", seed=1, by_position=by_position, progress=False)
        self.seconds += time.process_time() - begin
        dag = found.dag.reorder(truth.names)
        self.classes.add(dag.cpdag)
        self.scores.append(found.score)
        self.distances.append(compare(truth.cpdag, dag.cpdag).shd)

    @property
    def told_distances(self) -> str:
        low, high = int(min(self.distances)), int(max(self.distances))
        return f"{low}" if low == high else f"{low} to {high}"


def measure(name: str, search: str, orders: int) -> list[object]:
    network = read_bif(NETWORKS / f"{name}.bif.gz")
    data = network.sample(CASES, seed=1, progress=False)
    position, content = Ends(), Ends()
    for order in range(orders):
        moved = data.select(np.random.default_rng(order).permutation(data.names).tolist())
        position.add(moved, network.dag, search, by_position=True)
        content.add(moved, network.dag, search, by_position=False)
    best = max(position.scores + content.scores)
    return [
        f"{name}, {search}",
        *(len(ends.classes) for ends in (position, content)),
        *(f"{max(ends.scores) - min(ends.scores):.1f}" for ends in (position, content)),
        *(f"{abs(best - float(np.mean(ends.scores))):.1f}" for ends in (position, content)),
        *(ends.told_distances for ends in (position, content)),
        f"{content.seconds / position.seconds:.1f}",
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=f"default: {', '.join(NAMES)}")
    parser.add_argument("--orders", type=int, default=ORDERS, help=f"orders of the columns (default {ORDERS})")
    page_option(parser)
    given = parser.parse_args(arguments)
    names = given.networks or list(NAMES)
    if not has_data(*(NETWORKS / f"{name}.bif.gz" for name in names)):
        print("`make networks` downloads them.")
        return
    keys = [f"{name}, {search}" for name in dict.fromkeys([*NAMES, *names]) for search in SEARCHES]
    table = PageTable("column-order", HEADER, keys, write=given.page)
    for name in names:
        for search in SEARCHES:
            table.add(measure(name, search, given.orders))
    if given.page:
        draw("column-order", {"by position": 5, "by content": 6}, "nats below the best score of any order, mean")


if __name__ == "__main__":
    main(sys.argv[1:])

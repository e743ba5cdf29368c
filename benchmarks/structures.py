"""The structure of large networks from 5,000 rows, beside the times that Fast-BNS printed for PC-stable; one core.

Jiang, Wen and Mian, "Fast parallel Bayesian network structure learning", IPDPS 2022, Table III. They test for
independence, arcwise searches by a score; the table has the time of both for the same number of rows, and how near ours
comes. Reading and sampling is not timed. The networks are those of `make networks`.

    python -m benchmarks.structures [--page] [NETWORK ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from arcwise.evaluate import compare
from arcwise.local import hill_climb
from arcwise.model import read_bif
from benchmarks._page import PageTable, draw, parse_networks
from benchmarks._topic import NETWORKS, has_data, parser_for

# Seconds in the paper, one core and 32 threads, on two Xeon 8167M of 26 cores, 2 GHz.
PRINTED = {
    "alarm": (0.12, 0.017),
    "hepar2": (1.57, 0.19),
    "munin1": (15.5, 1.78),
    "munin2": (3_496.0, 293.0),
    "munin3": (8_081.0, 751.0),
    "diabetes": (23_300.0, 1_203.0),
    "link": (62_900.0, 4_349.0),
}
CASES = 5000
HEADER = (
    "network",
    "variables",
    "ours, one core: CPU s",
    "printed, one core: s",
    "printed, best: s",
    "edges found",
    "F1",
)


def measure(name: str) -> list[object]:
    network = read_bif(NETWORKS / f"{name}.bif.gz")
    data = network.sample(CASES, seed=1, progress=False)
    begin = time.process_time()
    found = hill_climb(data, "bic", seed=1, progress=False)
    seconds = time.process_time() - begin
    edges = compare(network.dag, found.dag).skeleton
    return [
        f"`{name}`",  # one of them is called link
        network.n_variables,
        f"{seconds:.2f}",
        *(f"{printed:,g}" for printed in PRINTED[name]),
        f"{edges.true_positives} of {len(network.dag.arcs)}",
        f"{edges.f_beta(1.0):.2f}",
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    given = parse_networks(parser, arguments, PRINTED, "alarm")
    if not has_data(NETWORKS):
        print("`make networks` downloads them.")
        return
    table = PageTable("structures", HEADER, [f"`{name}`" for name in PRINTED], write=given.page)
    for name in given.networks:
        table.add(measure(name))
    if given.page:
        draw("structures", {"arcwise": 2, "printed": 3}, "seconds of one core", scale="log")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Simulation-based calibration of the chains: the ranks of networks that data were made from, among the draws.

`python -m benchmarks.ranks [--sets K] [n ...]` prints a Markdown table: for each number of variables, K data sets of 40
cases are made from DAGs that are drawn uniformly, with BDeu's prior over parameters, and each DAG is ranked among 99
draws of four chains by its number of arcs, its score, and its arcs from the first half of the variables. If the draws
are from the posterior, ranks are uniform; the table has the p-values of chi-square tests with five bins, of which one
in twenty is below 0.05 by chance. The test of the same name in `tests` is a small run of this.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
from scipy.stats import chi2
from tests.posterior.test_ranks import BINS, DRAWS, ranks_of

from benchmarks._topic import parser_for

SIZES = (6, 8, 10, 12, 14)
FIRST_SEED = 100_000


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of variables")
    parser.add_argument("--sets", type=int, default=200, help="data sets of each")
    given = parser.parse_args(arguments)
    print("| n | data sets | arcs | score | arcs from the first half | CPU s |\n|---:|---:|---:|---:|---:|---:|")
    for n in given.sizes:
        start = time.process_time()
        ranks = np.array([ranks_of(n, FIRST_SEED + seed) for seed in range(given.sets)])
        expected = given.sets / BINS
        tests = []
        for own in ranks.T:
            counts = np.bincount(own * BINS // (DRAWS + 1), minlength=BINS)
            tests.append(chi2.sf(((counts - expected) ** 2 / expected).sum(), BINS - 1))
        cells = " | ".join(f"{p:.2f}" for p in tests)
        print(f"| {n} | {given.sets} | {cells} | {time.process_time() - start:.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""A bootstrap that cuts numbers anew in each replicate beside one of data that were cut once.

    python -m benchmarks.recut [--rows 300] [--seeds 3] [--replicates 100]

For every published network and seed: a sample of which every second variable is a number, its state plus normal noise
of 0.3. Both ways to cut, three quantiles and together with the structure, are bootstrapped (BDeu, tabu search without
refinement) with cuts of all cases, and with cuts of each replicate. Compared are the mean log loss of the confidences
of all pairs, and how many pairs that the network does not join are above one half. Needs the folder of reference
networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from arcwise.confidence import edge_confidence
from arcwise.data import Table
from arcwise.ensemble import bootstrap_networks
from arcwise.sampled.numeric_data import Cutting, NumericData
from benchmarks._noisy_numbers import known_network, noisy_sample, without_constants
from benchmarks._topic import SHARED, has_data, parser_for

NETWORKS = ("asia", "sachs", "child")


def judge(data: Any, truth: set[frozenset[str]], replicates: int, seed: int) -> tuple[float, int, float]:
    """Return the mean log loss of all pairs, the false pairs above one half, and the seconds."""
    start = time.perf_counter()
    asked: dict[str, Any] = {"replicates": replicates, "seed": seed, "options": {"refine": 0}, "progress": False}
    made = edge_confidence(bootstrap_networks(data, "bdeu:ess=1", **asked))
    seconds = time.perf_counter() - start
    losses, extra = [], 0
    for i, a in enumerate(made.names):
        for j in range(i + 1, len(made.names)):
            there = frozenset((a, made.names[j])) in truth
            share = float(np.clip(made.present[i, j], 0.5 / replicates, 1 - 0.5 / replicates))
            losses.append(-np.log(share if there else 1 - share))
            extra += int(not there and share > 0.5)
    return float(np.mean(losses)), extra, seconds


def main(arguments: Sequence[str] = ()) -> None:
    """Print one row per network and way to cut: means over the seeds."""
    parser = parser_for(__doc__)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--replicates", type=int, default=100)
    asked = parser.parse_args(arguments)
    if not has_data(SHARED / "data" / "networks"):
        return
    print("| network | cuts | log loss, cut once | cut anew | false edges, cut once | cut anew | time, anew / once |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name in NETWORKS:
        truth, edges = known_network(SHARED, name)
        for method in ("quantile", "joint"):
            rows = []
            for seed in range(asked.seeds):
                frame, numbers = without_constants(*noisy_sample(truth, asked.rows, seed), asked.rows)
                uncut = NumericData(Table.from_dataframe(frame), tuple(numbers), Cutting(method))
                once, anew = (judge(data, edges, asked.replicates, seed) for data in (uncut.whole, uncut))
                rows.append((once[0], anew[0], once[1], anew[1], anew[2] / once[2]))
            mean = np.mean(rows, axis=0)
            told = f"{mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.1f} | {mean[3]:.1f} | {mean[4]:.0f}"
            print(f"| {name} | {method} | {told} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

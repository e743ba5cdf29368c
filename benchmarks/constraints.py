"""What constraints cost: the same work with and without, both in one run.

The constraints are true of the best network: three tiers along its order, one of its arcs required and the reverse of
another forbidden. CPU seconds of one core, the best of three; the work is from data to confidences of equivalence
classes, so that the tables, the search and the averaging are all in it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from arcwise.confidence import consensus_network, edge_confidence
from arcwise.data import Dataset, read_data
from arcwise.ensemble import CredibleSet, bootstrap_networks
from arcwise.exact import find_optimal
from arcwise.graph import Constraints
from arcwise.parent_sets import build_parent_sets
from benchmarks._topic import SHARED, has_data, parser_for

DATA = ("tic-tac-toe", "wine", "adult", "voting", "zoo", "hepatitis", "parkinsons")
REPLICATES = 50


def optimum(data: Dataset, constraints: Constraints | None) -> int:
    """The best network; returns its arcs."""
    table = build_parent_sets(data, "bic", constraints=constraints, progress=False)
    return find_optimal(table, constraints=constraints, progress=False).dag.n_arcs


def credible(data: Dataset, constraints: Constraints | None) -> int:
    """The networks within a Bayes factor of 20, their classes and the consensus; returns their number."""
    table = build_parent_sets(data, "bic", slack=math.log(20), constraints=constraints, progress=False)
    found = CredibleSet.build(table, bayes_factor=20, constraints=constraints, progress=False)
    consensus_network(edge_confidence(found), 0.5)
    found.count_classes()
    return found.count


def bootstrap(data: Dataset, constraints: Constraints | None) -> int:
    """Tabu search on resampled data, and the consensus; returns the networks."""
    asked: dict[str, Any] = {"replicates": REPLICATES, "options": {"refine": 0}, "seed": 1, "progress": False}
    networks = bootstrap_networks(data, "bic", constraints=constraints, **asked)
    consensus_network(edge_confidence(networks), 0.5)
    return networks.count


def true_of(data: Dataset) -> Constraints:
    """Constraints that the best network satisfies."""
    best = find_optimal(build_parent_sets(data, "bic", progress=False), progress=False).dag
    order = [best.names[v] for v in best.topological_order]
    third = -(-len(order) // 3)
    first, *_, last = best.arcs
    tiers = [order[at : at + third] for at in range(0, len(order), third)]
    return Constraints(data.names, tiers=tiers, required=[first], forbidden=[last[::-1]])


def best_of_three(work: Callable[[], int]) -> tuple[float, int]:
    """CPU seconds, and what the work returns."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        found = work()
        times.append(time.process_time() - begin)
    return min(times), found


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    folder = SHARED / "data" / "liao2019"
    if not has_data(folder):
        return
    print("| data | n | work | networks | under constraints | s | s under constraints | ratio |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for name in DATA:
        data = read_data(folder / f"{name}.csv.gz")
        known = true_of(data)
        for label, work in (("optimum", optimum), ("credible set", credible), ("bootstrap", bootstrap)):
            free, all_of_them = best_of_three(lambda w=work, d=data: w(d, None))
            bound, left = best_of_three(lambda w=work, d=data, k=known: w(d, k))
            counts = "1 | 1" if work is optimum else f"{all_of_them:,} | {left:,}"
            print(
                f"| {name} | {data.n_variables} | {label} | {counts} | {free:.3f} | {bound:.3f} | {bound / free:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])

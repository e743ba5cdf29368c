"""Cuts chosen with the structure beside quantiles: numbers that are states of a known network with noise.

    python -m benchmarks.joint_cuts [--rows 1000] [--seeds 5]

For every published network and seed: a sample of twice the rows, half of it held out. Every second variable becomes a
number: its state plus normal noise of 0.3. Both ways cut the training half, and hill climbing with BIC learns from it.
Compared are the F1 of the skeleton and the held-out log density per case, in which a value in an interval has the share
that the training data give its finest bin. Needs the folder of reference networks; see CONTRIBUTING.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from arcwise.data import Table, apply_cuts
from arcwise.data.discretize import intervals_of, quantiles
from arcwise.local import hill_climb
from arcwise.local.joint_cuts import joint_cuts
from arcwise.model import BayesianNetwork, fit_parameters
from benchmarks._noisy_numbers import known_network, noisy_sample, without_constants
from benchmarks._topic import SHARED, has_data, parser_for

NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")
FINE = 64


def held_out(frame: pd.DataFrame, fresh: pd.DataFrame, cuts: dict[str, np.ndarray], network: BayesianNetwork) -> float:
    """Return the log density per case of fresh rows: of intervals by the network, within them by the training data."""
    table = apply_cuts(Table.from_dataframe(fresh), cuts)
    states = dict(zip(network.names, network.states, strict=True))
    data = table.to_dataset(states={name: states[name] for name in network.names})
    total = network.log_likelihood(data) / data.n_cases
    for name, points in cuts.items():
        fine = quantiles(frame[name].to_numpy(), FINE)
        train = np.bincount(intervals_of(frame[name].to_numpy(), fine), minlength=len(fine) + 1) + 0.5
        where = intervals_of(np.append(fine, np.inf), points)
        inside = np.array([train[where == k].sum() for k in range(len(points) + 1)])
        bins = intervals_of(fresh[name].to_numpy(), fine)
        total += float(np.log(train[bins] / inside[where[bins]]).mean())
    return total


def main(arguments: Sequence[str] = ()) -> None:
    """Print one row per network: means over the seeds, and how often the joint cuts are better."""
    parser = parser_for(__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args(arguments)
    if not has_data(SHARED / "data" / "networks"):
        return
    print("| network | F1 quantile | F1 joint | log density quantile | log density joint | joint better |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in NETWORKS:
        truth, edges = known_network(SHARED, name)
        rows = []
        for seed in range(asked.seeds):
            frame, numbers = without_constants(*noisy_sample(truth, 2 * asked.rows, seed), asked.rows)
            train, fresh = frame.iloc[: asked.rows], frame.iloc[asked.rows :]
            for v in frame.columns.difference(numbers):
                fresh = fresh[fresh[v].isin(train[v].unique())]
            table = Table.from_dataframe(train.reset_index(drop=True))
            fresh = fresh.reset_index(drop=True)
            result = []
            for cuts in (
                {v: quantiles(train[v].to_numpy(), 3) for v in numbers},
                joint_cuts(table, numbers).cuts,
            ):
                data = apply_cuts(table, cuts).to_dataset()
                dag = hill_climb(data, "bic", seed=seed, progress=False).dag
                found = {frozenset(arc) for arc in dag.arcs}
                right = len(found & edges)
                f1 = 2 * right / max(1, len(found) + len(edges))
                result.append((f1, held_out(train, fresh, cuts, fit_parameters(dag, data, estimator="bd", ess=1.0))))
            rows.append([result[0][0], result[1][0], result[0][1], result[1][1]])
        mean = np.mean(rows, axis=0)
        wins = sum(row[3] > row[2] for row in rows)
        print(
            f"| {name} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | {mean[3]:.3f} | {wins} of {len(rows)} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])

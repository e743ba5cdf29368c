"""Chains over DAGs: how near to the exact sums, how soon they agree, and what they say where they do not.

`python -m benchmarks.chains [--seconds S] [--page FILE] [data ...]` prints a Markdown table, and with --page also puts
it into the page, under its heading. Each row is one run of four chains with seed 1; seconds are those of the wall
clock, CPU seconds those of all threads, table and credible set included. Each row runs in a process of its own.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcwise.data import Dataset
from arcwise.ensemble import find_posterior
from arcwise.limits import Limits
from arcwise.model import BayesianNetwork
from benchmarks._topic import SHARED, has_data, parser_for

HEADING = "## Runs"


@dataclass(frozen=True)
class Row:
    """A data set sampled from a network, how many columns and cases of it, the score and the parent limit."""

    name: str
    network: str
    score: str
    max_parents: int
    columns: int | None = None
    cases: int = 1000

    def data(self) -> Dataset:
        path = SHARED / "data" / "networks" / f"{self.network}.bif.gz"
        data = BayesianNetwork.read_bif(path).sample(self.cases, seed=1)
        if self.columns:
            data = data.select(data.names[: self.columns])
        return data.select([name for name in data.names if name not in data.constant])


ROWS = (
    Row("child", "child", "bdeu:ess=1", 4),
    Row("alarm, 20 columns", "alarm", "bdeu:ess=1", 3, columns=20),
    Row("insurance", "insurance", "bdeu:ess=1", 3),
    Row("water", "water", "bdeu:ess=1", 3),
    Row("alarm", "alarm", "bdeu:ess=1", 3),
    Row("alarm qNML", "alarm", "qnml", 3),
    Row("hailfinder qNML", "hailfinder", "qnml", 3),
    Row("win95pts", "win95pts", "bdeu:ess=1", 3),
    Row("hepar2", "hepar2", "bdeu:ess=1", 3),
    Row("andes", "andes", "bdeu:ess=1", 2),
    Row("pigs", "pigs", "bdeu:ess=1", 1),
    Row("link", "link", "bdeu:ess=1", 1),
)


def measure(row: Row, seconds: float, threads: int) -> str:
    data = row.data()
    wall, cpu = time.monotonic(), time.process_time()
    found = find_posterior(
        data,
        row.score,
        max_parents=row.max_parents,
        way="chains",
        seed=1,
        threads=threads,
        limits=Limits(seconds=seconds),
        progress=False,
    )
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    assert found.chains is not None
    error = ""
    if data.n_variables <= 20:
        truth = find_posterior(data, row.score, max_parents=row.max_parents, way="exact", progress=False)
        error = f"{np.abs(found.arc_probabilities() - truth.arc_probabilities()).max():.3f}"
    verdict = found.chains.verdict
    told = "converged" if verdict.converged else f"not converged: {len(verdict.differing)} pairs"
    steps = sum(tried for move, (tried, _) in found.chains.moves.items() if move not in ("swap", "jump"))
    return (
        f"| {row.name} | {data.n_variables} | {steps / 1e6:.1f} | {wall:.0f} | {cpu:.0f} | {memory:.2f} | {told} "
        f"| {verdict.worst_r_hat if math.isfinite(verdict.worst_r_hat) else math.inf:.3f} | {verdict.difference:.3f} "
        f"| {verdict.effective:,.0f} | {found.chains.left_out:.0e} | {error} |"
    )


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--page", type=Path)
    given = parser.parse_args(arguments)
    if not has_data(SHARED / "data" / "networks"):
        return
    lines = [
        "| data | n | million steps | s | CPU s | GB | verdict | R-hat | difference | effective | left out | error |",
        "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(lines))
    context = multiprocessing.get_context("spawn")
    for row in ROWS:
        if given.names and row.name not in given.names:
            continue
        with context.Pool(1) as pool:
            lines.append(pool.apply(measure, (row, given.seconds, given.threads)))
        print(lines[-1], flush=True)
    if given.page is not None:
        before, _, rest = given.page.read_text().partition(f"{HEADING}\n")
        after = rest[rest.find("\n## ") :] if "\n## " in rest else "\n"
        given.page.write_text(f"{before}{HEADING}\n\n" + "\n".join(lines) + f"\n{after}")


if __name__ == "__main__":
    main(sys.argv[1:])

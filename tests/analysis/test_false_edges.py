"""Independent columns with gaps, through `learn`: how many edges each way to treat gaps makes of nothing.

Eight independent columns, 500 rows, a quarter of the values of four columns missing. The seeds were fixed beforehand. A
rate is the mean number of edges of the network, with an interval of two standard errors.
"""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest

from arcwise import learn

SEEDS = range(5)
ROWS = 500
LEAST_ERROR = 0.2  # five runs without an edge do not show that there never is one


@functools.cache
def frame(seed: int, gaps: bool) -> pd.DataFrame:
    rng = np.random.default_rng([18, seed])
    made = pd.DataFrame({f"v{k}": rng.choice(list("abc"[: 2 + k % 2]), ROWS) for k in range(8)})
    return made.mask(rng.random((ROWS, 8)) < [0.25] * 4 + [0.0] * 4) if gaps else made


def rate(impute: str | None, *, gaps: bool = True) -> tuple[float, float, float]:
    """Return the mean number of edges, and the ends of its interval."""
    counts = []
    for seed in SEEDS:
        found = learn(
            frame(seed, gaps), impute=impute, agree=True, completions=8, seed=seed, compare=False, permutations=0
        )
        counts.append(sum(edge.fate.in_network for edge in found.edges))
    error = max(float(np.std(counts, ddof=1)) / len(counts) ** 0.5, LEAST_ERROR)
    return float(np.mean(counts)), float(np.mean(counts)) - 2 * error, float(np.mean(counts)) + 2 * error


@pytest.mark.slow
def test_the_rates_of_false_edges() -> None:
    whole, usual, mode, rows, knn = rate(None, gaps=False), rate(None), rate("mode"), rate("drop"), rate("knn")
    told = {"complete": whole, "completions": usual, "mode": mode, "rows dropped": rows, "knn": knn}
    # Completions make no more edges than complete data have by chance; neither do the modes.
    assert usual[0] <= whole[2] and mode[0] <= whole[2], told
    # Filling from neighbours makes edges: more than all others, beyond their intervals.
    assert knn[1] > max(whole[2], usual[2], mode[2]), told
    # That is what is proposed where nothing is said.
    assert usual[2] <= 2.5, told

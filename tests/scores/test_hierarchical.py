"""BHD: near the integral that it bounds, BDeu where sites are as one, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.scores import make_score
from arcwise.scores.dirichlet import Bhd


def table_of(counts: np.ndarray) -> Dataset:
    """Return data with so many rows of each state of x (rows) in each site (columns)."""
    codes = np.array(list(np.ndindex(counts.shape)))
    states = [[str(k) for k in range(r)] for r in counts.shape]
    return Dataset.from_codes(codes, names=["x", "site"], states=states, weights=counts.ravel())


def by_quadrature(counts: np.ndarray, ess: float, alike: float) -> float:
    """Return the log likelihood of two states given the sites, the share that sites have in common integrated out."""
    tails = np.logspace(-14, -2, 3000)
    grid = np.unique(np.concatenate([tails, np.linspace(0.01, 0.99, 9001), 1 - tails]))
    s = alike * np.stack([grid, 1 - grid])[:, None, :]
    n, total = counts[:, :, None], counts.sum(axis=0)
    values = (gammaln(s + n) - gammaln(s)).sum(axis=(0, 1)) - (gammaln(alike + total) - gammaln(alike)).sum()
    values += (ess / 2 - 1) * (np.log(grid) + np.log1p(-grid)) + gammaln(ess) - 2 * gammaln(ess / 2)
    return float(values.max() + np.log(np.trapezoid(np.exp(values - values.max()), grid)))


@pytest.mark.parametrize("alike", [1.0, 8.0, 64.0, 1000.0])
@pytest.mark.parametrize("ess", [1.0, 4.0])
def test_the_bound_is_close_to_the_integral_and_below(alike: float, ess: float) -> None:
    rng = np.random.default_rng(5)
    for sites, rows in ((2, 30), (5, 40), (10, 100)):
        hits = rng.binomial(rows, rng.beta(3, 3, sites))
        counts = np.array([hits, rows - hits])
        bound = make_score("bhd", site="site", ess=ess, alike=alike).score_family(table_of(counts), 0, [1])
        exact = by_quadrature(counts, ess, alike)
        assert exact - 0.6 < bound < exact + 1e-3  # that of the quadrature


def test_sites_that_are_as_one_are_pooled() -> None:
    rng = np.random.default_rng(6)
    data = Dataset.from_codes(rng.integers(0, [2, 3, 4], (200, 3)), names=["a", "b", "site"])
    pooled, apart = make_score("bdeu", ess=2), make_score("bhd", site="site", ess=2, alike=1e9)
    for child, parents in ((0, [2]), (1, [0, 2]), (0, [1, 2])):
        expected = pooled.score_family(data, child, [p for p in parents if p != 2])
        assert apart.score_family(data, child, parents) == pytest.approx(expected, abs=1e-4)


def opposite(seed: int) -> Dataset:
    """Draw x -> y with the opposite sign in every other site, and z, whose level differs between sites as that of x."""
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 5, 600)
    level = 0.2 + 0.15 * site
    x, z = rng.random(600) < level, rng.random(600) < level
    y = rng.random(600) < np.where(x == (site % 2 == 1), 0.8, 0.2)
    return Dataset.from_codes(np.column_stack([x, y, z, site]).astype(int), names=["x", "y", "z", "site"])


def test_edges_within_sites_are_found_and_those_between_levels_are_not() -> None:
    """Pooled rows hide the first and show the second."""
    pooled = make_score("bdeu")
    for seed in range(5):
        data = opposite(seed)
        apart = Bhd.of(data, "site")
        assert apart.score_family(data, 1, [0, 3]) > apart.score_family(data, 1, [3]) + 5
        assert apart.score_family(data, 2, [0, 3]) < apart.score_family(data, 2, [3])
        assert pooled.score_family(data, 2, [0]) > pooled.score_family(data, 2, [])


def test_how_alike_sites_are_is_found() -> None:
    rng = np.random.default_rng(7)
    for true in (2.0, 1000.0):
        tables = rng.dirichlet([true / 3] * 3, size=(6, 4))
        site = rng.integers(0, 6, 1500)
        columns = [(rng.random(1500)[:, None] > tables[site, k].cumsum(axis=1)).sum(axis=1) for k in range(4)]
        data = Dataset.from_codes(np.column_stack([*columns, site]), names=["a", "b", "c", "d", "site"])
        found = Bhd.of(data, "site").alike
        assert (found <= 16) if true == 2 else (found >= 128)


def test_mistakes_are_told() -> None:
    with pytest.raises(OptionError, match="needs site="):
        make_score("bhd")
    with pytest.raises(DataError, match="nowhere"):
        make_score("bhd", site="nowhere").score_family(opposite(0), 0, [1])

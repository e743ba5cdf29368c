"""R-hat, effective numbers of draws, and the verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata
from tests.posterior.chain_tables import random_table

from arcwise.posterior.chain_posterior import (
    PairIndicators,
    effective_draws,
    rank_effective_draws,
    rank_r_hat,
    share_r_hat,
)


def autoregressive(chains: int, draws: int, memory: float, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.empty((chains, draws))
    found[:, 0] = rng.normal(size=chains) / math.sqrt(1 - memory**2)
    for i in range(1, draws):
        found[:, i] = memory * found[:, i - 1] + rng.normal(size=chains)
    return found


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_effective_draws_of_an_autoregression_are_what_theory_says(memory: float) -> None:
    values = autoregressive(4, 20_000, memory)
    expected = 80_000 * (1 - memory) / (1 + memory)
    assert effective_draws(values) == pytest.approx(expected, rel=0.1)
    # Of the ranks: a monotone change of the values changes nothing.
    assert rank_effective_draws(np.exp(values)) == pytest.approx(rank_effective_draws(values), rel=1e-9)
    assert rank_r_hat(values) < 1.01


def test_ranks_are_those_of_scipy_with_ties() -> None:
    values = np.random.default_rng(3).integers(0, 20, size=(4, 500)).astype(float)
    parts = np.concatenate([values[:, :250], values[:, 250:]])
    ranks = rankdata(parts, method="average").reshape(parts.shape)
    assert rank_effective_draws(values) == pytest.approx(
        effective_draws(norm.ppf((ranks - 3 / 8) / (parts.size + 1 / 4))), rel=1e-12
    )


def test_r_hat_sees_chains_with_other_means_and_with_other_spreads() -> None:
    values = autoregressive(4, 2000, 0.0)
    assert rank_r_hat(values) < 1.01
    assert rank_r_hat(values + np.array([0, 0, 0, 1])[:, None]) > 1.05
    assert rank_r_hat(values * np.array([1, 1, 1, 3])[:, None]) > 1.05
    assert rank_r_hat(values + np.linspace(0, 1, 2000)) > 1.02  # a drift that all chains share: halves differ
    assert rank_r_hat(np.zeros((4, 100))) == 1.0
    assert rank_r_hat(np.repeat(np.arange(4.0), 100).reshape(4, 100)) == math.inf


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    chains=st.integers(2, 4),
    draws=st.integers(8, 300),
    stickiness=st.sampled_from([0.0, 0.5, 0.9, 0.99]),
)
def test_indicators_are_summed_up_as_their_series_are(seed: int, chains: int, draws: int, stickiness: float) -> None:
    table = random_table(4, 3)
    rng = np.random.default_rng(seed)
    sizes = np.diff(table.node_offsets)
    rows = np.empty((chains, draws, 4), dtype=np.uint32)
    for c in range(chains):
        now = rng.integers(0, sizes)
        for i in range(draws):
            if rng.random() >= stickiness:
                now = np.where(rng.random(4) < 0.5, rng.integers(0, sizes), now)
            rows[c, i] = now
    found = PairIndicators.of(table.native, rows)
    half = draws // 2
    sets = [[set(table.parents_of(row)) for row in table.rows_of(v)] for v in range(4)]
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    for k, (i, j) in enumerate(pairs):
        forward = np.array([[i in sets[j][r] for r in own] for own in rows[:, :, j]])
        backward = np.array([[j in sets[i][r] for r in own] for own in rows[:, :, i]])
        for kind, series in enumerate((forward, backward, forward | backward)):
            parts = np.concatenate([np.stack([own[:half], own[draws - half :]]) for own in series]).astype(float)
            np.testing.assert_allclose(found.shares[k, kind].reshape(-1), parts.mean(axis=1), atol=1e-12)
            expected = effective_draws(parts)
            if np.isnan(found.effective[k, kind]):
                assert parts.std() == 0
            elif not math.isnan(expected):
                assert found.effective[k, kind] == pytest.approx(expected, rel=1e-6)


def test_r_hat_of_an_indicator_is_that_of_its_ranks() -> None:
    values = (autoregressive(4, 400, 0.8) > 0.7).astype(float)
    halves = values.reshape(8, 200).mean(axis=1)
    assert share_r_hat(halves, 200) == pytest.approx(rank_r_hat(values), rel=1e-12)
    assert share_r_hat(np.zeros(8), 200) == 1.0
    assert share_r_hat(np.array([0.0, 1, 0, 1, 0, 1, 0, 1]), 200) == math.inf

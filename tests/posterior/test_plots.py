"""Traces and ranks of chains, and ArviZ's numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.posterior.chain_tables import random_table, two_modes

from arcwise import datasets
from arcwise.analysis import learn
from arcwise.ensemble import sample_posterior
from arcwise.limits import Limits
from arcwise.posterior.chain_posterior import RANK_BINS, rank_counts, rank_effective_draws, rank_r_hat, share_r_hat
from arcwise.report import Chart


def test_ranks_are_spread_evenly_where_chains_agree() -> None:
    rng = np.random.default_rng(1)
    same = rank_counts(rng.normal(size=(4, 5000)))
    assert same.sum(axis=0).tolist() == [1000] * RANK_BINS
    assert np.abs(same - 250).max() < 70
    indicator = rank_counts(rng.random((4, 5000)) < 0.3)  # two values: ties in random order
    assert np.abs(indicator - 250).max() < 70
    apart = rank_counts(rng.normal(size=(2, 5000)) + np.array([[0.0], [9.0]]))
    assert apart[0, :10].sum() == apart[1, 10:].sum() == 5000


def test_traces_and_ranks_are_drawn_for_the_least_sure(tmp_path: Path) -> None:
    found = sample_posterior(random_table(4, 2), seed=1, limits=Limits(count=400))
    traces = list(found.traces())
    figure = found.plot_trace(3)
    assert [panel.get_title() for panel in figure.axes[::2]] == traces[:3]
    assert [len(panel.lines) for panel in figure.axes[1::2]] == [4, 4, 4]
    ranks = found.plot_rank(2)
    assert [panel.get_title() for panel in ranks.axes] == traces[:2]
    assert [len(panel.patches) for panel in ranks.axes] == [4 * RANK_BINS] * 2
    for number, drawn in enumerate((figure, ranks)):
        drawn.savefig(tmp_path / f"{number}.png")


def test_chains_stuck_in_different_modes_have_uneven_ranks() -> None:
    found = sample_posterior(two_modes(), seed=1, chains=8, limits=Limits(count=400))
    edges = np.stack([found.rows[:, :, 3] == row for row in range(3)])
    uneven = max(np.abs(rank_counts(own) / (300 / RANK_BINS) - 1).max() for own in edges)
    assert uneven > 0.9


def test_arviz_finds_our_numbers() -> None:
    az = pytest.importorskip("arviz", reason="ArviZ is not installed: pip install 'arcwise[arviz]'")
    found = sample_posterior(random_table(4, 2), seed=1, steps=3, limits=Limits(count=401))
    exported = found.to_arviz()
    assert exported.posterior["score"].shape == (4, 301)
    r_hat, effective = az.rhat(exported), az.ess(exported)
    assert float(r_hat["score"]) == pytest.approx(rank_r_hat(found.scores), rel=1e-9)
    assert float(effective["score"]) == pytest.approx(rank_effective_draws(found.scores), rel=0.01)
    pairs = found.indicators
    compared = 0
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        name = f"{found.names[i]} - {found.names[j]}"
        if name in exported.posterior:
            ours = share_r_hat(pairs.shares[k, 2].reshape(-1), pairs.length)
            assert float(r_hat[name]) == pytest.approx(float(ours), rel=1e-9)
            assert float(effective[name]) == pytest.approx(pairs.effective[k, 2], rel=0.01)
            compared += 1
    assert compared >= 4


def test_the_report_shows_traces_ranks_and_what_was_left_out() -> None:
    data = datasets.load("balance-scale")
    analysis = learn(data, method="posterior", compare=False, seed=1, settings={"way": "chains", "most_draws": 1000})
    assert analysis.main.chains is not None
    blocks = next(section.blocks for section in analysis.report.sections if section.key == "ensemble")
    trace, ranks = [block for block in blocks if isinstance(block, Chart)][:2]
    assert [series.label for series in trace.series] == [f"chain {k}" for k in (1, 2, 3, 4)]
    assert max(max(series.y) for series in trace.series) <= 0
    assert trace.caption.startswith("Traces")
    assert ranks.caption.startswith("Ranks")
    assert np.mean([series.y for series in ranks.series]) == pytest.approx(1, abs=0.01)
    assert any("what was left out has at most" in getattr(block, "text", "") for block in blocks)

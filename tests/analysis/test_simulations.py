"""Every report shows how reliable confidences were in simulated data, as far as the work allows, or says why not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets
from arcwise.findings import checks
from arcwise.findings.checks import plan_simulations

QUICK = {"permutations": 0, "seed": 1, "replicates": 40}
NOT_TRIED = "How often that is so in data simulated from these networks was not tried"


def said(analysis: arcwise.Analysis) -> str:
    return " ".join(analysis.to_text().split())


def test_a_report_says_how_many_data_sets_and_networks() -> None:
    analysis = arcwise.learn(datasets.load("iris"), **QUICK)
    assert analysis.simulated is not None
    assert (analysis.simulated.repeats, analysis.simulated.members) == checks.FULL
    assert "In 10 data sets that were simulated from these networks and learned from alike, 30 networks each" in said(
        analysis
    )
    assert "in simulated data" in analysis.to_html()


def test_more_work_means_fewer_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MOST_FULL", 0.0)
    analysis = arcwise.learn(datasets.load("iris"), **QUICK)
    assert "In 5 data sets that were simulated from these networks and learned from alike, 20 networks each" in said(
        analysis
    )
    monkeypatch.setattr(checks, "MOST_FEW", 0.0)
    analysis = arcwise.learn(datasets.load("iris"), **QUICK)
    assert analysis.simulated is None
    assert f"{NOT_TRIED}: with 5 variables and 150 cases it would take too long." in said(analysis)


def test_a_report_says_why_nothing_was_simulated() -> None:
    data = datasets.load("iris")
    assert f"{NOT_TRIED}: comparisons were not asked for." in said(arcwise.learn(data, compare=False, **QUICK))
    random = np.random.default_rng(1)
    a = random.integers(0, 2, 300)
    table = pd.DataFrame({"a": a, "b": np.where(random.random(300) < 0.8, a, 1 - a)}).astype(str)
    table["c"] = np.where(random.random(300) < 0.2, None, random.choice(["u", "v"], 300))
    gaps = arcwise.learn(table, impute="completions", **QUICK)
    assert f"{NOT_TRIED}: values were missing, and what is simulated has no gaps." in said(gaps)


def test_other_sources_are_simulated_from_as_a_whole_or_not_at_all() -> None:
    assert plan_simulations(40, 20_000, is_sample=False) == checks.SimulationPlan(*checks.FULL)
    assert plan_simulations(41, 100, is_sample=False).refusal
    assert plan_simulations(41, 100, is_sample=True).sets == checks.FULL[0]
    works = [checks._work(n, cases) for n, cases in ((20, 500), (37, 5_000), (109, 5_000), (223, 5_000))]
    assert works == sorted(works)

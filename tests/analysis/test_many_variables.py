"""`learn` with more variables than a page can draw: what is done otherwise is said, and every file is written."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import datasets
from arcwise.analysis.folder import FILES
from arcwise.confidence import EdgeConfidence
from arcwise.findings import edges, method_result
from arcwise.report import html, remarks
from arcwise.report import page as evidence_plan

edge_prior = importlib.import_module("arcwise.priors.optima")  # the package has a function of that name
confidences = importlib.import_module("arcwise.confidence.edge_confidence")
MODULES = (method_result, confidences, evidence_plan, html, remarks, edge_prior)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four variables are many, and three pairs."""
    for module in MODULES:
        monkeypatch.setattr(module, "MANY_VARIABLES", 4)
    for module in (edges, remarks):
        monkeypatch.setattr(module, "MOST_DESCRIBED", 3)


def test_what_is_left_out_is_said_and_the_rest_is_the_same(many: None, tmp_path: Path) -> None:
    found = arcwise.learn(datasets.load("balance-scale"), replicates=20, permutations=0, compare=False, seed=1)
    remarks = " ".join(remark.text for remark in found.remarks)
    assert "With more than 4 variables" in remarks and "what is around one of them" in remarks
    assert "more than 3 pairs to describe" in remarks and all(edge.prior is None for edge in found.edges)
    assert found.main.experiments is None
    assert "too many for that here" in found.report.network.evidence.refusal
    folder = found.save(tmp_path / "report")
    assert {path.name for path in folder.iterdir()} == set(FILES)
    again = EdgeConfidence.load(folder / "confidence.parquet")
    np.testing.assert_allclose(again.present, found.confidence.present)
    assert remarks[:40] in json.loads((folder / "run.json").read_text())["result"]["remarks"][0]


def test_sensitivity_of_all_families_at_once_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    data = datasets.load("balance-scale")
    dag = arcwise.hill_climb(data, "bic").dag
    each = edge_prior.prior_sensitivity(data, dag)
    monkeypatch.setattr(edge_prior, "MANY_VARIABLES", 4)
    at_once = edge_prior.prior_sensitivity(data, dag)
    np.testing.assert_allclose(at_once.by_node, each.by_node)
    np.testing.assert_allclose(at_once.sweep, each.sweep)
    assert (at_once.lower, at_once.score, at_once.upper) == pytest.approx((each.lower, each.score, each.upper))

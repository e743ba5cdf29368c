"""What the package ships is what the frozen summary of its study says, and it does what it promises."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from arcwise.confidence import learned_table
from arcwise.confidence.learned_table import GRID, published_table
from arcwise.confidence.meta_ensemble import training_table
from arcwise_studies import read_study

STUDIES = Path(__file__).resolve().parents[2] / "studies"
if not STUDIES.is_dir():
    pytest.skip("a source distribution has no studies", allow_module_level=True)
FROZEN = STUDIES / "summaries" / "liao-thresholds"


def frozen(name: str) -> pd.DataFrame:
    return pd.read_csv(FROZEN / f"{name}.csv")


def test_the_shipped_thresholds_are_those_of_the_frozen_summary() -> None:
    table = learned_table()
    summary = frozen("thresholds")
    assert len(summary) == len(table.entries)
    for row in summary.to_dict(orient="records"):
        entry = table.entries[row["method"], row["score"], row["cases"], row["metric"], row["weight"]]
        assert (entry.threshold, entry.proxies, entry.networks) == (row["threshold"], row["cells"], row["networks"])
        assert entry.loss == pytest.approx(row["loss"], abs=1e-6)
        assert entry.errors[round(entry.threshold * 20)] == min(entry.errors)
        assert len(entry.errors) == len(GRID)


def test_the_products_know_their_study() -> None:
    facts = json.loads((FROZEN / "summary.json").read_text(encoding="utf-8"))
    digest = read_study(STUDIES / "liao-thresholds.toml").digest
    for provenance in (learned_table().provenance, training_table().provenance):
        assert provenance["study"] == "liao-thresholds"
        assert provenance["configuration"] == facts["digest"] == digest
        assert provenance["cells"] == {key: value for key, value in facts["cells"]["discovery"].items() if value}
        assert provenance["version"] == facts["version"]
    assert learned_table().provenance["results"] == training_table().provenance["results"]


def test_every_group_of_every_score_was_learned() -> None:
    table = learned_table()
    for method, scores in (("bootstrap", table.scores("bootstrap")), ("credible", table.scores("credible"))):
        assert scores == ("aic", "bdeu", "bic", "qbdj", "qnml")
        for key in published_table().entries:
            if key[0] == method:
                assert key in table.entries


@pytest.mark.parametrize("method", ["bootstrap", "credible"])
@pytest.mark.parametrize("metric", ["shd", "f", "cost"])
def test_on_left_out_networks_the_learned_rule_is_at_least_as_good_as_one_half(metric: str, method: str) -> None:
    """Borda points over all weights; where 0.5 does better for a single weight, the page on Liao says so."""
    table = frozen("learned-against-half")
    points = table[(table["metric"] == metric) & (table["method"] == method)][["0.5", "learned"]].sum()
    assert points["learned"] >= points["0.5"] > 0

"""The frozen summaries belong to the studies as they stand, and leave no cell out."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from arcwise_studies import plan_study, read_study

STUDIES = Path(__file__).resolve().parents[2] / "studies"
if not STUDIES.is_dir():
    pytest.skip("a source distribution has no studies", allow_module_level=True)
FROZEN = sorted(path.parent for path in (STUDIES / "summaries").glob("*/summary.json"))


@pytest.mark.parametrize("folder", FROZEN, ids=lambda folder: folder.name)
def test_a_frozen_summary_is_that_of_its_study(folder: Path) -> None:
    facts = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    study = read_study(STUDIES / f"{folder.name}.toml")
    assert facts["configuration"] == study.content, "run the study again and freeze its summary"
    assert facts["digest"] == study.digest
    counts = facts["cells"]
    assert sum(sum(by_status.values()) for by_status in counts.values()) == len(plan_study(study))
    assert all(by_status["pending"] == 0 for by_status in counts.values())
    for table in folder.glob("*.csv"):
        frame = pd.read_csv(table)
        assert "cells" in frame.columns, f"{table.name} does not say how many cells stand behind its rows"


def test_every_paper_has_a_frozen_summary() -> None:
    assert {"lau", "liao-density", "liao-scores", "liao-thresholds"} <= {folder.name for folder in FROZEN}

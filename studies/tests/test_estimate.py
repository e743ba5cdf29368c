"""How long a study takes, from measured cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcwise.errors import ConfigError
from arcwise.limits import Limits
from arcwise_studies import Study, estimate_study, plan_study
from arcwise_studies.experiments.overhead import OverheadSettings
from arcwise_studies.outcome import Outcome
from arcwise_studies.store import Store


def study_of(cells: int) -> Study:
    return Study("x", 1, {"overhead": OverheadSettings(cells=cells)}, Limits())


def test_a_cell_takes_as_long_as_those_that_are_most_alike(tmp_path: Path) -> None:
    small = study_of(8)
    plan = plan_study(small)
    store = Store(tmp_path / "x.duckdb")
    store.begin(small, plan)
    store.append([Outcome(cell.id, "finished", "", 2.0 ** cell.parameters["number"]) for cell in plan[:7]], 1)
    store.append([Outcome(plan[7].id, "limit", "time limit", 1000.0)], 1)
    same = estimate_study(small, store.path)
    assert (same.cells, same.measured) == (8, 8)
    assert same.seconds == pytest.approx(sum(2.0**n for n in range(7)) + 1000)
    assert same.like_limited == 1
    assert same.hours(2) == same.seconds / 7200
    # Cells with larger numbers are most like the largest that was measured.
    more = estimate_study(study_of(10), store.path)
    assert more.seconds == pytest.approx(same.seconds + 2000)
    assert more.like_limited == 3


def test_an_experiment_that_was_not_measured_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.duckdb")
    store.begin(study_of(1), plan_study(study_of(1)))
    with pytest.raises(ConfigError, match="no measured cell of the experiment 'overhead'"):
        estimate_study(study_of(1), store.path)

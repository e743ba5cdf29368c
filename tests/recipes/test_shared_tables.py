"""Tables of several scores from one pass of counting: the same sets, and each handed out once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arcwise import datasets
from arcwise.base.run import Run
from arcwise.confidence.by_recipe import carry_out
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.limits import Limits
from arcwise.recipes import source as shared_tables
from arcwise.recipes.credible import SharedTables

SCORES = ("qnml", "bdeu:ess=1", "bic")


def recipes(data: Dataset, **options: Any) -> list[Recipe]:
    size: Any = {"n_cases": data.n_cases, "arities": data.arities.tolist()}
    return [Recipe.usual("credible", score, **size, **{"max_parents": 3, **options}) for score in SCORES]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note for how many scores tables were built together, each time."""
    scores: list[int] = []
    build = shared_tables.build_parent_set_tables

    def noted(data: Dataset, given: list[Any], **options: Any) -> Any:
        scores.extend([len(given)] if len(given) > 1 else [])
        return build(data, given, **options)

    monkeypatch.setattr(shared_tables, "build_parent_set_tables", noted)
    return scores


def test_sets_are_those_of_tables_alone(built: list[int]) -> None:
    data = datasets.load("tic-tac-toe")
    plan = recipes(data)
    tables = SharedTables()
    tables.reserve(plan)
    for recipe in plan:
        alone = carry_out(recipe, data, Run(progress=False))
        shared = carry_out(recipe, data, Run(progress=False, tables=tables))
        assert alone.networks.count == shared.networks.count
        assert alone.confidence is not None and shared.confidence is not None
        assert np.array_equal(alone.confidence.present, shared.confidence.present)
    assert built == [3]


def test_other_data_limits_and_constraints_are_not_mixed_up(built: list[int]) -> None:
    data = datasets.load("tic-tac-toe")
    other = data.resample(1)
    plan = recipes(data)
    tables = SharedTables()
    tables.reserve([*plan[:2], *recipes(data, max_parents=2)[2:]])
    run = Run(progress=False, tables=tables)
    carry_out(plan[0], data, run)
    assert built == [2]
    for recipe, given in ((plan[1], other), (recipes(data, max_parents=2)[1], data), (plan[1], data)):
        alone = carry_out(recipe, given, Run(progress=False))
        assert carry_out(recipe, given, run).networks.count == alone.networks.count
    assert built == [2]


def test_what_does_not_fit_together_is_built_for_itself(built: list[int]) -> None:
    data = datasets.load("tic-tac-toe")
    tables = SharedTables()
    tables.reserve(recipes(data))
    run = Run(progress=False, tables=tables, limits=Limits(memory_bytes=2**12))
    made = carry_out(recipes(data)[2], data, run)
    assert (
        made.networks.count == carry_out(recipes(data)[2], data, Run(limits=run.limits, progress=False)).networks.count
    )
    assert built == [3]

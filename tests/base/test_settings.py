"""Rare settings are a frozen object, or keywords: both say the same, and a typo is told with the nearest name."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.data import Dataset, ReadingSettings, read_data, read_table
from arcwise.ensemble import BootstrapSettings, bootstrap_networks
from arcwise.errors import OptionError
from arcwise.local import (
    AscentSettings,
    ClimbSettings,
    GeneticSettings,
    StartSettings,
    TabuSettings,
    analyse_runs,
    first_ascent,
    genetic_search,
    hill_climb,
    tabu_search,
)
from arcwise.parent_sets import BuildSettings, build_parent_sets

STUB = Path(arcwise.__file__).with_name("keywords.pyi")
DATA = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (40, 4)), states=[["a", "b"]] * 4)
# Each function with its settings, and a keyword with a letter too few and what it stands for.
CASES: list[tuple[Callable[..., Any], type, str, str]] = [
    (hill_climb, ClimbSettings, "restart", "restarts"),
    (tabu_search, TabuSettings, "max_tab", "max_tabu"),
    (first_ascent, StartSettings, "densit", "density"),
    (genetic_search, GeneticSettings, "populatio", "population"),
    (analyse_runs, AscentSettings, "max_parent", "max_parents"),
    (bootstrap_networks, BootstrapSettings, "worker", "workers"),
    (build_parent_sets, BuildSettings, "thread", "threads"),
    (read_data, ReadingSettings, "separato", "separator"),
    (read_table, ReadingSettings, "heade", "header"),
]
each = pytest.mark.parametrize(("function", "kind", "wrong", "right"), CASES, ids=[c[0].__name__ for c in CASES])


def _last(function: Callable[..., Any]) -> str:
    return list(inspect.signature(function).parameters)[-1]


@each
def test_keywords_are_the_fields(function: Any, kind: Any, wrong: str, right: str) -> None:
    fields = [field.name for field in dataclasses.fields(kind)]
    stub = ast.parse(STUB.read_text(encoding="utf-8"))
    name = inspect.signature(function).parameters[_last(function)].annotation.removeprefix("Unpack[").removesuffix("]")
    keywords = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    assert [ast.unparse(node.target) for node in keywords.body if isinstance(node, ast.AnnAssign)] == [
        "settings",
        *fields,
    ]
    assert right in fields
    own = {n for n, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD}
    assert not own & set(fields)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(kind(), right, None)


@each
def test_a_typo_is_told(function: Any, kind: Any, wrong: str, right: str, tmp_path: Path) -> None:
    given: Any = DATA
    if function in (read_data, read_table):
        given = tmp_path / "a.csv"
        given.write_text("a,b\nx,y\ny,x\n")
    with pytest.raises(
        OptionError, match=rf"{function.__name__} takes no argument '{wrong}'; did you mean '{right}'\?"
    ):
        function(given, **{wrong: 1})


def test_a_typo_of_an_argument_of_all_searches_is_told() -> None:
    with pytest.raises(OptionError, match=r"hill_climb takes no argument 'max_parent'; did you mean 'max_parents'\?"):
        hill_climb(DATA, max_parent=1)  # type: ignore[call-arg]


def test_an_object_and_keywords_are_the_same() -> None:
    one = hill_climb(DATA, "bic", restarts=3, perturb=2, seed=1)
    other = hill_climb(DATA, "bic", settings=ClimbSettings(restarts=3, perturb=2), seed=1)
    mixed = hill_climb(DATA, "bic", settings=ClimbSettings(restarts=9, perturb=2), restarts=3, seed=1)
    for found in (other, mixed):
        assert (found.dag, found.score, found.restarts) == (one.dag, one.score, one.restarts)
    with pytest.raises(OptionError, match=r"settings=dict\(...\) must be a ClimbSettings for hill_climb"):
        hill_climb(DATA, settings={"restarts": 3})  # type: ignore[typeddict-item]


def test_a_seed_is_a_number_or_a_generator() -> None:
    one = tabu_search(DATA, start="random", seed=np.random.default_rng(7))
    other = tabu_search(DATA, start="random", seed=one.seed)
    assert one.dag == other.dag
    fresh = tabu_search(DATA, start="random")
    assert fresh.seed >= 0


def test_settings_by_position_begin_with_their_own() -> None:
    assert ClimbSettings(5).restarts == TabuSettings(5).restarts == GeneticSettings(5).population == 5

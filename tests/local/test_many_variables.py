"""Searches over many variables: the first rows of scores hear a limit of time, and memory is asked for first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from arcwise.data import Dataset, MixedData
from arcwise.data.column import VariableKind
from arcwise.errors import DataError
from arcwise.limits import Limits, Status
from arcwise.local import LocalSearchResult, first_ascent, genetic_search, hill_climb, problem, tabu_search

VARIABLES = 120
CODES = np.random.default_rng(1).integers(0, 3, (30, VARIABLES))


def states(codes: np.ndarray) -> Dataset:
    return Dataset.from_codes(codes, states=[[str(k) for k in range(codes.max() + 1)]] * codes.shape[1])


DATA = {
    "states": (states(CODES), "bdeu"),
    "many states": (states(np.random.default_rng(2).integers(0, 80, (300, VARIABLES))), "bic"),
    "no sums": (states(CODES), "qbdj"),
    "numbers": (
        MixedData(
            np.random.default_rng(3).normal(size=(VARIABLES, 30)),
            tuple(f"v{k}" for k in range(VARIABLES)),
            (VariableKind.NUMBER,) * VARIABLES,
            ((),) * VARIABLES,
        ),
        "bic-dg",
    ),
}


@pytest.mark.parametrize("search", [hill_climb, tabu_search, first_ascent, genetic_search])
@pytest.mark.parametrize("kind", DATA)
def test_no_time_scores_no_pairs(kind: str, search: Callable[..., LocalSearchResult]) -> None:
    data, score = DATA[kind]
    found = search(data, score, max_parents=2, limits=Limits(seconds=1e-9), progress=False)
    assert found.status is Status.TIME_LIMIT
    assert found.families_scored < 20 * VARIABLES  # of 14,400 beside one network; a population has sixteen


def test_more_pairs_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = states(CODES)
    monkeypatch.setattr(problem, "available_memory", lambda: 100_000)
    with pytest.raises(DataError, match=r"0\.000346 GB for 120 variables"):
        hill_climb(data, "bic", progress=False)
    monkeypatch.setattr(problem, "available_memory", lambda: 400_000)
    assert hill_climb(data, "bic", progress=False, refine=0).complete

"""What branch and bound does depends on its input alone: the clock may end it, and never leads it another way."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.exact import certify_optimal, find_optimal
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets


@pytest.fixture(scope="module")
def noise() -> ParentSetTable:
    """Thirty rows of coin tosses under a large prior: the relaxation has a gap, so that the search must branch."""
    codes = np.random.default_rng(0).integers(0, 2, size=(30, 10))
    return build_parent_sets(Dataset.from_codes(codes, states=[["0", "1"]] * 10), "bdeu:ess=20", progress=False)


@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_the_solver_is_given_all_the_time_that_is_left(
    noise: ParentSetTable, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slice of seconds ends elsewhere on a busy machine, and the simplex method then goes on to another vertex."""
    run, left = highspy.Highs.run, []

    def watched(solver: Any) -> Any:
        left.append(solver.getOptionValue("time_limit")[1] - solver.getRunTime())
        return run(solver)

    monkeypatch.setattr(highspy.Highs, "run", watched)
    found = find_optimal(noise, method="branch-and-bound", limits=Limits(seconds=seconds), progress=False)
    assert found.is_proved
    assert found.nodes > 1
    assert min(left) > (900 if seconds else 1e8)


def test_slices_of_iterations_lead_to_the_same_optimum(
    noise: ParentSetTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However short the slices are, the optimum is proved; and equal runs write equal certificates."""
    best = find_optimal(noise, method="dp", progress=False).score
    for iterations in (3, 2_000):
        monkeypatch.setattr("arcwise.exact.relaxation.SLICE_ITERATIONS", iterations)
        written = []
        for path in (tmp_path / "first.json", tmp_path / "second.json"):
            found = certify_optimal(noise, path, progress=False)
            assert found.is_proved
            assert math.isclose(found.score, best, rel_tol=0, abs_tol=1e-9)
            written.append(path.read_bytes())
        assert written[0] == written[1]


def test_time_that_is_over_inside_the_solver_is_told(noise: ParentSetTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS sees the end of the time a little before or after the budget does: the status is that of the limit."""
    run = highspy.Highs.run

    def hurried(solver: Any) -> Any:
        solver.setOptionValue("time_limit", solver.getRunTime())
        return run(solver)

    monkeypatch.setattr(highspy.Highs, "run", hurried)
    found = find_optimal(noise, method="branch-and-bound", limits=Limits(seconds=1000.0), progress=False)
    assert found.status is Status.TIME_LIMIT
    best = find_optimal(noise, method="dp", progress=False).score
    assert found.score - 1e-9 <= best <= found.upper_bound + 1e-9

"""Whatever the clock decides in an analysis shows in its status: the clock leaps at any of the looks at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.analysis import Analysis
from arcwise.confidence import next_experiment
from arcwise.data import Dataset
from arcwise.errors import ArcwiseError
from arcwise.graph import Constraints
from arcwise.limits import Status

LIMIT = 1000.0
# In seconds, past some of the shares of the limit that steps are given, and past all of it.
LEAPS = (60.0, 160.0, 320.0, 520.0, 720.0, 1100.0)


class LeapingClock:
    """A clock that stands nearly still, and leaps once, at a given look."""

    def __init__(self) -> None:
        self.looks, self.at, self.leap = 0, 0, 0.0

    def monotonic(self) -> float:
        self.looks += 1
        return 1e-6 * self.looks + (self.leap if 0 < self.at <= self.looks else 0.0)


def cases(n: int) -> Dataset:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (120, n))
    codes[:, 1:] = np.where(rng.random((120, n - 1)) < 0.7, codes[:, :-1], codes[:, 1:])
    return Dataset.from_codes(codes, names=list("abcdef"[:n]), states=[["n", "y"]] * n)


def numbers() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    values = rng.normal(size=(100, 3))
    values[:, 1:] += values[:, :-1]
    return pd.DataFrame(values, columns=list("xyz"))


PLAIN: dict[str, Any] = {"seed": 1, "compare": False, "permutations": 0, "limit_seconds": LIMIT, "replicates": 30}
ANALYSES: dict[str, Callable[[], Analysis]] = {
    "plain": partial(learn, cases(4), **PLAIN),
    "constrained": partial(learn, cases(4), constraints=Constraints(tuple("abcd"), required=[("a", "b")]), **PLAIN),
    "target": partial(learn, cases(4), target="c", **PLAIN),
    "numbers": partial(learn, numbers(), discretize="joint", **PLAIN | {"compare": True}),
    "posterior": partial(learn, cases(4), method="posterior", score="bic", **PLAIN),
}


SLOW = ("numbers", "posterior")


@pytest.mark.parametrize(
    "name", [name if name == "plain" else pytest.param(name, marks=pytest.mark.slow) for name in ANALYSES]
)
def test_what_the_clock_decides_shows_in_the_status(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LeapingClock()
    monkeypatch.setattr("arcwise.base.run.time", clock)
    run = ANALYSES[name]
    whole = run()
    assert whole.complete
    told, looks, rng = whole.to_text(), clock.looks, np.random.default_rng(7)
    changed = 0
    for leap in LEAPS * (1 if name in SLOW else 2):
        clock.looks, clock.at, clock.leap = 0, int(rng.integers(2, looks)), leap
        try:
            found = run()
        except ArcwiseError:  # nothing was finished, which is said
            continue
        changed += not found.complete
        assert not found.complete or found.to_text() == told, (clock.at, leap)
    assert changed  # some leaps were past what decides


def test_the_share_of_the_posterior_that_time_left_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.analysis.additions.COVERED_SHARE", 0.0)
    found = learn(cases(4), method="credible", **PLAIN)
    assert found.main.credible is not None
    assert found.main.credible.covered is None
    assert not found.complete
    assert "the time did not suffice" in found.to_text()


def test_an_experiment_that_was_not_found_in_its_share_of_the_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LeapingClock()
    monkeypatch.setattr("arcwise.base.run.time", clock)

    def leap(*arguments: Any, **options: Any) -> Any:
        clock.at, clock.leap = clock.looks + 3, 0.3 * LIMIT  # past its share, not past the whole limit
        return next_experiment(*arguments, **options)

    whole = ANALYSES["plain"]()
    assert whole.complete and "Which experiment next" in whole.to_text()
    monkeypatch.setattr("arcwise.findings.method_result.next_experiment", leap)
    clock.looks = 0
    found = ANALYSES["plain"]()
    assert "Which experiment next" not in found.to_text()
    assert found.status is Status.TIME_LIMIT and "experiments may be missing" in found.to_text()

"""Which findings are the data's and which the analyst's own words: by comparison with the data's part alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.analysis import Analysis
from arcwise.graph import Beliefs, Constraints

QUICK: dict[str, Any] = {"permutations": 0, "compare": False, "seed": 1}
NAMES = ("a", "b", "c", "d")


def cases(rows: int = 500) -> pd.DataFrame:
    """Return a chain a - b - c, whose directions no data tell, and d apart."""
    random = np.random.default_rng(11)

    def like(other: Any, share: float) -> Any:
        return np.where(random.random(rows) < share, other, random.integers(0, 2, rows))

    a = random.integers(0, 2, rows)
    b = like(a, 0.7)
    c = like(b, 0.7)
    d = random.integers(0, 2, rows)
    return pd.DataFrame(dict(zip(NAMES, (a, b, c, d), strict=True))).astype(str)


def learn(**options: Any) -> Analysis:
    return arcwise.learn(cases(), **{**QUICK, **options})


def test_the_price_and_what_the_data_would_have_leave_the_odds_out() -> None:
    known = Constraints(NAMES, separate=[("a", "d")])
    # Without the constraint the odds, not the data, would have an edge between a and d.
    believed = learn(constraints=known, beliefs=Beliefs(edges=[("a", "d", 1e9)]))
    plain = learn(constraints=known)
    assert believed.price is not None
    assert plain.price is not None
    assert believed.price.cost == pytest.approx(plain.price.cost, abs=1e-9)
    assert believed.price.is_factor
    without = believed.edge("a", "d").origin.without
    assert without is not None
    assert without.present < 0.5
    costly = learn(constraints=Constraints(NAMES, separate=[("a", "b")]), beliefs=Beliefs(edges=[("a", "d", 3)]))
    assert costly.price is not None
    text = costly.to_text()
    assert "The data object to there being no arc between a and b by a factor of" in " ".join(text.split())
    assert ", a factor of" in " ".join(text.split()).split("They lowered the log score of the best network by")[1][:60]

"""Completions of numbers, scales and categories: what they leave alone, and whether they say what was missing."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arcwise.data.dataset import Incomplete
from arcwise.data.mixed import MixedData
from arcwise.sampled.number_completions import NumberCompletions

ROWS = 1500


def whole() -> MixedData:
    """Numbers, one of them lognormal, a scale and two categories that all hang together."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=ROWS)
    b = 0.8 * a + 0.6 * rng.normal(size=ROWS)
    frame = pd.DataFrame(
        {
            "a": a,
            "b": b,
            "c": np.where(rng.random(ROWS) < 1 / (1 + np.exp(-1.5 * b)), "y", "n"),
            "s": np.clip(np.round(2 + b + 0.7 * rng.normal(size=ROWS)), 0, 4).astype(int),
            "e": np.exp(0.7 * a + 0.5 * rng.normal(size=ROWS)),
            "t": np.array(list("pqr"))[np.clip((a + rng.normal(size=ROWS) + 1.5).astype(int), 0, 2)],
        }
    )
    return MixedData.from_dataframe(frame)


def completions_of(data: MixedData, missing: np.ndarray, seed: int = 1) -> NumberCompletions:
    values = np.array(data.values)
    for v, own in enumerate(missing):
        values[v, own] = values[v, ~own][0]  # anything
    held = data._unchecked(values, None, None, None)
    return NumberCompletions(Incomplete(held.as_dataset(), missing), held, count=8, seed=seed)


def test_what_is_observed_stays_and_what_is_missing_is_drawn_from_the_rest_of_the_row() -> None:
    data = whole()
    # Missing at random: b where a is high, so that the rows without gaps are another population.
    missing = np.random.default_rng(1).random(data.values.shape) < 0.25
    missing[0] = False
    missing[1] = (data.values[0] > 0.3) & (np.random.default_rng(2).random(ROWS) < 0.8)
    found = completions_of(data, missing)
    drawn = [values.values for values, _ in (found.state(k) or () for k in range(8))]  # type: ignore[misc]
    for values in drawn:
        assert np.array_equal(values[~missing], data.values[~missing])
        for v, own in enumerate(missing):
            assert np.isin(values[v, own], data.values[v, ~own]).all()  # a number that the column has
    truth = np.corrcoef(data.values)
    mean = np.mean([np.corrcoef(values) for values in drawn], axis=0)
    assert np.abs(mean - truth)[np.ix_([0, 1, 3], [0, 1, 3])].max() < 0.08
    # Of the values seen the mean is far too low; completed, it is not.
    seen = data.values[1, ~missing[1]].mean()
    completed = float(np.mean([values[1].mean() for values in drawn]))
    assert data.values[1].mean() - seen > 0.2 and abs(completed - data.values[1].mean()) < 0.1
    assert not np.array_equal(drawn[0], drawn[1])


def test_the_same_seed_gives_the_same_completions_and_another_does_not() -> None:
    data = whole()
    missing = np.random.default_rng(3).random(data.values.shape) < 0.1
    first, again, other = (completions_of(data, missing, seed).take(2) for seed in (4, 4, 5))
    pairs = list(zip(first, again, other, strict=True))
    assert all(np.array_equal(one.values, two.values) for one, two, _ in pairs)  # type: ignore[attr-defined]
    assert not any(np.array_equal(one.values, three.values) for one, _, three in pairs)  # type: ignore[attr-defined]


def test_columns_that_never_vary_or_are_copies_do_not_break_a_chain() -> None:
    data = whole().select(["a", "b", "c"])
    values = np.concatenate([data.values, data.values[:1], np.ones((1, ROWS))])
    number = data.kinds[0]
    doubled = MixedData(values, ("a", "b", "c", "copy", "one"), (*data.kinds, number, number), (*data.states, (), ()))
    missing = np.random.default_rng(3).random(values.shape) < 0.2
    found = completions_of(doubled, missing)
    drawn = next(iter(found.take(1)))
    assert np.isfinite(drawn.values).all() and (drawn.values[4] == 1).all()  # type: ignore[attr-defined]
    assert np.corrcoef(drawn.values[0], drawn.values[3])[0, 1] > 0.95  # type: ignore[attr-defined]

"""`Incomplete`: discrete data with gaps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from arcwise.data import Dataset, Incomplete, Table
from arcwise.data.impute import gap_dependences, gap_frame
from arcwise.errors import DataError


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": ["x", None, "y", "x"], "b": ["0", "1", None, "1"], "c": ["u", "v", "u", "v"]})


def test_gaps_are_kept_and_counted(frame: pd.DataFrame) -> None:
    data = Incomplete.from_dataframe(frame)
    assert data.states == (("x", "y"), ("0", "1"), ("u", "v"))
    assert data.missing.astype(int).tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert data.held.codes[data.missing].tolist() == [0, 0]
    assert data.shares_missing.tolist() == [0.25, 0.25, 0.0]
    assert data.pair_shares_missing.tolist() == [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.25, 0.25, 0.0]]
    assert data.share_of_complete_cases == 0.5
    assert data.observed_counts(0).tolist() == [2, 1]
    assert data.complete_cases().n_rows == 2
    assert repr(data) == "<Incomplete: 3 variables of 2 states, 4 rows, 2 missing values>"


def test_weights_count_as_cases(frame: pd.DataFrame) -> None:
    data = Incomplete.from_dataframe(frame.assign(w=[1, 3, 1, 1]), counts="w")
    assert (data.n_cases, data.n_rows) == (6, 4)
    assert data.shares_missing.tolist() == [0.5, 1 / 6, 0.0]
    whole = data.expand()
    assert whole.n_rows == 6
    np.testing.assert_allclose(whole.shares_missing, data.shares_missing)


def test_a_gap_state_tells_available_cases_apart(frame: pd.DataFrame) -> None:
    marked = Incomplete.from_dataframe(frame).with_gap_states()
    assert marked.states[0] == ("x", "y", "missing")
    assert marked.codes[0].tolist() == [0, 2, 1, 0]


def test_marked_gaps_stay_gaps(frame: pd.DataFrame) -> None:
    marked = Incomplete.from_dataframe(frame).with_gap_states()
    made = [
        marked.collapse(),
        marked.resample(1),
        marked.permute_columns(1),
        marked.take([0, 1]),
        marked.observations(),
    ]
    assert {type(data).__name__ for data in [*made, pickle.loads(pickle.dumps(marked))]} == {"GapStates"}
    values = Dataset(marked.codes, marked.names, marked.states, marked.weights)
    assert values.digest != marked.digest  # a value called "missing" is none that is missing


def test_samples_and_shuffles_keep_values_with_their_gaps(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    held = Dataset.from_codes(rng.integers(0, 3, size=(50, 3)))
    data = Incomplete(held, rng.random((3, 50)) < 0.3)
    shuffled = data.permute_columns(seed=2)
    for v in range(3):
        assert shuffled.observed_counts(v).tolist() == data.observed_counts(v).tolist()
    assert (shuffled.missing != data.missing).any()
    rows = data.resampled_rows(seed=3)
    sample = data.resample(seed=3)
    np.testing.assert_array_equal(sample.missing, data.missing[:, rows])
    rare = Incomplete(held, np.vstack([np.arange(50) != 7, np.zeros((2, 50), dtype=bool)]))
    for seed in range(20):
        assert not rare.resample(seed=seed).missing[0].all()


def test_digests_know_where_the_gaps_are(frame: pd.DataFrame) -> None:
    data = Incomplete.from_dataframe(frame)
    other = Incomplete(data.held, np.roll(data.missing, 1, axis=1))
    assert data.digest == Incomplete.from_dataframe(frame.copy()).digest
    assert data.digest != other.digest != data.held.digest


def test_what_is_wrong_is_said(frame: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="'b' has no value at all"):
        Incomplete(Dataset.from_codes([[0, 0], [1, 1]], names=["a", "b"]), [[False, False], [True, True]])
    with pytest.raises(DataError, match=r"shape \(1, 2\)"):
        Incomplete(Dataset.from_codes([[0, 0], [1, 1]]), np.zeros((1, 2), dtype=bool))
    with pytest.raises(DataError, match=r"column 'b' \(2 of 3\) has one distinct value"):
        Table.from_dataframe(frame.assign(b=["1", None, "1", "1"])).to_incomplete()


def test_gaps_that_depend_on_a_column_are_found_and_others_are_not() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, size=(600, 4))
    missing = np.zeros((4, 600), dtype=bool)
    missing[0] = rng.random(600) < np.where(codes[:, 1] == 1, 0.5, 0.2)
    missing[2] = rng.random(600) < 0.3
    tests = gap_dependences(Incomplete(Dataset.from_codes(codes, names=["a", "b", "c", "d"]), missing))
    assert len(tests) == 6
    assert [(t.variable, t.on) for t in tests if t.is_clear] == [("a", "b")]
    assert (tests[0].least, tests[0].most) == ("0", "1")
    assert tests[0].most_share == pytest.approx(missing[0][codes[:, 1] == 1].mean())
    assert gap_frame(tests)["p_value"].is_monotonic_increasing


def test_false_alarms_are_rare() -> None:
    """Holm's correction: at most 5 % of data sets whose gaps depend on nothing have any clear dependence."""
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        data = Dataset.from_codes(rng.integers(0, 3, size=(200, 5)), states=[list("012")] * 5)
        tests = gap_dependences(Incomplete(data, rng.random((5, 200)) < 0.25))
        alarms += any(test.is_clear for test in tests)
    assert alarms <= 20  # 10 expected; binomial, more than 20 has a chance of 0.001

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Table, impute
from arcwise.errors import DataError, OptionError


def labels(table: Table, name: str) -> list[str | None]:
    column = table.column(name)
    return [(*column.labels, None)[code] for code in column.codes]


@st.composite
def gappy(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(2, 25))
    cell = st.sampled_from(["a", "b", "c", None])
    frame = pd.DataFrame(
        {f"c{v}": [draw(cell) for _ in range(rows)] for v in range(draw(st.integers(1, 4)))}, dtype=object
    )
    frame.iloc[0] = "a"
    return frame


def knn_by_hand(frame: pd.DataFrame, k: int) -> pd.DataFrame:
    """The definition for categorical columns, row by row."""
    filled = frame.copy()
    for name in frame.columns:
        counts = frame[name].value_counts()
        for row in range(len(frame)):
            if frame.loc[row, name] is not None:
                continue
            ranked = []
            for donor in range(len(frame)):
                both = [c for c in frame.columns if frame.loc[row, c] is not None and frame.loc[donor, c] is not None]
                if frame.loc[donor, name] is not None and both:
                    differ = sum(frame.loc[row, c] != frame.loc[donor, c] for c in both)
                    ranked.append((np.float64(differ) / np.float64(len(both)), donor))
            near = [frame.loc[donor, name] for _, donor in sorted(ranked)[:k]]
            choices = near or list(counts.index)
            filled.loc[row, name] = min(set(choices), key=lambda s: (-near.count(s), -counts[s], s))
    return filled


@given(gappy(), st.integers(1, 6))
def test_knn_follows_its_definition(frame: pd.DataFrame, k: int) -> None:
    filled = impute(Table.from_dataframe(frame), method="knn", k=k)
    expected = knn_by_hand(frame, k)
    for name in frame.columns:
        assert labels(filled, name) == expected[name].tolist()


@pytest.mark.parametrize("k", [1, 5])
def test_knn_of_numbers_equals_scikit_learn(k: int) -> None:
    from sklearn.impute import KNNImputer

    rng = np.random.default_rng(5)
    values = rng.normal(size=(120, 4)).round(3)
    values = (values - values.min(axis=0)) / (values.max(axis=0) - values.min(axis=0))  # the range is our unit
    hidden = rng.random(values.shape) < 0.15
    hidden[values.argmin(axis=0), range(4)] = hidden[values.argmax(axis=0), range(4)] = False
    gaps = np.where(hidden, np.nan, values)
    ours = impute(pd.DataFrame(gaps, columns=list("abcd")), method="knn", k=k)
    np.testing.assert_allclose(ours.to_numpy(), KNNImputer(n_neighbors=k).fit_transform(gaps), rtol=1e-12)


def test_knn_mixes_quantities_and_categories() -> None:
    frame = pd.DataFrame({"x": [*map(float, range(30)), 29.4], "c": ["low"] * 15 + ["high"] * 15 + [None]})
    assert labels(impute(Table.from_dataframe(frame), k=3), "c")[-1] == "high"
    frame = pd.DataFrame({"x": [*map(float, range(30)), None], "c": ["low"] * 15 + ["high"] * 15 + ["low"]})
    filled = impute(frame, k=5)
    assert filled["x"].iloc[-1] == 2.0  # the mean of the first five of the fifteen equally near
    assert filled["x"].iloc[:-1].tolist() == list(map(float, range(30)))


def test_knn_in_batches_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    size = rng.normal(size=368).round(2)
    columns = {
        "size": size,
        "age": rng.integers(1, 90, 368),
        "ill": np.where(size + rng.normal(size=368) > 0, "y", "n"),
    }
    columns |= {f"sign {k}": rng.choice(["none", "some", "much"], 368) for k in range(9)}
    frame = pd.DataFrame(columns).astype(object)
    table = Table.from_dataframe(frame.mask(rng.random(frame.shape) < 0.3, None))
    whole = impute(table)
    assert whole.n_missing == {}
    events: list[int] = []
    monkeypatch.setattr(sys.modules["arcwise.data.impute"], "BATCH_PAIRS", 7 * 368)  # the function has the same name
    parts = impute(table, progress=lambda event: events.append(event.done))
    for left, right in zip(whole.columns, parts.columns, strict=True):
        assert left.labels == right.labels
        np.testing.assert_array_equal(left.codes, right.codes)
    assert len(events) > 40
    # What was there stays.
    for before, after in zip(table.columns, whole.columns, strict=True):
        known = ~before.is_missing
        assert after.labels[: len(before.labels)] == before.labels
        np.testing.assert_array_equal(after.codes[known], before.codes[known])


@given(gappy())
def test_mode_and_drop(frame: pd.DataFrame) -> None:
    filled = impute(Table.from_dataframe(frame), method="mode")
    for name in frame.columns:
        mode = sorted(frame[name].mode())[0]
        assert labels(filled, name) == [mode if value is None else value for value in frame[name]]
    dropped = impute(frame, method="drop")
    assert dropped.to_numpy().tolist() == frame.dropna().to_numpy().tolist()


def test_modes_are_weighted_and_drop_forgets_labels() -> None:
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", "x", "y", None], "b": list("pqpq")}), counts=[1, 1, 3, 1])
    assert labels(impute(table, method="mode"), "a")[-1] == "y"
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", "z", "y", "x"], "b": ["p", None, "q", "p"]}))
    assert impute(table, method="drop").to_dataset().states == (("x", "y"), ("p", "q"))


def test_complete_data_stay_as_they_are() -> None:
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", "y"], "b": ["p", "q"]}))
    assert impute(table) is table


def test_mistakes() -> None:
    frame = pd.DataFrame({"a": ["x", None], "b": [None, "q"], "c": ["p", "q"]})
    with pytest.raises(OptionError, match="unknown imputation method 'kn'; did you mean 'knn'"):
        impute(frame, method="kn")
    for k in (0, -1, 2.5):
        with pytest.raises(OptionError, match="k="):
            impute(frame, k=k)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="every one of the 2 rows has a missing value"):
        impute(frame, method="drop")
    for method in ("knn", "mode"):
        with pytest.raises(DataError, match=r"column 'd' \(4 of 4\) has no value at all"):
            impute(frame.assign(d=None), method=method)

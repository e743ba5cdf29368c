"""`MixedData`: kinds, values and files, and that it does with its rows what `Dataset` does with its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data.column import Column, VariableKind, ladder, proposed_kind
from arcwise.data.dataset import Dataset
from arcwise.data.discretize import discretize
from arcwise.data.mixed import NOMINAL, NUMBER, ORDINAL, MixedData
from arcwise.data.read import read_table
from arcwise.data.table import Table
from arcwise.errors import DataError, FormatError, OptionError


def example_frame(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "weight": rng.normal(70, 12, rows),
            "score": rng.integers(1, 7, rows),
            "mood": pd.Categorical(rng.choice(["low", "mid", "high"], rows), ["low", "mid", "high"], ordered=True),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], rows),
        }
    )


def same(first: MixedData, second: MixedData) -> bool:
    return first.digest == second.digest and np.array_equal(first.values, second.values)


def test_what_each_column_is() -> None:
    frame = example_frame()
    data = MixedData.from_dataframe(frame)
    assert data.kinds == (NUMBER, ORDINAL, ORDINAL, NOMINAL)
    assert data.states == ((), ("1", "2", "3", "4", "5", "6"), ("low", "mid", "high"), ("Bonn", "Kiel", "Ulm"))
    assert np.array_equal(data.scores("weight"), frame["weight"])
    assert np.array_equal(data.scores("score"), frame["score"])
    assert np.array_equal(data.scores("mood"), frame["mood"].cat.codes)
    assert [data.states[3][k] for k in data.codes("town")] == frame["town"].tolist()
    pd.testing.assert_frame_equal(data.to_dataframe()[["weight", "mood"]], frame[["weight", "mood"]])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["0", "1"] * 9, NOMINAL),
        ([str(k % 10) for k in range(40)], ORDINAL),
        ([str(k % 11) for k in range(44)], NUMBER),
        (["0.5", "1", "1.5"] * 9, NUMBER),
        (["agree", "disagree", "neutral"] * 9, ORDINAL),
        (["red", "green", "blue"] * 9, NOMINAL),
        (["0-9", "10-19", "20+"] * 9, ORDINAL),
    ],
)
def test_the_kind_that_is_proposed(values: list[str], kind: VariableKind) -> None:
    assert proposed_kind(Column.of("x", values)) is kind


def test_the_order_of_intervals_is_that_of_their_numbers() -> None:
    labels = ["(10,inf)", "(-inf,2.5]", "(2.5,10]"]
    assert [labels[k] for k in ladder(labels) or ()] == ["(-inf,2.5]", "(2.5,10]", "(10,inf)"]
    assert ladder(["a - 1", "b - 2", "c - 3"]) is None


def test_the_user_overrules() -> None:
    frame = example_frame()
    data = MixedData.from_dataframe(frame, kinds={"score": "number", "town": "nominal"})
    assert data.kinds[1] is NUMBER and data.states[1] == ()
    named = MixedData.from_dataframe(frame, kinds={"town": "ordinal"}, states={"town": ["Kiel", "Ulm", "Bonn"]})
    assert named.kinds[3] is ORDINAL and named.states[3] == ("Kiel", "Ulm", "Bonn")
    assert [named.states[3][k] for k in named.codes("town")] == frame["town"].tolist()


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"town": "number"}, r"column 'town' \(4 of 4\) is to be a number, and holds 'Ulm'"),
        ({"town": "ordinal"}, "nothing says the order of 'Bonn', 'Kiel', 'Ulm'"),
        ({"town": "ordnal"}, "did you mean 'ordinal'"),
        ({"twon": "nominal"}, "did you mean 'town'"),
    ],
)
def test_kinds_that_cannot_be(kinds: dict[str, str], words: str) -> None:
    with pytest.raises((DataError, OptionError), match=words):
        MixedData.from_dataframe(example_frame().sort_values("town", ascending=False), kinds=kinds)


def test_gaps_and_numbers_of_cases_are_refused() -> None:
    frame = example_frame()
    with pytest.raises(DataError, match="identifier"):
        MixedData.from_dataframe(frame.assign(case=range(60)))
    assert MixedData.from_dataframe(frame.assign(case=range(60)), kinds={"case": "number"}).kind("case") is NUMBER
    frame.loc[3, "weight"] = np.nan
    with pytest.raises(DataError, match="1 missing values"):
        MixedData.from_dataframe(frame)


@pytest.mark.parametrize(
    ("values", "words"),
    [([[0.0, np.inf]], "missing or infinite"), ([[0.0, 2.0]], "no code from 0 to 1"), ([[0.0, 0.5]], "no code")],
)
def test_values_that_cannot_be(values: list[list[float]], words: str) -> None:
    kind = NUMBER if np.isinf(values[0][1]) else NOMINAL
    with pytest.raises(DataError, match=words):
        MixedData(np.array(values), ("x",), (kind,), (("a", "b"),))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_hold_every_bit(tmp_path: Path, suffix: str) -> None:
    frame = example_frame().assign(few=np.tile([1.0, 2.0, 3.0], 20), tiny=np.geomspace(1e-300, 1e300, 60))
    data = MixedData.from_dataframe(frame, kinds={"few": "number"}, counts=np.arange(60) % 3)
    path = tmp_path / f"data.{suffix}"
    data.to_file(path)
    table = read_table(path)
    told = {} if suffix == "parquet" else {"kinds": {"few": "number"}, "states": {"mood": ["low", "mid", "high"]}}
    if suffix == "csv":
        told["kinds"]["mood"] = "ordinal"
    assert same(MixedData.from_table(table, **told), data.expand())


def test_a_file_whose_kinds_were_edited_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    MixedData.from_dataframe(example_frame()).to_file(path)
    content = path.read_bytes()
    assert content.count(b'"town": "nominal"') == 1
    path.write_bytes(content.replace(b'"town": "nominal"', b'"town": "nominul"'))
    with pytest.raises(FormatError, match="kinds in the file's metadata"):
        read_table(path)


def test_cutting_is_that_of_discretize() -> None:
    frame = example_frame()
    data = MixedData.from_dataframe(frame)
    cut = data.as_dataset(bins=4)
    table = discretize(Table.from_dataframe(frame), method="quantile", bins=4)
    other = table.to_dataset(states={"town": ["Bonn", "Kiel", "Ulm"]})
    assert cut.digest == other.digest
    weighted = MixedData.from_dataframe(frame, counts=np.arange(60) % 4)
    assert weighted.as_dataset(bins=3).expand().digest == weighted.expand().as_dataset(bins=3).digest
    still = MixedData(np.array([[2.5, 2.5], [0, 1]]), ("x", "y"), (NUMBER, NOMINAL), ((), ("a", "b"))).as_dataset()
    assert still.states[0] == ("2.5", "no other") and still.constant.tolist() == [True, False]


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_rows_are_drawn_as_those_of_a_data_set(seed: int, weighted: bool, experiments: bool) -> None:
    rng = np.random.default_rng(seed)
    plain = Dataset.from_codes(rng.integers(0, 3, (25, 3)), weights=rng.integers(1, 4, 25) if weighted else None)
    if experiments:
        plain = plain.with_targets([None if k % 3 else "X1" for k in range(25)])
    data = MixedData.of_states(plain)
    for do in (
        lambda d: d.resample(5),
        lambda d: d.subsample(0.5, 5),
        lambda d: d.permute_columns(5),
        lambda d: d.split(0.6, 5)[1],
        lambda d: d.take([3, 1, 3]),
        lambda d: d.expand(),
        lambda d: d.cases_without("X1"),
        lambda d: d.select(["X2", "X0"]),
    ):
        assert same(MixedData.of_states(do(plain)), do(data))
    assert np.array_equal(plain.silent_arcs, data.silent_arcs) and plain.n_cases == data.n_cases


def test_the_digest_is_of_what_is_held() -> None:
    frame = example_frame()
    data = MixedData.from_dataframe(frame)
    assert data.digest == MixedData.from_dataframe(frame, counts=np.ones(60)).digest
    changed = frame.assign(weight=np.nextafter(frame["weight"], 0))
    others = [MixedData.from_dataframe(changed), MixedData.from_dataframe(frame, kinds={"score": "number"})]
    assert len({data.digest, *(other.digest for other in others)}) == 3
    assert not data.values.flags.writeable

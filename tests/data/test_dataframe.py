from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.audit import check
from arcwise.data import Dataset, Table
from arcwise.errors import DataError, DataWarning, OptionError


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"other": ["p", "q", "p", "q"], **columns})


def test_states_are_sorted_and_numbers_numerically() -> None:
    data = Dataset.from_dataframe(
        frame(
            text=["b", "a", "c", "a"], whole=[10, 9, 9, 100], real=[0.5, 10.0, 2.0, 2.0], flag=[True, False] * 2,
            digits=["10", "9", "9", "100"], mixed=["10", "9", "x", "x"], gaps=pd.array([1, 2, 2, 1], dtype="Int64"),
        )
    )  # fmt: skip
    assert data.names == ("other", "text", "whole", "real", "flag", "digits", "mixed", "gaps")
    assert data.states[1:] == (
        ("a", "b", "c"),
        ("9", "10", "100"),
        ("0.5", "2", "10"),
        ("False", "True"),
        ("9", "10", "100"),
        ("10", "9", "x"),
        ("1", "2"),
    )
    assert data.codes[2].tolist() == [1, 0, 0, 2]
    assert data.codes[3].tolist() == [0, 2, 1, 1]


def test_declared_but_unseen_states_count_in_their_order() -> None:
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    data = Dataset.from_dataframe(frame(level=pd.Series(["low", "high", "low", "low"]).astype(kind)))
    assert data.states[1] == ("low", "mid", "high")
    assert data.codes[1].tolist() == [0, 2, 0, 0]
    again = Dataset.from_dataframe(data.to_dataframe())
    assert again.digest == data.digest
    other = Dataset.from_dataframe(data.to_dataframe(), states={"level": ["high", "low", "none"]})
    assert other.states[1] == ("high", "low", "none")
    assert other.codes[1].tolist() == [1, 0, 1, 1]


def test_declared_states_win_and_match_numbers_by_value() -> None:
    data = Dataset.from_dataframe(frame(dose=[1.0, 2.5, 1.0, 2.5]), states={"dose": [0, 1, 2.5], "other": ["q", "p"]})
    assert data.states == (("q", "p"), ("0", "1", "2.5"))
    assert data.codes.tolist() == [[1, 0, 1, 0], [1, 2, 1, 2]]


@pytest.mark.filterwarnings("ignore:.* declared states in all rows:arcwise.errors.DataWarning")
@given(st.lists(st.lists(st.sampled_from(["x", "y", "z w", "é"]), min_size=3, max_size=3), min_size=1, max_size=20))
def test_round_trip_through_pandas(rows: list[list[str]]) -> None:
    kind = pd.CategoricalDtype(["z w", "x", "é", "y"])
    data = Dataset.from_dataframe(pd.DataFrame(rows * 4, columns=["a", "b", "c"]).astype(kind))
    back = data.to_dataframe()
    assert back.to_numpy().tolist() == rows * 4
    assert Dataset.from_dataframe(back).digest == data.digest


def test_weights_by_column_or_array() -> None:
    by_name = Dataset.from_dataframe(frame(x=["a", "b", "a", "b"], count=[3, 0, 1, 2]), counts="count")
    by_array = Dataset.from_dataframe(frame(x=["a", "b", "a", "b"]), counts=[3, 0, 1, 2])
    assert by_name.digest == by_array.digest
    assert by_name.n_cases == 6
    assert len(by_name.to_dataframe()) == 6
    with pytest.raises(DataError, match="'x' cannot count rows"):
        Dataset.from_dataframe(frame(x=["a", "b", "a", "b"]), counts="x")
    with pytest.raises(DataError, match="whole numbers"):
        Dataset.from_dataframe(frame(x=["a", "b", "a", "b"], w=[0.5, 1, 1, 1]), counts="w")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (pd.DataFrame({"a": []}), "only one column, 'a'"),
        (pd.DataFrame({"a": [], "b": []}), "no rows"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": ["x", "y"]}), "only one column, 'a'"),
        (
            frame(smoke=["no"] * 4),
            r"column 'smoke' \(2 of 2\) has one distinct value, 'no'; a variable needs at least two states. "
            r"Drop the column, or declare its states: states=\{'smoke': \['no', 'yes'\]\}.",
        ),
        (frame(x=["a", None, "b", np.nan]), r"2 missing values in 1 of 2 columns \('x' 2\); 2 of 4 .*row 1.*impute"),
        (frame(x=["a", "", "b", "b"]), "1 missing values in 1 of 2"),
        (frame(x=[1.0, np.inf, 2, 2]), "infinite"),
        (frame(x=[[1], [2], [1], [2]]), "not labels|list objects"),
        (frame(x=[b"1", b"2", b"1", b"2"]), "bytes"),
        (frame(x=pd.to_datetime(["2020", "2021", "2020", "2021"])), "dates or times"),
        (frame(x=np.array([1j, 2j, 1j, 1j])), "complex"),
        (pd.DataFrame(np.zeros((2, 2)), columns=pd.MultiIndex.from_product([["a"], ["b", "c"]])), "several levels"),
    ],
)  # fmt: skip
def test_bad_frames_are_refused(made: pd.DataFrame, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_dataframe(made)


def test_other_things_are_no_frames() -> None:
    with pytest.raises(DataError, match="from_codes"):
        Dataset.from_dataframe(np.zeros((2, 2)))  # type: ignore[arg-type]
    lazy = pytest.importorskip("polars").DataFrame({"a": ["x"]}).lazy()
    with pytest.raises(DataError, match="not LazyFrame; collect it first"):
        Dataset.from_dataframe(lazy)


@pytest.mark.parametrize(
    ("given", "names", "renamed"),
    [
        (["a", "a"], ("a", "a (2)"), "a (2)"),
        (["1", 1], ("1", "1 (2)"), "1 (2)"),
        (["a", " "], ("a", "column 2"), "column 2"),
    ],
)
def test_columns_without_a_name_of_their_own_get_one(given: list[object], names: tuple[str, ...], renamed: str) -> None:
    made = Table.from_dataframe(pd.DataFrame([["x", "y"], ["y", "x"]], columns=given))
    assert made.names == names and list(made.renamed) == [renamed]
    assert check(pd.DataFrame([["x", "y"], ["y", "x"]], columns=given)).about(renamed)[0].kind == "header"


def test_what_a_file_would_write_alike_is_one_label() -> None:
    assert Dataset.from_dataframe(frame(x=["yes", " yes", "no", "no"])).states[1] == ("no", "yes")
    assert Dataset.from_dataframe(frame(x=[1, "1", 2, 2])).states[1] == ("1", "2")


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"smoker": ["a", "b"]}, "states= names the unknown column 'smoker'; did you mean 'smoke'"),
        ({"smoke": ["a", " a"]}, "'a' and ' a' are the same after stripping"),
        ({"smoke": ["a", ""]}, "empty"),
        ({"smoke": ["a"]}, "needs at least two"),
        (
            {"smoke": ["a", "c"]},
            r"column 'smoke' \(2 of 2\) has the value 'b' in row 1, which is not among its declared",
        ),
    ],
)
def test_bad_declarations_are_refused(states: dict[str, list[object]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_dataframe(frame(smoke=["a", "b", "a", "b"]), states=states)
    with pytest.raises(OptionError, match="list of states"):
        Dataset.from_dataframe(frame(smoke=["a", "b", "a", "b"]), states={"smoke": "ab"})


def test_more_declared_states_than_rows_is_said() -> None:
    with pytest.warns(DataWarning, match="'smoke' .* has 5 declared states but there are only 4 rows"):
        data = Dataset.from_dataframe(frame(smoke=["a", "b", "a", "b"]), states={"smoke": list("abcde")})
    assert data.arities.tolist() == [2, 5]


def test_identifiers_and_quantities_are_refused_unless_declared() -> None:
    many = pd.DataFrame({"id": [f"p{k}" for k in range(40)], "age": [*range(39), 7], "x": ["a", "b"] * 20})
    with pytest.raises(
        DataError, match=r"column 'age' \(39 distinct values\) holds numbers .*discretize.*categorical=\['age'\]"
    ):
        Dataset.from_dataframe(many)
    with pytest.raises(DataError, match=r"'id' .* 40 distinct values in 40 rows, e.g. 'p0', .* identifier"):
        Dataset.from_dataframe(many.drop(columns="age"))
    whole = pd.concat([many] * 4)
    assert Dataset.from_dataframe(whole, categorical=["id", "age"]).arities.tolist() == [40, 39, 2]
    assert Dataset.from_dataframe(whole, categorical=True).arities.tolist() == [40, 39, 2]
    assert Dataset.from_dataframe(whole[["age", "x"]], max_levels=40).arities.tolist() == [39, 2]
    with pytest.raises(DataError, match="categorical= names the unknown column 'agee'"):
        Dataset.from_dataframe(many, categorical=["agee"])


@pytest.mark.parametrize("kind", ["text", "category", "number"])
def test_more_states_than_the_rows_can_carry_are_refused_whatever_is_said(kind: str) -> None:
    codes = np.repeat(np.arange(30), 3)
    column = {"text": [f"t{k}" for k in codes], "number": codes, "category": pd.Categorical([f"t{k}" for k in codes])}
    data = pd.DataFrame({"town": column[kind], "x": ["a", "b", "b"] * 30})
    with pytest.raises(DataError, match=r"has 30 (declared )?states, and 90 rows carry at most 22"):
        Dataset.from_dataframe(data, categorical=["town"])
    assert Dataset.from_dataframe(pd.concat([data] * 2), categorical=["town"]).arities[0] == 30
    weighed = Dataset.from_dataframe(data, categorical=["town"], counts=[2] * 90)
    assert weighed.arities[0] == 30


def test_tables_round_trip() -> None:
    table = Table.from_dataframe(frame(x=["b", None, "a", "a"], y=[1.5, 2, np.nan, 3]))
    assert table.n_missing == {"x": 1, "y": 1}
    back = table.to_dataframe()
    assert back["x"].isna().tolist() == [False, True, False, False]
    np.testing.assert_array_equal(back["y"], [1.5, 2, np.nan, 3])
    assert Table.from_dataframe(back).n_missing == table.n_missing
    assert table.drop(["x"]).names == ("other", "y")
    assert table.select(["y"]).names == ("y",)
    assert table.take([0, 3]).n_missing == {}

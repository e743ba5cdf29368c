"""Which variables were set: kept by everything that a data set goes through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Dataset, Table, Targets, discretize, impute, read_data, read_table, stack, write_data
from arcwise.data.write import write_table
from arcwise.errors import ArcwiseError, DataError, FormatError

NAMES = ["a", "b", "c"]


def some_data(rows: int = 60, seed: int = 0, weighted: bool = False) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 3))
    codes[:3] = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    mask = np.zeros((rows, 3), dtype=bool)
    mask[rows // 3 : rows // 2, 0] = True
    mask[rows // 2 : rows // 2 + 7, 1:] = True
    weights = rng.integers(1, 4, rows) if weighted else None
    return Dataset.from_codes(codes, names=NAMES, weights=weights).with_targets(mask)


def rows_with_targets(data: Dataset) -> list[tuple[object, ...]]:
    """Every case with what was set in it, in a fixed order."""
    whole = data.expand()
    sets = [()] * whole.n_rows if whole.targets is None else [whole.targets.sets[k] for k in whole.targets.of_row]
    return sorted((*whole.codes[:, i].tolist(), *sets[i]) for i in range(whole.n_rows))


def test_forms_of_targets_mean_the_same() -> None:
    data = some_data().with_targets(None)
    mask = np.zeros((60, 3), dtype=bool)
    mask[5, 0] = mask[7, 1] = mask[7, 2] = True
    listed = [None] * 60
    listed[5], listed[7] = "a", ["c", "b"]  # type: ignore[call-overload]
    by_mask, by_list = data.with_targets(mask), data.with_targets(listed)
    assert by_mask.targets is not None
    assert by_mask.targets.sets == ((), ("a",), ("b", "c"))
    assert by_mask.digest == by_list.digest != data.digest
    assert data.with_targets(Targets.of_mask(mask, NAMES)).digest == by_mask.digest
    assert by_mask.with_targets(None).digest == data.digest
    assert data.with_targets(np.zeros((60, 3), dtype=bool)).digest == data.digest


def test_what_is_not_a_target_is_refused() -> None:
    data = some_data()
    with pytest.raises(DataError, match="not in the data"):
        data.with_targets(["z"] * 60)
    with pytest.raises(DataError, match="3 rows do not fit 60 rows"):
        data.with_targets([None, "a", "b"])
    with pytest.raises(DataError, match="booleans"):
        Targets.of_mask(np.zeros((60, 2)), NAMES)
    with pytest.raises(DataError, match="position"):
        Targets((("a",),), np.array([0, 1], dtype=np.int32))


@pytest.mark.parametrize("weighted", [False, True])
def test_other_shapes_keep_targets(weighted: bool) -> None:
    data = some_data(weighted=weighted)
    assert rows_with_targets(data.collapse()) == rows_with_targets(data) == rows_with_targets(data.expand())
    assert data.collapse().n_rows <= data.n_rows
    first, second = data.split(0.5, seed=1)
    assert sorted(rows_with_targets(first) + rows_with_targets(second)) == rows_with_targets(data)
    joined = stack([first.select(["c", "a", "b"]), second]).select(NAMES)
    assert rows_with_targets(joined) == rows_with_targets(data)
    part = data.select(["a", "c"])
    assert part.targets is not None
    assert part.targets.sets == ((), ("a",), ("c",))
    assert data.take([0, 1]).targets is None
    assert data.observations().targets is None
    assert data.observations().n_rows == 60 - 10 - 7


@pytest.mark.parametrize("weighted", [False, True])
def test_a_bootstrap_repeats_every_experiment_with_its_number_of_cases(weighted: bool) -> None:
    data = some_data(weighted=weighted)
    assert data.targets is not None
    given = np.ones(60, dtype=np.int64) if data.weights is None else data.weights
    for seed in range(3):
        sample = data.resample(seed)
        assert sample.weights is not None
        for experiment in range(3):
            rows = data.targets.of_row == experiment
            assert sample.weights[rows].sum() == given[rows].sum()
        for name in NAMES:
            assert sample.cases_without(name).n_cases == data.cases_without(name).n_cases


def test_shuffled_columns_stay_within_what_was_set_and_what_was_not() -> None:
    data = some_data(weighted=True)
    shuffled = data.permute_columns(3)
    whole = data.expand()
    assert shuffled.targets is not None
    assert whole.targets is not None
    assert shuffled.targets.of_row.tolist() == whole.targets.of_row.tolist()
    for v, name in enumerate(NAMES):
        alone = whole.targets.rows_without(name)
        for rows in (alone, ~alone):
            assert sorted(shuffled.codes[v, rows]) == sorted(whole.codes[v, rows])
    assert not (shuffled.codes == whole.codes).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_groups_of_children_are_the_rows_without_them(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    codes, mask = rng.integers(0, 2, (20, n)), rng.random((20, n)) < 0.3
    codes[:2] = [[0] * n, [1] * n]
    data = Dataset.from_codes(codes, names=[f"x{v}" for v in range(n)]).with_targets(mask)
    for v, name in enumerate(data.names):
        group = data.cases_without(name)
        assert group is data.child_groups[data.group_of_child[v]]
        assert (group.native_weights.tolist() or [1] * 20) == (~mask[:, v]).astype(int).tolist()
        alone = codes[~mask[:, v]]
        constant = np.array([len(set(column)) < 2 for column in alone.T])
        assert (data.silent_arcs[v] == (constant | constant[v])).all()
    assert len(data.child_groups) == len({tuple(column) for column in mask.T})


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.csv.gz", "d.arff", "d.parquet"])
def test_files_keep_targets(name: str, tmp_path: Path) -> None:
    data = some_data(weighted=True)
    write_data(data, tmp_path / name)
    again = read_data(tmp_path / name, interventions="interventions")
    assert again.digest == data.expand().digest
    table = read_table(tmp_path / name, interventions="interventions")
    write_table(table, tmp_path / f"again-{name}")
    assert read_data(tmp_path / f"again-{name}", interventions="interventions").digest == again.digest
    plain = data.with_targets(None)
    write_data(plain, tmp_path / f"plain-{name}")
    assert "interventions" not in read_table(tmp_path / f"plain-{name}").names


def test_frames_keep_targets() -> None:
    data = some_data()
    frame = data.to_dataframe()
    assert list(frame) == [*NAMES, "interventions"]
    assert Dataset.from_dataframe(frame, interventions="interventions").digest == data.digest
    assert list(data.with_targets(None).to_dataframe()) == NAMES


def test_a_column_of_conditions() -> None:
    frame = pd.DataFrame(
        {"a": [0, 1, 0, 1, 1], "b": [1, 0, 0, 1, 0], "drug": ["none", "inhibitor", "b", "inhibitor; b", None]}
    )
    table = Table.from_dataframe(frame)
    conditions = {"inhibitor": "a", "none": ""}
    data = table.with_interventions("drug", conditions).to_dataset()
    assert data.names == ("a", "b")
    assert data.targets is not None
    assert [data.targets.sets[k] for k in data.targets.of_row] == [(), ("a",), ("b",), ("a", "b"), ()]
    same = Dataset.from_dataframe(frame, interventions="drug", conditions={"inhibitor": ["a"], "none": []})
    assert same.digest == data.digest
    with pytest.raises(DataError, match="says 'none' in row 0, which is neither a variable nor a condition"):
        table.with_interventions("drug", {"inhibitor": "a"})
    with pytest.raises(DataError, match="'inhibitor' sets 'z'"):
        table.with_interventions("drug", {"inhibitor": "z", "none": ""})
    with pytest.raises(ArcwiseError, match="'drugs'"):
        table.with_interventions("drugs")


def test_a_table_is_prepared_with_its_targets() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["x", "y"], 80).astype(object), "set": [""] * 80})
    frame.loc[:9, "set"] = "a"
    frame.loc[[3, 50], "b"] = None
    table = Table.from_dataframe(frame).with_interventions("set")
    cut = discretize(impute(table, method="drop"), method="quantile", bins=3)
    assert isinstance(cut, Table)
    data = cut.to_dataset()
    assert data.n_rows == 78
    assert data.cases_without("a").n_cases == 69


def test_what_a_file_cannot_say_is_refused(tmp_path: Path) -> None:
    data = Dataset.from_codes([[0, 0], [1, 1]], names=["a;b", "interventions"])
    with pytest.raises(FormatError, match="a variable is called 'interventions'"):
        write_data(data.with_targets([None, "a;b"]), tmp_path / "d.csv")
    pair = Dataset.from_codes([[0, 0], [1, 1]], names=["a;b", "c"])
    with pytest.raises(FormatError, match="contains ';'"):
        write_data(pair.with_targets([None, ("a;b", "c")]), tmp_path / "d.csv")
    write_data(pair.with_targets([None, "a;b"]), tmp_path / "d.csv")
    again = read_data(tmp_path / "d.csv", interventions="interventions")
    assert again.targets is not None
    assert again.targets.sets == ((), ("a;b",))


def test_a_mask_as_a_data_frame_is_matched_by_the_names_of_its_columns() -> None:
    data = Dataset.from_codes([[0, 0, 1], [1, 1, 0], [0, 1, 1]], names=["a", "b", "c"])
    frame = pd.DataFrame({"c": [True, False, False], "a": [False, False, True]}, index=[7, 8, 9])
    for mask in (frame, frame.astype(int), frame.astype(float), frame.astype("boolean")):
        targets = data.with_targets(mask).targets
        assert targets is not None
        assert [targets.sets[k] for k in targets.of_row] == [("c",), (), ("a",)]
    numbers = data.with_targets(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])).targets
    assert numbers is not None
    assert [numbers.sets[k] for k in numbers.of_row] == [("c",), (), ("a",)]
    listed = data.with_targets([[False, False, True], [False, False, False], [True, False, False]])
    assert listed.digest == data.with_targets(frame).digest
    assert data.with_targets([["a", "b"], ["a", "c"], ["b", "c"]]).targets is not None


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", [], ()])
def test_missing_entries_set_nothing(nothing: object) -> None:
    data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]], names=["a", "b"])
    expected = data.with_targets([None, "b", ["b", "a"]]).digest
    assert data.with_targets([nothing, "b", ["b", "a"]]).digest == expected  # type: ignore[list-item]
    assert data.with_targets(pd.Series([nothing, "b", ["b", "a"]], index=[5, 1, 0])).digest == expected


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("b", "mask of booleans"),
        ([0, 1, 0], "row 0 cannot be read from 0"),
        ([None, 2.5, "b"], "row 1 cannot be read from 2.5"),
        ([None, ["a", 3], "b"], "row 1"),
        ({"a": 1}, "for each row a name"),
        (3, "mask of booleans"),
        (np.array([[0, 2], [0, 0], [1, 0]]), "says 2 for 'b' in row 0"),
        (np.array([[0, np.nan], [0, 0], [1, 0]]), "True or 1"),
        (np.zeros((3, 3), dtype=bool), "2 variables"),
        (pd.DataFrame({"a": [True] * 3, "x": [True] * 3}), "no variable.*'x'"),
        (pd.DataFrame([[True, False]] * 3, columns=["a", "a"]), "twice"),
        (pd.DataFrame({"a": [True, None, False]}), "'a' in row 1"),
    ],
)
def test_other_targets_are_refused_with_what_is_allowed(wrong: Any, says: str) -> None:
    data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]], names=["a", "b"])
    with pytest.raises(DataError, match=says):
        data.with_targets(wrong)


def test_experiments_without_a_case_are_none() -> None:
    codes = np.random.default_rng(0).integers(0, 2, (12, 3))
    codes[:2] = [[0, 0, 0], [1, 1, 1]]
    weights = np.ones(12, dtype=np.int64)
    weights[:4] = 0
    weighted = Dataset.from_codes(codes, names=NAMES, weights=weights, states=[["0", "1"]] * 3)
    nothing = weighted.with_targets(["b"] * 4 + [None] * 8)
    assert nothing.targets is None
    assert nothing.digest == weighted.digest
    assert nothing.expand().digest == weighted.expand().digest
    assert nothing.collapse().digest == weighted.collapse().digest
    assert not nothing.silent_arcs.any()
    some = weighted.with_targets(["b"] * 4 + [None] * 4 + ["a"] * 4)
    assert some.targets is not None
    assert some.targets.sets == ((), ("a",))
    for same in (some, some.expand(), some.collapse(), some.resample(1), some.take(np.arange(12))):
        assert same.targets is not None
        assert same.targets.sets == ((), ("a",))
    always = weighted.with_targets(["b"] * 4 + ["a"] * 8)
    assert always.targets is not None
    assert always.targets.sets == (("a",),)
    made = Dataset(
        weighted.codes, weighted.names, weighted.states, weighted.weights, Targets.of_rows(["b"] * 4 + [None] * 8)
    )
    assert made.targets is None

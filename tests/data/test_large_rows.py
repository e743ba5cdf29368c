"""Files of more rows than memory: the same data, audit and answers as when the same rows are read whole."""

from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import check, datasets, learn, read_data, read_table
from arcwise.audit import Kind
from arcwise.base.errors import Argument
from arcwise.data import (
    Column,
    Dataset,
    Incomplete,
    Table,
    discretize,
    impute,
    write_data,
    write_table,
)
from arcwise.data.discretize import equal_width, find_cuts, mean, quantiles
from arcwise.data.large import Grouping, packed
from arcwise.data.large_columns import open_large, source_cuts
from arcwise.errors import DataError, FormatError, OptionError

ALWAYS = Grouping(always=True)


def rows_of(data: Dataset | Incomplete) -> list[tuple[tuple[int, ...], int]]:
    """The distinct rows, and how often each occurs, in order; a gap is -1."""
    whole = data.collapse()
    held = whole.held if isinstance(whole, Incomplete) else whole
    codes = held.codes.astype(int)
    if isinstance(whole, Incomplete):
        codes = np.where(whole.missing, -1, codes)
    assert held.weights is not None
    return sorted(zip(map(tuple, codes.T.tolist()), held.weights.tolist(), strict=True))


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 3000
    text = np.array(["yes", " no", "no", "maybe"], dtype=object)[rng.integers(0, 4, n)]
    return pd.DataFrame(
        {
            "whole": rng.integers(-2, 3, n),
            "gaps": pd.array(np.where(rng.random(n) < 0.1, None, rng.integers(0, 3, n)), dtype="Int32"),
            "text": np.where(rng.random(n) < 0.05, None, text),
            "flag": rng.random(n) < 0.3,
            "half": rng.integers(0, 4, n) / 2 - 0.5,
            "far": rng.choice([1, 10**9, -(10**12)], n),
            "kind": pd.Categorical.from_codes(rng.integers(0, 2, n), ["b", "a", "never"]),
            "measure": np.where(rng.random(n) < 0.02, np.nan, rng.normal(size=n).round(2)),
        }
    )


def written(frame: pd.DataFrame, path: Path, kind: str) -> Path:
    if kind == "folder":
        path.mkdir()
        for k in range(3):
            (path / f"part={k}").mkdir()
            part = frame.iloc[k::3]
            duckdb.from_df(part).write_parquet(str(path / f"part={k}" / "rows.parquet"))
        return path
    if kind == "parquet":
        duckdb.from_df(frame).write_parquet(str(path))
    else:
        with duckdb.connect(str(path)) as connection:
            connection.register("frame", frame)
            connection.execute("CREATE TABLE data AS SELECT * FROM frame")
    return path


@pytest.mark.parametrize(("kind", "name"), [("parquet", "a[1].parquet"), ("folder", "many"), ("duckdb", "b.duckdb")])
def test_distinct_rows_are_those_of_the_file_read_whole(
    frame: pd.DataFrame, tmp_path: Path, kind: str, name: str
) -> None:
    path = written(frame, tmp_path / name, kind)
    small = discretize(read_table(path), method="quantile").to_incomplete()
    large = read_table(path, grouping=Grouping(always=True, discretize="quantile"))
    assert large.is_grouped and large.n_cases == len(frame) and large.n_rows < len(frame)
    assert "Read 3,000 rows as" in large.notes[0]
    made = large.to_incomplete()
    assert made.names == small.names and made.states == small.states
    assert rows_of(made) == rows_of(small)


def test_labels_counts_and_the_audit_are_those_of_cases(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame["constant"] = "always"
    frame["rare"] = np.where(np.arange(len(frame)) < 3, "seldom", "often")
    frame["twin"] = frame["flag"].map({True: "t", False: "f"})
    near = frame["flag"].to_numpy().copy()
    near[:4] = ~near[:4]
    frame["near"] = near
    path = written(frame.drop(columns="measure"), tmp_path / "a.parquet", "parquet")
    small, large = check(path), check(read_table(path, grouping=ALWAYS))
    # The order of rows, which distinct ones do not have, aside.
    ordered = [f.describe() for f in small.findings if f.kind is not Kind.ROW_ORDER]
    assert [f.describe() for f in large.findings] == ordered and len(ordered) < len(small.findings)
    assert large.describe()["rows"] == len(frame)
    for one, other in zip(large.repaired.columns, small.repaired.columns, strict=True):
        assert dict(zip(one.labels, one.counts().tolist(), strict=True)) == dict(
            zip(other.labels, other.counts().tolist(), strict=True)
        )
        assert one.n_missing == other.n_missing
    assert large.gap_dependences == small.gap_dependences


def test_learning_gives_the_same_from_rows_in_the_same_order(tmp_path: Path) -> None:
    data = datasets.load("tic-tac-toe")
    path = tmp_path / "many.parquet"
    write_data(data, path)
    grouped = read_data(path, grouping=ALWAYS)
    assert grouped.n_cases == data.n_cases and rows_of(grouped) == rows_of(data)
    found = learn(grouped, seed=1, replicates=20, compare=False)
    other = learn(grouped.expand(), seed=1, replicates=20, compare=False)
    assert found.network.dag == other.network.dag
    assert np.array_equal(found.confidence.vector, other.confidence.vector)
    assert f"{data.n_cases:,}" in found.to_text()


def test_learn_reads_a_large_file_with_what_was_agreed(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise.data import large as grouping

    monkeypatch.setattr(grouping, "GROUPED_CELLS", 1000)
    frame = frame.drop(columns="gaps").dropna()
    frame["customer id"] = np.arange(len(frame))
    frame["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(frame)), "h")
    path = written(frame, tmp_path / "a.parquet", "parquet")
    with pytest.raises(
        DataError, match=r"cannot be grouped: column 'measure' holds numbers.*'customer id' has"
    ) as told:
        learn(path)
    assert "drop=['customer id', 'seen']" in str(told.value) and "discretize='quantile'" in str(told.value)
    found = learn(path, agree=True, replicates=10, compare=False, permutations=0, drop=["far"])
    text = found.to_text()
    assert f"{len(frame):,}" in text and "Left out column 'customer id'" in text
    assert set(found.network.names) == {"whole", "text", "flag", "half", "kind", "measure"}
    whole = read_table(path, drop=["far", "customer id", "seen"], grouping=Grouping(always=False))
    assert rows_of(found.data) == rows_of(discretize(whole, method="quantile").to_dataset())


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(-3, 3).map(float),
            st.sampled_from([0.0, -0.0]),
        ),
        min_size=2,
        max_size=60,
    ),
    st.integers(2, 5),
)
def test_numbers_at_ranks_are_those_of_the_sorted_column(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], bins: int
) -> None:
    from arcwise.data import large_columns

    folder = tmp_path_factory.mktemp("ranks")
    path = folder / "a.parquet"
    duckdb.from_df(pd.DataFrame({"x": values})).write_parquet(str(path))
    with (
        pytest.MonkeyPatch.context() as patch,
        open_large(path, "parquet", memory=10**8) as source,
    ):
        patch.setattr(large_columns, "AT_ONCE", 2)  # so that passes have to find it
        patch.setattr(large_columns, "BUCKETS", 4)
        ranks = list(range(len(values)))
        rows, ends = large_columns._values(source, "x"), (min(values), max(values))
        assert [large_columns._at_rank(source, rows, rank, ends) for rank in ranks] == sorted(values)
        if len(set(values)) > 1:
            for method, twin in (("quantile", quantiles), ("width", equal_width)):
                made = source_cuts(source, "x", method, bins)
                assert made.tolist() == twin(np.array(values), bins).tolist()


def test_columns_are_packed_into_numbers_that_hold_them() -> None:
    assert packed([2] * 62) == [list(range(62))]
    assert packed([2] * 63) == [list(range(62)), [62]]
    assert packed([2**62, 2]) == [[0], [1]]


def test_what_tells_rows_apart_is_refused_before_they_are_grouped(tmp_path: Path) -> None:
    n = 4000
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 2, n),
            "b": rng.integers(0, 2, n),
            "handed out": rng.permutation(n) + 7,
            "name": [f"person {k}" for k in range(n)],
            "place": [f"place {k % 1500}" for k in range(n)],
            "price": rng.integers(0, 10**9, n),
        }
    )
    path = written(frame, tmp_path / "a.parquet", "parquet")
    with pytest.raises(DataError) as told:
        read_data(path, grouping=ALWAYS)
    for words in ("'handed out' has about", "'name' has about", "'place' has about 1,", "'price' holds numbers"):
        assert words in str(told.value)
    table = read_table(path, grouping=Grouping(always=True, leave_out=True, discretize="width", bins=4))
    assert table.names == ("a", "b", "price")
    assert set(table.left_out) == {"handed out", "name", "place"}
    assert read_data(path, drop=["handed out", "name", "place", "price"], grouping=ALWAYS).n_cases == n


def test_more_distinct_rows_than_memory_are_refused_with_the_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise.data import large as row_groups

    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"x{k}": rng.integers(0, 20, 5000) for k in range(6)})
    path = written(frame, tmp_path / "a.parquet", "parquet")
    monkeypatch.setattr(row_groups, "most_rows", lambda memory, columns, keys: 1000)
    with pytest.raises(DataError, match=r"5,000 rows have about [45],\d+ distinct ones, and 1,000 fit into") as told:
        read_data(path, grouping=ALWAYS)
    assert "sample=1000" in str(told.value)
    sampled = read_data(path, grouping=Grouping(sample=800))
    assert 650 < sampled.n_cases < 950
    assert rows_of(sampled) == rows_of(read_data(path, grouping=Grouping(sample=800)))
    monkeypatch.setattr(row_groups, "most_rows", lambda memory, columns, keys: 4500)  # within the error of the estimate
    with pytest.raises(DataError, match="have 4,999 distinct ones"):
        read_data(path, grouping=ALWAYS)


def test_weights_and_experiments_are_read_with_the_groups(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.choice(["u", "v"], 400) for name in "abc"})
    frame["times"] = rng.integers(0, 4, 400)
    frame["set"] = rng.choice([None, "a", "b"], 400)
    path = written(frame, tmp_path / "a.parquet", "parquet")
    small = read_data(path, counts="times", interventions="set")
    large = read_data(path, counts="times", interventions="set", grouping=ALWAYS)
    assert large.n_cases == small.n_cases == int(frame["times"].sum())
    for name in "abc":
        assert rows_of(large.cases_without(name)) == rows_of(small.cases_without(name))
    with pytest.raises(DataError, match="'a' cannot weigh rows"):
        read_data(path, counts="a", grouping=ALWAYS)


@pytest.mark.parametrize("at_once", [3, 10**6])
def test_numbers_of_weighted_rows_are_cut_by_their_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    from arcwise.data import large_columns

    monkeypatch.setattr(large_columns, "AT_ONCE", at_once)
    monkeypatch.setattr(large_columns, "BUCKETS", 4)
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"a": rng.choice(["u", "v"], 300), "x": rng.normal(size=300).round(1), "zero": 0})
    frame["y"] = np.where(frame["x"] > 1, np.nan, frame["x"] ** 2)
    frame["times"] = np.where(frame["x"] > 1, 50, rng.integers(0, 3, 300))
    frame["some"] = np.where(frame["x"] > 1, 1, 0)
    path = written(frame, tmp_path / "a.parquet", "parquet")
    for method in ("quantile", "width"):
        how = Grouping(always=True, discretize=method, bins=4, drop=["zero", "some"])
        large = read_table(path, counts="times", grouping=how)
        small = find_cuts(read_table(path, counts="times", drop=["zero", "some"]), method=method, bins=4)
        assert {name: list(own.cuts) for name, own in large.reader_cuts.items()} == {
            name: own.tolist() for name, own in small.items()
        }
    only = read_table(path, counts="some", columns=["a", "y"], grouping=how)
    assert only.reader_cuts["y"].cuts == () and only.column("y").n_missing == only.n_cases
    with pytest.raises(DataError, match="all weights, in column 'zero', are 0"):
        read_table(path, counts="zero", columns=["a", "x"], grouping=how)


def test_nothing_but_the_file_can_be_opened(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = written(frame, tmp_path / "a.parquet", "parquet")
    other = written(frame, tmp_path / "other.parquet", "parquet")
    base = written(frame, tmp_path / "b.duckdb", "duckdb")
    for file, kind in ((path, "parquet"), (base, "duckdb")):
        with (
            pytest.raises(FormatError, match=r"Permission Error|disabled"),
            open_large(file, kind, memory=10**8) as source,
        ):
            source.ask(f"SELECT * FROM read_parquet('{other}')", stage="")


@pytest.mark.parametrize("bins", [2, 3, 4, 1500])
def test_numbers_are_cut_into_few_and_into_many_intervals(tmp_path: Path, bins: int) -> None:
    path = sql_file(tmp_path / "a.parquet", "SELECT i % 2 a, (i * 37) % 4001 / 8 x FROM range(9000) t(i)")
    large = read_table(path, grouping=Grouping(always=True, discretize="width", bins=bins))
    small = discretize(read_table(path), method="width", bins=bins).column("x")
    assert large.column("x").labels == small.labels
    assert large.column("x").counts().tolist() == small.counts().tolist()


def test_wrong_requests_are_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = written(frame, tmp_path / "a.parquet", "parquet")
    with pytest.raises(OptionError, match=r"memory=0.01 must be at least 0.2 gigabytes"):
        Grouping(memory=0.01)
    for value in (0, float("nan"), float("inf"), "5"):
        with pytest.raises(OptionError, match=f"sample={value!r} must be"):
            Grouping(sample=value)  # type: ignore[arg-type]
    for value in (1, 2.5, float("nan"), "3"):
        with pytest.raises(OptionError, match=f"bins={value!r} must be"):
            Grouping(bins=value)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="memory='4' must be"):
        Grouping(memory="4")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="needs all numbers in memory"):
        read_table(path, grouping=Grouping(always=True, discretize="kmeans"))
    with pytest.raises(DataError, match="is no folder"):
        read_table(path, grouping=Grouping(always=True, temporary=tmp_path / "none"))
    with pytest.raises(DataError, match="unknown column 'mesure'; did you mean 'measure'"):
        read_table(path, drop=["mesure"], grouping=ALWAYS)
    (tmp_path / "broken.parquet").write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FormatError, match=r"broken\.parquet: not a readable Parquet"):
        read_table(tmp_path / "broken.parquet", grouping=ALWAYS)


def test_ctrl_c_reaches_a_query_and_ends_it(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise.data import large_columns

    path = written(frame, tmp_path / "a.parquet", "parquet")
    monkeypatch.setattr(large_columns, "POLL_SECONDS", 0.01)

    def press(event: object) -> None:
        raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        open_large(path, "parquet", memory=10**8, progress=press) as source,
    ):
        rows = source.rows
        source.ask(f"SELECT count(*) FROM {rows} a, {rows} b, {rows} c, {rows} d", stage="")


def test_many_weighted_cases_are_written_and_read_with_their_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise.data import cases, write

    data = datasets.load("balance-scale").collapse()
    monkeypatch.setattr(write, "MOST_CASES", 100)
    path = tmp_path / "weighted.parquet"
    write_data(data, path)
    assert duckdb.read_parquet(str(path)).columns[-1] == "number of cases"
    for made in (read_data(path), read_data(path, grouping=ALWAYS)):
        assert made.states == data.states and rows_of(made) == rows_of(data)
    for table in (read_table(path), read_table(path, grouping=ALWAYS)):
        for name in ("again.parquet", "again.csv", "again.arff"):
            again = tmp_path.parent / f"{tmp_path.name} {name}"
            write_table(table, again)
            assert rows_of(read_data(again, states=dict(zip(data.names, data.states, strict=True)))) == rows_of(data)
        assert duckdb.read_parquet(str(again.with_suffix(".parquet"))).columns[-1] == "number of cases"
    for grouping in (Grouping(), ALWAYS):
        with pytest.raises(FormatError, match="the rows of a file count many times each: read its files one by"):
            read_table(tmp_path, grouping=grouping)
    monkeypatch.setattr(cases, "ROW_BY_ROW", 100)
    drawn = [data.resample(seed) for seed in range(400)]
    assert all(one.n_cases == data.n_cases for one in drawn)
    mean = np.mean([one.weights for one in drawn], axis=0)
    assert np.abs(mean - data.weights).max() < 6 * np.sqrt(data.weights.max() / 400)


def test_the_nearest_of_distinct_rows_are_cases(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 4000)
    b = np.where(rng.random(4000) < 0.7, 2 - a, rng.integers(0, 3, 4000))
    c = (b + (rng.random(4000) < 0.3)) % 3
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)
    frame.loc[rng.random(4000) < 0.1, "c"] = None
    frame.loc[rng.random(4000) < 0.1, "b"] = None
    path = written(frame, tmp_path / "a.parquet", "parquet")
    filled = [impute(read_table(path, grouping=how), method="knn", k=200) for how in (Grouping(), ALWAYS)]
    assert [table.n_cases for table in filled] == [4000, 4000]
    assert rows_of(filled[0].to_dataset()) == rows_of(filled[1].to_dataset())


def test_the_audit_counts_the_cases_of_a_file_with_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise.data import write

    rng = np.random.default_rng(2)
    state = rng.integers(0, 30, 20_000)
    frame = pd.DataFrame({"a": state, "b": state % 3 == 0, "c": rng.random(20_000) < 0.001}).astype(str)
    data = Dataset.from_dataframe(frame, categorical=True).collapse()
    write_data(data, tmp_path / "cases.parquet")
    monkeypatch.setattr(write, "MOST_CASES", 100)
    write_data(data, tmp_path / "weighted.parquet")
    cases, weighted = (check(tmp_path / f"{name}.parquet") for name in ("cases", "weighted"))
    assert weighted.describe()["rows"] == 20_000
    of_cases = [one.describe() for one in cases.findings if one.kind is not Kind.ROW_ORDER]  # distinct rows have none
    assert [one.describe() for one in weighted.findings] == of_cases
    found = learn(tmp_path / "weighted.parquet", agree=True, replicates=10, compare=False, permutations=0)
    assert found.network.names == data.names and found.data.n_cases == 20_000
    with pytest.raises(DataError, match=r"distinct ones of 20,000.*Write its rows as CSV"):
        found.code(tmp_path / "weighted.parquet")


def test_a_table_of_distinct_rows_keeps_its_weights_with_every_change() -> None:
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", "y", None], "b": ["1", "2", "2"]}))
    grouped = Table(table.columns, weights=np.array([5, 1, 4]), is_grouped=True)
    assert grouped.n_cases == 10 and grouped.n_missing == {"a": 4}
    changed = grouped.with_columns([grouped.column("a").relabel({"y": "x"})])
    assert changed.column("a").counts().tolist() == [6]
    assert grouped.take([0, 2]).column("b").counts().tolist() == [5, 4]


def cases(table: Table) -> dict[str, dict[str, int]]:
    """How many cases show each label of each column."""
    return {
        column.name: {
            label: count for label, count in zip(column.labels, column.counts().tolist(), strict=True) if count
        }
        for column in table.columns
    }


def sql_file(path: Path, query: str) -> Path:
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT PARQUET)")
    return path


@pytest.fixture
def as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise.data import large as grouping

    monkeypatch.setattr(grouping, "GROUPED_CELLS", 100)


QUICK = {"seed": 1, "compare": False, "progress": False, "permutations": 0, "replicates": 10}
NUMBERS = "SELECT (hash(i) % 2)::INT a, (hash(i) % 2) + (hash(i + 7) % 1000) / 1000 x, (hash(i + 99) % 3)::INT c"


@pytest.mark.usefixtures("as_if_large")
def test_new_rows_are_coded_one_by_one_and_as_those_that_were_cut_on_the_disk(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", f"{NUMBERS} FROM range(600) t(i)")
    found = learn(path, discretize="quantile", **QUICK)
    other = learn(path, discretize="quantile", whole=True, **QUICK)
    assert "distinct" in found.prepared.steps[0] and "distinct" not in other.prepared.steps[0]
    for here, there in zip(found.coding.describe(), other.coding.describe(), strict=True):  # there, cuts are rounded
        assert here["name"] == there["name"] and len(here["states"]) == len(there["states"])
        assert here["cuts"] == (there["cuts"] and pytest.approx(there["cuts"], rel=0.005))
    rows = found.code(path)
    assert rows.table.n_rows == 600 and not rows.unseen
    assert rows_of(rows.table.to_dataset()) == rows_of(found.data)
    assert found.predict_proba(path, "a").shape == (600, 2)
    with pytest.raises(DataError, match="read as 12 distinct ones of 600"):
        found.code(read_table(path, grouping=Grouping(discretize="quantile")))
    with pytest.raises(OptionError, match=r"recut=True .* 'x' were cut before the rows"):
        learn(path, discretize="quantile", recut=True, **QUICK)


@pytest.mark.usefixtures("as_if_large")
def test_the_data_of_a_saved_analysis_are_read_in_their_order(tmp_path: Path) -> None:
    from arcwise.analysis import open as open_analysis

    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.choice(["u", "v", None], 200, p=[0.5, 0.4, 0.1]) for name in "abc"})
    found = learn(frame, impute="completions", completions=2, **QUICK)
    found.save(tmp_path / "saved")
    opened = open_analysis(tmp_path / "saved")
    assert np.array_equal(opened.stacked.codes, found.stacked.codes)
    assert opened.data.n_cases == 200 and np.array_equal(opened.data.codes, found.one_copy.codes)


def test_numbers_that_stand_for_missing_values_are_no_part_of_an_interval(tmp_path: Path) -> None:
    query = "SELECT CASE WHEN i % 10 = 0 THEN -99 ELSE (i * 37) % 90 END age, i % 2 b FROM range(5000) t(i)"
    path = sql_file(tmp_path / "a.parquet", query)
    for said in ({"missing": ("-99",)}, {}):
        found = learn(path, agree=True, sample=10**6, impute="drop", **said, **QUICK)
        assert found.data.n_cases == 4500
        assert any("'-99' as missing" in step for step in found.prepared.steps)
        assert found.code(pd.DataFrame({"age": [-99, 1], "b": [0, 0]})).table.column("age").n_missing == 1
    whole = discretize(Table.from_dataframe(duckdb.sql(f"SELECT * FROM ({query}) WHERE age >= 0").df()), method="width")
    grouped = read_table(path, grouping=Grouping(always=True, discretize="width", missing=["-99"]))
    assert cases(grouped) | {"b": {}} == cases(whole) | {"b": {}} and grouped.n_missing == {"age": 500}
    with pytest.raises(DataError, match=r"'age', .* has '-99' in 500 rows, out of the range.*missing=\['-99'\]"):
        read_table(path, grouping=Grouping(always=True, discretize="width"))
    kept = read_table(path, grouping=Grouping(always=True, discretize="width", keep=["age"]))
    assert kept.n_missing == {} and kept.column("age").labels[0].startswith("(-inf,-3")


def test_gaps_are_no_values(tmp_path: Path) -> None:
    query = """SELECT CASE WHEN i % 21 = 20 THEN NULL ELSE i % 21 END twenty, i % 2 b,
        CASE WHEN i % 21 = 20 THEN 'nan'::DOUBLE ELSE i % 21 END also,
        CASE WHEN i % 50 = 0 THEN 'nan'::DOUBLE ELSE i % 49 END measure FROM range(4200) t(i)"""
    path = sql_file(tmp_path / "a.parquet", query)
    table = read_table(path, grouping=Grouping(always=True, discretize="quantile"))
    whole = discretize(read_table(path), method="quantile")
    assert cases(table) == cases(whole) and table.n_missing == whole.n_missing
    assert len(table.column("twenty").labels) == len(table.column("also").labels) == 20


@pytest.mark.parametrize("kind", ["BIGINT", "UBIGINT", "HUGEINT"])
def test_whole_numbers_that_no_float_holds_stay_apart(tmp_path: Path, kind: str) -> None:
    base = {"BIGINT": 2**62, "UBIGINT": 2**64 - 8, "HUGEINT": 2**70}[kind]
    for far, gap in ((0, 4), (1, 4), (1, 5)):
        low = f"({base}::{kind} + CASE WHEN i % 3 = 1 THEN 1 ELSE 0 END::{kind})"
        query = f"CASE WHEN i % 3 = 2 AND {far} = 1 THEN 5::{kind} WHEN i % 5 = {gap} THEN NULL ELSE {low} END"
        path = tmp_path / f"{far}{gap}.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {query} big, i % 2 b FROM range(300) t(i)")
            counted = connection.sql("SELECT big::VARCHAR AS v, count(*) FROM t WHERE big IS NOT NULL GROUP BY v")
            expected = dict(counted.fetchall())
        assert cases(read_table(path, grouping=ALWAYS))["big"] == expected


def test_names_of_columns_are_not_taken_for_others(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", "SELECT i % 3 a, i % 2 b, 1 + i % 5 key_0, 1 AS KEY__0 FROM range(60) t(i)")
    assert read_table(path, counts="key_0", grouping=ALWAYS).n_cases == 180
    path = sql_file(tmp_path / "b.parquet", "SELECT i % 3 a, i % 2 b, 1 AS file_row_number FROM range(60) t(i)")
    with pytest.raises(DataError, match="no sample can be drawn: the column 'file_row_number'"):
        read_table(path, grouping=Grouping(sample=10))
    query = "SELECT i % 3 a, i % 2 AS value, i / 7 x, i % 5 text, i % 2 n FROM range(60) t(i)"
    path = sql_file(tmp_path / "value.parquet", query)
    assert rows_of(read_data(path, drop=["x"], grouping=ALWAYS)) == rows_of(read_data(path, drop=["x"]))
    assert read_table(path, grouping=replace(ALWAYS, discretize="quantile")).column("x").counts().tolist() == [20] * 3
    nothing = ", ".join(f"NULL::INT n{k}" for k in range(1100))
    path = sql_file(tmp_path / "c.parquet", f"SELECT i % 2 a, i % 3 b, {nothing} FROM range(30) t(i)")
    assert read_table(path, grouping=ALWAYS).shape == (6, 1102)
    path = sql_file(tmp_path / "d.parquet", "SELECT i % 2 a, 'inf'::DOUBLE w, 'nan'::DOUBLE v FROM range(30) t(i)")
    for name in "wv":
        with pytest.raises(DataError, match=f"'{name}' cannot weigh rows"):
            read_table(path, counts=name, columns=["a"], grouping=ALWAYS)


def test_columns_given_by_their_place_are_those_of_the_file(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", f"{NUMBERS}, (hash(i + 5) % 2)::INT d, i AS id FROM range(600) t(i)")
    found = learn(path, drop=["#2", "#5"], sample=10**6, **QUICK)
    assert found.data.names == ("a", "c", "d")
    with pytest.raises(DataError, match="keep= names column 'id', left out since it has about"):
        read_table(path, grouping=Grouping(always=True, leave_out=True, discretize="width")).checked_names(
            ["#5"], Argument("keep")
        )
    assert learn(path, drop=["x", "id"], categories=["x"], sample=10**6, **QUICK).data.names == ("a", "c", "d")


def test_numbers_may_be_said_to_be_categories_or_the_file_read_whole(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", "SELECT i % 30 n, i % 2 b, i % 7 c FROM range(3000) t(i)")
    with pytest.raises(DataError, match=r"'n' holds numbers.*read the file whole.*whole=True"):
        read_data(path, grouping=ALWAYS)
    for said in ({"categorical": True}, {"categorical": ["n"]}, {"max_levels": 40}):
        assert rows_of(read_data(path, grouping=ALWAYS, **said)) == rows_of(read_data(path, **said))


def test_a_sample_of_what_is_not_grouped_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n2,1\n")
    with pytest.raises(OptionError, match=r"sample=5 needs Parquet.*a\.csv is read whole"):
        read_table(tmp_path / "a.csv", grouping=Grouping(sample=5))
    with pytest.raises(OptionError, match="sample=5 is drawn while rows are grouped"):
        Grouping(always=False, sample=5)
    for wrong in (2.5, True):
        with pytest.raises(OptionError, match="must be a whole number"):
            Grouping(sample=wrong)
    with pytest.raises(OptionError, match="must be at least"):
        Grouping(memory=float("inf"))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-20, 20).map(lambda k: k / 4), st.integers(1, 40)), min_size=2, max_size=15),
    st.integers(2, 6),
)
def test_weighted_numbers_are_cut_as_the_cases_are(rows: list[tuple[float, int]], bins: int) -> None:
    from arcwise.data.discretize import cluster_cuts

    values, counts = np.array([value for value, _ in rows]), np.array([count for _, count in rows])
    if len(np.unique(values)) < 2:
        return
    every = np.repeat(values, counts)
    assert quantiles(values, bins, counts).tolist() == quantiles(every, bins).tolist()
    assert cluster_cuts(values, bins, counts).tolist() == cluster_cuts(every, bins).tolist()
    assert mean(values, 2, counts)[0] == pytest.approx(every.mean())


def test_cases_are_not_written_out_beyond_memory() -> None:
    column = Column("a", np.arange(40, dtype=np.uint8), tuple(f"{k}.5" for k in range(40)))
    other = Column("b", (np.arange(40) % 2).astype(np.uint8), ("x", "y"))
    table = Table((column, other), "", np.full(40, 10**9), is_grouped=True)
    assert discretize(table, method="quantile", bins=4).column("a").counts().tolist() == [10**10] * 4
    with pytest.raises(DataError, match="have to be cut row by row, and there are 40,000,000,000 of them"):
        discretize(table, method="mdl", target="b")


def test_links_of_a_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    sql_file(tmp_path / "elsewhere.parquet", "SELECT i % 3 a, i % 2 b FROM range(60) t(i)")
    (tmp_path / "many" / "a.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    assert read_table(tmp_path / "many", grouping=ALWAYS).n_cases == 60


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # of DuckDB, where it makes a frame
@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"])
def test_times_are_written_as_in_a_file_read_whole(tmp_path: Path, kind: str) -> None:
    day = f"(DATE '2020-01-01' + (i % 3)::INT)::TIMESTAMP::{kind}"
    path = sql_file(
        tmp_path / "a.parquet",
        f"SELECT {day} d, CASE WHEN i % 5 = 4 THEN NULL ELSE {day} END e, i % 2 b FROM range(30) t(i)",
    )
    assert cases(read_table(path, grouping=ALWAYS)) == cases(read_table(path))


@pytest.mark.usefixtures("as_if_large")
def test_a_large_file_is_audited_without_what_tells_rows_apart(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", f"{NUMBERS}, i AS id FROM range(600) t(i)")
    found = check(path)
    assert found.table.names == ("a", "x", "c") and found.describe()["rows"] == 600
    assert any("Left out column 'id'" in step for step in found.steps)
    assert check(path, grouping=Grouping(always=False)).table.names == ("a", "x", "c", "id")


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # of DuckDB, where it makes a frame
@pytest.mark.parametrize("part", ["year", "month"])
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMPTZ", "VARCHAR"])
@pytest.mark.parametrize("years", [6, 120])  # 72 months; 1,440, more than rows can be grouped by
def test_learn_takes_the_year_of_many_dates_of_a_large_file(tmp_path: Path, part: str, kind: str, years: int) -> None:
    day = f"(DATE '1890-01-03' + ((i * 7919) % {365 * years})::INT)"
    seen = f"{day}::VARCHAR" if kind == "VARCHAR" else f"{day}::TIMESTAMP::{kind}"
    path = sql_file(
        tmp_path / "a.parquet",
        f"SELECT {seen} seen, CAST(year({day}) % 2 = 0 AS INT) even, i % 3 b, (i // 3) % 2 c FROM range(4000) t(i)",
    )
    large = check(path, dates=part)
    small = check(path, dates=part, grouping=Grouping(always=False))
    assert [(f.kind, f.columns, f.proposal) for f in large.findings if f.kind is Kind.DATE] == [
        (f.kind, f.columns, f.proposal) for f in small.findings if f.kind is Kind.DATE
    ]
    assert any("Left out the days of column 'seen'" in step for step in large.steps)
    assert large.table.is_grouped and not small.table.is_grouped
    options = {"dates": part, "agree": True, "replicates": 10, "compare": False, "permutations": 0}
    found, whole = learn(path, **options), learn(path, whole=True, **options)
    assert "seen" in found.network.names
    assert found.data.states == whole.data.states
    assert rows_of(found.data) == rows_of(whole.data)
    assert any(f"Kept the {part} of column 'seen'" in step for step in found.steps)


@pytest.mark.usefixtures("as_if_large")
def test_dates_that_are_missing_are_gaps_without_their_days_too(tmp_path: Path) -> None:
    day = "CASE WHEN i % 50 = 7 THEN NULL ELSE DATE '1990-01-03' + i::INT END"
    path = sql_file(tmp_path / "a.parquet", f"SELECT {day} seen, i % 3 b FROM range(3000) t(i)")
    read = read_table(path, grouping=Grouping(always=True, dates="year"))
    column = read.column("seen")
    assert column.labels[:2] == ("1990-01", "1990-02") and len(column.labels) == 99
    assert read.weights is not None and read.weights[column.codes == len(column.labels)].sum() == 60


@pytest.mark.usefixtures("as_if_large")
def test_dates_that_were_declared_categories_do_not_lose_their_days(tmp_path: Path) -> None:
    def labels(days: int, categories: tuple[str, ...] | bool) -> tuple[str, ...]:
        seen = f"DATE '1990-01-03' + (i % {days})::INT seen"
        path = sql_file(tmp_path / f"{days}.parquet", f"SELECT {seen}, i % 3 b FROM range(3000) t(i)")
        grouping = Grouping(always=True, dates="year", categories=categories)
        return read_table(path, grouping=grouping).column("seen").labels

    assert labels(500, ("seen",))[0] == "1990-01-03"
    assert labels(3000, ("b",))[0] == labels(3000, True)[0] == "1990-01"  # said of all columns: of the numbers
    with pytest.raises(DataError, match="'seen' holds dates"):
        labels(3000, ("seen",))


@pytest.mark.usefixtures("as_if_large")
def test_texts_that_are_no_dates_are_left_out_as_before(tmp_path: Path) -> None:
    path = sql_file(tmp_path / "a.parquet", f"{NUMBERS}, 'x' || (i % 1500) AS name FROM range(9000) t(i)")
    assert "name" not in check(path, dates="year").table.names

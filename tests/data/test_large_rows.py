"""Files of more rows than memory: the same data, audit and answers as when the same rows are read whole."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import check, datasets, learn, read_data, read_table
from arcwise.audit import Kind
from arcwise.data import Dataset, Incomplete, Table, cuts, discretize, write_data
from arcwise.data.large import Grouping
from arcwise.data.large.large_source import open_large
from arcwise.data.large.row_groups import packed
from arcwise.data.large.selection import numbers_at_ranks, source_cuts
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
    assert "Read 3,000 rows as" in large.told[0]
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
    from arcwise.data.large import grouping

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
    from arcwise.data.large import selection

    folder = tmp_path_factory.mktemp("ranks")
    path = folder / "a.parquet"
    duckdb.from_df(pd.DataFrame({"x": values})).write_parquet(str(path))
    with (
        pytest.MonkeyPatch.context() as patch,
        open_large(path, "parquet", table=None, memory=10**8, temporary=None) as source,
    ):
        patch.setattr(selection, "AT_ONCE", 2)  # so that passes have to find it
        patch.setattr(selection, "BUCKETS", 4)
        ranks = list(range(len(values)))
        found = numbers_at_ranks(source, "x", ranks, progress=lambda event: None)
        assert found.tolist() == sorted(values)
        if len(set(values)) > 1:
            for method, twin in (("quantile", cuts.quantiles), ("width", cuts.equal_width)):
                made = source_cuts(source, "x", method, bins, progress=lambda event: None)
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
    from arcwise.data.large import row_groups

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
    small = read_data(path, weights="times", interventions="set")
    large = read_data(path, weights="times", interventions="set", grouping=ALWAYS)
    assert large.n_cases == small.n_cases == int(frame["times"].sum())
    for name in "abc":
        assert rows_of(large.cases_without(name)) == rows_of(small.cases_without(name))
    with pytest.raises(DataError, match="'a' cannot weigh rows"):
        read_data(path, weights="a", grouping=ALWAYS)


def test_nothing_but_the_file_can_be_opened(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = written(frame, tmp_path / "a.parquet", "parquet")
    other = written(frame, tmp_path / "other.parquet", "parquet")
    base = written(frame, tmp_path / "b.duckdb", "duckdb")
    for file, kind in ((path, "parquet"), (base, "duckdb")):
        with (
            pytest.raises(FormatError, match=r"Permission Error|disabled"),
            open_large(file, kind, table=None, memory=10**8, temporary=None) as source,
        ):
            source.ask(f"SELECT * FROM read_parquet('{other}')", stage="", progress=lambda event: None)


def test_wrong_requests_are_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = written(frame, tmp_path / "a.parquet", "parquet")
    with pytest.raises(OptionError, match=r"memory=0.01 must be at least 0.2 gigabytes"):
        Grouping(memory=0.01)
    with pytest.raises(OptionError, match="sample=0"):
        Grouping(sample=0)
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
    from arcwise.data.large import large_source

    path = written(frame, tmp_path / "a.parquet", "parquet")
    monkeypatch.setattr(large_source, "POLL_SECONDS", 0.01)

    def press(event: object) -> None:
        raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        open_large(path, "parquet", table=None, memory=10**8, temporary=None) as source,
    ):
        rows = source.rows
        source.ask(f"SELECT count(*) FROM {rows} a, {rows} b, {rows} c, {rows} d", stage="", progress=press)


def test_many_weighted_cases_are_written_and_read_with_their_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise.data import parquet, resample

    data = datasets.load("balance-scale").collapse()
    monkeypatch.setattr(parquet, "MOST_CASES", 100)
    path = tmp_path / "weighted.parquet"
    write_data(data, path)
    assert duckdb.read_parquet(str(path)).columns[-1] == "number of cases"
    for made in (read_data(path), read_data(path, grouping=ALWAYS)):
        assert made.states == data.states and rows_of(made) == rows_of(data)
    monkeypatch.setattr(resample, "ROW_BY_ROW", 100)
    drawn = [data.resample(seed) for seed in range(400)]
    assert all(one.n_cases == data.n_cases for one in drawn)
    mean = np.mean([one.weights for one in drawn], axis=0)
    assert np.abs(mean - data.weights).max() < 6 * np.sqrt(data.weights.max() / 400)


def test_a_table_of_distinct_rows_keeps_its_weights_with_every_change() -> None:
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", "y", None], "b": ["1", "2", "2"]}))
    grouped = Table(table.columns, weights=np.array([5, 1, 4]), is_grouped=True)
    assert grouped.n_cases == 10 and grouped.n_missing == {"a": 4}
    changed = grouped.with_columns([grouped.column("a").relabel({"y": "x"})])
    assert changed.column("a").counts().tolist() == [6]
    assert grouped.take([0, 2]).column("b").counts().tolist() == [5, 4]

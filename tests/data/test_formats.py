"""Parquet, ARFF and Lau's format."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.base.arrays import write_parquet
from arcwise.data import Dataset, read_data, read_table, write_data
from arcwise.errors import ArcwiseError, DataError, DataWarning, FormatError

ARFF = """% a comment
@RELATION survey

@Attribute smoke {no, yes, 'per haps'}
@attribute 'the cough' {"a, b", 'it\\'s', c}   % no comment here in Weka either
@attribute age NUMERIC
@attribute remark string

@DATA
% another
no, 'a, b', 1, x
yes,"it's",2.5, 'y z'

'per haps', ?, 1, x
"""


def save(folder: Path, text: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# ---- ARFF


def arff(folder: Path, text: str | bytes) -> Path:
    return save(folder, text, "survey.arff")


def test_arff(tmp_path: Path) -> None:
    text = ARFF.replace("   % no comment here in Weka either", "")
    for content in (text, text.replace("\n", "\r\n"), gzip.compress(text.encode())):
        table = read_table(arff(tmp_path, content))
        assert table.names == ("smoke", "the cough", "age", "remark")
        assert table.n_missing == {"the cough": 1}
        data = table.drop(["the cough"]).to_dataset()
        assert data.states == (("no", "yes", "per haps"), ("1", "2.5"), ("x", "y z"))
        assert data.codes.tolist() == [[0, 1, 2], [0, 1, 0], [0, 1, 0]]
        assert table.column("the cough").labels == ("a, b", "it's", "c")


def test_sparse_arff_equals_dense_arff(tmp_path: Path) -> None:
    head = "@relation x\n@attribute a {p,q,'r s'}\n@attribute b numeric\n@attribute c {u,v}\n@data\n"
    dense = read_table(arff(tmp_path, head + "q,0,u\np,3,v\n'r s',?,u\n"))
    sparse = read_table(arff(tmp_path, head + "{0 q}\n{1 3, 2 v}\n% no\n{0 'r s', 1 ?}\n"))
    for left, right in zip(dense.columns, sparse.columns, strict=True):
        assert left.labels == right.labels
        np.testing.assert_array_equal(left.codes, right.codes)
    for row in ("{3 q}", "{0}", "{x y}", "0 q", "{0 'q}"):
        with pytest.raises(FormatError, match=r"survey.arff: line 7"):
            read_table(arff(tmp_path, head + "{0 q}\n" + row + "\n"))


HEAD = "@relation x\n@attribute a {p,q}\n@attribute b {u,v}\n@data\n"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (HEAD + "p,u\nz,v\n", DataError, "survey.arff: line 6: attribute 'a' has the value 'z'.*states 'p', 'q'"),
        (HEAD + "p,u\nq\n", FormatError, "line 6 has 1 field, but the first row has 2"),
        (HEAD + "p\nq\n", FormatError, "line 5 has 1 values, but 2 attributes"),
        (HEAD, DataError, "no rows"),
        (HEAD + "p,'u\n", FormatError, "line 5, field 2: the quote"),
        (HEAD.replace("@data", ""), FormatError, "no @data line; the file is truncated"),
        ("@relation x\n@data\n", FormatError, "line 2: @data comes before any @attribute"),
        (HEAD.replace("{u,v}", "{u,v"), FormatError, "line 3: .*not closed by a brace"),
        (HEAD.replace("{u,v}", "{u, u}"), FormatError, "line 3: 'b' declares the state 'u' twice"),
        (HEAD.replace("{u,v}", "{u,'v}"), FormatError, "line 3: the states of 'b' are malformed"),
        (HEAD.replace("{u,v}", "{u,,v}"), FormatError, "line 3: 'b' declares an empty state"),
        (HEAD.replace("{u,v}", "date"), DataError, "line 3: attribute 'b' holds dates"),
        (HEAD.replace("{u,v}", "relational"), FormatError, "unknown type 'relational'"),
        (HEAD.replace("{u,v}", "numeric") + "p,1\nq,x\n", DataError, "line 6: attribute 'b' is numeric, not 'x'"),
        (HEAD.replace("@attribute b {u,v}", "@attribute b"), FormatError, "line 3: expected '@attribute NAME TYPE'"),
        (HEAD.replace("@attribute b", "@attribut b"), FormatError, "line 3: expected @attribute or @data"),
        (HEAD.replace("@attribute b", "@attribute a") + "p,u\n", DataError, "name 'a' in fields 1 and 2"),
        (HEAD.replace("b {", "\xe9 {").encode("latin1"), FormatError, "line 3, column 12: byte 0xe9 is not UTF-8"),
        (HEAD.encode() + b"p,\xe9\n", FormatError, "line 5, column 'b': byte 0xe9 is not UTF-8"),
        ("a,b\nx,y\n", FormatError, "not ARFF as its suffix says"),
    ],
)  # fmt: skip
def test_bad_arff(tmp_path: Path, text: str | bytes, kind: type[ArcwiseError], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_data(arff(tmp_path, text))


LABEL = st.text(st.sampled_from("ab ,'\"\\{}%?é\t"), min_size=1, max_size=4).map(str.strip).filter(bool)


@given(st.lists(st.lists(LABEL, min_size=2, max_size=4, unique=True), min_size=2, max_size=3), st.data())
def test_arff_round_trip_keeps_unseen_states(states: list[list[str]], choice: st.DataObject) -> None:
    rows = choice.draw(st.integers(1, 5))
    codes = np.array([[choice.draw(st.integers(0, len(s) - 1)) for s in states] for _ in range(rows)])
    data = Dataset.from_codes(codes, states=states, names=[f"{s[0]} {v}" for v, s in enumerate(states)])
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write_data(data, Path(folder, "x.arff"))
        table = read_table(Path(folder, "x.arff"))
    assert table.names == data.names
    assert tuple(column.labels for column in table.columns) == data.states
    np.testing.assert_array_equal([column.codes for column in table.columns], data.codes)


def test_parquet_keeps_the_order_of_states_and_those_unseen(tmp_path: Path) -> None:
    names, states = ("a, b", "it's"), (("z", "é, ü", "k"), ("yes", "no"))
    data = Dataset.from_codes(np.array([[2, 1], [0, 0], [2, 1]]), names=names, states=states, weights=[1, 0, 3])
    path = tmp_path / "data[1]*.parquet"  # a name that duckdb would take for a pattern
    write_data(data, path)
    with pytest.warns(DataWarning, match="2 of 2 columns show one of their declared states in all rows"):
        back = read_data(path)
    assert back.states == states
    assert back.digest == data.expand().digest


@pytest.mark.parametrize(
    "states",
    [
        ["x"],
        {"c": ["x"]},
        {"a": "xy"},
        {"a": ["x", 1]},
        {"a": ["x", "x", "y"]},
        {"a": ["y"]},
        {"a": []},
        {"lists": ["x", "y"]},
        {"k": ["1", "2"]},
    ],
)
def test_states_in_the_metadata_that_do_not_fit_are_refused(tmp_path: Path, states: object) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "lists": [["x"], ["y"]], "k": [1, 2]})
    write_parquet(frame, tmp_path / "a.parquet", facts={"states": states})
    with pytest.raises(FormatError, match="Write the file again"):
        read_data(tmp_path / "a.parquet")


def test_names_that_differ_in_case_only_come_back(tmp_path: Path) -> None:
    codes = np.array([[0, 1], [1, 1], [1, 0]])
    data = Dataset.from_codes(codes, names=("a", "A"), states=(("x", "y"), ("u", "v")))
    write_data(data, tmp_path / "a.parquet")
    assert read_data(tmp_path / "a.parquet").digest == data.digest
    for wrong in ({"a": 1}, {"a": ""}, {"c": "d"}, {"a": "b"}, ["a"]):
        write_parquet(pd.DataFrame({"a": ["x"], "b": ["y"]}), tmp_path / "b.parquet", facts={"names": wrong})
        with pytest.raises(FormatError, match="no names"):
            read_table(tmp_path / "b.parquet")


def test_a_folder_of_files_whose_columns_have_other_names_is_refused(tmp_path: Path) -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 0]]), names=("a", "A"))
    for number in range(2):
        write_data(data, tmp_path / f"{number}.parquet")
    with pytest.raises(FormatError, match="differ in case"):
        read_table(tmp_path)


def test_a_column_of_gaps_may_have_no_state(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", None], "b": pd.Series([None, None], dtype=object)})
    write_parquet(frame.astype({"b": "string"}), tmp_path / "a.parquet", facts={"states": {"a": ["z", "x"], "b": []}})
    a, b = read_table(tmp_path / "a.parquet").columns
    assert (a.labels, a.codes.tolist()) == (("z", "x"), [1, 2])
    assert (b.labels, b.codes.tolist()) == ((), [0, 0])


# ---- Lau


def test_lau(tmp_path: Path) -> None:
    spellings = [
        "G, B, M, L\n0, 1, 1, 0\n1, 1, 0, 1\n1, 0, 0, 0\n",
        "[G, B, M, L]\n\n[0, 1, 1, 0]\n[1,1,0,1]\n[1, 0, 0, 0]",
        "G B\tM L\r\n0 1 1 0\r\n1 1 0 1\r\n1 0 0 0\r\n",
    ]
    for text in spellings:
        data = read_data(save(tmp_path, text, "a.lau"))
        assert data.names == ("G", "B", "M", "L")
        assert data.codes.tolist() == [[0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert read_data(save(tmp_path, spellings[0], "dataA.txt"), format="lau").n_rows == 3
    named = read_table(save(tmp_path, "a b, c\nx y, z\n?, z\n", "b.lau"))
    assert named.names == ("a b", "c")
    assert named.n_missing == {"a b": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "a.lau: the file is empty"),
        ("A, B\n", "no rows"),
        ("A\n0\n", "only one column"),
        ("A, B, A\n0, 1, 0\n", "name 'A' in fields 1 and 3"),
        ("A, , B\n0, 1, 0\n", "header is empty in field 2"),
        ("A, B\n0, 1\n\n0, 1, 1\n", "line 4 has 3 values, but the first line lists 2 nodes"),
        ("A, B\n0 1\n", "line 2 has 1 values"),
        ("A, B\n[0, 1\n", "line 2: one square bracket has no partner"),
        ("A, B\n0, \0\n", "line 2: a NUL byte"),
        (b"A, B\n0, \xe9\n", "a.lau: line 2, column 4: byte 0xe9 is not UTF-8"),
    ],
)
def test_bad_lau(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ArcwiseError, match=message):
        read_data(save(tmp_path, text, "a.lau"))


# ---- Parquet


def parquet(path: Path, sql: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute("CREATE TYPE level AS ENUM ('low', 'mid', 'high')")
        connection.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    return path


ROWS = "(VALUES ('x', 1, true, 0.5, 'low'), ('y', 10, false, 0.5, 'high'), ('x', 9, true, 2, 'low')) t(a, b, c, d, e)"


def test_parquet(tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet", f"SELECT * FROM {ROWS}")
    data = read_data(path)
    assert data.names == ("a", "b", "c", "d", "e")
    assert data.states == (("x", "y"), ("1", "9", "10"), ("False", "True"), ("0.5", "2"), ("high", "low"))
    assert data.codes.tolist() == [[0, 1, 0], [0, 2, 1], [1, 0, 1], [0, 0, 1], [1, 0, 1]]
    path.rename(tmp_path / "odd [1]*'.parquet")
    assert read_data(tmp_path / "odd [1]*'.parquet").digest == data.digest
    packed = save(tmp_path, gzip.compress((tmp_path / "odd [1]*'.parquet").read_bytes()), "x.parquet.gz")
    assert read_data(packed).digest == data.digest


def test_parquet_with_gaps_and_dates(tmp_path: Path) -> None:
    table = read_table(
        parquet(tmp_path / "x.parquet", "SELECT * FROM (VALUES (1, 'x'), (NULL, 'y'), (2, NULL)) t(a, b)")
    )
    assert table.n_missing == {"a": 1, "b": 1}
    assert table.column("a").labels == ("1", "2")
    days = "SELECT * FROM (VALUES (DATE '2020-01-01', 1), (DATE '2021-02-01', 2), (DATE '2022-01-05', 1)) t(d, b)"
    with pytest.raises(DataError, match=r"d.parquet: column 'd' \(1 of 2\) holds dates or times, e.g. '2020-01-01'"):
        read_data(parquet(tmp_path / "d.parquet", days))
    with pytest.raises(DataError, match="column 'l' holds"):
        read_data(parquet(tmp_path / "l.parquet", "SELECT * FROM (VALUES ([1, 2], 1), ([2], 2)) t(l, b)"))


def test_bad_parquet(tmp_path: Path) -> None:
    whole = parquet(tmp_path / "x.parquet", f"SELECT * FROM {ROWS}").read_bytes()
    for content in (whole[:-5], whole[:40], b"PAR1", whole[:20] + b"\0" * 40 + whole[60:]):
        with pytest.raises(ArcwiseError, match=r"bad.parquet"):
            read_data(save(tmp_path, content, "bad.parquet"))
    with pytest.raises(FormatError, match="this is text or something else, not PARQUET as its suffix says"):
        read_data(save(tmp_path, "a,b\nx,y\n", "bad.parquet"))


def test_the_same_data_in_every_format(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": list("xyxy"), "b": [1, 2, 10, 2]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_csv(tmp_path / "x.tsv", index=False, sep="\t")
    save(tmp_path, "a b\nx 1\ny 2\nx 10\ny 2\n", "x.lau")
    save(tmp_path, "@relation r\n@attribute a {x,y}\n@attribute b {1,2,10}\n@data\nx,1\ny,2\nx,10\ny,2\n", "x.arff")
    parquet(tmp_path / "x.parquet", "SELECT * FROM (VALUES ('x', 1), ('y', 2), ('x', 10), ('y', 2)) t(a, b)")
    digests = {read_data(tmp_path / f"x.{s}").digest for s in ("csv", "tsv", "lau", "arff", "parquet")}
    assert digests == {Dataset.from_dataframe(frame).digest}

"""Workbooks, JSON lines, data bases, folders of Parquet files and Arrow frames: the same table from each."""

from __future__ import annotations

import datetime
import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from arcwise import check, learn
from arcwise.data import Dataset, Table, read_data, read_table
from arcwise.data.large import Grouping
from arcwise.errors import ArcwiseError, DataError, FormatError

FRAME = pd.DataFrame(
    {
        "smoke": ["yes", "no", None, "yes", "no", "no"],
        "age": [31.5, 40.0, 52.25, None, 18.0, 77.0],
        "ward": [1, 2, 2, 1, 1, 2],
    }
)


def same(table: Table) -> None:
    """Assert that the table says what `FRAME` does."""
    assert table.names == tuple(FRAME.columns)
    for name in FRAME.columns:
        column = table.column(name)
        cells = [None if code == len(column.labels) else column.labels[code] for code in column.codes.tolist()]
        expected = Table.from_dataframe(FRAME).column(name)
        wanted = [None if code == len(expected.labels) else expected.labels[code] for code in expected.codes.tolist()]
        assert cells == wanted


def write_workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def cells() -> list[list[Any]]:
    rows = FRAME.astype(object).where(FRAME.notna(), None).to_numpy().tolist()
    return [list(FRAME.columns), *rows]


def test_workbook(tmp_path: Path) -> None:
    same(read_table(write_workbook(tmp_path / "x.xlsx", {"data": cells()})))
    two = write_workbook(tmp_path / "two.xlsx", {"notes": [["a"], ["b"]], "data": cells()})
    with pytest.raises(FormatError, match=r"2 sheets: notes, data. Say which one with table='notes'"):
        read_table(two)
    same(read_table(two, table="data"))
    with pytest.raises(FormatError, match="unknown sheet 'dat'; did you mean 'data'"):
        read_table(two, table="dat")
    dated = write_workbook(
        tmp_path / "d.xlsx", {"s": [["when", "x"], *([datetime.datetime(2020, 1, k), k % 2] for k in range(1, 9))]}
    )
    assert read_table(dated).column("when").labels[0] == "2020-01-01"
    (tmp_path / "bad.xlsx").write_bytes((tmp_path / "x.xlsx").read_bytes()[:300])
    with pytest.raises(FormatError, match="not a readable Excel workbook"):
        read_table(tmp_path / "bad.xlsx")
    (tmp_path / "text.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="something else, not XLSX"):
        read_table(tmp_path / "text.xlsx")


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [dict(zip(FRAME.columns, row, strict=True)) for row in cells()[1:]]
    path.write_text("\n".join(json.dumps({k: v for k, v in row.items() if v is not None}) for row in rows) + "\n\n")
    same(read_table(path))
    for line, match in (
        ("[1, 2]", "line 2: a line holds one object"),
        ("{bad", "line 2: not JSON"),
        ('{"a": [[1]]}', r"line 2, 'a' holds a list"),
        ("[" * 100_000, "line 2: not JSON"),
    ):
        path.write_text(f'{{"a": 1}}\n{line}\n')
        with pytest.raises(FormatError, match=match):
            read_table(path)
    path.write_text('{"a": 1, "": "x", "a ": 2}\n')
    assert read_table(path).names == ("a", "column 2", "a (2)")
    path.write_text('{"a": "x\u2028y\x85z"}\r\n{"a": "w"}\r\n', encoding="utf-8", newline="")  # one line, by JSON
    assert read_table(path).column("a").labels == ("x\u2028y\x85z", "w")
    path.write_text("\n\n")
    with pytest.raises(FormatError, match="no line holds an object"):
        read_table(path)


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE data (smoke TEXT, age REAL, ward INTEGER)")
        connection.executemany("INSERT INTO data VALUES (?, ?, ?)", cells()[1:])
        connection.execute("CREATE VIEW sly AS SELECT * FROM data")
    connection.close()
    same(read_table(path))
    with pytest.raises(FormatError, match="unknown table 'sly'"):
        read_table(path, table="sly")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE more (x TEXT)")
    connection.close()
    with pytest.raises(FormatError, match=r"2 tables: data, more. Say which one with table='data'"):
        read_table(path)
    before = path.read_bytes()
    same(read_table(path, table="data"))
    assert path.read_bytes() == before
    path.write_bytes(before[:700])
    with pytest.raises(FormatError, match="not a readable SQLite file"):
        read_table(path, table="data")


def test_duckdb(tmp_path: Path) -> None:
    path, secret = tmp_path / "x.duckdb", tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE data AS SELECT * FROM frame")
        connection.execute(f"CREATE VIEW sly AS SELECT * FROM read_csv('{secret}')")
    same(read_table(path))
    with pytest.raises(FormatError, match="unknown table 'sly'"):
        read_table(path, table="sly")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(FormatError, match="not a readable DuckDB file"):
        read_table(path)


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    folder = tmp_path / "odd [1]*"
    for year, rows in ((2023, FRAME.iloc[:3]), (2024, FRAME.iloc[3:])):
        part = folder / f"year={year}"
        part.mkdir(parents=True)
        with duckdb.connect() as connection:
            connection.register("frame", rows)
            connection.execute(f"COPY frame TO '{part}/part.parquet' (FORMAT PARQUET)")
    table = read_table(folder)
    assert table.column("year").labels == ("2023", "2024")
    same(table.drop(["year"]))
    (folder / "year=2023" / "bad.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(FormatError, match="not a readable folder of Parquet files"):
        read_table(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="Is a directory"):
        read_table(tmp_path / "empty")


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_arrow(library: str) -> None:
    made = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    values = dict(zip(FRAME.columns, zip(*cells()[1:], strict=True), strict=True))
    frame = made.table({k: list(v) for k, v in values.items()}) if library == "pyarrow" else made.DataFrame(values)
    same(Table.from_dataframe(frame))
    assert check(frame).table.shape == (6, 3)


def test_arrow_categories_and_dates() -> None:
    pa = pytest.importorskip("pyarrow")
    levels = pa.array(["low", "high", None, "low"]).dictionary_encode()
    table = Table.from_dataframe(
        pa.table({"level": levels, "day": pa.array([datetime.date(2020, 1, k) for k in (1, 2, 3, 4)])})
    )
    assert table.column("level").declared and table.column("level").labels == ("low", "high")
    assert table.column("level").n_missing == 1 and table.column("day").labels[0] == "2020-01-01"
    with pytest.raises(DataError, match="column 'x' holds list"):
        Table.from_dataframe(pa.table({"x": pa.array([[1], [2]]), "y": pa.array([1, 2])}))


def test_arrow_categories_are_not_copied() -> None:
    pa = pytest.importorskip("pyarrow")
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.uint8()), pa.array(["low", "high"]))
    table = Table.from_dataframe(pa.table({"level": levels, "b": pa.array(["x", "y", "x", "y"])}))
    codes = table.column("level").codes
    assert codes.dtype == np.uint8 and codes.ctypes.data == levels.indices.buffers()[1].address
    frame = pd.DataFrame({"level": pd.Categorical(["low", "high", "low"]), "b": ["x", "y", "y"]})
    assert np.shares_memory(Table.from_dataframe(frame).column("level").codes, frame["level"].array.codes)
    repeated = pa.table([pa.array(["x", "y"])] * 2, names=["a", "a"])
    assert Table.from_dataframe(repeated).names == ("a", "a (2)")


def test_a_workbook_with_titles_above_its_header(tmp_path: Path) -> None:
    wide = [[*row, None] for row in cells()]  # and a column that nobody filled
    above = [["Ward export", None, None, None], [None] * 4, ["Person", None, "Stay", None]]
    path = write_workbook(tmp_path / "x.xlsx", {"data": [*above, *wide]})
    same(read_table(path))
    (note,) = [f for f in check(path).findings if f.kind == "header"]
    assert "'Ward export', 'Person', 'Stay'" in note.what and note.severity == "note"


def test_dates_of_a_frame_are_asked_about() -> None:
    frame = pd.DataFrame(
        {"day": pd.date_range("2020-01-01", periods=60), "a": ["x", "y"] * 30, "b": ["u"] * 29 + ["v"] * 31}
    )
    with pytest.raises(ArcwiseError, match="column 'day' holds dates or times"):
        learn(frame)
    assert learn(frame, agree=True, compare=False, permutations=0).data.names == ("a", "b")
    with pytest.raises(DataError, match="identifier"):
        Dataset.from_dataframe(frame)


def test_the_format_is_checked(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="something else, not SQLITE"):
        read_data(tmp_path / "x.db")


def test_objects_and_lists_in_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": {"b": 1, "c": {"d": "x"}}, "tags": ["u", "v"]}\n{"a": {"b": 2}, "tags": []}\n')
    table = read_table(path)
    assert table.names == ("a.b", "a.c.d", "tags")
    assert [column.labels for column in table.columns] == [("1", "2"), ("x",), ("u, v",)]
    assert table.n_missing == {"a.c.d": 1, "tags": 1}
    path.write_text('{"a": [{"b": 1}]}\n')
    with pytest.raises(FormatError, match="line 1, 'a' holds a list of objects or lists"):
        read_table(path)
    path.write_text('{"c": 1}\n{"a": {"b": 1}, "a.b": 2}\n{"c": 3}\n')
    with pytest.raises(FormatError, match=r"line 2 has 'a\.b' twice"):
        read_table(path)
    path.write_text('{"a":' * 30 + "1" + "}" * 30)
    with pytest.raises(FormatError, match="more than 20 deep"):
        read_table(path)


NAMES = ["age\u00a0", "\u2003smoke", "ward\u2028"]


def write_blank_names(folder: Path, kind: str) -> Path:
    rows = [["a", "b", "c"], ["b", "a", "d"]]
    path = folder / f"data.{kind}"
    if kind in ("csv", "tsv", "lau"):
        sign = "\t" if kind == "tsv" else ","
        path.write_text("\n".join(sign.join(row) for row in [NAMES, *rows]) + "\n", encoding="utf-8")
    elif kind == "arff":
        head = "".join(f"@attribute '{name}' string\n" for name in NAMES)
        path.write_text(f"@relation x\n{head}@data\n" + "\n".join(map(",".join, rows)), encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows), encoding="utf-8")
    elif kind == "xlsx":
        write_workbook(path, {"one": [NAMES, *rows]})
    else:
        frame = pd.DataFrame(rows, columns=NAMES)
        if kind == "sqlite":
            with sqlite3.connect(path) as connection:
                frame.to_sql("one", connection, index=False)
        else:
            with duckdb.connect(str(path) if kind == "duckdb" else ":memory:") as connection:
                connection.register("frame", frame)
                connection.execute("CREATE TABLE one AS SELECT * FROM frame")
                if kind == "parquet":
                    connection.execute(f"COPY one TO '{path}' (FORMAT PARQUET)")
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "lau", "arff", "jsonl", "xlsx", "sqlite", "duckdb", "parquet"])
@pytest.mark.parametrize("grouped", [False, True])
def test_names_have_no_blanks_of_any_kind_around_them(tmp_path: Path, kind: str, grouped: bool) -> None:
    if grouped and kind not in ("duckdb", "parquet"):
        return
    path = write_blank_names(tmp_path, kind)
    table = read_table(path, grouping=Grouping(always=True)) if grouped else read_table(path)
    assert table.names == ("age", "smoke", "ward")


@pytest.mark.parametrize("name", ["a\0", "a\x01b"])
def test_a_name_that_no_file_can_hold_is_refused_before_the_work(name: str) -> None:
    frame = pd.DataFrame({name: ["x", "y"] * 20, "b": ["x", "y", "y", "x"] * 10})
    with pytest.raises(FormatError, match="XML has no character"):
        learn(frame, replicates=10**6)


def test_a_state_that_no_file_can_hold_is_refused_before_the_work() -> None:
    data = Dataset.from_codes([[0, 1], [1, 0]] * 20, names=["a", "b"], states=[["x ", "y"], ["x", "y"]])
    with pytest.raises(FormatError, match="cannot write the result: the state of 'a' 'x ' begins or ends with a blank"):
        learn(data, replicates=10**6)

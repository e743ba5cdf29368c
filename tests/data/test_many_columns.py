"""Tables of many columns: what is asked of each of them must not look at all others."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from arcwise.data import Column, Dataset, Table, read_data
from arcwise.data.checks import completed_header

COLUMNS = 2_000
COMPARED: Counter[str] = Counter()


class Name(str):
    """A name that counts how often it is compared with another one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        COMPARED["all"] += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def compared(count: int = COLUMNS) -> list[str]:
    COMPARED.clear()
    return [Name(f"v{k}") for k in range(count)]


def test_headers_are_completed_in_linear_time() -> None:
    names = compared()
    assert completed_header(names) == (names, {})
    completed_header([*names, *names])
    completed_header([Name("a")] * COLUMNS)
    completed_header([Name()] * COLUMNS)
    assert COMPARED["all"] < 20 * COLUMNS


def test_repeated_and_empty_names_are_numbered_as_they_are_free() -> None:
    fields = ["a", "a", "a (3)", "a", "", "column 5", "column (6)", "", "a", "column 8", ""]
    made = ["a", "a (2)", "a (3)", "a (4)", "column (7)", "column 5", "column (6)", "column (9)", "a (5)", "column 8"]
    assert completed_header(fields)[0] == [*made, "column 11"]


def test_columns_and_variables_are_found_by_name_in_linear_time() -> None:
    names = compared()
    table = Table(tuple(Column(name, np.array([0, 1, 0], np.uint8), ("a", "b")) for name in names))
    data = table.to_dataset(states={name: ["a", "b", "c"] for name in names})
    table.select(names).drop(names[1:])
    for position, name in enumerate(names):
        assert table.place(table.column(name)) == f"column '{name}' ({position + 1} of {COLUMNS})"
        assert name in data
        assert data.index(name) == position
    assert COMPARED["all"] < 40 * COLUMNS


def in_sqlite(frame: pd.DataFrame, path: Path) -> None:
    connection = sqlite3.connect(path)
    frame.to_sql("t", connection, index=False)
    connection.close()


def in_duckdb(frame: pd.DataFrame, path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")


def by_arcwise(frame: pd.DataFrame, path: Path) -> None:
    Dataset.from_dataframe(frame).to_file(path)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "arff": by_arcwise,
    "parquet": by_arcwise,
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "sqlite": in_sqlite,
    "duckdb": in_duckdb,
}


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of the package are run, each turn of a loop for itself: time that no machine decides."""
    run = 0

    def count(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal run
        run += event == "line"
        return count if "arcwise" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return run


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_twice_the_columns_take_twice_the_work(kind: str, tmp_path: Path) -> None:
    if kind == "xlsx":
        pytest.importorskip("openpyxl")
    took = []
    for columns in (20, 150, 300):  # the first imports what is imported late
        frame = pd.DataFrame({f"c{k}": [f"s{(row + k) % 2}" for row in range(5)] for k in range(columns)})
        WRITERS[kind](frame, tmp_path / f"{columns}.{kind}")
        took.append(lines_run(lambda: read_data(tmp_path / f"{columns}.{kind}", progress=False)))  # noqa: B023
    assert took[1] > 150
    assert took[2] < 2.5 * took[1]

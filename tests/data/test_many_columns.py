"""Tables of many columns: what is asked of each of them must not look at all others."""

from __future__ import annotations

from collections import Counter

import numpy as np

from arcwise.data import Column, Table
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

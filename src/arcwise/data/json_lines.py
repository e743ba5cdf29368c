"""JSON lines: one object per line, its keys the columns; null and absent keys are missing values.

An object within an object gives columns of its own, "order.id"; a list of values is one label, "a, b".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.header import completed_header
from arcwise.data.labels import spell
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Column, Table
from arcwise.errors import FormatError
from arcwise.progress import ProgressCallback

__all__ = ["read_json_lines"]

DEEPEST = 20


def read_json_lines(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a file of JSON objects, one per line; blank lines do not count."""
    del progress
    columns: dict[str, list[str | None]] = {}
    lines: list[int] = []
    for number, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip():
            continue
        where = f"{source.name}: line {number:,}"
        for name, value in _flat(_row(text, where), where):
            own = columns.setdefault(name, [])
            if len(own) > len(lines):
                raise FormatError(f"{where} has '{name}' twice: as a key, and as a key of an object in it.")
            own.extend([None] * (len(lines) - len(own)))
            label = _label(value, f"{where}, '{name}'")
            own.append(None if label is None or label in options.missing else label)
        lines.append(number)
    if not columns:
        raise FormatError(f"{source.name}: no line holds an object with at least one key.")
    names, renamed = completed_header([name.strip() for name in columns])
    return Table(
        tuple(
            _column(name, [*values, *[None] * (len(lines) - len(values))])
            for name, values in zip(names, columns.values(), strict=True)
        ),
        source.name,
        lines=np.array(lines, dtype=np.int64),
        renamed=renamed,
    )


def _row(text: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON ({error}); every line holds one object.") from None
    if not isinstance(row, dict):
        raise FormatError(f"{where}: a line holds one object, {{...}}, not {type(row).__name__}.")
    return row


def _flat(row: dict[str, Any], where: str, above: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the values of a row, with those of objects in it under both names."""
    if depth == DEEPEST:
        raise FormatError(
            f"{where}, '{above[:60]}': objects within objects, more than {DEEPEST} deep; labels are needed."
        )
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, where, f"{above}{name}.", depth + 1)
        else:
            yield f"{above}{name}", value


def _label(value: object, where: str) -> str | None:
    if value is None or value == []:
        return None
    if isinstance(value, list):
        if any(isinstance(part, dict | list) for part in value):
            raise FormatError(f"{where} holds a list of objects or lists; labels are needed.")
        return ", ".join(_label(part, where) or "null" for part in value)
    if isinstance(value, int) and abs(value) >= 10**300:
        raise FormatError(f"{where}: a number of {value.bit_length():,} bits is no label.")
    return spell(value)


def _column(name: str, values: list[str | None]) -> Column:
    labels = tuple(dict.fromkeys(value for value in values if value is not None))
    position: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
    codes = [position.get(value, len(labels)) for value in values]
    return Column(name, np.array(codes, dtype=Dataset.code_type(len(labels) + 1)), labels)

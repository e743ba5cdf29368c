"""Excel workbooks (.xlsx): a sheet with the names of the columns in its first row, read by openpyxl."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.header import completed_header
from arcwise.data.labels import spell
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Column, Table
from arcwise.data.titles import header_row
from arcwise.errors import FormatError, OptionError, suggestion
from arcwise.mentions import Argument, Remedy
from arcwise.progress import ProgressCallback

__all__ = ["read_workbook"]

# What a workbook may hold when it is unpacked: a small file can be made to unpack to any size.
MOST_BYTES = 2**31


def read_workbook(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read the sheet that `table` names, or the only one; values as they were last computed, no formula runs."""
    del progress
    try:
        import openpyxl
    except ImportError:
        raise OptionError(
            f"{source.name}: openpyxl, which reads Excel workbooks, is not installed.",
            remedies=(Remedy("install arcwise[excel]"), Remedy("save the sheet as CSV")),
        ) from None
    content = source.content.tobytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
        if unpacked > MOST_BYTES:
            raise FormatError(f"{source.name}: the workbook unpacks to {unpacked:,} bytes; at most {MOST_BYTES:,}.")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        try:
            name = _chosen(source.name, book.sheetnames, options)
            rows = [list(row) for row in book[name].iter_rows(values_only=True)]
        finally:
            book.close()
    except FormatError:
        raise
    except Exception as error:  # openpyxl raises whatever its parsers do
        raise FormatError(f"{source.name}: not a readable Excel workbook: {type(error).__name__}: {error}.") from error
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise FormatError(f"{source.name}: the sheet '{name}' is empty.")
    from arcwise.data.delimited import checked_header

    rows = _without_empty_columns(rows)
    above: list[str] = []
    names, renamed = [f"X{v}" for v in range(len(rows[0]))], dict[str, str]()
    if options.header is not False:
        first = 0 if options.header else header_row(rows, len(rows[0]))
        above = [spell(cell) for row in rows[:first] for cell in row if cell is not None]
        rows = rows[first:]
        names, renamed = completed_header(["" if cell is None else spell(cell) for cell in rows.pop(0)])
        checked_header(names, source.name, ",")
    columns = tuple(_column(own, [_cell(row, v) for row in rows], options) for v, own in enumerate(names))
    return Table(columns, source.name, renamed=renamed, above=tuple(above))


def _without_empty_columns(rows: list[list[Any]]) -> list[list[Any]]:
    """Leave out columns in which no cell is filled: sheets are formatted far beyond their data."""
    wide = max(map(len, rows))
    used = [v for v in range(wide) if any(v < len(row) and row[v] is not None for row in rows)]
    return [[row[v] if v < len(row) else None for v in used] for row in rows]


def _chosen(source: str, names: list[str], options: TextOptions) -> str:
    if options.table is not None:
        if options.table not in names:
            raise FormatError(f"{source}: {suggestion('sheet', options.table, names)}")
        return options.table
    if len(names) == 1:
        return names[0]
    raise FormatError(
        f"{source}: the workbook has {len(names)} sheets: {', '.join(names[:20])}.",
        remedies=Remedy("say which one with", Argument("table", names[0])),
    )


def _cell(row: list[Any], position: int) -> str | None:
    value = row[position] if position < len(row) else None
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return spell(value)


def _column(name: str, cells: list[str | None], options: TextOptions) -> Column:
    kept = [None if cell is None or cell in options.missing else cell for cell in cells]
    labels = tuple(dict.fromkeys(cell for cell in kept if cell is not None))
    position: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
    codes = [position.get(cell, len(labels)) for cell in kept]
    return Column(name, np.array(codes, dtype=Dataset.code_type(len(labels) + 1)), labels)

"""`write_data` and `write_table`: a data set, or a table with gaps and numbers, as CSV, TSV, ARFF or Parquet."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.parquet import write_parquet_data
from arcwise.data.table import Column, Table
from arcwise.errors import FormatError, OptionError, suggestion
from arcwise.files import atomic_write
from arcwise.parquet import write_parquet

__all__ = ["format_to_write", "write_data", "write_table"]

FORMATS = {"csv": (".csv",), "tsv": (".tsv", ".tab"), "arff": (".arff",), "parquet": (".parquet", ".pq")}
BLOCK_ROWS = 2**14


def write_data(data: Dataset, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write the cases of a data set to a file, one row per case, so that `read_data` reads them back.

    Parameters
    ----------
    data
        Rows are repeated as often as their weights say.
    path
        The file; compressed if it ends in ".gz"; "-" is standard output. A file is written whole or not at all.
    format
        "csv", "tsv", "arff" or "parquet"; by default what the suffix says, and CSV for standard output. ARFF and
        Parquet keep the order of states and states that no row shows; declare them (``states=``) when you read the
        others.
    """
    kind = format_to_write(path, format)
    if kind == "parquet":
        write_parquet_data(data, path)
        return
    columns = [Column(name, data.codes[v], data.states[v], declared=True) for v, name in enumerate(data.names)]
    _write_text(columns, data.weights, path, kind)


def write_table(table: Table, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a table to a file as it is, with its missing values, so that `read_table` reads it back.

    The parameters are those of `write_data`. A missing value is an empty field, "?" in ARFF, NULL in Parquet.
    """
    kind = format_to_write(path, format)
    if kind != "parquet":
        _write_text(table.columns, table.weights, path, kind)
        return
    frame = table.to_dataframe()
    if table.weights is not None:
        frame = frame.loc[np.repeat(np.arange(table.n_rows), table.weights)]
    states = {column.name: column.labels for column in table.columns if column.declared}
    write_parquet(frame, path, facts={"kind": "data", "states": states})


def _write_text(columns: Sequence[Column], weights: np.ndarray | None, path: str | os.PathLike[str], kind: str) -> None:
    blocks = _blocks(columns, weights, kind)
    if str(path) == "-":
        for block in blocks:
            sys.stdout.write(block)
        sys.stdout.flush()
        return
    with atomic_write(path) as file:
        if str(path).endswith(".gz"):
            import gzip

            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(block.encode("utf-8") for block in blocks)
        else:
            file.writelines(block.encode("utf-8") for block in blocks)


def format_to_write(path: str | os.PathLike[str], given: str | None = None) -> str:
    """Return the format that `given` or the suffix names; for verbs to ask before their work."""
    if given is not None and given not in FORMATS:
        raise OptionError(suggestion("format to write", given, FORMATS))
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    is_packed = suffixes[-1:] == [".gz"]
    suffix = "".join(suffixes[-2:-1] if is_packed else suffixes[-1:])
    kind = given or next((kind for kind, known in FORMATS.items() if suffix in known), None)
    if kind is None and str(path) == "-":
        kind = "csv"
    if kind is None:
        listed = ", ".join(suffix for known in FORMATS.values() for suffix in known)
        raise FormatError(f"{path}: the suffix does not say which format to write; known are {listed}.")
    if kind == "parquet" and (is_packed or str(path) == "-"):
        raise FormatError(f"{path}: Parquet is compressed by itself and needs a file; end the name in .parquet.")
    return kind


def _blocks(columns: Sequence[Column], weights: np.ndarray | None, kind: str) -> Iterator[str]:
    """Yield the text of the file in pieces."""
    separator = "\t" if kind == "tsv" else ","
    quote = _arff_quoted if kind == "arff" else _csv_quoted
    missing = "?" if kind == "arff" else ""
    labels = [np.array([*(quote(own, separator) for own in c.labels), missing], dtype=object) for c in columns]
    if kind == "arff":
        yield "@relation data\n\n"
        for column, own in zip(columns, labels, strict=True):
            values = "numeric" if column.numbers is not None else f"{{{','.join(own[:-1])}}}"
            yield f"@attribute {_arff_quoted(column.name, ',')} {values}\n"
        yield "\n@data\n"
    else:
        yield separator.join(quote(column.name, separator) for column in columns) + "\n"
    n_rows = len(columns[0].codes) if columns else 0
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = np.arange(start, min(start + BLOCK_ROWS, n_rows))
        if weights is None:
            yield _rows(columns, labels, rows, separator)
            continue
        # A row may weigh as much as all others together: its copies go out in blocks too.
        for row, weight in zip(rows, weights[rows].tolist(), strict=True):
            line = _rows(columns, labels, rows[row - start : row - start + 1], separator)
            for done in range(0, weight, BLOCK_ROWS):
                yield line * min(BLOCK_ROWS, weight - done)


def _rows(columns: Sequence[Column], labels: Sequence[np.ndarray], rows: np.ndarray, separator: str) -> str:
    cells = [own[column.codes[rows]].tolist() for column, own in zip(columns, labels, strict=True)]
    return "".join(f"{separator.join(row)}\n" for row in zip(*cells, strict=True))


def _csv_quoted(text: str, separator: str) -> str:
    special = separator in text or '"' in text or "\n" in text or "\r" in text
    return '"' + text.replace('"', '""') + '"' if special else text


def _arff_quoted(text: str, _: str) -> str:
    if re.fullmatch(r"[^\s,{}%'\"\\?@]+", text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

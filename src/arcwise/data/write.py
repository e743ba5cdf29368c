"""`write_data`: a data set as CSV, TSV, ARFF or Parquet."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.parquet import write_parquet_data
from arcwise.errors import FormatError, OptionError, suggestion
from arcwise.files import atomic_write

__all__ = ["format_to_write", "write_data"]

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
    if str(path) == "-":
        for block in _blocks(data, kind):
            sys.stdout.write(block)
        sys.stdout.flush()
        return
    with atomic_write(path) as file:
        if str(path).endswith(".gz"):
            import gzip

            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                _write(packed, data, kind)  # type: ignore[arg-type]
        else:
            _write(file, data, kind)


def _write(file: BinaryIO, data: Dataset, kind: str) -> None:
    for block in _blocks(data, kind):
        file.write(block.encode("utf-8"))


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
        raise FormatError(f"{path}: the suffix does not tell the format to write; known are {listed}.")
    if kind == "parquet" and (is_packed or str(path) == "-"):
        raise FormatError(f"{path}: Parquet is compressed by itself and needs a file; end the name in .parquet.")
    return kind


def _blocks(data: Dataset, kind: str) -> Iterator[str]:
    """Yield the text of the file in pieces."""
    separator = "\t" if kind == "tsv" else ","
    quote = _arff_quoted if kind == "arff" else _csv_quoted
    states = [np.array([quote(state, separator) for state in own], dtype=object) for own in data.states]
    if kind == "arff":
        yield "@relation data\n\n"
        for name, own in zip(data.names, states, strict=True):
            yield f"@attribute {_arff_quoted(name, ',')} {{{','.join(own)}}}\n"
        yield "\n@data\n"
    else:
        yield separator.join(quote(name, separator) for name in data.names) + "\n"
    for start in range(0, data.n_rows, BLOCK_ROWS):
        rows = np.arange(start, min(start + BLOCK_ROWS, data.n_rows))
        if data.weights is None:
            yield _rows(data, states, rows, separator)
            continue
        # A row may weigh as much as all others together: its copies go out in blocks too.
        for row, weight in zip(rows, data.weights[rows].tolist(), strict=True):
            line = _rows(data, states, rows[row - start : row - start + 1], separator)
            for done in range(0, weight, BLOCK_ROWS):
                yield line * min(BLOCK_ROWS, weight - done)


def _rows(data: Dataset, states: Sequence[np.ndarray], rows: np.ndarray, separator: str) -> str:
    cells = [own[data.codes[v, rows]].tolist() for v, own in enumerate(states)]
    return "".join(f"{separator.join(row)}\n" for row in zip(*cells, strict=True))


def _csv_quoted(text: str, separator: str) -> str:
    special = separator in text or '"' in text or "\n" in text or "\r" in text
    return '"' + text.replace('"', '""') + '"' if special else text


def _arff_quoted(text: str, _: str) -> str:
    if re.fullmatch(r"[^\s,{}%'\"\\?@]+", text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

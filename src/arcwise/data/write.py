"""`write_data` and `write_table`: a data set, or a table with gaps and numbers, as CSV, TSV, ARFF or Parquet."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import write_parquet
from arcwise.base.errors import FormatError, check_known
from arcwise.base.files import atomic_write, format_of, is_unicode
from arcwise.data.checks import COLUMN, SEPARATOR, Targets, checked_header, checked_weights
from arcwise.data.column import MISSING, Column, frame_of, quoted
from arcwise.data.design import Design
from arcwise.data.source import InputFile

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.dataset import Dataset
    from arcwise.data.table import Table


FORMATS = {"csv": (".csv",), "tsv": (".tsv", ".tab"), "arff": (".arff",), "parquet": (".parquet", ".pq")}
BLOCK_ROWS = 2**14  # some MB of text at a time
# What the reader of text takes for a field; see cpp/core/data/delimited.hpp.
LONGEST_FIELD = 2**20
# A data set of more cases is written with weights, where it has them: repeated rows would fill memory and disk.
MOST_CASES = 10**7


def write_data(data: Dataset, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write the cases of a data set to a file, one row per case, so that `read_data` reads them back.

    Parameters
    ----------
    data
        Rows are repeated as often as their weights say. If variables were set, a last column `interventions` says
        which: read it with ``interventions="interventions"``; if rows belong together, a column `groups` says which,
        and survey weights are in a column `weights`.
    path
        The file; compressed if it ends in ".gz"; "-" is standard output. A file is written whole or not at all.
    format
        "csv", "tsv", "arff" or "parquet"; by default what the suffix says, and CSV for standard output. ARFF and
        Parquet keep the order of states and states that no row shows; declare them (``states=``) when you read the
        others.
    """
    _write(data.as_columns(), (data.targets, data.design), data.weights, path, format)


def write_table(table: Table, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a table to a file as it is, with its missing values, so that `read_table` reads it back.

    The parameters are those of `write_data`. A missing value is an empty field, "?" in ARFF, NULL in Parquet.
    """
    _write(table.columns, (table.targets, table.design), checked_weights(table.weights, table.n_rows), path, format)


def _write(
    variables: Sequence[Column],
    of_rows: tuple[Targets | None, Design | None],
    weights: NDArray[np.int64] | None,
    path: str | os.PathLike[str],
    given: str | None,
) -> None:
    """Write columns, with their states in the metadata of a Parquet file."""
    kind = format_to_write(path, given)
    names, (targets, design) = [column.name for column in variables], of_rows
    columns = [*variables, *_targets_column(targets, names, path), *_design_columns(design, names, path)]
    check_readable(columns, path, kind)
    if kind != "parquet":
        _write_text(columns, weights, path, kind)
        return
    states = {column.name: column.labels for column in columns if column.declared}
    kinds = {column.name: str(column.kind) for column in columns if column.kind is not None}
    facts: dict[str, Any] = {"kind": "data", "states": states} | ({"kinds": kinds} if kinds else {})
    frame = _with_cases(frame_of(columns), weights, facts)
    if len({name.lower() for name in frame.columns}) < len(frame.columns):  # DuckDB takes A and a for one name
        facts["names"] = {f"column {k}": str(name) for k, name in enumerate(frame.columns, start=1)}
        facts["states"] = {plain: states[name] for plain, name in facts["names"].items() if name in states}
        frame = frame.set_axis(list(facts["names"]), axis=1)
    write_parquet(frame, path, facts=facts)


def _with_cases(frame: pd.DataFrame, weights: NDArray[np.int64] | None, facts: dict[str, Any]) -> pd.DataFrame:
    """Return rows as often as they occur; of more than `MOST_CASES`, with that as a last column, named in the facts."""
    if weights is None:
        return frame
    if int(weights.sum()) <= MOST_CASES:
        return frame.loc[np.repeat(np.arange(len(frame)), weights)]
    names = ("number of cases" + "'" * k for k in itertools.count())
    facts["weights"] = next(name for name in names if name not in frame.columns)
    return frame.assign(**{facts["weights"]: weights})


def _targets_column(targets: Targets | None, names: Sequence[str], path: str | os.PathLike[str]) -> list[Column]:
    """Return the column that says which variables were set, if any were."""
    if targets is None or targets.is_empty:
        return []
    if COLUMN in names:
        raise FormatError(
            f"cannot write {path}: a variable is called '{COLUMN}', as is the column that says which variables were "
            "set. Rename it."
        )
    for name in targets.names:
        if SEPARATOR in name and len(max(targets.sets, key=len)) > 1:
            raise FormatError(
                f"cannot write {path}: the name '{name}' contains '{SEPARATOR}', which stands between the variables "
                "that were set. Rename it."
            )
    return [targets.column()]


def _design_columns(design: Design | None, names: Sequence[str], path: str | os.PathLike[str]) -> list[Column]:
    """Return the columns that say how the rows were drawn, if anybody said it."""
    columns = [] if design is None else design.columns()
    if taken := [column.name for column in columns if column.name in names]:
        raise FormatError(
            f"cannot write {path}: a variable is called '{taken[0]}', as is a column that says how the rows were "
            "drawn. Rename it."
        )
    return columns


def check_readable(columns: Sequence[Column], path: str | os.PathLike[str], kind: str) -> None:
    """Refuse what the file's own reader would refuse or take for something else.

    Readers strip the blanks around names and states, and CSV has no way to tell a state from the marker of a missing
    value.
    """
    text = kind != "parquet"
    for column in columns:
        states = column.labels if text or column.numbers is None else ()  # Parquet holds numbers as numbers
        for label in (column.name, *states):
            reason = _unreadable(label, kind)
            if reason:
                what = "the name" if label is column.name else f"the state of '{column.name}'"
                raise FormatError(f"cannot write {path}: {what} {quoted([label])} {reason}")
        gaps = [label for label in column.labels if label in MISSING] if kind in ("csv", "tsv") else []
        if kind == "arff" and "?" in column.labels and column.n_missing:
            gaps = ["?"]
        if gaps:
            raise FormatError(
                f"cannot write {path}: '{column.name}' has the state {quoted(gaps)}, which readers take for a missing "
                "value. Rename the state, or write .parquet, which declares its states (as .arff does)."
            )
    if text and columns:
        checked_header([column.name for column in columns], f"cannot write {path}", "\t" if kind == "tsv" else ",")


def _unreadable(label: str, kind: str) -> str:  # noqa: PLR0911 - one for each reason, of millions of labels
    """Return why a name or state cannot be read back from a file of the kind, or nothing."""
    if not label:
        return "is empty; give it a name."
    if label != label.strip():
        return "begins or ends with a blank, which readers leave out. Rename it."
    if not is_unicode(label):
        return "is not valid Unicode. Rename it."
    if kind != "parquet" and "\0" in label:
        return "contains a NUL character, which no text file has. Rename it."
    if kind == "arff" and ("\n" in label or "\r" in label):
        return "contains a line break, which ARFF does not allow. Rename it, or write .csv or .parquet."
    if kind != "parquet" and len(label) > LONGEST_FIELD // 4:  # a character takes four bytes at most
        return f"is longer than {LONGEST_FIELD // 4:,} characters. Rename it, or write .parquet."
    return ""


def _write_text(columns: Sequence[Column], weights: np.ndarray | None, path: str | os.PathLike[str], kind: str) -> None:
    blocks = (block.encode("utf-8") for block in _blocks(columns, weights, kind))
    if str(path) == "-":
        # As UTF-8, whatever the terminal's encoding is: it is a file for the next program.
        sys.stdout.flush()
        for block in blocks:
            sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        return
    with atomic_write(path) as file:
        if str(path).endswith(".gz"):
            import gzip

            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(blocks)
        else:
            file.writelines(blocks)


def format_to_write(path: str | os.PathLike[str], given: str | None = None) -> str:
    """Return the format that `given` or the suffix names; for verbs to ask before their work."""
    if given is not None:
        check_known("format to write", given, FORMATS)
    is_stdout = str(path) == "-"
    kind = given or ("csv" if is_stdout else format_of(path, FORMATS, "which format to write"))
    if kind == "parquet" and (is_stdout or str(path).lower().endswith(".gz")):
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
        yield _header([column.name for column in columns], separator)
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


def _header(names: Sequence[str], separator: str) -> str:
    """Return the first line; its first name is quoted if the file would be taken for one of another kind."""
    line = separator.join(_csv_quoted(name, separator) for name in names) + "\n"
    head = InputFile("", np.frombuffer(line.encode("utf-8"), dtype=np.uint8), None)
    if head.is_arff() or head.is_parquet() or head.binary_kind() or head.head(3) != line.encode("utf-8")[:3]:
        line = separator.join([_always_quoted(names[0]), *(_csv_quoted(name, separator) for name in names[1:])]) + "\n"
    return line


def _csv_quoted(text: str, separator: str) -> str:
    special = separator in text or '"' in text or "\n" in text or "\r" in text
    return _always_quoted(text) if special else text


def _always_quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _arff_quoted(text: str, _: str) -> str:
    if re.fullmatch(r"[^\s,{}%'\"\\?@]+", text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

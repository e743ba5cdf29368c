"""Parquet, as a table of labels. The states of a data set, which Parquet cannot declare, are facts in the metadata."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcwise.data.dataset import Dataset
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table
from arcwise.data.targets import COLUMN
from arcwise.errors import FormatError
from arcwise.files import parse_json
from arcwise.parquet import CLOSED, KEY, open_parquet, write_parquet
from arcwise.progress import ProgressCallback

__all__ = ["read_parquet", "read_parquet_folder", "write_parquet_data"]


def read_parquet(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a Parquet file: enumerations are declared states, NULL is missing, other types as in a DataFrame."""
    import pandas as pd

    del options, progress  # they are about text
    with open_parquet(source.name, content=source.content.data if source.path is None else None) as file:
        facts = file.facts() or {}
        states = _declared(facts.get("states", {}), file.types(), source.name)
        frame = file.frame({column: own for column, own in states.items() if own})
        counts = file.counts(list(states))
    for (column, own), count in zip(states.items(), counts, strict=True):
        if (int(frame[column].notna().sum()) if own else 0) != count:
            raise FormatError(
                f"{source.name}: column '{column}' has other states than the metadata. Write the file again."
            )
        frame[column] = frame[column].astype(pd.CategoricalDtype(pd.Index(own, dtype=object)))
    names = facts.get("names", {})
    if (
        not isinstance(names, dict)
        or not all(isinstance(name, str) and name for name in names.values())
        or not set(names) <= set(frame.columns)
        or len({names.get(column, column) for column in frame.columns}) < len(frame.columns)
    ):
        raise FormatError(f"{source.name}: the names in the file's metadata are no names. Write the file again.")
    return Table.from_dataframe(frame.rename(columns=names), source=source.name)


def read_parquet_folder(folder: Path) -> Table:
    """Read all Parquet files below a folder as one table; names of sub-folders such as year=2024 are columns."""
    import duckdb

    # duckdb takes * ? [ ] in a path for a pattern: a link has a plain name.
    with tempfile.TemporaryDirectory() as place:
        plain = Path(place, "data")
        plain.symlink_to(folder.resolve(), target_is_directory=True)
        try:
            with duckdb.connect(config=CLOSED) as connection:
                frame = connection.execute(
                    "SELECT * FROM read_parquet(?, union_by_name = true, hive_partitioning = true)",
                    [f"{plain}/**/*.parquet"],
                ).df()
                kept = connection.execute(
                    f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{KEY}'", [f"{plain}/**/*.parquet"]
                ).fetchall()
        except (duckdb.Error, UnicodeDecodeError) as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__).replace(str(plain), str(folder))
            raise FormatError(f"{folder}: not a readable folder of Parquet files: {reason}") from error
    for (value,) in kept:
        facts = parse_json(bytes(value), source=f"{folder}: the facts in a file's metadata")
        if isinstance(facts, dict) and "names" in facts:
            raise FormatError(f"{folder}: names of columns differ in case only in a file: read its files one by one.")
    return Table.from_dataframe(frame, source=str(folder))


def write_parquet_data(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write the cases of a data set, with the states of every variable in the file's metadata."""
    states = dict(zip(data.names, data.states, strict=True))
    if data.targets is not None:
        states[COLUMN] = data.targets.column().labels
    frame = data.to_dataframe()
    facts: dict[str, Any] = {"kind": "data", "states": states}
    if len({name.lower() for name in frame.columns}) < len(frame.columns):  # DuckDB takes A and a for one name
        facts["names"] = {f"column {k}": str(name) for k, name in enumerate(frame.columns, start=1)}
        facts["states"] = {plain: states[name] for plain, name in facts["names"].items()}
        frame = frame.set_axis(list(facts["names"]), axis=1)
    write_parquet(frame, path, facts=facts)


def _declared(states: Any, types: Mapping[str, str], name: str) -> dict[str, list[str]]:
    """Return the states that the metadata give, each of a column of text; a file of which they are not was edited."""
    if not isinstance(states, dict):
        raise FormatError(f"{name}: the states in the file's metadata are not a table of names. Write the file again.")
    for column, own in states.items():
        if column not in types or not isinstance(own, list) or not all(isinstance(state, str) for state in own):
            raise FormatError(f"{name}: the states of '{column}' in the metadata fit no column. Write the file again.")
        if types[column] != "VARCHAR" or len(set(own)) < len(own):
            raise FormatError(f"{name}: column '{column}' has other states than the metadata. Write the file again.")
    return states

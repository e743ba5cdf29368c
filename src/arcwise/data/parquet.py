"""Parquet, as a table of labels. The states of a data set, which Parquet cannot declare, are facts in the metadata."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arcwise.base.arrays import CLOSED, KEY, open_parquet
from arcwise.base.errors import FormatError
from arcwise.base.files import parse_json
from arcwise.base.run import ProgressCallback
from arcwise.data.checks import checked_weights
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table


def read_parquet(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a Parquet file: enumerations are declared states, NULL is missing, other types as in a DataFrame."""
    import pandas as pd

    del options, progress  # they are about text
    with open_parquet(source.name, content=source.content.data if source.path is None else None) as file:
        facts = file.facts() or {}
        states = declared_states(facts.get("states", {}), file.types(), source.name)
        frame = file.frame({column: own for column, own in states.items() if own})
        counts = file.counts(list(states))
    for (column, own), count in zip(states.items(), counts, strict=True):
        if (int(frame[column].notna().sum()) if own else 0) != count:
            raise FormatError(
                f"{source.name}: column '{column}' has other states than the metadata. Write the file again."
            )
        frame[column] = frame[column].astype(pd.CategoricalDtype(pd.Index(own, dtype=object)))
    names = declared_names(facts, list(frame.columns), source.name)
    weights = declared_weights(facts, frame.columns, source.name)
    table = Table.from_dataframe(frame.rename(columns=names), source=source.name)
    if weights is None:
        return table
    weighed = table.with_weights(weights)  # distinct rows, as those of a large file are read: the audit counts cases
    return replace(weighed, weights=checked_weights(weighed.weights, weighed.n_rows), is_grouped=True)


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
    check_joinable((bytes(value) for (value,) in kept), str(folder))
    return Table.from_dataframe(frame, source=str(folder))


def check_joinable(kept: Iterable[bytes], folder: str) -> None:
    """Refuse files of ours that are more than their columns, by their metadata: joined, they would be read wrongly."""
    for value in kept:
        facts = parse_json(value, source=f"{folder}: the facts in a file's metadata")
        if not isinstance(facts, dict):
            continue
        if "names" in facts:
            raise FormatError(f"{folder}: names of columns differ in case only in a file: read its files one by one.")
        if "weights" in facts:
            raise FormatError(f"{folder}: the rows of a file stand for many cases each: read its files one by one.")


def declared_names(facts: Mapping[str, Any], columns: Collection[str], source: str) -> dict[str, str]:
    """Return the names of columns that the file could not give them, by the metadata."""
    names = facts.get("names", {})
    if (
        not isinstance(names, dict)
        or not all(isinstance(name, str) and name for name in names.values())
        or not set(names) <= set(columns)
        or len({names.get(column, column) for column in columns}) < len(columns)
    ):
        raise FormatError(f"{source}: the names in the file's metadata are no names. Write the file again.")
    return names


def declared_weights(facts: Mapping[str, Any], names: Collection[str], source: str) -> str | None:
    """Return the column of weights that the metadata name, if they do."""
    weights = facts.get("weights")
    known = facts.get("names", {})
    if weights is not None and weights not in {known.get(name, name) for name in names}:
        raise FormatError(f"{source}: the weights in the file's metadata are no column. Write the file again.")
    return weights


def declared_states(states: Any, types: Mapping[str, str], name: str) -> dict[str, list[str]]:
    """Return the states that the metadata give, each of a column of text; a file of which they are not was edited."""
    if not isinstance(states, dict):
        raise FormatError(f"{name}: the states in the file's metadata are not a table of names. Write the file again.")
    for column, own in states.items():
        if column not in types or not isinstance(own, list) or not all(isinstance(state, str) for state in own):
            raise FormatError(f"{name}: the states of '{column}' in the metadata fit no column. Write the file again.")
        if types[column] != "VARCHAR" or len(set(own)) < len(own):
            raise FormatError(f"{name}: column '{column}' has other states than the metadata. Write the file again.")
    return states

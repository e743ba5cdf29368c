"""Parquet, as a table of labels. The states of a data set, which Parquet cannot declare, are facts in the metadata."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arcwise.base.arrays import CLOSED, KEY, open_parquet
from arcwise.base.errors import FormatError
from arcwise.base.files import parse_json
from arcwise.data.checks import checked_weights
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table


def read_parquet(source: Source, options: TextOptions) -> Table:
    """Read a Parquet file: enumerations are declared states, NULL is missing, other types as in a DataFrame."""
    import pandas as pd

    del options  # they are about text
    with open_parquet(source.name, content=source.content.data if source.path is None else None) as file:
        declared = Declared.of(file.facts() or {}, file.types(), source.name)
        frame = file.frame({column: own for column, own in declared.states.items() if own})
        counts = file.counts(list(declared.states))
    for (column, own), count in zip(declared.states.items(), counts, strict=True):
        if (int(frame[column].notna().sum()) if own else 0) != count:
            raise FormatError(
                f"{source.name}: column '{column}' has other states than the metadata. Write the file again."
            )
        frame[column] = frame[column].astype(pd.CategoricalDtype(pd.Index(own, dtype=object)))
    table = Table.from_dataframe(frame.rename(columns=declared.names), source=source.name)
    if declared.weights is None:
        return table
    weighed = table.with_weights(
        declared.weights
    )  # distinct rows, as those of a large file are read: the audit counts cases
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


class Declared(NamedTuple):
    """What the metadata of a file of ours declare: states, names that the columns could not have, where weights are."""

    states: dict[str, list[str]]
    names: dict[str, str]
    weights: str | None

    @classmethod
    def of(cls, facts: Mapping[str, Any], types: Mapping[str, str], source: str) -> Declared:
        """Read the facts about columns of these types; a file of which they are not true was edited."""
        states, names, weights = facts.get("states", {}), facts.get("names", {}), facts.get("weights")
        again = "Write the file again."
        if not isinstance(states, dict):
            raise FormatError(f"{source}: the states in the file's metadata are not a table of names. {again}")
        for column, own in states.items():
            if column not in types or not isinstance(own, list) or not all(isinstance(state, str) for state in own):
                raise FormatError(f"{source}: the states of '{column}' in the metadata fit no column. {again}")
            if types[column] != "VARCHAR" or len(set(own)) < len(own):
                raise FormatError(f"{source}: column '{column}' has other states than the metadata. {again}")
        if (
            not isinstance(names, dict)
            or not all(isinstance(name, str) and name for name in names.values())
            or not set(names) <= set(types)
            or len({names.get(column, column) for column in types}) < len(types)
        ):
            raise FormatError(f"{source}: the names in the file's metadata are no names. {again}")
        if weights is not None and weights not in {names.get(column, column) for column in types}:
            raise FormatError(f"{source}: the weights in the file's metadata are no column. {again}")
        return cls(states, names, weights)

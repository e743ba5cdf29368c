"""Data frames that speak Arrow: polars, pyarrow and others. Columns of categories are taken without a copy of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.header import completed_header
from arcwise.data.labels import spell
from arcwise.errors import DataError, OptionError
from arcwise.mentions import Remedy

if TYPE_CHECKING:
    from arcwise.data.table import Column

__all__ = ["columns_of_arrow", "speaks_arrow"]


def speaks_arrow(frame: object) -> bool:
    """Say whether an object is a table that offers the Arrow interface; pandas goes its own way."""
    return hasattr(frame, "__arrow_c_stream__") and not type(frame).__module__.startswith("pandas")


def columns_of_arrow(frame: Any, source: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Return the columns of a frame, dictionary-encoded, and which of them got their names here, and why."""
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError:
        raise OptionError(
            f"pyarrow, which reads a {type(frame).__module__.split('.')[0]} frame, is not installed.",
            remedies=(Remedy("install arcwise[arrow]"), Remedy("give frame.to_pandas()")),
        ) from None
    table = pa.table(frame)
    prefix = f"{source}: " if source else ""
    names, renamed = completed_header([str(name).strip() for name in table.column_names])
    columns = []
    for name, chunks in zip(names, table.columns, strict=True):
        array = chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
        declared = pa.types.is_dictionary(array.type)
        if isinstance(array, pa.ChunkedArray):  # no chunk at all
            array = array.combine_chunks() if array.num_chunks else pa.array([], type=array.type)
        if pa.types.is_nested(array.type) or pa.types.is_binary(array.type):
            raise DataError(f"{prefix}column '{name}' holds {array.type}; text or numbers are needed.")
        if not declared:
            if pa.types.is_temporal(array.type):
                array = pc.cast(array, pa.string())
            array = pc.dictionary_encode(array)
        columns.append(_column(name, array, declared=declared))
    return tuple(columns), renamed


def _column(name: str, array: Any, *, declared: bool) -> Column:
    """Return a dictionary-encoded column.

    Its codes are Arrow's own indices, in their own memory, where these are as wide as codes are, nothing is missing and
    every value of the dictionary is a label of its own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from arcwise.data.table import Column

    values = array.dictionary.to_pylist()
    labels = [None if value is None else spell(value) or None for value in values]
    kept = tuple(dict.fromkeys(label for label in labels if label is not None and label != "nan"))
    kind = Dataset.code_type(len(kept) + 1)
    if len(kept) == len(labels) and array.null_count == 0:
        indices = array.indices.to_numpy(zero_copy_only=True)
        if indices.dtype.itemsize == np.dtype(kind).itemsize:
            return Column(name, indices.view(kind), kept, declared)
    position: dict[str | None, int] = {label: code for code, label in enumerate(kept)}
    lookup = np.array([*(position.get(label, len(kept)) for label in labels), len(kept)])
    indices = np.asarray(pc.fill_null(array.indices.cast(pa.int64()), len(labels)).to_numpy(zero_copy_only=False))
    return Column(name, lookup.astype(kind)[indices], kept, declared)

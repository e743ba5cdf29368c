"""Between pandas and `Table`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.dataset import Dataset
from arcwise.data.header import completed_header
from arcwise.data.labels import spell
from arcwise.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from arcwise.data.table import Column

__all__ = ["columns_of", "frame_of"]


def columns_of(frame: pd.DataFrame, source: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Return the columns of a DataFrame, dictionary-encoded, and which of them got their names here, and why."""
    import pandas as pd

    other = "collect it first" if hasattr(frame, "collect") else "for an array of codes use Dataset.from_codes"
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"a DataFrame is needed, not {type(frame).__name__}; {other}.")
    if frame.columns.nlevels > 1:
        raise DataError("the DataFrame has several levels of column names; flatten them to one name per column.")
    prefix = f"{source}: " if source else ""
    names, renamed = completed_header([str(name).strip() for name in frame.columns])
    return tuple(_column(name, frame.iloc[:, v], prefix) for v, name in enumerate(names)), renamed


def _column(name: str, series: pd.Series[Any], prefix: str) -> Column:
    import pandas as pd

    from arcwise.data.table import Column

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        raw, values, declared = series.array.codes, list(kind.categories), True
    elif pd.api.types.is_datetime64_any_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind):
        # As written: what becomes of dates is decided by the audit, and `Dataset.from_dataframe` refuses them.
        return _column(name, series.astype(str).where(series.notna(), None), prefix)
    elif pd.api.types.is_complex_dtype(kind):
        raise DataError(f"{prefix}column '{name}' holds complex numbers; they have no order and are not categories.")
    else:
        try:
            raw, distinct = pd.factorize(series)
        except TypeError:
            raise DataError(f"{prefix}column '{name}' holds lists or other objects that are not labels.") from None
        values, declared = list(distinct), False
    if any(isinstance(value, bytes | list | tuple | dict | set) for value in values[:1000]):
        raise DataError(
            f"{prefix}column '{name}' holds {type(values[0]).__name__} objects; text or numbers are needed."
        )
    labels = [spell(value) for value in values]
    if any(label in ("inf", "-inf") for label in labels) and pd.api.types.is_float_dtype(kind):
        raise DataError(f"{prefix}column '{name}' holds infinite values; replace them, or make them missing (NaN).")
    lookup, kept = _distinct(labels)
    codes, code_type = np.asarray(raw), Dataset.code_type(len(kept) + 1)
    if (
        declared
        and len(kept) == len(labels)
        and codes.itemsize == np.dtype(code_type).itemsize
        and codes.min(initial=0) >= 0
    ):
        return Column(name, codes.view(code_type), kept, declared)  # the frame's own memory
    return Column(name, lookup.astype(code_type)[codes], kept, declared)


def _distinct(labels: list[str]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the code of each label and, last, of a missing value.

    What a file would write alike is one label: " yes" and "yes", the number 1 and the text "1".
    """
    known: dict[str, int] = {}
    for label in labels:
        if label:
            known.setdefault(label, len(known))
    codes = [known.get(label, len(known)) for label in labels]
    return np.array([*codes, len(known)], dtype=np.int64), tuple(known)


def frame_of(columns: Iterable[Column]) -> pd.DataFrame:
    """Return columns as a DataFrame: numbers as floats, declared states categorical, the rest as text."""
    import pandas as pd

    series: dict[str, Any] = {}
    for column in columns:
        if column.numbers is not None:
            series[column.name] = column.values()
        elif not column.declared:
            series[column.name] = np.array([*column.labels, None], dtype=object)[column.codes]
        else:
            codes = column.codes.astype(np.int64)
            codes[codes == len(column.labels)] = -1
            series[column.name] = pd.Categorical.from_codes(codes, categories=pd.Index(column.labels))
    return pd.DataFrame(series)

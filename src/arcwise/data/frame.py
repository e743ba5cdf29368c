"""Between pandas and `Table`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.dataset import Dataset
from arcwise.data.labels import quoted, spell
from arcwise.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from arcwise.data.table import Column

__all__ = ["columns_of", "frame_of"]


def columns_of(frame: pd.DataFrame, source: str) -> tuple[Column, ...]:
    """Return the columns of a DataFrame, dictionary-encoded."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"a pandas DataFrame is needed, not {type(frame).__name__}; for an array of codes use Dataset.from_codes."
        )
    if frame.columns.nlevels > 1:
        raise DataError("the DataFrame has several levels of column names; flatten them to one name per column.")
    prefix = f"{source}: " if source else ""
    names = [str(name).strip() for name in frame.columns]
    for position, name in enumerate(names):
        where = f"{prefix}column {position + 1} of {len(names)}"
        if not name:
            raise DataError(f"{where} has an empty name; every variable needs one.")
        if name in names[:position]:
            raise DataError(
                f"{prefix}the name '{name}' is given to columns {names.index(name) + 1} and {position + 1} of "
                f"{len(names)}; names must differ. Rename one of them."
            )
    return tuple(_column(name, frame.iloc[:, v], prefix) for v, name in enumerate(names))


def _column(name: str, series: pd.Series[Any], prefix: str) -> Column:
    import pandas as pd

    from arcwise.data.table import Column

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        raw, values, declared = np.asarray(series.cat.codes), list(kind.categories), True
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
    lookup, kept = _distinct(labels, values, f"{prefix}column '{name}'")
    return Column(name, lookup.astype(Dataset.code_type(len(kept) + 1))[np.asarray(raw)], kept, declared)


def _distinct(labels: list[str], values: list[Any], where: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the code of each label and, last, of a missing value; equal labels of different values are refused."""
    known: dict[str, int] = {}
    for k, label in enumerate(labels):
        if label in known:
            pair = (values[labels.index(label)], values[k])
            kinds = sorted({type(value).__name__ for value in pair})
            why = "after stripping spaces" if len(kinds) == 1 else f"as text, though of types {' and '.join(kinds)}"
            raise DataError(
                f"{where} has the states {quoted([str(value) for value in pair])}, which are the same {why}. "
                "Write each state in one way."
            )
        if label:
            known[label] = len(known)
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

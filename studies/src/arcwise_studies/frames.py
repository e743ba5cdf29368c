"""The cells and rows of a store as DataFrames, and the rows as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.arrays import write_parquet
from arcwise.base.files import atomic_write, parse_json
from arcwise.errors import FormatError
from arcwise_studies.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["export_rows", "read_frames", "study_frames"]


def study_frames(store: str | os.PathLike[str]) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Return (rows, cells) of every experiment of a store, as `Experiment.summarize` takes them."""
    return read_frames(Store(store))


def read_frames(store: Store) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Return (rows, cells) of every experiment."""
    import pandas as pd

    cells: dict[str, list[dict[str, Any]]] = {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for key, experiment, parameters, status, message, seconds, content in store.cells():
        where = f"{store.path}: cell {key}"
        given, found = parse_json(parameters or "", source=where), parse_json(content, source=where)
        plain = isinstance(given, dict) and isinstance(found, list) and all(isinstance(row, dict) for row in found)
        if not plain or not all(map(_is_scalar, (*given.values(), *(v for row in found for v in row.values())))):
            raise FormatError(f"{where}: parameters and rows are no tables of values; the store was edited.")
        common = {"cell": key, **given, "status": status}
        cells.setdefault(experiment, []).append({**common, "message": message, "seconds": seconds})
        rows.setdefault(experiment, []).extend({**common, **row} for row in found)
    return {name: (pd.DataFrame(rows[name]), pd.DataFrame(cells[name])) for name in cells}


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def export_rows(store: str | os.PathLike[str], path: str | os.PathLike[str], *, experiment: str | None = None) -> int:
    """Write the rows of all cells to a .parquet or .csv file, with the study's facts in the former; return how many.

    Cells without rows, failed or pending, have one line with their status and no values, so that nothing is left out.

    Parameters
    ----------
    store
        The store.
    path
        The file; its suffix decides.
    experiment
        Which experiment, if the study has several.
    """
    import pandas as pd

    source = Store(store)
    frames = read_frames(source)
    name = experiment or next(iter(frames))
    if name not in frames or (experiment is None and len(frames) > 1):
        raise FormatError(f"say which experiment's rows: the study has {', '.join(frames)}.")
    rows, cells = frames[name]
    without = cells[~cells["cell"].isin(rows["cell"] if len(rows) else [])]
    both = pd.concat([rows, without], ignore_index=True) if len(without) else rows
    suffix = Path(path).suffix
    if suffix == ".parquet":
        facts = source.facts()
        write_parquet(both, path, facts={key: facts[key] for key in ("name", "digest", "version", "content")})
    elif suffix == ".csv":
        with atomic_write(path) as file:
            both.to_csv(file, index=False)
    else:
        raise FormatError(f"{path}: rows are written as .parquet or .csv; end the name in one of them.")
    return len(both)

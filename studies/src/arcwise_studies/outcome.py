"""`Outcome`: what became of a cell; `run_cell` does a cell's work and never raises for what the cell does."""

from __future__ import annotations

import json
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from arcwise.limits import Status
from arcwise_studies.config import Study
from arcwise_studies.experiment import CellResult
from arcwise_studies.plan import Cell
from arcwise_studies.registry import load_experiment

__all__ = ["CELL_STATUSES", "CellStatus", "Outcome", "run_cell"]

CellStatus = Literal["finished", "limit", "failed"]
# In the order in which summaries list them; a planned cell without an outcome is "pending".
CELL_STATUSES = ("finished", "limit", "failed", "pending")
SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a cell.

    Parameters
    ----------
    id
        The cell's.
    status
        "finished"; "limit": it stopped at a limit and its rows, if any, are valid but not complete; "failed": it
        raised an error, took more memory than it may, or killed its worker.
    message
        Why it is not finished.
    seconds
        Wall-clock time of the cell itself.
    rows
        Its rows, as JSON (with NaN and Infinity, which Python's reader takes).
    out_of_memory
        Whether it failed because memory ran out: its process should not continue.
    """

    id: str
    status: CellStatus
    message: str = ""
    seconds: float = 0.0
    rows: str = "[]"
    out_of_memory: bool = False

    def to_json(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Outcome:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


def run_cell(study: Study, cell: Cell) -> Outcome:
    """Do the work of a cell in this process."""
    start = time.perf_counter()
    try:
        experiment = load_experiment(cell.experiment)
        result = experiment.run(study.experiments[cell.experiment], cell.parameters, cell.context(study))
        rows = json.dumps(_plain_rows(result, cell))
    except Exception as error:
        limit = study.limits.memory_bytes
        message = _describe(error)
        out_of_memory = _is_memory_error(error)
        if out_of_memory:
            message = "no memory left" if limit is None else f"memory limit of {limit / 10**6:,.0f} MB exceeded"
        return Outcome(cell.id, "failed", message, time.perf_counter() - start, out_of_memory=out_of_memory)
    status: CellStatus = "finished" if result.status is Status.COMPLETE else "limit"
    message = result.message if status == "finished" or result.message else str(result.status)
    return Outcome(cell.id, status, message, time.perf_counter() - start, rows)


def _is_memory_error(error: Exception) -> bool:
    """Return whether memory ran out; DuckDB, once loaded, turns every std::bad_alloc into an exception of its own."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException"


def _describe(error: Exception) -> str:
    """Return what was raised and where, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def _plain_rows(result: CellResult, cell: Cell) -> list[dict[str, Any]]:
    """Return the rows with numpy scalars as Python's; what is no scalar, and a clash of names, is the cell's error."""
    rows = []
    for row in result.rows:
        clash = row.keys() & {*cell.parameters, "cell", "status", "experiment"}
        if clash:
            raise TypeError(f"a row has the key '{min(clash)}', which is a parameter of the cell or the runner's own")
        given: dict[str, Any] = dict(row)
        plain = {key: value.item() if hasattr(value, "item") else value for key, value in given.items()}
        for key, value in plain.items():
            if not isinstance(value, SCALARS):
                raise TypeError(f"a row's '{key}' is a {type(value).__name__}; it must be a text, number, bool or None")
        rows.append(plain)
    return rows

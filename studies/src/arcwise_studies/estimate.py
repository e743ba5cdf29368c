"""`estimate_study`: how long a study would take, from cells that were measured."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.base.files import parse_json
from arcwise.base.showing import one_screen
from arcwise.errors import ConfigError, FormatError
from arcwise_studies.config import Study
from arcwise_studies.plan import plan_study
from arcwise_studies.store import Store

__all__ = ["StudyEstimate", "estimate_study"]


@one_screen
@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """How long the cells of a study would take on one processor like the one they were measured on.

    Parameters
    ----------
    cells
        Cells of the study.
    seconds
        All of them, one after the other.
    uncertainty
        A standard error of `seconds`: the spread of the measured cells that stand for a planned one.
    like_limited
        Cells whose likes stopped at a limit or failed: they would take longer than is counted here, up to the limits.
    measured
        Cells that the estimate is made from.
    """

    cells: int
    seconds: float
    uncertainty: float
    like_limited: int
    measured: int

    def hours(self, workers: int = 1) -> float:
        """Return the hours that this many workers would need."""
        return self.seconds / 3600 / workers


def estimate_study(study: Study, store: str | os.PathLike[str]) -> StudyEstimate:
    """Estimate how long a study takes from the cells of a store, which may be a smaller study's.

    Every planned cell is taken to last as long as the mean of those measured cells of its experiment with which it has
    the most parameters in common: for another repetition that is the same cell of the repetitions that were run, for
    another data set the cells of the same size, score and method. A number counts as partly in common with another
    one, the more the closer they are.
    """
    measured: dict[str, list[tuple[dict[str, Any], float, bool]]] = {}
    for _, experiment, parameters, status, _, seconds, _ in Store(store).cells(rows=False):
        if seconds is not None:
            measured.setdefault(experiment, []).append((_parameters(parameters, store), seconds, status != "finished"))
    total = variance = 0.0
    limited = 0
    plan = plan_study(study)
    likes = {name: _Likes(known) for name, known in measured.items()}
    for cell in plan:
        if cell.experiment not in likes:
            raise ConfigError(f"{store} has no measured cell of the experiment '{cell.experiment}'.")
        seconds, spread, is_limited = likes[cell.experiment].find(cell.parameters)
        total += seconds
        variance += spread**2
        limited += is_limited
    return StudyEstimate(len(plan), total, math.sqrt(variance), limited, sum(map(len, measured.values())))


class _Likes:
    """Measured cells of one experiment, as columns."""

    def __init__(self, cells: list[tuple[dict[str, Any], float, bool]]) -> None:
        names = {name for parameters, _, _ in cells for name in parameters}
        self._columns = {name: np.array([cell[0].get(name) for cell in cells], dtype=object) for name in sorted(names)}
        self._logs = {name: np.array([_log(value) for value in column]) for name, column in self._columns.items()}
        self._seconds = np.array([cell[1] for cell in cells])
        self._is_limited = np.array([cell[2] for cell in cells])

    def find(self, parameters: dict[str, Any]) -> tuple[float, float, bool]:
        """Return mean and spread of the cells that are most alike, and whether most of them reached a limit."""
        common = np.zeros(len(self._seconds))
        for name, column in self._columns.items():
            value = parameters.get(name)
            same = column == value
            common += same
            near = 0.5 / (1 + np.abs(self._logs[name] - _log(value)))
            common += np.where(same, 0.0, np.nan_to_num(near))
        chosen = common > common.max() - 1e-9
        seconds = self._seconds[chosen]
        return float(seconds.mean()), float(seconds.std()), bool(self._is_limited[chosen].mean() > 0.5)


def _log(value: Any) -> float:
    """Return the size of a number, NaN for what is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return math.copysign(math.log2(1 + abs(value)), value) if is_number else math.nan


def _parameters(text: str | None, store: str | os.PathLike[str]) -> dict[str, Any]:
    found = parse_json(text or "", source=f"{store}: the parameters of a cell")
    if not isinstance(found, dict):
        raise FormatError(f"{store}: the parameters of a cell are no table; the store was edited.")
    return found

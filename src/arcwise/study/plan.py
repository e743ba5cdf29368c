"""`plan_study`: the cells of a study, each with an id that says what it is and nothing about where it runs."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.errors import ConfigError
from arcwise.showing import one_screen
from arcwise.study.config import Study, canonical_json
from arcwise.study.experiment import CellContext, Row
from arcwise.study.registry import load_experiment
from arcwise.study.settings import plain_settings

__all__ = ["Cell", "plan_study"]

ID_DIGITS = 24  # 96 bits
# A number with a digit too many should be told, not planned for hours.
MOST_CELLS = 1_000_000


@one_screen
@dataclass(frozen=True, slots=True)
class Cell:
    """One unit of work: an experiment and the parameters that this cell has."""

    id: str
    experiment: str
    parameters: Row

    def context(self, study: Study) -> CellContext:
        """Return what the cell is given: its random numbers come from the study's seed and the cell's id."""
        rng = np.random.default_rng([study.seed, int(self.id, 16)])
        return CellContext(rng, study.limits, study.sources, study.seed)


def plan_study(study: Study) -> tuple[Cell, ...]:
    """Return all cells in order.

    The id is a digest of the experiment, the study's seed, the settings that are not axes, and the parameters: a cell
    with the same id has the same result. Limits are not in it, because a finished cell did not reach them.
    """
    cells: dict[str, Cell] = {}
    _check_number(study)
    for name, settings in study.experiments.items():
        experiment = load_experiment(name)
        common = {key: value for key, value in plain_settings(settings).items() if key not in experiment.axes}
        for parameters in experiment.plan(settings):
            identity: dict[str, Any] = {
                "experiment": name,
                "seed": study.seed,
                "settings": common,
                "parameters": parameters,
            }
            key = hashlib.sha256(canonical_json(identity).encode()).hexdigest()[:ID_DIGITS]
            if key in cells:
                raise ConfigError(f"experiment '{name}' plans the same cell twice: {parameters}. Is a value repeated?")
            cells[key] = Cell(key, name, dict(parameters))
    if not cells:
        raise ConfigError(f"study '{study.name}' has no cell: some list in its settings is empty.")
    return tuple(cells.values())


def _check_number(study: Study) -> None:
    """Refuse a study of too many cells before any of them is made: to count them takes a twentieth of the time."""
    left = MOST_CELLS
    for name, settings in study.experiments.items():
        left -= sum(1 for _ in itertools.islice(load_experiment(name).plan(settings), left + 1))
        if left < 0:
            raise ConfigError(
                f"study '{study.name}' has more than {MOST_CELLS:,} cells: is a number in [experiments.{name}] too "
                "large? Split it into several studies otherwise."
            )

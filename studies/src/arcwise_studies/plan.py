"""`plan_study`: the cells of a study, each with an id that says what it is and nothing about where it runs."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arcwise.base.run import Run
from arcwise.base.showing import one_screen
from arcwise.errors import ConfigError
from arcwise_studies.config import Study, canonical_json
from arcwise_studies.experiment import CellContext, Row
from arcwise_studies.registry import load_experiment
from arcwise_studies.settings import plain_settings

__all__ = ["Cell", "count_cells", "plan_in_time", "plan_study"]

ID_DIGITS = 24  # 96 bits
# A number with a digit too many should be told, not planned for hours.
MOST_CELLS = 1_000_000
# How many are made between two looks at the clock.
CELLS_PER_LOOK = 1_000


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
    count_cells(study)
    return tuple(iterate_cells(study))


def plan_in_time(study: Study, deadline: Run) -> tuple[Cell, ...] | None:
    """Return all cells in order; None if the time ends before the last one is made."""
    count_cells(study)
    cells: list[Cell] = []
    for cell in iterate_cells(study):
        if not len(cells) % CELLS_PER_LOOK and deadline.is_over:
            return None
        cells.append(cell)
    return tuple(cells)


def iterate_cells(study: Study) -> Iterator[Cell]:
    """Make the cells, one after the other."""
    known: set[str] = set()
    for name, settings in study.experiments.items():
        experiment = load_experiment(name)
        common = {key: value for key, value in plain_settings(settings).items() if key not in experiment.axes}
        # The canonical JSON of the whole identity, of which only the parameters differ between cells.
        before = f'{{"experiment":{canonical_json(name)},"parameters":'
        after = f',"seed":{canonical_json(study.seed)},"settings":{canonical_json(common)}}}'
        for parameters in experiment.plan(settings):
            identity = before + canonical_json(parameters) + after
            key = hashlib.sha256(identity.encode()).hexdigest()[:ID_DIGITS]
            if key in known:
                raise ConfigError(f"experiment '{name}' plans the same cell twice: {parameters}. Is a value repeated?")
            known.add(key)
            yield Cell(key, name, dict(parameters))
    if not known:
        raise ConfigError(f"study '{study.name}' has no cell: some list in its settings is empty.")


def count_cells(study: Study) -> int:
    """Count the cells before any of them is made, in a tenth of that time, and refuse a study of too many."""
    count = 0
    for name, settings in study.experiments.items():
        count += sum(1 for _ in itertools.islice(load_experiment(name).plan(settings), MOST_CELLS + 1 - count))
        if count > MOST_CELLS:
            raise ConfigError(
                f"study '{study.name}' has more than {MOST_CELLS:,} cells: is a number in [experiments.{name}] too "
                "large? Split it into several studies otherwise."
            )
    return count

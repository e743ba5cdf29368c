"""`Experiment`: what one cell of a study does, how many cells there are, and what their rows add up to.

An experiment is one file under ``experiments/`` and one line in `arcwise_studies.registry.EXPERIMENTS`. It knows
nothing of processes, stores or clusters: the runner gives every cell its parameters, its own random numbers and its
limits, keeps the rows that it returns, and hands all rows back for the summary.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from arcwise.base.showing import one_screen
from arcwise.limits import Limits, Status
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["CellContext", "CellResult", "Experiment", "Row", "Scalar", "SummaryFigure", "SummaryTable"]

Scalar = str | int | float | bool | None
Row = dict[str, Scalar]
S = TypeVar("S")


@one_screen
@dataclass(frozen=True, slots=True)
class CellContext:
    """What the runner gives to a cell.

    Parameters
    ----------
    rng
        Random numbers that depend on the study's seed and the cell's id alone.
    limits
        What the cell may use. A cell that stops at a limit returns what it has with that status. (The runner enforces
        the limits as well: a cell that ignores them is ended and recorded as failed.)
    sources
        Networks and data by name.
    seed
        The study's seed.
    """

    rng: np.random.Generator
    limits: Limits
    sources: Sources
    seed: int

    def shared_rng(self, *keys: Scalar) -> np.random.Generator:
        """Return random numbers that all cells with the same keys share, e.g. to compare scores on the same sample."""
        digest = hashlib.sha256(json.dumps(keys).encode()).hexdigest()
        return np.random.default_rng([self.seed, int(digest, 16)])


@one_screen
@dataclass(frozen=True, slots=True)
class CellResult:
    """The rows that a cell adds to the study, in a fixed order, and whether a limit cut it short.

    A row's keys may differ from cell to cell; they must not be those of the cell's parameters, which every row gets.
    """

    rows: Sequence[Row]
    status: Status = Status.COMPLETE
    message: str = ""


@one_screen
@dataclass(frozen=True, slots=True, eq=False)
class SummaryTable:
    """A table of a summary. The column `cells` says how many cells stand behind each row.

    Cells that failed or stopped at a limit are in the count that the experiment chooses, and the runner adds a table
    of its own with the number of cells by status.
    """

    name: str
    caption: str
    frame: pd.DataFrame


@one_screen
@dataclass(frozen=True, slots=True, eq=False)
class SummaryFigure:
    """A figure of a summary: a function that draws it on axes. Caption and title say how many cells it shows."""

    name: str
    caption: str
    draw: Callable[[Axes], None]


class Experiment(ABC, Generic[S]):
    """What all cells of an experiment share: their settings, their plan, their work and their summary.

    ``Settings`` is a frozen dataclass; its typed fields are the keys that the TOML table may have (bool, int, float,
    str, ``tuple[..., ...]`` of these, ``Literal``, any of them with None). Its ``__post_init__`` may raise a
    `ConfigError` or any other `ArcwiseError`.

    ``axes`` names the settings that only span the plan, such as lists of networks or the number of repetitions: what a
    cell does depends on its own parameters and on the *other* settings. A cell's id is made of these, so a study that
    gets more repetitions keeps its finished cells.
    """

    Settings: ClassVar[type[Any]]
    axes: ClassVar[tuple[str, ...]] = ()

    def check(self, settings: S, sources: Sources) -> None:
        """Raise an error if something that the settings name is not there; called before the first cell is run."""

    @abstractmethod
    def plan(self, settings: S) -> Iterable[Row]:
        """Return the parameters of every cell, all different, in an order that is always the same."""

    @abstractmethod
    def run(self, settings: S, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Do the work of one cell. Runs in a worker process; any exception is recorded as the cell's failure."""

    @abstractmethod
    def summarize(self, settings: S, rows: pd.DataFrame, cells: pd.DataFrame) -> Sequence[SummaryTable | SummaryFigure]:
        """Return tables and figures, from what the store holds and nothing else.

        Parameters
        ----------
        settings
            The settings.
        rows
            One line per row of all cells that have rows: ``cell`` (its id), the cell's parameters, ``status``, and the
            row's own columns. Sorted by the order of the plan.
        cells
            One line per planned cell: ``cell``, its parameters, ``status`` ("finished", "limit", "failed" or
            "pending"), ``message``, ``seconds``.
        """

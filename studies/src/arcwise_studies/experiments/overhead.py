"""Cells that do nothing for a given time: what the runner, a store and a cluster cost, and whether they survive.

Some cells can be told to misbehave: to fail, to take more memory than they may, or to kill their worker process.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arcwise.errors import ConfigError
from arcwise.limits import Status
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Overhead", "OverheadSettings"]

MEGABYTE = 10**6


@dataclass(frozen=True)
class OverheadSettings:
    """The settings; the four lists name cells that fail, take too much memory, kill their process, or are limited."""

    cells: int = 100
    seconds: float = 0.0
    work: Literal["sleep", "compute"] = "sleep"
    rows: int = 1
    fail: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()
    memory_mb: int = 10_000
    die: tuple[int, ...] = ()
    stop: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("cells", "rows", "memory_mb"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} must be at least 1.")
        if self.seconds < 0:
            raise ConfigError(f"seconds = {self.seconds} must be 0 or more.")


class Overhead(Experiment[OverheadSettings]):
    """Cells that take `seconds` each and return `rows` rows of a random number."""

    Settings = OverheadSettings
    axes = ("cells",)

    def plan(self, settings: OverheadSettings) -> Iterable[Row]:
        """Return the cells: their numbers."""
        return ({"number": number} for number in range(settings.cells))

    def run(self, settings: OverheadSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Wait or compute, then misbehave if the cell is told to."""
        number = parameters["number"]
        self._spend(settings)
        if number in settings.fail:
            raise RuntimeError(f"cell {number} was told to fail")
        if number in settings.memory:
            # Written to, so that it counts, in pieces, so that it is the limit that ends it and not one big request.
            pieces = [np.ones(MEGABYTE // 8) for _ in range(settings.memory_mb)]
            return CellResult([{"value": float(len(pieces))}])
        if number in settings.die:
            os.abort()
        values = context.rng.random(settings.rows).tolist()
        status = Status.TIME_LIMIT if number in settings.stop else Status.COMPLETE
        return CellResult([{"row": row, "value": value} for row, value in enumerate(values)], status)

    def summarize(
        self, settings: OverheadSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return how long cells took, and a histogram of it."""
        import pandas as pd

        done = cells.loc[cells["seconds"].notna(), "seconds"].to_numpy(dtype=float)
        table = pd.DataFrame(
            {
                "cells": [len(cells)],
                **{status: [int((cells["status"] == status).sum())] for status in ("finished", "limit", "failed")},
                "rows": [len(rows)],
                "asked seconds": [settings.seconds],
                "mean seconds": [done.mean() if done.size else math.nan],
                "mean value": [rows["value"].mean() if len(rows) else math.nan],
            }
        )

        def draw(axes: Axes) -> None:
            axes.hist(done, bins=20)
            axes.set_xlabel("seconds of a cell")
            axes.set_ylabel("cells")

        caption = f"How long the {done.size} cells took that were run; each was asked to take {settings.seconds:g} s."
        return [SummaryTable("cell-times", caption, table), SummaryFigure("cell-times", caption, draw)]

    @staticmethod
    def _spend(settings: OverheadSettings) -> None:
        if settings.work == "sleep":
            time.sleep(settings.seconds)
            return
        end = time.process_time() + settings.seconds
        while time.process_time() < end:
            np.random.default_rng(1).random(10_000).sum()

"""Steck (2008), Table 1: the optimal equivalent sample size of twenty data sets, exact and by his formula.

A data set is named as ``uci/iris:cut=sepallength+sepalwidth+petallength+petalwidth``: the columns that are cut into 3
intervals of equal width; ``drop=...`` leaves columns out. Missing values become the most frequent one of their column.
This is the preparation that reproduces the published optima of most of these files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.data import Dataset, discretize, impute, read_table
from arcwise.datasets import load
from arcwise.errors import ConfigError
from arcwise.limits import Status
from arcwise.priors import Learning, ascend_ess, maximise_ess
from arcwise_studies.data_sets import find_data
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.source_text import SourceText
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Steck", "SteckSettings", "prepare"]

OPTIONS = {"cut": str, "drop": str}


@dataclass(frozen=True)
class Printed:
    """A row of the printed table: alpha^I (first, last), alpha^M, alpha*, the rounds k."""

    first: int
    last: int
    maximum: int
    star: int
    rounds: int


# By the name of the data set, without its folder.
PRINTED = {
    "balance-scale": Printed(1, 100, 48, 44, 1),
    "iris": Printed(1, 3, 2, 2, 2),
    "thyroid_new": Printed(2, 2, 2, 3, 5),
    "liver_bupa": Printed(3, 6, 4, 3, 3),
    "ecoli": Printed(7, 10, 8, 8, 3),
    "abalone": Printed(6, 6, 6, 7, 3),
    "diabetes_pima": Printed(3, 5, 4, 3, 3),
    "post_operative": Printed(3, 5, 3, 3, 3),
    "yeast": Printed(1, 6, 6, 6, 2),
    "breast_cancer": Printed(6, 10, 8, 7, 2),
    "shuttle": Printed(1, 3, 3, 3, 2),
    "tic-tac-toe": Printed(51, 62, 51, 60, 2),
    "bc_wisconsin_with_id": Printed(7, 15, 8, 5, 3),
    "glass_with_id": Printed(5, 6, 6, 6, 4),
    "page_blocks": Printed(3, 3, 3, 3, 2),
    "heart_cleveland": Printed(13, 16, 13, 9, 3),
    "heart_hungarian": Printed(5, 6, 5, 5, 3),
    "heart_statlog": Printed(7, 10, 10, 10, 4),
    "wine": Printed(8, 8, 8, 7, 3),
    "adult_train": Printed(48, 58, 50, 49, 3),
}


@dataclass(frozen=True)
class SteckSettings:
    """The settings; `high` is the largest sample size looked at (the printed table ends at 100)."""

    data: tuple[str, ...]
    tolerance: float = 0.1
    high: float = 100.0
    max_parents: int | None = None

    def __post_init__(self) -> None:
        if not self.tolerance > 0 or not self.high > 1:
            raise ConfigError("tolerance must be positive, and high above 1.")


def prepare(text: str, sources: Sources) -> Dataset:
    """Return the data set of that name, complete and discrete."""
    source = SourceText.parse(text)
    options: dict[str, Any] = source.values(OPTIONS)
    path = find_data(SourceText(source.kind, source.kind, {}), sources)
    if path is None:
        return load(source.kind)
    table = read_table(path, drop=options["drop"].split("+") if "drop" in options else (), progress=False)
    if any(table.n_missing.values()):
        table = impute(table, method="mode", progress=False)
    if "cut" in options:
        table = discretize(table, method="width", bins=3, columns=options["cut"].split("+"))
    return table.to_dataset(categorical=True)


def short_name(text: str) -> str:
    """Return the name of a data set without folder and options."""
    return SourceText.parse(text).kind.rpartition("/")[2]


class Steck(Experiment[SteckSettings]):
    """One cell: one data set."""

    Settings = SteckSettings
    axes = ("data",)

    def check(self, settings: SteckSettings, sources: Sources) -> None:
        """Check that the data are there."""
        for text in settings.data:
            source = SourceText.parse(text)
            source.values(OPTIONS)
            find_data(SourceText(source.kind, source.kind, {}), sources)

    def plan(self, settings: SteckSettings) -> Iterable[Row]:
        """Return the data sets."""
        return ({"data": text} for text in settings.data)

    def run(self, settings: SteckSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Find alpha*, alpha^M and alpha^I."""
        data = prepare(parameters["data"], context.sources)
        learning = Learning(max_parents=settings.max_parents, limits=context.limits)
        ascent = ascend_ess(data, tolerance=settings.tolerance, learning=learning, progress=False)
        maximum = maximise_ess(data, high=settings.high, learning=learning, progress=False)
        row: Row = {
            "cases": data.n_cases,
            "variables": data.n_variables,
            "first": maximum.integers[0],
            "last": maximum.integers[1],
            "best_integer": maximum.best_integer,
            "alpha_max": maximum.alpha_max,
            "interval_low": maximum.interval[0],
            "interval_high": maximum.interval[1],
            "alpha_star": ascent.alpha_star,
            "rounds": ascent.rounds,
            "converged": ascent.converged,
            "arcs": maximum.dag.n_arcs,
        }
        return CellResult([row], ascent.status if ascent.status is not Status.COMPLETE else maximum.status)

    def summarize(
        self, settings: SteckSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return the table with the printed values next to ours, and a figure of alpha* against alpha^M."""
        import pandas as pd

        lines = []
        for row in rows.to_dict(orient="records"):
            name = short_name(row["data"])
            printed = PRINTED.get(name)
            ours = f"{row['first']}...{row['last']}"
            interval = "" if printed is None else f"{printed.first}...{printed.last}"
            lines.append(
                {
                    "data": name,
                    "N": row["cases"],
                    "n": row["variables"],
                    "alpha^I printed": interval,
                    "alpha^I": ours,
                    "same": ours == interval,
                    "alpha^M printed": None if printed is None else printed.maximum,
                    "alpha^M": row["best_integer"],
                    "alpha^M exact": row["alpha_max"],
                    "alpha* printed": None if printed is None else printed.star,
                    "alpha*": row["alpha_star"],
                    "k printed": None if printed is None else printed.rounds,
                    "k": row["rounds"],
                    "cells": 1,
                }
            )
        frame = pd.DataFrame(lines)

        def draw(axes: Axes) -> None:
            axes.plot([1, 100], [1, 100], color="0.7", linewidth=1)
            axes.plot(frame["alpha^M exact"], frame["alpha*"], "o", label="ours")
            axes.plot(frame["alpha^M printed"], frame["alpha* printed"], "x", label="printed")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("exact maximiser alpha^M")
            axes.set_ylabel("analytic alpha*")
            axes.legend()

        caption = "Steck's Table 1: printed values next to ours."
        figure = f"The analytic sample size against the exact one; {len(cells)} data sets."
        return [SummaryTable("table-1", caption, frame), SummaryFigure("alpha", figure, draw)]

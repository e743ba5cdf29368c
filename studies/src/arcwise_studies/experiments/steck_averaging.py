"""Steck (2008), sections 4.3 and 5: how many edges a large ESS can reach, and what the ESS does to model averaging.

Section 4.3 says that the data sets with an optimal ESS of about 50 are exactly those whose largest network over the ESS
has fewer than 80 % of all edges. The closing sentence expects the ESS to change the *posterior* over networks, too. One
cell is one data set: at each ESS the edges of the optimum, and, where the sum over all DAGs is taken, the expected
number of edges, how many are more probable than not, and the number of credible networks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data import Dataset
from arcwise.ensemble import count_credible
from arcwise.errors import ConfigError
from arcwise.exact import find_optimal
from arcwise.limits import Status
from arcwise.parent_sets import build_parent_sets
from arcwise.posterior.exact import exact_posterior
from arcwise.scores import make_score
from arcwise_studies.data_sets import find_data
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryTable
from arcwise_studies.experiments.steck import OPTIONS, PRINTED, prepare, short_name
from arcwise_studies.source_text import SourceText
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SteckAveraging", "SteckAveragingSettings"]


@dataclass(frozen=True)
class SteckAveragingSettings:
    """The settings: data, the ESS of optima and of posteriors, and the Bayes factor of credible sets."""

    data: tuple[str, ...]
    ess: tuple[float, ...] = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
    averaged: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0)
    bayes_factor: float = 20.0

    def __post_init__(self) -> None:
        if not all(value > 0 for value in (*self.ess, *self.averaged)) or not self.bayes_factor > 1:
            raise ConfigError("every ESS must be positive, and bayes_factor above 1.")


class SteckAveraging(Experiment[SteckAveragingSettings]):
    """One cell: one data set."""

    Settings = SteckAveragingSettings
    axes = ("data",)

    def check(self, settings: SteckAveragingSettings, sources: Sources) -> None:
        """Check that the data are there."""
        for text in settings.data:
            source = SourceText.parse(text)
            source.values(OPTIONS)
            find_data(SourceText(source.kind, source.kind, {}), sources)

    def plan(self, settings: SteckAveragingSettings) -> Iterable[Row]:
        """Return the data sets."""
        return ({"data": text} for text in settings.data)

    def run(self, settings: SteckAveragingSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Find the optimum at every ESS, and the posterior at some."""
        data = prepare(parameters["data"], context.sources)
        rows: list[Row] = []
        for ess in sorted({*settings.ess, *settings.averaged}):
            row: Row = {"ess": ess, "pairs": data.n_variables * (data.n_variables - 1) // 2}
            if ess in settings.averaged:
                row |= _averaged(data, ess, settings.bayes_factor, context)
            else:
                table = build_parent_sets(data, make_score("bdeu", ess=ess), threads=1, progress=False)
                row["arcs"] = find_optimal(table, data=data, threads=1, progress=False).dag.n_arcs
            rows.append(row)
        return CellResult(rows)

    def summarize(
        self, settings: SteckAveragingSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable]:
        """Return the largest share of edges beside the optimal ESS, and the averages by ESS."""
        import pandas as pd

        reach, averages = [], []
        for data, part in rows.groupby("data", sort=False):
            name = short_name(str(data))
            share = part["arcs"] / part["pairs"]
            printed = PRINTED.get(name)
            reach.append(
                {
                    "data": name,
                    "alpha^M printed": None if printed is None else printed.maximum,
                    "most edges": int(part["arcs"].max()),
                    "of": int(part["pairs"].iloc[0]),
                    "share": round(float(share.max()), 3),
                    "at ESS": float(part["ess"].iloc[int(share.to_numpy().argmax())]),
                    "below 80 %": bool(share.max() < 0.8),
                    "cells": 1,
                }
            )
            line: dict[str, Any] = {"data": name, "pairs": int(part["pairs"].iloc[0])}
            for ess in settings.averaged:
                one = part[part["ess"] == ess]
                line[f"expected edges, ESS {ess:g}"] = round(float(one["expected"].iloc[0]), 1)
                line[f"above 1/2, ESS {ess:g}"] = int(one["probable"].iloc[0])
                line[f"credible, ESS {ess:g}"] = float(one["credible"].iloc[0])
            averages.append({**line, "cells": 1})
        return [
            SummaryTable(
                "reach",
                "The largest share of all edges that the optimum reaches as the ESS grows, beside the optimal ESS.",
                pd.DataFrame(reach),
            ),
            SummaryTable(
                "averaging",
                "By the ESS: the expected number of edges over all DAGs, edges more probable than 1/2, and the number "
                f"of networks within a Bayes factor of {settings.bayes_factor:g}.",
                pd.DataFrame(averages),
            ),
        ]


def _averaged(data: Dataset, ess: float, bayes_factor: float, context: CellContext) -> Row:
    table = build_parent_sets(data, make_score("bdeu", ess=ess), slack=math.inf, threads=1, progress=False)
    posterior = exact_posterior(table, limits=context.limits, threads=1, progress=False)
    known = posterior.status is Status.COMPLETE
    edges = np.triu(posterior.edge_probabilities(), 1) if known else np.zeros(0)
    counted = count_credible(table, bayes_factor=bayes_factor, limits=context.limits, threads=1, progress=False)
    return {
        "arcs": find_optimal(table, data=data, threads=1, progress=False).dag.n_arcs,
        "expected": float(edges.sum()) if known else None,
        "probable": int((edges > 0.5).sum()) if known else None,
        "credible": float(counted.count) if counted.complete else None,
    }

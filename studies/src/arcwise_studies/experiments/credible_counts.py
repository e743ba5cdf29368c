"""Liao (2022), Tables 3.1 and 3.2 and Figure 3.1: how many networks are credible, in how many classes, and the k best.

Classes are counted twice: Markov classes (same skeleton, same v-structures), and the collider classes of
`arcwise.graph.collider_keys` (same skeleton, same colliders with adjacent parents or not), which is how the thesis
words its definition in section 2.4.1 and what its tables count.

A cell is one row and factor of a table ("count"), one number of best classes ("classes": how many DAGs they hold, as
KBestEC reports), or the scores of the best networks of one data set ("deviations").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, read_data
from arcwise.ensemble import NetworkSet, count_credible, find_credible, k_best
from arcwise.errors import GuaranteeError
from arcwise.graph import class_keys, collider_keys
from arcwise.limits import Limits, Status
from arcwise.networks.classes import class_sizes
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise_studies.data_sets import find_data
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.experiments.liao_printed import BEST_CLASSES, COUNTS_BDEU, COUNTS_BIC
from arcwise_studies.source_text import SourceText
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["CredibleCounts", "CredibleCountsSettings"]

BIC, BDEU = "bic", "bdeu:ess=1"
FACTORS = (3, 20, 150)
CAP = 150_000  # where the thesis stopped
SLACKS = (4.0, 8.0, 16.0, 32.0)  # tried in turn until the k best lie within


@dataclass(frozen=True)
class CredibleCountsSettings:
    """The settings: data sets of each table and of the figure, the most networks to list, and how many are the best.

    A row at which the thesis stopped, after 150,000 networks, is not counted: which ones it had found is not known.
    """

    bic: tuple[str, ...]
    bdeu: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    figure: tuple[str, ...] = ()
    best_classes: tuple[int, ...] = (10, 100, 1000)
    best_networks: int = 1000
    most_networks: int = 200_000
    folder: str = "liao2019"


class CredibleCounts(Experiment[CredibleCountsSettings]):
    """Networks, Markov classes and collider classes within a Bayes factor; DAGs of the k best classes."""

    Settings = CredibleCountsSettings
    axes = ("bic", "bdeu", "best", "figure", "best_classes")

    def check(self, settings: CredibleCountsSettings, sources: Sources) -> None:
        """Check that every data set is there."""
        for name in {*settings.bic, *settings.bdeu, *settings.best, *settings.figure}:
            sources.check_data(f"{settings.folder}/{name}" if settings.folder else name)

    def plan(self, settings: CredibleCountsSettings) -> Iterable[Row]:
        """Return the rows of the tables by factor, then the best classes, then the figure."""
        for data in settings.bic:
            for factor in FACTORS:
                if COUNTS_BIC.get((data, factor), (0, 0))[0] < CAP:
                    yield {"what": "count", "data": data, "scored_by": BIC, "number": factor}
        for data in settings.bdeu:
            if COUNTS_BDEU.get((data, 20), (0, 0))[0] < CAP:
                yield {"what": "count", "data": data, "scored_by": BDEU, "number": 20}
        for data in settings.best:
            for k in settings.best_classes:
                yield {"what": "classes", "data": data, "scored_by": BDEU, "number": k}
        for data in settings.figure:
            yield {"what": "deviations", "data": data, "scored_by": BDEU, "number": settings.best_networks}

    def run(self, settings: CredibleCountsSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Count, or list the best."""
        name = f"{settings.folder}/{parameters['data']}" if settings.folder else parameters["data"]
        path = find_data(SourceText.parse(name), context.sources)
        data = context.sources.data(name) if path is None else read_data(path, categorical=True, progress=False)
        score, number = parameters["scored_by"], parameters["number"]
        if parameters["what"] == "count":
            return self._count(settings, data, score, number, context)
        by: Any = "mec" if parameters["what"] == "classes" else "dag"
        found = _k_best(data, score, number, by, context.limits)
        if found is None or found.status not in (Status.COMPLETE, Status.COUNT_LIMIT):
            return CellResult([], Status.TIME_LIMIT if found is None else found.status)
        if by == "mec":
            return CellResult([{"networks": sum(class_sizes(found)), "listed": len(found)}])
        below = found.scores[0] - found.scores
        places = sorted({round(10 ** (i / 20)) for i in range(0, 61)} & set(range(1, len(below) + 1)))
        return CellResult([{"k": k, "deviation": float(below[k - 1])} for k in places])

    @staticmethod
    def _count(
        settings: CredibleCountsSettings, data: Dataset, score: str, factor: int, context: CellContext
    ) -> CellResult:
        table = build_parent_sets(data, score, slack=math.log(factor), limits=context.limits, threads=1, progress=False)
        if table.status is not Status.COMPLETE:
            return CellResult([], table.status, "no table")
        counted = count_credible(table, bayes_factor=factor, limits=context.limits, threads=1, progress=False)
        row: Row = {"networks": counted.count, "listed": 0, "classes": None, "collider_classes": None}
        if counted.complete and counted.count <= settings.most_networks:
            found = find_credible(table, bayes_factor=factor, limits=context.limits, threads=1, progress=False)
            row["listed"] = len(found)
            row["classes"] = _groups(found, class_keys)
            row["collider_classes"] = _groups(found, collider_keys)
        return CellResult([row], counted.status)

    def summarize(
        self, settings: CredibleCountsSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return the two tables and the best classes beside the printed numbers, and the figure."""
        parts: list[SummaryTable | SummaryFigure] = []
        for name, score, printed, listed in (
            ("table-3-1", BIC, COUNTS_BIC, settings.bic),
            ("table-3-2", BDEU, COUNTS_BDEU, settings.bdeu),
        ):
            shown = {key: counts for key, counts in printed.items() if key[0] in listed}
            frame = _beside(rows, cells, score, shown)
            if len(frame):
                caption = (
                    f"Networks within a Bayes factor ({score}), their Markov classes and their collider classes; the "
                    "thesis stopped at 150,000 networks."
                )
                parts.append(SummaryTable(name, caption, frame))
        best = _best(rows, cells)
        if len(best):
            caption = "DAGs in the k best Markov classes (BDeu, ESS 1), as KBestEC reports them in Table 3.2 and here."
            parts.append(SummaryTable("best-classes", caption, best))
        curves = _curves(rows)
        if len(curves):
            caption = "How far the k-th best network lies below the best (BDeu, ESS 1): Figure 3.1."
            parts += [SummaryTable("deviations", caption, curves), _figure(curves)]
        return parts


def _groups(networks: NetworkSet, keys_of: Callable[..., NDArray[np.uint64]]) -> int:
    """Return how many classes the networks form."""
    families = networks.families
    keys = keys_of(
        networks.choices,
        set_offsets=families.set_offsets,
        members=families.members,
        node_offsets=families.node_offsets,
    )
    return len(np.unique(keys, axis=0))


def _k_best(data: Dataset, score: str, k: int, by: Any, limits: Limits) -> NetworkSet | None:
    for slack in SLACKS:
        table: ParentSetTable = build_parent_sets(data, score, slack=slack, limits=limits, threads=1, progress=False)
        if table.status is not Status.COMPLETE:
            return None
        try:
            return k_best(table, k, by=by, limits=limits, progress=False)
        except GuaranteeError:
            continue
    return None


def _integers(values: pd.Series[Any]) -> Any:
    return values.astype("Int64")


def _beside(
    rows: pd.DataFrame, cells: pd.DataFrame, score: str, printed: Mapping[tuple[str, int], tuple[int, int]]
) -> pd.DataFrame:
    import pandas as pd

    planned = cells[(cells["what"] == "count") & (cells["scored_by"] == score)][["data", "number"]]
    found = (
        {} if not len(rows) else rows[rows["what"] == "count"].set_index(["scored_by", "data", "number"]).T.to_dict()
    )
    counted = set(planned.itertuples(index=False, name=None))
    order = [*printed, *sorted(counted - set(printed))]
    lines = []
    for data, factor in order:
        ours = found.get((score, data, factor), {})
        networks, classes = printed.get((data, factor), (None, None))
        line = {
            "data": data,
            "factor": factor,
            "networks printed": networks,
            "networks": ours.get("networks"),
            "classes printed": classes,
            "collider classes": ours.get("collider_classes"),
            "Markov classes": ours.get("classes"),
        }
        lines.append({**line, "cells": int((data, factor) in counted)})
    frame = pd.DataFrame(lines)
    for column in frame.columns[2:-1]:
        frame[column] = _integers(frame[column])
    return frame


def _best(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    planned = cells[cells["what"] == "classes"]
    found = rows[rows["what"] == "classes"].set_index(["data", "number"])["networks"].to_dict() if len(rows) else {}
    lines = [
        {
            "data": data,
            "k": k,
            "DAGs printed": BEST_CLASSES.get((data, k)),
            "DAGs": found.get((data, k)),
            "cells": 1,
        }
        for data, k in planned[["data", "number"]].itertuples(index=False)
    ]
    frame = pd.DataFrame(lines)
    for column in ("DAGs printed", "DAGs") if len(frame) else ():
        frame[column] = _integers(frame[column])
    return frame


def _curves(rows: pd.DataFrame) -> pd.DataFrame:
    chosen = rows[rows["what"] == "deviations"] if len(rows) else rows
    if not len(chosen):
        return chosen
    return chosen[["data", "k", "deviation"]].astype({"k": int}).assign(cells=1).reset_index(drop=True)


def _figure(curves: pd.DataFrame) -> SummaryFigure:
    def draw(axes: Axes) -> None:
        for data, part in curves.groupby("data", sort=False):
            axes.plot(part["k"], part["deviation"], label=str(data))
        for factor in FACTORS:
            axes.axhline(math.log(factor), color="tab:red", linestyle="--", linewidth=0.8)
        axes.set_xlabel("k")
        axes.set_ylabel("deviation from the best score")
        axes.legend(fontsize=8)

    return SummaryFigure("deviations", f"Figure 3.1 ({curves['data'].nunique()} cells).", draw)

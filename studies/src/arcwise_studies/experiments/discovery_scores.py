"""The tables of Liao's chapter 4 from the cells of a discovery study: which score finds the true structure best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.confidence.learned_table import SIZE_GROUPS
from arcwise.evaluate import borda_count
from arcwise_studies.experiment import SummaryFigure, SummaryTable
from arcwise_studies.experiments.instances import METRICS, Instances, metric_weights
from arcwise_studies.experiments.liao_printed import SCORES_PRINTED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["THRESHOLD", "compare_scores", "summarize"]

THRESHOLD = 0.6  # section 4.6.2: "a constant threshold 0.6"
TOLERANCE = 1e-12
ALL = "all"


def summarize(scores: Sequence[str], rows: pd.DataFrame, cells: pd.DataFrame) -> Sequence[SummaryTable | SummaryFigure]:
    """Return the tables of chapter 4."""
    instances = Instances.of(rows)
    planned = cells.groupby(["method", "family"])["cell"].count()
    by_family, by_weight = compare_scores(instances)
    by_family["planned"] = [
        int(planned[method].sum() if family == ALL else planned[method, family])
        for method, family in zip(by_family["method"], by_family["ground truth"], strict=True)
    ]
    parts: list[SummaryTable | SummaryFigure] = [
        SummaryTable(
            "shd-by-truth",
            f"Borda counts of the scores by SHD at the threshold {THRESHOLD} (Table 4.3), over the samples for which "
            "all scores found networks; planned: the cells of the plan, with those that hit a limit.",
            by_family,
        ),
        *_beside_printed(instances),
        SummaryTable(
            "by-weight",
            f"Borda counts of the scores at the threshold {THRESHOLD}, by measure, weight and sample size (Figures 4.1 "
            "to 4.6).",
            by_weight,
        ),
    ]
    for method in sorted(instances.frame["method"].unique()):
        parts += [_figure(by_weight, metric, method) for metric in ("f", "f-cpdag", "cost")]
    return parts


def compare_scores(instances: Instances, *, metrics: Sequence[str] = METRICS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the Borda points of the scores: by kind of ground truth for SHD, and by measure, weight and size."""
    import pandas as pd

    frame = instances.frame
    by_family: list[dict[str, Any]] = []
    by_weight: list[dict[str, Any]] = []
    for metric in metrics:
        for weight in metric_weights(metric):
            losses = instances.losses_at(np.full(len(frame), THRESHOLD), metric, weight)
            table = frame.assign(loss=losses)
            for method, part in table.groupby("method"):
                wide = part.pivot(index="sample", columns="score", values="loss").dropna()
                facts = part.drop_duplicates("sample").set_index("sample").loc[wide.index]
                if metric == "shd":
                    for family in [*sorted(facts["family"].unique()), ALL]:
                        chosen = (facts["family"] == family).to_numpy() | (family == ALL)
                        by_family.append({"method": method, "ground truth": family, **_points(wide[chosen])})
                for group in [*SIZE_GROUPS, ALL]:
                    chosen = (facts["group"] == group).to_numpy() | (group == ALL)
                    if chosen.any():
                        line = {"metric": metric, "method": method, "cases of a sample": group, "weight": weight}
                        by_weight.append({**line, **_points(wide[chosen])})
    return pd.DataFrame(by_family), pd.DataFrame(by_weight)


def _beside_printed(instances: Instances) -> list[SummaryTable]:
    """Return each score's share of the points of its row, as printed and here, if the thesis has the scores."""
    import pandas as pd

    lines = []
    for method, families in SCORES_PRINTED.items():
        known = list(families[ALL])
        rows = ((instances.frame["method"] == method) & instances.frame["score"].isin(known)).to_numpy()
        if not rows.any():
            continue
        by_family, _ = compare_scores(instances.take(rows), metrics=("shd",))
        for family, printed in families.items():
            found = by_family[by_family["ground truth"] == family]
            if not len(found) or not set(known) <= set(found):
                continue
            line: dict[str, Any] = {"method": method, "ground truth": family}
            total = max(1, int(found[known].iloc[0].sum()))
            for score in known:
                line[f"{score}, printed"] = printed[score] / sum(printed.values())
                line[f"{score}, ours"] = int(found[score].iloc[0]) / total
            lines.append({**line, "samples": int(found["samples"].iloc[0]), "cells": int(found["cells"].iloc[0])})
    caption = "Shares of the Borda points by SHD, as printed in Table 4.3 and here, among the scores of the thesis."
    if not lines:
        return []
    frame = pd.DataFrame(lines).round(3)
    last = ["samples", "cells"]
    frame = frame[[column for column in frame.columns if column not in last] + last]
    return [SummaryTable("shd-beside-printed", caption, frame)]


def _points(wide: pd.DataFrame) -> dict[str, Any]:
    count = borda_count(wide.to_numpy(), candidates=list(wide.columns), higher_is_better=False, tolerance=TOLERANCE)
    return {
        **dict(zip(count.candidates, map(int, count.points), strict=True)),
        "best": " ".join(count.winners),
        "samples": len(wide),
        "cells": wide.size,
    }


def _figure(by_weight: pd.DataFrame, metric: str, method: str) -> SummaryFigure:
    chosen = by_weight[
        (by_weight["metric"] == metric) & (by_weight["method"] == method) & (by_weight["cases of a sample"] == ALL)
    ]
    fixed = ("metric", "method", "cases of a sample", "weight", "best", "samples", "cells")
    weight_name = "alpha" if metric == "cost" else "beta"

    def draw(axes: Axes) -> None:
        for score in (column for column in chosen.columns if column not in fixed):
            axes.plot(chosen["weight"], chosen[score], marker="o", label=score)
        axes.set_xscale("log", base=2)
        axes.set_xlabel(weight_name)
        axes.set_ylabel("Borda count")
        axes.legend()

    what = {"f": "F score of the skeleton", "f-cpdag": "F score of the CPDAG", "cost": "misclassification cost"}[metric]
    cells = int(chosen["cells"].max()) if len(chosen) else 0
    caption = f"Borda counts of the scores by the {what}, {method}, all sample sizes ({cells} cells)."
    return SummaryFigure(f"{metric}-{method}", caption, draw)

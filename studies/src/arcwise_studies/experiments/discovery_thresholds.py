"""The tables of Liao's chapter 5 from the cells of a discovery study: thresholds, rules, methods, ensembles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.learned_table import SIZE_GROUPS, WEIGHTS, LearnedEntry, published_table
from arcwise.evaluate import borda_count
from arcwise_studies.experiment import SummaryFigure, SummaryTable
from arcwise_studies.experiments.ensemble_study import COMBINERS, ensemble_predictions
from arcwise_studies.experiments.instances import METRICS, Instances, metric_weights
from arcwise_studies.experiments.liao_printed import RULES_PRINTED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["beside_printed_rules", "compare_rules", "summarize", "summarize_broom"]

TOLERANCE = 1e-12  # losses that differ by less are equal


def summarize(scores: Sequence[str], rows: pd.DataFrame, cells: pd.DataFrame) -> Sequence[SummaryTable | SummaryFigure]:
    """Return the tables of chapter 5."""
    instances = Instances.of(rows)
    entries = instances.learn_all()
    methods = sorted(set(instances.frame["method"]))
    predictions = ensemble_predictions(instances)
    combined = [e for (metric, weight), made in predictions.items() for e in made.learn(metric, weight)]
    return [
        _learned_table([*entries, *(entry for entry in combined if entry.score in COMBINERS)]),
        _beside_table_5_8(entries),
        _rules_table(instances, broom=False),
        *([_rules_table(instances, broom=True)] if rows["broom"].notna().any() else []),
        beside_printed_rules(_rules_of(instances)),
        _against_half(instances),
        _methods_table(instances, predictions),
        *(_curves(entries, metric, method) for metric in ("f", "cost") for method in methods),
    ]


def summarize_broom(rows: pd.DataFrame) -> Sequence[SummaryTable]:
    """Return how the rules compare where Broom's has a threshold, too: on all instances, and on those of each size."""
    import pandas as pd

    from_all = _rules_table(Instances.of(rows), broom=True)
    by_size = [
        _rules_table(Instances.of(some), broom=True).frame.assign(size=size)
        for size, some in rows.groupby("cases")
        if some["broom"].notna().any()
    ]
    frame = _cells_last(pd.concat(by_size, ignore_index=True), "winner")
    return [from_all, SummaryTable("rules-with-broom-by-size", f"{from_all.caption} By the rows of a sample.", frame)]


def _learned_table(entries: Sequence[LearnedEntry]) -> SummaryTable:
    import pandas as pd

    lines = [
        {
            "method": e.method,
            "score": e.score,
            "cases": e.cases,
            "metric": e.metric,
            "weight": e.weight,
            "threshold": e.threshold,
            "loss": e.loss,
            "networks": e.networks,
            "cells": e.proxies,
        }
        for e in sorted(entries, key=lambda e: e.key)
    ]
    caption = (
        "The learned thresholds (Algorithm 5.2 with the mean error). Loss: 1 - F, or SHD or cost over n (n - 1). Those "
        "of ensembles are learned from predictions for benchmarks that the ensemble had not seen."
    )
    return SummaryTable("thresholds", caption, pd.DataFrame(lines))


def _beside_table_5_8(entries: Sequence[LearnedEntry]) -> SummaryTable:
    import pandas as pd

    printed = published_table().entries
    lines = []
    for entry in sorted(
        entries, key=lambda e: (e.method, e.score, list(SIZE_GROUPS).index(e.cases) if e.cases in SIZE_GROUPS else 9)
    ):
        if entry.metric == "shd" and entry.cases in SIZE_GROUPS and entry.score != "any":
            theirs = printed.get(entry.key)
            lines.append(
                {
                    "method": entry.method,
                    "score": entry.score,
                    "cases of a sample": entry.cases,
                    "learned here": entry.threshold,
                    "Table 5.8": theirs.threshold if theirs else np.nan,
                    "cells": entry.proxies,
                }
            )
    return SummaryTable("thresholds-shd", "Thresholds for SHD next to those of Liao's Table 5.8.", pd.DataFrame(lines))


def rule_thresholds(instances: Instances, metric: str, weight: float) -> dict[str, NDArray[np.float64]]:
    """Return, for each rule, its threshold on each instance; the learned ones without the instance's benchmark."""
    n = len(instances)
    found: dict[str, NDArray[np.float64]] = {
        "Scutari": np.full(n, 0.5),
        "Broom": instances.frame["broom"].to_numpy(dtype=float) if "broom" in instances.frame else np.full(n, np.nan),
    }
    if "networks" in instances.frame:
        found["Gross"] = 1 / 3 + np.sqrt(2 / instances.frame["networks"].to_numpy(dtype=float))
    if metric != "shd":
        found["cost"] = np.full(n, 1 / (1 + (weight if metric == "cost" else weight**2)))
    found["learned"] = instances.left_out_thresholds(metric, weight)
    return found


def compare_rules(
    instances: Instances, metric: str, weight: float, *, rules: Sequence[str] | None = None
) -> dict[str, dict[str, int]]:
    """Return the Borda points of each rule, by method, over the instances for which all rules have a threshold."""
    thresholds = rule_thresholds(instances, metric, weight)
    names = [name for name in thresholds if rules is None or name in rules]
    values = np.column_stack([instances.losses_at(thresholds[name], metric, weight) for name in names])
    whole = ~np.isnan(values).any(axis=1)
    found: dict[str, dict[str, int]] = {}
    for method in sorted(instances.frame["method"].unique()):
        chosen = whole & (instances.frame["method"] == method).to_numpy()
        if chosen.any():
            count = borda_count(values[chosen], candidates=names, higher_is_better=False, tolerance=TOLERANCE)
            found[method] = {**dict(zip(names, map(int, count.points), strict=True)), "cells": int(chosen.sum())}
    return found


def _rules_table(instances: Instances, *, broom: bool) -> SummaryTable:
    import pandas as pd

    lines = []
    for metric in METRICS:
        for weight in metric_weights(metric):
            rules = None if broom else ("Scutari", "Gross", "cost", "learned")
            for method, points in compare_rules(instances, metric, weight, rules=rules).items():
                cells = points.pop("cells")
                own = {"metric": metric, "method": method, "weight": weight}
                lines.append({**own, **points, "winner": _first(points), "cells": cells})
    frame = _cells_last(pd.DataFrame(lines), "learned", "winner")
    where = "the instances with permutations" if broom else "all instances"
    caption = f"Borda counts of the rules on {where} (Tables 5.4 to 5.7); learned thresholds without the benchmark."
    return SummaryTable("rules-with-broom" if broom else "rules", caption, frame)


def _cells_last(frame: pd.DataFrame, *before: str) -> pd.DataFrame:
    """Return the columns in their order, except the given ones and `cells`, which come last."""
    last = [*before, "cells"]
    return frame[[column for column in frame.columns if column not in last] + last]


def beside_printed_rules(ours: Mapping[tuple[str, str, float], Mapping[str, int]]) -> SummaryTable:
    """Return the points of each rule, printed and ours, and which rule is first in each.

    The thesis compares five rules, here Broom's is left out: its printed points are shown, and the printed points of
    the others hold their wins over Broom's, which cannot be told apart from the rest. So points stand beside points and
    are not made shares of a row; what can be compared is the order of the rules.
    """
    import pandas as pd

    rules = ("Scutari", "Gross", "cost", "learned")
    lines = []
    for (metric, method, weight), printed in RULES_PRINTED.items():
        points = ours.get((metric, method, weight))
        if points is None:
            continue
        line: dict[str, object] = {"metric": metric, "method": method, "weight": weight}
        line["Broom, printed"] = printed["Broom"]
        for name in rules:
            if name in printed:
                line |= {f"{name}, printed": printed[name], f"{name}, ours": points[name]}
        both = {name: printed[name] for name in rules if name in printed}
        line["first, printed"] = _first(printed)
        line["first of these, printed"] = _first(both)
        line["first, ours"] = _first({name: points[name] for name in both})
        lines.append({**line, "cells": points["cells"]})
    frame = pd.DataFrame(lines)
    for column in frame.columns[4:]:
        if column.startswith("cost, "):
            frame[column] = frame[column].astype("Int64")
    caption = (
        "Borda points of each rule as printed in Tables 5.4 to 5.7, where Broom's rule is one of five, and here "
        "without it; which rule is first in print, which of those that were run here, and which here."
    )
    last = ("first, printed", "first of these, printed", "first, ours")
    return SummaryTable("rules-beside-printed", caption, _cells_last(frame, *last))


def _first(points: Mapping[str, int]) -> str:
    return " ".join(name for name, value in points.items() if value == max(points.values()))


def _rules_of(instances: Instances) -> dict[tuple[str, str, float], dict[str, int]]:
    """Return the points without Broom's rule for the rows that are printed."""
    found: dict[tuple[str, str, float], dict[str, int]] = {}
    for metric, weight in dict.fromkeys((metric, weight) for metric, _, weight in RULES_PRINTED):
        compared = compare_rules(instances, metric, weight, rules=("Scutari", "Gross", "cost", "learned"))
        found |= {(metric, method, weight): points for method, points in compared.items()}
    return found


def _against_half(instances: Instances) -> SummaryTable:
    import pandas as pd

    lines = []
    for metric in METRICS:
        for weight in metric_weights(metric):
            for method, points in compare_rules(instances, metric, weight, rules=("Scutari", "learned")).items():
                lines.append(
                    {
                        "metric": metric,
                        "method": method,
                        "weight": weight,
                        "0.5": points["Scutari"],
                        "learned": points["learned"],
                        "cells": points["cells"],
                    }
                )
    caption = "Learned thresholds against 0.5 on left-out benchmarks: on how many instances each is strictly better."
    return SummaryTable("learned-against-half", caption, pd.DataFrame(lines))


def _methods_table(instances: Instances, predictions: dict[tuple[str, float], Instances]) -> SummaryTable:
    """Return the mean loss of every member and ensemble, on the samples for which all members found networks."""
    import pandas as pd

    frame = instances.frame
    labels = frame["method"] + ":" + frame["score"]
    counts = frame.groupby("sample")["cell"].nunique()
    whole = set(counts.index[counts == labels.nunique()])
    lines = []
    for metric in METRICS:
        for weight in (1.0,) if metric == "shd" else WEIGHTS[1:-1:2]:
            own = instances.losses_at(instances.left_out_thresholds(metric, weight), metric, weight)
            made = predictions[metric, weight]
            theirs = made.losses_at(made.left_out_thresholds(metric, weight), metric, weight)
            for source, values in ((frame, own), (made.frame, theirs)):
                inside = source["sample"].isin(whole).to_numpy() & ~np.isnan(values)
                kept = source[inside].assign(loss=values[inside])
                for (method, score), part in kept.groupby(["method", "score"]):
                    lines.append(
                        {
                            "metric": metric,
                            "weight": weight,
                            "method": method,
                            "score": score,
                            "mean loss": float(part["loss"].mean()),
                            "cells": len(part),
                        }
                    )
    table = pd.DataFrame(lines)
    if len(table):
        table["rank"] = table.groupby(["metric", "weight"])["mean loss"].rank(method="min").astype(int)
        table = table[["metric", "weight", "method", "score", "mean loss", "rank", "cells"]]
    caption = (
        f"Mean loss with learned thresholds, each on left-out benchmarks, over the {len(whole)} samples for which all "
        "members found networks: bootstrap against credible sets (Figures 5.4, 5.5), ensembles (Figures 5.6 to 5.11)."
    )
    return SummaryTable("methods", caption, table)


def _curves(entries: Sequence[LearnedEntry], metric: str, method: str) -> SummaryFigure:
    chosen = [e for e in entries if (e.metric, e.method) == (metric, method) and e.score == "any" and e.cases != "any"]
    weight_name = "alpha" if metric == "cost" else "beta"

    def draw(axes: Axes) -> None:
        for group in SIZE_GROUPS:
            line = sorted((e.weight, e.threshold) for e in chosen if e.cases == group)
            axes.plot([w for w, _ in line], [t for _, t in line], marker="o", label=f"{group} cases")
        axes.set_xscale("log", base=2)
        axes.set_xlabel(weight_name)
        axes.set_ylabel("learned threshold")
        axes.set_ylim(0, 1)
        axes.legend()

    what = "the F score of the skeleton" if metric == "f" else "the cost"
    cells = sum(e.proxies for e in chosen if e.weight == 1.0)
    caption = f"Learned thresholds for {what}, {method}, all scores together, by {weight_name} ({cells} cells)."
    return SummaryFigure(f"thresholds-{metric}-{method}", caption, draw)

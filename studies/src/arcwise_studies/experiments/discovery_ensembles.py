"""Liao's chapter 5 by instance: cumulative losses, ensembles within a method, and the remarks of 5.4 and 5.6.3.

All losses are of learned thresholds on benchmarks that were left out, on the samples for which all members found
networks. An instance is a sample and a weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.learned_table import GRID, SIZE_GROUPS, published_table
from arcwise.graph import Dag
from arcwise_studies.experiment import SummaryTable
from arcwise_studies.experiments.discovery_scores import compare_scores
from arcwise_studies.experiments.ensemble_study import EnsembleStudy
from arcwise_studies.experiments.instances import METRICS, Instances, choose_on_grid, mean_errors, metric_weights
from arcwise_studies.experiments.liao_printed import SCORES_PRINTED
from arcwise_studies.experiments.pair_states import PairStates, true_states

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["averaged_dag_losses", "squared_errors", "summarize"]

FLAT = 0.01  # thresholds whose mean error is this near to the least are as good
SHARES = np.arange(1, 21) / 20
COMBINED = ("boosting", "majority")
BOTH = "both"


def summarize(rows: pd.DataFrame) -> Sequence[SummaryTable]:
    """Return the tables."""
    instances = _whole(Instances.of(rows))
    single = _losses(instances)
    within = _ensembles(instances)
    parts = [
        _ensembles_table(single, within),
        _curves(single, within),
        _models_by_size(instances, within),
        _squared(instances),
        _variables(instances),
        _flatness(instances),
        *_scores(Instances.of(rows)),
    ]
    return [*parts, _averaged_dags(instances)] if "arcs" in instances.frame else parts


def _weights(metric: str) -> tuple[float, ...]:
    return metric_weights(metric) if metric == "shd" else metric_weights(metric)[1:-1:2]


def _whole(instances: Instances) -> Instances:
    """Return the samples for which all members found networks."""
    frame = instances.frame
    members = (frame["method"] + ":" + frame["score"]).nunique()
    counts = frame.groupby("sample")["cell"].nunique()
    return instances.take(frame["sample"].isin(counts.index[counts == members]).to_numpy())


def _losses(instances: Instances, *also: str) -> pd.DataFrame:
    """Return one row per metric, weight and instance."""
    import pandas as pd

    parts = []
    for metric in METRICS:
        for weight in _weights(metric):
            losses = instances.losses_at(instances.left_out_thresholds(metric, weight, *also), metric, weight)
            facts = instances.frame[["sample", "method", "score"]]
            parts.append(facts.assign(metric=metric, weight=weight, loss=losses))
    return pd.concat(parts, ignore_index=True)


def _ensembles(instances: Instances, *, by_size: bool = False) -> pd.DataFrame:
    """Return the losses of the ensembles of each method's members, and of all members, in the form of `_losses`."""
    import pandas as pd

    methods = instances.frame["method"].to_numpy(dtype=str)
    groups: dict[str, NDArray[np.bool_]] = {name: methods == name for name in np.unique(methods).tolist()}
    if len(groups) > 1:
        groups[BOTH] = np.ones(len(methods), dtype=bool)
    if by_size:
        groups = {list(groups)[-1]: list(groups.values())[-1]}
    parts = []
    for name, rows in groups.items():
        study = EnsembleStudy(instances.take(rows), by_size=by_size)
        for metric in METRICS:
            for weight in _weights(metric):
                made = study.predictions(metric, weight)
                losses = made.losses_at(made.left_out_thresholds(metric, weight), metric, weight)
                facts = made.frame[["sample", "score"]].assign(method=name)
                parts.append(facts.assign(metric=metric, weight=weight, loss=losses))
    found = pd.concat(parts, ignore_index=True)
    return found[found["score"].isin(COMBINED)]


def _scores(instances: Instances) -> list[SummaryTable]:
    """Return the points of the scores by F of CPDAGs, among those that the thesis compares with each method."""
    import pandas as pd

    parts = []
    for method, families in SCORES_PRINTED.items():
        known = list(next(iter(families.values())))
        chosen = ((instances.frame["method"] == method) & instances.frame["score"].isin(known)).to_numpy()
        if chosen.any():
            _, by_weight = compare_scores(instances.take(chosen), metrics=("f-cpdag",))
            last = ["best", "samples", "cells"]
            parts.append(by_weight[[column for column in by_weight.columns if column not in last] + last])
    caption = (
        "Borda counts by F of CPDAGs at the threshold 0.6, among the scores of the thesis alone (Figures 4.1, 4.4)."
    )
    return [SummaryTable("scores", caption, pd.concat(parts, ignore_index=True))] if parts else []


def _ensembles_table(single: pd.DataFrame, within: pd.DataFrame) -> SummaryTable:
    """Compare the ensembles of each method with the best of its members."""
    import pandas as pd

    lines = []
    for (metric, weight, method), part in within.groupby(["metric", "weight", "method"]):
        own = single[(single["metric"] == metric) & (single["weight"] == weight)]
        if method != BOTH:
            own = own[own["method"] == method]
        wide = own.assign(member=own["method"] + ":" + own["score"]).pivot(
            index="sample", columns="member", values="loss"
        )
        best = str(wide.mean().idxmin())
        made = part.pivot(index="sample", columns="score", values="loss").loc[wide.index]
        gain = wide[best] - made["boosting"]
        lines.append(
            {
                "metric": metric,
                "weight": weight,
                "members": method,
                "boosting": float(made["boosting"].mean()),
                "majority": float(made["majority"].mean()),
                "best single": best,
                "its loss": float(wide[best].mean()),
                "boosting better": int((gain > 1e-12).sum()),
                "boosting worse": int((gain < -1e-12).sum()),
                "cells": wide.size,
            }
        )
    caption = (
        "Mean losses of ensembles of the bootstrap's members, of the credible sets' and of both, beside the best "
        "single score among them, and on how many samples boosting is better and worse than it (Figures 5.6 to 5.11)."
    )
    return SummaryTable("ensembles", caption, pd.DataFrame(lines))


def _curves(single: pd.DataFrame, within: pd.DataFrame) -> SummaryTable:
    """Return the cumulative losses, from the instance with the least loss of each curve to that with the largest."""
    import pandas as pd

    lines = []
    ensembles = within[within["score"] == "boosting"]
    for (metric, method, score), part in pd.concat([single, ensembles]).groupby(["metric", "method", "score"]):
        total = np.cumsum(np.sort(part["loss"].to_numpy()))
        for share in SHARES:
            at = max(1, round(share * len(total)))
            lines.append(
                {
                    "metric": metric,
                    "method": method,
                    "score": score,
                    "share": float(share),
                    "cumulative loss": round(float(total[at - 1]), 4),
                    "cells": len(total),
                }
            )
    caption = (
        "Losses summed over the instances, from the least of each curve to the largest (Figures 5.4 to 5.11); an "
        "instance is a sample with one of the weights 1/4, 1 and 4."
    )
    return SummaryTable("curves", caption, pd.DataFrame(lines))


def _models_by_size(instances: Instances, within: pd.DataFrame) -> SummaryTable:
    """Compare boosting by one model, with the sample size as a feature, and by one model for each group of sizes."""
    import pandas as pd

    lines = []
    keys = ["metric", "weight", "sample"]
    separate = _ensembles(instances, by_size=True)
    name = separate["method"].iloc[0]
    one, three = (
        f[(f["score"] == "boosting") & (f["method"] == name)].set_index(keys)["loss"] for f in (within, separate)
    )
    table = pd.DataFrame({"one": one, "three": three}).dropna()
    for (metric, weight), part in table.groupby(["metric", "weight"]):
        gain = part["one"] - part["three"]
        lines.append(
            {
                "metric": metric,
                "weight": weight,
                "one model": float(part["one"].mean()),
                "one for each size": float(part["three"].mean()),
                "standard error": float(gain.std(ddof=1) / np.sqrt(len(gain))),
                "better by size": int((gain > 1e-12).sum()),
                "worse by size": int((gain < -1e-12).sum()),
                "cells": len(part),
            }
        )
    caption = (
        "Mean losses of boosting with the sample size as a feature, and with one model for each group of sizes "
        "(5.6.3); the standard error is that of their difference."
    )
    return SummaryTable("models-by-size", caption, pd.DataFrame(lines))


def squared_errors(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each threshold, the mean over the proxies of the squared loss above that of the best threshold."""
    return np.asarray(((losses - losses.min(axis=1, keepdims=True)) ** 2).mean(axis=0))


def _groups(instances: Instances) -> Iterator[tuple[str, str, str, NDArray[np.bool_]]]:
    frame = instances.frame
    for method, score in sorted(set(zip(frame["method"], frame["score"], strict=True))):
        for group in SIZE_GROUPS:
            rows = ((frame["method"] == method) & (frame["score"] == score) & (frame["group"] == group)).to_numpy()
            if rows.any():
                yield method, score, group, rows


def _squared(instances: Instances) -> SummaryTable:
    """Compare the thresholds of the least absolute and of the least squared error."""
    import pandas as pd

    lines = []
    for metric in METRICS:
        found: dict[str, list[float]] = {}
        for weight in metric_weights(metric):
            table = instances.grid_losses(metric, weight)
            for method, _, _, rows in _groups(instances):
                absolute, squared = (choose_on_grid(f(table[rows])) for f in (mean_errors, squared_errors))
                found.setdefault(method, []).append(abs(absolute - squared))
        for method, values in found.items():
            moved = np.round(values, 9)
            lines.append(
                {
                    "metric": metric,
                    "method": method,
                    "thresholds": len(moved),
                    "unchanged": int((moved == 0).sum()),
                    "within 0.05": int((moved <= 0.05).sum()),
                    "mean distance": float(moved.mean()),
                    "cells": int((instances.frame["method"] == method).sum()),
                }
            )
    caption = "Thresholds by the least mean absolute error and by the least mean squared error (5.4): how many agree."
    return SummaryTable("squared", caption, pd.DataFrame(lines))


def _variables(instances: Instances) -> SummaryTable:
    """Let thresholds depend on the number of variables: up to the median of the networks, or more."""
    import pandas as pd

    frame = instances.frame
    middle = frame.drop_duplicates("truth")["variables"].median()
    instances = Instances(frame.assign(large=(frame["variables"] > middle).map(str)))
    plain, split = _losses(instances), _losses(instances, "large")
    lines = []
    methods = sorted(set(instances.frame["method"]))
    for metric, weight, method in ((m, w, k) for m in METRICS for w in _weights(m) for k in methods):
        part = plain[(plain["metric"] == metric) & (plain["weight"] == weight) & (plain["method"] == method)]
        losses = instances.grid_losses(metric, weight)
        distances, large = [], (instances.frame["large"] == "True").to_numpy()
        for kind, _, _, rows in _groups(instances):
            if kind == method and (rows & large).any() and (rows & ~large).any():
                low, high = (choose_on_grid(mean_errors(losses[rows & side])) for side in (~large, large))
                distances.append(high - low)
        lines.append(
            {
                "metric": metric,
                "weight": weight,
                "method": method,
                "larger minus smaller networks": float(np.mean(distances)) if distances else np.nan,
                "mean distance": float(np.mean(np.abs(distances))) if distances else np.nan,
                "loss": float(part["loss"].mean()),
                "loss with n": float(split.loc[part.index, "loss"].mean()),
                "cells": len(part),
            }
        )
    caption = (
        f"Thresholds learned for networks of up to {middle:g} variables and of more (5.4): how far apart they are, and "
        "the mean loss with thresholds that do not depend on the number of variables and that do."
    )
    return SummaryTable("variables", caption, pd.DataFrame(lines))


def _flatness(instances: Instances) -> SummaryTable:
    """Return for each learned threshold which others are as good, by F."""
    import pandas as pd

    lines = []
    for metric in ("f-cpdag", "f"):
        for weight in metric_weights(metric):
            table = instances.grid_losses(metric, weight)
            for method, score, group, rows in _groups(instances):
                errors = mean_errors(table[rows])
                good = GRID[errors <= errors.min() + FLAT]
                lines.append(
                    {
                        "metric": metric,
                        "weight": weight,
                        "method": method,
                        "score": score,
                        "cases": group,
                        "threshold": choose_on_grid(errors),
                        "lowest": float(good.min()),
                        "highest": float(good.max()),
                        "error at the threshold": float(errors.min()),
                        "error at 0.5": float(errors[np.searchsorted(GRID, 0.5)]),
                        "cells": int(rows.sum()),
                    }
                )
    caption = (
        f"How flat the loss is: the lowest and the highest threshold whose mean error is within {FLAT:g} of the least, "
        "and the mean errors at the learned threshold and at 0.5."
    )
    return SummaryTable("flatness", caption, pd.DataFrame(lines))


def averaged_dag_losses(truth: NDArray[np.uint8], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each threshold of the grid, the SHD of the CPDAG of the averaged DAG.

    The arcs above the threshold enter by their strength, each in its more frequent direction (of equal ones, from the
    variable that comes first); an arc that would close a circle is left out, as in bnlearn's `averaged.network`.
    """
    states = PairStates(truth, shares)
    n, strength = states.n_variables, states.present
    first, second = np.triu_indices(n, 1)
    names = [f"v{k}" for k in range(n)]
    parents: list[list[int]] = [[] for _ in range(n)]
    below = [1 << k for k in range(n)]  # the descendants of each variable, and itself
    order = np.argsort(-strength, kind="stable")
    found = np.zeros(len(GRID), dtype=np.int64)
    at, changed, distance = 0, True, 0
    for k in range(len(GRID) - 1, -1, -1):
        while at < len(order) and strength[order[at]] > GRID[k]:
            pair = order[at]
            at += 1
            child, parent = int(second[pair]), int(first[pair])
            if shares[1, pair] > shares[0, pair]:
                child, parent = parent, child
            if below[child] >> parent & 1:
                continue
            parents[child].append(parent)
            changed = True
            for ancestor in range(n):
                if below[ancestor] >> parent & 1:
                    below[ancestor] |= below[child]
        if changed:
            distance = int((true_states(Dag(names, [sorted(one) for one in parents])) != truth).sum())
            changed = False
        found[k] = distance
    return found


def _averaged_dags(instances: Instances) -> SummaryTable:
    """Compare the thresholds for SHD with directions by class and with those of an averaged DAG."""
    import pandas as pd

    published = published_table().entries
    by_class = instances.grid_losses("shd", 1.0)
    by_dag = np.empty_like(by_class)
    for k, row in enumerate(instances.frame[["states", "arcs", "variables"]].to_dict(orient="records")):
        states = PairStates.unpack({"states": row["states"], "shares": row["arcs"]})
        by_dag[k] = averaged_dag_losses(states.truth, states.shares) / (row["variables"] * (row["variables"] - 1))
    lines: list[dict[str, Any]] = []
    for method, score, group, rows in _groups(instances):
        errors = [mean_errors(table[rows]) for table in (by_class, by_dag)]
        theirs = published.get((method, score, group, "shd", 1.0))
        lines.append(
            {
                "method": method,
                "score": score,
                "cases": group,
                "by class": choose_on_grid(errors[0]),
                "by averaged DAG": choose_on_grid(errors[1]),
                "Table 5.8": theirs.threshold if theirs else np.nan,
                "loss by class": float(by_class[rows].mean(axis=0).min()),
                "loss by averaged DAG": float(by_dag[rows].mean(axis=0).min()),
                "whole sets": int(instances.frame["whole"][rows].sum()),
                "cells": int(rows.sum()),
            }
        )
    caption = (
        "Thresholds for SHD, and the mean loss at the best one: with the direction of a pair from the classes of the "
        "networks, and with the CPDAG of the averaged DAG; beside Table 5.8."
    )
    return SummaryTable("averaged-dags", caption, pd.DataFrame(lines))

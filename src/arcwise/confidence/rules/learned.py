"""The transfer-learned rule (Liao 2022, section 5.4): the cut-off that did best on networks whose truth is known.

Where an analyst has no truth to check against, proxies have: networks that are known, data sampled from them, the
confidences learned from those data. For every threshold of a coarse grid the loss against the best threshold of each
proxy is known, and the rule takes the threshold with the smallest mean loss over the proxies. (Algorithm 5.2 as printed
keeps the threshold of the single best instance; the text, p. 64, has the mean absolute error, which is what we do.)
Every proxy counts once, whatever its size, so that large networks do not dominate. For SHD and the cost the loss is
divided by the number of ordered pairs n (n - 1), as in the thesis.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.learned_table import (
    ANY,
    GRID,
    LearnedTable,
    check_metric,
    learned_table,
    published_table,
    table_for,
)
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError, UnknownNameError, suggestion

__all__ = ["choose_on_grid", "learned_from_confidence", "learned_threshold", "mean_errors", "score_name"]

Source = Literal["arcwise", "published"]


def score_name(confidence: EdgeConfidence) -> str | None:
    """Return the name that learned thresholds are looked up by: the score's, or how an ensemble is combined."""
    if confidence.recipe is not None:
        return str(confidence.recipe.score.get("name"))
    return getattr(confidence, "combiner", None)


def mean_errors(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each threshold, the mean over the proxies of the loss above that of the proxy's best threshold.

    `losses` has one row per proxy and one column per threshold; smaller is better (1 - F for an F score).
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise OptionError(f"losses need one row per proxy and one column per threshold, not the shape {table.shape}.")
    return np.asarray((table - table.min(axis=1, keepdims=True)).mean(axis=0))


def choose_on_grid(errors: NDArray[np.float64], grid: NDArray[np.float64] = GRID) -> float:
    """Return the threshold with the smallest mean error; of equally good ones, that nearest to one half.

    Equal errors are common: where all confidences are near 0 or 1, every threshold between selects the same edges.
    """
    best = np.flatnonzero(errors <= errors.min() + 1e-12)
    return float(grid[best[np.argmin(np.abs(grid[best] - 0.5))]])


def learned_threshold(
    method: str,
    *,
    score: str | None = None,
    n_cases: int | None = None,
    metric: str = "shd",
    beta: float | None = None,
    alpha: float | None = None,
    source: Source = "arcwise",
    table: LearnedTable | None = None,
) -> Threshold:
    """Return the threshold that did best on proxies like this one.

    Parameters
    ----------
    method
        "bootstrap", "credible" or "ensemble": how the networks were found.
    score
        The name of the score; one that was not studied, or None, takes the thresholds learned over all scores.
    n_cases
        The number of cases; None takes the thresholds learned over all sample sizes.
    metric
        "shd"; "f", the F-beta score of the skeleton; "f-cpdag", that of the equivalence classes; "cost", alpha times
        the missed edges plus the extra edges.
    beta, alpha
        The weight of an F score or of the cost. Between the weights that were studied (1/8, 1/4, ... 8), the threshold
        is interpolated on a log scale; beyond them the outermost is taken.
    source
        "arcwise": the table that comes with the package; "published": Liao's Table 5.8 (SHD only).
    table
        Another table, such as one of your own study.
    """
    weight = check_metric(metric, beta=beta, alpha=alpha)
    if source not in ("arcwise", "published"):
        raise UnknownNameError(suggestion("source of thresholds", source, ("arcwise", "published")))
    known = table or (learned_table() if source == "arcwise" else published_table())
    first, second, share = known.neighbours(method, score, n_cases, metric, weight)
    value = round(first.threshold + share * (second.threshold - first.threshold), 4)
    like = first.score if first.score != ANY else "several scores"
    sizes = f"{first.cases} cases" if first.cases != ANY else "any number of cases"
    details = {"proxies": float(first.proxies), "networks": float(first.networks), "weight": weight}
    if first.errors and share == 0.0:
        details["error"] = first.errors[int(np.argmin(np.abs(GRID - first.threshold)))]
    return Threshold(
        value=value,
        rule="learned",
        assumes=f"the data are like the {first.proxies} proxies it was learned from ({method}, {like}, {sizes})",
        details=details,
    )


def learned_from_confidence(confidence: EdgeConfidence, **options: Any) -> Threshold:
    """Return the learned threshold of confidences, from the table that was learned with their recipe.

    The package has two tables; as in `recommend`, the recipe decides. A score, source or table that is named does not
    follow the recipe.
    """
    known = {"score": score_name(confidence), "n_cases": confidence.n_cases} | options
    if not {"score", "source", "table"} & set(options):
        known["table"] = table_for(confidence.recipe, known["n_cases"])
    return learned_threshold(confidence.origin, **known)

"""`choose_threshold`: where to cut confidences, by a rule.

Two rules know what a cut-off will cost. With calibrated probabilities the cut-off that is best on average follows from
the data at hand. The learned thresholds of Liao (2022) are those that were best on average over known networks, one for
all data sets of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, OptionError, check_known
from arcwise.confidence.by_recipe import broom_from_confidence
from arcwise.confidence.cuts import best_cut, false_rate_cut
from arcwise.confidence.edge_confidence import EdgeConfidence, Threshold
from arcwise.confidence.learned_table import (
    ANY,
    GRID,
    LearnedTable,
    check_metric,
    learned_table,
    published_table,
    table_for,
)

# The cut-off that is best on average if probabilities mean what they say (see `arcwise.confidence.calibration`).


def calibrated_threshold(
    confidence: EdgeConfidence,
    *,
    metric: str | None = None,
    beta: float | None = None,
    alpha: float | None = None,
    false_rate: float | None = None,
) -> Threshold:
    """Return the cut-off with the best expectation of a metric, or with at most a share of false edges.

    Parameters
    ----------
    confidence
        The confidences, with their way to probabilities.
    metric, beta, alpha
        As in `recommend`; the cost with alpha 1 if neither a metric nor a rate is given.
    false_rate
        The false discovery rate: the share of the edges that may be false, on average.
    """
    if false_rate is not None:
        if metric is not None or beta is not None or alpha is not None:
            raise OptionError(Argument("false_rate", false_rate), "is given instead of a metric and its weight.")
        value, bar = false_rate_cut(confidence, false_rate)
    else:
        chosen = metric or ("f" if beta is not None else "cost")
        value, bar = best_cut(confidence, chosen, check_metric(chosen, beta=beta, alpha=alpha))
    found, above = confidence.probability.vector, confidence.vector > value
    return Threshold(
        value=value,
        rule="calibrated",
        assumes="the probabilities of the edges mean what they say",
        details={"probability": bar, "false": float((1 - found[above]).sum()), "missed": float(found[~above].sum())},
    )


# The cut-offs that follow from the analyst's costs, if the confidences are calibrated probabilities.
#
# - For the misclassification cost C_alpha = alpha FN + FP, believing an edge of probability p costs 1 - p and leaving
#   it out costs alpha p; the edge pays if p > 1 / (1 + alpha).
# - For F_beta the best cut-off is F* / (1 + beta^2), with F* the best F_beta that can be reached. It is not known, but
#   at most 1, so 1 / (1 + beta^2) is an upper end (Liao 2022, section 5.4, p. 65).


def cost_threshold(*, beta: float | None = None, alpha: float | None = None) -> Threshold:
    """Return 1 / (1 + beta^2) for F_beta, or 1 / (1 + alpha) for C_alpha; give exactly one of the two.

    `alpha` says how many extra edges a missed edge costs; `beta` weighs recall against precision.
    """
    if (beta is None) == (alpha is None):
        raise OptionError(
            "the cost rule takes either beta (for F_beta) or alpha (for the cost alpha FN + FP); give one."
        )
    name, weight = ("beta", beta) if beta is not None else ("alpha", alpha)
    assert weight is not None
    if not (weight > 0 and math.isfinite(weight)):
        raise OptionError(Argument(name, weight), "must be a positive number: 1 weighs missed and extra edges alike.")
    value = 1 / (1 + (weight * weight if name == "beta" else weight))
    return Threshold(
        value=value, rule="cost", assumes="the confidences are calibrated probabilities", details={name: float(weight)}
    )


# A cut-off that the analyst chooses; 0.5 is what most software uses.


def fixed_threshold(value: float = 0.5) -> Threshold:
    """Return the given cut-off, which must be in [0, 1]."""
    if not 0 <= value <= 1:
        raise OptionError(f"threshold {value!r} must be between 0 and 1.")
    return Threshold(value=float(value), rule="fixed", assumes="the analyst has a reason for this value")


# Gross et al. (2019): a cut-off from a model of how often an arc occurs by chance, 1/3 + sqrt(2 / M).
#
# Between two variables there are three states: no arc, an arc one way, an arc the other way. If nothing were known,
# each would hold in a third of the M networks; sqrt(2 / M) is what chance may add (Liao 2022, section 5.4, p. 65). The
# rule is made for directed arcs; for undirected edges its authors use the same value.


def gross_threshold(n_networks: int) -> Threshold:
    """Return 1/3 + sqrt(2 / M) for M networks; below 5 networks it exceeds 1, and no edge is significant."""
    if n_networks < 1:
        raise OptionError(f"Gross's rule needs the number of networks, at least 1; got {n_networks}.")
    return Threshold(
        value=1 / 3 + math.sqrt(2 / n_networks),
        rule="gross",
        assumes="without dependence, no arc and both directions are equally frequent in independent networks",
        details={"networks": float(n_networks)},
    )


# The transfer-learned rule (Liao 2022, section 5.4): the cut-off that did best on networks whose truth is known.
#
# Where an analyst has no truth to check against, proxies have: networks that are known, data sampled from them, the
# confidences learned from those data. For every threshold of a coarse grid the loss against the best threshold of each
# proxy is known, and the rule takes the threshold with the smallest mean loss over the proxies. (Algorithm 5.2 as
# printed keeps the threshold of the single best instance; the text, p. 64, has the mean absolute error, which is what
# we do.) Every proxy counts once, whatever its size, so that large networks do not dominate. For SHD and the cost the
# loss is divided by the number of ordered pairs n (n - 1), as in the thesis.


Source = Literal["arcwise", "published"]


def score_name(confidence: EdgeConfidence) -> str | None:
    """Return the name that learned thresholds are looked up by: the score's, or how an ensemble is combined."""
    if confidence.recipe is not None:
        return str(confidence.recipe.score.get("name"))
    return getattr(confidence, "combiner", None)


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
    check_known("source of thresholds", source, ("arcwise", "published"))
    known = table or (learned_table() if source == "arcwise" else published_table())
    first, second, share = known.neighbours(method, score, n_cases, metric, weight)
    value = round(first.threshold + share * (second.threshold - first.threshold), 4)
    like = first.score if first.score != ANY else "several scores"
    sizes = f"{first.cases} rows" if first.cases != ANY else "any number of rows"
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


# Scutari and Nagarajan (2013): the cut-off whose ideal 0/1 distribution is nearest to the confidences.
#
# The confidences' empirical distribution function is F(x) = share of edges with confidence <= x. In an ideal world
# every edge has confidence 0 or 1, and the distribution function is a constant t (the share of absent edges) on [0,
# 1). The rule takes the t that minimises L1(t) = integral over [0, 1] of |F(x) - t| dx, and the cut-off is the
# t-quantile of F.
#
# Why this always equals the cut-off 0.5 (Liao 2022, Theorem 5.1, p. 61): L1(t) is the mean distance of t from the
# random value F(X), X uniform on [0, 1], so its minimisers are the medians of F(X). F is non-decreasing, hence the
# medians are the values from F(0.5-) to F(0.5). The two ends differ only if a confidence is exactly 0.5; we take the
# upper end, F(0.5), as the theorem does, so that an edge at 0.5 is not significant. The quantile of F(0.5) is the
# largest confidence not above 0.5: the same edges exceed it as exceed 0.5.


def l1_distance(confidences: NDArray[np.float64], t: float) -> float:
    """Return L1(t), the distance between the confidences and an ideal in which the share t of edges is absent."""
    ordered = np.sort(np.asarray(confidences, dtype=np.float64))
    edges = np.concatenate(([0.0], ordered, [1.0]))
    heights = np.arange(len(ordered) + 1) / len(ordered)  # F on [x_i, x_(i+1))
    return float((np.abs(heights - t) * np.diff(edges)).sum())


def _all_distances(values: NDArray[np.float64], heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return L1 at every value of F, by running sums: what lies below a value counts up to it, the rest beyond it."""
    lengths = np.diff(np.concatenate(([0.0], values, [1.0])))
    below, weighed = np.cumsum(lengths), np.cumsum(lengths * heights)
    total, all_weighed = below[-1], weighed[-1]
    found = heights * below - weighed + (all_weighed - weighed) - heights * (total - below)
    return np.asarray(np.maximum(found, 0.0))


def scutari_threshold(confidences: NDArray[np.float64]) -> Threshold:
    """Return the cut-off as published: minimise L1 over t, then take the t-quantile of the confidences."""
    # Nearly all pairs of thousands of variables have confidence 0: F has few values.
    given = np.asarray(confidences, dtype=np.float64)
    values, counts = np.unique(given[given != 0], return_counts=True)
    if absent := len(given) - int(counts.sum()):
        values, counts = np.concatenate([[0.0], values]), np.concatenate([[absent], counts])
    # L1 is convex and piecewise linear with kinks at the values of F, so one of these is a minimiser. Distances that
    # differ by rounding alone count as equal, and of equal ones the largest t is taken (see above).
    candidates = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    distances = _all_distances(values, candidates)
    best = int(np.flatnonzero(distances <= distances.min() + 1e-12)[-1])
    value = 0.0 if best == 0 else float(values[best - 1])
    return Threshold(
        value=value,
        rule="scutari",
        assumes="the true network is the 0/1 pattern nearest to the confidences; always the same edges as 0.5",
        details={"t": float(candidates[best]), "l1": float(distances[best]), "equivalent": 0.5},
    )


RULES: dict[str, Callable[..., Threshold]] = {
    "scutari": lambda confidence: scutari_threshold(confidence.vector),
    "broom": broom_from_confidence,
    "gross": lambda confidence: gross_threshold(confidence.n_networks),
    "cost": lambda confidence, **options: cost_threshold(**options),
    "calibrated": calibrated_threshold,
    "fixed": lambda confidence, **options: fixed_threshold(**options),
    "learned": learned_from_confidence,
}
# What each rule takes.
TAKEN: dict[str, tuple[str, ...]] = {
    "scutari": (),
    "broom": ("data", "permuted", "significance", "permutations", "seed", "threads", "limits", "progress"),
    "gross": (),
    "cost": ("beta", "alpha"),
    "calibrated": ("metric", "beta", "alpha", "false_rate"),
    "fixed": ("value",),
    "learned": ("metric", "beta", "alpha", "score", "n_cases", "source", "table"),
}


def choose_threshold(confidence: EdgeConfidence, rule: str, **options: Any) -> Threshold:
    """Apply a rule by name, with its options.

    "scutari"; "broom" (data=, the data that the confidences come from, or permuted=, vectors of permuted data);
    "gross"; "cost" (beta= or alpha=); "calibrated" (metric=, and beta= or alpha=; or
    false_rate=); "fixed" (value=); "learned" (metric=, and beta= or alpha=).
    """
    check_known("threshold rule", rule, RULES)
    for name, value in options.items():
        if name not in TAKEN[rule]:
            takes = f"takes {', '.join(TAKEN[rule])}" if TAKEN[rule] else "has no options"
            raise OptionError(Argument(name, value), f": the rule '{rule}' {takes}.")
    if rule == "fixed" and "value" not in options:
        raise OptionError("the rule 'fixed' needs", Argument("value"), ".")
    return RULES[rule](confidence, **options)

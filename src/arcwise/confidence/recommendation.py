"""`choose_threshold` by a rule, and `recommend`: which one to use for what mistakes cost, and what else was close.

Two rules know what a cut-off will cost. With calibrated probabilities the cut-off that is best on average follows from
the data at hand. The learned thresholds of Liao (2022) are those that were best on average over known networks, one for
all data sets of a kind. The first is used where probabilities were studied, because it goes by this data set.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, OptionError, Remedy, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.by_recipe import broom_from_confidence
from arcwise.confidence.edge_confidence import EdgeConfidence, Threshold
from arcwise.confidence.learned_table import (
    ANY,
    GRID,
    LearnedTable,
    check_metric,
    learned_table,
    published_table,
    size_warning,
    table_for,
)
from arcwise.confidence.probability import Expected, best_cut, false_rate_cut
from arcwise.recipes.registry import SOURCES

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
    found = confidence.probability
    expected = found.expected(confidence.vector > value)
    return Threshold(
        value=value,
        rule="calibrated",
        assumes="the probabilities of the edges mean what they say",
        details={"probability": bar, "false": expected.false, "missed": expected.missed},
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


def _all_distances(ordered: NDArray[np.float64], heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return L1 at every value of F, by running sums: what lies below a value counts up to it, the rest beyond it."""
    lengths = np.diff(np.concatenate(([0.0], ordered, [1.0])))
    below, weighed = np.cumsum(lengths), np.cumsum(lengths * heights)
    total, all_weighed = below[-1], weighed[-1]
    found = heights * below - weighed + (all_weighed - weighed) - heights * (total - below)
    return np.asarray(np.maximum(found, 0.0))


def scutari_threshold(confidences: NDArray[np.float64]) -> Threshold:
    """Return the cut-off as published: minimise L1 over t, then take the t-quantile of the confidences."""
    ordered = np.sort(np.asarray(confidences, dtype=np.float64))
    # L1 is convex and piecewise linear with kinks at the values of F, so one of these is a minimiser. Distances that
    # differ by rounding alone count as equal, and of equal ones the largest t is taken (see above).
    candidates = np.arange(len(ordered) + 1) / len(ordered)
    distances = _all_distances(ordered, candidates)
    best = int(np.flatnonzero(distances <= distances.min() + 1e-12)[-1])
    value = 0.0 if best == 0 else float(ordered[best - 1])
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
NEIGHBOURS = 2  # how many steps of the grid to show on either side


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


@one_screen
@dataclass(frozen=True, slots=True)
class Alternative:
    """Another threshold: how many edges it leaves, and how much worse it did on the proxies (None if not known)."""

    threshold: float
    edges: int
    extra_error: float | None
    reason: str


@dataclass(frozen=True)
class Recommendation:
    """A threshold with its reasons.

    Parameters
    ----------
    threshold
        The recommended threshold; `threshold.rule` says by which rule.
    expected
        How many of the edges above it are expected to be false, and how many real ones to be below.
    metric, weight
        What was to be optimised, with its beta or alpha.
    edges
        How many edges are above it.
    neighbours
        The thresholds next to it on the learned grid, itself included, with how much worse they did on the proxies.
    other_rules
        What the other rules would say.
    cost_in_words, text
        What the weight means; and the whole recommendation, for people. A number of cases outside the range of the
        proxies gives a warning.
    mismatch
        How these networks were made differently from those of the proxies, in words; "" if they were not.
    """

    threshold: Threshold
    metric: str
    weight: float
    edges: int
    neighbours: tuple[Alternative, ...]
    other_rules: tuple[Alternative, ...]
    cost_in_words: str
    text: str
    mismatch: str = ""
    expected: Expected | None = None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"Recommendation({self.threshold.value:.4g} by the rule '{self.threshold.rule}' for {self.metric}: "
            f"{self.edges} edges; print it for the reasons)"
        )


def recommend(
    confidence: EdgeConfidence,
    *,
    metric: str = "shd",
    beta: float | None = None,
    alpha: float | None = None,
    rule: str | None = None,
    table: LearnedTable | None = None,
) -> Recommendation:
    """Recommend a threshold for the way the result will be judged.

    Parameters
    ----------
    confidence
        From a bootstrap, a credible set or an ensemble; its score and number of cases choose the proxies. Where they
        are not known, the threshold is learned over all of them, and the text says so.
    metric
        "shd": the structural Hamming distance; "f" or "f-cpdag": the F-beta score of the skeleton or of the equivalence
        class; "cost": alpha times the missed edges plus the extra edges.
    beta, alpha
        How much a missed edge weighs: alpha extra edges; beta times more recall than precision. 1 if not given.
    rule
        "calibrated" or "learned"; None for the first where the probabilities were studied, else the second, and
        where there is neither, the costs alone.
    table
        The learned thresholds; by default those of the package.
    """
    weight = check_metric(metric, beta=beta, alpha=alpha)
    if rule is not None:
        check_known("rule of a recommendation", rule, ("calibrated", "learned"))
    if rule == "calibrated" and table is not None:
        raise OptionError(
            Argument("rule", rule),
            "goes by the probabilities of the edges, and a table of learned thresholds was given.",
            remedies=(Remedy("leave out", Argument("table")), Remedy("ask for", Argument("rule", "learned"))),
        )
    probable = confidence.probability if confidence.feature == "edge" else None
    studied = probable is not None and probable.calibration.kind != "none"
    weights = {"beta": beta, "alpha": alpha}
    if table is None and (rule == "calibrated" or (rule is None and studied)):
        chosen = calibrated_threshold(confidence, metric=metric, **weights)
        sentences, mismatch = _by_probability(confidence), ""
        neighbours: tuple[Alternative, ...] = ()
    else:
        chosen, sentences, neighbours, mismatch = _by_proxies(
            confidence, metric, weight, table or table_for(confidence.recipe, confidence.n_cases)
        )
    edges = _edges_above(confidence, chosen.value)
    others = _other_rules(confidence, metric, weight, chosen)
    rest = ", ".join(f"{o.reason} {o.threshold:.3g} ({o.edges} edges)" for o in others)
    expected = probable.expected(confidence.vector > chosen.value) if studied and probable is not None else None
    said = [f"Use {chosen.value:.4g}: {edges} of {len(confidence.vector)} pairs have a confidence above it."]
    if expected is not None:
        said.append(expected.sentence())
    said += [f"{GOALS[metric]}: {_in_words(metric, weight)}.", *sentences, f"Other rules would say: {rest}."]
    if not confidence.complete:
        said.append("The set of networks was cut short by a limit, so the confidences themselves are not final.")
    return Recommendation(
        threshold=chosen,
        metric=metric,
        weight=weight,
        edges=edges,
        neighbours=neighbours,
        other_rules=others,
        cost_in_words=_in_words(metric, weight),
        text=" ".join(said),
        mismatch=mismatch,
        expected=expected,
    )


def _by_probability(confidence: EdgeConfidence) -> list[str]:
    """Return why the cut-off is the one that the probabilities ask for."""
    calibration = confidence.probability.calibration
    said = (
        "It is the best cut-off on average by the probabilities of the edges, chosen for these data. The "
        f"probabilities {calibration.basis}."
    )
    return [said, f"Warning: {calibration.doubt}"] if calibration.doubt else [said]


def _by_proxies(
    confidence: EdgeConfidence, metric: str, weight: float, known: LearnedTable
) -> tuple[Threshold, list[str], tuple[Alternative, ...], str]:
    """Return the threshold that was learned from proxies, or that of the costs alone, with what is to be said of it."""
    score = score_name(confidence)
    try:
        chosen = learned_threshold(
            confidence.origin,
            score=score,
            n_cases=confidence.n_cases,
            metric=metric,
            beta=weight if metric.startswith("f") else None,
            alpha=weight if metric == "cost" else None,
            table=known,
        )
    except OptionError:
        said = (
            f"No proxies were studied for networks of the kind '{confidence.origin}', so the value follows from your "
            "costs alone. It is right if the confidences are calibrated probabilities."
        )
        return _from_costs(metric, weight), [said], (), ""
    entry, other, share = known.neighbours(confidence.origin, score, confidence.n_cases, metric, weight)
    nearest = other if share > 0.5 else entry
    neighbours: list[Alternative] = []
    best = min(nearest.errors, default=0.0)
    if nearest.errors:
        middle = int(np.argmin(np.abs(GRID - chosen.value)))
        for k in range(max(0, middle - NEIGHBOURS), min(len(GRID), middle + NEIGHBOURS + 1)):
            value, extra = float(GRID[k]), nearest.errors[k] - best
            neighbours.append(Alternative(value, _edges_above(confidence, value), extra, "next on the grid"))
    sentences = [_origin_of(entry.score, entry.cases, chosen, confidence)]
    if entry.cases != ANY and (warning := size_warning(confidence.n_cases)):
        sentences.append(f"Warning: {warning}")
    mismatch = known.mismatch(confidence.recipe, confidence.n_networks, confidence.n_cases)
    if mismatch:
        sentences.append(f"Warning: {mismatch}")
    close = [a for a in neighbours if a.extra_error is not None and a.extra_error <= 0.05 * best + 1e-12]
    if len(close) > 1:
        sentences.append(f"Anything from {close[0].threshold:g} to {close[-1].threshold:g} did nearly as well there.")
    return chosen, sentences, tuple(neighbours), mismatch


def _from_costs(metric: str, weight: float) -> Threshold:
    return cost_threshold(alpha=weight) if metric in ("cost", "shd") else cost_threshold(beta=weight)


def _other_rules(confidence: EdgeConfidence, metric: str, weight: float, chosen: Threshold) -> tuple[Alternative, ...]:
    found = []
    if chosen.rule != "cost":
        found.append((_from_costs(metric, weight).value, "your costs alone"))
    # Any value between the two confidences around one half selects the same edges (Liao 2022, Theorem 5.1).
    found.append((0.5, "Scutari (the nearest pattern of zeros and ones)"))
    if confidence.n_networks >= 5:
        found.append((gross_threshold(confidence.n_networks).value, "Gross (by chance)"))
    return tuple(Alternative(value, _edges_above(confidence, value), None, reason) for value, reason in found)


def _edges_above(confidence: EdgeConfidence, value: float) -> int:
    return int((confidence.vector > value).sum())


GOALS = {
    "shd": "You want the structure with the fewest edges to add, remove or reverse",
    "f": "You want the best F score of the edges, in either direction",
    "f-cpdag": "You want the best F score of the edges with their directions",
    "cost": "You want the lowest cost of missed and extra edges, in either direction",
}


def _in_words(metric: str, weight: float) -> str:
    """Return what the weight means, as one would to a colleague."""
    if metric == "shd":
        return "a missed edge, an extra edge and a wrong direction count the same"
    if metric == "cost":
        how_much = "as much as" if weight == 1 else _times(max(weight, 1 / weight))
        if weight >= 1:
            return f"missing an edge costs you {how_much} an extra edge"
        return f"an extra edge costs you {how_much} missing an edge"
    if weight == 1:
        return "finding the true edges and reporting only true ones matter equally"
    if weight > 1:
        return f"finding the true edges matters {_times(weight)} as much as reporting only true ones"
    return f"reporting only true edges matters {_times(1 / weight)} as much as finding all of them"


def _times(factor: float) -> str:
    if factor == 2:
        return "twice"
    if abs(factor - round(factor)) < 1e-9:
        return f"{round(factor)} times"
    nice = Fraction(factor).limit_denominator(10)
    return f"{factor:.3g} times" if abs(float(nice) - factor) > 1e-9 else f"{float(nice):g} times"


def _origin_of(score: str, cases: str, chosen: Threshold, confidence: EdgeConfidence) -> str:
    source = SOURCES.get(confidence.origin)
    method = f"{confidence.origin if source is None else source.title}s"
    what = f"{method} with {score.upper()}" if score != ANY else f"{method} with any score"
    size = f"of {cases.replace('-', ' to ')} rows" if cases != ANY else "of any size"
    text = (
        f"It is learned from {chosen.details['proxies']:.0f} proxy data sets {size} ({what}), sampled from "
        f"{chosen.details['networks']:.0f} networks whose structure is known."
    )
    name = score_name(confidence)
    if score == ANY and name:
        text += f" The score {name} was not among those studied, so all scores were taken together."
    if cases == ANY:
        text += " The number of rows is not known here, so all sizes were taken together; n_cases= would narrow it."
    return text

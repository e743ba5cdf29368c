"""`recommend`: which threshold to use for what mistakes cost, and what else was close.

The calibrated rule comes first where probabilities were studied, because it goes by this data set; the learned one is
for the rest (`rules.py` has both).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from arcwise.base.errors import Argument, OptionError, Remedy, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.edge_confidence import EdgeConfidence, Threshold
from arcwise.confidence.learned_table import (
    ANY,
    GRID,
    LearnedTable,
    check_metric,
    size_warning,
    table_for,
)
from arcwise.confidence.probability import Expected
from arcwise.confidence.rules import (
    calibrated_threshold,
    cost_threshold,
    gross_threshold,
    learned_threshold,
    score_name,
)
from arcwise.recipes.registry import SOURCES

NEIGHBOURS = 2  # how many steps of the grid to show on either side


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
    answer = [f"Use {chosen.value:.4g}: {edges} of {len(confidence.vector)} pairs have a confidence above it."]
    if expected is not None:
        answer.append(expected.sentence())
    answer += [f"{GOALS[metric]}: {_in_words(metric, weight)}.", *sentences, f"Other rules would say: {rest}."]
    if not confidence.complete:
        answer.append("The set of networks was cut short by a limit, so the confidences themselves are not final.")
    return Recommendation(
        threshold=chosen,
        metric=metric,
        weight=weight,
        edges=edges,
        neighbours=neighbours,
        other_rules=others,
        cost_in_words=_in_words(metric, weight),
        text=" ".join(answer),
        mismatch=mismatch,
        expected=expected,
    )


def _by_probability(confidence: EdgeConfidence) -> list[str]:
    """Return why the cut-off is the one that the probabilities ask for."""
    calibration = confidence.probability.calibration
    sentence = (
        "It is the best cut-off on average by the probabilities of the edges, chosen for these data. The "
        f"probabilities {calibration.basis}."
    )
    return [sentence, f"Warning: {calibration.doubt}"] if calibration.doubt else [sentence]


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
        sentence = (
            f"No proxies were studied for networks of the kind '{confidence.origin}', so the value follows from your "
            "costs alone. It is right if the confidences are calibrated probabilities."
        )
        return _from_costs(metric, weight), [sentence], (), ""
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

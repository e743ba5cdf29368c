"""The cut-offs of all rules, to be marked next to the one that was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcwise.base.showing import one_screen, plural
from arcwise.confidence.edge_confidence import EdgeConfidence, RuleName, Threshold
from arcwise.confidence.learned_table import size_warning
from arcwise.confidence.recommendation import recommend
from arcwise.confidence.rules import choose_threshold
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.findings.method_result import MethodResult
from arcwise.findings.options import LearnOptions
from arcwise.findings.parts import Remark
from arcwise.findings.verdict import record_with
from arcwise.sampled.numeric_data import NumericData

# What a missed edge may cost in the report: 2^-5 to 2^5 extra edges.
COST_POWERS: tuple[float, ...] = tuple(k / 4 for k in range(-20, 21))


@one_screen
@dataclass(frozen=True, slots=True)
class RuleMark:
    """A rule's cut-off under a short name, and what the rule is, in a sentence."""

    label: RuleName
    threshold: Threshold
    meaning: str


@one_screen
@dataclass(frozen=True, slots=True)
class Thresholds:
    """The cut-off that was chosen and why, those of the other rules, and why one is missing."""

    chosen: RuleMark
    marks: tuple[RuleMark, ...]
    advice: str
    by_cost: tuple[float, ...]  # the cut-offs at the costs 2^k, k in COST_POWERS
    notes: tuple[Remark, ...] = ()

    def find(self, rule: RuleName) -> RuleMark | None:
        """Return the mark of a rule, or None if it was not computed."""
        return next((mark for mark in self.marks if mark.label is rule), None)


def choose_thresholds(
    data: Dataset | Incomplete | NumericData, main: MethodResult, options: LearnOptions
) -> Thresholds:
    """Choose the cut-off for the analyst's costs, or the given one, and find what the other quick rules say."""
    confidence, cost = main.confidence, options.missed_edge_cost
    assert confidence is not None
    extra = f"{cost:g} extra {plural(cost, 'edge')}"
    by_cost = RuleMark(
        RuleName.COST,
        choose_threshold(confidence, "cost", alpha=cost),
        f"least expected cost if a missed edge costs {extra}: 1 / (1 + {cost:g})",
    )
    half = choose_threshold(confidence, "scutari")
    marks = [
        by_cost,
        RuleMark(
            RuleName.SCUTARI,
            replace(half, value=0.5),
            "the nearest pattern of zeros and ones (Scutari & Nagarajan 2013): always the edges above one half",
        ),
    ]
    gross = choose_threshold(confidence, "gross")
    if gross.value < 1:
        meaning = "1/3 + sqrt(2/M) for M networks: more than chance directions (Gross et al. 2019)"
        marks.append(RuleMark(RuleName.GROSS, gross, meaning))
    learned = recommend(confidence, metric="cost", alpha=cost, rule="learned")
    chosen, advice = by_cost, learned
    if learned.threshold.rule == "learned":
        meaning = (
            f"least cost, if a missed edge costs {extra}, on data sets from known networks (Liao 2022, section 5.3)"
        )
        marks.insert(0, RuleMark(RuleName.LEARNED, learned.threshold, meaning))
        chosen = marks[0] if options.rule == "learned" else by_cost
    if confidence.probability.calibration.kind != "none" or options.false_rate is not None:
        best = _calibrated(confidence, options, extra)
        marks.insert(0, best)
        if options.rule == "calibrated" or options.false_rate is not None:
            chosen, advice = best, recommend(confidence, metric="cost", alpha=cost)
    if options.threshold is not None:
        fixed = choose_threshold(confidence, "fixed", value=options.threshold)
        chosen = RuleMark(RuleName.CHOSEN, fixed, "the cut-off that was asked for")
        marks.insert(0, chosen)
    notes: list[Remark] = []
    if chosen.label is RuleName.LEARNED:
        warnings = (size_warning(confidence.n_cases), learned.mismatch, _experiment_warning(data))
        notes += [Remark(f"Warning: {text}") for text in warnings if text]
    if chosen.label is RuleName.CALIBRATED and confidence.probability.calibration.doubt:
        known = record_of(confidence)
        notes.append(Remark(f"Warning: {confidence.probability.calibration.doubt} {known}".rstrip()))
    curve = tuple(_cut_at(confidence, chosen.label, 2.0**power) for power in COST_POWERS)
    return Thresholds(chosen, tuple(marks), advice.text, curve, tuple(notes))


def record_of(confidence: EdgeConfidence) -> str:
    """Return how often edges to rely on were right with what is special here: tiers alone, or gaps; else ""."""
    recipe = confidence.recipe
    tiers = recipe is not None and set(recipe.constraints) == {"tiers"}
    return record_with(tiers=tiers, gaps=confidence.filled is not None)


def _calibrated(confidence: EdgeConfidence, options: LearnOptions, extra: str) -> RuleMark:
    """Return the cut-off that the probabilities ask for: by the cost, or by the share of false edges."""
    if options.false_rate is not None:
        found = choose_threshold(confidence, "calibrated", false_rate=options.false_rate)
        meaning = f"as many edges as go with at most {options.false_rate:.3g} of them false, on average"
        return RuleMark(RuleName.CALIBRATED, found, meaning)
    found = choose_threshold(confidence, "calibrated", metric="cost", alpha=options.missed_edge_cost)
    bar = found.details["probability"]
    meaning = f"the edges with a probability above {bar:.3g}: least cost on average, if a missed edge costs {extra}"
    return RuleMark(RuleName.CALIBRATED, found, meaning)


def _cut_at(confidence: EdgeConfidence, rule: RuleName, cost: float) -> float:
    """Return the cut-off at another cost, by the rule that was chosen."""
    if rule is RuleName.CALIBRATED:
        return choose_threshold(confidence, "calibrated", metric="cost", alpha=cost).value
    if rule is RuleName.LEARNED:
        return recommend(confidence, metric="cost", alpha=cost, rule="learned").threshold.value
    return 1 / (1 + cost)


def _experiment_warning(data: Dataset | Incomplete | NumericData) -> str:
    """Return the message that no cut-off was learned from data in which variables were set; "" if none was here."""
    if data.gapless is None or data.gapless.targets is None:
        return ""
    return (
        "The learned cut-offs come from observations (experiments: some here, none there), so no study shows that they "
        "are best here."
    )

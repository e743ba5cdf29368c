"""The cut-offs of all rules, to be marked next to the one that was chosen."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from arcwise.analysis.averaged import Averaged
from arcwise.analysis.options import LearnOptions
from arcwise.analysis.remark import Remark
from arcwise.cluster import Cluster
from arcwise.confidence import EdgeConfidence, Threshold, choose_threshold, permuted_confidences, recommend
from arcwise.confidence.learned_table import size_warning
from arcwise.confidence.recipe_confidence import recipe_of
from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.ensemble.uncut import Uncut
from arcwise.limits import Status
from arcwise.progress import ProgressCallback
from arcwise.showing import one_screen

__all__ = ["COST_POWERS", "RuleMark", "RuleName", "Thresholds", "add_broom", "choose_thresholds"]

# What a missed edge may cost in the report: 2^-5 to 2^5 extra edges.
COST_POWERS: tuple[float, ...] = tuple(k / 4 for k in range(-20, 21))
PERMUTATIONS = 20
# Unasked, so many networks are learned from each where the source samples: four times the work of 200 replicates.
SHUFFLED_NETWORKS = 40
# Cases are shuffled, not distinct rows: of more values (cases times variables) that is not done unasked.
SHUFFLED_VALUES = 5 * 10**8
# With so many values, learning from shuffled columns takes longer than all the rest: no two rows are equal any more, so
# that 2,000,000 cases of 20 variables are as many rows (75 seconds were not enough). Chance has no part in such data.
SLOW_VALUES = 5_000_000


class RuleName(enum.StrEnum):
    """The rules whose cut-offs are marked; the value is the label in the report."""

    CHOSEN = "chosen"
    CALIBRATED = "calibrated"
    LEARNED = "learned"
    COST = "cost"
    SCUTARI = "Scutari"
    GROSS = "Gross"
    BROOM = "Broom"


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


def choose_thresholds(data: Dataset | Incomplete | Uncut, main: Averaged, options: LearnOptions) -> Thresholds:
    """Choose the cut-off for the analyst's costs, or the given one, and find what the other quick rules say."""
    confidence, cost = main.confidence, options.missed_edge_cost
    assert confidence is not None
    extra = f"{cost:g} extra edge{'' if cost == 1 else 's'}"
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
        notes.append(Remark(f"Warning: {confidence.probability.calibration.doubt}"))
    curve = tuple(_cut_at(confidence, chosen.label, 2.0**power) for power in COST_POWERS)
    return Thresholds(chosen, tuple(marks), advice.text, curve, tuple(notes))


def add_broom(
    found: Thresholds,
    data: Dataset | Incomplete | Uncut,
    main: Averaged,
    options: LearnOptions,
    deadline: Deadline,
    progress: bool | ProgressCallback | None,
    *,
    cluster: Cluster | None = None,
) -> tuple[Thresholds, tuple[Remark, ...]]:
    """Return the cut-offs with that of Broom's rule, if it can be found; and why not, if it cannot."""
    broom, note = _broom(data, main, options, deadline, progress, cluster)
    marks = found.marks if broom is None else (*found.marks, broom)
    return replace(found, marks=marks), () if note is None else (note,)


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


def _experiment_warning(data: Dataset | Incomplete | Uncut) -> str:
    """Say that no cut-off was learned from data in which variables were set; "" if none was here."""
    data = data.whole if isinstance(data, Uncut) else data
    if not isinstance(data, Dataset) or data.targets is None:
        return ""
    return (
        "The learned cut-offs come from observations (experiments: some here, none there), so no study shows that they "
        "are best here."
    )


def _why_not_shuffled(data: Dataset | Incomplete | Uncut, main: Averaged) -> str:
    """Return why shuffled columns are not learned from unless that is asked for; "" if they are."""
    if isinstance(data.whole if isinstance(data, Uncut) else data, Incomplete):
        return "shuffled columns have gaps, too, and completing them all is slow."
    if data.n_variables > main.recipe.source_facts.quick_permutations:
        return "with this method and this many variables, learning from shuffled columns is slow."
    if data.n_cases * data.n_variables > SHUFFLED_VALUES:
        return f"to shuffle columns, each of the {data.n_cases:,} cases would have to be in memory."
    if data.n_cases * data.n_variables > SLOW_VALUES:
        return f"with {data.n_cases:,} cases, learning from shuffled columns is slow."
    return ""


def _broom(
    data: Dataset | Incomplete | Uncut,
    main: Averaged,
    options: LearnOptions,
    deadline: Deadline,
    progress: bool | ProgressCallback | None,
    cluster: Cluster | None,
) -> tuple[RuleMark | None, Remark | None]:
    """Learn from shuffled columns as from the data: what is found there is found by chance (Broom et al. 2012)."""
    shuffles, confidence, most = options.permutations, main.confidence, None
    assert confidence is not None
    if shuffles is None:
        if reason := _why_not_shuffled(data, main):
            return None, Remark(f"Broom's rule was not computed: {reason} --permutations {PERMUTATIONS} asks for it.")
        shuffles, most = PERMUTATIONS, SHUFFLED_NETWORKS
    if shuffles == 0:
        return None, None
    # Shuffled columns have fewer edges, and are learned from faster than the data; but not by much.
    recipe = recipe_of(confidence, most=most)
    share = recipe.settings.get(recipe.source_facts.counted_by, main.count) / max(main.count, 1)
    needed = 0.3 * shuffles * share * main.seconds
    if needed > deadline.seconds_left:
        return None, Remark(
            f"Broom's rule was not begun: learning from {shuffles} data sets with shuffled columns takes about "
            f"{needed:.0f} s, and {deadline.seconds_left:.0f} s were left.",
            by_time=True,
        )
    found = permuted_confidences(
        data,
        recipe,
        permutations=shuffles,
        seed=options.seed,
        threads=options.threads,
        limits=deadline.limits,
        progress=progress,
        cluster=cluster,
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if not found.complete:
        return None, Remark(
            f"Broom's rule was not computed: {found.status} before all permutations were learned.",
            by_time=found.status is Status.TIME_LIMIT,
        )
    return RuleMark(
        RuleName.BROOM,
        choose_threshold(confidence, "broom", permuted=found.vectors),
        f"most edges beyond what {shuffles} data sets with shuffled columns show by chance (Broom et al. 2012)",
    ), None

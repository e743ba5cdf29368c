"""The cut-offs of all rules, to be marked beside the one that was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from arcwise.analysis.budget import TimeBudget
from arcwise.analysis.ensembles import Averaged, EnsembleTask, average_bootstrap, average_credible
from arcwise.confidence import EdgeConfidence, Threshold, choose_threshold, recommend
from arcwise.confidence.learned_table import size_warning
from arcwise.errors import OptionError
from arcwise.progress import ProgressEvent, show_progress

__all__ = ["COST_POWERS", "Rule", "RuleMark", "Thresholds", "choose_thresholds"]

Rule = Literal["learned", "cost"]
# What a missed edge may cost in the report: 2^-5 to 2^5 extra edges.
COST_POWERS: tuple[float, ...] = tuple(k / 4 for k in range(-20, 21))
PERMUTATIONS = 20
# Up to so many variables Broom's rule is computed without being asked for. A credible set of data without dependence
# is costly: nothing can be pruned by what explains the data well.
MOST_PERMUTED = {"credible": 14, "bootstrap": 40}


@dataclass(frozen=True, slots=True)
class RuleMark:
    """A rule's cut-off under a short name, and what the rule is, in a sentence."""

    label: str
    threshold: Threshold
    meaning: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The cut-off that was chosen and why, those of the other rules, and why one is missing."""

    chosen: RuleMark
    marks: tuple[RuleMark, ...]
    advice: str
    by_cost: tuple[float, ...]  # the cut-offs at the costs 2^k, k in COST_POWERS
    notes: tuple[str, ...] = ()


def choose_thresholds(
    task: EnsembleTask,
    main: Averaged,
    *,
    cost: float,
    rule: Rule,
    value: float | None,
    permutations: int | None,
    budget: TimeBudget,
) -> Thresholds:
    """Choose the cut-off for the analyst's costs, or the given one, and find what the other rules say."""
    confidence = main.confidence
    assert confidence is not None
    by_cost = RuleMark(
        "cost",
        choose_threshold(confidence, "cost", alpha=cost),
        f"least expected cost if a missed edge costs {cost:g} extra edge{'' if cost == 1 else 's'}: 1 / (1 + {cost:g})",
    )
    half = choose_threshold(confidence, "scutari")
    marks = [
        by_cost,
        RuleMark(
            "Scutari",
            replace(half, value=0.5),
            "nearest pattern of zeros and ones (Scutari & Nagarajan 2013): always the edges above one half",
        ),
    ]
    gross = choose_threshold(confidence, "gross")
    if gross.value < 1:
        marks.append(
            RuleMark("Gross", gross, "1/3 + sqrt(2/M) for M networks: more than chance directions (Gross et al. 2019)")
        )
    advice = recommend(confidence, metric="cost", alpha=cost)
    chosen = by_cost
    if advice.threshold.rule == "learned":
        learned = RuleMark(
            "learned",
            advice.threshold,
            f"least cost, if a missed edge costs {cost:g} extra edge{'' if cost == 1 else 's'}, on data sets from "
            "known "
            "networks (Liao 2022, section 5.3)",
        )
        marks.insert(0, learned)
        chosen = learned if rule == "learned" else by_cost
    use_learned = chosen is not by_cost
    if value is not None:
        if not 0 <= value <= 1:
            raise OptionError(f"threshold={value!r} must be between 0 and 1.")
        chosen = RuleMark(
            "chosen", choose_threshold(confidence, "fixed", value=value), "the cut-off that was asked for"
        )
        marks.insert(0, chosen)
    notes: list[str] = []
    if chosen.label == "learned" and (warning := size_warning(confidence.n_cases)):
        notes.append(f"Warning: {warning}")
    shuffles = permutations
    if shuffles is None:
        shuffles = PERMUTATIONS if task.data.n_variables <= MOST_PERMUTED[main.method] else 0
        if shuffles == 0:
            notes.append(
                "Broom's rule was not computed: with so many variables, learning from shuffled columns takes long. "
                f"--permutations {PERMUTATIONS} asks for it."
            )
    if shuffles > 0:
        broom = _broom(task, main, confidence, shuffles, budget, notes)
        if broom is not None:
            marks.append(broom)
    curve = tuple(
        recommend(confidence, metric="cost", alpha=2.0**power).threshold.value if use_learned else 1 / (1 + 2.0**power)
        for power in COST_POWERS
    )
    return Thresholds(chosen, tuple(marks), advice.text, curve, tuple(notes))


def _broom(
    task: EnsembleTask,
    main: Averaged,
    confidence: EdgeConfidence,
    permutations: int,
    budget: TimeBudget,
    notes: list[str],
) -> RuleMark | None:
    """Learn from shuffled columns as from the data: what is found there is found by chance (Broom et al. 2012)."""
    rng = np.random.default_rng(task.seed)
    rows = []
    with show_progress(task.progress) as callback:
        for number in range(permutations):
            callback(ProgressEvent("permuted data", number, permutations))
            shuffled = replace(task, data=task.data.permute_columns(rng), progress=False)
            limits = budget.share()
            if main.method == "credible":
                found = average_credible(shuffled, main.score, limits, facts=False)
            else:
                found = average_bootstrap(shuffled, main.score, limits)
            if found.reason or found.confidence is None or budget.is_spent:
                notes.append("Broom's rule was not computed: the time was over before all permutations were learned.")
                return None
            rows.append(found.confidence.vector)
    threshold = choose_threshold(confidence, "broom", permuted=np.array(rows))
    return RuleMark(
        "Broom",
        threshold,
        f"most edges beyond what {permutations} data sets with shuffled columns show by chance (Broom et al. 2012)",
    )

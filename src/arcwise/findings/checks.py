"""Checks of the answer: other cuts of the numbers, the prior, growing parts of the data, the target."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise.base.errors import OptionError
from arcwise.base.run import Run, Status
from arcwise.base.showing import one_screen
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.dataset import Dataset
from arcwise.evaluate.prediction import NumberScores, PredictionScores
from arcwise.findings.method_result import MethodResult
from arcwise.findings.options import LearnOptions
from arcwise.findings.parts import GrowingParts, Part, Remark
from arcwise.findings.preparation import uncut_of
from arcwise.findings.verdict import HALF
from arcwise.graph.dag import Dag
from arcwise.priors.ess_path import Saturation, data_saturation
from arcwise.priors.optima import Learning, Sensitivity, prior_sensitivity
from arcwise.priors.optimal_ess import analytic_ess
from arcwise.sampled.numeric_data import JOINT, NumericData

if TYPE_CHECKING:
    from arcwise.analysis.questions import Questions
    from arcwise.findings.preparation import Prepared
    from arcwise.findings.variable import VariableFinding


BINS = (2, 3, 4, 5)


@one_screen
@dataclass(frozen=True, eq=False)
class CutCheck:
    """The confidences of another way to cut."""

    label: str  # "width, 4 bins"
    confidence: EdgeConfidence


@one_screen
@dataclass(frozen=True, slots=True)
class CutEdge:
    """An edge at a column that was cut: its confidence as cut here, and the range over the other ways."""

    first: str
    second: str
    here: float
    lowest: float
    lowest_by: str
    highest: float
    highest_by: str

    @property
    def depends(self) -> bool:
        """Whether some way to cut makes the edge likely, and another one unlikely."""
        return min(self.here, self.lowest) <= HALF < max(self.here, self.highest)


@one_screen
@dataclass(frozen=True, eq=False)
class CutChecks(Part):
    """What other ways to cut say about the edges at columns of numbers."""

    columns: tuple[str, ...]
    checks: tuple[CutCheck, ...]
    edges: tuple[CutEdge, ...]  # those that some way to cut finds likely, the most certain first
    notes: tuple[Remark, ...] = ()


def ways_to_cut(options: LearnOptions) -> tuple[tuple[str, int], ...]:
    """Return the ways to try: methods with their numbers of intervals, 0 where the method chooses them."""
    ways = [(method, bins) for method in ("quantile", "width") for bins in BINS]
    ways += [("mdl", 0)] if options.target is not None else []
    used = (options.discretize or "quantile", options.bins)
    return tuple(way for way in (*ways, ("joint", 0)) if way != used and way[0] != (used[0] if not way[1] else None))


def check_cuts(
    prepared: Prepared,
    confidence: EdgeConfidence,
    options: LearnOptions,
    run: Run,
    average: Callable[[NumericData], MethodResult | None],
) -> CutChecks | None:
    """Cut the numbers in other ways and average the same recipe on each; None if nothing was cut.

    `average` carries the recipe out in the time that is left for one way; it returns None if there is none. After that
    no numbers are cut either, which takes long where cuts and structure are chosen together.
    Cost: that of the main set of networks, once for every way to cut.
    """
    if prepared.uncut is None:
        return None
    checks: list[CutCheck] = []
    missed: list[str] = []
    stopped: list[str] = []
    constant: list[str] = []
    notes: list[Remark] = []
    for method, bins in ways_to_cut(options):
        if method == "mdl" and options.target in prepared.cut:  # cut as any other column is, and so no class
            continue
        if method == JOINT and any(prepared.uncut.table.column(name).n_missing for name in prepared.cut):
            notes.append(Remark("Cuts were not chosen together with the structure, which takes columns without gaps."))
            continue
        label = f"{method}, {bins} bins" if bins else method
        if run.is_over:
            missed.append(label)
            continue
        within = replace(options, limit_seconds=run.limits.seconds)
        data = uncut_of(prepared.uncut.table, prepared.cut, within, method=method, bins=bins or None)
        if any(len(data.cut_table.column(name).labels) < 2 for name in prepared.cut):
            constant.append(label)
            continue
        made = average(data)
        if made is None or Status.TIME_LIMIT in (made.status, data.cut_status):
            missed.append(label)
        elif made.confidence is None or made.status is not Status.COMPLETE:
            stopped.append(f"{label} ({made.status})")
        else:
            checks.append(CutCheck(label, made.confidence))
    if missed:
        notes.append(Remark(f"Not tried for want of time: {'; '.join(missed)}.", True))
    if stopped:
        notes.append(Remark(f"Not completed: {'; '.join(stopped)}."))
    if constant:
        notes.append(Remark(f"Not tried, because a column would not vary: {'; '.join(constant)}."))
    return CutChecks(prepared.cut, tuple(checks), tuple(_edges(confidence, prepared.cut, checks)), tuple(notes))


def _edges(confidence: EdgeConfidence, columns: tuple[str, ...], checks: list[CutCheck]) -> Iterable[CutEdge]:
    names = confidence.names
    if not checks:
        return
    others = np.array([check.confidence.present for check in checks])
    found = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            here = float(confidence.present[i, j])
            if not {names[i], names[j]} & set(columns) or max(here, float(others[:, i, j].max())) <= HALF:
                continue
            low, high = int(others[:, i, j].argmin()), int(others[:, i, j].argmax())
            lowest, highest = float(others[low, i, j]), float(others[high, i, j])
            found.append(CutEdge(names[i], names[j], here, lowest, checks[low].label, highest, checks[high].label))
    yield from sorted(found, key=lambda edge: (-edge.here, -edge.lowest))


# What the prior does to the answer, and whether more data would change it.


# Saturation learns an exact optimum from every subsample; with more variables that is an analysis of its own.
MOST_VARIABLES = 14
FEWEST_CASES = 41
# Cases are shuffled, not distinct rows: of more that takes more memory than a large file does.
MOST_CASES = 10**8
REPETITIONS = 3


@one_screen
@dataclass(frozen=True, eq=False)
class PriorChecks:
    """Sensitivity of the consensus network, Steck's equivalent sample size for it, and saturation.

    Where something was not computed, it is None and `notes` say why.
    """

    sensitivity: Sensitivity
    alpha_star: float | None
    saturation: Saturation | None
    notes: tuple[Remark, ...] = ()


def check_prior(data: Dataset, dag: Dag, *, ess: float) -> PriorChecks:
    """Ask how far the prior moves the score of a network, and which prior a formula suggests."""
    sensitivity = prior_sensitivity(data, dag, ess=ess)
    alpha_star = None
    if data.targets is None:  # the formula has one number of cases
        with contextlib.suppress(OptionError):
            alpha_star = analytic_ess(data, dag).value
    return PriorChecks(sensitivity, alpha_star, None)


def grow_parts(data: Dataset, options: LearnOptions, ess: float, run: Run) -> GrowingParts:
    """Learn from growing parts of the data, where that is quick; if not, say why there is nothing."""
    if data.n_variables > MOST_VARIABLES:
        return _not_grown(
            f"Saturation was not computed: it needs an exact search for each of many subsamples, and there are more "
            f"than {MOST_VARIABLES} variables. `arcwise prior saturation --max-parents 3` computes it."
        )
    if options.constraints is not None and options.constraints.is_ancestral:
        return _not_grown("Saturation was not computed: it learns without constraints on ancestors.")
    data = data.independent(run.seed)
    if data.n_cases < FEWEST_CASES:
        return _not_grown(f"Saturation was not computed: {data.n_cases} rows cannot be halved often enough.")
    if data.n_cases > MOST_CASES:
        return _not_grown(
            f"Saturation was not computed: to shuffle them, each of the {data.n_cases:,} rows would have to be in "
            "memory."
        )
    if run.is_over:
        return _stopped(Status.TIME_LIMIT)
    learning = Learning(
        max_parents=options.max_parents,
        constraints=options.constraints,
        limits=Run.of(run.limits),
        threads=run.threads,
    )
    found = data_saturation(
        data, ess=ess, repetitions=REPETITIONS, seed=run.seed, learning=learning, progress=run.progress
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return GrowingParts(found) if found.status is Status.COMPLETE else _stopped(found.status)


def _stopped(status: Status) -> GrowingParts:
    return _not_grown(f"Saturation was not computed: the {status} was reached.", by_time=status is Status.TIME_LIMIT)


def _not_grown(why: str, *, by_time: bool = False) -> GrowingParts:
    return GrowingParts(note=Remark(why, by_time=by_time))


# `TargetFocus`: what an analysis says about the variable that it was made for.


FOLDS = 5  # of the cross-validation of the target
# Pairs times rows that an analysis tests without being asked: some seconds.
MOST_TESTED = 5e8
# What a test takes, and what each row adds to it.
SECONDS_A_TEST, SECONDS_A_ROW = 3e-4, 3e-8


@one_screen
@dataclass(frozen=True, eq=False)
class TargetFocus(Part):
    """What the target depends on, and how well it is predicted by cross-validation."""

    variable: VariableFinding
    scores: PredictionScores | NumberScores


def is_quick_to_check(source: Questions) -> bool:
    """Return whether a network has few enough independences, and few enough rows, to be tested without being asked for.

    The size decides and not the clock, so that a report is the same on every machine.
    """
    return _tests(source) * source.one_copy.n_rows <= MOST_TESTED


def seconds_to_check(source: Questions) -> float:
    """Return about how long testing the fit takes, if it is made at all."""
    return _tests(source) * (SECONDS_A_TEST + source.one_copy.n_rows * SECONDS_A_ROW) * is_quick_to_check(source)


def _tests(source: Questions) -> float:
    n = source.network.n_variables
    return n * (n - 1) / 2


# How large an exact comparison may be: what is begun is known to end.
#
# The answer does not rest on comparisons, so that they take no longer than it. What decides is the size of the data
# and not the clock: a report is the same on every machine.


# Up to so many variables all scores are compared, beyond one.
EXACT_COMPARED = 20
# Beyond EXACT_COMPARED variables, the largest limit of parents with no more families than these, which take a second or
# two and fit the memory of a comparison; where that is below three parents it would be begun in vain: the table of 76
# variables does not fit. Proofs get longer with the cases. CPU seconds of the whole comparison (BIC, samples with seed
# 1, nearly all on one core) with 20,000 and 50,000 cases: insurance 4.4 and 9.1 with five parents, 2.6 and 4.1 with
# three; alarm 5.2 and 35 with four, 3.8 and 16 with three; hailfinder, with three, 13 and 28. So beyond 20,000 cases
# there are three parents, and beyond so many values (insurance with 50,000 cases has 1.35 million, alarm 1.85) it is
# not begun: all the rest takes 20 of the 30 seconds that alarm with 50,000 cases is to take.
MOST_FAMILIES = 3_000_000
LEAST_PARENTS = 3
MANY_CASES = 20_000
MOST_VALUES = 1_500_000
# Up to EXACT_COMPARED variables, what the sets that are counted may come to: rows times sets, where sets of more than
# five variables, whose cells are mostly empty, take about five times as long (child: 0.6 ns a row for triples, 5.8 for
# all sets). With no limit of parents the three tables of child took 25 CPU seconds from 5,000 cases, 19 of them for
# BDeu, and over half an hour from 2,000,000.
MOST_COUNTED = 4_000_000_000
SMALL_SET, LARGE_SET_COST = 5, 5


@dataclass(frozen=True)
class ExactComparison:
    """An exact comparison of data of some size, in which variables have up to `required` required parents."""

    n_variables: int
    n_cases: int
    n_rows: int
    required: int = 0

    @property
    def is_large(self) -> bool:
        """Whether there are so many variables that only the score whose table is pruned best is tried."""
        return self.n_variables > EXACT_COMPARED

    @property
    def max_parents(self) -> int | None:
        """The limit of parents with which it is known to end; None for none. A required family stays possible.

        >>> ExactComparison(20, 500, 500).max_parents is None
        True
        >>> [ExactComparison(20, cases, cases).max_parents for cases in (5_000, 50_000, 500_000, 2_000_000)]
        [6, 4, 3, 2]
        >>> [ExactComparison(37, cases, cases).max_parents for cases in (5_000, 50_000)]
        [4, 3]
        """
        if self.is_large:
            fitting = LEAST_PARENTS if self.n_cases > MANY_CASES else self._fitting
            return max(LEAST_PARENTS, self.required, fitting)
        counted, size = 0, 0
        while size < self.n_variables:
            cost = LARGE_SET_COST if size + 1 > SMALL_SET else 1
            counted += cost * math.comb(self.n_variables, size + 1) * min(self.n_cases, self.n_rows)
            if counted > MOST_COUNTED:
                return max(1, size - 1, self.required)
            size += 1
        return None

    @property
    def _fitting(self) -> int:
        """The largest limit of parents that leaves few enough families."""
        n, most = self.n_variables, 0
        while most < n - 1 and n * math.comb(n - 1, most + 1) <= MOST_FAMILIES:
            most += 1
        return most

    def excess(self, max_parents: int | None) -> str:
        """Return what makes it too large to be begun with a limit of parents; "" if nothing does."""
        if not self.is_large:
            return ""
        most = LEAST_PARENTS if max_parents is None else min(LEAST_PARENTS, max_parents)
        if self._fitting < most:
            return f"skipped: too many parent sets with {self.n_variables} variables"
        if self.n_cases > MANY_CASES and self.n_cases * self.n_variables > MOST_VALUES:
            return f"skipped: {self.n_cases:,} rows of {self.n_variables} variables make the proof long"
        return ""

"""The answer first: a result as soon as it exists, and then comparisons and checks that are added to it.

What is added last is what the answer does not rest on. A step that does not fit the time that is left is not begun; one
that the user stops leaves all that was finished before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.averaged import Averaged, NotBegun, Shortfall, is_few
from arcwise.analysis.edges import MOST_DESCRIBED, describe_edges, with_methods
from arcwise.analysis.origins import Origins
from arcwise.analysis.prior_checks import add_saturation, check_prior
from arcwise.analysis.prose.experiments import untold_remarks
from arcwise.analysis.prose.remarks import (
    cut_remark,
    hurried_remark,
    many_variables_remark,
    missing_remark,
    shortened_remark,
    stopped_remark,
    to_come_remark,
    too_large_to_test_remark,
    too_many_priors_remark,
    unchecked_prior_remark,
    undescribed_remark,
    unsimulated_remark,
    untested_remark,
)
from arcwise.analysis.remark import Remark
from arcwise.analysis.target_focus import check_network, focus_on, is_quick_to_check, seconds_to_check
from arcwise.analysis.thresholds import add_broom, choose_thresholds
from arcwise.analysis.work import Work
from arcwise.confidence import consensus_network
from arcwise.confidence.calibration.self_calibration import SelfCalibration
from arcwise.data import Dataset
from arcwise.defaults import MANY_VARIABLES
from arcwise.ensemble import Recipe
from arcwise.limits import Status
from arcwise.model import fit_parameters
from arcwise.progress import RunLine

__all__ = ["first_result", "kept_result", "refine"]

# A result is worth writing at once if it took so long; later, if so long has passed since, or so many times what it
# takes to write it.
WORTH_SECONDS = 2.0
WRITING_TIMES = 5.0
# Of the time that is left, for the share of the posterior that a credible set holds.
COVERED_SHARE = 0.4

# What a step is called, about how many seconds it takes (asked when it is needed), and what it does.
Step = tuple[str, Callable[[], float], Callable[[Analysis], Analysis]]


@dataclass(frozen=True, eq=False)
class _Basis:
    """What an answer rests on: the main set, the same without what was said, simulations, and what is to be told."""

    main: Averaged
    without: Averaged | None
    unbelieved: Averaged | None
    simulated: SelfCalibration | None
    remarks: tuple[Remark, ...]


def first_result(work: Work, line: RunLine) -> Analysis:
    """Find the main set of networks and what the answer rests on: cut-off, network, tables."""
    left = len(_kinds(work))
    line.begin("networks", 1, 1 + left, steps=[math.nan] * (1 + left), most=lambda: work.deadline.seconds_left)
    idle = work.check_beliefs()
    main, remarks = work.main_set()
    main, simulated, doubtful = work.calibrated(main)
    without, more = work.unconstrained(main) if work.known is not None else (None, ())
    unbelieved, doubts = work.without_beliefs(main)
    told = (*_told_before(work, idle), *remarks, *_told_cuts(work), *doubtful, *more, *doubts)
    return _answer(work, _Basis(main, without, unbelieved, simulated, told))


def kept_result(draft: Analysis, work: Work, line: RunLine) -> Analysis:
    """Return what a run has that the user stopped behind a draft: all networks that were learned until then.

    What takes as long as these, the networks without constraints or prior odds and simulations, is the draft's.
    """
    line.begin("networks learned until now", 1, 1, steps=[math.nan], most=lambda: work.deadline.seconds_left)
    main = work.kept_set()
    if main.confidence is None or main.count <= draft.main.count:
        return draft
    found, remarks = draft.main.confidence, (*_told_before(work, work.check_beliefs()), *work.told_of(main))
    assert found is not None
    if work.options.calibration == "self":
        main = replace(main, confidence=replace(main.confidence, calibration=found.calibration))
    else:
        main, _, _ = work.calibrated(main)
    told = (*remarks, *_told_cuts(work))
    made = _answer(work, _Basis(main, draft.without_constraints, draft.without_beliefs, draft.simulated, told))
    wanted, few = work.options.replicates, f"from more than {draft.main.count:,} networks"
    return replace(
        made,
        unfinished=(
            *([f"{wanted:,} networks in place of {main.count:,}"] if main.count < wanted else []),
            *([f"what the data say without your constraints, {few}"] if work.known is not None else []),
            *([f"what they say without your prior odds, {few}"] if work.options.beliefs is not None else []),
            *([f"simulated data {few}"] if work.options.calibration == "self" else []),
            *(name for name, *_ in _steps(made, work)),
        ),
    )


def _told_before(work: Work, idle: tuple[Remark, ...]) -> tuple[Remark, ...]:
    """Return what is to be said of the data and of what was said about them, whatever networks there are."""
    data = work.complete
    many = [many_variables_remark(data.n_variables)] if data.n_variables > MANY_VARIABLES else []
    return (*many, *idle, *untold_remarks(data, work.known))


def _told_cuts(work: Work) -> tuple[Remark, ...]:
    """Say that the time was over before numbers were cut as they should be, if it was."""
    uncut = work.prepared.uncut
    return () if uncut is None or uncut.cut_status is Status.COMPLETE else (cut_remark(),)


def _answer(work: Work, basis: _Basis) -> Analysis:
    """Choose the cut-off, build the network and fit its tables."""
    options, main = work.options, basis.main
    assert main.confidence is not None
    # What needs complete data and does not average looks at one completion; counts are those of all of them.
    data = work.complete
    stacked = data if isinstance(work.data, Dataset) else work.data.stacked()
    copies = stacked.n_cases // data.n_cases
    found = choose_thresholds(work.uncut or work.prepared.data, main, options)
    consensus = consensus_network(main.confidence, found.chosen.threshold)
    ess = float(main.recipe.score.get("ess", 1.0))
    origins = Origins(work.known, consensus, basis.without, main, basis.unbelieved, data.targets)
    hurried = work.deadline.is_over  # what the prior does to each edge takes long for hundreds of them
    edges = describe_edges(data, (main,), origins, stacked, with_priors=not hurried)
    return Analysis(
        prepared=work.prepared,
        options=options,
        main=main,
        comparisons=(),
        remarks=(
            *basis.remarks,
            *found.notes,
            *([unchecked_prior_remark()] if hurried else []),
            *([too_many_priors_remark(MOST_DESCRIBED)] if not hurried and len(edges) > MOST_DESCRIBED else []),
        ),
        thresholds=found,
        consensus=consensus,
        network=fit_parameters(consensus.dag, stacked, estimator="bd", ess=ess * copies),
        edges=work.believed(edges, basis.unbelieved),
        prior=check_prior(data, consensus.dag, ess=ess),
        without_constraints=basis.without,
        without_beliefs=basis.unbelieved,
        completion=None if isinstance(work.data, Dataset) else data,
        completions=None if isinstance(work.data, Dataset) else stacked,
        simulated=basis.simulated,
    )


def refine(found: Analysis, work: Work, line: RunLine, on_result: Callable[[Analysis], None] | None = None) -> Analysis:
    """Add comparisons and checks one by one, as far as the time goes and until the user stops it."""
    plan = list(_steps(found, work))
    written, writing = time.monotonic(), 0.0
    offered = False
    for number, (title, _, act) in enumerate(plan):
        now = time.monotonic()
        seconds = [expected() for _, expected, _ in plan[number:]]
        unknown = math.isnan(seconds[0])  # nobody knows how long the next step takes
        due = (
            unknown or work.deadline.seconds >= WORTH_SECONDS
            if not offered
            else now - written > WRITING_TIMES * writing
        )
        due = due and not work.deadline.is_over  # then nothing more is begun
        draft = replace(found, unfinished=tuple(name for name, *_ in plan[number:]))
        try:
            if on_result is not None and due and now - written >= (WORTH_SECONDS if offered else 0.0):
                on_result(draft.with_remark(to_come_remark))
                written, writing, offered = time.monotonic(), time.monotonic() - now, True
            line.begin(title, number + 2, len(plan) + 1, steps=seconds, most=lambda: work.deadline.seconds_left)
            found = act(found)
        except KeyboardInterrupt:
            return draft.with_remark(stopped_remark)
    return found


def _kinds(work: Work) -> list[str]:
    """Return about which steps there will be, before the first result is there."""
    compared = ["comparison"] * 5 if work.options.compare else []
    simulated = ["simulated data"] if work.options.compare and work.options.calibration == "table" else []
    return [*compared, *simulated, "Broom", "prior", "fit"]


def _steps(found: Analysis, work: Work) -> Iterator[Step]:
    """Return what is to be added, in its order, each with about how long it takes."""
    options, main = work.options, found.main
    last = main.seconds
    if options.compare:
        recipes = work.compared(main)
        for recipe in recipes:
            yield (
                f"comparison: {recipe.title}",
                partial(work.expected, recipe.source),
                partial(_compared, work=work, recipe=recipe),
            )
    if main.find_covered is not None:
        yield "share of the posterior", lambda: last, lambda now: _with_covered(now, work)
    if options.compare and work.prepared.uncut is not None:
        yield "other cuts", lambda: 5 * last, lambda now: replace(now, cuts=work.cut_checks(main))
    if options.compare and options.calibration == "table":
        yield "simulated data", lambda: work.seconds_to_simulate(main), lambda now: _with_simulated(now, work)
    yield (
        "shuffled columns",
        lambda: 20 * last if options.permutations != 0 else 0.0,
        lambda now: _with_broom(now, work),
    )
    if work.known is not None:
        yield "price of the constraints", lambda: last, lambda now: _with_price(now, work)
    yield "growing parts of the data", lambda: last, lambda now: _with_saturation(now, work)
    yield "fit", lambda: seconds_to_check(found), lambda now: _with_fit(now, work)
    if options.target is not None:
        yield "prediction of the target", lambda: 5 * last, lambda now: _with_focus(now, work)


def _compared(found: Analysis, *, work: Work, recipe: Recipe) -> Analysis:
    """Add another set of networks, or say why it is missing."""
    made = work.compare(recipe)
    if isinstance(made, NotBegun) or not _is_usable(made):
        return found.with_missing((recipe.title, made), missing_remark)
    remarks = found.remarks if made.shortfall is None else (*found.remarks, shortened_remark(made))
    comparisons = (*found.comparisons, made)
    return replace(
        found, comparisons=comparisons, edges=with_methods(found.edges, (found.main, *comparisons)), remarks=remarks
    )


def _is_usable(made: Averaged) -> bool:
    """Return whether a set is complete, or a sample that the time cut short but not too short."""
    if made.shortfall is None:
        return True
    return made.shortfall is Shortfall.SAMPLE and not is_few(made.count, made.recipe) and not made.verdict


def _with_covered(found: Analysis, work: Work) -> Analysis:
    """Add the share of the posterior that the set holds; where the clock decided how it was found, say so."""
    main = found.main.with_covered(work.deadline.share(COVERED_SHARE).limits)
    by_time = main.credible is not None and main.credible.covered_by_time
    told = {remark.text for remark in found.remarks}
    more = (undescribed_remark(),) if by_time and undescribed_remark().text not in told else ()
    return replace(found, main=main, remarks=(*found.remarks, *more))


def _with_broom(found: Analysis, work: Work) -> Analysis:
    """Add Broom's rule, which learns from shuffled columns, if that fits the time."""
    thresholds, notes = add_broom(
        found.thresholds,
        work.uncut or work.prepared.data,
        found.main,
        work.options,
        work.deadline,
        work.progress,
        cluster=work.cluster,
    )
    return replace(found, thresholds=thresholds, remarks=(*found.remarks, *notes))


def _with_simulated(found: Analysis, work: Work) -> Analysis:
    """Add how often confidences were right in data simulated from the networks, or say why that is missing."""
    made = work.simulated(found.main)
    if isinstance(made, Remark):
        return replace(found, remarks=(*found.remarks, made), unsimulated="the time allowed did not suffice")
    if isinstance(made, str):
        return replace(found, unsimulated=made)
    few = (
        ()
        if made.status is Status.COMPLETE
        else (unsimulated_remark(f"{made.repeats} were finished", by_time=made.status is Status.TIME_LIMIT),)
    )
    return replace(found, simulated=made, remarks=(*found.remarks, *few))


def _with_price(found: Analysis, work: Work) -> Analysis:
    price, more = work.price(found.main)
    return replace(found, price=price, remarks=(*found.remarks, *more))


def _with_saturation(found: Analysis, work: Work) -> Analysis:
    checked = add_saturation(
        found.prior, work.complete, work.options, ess=found.ess, deadline=work.deadline, progress=work.progress
    )
    return replace(found, prior=checked)


def _with_fit(found: Analysis, work: Work) -> Analysis:
    """Test whether the network fits, if that is not too much for an analysis, and fits the time."""
    if not is_quick_to_check(found):
        return replace(found, remarks=(*found.remarks, too_large_to_test_remark()))
    why = work.shortage(seconds_to_check(found))
    fit = None if why else check_network(found, work.deadline.limits)
    if fit is None:
        return replace(found, remarks=(*found.remarks, untested_remark(why)))
    return replace(found, fit=fit)


def _with_focus(found: Analysis, work: Work) -> Analysis:
    target = work.options.target
    assert target is not None
    focus = focus_on(found, target, work.deadline, seed=work.options.seed, progress=work.progress)
    hurried = (hurried_remark(target),) if focus.scores.by_time else ()
    return replace(found, focus=focus, remarks=(*found.remarks, *hurried))

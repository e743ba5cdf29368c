"""`learn`: from data to a network that can be defended, in one call."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.averaged import Averaged, Shortfall, average, is_few
from arcwise.analysis.cut_checks import CutChecks, check_cuts
from arcwise.analysis.edge_beliefs import believed_of
from arcwise.analysis.edges import EdgeFinding, describe_edges
from arcwise.analysis.options import AUTO, LearnOptions
from arcwise.analysis.origins import Origins, known_of
from arcwise.analysis.preparation import Prepared, open_table, prepare
from arcwise.analysis.price import ConstraintPrice, constraint_price
from arcwise.analysis.prior_checks import check_prior
from arcwise.analysis.prose.beliefs import idle_remark, without_remark
from arcwise.analysis.prose.experiments import untold_remarks
from arcwise.analysis.prose.remarks import (
    fallback_remark,
    hurried_remark,
    missing_remark,
    no_networks_message,
    price_remarks,
    sample_remark,
    unconstrained_remark,
)
from arcwise.analysis.remark import Remark
from arcwise.analysis.target_focus import check_network, focus_on
from arcwise.analysis.thresholds import choose_thresholds
from arcwise.confidence import consensus_network
from arcwise.confidence.calibration.calibration import Calibration
from arcwise.confidence.calibration.self_calibration import SelfCalibration, self_calibration
from arcwise.data import Dataset, Incomplete, Table
from arcwise.deadline import Deadline
from arcwise.ensemble import Recipe
from arcwise.ensemble.gaps.averaging import FEWEST
from arcwise.ensemble.gaps.completions import Completions
from arcwise.ensemble.recipe import Run
from arcwise.ensemble.sources import SOURCES, find_source
from arcwise.ensemble.uncut import Uncut
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.mentions import Argument, Remedy
from arcwise.model import fit_parameters
from arcwise.option import from_keywords, option_lines, options_of, signature_with
from arcwise.progress import ProgressCallback
from arcwise.scores import Score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["learn", "learn_prepared"]

COMPARED = ("qnml", "bdeu:ess=1", "bic")
# What a table of parent sets, or the diagram of a credible set, may take.
MEMORY = 2**30
# A comparison that needs more is given up: a limit of memory, unlike one of time, is the same on every machine.
COMPARED_MEMORY = 2**28


def learn(
    data: pd.DataFrame | Dataset | Incomplete | Table | str | os.PathLike[str],
    options: LearnOptions | None = None,
    *,
    progress: bool | ProgressCallback | None = None,
    **keywords: Any,
) -> Analysis:
    """Learn a network from data and say which of its edges to trust: the whole pipeline with sensible choices.

    Every network that the data cannot rule out (the credible set) is averaged into a confidence for each edge. If the
    set cannot be completed in the time and memory allowed, networks are learned from resampled data instead (the
    bootstrap), and the report says so. The edges above a cut-off that follows from the analyst's costs make the
    network; its parameters are fitted, and its sensitivity to the prior is examined.

    Parameters
    ----------
    data
        A DataFrame, a file, or what `read_table` and `Dataset` hold.
    options
        A `LearnOptions`; or give the options below as keywords.
    progress
        See `arcwise.progress.show_progress`.
    {options}

    Returns
    -------
    Analysis
        The confidences, the network, and the report: shown in notebooks, printed as text, saved as a folder.

    Raises
    ------
    PreparationError
        If the data are not complete and discrete, and nothing says what to do about it; the message makes a proposal.

    Examples
    --------
    >>> from arcwise import datasets
    >>> analysis = learn(datasets.load("balance-scale"), rule="cost", seed=1)
    >>> analysis
    Analysis(data: 5 variables, 625 cases; credible set, qNML; 4 edges above 0.5)
    >>> analysis.edge("class", "left-weight").present
    1.0
    """
    chosen = from_keywords(LearnOptions, keywords, options)
    file = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    opened = open_table(data, progress=progress, **(chosen.experiments if file is None else chosen.reading))
    return learn_prepared(prepare(opened, chosen, file=file, progress=progress), chosen, progress=progress)


learn.__doc__ = (learn.__doc__ or "").replace("    {options}", option_lines(LearnOptions))
learn.__signature__ = signature_with(learn, LearnOptions)  # type: ignore[attr-defined]


def learn_prepared(
    prepared: Prepared, options: LearnOptions, *, progress: bool | ProgressCallback | None = None
) -> Analysis:
    """Learn from data that are prepared."""
    _check_settings(options)
    said, names = options.constraints, prepared.data.names
    if said is not None and said.names != names:  # over columns of which some were left out
        options = replace(options, constraints=Constraints.from_description(names, said.describe()))
    if options.calibration == "self" and not isinstance(prepared.data, Dataset):
        raise OptionError(
            Argument("calibration", "self"),
            "simulates complete data, and these have gaps.",
            remedies=(
                Remedy("fill them first:", Argument("impute", "knn")),
                Remedy("use", Argument("calibration", "table")),
            ),
        )
    given = _completions(prepared.data, options)
    uncut = _recut(prepared, given, options)
    work = _Work(prepared, options, Deadline(Limits(options.limit_seconds, MEMORY)), progress, given, uncut)
    idle = work.check_beliefs()
    main, remarks = work.main_set()
    main, simulated = work.calibrated(main)
    assert main.confidence is not None
    known = work.known
    without, more = work.unconstrained(main) if known is not None else (None, ())
    unbelieved, doubts = work.without_beliefs(main)
    remarks += more
    others, notes = work.comparisons(main) if options.compare else ((), ())
    cuts = work.cut_checks(main) if options.compare else None
    # What needs complete data and does not average looks at one completion; counts are those of all of them.
    data = work.complete
    stacked = data if isinstance(given, Dataset) else given.stacked()
    copies = stacked.n_cases // data.n_cases
    found = choose_thresholds(uncut or prepared.data, main, options, work.deadline, progress=progress)
    consensus = consensus_network(main.confidence, found.chosen.threshold)
    ess = float(main.recipe.score.get("ess", 1.0))
    network = fit_parameters(consensus.dag, stacked, estimator="bd", ess=ess * copies)
    price, more = work.price(main) if known is not None else (None, ())
    remarks += more
    prior = check_prior(data, consensus.dag, options, ess=ess, deadline=work.deadline, progress=progress)
    origins = Origins(known, consensus, without, main, unbelieved, data.targets)
    made = Analysis(
        prepared=prepared,
        options=options,
        main=main,
        comparisons=others,
        remarks=(*idle, *untold_remarks(data, known), *remarks, *doubts, *notes, *found.notes),
        thresholds=found,
        consensus=consensus,
        network=network,
        edges=work.believed(describe_edges(data, (main, *others), origins, stacked), unbelieved),
        prior=prior,
        without_constraints=without,
        price=price,
        without_beliefs=unbelieved,
        cuts=cuts,
        completion=None if isinstance(given, Dataset) else data,
        completions=None if isinstance(given, Dataset) else stacked,
        simulated=simulated,
    )
    made = replace(made, fit=check_network(made))
    if options.target is None:
        return made
    focus = focus_on(made, options.target, work.deadline, seed=options.seed, progress=progress)
    hurried = (hurried_remark(options.target),) if focus.scores.by_time else ()
    return replace(made, focus=focus, remarks=(*made.remarks, *hurried))


def _completions(data: Dataset | Incomplete, options: LearnOptions) -> Dataset | Completions:
    """Return complete data as they are, and for others the completions that all parts of the analysis share."""
    if isinstance(data, Dataset):
        return data
    return Completions(
        data,
        constraints=None if options.constraints is None else options.constraints.arc_part,
        max_parents=options.max_parents,
        count=options.completions,
        seed=options.seed,
    )


def _recut(prepared: Prepared, given: Dataset | Completions, options: LearnOptions) -> Uncut | None:
    """Return the numbers to cut anew in every replicate, if that was asked for."""
    if not options.recut:
        return None
    if options.method not in (AUTO, "bootstrap"):
        raise OptionError(
            Argument("recut", True),
            f"cuts numbers anew in each replicate of a bootstrap; the {find_source(options.method).title} has none.",
            remedies=Remedy("take", Argument("method", "bootstrap")),
        )
    if prepared.uncut is None:
        raise OptionError(
            Argument("recut", True),
            "cuts columns of numbers anew, and none of the data was cut.",
            remedies=Remedy("leave it out"),
        )
    return replace(prepared.uncut, completions=None if isinstance(given, Dataset) else given)


def _check_settings(options: LearnOptions) -> None:
    """Refuse a setting that no source has."""
    known = {item.name for source in SOURCES.values() for item in options_of(source.Settings)}
    for name in options.own_settings:
        if name not in known:
            raise UnknownNameError(suggestion("setting", name, known))


@dataclass(frozen=True, eq=False)
class _Work:
    """One analysis under way."""

    prepared: Prepared
    options: LearnOptions
    deadline: Deadline
    progress: bool | ProgressCallback | None
    data: Dataset | Completions
    uncut: Uncut | None = None  # numbers to cut anew in every replicate

    @property
    def complete(self) -> Dataset:
        """The data; of data with gaps, one completion."""
        return self.data if isinstance(self.data, Dataset) else next(self.data.take(1))

    @property
    def known(self) -> Constraints | None:
        """What every network must satisfy; None for nothing."""
        return known_of(self.options, self.prepared.data)

    def recipe(self, source: str, score: str | Score | None, *, free: bool = False) -> Recipe:
        """Return the recipe of a source with the settings that the options have for it.

        `free` of whatever was said, constraints and prior odds: the data's part alone.
        """
        options, kind = self.options, find_source(source).Settings
        given = {item.name for item in options_of(options)}
        settings = {item.name: getattr(options, item.name) for item in options_of(kind) if item.name in given}
        own = {item.name: item for item in options_of(kind) if item.name in options.own_settings}
        settings |= {name: item.kind(options.own_settings[name]) for name, item in own.items()}
        return Recipe.usual(
            source,
            score,
            max_parents=options.max_parents,
            constraints=None if free else options.constraints,
            gaps=self.prepared.gaps,
            beliefs=None if free else options.beliefs,
            **settings,
        )

    def average(self, recipe: Recipe, share: float, *, memory: int | None = None, describe: bool = False) -> Averaged:
        """Carry a recipe out in a share of the time that is left."""
        limits = self.deadline.share(share).limits
        return average(recipe, self.uncut or self.data, self._run(limits, memory), describe=describe)

    def _run(self, limits: Limits, memory: int | None) -> Run:
        return Run(
            seed=self.options.seed,
            threads=self.options.threads,
            limits=limits if memory is None else replace(limits, memory_bytes=memory),
            progress=self.progress,
        )

    def cut_checks(self, main: Averaged) -> CutChecks | None:
        """Carry the main recipe out on numbers that are cut in other ways, as far as the time goes.

        Where gaps are completed, chains begin anew for every way to cut. What a cut does to an edge shows in a few
        completions, so that these are a fifth of those that the answer is averaged over.
        """
        assert main.confidence is not None

        def again(data: Uncut) -> Averaged | None:
            if self.deadline.is_over:
                return None
            if not isinstance(data.whole, Dataset):
                few = replace(self.options, completions=max(FEWEST, self.options.completions // 5))
                made = _completions(data.whole, few)
                data = replace(data, completions=made if isinstance(made, Completions) else None)
            return average(main.recipe, data, self._run(self.deadline.share(0.15).limits, COMPARED_MEMORY))

        return check_cuts(self.prepared, main.confidence, self.options, again)

    def main_set(self) -> tuple[Averaged, tuple[Remark, ...]]:
        """Average the credible set if it can be completed, else a bootstrap, and say why."""
        method, score = self.options.method, self.options.chosen_score
        names = tuple(name for name, source in SOURCES.items() if source.is_usual) if method == AUTO else (method,)
        names = ("bootstrap",) if self.uncut is not None else names
        if self.known is not None and self.known.is_ancestral:
            names = tuple(name for name in names if find_source(name).obeys_ancestors)
            if not names:
                self.known.refuse_ancestors(f"the {find_source(method).title}")
        given_up: list[Averaged] = []
        for name in names:
            last = name == names[-1]
            found = self.average(self.recipe(name, score), 0.7 if last else 0.5, describe=True)
            if found.confidence is None:
                given_up.append(found)
                continue
            remarks = [fallback_remark(first, found) for first in given_up]
            if found.shortfall in (Shortfall.SAMPLE, Shortfall.COMPLETIONS):
                remarks.append(sample_remark(found))
            return found, tuple(remarks)
        raise OptionError(no_networks_message(given_up[-1]))

    def calibrated(self, main: Averaged) -> tuple[Averaged, SelfCalibration | None]:
        """Say how the confidences become probabilities, if not by the package's table: not at all, or by simulation."""
        kind, confidence = self.options.calibration, main.confidence
        assert confidence is not None
        if kind == "none" or (kind == "table" and is_few(confidence.n_networks, main.recipe)):
            return replace(main, confidence=replace(confidence, calibration=Calibration.identity())), None
        if kind == "table":
            return main, None
        assert isinstance(self.data, Dataset)
        found = self_calibration(confidence, self.data, run=self._run(self.deadline.share(0.6).limits, None))
        return replace(main, confidence=replace(confidence, calibration=found.calibration)), found

    def unconstrained(self, main: Averaged) -> tuple[Averaged | None, tuple[Remark, ...]]:
        """Carry out the same recipe without constraints and odds: what the data say if nobody else does."""
        free = self.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
        made = self.average(free, 0.3)
        if made.confidence is None or made.shortfall is not None:
            return None, (unconstrained_remark(made),)
        return made, ()

    def price(self, main: Averaged) -> tuple[ConstraintPrice | None, tuple[Remark, ...]]:
        """Find what the constraints cost in the data's own score, with proof where the main set has one."""
        assert self.known is not None
        limits = self.deadline.share(0.3).limits
        free = self.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
        found = constraint_price(
            self.complete,
            self.known,
            score=free.scorer,
            max_parents=free.max_parents,
            exact=not main.recipe.source_facts.is_sample,
            seed=self.options.seed,
            threads=self.options.threads,
            limits=limits,
        )
        return found, price_remarks(found)

    def check_beliefs(self) -> tuple[Remark, ...]:
        """Refuse prior odds of variables that are not there, and say which have no effect."""
        beliefs, data = self.options.beliefs, self.prepared.data
        if beliefs is None:
            return ()
        beliefs.on(data.names)
        idle = idle_remark(beliefs, self.options.constraints, self.complete)
        return () if idle is None else (idle,)

    def without_beliefs(self, main: Averaged) -> tuple[Averaged | None, tuple[Remark, ...]]:
        """Average the main set again without prior odds, if there were any and the time suffices."""
        if self.options.beliefs is None:
            return None, ()
        made = self.average(main.recipe.without_beliefs, 0.4)
        return (made, ()) if made.shortfall is None else (None, (without_remark(made),))

    def believed(self, edges: tuple[EdgeFinding, ...], without: Averaged | None) -> tuple[EdgeFinding, ...]:
        """Return the edges with what was believed about each, and its confidence without that."""
        beliefs, constraints, n = self.options.beliefs, self.known, len(self.prepared.data.names)
        if beliefs is None:
            return edges
        alone = None if without is None else without.confidence
        return tuple(replace(e, belief=believed_of(beliefs, constraints, alone, (e.first, e.second), n)) for e in edges)

    def comparisons(self, main: Averaged) -> tuple[tuple[Averaged, ...], tuple[Remark, ...]]:
        """Average other sets of networks, as far as the time goes: every source, three scores each.

        Where the main set is a sample because what is exact was too much, of the exact ones only that with BIC is
        tried: its table is pruned best.
        """
        is_sample = main.recipe.source_facts.is_sample
        plan = [
            self.recipe(source.name, score)
            for source in SOURCES.values()
            if source.is_usual
            for score in (COMPARED[-1:] if is_sample and not source.is_sample else COMPARED)
            if source.obeys_ancestors or self.known is None or not self.known.is_ancestral
        ]
        found: list[Averaged] = []
        missing: list[tuple[str, Averaged | None]] = []
        for recipe in plan:
            if (recipe.source, recipe.score) == (main.recipe.source, main.recipe.score):
                continue
            if self.deadline.is_over:
                missing.append((recipe.title, None))
                continue
            made = self.average(recipe, 0.3, memory=COMPARED_MEMORY)
            if made.shortfall is not None:
                missing.append((recipe.title, made))
            else:
                found.append(made)
        return tuple(found), (missing_remark(missing),) if missing else ()

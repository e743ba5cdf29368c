"""`Work`: one analysis under way: its parts, each in the time that is left, and how long each took."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from arcwise.analysis.averaged import Averaged, NotBegun, Shortfall, average, average_kept, average_of, is_few
from arcwise.analysis.cut_checks import CutChecks, check_cuts
from arcwise.analysis.edge_beliefs import believed_of
from arcwise.analysis.edges import EdgeFinding
from arcwise.analysis.exact_comparisons import EXACT_COMPARED, ExactComparison
from arcwise.analysis.options import AUTO, LearnOptions
from arcwise.analysis.origins import known_of
from arcwise.analysis.preparation import Prepared
from arcwise.analysis.price import ConstraintPrice, constraint_price
from arcwise.analysis.prose.beliefs import idle_remark, without_remark
from arcwise.analysis.prose.remarks import (
    copies_remark,
    no_networks_message,
    price_remarks,
    sample_remark,
    simulated_remark,
    single_remark,
    uncalibrated_remark,
    unconstrained_remark,
    undescribed_remark,
    unsimulated_remark,
)
from arcwise.analysis.prose.unfinished import unfinished_remark
from arcwise.analysis.remark import Remark
from arcwise.analysis.simulations import SimulationPlan, plan_simulations
from arcwise.cluster import Cluster
from arcwise.confidence.calibration.calibration import Calibration
from arcwise.confidence.calibration.edge_probability import decided_pairs
from arcwise.confidence.calibration.self_calibration import SelfCalibration, self_calibration
from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.ensemble import Recipe
from arcwise.ensemble.gaps.averaging import FEWEST
from arcwise.ensemble.gaps.completions import Completions
from arcwise.ensemble.recipe import Run
from arcwise.ensemble.replicates.batches import KeptBatches
from arcwise.ensemble.sources import SOURCES, find_source
from arcwise.ensemble.sources.optimum import find_best, single_network
from arcwise.ensemble.sources.shared_tables import SharedTables
from arcwise.ensemble.uncut import Uncut
from arcwise.ensemble.unfinished_set import KnownOfSet
from arcwise.errors import OptionError, UnfinishedError
from arcwise.exact import Optimum
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.option import options_of
from arcwise.progress import ProgressCallback
from arcwise.scores import Score

__all__ = ["Work", "completions_of"]

COMPARED = ("qnml", "bdeu:ess=1", "bic")
# What `learn` averages by itself: the first of these that can obey the constraints.
USUAL = ("bootstrap", "credible")
# A comparison that needs more is given up: a limit of memory, unlike one of time, is the same on every machine.
COMPARED_MEMORY = 2**28
# The part of the time that the main set may take.
MAIN_SHARE = 0.7
# With so many values in the data, all networks of a bootstrap take a minute: the first so many make a draft before.
LONG_VALUES = 5_000_000
FIRST_NETWORKS = 20
# Without a limit of time, a best network in place of a set that did not fit into memory is looked for as long as the
# set was, and at least so many seconds.
LEAST_SECONDS = 60.0


def completions_of(data: Dataset | Incomplete, options: LearnOptions) -> Dataset | Completions:
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


def _within(limits: Limits, seconds: float) -> Limits:
    """Return limits with one of time, where they have none."""
    return replace(limits, seconds=seconds) if limits.seconds is None else limits


@dataclass(frozen=True, eq=False)
class Work:
    """One analysis under way."""

    prepared: Prepared
    options: LearnOptions
    deadline: Deadline
    progress: bool | ProgressCallback | None
    data: Dataset | Completions
    uncut: Uncut | None = None  # numbers to cut anew in every replicate
    seconds: dict[str, float] = field(default_factory=dict)  # how long the networks of each source took, last time
    cluster: Cluster | None = None  # who learns, instead of threads
    journal: str | None = None  # where a draft keeps its networks for the main set
    tables: SharedTables = field(default_factory=SharedTables)  # those of comparisons
    batches: KeptBatches = field(default_factory=KeptBatches)  # those of the main bootstrap, for comparisons

    @property
    def complete(self) -> Dataset:
        """The data; of data with gaps, one completion."""
        return self.data if isinstance(self.data, Dataset) else next(self.data.take(1))

    @property
    def is_long(self) -> bool:
        """Whether the networks take so long that a draft from the first of them is worth its time."""
        data, options = self.prepared.data, self.options
        several = options.replicates >= 3 * FIRST_NETWORKS
        return several and self._source(options.method) == "bootstrap" and data.n_rows * data.n_variables >= LONG_VALUES

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
            n_cases=self.prepared.data.n_cases,
            arities=self.prepared.data.arities.tolist(),
            max_parents=options.max_parents,
            constraints=None if free else options.constraints,
            gaps=self.prepared.gaps,
            beliefs=None if free else options.beliefs,
            **settings,
        )

    def average(
        self, recipe: Recipe, share: float, *, memory: int | None = None, describe: bool = False, main: bool = False
    ) -> Averaged:
        """Carry a recipe out in a share of the time that is left; the `main` one goes on from what a draft learned."""
        run = self._run(self.deadline.share(share).limits, memory)
        run = replace(run, journal=self.journal) if main else run
        made = average(recipe, self.uncut or self.data, run, describe=describe)
        self.seconds[recipe.source] = made.seconds
        if main or made.unfinished is None:
            return made
        return replace(made, unfinished=made.unfinished.summed_up)

    def expected(self, source: str) -> float:
        """Return how long the networks of a source took last time; NaN if it has made none yet."""
        return self.seconds.get(source, math.nan)

    def shortage(self, seconds: float) -> str:
        """Say that work which takes so long does not fit the time that is left, and so is not begun; "" if it does."""
        left = self.deadline.seconds_left
        if left <= 0:
            return "the time was up"
        return f"not begun: it takes about {seconds:.0f} s, and {left:.0f} s were left" if seconds > left else ""

    def _run(self, limits: Limits, memory: int | None) -> Run:
        return Run(
            seed=self.options.seed,
            threads=self.options.threads,
            limits=limits if memory is None else replace(limits, memory_bytes=memory),
            progress=self.progress,
            cluster=self.cluster,
            tables=self.tables,
            batches=self.batches if self.options.compare else None,
        )

    def cut_checks(self, main: Averaged) -> CutChecks | None:
        """Carry the main recipe out on numbers that are cut in other ways, as far as the time goes.

        Where gaps are completed, chains begin anew for every way to cut. What a cut does to an edge shows in a few
        completions, so that these are a fifth of those that the answer is averaged over.
        """
        assert main.confidence is not None

        def again(data: Uncut) -> Averaged | None:
            if self.shortage(self.seconds.get(main.recipe.source, 0.0)):
                return None
            if not isinstance(data.whole, Dataset):
                few = replace(self.options, completions=max(FEWEST, self.options.completions // 5))
                made = completions_of(data.whole, few)
                data = replace(data, completions=made if isinstance(made, Completions) else None)
            return average(main.recipe, data, self._run(self.deadline.share(0.15).limits, COMPARED_MEMORY))

        return check_cuts(self.prepared, main.confidence, self.options, self.deadline, again)

    def main_set(self) -> tuple[Averaged, tuple[Remark, ...]]:
        """Average the networks of the method, by default a bootstrap's; where that cannot obey, a credible set's.

        What is averaged was chosen by log loss on families of worlds left out: a bootstrap with qNML, as good as any
        and the same for all sizes (docs/benchmarks/calibration.md). No limit chooses another recipe.
        """
        method, score = self.options.method, self.options.chosen_score
        found = self.average(self.recipe(self._source(method), score), MAIN_SHARE, describe=True, main=True)
        if found.confidence is None:
            if (single := self._single(found)) is not None:
                return single, (single_remark(found),)
            if (known := self._known(found)) is not None:
                return known, (unfinished_remark(known, found, gaps=not isinstance(self.data, Dataset)),)
            raise OptionError(no_networks_message(found))
        remarks = self.told_of(found)
        if found.shortfall in (Shortfall.SAMPLE, Shortfall.COMPLETIONS):
            remarks = (*remarks, sample_remark(found, None if found.expected is None else found.expected / MAIN_SHARE))
        if found.hurried and found.shortfall is None:
            remarks = (*remarks, undescribed_remark())
        return found, remarks

    def kept_set(self) -> Averaged:
        """Average the networks of the main set that were learned until the user stopped it."""
        recipe = self.recipe(self._source(self.options.method), self.options.chosen_score)
        run = replace(self._run(self.deadline.limits, None), journal=self.journal)
        return average_kept(recipe, self.uncut or self.data, run)

    @staticmethod
    def told_of(main: Averaged) -> tuple[Remark, ...]:
        """Return what is to be said of a main set whatever ended it: which columns are copies."""
        copies = main.kept is not None and main.kept.networks.copies
        return (copies_remark(copies),) if copies else ()

    def _source(self, method: str) -> str:
        """Return the source of a method; of those that are usual, the first that can obey the constraints."""
        names: tuple[str, ...] = (method,)
        if method == AUTO:
            names = USUAL if self.uncut is None else USUAL[:1]
        if self.known is not None and self.known.is_ancestral:
            names = tuple(name for name in names if find_source(name).obeys_ancestors)
            if not names:
                self.known.refuse_ancestors(f"the {find_source(USUAL[0] if method == AUTO else method).title}")
        return names[0]

    @property
    def given_seconds(self) -> float | None:
        """The limit of the whole analysis."""
        return self.deadline.given.seconds

    def _single(self, given_up: Averaged) -> Averaged | None:
        """Find one network where the time of a bootstrap did not suffice for any: an answer, if nothing to trust.

        A plain climb takes a tenth of the time of a replicate; as much time as for the whole is allowed once more. None
        if that is too short, too, the time was not what ended the bootstrap, or values are missing: one completion of
        them is no answer.
        """
        if given_up.recipe.source != "bootstrap" or given_up.status is not Status.TIME_LIMIT:
            return None
        if not isinstance(self.data, Dataset):
            return None
        recipe = self.recipe("search", given_up.recipe.scorer)
        recipe = replace(recipe, settings={**recipe.settings, "refine": 0})
        made = average(recipe, self.complete, self._run(Limits(seconds=self.given_seconds), None), describe=True)
        return None if made.confidence is None else replace(made, status=Status.TIME_LIMIT, shortfall=Shortfall.SAMPLE)

    def _known(self, given_up: Averaged) -> Averaged | None:
        """Return what is left of a credible set that a limit ended: a smaller one that is complete, or a best network.

        Both are looked for in half of the time that is left. Where none is, there is a best network all the same, with
        the bound that holds; a climb has the time of the whole once more, as above. None only if no network is known
        that satisfies the constraints. Of data with gaps it is that of one completion, of which no smaller set is
        averaged.
        """
        if given_up.recipe.source != "credible":
            return None
        assert given_up.status is not Status.COMPLETE
        deadline = self.deadline.share(0.5)
        most = max(LEAST_SECONDS, given_up.seconds) if self.given_seconds is None else self.given_seconds
        unfinished, data = given_up.unfinished, self.complete
        assert not isinstance(unfinished, KnownOfSet)
        alone = replace(given_up.recipe, source="optimum", settings={})
        if unfinished is None:  # too few completions
            run = self._run(_within(deadline.limits, most), None)
            best, _ = find_best(alone, data, run, climb=Limits(seconds=most))
            return None if best is None else self._alone(given_up, alone, best)
        smaller = unfinished.smaller(deadline.share(0.5).limits) if isinstance(self.data, Dataset) else None
        if smaller is not None:
            own = {"bayes_factor": smaller.recipe.settings["bayes_factor"], "most_networks": None}  # all of them
            recipe = replace(given_up.recipe, settings={**given_up.recipe.settings, **own})
            found = average_of(recipe, smaller.made_by(recipe), data, self._run(deadline.limits, None))
            if found.confidence is not None:
                return replace(
                    found,
                    status=given_up.status,
                    shortfall=Shortfall.SMALLER,
                    optimum=smaller.bracketed,
                    asked=given_up.recipe,
                    unfinished=unfinished.summed_up,
                    seconds=given_up.seconds + deadline.seconds,
                )
        limits = _within(deadline.limits, most)
        best = unfinished.best(limits, self.options.threads, climb=Limits(seconds=most))
        return None if best is None else self._alone(given_up, alone, best)

    def _alone(self, given_up: Averaged, recipe: Recipe, best: Optimum) -> Averaged:
        """Return the answer of one network."""
        if best.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        data = self.complete
        networks = single_network(recipe, data, best, given_up.status)
        found = average_of(recipe, networks, data, self._run(self.deadline.limits, None))
        confidence, gaps = found.confidence, self.prepared.data
        assert confidence is not None
        if isinstance(gaps, Incomplete):
            filled, digest = gaps.pair_shares_missing, gaps.digest
            confidence = replace(confidence, filled=filled, data_digest=digest, completions=1)
        return replace(
            found,
            confidence=confidence,
            status=given_up.status,
            shortfall=Shortfall.SINGLE,
            optimum=best,
            asked=given_up.recipe,
            unfinished=None if given_up.unfinished is None else given_up.unfinished.summed_up,
        )

    def calibrated(self, main: Averaged) -> tuple[Averaged, SelfCalibration | None, tuple[Remark, ...]]:
        """Say how the confidences become probabilities, if not by the package's table: not at all, or by simulation.

        Where the time does not suffice for simulations, it is by the table after all.
        """
        kind, confidence = self.options.calibration, main.confidence
        assert confidence is not None
        if kind == "none" or (kind == "table" and is_few(confidence.n_networks, main.recipe)):
            return replace(main, confidence=replace(confidence, calibration=Calibration.identity())), None, ()
        if kind == "table":
            return main, None, ()
        assert isinstance(self.data, Dataset)
        try:
            found = self_calibration(confidence, self.data, run=self._run(self.deadline.share(0.6).limits, None))
        except UnfinishedError as error:
            return main, None, (uncalibrated_remark(str(error)),)
        few = () if found.status is Status.COMPLETE else (simulated_remark(found),)
        return replace(main, confidence=replace(confidence, calibration=found.calibration)), found, few

    def seconds_to_simulate(self, main: Averaged) -> float:
        """Return about how long simulated data sets take; 0 where none are made."""
        plan = self.simulations(main)
        share = min(1.0, plan.networks / max(main.count, 1)) if main.recipe.source_facts.counted_by else 1.0
        return plan.sets * share * main.seconds

    def simulations(self, main: Averaged) -> SimulationPlan:
        """Plan the data sets that are simulated unasked, or say why there are none."""
        data, refusal = self.data, ""
        if not isinstance(data, Dataset):
            refusal = "values were missing, and what is simulated has no gaps"
        elif data.targets is not None and not data.targets.is_empty:
            refusal = "variables were set, and what is simulated are observations"
        elif self.uncut is not None:
            refusal = "the numbers are cut anew in every replicate, and what is simulated has no numbers to cut"
        elif main.kept is None or is_few(main.count, main.recipe):
            refusal = "there are too few networks to simulate from"
        elif decided_pairs(main.recipe.constraints_on(data.names), data.names).all():
            refusal = "the constraints decide every edge"
        else:
            return plan_simulations(data.n_variables, data.n_cases, is_sample=bool(main.recipe.source_facts.counted_by))
        return SimulationPlan(0, 0, refusal)

    def simulated(self, main: Averaged) -> SelfCalibration | Remark | str:
        """Learn from data simulated from the networks found: how often confidences like these are right here.

        It is shown beside the studied probabilities and changes none of them. A remark says that the time did not
        suffice; words say why it is not made in any time.
        """
        plan = self.simulations(main)
        if plan.refusal:
            return plan.refusal
        if why := self.shortage(self.seconds_to_simulate(main)):
            return unsimulated_remark(why, by_time=True)
        assert main.confidence is not None and main.kept is not None and isinstance(self.data, Dataset)
        run = self._run(self.deadline.share(0.9).limits, COMPARED_MEMORY)
        try:
            return self_calibration(
                main.confidence,
                self.data,
                repeats=plan.sets,
                networks=main.kept.networks,
                members=plan.networks,
                run=run,
            )
        except UnfinishedError:
            return unsimulated_remark(
                "too few were finished in the time and memory allowed", by_time=self.deadline.is_over
            )

    def unconstrained(self, main: Averaged) -> tuple[Averaged | None, tuple[Remark, ...]]:
        """Carry out the same recipe without constraints and odds: what the data say if nobody else does."""
        free = self.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
        if main.shortfall is Shortfall.SMALLER:
            free = replace(free, settings=main.recipe.settings)
        made = self.average(free, 0.3)
        if made.confidence is None or made.shortfall is not None:
            return None, (unconstrained_remark(made),)
        return made, ()

    def price(self, main: Averaged) -> tuple[ConstraintPrice | None, tuple[Remark, ...]]:
        """Find what the constraints cost in the data's own score, with proof where the main set has one."""
        assert self.known is not None
        limits = self.deadline.share(0.3).limits
        free = self.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
        most = free.max_parents
        found = constraint_price(
            self.complete,
            self.known,
            score=free.scorer,
            max_parents=None if most is None else max(most, self.known.most_required),
            exact=not main.recipe.source_facts.is_sample or self.complete.n_variables <= EXACT_COMPARED,
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

    def compared(self, main: Averaged) -> list[Recipe]:
        """Return the recipes to compare with: every usual source, three scores each.

        Beyond some twenty variables, of the exact ones only that with BIC is tried: its table is pruned best, and
        with a limit of parents it is known to fit.
        """
        plan = [
            self._limited(self.recipe(source.name, score))
            for source in SOURCES.values()
            if source.is_usual
            for score in (COMPARED[-1:] if self._exact.is_large and not source.is_sample else COMPARED)
            if source.obeys_ancestors or self.known is None or not self.known.is_ancestral
        ]
        had = [(one.source, one.score) for one in (main.recipe, main.asked) if one is not None]
        compared = [one for one in plan if (one.source, one.score) not in had]
        self.tables.expect(one for one in compared if not one.source_facts.is_sample)
        self.batches.expect(one for one in compared if one.source == "bootstrap")
        return compared

    @property
    def _exact(self) -> ExactComparison:
        data = self.prepared.data
        required = 0 if self.known is None else self.known.most_required
        return ExactComparison(len(data.names), data.n_cases, data.n_rows, required)

    def _limited(self, recipe: Recipe) -> Recipe:
        """Return an exact recipe with a limit of parents that it is known to fit."""
        most = None if recipe.source_facts.is_sample else self._exact.max_parents
        if most is None:
            return recipe
        return replace(recipe, max_parents=most if recipe.max_parents is None else min(most, recipe.max_parents))

    def compare(self, recipe: Recipe) -> Averaged | NotBegun:
        """Carry out another recipe if it fits; say why not if it does not.

        It is expected to take as long as its source took last time. What was given up before is expected to take as
        long as it was tried for. A sample that the time cut short is kept if it is large enough for shares.
        """
        try:
            if why := "" if recipe.source_facts.is_sample else self._exact.excess(recipe.max_parents):
                return NotBegun(why, by_time=False)
            if why := self.shortage(self.seconds.get(recipe.source, 0.0)):
                return NotBegun(why)
            known = recipe.source in self.seconds
            return self.average(recipe, 0.6 if known else 0.3, memory=COMPARED_MEMORY)
        finally:
            self.batches.had(recipe)  # also if it was not begun

"""`LearnRun`: one analysis under way, which its steps share: the data, the options, and what is left of the time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arcwise.analysis.number_score import number_score
from arcwise.base.errors import Argument, OptionError, Remedy
from arcwise.base.options import options_of
from arcwise.base.run import Limits, Run
from arcwise.bootstrap.batches import KeptBatches
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.mixed import MixedData
from arcwise.findings.edges import constraints_for
from arcwise.findings.method_result import MethodResult, average
from arcwise.findings.options import AUTO, USUAL_OF_NUMBERS, LearnOptions
from arcwise.findings.sites import with_site
from arcwise.graph.constraints import Constraints
from arcwise.networks.recipe import Recipe
from arcwise.recipes.credible import SharedTables
from arcwise.recipes.registry import SOURCES, find_source
from arcwise.sampled.completions import Completions
from arcwise.sampled.number_completions import NumberCompletions
from arcwise.scores.registry import make_score

if TYPE_CHECKING:
    from arcwise.findings.preparation import Prepared
    from arcwise.sampled.numeric_data import NumericData, Sampled
    from arcwise.scores.score import Score

# What a table of parent sets, or the diagram of a credible set, may take.
MEMORY = 2**30
# With so many values in the data, all networks of a bootstrap take a minute: the first so many make a draft before.
LONG_VALUES = 5_000_000
FIRST_NETWORKS = 20


@dataclass(eq=False)
class LearnRun:
    """One analysis under way."""

    prepared: Prepared
    options: LearnOptions
    clock: Run  # that of the whole analysis, with its seed, threads, cluster, and who is told of progress
    data: Dataset | Completions  # what is learned from
    uncut: NumericData | None = None  # numbers to cut anew in every replicate
    seconds_by_source: dict[str, float] = field(
        default_factory=dict
    )  # how long the networks of each source took, last time
    journal: str | None = None  # where a draft keeps its networks for the main set
    until: Run | None = (
        None  # the clock of the verb, if it writes the result: of its time the `clock` leaves some for that
    )
    writing: float = 0.0  # about how many seconds that takes
    # Finds how much of the posterior the credible set holds that is the main set; None when that is done.
    measure: Callable[[Limits], dict[str, Any]] | None = None

    @property
    def complete(self) -> Dataset:
        """The data; of data with gaps, one completion."""
        return self.data if isinstance(self.data, Dataset) else self.data.first(self.clock)

    @cached_property
    def numbers(self) -> MixedData | NumberCompletions | None:
        """Numbers and scales as they are, whose gaps are completed; None if networks learn from states."""
        data, mixed, options = self.prepared.data, self.prepared.mixed, self.options
        if mixed is None or isinstance(data, Dataset):
            return mixed
        return NumberCompletions(data, mixed, count=options.completions, seed=options.seed)

    @property
    def whole(self) -> Dataset | MixedData:
        """What the main recipe learns from; of data with gaps, one completion."""
        numbers = self.numbers
        if isinstance(numbers, NumberCompletions):
            return numbers.first(self.clock)
        return numbers or self.complete

    def learned_from(self, recipe: Recipe) -> Sampled | MixedData:
        """Return what a recipe learns from: numbers as they are, or to be cut anew, or the data."""
        if self.numbers is not None and recipe.scorer.data_score.holds_data:
            return self.numbers
        return self.uncut or self.data

    @property
    def constraints(self) -> Constraints | None:
        """What every network must satisfy; None for nothing."""
        return constraints_for(self.options, self.prepared.data)

    @property
    def site_arcs(self) -> Constraints | None:
        """What the score of sites needs, whatever was said: that the site is a parent of all; None without sites."""
        site, names = self.options.site, self.prepared.data.names
        return None if site is None else Constraints(names, required=[(site, name) for name in names if name != site])

    @property
    def is_told(self) -> bool:
        """Whether constraints say more than that the site is a parent of all."""
        known, usual = self.constraints, self.site_arcs
        return known is not None and (usual is None or known.digest != usual.digest)

    @property
    def is_long(self) -> bool:
        """Whether the networks take so long that a draft from the first of them is worth its time."""
        data, several = self.prepared.data, self.options.replicates >= 3 * FIRST_NETWORKS
        resampled = find_source(self.source).resamples
        return several and resampled and data.n_rows * data.n_variables >= LONG_VALUES

    @property
    def must_resample(self) -> bool:
        """Whether nothing but resampling takes the data: numbers to cut anew."""
        return self.uncut is not None

    @property
    def score(self) -> Score | None:
        """The score, or None for the one that is usual for the method."""
        chosen = self.options.chosen_score
        return self._usual_of_numbers if chosen is None and self.prepared.mixed is not None else chosen

    @cached_property
    def _usual_of_numbers(self) -> Score:
        """The score of numbers as they are that is usual for their table; where networks are no sample, always one."""
        whole = self.whole
        if not isinstance(whole, MixedData) or not find_source(self.source).resamples:
            return make_score(USUAL_OF_NUMBERS)
        return number_score(whole, self.prepared.data.n_effective)

    @property
    def source(self) -> str:
        """The source of the method; of those that have a turn, the first that can obey the constraints."""
        method, known = self.options.method, self.constraints
        usual = (one for one in SOURCES.values() if one.auto_rank and (one.resamples or not self.must_resample))
        sources = sorted(usual, key=lambda one: one.auto_rank) if method == AUTO else [find_source(method)]
        found = [one for one in sources if one.obeys_ancestors or known is None or not known.is_ancestral]
        if not found and known is not None:
            known.refuse_ancestors(f"the {sources[0].title}")
        return found[0].name

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
            n_cases=self.prepared.data.n_effective,
            arities=self.prepared.data.arities.tolist(),
            max_parents=options.max_parents,
            constraints=self.site_arcs if free else options.constraints,
            gaps=self.prepared.gaps,
            beliefs=None if free else options.beliefs,
            **settings,
        )

    def average(self, recipe: Recipe, share: float, *, memory: int | None = None) -> MethodResult:
        """Carry a recipe out in a share of the time that is left, and keep no more of it than its result."""
        made = average(recipe, self.learned_from(recipe), self.share(share, memory))
        self.seconds_by_source[recipe.source] = made.seconds
        return made if made.unfinished is None else replace(made, unfinished=made.unfinished.summed_up)

    def share(self, part: float, memory: int | None = None) -> Run:
        """Return a run with a part of the time that is left, and with its own limit of memory."""
        run = self.clock.share(part)
        return run if memory is None else run.replace(limits=replace(run.limits, memory_bytes=memory))

    def keep_for_writing(self, seconds: float) -> None:
        """Leave time for writing the result: a page that is begun when the time is over is written all the same."""
        self.writing = seconds
        if self.until is not None:
            self.clock = self.clock.replace(
                limits=replace(self.clock.given, seconds=self.until.keeping(seconds).limits.seconds)
            )

    def expected(self, source: str) -> float:
        """Return how long the networks of a source took last time; NaN if it has made none yet."""
        return self.seconds_by_source.get(source, math.nan)

    def shortage(self, seconds: float) -> str:
        """Return why work that takes so long is not begun: it does not fit the time that is left; "" if it does."""
        left = self.clock.seconds_left
        if left <= 0:
            return "the time was up"
        return f"skipped: needs about {seconds:.0f} s, {left:.0f} s left" if seconds > left else ""


def begin_run(prepared: Prepared, options: LearnOptions) -> LearnRun:
    """Gather what the steps of an analysis share."""
    prepared, options = with_site(prepared, options)
    data = completions_of(prepared.data, options)
    uncut = _recut(prepared, data, options)
    run = Run(
        seed=options.seed,
        threads=options.threads,
        limits=Limits(options.limit_seconds, MEMORY),
        tables=SharedTables(),
        batches=KeptBatches() if options.compare else None,
    )
    return LearnRun(prepared, options, run, data, uncut)


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


def _recut(prepared: Prepared, given: Dataset | Completions, options: LearnOptions) -> NumericData | None:
    if not options.recut:
        return None
    if options.method != AUTO and not find_source(options.method).resamples:
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

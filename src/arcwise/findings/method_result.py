"""`MethodResult`: a recipe, carried out on the data at hand and averaged into the confidence of each edge."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import OptionError, UnfinishedError
from arcwise.base.options import MANY_VARIABLES
from arcwise.base.run import NO_TIME, Limits, Run, Status
from arcwise.base.showing import one_screen
from arcwise.confidence.by_recipe import RecipeOutcome, averaged_over, carry_out
from arcwise.confidence.consensus import consensus_network
from arcwise.confidence.next_experiment import NextExperiment, next_experiment
from arcwise.confidence.reach import DRAWS
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset
from arcwise.findings import network_facts
from arcwise.local.searches import hill_climb
from arcwise.networks.network_list import NetworkSet, NetworkSummary
from arcwise.networks.recipe import Ensemble, Recipe
from arcwise.recipes.credible import TABLE, PartialResult
from arcwise.recipes.optimum import optimum_of
from arcwise.sampled.numeric_data import Sampled

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.data.mixed import MixedData
    from arcwise.exact.proof import Optimum
    from arcwise.graph.dag import Dag
    from arcwise.scores.score import Score


# A sample of fewer networks has no share between 0 and 1 that means something: no cut-off, probability or count of
# certain edges is read from it. Of 20, a share of 0.95 is known to plus or minus 0.1.
FEWEST_NETWORKS = 20

# An edge is worth an experiment from this probability on that it is there and fits either way.
LEAST_OPEN = 0.1
# Of the time that is left, for the experiment.
EXPERIMENT_SHARE = 0.2


class Shortfall(enum.Enum):
    """What was missing when a limit ended the work."""

    BEGINNING = enum.auto()  # it was not even tried
    TABLE = enum.auto()  # the parent sets could not all be scored
    NETWORKS = enum.auto()  # the networks could not all be found
    SAMPLE = enum.auto()  # fewer networks than asked for: a smaller sample
    COMPLETIONS = enum.auto()  # fewer completions of data with gaps than asked for
    EVERYTHING = enum.auto()  # no network was finished
    SMALLER = enum.auto()  # all networks of a smaller Bayes factor than asked for
    SINGLE = enum.auto()  # the best network alone, in place of a set


@one_screen
@dataclass(frozen=True, eq=False)
class KeptNetworks:
    """Networks of a set: all, or draws from it; then `shares` has the exact share of every family, where known."""

    networks: NetworkSet
    shares: NetworkSummary | None = None


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One set of networks, averaged into the confidence of each edge.

    Parameters
    ----------
    recipe
        How the networks were made.
    confidence
        None if there is nothing to average; `shortfall` then says why.
    status
        COMPLETE, or the limit that was reached.
    count
        How many networks there are.
    experiments
        Which experiment would settle how many open directions; None if none is open, or it was not asked for.
    verdict
        What is known of the chains that drew the networks (`Verdict.describe`); empty for other sources.
    kept
        The networks, or draws from a set of more, for the questions that only networks can answer; None if it was not
        asked for, or the time did not suffice.
    chains
        What is shown of these chains; None for other sources.
    hurried
        Whether the time was over before all was found that the report says of the set beyond the confidences, or
        before it was listed, so that the directions are those of its DAGs and not of their classes.
    seconds
        How long it took to make the networks and to average them.
    unfinished
        What is known of a set that is not there: `shortfall` says how far it came. What it was made from is let go once
        it is not needed any more.
    optimum
        The best network with the bound on all, where it was asked for, or where a limit left that in place of a set, or
        of a larger one.
    why
        Why it was not even tried, in words; "" if it was.
    asked
        The recipe that a limit ended, where another was carried out in its place.
    expected
        About how many seconds all networks of a sample would take that the limit of time cut short; None if that is not
        known.
    find_covered
        Finds, in a time, how much of the posterior a credible set holds: that may take longer than the set itself.
    """

    recipe: Recipe
    confidence: EdgeConfidence | None
    status: Status
    count: int
    shortfall: Shortfall | None = None
    credible: network_facts.CredibleFacts | None = None
    experiments: NextExperiment | None = None
    verdict: Mapping[str, Any] = field(default_factory=dict)
    kept: KeptNetworks | None = None
    chains: network_facts.ChainFacts | None = None
    hurried: bool = False
    seconds: float = 0.0
    find_covered: Callable[[Limits], dict[str, Any]] | None = None
    unfinished: PartialResult | None = None
    optimum: Optimum | None = None
    asked: Recipe | None = None
    expected: float | None = None
    why: str = ""

    @classmethod
    def not_begun(cls, recipe: Recipe, why: str, *, by_time: bool = True) -> MethodResult:
        """Return what is left of a recipe that was not tried; `by_time`: whether more time would change that."""
        limit = Status.TIME_LIMIT if by_time else Status.MEMORY_LIMIT
        return cls(recipe, None, limit, 0, Shortfall.BEGINNING, why=why)

    @property
    def is_usable(self) -> bool:
        """Whether it is complete, or a sample that the time cut short but not too short to compare with."""
        if self.shortfall is None:
            return True
        return self.shortfall is Shortfall.SAMPLE and not is_few(self.count, self.recipe) and not self.verdict

    @property
    def title(self) -> str:
        """Such as "credible set, qNML"."""
        return self.recipe.title

    @property
    def score(self) -> Score:
        """The score."""
        return self.recipe.scorer

    def __repr__(self) -> str:
        return f"MethodResult({self.title}: {self.count:,} networks, {self.status})"


def is_few(count: int, recipe: Recipe) -> bool:
    """Return whether a sample has too few networks for shares; a credible set has as many as it has."""
    source = recipe.source_facts
    return source.is_sample and (count < FEWEST_NETWORKS or not source.has_shares)


def average(recipe: Recipe, data: Sampled, run: Run, *, describe: bool = False) -> MethodResult:
    """Make the networks and average them; if a limit stops it, say so.

    `describe` asks for what the report says beyond the confidences: about a credible set, and experiments.
    """
    begin = time.monotonic()
    made = carry_out(recipe, data, run)
    return _described(recipe, made, data, run, time.monotonic() - begin, describe=describe)


def average_kept(recipe: Recipe, data: Sampled, run: Run) -> MethodResult:
    """Average the networks that the journal of a run has, and learn no more: what a user has who stopped it."""
    begin = time.monotonic()
    made = carry_out(recipe, data, run.replace(limits=Limits(seconds=NO_TIME)))
    found = _described(recipe, made, data, run, time.monotonic() - begin, describe=True)
    if found.shortfall is None:
        return found
    kept = None if found.kept is None else replace(found.kept.networks, status=Status.INTERRUPTED)
    return replace(found, status=Status.INTERRUPTED, kept=None if kept is None else KeptNetworks(kept))


def average_of(recipe: Recipe, networks: Ensemble, data: Dataset, run: Run) -> MethodResult:
    """Average networks that are there already, and say of them what a report says."""
    begin = time.monotonic()
    made = averaged_over(recipe, networks, data.n_effective, run)
    return _described(recipe, made, data, run, time.monotonic() - begin, describe=True)


def _described(
    recipe: Recipe,
    made: RecipeOutcome,
    data: Sampled,
    run: Run,
    seconds: float,
    *,
    describe: bool,
) -> MethodResult:
    networks, confidence = made.networks, made.confidence
    if made.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    shortfall = _shortfall(recipe, networks, made.status)
    if confidence is None:
        unfinished = networks if isinstance(networks, PartialResult) else None
        return MethodResult(
            recipe, None, made.status, networks.count, shortfall, seconds=seconds, unfinished=unfinished
        )
    facts = None
    find_covered = None
    complete: Any = data.gapless if describe else None
    if complete is not None and isinstance(networks, CredibleSet):
        facts = network_facts.credible_facts(networks, confidence, run)
        find_covered = partial(network_facts.share_of_posterior, networks, recipe, complete.independent(), run)
    elif complete is not None and networks.listed is not None and "bayes_factor" in recipe.settings:
        facts = network_facts.facts_under_ancestors(recipe, networks.listed, complete)
    experiments, in_time = _experiments(networks, confidence, run) if describe else (None, True)
    verdict = networks.facts.get("verdict") or {}
    kept = _kept(made, run) if describe else None
    return MethodResult(
        recipe,
        confidence,
        made.status,
        networks.count,
        shortfall,
        credible=facts,
        experiments=experiments,
        verdict=verdict,
        kept=kept,
        chains=network_facts.chain_facts(networks) if describe and networks.origin.is_chained else None,
        hurried=made.by_time or (describe and run.is_over) or not in_time,
        seconds=seconds,
        find_covered=find_covered,
        optimum=optimum_of(recipe, networks) if "upper_bound" in networks.facts else None,  # something was proved
        expected=networks.facts.get("expected_seconds"),
    )


def _kept(made: RecipeOutcome, run: Run) -> KeptNetworks | None:
    """Keep the networks, or draws from them; those of completions were drawn on the way."""
    networks = made.networks
    try:
        drawn = made.drawn if made.drawn is not None else networks.drawn(DRAWS, seed=run.seed, limits=run.uncounted)
        shares = networks.summed(run.uncounted)
    except (OptionError, UnfinishedError):  # the time is over
        return None
    is_all = drawn.count == networks.count
    return KeptNetworks(drawn, None if is_all or not isinstance(shares, NetworkSummary) else shares)


def _experiments(networks: Ensemble, confidence: EdgeConfidence, run: Run) -> tuple[NextExperiment | None, bool]:
    """Ask which experiment would settle most, where directions are open and networks can be looked at.

    Whether the time sufficed is told, too.
    """
    if confidence.orient != "cpdag" or run.is_over or isinstance(networks, NetworkSummary):
        return None, True
    if len(networks.names) > MANY_VARIABLES:  # every open edge of every network is looked at: minutes, for hundreds
        return None, True
    by_odds = bool(confidence.beliefs)  # they may direct what the data leave open to an experiment
    if not by_odds and not bool((confidence.undirected > LEAST_OPEN).any()):
        return None, True
    share = run.share(EXPERIMENT_SHARE)
    try:
        return next_experiment(networks, seed=run.seed, limits=share.limits), True
    except (OptionError, UnfinishedError):  # the time is over, or nothing could be listed or drawn in it
        return None, not share.is_over


def _shortfall(recipe: Recipe, networks: Ensemble, status: Status) -> Shortfall | None:
    if networks.count and status is Status.COMPLETE:
        return None
    if networks.count and networks.facts.get("completions") is not None:
        return Shortfall.COMPLETIONS
    if networks.facts.get("stopped_at") == TABLE:
        return Shortfall.TABLE
    if not recipe.source_facts.is_sample:
        return Shortfall.NETWORKS
    return Shortfall.SAMPLE if networks.count else Shortfall.EVERYTHING


def learn_dag(recipe: Recipe, training: Dataset | MixedData, threshold: float, run: Run) -> tuple[Dag, bool]:
    """Learn a graph from a part of the cases by the recipe and the cut-off of an analysis.

    Return whether the time sufficed, too; where it did not, hill climbing by the same score finds the graph.
    """
    try:
        made = carry_out(recipe, training, run)
        confidence, status = made.confidence, made.status
    except (OptionError, UnfinishedError):  # a limit
        confidence, status = None, Status.TIME_LIMIT
    if status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if confidence is not None:
        dag = consensus_network(confidence, threshold).dag
    else:
        known = recipe.constraints_on(training.names)
        dag = hill_climb(
            training,
            score=recipe.scorer,
            max_parents=recipe.max_parents,
            constraints=known,
            progress=False,
            by_position=True,
        ).dag
    return dag, confidence is not None and status is not Status.TIME_LIMIT

"""`Averaged`: a recipe, carried out on the data at hand and averaged into the confidence of each edge."""

from __future__ import annotations

import contextlib
import enum
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.analysis.chain_facts import ChainFacts, chain_facts
from arcwise.confidence import EdgeConfidence, NextExperiment, next_experiment
from arcwise.confidence.credible_averages import MOST_DAGS
from arcwise.confidence.recipe_confidence import Outcome, averaged_over, carry_out
from arcwise.data import Dataset
from arcwise.deadline import NO_TIME, Deadline
from arcwise.defaults import MANY_VARIABLES
from arcwise.ensemble import CredibleSet, Ensemble, NetworkSet, NetworkSummary, PosteriorSettings, Recipe
from arcwise.ensemble.chains.diagnostics import LARGEST_R_HAT
from arcwise.ensemble.ensemble_facts import EXPECTED_SECONDS
from arcwise.ensemble.gaps.completions import Completions
from arcwise.ensemble.posterior import Problem, draw_posterior, sum_posterior
from arcwise.ensemble.reach import listed_or_drawn
from arcwise.ensemble.recipe import Run
from arcwise.ensemble.sources.credible import TABLE
from arcwise.ensemble.sources.optimum import optimum_of
from arcwise.ensemble.uncut import Uncut
from arcwise.ensemble.unfinished_set import KnownOfSet, UnfinishedSet
from arcwise.errors import OptionError, UnfinishedError
from arcwise.exact import Optimum
from arcwise.graph import FixedPairs
from arcwise.limits import Limits, Status
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.scores import Score

__all__ = [
    "FEWEST_NETWORKS",
    "Averaged",
    "CredibleFacts",
    "KeptNetworks",
    "NotBegun",
    "Shortfall",
    "average",
    "average_kept",
    "average_of",
    "is_few",
]

# A sample of fewer networks has no share between 0 and 1 that means something: no cut-off, probability or count of
# certain edges is read from it. Of 20, a share of 0.95 is known to plus or minus 0.1.
FEWEST_NETWORKS = 20

# An edge is worth an experiment from this probability on that it is there and fits either way.
LEAST_OPEN = 0.1
# Of the time that is left, for the experiment.
EXPERIMENT_SHARE = 0.2
# Up to so many variables the posterior is summed; 3^n steps at most, half a minute for 20.
LARGEST_SUM = 18
# Beyond, chains draw so many networks each, for a share that is accurate to a percent.
COVERED_DRAWS = 3000


class Shortfall(enum.Enum):
    """What was missing when a limit ended the work."""

    TABLE = enum.auto()  # the parent sets could not all be scored
    NETWORKS = enum.auto()  # the networks could not all be found
    SAMPLE = enum.auto()  # fewer networks than asked for: a smaller sample
    COMPLETIONS = enum.auto()  # fewer completions of data with gaps than asked for
    EVERYTHING = enum.auto()  # no network was finished
    SMALLER = enum.auto()  # all networks of a smaller Bayes factor than asked for
    SINGLE = enum.auto()  # the best network alone, in place of a set


@dataclass(frozen=True)
class NotBegun:
    """Why a set of networks was not even tried."""

    why: str
    by_time: bool = True  # whether more time would change that


@dataclass(frozen=True, eq=False)
class CredibleFacts:
    """What is known about a credible set.

    Parameters
    ----------
    count, classes
        How many DAGs and equivalence classes it has; classes are None if they were too many to count.
    deviations
        opt - score of the listed networks, rising; empty if they were not listed.
    by_class
        Whether the curve is of classes rather than of DAGs.
    covered
        The share of the posterior over all DAGs that the set holds; None if it could not be computed.
    covered_error
        Its standard error: 0 if it was summed over all DAGs.
    covered_verdict
        What is known of the chains that it was estimated by, if they did not converge; else "".
    covered_by_time
        Whether the clock decided how it was found, or that it was not.
    best_share
        The share of the set's posterior weight that one best DAG has.
    """

    count: int
    classes: int | None
    bayes_factor: float
    optimum: float
    deviations: tuple[float, ...]
    by_class: bool
    covered: float | None
    best_share: float
    covered_error: float = 0.0
    covered_verdict: str = ""
    covered_by_time: bool = False

    def __repr__(self) -> str:
        return f"CredibleFacts({self.count:,} networks, {self.classes} classes, Bayes factor {self.bayes_factor:g})"


@one_screen
@dataclass(frozen=True, eq=False)
class KeptNetworks:
    """Networks of a set: all, or draws from it; then `shares` has the exact share of every family, where known."""

    networks: NetworkSet
    shares: NetworkSummary | None = None


@dataclass(frozen=True, eq=False)
class Averaged:
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
    credible: CredibleFacts | None = None
    experiments: NextExperiment | None = None
    verdict: Mapping[str, Any] = field(default_factory=dict)
    kept: KeptNetworks | None = None
    chains: ChainFacts | None = None
    hurried: bool = False
    seconds: float = 0.0
    find_covered: Callable[[Limits], dict[str, Any]] | None = None
    unfinished: UnfinishedSet | KnownOfSet | None = None
    optimum: Optimum | None = None
    asked: Recipe | None = None
    expected: float | None = None

    def with_covered(self, limits: Limits) -> Averaged:
        """Return the same with the share of the posterior that a credible set holds, if it can be found in the time."""
        if self.find_covered is None or self.credible is None:
            return replace(self, find_covered=None)
        facts = replace(self.credible, **self.find_covered(limits))
        return replace(self, credible=facts, find_covered=None)

    @property
    def title(self) -> str:
        """Such as "credible set, qNML"."""
        return self.recipe.title

    @property
    def score(self) -> Score:
        """The score."""
        return self.recipe.scorer

    def __repr__(self) -> str:
        return f"Averaged({self.title}: {self.count:,} networks, {self.status})"


def is_few(count: int, recipe: Recipe) -> bool:
    """Return whether a sample has too few networks for shares; a credible set has as many as it has."""
    source = recipe.source_facts
    return source.is_sample and (count < FEWEST_NETWORKS or not source.has_shares)


def average(recipe: Recipe, data: Dataset | Completions | Uncut, run: Run, *, describe: bool = False) -> Averaged:
    """Make the networks and average them; if a limit stops it, say so.

    `describe` asks for what the report says beyond the confidences: about a credible set, and experiments.
    """
    deadline = Deadline.of(run.limits)
    begin = time.monotonic()
    made = carry_out(recipe, data, replace(run, limits=deadline.limits))
    return _described(recipe, made, data, run, deadline, time.monotonic() - begin, describe=describe)


def average_kept(recipe: Recipe, data: Dataset | Completions | Uncut, run: Run) -> Averaged:
    """Average the networks that the journal of a run has, and learn no more: what a user has who stopped it."""
    begin = time.monotonic()
    made = carry_out(recipe, data, replace(run, limits=Limits(seconds=NO_TIME)))
    found = _described(recipe, made, data, run, Deadline.of(run.limits), time.monotonic() - begin, describe=True)
    if found.shortfall is None:
        return found
    kept = None if found.kept is None else replace(found.kept.networks, status=Status.INTERRUPTED)
    return replace(found, status=Status.INTERRUPTED, kept=None if kept is None else KeptNetworks(kept))


def average_of(recipe: Recipe, networks: Ensemble, data: Dataset, run: Run) -> Averaged:
    """Average networks that are there already, and say of them what a report says."""
    deadline = Deadline.of(run.limits)
    made = averaged_over(recipe, networks, data.n_cases, deadline)
    return _described(recipe, made, data, run, deadline, deadline.seconds, describe=True)


def _described(
    recipe: Recipe,
    made: Outcome,
    data: Dataset | Completions | Uncut,
    run: Run,
    deadline: Deadline,
    seconds: float,
    *,
    describe: bool,
) -> Averaged:
    networks, confidence = made.networks, made.confidence
    if made.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    shortfall = _shortfall(recipe, networks, made.status)
    if confidence is None:
        unfinished = networks if isinstance(networks, UnfinishedSet) else None
        return Averaged(recipe, None, made.status, networks.count, shortfall, seconds=seconds, unfinished=unfinished)
    facts = None
    find_covered = None
    data = data.whole if isinstance(data, Uncut) and isinstance(data.whole, Dataset) else data
    if describe and isinstance(networks, CredibleSet) and isinstance(data, Dataset):
        facts = _facts(networks, confidence, replace(run, limits=deadline.limits))
        find_covered = partial(_covered, networks, recipe, data, run)
    elif describe and isinstance(networks, NetworkSet) and isinstance(data, Dataset):
        facts = _facts_under_ancestors(recipe, networks, data)
    experiments, in_time = _experiments(networks, confidence, run.seed, deadline) if describe else (None, True)
    verdict = networks.facts.get("verdict", {})
    kept = _kept(made, run.seed, deadline) if describe else None
    return Averaged(
        recipe,
        confidence,
        made.status,
        networks.count,
        shortfall,
        facts,
        experiments,
        verdict,
        kept,
        chain_facts(networks) if describe else None,
        made.by_time or (describe and deadline.is_over) or not in_time,
        seconds,
        find_covered,
        optimum=optimum_of(recipe, networks),
        expected=networks.facts.get(EXPECTED_SECONDS),
    )


def _kept(made: Outcome, seed: int, deadline: Deadline) -> KeptNetworks | None:
    """Keep the networks, or draws from them; those of completions were drawn on the way."""
    networks = made.networks
    try:
        drawn = (
            made.drawn if made.drawn is not None else listed_or_drawn(networks, seed=seed, limits=deadline.uncounted)
        )
        shares = networks.summary(limits=deadline.uncounted) if isinstance(networks, CredibleSet) else networks
    except (OptionError, UnfinishedError):  # the time is over
        return None
    is_all = drawn.count == networks.count
    return KeptNetworks(drawn, None if is_all or not isinstance(shares, NetworkSummary) else shares)


def _experiments(
    networks: Ensemble, confidence: EdgeConfidence, seed: int, deadline: Deadline
) -> tuple[NextExperiment | None, bool]:
    """Ask which experiment would settle most, where directions are open and networks can be looked at.

    Whether the time sufficed is told, too.
    """
    if confidence.orient != "cpdag" or deadline.is_over or isinstance(networks, NetworkSummary):
        return None, True
    if len(networks.names) > MANY_VARIABLES:  # every open edge of every network is looked at: minutes, for hundreds
        return None, True
    by_odds = bool(confidence.beliefs)  # they may direct what the data leave open to an experiment
    if not by_odds and not bool((confidence.undirected > LEAST_OPEN).any()):
        return None, True
    share = deadline.share(EXPERIMENT_SHARE)
    try:
        return next_experiment(networks, seed=seed, limits=share.limits), True
    except (OptionError, UnfinishedError):  # the time is over, or nothing could be listed or drawn in it
        return None, not share.is_over


def _shortfall(recipe: Recipe, networks: Ensemble, status: Status) -> Shortfall | None:
    if networks.count and status is Status.COMPLETE:
        return None
    if networks.count and "completions" in networks.facts:
        return Shortfall.COMPLETIONS
    if networks.facts.get("stopped_at") == TABLE:
        return Shortfall.TABLE
    if not recipe.source_facts.is_sample:
        return Shortfall.NETWORKS
    return Shortfall.SAMPLE if networks.count else Shortfall.EVERYTHING


def _facts(found: CredibleSet, confidence: EdgeConfidence, run: Run) -> CredibleFacts:
    recipe, classes = found.recipe, found.count_classes(run.limits)
    assert recipe is not None
    by_class = found.count > MOST_DAGS
    deviations: tuple[float, ...] = ()
    if confidence.orient == "cpdag":  # then it could be listed in the time
        with contextlib.suppress(OptionError):  # the time may end all the same
            deviations = tuple(found.losses("mec" if by_class else "dag", limits=run.limits).round(6).tolist())
    return CredibleFacts(
        count=found.count,
        classes=classes,
        bayes_factor=recipe.settings["bayes_factor"],
        optimum=found.opt,
        deviations=deviations,
        by_class=by_class,
        covered=None,
        best_share=math.exp(-found.log_mass),
    )


def _facts_under_ancestors(recipe: Recipe, found: NetworkSet, data: Dataset) -> CredibleFacts | None:
    """Return what is known about a credible set that was listed under constraints on ancestors; None for other sets.

    No sum over all DAGs obeys these, so that the share of the posterior which it covers stays unknown.
    """
    known = recipe.constraints_on(data.names)
    if recipe.source != "credible" or known is None or not known.is_ancestral or found.status is not Status.COMPLETE:
        return None
    fixed = FixedPairs.by_constraints(known)
    if data.targets is not None:
        fixed |= FixedPairs.by_targets(data.names, data.targets.sets)
    best = float(found.scores.max())
    return CredibleFacts(
        count=found.count,
        classes=len({fixed.class_of(dag) for dag in found}) if found.count <= MOST_DAGS else None,
        bayes_factor=recipe.settings["bayes_factor"],
        optimum=best,
        deviations=tuple(np.sort(best - found.scores).round(6).tolist()),
        by_class=False,
        covered=None,
        best_share=float(found.weights.max()),
    )


def _covered(found: CredibleSet, recipe: Recipe, data: Dataset, run: Run, limits: Limits) -> dict[str, Any]:
    """Return the posterior probability of the credible set among all DAGs: summed, or else estimated by chains.

    Which of them is told by the size of the problem, and not by the clock: the report is to be the same on every
    machine. Where the time that is allowed ends first, that is said.
    """
    deadline = Deadline.of(limits)
    problem = Problem(
        data, recipe.scorer, recipe.max_parents, recipe.constraints_on(data.names), run.threads, run.progress
    )
    by_time = False
    if data.n_variables <= LARGEST_SUM:
        summed = sum_posterior(problem, deadline)
        if summed.exact is not None and summed.exact.complete:
            return {"covered": summed.exact.covered_by(found.summary())}
        by_time = summed.by_time
    if deadline.is_over:
        return {"covered": None, "covered_by_time": True}
    settings = PosteriorSettings(most_draws=COVERED_DRAWS)
    drawn = draw_posterior(problem, deadline, credible=found, seed=run.seed, settings=settings)
    if drawn.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    by_time = by_time or drawn.status is Status.TIME_LIMIT
    if not drawn.count or drawn.verdict.most_parents is not None:  # not all parent sets were scored
        return {"covered": None, "covered_by_time": by_time}
    share = drawn.share_within(found.opt - found.slack - found.tolerance)
    return {
        "covered": share.value,
        "covered_error": share.standard_error,
        "covered_verdict": "" if drawn.verdict.score_r_hat < LARGEST_R_HAT else drawn.verdict.sentence(),
        "covered_by_time": by_time,
    }

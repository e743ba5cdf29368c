"""`Averaged`: a recipe, carried out on the data at hand and averaged into the confidence of each edge."""

from __future__ import annotations

import contextlib
import enum
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arcwise.confidence import EdgeConfidence, NextExperiment, next_experiment
from arcwise.confidence.credible_averages import MOST_DAGS
from arcwise.confidence.recipe_confidence import carry_out
from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.ensemble import CredibleSet, Ensemble, NetworkSummary, Recipe, exact_posterior
from arcwise.ensemble.recipe import Run
from arcwise.ensemble.sources.credible import TABLE
from arcwise.errors import OptionError, UnfinishedError
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_sets

if TYPE_CHECKING:
    from arcwise.scores import Score

__all__ = ["Averaged", "CredibleFacts", "Shortfall", "average"]

# An edge is worth an experiment from this probability on that it is there and fits either way.
LEAST_OPEN = 0.1
# 3^n steps: at most a second.
LARGEST_POSTERIOR = 14


class Shortfall(enum.Enum):
    """What was missing when a limit ended the work."""

    TABLE = enum.auto()  # the parent sets could not all be scored
    NETWORKS = enum.auto()  # the networks could not all be found
    SAMPLE = enum.auto()  # fewer networks than asked for: a smaller sample
    EVERYTHING = enum.auto()  # no network was finished


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

    def __repr__(self) -> str:
        return f"CredibleFacts({self.count:,} networks, {self.classes} classes, Bayes factor {self.bayes_factor:g})"


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
    """

    recipe: Recipe
    confidence: EdgeConfidence | None
    status: Status
    count: int
    shortfall: Shortfall | None = None
    credible: CredibleFacts | None = None
    experiments: NextExperiment | None = None

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


def average(recipe: Recipe, data: Dataset, run: Run, *, describe: bool = False) -> Averaged:
    """Make the networks and average them; if a limit stops it, say so.

    `describe` asks for what the report says beyond the confidences: about a credible set, and experiments.
    """
    deadline = Deadline.of(run.limits)
    made = carry_out(recipe, data, replace(run, limits=deadline.limits))
    networks, confidence = made.networks, made.confidence
    if made.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    shortfall = _shortfall(recipe, networks, made.status)
    if confidence is None:
        return Averaged(recipe, None, made.status, networks.count, shortfall)
    facts = None
    if describe and isinstance(networks, CredibleSet):
        facts = _facts(networks, confidence, data, replace(run, limits=deadline.limits))
    experiments = _experiments(networks, confidence, run.seed, deadline) if describe else None
    return Averaged(recipe, confidence, made.status, networks.count, shortfall, facts, experiments)


def _experiments(
    networks: Ensemble, confidence: EdgeConfidence, seed: int, deadline: Deadline
) -> NextExperiment | None:
    """Ask which experiment would settle most, where directions are open and networks can be looked at."""
    if confidence.orient != "cpdag" or deadline.is_over or isinstance(networks, NetworkSummary):
        return None
    if not bool((confidence.undirected > LEAST_OPEN).any()):
        return None
    try:
        return next_experiment(networks, seed=seed, limits=deadline.limits)
    except (OptionError, UnfinishedError):  # the time is over, or nothing could be listed or drawn in it
        return None


def _shortfall(recipe: Recipe, networks: Ensemble, status: Status) -> Shortfall | None:
    if networks.count and status is Status.COMPLETE:
        return None
    if networks.facts.get("stopped_at") == TABLE:
        return Shortfall.TABLE
    if not recipe.source_facts.is_sample:
        return Shortfall.NETWORKS
    return Shortfall.SAMPLE if networks.count else Shortfall.EVERYTHING


def _facts(found: CredibleSet, confidence: EdgeConfidence, data: Dataset, run: Run) -> CredibleFacts:
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
        covered=_covered(found, recipe, data, run),
        best_share=math.exp(-found.log_mass),
    )


def _covered(found: CredibleSet, recipe: Recipe, data: Dataset, run: Run) -> float | None:
    """Return the posterior probability of the credible set among all DAGs, where 3^n steps are few."""
    if data.n_variables > LARGEST_POSTERIOR or recipe.constraints:
        return None
    limits = run.limits or Limits()
    table = build_parent_sets(
        data,
        recipe.scorer,
        slack=math.inf,
        max_parents=recipe.max_parents,
        threads=run.threads,
        limits=limits,
        progress=run.progress,
    )
    if table.status is not Status.COMPLETE:
        return None
    posterior = exact_posterior(table, limits=limits, progress=run.progress)
    return posterior.covered_by(found.summary()) if posterior.complete else None

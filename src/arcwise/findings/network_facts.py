"""What a report says of networks beyond their confidences: of a credible set, and of chains that drew them."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import OptionError
from arcwise.base.run import Limits, Run, Status
from arcwise.confidence.averaging import MOST_DAGS
from arcwise.graph.classes import FixedPairs
from arcwise.networks.network_list import NetworkSet
from arcwise.posterior.chain_posterior import LARGEST_R_HAT, RANK_BINS, rank_counts
from arcwise.posterior.posterior import draw_posterior, sum_posterior
from arcwise.posterior.settings import PosteriorSettings
from arcwise.recipes.posterior import posterior_problem

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.credible.credible_set import CredibleSet
    from arcwise.data.dataset import Dataset
    from arcwise.networks.recipe import Ensemble, Recipe

POINTS = 150  # of each chain's line
# Up to so many variables the posterior is summed; 3^n steps at most, half a minute for 20.
LARGEST_SUM = 18
# Beyond, chains draw so many networks each, for a share that is accurate to a percent.
COVERED_DRAWS = 3000


@dataclass(frozen=True, eq=False)
class ChainFacts:
    """Traces and ranks of chains."""

    left_out: float  # a bound on the share of the posterior that they could not see
    places: tuple[int, ...]  # numbers of draws, ...
    traces: tuple[tuple[float, ...], ...]  # ... and for each chain the scores there, less the best score of all draws
    ranks: tuple[tuple[float, ...], ...]  # the shares of its draws in each twentieth of all ranks, times 20


def chain_facts(networks: Ensemble) -> ChainFacts | None:
    """Return what is shown of the chains of a posterior; None if its networks were summed, or are not all there."""
    if not isinstance(networks, NetworkSet):
        return None
    chains, draws = networks.facts.get("chains") or 0, networks.facts.get("chain_draws") or 0
    if chains * draws != networks.count or draws < RANK_BINS:
        return None
    scores = networks.scores.reshape(chains, draws)
    places = np.unique(np.linspace(0, draws - 1, min(POINTS, draws)).round().astype(int))
    lower = np.round(scores - scores.max(), 3)
    return ChainFacts(
        left_out=networks.facts.get("left_out") or 0.0,
        places=tuple(places.tolist()),
        traces=tuple(tuple(own[places].tolist()) for own in lower),
        ranks=tuple(tuple((own * RANK_BINS / draws).round(3).tolist()) for own in rank_counts(scores)),
    )


@dataclass(frozen=True, eq=False)
class CredibleFacts:
    """What is known about a credible set."""

    count: int  # of DAGs
    classes: int | None  # None if they were too many to count
    bayes_factor: float
    optimum: float
    deviations: tuple[float, ...]  # optimum - score of the listed networks, rising; empty if they were not listed
    by_class: bool  # whether these are of classes rather than of DAGs
    best_share: float  # the share of the set's posterior weight that one best DAG has
    covered: float | None = None  # the share of the posterior over all DAGs that it holds, if that was found
    covered_error: float = 0.0  # its standard error: 0 if it was summed over all DAGs
    covered_verdict: str = ""  # what is known of the chains that it was estimated by, if they did not converge
    covered_by_time: bool = False  # whether the clock decided how it was found, or that it was not

    def __repr__(self) -> str:
        return f"CredibleFacts({self.count:,} networks, {self.classes} classes, Bayes factor {self.bayes_factor:g})"


def credible_facts(found: CredibleSet, confidence: EdgeConfidence, run: Run) -> CredibleFacts:
    """Return what is known about a credible set but its share of the posterior, which may take longer than the set."""
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
        best_share=math.exp(-found.log_mass),
    )


def facts_under_ancestors(recipe: Recipe, found: NetworkSet, data: Dataset) -> CredibleFacts | None:
    """Return what is known about a credible set that is a list under constraints on ancestors; None for other lists.

    No sum over all DAGs obeys these, so that the share of the posterior which it covers stays unknown.
    """
    known, factor = recipe.constraints_on(data.names), recipe.settings["bayes_factor"]
    if known is None or not known.is_ancestral or found.status is not Status.COMPLETE:
        return None
    fixed = FixedPairs.by_constraints(known)
    if data.targets is not None:
        fixed |= FixedPairs.by_targets(data.names, data.targets.sets)
    best = float(found.scores.max())
    return CredibleFacts(
        count=found.count,
        classes=len({fixed.class_of(dag) for dag in found}) if found.count <= MOST_DAGS else None,
        bayes_factor=factor,
        optimum=best,
        deviations=tuple(np.sort(best - found.scores).round(6).tolist()),
        by_class=False,
        best_share=float(found.weights.max()),
    )


def share_of_posterior(found: CredibleSet, recipe: Recipe, data: Dataset, run: Run, limits: Limits) -> dict[str, Any]:
    """Return the posterior probability of the credible set among all DAGs: summed, or else estimated by chains.

    Which of them is told by the size of the problem, and not by the clock: the report is to be the same on every
    machine. Where the time that is allowed ends first, that is said.
    """
    within = run.replace(limits=limits)
    problem = posterior_problem(recipe, data)
    by_time = False
    if data.n_variables <= LARGEST_SUM:
        summed = sum_posterior(problem, within)
        if summed.exact is not None and summed.exact.complete:
            return {"covered": summed.exact.covered_by(found.summary())}
        by_time = summed.by_time
    if within.is_over:
        return {"covered": None, "covered_by_time": True}
    settings = PosteriorSettings(most_draws=COVERED_DRAWS)
    drawn = draw_posterior(problem, within, credible=found, seed=run.seed, settings=settings)
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

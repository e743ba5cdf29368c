"""The posterior as a source: networks drawn from all DAGs in proportion to their posterior probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from arcwise.base.options import CheckedOptions, gather, row
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed
from arcwise.bootstrap.bootstrap import bootstrap_networks
from arcwise.data.dataset import Dataset, Frame, dataset_of
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.networks.network_list import NetworkSet, NetworkSummary
from arcwise.networks.recipe import Ensemble, MadeNetworks, Recipe
from arcwise.posterior.posterior import Posterior, Problem, posterior_of
from arcwise.posterior.settings import PosteriorSettings
from arcwise.recipes.source import Source
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, scored_data

if TYPE_CHECKING:
    from arcwise.keywords import PosteriorKeywords


@dataclass(frozen=True)
class PosteriorOptions(CheckedOptions):
    """Which way networks are drawn; if by chains, by how many, and how long at most."""

    way: str = row(
        PosteriorSettings, "way", help="auto: independent draws where all networks can be summed over, else chains"
    )
    chains: int = row(PosteriorSettings, "chains")
    most_draws: int = row(PosteriorSettings, "most_draws", help="how many draws of each chain at most")


class PosteriorSource(Source):
    """Draw networks from the posterior: independently where it can be summed over all DAGs, and else by Markov chains.

    Directions of equivalence classes are features of whole networks, which sums over all DAGs do not give: therefore
    draws, also where the sums are found. `arcwise.ensemble.find_posterior` gives the sums.
    """

    name = "posterior"
    title = "posterior"
    networks = "networks drawn from the posterior"
    meaning = "random networks, each in proportion to its posterior probability"
    heading = "The networks drawn from the posterior"
    Settings: ClassVar[type[Any]] = PosteriorOptions
    default_score = "qnml"
    citation = "su-2016"
    is_sample = True
    is_chained = True
    fallback = "search"
    is_usual = False

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Draw; where a limit stops chains before they agree, the status and the verdict say so."""
        problem = posterior_problem(recipe, data)
        settings = PosteriorSettings(**recipe.settings, drawing=True, cluster=run.cluster)
        found = posterior_of(problem, run, seed=run.seed, settings=settings)
        if found.exact is not None and not found.complete:  # what was asked for, and no chains instead
            return NetworkSummary.unfinished(data.names, found.status, self.name)
        return found.networks(seed=run.seed, threads=run.threads, limits=run.uncounted).made_by(recipe)

    def summary(self, made: MadeNetworks) -> str:
        """Tell how they were drawn, and whether chains agree."""
        how = "by Markov chains" if made.verdict else "independently of each other, by sums over all of them,"
        which = made.recipe.restriction("networks") or "networks"
        return (
            f"{made.count:,} networks were drawn {how} from all {which}, each in proportion to its posterior "
            f"probability. {made.verdict.get('sentence', '')}"
        ).rstrip()

    def methods(self, made: MadeNetworks) -> str:
        """Tell how they were drawn, and whether chains agreed."""
        verdict, which = made.verdict, made.recipe.restriction("directed acyclic graphs") or "directed acyclic graphs"
        state = "until they agreed" if verdict.get("converged") else "but they had not converged"
        how = (
            f"by {verdict['chains']} Markov chains (Su & Borsuk, 2016), {state} (rank-normalised R-hat below 1.01 and "
            "differences below 0.02 for every pair are asked for)"
            if verdict
            else "independently of each other, by exact sums over all of them (Talvitie et al., 2019)"
        )
        return (
            f"We drew {made.count:,} networks from the posterior over all {which} under the {made.recipe.score_title} "
            f"score and a uniform prior {how}. The confidence in an edge is the share of the networks that have it"
        )

    def cited_for(self, verdict: Mapping[str, Any]) -> str:
        """Return the work on chains, or on sums."""
        return self.citation if verdict else "talvitie-2019"


def find_posterior(
    data: Dataset | Frame,
    score: str | Score = "bic",
    *,
    max_parents: int | None = None,
    constraints: GivenConstraints | None = None,
    seed: Seed = None,
    threads: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[PosteriorKeywords],
) -> Posterior:
    """Find the posterior probability of every arc and edge over all DAGs, each of which weighs exp(score).

    A sum over all DAGs is tried first: up to 20 variables in most cases, up to 26 where cases are many. Otherwise,
    Markov chains draw networks until they agree, or until a limit; then `status` is not COMPLETE, and `report` says
    where they differ. Nor is it where a time limit decided that chains draw, or that they do not jump.

    Parameters
    ----------
    max_parents
        The largest number of parents; None for the limit that the score needs, if any.
    seed, threads
        The seed is that of chains; the result does not depend on the threads.
    limits
        `seconds` and `memory_bytes`; `count`, the draws of each chain.
    settings
        The fields of `PosteriorSettings` by keyword: ``way=``, ``chains=``, ``most_draws=``, ``jump_factor=``,
        ``path=``, ``cluster=``, ``drawing=``. A whole one as ``settings=``.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = find_posterior(datasets.load("balance-scale"), "bdeu:ess=1")
    >>> found.is_exact, round(float(found.edge_probabilities()[0, 1]), 3)
    (True, 1.0)
    """
    data = dataset_of(data)
    constraints = Constraints.of(data.names, constraints)
    chosen = gather(PosteriorSettings, find_posterior, settings)
    if constraints is not None:
        constraints.refuse_ancestors("the posterior")
    scorer = make_score(score)
    scored_data(data, scorer)  # refuses data of another kind
    recipe = Recipe.usual(
        PosteriorSource.name,
        scorer,
        n_cases=data.n_cases,
        arities=data.arities.tolist(),
        max_parents=max_parents,
        constraints=constraints,
    )
    problem = Problem(data, scorer, recipe.max_parents, constraints, _resample)
    run = Run.of(limits).replace(threads=threads, progress=progress)
    return posterior_of(problem, run, seed=seed, settings=chosen)


def posterior_problem(recipe: Recipe, data: Dataset) -> Problem:
    """Return the problem that a recipe poses, with chains that may begin at networks of resampled data."""
    known = recipe.constraints_on(data.names)
    return Problem(data, recipe.scorer, recipe.max_parents, known, _resample)


def _resample(problem: Problem, count: int, seed: int, run: Run) -> NetworkSet:
    return bootstrap_networks(
        problem.data,
        problem.score,
        replicates=count,
        constraints=problem.constraints,
        max_parents=problem.max_parents,
        seed=seed,
        workers=run.thread_count,
        limits=run.uncounted,
        progress=run.progress,
        options={"refine": 0},  # chains are to begin far apart
    )

"""Genetic search over networks (Lau & Bush 2004, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from arcwise import _core
from arcwise.base.errors import Argument, OptionError
from arcwise.base.options import gather
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, resolve_seed
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.graph.constraints import Constraints
from arcwise.local.climbing import GeneticSettings
from arcwise.local.problem import LocalProblem, LocalSearchResult, check_density
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.keywords import GeneticKeywords


def genetic_search(
    data: Dataset | Incomplete,
    score: str | Score = "bic_laplace",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[GeneticKeywords],
) -> LocalSearchResult:
    """Evolve a population of networks by swapping the parents of whole nodes and by first-ascent mutations.

    In every round the worst networks are dropped and the best promoted; then the survivors mate, each with one of the
    best: the offspring takes the parents of 1 to n random nodes from its mate, drawn again if that makes a cycle. Last,
    every network takes one first-ascent step. The defaults are Lau & Bush's, except for the number of offspring: they
    drop 3 of 16 and speak of "the remaining 12", which are 13; here the survivors have 13 offspring, so that the
    population stays at 16.

    Parameters
    ----------
    data, score, constraints, max_parents, seed, progress
        As for `first_ascent`.
    limits
        `seconds`; `count`, the rounds; `memory_bytes`, for the cache of scores.
    settings
        The fields of `GeneticSettings` by keyword, such as ``population=32``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents)
    chosen = _checked(gather(GeneticSettings, genetic_search, settings))
    with Run.begin(limits, progress) as run:
        return problem.search(
            "genetic",
            lambda learner, native, report: learner.evolve(
                problem.data.native_weights,
                _core.local.GeneticOptions(
                    population=chosen.population,
                    unconnected=chosen.unconnected,
                    dropped=chosen.drop,
                    promoted=chosen.promote,
                    mating_tries=chosen.mating_tries,
                    patience=chosen.patience,
                    max_rounds=run.given.count or 0,
                    mutate=chosen.mutate,
                    density=problem.default_density if chosen.density is None else check_density(chosen.density),
                    seed=native,
                ),
                run.limits.native_seconds,
                report,
            ),
            resolve_seed(seed),
            run,
        )


def _checked(settings: GeneticSettings) -> GeneticSettings:
    population = Argument("population", settings.population)
    if settings.unconnected > settings.population:
        raise OptionError(Argument("unconnected", settings.unconnected), "exceeds", population, ".")
    if settings.drop >= settings.population:
        raise OptionError(Argument("drop", settings.drop), "must be below", population, ": someone must survive.")
    survivors = settings.population - settings.drop
    if settings.promote > survivors:
        raise OptionError(
            Argument("promote", settings.promote), f"exceeds the {survivors} survivors of population - drop."
        )
    return settings

"""Genetic search over networks (Lau & Bush 2004, section 6)."""

from __future__ import annotations

from typing import Unpack

from arcwise.data import Dataset, Incomplete
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.problem import LocalProblem, check_count, check_density
from arcwise.local.result import LocalSearchResult
from arcwise.local.settings import GeneticKeywords, GeneticSettings
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import Seed, resolve_seed
from arcwise.settings import gather

__all__ = ["genetic_search"]


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
    from arcwise import _core

    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    chosen = _checked(gather(GeneticSettings, genetic_search, settings))
    bounds = limits or Limits()
    return problem.run(
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
                max_rounds=0 if bounds.count is None else bounds.count,
                mutate=chosen.mutate,
                density=problem.default_density if chosen.density is None else check_density(chosen.density),
                seed=native,
            ),
            bounds.native_seconds,
            report,
        ),
        seed=resolve_seed(seed),
        progress=progress,
    )


def _checked(settings: GeneticSettings) -> GeneticSettings:
    population = Argument("population", check_count("population", settings.population, 1))
    check_count("mating_tries", settings.mating_tries, 0)
    check_count("patience", settings.patience, 1)
    if check_count("unconnected", settings.unconnected, 0) > settings.population:
        raise OptionError(Argument("unconnected", settings.unconnected), "exceeds", population, ".")
    if check_count("drop", settings.drop, 0) >= settings.population:
        raise OptionError(Argument("drop", settings.drop), "must be below", population, ": someone must survive.")
    survivors = settings.population - settings.drop
    if check_count("promote", settings.promote, 1) > survivors:
        raise OptionError(
            Argument("promote", settings.promote), f"exceeds the {survivors} survivors of population - drop."
        )
    return settings

"""Genetic search over networks (Lau & Bush 2004, section 6)."""

from __future__ import annotations

import numpy as np

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.problem import LocalProblem, check_count, check_density
from arcwise.local.result import LocalSearchResult
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import resolve_seed

__all__ = ["genetic_search"]


def genetic_search(
    data: Dataset,
    *,
    score: str | Score = "bic_laplace",
    population: int = 16,
    unconnected: int = 1,
    drop: int = 3,
    promote: int = 3,
    mating_tries: int = 20,
    mutate: bool = True,
    patience: int = 5,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    density: float | None = None,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Evolve a population of networks by swapping the parents of whole nodes and by first-ascent mutations.

    In every round the worst networks are dropped and the best promoted; then the survivors mate, each with one of the
    best: the offspring takes the parents of 1 to n random nodes from its mate, drawn again if that makes a cycle. Last,
    every network takes one first-ascent step. The defaults are Lau & Bush's, but for the number of offspring: they
    drop 3 of 16 and speak of "the remaining 12", which are 13; here the survivors have 13 offspring, so that the
    population stays at 16.

    Parameters
    ----------
    population
        The number of networks.
    unconnected
        How many of them start without arcs; the others start at random.
    drop
        How many of the worst are removed in every round.
    promote
        How many of the best go to the next round as they are, and serve as mates.
    mating_tries
        How often an offspring with a cycle is drawn again before the network stays as it is.
    mutate
        Whether every network takes a first-ascent step in every round.
    patience
        The search ends after so many rounds without a better network.
    data, score, constraints, max_parents, density, seed, rng, progress
        As for `first_ascent`.
    limits
        `seconds`; `count`, the rounds; `memory_bytes`, for the cache of scores.
    """
    from arcwise import _core

    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    used = resolve_seed(seed, rng)
    bounds = limits or Limits()
    check_count("population", population, 1)
    check_count("mating_tries", mating_tries, 0)
    check_count("patience", patience, 1)
    if check_count("unconnected", unconnected, 0) > population:
        raise OptionError(f"unconnected={unconnected} exceeds population={population}.")
    if check_count("drop", drop, 0) >= population:
        raise OptionError(f"drop={drop} must be below population={population}: someone must survive.")
    if check_count("promote", promote, 1) > population - drop:
        raise OptionError(f"promote={promote} exceeds the {population - drop} survivors of population - drop.")
    return problem.run(
        "genetic",
        lambda learner, native, report: learner.evolve(
            data.native_weights,
            _core.local.GeneticOptions(
                population=population,
                unconnected=unconnected,
                dropped=drop,
                promoted=promote,
                mating_tries=mating_tries,
                patience=patience,
                max_rounds=0 if bounds.count is None else bounds.count,
                mutate=mutate,
                density=problem.default_density if density is None else check_density(density),
                seed=native,
            ),
            bounds.native_seconds,
            report,
        ),
        seed=used,
        progress=progress,
    )

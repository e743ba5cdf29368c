"""Greedy hill climbing: the best single-arc change, as long as one improves the score."""

from __future__ import annotations

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.problem import START, LocalProblem, Start, check_count
from arcwise.local.result import LocalSearchResult
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import native_seed, resolve_seed

__all__ = ["EFFORT", "climb", "hill_climb"]

EFFORT = 1  # for each round of refinement, it may compute so many times the scores that the climbs have
MOST_ROUNDS = 10**6


def hill_climb(
    data: Dataset,
    *,
    score: str | Score = "bic",
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    restarts: int = 0,
    perturb: int | None = 1,
    density: float | None = None,
    refine: int = 3,
    random_ties: bool = False,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Add, remove or reverse the arc that improves the score most, until none does.

    The local optimum is then refined: every arc is turned, one after the other in random order, while both of its ends
    choose their parents anew, and the variable that it leads to is taken out of the network and put back; the search
    goes on from every network that is better. ``refine=0`` leaves that out: then the defaults are those of bnlearn's
    `hc`: empty start, no restart, one perturbation per restart, no parent limit. Without restarts, a random start or
    random ties, the result does not depend on the seed.

    Parameters
    ----------
    data
        The data; row weights count.
    score
        A score or its name, e.g. "bic" or "bdeu:ess=10".
    start
        "empty" (the required arcs alone), "random", or a `Dag`.
    constraints
        Required and forbidden arcs, tiers and parent limits.
    max_parents
        The most parents of any variable; None for no limit.
    restarts
        How often the search starts again when it is stuck; the best network of all is returned.
    perturb
        A restart makes so many random changes to the best network; 0 starts again from `start` and breaks ties between
        equal changes by another random order; None starts from a random network.
    density
        The chance of each arc of a random network; by default two neighbours per variable on average.
    refine
        How many rounds of refinement without a gain end the search; 0 for none. Rounds that turn arcs and rounds that
        take variables out take turns. It also ends when it has computed `refine` times as many local scores as the
        climbs. By default the search takes two to three times as long as without. A climb that ``limits.count`` ended
        is not refined.
    random_ties
        Break ties between equal changes by a random order of the variables, not by their order in the data. Scores
        that are equal for equivalent networks make many ties, and they decide directions.
    seed, rng
        Fix the random numbers; the result records the seed.
    limits
        `seconds`; `count`, the moves of each climb; `memory_bytes`, for the cache of scores.
    progress
        See `arcwise.progress.show_progress`.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    return climb(
        problem,
        "hill-climbing",
        tabu=0,
        max_tabu=0,
        start=start,
        restarts=restarts,
        perturb=perturb,
        density=density,
        refine=refine,
        random_ties=random_ties,
        seed=resolve_seed(seed, rng),
        limits=limits or Limits(),
        progress=progress,
    )


def climb(
    problem: LocalProblem,
    method: str,
    *,
    tabu: int,
    max_tabu: int,
    start: Start,
    restarts: int,
    perturb: int | None,
    density: float | None,
    refine: int,
    random_ties: bool,
    seed: int,
    limits: Limits,
    progress: bool | ProgressCallback | None,
) -> LocalSearchResult:
    """Run the climb that hill climbing (``tabu=0``) and tabu search share."""
    from arcwise import _core

    check_count("restarts", restarts, 0)
    rounds = check_count("refine", refine, 0, MOST_ROUNDS)
    perturbations = -1 if perturb is None else check_count("perturb", perturb, 0)
    return problem.run(
        method,
        lambda learner, native, report: learner.climb(
            problem.data.native_weights,
            _core.local.ClimbOptions(
                start=problem.pack_start(learner, start, density, native_seed(seed, START)),
                restarts=restarts,
                perturbations=perturbations,
                density=problem.default_density if density is None else density,
                tabu=tabu,
                patience=max_tabu,
                max_iterations=0 if limits.count is None else limits.count,
                refine=rounds,
                effort=EFFORT * rounds,
                random_ties=random_ties,
                seed=native,
            ),
            limits.native_seconds,
            report,
        ),
        seed=seed,
        progress=progress,
    )

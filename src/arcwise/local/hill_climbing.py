"""Greedy hill climbing: the best single-arc change, as long as one improves the score."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from arcwise.data import Dataset, Incomplete
from arcwise.defaults import REFINED_WHOLE
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.problem import START, LocalProblem, Start, check_count
from arcwise.local.result import LocalSearchResult
from arcwise.local.settings import ClimbKeywords, ClimbSettings
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import Seed, native_seed, resolve_seed
from arcwise.settings import gather

__all__ = ["EFFORT", "climb", "hill_climb"]

EFFORT = 1  # for each round of refinement, it may compute this many times the scores that the climbs have
MOST_ROUNDS = 10**6


def hill_climb(
    data: Dataset | Incomplete,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ClimbKeywords],
) -> LocalSearchResult:
    """Add, remove or reverse the arc that improves the score most, until none does.

    The local optimum is then refined: every arc is reversed, one after another in random order, while both of its ends
    choose their parents again, and the variable that it leads to is taken out of the network and put back; the search
    continues from every better network. ``refine=0`` leaves that out: then the defaults are those of bnlearn's
    `hc`: empty start, no restart, one perturbation per restart, no parent limit. Without restarts, a random start or
    random ties, the result does not depend on the seed.

    Parameters
    ----------
    data
        The data; row weights count. With gaps (`Incomplete`) if the score takes them: "pnal", "nal".
    score
        A score or its name, e.g. "bic" or "bdeu:ess=10".
    start
        "empty" (the required arcs alone), "random", or a `Dag`.
    constraints
        Required and forbidden arcs, tiers and parent limits.
    max_parents
        The largest number of parents of any variable; None for no limit.
    seed
        An integer or a numpy generator that fixes the random numbers; the result records the seed.
    limits
        `seconds`; `count`, the moves of each climb; `memory_bytes`, for the cache of scores.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `ClimbSettings` by keyword, such as ``restarts=10``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    return climb(
        problem,
        "hill-climbing",
        gather(ClimbSettings, hill_climb, settings),
        start=start,
        seed=resolve_seed(seed),
        limits=limits or Limits(),
        progress=progress,
    )


def climb(
    problem: LocalProblem,
    method: str,
    settings: ClimbSettings,
    *,
    tabu: tuple[int, int] = (0, 0),
    start: Start,
    seed: int,
    limits: Limits,
    progress: bool | ProgressCallback | None,
) -> LocalSearchResult:
    """Run the climb that hill climbing and tabu search share.

    `tabu` has the length of the tabu list, 0 for hill climbing, and the changes for the worse that end the search.
    """
    from arcwise import _core

    density = settings.density
    check_count("restarts", settings.restarts, 0)
    rounds = check_count("refine", settings.refine, 0, MOST_ROUNDS)
    candidates = check_count("candidates", settings.candidates, 0)
    perturbations = -1 if settings.perturb is None else check_count("perturb", settings.perturb, 0)
    narrowed = rounds > 0 and 0 < candidates < problem.data.n_variables > REFINED_WHOLE
    found = problem.run(
        method,
        lambda learner, native, report: learner.climb(
            problem.data.native_weights,
            _core.local.ClimbOptions(
                start=problem.pack_start(learner, start, density, native_seed(seed, START)),
                restarts=settings.restarts,
                perturbations=perturbations,
                density=problem.default_density if density is None else density,
                tabu=tabu[0],
                patience=tabu[1],
                max_iterations=0 if limits.count is None else limits.count,
                refine=rounds,
                effort=EFFORT * rounds,
                narrow=REFINED_WHOLE,
                candidates=candidates,
                random_ties=settings.random_ties,
                seed=native,
            ),
            limits.native_seconds,
            report,
        ),
        seed=seed,
        progress=progress,
    )
    return replace(found, candidates=candidates) if narrowed else found

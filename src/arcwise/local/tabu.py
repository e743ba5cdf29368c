"""Tabu search: hill climbing that walks on past local optima and does not walk back."""

from __future__ import annotations

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.hill_climbing import climb
from arcwise.local.problem import LocalProblem, Start, check_count
from arcwise.local.result import LocalSearchResult
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import resolve_seed

__all__ = ["tabu_search"]


def tabu_search(
    data: Dataset,
    *,
    score: str | Score = "bic",
    tabu: int = 10,
    max_tabu: int | None = None,
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
    """Climb; at a local optimum make the least bad change that leads to none of the last networks, and continue.

    The best network is then refined, as in `hill_climb`; ``refine=0`` leaves that out. The rest of the algorithm and
    its defaults are those of bnlearn's `tabu`: the last ``tabu=10`` *structures* are kept, and the search ends after
    ``max_tabu=tabu`` changes for the worse since it last found a new best network. A structure on the list has been
    visited, so it is no better than the best network seen: the aspiration criterion, which would allow a tabu change
    that leads to a new best network, has nothing to allow.

    Parameters
    ----------
    tabu
        How many of the last networks are not visited again.
    max_tabu
        How many changes for the worse end the search; None: as many as `tabu`.
    data, score, start, constraints, max_parents, restarts, perturb, density, refine, random_ties
        As for `hill_climb`; a restart empties the tabu list.
    seed, rng, limits, progress
        As for `hill_climb`.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    check_count("tabu", tabu, 1)
    return climb(
        problem,
        "tabu",
        tabu=tabu,
        max_tabu=tabu if max_tabu is None else check_count("max_tabu", max_tabu, 0),
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

"""Tabu search: hill climbing that walks on past local optima and does not walk back."""

from __future__ import annotations

from typing import Unpack

from arcwise.data import Dataset, Incomplete
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.hill_climbing import climb
from arcwise.local.problem import LocalProblem, Start, check_count
from arcwise.local.result import LocalSearchResult
from arcwise.local.settings import TabuKeywords, TabuSettings
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import Seed, resolve_seed
from arcwise.settings import gather

__all__ = ["tabu_search"]


def tabu_search(
    data: Dataset | Incomplete,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[TabuKeywords],
) -> LocalSearchResult:
    """Climb; at a local optimum make the least bad change that leads to none of the last networks, and continue.

    The best network is then refined, as in `hill_climb`; ``refine=0`` leaves that out. The rest of the algorithm and
    its defaults are those of bnlearn's `tabu`: the last ``tabu=10`` *structures* are kept, and the search ends after
    ``max_tabu=tabu`` changes for the worse since it last found a new best network. A structure on the list has been
    visited, so it is no better than the best network seen: the aspiration criterion, which would allow a tabu change
    that leads to a new best network, has nothing to allow.

    Parameters
    ----------
    data, score, start, constraints, max_parents, seed, limits, progress
        As for `hill_climb`.
    settings
        The fields of `TabuSettings` by keyword, such as ``tabu=20``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    chosen = gather(TabuSettings, tabu_search, settings)
    length = check_count("tabu", chosen.tabu, 1)
    most = length if chosen.max_tabu is None else check_count("max_tabu", chosen.max_tabu, 0)
    return climb(
        problem,
        "tabu",
        chosen,
        tabu=(length, most),
        start=start,
        seed=resolve_seed(seed),
        limits=limits or Limits(),
        progress=progress,
    )

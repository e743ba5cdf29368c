"""Randomised first-ascent hill climbing (Lau & Bush 2004, section 4)."""

from __future__ import annotations

from typing import Unpack

from arcwise.data import Dataset, Incomplete
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.local.problem import START, LocalProblem, Start
from arcwise.local.result import LocalSearchResult
from arcwise.local.settings import StartKeywords, StartSettings
from arcwise.progress import ProgressCallback
from arcwise.scores import Score
from arcwise.seeds import Seed, native_seed, resolve_seed
from arcwise.settings import gather

__all__ = ["first_ascent"]


def first_ascent(
    data: Dataset | Incomplete,
    score: str | Score = "bic_laplace",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[StartKeywords],
) -> LocalSearchResult:
    """Shuffle all 3 n (n - 1) single-arc changes and make the first that improves the score; repeat until none does.

    `iterations` are the changes made and `operations` the changes looked at, legal or not, the last fruitless sweep
    included (Lau & Bush, sections 4.4.2 and 4.4.3); `history` has the score after each iteration. An improvement
    below rounding error does not count as one, so that the search ends among equivalent networks.

    Parameters
    ----------
    data, start, constraints, max_parents, seed, progress
        As for `hill_climb`; the order of the changes is random, so the seed matters for every start.
    score
        A score or its name; Lau & Bush use BIC with Bayesian correction, "bic_laplace", and "k2".
    limits
        `seconds`; `count`, the moves; `memory_bytes`, for the cache of scores.
    settings
        ``density=``, the chance of each arc of a random start, or a `StartSettings` as ``settings=``.
    """
    from arcwise import _core

    problem = LocalProblem.of(data, score, constraints, max_parents, limits)
    density = gather(StartSettings, first_ascent, settings).density
    used = resolve_seed(seed)
    bounds = limits or Limits()
    return problem.run(
        "first-ascent",
        lambda learner, native, report: learner.first_ascent(
            problem.data.native_weights,
            _core.local.FirstAscentOptions(
                start=problem.pack_start(learner, start, density, native_seed(used, START)),
                max_iterations=0 if bounds.count is None else bounds.count,
                seed=native,
            ),
            bounds.native_seconds,
            report,
        ),
        seed=used,
        progress=progress,
    )

"""`LocalSearchResult`: what every local search returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.scores.believed import log_prior_of

__all__ = ["LocalSearchResult"]


@dataclass(frozen=True, eq=False)
class LocalSearchResult:
    """The best network that a local search found, and how it got there. It need not be the optimum.

    Parameters
    ----------
    dag
        The best network seen.
    score
        Its score; natural logarithm, higher is better.
    method
        The search: "hill-climbing", "tabu", "first-ascent", "genetic" or "order".
    scored_by
        The score's name and parameters, e.g. ``{"name": "bic"}``.
    history
        The score at the start and after each iteration; for a genetic search the best of the population.
    restarts
        The positions in `history` at which the search starts again.
    iterations
        Moves made (genetic search: rounds; order search: perturbations).
    operations
        Moves looked at: the candidates compared, or for first-ascent every operator drawn, legal or not; for order
        search, places at which a variable could be put.
    families_scored
        Local scores computed from counts. For order search, those that were computed for its table, or, if the table
        was read from a file, those that it holds.
    seed
        The seed that gives the same result again.
    seconds
        Wall-clock time.
    candidates
        Among how many parents of each variable refinement looked for a better network; None: among all. Either way no
        single change of the network would gain.
    status
        COMPLETE if the search ended by its own rule, else the limit that ended it; the network is valid either way.
    """

    dag: Dag
    score: float
    method: str
    scored_by: Mapping[str, Any]
    history: NDArray[np.float64]
    restarts: tuple[int, ...]
    iterations: int
    operations: int
    families_scored: int
    seed: int
    seconds: float
    status: Status
    candidates: int | None = None

    @property
    def complete(self) -> bool:
        """True if no limit ended the search."""
        return self.status is Status.COMPLETE

    @property
    def log_prior(self) -> float | None:
        """The part of the score that was believed before the data; None if the score has no prior odds."""
        return log_prior_of(self.scored_by, self.dag)

    @property
    def data_score(self) -> float:
        """The part of the score that is the data's: all of it, unless there were prior odds."""
        return self.score - (self.log_prior or 0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it."""
        return {
            "method": self.method,
            "score": self.score,
            **({} if self.log_prior is None else {"data_score": self.data_score, "log_prior": self.log_prior}),
            "scored_by": dict(self.scored_by),
            "nodes": list(self.dag.names),
            "arcs": [list(arc) for arc in self.dag.arcs],
            "iterations": self.iterations,
            "operations": self.operations,
            "families_scored": self.families_scored,
            **({} if self.candidates is None else {"candidates": self.candidates}),
            "seed": self.seed,
            "seconds": self.seconds,
            "status": str(self.status),
            "history": self.history.tolist(),
            "restarts": list(self.restarts),
        }

    def __repr__(self) -> str:
        state = "" if self.complete else f", {self.status}"
        return (
            f"LocalSearchResult({self.method}: {self.scored_by.get('name')} {self.score:.4f}, "
            f"{len(self.dag.arcs)} arcs, {self.iterations} iterations{state})"
        )

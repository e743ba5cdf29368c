"""`Bracket`: what the building of a credible set learned about the best network, finished or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.exact import PROOF_TOLERANCE, Optimum
from arcwise.graph import Constraints
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.score_range import scaled
from arcwise.scores.believed import log_prior_of

__all__ = ["Bracket"]


@dataclass(frozen=True, eq=False)
class Bracket:
    """The best network so far, as one row of the table for each variable (none if there is none), and a bound on all.

    The bound is one on the scores of the `centred` table, whose differences keep their digits.
    A set that a limit stopped has solved linear programs all the same: what they prove is kept.
    """

    rows: NDArray[np.int64]
    bound: float

    def optimum(self, table: ParentSetTable, constraints: Constraints | None, status: Status) -> Optimum | None:
        """Return it as a network with its bound; None if no network is known. `status` is the limit that ended it."""
        from arcwise.parent_sets.candidate_sets import network_of_rows

        if self.rows.size != table.n_variables:
            return None
        dag, score = network_of_rows(table, self.rows, constraints)
        near, constant, unit = scaled(table)
        proved = self.bound / unit <= math.fsum(near.scores[self.rows].tolist()) + PROOF_TOLERANCE
        upper = score if proved else max(self.bound + constant, score)
        return Optimum(
            dag=dag,
            score=score,
            upper_bound=upper,
            gap=upper - score,
            status=Status.COMPLETE if proved else status,
            method="credible set",
            reason="found while the credible set was built",
            seconds=0.0,
            nodes=0,
            ties_possible=True,
            log_prior=log_prior_of(table.score, dag),
        )

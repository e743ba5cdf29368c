"""`PartProblem`: what the diagrams of all parts of a credible set are made of, here or on a worker."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.cover import Part
from arcwise.ensemble.diagram.plan import UNLIMITED, Build, build_as_planned
from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.ensemble import Construction, NetworkDiagram

__all__ = ["PartProblem"]

SEED = 0  # of the search for an order of the nodes; the set does not depend on it


@dataclass(frozen=True, eq=False)
class PartProblem:
    """The table and all else that parts have in common.

    Parameters
    ----------
    table
        With centred scores (parent_sets/score_range.py).
    order
        Of the nodes, parents before children in a good network.
    slack
        How far from the best network, with what rounding may do.
    unit
        Of the scores of parts, which linear programs are given.
    by_class
        Whether equivalence classes are sought rather than networks.
    pairs
        Those with a fixed direction, as the native core takes them.
    """

    table: ParentSetTable
    order: NDArray[np.int32]
    slack: float
    unit: float
    by_class: bool
    pairs: NDArray[np.uint64]

    @property
    def digest(self) -> str:
        """What is the same if all of this is."""
        hasher = hashlib.sha256(f"parts {self.table.digest} {self.slack!r} {self.unit!r} {self.by_class}".encode())
        hasher.update(self.order.tobytes())
        hasher.update(self.pairs.tobytes())
        return hasher.hexdigest()

    def build(
        self,
        part: Part,
        at_least: float,
        memory: int,
        *,
        trial: bool,
        deadline: Deadline,
        report: Any = None,
        threads: int = 1,
    ) -> NetworkDiagram:
        """Build the diagram of a part, given the score of a known network; a limit shows in its status.

        A `trial` is about to be given up: no better order of the nodes is looked for.
        """
        from arcwise import _core

        kinds = _core.ensemble.Construction
        make = self._maker(part.times(self.unit), self.unit * at_least, memory, deadline, report, threads=threads)
        if self.by_class or trial:
            return make(kinds.REPRESENTATIVES if self.by_class else kinds.SOURCES, self.order, self.slack, UNLIMITED)
        return build_as_planned(make, self.order, self.slack, seed=SEED)

    def _maker(
        self, part: Part, at_least: float, memory: int, deadline: Deadline, report: Any, *, threads: int
    ) -> Build:
        """Return what makes the diagram for a construction, an order of the nodes, a slack and a state limit."""
        from arcwise import _core

        def make(
            construction: Construction, order: NDArray[np.int32], slack: float, most_states: int
        ) -> NetworkDiagram:
            close = part.allowed & (part.costs <= part.reference - at_least + slack + part.margin)
            return _core.ensemble.build_from_costs(
                self.table.native,
                _core.ensemble.DiagramInput(
                    order=order,
                    keep=close.astype(np.uint8),
                    slack=slack,
                    memory=memory,
                    most_states=most_states,
                    fixed=self.pairs,
                    threads=threads,
                ),
                _core.ensemble.RowCosts(
                    costs=part.costs,
                    reference=part.reference,
                    at_least=at_least,
                    cuts=part.cuts,
                    codes=part.codes,
                    multipliers=part.multipliers,
                ),
                construction,
                deadline.seconds_left,
                report,
            )

        return make

"""`FamilyPrior`: what is believed about the parents of each variable, as numbers; one term per family."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.graph.dag import Dag
from arcwise.showing import one_screen

__all__ = ["FamilyPrior"]


@one_screen
@dataclass(frozen=True, eq=False)
class FamilyPrior:
    """The log prior of every family, up to a constant that all networks share; `Beliefs.on` makes it.

    The prior of the parents P of a variable c is ``sizes[|P|]`` plus the sum of ``weights[p, c]`` over P; that of a
    network is the sum over its families. cpp/core/scores/family_prior.hpp has the native counterpart.

    Parameters
    ----------
    names
        The variables.
    weights
        The natural logarithm of the odds of every arc, by parent and child.
    sizes
        The term of 0, 1, ... parents.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]  # (parent, child)
    sizes: NDArray[np.float64]

    def family(self, child: int, parents: Iterable[int]) -> float:
        """Return the log prior of a variable's parents, all by position; the terms are added in their order."""
        ordered = sorted(parents)
        total = float(self.sizes[len(ordered)])
        for parent in ordered:
            total += float(self.weights[parent, child])
        return total

    def most(self, child: int, parents: Iterable[int]) -> float:
        """Return the largest log prior of these parents and of all their supersets.

        Of the supersets with k members, the best adds the k - \\|P\\| heaviest of the others.
        """
        members = sorted(parents)
        others = [v for v in range(len(self.names)) if v != child and v not in members]
        total = sum(float(self.weights[p, child]) for p in members)
        best, size = float(self.sizes[len(members)]) + total, len(members)
        for weight in sorted((float(self.weights[p, child]) for p in others), reverse=True):
            total, size = total + weight, size + 1
            best = max(best, float(self.sizes[size]) + total)
        return best

    def network(self, dag: Dag) -> float:
        """Return the log prior of a network, up to the constant; its nodes may be in any order."""
        ordered = dag if dag.names == self.names else dag.reorder(self.names)
        return sum(self.family(v, parents) for v, parents in enumerate(ordered.parents))

"""A random walk over networks by Metropolis' rule, arc by arc.

Madigan and York (International Statistical Review 63, 1995, section 4.2) add and delete arcs; reversals are added here,
as Giudici and Castelo (Machine Learning 50, 2003) do. An ordered pair of variables is chosen, and with probability one
half its arc is added or deleted, else reversed; so every move is proposed as often as its opposite, and accepted with
the ratio of the scores. Where nothing is missing, that leaves the posterior as it is, and a step of a chain needs no
more. Where values are missing it does not quite, and on purpose: see below.

What an arc gains is the difference of two BDeu scores of its head. Scores of families that were counted over different
cases cannot be compared: the family with more parents has fewer cases, hence a higher score. Both families are
therefore counted over the *same* cases: those that have the values of both ends of the arc, and in which no experiment
set the head. The head's other parents may be as completed, or must be observed, too.

Cases in which an end of the arc was filled in would tell of the filling: while the network has the arc they show it as
if they had been observed, while it lacks the arc they show independence. Either keeps itself up, so that a chain that
counted them would hardly ever change its mind where many values are missing (with half of them, in sachs, it never did
in forty steps). Without them, what a chain says about an arc does not depend on what it said before. What is lost are
the cases in which an end is not observed but can be told from other variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.graph import Constraints
from arcwise.graph.bitset import bits
from arcwise.local.problem import pack_parents, unpack_parents

__all__ = ["Evidence", "Moves", "StructureWalk"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What arcs are judged by: codes and `Incomplete.cell_flags`, and the prior's equivalent sample size.

    With `whole_families`, the head's other parents must be observed, too.
    """

    codes: NDArray[np.unsignedinteger]
    arities: NDArray[np.int32]
    flags: NDArray[np.uint8]
    ess: float
    whole_families: bool = False


@dataclass(frozen=True, eq=False)
class Moves:
    """Proposed moves: the arcs, which of them are to be turned, and the logarithms of random numbers."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    turns: NDArray[np.uint8]
    chances: NDArray[np.float64]

    @classmethod
    def draw(cls, variables: int, count: int, rng: np.random.Generator) -> Moves:
        """Draw ordered pairs of variables, with equal probabilities."""
        tails = rng.integers(0, variables, size=count)
        heads = (tails + rng.integers(1, variables, size=count)) % variables
        turns = rng.random(count) < 0.5
        chances = np.log(rng.random(count))
        return cls(tails.astype(np.int32), heads.astype(np.int32), turns.astype(np.uint8), chances)


class StructureWalk:
    """Walks over the networks that constraints allow; a network is one mask of parents per variable."""

    def __init__(self, constraints: Constraints) -> None:
        self.required = constraints.required_masks
        self.forbidden = constraints.forbidden_masks
        self.limits = constraints.limits
        self._native = constraints.native()

    @property
    def start(self) -> list[int]:
        """The required arcs alone."""
        return list(self.required)

    def walk(self, parents: list[int], evidence: Evidence, moves: int, rng: np.random.Generator) -> list[int]:
        """Return the network after so many proposed moves."""
        return list(parents) if len(parents) < 2 else self.make(parents, evidence, Moves.draw(len(parents), moves, rng))

    def make(self, parents: list[int], evidence: Evidence, moves: Moves) -> list[int]:
        """Return the network after given proposals; Ctrl-C raises."""
        from arcwise import _core

        options = _core.ensemble.WalkOptions(
            start=pack_parents(tuple(tuple(bits(mask)) for mask in parents)),
            tails=moves.tails,
            heads=moves.heads,
            turns=moves.turns,
            chances=moves.chances,
            required=np.ascontiguousarray(self._native.required).ravel(),
            forbidden=np.ascontiguousarray(self._native.forbidden).ravel(),
            limits=self._native.limits,
            ess=evidence.ess,
            whole_families=evidence.whole_families,
        )
        found = _core.ensemble.walk_structures(evidence.codes, evidence.arities, evidence.flags, options)
        return [sum(1 << p for p in own) for own in unpack_parents(*found)]

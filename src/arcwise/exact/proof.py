"""`ProofRecord`: what branch and bound did, as far as somebody who trusts none of it needs it to prove the same bound.

A step is about one problem, a component or what branching left of it. Its rounds are the multipliers of cuts that gave
its bound or dropped candidate sets by reduced cost; then it branches on an arc, or falls into groups. Everything else
follows from these (`arcwise.certificate.checker` says how): which sets are dominated, what acyclicity forbids, which
sets the multipliers drop. The checker drops at least what the search dropped, because it compares with the final
network where the search had a worse one; all its rules are monotone, so its bounds are at least as good.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arcwise._core.exact import CutPool


# Of a step and a round, besides their arrays: Python's objects.
OBJECT_BYTES = 400
CUT_BYTES = 12

Cut = tuple[int, tuple[int, ...]]  # the code of `CutPool`, the variables of the table


@dataclass(frozen=True, eq=False)
class Round:
    """Cuts, by their numbers in the record, and their multipliers."""

    cuts: NDArray[np.int32]
    multipliers: NDArray[np.float64]


@dataclass(eq=False)
class Step:
    """One problem: the rounds, then a branch (parent, child; present and absent below) or groups of variables."""

    rounds: list[Round] = field(default_factory=list)
    branch: tuple[int, int] | None = None
    groups: list[list[int]] | None = None
    below: list[Step] = field(default_factory=list)

    def walk(self) -> Iterator[Step]:
        """Yield this step and all below, each before its own; trees can be deeper than Python's stack."""
        waiting = [self]
        while waiting:
            step = waiting.pop()
            yield step
            waiting += reversed(step.below)


class ProofRecord:
    """The cuts of a proof, each numbered once; `bytes` is what the record takes."""

    def __init__(self) -> None:
        self.cuts: dict[Cut, int] = {}
        self.bytes = 0
        self.unit = 1.0  # of the multipliers, in units of the table's scores

    def keep(self, step: Step, *rounds: Round) -> None:
        """Add rounds to a step."""
        step.rounds += rounds
        self.bytes += sum(OBJECT_BYTES + CUT_BYTES * proof.cuts.size for proof in rounds)

    def number(self, cut: Cut) -> int:
        """Return the number of a cut, a new one if it is new."""
        return self.cuts.setdefault(cut, len(self.cuts))


class Scope:
    """The record as one component sees it, which numbers its variables from 0: `variables` are those of the table."""

    def __init__(self, record: ProofRecord, variables: NDArray[np.int64]) -> None:
        self.record = record
        self.variables = variables
        self._numbers: dict[tuple[int, bytes], int] = {}

    def arc(self, parent: int, child: int) -> tuple[int, int]:
        """Return an arc of the component as one of the table."""
        return int(self.variables[parent]), int(self.variables[child])

    def round_of(self, pool: CutPool, multipliers: NDArray[np.float64] | None = None) -> Round:
        """Return the cuts of a pool that count, with its multipliers or others."""
        values = pool.multipliers if multipliers is None else multipliers
        active = np.flatnonzero(values > 0)
        members, codes = pool.members[active], pool.codes[active].tolist()
        numbers = np.empty(active.size, dtype=np.int32)
        for i, code in enumerate(codes):
            key = code, members[i].tobytes()
            number = self._numbers.get(key)
            if number is None:
                inside = np.unpackbits(members[i].view(np.uint8), bitorder="little")[: self.variables.size]
                cut = code, tuple(self.variables[np.flatnonzero(inside)].tolist())
                number = self._numbers[key] = self.record.number(cut)
            numbers[i] = number
        return Round(numbers, values[active])


class RoundLog:
    """The rounds of one node while it is bounded; those are kept that the proof needs, none without a scope."""

    def __init__(self, scope: Scope | None, step: Step) -> None:
        self._scope = scope
        self._step = step
        self._dropping: list[Round] = []
        self._latest: Round | None = None
        self._best: Round | None = None
        self._bound = math.inf

    def solved(self, pool: CutPool, bound: float) -> None:
        """Take the multipliers of a solution."""
        if self._scope is None:
            return
        self._latest = self._scope.round_of(pool)
        if bound < self._bound:
            self._best, self._bound = self._latest, bound

    def dropped(self) -> None:
        """Keep the latest multipliers, which dropped rows."""
        if self._latest is not None:
            self._dropping.append(self._latest)

    def finish(self, latest_suffices: Callable[[], bool]) -> None:
        """Give the step its rounds: all that dropped rows and the one of the bound, or the latest alone."""
        if self._scope is None:
            return
        rounds = [self._latest] if latest_suffices() else [*self._dropping, self._best]
        different = dict.fromkeys(proof for proof in rounds if proof is not None)
        self._scope.record.keep(self._step, *different)

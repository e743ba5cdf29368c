"""What is proved: the `Optimum`, and the `ProofRecord` from which anybody can prove the same bound again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.run import Status
from arcwise.graph.dag import Dag

if TYPE_CHECKING:
    from arcwise._core.exact import CutPool


# Absolute, in units of the score (natural log). A search stops when nothing better by more than this can exist, so that
# networks that differ by rounding only count as equal. A factor of 1 + 1e-7 in likelihood means nothing to anyone.
PROOF_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Optimum:
    """The best network found, and what is proved about it.

    Parameters
    ----------
    dag, score
        The network, and the sum of the table's local scores of its families.
    upper_bound
        No network that the table allows scores higher (up to `PROOF_TOLERANCE`). Equal to `score` if the proof is
        complete.
    status
        COMPLETE if proved optimal, else the limit that was reached.
    method, reason
        What solved it, "dp", "branch-and-bound" or "ilp", and why this method, in a sentence.
    seconds, nodes
        Wall-clock time; branch-and-bound nodes, over all components.
    ties_possible
        False only if no other network within the proof tolerance exists; with score-equivalent scores there are nearly
        always others.
    statistics
        Counts for the curious: components, sets after filtering, cuts, LP solves.
    most_parents
        If the table stopped before all parent sets were scored: up to how many parents it has them. The bound holds for
        networks within that, and nothing is known of others. None for a table that has all.
    log_prior
        The part of the score that was believed before the data, for a table with prior odds; None for one without.
    """

    dag: Dag
    score: float
    upper_bound: float
    status: Status
    method: str
    reason: str
    seconds: float = 0.0
    nodes: int = 0
    ties_possible: bool = True
    statistics: Mapping[str, float] = field(default_factory=dict)
    log_prior: float | None = None
    most_parents: int | None = None

    def __repr__(self) -> str:
        proof = "proved optimal" if self.is_proved else f"gap {self.gap:.4g}, {self.status}"
        shares = "" if self.log_prior is None else f" (data {self.data_score:.6f}, log prior {self.log_prior:.6f})"
        return (
            f"Optimum({self.score:.6f}{shares}, {proof}; {self.dag.n_arcs} arcs; {self.method}, {self.seconds:.2f} s)"
        )

    @property
    def gap(self) -> float:
        """``upper_bound - score``, in natural log; 0 if proved optimal."""
        return self.upper_bound - self.score

    @property
    def data_score(self) -> float:
        """The part of the score that is the data's: all of it, unless there were prior odds."""
        return self.score - (self.log_prior or 0.0)

    @property
    def is_proved(self) -> bool:
        """Whether the network is proved optimal among those that the table allows."""
        return self.status is Status.COMPLETE


# `ProofRecord`: the steps of branch and bound that an independent checker needs to prove the same bound.
#
# A step is about one problem, a component or what branching left of it. Its rounds are the multipliers of cuts that
# gave its bound or dropped candidate sets by reduced cost; then it branches on an arc, or falls into groups.
# Everything else follows from these (`arcwise.certificate.checker` says how): which sets are dominated, what
# acyclicity forbids, which sets the multipliers drop. The checker drops at least what the search dropped, because it
# compares with the final network where the search had a worse one; all its rules are monotone, so its bounds are at
# least as good.


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
class ProofStep:
    """One problem: the rounds, then a branch (parent, child; present and absent below) or groups of variables."""

    rounds: list[Round] = field(default_factory=list)
    branch: tuple[int, int] | None = None
    groups: list[list[int]] | None = None
    below: list[ProofStep] = field(default_factory=list)

    def walk(self) -> Iterator[ProofStep]:
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

    def keep(self, step: ProofStep, *rounds: Round) -> None:
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

    def __init__(self, scope: Scope | None, step: ProofStep) -> None:
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

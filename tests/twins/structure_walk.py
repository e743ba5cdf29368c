"""The walk over networks in plain numpy: what the native one is compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from arcwise.graph.nodes import bits
from arcwise.sampled.completions import Evidence, Moves, StructureWalk

__all__ = ["arc_gain_twin", "walk_twin"]

MISSING = 1  # in `Incomplete.cell_flags`


def arc_gain_twin(evidence: Evidence, head: int, others: int, tail: int) -> float:
    """Return what tail -> head adds to the score of a head with these other parents, a mask."""
    flags = evidence.flags
    cases = (flags[head] == 0) & ((flags[tail] & MISSING) == 0)
    rows, q = np.zeros(evidence.codes.shape[1], dtype=np.int64), 1
    for p in bits(others):
        rows, q = rows * int(evidence.arities[p]) + evidence.codes[p], q * int(evidence.arities[p])
        if evidence.whole_families:
            cases &= (flags[p] & MISSING) == 0
    if not cases.any():
        return -np.inf
    r, tails = int(evidence.arities[head]), int(evidence.arities[tail])
    own = evidence.codes[head][cases].astype(np.int64)
    more = (rows * tails + evidence.codes[tail])[cases]
    return _bdeu(more, own, q * tails, r, evidence.ess) - _bdeu(rows[cases], own, q, r, evidence.ess)


def _bdeu(rows: NDArray[np.int64], own: NDArray[np.int64], q: int, r: int, ess: float) -> float:
    alpha = ess / q
    sums, counts = (np.unique(index, return_counts=True)[1] for index in (rows, rows * r + own))
    return float(
        len(sums) * gammaln(alpha)
        - gammaln(alpha + sums).sum()
        + gammaln(alpha / r + counts).sum()
        - len(counts) * gammaln(alpha / r)
    )


def walk_twin(walk: StructureWalk, parents: list[int], evidence: Evidence, moves: Moves) -> list[int]:
    """Return the network after given proposals."""
    now = list(parents)
    for tail, head, turn, chance in zip(moves.tails, moves.heads, moves.turns, moves.chances, strict=True):
        (_turn if turn else _toggle)(walk, now, evidence, int(tail), int(head), float(chance))
    return now


def _toggle(walk: StructureWalk, now: list[int], evidence: Evidence, tail: int, head: int, chance: float) -> None:
    bit = 1 << tail
    others = now[head] & ~bit
    if now[head] & bit:
        if not walk.required[head] & bit and chance < -arc_gain_twin(evidence, head, others, tail):
            now[head] = others
    elif (
        _may_add(walk, others, tail, head)
        and not _reaches(now, head, tail)
        and chance < arc_gain_twin(evidence, head, others, tail)
    ):
        now[head] |= bit


def _turn(walk: StructureWalk, now: list[int], evidence: Evidence, tail: int, head: int, chance: float) -> None:
    bit = 1 << tail
    if not now[head] & bit or walk.required[head] & bit or not _may_add(walk, now[tail], head, tail):
        return
    others = now[head] & ~bit
    gain = arc_gain_twin(evidence, tail, now[tail], head) - arc_gain_twin(evidence, head, others, tail)
    if not chance < gain:  # nor if both ways are impossible
        return
    now[head] = others
    if _reaches(now, tail, head):
        now[head] |= bit
    else:
        now[tail] |= 1 << head


def _may_add(walk: StructureWalk, others: int, tail: int, head: int) -> bool:
    return not walk.forbidden[head] >> tail & 1 and others.bit_count() < walk.limits[head]


def _reaches(parents: list[int], source: int, target: int) -> bool:
    """Return whether a directed path leads from source to target."""
    seen = ahead = parents[target]
    while ahead:
        if ahead >> source & 1:
            return True
        low = ahead & -ahead
        fresh = parents[low.bit_length() - 1] & ~seen
        seen |= fresh
        ahead = (ahead ^ low) | fresh
    return False

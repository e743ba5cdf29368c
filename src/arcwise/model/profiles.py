"""Profiles of rows: one network whose tables differ from profile to profile, and which profile a row has is hidden.

Rows of a table are often of several kinds that no column names: readers of crime novels and of cookery books, pages of
students and of courses. One network needs many arcs for what the kind says at once. Here each row has a hidden profile,
every family of the network has tables of its own in each profile, and expectation maximization (Dempster, Laird and
Rubin 1977) finds both. A profile has fewer rows than the data, so that its probabilities are drawn towards those of all
rows: as if `strength` further rows in each parent configuration were distributed like these. Without arcs this is
latent class analysis.

In sparse data nearly all families of a row are in one cell, that of no item: a step visits only the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from arcwise.data.dataset import Dataset

STEPS = 40
SPREAD = 0.1  # of the profiles that rows begin with: most of a row is in few of them
KINDS = 1.0  # imaginary rows in each profile


@dataclass(frozen=True, eq=False)
class RowProfiles:
    """What expectation maximization found.

    Parameters
    ----------
    shares
        The share of each profile.
    counts
        For each family, one array of shape (profiles, q, r): the rows in each cell, with those that draw the
        probabilities of a profile towards those of all rows.
    """

    shares: NDArray[np.float64]
    counts: tuple[NDArray[np.float64], ...]


def find_profiles(
    parents: Sequence[Sequence[int]],
    data: Dataset,
    tables: Sequence[NDArray[np.float64]],
    count: int,
    strength: float,
    *,
    copies: int = 1,
    rng: np.random.Generator,
) -> RowProfiles:
    """Find `count` profiles of rows.

    Parameters
    ----------
    parents
        The parents of each variable.
    data
        The data, or `copies` completions of them stacked. Where a variable was set, its value says nothing of its
        table, nor of the profile.
    tables
        The probabilities of all rows, of shape (q, r) for each variable: those of a profile are drawn towards them.
    count, strength
        How many profiles there are, and how many rows in each parent configuration draw them.
    rng
        The profiles that rows begin with are random.
    """
    data = data.collapse()
    weights = (data.times / copies).astype(np.float32)[:, None]
    cells = _Cells(parents, data, [table.shape for table in tables])
    base = strength * np.concatenate([table.ravel() for table in tables])[:, None]
    members = rng.dirichlet(np.full(count, SPREAD), size=data.n_rows).astype(np.float32)
    for step in range(STEPS):
        weighed = members * weights
        rows = weighed.sum(axis=0, dtype=np.float64)
        counts = cells.counts(weighed) + base
        shares = (rows + KINDS) / (rows.sum() + KINDS * count)
        if step + 1 == STEPS:
            break
        logs = cells.log_probabilities(np.log(cells.normalized(counts))) + np.log(shares).astype(np.float32)
        logs -= logs.max(axis=1, keepdims=True)
        members = np.exp(logs)
        members /= members.sum(axis=1, keepdims=True)
    return RowProfiles(shares, cells.split(counts))


class _Cells:
    """Which cell of each table a row is in, kept for those that are not in the usual one."""

    def __init__(self, parents: Sequence[Sequence[int]], data: Dataset, shapes: Sequence[tuple[int, ...]]) -> None:
        self._shapes = [(int(q), int(r)) for q, r in shapes]
        sizes = np.array([q * r for q, r in self._shapes], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._rows = np.concatenate([start + np.arange(0, q * r, r) for start, (q, r) in self._places])
        self._states = np.concatenate([np.full(q, r) for q, r in self._shapes])
        targets, at, held = data.targets, [], []
        self._usual = np.empty(len(sizes), dtype=np.int64)
        for v, (own, start) in enumerate(zip(parents, self._starts, strict=False)):
            cell = np.zeros(data.n_rows, dtype=np.int64)
            for u in (*own, v):
                cell = cell * int(data.arities[u]) + data.codes[u]
            self._usual[v] = start + int(np.bincount(cell, minlength=1).argmax())
            cell += start
            counted = cell != self._usual[v]
            if targets is not None:
                isset = np.array([data.names[v] in names for names in targets.sets], dtype=bool)[targets.of_row]
                # Where it was set, no cell counts: one after all others stands for it.
                cell, counted = np.where(isset, self._starts[-1] + v, cell), counted | isset
            at.append(np.flatnonzero(counted).astype(np.int32))
            held.append(cell[at[-1]].astype(np.int32))
        columns = int(self._starts[-1]) + (0 if targets is None else len(sizes))
        rows, found = np.concatenate(at), np.concatenate(held)
        ones = np.ones(len(rows), dtype=np.float32)
        self._matrix = csr_matrix((ones, (rows, found)), shape=(data.n_rows, columns))
        self._turned = self._matrix.T.tocsr()
        self._family = np.repeat(np.arange(len(sizes)), sizes)

    @property
    def _places(self) -> list[tuple[int, tuple[int, int]]]:
        return list(zip(self._starts[:-1].tolist(), self._shapes, strict=True))

    def counts(self, weighed: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the rows in each cell, of each profile: all that are in no other are in the usual one."""
        other = np.asarray(self._turned @ weighed, dtype=np.float64)
        cells, profiles = int(self._starts[-1]), weighed.shape[1]
        total = np.repeat(weighed.sum(axis=0, dtype=np.float64)[None], len(self._usual), axis=0)
        total -= np.add.reduceat(other[:cells], self._starts[:-1], axis=0)
        if len(other) > cells:
            total -= other[cells:]
        found = other[:cells].reshape(cells, profiles)
        found[self._usual] = np.maximum(total, 0.0)
        return found

    def normalized(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities in each parent configuration."""
        sums = np.add.reduceat(counts, self._rows, axis=0)
        found: NDArray[np.float64] = counts / np.repeat(sums, self._states, axis=0)
        return found

    def log_probabilities(self, logs: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the logarithm of each row's probability, in each profile."""
        usual = logs[self._usual]
        apart = logs - usual[self._family]
        if self._matrix.shape[1] > len(logs):
            apart = np.concatenate([apart, -usual])
        found: NDArray[np.float32] = self._matrix @ apart.astype(np.float32) + usual.sum(axis=0).astype(np.float32)
        return found

    def split(self, counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return the counts of each family, of shape (profiles, q, r)."""
        return tuple(counts[start : start + q * r].T.reshape(-1, q, r).copy() for start, (q, r) in self._places)

"""What an arc adds to the BDeu score of its head, over cases that have the values that matter.

Scores of families that were counted over different cases cannot be compared: the family with more parents has fewer
cases, hence a higher score. Both families are therefore counted over the *same* cases: those that have the values of
both ends of the arc. The head's other parents may be as completed, or must be observed, too.

Cases in which an end of the arc was filled in would tell of the filling: while the network has the arc they show it as
if they had been observed, while it lacks the arc they show independence. Either keeps itself up, so that a chain that
counted them would hardly ever change its mind where many values are missing (with half of them, in sachs, it never did
in forty steps). Without them, what a chain says about an arc does not depend on what it said before. What is lost are
the cases in which an end is not observed but can be told from other variables.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from arcwise.graph.bitset import bits

__all__ = ["ArcGains"]

# Up to this many times as many cells as cases are counted in a dense array.
DENSE = 8


class ArcGains:
    """Gains of arcs under BDeu, counted from codes (variables, rows) where `seen` is True at both ends.

    With `whole_families`, the head's other parents must be seen, too. An arc between variables that are never seen
    together gains -inf: nothing is known about it.
    """

    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        arities: NDArray[np.int32],
        seen: NDArray[np.bool_],
        *,
        ess: float,
        whole_families: bool = False,
    ) -> None:
        self._codes = codes.astype(np.int64)
        self._arities = arities.tolist()
        self._seen = seen
        self._ess = ess
        self._whole = whole_families
        self._known: dict[tuple[int, int, int], float] = {}
        self._configurations: dict[int, tuple[NDArray[np.int64], int]] = {}

    def __call__(self, head: int, parents: int, tail: int) -> float:
        """Return what tail -> head adds to the score of a head with these other parents, a mask."""
        key = (head, parents, tail)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._gain(head, parents, tail)
        return found

    def _gain(self, head: int, parents: int, tail: int) -> float:
        cases = self._seen[head] & self._seen[tail]
        if self._whole:
            for p in bits(parents):
                cases &= self._seen[p]
        states, tails = self._arities[head], self._arities[tail]
        rows, q = self._configuration(parents)
        index = (self._codes[tail] * q + rows)[cases]
        if not index.size:
            return -np.inf
        own = self._codes[head][cases]
        fewer = rows[cases]
        more = self._score(index, own, q * tails, states)
        return more - self._score(fewer, own, q, states)

    def _configuration(self, parents: int) -> tuple[NDArray[np.int64], int]:
        """Return the number of each row's configuration of the parents, and how many configurations there are."""
        found = self._configurations.get(parents)
        if found is None:
            rows, q = np.zeros(self._codes.shape[1], dtype=np.int64), 1
            for p in bits(parents):
                rows, q = rows * self._arities[p] + self._codes[p], q * self._arities[p]
            found = self._configurations[parents] = rows, q
        return found

    def _score(self, rows: NDArray[np.int64], own: NDArray[np.int64], q: int, r: int) -> float:
        """Return the BDeu score from the configurations of the parents and the states of the child."""
        alpha = self._ess / q
        cells = rows * r + own
        sums = _filled(rows, q)
        counts = _filled(cells, q * r)
        return float(
            len(sums) * gammaln(alpha)
            - gammaln(alpha + sums).sum()
            + gammaln(alpha / r + counts).sum()
            - len(counts) * gammaln(alpha / r)
        )


def _filled(index: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """Return how often each number occurs that does occur."""
    if cells > DENSE * len(index) + 1024:
        return np.unique(index, return_counts=True)[1]
    counts = np.bincount(index, minlength=cells)
    return counts[counts > 0]

"""`PairStates`: the confidences of all pairs of variables next to the truth, and how far each threshold is off.

A pair is in one of four states: absent, an arc either way, or an undirected edge of the CPDAG. A threshold predicts
"absent" for a pair that is not above it, and else the most credible of the three other states (undirected if that is at
least as credible as an arc, or both arcs are equally credible). All structural measures are sums over pairs, so
everything the studies need can be computed from these arrays, for any threshold, long after the networks are gone; they
are kept as compressed text.
"""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.reach import FamilyReach
from arcwise.graph import Dag

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Counts", "PairStates", "PathStates", "StudiedPairs", "losses"]

ABSENT, FORWARD, BACKWARD, UNDIRECTED = range(4)
SCALE = 10_000  # confidences are kept in ten-thousandths: bootstrap shares of 200 networks exactly


@dataclass(frozen=True, eq=False)
class PairStates:
    """Truth and confidences of the n (n - 1) / 2 pairs, i < j, by i and then by j."""

    truth: NDArray[np.uint8]
    shares: NDArray[np.float64]  # 3 x pairs: forward, backward, undirected

    @classmethod
    def of(cls, confidence: EdgeConfidence, dag: Dag) -> PairStates:
        """Pair the confidences in the edges with the CPDAG of the true network; the variables must be in one order."""
        assert confidence.names == dag.names
        n = len(confidence.names)
        first, second = np.triu_indices(n, 1)
        shares = np.stack(
            [
                confidence.directed[first, second],
                confidence.directed[second, first],
                confidence.undirected[first, second],
            ]
        )
        return cls(true_states(dag), np.round(shares * SCALE) / SCALE)

    @property
    def present(self) -> NDArray[np.float64]:
        """The confidence in an edge of any kind."""
        return np.asarray(np.round(self.shares.sum(axis=0), 9))

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return (1 + math.isqrt(1 + 8 * len(self.truth))) // 2

    def count(self, thresholds: NDArray[np.float64]) -> Counts:
        """Compare the prediction of each threshold with the truth."""
        forward, backward, free = self.shares
        is_open = (free >= np.maximum(forward, backward)) | (forward == backward)  # as in `consensus_network`
        likely = np.where(is_open, UNDIRECTED, np.where(forward > backward, FORWARD, BACKWARD))
        above = self.present[None, :] > np.asarray(thresholds, dtype=np.float64)[:, None]
        predicted = np.where(above, likely[None, :], ABSENT)
        truth = self.truth[None, :]
        edge, arc, open_edge = truth != ABSENT, (truth == FORWARD) | (truth == BACKWARD), truth == UNDIRECTED
        found_arc, found_free = (predicted == FORWARD) | (predicted == BACKWARD), predicted == UNDIRECTED
        right = predicted == truth

        def total(which: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.asarray(which.sum(axis=1), dtype=np.int64)

        return Counts(
            n_variables=self.n_variables,
            hamming=total(~right),
            skeleton=np.stack([total(above & edge), total(above & ~edge), total(~above & edge)]),
            directed=np.stack([total(right & found_arc), total(~right & found_arc), total(~right & arc)]),
            undirected=np.stack([total(right & found_free), total(~right & found_free), total(~right & open_edge)]),
        )

    def pack(self) -> dict[str, str]:
        """Return the arrays as text."""
        numbers = np.rint(self.shares * SCALE).astype("<u2").tobytes()
        return {"states": _to_text(self.truth.tobytes()), "shares": _to_text(numbers)}

    @classmethod
    def unpack(cls, row: Any) -> PairStates:
        """Read what `pack` made from a mapping with the keys `states` and `shares`."""
        truth = np.frombuffer(_from_text(row["states"]), dtype=np.uint8)
        numbers = np.frombuffer(_from_text(row["shares"]), dtype="<u2")
        return cls(truth, numbers.reshape(3, len(truth)) / SCALE)


@dataclass(frozen=True, eq=False)
class PathStates:
    """Which variables lead to which, and in which share of the networks, at [i, j]."""

    truth: NDArray[np.bool_]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, reach: FamilyReach, dag: Dag) -> PathStates:
        """Pair the shares of the networks with a path with those of the true network."""
        assert reach.names == dag.names
        truth = np.array([[other in dag.descendants(name) for other in dag.names] for name in dag.names])
        np.fill_diagonal(truth, False)
        return cls(truth, np.round(reach.ancestor_probabilities() * SCALE) / SCALE)

    def pack(self) -> str:
        """Return both as text."""
        return _to_text(np.rint(2 * SCALE * self.truth + self.shares * SCALE).astype("<u2").tobytes())

    @classmethod
    def unpack(cls, text: str) -> PathStates:
        """Read what `pack` made."""
        numbers = np.frombuffer(_from_text(text), dtype="<u2").astype(np.float64)
        numbers = numbers.reshape(math.isqrt(len(numbers)), -1)
        truth = numbers >= 2 * SCALE
        return cls(truth, (numbers - 2 * SCALE * truth) / SCALE)


@dataclass(frozen=True, eq=False)
class Counts:
    """What each threshold got right and wrong; rows of the last three: true and false positives, false negatives."""

    n_variables: int
    hamming: NDArray[np.int64]
    skeleton: NDArray[np.int64]
    directed: NDArray[np.int64]
    undirected: NDArray[np.int64]


def losses(counts: Counts, metric: str, weight: float) -> NDArray[np.float64]:
    """Return the loss of each threshold: 1 - F; SHD or cost divided by n (n - 1), so that networks weigh alike."""
    pairs = counts.n_variables * (counts.n_variables - 1)
    if metric == "shd":
        return counts.hamming / pairs
    if metric == "cost":
        return np.asarray((weight * counts.skeleton[2] + counts.skeleton[1]) / pairs)
    if metric == "f":
        return 1.0 - _f_beta(counts.skeleton, weight)
    n_arcs, n_free = (kind[0] + kind[2] for kind in (counts.directed, counts.undirected))
    n_true = n_arcs + n_free
    weighted = _f_beta(counts.directed, weight) * n_arcs + _f_beta(counts.undirected, weight) * n_free
    nothing = (counts.skeleton[1] == 0).astype(np.float64)  # without true edges: 1 if none was found
    return np.asarray(1.0 - np.where(n_true > 0, weighted / np.maximum(n_true, 1), nothing))


def _f_beta(counts: NDArray[np.int64], beta: float) -> NDArray[np.float64]:
    hits = (1 + beta * beta) * counts[0]
    all_of_it = hits + beta * beta * counts[2] + counts[1]
    return np.where(all_of_it > 0, hits / np.maximum(all_of_it, 1e-300), 1.0)


@dataclass(frozen=True, eq=False)
class StudiedPairs:
    """The rows of a study, with the confidences and the truth of each."""

    frame: pd.DataFrame

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def states(self) -> list[PairStates]:
        """The confidences and the truth of each row."""
        return [PairStates.unpack(row) for row in self.frame[["states", "shares"]].to_dict(orient="records")]


def true_states(dag: Dag) -> NDArray[np.uint8]:
    """Return the state of each pair in the CPDAG of a DAG."""
    matrix = dag.cpdag.to_adjacency()
    first, second = np.triu_indices(len(dag.names), 1)
    forward, backward = matrix[first, second] > 0, matrix[second, first] > 0
    states = np.where(forward & backward, UNDIRECTED, np.where(forward, FORWARD, np.where(backward, BACKWARD, ABSENT)))
    return np.asarray(states, dtype=np.uint8)


def _to_text(content: bytes) -> str:
    return base64.b85encode(zlib.compress(content, 9)).decode("ascii")


def _from_text(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))

"""`EdgeProbability`: for every pair, how probable an edge is, and where it points: 0.9 means nine in ten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.calibration import Calibration
from arcwise.confidence.calibration.table import UNKNOWN_CASES
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.graph import Constraints
from arcwise.graph.bitset import bits
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

__all__ = ["EdgeProbability", "Expected", "PairProbability", "decided_pairs", "edge_probability"]


@one_screen
@dataclass(frozen=True, slots=True)
class PairProbability:
    """The probability of an edge, and, if there is one, of where it points; the last three sum to 1."""

    first: str
    second: str
    edge: float
    forward: float  # first -> second, given an edge
    backward: float
    either: float  # the data cannot tell, however many they are
    is_studied: bool = False  # whether a study tells the directions; else they are shares of the networks

    def studied(self, *, ahead: bool) -> float | None:
        """Return the probability of first -> second (`ahead`), or of the other way; None if no study tells."""
        return None if not self.is_studied else self.forward if ahead else self.backward


@one_screen
@dataclass(frozen=True, slots=True)
class Expected:
    """What to expect of the edges above a cut-off."""

    edges: int  # how many there are
    false: float  # how many of them are not real
    missed: float  # how many real ones are below

    @property
    def true(self) -> float:
        """How many of them are real."""
        return self.edges - self.false

    @property
    def false_rate(self) -> float:
        """The expected share of false ones among them; 0 if there are none."""
        return self.false / self.edges if self.edges else 0.0

    def sentence(self) -> str:
        """Say it: "of these 21 edges expect 1.4 to be false; about 3 more are missing"."""
        missing = f"about {self.missed:.0f} more {'is' if round(self.missed) == 1 else 'are'} missing"
        if self.missed < 0.5:
            missing = "hardly any more is missing"
        if not self.edges:
            return f"No edge is above the cut-off; {missing.replace(' more', '')}."
        some = f"these {self.edges:,} edges" if self.edges > 1 else "this one edge"
        false = f"{self.false:.1f}" if self.false >= 0.05 else "fewer than 0.1"
        return f"Of {some} expect {false} to be false; {missing}."


@one_screen
@dataclass(frozen=True, eq=False)
class EdgeProbability:
    """Probabilities of edges and directions.

    Parameters
    ----------
    names
        The variables.
    present
        n x n, symmetric: the probability of an edge.
    directed
        n x n: entry [i, j] is the probability that there is an edge, and that it points from i to j.
    undirected
        n x n, symmetric: that there is one whose direction no data of this kind can tell.
    calibration
        How they were found from the confidences, and what that rests on.
    """

    names: tuple[str, ...]
    present: NDArray[np.float64]
    directed: NDArray[np.float64]
    undirected: NDArray[np.float64]
    calibration: Calibration

    @cached_property
    def vector(self) -> NDArray[np.float64]:
        """The probabilities of all n (n - 1) / 2 pairs, by the first variable and then by the second."""
        return self.present[np.triu_indices(len(self.names), 1)]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def pair(self, first: str, second: str) -> PairProbability:
        """Return the probabilities of one pair."""
        for name in (first, second):
            if name not in self._places:
                raise UnknownNameError(suggestion("variable", str(name), self.names))
        if first == second:
            raise OptionError(f"a pair has two variables; got '{first}' twice.")
        i, j = self._places[first], self._places[second]
        edge = float(self.present[i, j])
        split = np.array([self.directed[i, j], self.directed[j, i], self.undirected[i, j]])
        forward, backward, either = (split / edge).tolist() if edge > 0 else (0.0, 0.0, 1.0)
        studied = self.calibration.directions is not None
        return PairProbability(first, second, edge, forward, backward, either, studied)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Return the probability of an edge between two variables: ``probability["smoke", "cough"]``."""
        return self.pair(*pair).edge

    def expected(self, chosen: NDArray[np.bool_]) -> Expected:
        """Return what to expect of some of the pairs, given as a mask over `vector`."""
        if chosen.shape != self.vector.shape:
            raise OptionError(f"the mask is over {chosen.size} pairs; there are {self.vector.size}.")
        inside = self.vector[chosen]
        return Expected(int(chosen.sum()), float((1 - inside).sum()), float(self.vector[~chosen].sum()))


def edge_probability(confidence: EdgeConfidence, calibration: Calibration) -> EdgeProbability:
    """Turn confidences into probabilities. What constraints decide stays as it is."""
    known = confidence.constraints
    present = calibration.curve(confidence.present)
    split = _split(confidence)
    if calibration.directions is not None:
        cases = confidence.n_cases or UNKNOWN_CASES
        split = calibration.directions(split[0], split[0].T, split[1], cases)[0::2]
    directed, free = split
    if known is not None and not known.is_trivial:
        present, directed, free = _as_known(confidence, known, present, directed, free)
    np.fill_diagonal(present, 0.0)
    return EdgeProbability(confidence.names, present, present * directed, present * free, calibration)


def _split(confidence: EdgeConfidence) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of the directions among the networks that have the edge; without any, none is told."""
    total = confidence.directed + confidence.directed.T + confidence.undirected
    some = total > 0
    directed = np.divide(confidence.directed, total, out=np.zeros_like(total), where=some)
    return directed, np.where(some, 1.0 - directed - directed.T, 1.0).clip(0.0, 1.0)


def decided_pairs(known: Constraints | None, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return, for each pair, whether constraints decide that there is an edge, or that there is none."""
    pairs = np.triu_indices(len(names), 1)
    if known is None or known.is_trivial:
        return np.zeros(len(pairs[0]), dtype=bool)
    barred, needed = _arcs_decided(known, names)
    return np.asarray((barred & barred.T | needed | needed.T)[pairs])


def _arcs_decided(known: Constraints, names: tuple[str, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which arcs are forbidden and which are required, at [tail, head]."""
    rules = known if known.names == names else known.reorder(names)
    n = len(names)
    barred, needed = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    for head in range(n):
        barred[list(bits(rules.forbidden_masks[head])), head] = True
        needed[list(bits(rules.required_masks[head])), head] = True
    return barred, needed


def _as_known(
    confidence: EdgeConfidence,
    known: Constraints,
    present: NDArray[np.float64],
    directed: NDArray[np.float64],
    free: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Put in what the constraints settle: arcs that must be there, and ways that are forbidden."""
    barred, needed = _arcs_decided(known, confidence.names)
    present = np.where(barred & barred.T, 0.0, np.where(needed | needed.T, 1.0, present))
    one_way = barred ^ barred.T | needed | needed.T
    only = np.where(needed | (barred.T & ~barred), 1.0, 0.0)
    return present, np.where(one_way, only, directed), np.where(one_way, 0.0, free)

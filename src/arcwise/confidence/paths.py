"""`PathProbability`: how probable it is that one variable leads to another, by a directed path of any length.

The share of the networks with a path is not that: where edges are uncertain or could be turned, some network has a path
between nearly any two variables, and of the pairs with a share of 0.3 one in ten has one. What tells is the path whose
edges are the most probable, so that the probability is fitted to both, on samples of known networks. One of three
things is true of a pair: x leads to y, y leads to x, or neither does. The log odds of "x leads to y" against "neither"
are linear, with coefficients that move with the logarithm of the number of cases, in the log odds of

- the product of the probabilities of edges and arrow heads along the best path, and their positive part; and back;
- the share of the networks with a path, and their positive part; and back;
- an arrow from x to y, and an edge between the two;

and in how many edges there are for each variable, and which share of them could be turned: who leads to whom is a
matter of both, and they differ between worlds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError
from arcwise.base.showing import one_screen
from arcwise.confidence.calibration import StudiedTable, takes_numbers
from arcwise.confidence.curves import cases_level, softmax
from arcwise.confidence.probability import EdgeProbability, arcs_decided

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.graph.constraints import Constraints
    from arcwise.networks.recipe import Recipe

LEAST_PATH, LEAST_SHARE = 0.002, 0.01  # what is nearer to 0 or 1 counts as this near
PATH_TERMS = 11  # the numbers of one curve, as `path_terms` lists them


def best_paths(arrows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest product of probabilities along a path from i to j, at [i, j]; 0 on the diagonal.

    >>> best_paths(np.array([[0, 0.9, 0.1], [0, 0, 0.5], [0, 0, 0]]))[0].tolist()
    [0.0, 0.9, 0.45]
    """
    found = np.array(arrows, dtype=np.float64)
    for k in range(len(found)):
        np.maximum(found, found[:, [k]] * found[[k], :], out=found)
    np.fill_diagonal(found, 0.0)
    return found


def path_terms(edges: EdgeProbability, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the log odds of a path are linear in, at [i, j, term]."""
    arrows = edges.directed + edges.undirected / 2  # an edge that could be turned points either way
    best, share = _odds(best_paths(arrows), LEAST_PATH), _odds(shares, LEAST_SHARE)
    rising = np.maximum(best, 0.0), np.maximum(share, 0.0)
    direct = _odds(arrows, LEAST_PATH), _odds(edges.present, LEAST_PATH)
    total = float(edges.present.sum())
    one = np.ones_like(best)
    world = math.log(total / 2 / len(one) + 0.1) * one, float(edges.undirected.sum()) / (total + 0.1) * one
    return np.stack([one, best, share, best.T, share.T, *rising, *direct, *world], axis=-1)


def _odds(values: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    inside = np.clip(values, least, 1 - least)
    return np.asarray(np.log(inside) - np.log1p(-inside))


@one_screen
@dataclass(frozen=True)
class PathEntry:
    """What a study found of one recipe: the coefficients at 1,000 cases, and what a tenfold number adds to each."""

    source: str
    score: str
    at_thousand: tuple[float, ...]
    per_decade: tuple[float, ...]
    data_sets: int
    networks: int

    def __post_init__(self) -> None:
        if not all(len(own) == PATH_TERMS and np.isfinite(own).all() for own in (self.at_thousand, self.per_decade)):
            raise FormatError(f"a calibration of paths has {PATH_TERMS} numbers at 1,000 rows, and as many per decade.")

    @property
    def key(self) -> tuple[str, str]:
        """What the entry is looked up by."""
        return self.source, self.score

    def __call__(self, edges: EdgeProbability, shares: NDArray[np.float64], n_cases: float) -> NDArray[np.float64]:
        """Return the probability that i leads to j, at [i, j]."""
        terms = np.array(self.at_thousand) + cases_level(n_cases) * np.array(self.per_decade)
        odds = path_terms(edges, shares) @ terms
        found = softmax(odds, odds.T)[0]
        np.fill_diagonal(found, 0.0)
        return found


@one_screen
@dataclass(frozen=True, eq=False)
class PathTable(StudiedTable):
    """Calibrations of paths by source and score, with how they were made."""

    kind: ClassVar[str] = "arcwise path calibrations 1"
    title: ClassVar[str] = "calibrations of paths"

    entries: Mapping[tuple[str, str], PathEntry]

    @classmethod
    def _entry(cls, row: Mapping[str, Any]) -> PathEntry:
        def numbers(name: str) -> tuple[float, ...]:
            return tuple(map(float, row[name]))

        counts = int(row["data_sets"]), int(row["networks"])
        return PathEntry(str(row["source"]), str(row["score"]), numbers("at_thousand"), numbers("per_decade"), *counts)


def path_table(recipe: Recipe | None = None) -> PathTable:
    """Return the table that comes with the package; scores of numbers as they are have one of their own."""
    return _shipped("paths-numbers.json" if takes_numbers(recipe) else "paths.json")


@cache
def _shipped(name: str) -> PathTable:
    return PathTable.shipped(name)


@one_screen
@dataclass(frozen=True, eq=False)
class PathProbability:
    """How probable it is that i leads to j, at [i, j].

    Parameters
    ----------
    values
        The probabilities.
    basis
        What they rest on, a phrase that follows "the probability ..."; "" if they are shares of the networks, which no
        study has looked at.
    doubt
        Why that may not fit here, a sentence; "" if nothing speaks against it.
    """

    values: NDArray[np.float64]
    basis: str = ""
    doubt: str = ""


def path_probability(confidence: EdgeConfidence | None, shares: NDArray[np.float64]) -> PathProbability:
    """Turn shares of networks with a path into probabilities, where a study tells; else shares are what is known.

    Parameters
    ----------
    confidence
        What the same networks say of edges, how they were made and from how many cases.
    shares
        The share of the networks in which i leads to j, at [i, j].
    """
    if confidence is None or confidence.recipe is None or confidence.n_cases is None or confidence.feature != "edge":
        return PathProbability(shares)
    recipe, edges = confidence.recipe, confidence.probability
    entry = path_table(recipe).entries.get((confidence.origin, str(recipe.score.get("name"))))
    if entry is None or edges.calibration.kind == "none":
        return PathProbability(shares)
    values = np.where(shares > 0, entry(edges, shares, confidence.n_cases), 0.0)
    if confidence.constraints is not None and not confidence.constraints.is_trivial:
        possible, certain = _paths_decided(confidence.constraints, confidence.names)
        values = np.where(certain, 1.0, np.where(possible & ~certain.T, values, 0.0))
    basis = f"was checked on {entry.data_sets} data sets sampled from {entry.networks} known networks"
    return PathProbability(values, basis, edges.calibration.doubt)


def _paths_decided(known: Constraints, names: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which paths the forbidden arcs leave, and which the required ones make."""
    barred, needed = arcs_decided(known, tuple(names))
    allowed = ~barred
    np.fill_diagonal(allowed, False)
    return best_paths(allowed.astype(np.float64)) > 0, best_paths(needed.astype(np.float64)) > 0

"""Causal distances: for how many pairs of variables a learned graph adjusts wrongly for the effect of one on the other.

A graph is used to read off which variables to adjust for. The distances count the ordered pairs (t, y) for which the
set that the learned graph proposes is not valid in the true one: the parents of t (the structural intervention
distance, Peters and Bühlmann 2015), its ancestors, or the set of least asymptotic variance (Henckel, Würtzen and
Weichwald 2024, who also give the algorithms that gadjid runs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, OptionError, UnknownNameError, suggestion
from arcwise.evaluate.aligned import Graph, match_nodes
from arcwise.graph import Dag
from arcwise.showing import one_screen

__all__ = ["AdjustmentDistance", "Strategy", "adjustment_distance", "sid"]

Strategy = Literal["ancestor", "parent", "optimal"]
DIRECTED, UNDIRECTED = 1, 2  # gadjid's entries of an adjacency matrix


@one_screen
@dataclass(frozen=True, slots=True)
class AdjustmentDistance:
    """How many of the ordered pairs of variables get a wrong adjustment, and their share."""

    mistakes: int
    pairs: int

    @property
    def share(self) -> float:
        """The mistakes as a share of all pairs; 0 for a single variable."""
        return self.mistakes / self.pairs if self.pairs else 0.0


def sid(true: Dag, learned: Dag) -> AdjustmentDistance:
    """Return the structural intervention distance between two DAGs; needs gadjid.

    The effect of t on y is computed by adjusting for the parents that t has in the learned graph; it counts as a
    mistake if that is wrong for some distribution of the true graph (Peters and Bühlmann 2015).

    >>> chain = Dag.from_parents({"a": [], "b": ["a"], "c": ["b"]})
    >>> sid(chain, Dag.from_parents({"a": ["b"], "b": ["c"], "c": []})).mistakes
    6
    """
    for graph in (true, learned):
        if not isinstance(graph, Dag):
            raise GraphError("the structural intervention distance is one between DAGs; use adjustment_distance.")
    return _distance("sid", true, learned)


def adjustment_distance(true: Graph, learned: Graph, strategy: Strategy = "ancestor") -> AdjustmentDistance:
    """Return the adjustment identification distance between two graphs; needs gadjid.

    Parameters
    ----------
    true, learned
        Graphs over the same nodes, matched by name, both DAGs or both CPDAGs (a `Dag` is taken as it is here, since an
        effect depends on directions: for classes, give ``dag.cpdag``).
    strategy
        Which set the learned graph proposes for t: "ancestor", "parent" or "optimal" (the O-set). It
        proposes no effect if y is no descendant of t in the learned graph ("parent": if y is a parent of t, so that for
        DAGs this is `sid`), and no set if the effect cannot be identified there.

    >>> chain = Dag.from_parents({"a": [], "b": ["a"], "c": ["b"]})
    >>> adjustment_distance(chain, chain).share
    0.0
    """
    if strategy not in get_args(Strategy):
        raise UnknownNameError(suggestion("strategy", str(strategy), get_args(Strategy)))
    name = "oset_aid" if strategy == "optimal" else f"{strategy}_aid"
    return _distance(name, true, learned)


def _distance(name: str, true: Graph, learned: Graph) -> AdjustmentDistance:
    if isinstance(true, Dag) != isinstance(learned, Dag):
        raise GraphError("both graphs must be DAGs, or both CPDAGs; dag.cpdag is the class of a DAG.")
    second = match_nodes(true, learned)
    function: Any = getattr(_gadjid(), name)
    _, mistakes = function(_matrix(true), _matrix(second), edge_direction="from row to column")
    return AdjustmentDistance(int(mistakes), true.n_nodes * (true.n_nodes - 1))


def _matrix(graph: Graph) -> NDArray[np.int8]:
    entries = graph.to_adjacency().astype(np.int8)
    if isinstance(graph, Dag):
        return entries * DIRECTED
    both = (entries & entries.T).astype(bool)
    # An undirected edge is there once.
    return np.where(np.triu(both), UNDIRECTED, np.where(both, 0, entries * DIRECTED)).astype(np.int8)


def _gadjid() -> Any:
    try:
        import gadjid
    except ImportError:
        raise OptionError(
            "adjustment distances need gadjid, which is not installed: pip install gadjid, or pip install "
            "'arcwise[adjustment]'."
        ) from None
    return gadjid

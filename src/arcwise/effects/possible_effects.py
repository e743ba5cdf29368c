"""`possible_effects`: the range of an effect within one class of equivalent networks (IDA).

Networks of one class fit the data equally well and differ in the parents of x. Every set of parents that x has in some
member gives one estimate of P(y | do(x)); together they are what the class holds possible (Maathuis, Kalisch and
Buehlmann 2009). Which sets these are is asked of the class itself: those whose arcs, closed under Meek's rules, have an
extension that is a member, so that known directions count, too (Perkovic, Kalisch and Maathuis 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import GraphError, OptionError
from arcwise.base.showing import ShowsFrame
from arcwise.data.dataset import Dataset
from arcwise.effects.effect import LEVEL, Mixture
from arcwise.effects.search import Strata, check_effect_options, marginal_moments, usable_cases
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import bits

if TYPE_CHECKING:
    import pandas as pd


# A variable with more open edges has more sets of parents than anybody looks at.
MOST_OPEN = 20


@dataclass(frozen=True, eq=False)
class PossibleEffects(ShowsFrame):
    """P(y | do(x)) for every set of parents that x has in some network of a class.

    Parameters
    ----------
    cause, outcome, cause_states, outcome_states
        x and y, and their states.
    parents
        The possible sets of parents of x.
    is_cause
        For each, whether x then is an ancestor of y.
    mean, low, high
        For each, P(y = s | do(x = a)), at [set, a, s], with its interval.
    """

    cause: str
    outcome: str
    cause_states: tuple[str, ...]
    outcome_states: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]
    is_cause: tuple[bool, ...]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest mean of P(y = s | do(x = a)) over the class, at [a, s]."""
        return self.mean.min(axis=0), self.mean.max(axis=0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per possible set of parents, state of x and state of y."""
        import pandas as pd

        k, a, s = np.indices(self.mean.shape).reshape(3, -1)
        return pd.DataFrame(
            {
                "parents": [", ".join(self.parents[i]) for i in k],
                "is_cause": [self.is_cause[i] for i in k],
                self.cause: [self.cause_states[i] for i in a],
                self.outcome: [self.outcome_states[i] for i in s],
                "if_set": self.mean.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )

    def __repr__(self) -> str:
        causes = sum(self.is_cause)
        return (
            f"PossibleEffects({self.cause} on {self.outcome}: {len(self.parents)} possible sets of parents, "
            f"an effect with {causes})"
        )


def possible_parents(graph: Dag | Pdag, node: str) -> Iterator[tuple[tuple[str, ...], Dag]]:
    """Yield every set of parents that a node has in some network of a class, with one such network.

    A DAG stands for its Markov class; a graph with undirected edges for the networks that extend it.
    """
    members = graph.cpdag if isinstance(graph, Dag) else graph
    v = members.index(node)
    free = members.neighbour_masks[v]
    if free.bit_count() > MOST_OPEN:
        raise OptionError(
            f"'{node}' has {free.bit_count()} edges without a direction; the sets of parents of at most {MOST_OPEN} "
            "are listed. Direct some of them by constraints."
        )
    target = members.extend().cpdag
    adjacent = [
        p | c | u for p, c, u in zip(members.parent_masks, members.child_masks, members.neighbour_masks, strict=True)
    ]
    for chosen in _cliques(free, adjacent):
        parents, neighbours = list(members.parent_masks), list(members.neighbour_masks)
        neighbours[v] = 0
        parents[v] |= chosen
        for u in bits(free):
            neighbours[u] &= ~(1 << v)
            if not chosen >> u & 1:
                parents[u] |= 1 << v
        try:
            closed = Pdag(members.names, [list(bits(p)) for p in parents], [list(bits(u)) for u in neighbours]).close()
            found = closed.extend()
        except GraphError:
            continue
        if found.cpdag == target:
            yield found.parents_of(node), found


def _cliques(nodes: int, adjacent: list[int]) -> Iterator[int]:
    """Yield all sets of nodes that are pairwise adjacent, the empty one first: others would make a v-structure."""
    stack = [(0, nodes)]
    while stack:
        chosen, left = stack.pop()
        yield chosen
        stack += [(chosen | 1 << u, left & adjacent[u] & ~((2 << u) - 1)) for u in sorted(bits(left), reverse=True)]


def possible_effects(
    graph: Dag | Pdag,
    data: Dataset,
    cause: str,
    outcome: str,
    *,
    level: float = LEVEL,
    ess: float = 1.0,
    copies: int = 1,
) -> PossibleEffects:
    """Return P(y | do(x)) for every set of parents that x has in some network of the class of a graph.

    It assumes that the class is the right one, and that no common cause is missing from the data. Where x is no
    ancestor of y, P(y | do(x)) is P(y).

    Parameters
    ----------
    graph
        A DAG, which stands for its Markov class; or a graph with undirected edges, such as `ConsensusNetwork.cpdag`.
    data, cause, outcome, level, ess, copies
        As in `find_effect`.
    """
    check_effect_options(data, (cause, outcome), level, ess, copies)
    if set(graph.names) != set(data.names):
        raise OptionError("the graph and the data have different variables.")
    told = usable_cases(data, cause)
    x, y = data.index(cause), data.index(outcome)
    sets, causes, means, variances = [], [], [], []
    shape = int(data.arities[x]), int(data.arities[y])
    for parents, member in sorted(possible_parents(graph, cause), key=lambda own: (len(own[0]), own[0])):
        sets.append(parents)
        causes.append(outcome in member.descendants(cause))
        if causes[-1]:
            found = Strata(told, x, [data.index(p) for p in parents], ess, copies).estimate(y).of_states
        else:
            found = marginal_moments(told, y, ess, copies)
        share, spread = found.over()
        means.append(np.broadcast_to(share, shape))
        variances.append(np.broadcast_to(spread, shape))
    mean = np.array(means)
    ends = Mixture(np.ones(1), mean[None], np.array(variances)[None]).interval(level)
    return PossibleEffects(cause, outcome, data.states[x], data.states[y], tuple(sets), tuple(causes), mean, *ends)

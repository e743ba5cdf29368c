"""What the page needs to answer "and if I know this?": an order of elimination, or answers that are made beforehand.

The page propagates evidence through a junction tree of its own (`assets/script/junction_tree.js`), exactly. Where that
tree, or the tables for it, would be too much for a page, the distribution of every variable given each single state of
every other is computed here instead; and where that is too much, too, the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arcwise.defaults import MANY_VARIABLES
from arcwise.errors import OptionError
from arcwise.model import BayesianNetwork
from arcwise.report.content.evidence import EvidencePlan

__all__ = ["elimination_order", "plan_evidence"]

# Cells of the page's junction tree: 20 bytes each, and some hundredths of a second for two million.
MOST_CELLS = 2_000_000
# Numbers in all tables together: 13 bytes each in the file.
MOST_PARAMETERS = 20_000
# States of all variables together up to which answers are made beforehand: their square is the number of numbers.
MOST_STATES = 220
# Cells of a clique up to which these are made.
MOST_PREPARED = 2**20


def elimination_order(arities: Sequence[int], parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], int]:
    """Return an order of the variables and how many cells the tree that it makes has: smallest next clique first.

    >>> elimination_order([2, 2, 2], [[], [0], [1]])
    ((0, 1, 2), 10)
    """
    near: list[set[int]] = [set() for _ in arities]
    for child, own in enumerate(parents):
        family = {child, *own}
        for v in family:
            near[v] |= family - {v}
    weights = [math.prod([arities[u] for u in (v, *near[v])]) for v in range(len(arities))]
    left, order, cells = set(range(len(arities))), [], 0
    while left:
        v = min(left, key=lambda u: (weights[u], u))
        left.remove(v)
        order.append(v)
        cells += weights[v]
        for u in near[v]:
            near[u] = (near[u] | near[v]) - {u, v}
        for u in near[v]:
            weights[u] = math.prod([arities[w] for w in (u, *near[u])])
    return tuple(order), cells


def plan_evidence(network: BayesianNetwork) -> EvidencePlan:
    """Say how the page answers questions about evidence."""
    arities = [int(arity) for arity in network.arities]
    parameters = sum(table.size for table in network.tables)
    if len(arities) > MANY_VARIABLES:
        return EvidencePlan(
            refusal=f"The network has more than {MANY_VARIABLES} variables, too many for that here. Ask it by `arcwise "
            "query`."
        )
    order, cells = elimination_order(arities, network.dag.parents)
    if cells <= MOST_CELLS and parameters <= MOST_PARAMETERS:
        return EvidencePlan(order=order)
    why = (
        f"its junction tree has {cells:,} cells, and a page carries {MOST_CELLS:,}"
        if cells > MOST_CELLS
        else f"its tables have {parameters:,} numbers, and a page carries {MOST_PARAMETERS:,}"
    )
    if sum(arities) > MOST_STATES:
        return EvidencePlan(refusal=f"The network is too large for that here: {why}. Ask it by `arcwise query`.")
    try:
        given = _given_single_states(network)
    except OptionError:
        return EvidencePlan(refusal=f"The network is too large for that: {why}.")
    return EvidencePlan(
        refusal=f"One state at a time: {why}. `arcwise query` answers questions about several.", given=given
    )


def _given_single_states(network: BayesianNetwork) -> tuple[tuple[float, ...], ...]:
    """Return the probability of every state given each: rows are what is known, in the order of the variables."""
    rows = []
    for name, states in zip(network.names, network.states, strict=True):
        for known in states:
            found = network.marginals({name: known}, max_cells=MOST_PREPARED, progress=False)
            row: list[float] = []
            for other, own in zip(network.names, network.states, strict=True):
                if other == name:
                    row += [float(state == known) for state in own]
                else:
                    row += [round(float(p), 4) for p in found[other].probabilities]
            rows.append(tuple(row))
    return tuple(rows)

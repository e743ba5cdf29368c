"""The last look before a network is written: no file may break what the analyst has said.

Every stage keeps the constraints by itself. If one of them ever did not, it must not be found out by a reader of the
file: what is written goes through `assert_obeys` first.
"""

from __future__ import annotations

from arcwise.graph.bitset import bits
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag

__all__ = ["assert_obeys", "broken_rules"]


def broken_rules(graph: Dag | Pdag, constraints: Constraints) -> list[str]:
    """Return one sentence for every constraint that a graph breaks.

    An undirected edge breaks a constraint if one of its directions does.

    >>> broken_rules(Pdag.from_edges(["a", "b"], edges=[("a", "b")]), Constraints(["a", "b"], tiers=[["a"], ["b"]]))
    ['b -> a is not allowed']
    """
    if isinstance(graph, Dag):
        return constraints.violations(graph)
    if graph.names != constraints.names:
        graph = graph.reorder(constraints.names)
    names, found = constraints.names, []
    for v, (parents, neighbours) in enumerate(zip(graph.parent_masks, graph.neighbour_masks, strict=True)):
        missing = constraints.required_masks[v] & ~parents
        wrong = constraints.forbidden_masks[v] & (parents | neighbours)
        found += [f"{names[p]} -> {names[v]} is missing" for p in bits(missing)]
        found += [f"{names[p]} -> {names[v]} is not allowed" for p in bits(wrong)]
        if parents.bit_count() > constraints.limits[v]:
            found.append(f"'{names[v]}' has {parents.bit_count()} parents, at most {constraints.limits[v]} are allowed")
    return found


def assert_obeys(graph: Dag | Pdag, constraints: Constraints | None) -> None:
    """Raise an AssertionError if a graph that is about to be written breaks a constraint: a defect of arcwise."""
    broken = [] if constraints is None else broken_rules(graph, constraints)
    if broken:
        raise AssertionError(f"a network was not written, for it breaks a constraint: {broken[0]}")

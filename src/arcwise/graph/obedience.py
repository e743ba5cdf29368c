"""The last look before a network is written: no file may break what the analyst has said.

Every stage keeps the constraints by itself. If one of them ever did not, it must not be found out by a reader of the
file: what is written goes through `assert_obeys` first.
"""

from __future__ import annotations

import itertools

from arcwise.errors import GraphError
from arcwise.graph.bitset import bits
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag

__all__ = ["assert_obeys", "broken_rules"]

MOST_OPEN = 10  # of so many undirected edges all ways are looked at


def broken_rules(graph: Dag | Pdag, constraints: Constraints) -> list[str]:
    """Return one sentence for every constraint that a graph breaks.

    An undirected edge breaks a constraint if one of its directions does. Who leads to whom is asked of every way of
    directing the undirected edges that closes no cycle and makes no new v-structure; of more than a few edges, not all
    ways are looked at, and the graph is taken to break the constraint.

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
    return found + (_broken_paths(graph, constraints) if constraints.is_ancestral and not found else [])


def _broken_paths(graph: Pdag, constraints: Constraints) -> list[str]:
    """Return what the first way of directing the undirected edges breaks that leads where it must not, or fails to."""
    edges = [(graph.names.index(a), graph.names.index(b)) for a, b in graph.edges]
    if len(edges) > MOST_OPEN:
        return [f"{len(edges)} undirected edges leave open which variable leads to which"]
    for turned in itertools.product((False, True), repeat=len(edges)):
        parents = [set(own) for own in graph.parents]
        for (a, b), is_turned in zip(edges, turned, strict=True):
            parents[a if is_turned else b].add(b if is_turned else a)
        try:
            dag = Dag(graph.names, parents)
        except GraphError:
            continue
        if _has_new_v_structure(graph, dag):
            continue
        if broken := constraints.violations(dag):
            return broken
    return []


def _has_new_v_structure(graph: Pdag, dag: Dag) -> bool:
    joined = [set(parents) | set(children) for parents, children in zip(dag.parents, dag.children, strict=True)]
    return any(
        b not in joined[a] and not {a, b} <= set(graph.parents[v])
        for v, parents in enumerate(dag.parents)
        for a, b in itertools.combinations(parents, 2)
    )


def assert_obeys(graph: Dag | Pdag, constraints: Constraints | None) -> None:
    """Raise an AssertionError if a graph that is about to be written breaks a constraint: a defect of arcwise."""
    broken = [] if constraints is None else broken_rules(graph, constraints)
    if broken:
        raise AssertionError(f"a network was not written, for it breaks a constraint: {broken[0]}")

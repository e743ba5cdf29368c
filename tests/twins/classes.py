"""Equivalence classes of networks in plain Python: the twins of native kernels."""

from __future__ import annotations

from arcwise.graph import Dag, FixedPairs


def compelled_parents_twin(dag: Dag) -> list[int]:
    """Return the compelled parents of each node as bit sets: what the native kernel is compared with.

    Chickering (UAI 1995, Figure 4), all arcs into a node at once: see cpp/core/graph/cpdag.cpp.
    """
    parents = dag.parent_masks
    rank = {v: position for position, v in enumerate(dag.topological_order)}
    compelled = [0] * dag.n_nodes
    for y in dag.topological_order:
        if dag.parents[y]:
            x = max(dag.parents[y], key=rank.__getitem__)
            everything = compelled[x] & ~parents[y] or parents[y] & ~parents[x] & ~(1 << x)
            compelled[y] = parents[y] if everything else compelled[x]
    return compelled


def class_key_twin(dag: Dag, fixed: FixedPairs | None = None) -> tuple[int, int]:
    """Return the key of a DAG's class, in Python: what the native kernel is compared with."""
    low = high = 0
    directed_parents = compelled_parents_twin(dag) if fixed is None else fixed.class_of(dag).parent_masks
    for child, strong in enumerate(directed_parents):
        for parent in dag.parents[child]:
            directed = strong >> parent & 1
            tail, head = (parent, child) if directed else (min(parent, child), max(parent, child))
            edge = tail << 32 | head << 1 | directed
            low += _mix(edge + 0x9E3779B97F4A7C15)
            high += _mix(edge + 0xD1B54A32D192ED03)
    return low % 2**64, high % 2**64


def _mix(value: int) -> int:
    value %= 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31

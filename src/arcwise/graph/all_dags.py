"""Every DAG over a few nodes, once each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from arcwise.errors import GraphError
from arcwise.graph.bitset import bits
from arcwise.graph.dag import Dag

__all__ = ["all_dags", "all_parent_masks"]

MOST_NODES = 6  # 3,781,503 DAGs; seven nodes have 1,138,779,265


def all_dags(names: Sequence[str]) -> Iterator[Dag]:
    """Yield every DAG over the given nodes once: 1, 3, 25, 543, 29,281 and 3,781,503 for one to six nodes."""
    for masks in all_parent_masks(len(names)):
        yield Dag(names, [list(bits(mask)) for mask in masks])


def all_parent_masks(n_nodes: int) -> Iterator[tuple[int, ...]]:
    """Yield every DAG over positions 0 to n_nodes - 1 as the bit sets of the parents of each node.

    Robinson's decomposition: the nodes without parents are the first layer; those that have none once it is removed
    the second, and so on. A node has a parent in the layer just before its own, and any set of earlier ones.
    """
    if not 0 <= n_nodes <= MOST_NODES:
        raise GraphError(f"the DAGs over {n_nodes} nodes are too many to list; at most {MOST_NODES} nodes are allowed.")
    parents = [0] * n_nodes
    yield from _layers(parents, (1 << n_nodes) - 1, 0, 0)


def _layers(parents: list[int], left: int, last: int, earlier: int) -> Iterator[tuple[int, ...]]:
    if not left:
        yield tuple(parents)
        return
    nodes = list(bits(left))
    above = [0] if not last else [a | b for a in _subsets(last) if a for b in _subsets(earlier)]
    for size in range(1, len(nodes) + 1):
        for layer in combinations(nodes, size):
            here = sum(1 << v for v in layer)
            for choice in product(above, repeat=size):
                for v, mask in zip(layer, choice, strict=True):
                    parents[v] = mask
                yield from _layers(parents, left & ~here, here, earlier | last)


def _subsets(mask: int) -> Iterator[int]:
    subset = mask
    while True:
        yield subset
        if not subset:
            return
        subset = (subset - 1) & mask

"""Where chains begin: at the best network known, at a local optimum, at a network of resampled data, at no arcs at all.

R-hat can only notice what the starts make visible: chains that begin in the same valley agree whether or not there is
another one. So every fourth chain begins at the same kind of place. A local optimum is what a short search over orders
(Teyssier & Koller 2005) comes to from a random order of its own; the best network, at which the first chain begins, is
the best of these, and every fourth chain after it begins at its own. Networks of resampled data are given by who has
the data; without them, chains begin at local optima instead.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ConstraintError
from arcwise.base.run import Run, Status, native_seed
from arcwise.graph.dag import Dag
from arcwise.parent_sets.candidate_sets import candidate_sets
from arcwise.parent_sets.table import ParentSetTable

# Iterations of a search over orders. One takes some n^2 steps: beyond SMALL variables there are fewer, and starts cost
# no more than there; from a random order, the first already comes to a local optimum.
ITERATIONS, SMALL = 300, 40
MOST_SEARCHED = 1000  # rows of a variable
# The kinds of starts, by number of the chain modulo 4.
BEST, LOCAL, RESAMPLED, EMPTY = range(4)


def starting_networks(
    table: ParentSetTable,
    chains: int,
    seed: int,
    run: Run | None = None,
    resampled: Sequence[Dag] = (),
) -> NDArray[np.uint32]:
    """Return, for every chain and node, the row of the node that the chain begins with, counted within the node."""
    part, kept = _searched(table)
    sets = candidate_sets(part)
    search = _core.local.OrderSearch(sets, native_seed(seed, purpose=1))
    known = _core.exact.feasible_order(sets)
    if known.size < table.n_variables:
        raise ConstraintError("the parent sets of the table, or the constraints, leave no network without a cycle.")
    fallback = search.evaluate(known)[1]
    found = _local_optima(search, table.n_variables, chains, seed, run or Run())
    starts = [
        (kept[sets.origins[fallback if rows is None else rows]] - table.node_offsets[:-1]).astype(np.int64)
        for rows in found
    ]
    firsts = table.node_offsets[:-1]
    starts[BEST] = max(starts, key=lambda rows: float(table.scores[firsts + rows].sum()))
    for chain in range(chains):
        other = None
        if chain % 4 == RESAMPLED and chain // 4 < len(resampled):
            other = _nearest_rows(table, resampled[chain // 4])
        elif chain % 4 == EMPTY:
            other = _empty_rows(table)
        starts[chain] = starts[chain] if other is None else other
    return np.asarray(starts, dtype=np.uint32).reshape(chains, table.n_variables)


def _searched(table: ParentSetTable) -> tuple[ParentSetTable, NDArray[np.int64]]:
    """Return the part of a table that searches look at, and its rows: of many, the best, and the smallest.

    A variable's smallest set are its required parents, and those of all variables are a network: some are in the part.
    """
    every = np.arange(table.n_rows)
    per_node = np.diff(table.node_offsets)
    ranks = every - np.repeat(table.node_offsets[:-1], per_node)
    sizes = np.diff(table.set_offsets)
    smallest = np.repeat(np.minimum.reduceat(sizes, table.node_offsets[:-1]), per_node)
    chosen = (ranks < MOST_SEARCHED) | (sizes <= smallest + 1)
    if chosen.all():
        return table, every
    return (
        dataclasses.replace(
            table,
            node_offsets=np.concatenate([[0], np.cumsum(chosen)])[table.node_offsets].astype(np.int64),
            scores=table.scores[chosen],
            set_offsets=np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64),
            members=table.members[np.repeat(chosen, sizes)],
        ),
        every[chosen],
    )


def _local_optima(search: Any, n_variables: int, chains: int, seed: int, run: Run) -> list[NDArray[np.int64] | None]:
    """Search from a random order for each chain; None where required arcs are turned round, or time is over."""
    random = np.random.default_rng([seed, 1])
    most = max(1, ITERATIONS * SMALL**2 // max(SMALL, n_variables) ** 2)
    found: list[NDArray[np.int64] | None] = []
    for _ in range(chains):
        order = random.permutation(n_variables).astype(np.int32)
        (_, rows, _, missing), reason = search.iterate(order, most, most + 1, run.seconds_left, None)
        if Status.from_native(reason) is Status.INTERRUPTED:
            raise KeyboardInterrupt
        found.append(None if missing else rows)
    return found


def _empty_rows(table: ParentSetTable) -> NDArray[np.int64] | None:
    """Return the rows without parents; None if some variable must have some."""
    bare = np.flatnonzero(np.diff(table.set_offsets) == 0)
    nodes = np.searchsorted(table.node_offsets, bare, side="right") - 1
    if not np.array_equal(nodes, np.arange(table.n_variables)):
        return None
    return np.asarray(bare - table.node_offsets[:-1])


def _nearest_rows(table: ParentSetTable, dag: Dag) -> NDArray[np.int64] | None:
    """Return, for each variable, the best row of the table whose parents the DAG has: part of a DAG is a DAG."""
    found = []
    for v, mask in enumerate(dag.parent_masks):
        rows = table.rows_of(v)
        within = (row - rows.start for row in rows if all(mask >> parent & 1 for parent in table.parents_of(row)))
        found.append(next(within, None))
    return None if None in found else np.array(found, dtype=np.int64)


# What chains on a pruned table cannot see, bounded.
#
# A table with slack T lacks a parent set P of v only if one of its subsets Q, which the table has, scores better by
# more than T. Putting Q in the place of P turns each network with P into one with Q (fewer arcs close no cycle), no
# two into the same one, and makes it more than exp(T) times as probable. So the posterior probability that v has the
# parents P is below exp(-T) times that of Q, and the probability of any set that is missing is below their number
# times exp(-T): sums over families, as in the bounds of arXiv 2604.10863 for restricted search spaces, but without a
# sum over networks.


# The share of the posterior that the table of chains may lack.
LEFT_OUT = 1e-3


def count_families(n_variables: int, max_parents: int | None) -> int:
    """Return how many parent sets all variables have together, within the limit."""
    most = n_variables - 1 if max_parents is None else min(max_parents, n_variables - 1)
    return n_variables * sum(math.comb(n_variables - 1, size) for size in range(most + 1))


def slack_for(n_variables: int, max_parents: int | None, share: float = LEFT_OUT) -> float:
    """Return the slack of a table that lacks at most this share of the posterior.

    >>> round(slack_for(37, 3), 2)
    19.48
    """
    return math.log(count_families(n_variables, max_parents) / share)


def left_out(table: ParentSetTable, n_rows: int) -> float:
    """Return a bound on the share of the posterior that has a family which the table lacks, of `n_rows` at first.

    Among the networks within the table's parent limit and constraints. NaN if the table does not say what it holds.
    """
    if math.isinf(table.slack):
        return 0.0
    missing = count_families(table.n_variables, table.max_parents) - n_rows
    return min(1.0, missing * math.exp(-table.slack)) if missing > 0 else 0.0

"""What chains on a pruned table cannot see, bounded.

A table with slack T lacks a parent set P of v only if one of its subsets Q, which the table has, scores better by more
than T. Putting Q in the place of P turns each network with P into one with Q (fewer arcs close no cycle), no two into
the same one, and makes it more than exp(T) times as probable. So the posterior probability that v has the parents P is
below exp(-T) times that of Q, and the probability of any set that is missing is below their number times exp(-T): sums
over families, as in the bounds of arXiv 2604.10863 for restricted search spaces, but without a sum over networks.
"""

from __future__ import annotations

import math

from arcwise.parent_sets import ParentSetTable

__all__ = ["LEFT_OUT", "count_families", "left_out", "slack_for"]

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

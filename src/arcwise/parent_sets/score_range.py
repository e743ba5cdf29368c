"""Which scores a table may have, and what is done about large ones.

Everything that is found about networks, optima, credible sets and their shares, depends on differences of scores. A
double has 16 digits: of the scores of two networks near 10^10 that differ by 1, six digits of the difference are left,
which is what posterior weights need; of larger ones there are not enough. So the range that is supported ends there
(ten million rows of five hundred variables), and a table beyond it is refused (`ParentSetTable.validate`). Inside it,
scores that are large are centred: each variable's best score is subtracted from its rows before a search adds them up,
which changes all networks by the same constant. Small ones are taken as they are.

What an exact search compares with absolute tolerances (some 1e-7, as its linear programs are solved) is measured in a
unit of its own: a power of two, 1 unless rows of a variable differ by more than a million.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from arcwise.parent_sets.table import ParentSetTable

__all__ = ["centred", "scaled"]

CENTRED_FROM = 1e7
LARGEST_DIFFERENCE = 2.0**20


def centred(table: ParentSetTable) -> tuple[ParentSetTable, float]:
    """Return a table whose differences of scores keep their digits, and the total that was subtracted."""
    best = table.scores[table.node_offsets[:-1]]
    if float(np.abs(best).sum()) < CENTRED_FROM:
        return table, 0.0
    shifted = table.scores - np.repeat(best, np.diff(table.node_offsets))
    return dataclasses.replace(table, scores=shifted), math.fsum(best.tolist())


def scaled(table: ParentSetTable) -> tuple[ParentSetTable, float, float]:
    """Return a table in which no row falls short of its variable's best by much more than a million.

    A score of the given table is ``constant + unit * score`` of the one returned; the unit is a power of two, so that
    nothing is rounded.
    """
    near, constant = centred(table)
    best = near.scores[near.node_offsets[:-1]]
    worst = near.scores[near.node_offsets[1:] - 1]
    largest = float((best - worst).max(initial=0.0))
    if largest <= LARGEST_DIFFERENCE:
        return near, constant, 1.0
    unit = 2.0 ** math.ceil(math.log2(largest / LARGEST_DIFFERENCE))
    return dataclasses.replace(near, scores=near.scores / unit), constant, unit

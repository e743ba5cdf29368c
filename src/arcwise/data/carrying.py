"""How many states the rows of a data set can carry.

A family of a variable with one parent of two states has twice as many cells as the variable has states. Where the rows
give fewer than `FEWEST_PER_CELL` to each of them on average, no score can tell an edge from chance, and scores that
reward fit find one with certainty: whatever is said about such a column, it is never learned from. (The audit warns
much earlier, from Cochran's five on; up to twenty states nothing is said.)
"""

from __future__ import annotations

__all__ = ["FEWEST_PER_CELL", "MAX_LEVELS", "most_states"]

# A column of numbers with more distinct values is taken to be a quantity, not a set of categories.
MAX_LEVELS = 20
FEWEST_PER_CELL = 2


def most_states(rows: int, per_cell: int = FEWEST_PER_CELL) -> int:
    """Return how many states a variable may have with so many rows.

    >>> most_states(60), most_states(2000)
    (20, 500)
    """
    return max(MAX_LEVELS, rows // (2 * per_cell))

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.model import elimination
from arcwise.model.elimination import EliminationOrder, find_elimination_order

scopes = st.lists(st.sets(st.integers(0, 8), min_size=1, max_size=4), min_size=1, max_size=8)


def simulate(tables: list[set[int]], order: EliminationOrder, arities: dict[int, int]) -> tuple[int, int]:
    """Eliminate step by step on the scopes themselves: the largest table, and the sum."""
    largest = total = 1
    for v in order.variables:
        bucket = set().union(*(scope for scope in tables if v in scope))
        tables = [*(scope for scope in tables if v not in scope), bucket - {v}]
        cells = math.prod(arities[u] for u in bucket)
        largest, total = max(largest, cells), total + cells
    return largest, total


@pytest.mark.parametrize("limit", [None, 0])  # 0: as if every table were large, so that all rules and restarts run
@given(tables=scopes, keep=st.sets(st.integers(0, 8), max_size=3))
def test_an_order_eliminates_everything_else_at_the_cost_it_says(
    limit: int | None, tables: list[set[int]], keep: set[int]
) -> None:
    arities = {v: 2 + v % 3 for v in range(9)}
    with pytest.MonkeyPatch.context() as patch:
        if limit is not None:
            patch.setattr(elimination, "SMALL", limit)
            patch.setattr(elimination, "LARGE", limit)
            patch.setattr(elimination, "RESTARTS", 2)
        order = find_elimination_order(tables, keep, arities)
        assert order == find_elimination_order(tables, keep, arities)
    assert sorted(order.variables) == sorted(set().union(*tables) - keep)
    assert (order.largest, order.total) == simulate(tables, order, arities)


def test_a_chain_and_a_grid_are_eliminated_with_small_tables() -> None:
    chain = [{i, i + 1} for i in range(100)]
    assert find_elimination_order(chain, [0], dict.fromkeys(range(101), 2)).largest == 4
    side = 6
    grid = [{i * side + j, i * side + j + 1} for i in range(side) for j in range(side - 1)]
    grid += [{i * side + j, (i + 1) * side + j} for i in range(side - 1) for j in range(side)]
    # The treewidth of the grid is its side: no order does better than tables of side + 1 variables.
    assert (
        2 ** (side + 1) <= find_elimination_order(grid, [], dict.fromkeys(range(side**2), 2)).largest <= 2 ** (side + 2)
    )

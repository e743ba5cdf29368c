"""Random tables for the tests of searches, and a Hypothesis strategy for them."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from arcwise.parent_sets import ParentSetTable


def random_table(
    n: int,
    *,
    sets: int,
    seed: int,
    largest: int = 4,
    digits: int | None = None,
    with_empty: bool = True,
    reach: int | None = None,
) -> ParentSetTable:
    """A table with about `sets` random parent sets per node; few digits make ties, a small reach makes it sparse."""
    rng = np.random.default_rng(seed)
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v and (reach is None or abs(u - v) <= reach)]
        rows: dict[tuple[int, ...], float] = {(): -float(rng.gamma(2.0, 10.0)) - 20.0} if with_empty else {}
        while len(rows) < sets:
            size = int(rng.integers(1, min(largest, len(others)) + 1)) if others else 0
            chosen = tuple(sorted(rng.choice(others, size=size, replace=False).tolist())) if others else ()
            rows.setdefault(chosen, -float(rng.gamma(2.0, 10.0)))
            if len(rows) >= 2 ** len(others):
                break
        entries.append(
            [(score if digits is None else round(score, digits), parents) for parents, score in rows.items()]
        )
    return ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries)


# The best score of `hard_table()`, which a search without limits proves in about a quarter of a minute.
HARD_OPTIMUM = -256.6689254346345


def hard_table() -> ParentSetTable:
    """A table whose search takes long enough to be stopped by limits and signals."""
    return random_table(80, sets=30, seed=1)


@st.composite
def tables(draw: st.DrawFn, largest: int = 5, with_empty: bool = False) -> ParentSetTable:
    """Small tables with any sets and with integer or real scores."""
    n = draw(st.integers(1, largest))
    score = draw(
        st.sampled_from([st.integers(-20, 0).map(float), st.floats(-1e3, 1e3, allow_nan=False, allow_infinity=False)])
    )
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        all_sets = [c for size in range(len(others) + 1) for c in itertools.combinations(others, size)]
        chosen = draw(st.lists(st.sampled_from(all_sets), min_size=1, max_size=6, unique=True))
        if with_empty and () not in chosen:
            chosen.append(())
        entries.append([(draw(score), parents) for parents in chosen])
    return ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries)

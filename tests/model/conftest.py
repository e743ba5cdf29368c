"""Networks that the tests of this stage share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from arcwise.graph import Dag
from arcwise.model import BayesianNetwork


@st.composite
def random_networks(
    draw: st.DrawFn,
    *,
    max_variables: int = 5,
    min_states: int = 1,
    max_states: int = 4,
    undefined: bool = False,
    names: st.SearchStrategy[str] | None = None,
) -> BayesianNetwork:
    """A small network with any structure; entries may be 0 and, on demand, rows undefined and names odd."""
    n = draw(st.integers(1, max_variables))
    words = names if names is not None else st.text("abcdefgh", min_size=1, max_size=4)
    labels = draw(st.lists(words, min_size=n, max_size=n, unique=True))
    states = [draw(st.lists(words, min_size=min_states, max_size=max_states, unique=True)) for _ in range(n)]
    order = draw(st.permutations(range(n)))
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, child in enumerate(order):
        parents[child] = [p for p in order[:position] if draw(st.booleans())]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tables = []
    for v in range(n):
        q = int(np.prod([len(states[p]) for p in parents[v]], dtype=int))
        table = rng.dirichlet(np.full(len(states[v]), 0.7), size=q)
        table[rng.random(table.shape) < 0.1] = 0
        table[table.sum(axis=1) == 0, 0] = 1
        table /= table.sum(axis=1, keepdims=True)
        if undefined:
            table[rng.random(q) < 0.2] = np.nan
        tables.append(table)
    return BayesianNetwork(Dag(labels, parents), states, tables)


@pytest.fixture
def sprinkler() -> BayesianNetwork:
    """Rain and sprinkler wet the grass."""
    return BayesianNetwork(
        Dag.from_arcs(
            ["cloudy", "sprinkler", "rain", "wet"],
            [("cloudy", "sprinkler"), ("cloudy", "rain"), ("sprinkler", "wet"), ("rain", "wet")],
        ),
        [["no", "yes"]] * 4,
        {
            "cloudy": [[0.5, 0.5]],
            "sprinkler": [[0.5, 0.5], [0.9, 0.1]],
            "rain": [[0.8, 0.2], [0.2, 0.8]],
            "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
        },
    )

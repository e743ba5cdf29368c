"""Walks over networks: native against its twin, and their stationary distribution."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.structure_walk import arc_gain_twin, walk_twin

from arcwise.data import Dataset, Incomplete
from arcwise.graph import Constraints
from arcwise.graph.random_dags import all_dags
from arcwise.sampled.completions import Evidence, Moves, StructureWalk
from arcwise.scores import make_score

NAMES = ("a", "b", "c", "d")


def random_data(seed: int, *, rows: int = 40, share: float = 0.3, wide: int = 3) -> Incomplete:
    """Four variables that depend on each other, with gaps; d was set in every fifth row."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, wide + 1, size=4)
    codes = np.stack([rng.integers(0, r, rows) for r in arities])
    copied = rng.random(rows) < 0.7
    codes[1, copied] = codes[0, copied] % arities[1]
    data = Dataset.from_codes(codes.T, names=NAMES, states=[[str(k) for k in range(r)] for r in arities])
    missing = rng.random((4, rows)) < share
    missing[:, 0] = False
    was_set = np.arange(rows) % 5 == 4
    missing[3, was_set] = False
    return Incomplete(data.with_targets(["d" if one else None for one in was_set]), missing)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**31), whole=st.booleans(), wide=st.sampled_from([3, 300]))
def test_native_walks_are_those_of_the_twin(seed: int, whole: bool, wide: int) -> None:
    """With up to 300 states, tables are too large to be dense."""
    data = random_data(seed, wide=wide)
    rules = Constraints(NAMES, required=[("c", "d")], forbidden=[("a", "c")], max_parents=2)
    evidence = Evidence(data.held.codes, data.arities, data.cell_flags, 1.0, whole_families=whole)
    moves = Moves.draw(4, 60, np.random.default_rng(seed))
    walk = StructureWalk(rules)
    found = walk.make(list(walk.required), evidence, moves)
    assert found == walk_twin(walk, list(walk.required), evidence, moves)
    assert found[3] >> 2 & 1
    assert not found[2] & 1


def test_what_an_arc_gains_is_a_difference_of_scores_over_the_cases_that_show_it() -> None:
    data = random_data(3)
    evidence = Evidence(data.held.codes, data.arities, data.cell_flags, 2.0)
    rows = (data.cell_flags[3] == 0) & (data.cell_flags[0] == 0)
    some = Dataset(np.ascontiguousarray(data.held.codes[:, rows]), data.names, data.states)
    more, fewer = make_score("bdeu:ess=2").score_families(some, [(3, (0, 1)), (3, (1,))])
    assert arc_gain_twin(evidence, 3, 0b10, 0) == pytest.approx(more - fewer)


def test_networks_are_visited_as_often_as_their_posterior_says() -> None:
    """Three variables without gaps: 25 networks, whose shares in a long walk are compared with BDeu's."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (12, 3))
    codes[:, 1] = np.where(rng.random(12) < 0.7, codes[:, 0], codes[:, 1])
    data = Dataset.from_codes(codes, names=NAMES[:3], states=[["0", "1"]] * 3)
    gappy = Incomplete(data, np.zeros((3, 12), dtype=bool))
    walk = StructureWalk(Constraints(NAMES[:3]))
    evidence = Evidence(data.codes, data.arities, gappy.cell_flags, 1.0)
    visits: Counter[tuple[int, ...]] = Counter()
    now = list(walk.required)
    for _ in range(8000):
        now = walk.walk(now, evidence, 6, rng)
        visits[tuple(now)] += 1
    score = make_score("bdeu:ess=1")
    dags = [tuple(sum(1 << p for p in own) for own in dag.parents) for dag in all_dags(data.names)]
    values = np.array([score.score_network(data, dag) for dag in all_dags(data.names)])
    expected = np.exp(values - values.max())
    expected /= expected.sum()
    np.testing.assert_allclose([visits[dag] / 8000 for dag in dags], expected, atol=0.02)


def test_an_arc_whose_ends_are_never_seen_together_is_not_made() -> None:
    codes = np.array(list(itertools.product([0, 1], repeat=2)) * 5)
    data = Dataset.from_codes(codes, names=NAMES[:2], states=[["0", "1"]] * 2)
    missing = np.zeros((2, 20), dtype=bool)
    missing[0, :10] = True
    missing[1, 10:] = True
    gappy = Incomplete(data, missing)
    walk = StructureWalk(Constraints(NAMES[:2]))
    evidence = Evidence(data.codes, data.arities, gappy.cell_flags, 1.0)
    assert walk.walk(list(walk.required), evidence, 200, np.random.default_rng(1)) == [0, 0]

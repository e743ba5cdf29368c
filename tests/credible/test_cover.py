"""A credible set made in parts is the set: against the filter over all DAGs, and against the set made at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise import _core
from arcwise._core.credible import NetworkDiagram
from arcwise.credible import diagram as credible_diagram
from arcwise.credible import parts as credible_cover
from arcwise.data import read_data
from arcwise.ensemble import count_credible, find_credible, k_best
from arcwise.exact.relaxation import BranchAndBound, LpSolution
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.progress import ProgressEvent

join = _core.credible.join_diagrams


class Joined:
    """How many parts each set had that was made in parts."""

    def __init__(self) -> None:
        self.parts: list[int] = []

    def __call__(self, diagrams: list[NetworkDiagram], slack: float) -> NetworkDiagram:
        self.parts.append(len(diagrams))
        return join(diagrams, slack)


def force_cover(patch: pytest.MonkeyPatch) -> Joined:
    """Let no trial succeed: everything that has a gap is made in parts."""
    joined = Joined()
    patch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    patch.setattr(credible_cover, "ROOT_BYTES", 1)
    patch.setattr(credible_cover, "NODE_BYTES", 1)
    patch.setattr(_core.credible, "join_diagrams", joined)
    return joined


def force_branching(patch: pytest.MonkeyPatch, seed: int) -> Joined:
    """Relaxations of small problems have no gap: branch on any arc nevertheless, until chance says no."""
    rng = np.random.default_rng(seed)

    def choose(
        self: BranchAndBound, solution: LpSolution, allowed: NDArray[np.uint8], bound: float
    ) -> tuple[int, int, float] | None:
        if rng.random() < 0.2:
            return None
        arcs = rng.permutation(list(itertools.permutations(range(self.sets.variables), 2)))
        for parent, child in arcs.tolist():
            sides = [_core.exact.impose_arc(self.sets, allowed, parent, child, side) for side in (True, False)]
            rows = slice(self.sets.offsets[child], self.sets.offsets[child + 1])
            if all(side[rows].any() for side in sides):
                return parent, child, 0.5
        return None

    patch.setattr(credible_cover, "TIGHT", -math.inf)
    patch.setattr(LpSolution, "is_integral", False)
    patch.setattr(BranchAndBound, "_choose", choose)
    return force_cover(patch)


@cache
def all_dags(n: int) -> NDArray[np.int64]:
    """The parent masks of all DAGs with n nodes, one row per DAG."""
    found: set[tuple[int, ...]] = set()
    for order in itertools.permutations(range(n)):
        before = [sum(1 << u for u in order[: order.index(v)]) for v in range(n)]
        found.update(itertools.product(*([m for m in range(1 << n) if m & ~before[v] == 0] for v in range(n))))
    return np.array(sorted(found))


def members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def make_table(n: int, score: NDArray[np.float64]) -> ParentSetTable:
    """A table of all parent sets; score[v, mask] is v's score with the parents in the mask."""
    entries = [[(float(score[v, m]), members(m)) for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


@st.composite
def scores(draw: st.DrawFn) -> NDArray[np.float64]:
    """Scores for which relaxations have gaps: noise, pairs of parents better than one, ties now and then."""
    n = draw(st.sampled_from([3, 4, 5]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    score = rng.normal(scale=2.0, size=(n, 1 << n))
    score += draw(st.sampled_from([0.0, 2.0])) * np.array([m.bit_count() == 2 for m in range(1 << n)])
    return np.round(score * 2) / 2 if draw(st.booleans()) else score


def filtered(score: NDArray[np.float64], slack: float, allowed: NDArray[np.bool_]) -> dict[str, float]:
    n = len(score)
    dags = all_dags(n)
    total = np.where(allowed, sum(score[v, dags[:, v]] for v in range(n)), -np.inf)
    keep = total >= total.max() - slack - 1e-9
    return {str(dag): value for dag, value in zip(dags[keep].tolist(), total[keep].tolist(), strict=True)}


@settings(max_examples=50)
@given(
    score=scores(),
    slack=st.sampled_from([0.0, 0.5, 1.0, 2.9957, 5.0106, 12.0]),
    seed=st.integers(0, 999),
    choice=st.data(),
)
def test_the_set_is_the_filter_over_all_dags(
    score: NDArray[np.float64], slack: float, seed: int, choice: st.DataObject
) -> None:
    n = len(score)
    table, dags = make_table(n, score), all_dags(n)
    a, b = choice.draw(st.sampled_from(list(itertools.permutations(range(n), 2))))
    rule = choice.draw(st.sampled_from(["none", "forbidden", "required", "limit"]))
    allowed = np.ones(len(dags), dtype=bool)
    constraints = None
    if rule in ("forbidden", "required"):
        allowed = (dags[:, b] >> a & 1) == (rule == "required")
        constraints = Constraints(table.names, **{rule: [(table.names[a], table.names[b])]})
    elif rule == "limit":
        allowed = np.array([max(int(m).bit_count() for m in dag) <= 1 for dag in dags])
        constraints = Constraints(table.names, max_parents=1)
    expected = filtered(score, slack, allowed)
    with pytest.MonkeyPatch.context() as patch:
        force_branching(patch, seed)
        counted = count_credible(table, log_slack=slack, constraints=constraints)
        found = find_credible(table, log_slack=slack, constraints=constraints) if len(expected) < 3000 else None
    assert counted.count == len(expected)
    best = max(expected.values())
    assert counted.opt == pytest.approx(best)
    assert counted.log_mass == pytest.approx(math.log(sum(math.exp(s - best) for s in expected.values())))
    if found is not None:
        listed = [str([sum(1 << p for p in ps) for ps in found.parents(i)]) for i in range(found.count)]
        assert len(set(listed)) == len(listed), "a network is listed twice"
        assert dict(zip(listed, found.scores.tolist(), strict=True)) == pytest.approx(expected)
        assert (np.diff(found.scores) <= 0).all()


def test_tables_like_those_above_have_several_parts() -> None:
    parts: list[int] = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        score = rng.normal(scale=2.0, size=(5, 32)) + 2.0 * np.array([m.bit_count() == 2 for m in range(32)])
        with pytest.MonkeyPatch.context() as patch:
            joined = force_branching(patch, seed)
            count_credible(make_table(5, score), log_slack=5.0)
        parts.extend(joined.parts)
    assert max(parts) >= 3
    assert sum(number > 1 for number in parts) >= 10


@settings(max_examples=30)
@given(n=st.sampled_from([4, 5]), seed=st.integers(0, 2**32 - 1), slack=st.sampled_from([0.0, 1.0, 4.0]))
def test_classes_are_those_of_the_dags(n: int, seed: int, slack: float) -> None:
    # A score that is a difference of one set function gives equivalent DAGs the same value.
    g = np.random.default_rng(seed).normal(scale=1.5, size=1 << n)
    score = np.array([[g[m | 1 << v] - g[m] for m in range(1 << n)] for v in range(n)])
    table = make_table(n, score).vouched(equivalent=True)
    with pytest.MonkeyPatch.context() as patch:
        force_branching(patch, seed % 1000)
        classes = [dag.cpdag for dag in find_credible(table, log_slack=slack, by="mec")]
    assert len(set(classes)) == len(classes), "a class is listed twice"
    assert set(classes) == {dag.cpdag for dag in find_credible(table, log_slack=slack)}


@pytest.fixture(scope="module")
def autos(shared: Path) -> ParentSetTable:
    data = read_data(shared / "data" / "liao2019" / "autos.csv.gz", categorical=True)
    return build_parent_sets(data, "bic", slack=math.log(20))


@pytest.mark.parametrize(
    ("factor", "dags", "classes"), [(3, 560, 200), pytest.param(20, 50_374, 17_186, marks=pytest.mark.slow)]
)
def test_autos_in_parts(autos: ParentSetTable, factor: int, dags: int, classes: int) -> None:
    # Liao Table 3.1; the classes are those of the set made at once.
    at_once = count_credible(autos, bayes_factor=factor)
    with pytest.MonkeyPatch.context() as patch:
        joined = force_cover(patch)
        in_parts = count_credible(autos, bayes_factor=factor, classes=True)
    assert joined.parts[0] > 1
    assert (at_once.count, in_parts.count, in_parts.class_count) == (dags, dags, classes)
    assert in_parts.log_mass == pytest.approx(at_once.log_mass)
    for weights in ("posterior", "equal"):
        np.testing.assert_allclose(in_parts.arc_probabilities(weights), at_once.arc_probabilities(weights), atol=1e-9)


def test_the_best_come_first(autos: ParentSetTable) -> None:
    at_once = k_best(autos, 100)
    with pytest.MonkeyPatch.context() as patch:
        joined = force_cover(patch)
        in_parts = k_best(autos, 100)
    assert max(joined.parts) > 1
    np.testing.assert_allclose(in_parts.scores, at_once.scores)


def stages(events: list[ProgressEvent]) -> Iterator[str]:
    return (event.stage for event in events)


def test_limits_are_a_status(autos: ParentSetTable) -> None:
    events: list[ProgressEvent] = []

    def stop_in_the_tree(event: ProgressEvent) -> None:
        events.append(event)
        if event.stage == "credible set: bound" and event.done > 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        force_cover(patch)
        assert count_credible(autos, bayes_factor=3, progress=stop_in_the_tree).status is Status.INTERRUPTED
        assert "credible set: bound" in stages(events)
        assert find_credible(autos, bayes_factor=3, limits=Limits(seconds=0.7)).status is Status.TIME_LIMIT
        # Nodes of the tree are no networks.
        some = find_credible(autos, bayes_factor=3, limits=Limits(count=2))
        assert (some.status, some.count) == (Status.COUNT_LIMIT, 2)
        assert find_credible(autos, bayes_factor=3, limits=Limits(memory_bytes=2000)).status is Status.MEMORY_LIMIT

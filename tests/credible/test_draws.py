"""`CredibleSet.sample`: draws in the proportions of the listed sets, the same as those of a twin in plain Python."""

from __future__ import annotations

import bisect
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare
from tests.credible.test_cover import force_branching
from tests.twins.local_search import _Xoshiro

from arcwise import datasets
from arcwise.base.run import Run, native_seed
from arcwise.confidence import edge_confidence
from arcwise.credible import listing
from arcwise.credible.diagram import CredibleDiagram
from arcwise.ensemble import CredibleSet, NetworkSet, concatenate
from arcwise.errors import OptionError, UnfinishedError, UnknownNameError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.networks.network_list import Weighting
from arcwise.parent_sets import ParentSetTable, build_parent_sets

WEIGHTS: tuple[Weighting, Weighting] = ("posterior", "equal")
DRAWS = 20_000


def random_table(n: int, seed: int, scale: float = 1.0, sets: int = 4) -> ParentSetTable:
    rng = np.random.default_rng(seed)
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        known = [*((u,) for u in others), *itertools.combinations(others, 2)]
        kept = [(), *(known[i] for i in rng.choice(len(known), size=min(sets, len(known)), replace=False))]
        entries.append([(float(rng.normal(scale=scale)), parents) for parents in kept])
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


def assert_in_proportion(found: CredibleSet, weights: Weighting, seed: int) -> None:
    listed = found.networks()
    expected = np.exp(listed.weights_by(weights)) * DRAWS
    drawn = found.sample(DRAWS, weights=weights, seed=seed)
    assert (drawn.count, drawn.status) == (DRAWS, Status.COMPLETE)
    _, first, repeats = np.unique(drawn.choices, axis=0, return_index=True, return_counts=True)
    times = {drawn.parents(i): count for i, count in zip(first.tolist(), repeats.tolist(), strict=True)}
    members = [listed.parents(i) for i in range(listed.count)]
    known = dict(zip(members, listed.scores.tolist(), strict=True))
    assert times.keys() <= known.keys(), "a network that is not in the set"
    assert all(drawn.scores[i] == pytest.approx(known[drawn.parents(i)], abs=1e-9) for i in first)
    observed = np.array([times.get(member, 0) for member in members], dtype=np.float64)
    rare = expected < 5  # too few for the chi-square distribution: counted together
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if len(expected) > 1:
        assert chisquare(observed, expected).pvalue > 1e-4


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("n", "seed", "slack"), [(1, 0, 1.0), (3, 1, 2.0), (4, 2, 1.5), (5, 3, 3.0), (6, 4, 2.0), (7, 5, 1.2)]
)
@pytest.mark.parametrize("parts", [False, True])
def test_draws_are_in_the_proportions_of_the_list(
    monkeypatch: pytest.MonkeyPatch, n: int, seed: int, slack: float, weights: Weighting, parts: bool
) -> None:
    if parts:
        force_branching(monkeypatch, seed)
    assert_in_proportion(CredibleSet.build(random_table(n, seed), log_slack=slack), weights, seed)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_draws_of_real_data_are_in_the_proportions_of_the_list(weights: Weighting) -> None:
    table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(20))
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.sample(1000, weights="equal", seed=1).facts["proposals"] > 1000, "no path leaves the slack"
    assert_in_proportion(found, weights, 1)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_draws_satisfy_the_constraints(weights: Weighting) -> None:
    table = random_table(5, 11)
    a, b, c = table.names[:3]
    constraints = Constraints(table.names, forbidden=[(a, b), (c, a)], max_parents=1)
    found = CredibleSet.build(table, log_slack=3.0, constraints=constraints)
    assert_in_proportion(found, weights, 2)
    drawn = found.sample(500, weights=weights, seed=3)
    assert all(constraints.allows_dag(dag) for dag in drawn)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_draws_of_a_set_that_is_not_listed_have_its_shares(weights: Weighting) -> None:
    """Half a million networks among 120 million paths: the shares of the arcs are within 5 standard errors."""
    found = CredibleSet.build(random_table(11, 8, sets=9), log_slack=5.0)
    assert found.count > 500_000
    drawn = found.sample(DRAWS, weights=weights, seed=5)
    assert (drawn.scores >= found.opt - found.slack - found.tolerance).all()
    exact = found.arc_probabilities(weights)
    error = np.sqrt(exact * (1 - exact) / DRAWS)
    assert (np.abs(drawn.arc_probabilities() - exact) <= 5 * error + 1e-3).all()
    assert drawn.facts["proposals"] < 20 * DRAWS, "the exponent of the proposals is badly chosen"


# -- the twin ---------------------------------------------------------------------------------------------------------


def exponent_twin(diagram: CredibleDiagram, power: float, slack: float) -> float:
    """The exponent at which the mean loss of the proposals is the slack, or `power` if it is less there."""
    high = power
    if backward(diagram, high)[1] <= slack:
        return high
    low, step = high, 1.0
    while step < 2.0**60 and backward(diagram, high)[1] > slack:
        low, high, step = high, power + step, 2 * step
    for _ in range(8):
        middle = (low + high) / 2
        mean = backward(diagram, middle)[1]
        if mean > slack:
            low = middle
            continue
        high = middle
        if mean >= 0.98 * slack:
            break
    return high


def backward(diagram: CredibleDiagram, t: float) -> tuple[list[list[float]], float]:
    """For each state, the chances of its edges, added up; and the mean loss of a walk."""
    begin, target, _, detour = (a.tolist() for a in diagram.native.edge_arrays())
    states = len(begin) - 1
    log_mass, mean = [0.0] * states, [0.0] * states
    chances: list[list[float]] = [[] for _ in range(states)]
    for s in reversed(range(diagram.native.layer_begin[diagram.native.nodes])):
        edges = range(begin[s], begin[s + 1])
        logs = [log_mass[target[e]] - t * detour[e] for e in edges]
        weights = [math.exp(log - max(logs)) for log in logs]
        sums = list(itertools.accumulate(weights))
        chances[s] = [part / sums[-1] for part in sums]
        log_mass[s] = max(logs) + math.log(sums[-1])
        losses = itertools.accumulate(w * (detour[e] + mean[target[e]]) for w, e in zip(weights, edges, strict=True))
        mean[s] = list(losses)[-1] / sums[-1]
    return chances, mean[0]


def draws_twin(diagram: CredibleDiagram, count: int, by_score: bool, seed: int) -> tuple[list[list[int]], list[float]]:
    """The row of the table of each node, per draw, and the losses."""
    random = _Xoshiro(seed)

    def uniform() -> float:
        return (random._next() >> 11) * 2.0**-53

    begin, target, row, detour = (a.tolist() for a in diagram.native.edge_arrays())
    power, slack = float(by_score), min(diagram.slack + diagram.tolerance, diagram.native.slack)
    t = exponent_twin(diagram, power, slack)
    chances, _ = backward(diagram, t)
    networks: list[list[int]] = []
    kept: list[float] = []
    while len(networks) < count:
        state, loss, taken = 0, 0.0, []
        for _ in range(diagram.native.nodes):
            edge = begin[state] + bisect.bisect_right(chances[state], uniform())
            taken.append(row[edge])
            loss += detour[edge]
            state = target[edge]
            if loss > slack:
                break
        if loss <= slack and (t == power or uniform() < math.exp((t - power) * (loss - slack))):
            networks.append(sorted(taken))  # the rows of a node come before those of the next
            kept.append(loss)
    return networks, kept


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    slack=st.sampled_from([0.0, 0.7, 2.0, 4.0]),
    by_score=st.booleans(),
    parts=st.booleans(),
)
def test_the_twin_draws_the_same_networks(n: int, seed: int, slack: float, by_score: bool, parts: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if parts:
            force_branching(patch, seed)
        diagram = CredibleSet.build(random_table(n, seed), log_slack=slack).diagram()
    found, _ = listing.draw_networks(diagram, 50, by_score=by_score, seed=seed, run=Run())
    networks, losses = draws_twin(diagram, 50, by_score, native_seed(seed))
    rows: NDArray[Any] = found.choices.astype(np.int64) + diagram.table.node_offsets[:-1]
    assert rows.tolist() == networks
    assert found.losses.tolist() == losses


# -- what it says ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> CredibleSet:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(20))
    return CredibleSet.build(table, bayes_factor=20)


def test_draws_depend_on_the_seed_alone(found: CredibleSet) -> None:
    drawn = found.sample(300, seed=7)
    again = found.sample(300, seed=7)
    assert list(drawn) == list(again)
    assert list(found.sample(100, seed=7)) == list(drawn)[:100]
    assert list(found.sample(300, seed=8)) != list(drawn)
    fresh = found.sample(300)
    assert list(found.sample(300, seed=fresh.facts["seed"])) == list(fresh)
    one, two = (found.sample(50, seed=np.random.default_rng(3)) for _ in range(2))
    assert list(one) == list(two)


def test_draws_are_a_sample_with_equal_weights(found: CredibleSet, tmp_path: Path) -> None:
    drawn = found.sample(400, seed=1)
    assert (drawn.origin, drawn.recipe, drawn.opt) == ("draws", found.recipe, found.opt)
    assert (drawn.facts["drawn_by"], drawn.facts["by"]) == ("posterior", "dag")
    np.testing.assert_allclose(drawn.weights, 1 / 400)
    for networks in (drawn, concatenate([drawn, found.sample(10, seed=2)])):
        confidence = edge_confidence(networks)
        assert not confidence.exact
        p = confidence.present
        np.testing.assert_allclose(confidence.standard_error, np.sqrt(p * (1 - p) / networks.count))
        assert (np.abs(p - edge_confidence(found).present) <= 5 * confidence.standard_error + 0.02).all()
    drawn.save(tmp_path / "drawn.arcn")
    read = NetworkSet.load(tmp_path / "drawn.arcn")
    assert (read.origin, list(read), read.facts["seed"]) == ("draws", list(drawn), 1)


def test_limits_of_draws_show_in_the_status(found: CredibleSet) -> None:
    counted = found.sample(100, seed=1, limits=Limits(count=30))
    assert (counted.count, counted.status) == (30, Status.COUNT_LIMIT)
    assert list(counted) == list(found.sample(100, seed=1))[:30]
    timed = found.sample(10**9, seed=1, limits=Limits(seconds=0.2))
    assert timed.status is Status.TIME_LIMIT
    assert 0 < timed.count < 10**9
    small = found.sample(10**6, seed=1, limits=Limits(memory_bytes=100_000))
    assert small.status is Status.MEMORY_LIMIT
    assert 0 < small.count < 3000
    table = random_table(6, 1)
    stopped = CredibleSet.build(table, log_slack=1.0, limits=Limits(seconds=1e-9)).sample(5, seed=1)
    assert (stopped.count, stopped.status) == (0, Status.TIME_LIMIT)


def test_ctrl_c_keeps_what_was_drawn(found: CredibleSet) -> None:
    def interrupt(event: object) -> None:
        raise KeyboardInterrupt

    watched = CredibleSet(found.table, found.slack, run=Run(progress=interrupt))
    watched._diagrams["dag"] = found.diagram()
    drawn = watched.sample(10**8, seed=1)
    assert drawn.status is Status.INTERRUPTED
    assert drawn.count < 10**8


def test_hopeless_draws_are_given_up(found: CredibleSet) -> None:
    class Hopeless:
        def draw(self, *arguments: Any) -> tuple[Any, ...]:
            return 0, True, 1_000_000, 0.0, np.empty(0, np.uint32), np.empty(0)

    known = found.diagram()
    diagram = CredibleDiagram(known.table, Hopeless(), 1.0, 0.0, False, Status.COMPLETE)  # type: ignore[arg-type]
    with pytest.raises(UnfinishedError, match=r"of 1,000,000 paths .* 0 are networks of the set.*bayes_factor"):
        listing.draw_networks(diagram, 1, by_score=True, seed=1, run=Run())


def test_options_of_draws_are_checked(found: CredibleSet) -> None:
    with pytest.raises(OptionError, match="at least 1"):
        found.sample(0)
    with pytest.raises(UnknownNameError, match="posterior"):
        found.sample(1, weights="posteriors")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seed"):
        found.sample(1, seed=-1)


def test_a_credible_set_is_a_frame_of_arcs(found: CredibleSet) -> None:
    frame = found.to_frame()
    assert list(frame) == ["from", "to", "probability"]
    assert frame.equals(found.summary().to_frame())

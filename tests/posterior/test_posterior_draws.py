"""Draws from the whole posterior: in the proportions of all DAGs, by the twin's decisions, within limits."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare
from tests.contracts.test_scores import Make, every_score
from tests.oracles import all_dags
from tests.posterior.test_exact_posterior import four_columns, random_table
from tests.twins.dag_sampler import DagSamplerTwin
from tests.twins.local_search import _Xoshiro

from arcwise import datasets
from arcwise.base.run import native_seed
from arcwise.confidence import edge_confidence
from arcwise.ensemble import NetworkSet, class_sizes, exact_posterior
from arcwise.errors import OptionError, UnfinishedError
from arcwise.graph import Beliefs, Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.posterior.exact import draw_bytes
from arcwise.progress import ProgressEvent
from arcwise.scores import make_score

MASK = 2**64 - 1


def arc_codes(drawn: NetworkSet) -> NDArray[np.int64]:
    """Return, for each network, a number that its arcs follow from."""
    n, families = drawn.n_variables, drawn.families
    weights = np.array([sum(1 << p for p in parents) for parents in families.parent_tuples], dtype=np.int64)
    total = np.zeros(drawn.count, dtype=np.int64)
    for v in range(n):
        total |= weights[int(families.node_offsets[v]) + drawn.choices[:, v].astype(np.int64)] << (n * v)
    return total


def assert_in_proportion(table: ParentSetTable, draws: int, seed: int, constraints: Constraints | None = None) -> None:
    found = exact_posterior(table, constraints=constraints)
    drawn = found.sample(draws, seed=seed)
    assert (drawn.count, drawn.status) == (draws, Status.COMPLETE)
    kept = found.table
    n = kept.n_variables
    scores = [
        {sum(1 << p for p in kept.parents_of(row)): float(kept.scores[row]) for row in kept.rows_of(v)}
        for v in range(n)
    ]
    masks = all_dags.parent_masks(n)
    logs = np.array([sum(scores[v].get(int(m), -math.inf) for v, m in enumerate(dag)) for dag in masks])
    codes = np.array([sum(int(m) << (n * v) for v, m in enumerate(dag)) for dag in masks], dtype=np.int64)
    expected = np.exp(logs - found.log_total) * draws
    seen, counts = np.unique(arc_codes(drawn), return_counts=True)
    times = dict(zip(seen.tolist(), counts.tolist(), strict=True))
    assert set(times) <= set(codes[np.isfinite(logs)].tolist())
    observed = np.array([times.get(code, 0) for code in codes.tolist()], dtype=np.float64)
    rare = expected < 5  # too few for the chi-square distribution: counted together
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    expected *= observed.sum() / expected.sum()
    if expected[-1] == 0:
        observed, expected = observed[:-1], expected[:-1]
    if len(expected) > 1:
        assert chisquare(observed, expected).pvalue > 1e-4
    first = {code: i for i, code in reversed(list(enumerate(arc_codes(drawn).tolist())))}
    known = dict(zip(codes.tolist(), logs.tolist(), strict=True))
    assert all(drawn.scores[i] == pytest.approx(known[code], abs=1e-9) for code, i in first.items())


@pytest.mark.parametrize(
    ("n", "scale", "gaps"), [(1, 1.0, 0.0), (2, 1.0, 0.0), (3, 1.0, 0.0), (4, 0.0, 0.0), (4, 2.0, 0.5)]
)
def test_draws_are_in_the_proportions_of_all_dags(n: int, scale: float, gaps: float) -> None:
    assert_in_proportion(random_table(n, 7 + n, scale, gaps), 100_000, 1)


def test_a_million_draws_of_five_variables() -> None:
    assert_in_proportion(random_table(5, 3, 1.0), 1_000_000, 2)


@every_score
def test_draws_of_every_score(make: Make) -> None:
    data = four_columns().take(np.arange(60))
    assert_in_proportion(build_parent_sets(data, make(data), slack=math.inf), 20_000, 3)


def test_draws_obey_priors_and_constraints() -> None:
    data = datasets.load("balance-scale").take(np.arange(0, 625, 12))
    a, b, c, d, e = data.names
    rules = Constraints(data.names, required=[(a, b)], forbidden=[(c, d)], max_parents=2)
    score = make_score("bdeu:ess=1", beliefs=Beliefs(arcs={(b, c): 9, (e, a): 0.25}))
    table = build_parent_sets(data, score, slack=math.inf)
    assert_in_proportion(table, 50_000, 4, rules)
    drawn = exact_posterior(table, constraints=rules).sample(300, seed=1)
    assert all(rules.allows_dag(dag) for dag in drawn)
    assert drawn.obeyed is not None
    assert drawn.obeyed.describe() == rules.describe()


def test_frequencies_of_twelve_variables_are_the_sums() -> None:
    table = random_table(12, 1, 2.0)
    found = exact_posterior(table)
    draws = 20_000
    drawn = found.sample(draws, seed=1)
    few = drawn[:2000]
    reached = np.zeros((12, 12))
    for dag in few:
        for v in range(12):
            reached[[table.names.index(name) for name in dag.ancestors(v)], v] += 1 / few.count
    for seen, exact, number in (
        (drawn.arc_probabilities(), found.arc_probabilities(), draws),
        (reached, found.ancestor_probabilities(), few.count),
    ):
        assert (np.abs(seen - exact) <= 5 * np.sqrt(exact * (1 - exact) / number) + 1e-4).all()


@settings(max_examples=40)
@given(
    n=st.sampled_from([1, 2, 3, 4, 5]),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1.0, 10.0]),
    gaps=st.sampled_from([0.0, 0.5]),
    cut=st.sampled_from([8.0, 40.0]),
)
def test_the_twin_draws_the_same_networks(n: int, seed: int, scale: float, gaps: float, cut: float) -> None:
    table = random_table(n, seed, scale, gaps)
    drawn = exact_posterior(table, cut=cut).sample(12, seed=seed)
    twin = DagSamplerTwin(table, cut)
    first = native_seed(seed)
    for i, dag in enumerate(drawn):
        random = _Xoshiro(mixed((first + i) & MASK))
        rows = twin.draw(lambda: (random._next() >> 11) * 2.0**-53)  # noqa: B023
        parents = [sum(1 << p for p in table.parents_of(int(table.node_offsets[v]) + r)) for v, r in enumerate(rows)]
        assert list(dag.parent_masks) == parents


def mixed(z: int) -> int:
    """Xoshiro::mix."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_draws_depend_on_the_seed_alone(tmp_path: Path) -> None:
    found = exact_posterior(random_table(9, 5, 2.0))
    drawn = found.sample(500, seed=7)
    assert drawn.origin == "draws"
    again = exact_posterior(found.table).sample(500, seed=7, threads=3)
    for other in (again, found.sample(500, seed=7)):
        assert list(other) == list(drawn)
        assert (other.scores == drawn.scores).all()
    assert list(found.sample(100, seed=7)) == list(drawn)[:100]
    assert list(found.sample(100, seed=8)) != list(drawn)[:100]
    fresh = found.sample(50)
    assert list(found.sample(50, seed=fresh.facts["seed"])) == list(fresh)
    drawn.save(tmp_path / "drawn.arcn")
    assert list(NetworkSet.load(tmp_path / "drawn.arcn")) == list(drawn)


def test_draws_tell_what_sums_do_not() -> None:
    found = exact_posterior(build_parent_sets(datasets.load("balance-scale"), "bdeu:ess=1", slack=math.inf))
    drawn = found.sample(4000, seed=1)
    confidence = edge_confidence(drawn)
    assert not confidence.exact
    p = confidence.present
    np.testing.assert_allclose(confidence.standard_error, np.sqrt(p * (1 - p) / 4000))
    assert (np.abs(p - found.edge_probabilities()) <= 5 * confidence.standard_error + 1e-3).all()
    assert min(class_sizes(drawn)) >= 1


def test_limits_of_draws_show_in_the_status() -> None:
    found = exact_posterior(random_table(10, 1, 1.0))
    counted = found.sample(100, seed=1, limits=Limits(count=30))
    assert (counted.count, counted.status) == (30, Status.COUNT_LIMIT)
    timed = found.sample(10**7, seed=1, limits=Limits(seconds=0.2))
    assert timed.status is Status.TIME_LIMIT
    assert 0 < timed.count < 10**7
    assert list(timed[:50]) == list(found.sample(50, seed=1))
    needed = draw_bytes(found.table)
    small = found.sample(1000, seed=1, limits=Limits(memory_bytes=needed + 4800))
    assert (small.count, small.status) == (100, Status.MEMORY_LIMIT)
    assert found.sample(1, seed=1, limits=Limits(memory_bytes=1000)).status is Status.MEMORY_LIMIT
    fresh = exact_posterior(random_table(12, 1, 1.0))
    stopped = fresh.sample(5, seed=1, limits=Limits(seconds=1e-9))
    assert (stopped.count, stopped.status) == (0, Status.TIME_LIMIT)
    assert fresh.sample(5, seed=1).count == 5


def test_ctrl_c_keeps_what_was_drawn() -> None:
    def stop(event: ProgressEvent) -> None:
        if event.stage == "exact posterior: draws":
            raise KeyboardInterrupt

    drawn = exact_posterior(random_table(9, 1, 1.0)).sample(10**7, seed=1, progress=stop)
    assert drawn.status is Status.INTERRUPTED
    assert drawn.count < 10**7


def test_what_cannot_be_drawn_is_refused() -> None:
    found = exact_posterior(random_table(4, 1, 1.0))
    with pytest.raises(OptionError, match="at least 1"):
        found.sample(0)
    with pytest.raises(OptionError, match="threads="):
        found.sample(1, threads=0)
    stopped = exact_posterior(random_table(12, 1, 1.0), limits=Limits(seconds=1e-6))
    with pytest.raises(UnfinishedError, match="there are no probabilities"):
        stopped.sample(1)


def test_a_posterior_that_was_drawn_from_can_be_pickled() -> None:
    table = build_parent_sets(datasets.load("balance-scale"), "bdeu:ess=1", slack=math.inf, progress=False)
    found = exact_posterior(table)
    drawn = found.sample(50, seed=1)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).sample(50, seed=1).scores, drawn.scores)

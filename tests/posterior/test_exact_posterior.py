"""The exact posterior against all DAGs one by one, its twin, its own certificate, and published numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.test_scores import Make, every_score
from tests.oracles import all_dags
from tests.twins.dag_sums import dag_sums_twin

from arcwise import datasets
from arcwise.data import Dataset, read_data
from arcwise.ensemble import ExactPosterior, count_credible, exact_posterior, find_credible
from arcwise.errors import GuaranteeError, OptionError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.model import BayesianNetwork
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.progress import ProgressEvent


def random_table(n: int, seed: int, scale: float, gaps: float = 0.0) -> ParentSetTable:
    """Random scores for all parent sets; some are left out, but never the empty one."""
    rng = np.random.default_rng(seed)
    entries = [
        [
            (float(scale * rng.normal()), all_dags.members(m))
            for m in range(1 << n)
            if not m >> v & 1 and (m == 0 or rng.random() >= gaps)
        ]
        for v in range(n)
    ]
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


def assert_equals_brute_force(found: ExactPosterior, table: ParentSetTable, tolerance: float = 1e-11) -> None:
    truth = all_dags.posterior(table)
    assert found.log_total == pytest.approx(truth.log_total, rel=1e-12, abs=tolerance)
    np.testing.assert_allclose(found.family_probabilities(), truth.shares, atol=tolerance)
    np.testing.assert_allclose(found.arc_probabilities(), truth.arcs, atol=tolerance)
    np.testing.assert_allclose(found.edge_probabilities(), truth.arcs + truth.arcs.T, atol=tolerance)
    np.testing.assert_allclose(found.ancestor_probabilities(), truth.ancestors, atol=tolerance)
    np.testing.assert_allclose(found.blanket_probabilities(), truth.blankets, atol=tolerance)


@settings(max_examples=60)
@given(
    n=st.sampled_from([1, 2, 3, 4, 5]),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.0, 1.0, 30.0, 3000.0]),
    gaps=st.sampled_from([0.0, 0.5]),
)
def test_posterior_is_the_sum_over_all_dags(n: int, seed: int, scale: float, gaps: float) -> None:
    table = random_table(n, seed, scale, gaps)
    found = exact_posterior(table, blankets=True)
    assert_equals_brute_force(found, table)
    assert found.defect < 1e-12
    assert found.left_out < 1e-9
    truth = all_dags.posterior(table)
    for slack in (0.5, 3.0):
        share = pytest.approx(truth.mass_within(slack))
        assert found.covered_by(find_credible(table, log_slack=slack)) == share
        assert found.covered_by(count_credible(table, log_slack=slack)) == share


@settings(max_examples=60)
@given(
    n=st.sampled_from([1, 2, 3, 4, 5]),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.0, 1.0, 5.0, 20.0]),
    cut=st.sampled_from([0.5, 3.0, 10.0, 600.0]),
)
def test_native_sums_are_those_of_the_twin(n: int, seed: int, scale: float, cut: float) -> None:
    table = random_table(n, seed, scale, gaps=0.2)
    try:
        twin = dag_sums_twin(table, cut)
    except ValueError:  # a small cut may leave a sum that is not positive
        with pytest.raises(OptionError, match="Raise cut"):
            exact_posterior(table, cut=cut)
        return
    found = exact_posterior(table, cut=cut)
    assert found.n_terms == twin.terms
    assert found.log_total == pytest.approx(twin.log_total, rel=1e-11, abs=1e-11)
    np.testing.assert_allclose(found.ancestor_probabilities(), twin.ancestors.clip(0, 1), atol=1e-10)
    shares = twin.shares.clip(0)
    for v in range(n):
        rows = slice(*table.node_offsets[v : v + 2])
        shares[rows] /= shares[rows].sum()
    np.testing.assert_allclose(found.family_probabilities(), shares, atol=1e-10)


@settings(max_examples=60)
@given(n=st.sampled_from([3, 4, 5]), seed=st.integers(0, 2**32 - 1), cut=st.sampled_from([4.0, 8.0, 12.0, 20.0]))
def test_certificate_bounds_the_error_of_every_number(n: int, seed: int, cut: float) -> None:
    table = random_table(n, seed, 8.0)
    try:
        found = exact_posterior(table, cut=cut, blankets=True)
    except OptionError as error:
        assert "Raise cut" in str(error)
        return
    truth = all_dags.posterior(table)
    if math.isfinite(found.left_out):
        assert abs(math.expm1(found.log_total - truth.log_total)) <= found.left_out * (1 + 1e-6) + 1e-12
        assert_equals_brute_force(
            replace(found, totals=replace(found.totals, log_total=truth.log_total)),  # type: ignore[type-var]
            table,
            found.largest_error + 1e-12,
        )
        assert "moves no probability by more than" in found.certificate()
    else:
        assert found.largest_error == 1.0
        assert "Raise cut" in found.certificate()


def four_columns() -> Dataset:
    wine = datasets.load("wine")
    return wine.select(wine.names[:4])


@every_score
def test_posterior_of_every_score(make: Make) -> None:
    data = four_columns().take(np.arange(60))
    table = build_parent_sets(data, make(data), slack=math.inf)
    assert_equals_brute_force(exact_posterior(table, blankets=True), table)


def test_posterior_counts_the_dags_of_twelve_nodes_exactly() -> None:
    # All scores 0: the total is the number of labelled DAGs (OEIS A003024).
    n = 12
    entries = [[(0.0, all_dags.members(m)) for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
    found = exact_posterior(table)
    assert found.log_total == pytest.approx(math.log(521939651343829405020504063), rel=1e-14)
    assert found.left_out == 0
    assert found.n_terms == 3**n - 2**n


def test_priors_over_families_are_part_of_the_scores() -> None:
    # A prior that gives each arc the odds 1 to 3, on top of random scores.
    table = random_table(4, 7, 1.0)
    sizes = np.diff(table.set_offsets)
    entries = [
        [(float(table.scores[r] + sizes[r] * math.log(1 / 3)), table.parents_of(r)) for r in table.rows_of(v)]
        for v in range(4)
    ]
    sparse = ParentSetTable.from_lists(table.names, entries, slack=math.inf)
    assert_equals_brute_force(exact_posterior(sparse, blankets=True), sparse)
    assert exact_posterior(sparse).arc_probabilities().sum() < exact_posterior(table).arc_probabilities().sum()


def test_constraints_leave_out_the_dags_that_break_them() -> None:
    table = random_table(5, 3, 2.0)
    constraints = Constraints(table.names, required=[("v0", "v1")], forbidden=[("v2", "v3")])
    found = exact_posterior(table, constraints=constraints, blankets=True)
    assert_equals_brute_force(found, table.filter(constraints))
    assert found.arc_probabilities()[0, 1] == pytest.approx(1)
    assert found.arc_probabilities()[2, 3] == 0
    impossible = ParentSetTable.from_lists(["a", "b"], [[(0.0, [1])], [(0.0, [0])]], slack=math.inf)
    with pytest.raises(OptionError, match="no DAG"):
        exact_posterior(impossible)


def test_many_cases_give_finite_numbers(networks: Path) -> None:
    # Weights relative to each node's best alone fall below every floating-point type here.
    sachs = BayesianNetwork.read_bif(networks / "sachs.bif.gz").sample(20_000, seed=1)
    table = build_parent_sets(sachs, "bdeu:ess=1", slack=math.inf)
    found = exact_posterior(table)
    assert math.isfinite(found.log_total)
    assert found.left_out < 1e-12
    assert np.isfinite(found.arc_probabilities()).all()
    held = [found.covered_by(count_credible(table, log_slack=math.log(factor))) for factor in (20, 1e6, 1e12)]
    assert held[0] <= held[1] <= held[2]
    assert held[2] == pytest.approx(1, abs=1e-6)


def test_share_of_a_credible_set_of_letter(shared: Path) -> None:
    letter = read_data(shared / "data" / "liao2019" / "letter.csv.gz")
    table = build_parent_sets(letter.select(letter.names[:11]), "bdeu:ess=1", slack=math.inf)
    found = exact_posterior(table)
    assert found.covered_by(count_credible(table, log_slack=math.log(1.5))) == pytest.approx(0.48, abs=0.005)
    assert found.covered_by(count_credible(table, log_slack=math.log(20))) == pytest.approx(0.91, abs=0.005)


def test_ten_million_cases() -> None:
    # Each row of a small sample 100,000 times.
    small = four_columns().take(np.arange(100))
    data = replace(small, weights=np.full(small.n_rows, 100_000, dtype=np.int64))
    table = build_parent_sets(data, "bic", slack=math.inf)
    assert_equals_brute_force(exact_posterior(table, blankets=True), table, 1e-6)


def test_a_wider_cut_agrees_within_the_certificate() -> None:
    table = random_table(9, 11, 6.0)
    for cut in (15.0, 25.0, 40.0):
        narrow, wide = exact_posterior(table, cut=cut), exact_posterior(table, cut=cut + 15)
        assert narrow.n_terms < wide.n_terms
        assert math.isfinite(wide.left_out)
        allowed = narrow.largest_error + wide.largest_error + 1e-11
        assert np.abs(narrow.arc_probabilities() - wide.arc_probabilities()).max() <= allowed
        assert np.abs(narrow.ancestor_probabilities() - wide.ancestor_probabilities()).max() <= allowed


def test_sums_of_separate_groups_are_products() -> None:
    """Twenty variables in many blocks of sets: five of each group, far apart, with parents in the group alone."""
    groups = [random_table(5, seed, 30.0) for seed in range(4)]
    entries = [
        [(float(group.scores[row]), [4 * p + g for p in group.parents_of(row)]) for row in group.rows_of(v)]
        for v in range(5)
        for g, group in enumerate(groups)
    ]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(20)], entries, slack=math.inf)
    found, again = exact_posterior(table), exact_posterior(table, threads=3)
    parts = [exact_posterior(group) for group in groups]
    assert found.n_sets < 2**20
    assert found.left_out < 1e-5
    assert found.log_total == pytest.approx(math.fsum(part.log_total for part in parts), abs=1e-9)
    for g, part in enumerate(parts):
        np.testing.assert_allclose(found.arc_probabilities()[g::4, g::4], part.arc_probabilities(), atol=1e-9)
        np.testing.assert_allclose(found.ancestor_probabilities()[g::4, g::4], part.ancestor_probabilities(), atol=1e-9)
    assert again.log_total == found.log_total
    assert again.left_out == found.left_out
    assert (again.family_probabilities() == found.family_probabilities()).all()
    assert (again.ancestor_probabilities() == found.ancestor_probabilities()).all()


def test_threads_change_no_bit() -> None:
    table = random_table(10, 5, 4.0)
    one, three = (exact_posterior(table, threads=threads, cut=15.0, blankets=True) for threads in (1, 3))
    assert one.totals is not None
    assert three.totals is not None
    assert one.log_total == three.log_total
    assert one.left_out == three.left_out
    for field in ("shares", "arcs", "ancestors", "blankets"):
        assert (getattr(one.totals, field) == getattr(three.totals, field)).all()


@pytest.mark.parametrize(
    ("limits", "status"),
    [(Limits(seconds=1e-6), Status.TIME_LIMIT), (Limits(memory_bytes=100_000), Status.MEMORY_LIMIT)],
)
def test_a_stopped_sum_has_no_probabilities(limits: Limits, status: Status) -> None:
    table = random_table(12, 1, 1.0)
    stopped = exact_posterior(table, limits=limits)
    assert stopped.status is status
    assert not stopped.complete
    assert str(status) in repr(stopped)
    assert "GB" in stopped.needed()
    for ask in (
        stopped.family_probabilities,
        stopped.arc_probabilities,
        stopped.edge_probabilities,
        stopped.ancestor_probabilities,
        stopped.blanket_probabilities,
        stopped.certificate,
        lambda: stopped.log_total,
        lambda: stopped.covered_by(find_credible(table, log_slack=0.1)),
    ):
        with pytest.raises(UnfinishedError, match="there are no probabilities"):
            ask()


def test_a_forecast_beyond_the_limit_stops_at_once() -> None:
    table = ParentSetTable.from_lists(
        [f"v{v}" for v in range(20)],
        [[(0.0, ())] + [(0.0, (p,)) for p in range(20) if p != v] for v in range(20)],
        slack=math.inf,
    )
    stopped = exact_posterior(table, limits=Limits(seconds=5))
    assert stopped.status is Status.TIME_LIMIT
    assert stopped.n_terms == pytest.approx(3**20, rel=0.3)
    assert "terms" in stopped.needed()


def test_what_is_out_of_reach_is_told_before_anything_is_done() -> None:
    table = ParentSetTable.from_lists(
        [f"v{v}" for v in range(29)],
        [[(0.0, ())] + [(0.0, (p,)) for p in range(29) if p != v] for v in range(29)],
        slack=math.inf,
    )
    short = exact_posterior(table, limits=Limits(seconds=60, memory_bytes=2**40))
    assert short.status is Status.TIME_LIMIT
    assert "12.9 GB and at least 3.9e+02 s" in short.needed()
    small = exact_posterior(table, limits=Limits(memory_bytes=2**33))
    assert small.status is Status.MEMORY_LIMIT
    with pytest.raises(UnfinishedError, match=r"12\.9 GB"):
        small.arc_probabilities()


def test_ctrl_c_stops_the_sum() -> None:
    events: list[ProgressEvent] = []

    def stop(event: ProgressEvent) -> None:
        events.append(event)
        raise KeyboardInterrupt

    stopped = exact_posterior(random_table(13, 1, 1.0), progress=stop)
    assert stopped.status is Status.INTERRUPTED
    assert events[0].stage == "exact posterior"
    with pytest.raises(UnfinishedError, match="interrupted"):
        stopped.arc_probabilities()


def test_conditions() -> None:
    pruned = ParentSetTable.from_lists(["a", "b"], [[(0.0, [])], [(0.0, []), (1.0, [0])]], slack=1.0)
    with pytest.raises(GuaranteeError, match="all parent sets"):
        exact_posterior(pruned)
    found = exact_posterior(pruned.vouched())
    assert found.arc_probabilities()[0, 1] == pytest.approx(math.e / (1 + math.e))
    assert "ExactPosterior(2 variables" in repr(found)
    with pytest.raises(OptionError, match="blankets=True"):
        found.blanket_probabilities()
    many = ParentSetTable.from_lists([f"v{i}" for i in range(31)], [[(0.0, [])]] * 31, slack=math.inf)
    with pytest.raises(OptionError, match="up to 30"):
        exact_posterior(many)
    with pytest.raises(OptionError, match="cut="):
        exact_posterior(pruned.vouched(), cut=0)
    with pytest.raises(OptionError, match="threads="):
        exact_posterior(pruned.vouched(), threads=0)
    wide = ParentSetTable.from_lists(["a", "b"], [[(0.0, [])], [(0.0, []), (1e9, [0])]], slack=math.inf)
    with pytest.raises(OptionError, match="too far apart"):
        exact_posterior(wide)


def test_networks_of_another_score_are_refused() -> None:
    table = random_table(4, 2, 2.0)
    found = exact_posterior(table)
    better = replace(table, scores=table.scores + 5)
    with pytest.raises(OptionError, match="more than all DAGs"):
        found.covered_by(find_credible(better, log_slack=10.0))
    with pytest.raises(OptionError, match="other variables"):
        found.covered_by(find_credible(random_table(3, 2, 2.0), log_slack=1.0))
    summary = replace(count_credible(table, log_slack=1.0), log_mass=float("nan"))
    with pytest.raises(OptionError, match="no scores"):
        found.covered_by(summary)

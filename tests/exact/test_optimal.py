"""find_optimal against brute force, against itself by other methods, and against published optima."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.tables import HARD_OPTIMUM, hard_table, random_table, tables
from tests.oracles.brute_force_networks import best_score, is_acyclic, networks_within
from tests.oracles.random_constraints import drawn_constraints

from arcwise.errors import ConstraintError, FormatError, OptionError, UnknownNameError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.table import read_jkl

EXACT = ("dp", "branch-and-bound", "ilp", "auto")


def check(table: ParentSetTable, expected: float, **options: object) -> None:
    if expected == -math.inf:
        with pytest.raises(ConstraintError):
            find_optimal(table, **options)  # type: ignore[arg-type]
        return
    result = find_optimal(table, **options)  # type: ignore[arg-type]
    assert result.status is Status.COMPLETE
    assert result.score == pytest.approx(expected, abs=1e-6)
    assert result.gap == 0
    assert is_acyclic([list(p) for p in result.dag.parents])  # type: ignore[misc]


@given(tables())
@settings(max_examples=60)
def test_every_method_agrees_with_brute_force(table: ParentSetTable) -> None:
    expected = best_score(table)
    for method in EXACT:
        check(table, expected, method=method)


@given(tables(with_empty=True), st.data())
@settings(max_examples=60)
def test_every_method_respects_constraints(table: ParentSetTable, data: st.DataObject) -> None:
    constraints = drawn_constraints(table.names, data)
    if constraints is None:
        return
    table = table.vouched()  # these sets are all there are
    expected = best_score(table, constraints)
    for method in EXACT:
        check(table, expected, method=method, constraints=constraints)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [8, 12, 14, 16])
def test_methods_agree_on_random_tables(n: int, seed: int) -> None:
    table = random_table(n, sets=12, seed=seed, digits=1 if seed % 2 else None)
    scores = [find_optimal(table, method=m).score for m in ("dp", "branch-and-bound", "ilp")]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    assert scores[0] == pytest.approx(scores[2], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_methods_agree_without_empty_sets(seed: int) -> None:
    table = random_table(13, sets=25, seed=seed, with_empty=False, largest=3)
    outcomes = []
    for method in ("dp", "branch-and-bound", "ilp"):
        try:
            outcomes.append(round(find_optimal(table, method=method).score, 6))
        except ConstraintError:
            outcomes.append(-math.inf)
    assert len(set(outcomes)) == 1


def test_more_than_64_variables() -> None:
    table = random_table(90, sets=6, seed=1, largest=2, reach=3)
    bound = find_optimal(table, method="branch-and-bound")
    ilp = find_optimal(table, method="ilp")
    assert bound.status is ilp.status is Status.COMPLETE
    assert bound.score == pytest.approx(ilp.score, abs=1e-6)


PUBLISHED = {
    "iris_BIC": -465.435,
    "abalone_BIC": -16171.192,
    "zoo_BIC": -773.486,
    "water1000_BIC": -13290.107,
    "bnslim_child-5000": -62059.5035,
    "bnslim_barley-5000": -294944.9522,
    "bnslim_hailfinder-5000": -252358.1055,
    "bnslim_hepar2-5000": -164432.7558,
    "computed/mildew1000_BIC": -57238.0204,
    "computed/hailfinder100_BIC": -6414.5342,
    "computed/barley1000_BIC": -67699.7275,
    "computed/hailfinder500_BIC": -27777.5544,
    "computed/carpo100_BIC": -2000.2132,
    "computed/sponge_BIC": -2072.6115,
    "computed/flag_BIC": -2748.1052,
    "computed/alarm1000_BIC": -11783.0524,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_optima(shared, name: str) -> None:  # type: ignore[no-untyped-def]
    table = read_jkl(shared / "data" / "scores" / f"{name}.jkl.gz")
    result = find_optimal(table)
    assert result.status is Status.COMPLETE
    assert result.score == pytest.approx(PUBLISHED[name], abs=1e-3)


def test_two_proofs_of_one_published_optimum(shared) -> None:  # type: ignore[no-untyped-def]
    table = read_jkl(shared / "data" / "scores" / "computed" / "hepatitis_BIC.jkl.gz")
    scores = [find_optimal(table, method=method).score for method in ("dp", "branch-and-bound", "ilp")]
    assert scores == pytest.approx([-1322.5842] * 3, abs=1e-3)


def test_dp_threads_give_identical_bits() -> None:
    table = random_table(15, sets=30, seed=3)
    one, two = (find_optimal(table, method="dp", threads=t) for t in (1, 2))
    assert one.dag == two.dag
    assert one.score == two.score


def test_same_seed_same_network() -> None:
    table = random_table(20, sets=20, seed=5, digits=0)
    assert find_optimal(table, seed=4).dag == find_optimal(table, seed=4).dag


@given(tables(largest=4, with_empty=True))
@settings(max_examples=40)
def test_uniqueness_is_never_claimed_wrongly(table: ParentSetTable) -> None:
    for method in ("auto", "branch-and-bound"):
        result = find_optimal(table, method=method)
        if not result.ties_possible:
            assert networks_within(table, 1e-9) == 1


def test_a_unique_optimum_is_recognised() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(-1.0, ()), (-9.0, (1,))], [(-2.0, (0,)), (-5.0, ())]])
    assert not find_optimal(table).ties_possible


def test_limits_are_a_status() -> None:
    table = hard_table()
    short = find_optimal(table, limits=Limits(seconds=0.2))
    assert short.status is Status.TIME_LIMIT
    assert short.score <= HARD_OPTIMUM <= short.upper_bound
    assert short.gap > 0
    few = find_optimal(table, limits=Limits(count=1), method="branch-and-bound")
    assert few.status is Status.COUNT_LIMIT
    assert few.score <= HARD_OPTIMUM <= few.upper_bound


def test_the_memory_limit_stops_dp() -> None:
    table = random_table(16, sets=20, seed=2)
    result = find_optimal(table, method="dp", limits=Limits(memory_bytes=100_000))
    assert result.status is Status.MEMORY_LIMIT
    best = find_optimal(table)
    assert result.score <= best.score + 1e-9
    assert result.upper_bound >= best.score - 1e-9


def test_interruption_returns_the_incumbent() -> None:
    table = hard_table()

    def interrupt(event: object) -> None:
        raise KeyboardInterrupt

    result = find_optimal(table, progress=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.score <= HARD_OPTIMUM <= result.upper_bound


def test_progress_tells_incumbent_bound_and_gap() -> None:
    table = hard_table()
    events = []
    find_optimal(table, progress=events.append, limits=Limits(count=1), method="branch-and-bound")
    details = [event.details for event in events if event.stage == "exact search"]
    assert details
    for detail in details:
        assert detail["incumbent"] <= HARD_OPTIMUM <= detail["bound"] + 1e-6
        assert detail["gap"] == pytest.approx(detail["bound"] - detail["incumbent"])


def test_one_node() -> None:
    table = ParentSetTable.from_lists(["a"], [[(-1.5, ())]])
    result = find_optimal(table)
    assert (result.score, result.dag.arcs, result.ties_possible) == (-1.5, (), False)


def test_a_thousand_nodes_with_one_set_each() -> None:
    entries = [[(-float(v), () if v == 0 else (v - 1,))] for v in range(1000)]
    result = find_optimal(ParentSetTable.from_lists([f"X{v}" for v in range(1000)], entries))
    assert result.status is Status.COMPLETE
    assert result.score == -float(sum(range(1000)))
    assert len(result.dag.arcs) == 999


def test_a_thousand_nodes_in_a_circle() -> None:
    entries = [[(-float(v), ((v - 1) % 1000,))] for v in range(1000)]
    with pytest.raises(ConstraintError, match="every choice of allowed parent sets has a cycle"):
        find_optimal(ParentSetTable.from_lists([f"X{v}" for v in range(1000)], entries))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers(value: float) -> None:
    table = ParentSetTable(
        ("a", "b"),
        np.array([0, 1, 2], dtype=np.int64),
        np.array([-1.0, value]),
        np.array([0, 0, 0], dtype=np.int64),
        np.empty(0, dtype=np.int32),
    )
    with pytest.raises(FormatError, match="'b'"):
        find_optimal(table)


def test_a_node_without_sets() -> None:
    table = ParentSetTable(
        ("a", "b"),
        np.array([0, 1, 1], dtype=np.int64),
        np.array([-1.0]),
        np.array([0, 0], dtype=np.int64),
        np.empty(0, dtype=np.int32),
    )
    with pytest.raises(FormatError, match="'b'"):
        find_optimal(table)


def test_constraints_that_no_set_satisfies() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(-1.0, ())], [(-2.0, ())]])
    with pytest.raises(ConstraintError, match="no parent set of 'b'"):
        find_optimal(table.vouched(), constraints=Constraints(["a", "b"], required=[("a", "b")]))


def test_wrong_options() -> None:
    table = random_table(40, sets=10, seed=0)
    with pytest.raises(UnknownNameError, match="did you mean 'ilp'"):
        find_optimal(table, method="lip")
    with pytest.raises(OptionError, match="threads=0"):
        find_optimal(table, threads=0)
    with pytest.raises(OptionError, match="up to 32 variables"):
        find_optimal(table, method="dp")


def test_auto_says_what_it_picked_and_why() -> None:
    small, large = find_optimal(random_table(6, sets=5, seed=0)), find_optimal(random_table(25, sets=9, seed=0))
    assert small.method == "dp" and "components" in small.reason
    assert large.method == "branch-and-bound" and "components" in large.reason

"""Large scores: exact inside the range that is supported, refused outside."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arcwise.credible import diagram as credible_diagram
from arcwise.ensemble import CredibleSet
from arcwise.errors import FormatError
from arcwise.exact import find_optimal
from arcwise.limits import Limits
from arcwise.parent_sets import ParentSetTable, parse_parent_sets
from arcwise.parent_sets.build import centred, scaled

METHODS = ("dp", "branch-and-bound", "ilp")


def random_table(rng: np.random.Generator, n: int, base: float, spread: float) -> ParentSetTable:
    entries = [
        [
            (base + spread * float(rng.normal()), [p for p in range(n) if m >> p & 1])
            for m in range(1 << n)
            if not m >> v & 1 and (m == 0 or rng.random() < 0.7)
        ]
        for v in range(n)
    ]
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


@pytest.mark.parametrize("spread", [1e3, 1e6, 1e8, 5e8])
def test_all_methods_find_the_same_optimum_of_large_differences(spread: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        table = random_table(rng, int(rng.integers(2, 6)), 0.0, spread)
        found = [find_optimal(table, method=method, limits=Limits(seconds=60)) for method in METHODS]
        assert len({optimum.score for optimum in found}) == 1
        assert all(optimum.status == "complete" and optimum.gap == 0 for optimum in found)


@pytest.mark.parametrize("seed", [3, 10, 18, 29, 35])
def test_absolute_tolerances_do_not_lose_the_optimum(seed: int) -> None:
    # Without a unit four of these ended as "unknown", and the optimum of the second was dropped by its reduced costs.
    table = random_table(np.random.default_rng(seed), 5, 0.0, 1e8)
    found = [find_optimal(table, method=method) for method in METHODS]
    assert len({optimum.score for optimum in found}) == 1


def test_large_scores_of_two_nodes() -> None:
    # The linear program had no digits left and ended as "unknown".
    text = "2\na 2\n-9.99999993441623926e+08 1 b\n-9.99999997305405259e+08 0\nb 2\n-1000000003.5407498 0\n" \
        "-999999996.6984463 1 a\n"  # fmt: skip
    table = parse_parent_sets(text.encode())
    for method in METHODS:
        assert find_optimal(table, method=method).score == pytest.approx(-1999999994.0038514, abs=1e-6)


@pytest.mark.parametrize("by_subsets", [True, False])
@pytest.mark.parametrize("base", [-1e6, -1e9, -2e9, 2e9])
def test_counted_and_listed_shares_agree(base: float, by_subsets: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 20 if by_subsets else 0)
    rng = np.random.default_rng(5)
    for _ in range(10):
        table = random_table(rng, 4, base, 3.0)
        found = CredibleSet.build(table, log_slack=4.0)
        networks = found.networks()
        assert networks.count == found.count
        np.testing.assert_allclose(found.arc_probabilities(), networks.arc_probabilities(), atol=1e-9)
        assert found.opt == pytest.approx(find_optimal(table).score, rel=1e-15)


def test_credible_sets_of_large_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    for spread in (1e3, 1e6, 1e8):
        for _ in range(8):
            table = random_table(rng, 4, 0.0, spread)
            counts = []
            for largest in (20, 0):
                monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", largest)
                counts.append(CredibleSet.build(table, log_slack=2 * spread).count)
            assert counts[0] == counts[1] > 0


def test_scores_outside_the_range_are_refused() -> None:
    for score in (1e308, -1e308, 1.1e10):
        with pytest.raises(FormatError, match="may add up to 1e\\+10"):
            ParentSetTable.from_lists(["a", "b"], [[(score, [])], [(0.0, [])]])
        with pytest.raises(FormatError, match="node 'a'"):
            parse_parent_sets(f"2\na 2\n{score} 1 b\n{-score} 0\nb 1\n0.0 0\n".encode())
    assert ParentSetTable.from_lists(["a"], [[(-9e9, [])]]).n_rows == 1


@pytest.mark.parametrize(
    "content",
    [
        b"2\na 2\n1e308 1 b\n-1e308 0\nb 2\n1e308 1 a\n-1e308 0\n",
        b"2\na 1\n1e308 0\nb 1\n1e308 0\n",
        b"# c\n02\n [];'2   2 \n4108466803.371475 1 \\]|0\n-9.3e+09 0\n# c 1 2\n\\]|0 1 \n-12233298804.8106422 0\n",
    ],
    ids=["hang", "trace", "unknown status of HiGHS"],
)
def test_files_of_an_attack(content: bytes) -> None:
    with pytest.raises(FormatError, match="too few digits"):
        parse_parent_sets(content)


def test_small_scores_are_taken_as_they_are() -> None:
    table = random_table(np.random.default_rng(1), 3, -1e5, 3.0)
    assert centred(table) == (table, 0.0)
    assert scaled(table) == (table, 0.0, 1.0)
    large = random_table(np.random.default_rng(1), 3, -1e8, 3e7)
    near, constant, unit = scaled(large)
    assert math.log2(unit).is_integer()
    best = large.scores[large.node_offsets[:-1]]
    assert constant == math.fsum(best)
    np.testing.assert_array_equal(
        near.scores * unit + np.repeat(best, np.diff(large.node_offsets)), large.scores
    )  # exact here: the differences have all digits

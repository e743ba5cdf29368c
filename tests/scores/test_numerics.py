"""Accuracy where plain log-gamma differences fail: tiny alphas, large counts, more cells than any integer."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from tests.twins.scores import log_nml_approximation, log_nml_normaliser_twin

from arcwise import _core
from arcwise.data import Dataset
from arcwise.errors import DataError
from arcwise.local import hill_climb
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score

log_nml_normaliser = _core.scores.log_nml_normaliser
ALPHAS = [1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1.0, 7.3, 15.99, 16.0, 100.0, 1e5, 1e12]
COUNTS = [1, 2, 5, 15, 16, 17, 33, 100, 5000, 10**7]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_log_gamma_differences(alpha: float) -> None:
    with mpmath.workdps(50):
        a = mpmath.mpf(alpha)
        for count, scale in itertools.product(COUNTS, (1.0, 10**7 / math.e)):
            exact = mpmath.loggamma(a + count) - mpmath.loggamma(a) - count * mpmath.log(scale)
            value = _core.scores.log_rising(alpha, count, scale)
            # Relative to the value, or where that passes through zero, to one digit in 10^16 of the count.
            assert abs(value - exact) <= 1e-13 * abs(exact) + 2e-16 * count
            centred = _core.scores.log_rising_centred(alpha, count, 1e7)
            exact = mpmath.loggamma(a + count) - mpmath.loggamma(a) - count * (mpmath.log(10**7) - 1)
            assert abs(centred - exact) <= 2e-15 * abs(exact) + 1e-16 * abs(count * math.log(count / 1e7)) + 1e-13
            rise = _core.scores.digamma_rise(alpha, count)
            assert abs(rise / (mpmath.digamma(a + count) - mpmath.digamma(a)) - 1) < 1e-13
            fall = _core.scores.trigamma_fall(alpha, count)
            assert abs(fall / (mpmath.polygamma(1, a) - mpmath.polygamma(1, a + count)) - 1) < 1e-13


def exact_bdeu(counts: list[list[int]], q: int, ess: float) -> mpmath.mpf:
    with mpmath.workdps(60):
        cell = mpmath.mpf(ess) / (q * len(counts[0]))
        row = mpmath.mpf(ess) / q
        total = mpmath.mpf(0)
        for counts_j in counts:
            total += mpmath.loggamma(row) - mpmath.loggamma(row + sum(counts_j))
            total += mpmath.fsum(mpmath.loggamma(cell + n) - mpmath.loggamma(cell) for n in counts_j)
        return total


def weighted_family(counts: list[list[int]], parents: int) -> Dataset:
    """A child with the given counts in the configurations 0..0, 0..1, ... of ten-state parents."""
    rows, weights = [], []
    for j, counts_j in enumerate(counts):
        digits = [int(d) for d in str(j).zfill(parents)]
        for k, n in enumerate(counts_j):
            rows.append([k, *digits])
            weights.append(n)
    states = [[str(k) for k in range(len(counts[0]))], *[[str(k) for k in range(10)]] * parents]
    return Dataset.from_codes(np.array(rows), states=states, weights=np.array(weights))


@pytest.mark.parametrize(
    "counts",
    [
        [[10**7, 0, 0]],
        [[10**7 - 3, 3, 0]],
        [[10**7 // 2, 10**7 // 2 - 1, 1]],
        [[9_000_000, 0, 0], [0, 1_000_000, 0]],
        [[1, 0, 0], [0, 1, 0], [1, 1, 1]],
        [[3_333_333, 3_333_333, 3_333_334]],
    ],
)
@pytest.mark.parametrize("ess", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("parents", [1, 6])
def test_bdeu_at_ten_million_cases_and_a_million_configurations(
    counts: list[list[int]], ess: float, parents: int
) -> None:
    data = weighted_family(counts, parents)
    value = make_score("bdeu", ess=ess).score_family(data, 0, range(1, parents + 1))
    exact = exact_bdeu(counts, 10**parents, ess)
    assert abs(value / exact - 1) < 1e-9
    contaminated = [make_score(name, ess=ess, epsilon=1e-12) for name in ("min_bdeu", "max_bdeu")]
    for score in contaminated:
        assert score.score_family(data, 0, range(1, parents + 1)) == pytest.approx(float(exact), rel=1e-9)


def test_bic_at_ten_million_cases() -> None:
    counts = [[10**7 - 3, 3, 0]]
    data = weighted_family(counts, 1)
    with mpmath.workdps(50):
        exact = mpmath.fsum(n * mpmath.log(mpmath.mpf(n) / 10**7) for n in counts[0] if n)
        value = make_score("ll").score_family(data, 0, [1])
        assert abs(value / exact - 1) < 1e-9


def brute_force_normaliser(cases: int, categories: int) -> float:
    """The sum over all sequences, grouped by their counts."""
    total = 0.0
    for counts in itertools.product(range(cases + 1), repeat=categories):
        if sum(counts) == cases:
            ways = math.factorial(cases) // math.prod(math.factorial(n) for n in counts)
            total += ways * math.prod((n / cases) ** n for n in counts)
    return math.log(total)


@pytest.mark.parametrize(("cases", "categories"), [(1, 2), (2, 2), (7, 2), (5, 3), (6, 4), (3, 5)])
def test_the_normaliser_is_a_sum_over_sequences(cases: int, categories: int) -> None:
    expected = brute_force_normaliser(cases, categories)
    assert log_nml_normaliser(cases, categories) == pytest.approx(expected, rel=1e-13)
    assert log_nml_normaliser_twin(cases, categories) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("cases", [1, 2, 17, 500, 10**4, 10**7])
def test_both_ways_to_the_normaliser_agree_around_the_switch_and_beyond(cases: int) -> None:
    for categories in (2, 3, 10, 63, 64, 65, 100, 5000):
        by_sum = _core.scores.log_nml_by_sum(cases, categories)
        by_recurrence = _core.scores.log_nml_by_recurrence(cases, categories)
        assert by_sum == pytest.approx(by_recurrence, rel=1e-12)
        if cases <= 10**4:
            assert log_nml_normaliser_twin(cases, categories) == pytest.approx(by_sum, rel=1e-12)


@pytest.mark.parametrize("cases", [1, 50, 10**7])
@pytest.mark.parametrize("categories", [1e12, 1e30, 1e300])
def test_the_normaliser_of_very_many_categories(cases: int, categories: float) -> None:
    """With far more categories than cases almost all sequences have different values: C(N, K) -> (K / N)^N."""
    value = log_nml_normaliser(cases, categories)
    limit = cases * math.log(categories / cases)
    assert limit <= value * (1 + 1e-14)
    assert value <= limit + cases**2 / categories * 2 + 1e-12 * value


def test_the_size_of_the_error_of_the_approximation() -> None:
    """Why no score uses it: it is off by up to 0.094, most for few categories; 1e-4 is reached at 10^3 or more."""
    for categories, largest in ((2, 0.1), (10, 0.02), (100, 3e-3), (10**4, 1e-4)):
        errors = [
            abs(log_nml_approximation(n, categories) - log_nml_normaliser(n, categories)) for n in (50, 500, 5000)
        ]
        assert max(errors) < largest
    assert abs(log_nml_approximation(500, 2) - log_nml_normaliser(500, 2)) > 0.08


@pytest.mark.parametrize("cases", [1, 2, 3, 10, 100, 10**4, 10**6])
def test_penalties_grow_with_the_number_of_configurations(cases: int) -> None:
    """On which the bounds of qNML and qBDJ rest; arities 2 to 50, q from 1 to 1e30."""
    for r in (2, 3, 5, 50):
        values = [
            log_nml_normaliser(cases, float(q * r)) - log_nml_normaliser(cases, float(q))
            for q in [*range(1, 70), *(int(1.5**k) for k in range(11, 170))]
        ]
        differences = np.diff(values)
        assert (differences >= -1e-12 * np.abs(values[1:])).all()
        assert cases == 1 or values[0] < values[20]
        assert values[-1] <= cases * math.log(r) * (1 + 1e-12)


def test_the_normaliser_is_submultiplicative() -> None:
    """C(n + m, r) <= C(n, r) C(m, r), on which the bound of fNML rests."""
    for r in (2, 3, 7):
        regret = np.array([log_nml_normaliser(n, r) for n in range(120)])
        sums = regret[:60, None] + regret[None, :60]
        assert (regret[np.arange(60)[:, None] + np.arange(60)] <= sums + 1e-12).all()


@pytest.mark.parametrize("cases", [10**9, 10**11, 10**12])
def test_scores_of_very_many_cases_have_the_digits_of_a_double(cases: int) -> None:
    for seed in range(10):
        counts = np.random.default_rng(seed).integers(1, cases // 4, 4)
        data = Dataset.from_codes([[0, 0], [0, 1], [1, 0], [1, 1]], weights=counts)
        exact = float(exact_bdeu(counts.reshape(2, 2).tolist(), 2, 1.0))
        assert abs(make_score("bdeu").score_family(data, 1, [0]) - exact) <= 4 * np.spacing(abs(exact))


def test_more_cases_than_digits_are_refused() -> None:
    data = Dataset.from_codes([[0, 0], [0, 1], [1, 0], [1, 1]], weights=[10**12, 1, 1, 1])
    for use in (
        lambda: make_score("k2").score_family(data, 0),
        lambda: hill_climb(data, "bdeu"),
        lambda: build_parent_sets(data, "bic"),
    ):
        with pytest.raises(DataError, match=r"1e\+12 rows; scores of up to 1e\+12 .* Divide all weights"):
            use()

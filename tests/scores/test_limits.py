"""How scores relate to each other: limits, orderings and special cases, and the best and worst priors."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize
from scipy.special import gammaln, psi
from tests.twins.scores import local_twin

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.scores import make_score
from arcwise.scores.dirichlet import MaxBdeu, MinBdeu, log_marginal_likelihood
from arcwise_studies.prior_comparison import best_prior

tables = hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(2, 4)), elements=st.integers(0, 60))
sizes = st.sampled_from([1e-3, 0.1, 1.0, 10.0, 300.0])


@given(tables, sizes)
def test_contamination_zero_is_bdeu(counts: np.ndarray, ess: float) -> None:
    bdeu = local_twin(make_score("bdeu", ess=ess), counts)
    for name in ("min_bdeu", "max_bdeu"):
        assert local_twin(make_score(name, ess=ess, epsilon=0), counts) == pytest.approx(bdeu, rel=1e-12, abs=1e-12)


@given(tables, sizes)
@settings(max_examples=30)
def test_contamination_approaches_bdeu_from_both_sides(counts: np.ndarray, ess: float) -> None:
    bdeu = local_twin(make_score("bdeu", ess=ess), counts)
    gaps = []
    for epsilon in (0.5, 0.1, 0.01, 1e-4):
        low, high = (
            local_twin(make_score(name, ess=ess, epsilon=epsilon), counts) for name in ("min_bdeu", "max_bdeu")
        )
        assert low <= bdeu + 1e-9 <= high + 2e-9
        gaps.append(high - low)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] <= 1e-3 * (1 + counts.sum())


@given(tables, sizes, st.sampled_from(["log", "family", "configuration"]))
def test_averaging_over_one_size_is_bdeu(counts: np.ndarray, ess: float, average: str) -> None:
    averaged = make_score("bdeu_averaged", grid=(ess,), average=average)
    assert local_twin(averaged, counts) == pytest.approx(
        local_twin(make_score("bdeu", ess=ess), counts), rel=1e-12, abs=1e-12
    )
    assert averaged.facts.equivalent


@given(tables)
def test_averages_lie_between_the_extremes(counts: np.ndarray) -> None:
    grid = (0.1, 1.0, 10.0)
    each = [local_twin(make_score("bdeu", ess=ess), counts) for ess in grid]
    log, family, configuration = (
        local_twin(make_score("bdeu_averaged", grid=grid, average=average), counts)
        for average in ("log", "family", "configuration")
    )
    assert min(each) - 1e-9 <= log <= family + 1e-9
    assert family <= max(each) + 1e-9
    assert configuration <= 1e-9 + sum(
        max(log_marginal_likelihood(row[None, :], ess / counts.size) for ess in grid) for row in counts
    )


@given(tables)
def test_bd_has_k2_and_bdj_as_cases(counts: np.ndarray) -> None:
    assert local_twin(make_score("bd", alpha=1), counts) == local_twin(make_score("k2"), counts)
    assert local_twin(make_score("bd", alpha=0.5), counts) == local_twin(make_score("bdj"), counts)
    ess = counts.size * 0.7
    assert local_twin(make_score("bd", alpha=0.7), counts) == pytest.approx(
        local_twin(make_score("bdeu", ess=ess), counts), rel=1e-12
    )


def test_without_parents_the_quotients_are_the_scores_themselves() -> None:
    counts = np.array([[5, 9, 2]])
    assert local_twin(make_score("qbdj"), counts) == pytest.approx(local_twin(make_score("bdj"), counts), rel=1e-12)
    assert local_twin(make_score("qnml"), counts) == pytest.approx(local_twin(make_score("fnml"), counts), rel=1e-12)


@pytest.mark.parametrize("counts", [[7, 1], [3, 3], [1, 1], [0, 5], [40, 2], [500, 499]])
@pytest.mark.parametrize(("ess", "epsilon"), [(1.0, 0.5), (10.0, 0.9), (0.01, 0.1)])
def test_the_worst_and_the_best_prior_of_two_states_against_a_grid(
    counts: list[int], ess: float, epsilon: float
) -> None:
    table = np.array([counts])
    shares = np.linspace(ess * (1 - epsilon) / 2, ess * (1 + epsilon) / 2, 20001)
    values = [log_marginal_likelihood(table, np.array([[a, ess - a]])) for a in shares]
    assert local_twin(MinBdeu(ess=ess, epsilon=epsilon), table) == pytest.approx(min(values), rel=1e-12)
    best = local_twin(MaxBdeu(ess=ess, epsilon=epsilon), table)
    assert best >= max(values) - 1e-12
    assert best == pytest.approx(max(values), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 0.6, 0.95])
@pytest.mark.parametrize("counts", [[5, 3, 1], [0, 4, 1, 9], [2, 2, 2], [100, 1, 0], [7, 0, 0], [30, 29, 1, 1, 1]])
def test_the_worst_prior_of_many_states_against_a_grid(counts: list[int], epsilon: float) -> None:
    """All ways to hand out the free mass in twentieths: none is worse."""
    table = np.array([counts])
    r = len(counts)
    worst = local_twin(MinBdeu(ess=2.0, epsilon=epsilon), table)
    values = []
    for cuts in itertools.combinations(range(12 + r - 1), r - 1):
        parts = np.diff([-1, *cuts, 12 + r - 1]) - 1
        alphas = 2.0 * ((1 - epsilon) / r + epsilon * parts / 12)
        values.append(log_marginal_likelihood(table, alphas[None, :]))
    assert worst == pytest.approx(min(values), rel=1e-12)


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=5).filter(any),
    st.sampled_from([0.1, 1.0, 20.0]),
    st.sampled_from([0.05, 0.5, 0.9]),
)
def test_the_best_prior_against_slsqp(counts: list[int], ess: float, epsilon: float) -> None:
    n = np.array(counts)
    low, high = ess * (1 - epsilon) / len(n), ess * (epsilon + (1 - epsilon) / len(n))
    found = minimize(
        lambda a: -(gammaln(a + n) - gammaln(a)).sum(),
        np.full(len(n), ess / len(n)),
        jac=lambda a: -(psi(a + n) - psi(a)),
        bounds=[(low, high)] * len(n),
        constraints={"type": "eq", "fun": lambda a: a.sum() - ess, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    by_slsqp = -found.fun + gammaln(ess) - gammaln(ess + n.sum())
    score = MaxBdeu(ess=ess, epsilon=epsilon)
    assert local_twin(score, n[None, :]) == pytest.approx(by_slsqp, rel=1e-6, abs=1e-6)
    assert local_twin(score, n[None, :]) >= by_slsqp - 1e-7
    alphas = best_prior(score, n[None, :])[0]
    assert alphas.sum() == pytest.approx(ess, rel=1e-12)
    assert (alphas >= low * (1 - 1e-12)).all()


@pytest.mark.parametrize("counts", [[1, 10**7], [10**7, 10**7 - 1, 1], [1, 2, 3, 0], [1, 1, 2]])
@pytest.mark.parametrize("ess", [1e-9, 1.0, 1e6])
@pytest.mark.parametrize("epsilon", [1e-9, 0.5, 1.0])
def test_the_best_prior_equalises_slopes_at_extremes(counts: list[int], ess: float, epsilon: float) -> None:
    """The optimality conditions, and the native score against the exact value at the prior that meets them."""
    n = np.array(counts)
    states = [[str(k) for k in range(len(n))], ["a", "b"]]
    rows = np.array([[k, 0] for k in range(len(n))] + [[0, 1]])
    data = Dataset.from_codes(rows, states=states, weights=np.array([*counts, 0]))
    score = MaxBdeu(ess=ess, epsilon=epsilon)
    native = score.score_family(data, 0, [])
    seen = n[n > 0]
    low, total = ess * (1 - epsilon) / len(n), ess - (len(n) - len(seen)) * ess * (1 - epsilon) / len(n)
    alphas = best_prior(score, n[None, :])[0][n > 0]
    slopes = psi(alphas + seen) - psi(alphas)
    above = alphas > low * (1 + 1e-6)
    assert alphas.sum() == pytest.approx(total, rel=1e-9)
    if above.any():
        assert slopes[above].max() == pytest.approx(slopes[above].min(), rel=1e-6)
        assert (slopes <= slopes[above].max() * (1 + 1e-6)).all()
    with mpmath.workdps(50):
        a = [mpmath.mpf(value) for value in alphas]
        exact = mpmath.fsum(mpmath.loggamma(x + int(k)) - mpmath.loggamma(x) for x, k in zip(a, seen, strict=True))
        exact += mpmath.loggamma(ess) - mpmath.loggamma(ess + int(n.sum()))
    assert native == pytest.approx(float(exact), rel=1e-9)


def test_ranges_of_parameters() -> None:
    with pytest.raises(OptionError, match=r"epsilon=1 .* must be a number in \[0, 1\)"):
        make_score("min_bdeu", epsilon=1)
    assert make_score("max_bdeu", epsilon=1).describe()["epsilon"] == 1
    with pytest.raises(OptionError, match="has no sample size"):
        make_score("bdeu_averaged", grid=())
    with pytest.raises(OptionError, match="ess=0"):
        make_score("bdeu_averaged", grid=(1, 0))
    with pytest.raises(OptionError, match="must be one of 'log', 'family', 'configuration'"):
        make_score("bdeu_averaged", average="mean")
    assert make_score("bdeu_averaged:grid=0.5+3,average=family").describe() == {
        "name": "bdeu_averaged",
        "grid": (0.5, 3.0),
        "average": "family",
    }
    assert not math.isnan(local_twin(make_score("bdeu_averaged:grid=2"), np.array([[1, 2]])))

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError, UnknownNameError
from arcwise.graph import Dag
from arcwise.model import ESTIMATORS, BayesianNetwork, fit_parameters, read_bif
from arcwise.model.fitting import FamilyCounts

ARC = Dag.from_arcs(["a", "b"], [("a", "b")])
# a = x: b is u, u, v; a = y: b is w once, weight 4; a = z never.
DATA = Dataset.from_codes(
    np.array([[0, 0], [0, 1], [1, 2]]),
    names=["a", "b"],
    states=[["x", "y", "z"], ["u", "v", "w"]],
    weights=np.array([2, 1, 4]),
)


def e(n: int) -> float:
    return float(Fraction(n + 1, n) ** n) if n else 1.0


def test_every_estimator_by_hand() -> None:
    nan = math.nan
    mle = fit_parameters(ARC, DATA, estimator="mle")
    np.testing.assert_array_equal(mle.tables[0], [[3 / 7, 4 / 7, 0]])
    np.testing.assert_array_equal(mle.tables[1], [[2 / 3, 1 / 3, 0], [0, 0, 1], [nan, nan, nan]])
    laplace = fit_parameters(ARC, DATA, estimator="laplace")
    np.testing.assert_allclose(
        laplace.tables[1], [[3 / 6, 2 / 6, 1 / 6], [1 / 7, 1 / 7, 5 / 7], [1 / 3] * 3], rtol=1e-15
    )
    third = 1 / 3
    m = fit_parameters(ARC, DATA, estimator="m-estimate", m=3)  # m / (q r) = 1/3 in b's cells, 1 in a's
    np.testing.assert_allclose(m.tables[0], [[4 / 10, 5 / 10, 1 / 10]], rtol=1e-15)
    np.testing.assert_allclose(
        m.tables[1],
        [[(2 + third) / 4, (1 + third) / 4, third / 4], [third / 5, third / 5, (4 + third) / 5], [third] * 3],
        rtol=1e-15,
    )
    snml = fit_parameters(ARC, DATA, estimator="snml")
    first = np.array([3 * e(2), 2 * e(1), 1 * e(0)])
    second = np.array([1, 1, 5 * e(4)])
    np.testing.assert_allclose(snml.tables[1], [first / first.sum(), second / second.sum(), [third] * 3], rtol=1e-14)


def test_the_bd_posterior_mean_for_every_kind_of_alpha() -> None:
    def fit(**options: object) -> BayesianNetwork:
        return fit_parameters(ARC, DATA, estimator="bd", **options)

    assert fit(alpha="k2") == fit_parameters(ARC, DATA, estimator="laplace")
    assert fit(alpha="bdeu", ess=3.0).is_close(fit_parameters(ARC, DATA, estimator="m-estimate", m=3), tolerance=1e-15)
    assert fit() == fit(alpha="bdeu", ess=1.0) == fit_parameters(ARC, DATA)
    assert fit(alpha="bdj") == fit(alpha=0.5)
    np.testing.assert_allclose(fit(alpha=0.5).tables[1][0], [2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5], rtol=1e-15)
    arrays = {"a": [[1, 1, 1]], "b": [[1, 2, 3], [4, 5, 6], [0, 0, 0]]}
    table = fit(alpha=arrays).tables[1]
    np.testing.assert_allclose(table[:2], [[3 / 9, 3 / 9, 3 / 9], [4 / 19, 5 / 19, 10 / 19]], rtol=1e-15)
    assert np.isnan(table[2]).all()
    assert fit(alpha=lambda family: arrays[family.child]) == fit(alpha=arrays)
    # BDe with the uniform prior network is BDeu; with another one it takes that network's joint probabilities.
    uniform = BayesianNetwork(Dag(["a", "b"], [(), ()]), DATA.states, [[[1 / 3] * 3]] * 2)
    assert fit(alpha=uniform, ess=5).is_close(fit(alpha="bdeu", ess=5), tolerance=1e-14)
    prior = BayesianNetwork(Dag(["b", "a"], [(), (0,)]), DATA.states[::-1], [[[0.2, 0.3, 0.5]], [[0.6, 0.3, 0.1]] * 3])
    expected = (np.array([2, 1, 0]) + 10 * 0.6 * np.array([0.2, 0.3, 0.5])) / (3 + 10 * 0.6)
    np.testing.assert_allclose(fit(alpha=prior, ess=10).tables[1][0], expected, rtol=1e-13)


@given(st.lists(st.integers(0, 60), min_size=2, max_size=5))
def test_snml_is_what_maximises_the_likelihood_in_hindsight(counts: list[int]) -> None:
    """The definition: proportional to the maximised likelihood of the counts with one case more in state k."""

    def maximised(row: list[int]) -> float:
        return sum(n * math.log(n / sum(row)) for n in row if n)

    hindsight = [maximised([n + (i == k) for i, n in enumerate(counts)]) for k in range(len(counts))]
    weights = np.exp(np.array(hindsight) - max(hindsight))
    table = ESTIMATORS["snml"].table(FamilyCounts("x", (), np.array([counts])))
    np.testing.assert_allclose(table[0], weights / weights.sum(), rtol=1e-9)


def test_fitting_recovers_a_published_network(networks: Path) -> None:
    network = read_bif(networks / "asia.bif.gz")
    fitted = fit_parameters(network.dag, network.sample(400_000, seed=1), estimator="laplace")
    assert fitted.states == network.states
    weights = [
        fitted.query(list(network.parents(name))).probabilities.ravel() if network.parents(name) else [1]
        for name in network.names
    ]
    for v in range(network.n_variables):
        error = np.abs(fitted.tables[v] - network.tables[v]).max(axis=1)
        # Five standard deviations of a frequency among the cases of the row.
        assert (error <= 5 * np.sqrt(0.25 / (400_000 * np.asarray(weights[v])))).all()


def test_maximum_likelihood_maximises_the_likelihood(networks: Path) -> None:
    asia = read_bif(networks / "asia.bif.gz")
    data, dag = asia.sample(5000, seed=1), asia.dag
    best = fit_parameters(dag, data, estimator="mle").log_likelihood(data)
    for estimator in ("laplace", "m-estimate", "bd", "snml"):
        assert fit_parameters(dag, data, estimator=estimator).log_likelihood(data) < best
    # The maximised log-likelihood is the LL score of the same structure.
    from arcwise.counts import contingency

    total = 0.0
    for v, parents in enumerate(dag.parents):
        counts = contingency(data, [*parents, v]).reshape(-1, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            total += np.nansum(counts * np.log(counts / counts.sum(axis=1, keepdims=True)))
    assert best == pytest.approx(total, rel=1e-12)


def test_columns_are_matched_by_name_and_extra_ones_left_out() -> None:
    dag = Dag(["b"], [()])
    assert fit_parameters(dag, DATA, estimator="mle").tables[0].tolist() == [[2 / 7, 1 / 7, 4 / 7]]
    swapped = Dag.from_arcs(["b", "a"], [("a", "b")])
    assert np.array_equal(
        fit_parameters(swapped, DATA, estimator="mle").tables[0],
        fit_parameters(ARC, DATA, estimator="mle").tables[1],
        equal_nan=True,
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"estimator": "mel"}, UnknownNameError, "unknown estimator 'mel'; did you mean 'mle'"),
        ({"estimator": "mle", "m": 1}, OptionError, "estimator 'mle' has no parameter 'm'; it has no parameters"),
        ({"estimator": "bd", "es": 1}, OptionError, "estimator 'bd' has no parameter 'es'; it takes alpha, ess"),
        ({"estimator": "m-estimate", "m": 0}, OptionError, "m=0 must be positive"),
        ({"estimator": "bd", "ess": math.inf}, OptionError, "ess=inf must be positive"),
        ({"estimator": "bd", "alpha": "bdu"}, UnknownNameError, "unknown prior 'bdu'; did you mean 'bdeu'"),
        ({"estimator": "bd", "alpha": -1}, OptionError, "alpha of 'a' must be finite and not negative"),
        (
            {"estimator": "bd", "alpha": [1.0, 2.0]},
            OptionError,
            r"alpha of 'a' has shape \(2,\); it must be one number",
        ),
        ({"estimator": "bd", "alpha": {"a": 1}}, OptionError, "alpha has no entry for 'b'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fit_parameters(ARC, DATA, **options)


def test_a_missing_column_and_a_huge_table_are_named() -> None:
    with pytest.raises(DataError, match="no column 'c' of the structure's nodes; the columns are a, b"):
        fit_parameters(Dag(["a", "c"], [(), ()]), DATA)
    data = Dataset.from_codes(np.zeros((3, 80), dtype=int), states=[["a", "b"]] * 80)
    with pytest.raises(OptionError, match="with 79 parents and 604,462,909,807,314,587,353,088 parent configurations"):
        fit_parameters(Dag(data.names, [()] * 79 + [tuple(range(79))]), data)

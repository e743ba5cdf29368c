"""Whether data fit a network, and how good predictions are: against what is known of both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import xlogy
from scipy.stats import chi2_contingency
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from arcwise.base.run import Run
from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.evaluate import check_fit, cross_validate, score_predictions
from arcwise.evaluate import fit as module
from arcwise.evaluate.fit import _pair_counts, _pair_information, _saturated, markov_tests
from arcwise.graph import Dag
from arcwise.limits import Limits, Status
from arcwise.model import BayesianNetwork, fit_parameters

CHAIN = BayesianNetwork(
    Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")]),
    [["0", "1"], ["0", "1"], ["0", "1", "2"]],
    [[[0.5, 0.5]], [[0.8, 0.2], [0.3, 0.7]], [[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]]],
)


def test_p_values_of_a_right_network_are_uniform_and_those_of_a_wrong_one_are_not() -> None:
    right, wrong = [], []
    empty = Dag(CHAIN.names, [(), (), ()])
    for seed in range(60):
        data = CHAIN.sample(400, seed=seed, progress=False)
        right.append(markov_tests(CHAIN.dag, data)[0, 2][1])
        wrong.append(markov_tests(empty, data)[0, 1][1])
    assert np.mean(np.array(right) < 0.05) < 0.15
    assert 0.35 < np.mean(right) < 0.65
    assert np.mean(np.array(wrong) < 0.05) == 1.0


def test_the_test_without_parents_is_that_of_scipy() -> None:
    data = CHAIN.sample(300, seed=1, progress=False)
    of, p = markov_tests(Dag(CHAIN.names, [(), (), ()]), data)[0, 2]
    counts = np.zeros((2, 3))
    np.add.at(counts, (data.codes[0], data.codes[2]), 1)
    assert of == 0
    assert p == pytest.approx(chi2_contingency(counts, correction=False, lambda_="log-likelihood").pvalue)


def test_too_few_cases_are_not_tested() -> None:
    data = CHAIN.sample(4, seed=1, progress=False)
    found = check_fit(CHAIN, data, replicates=0)
    assert (found.n_tests, found.n_untested) == (0, 1)
    assert math.isnan(found.small)


def test_a_missing_edge_is_found_and_the_likelihoods_are_in_order() -> None:
    data = CHAIN.sample(2000, seed=3, progress=False)
    whole = check_fit(fit_parameters(CHAIN.dag, data, progress=False), data, replicates=20, seed=1)
    assert not whole.misfits
    assert whole.independent < whole.log_likelihood <= whole.saturated
    assert 0.9 < whole.share_explained <= 1.0
    without = Dag.from_arcs(CHAIN.names, [("a", "b")])
    part = check_fit(fit_parameters(without, data, progress=False), data, replicates=20, seed=1)
    worst = part.misfits[0]
    assert {worst.first, worst.second} == {"b", "c"}
    assert worst.p < 1e-10
    assert worst.z > 4
    assert len(part.to_frame()) == 3
    shares = np.unique(data.codes.T, axis=0, return_counts=True)[1] / 2000
    assert part.saturated == pytest.approx(float((shares * np.log(shares)).sum()))


def test_pair_information_is_that_of_the_tables() -> None:
    data = CHAIN.sample(500, seed=2, progress=False)
    found = _pair_information(data)
    joint = np.zeros((2, 3))
    np.add.at(joint, (data.codes[1], data.codes[2]), 1 / 500)
    expected = joint * np.log(joint / joint.sum(axis=1, keepdims=True) / joint.sum(axis=0))
    assert found[1, 2] == pytest.approx(float(np.nansum(expected)))
    weighted = data.collapse()
    assert _pair_information(weighted) == pytest.approx(found)


@pytest.mark.parametrize("states", [0, 4])  # pair by pair; by products of a few rows
def test_pair_information_of_many_rows_is_that_of_few(monkeypatch: pytest.MonkeyPatch, states: int) -> None:
    data = CHAIN.sample(500, seed=4, progress=False)
    assert data.collapse().n_rows > 3
    whole = [_pair_information(one) for one in (data, data.collapse())]
    monkeypatch.setattr(module, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(module, "MOST_STATES", states)
    assert all(np.array_equal(_pair_information(one), whole[0]) for one in (data, data.collapse()))
    assert np.array_equal(whole[0], whole[1])


@pytest.mark.parametrize("extra", [1, 2**40 + 1])
def test_pairs_of_rows_of_large_weights_are_counted_exactly(extra: int) -> None:
    """Single precision rounds numbers beyond 2^24, also those of one row."""
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    weights = 2**24 + extra * np.array([1, 3, 5, 7])
    data = Dataset.from_codes(codes, states=[["0", "1"]] * 2, weights=weights)
    counts = _pair_counts(data, np.array([0, 2, 4]), Run())
    assert np.array_equal(counts[:2, 2:], contingency(data, [0, 1]))
    assert np.array_equal(counts.diagonal(), np.concatenate([contingency(data, [v]) for v in range(2)]))


def test_frequencies_of_whole_rows_do_not_depend_on_the_order_of_the_cases() -> None:
    data = CHAIN.sample(500, seed=2, progress=False)
    shuffled = data.take(np.random.default_rng(1).permutation(500))
    counts = np.unique(data.codes, axis=1, return_counts=True)[1]
    assert _saturated(data.collapse()) == _saturated(shuffled.collapse())
    assert _saturated(data.collapse()) == pytest.approx(float(xlogy(counts, counts / 500).sum()) / 500)


def test_limits_and_mistakes() -> None:
    data = CHAIN.sample(300, seed=2, progress=False)
    cut = check_fit(CHAIN, data, limits=Limits(1e-9))
    assert cut.status is Status.TIME_LIMIT
    assert (len(cut.pairs), cut.n_tests, len(cut.to_frame())) == (3, 0, 3)
    assert np.isnan(cut.pairs.information).all()
    with pytest.raises(DataError, match="no column 'c'"):
        check_fit(CHAIN, data.select(["a", "b"]))
    other = Dataset.from_codes(data.codes.T, names=data.names, states=[("x", "y"), *data.states[1:]])
    with pytest.raises(DataError, match="different states"):
        check_fit(CHAIN, other)


def test_scores_of_predictions_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(4)
    probabilities = rng.dirichlet(np.ones(3), 200)
    codes = rng.integers(0, 3, 200)
    found = score_predictions(probabilities, codes, target="c", states=("0", "1", "2"))
    assert found.accuracy == pytest.approx(accuracy_score(codes, probabilities.argmax(axis=1)))
    assert found.log_loss == pytest.approx(log_loss(codes, probabilities))
    two = np.stack([1 - probabilities[:, 0], probabilities[:, 0]], axis=1)
    binary = score_predictions(two, (codes == 0).astype(int), target="c", states=("0", "1"))
    assert binary.brier == pytest.approx(2 * brier_score_loss(codes == 0, probabilities[:, 0]))
    assert found.calibration.count.sum() == 600
    assert found.confusion.trace() == found.accuracy * 200
    twice = score_predictions(probabilities, codes, target="c", states=("0", "1", "2"), weights=np.full(200, 2))
    assert twice.log_loss == pytest.approx(found.log_loss)


def test_cross_validation_never_predicts_what_it_learned_from() -> None:
    data = CHAIN.sample(120, seed=5, progress=False)
    seen: list[int] = []

    def learner(training: Dataset, fold: int) -> BayesianNetwork:
        seen.append(training.n_rows)
        return fit_parameters(CHAIN.dag, training, progress=False)

    found = cross_validate(learner, data, "c", folds=4, seed=1)
    assert seen == [90] * 4
    assert found.n_cases == 120
    assert cross_validate(learner, data, "c", folds=4, seed=1).log_loss == found.log_loss
    # Every case has a number of its own: whoever predicts it has not seen it.
    codes = np.column_stack([np.arange(120), data.codes[2]])
    numbered = Dataset.from_codes(codes, names=["case", "c"], states=[[str(k) for k in range(120)], data.states[2]])
    predicted: list[int] = []

    class Stranger:
        def __init__(self, training: Dataset) -> None:
            self.known = set(training.codes[0].tolist())

        def predict_proba(self, rows: Dataset, target: str) -> np.ndarray:
            assert not self.known & set(rows.codes[0].tolist())
            predicted.extend(rows.codes[0].tolist())
            return np.full((rows.n_rows, 3), 1 / 3)

    cross_validate(lambda training, _: Stranger(training), numbered, "c", folds=4, seed=1)
    assert sorted(predicted) == list(range(120))
    with pytest.raises(OptionError, match="folds"):
        cross_validate(learner, data, "c", folds=1)


def test_what_experiments_set_is_given_in_every_likelihood() -> None:
    """b is set in half of the cases: its values there are nobody's to explain."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < 0.2, 1 - a, a)
    is_set = np.arange(2000) >= 1000
    b[is_set] = rng.integers(0, 2, 1000)
    names, states = ("a", "b"), (("0", "1"), ("0", "1"))
    plain = Dataset.from_codes(np.column_stack([a, b]), names=names, states=states)
    data = plain.with_targets(["b" if own else None for own in is_set])
    network = fit_parameters(Dag.from_arcs(names, [("a", "b")]), data, estimator="mle", progress=False)
    found = check_fit(network, data, replicates=0)

    def logs(*codes: np.ndarray) -> float:
        counts = np.unique(np.column_stack(codes), axis=0, return_counts=True)[1]
        return float((counts * np.log(counts)).sum())

    of_a, of_b = a, b[~is_set]
    empty = logs(of_a) - 2000 * math.log(2000) + logs(of_b) - 1000 * math.log(1000)
    whole = logs(a[~is_set], b[~is_set]) - 1000 * math.log(1000) + logs(a[is_set], b[is_set]) - logs(b[is_set])
    assert found.independent == pytest.approx(empty / 2000)
    assert found.saturated == pytest.approx(whole / 2000)
    assert found.independent < found.log_likelihood <= found.saturated
    assert 0.9 < found.share_explained <= 1.0
    # That a was set tells as much about what b follows from as that it was not.
    cause = plain.with_targets(["a" if own else None for own in is_set])
    alone = markov_tests(Dag(names, [(), ()]), cause)[0, 1][1]
    assert alone == pytest.approx(markov_tests(Dag(names, [(), ()]), plain.with_targets(None))[0, 1][1])

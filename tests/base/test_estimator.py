"""The scikit-learn estimator: its contract as scikit-learn checks it, and what it computes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from arcwise import BayesianNetworkEstimator, datasets
from arcwise.errors import DataError, OptionError
from arcwise.exact import find_optimal
from arcwise.limits import Status
from arcwise.local import tabu_search
from arcwise.parent_sets import build_parent_sets


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn() -> None:
    """All checks that scikit-learn has for estimators without a target."""
    results: list[dict[str, Any]] = check_estimator(BayesianNetworkEstimator(), on_fail=None, on_skip=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert failed == {}
    assert sum(result["status"] == "passed" for result in results) >= 30


def frame() -> pd.DataFrame:
    return datasets.load("tic-tac-toe").to_dataframe()


def test_it_learns_what_the_stages_learn() -> None:
    data = datasets.load("tic-tac-toe")
    exact = BayesianNetworkEstimator(method="exact").fit(frame())
    best = find_optimal(build_parent_sets(data, "bic", progress=False), progress=False)
    assert exact.structure_score_ == pytest.approx(best.score)
    tabu = BayesianNetworkEstimator(criterion="bdeu:ess=5", max_parents=2).fit(frame())
    assert tabu.structure_score_ == pytest.approx(tabu_search(data, score="bdeu:ess=5", max_parents=2).score)
    assert max(len(parents) for parents in tabu.dag_.parents) <= 2
    assert tabu.score(frame()) == pytest.approx(tabu.network_.log_likelihood(data) / data.n_cases)
    assert list(tabu.feature_names_in_) == list(data.names)


def test_samples_are_of_the_network_and_reproducible() -> None:
    model = BayesianNetworkEstimator(random_state=3).fit(frame())
    drawn = model.sample(500)
    pd.testing.assert_frame_equal(drawn, model.sample(500))
    assert not drawn.equals(model.sample(500, random_state=4))
    assert abs(model.score(drawn) - model.score(frame())) < 0.5
    again = clone(model).fit(drawn)
    assert again.get_params() == model.get_params()


def test_it_works_in_searches_over_parameters() -> None:
    scores = cross_val_score(BayesianNetworkEstimator(), frame(), cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    search = GridSearchCV(BayesianNetworkEstimator(), {"criterion": ["aic", "bic"], "ess": [0.1, 10]}, cv=3)
    assert search.fit(frame()).best_params_["criterion"] in ("aic", "bic")


def test_numbers_are_cut_as_they_were_in_training() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 1))
    table = np.hstack([x, x + rng.normal(size=(300, 1)) / 4, rng.integers(0, 2, (300, 1))])
    model = BayesianNetworkEstimator(bins=4).fit(table)
    assert [len(cuts) for cuts in model.cuts_.values()] == [3, 3]
    assert {frozenset(arc) for arc in model.dag_.arcs} == {frozenset({"X0", "X1"})}
    assert np.isfinite(model.score_samples(table * [10, 10, 1])).all()  # beyond the range of the training data
    with pytest.raises(DataError, match="discretize"):
        BayesianNetworkEstimator(bins=None).fit(table)


def test_mistakes_are_told() -> None:
    with pytest.raises(OptionError, match="did you mean 'tabu'"):
        BayesianNetworkEstimator(method="tab").fit(frame())
    model = BayesianNetworkEstimator().fit(frame())
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.score(frame().iloc[:, ::-1])
    changed = frame().astype(str)
    changed.iloc[0, 0] = "z"
    with pytest.raises(DataError, match="z"):
        model.score(changed)


@pytest.mark.parametrize(("method", "search"), [("exact", "find_optimal"), ("tabu", "tabu_search")])
def test_an_interrupted_search_is_no_fit(monkeypatch: pytest.MonkeyPatch, method: str, search: str) -> None:
    found = SimpleNamespace(dag=None, score=0.0, status=Status.INTERRUPTED)
    monkeypatch.setattr(f"arcwise.analysis.estimator.{search}", lambda *_, **__: found)
    codes = np.random.default_rng(0).integers(0, 2, size=(30, 3))
    with pytest.raises(KeyboardInterrupt):
        BayesianNetworkEstimator(method=method).fit(codes)


def test_a_target_makes_it_a_classifier() -> None:
    whole = frame()
    inputs, classes = whole.drop(columns="Class"), whole["Class"].to_numpy()
    model = BayesianNetworkEstimator(criterion="bdeu", target="Class").fit(inputs, classes)
    probabilities = model.predict_proba(inputs)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(whole)))
    assert model.classes_.tolist() == sorted(set(classes))
    assert (model.predict(inputs) == model.classes_[probabilities.argmax(axis=1)]).all()
    assert model.score(inputs, classes) == pytest.approx((model.predict(inputs) == classes).mean())
    assert model.score(inputs, classes) > 0.68
    # The same with the target as a column of X, which predictions need not have.
    inside = BayesianNetworkEstimator(criterion="bdeu", target="Class").fit(whole)
    assert inside.predict(inputs).tolist() == inside.predict(whole).tolist()
    assert inside.score(whole) == pytest.approx(inside.score(whole, classes))
    scores = cross_val_score(BayesianNetworkEstimator(target="y"), inputs, classes, cv=3)
    assert 0.5 < scores.mean() < 1.0
    numbers = BayesianNetworkEstimator(target="y").fit(inputs, (classes == "positive").astype(int))
    assert set(numbers.predict(inputs)) <= {0, 1}
    assert not hasattr(BayesianNetworkEstimator(), "predict")
    with pytest.raises(ValueError, match="y is None"):
        BayesianNetworkEstimator(target="y").fit(inputs)
    with pytest.raises(ValueError, match="give it once"):
        BayesianNetworkEstimator(target="Class").fit(whole, classes)

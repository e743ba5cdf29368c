"""Self-calibration: data simulated from what was found show how often a confidence is right."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arcwise import datasets, learn
from arcwise.analysis import LearnOptions
from arcwise.base.run import Run
from arcwise.confidence.by_recipe import confidence_by_recipe
from arcwise.confidence.calibration import Calibration, CalibrationCurve
from arcwise.confidence.probability import decided_pairs, reliability
from arcwise.confidence.self_calibration import _recalibrated, self_calibration
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.errors import OptionError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status


def test_what_is_too_bold_is_toned_down() -> None:
    rng = np.random.default_rng(3)
    odds = rng.normal(0, 2, size=5000)
    real = rng.random(5000) < 1 / (1 + np.exp(-odds))
    claims = 1 / (1 + np.exp(-3 * odds))
    found = _recalibrated(CalibrationCurve.identity(), claims, real)
    assert float(found(1 / (1 + np.exp(-3.0)))) == pytest.approx(1 / (1 + np.exp(-1.0)), abs=0.04)
    # What was right stays.
    same = _recalibrated(CalibrationCurve.identity(), 1 / (1 + np.exp(-odds)), real)
    assert float(same(0.8)) == pytest.approx(0.8, abs=0.04)


@pytest.fixture(scope="module")
def small() -> Dataset:
    """Ninety cases: a chain of three, and two columns that have nothing to do with it."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 90)
    b = np.where(rng.random(90) < 0.85, a, 1 - a)
    c = np.where(rng.random(90) < 0.85, b, 1 - b)
    return Dataset.from_codes(np.column_stack([a, b, c, rng.integers(0, 3, 90), rng.integers(0, 2, 90)]))


def test_simulations_are_repeatable_and_say_what_they_are(small: Dataset) -> None:
    confidence = confidence_by_recipe(Recipe.usual("credible", "qnml"), small)
    assert confidence is not None
    one, two = (self_calibration(confidence, small, repeats=6, run=Run(seed=4, progress=False)) for _ in range(2))
    assert one.calibration == two.calibration
    assert one.calibration.kind == "self"
    assert (one.repeats, int(one.reliability.pairs.sum()) > 0) == (6, True)
    made = replace(confidence, calibration=one.calibration).probability
    assert (np.diff(made.vector[np.argsort(confidence.vector)]) >= -1e-12).all()
    with pytest.raises(OptionError, match="at least 5"):
        self_calibration(confidence, small, repeats=2)
    with pytest.raises(OptionError, match="different variables"):
        self_calibration(confidence, small.select(["X1", "X0", "X2", "X3", "X4"]), repeats=6)
    with pytest.raises(UnfinishedError, match="Allow more time"):
        self_calibration(confidence, small, repeats=6, run=Run(limits=Limits(seconds=1e-6), progress=False))
    with pytest.raises(OptionError, match="simulates observations"):
        self_calibration(confidence, small.with_targets(["X0"] * 40 + [None] * 50), repeats=6)


def test_what_constraints_decide_is_not_calibrated_with(small: Dataset) -> None:
    known = Constraints(small.names, required=[("X0", "X1")], forbidden=[("X3", "X4"), ("X4", "X3"), ("X2", "X0")])
    assert decided_pairs(known, small.names).tolist() == [True, *[False] * 8, True]
    assert decided_pairs(known, tuple(reversed(small.names))).tolist() == [True, *[False] * 8, True]
    assert not decided_pairs(None, small.names).any()
    confidence = confidence_by_recipe(Recipe.usual("credible", "qnml", constraints=known), small)
    assert confidence is not None
    seen: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "arcwise.confidence.self_calibration.reliability",
            lambda claims, truth: seen.append(len(claims)) or reliability(claims, truth),
        )
        self_calibration(confidence, small, repeats=5, run=Run(seed=1, progress=False))
    assert seen == [5 * 8]
    arcs = [(a, b) for k, a in enumerate(small.names) for b in small.names[k + 1 :]]
    every = confidence_by_recipe(
        Recipe.usual("credible", "bic", constraints=Constraints(small.names, required=arcs)), small
    )
    assert every is not None
    with pytest.raises(OptionError, match="decide every edge"):
        self_calibration(every, small, repeats=5)


def test_a_bootstrap_is_simulated_from_too(small: Dataset) -> None:
    confidence = confidence_by_recipe(Recipe.usual("bootstrap", "bic", replicates=10), small, Run(seed=1))
    assert confidence is not None
    assert self_calibration(confidence, small, repeats=5, run=Run(seed=1, progress=False)).repeats == 5


def test_learn_shows_what_simulations_showed(small: Dataset) -> None:
    analysis = learn(small, calibration="self", compare=False, permutations=0, seed=1)
    assert analysis.simulated is not None
    assert "simulated from the networks found here" in " ".join(analysis.to_text().split())
    assert "in simulated data" in analysis.to_html()


def test_simulations_that_take_too_long_leave_the_table(small: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*args: object, **options: object) -> None:
        raise UnfinishedError("two were learned from.")

    monkeypatch.setattr("arcwise.analysis.answer.self_calibration", too_long)
    analysis = learn(small, calibration="self", compare=False, permutations=0, seed=1)
    assert analysis.probability.calibration.kind == "table"
    assert analysis.status is Status.TIME_LIMIT
    assert any("two were learned from" in remark.text for remark in analysis.remarks)


@pytest.mark.parametrize("options", [{"calibration": "none", "method": "credible"}, {"method": "posterior"}])
def test_a_false_rate_is_kept_where_confidences_are_taken_for_probabilities(
    small: Dataset, options: dict[str, str]
) -> None:
    analysis = learn(small, false_rate=0.02, compare=False, permutations=0, seed=1, **options)
    assert analysis.thresholds.chosen.label == "calibrated"
    chosen = analysis.confidence.vector[analysis.confidence.vector > analysis.threshold]
    assert len(chosen)
    assert float((1 - chosen).mean()) <= 0.02


def test_learn_calibrates_as_it_is_told(small: Dataset) -> None:
    quick = {"compare": False, "permutations": 0, "seed": 1}
    usual = learn(small, **quick)
    assert usual.probability.calibration.kind == "table"
    bar = usual.probability.calibration.curve(usual.threshold)
    assert float(bar) == pytest.approx(0.5, abs=1e-6)
    assert usual.expected.sentence() in usual.report.summary
    frame = usual.to_frame()
    assert (frame["probability"].between(0, 1)).all()
    ways = frame.filter(regex="^probability_.*_if_edge$").sum(axis=1)
    assert np.allclose(ways, 1)  # of an edge that is there
    plain = learn(small, calibration="none", **quick)
    assert plain.threshold == 0.5
    assert "not calibrated" in plain.to_text()
    assert all("Of these" not in sentence for sentence in plain.report.summary)
    careful = learn(small, false_rate=0.01, **quick)
    assert careful.expected.false_rate <= 0.01
    assert careful.thresholds.chosen.label == "calibrated"
    with pytest.raises(OptionError, match="finds a cut-off, and one is given"):
        LearnOptions(false_rate=0.1, threshold=0.5)


def test_gaps_are_not_simulated() -> None:
    import pandas as pd

    data = pd.DataFrame({"a": ["x", "y", None] * 20, "b": ["u", "v", "u"] * 20, "c": ["p", "q", "q"] * 20})
    with pytest.raises(OptionError, match="simulates complete data"):
        learn(data, calibration="self", impute="completions", compare=False, permutations=0)


def test_the_default_recipe_needs_no_warning_even_where_states_bind_its_parents() -> None:
    data = datasets.load("balance-scale")  # five states, 625 cases: at most three parents, as in the study
    many = learn(data, compare=False, permutations=0, seed=1)
    assert many.main.recipe.max_parents == 3
    assert many.probability.calibration.doubt == ""
    given = learn(data, compare=False, permutations=0, seed=1, max_parents=2)
    assert "the largest number of parents: 2 here, 4 there" in given.probability.calibration.doubt
    analysis = learn(datasets.load("tic-tac-toe"), compare=False, permutations=0, seed=1)
    assert not any("Warning" in remark.text for remark in analysis.remarks)
    assert Calibration.from_description(analysis.probability.calibration.describe()).kind == "table"


def test_simulations_that_end_early(small: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    confidence = confidence_by_recipe(Recipe.usual("credible", "qnml"), small)
    assert confidence is not None
    module = sys.modules["arcwise.confidence.self_calibration"]  # the function has the same name
    carry_out, ends = module.carry_out, [Status.COMPLETE]

    def some(*arguments: Any) -> Any:
        return replace(carry_out(*arguments), status=ends.pop(0))

    monkeypatch.setattr(module, "carry_out", some)
    ends += [Status.COMPLETE, Status.TIME_LIMIT, *[Status.COMPLETE] * 4]
    found = self_calibration(confidence, small, repeats=6, run=Run(seed=4, progress=False))
    assert (found.repeats, found.status) == (5, Status.TIME_LIMIT)
    ends += [Status.COMPLETE] * 5 + [Status.TIME_LIMIT] * 2
    with pytest.raises(UnfinishedError, match=r"needs 5 simulated data sets, and 4 were learned from \(time limit\)"):
        self_calibration(confidence, small, repeats=6, run=Run(seed=4, progress=False))
    ends[:] = [Status.COMPLETE, Status.COMPLETE, Status.INTERRUPTED]
    with pytest.raises(KeyboardInterrupt):
        self_calibration(confidence, small, repeats=6, run=Run(seed=4, progress=False))

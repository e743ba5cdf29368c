"""Effects in units: against least squares, HC3 errors case by case, the truth of simulated data, and mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from arcwise.data.mixed import NOMINAL, NUMBER, MixedData
from arcwise.effects.mixed_effect import (
    MixedEffect,
    find_mixed_effect,
    find_mixed_effects,
    possible_mixed_effects,
)
from arcwise.ensemble import NetworkSet
from arcwise.errors import OptionError
from arcwise.graph import Dag

NAMES = ("age", "sex", "quit", "gain", "ill")
FULL = Dag.from_arcs(
    NAMES, [("age", "quit"), ("sex", "quit"), ("age", "gain"), ("sex", "gain"), ("quit", "gain"), ("gain", "ill")]
)
NO_SEX = Dag.from_arcs(NAMES, [("age", "quit"), ("age", "gain"), ("sex", "gain"), ("quit", "gain")])
LEAST = Dag.from_arcs(NAMES, [("age", "quit"), ("age", "gain"), ("quit", "gain")])
AWAY = Dag.from_arcs(NAMES, [("age", "quit"), ("age", "gain"), ("gain", "ill")])


def study(rows: int = 1500, seed: int = 2) -> MixedData:
    rng = np.random.default_rng(seed)
    age, sex = rng.normal(45, 12, rows), rng.integers(0, 2, rows)
    quit_ = (rng.random(rows) < 1 / (1 + np.exp(-(age - 45) / 15 - 0.5 * sex + 0.8))).astype(float)
    gain = 8 - 0.15 * age + 3.4 * quit_ - 1.0 * sex + rng.normal(0, 3 + 3 * quit_)
    ill = (rng.random(rows) < 1 / (1 + np.exp(-0.3 * gain))).astype(float)
    kinds = (NUMBER, NOMINAL, NOMINAL, NUMBER, NOMINAL)
    states = ((), ("f", "m"), ("no", "yes"), (), ("no", "yes"))
    return MixedData(np.array([age, sex, quit_, gain, ill]), NAMES, kinds, states)


def hc3(y: NDArray[np.float64], x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients and their HC3 errors, by leaving out one case after the other."""
    found = np.linalg.lstsq(x, y, rcond=None)[0]
    inverse = np.linalg.inv(x.T @ x)
    meat = sum(
        np.outer(row, row) * ((own - row @ found) / (1 - row @ inverse @ row)) ** 2
        for row, own in zip(x, y, strict=True)
    )
    return found, np.sqrt(np.diag(inverse @ meat @ inverse))


def one(dag: Dag) -> NetworkSet:
    return NetworkSet.from_dags([dag], origin="example")


def ends(effect: MixedEffect) -> tuple[float, float, float]:
    assert effect.change is not None
    return tuple(float(part.ravel()[0]) for part in (effect.change.mean, effect.change.low, effect.change.high))  # type: ignore[return-value]


def test_the_effect_is_that_of_a_regression_on_the_parents_of_the_cause() -> None:
    data = study()
    age, sex, quit_, gain, ill = data.values
    ones = np.ones(len(age))
    for outcome, y in (("gain", gain), ("ill", (ill == 0).astype(float))):
        effect = find_mixed_effect(one(FULL), data, "quit", outcome)
        found, errors = hc3(y, np.column_stack([ones, quit_, age, sex]))
        half = stats.t.ppf(0.975, len(age) - 4) * errors[1]
        np.testing.assert_allclose(ends(effect), [found[1], found[1] - half, found[1] + half], rtol=1e-6, atol=1e-9)
        assert effect.steps == ("no -> yes",) and effect.probability == 1
        alone = hc3(y, np.column_stack([ones, quit_]))[0][1]
        assert np.isclose(effect.observed.ravel()[0], alone)
    mean, low, high = ends(find_mixed_effect(one(FULL), data, "quit", "gain"))
    assert abs(mean - 3.4) < 0.6 and low < 3.4 < high
    both = find_mixed_effect(one(FULL), data, "quit", "ill")
    assert both.of == ("no", "yes") and both.change is not None
    np.testing.assert_allclose(both.change.mean.sum(), 0, atol=1e-12)


def test_a_number_is_set_by_as_much_as_asked_for() -> None:
    data = study()
    slope = ends(find_mixed_effect(one(FULL), data, "age", "gain"))
    ten = ends(find_mixed_effect(one(FULL), data, "age", "gain", by=10))
    np.testing.assert_allclose(ten, 10 * np.array(slope), rtol=1e-9)
    age, sex, _, gain, _ = data.values
    assert np.isclose(slope[0], hc3(gain, np.column_stack([np.ones(len(age)), age, sex]))[0][1])
    assert find_mixed_effect(one(FULL), data, "age", "gain", by=10).steps == ("+10",)


def test_causes_of_the_outcome_stand_beside_the_parents_of_the_cause() -> None:
    # Sex is weak for quitting, so that no network has the arc, and strong for gaining: left out, it bends the answer.
    data = study(6000)
    age, sex, quit_, gain, _ = data.values
    ones = np.ones(len(age))
    wanted = hc3(gain, np.column_stack([ones, quit_, age, sex]))[0][1]
    assert np.isclose(ends(find_mixed_effect(one(NO_SEX), data, "quit", "gain"))[0], wanted)
    # Not so what the cause may change, or what few networks make a cause of the outcome.
    through = Dag.from_arcs(NAMES, [("age", "quit"), ("quit", "sex"), ("sex", "gain"), ("quit", "gain")])
    wanted = hc3(gain, np.column_stack([ones, quit_, age]))[0][1]
    assert np.isclose(ends(find_mixed_effect(one(through), data, "quit", "gain"))[0], wanted)
    both = NetworkSet.from_dags([LEAST, LEAST, NO_SEX], origin="example")
    assert np.isclose(ends(find_mixed_effect(both, data, "quit", "gain"))[0], wanted)


def test_networks_that_differ_are_mixed() -> None:
    data = study()
    networks = NetworkSet.from_dags([FULL, LEAST, AWAY], origin="example").with_weights(np.array([0.4, 0.3, 0.3]))
    effect = find_mixed_effect(networks, data, "quit", "gain")
    parts = [find_mixed_effect(one(dag), data, "quit", "gain") for dag in (FULL, LEAST)]
    assert np.isclose(effect.probability, 0.7) and effect.n_families == 2
    mean, low, high = ends(effect)
    assert np.isclose(mean, (0.4 * ends(parts[0])[0] + 0.3 * ends(parts[1])[0]) / 0.7)
    assert min(ends(p)[1] for p in parts) < low < high < max(ends(p)[2] for p in parts)
    frame = effect.to_frame()
    assert np.isclose(frame["expected"][0], 0.7 * mean)
    nothing = find_mixed_effect(one(AWAY), data, "quit", "gain")
    assert nothing.change is None and nothing.no_effect == 1 and nothing.standardised == 0


def test_weights_are_cases_and_cases_in_which_others_were_set_are_left_out() -> None:
    data = study(300)
    weights = np.random.default_rng(1).integers(0, 4, 300)
    weighted = MixedData(data.values, data.names, data.kinds, data.states, weights)
    whole = [ends(find_mixed_effect(one(FULL), own, "quit", "gain")) for own in (weighted, weighted.expand())]
    np.testing.assert_allclose(*whole, rtol=1e-9)
    half = np.arange(300) < 150
    mixed = data.with_targets(["sex" if own else "quit" for own in half])
    np.testing.assert_allclose(
        ends(find_mixed_effect(one(FULL), mixed, "quit", "gain")),
        ends(find_mixed_effect(one(FULL), data.take(~half), "quit", "gain")),
    )


def test_a_cause_of_three_states_has_three_changes() -> None:
    rng = np.random.default_rng(4)
    arm = rng.integers(0, 3, 900)
    y = np.array([0.0, 2.0, 5.0])[arm] + rng.normal(size=900)
    data = MixedData(np.array([arm, y]), ("arm", "y"), (NOMINAL, NUMBER), (("a", "b", "c"), ()))
    effect = find_mixed_effect(one(Dag.from_arcs(["arm", "y"], [("arm", "y")])), data, "arm", "y")
    assert effect.steps == ("a -> b", "a -> c", "b -> c") and effect.change is not None
    means = [y[arm == k].mean() for k in range(3)]
    wanted = [means[1] - means[0], means[2] - means[0], means[2] - means[1]]
    np.testing.assert_allclose(effect.change.mean[:, 0], wanted)


def test_a_cause_without_room_of_its_own_is_told() -> None:
    rng = np.random.default_rng(4)
    z = rng.normal(size=800)
    values = np.array([z, (z + 0.1 * rng.normal(size=800) > 0).astype(float), z + 0.01 * rng.normal(size=800), z])
    values[3] += rng.normal(size=800)
    data = MixedData(values, ("z", "x", "w", "y"), (NUMBER, NOMINAL, NUMBER, NUMBER), ((), ("no", "yes"), (), ()))
    dag = Dag.from_arcs(data.names, [("z", "x"), ("z", "w"), ("z", "y"), ("x", "y"), ("w", "y")])
    for cause in ("x", "w"):
        assert "hardly leave it room" in str(find_mixed_effect(one(dag), data, cause, "y").lacks_overlap)
    assert find_mixed_effect(one(dag), data, "z", "y").lacks_overlap is None


@pytest.mark.parametrize(("cause", "by", "words"), [("gain", 1.0, "twice"), ("age", 0.0, "other than 0")])
def test_what_cannot_be_asked(cause: str, by: float, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        find_mixed_effect(one(FULL), study(100), cause, "gain", by=by)


def test_all_effects_are_those_that_are_asked_for_one_by_one() -> None:
    data, networks = study(400), NetworkSet.from_dags([FULL, NO_SEX, AWAY], origin="example")
    found = find_mixed_effects(networks, data)
    pairs = {(one.cause, one.outcome) for one in found.effects}
    assert pairs == {("age", "quit"), ("sex", "quit"), ("age", "gain"), ("sex", "gain"), ("quit", "gain")} | {
        (cause, "ill") for cause in ("age", "sex", "quit", "gain")
    }
    for own in found.effects:
        alone = find_mixed_effect(networks, data, own.cause, own.outcome)
        np.testing.assert_allclose(ends(own), ends(alone))
        np.testing.assert_allclose(own.observed, alone.observed)
        assert own.probability == alone.probability
    order = [abs(one.standardised) for one in found.effects]
    assert order == sorted(order, reverse=True)
    # In standard deviations: what a regression of standardised columns says.
    slope = next(one for one in find_mixed_effects(one(LEAST), data, causes=["age"]).effects if one.outcome == "gain")
    assert np.isclose(slope.standardised, np.corrcoef(data.scores("age"), data.scores("gain"))[0, 1])


def test_the_effects_of_a_class_are_those_of_its_members() -> None:
    data = study(400)
    found = possible_mixed_effects(AWAY, data, "age", "gain")
    assert sorted(parents for parents, _ in found) == [(), ("gain",), ("quit",)]
    by_parents = dict(found)
    assert by_parents["gain",].change is None  # then gain leads to age
    np.testing.assert_allclose(ends(by_parents[()]), ends(find_mixed_effect(one(AWAY), data, "age", "gain")))


def test_completions_are_mixed_as_rubin_says() -> None:
    rng = np.random.default_rng(3)
    data = study(500)
    other = data.values.copy()
    other[3] += rng.normal(0, 1.5, 500)
    both = MixedData(np.hstack([data.values, other]), NAMES, data.kinds, data.states)
    parts = [find_mixed_effect(one(FULL), both.take(np.arange(500) + k * 500), "quit", "gain") for k in range(2)]
    whole = ends(find_mixed_effect(one(FULL), both, "quit", "gain", copies=2))
    assert np.isclose(whole[0], np.mean([ends(part)[0] for part in parts]))
    assert min(ends(part)[1] for part in parts) <= whole[1] < whole[2] <= max(ends(part)[2] for part in parts)
    assert whole[2] - whole[1] > 0.9 * max(ends(part)[2] - ends(part)[1] for part in parts)


def test_what_is_observed_is_of_rows_with_both_values() -> None:
    """What completions put into gaps is no observation, however it looks."""
    rng = np.random.default_rng(5)
    x, noise = rng.normal(size=(2, 600))
    missing = np.arange(600) < 250
    copies = []
    for _ in range(4):
        y = x + noise
        y[missing] = rng.normal(size=250)  # knows nothing of x
        copies.append(np.array([x, y]))
    data = MixedData(np.concatenate(copies, axis=1), ("x", "y"), (NUMBER,) * 2, ((),) * 2)
    networks = NetworkSet.from_dags([Dag.from_arcs(("x", "y"), [("x", "y")])], origin="test")
    found = find_mixed_effect(networks, data, "x", "y", copies=4)
    slope = stats.linregress(x[~missing], (x + noise)[~missing]).slope
    assert found.observed[0, 0] == pytest.approx(slope) and found.pairs == (350, 600)
    whole = find_mixed_effect(networks, data.take(np.arange(600)), "x", "y")
    assert whole.pairs == (600, 600) and whole.observed[0, 0] < slope - 0.2

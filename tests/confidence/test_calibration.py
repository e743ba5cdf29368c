"""From confidence to probability: curves, models, directions, expectations and the table of the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.confidence import EdgeConfidence, combine_confidences, consensus_network
from arcwise.confidence.calibration import Calibration, CalibrationTable, calibrated_by, calibration_table
from arcwise.confidence.curves import KNOTS, CalibrationCurve, SetFacts
from arcwise.confidence.probability import reason_of, reliability
from arcwise.ensemble import Recipe
from arcwise.errors import FormatError, OptionError, UnknownNameError
from arcwise.graph import Constraints
from arcwise.networks.recipe import NetworkOrigin

NAMES = ("a", "b", "c", "d")


def confidence(directed: np.ndarray | None = None, **facts: object) -> EdgeConfidence:
    """Four variables: a -> b certain, a - c likely and open, b - d unlikely."""
    arcs, free = np.zeros((4, 4)), np.zeros((4, 4))
    arcs[0, 1] = 1.0
    free[0, 2] = free[2, 0] = 0.8
    arcs[1, 3], arcs[3, 1] = 0.1, 0.05
    made = EdgeConfidence(
        NAMES, arcs if directed is None else directed, free, "cpdag", "credible", 100, "posterior", exact=True,
        recipe=Recipe.usual("credible", "qnml", n_cases=500), n_cases=500,
    )  # fmt: skip
    return replace(made, **facts)


def test_a_curve_that_would_fall_is_held() -> None:
    values = np.linspace(0.1, 0.9, len(KNOTS))
    values[10] = 0.0
    curve = CalibrationCurve.of(values)
    assert (np.diff(curve.values) >= 0).all()
    assert curve.values[10] == curve.values[9]
    with pytest.raises(FormatError, match="none below the one before it"):
        CalibrationCurve(tuple(values))


@given(st.lists(st.floats(0, 1), min_size=len(KNOTS), max_size=len(KNOTS)), st.floats(0, 1))
def test_what_is_above_a_cut_off_is_above_its_probability(values: list[float], bar: float) -> None:
    curve = CalibrationCurve.of(values)
    cut = curve.cut_off(bar)
    for c in (cut + 1e-6, min(cut + 0.01, 1.0), 1.0):
        assert not cut < c <= 1 or float(curve(c)) >= bar - 1e-9
    for c in (0.0, cut / 2, cut - 1e-6):
        assert not 0 < c < cut or float(curve(c)) <= bar + 1e-9


def test_facts_beyond_the_study_count_as_its_edge() -> None:
    model = next(iter(calibration_table().entries.values())).model
    far, farther = (model.curve(SetFacts(n, 20, 1.0, 0.1)) for n in (10**6, 10**9))
    assert far == farther


def test_probabilities_of_a_pair_sum_to_one_and_rise_with_confidence() -> None:
    found = confidence().probability
    pair = found.pair("b", "d")
    assert pair.forward + pair.backward + pair.either == pytest.approx(1.0)
    assert np.allclose(found.directed + found.directed.T + found.undirected, found.present)
    assert found.pair("a", "b").edge > found.pair("a", "c").edge > pair.edge > found.pair("c", "d").edge >= 0
    assert (found.present == found.present.T).all()
    assert (np.diag(found.present) == 0).all()
    with pytest.raises(UnknownNameError, match="unknown variable 'e'"):
        found.pair("a", "e")
    with pytest.raises(OptionError, match="got 'a' twice"):
        _ = found["a", "a"]


def test_an_arrow_is_no_surer_than_what_compels_it() -> None:
    """A v-structure a -> c <- b, and c -> d, which follows from it; a and b may be joined with probability 0.4."""
    present, directed = np.zeros((4, 4)), np.zeros((4, 4))
    for tail, head, probability in ((0, 2, 0.9), (1, 2, 0.8), (2, 3, 0.7)):
        present[tail, head] = present[head, tail] = directed[tail, head] = probability
    present[0, 1] = present[1, 0] = 0.4
    assert reason_of(present, directed, 0, 2) == pytest.approx(0.8 * 0.6)  # b -> c, and b is not joined to a
    assert reason_of(present, directed, 1, 2) == pytest.approx(0.9 * 0.6)
    assert reason_of(present, directed, 2, 3) == pytest.approx(0.9)  # a -> c, and a is not joined to d
    assert reason_of(present, directed, 0, 1) == reason_of(present[:2, :2], directed[:2, :2], 0, 1) == 0
    found = replace(confidence().probability, present=present, directed=directed, undirected=np.zeros((4, 4)))
    assert found.pair("a", "c").arrow(ahead=True) == pytest.approx(0.48)
    assert found.pair("a", "c").arrow(ahead=False) == 0
    assert found.pair("c", "d").arrow(ahead=True) == pytest.approx(0.7)


def test_what_constraints_settle_is_certain() -> None:
    rules = Constraints(NAMES, required=[("a", "b")], forbidden=[("c", "d"), ("d", "c"), ("c", "a")])
    found = replace(confidence(), constraints=rules).probability
    assert (found.pair("a", "b").edge, found.pair("a", "b").forward) == (1.0, 1.0)
    assert found.pair("c", "d").edge == 0.0
    assert found.pair("a", "c").forward == 1.0
    assert 0 < found.pair("a", "c").edge < 1


def test_the_expectation_is_a_sum_of_probabilities() -> None:
    found = confidence().probability
    chosen = confidence().vector > 0.5
    expected = found.expected(chosen)
    assert expected.edges == 2
    assert expected.false == pytest.approx(float((1 - found.vector[chosen]).sum()))
    assert expected.missed == pytest.approx(float(found.vector[~chosen].sum()))
    assert expected.true + expected.false == pytest.approx(2)
    assert "Of all 2 edges" in expected.sentence() and "may be missing" in expected.sentence()
    with pytest.raises(OptionError, match="the mask is over 3 pairs"):
        found.expected(chosen[:3])


def test_without_calibration_probabilities_are_confidences() -> None:
    plain = replace(confidence(), calibration=calibrated_by("none"))
    assert np.allclose(plain.probability.vector, plain.vector)
    assert np.allclose(plain.probability.directed, plain.directed)
    with pytest.raises(UnknownNameError, match="did you mean 'table'"):
        calibrated_by("tabel")


def test_what_was_not_studied_is_said() -> None:
    table = calibration_table()
    assert table.calibration(confidence()).doubt == ""
    assert "was not studied" in table.calibration(confidence(recipe=Recipe.usual("credible", "k2"))).doubt
    other = table.calibration(confidence(recipe=Recipe.usual("credible", "qnml", bayes_factor=150)))
    assert "the Bayes factor: 150 here, 20 there" in other.doubt
    assert "number of rows is not known" in table.calibration(confidence(n_cases=None)).doubt
    assert "experiments: some here, none there" in table.calibration(confidence(targets=(("a",),))).doubt
    millions = Recipe.usual("credible", "qnml", n_cases=5_000_000)
    assert "and there are 5,000,000 here" in table.calibration(confidence(recipe=millions, n_cases=5_000_000)).doubt
    narrow = table.calibration(confidence(recipe=Recipe.usual("credible", "qnml", max_parents=3)))
    assert "the largest number of parents: 3 here, 4 there" in narrow.doubt
    many = EdgeConfidence(
        tuple(f"v{k}" for k in range(1100)), np.zeros((1100, 1100)), np.zeros((1100, 1100)), "cpdag", "credible", 100,
        "posterior", exact=True, recipe=Recipe.usual("credible", "qnml", n_cases=500), n_cases=500,
    )  # fmt: skip
    assert "variables, and there are 1,100 here" in table.calibration(many).doubt
    assert "not the feature 'path'" in table.calibration(confidence(feature="path")).doubt
    strange = table.calibration(confidence(origin="oracle"))
    assert (strange.kind, "No study shows" in strange.doubt) == ("none", True)
    # How many networks were drawn is no other recipe.
    few = confidence(origin="bootstrap", recipe=Recipe.usual("bootstrap", "bic", replicates=50))
    assert table.calibration(few).doubt == ""


def test_constraints_are_a_doubt_only_where_no_check_had_some() -> None:
    table, told = calibration_table(), Constraints(NAMES, tiers=[["a"], ["b", "c", "d"]])
    some = confidence(recipe=Recipe.usual("credible", "qnml", n_cases=500, constraints=told), constraints=told)
    assert "constraints: some here, none there" in table.calibration(some).doubt
    usual = Recipe.usual("bootstrap", "qnml", n_cases=500, constraints=told)
    bootstrap = replace(some, origin=NetworkOrigin("bootstrap"), recipe=usual)
    assert table.entries["bootstrap", "qnml"].constrained > 0 and table.calibration(bootstrap).doubt == ""
    unchecked = {key: replace(entry, constrained=0) for key, entry in table.entries.items()}
    assert "constraints: some here" in replace(table, entries=unchecked).calibration(bootstrap).doubt
    believed = replace(usual, beliefs={"every_edge": 0.5})
    assert "prior odds: some here" in table.calibration(replace(bootstrap, recipe=believed)).doubt


def test_a_calibration_is_kept_in_the_file(tmp_path: Path) -> None:
    own = Calibration(
        "table", CalibrationCurve.of(KNOTS**2), None, "come from a study", spreads=(0.5, 1.5), is_chance=True
    )
    replace(confidence(), calibration=own).save(tmp_path / "c.parquet")
    again = EdgeConfidence.load(tmp_path / "c.parquet")
    assert again.calibration == own
    assert again["a", "c"] == 0.8
    assert again.probability.pair("a", "c").edge == pytest.approx(0.64)
    confidence().save(tmp_path / "d.parquet")
    assert EdgeConfidence.load(tmp_path / "d.parquet").calibration is None


def test_a_table_is_read_as_it_was_written() -> None:
    table = calibration_table()
    again = CalibrationTable.from_json(table.to_json())
    assert again.entries == table.entries
    with pytest.raises(FormatError, match="not a table of calibrations"):
        CalibrationTable.from_json('{"kind": "else"}')


def test_the_network_at_a_probability_has_the_edges_above_it() -> None:
    c = confidence()
    bar = 0.5
    cut = c.probability.calibration.curve.cut_off(bar)
    kept = {frozenset((e.tail, e.head)) for e in consensus_network(c, cut).edges}
    i, j = np.triu_indices(4, 1)
    likely = {frozenset((NAMES[a], NAMES[b])) for a, b, p in zip(i, j, c.probability.vector, strict=True) if p > bar}
    assert kept == likely


def test_members_that_agree_keep_their_probability_and_others_meet_half_way() -> None:
    one = confidence()
    other = confidence(directed=one.directed * 0.0)
    pool = combine_confidences({"credible:qnml": one, "bootstrap:bic": other}, combine="probability")
    low, high = sorted((one.probability["a", "b"], other.probability["a", "b"]))
    assert low < pool["a", "b"] < high
    assert pool["a", "c"] == pytest.approx(one.probability["a", "c"], abs=0.05)  # facts of the sets differ a little
    assert np.allclose(pool.probability.vector, pool.vector)
    alone = combine_confidences({"credible:qnml": one}, combine="probability")
    assert np.allclose(alone.vector, one.probability.vector, atol=1e-4)
    assert np.allclose(alone.directed, one.probability.directed, atol=1e-4)
    assert alone.probability.calibration.kind == "table"


def test_what_cannot_be_a_calibration_is_refused() -> None:
    with pytest.raises(FormatError, match="the calibration cannot be read"):
        Calibration.from_description({"kind": "self", "curve": "no numbers"})
    with pytest.raises(OptionError, match="2 claims and 1 truths"):
        reliability(np.zeros(2), np.zeros(1, dtype=bool))
    model = next(iter(calibration_table().entries.values())).model
    with pytest.raises(FormatError, match="7 rows of 9 coefficients"):
        replace(model, coefficients=model.coefficients[1:])
    with pytest.raises(FormatError, match="the ranges of 9 facts"):
        replace(model, lowest=model.lowest[1:])

"""Chance: what shuffled columns show, an exact test, and ranges of how many edges are wrong or missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import arcwise
from arcwise.base.run import Limits, Run
from arcwise.confidence.by_recipe import confidence_by_recipe
from arcwise.confidence.chance import BY_CHANCE, SHUFFLES, SURER_SHUFFLES, Chance, find_chance
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.probability import COVERED, Expected, count_range
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.errors import FormatError
from arcwise.graph import Constraints
from arcwise.scores import make_score


def table(codes: NDArray[np.int64]) -> Dataset:
    return Dataset.from_codes(codes, names=[f"x{v}" for v in range(codes.shape[1])])


def noise(n_cases: int, columns: int, seed: int) -> Dataset:
    return table(np.random.default_rng(seed).integers(0, 3, (n_cases, columns)))


def parity(n_cases: int, seed: int) -> Dataset:
    """Return a column that is the parity of two others, none of which tells anything alone, and three of noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_cases, 6))
    codes[:, 2] = codes[:, 0] ^ codes[:, 1] ^ (rng.random(n_cases) < 0.05)
    return table(codes)


def chance_of(data: Dataset, seed: int = 1, **limits: float) -> Chance | None:
    run = Run(seed, progress=False, limits=Limits(**limits))
    return find_chance(data, make_score("qnml"), run)


def test_one_table_in_twenty_without_dependence_shows_more_than_chance() -> None:
    found = [chance_of(noise(60, 5, seed)) for seed in range(60)]
    exceeded = sum(one is not None and one.is_exceeded for one in found)
    assert exceeded <= 8  # 3 are expected; 9 or more have a probability of 0.003


@pytest.mark.parametrize("seed", range(3))
def test_dependence_shows_even_where_no_pair_has_any(seed: int) -> None:
    found = chance_of(parity(200, seed))
    assert found is not None and found.is_exceeded
    assert len(found.gains) == len(found.edges) == SURER_SHUFFLES  # they passed the first 19 tables


def test_few_cases_that_pass_are_tested_twice_as_sharply(monkeypatch: pytest.MonkeyPatch) -> None:
    by_chance = [seed for seed in range(40) if (found := chance_of(noise(50, 5, seed))) and len(found.gains) > SHUFFLES]
    assert by_chance  # two of 40 are expected to pass the first test, and one of 40 the second
    sharper = {seed: chance_of(noise(50, 5, seed)) for seed in by_chance}
    monkeypatch.setattr("arcwise.confidence.chance.FEW_CASES", 0)
    for seed, found in sharper.items():
        before = chance_of(noise(50, 5, seed))
        assert before is not None and found is not None
        assert before.is_exceeded
        assert (len(before.gains), len(found.gains)) == (SHUFFLES, SURER_SHUFFLES)
        assert found.gains[:SHUFFLES] == before.gains
    assert sum(found is not None and found.is_exceeded for found in sharper.values()) <= 4


def test_it_depends_on_the_seed_alone_and_a_limit_leaves_it_out() -> None:
    data = noise(60, 9, 0)
    assert chance_of(data, 3) == chance_of(data, 3)
    assert chance_of(data, 3) != chance_of(data, 4)
    assert chance_of(data, 3, seconds=1e-9) is None


def test_what_is_forbidden_does_not_make_the_data_independent() -> None:
    """The test is about the data: whoever forbids the edges does not learn that there is no dependence."""
    data = parity(200, 1)
    rules = Constraints(data.names, max_parents=0)
    analysis = arcwise.learn(data, seed=1, replicates=20, constraints=rules, compare=False, progress=False)
    assert analysis.confidence.chance is not None and analysis.confidence.chance.is_exceeded
    assert "show no dependence" not in analysis.to_text()


def test_many_cases_are_tested_by_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.confidence.chance.MOST_CASES", 150)
    found = chance_of(parity(600, 1))
    assert found is not None and found.is_exceeded


def test_how_many_rows_might_show_it() -> None:
    hint = Chance(4.0, (0.0, 2.0, 4.0, 6.0), (1, 1, 1, 1))
    assert not hint.is_exceeded
    assert hint.cases_to_show(100) == 300  # beyond their mean of 3, the data gain 1 and a shuffled table 3
    assert Chance(3.0, (0.0, 2.0, 4.0, 6.0), (1, 1, 1, 1)).cases_to_show(100) is None


def test_where_the_data_show_no_more_no_edge_is_likelier_than_not(tmp_path: Path) -> None:
    recipe = Recipe.usual("bootstrap", n_cases=200, arities=[3] * 8, replicates=40)
    found = confidence_by_recipe(recipe, noise(200, 8, 3), Run(1, progress=False))
    assert found is not None and found.chance is not None and not found.chance.is_exceeded
    assert found.probability.calibration.is_chance and found.probability.vector.max() <= BY_CHANCE
    shares_alone = replace(found, chance=None).probability.vector
    np.testing.assert_allclose(found.probability.vector, BY_CHANCE * shares_alone)
    expected = found.probability.expected(found.vector > 0.99)
    assert expected.is_chance and "no more dependence than chance" in expected.sentence()
    found.save(tmp_path / "c.parquet")
    assert EdgeConfidence.load(tmp_path / "c.parquet").chance == found.chance


@pytest.mark.parametrize("change", [{"gains": []}, {"gain": "much"}, {"edges": [1]}, {"gains": [float("nan")] * 2}])
def test_what_is_no_chance_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(FormatError, match="shuffled columns show"):
        Chance.from_description({"gain": 1.0, "gains": [0.5, 0.7], "edges": [1, 0]} | change)


def test_learn_says_in_its_first_sentence_that_nothing_shows() -> None:
    analysis = arcwise.learn(noise(200, 8, 3), seed=1, replicates=60, compare=False, progress=False)
    assert not any(edge.fate.in_network for edge in analysis.edges)
    text = analysis.to_text()
    assert "These data show no dependence between the variables" in text
    assert "missing" not in text.split("show no dependence")[0]


def counted(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution of a sum of independent events, one after the other."""
    found = np.ones(1)
    for p in probabilities.tolist():
        found = np.append(found, 0.0) * (1 - p) + np.insert(found, 0, 0.0) * p
    return found


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=12))
def test_without_a_shift_the_range_is_the_shortest_of_independent_pairs(values: list[float]) -> None:
    p = np.array(values)
    low, high = count_range(p, 0.0)
    masses = counted(p)
    margin = 0.02  # log odds are rounded to a hundredth
    assert masses[low : high + 1].sum() >= COVERED - margin
    shorter = [masses[k : k + high - low].sum() for k in range(len(masses))]
    assert max(shorter) <= COVERED + margin


def test_where_nothing_is_likely_the_range_is_nothing() -> None:
    assert count_range(np.array([0.02, 0.03]), 0.0) == (0, 0)  # tails of equal size would say 0 to 1 of 0.06 and more
    assert count_range(np.array([0.06]), 0.0) == (0, 0)
    assert count_range(np.array([0.11]), 0.0) == (0, 1)


def test_a_shift_that_all_pairs_share_makes_the_range_wider() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.01, 0.2, size=300)
    narrow, wide = count_range(p, 0.0), count_range(p, 1.2)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    odds = np.log(p / (1 - p)) + 1.2 * rng.normal(size=(20_000, 1))
    drawn = (rng.random((20_000, 300)) < 1 / (1 + np.exp(-odds))).sum(axis=1)
    assert np.mean((wide[0] <= drawn) & (drawn <= wide[1])) == pytest.approx(COVERED, abs=0.02)
    assert count_range(np.array([1.0, 1.0, 0.0]), 2.0) == (2, 2)
    assert count_range(np.empty(0), 1.0) == (0, 0)
    many = count_range(np.full(100_000, 0.05), 0.0)
    assert many[0] == pytest.approx(5000 - 1.645 * 68.9, abs=5) and many[1] == pytest.approx(5000 + 1.645 * 68.9, abs=5)


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        (
            Expected(7, 0.9, 2.0, (0, 2), (0, 6)),
            "Of all 7 edges, at most 2 are probably wrong; up to 6 weak ones may be missing.",
        ),
        (Expected(7, 0.1, 0.0, (0, 0), (0, 0)), "Of all 7 edges, probably none is wrong; hardly any is missing."),
        (
            Expected(1, 0.2, 1.0, (0, 1), (1, 1)),
            "This one edge is wrong with probability 0.20; 1 weak one may be missing.",
        ),
        (Expected(0, 0.0, 3.0, (0, 0), (1, 6)), "No edge is above the cut-off; 1 to 6 weak ones may be missing."),
    ],
)
def test_ranges_are_said_in_words(expected: Expected, sentence: str) -> None:
    assert expected.sentence() == sentence


def test_the_range_says_whether_open_edges_are_counted() -> None:
    some, missed = Expected(22, 5.5, 2.0, (2, 9), (0, 6)), (0, 6)
    firm, opened = Expected(8, 0.4, 2.0, (0, 1), missed), Expected(14, 5.1, 2.0, (3, 8), missed)
    assert some.sentence((firm, opened)) == (
        "Of the 8 edges that are not open, at most 1 is probably wrong; of the 14 open ones 3 to 8 may be. "
        "Up to 6 weak ones may be missing."
    )
    assert some.sentence((firm, Expected(1, 0.4, 2.0, (0, 1), missed))).endswith(
        "at most 1 is probably wrong; the open one may be. Up to 6 weak ones may be missing."
    )
    assert some.sentence((Expected(0, 0.0, 0.0, (0, 0), missed), opened)).startswith(
        "Of the 14 open ones 3 to 8 may be wrong; up to"
    )
    assert some.sentence((firm, Expected(0, 0.0, 0.0, (0, 0), missed))).startswith("Of all 22 edges, 2 to 9 are ")

"""Rows that are no cases of their own, although nobody said so."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from arcwise import Dataset, check, learn
from arcwise.analysis import PreparationError
from arcwise.analysis import open as open_analysis
from arcwise.findings.dependence import excess_of_equals, expected_equals, find_dependence

QUICK: dict[str, Any] = {"compare": False, "progress": False, "seed": 1, "replicates": 30, "permutations": 0}


def rows_of(rng: np.random.Generator, rows: int, columns: int, shift: NDArray[np.float64] | None = None) -> Any:
    """A chain of three states, each the state before with 0.6; `shift` moves rows towards a state."""
    codes = np.zeros((rows, columns), dtype=np.int64)
    for v in range(columns):
        codes[:, v] = rng.integers(0, 3, rows)
        if v:
            codes[:, v] = np.where(rng.random(rows) < 0.6, codes[:, v - 1], codes[:, v])
        if shift is not None:
            codes[:, v] = np.where(rng.random(rows) < 0.5, shift[:, v], codes[:, v])
    return codes


def data_of(codes: NDArray[np.int64]) -> Dataset:
    return Dataset.from_codes(codes, states=[["a", "b", "c"]] * codes.shape[1])


def clusters(rng: np.random.Generator, groups: int, columns: int) -> NDArray[np.int64]:
    own, base = rows_of(rng, groups * 10, columns), np.repeat(rows_of(rng, groups, columns), 10, axis=0)
    return np.where((rng.random(groups * 10) < 0.6)[:, None], base, own)


def test_independent_rows_are_left_alone() -> None:
    warned = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes = rows_of(rng, int(rng.choice([60, 150, 500])), int(rng.choice([6, 10, 15])))
        if seed % 3 == 1:  # sorted by one column, or by all: the order says what they say
            codes = codes[np.argsort(codes[:, 0], kind="stable")]
        elif seed % 3 == 2:
            codes = codes[np.lexsort(codes.T[::-1])]
        warned += find_dependence(data_of(codes), seed) is not None
    assert warned <= 1


def test_dependent_rows_are_found_and_count_for_what_they_are_worth() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        for shuffle in (False, True):
            codes = np.repeat(rows_of(rng, 100, 10), 3, axis=0)
            found = find_dependence(data_of(codes[rng.permutation(300)] if shuffle else codes), seed)
            assert found is not None
            assert data_of(codes).with_groups(found).n_effective <= 101 or not shuffle
            codes = clusters(rng, 40, 10)
            data = data_of(codes[rng.permutation(400)] if shuffle else codes)
            found = find_dependence(data, seed)
            assert found is not None
            assert 60 <= data.with_groups(found).n_effective <= 260
        groups = rng.integers(0, 3, (30, 8))
        alike = rows_of(rng, 300, 8, np.repeat(groups, 10, axis=0))
        found = find_dependence(data_of(alike), seed)
        assert found is not None
        assert "follow each other" in found.found
        assert 30 <= data_of(alike).with_groups(found).n_effective <= 200


def test_what_is_not_looked_at() -> None:
    codes = np.repeat(rows_of(np.random.default_rng(1), 100, 8), 3, axis=0)
    data = data_of(codes)
    assert find_dependence(data.with_groups(np.arange(300))) is None
    assert find_dependence(data.collapse()) is None
    assert find_dependence(data.select(data.names[:3])) is None
    assert find_dependence(data_of(codes[:24])) is None


def test_the_expected_equals_are_those_of_the_fitted_network() -> None:
    # Independent columns: the probability of a row is the product of its margins.
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (300, 4))
    shares = np.array([np.bincount(codes[:, v], minlength=3) + 1 / 3 for v in range(4)]) / 301
    by_hand = [300 * float(np.prod([shares[v, row[v]] for v in range(4)])) for row in codes]
    assert expected_equals(data_of(codes)) == pytest.approx(by_hand)


def test_the_excess_is_the_design_effect_less_one() -> None:
    rng = np.random.default_rng(4)
    cells = np.array([np.prod(p) for p in product(*([[0.2, 0.3, 0.5]] * 4))])
    for times in (1, 3):
        seen = []
        for _ in range(300):
            drawn = rng.choice(len(cells), size=300, p=cells / cells.sum())
            counts = times * np.bincount(drawn, minlength=len(cells))
            of_row = np.repeat(np.arange(len(cells)), counts)
            seen.append(excess_of_equals(counts[of_row], times * 300 * cells[of_row]))
        assert np.mean(seen) == pytest.approx(times - 1, abs=0.1)


def test_the_report_says_so_first(tmp_path: Path) -> None:
    frame = pd.DataFrame(np.repeat(rows_of(np.random.default_rng(5), 100, 6), 3, axis=0), columns=list("abcdef"))
    found = learn(frame.astype(str), **QUICK)
    first = found.report.summary[0]
    assert first.startswith("Beware: these rows do not look independent: every row occurs 3 times")
    assert "The 300 rows tell about as much as 100 independent ones" in first
    assert "--groups" in first
    assert found.confidence.n_cases == 100
    found.save(tmp_path / "out")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["effective_cases"] == 100
    assert "3 times" in record["data"]["dependence"]
    saved = open_analysis(tmp_path / "out")
    assert saved.data.n_effective == 100
    assert saved.effect("a", "b").to_frame().equals(found.effect("a", "b").to_frame())
    alone = learn(frame.iloc[::3].astype(str), **QUICK)
    assert not alone.report.summary[0].startswith("Beware")


def test_gaps_and_cuts_do_not_hide_it() -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(np.repeat(rows_of(rng, 100, 7), 3, axis=0), columns=list("abcdefg")).astype(str)
    frame["x"] = np.repeat(rng.normal(size=100), 3)
    frame.loc[rng.choice(300, 20, replace=False), "c"] = None
    found = learn(frame, impute="completions", discretize="quantile", recut=True, completions=2, **QUICK)
    assert found.report.summary[0].startswith("Beware")
    assert found.confidence.n_cases is not None
    assert found.confidence.n_cases < 200


def test_the_column_that_would_cure_it_is_proposed() -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(clusters(rng, 40, 8), columns=list("abcdefgh")).astype(str)
    shuffled = frame.assign(patient=np.repeat(np.arange(40), 10)).sample(frac=1, random_state=1)
    told = [finding for finding in check(shuffled).findings if finding.kind == "groups"]
    assert [finding.columns for finding in told] == [("patient",)]
    with pytest.raises(PreparationError, match=r"groups='patient'"):
        learn(shuffled, **QUICK)
    agreed = learn(shuffled, agree=True, **QUICK)
    assert agreed.data.design is not None
    assert agreed.data.design.n_groups == 40
    assert agreed.report.summary[0].startswith("The 400 rows belong to 40 groups (patient)")
    # Dealt out at random, the same column says nothing.
    other = shuffled.assign(patient=rng.permutation(shuffled["patient"].to_numpy()))
    assert not [finding for finding in check(other).findings if finding.kind == "groups"]


def test_a_drift_makes_no_groups() -> None:
    rng = np.random.default_rng(8)
    ill = (rng.random(600) < np.linspace(0.9, 0.1, 600)).astype(np.int64)  # most of the ill were entered first
    codes = np.array([np.where(rng.random(600) < 0.9, ill, rng.integers(0, 2, 600)) for _ in range(5)])
    data = Dataset.from_codes(codes.T, states=[["no", "yes"]] * 5)
    assert find_dependence(data) is None


def test_a_credible_set_holds_a_share_of_the_posterior_of_the_same_rows() -> None:
    data = data_of(clusters(np.random.default_rng(3), 40, 5))
    assert find_dependence(data) is not None
    found = learn(data, method="credible", **QUICK)
    assert found.main.credible is not None and found.main.credible.covered is not None
    assert 0 < found.main.credible.covered <= 1


def test_a_network_that_does_not_quite_fit_makes_frequent_rows_no_copies() -> None:
    """Of six columns of two states, each row has seventy that are equal, and a misfit of a few per cent is one more."""
    rng = np.random.default_rng(3)
    shares = np.exp(rng.normal(0, 1.2, 2)[:, None] * np.eye(2)).ravel()  # two columns that depend on each other
    cells = np.kron(np.kron(shares, np.exp(rng.normal(0, 0.6, 4))), np.ones(4)) * np.exp(rng.normal(0, 0.22, 64))
    drawn = rng.choice(64, 1_800, p=cells / cells.sum())
    data = data_of((drawn[:, None] >> np.arange(6)) & 1)
    counts = np.bincount(drawn, minlength=64)[drawn]
    assert excess_of_equals(counts, expected_equals(data)) > 1
    assert find_dependence(data) is None

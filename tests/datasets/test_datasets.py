from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from arcwise.data import Dataset, read_data
from arcwise.datasets import SURVEY, available, load
from arcwise.errors import UnknownNameError


def rows(data: Dataset) -> Counter[tuple[str, ...]]:
    columns = [[data.states[v][code] for code in data.codes[v]] for v in range(data.n_variables)]
    return Counter(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("name", "variables", "cases"),
    [
        ("tic-tac-toe", 10, 958),
        ("balance-scale", 5, 625),
        ("iris", 5, 150),
        ("survey", 9, 2000),
        ("wine", 14, 178),
        ("breast-cancer", 31, 569),
    ],
)
def test_sizes(name: str, variables: int, cases: int) -> None:
    data = load(name)
    assert (data.n_variables, data.n_cases) == (variables, cases)
    assert data.digest == load(name).digest


def test_every_name_loads() -> None:
    assert len(available()) == 6
    for name in available():
        assert load(name).n_cases > 0
    with pytest.raises(UnknownNameError, match="did you mean 'tic-tac-toe'"):
        load("tictactoe")


def test_the_survey_is_drawn_from_its_network() -> None:
    """Every share is within five standard errors of the table that it was drawn from,"""
    frame = load("survey").to_dataframe()
    states = {name: words.split() for name, words, _, _ in SURVEY}
    for name, _, parents, percent in SURVEY:
        shares = iter(percent.split())
        for combination in product(*(states[parent] for parent in parents.split())):
            rows = frame
            for parent, state in zip(parents.split(), combination, strict=True):
                rows = rows[rows[parent] == state]
            for state in states[name]:
                share = float(next(shares)) / 100
                assert abs((rows[name] == state).mean() - share) < 5 * (share * (1 - share) / len(rows)) ** 0.5
        assert next(shares, None) is None


def test_the_survey_reads_back_equal_from_its_csv(tmp_path: Path) -> None:
    load("survey").to_file(tmp_path / "survey.csv")
    assert read_data(tmp_path / "survey.csv").digest == load("survey").digest


def test_tic_tac_toe_classes() -> None:
    # Published with the data: 626 positive and 332 negative boards.
    data = load("tic-tac-toe")
    assert np.bincount(data.codes[data.index("Class")]).tolist() == [332, 626]


def test_balance_scale_classes() -> None:
    # Published with the data: 49 balanced, 288 left, 288 right.
    assert np.bincount(load("balance-scale").codes[0]).tolist() == [49, 288, 288]


@pytest.mark.parametrize(("name", "file"), [("tic-tac-toe", "tic_tac_toe"), ("balance-scale", "balance_scale")])
def test_enumerations_equal_the_published_files(shared: Path, name: str, file: str) -> None:
    published = read_data(shared / "data" / "uci" / f"{file}.csv.gz")
    assert load(name).names == published.names
    assert load(name).states == published.states
    assert rows(load(name)) == rows(published)


def test_iris_equals_the_coded_file(shared: Path) -> None:
    np.testing.assert_array_equal(load("iris").codes, read_data(shared / "data" / "liao2019" / "iris.csv.gz").codes)


def test_breast_cancer_equals_the_coded_file(shared: Path) -> None:
    ours, coded = load("breast-cancer"), read_data(shared / "data" / "liao2019" / "wdbc.csv.gz")
    # There the class is the first column, and states are numbered by first appearance.
    for mine, theirs in zip(np.roll(ours.codes, 1, axis=0), coded.codes, strict=True):
        assert len(set(zip(mine.tolist(), theirs.tolist(), strict=True))) == 2

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.bnlearn_samples import NAMES, golden, read_sample

from arcwise import datasets
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.priors import analytic_ess, analytic_ess_of_class, effective_parameters
from arcwise.scores.score import families_of, family_counts


def test_steck_table_1_balance_scale() -> None:
    """The BIC-optimal graph is naive Bayes; alpha* = 44 (43.57 before rounding), for every member of its class."""
    data = datasets.load("balance-scale")
    others = [name for name in data.names if name != "class"]
    naive = Dag.from_arcs(data.names, [("class", name) for name in others])
    assert analytic_ess(data, naive).value == pytest.approx(43.566965, abs=1e-6)
    least, largest = analytic_ess_of_class(data, naive)
    assert least == pytest.approx(largest)


def test_effective_parameters_count_what_occurs() -> None:
    data = Dataset.from_codes(np.array([[0, 0], [0, 1], [1, 1]]), states=[["a", "b", "c"], ["x", "y"]])
    dag = Dag.from_arcs(data.names, [("X0", "X1")])
    assert effective_parameters(data, dag) == (2 - 1) + (3 - 2)


def test_uniform_data_have_no_best_ess() -> None:
    data = Dataset.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    with pytest.raises(OptionError, match="as uniform as the prior"):
        analytic_ess(data, Dag(data.names, [[], []]))


def bnlearn_alpha_star(data: Dataset, dag: Dag) -> float:
    """What bnlearn 4.9 does instead: 1 is added to every cell, and a root of r states has r parameters."""
    top, bottom = 0.0, 0.0
    for child, parents in families_of(data, dag):
        counts = family_counts(data, child, sorted(parents))
        top += (counts > 0).sum() - ((counts.sum(axis=1) > 0).sum() if parents else 0)
        plus = counts + 1.0
        share = plus / plus.sum() - 1 / plus.size
        bottom += (share * np.log(plus / plus.sum(axis=1, keepdims=True))).sum()
    return float(top / bottom)


@pytest.mark.parametrize("name", NAMES)
def test_the_difference_to_bnlearn_is_explained(name: str) -> None:
    data, dag = read_sample(name)
    theirs = golden(name)["alpha_star"]
    assert bnlearn_alpha_star(data, dag) == pytest.approx(theirs, rel=1e-8)
    assert analytic_ess(data, dag).value == pytest.approx(theirs, rel=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_all_members_of_a_class_have_the_same_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([rng.integers(0, [2, 3, 4, 2], size=(15, 4)), [[1, 2, 3, 1]]])  # many empty cells
    data = Dataset.from_codes(codes)
    dag = Dag(data.names, [[], [0], [0, 1], [2]])
    least, largest = analytic_ess_of_class(data, dag)
    assert least == pytest.approx(largest, rel=1e-12)


def test_the_parts_add_up() -> None:
    data = datasets.load("tic-tac-toe")
    dag = Dag(data.names[::-1], [(), (0,), (0, 1), *[(2,)] * 7])
    found = analytic_ess(data, dag)
    frame = found.to_frame()
    assert frame["variable"].tolist() == list(data.names)
    assert frame["effective parameters"].sum() == found.effective_parameters == effective_parameters(data, dag)
    assert found.effective_parameters / frame["skewness"].sum() == pytest.approx(found.value)
    assert f"{found.value:.4g}" in found.plot().get_suptitle()

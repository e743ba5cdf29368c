"""Numbers of classes from uniform draws, against exact ones."""

from __future__ import annotations

import math

import pytest

from arcwise import datasets
from arcwise.ensemble import CredibleSet, estimate_classes
from arcwise.errors import GuaranteeError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.parent_sets import build_parent_sets


@pytest.mark.parametrize(("name", "score", "factor"), [("wine", "bic", 20), ("wine", "bdeu:ess=1", 150)])
def test_intervals_hold_the_exact_number(name: str, score: str, factor: float) -> None:
    table = build_parent_sets(datasets.load(name), score, slack=math.log(factor), max_parents=3)
    credible = CredibleSet.build(table, bayes_factor=factor)
    exact = credible.class_count
    assert exact is not None
    held = 0
    for seed in range(10):
        found = estimate_classes(credible, draws=400, seed=seed)
        assert found.draws == 400
        assert 1 <= found.low <= found.count <= found.high <= credible.count
        held += found.low <= exact <= found.high
    assert held >= 8
    large = estimate_classes(credible, draws=6000, seed=1)
    assert large.count == pytest.approx(exact, rel=0.08)
    assert estimate_classes(credible, draws=400, seed=3) == estimate_classes(credible, draws=400, seed=3)


def test_classes_under_constraints_are_estimated() -> None:
    data = datasets.load("balance-scale")
    rules = Constraints(data.names, forbidden=[("class", "left-weight"), ("left-weight", "left-distance")])
    table = build_parent_sets(data, "bic", slack=6.0, constraints=rules)
    credible = CredibleSet.build(table, log_slack=6.0, constraints=rules)
    found = estimate_classes(credible, draws=4000, seed=1)
    assert found.count == pytest.approx(credible.count_classes(), rel=0.15)


def test_sets_without_whole_classes_are_refused() -> None:
    data = datasets.load("balance-scale")
    rules = Constraints(data.names, max_parents_of={"class": 1})
    table = build_parent_sets(data, "bic", slack=3.0, constraints=rules)
    with pytest.raises(GuaranteeError, match="all members"):
        estimate_classes(CredibleSet.build(table, log_slack=3.0, constraints=rules))


def test_too_few_draws_tell_nothing() -> None:
    table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(3), max_parents=2)
    with pytest.raises(UnfinishedError, match=r"only 1 of 50 networks were drawn \(count limit\)"):
        estimate_classes(CredibleSet.build(table, bayes_factor=3), draws=50, seed=1, limits=Limits(count=1))

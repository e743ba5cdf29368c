"""The price of constraints against all DAGs of four variables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from arcwise import Dataset
from arcwise.analysis import constraint_price
from arcwise.errors import ConstraintError
from arcwise.findings.price import factor_words
from arcwise.graph import Beliefs, Constraints, all_dags
from arcwise.limits import Limits, Status
from arcwise.scores import make_score
from arcwise.scores.score import BelievedScore

NAMES = ("a", "b", "c", "d")
PAIRS = list(itertools.permutations(NAMES, 2))


def cases(seed: int, rows: int = 80) -> Dataset:
    random = np.random.default_rng(seed)
    a, d = random.integers(0, 2, rows), random.integers(0, 3, rows)
    b = np.where(random.random(rows) < 0.8, a, 1 - a)
    c = np.where(random.random(rows) < 0.75, b ^ (d == 0), 1 - b)
    return Dataset.from_codes(np.column_stack([a, b, c, d]), names=NAMES)


def random_constraints(seed: int) -> Constraints:
    random = np.random.default_rng(seed)
    for attempt in itertools.count():
        pick = [PAIRS[k] for k in random.permutation(len(PAIRS))]
        names = [NAMES[k] for k in random.permutation(4)]
        options = {
            "required": pick[: seed % 3],
            "forbidden": pick[3:5],
            "roots": names[: seed % 2],
            "separate": pick[5:6],
            "tiers": [names[:2], names[2:]] if seed % 4 == 1 else [],
            "max_parents": 1 if seed % 5 == 2 else None,
            "ancestors": pick[6:7] if seed % 3 == 0 else [],
            "non_ancestors": pick[7:8] if seed % 6 == 5 else [],
        }
        try:
            return Constraints(NAMES, **options)
        except ConstraintError:
            assert attempt < 1000
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_prices_are_those_of_all_dags(seed: int) -> None:
    data, known = cases(seed), random_constraints(seed)
    score = make_score("bdeu:ess=1")
    scores = {dag: score.score_network(data, dag) for dag in all_dags(NAMES)}

    def best(constraints: Constraints) -> float:
        return max(value for dag, value in scores.items() if constraints.allows_dag(dag))

    price = constraint_price(data, known, score=score)
    assert price is not None
    assert price.exact
    assert price.status is Status.COMPLETE
    assert price.constrained == pytest.approx(best(known), abs=1e-6)
    assert price.unconstrained == pytest.approx(max(scores.values()), abs=1e-6)
    assert len(price.parts) == len(known.statements)
    for part in price.parts:
        assert part.cost == pytest.approx(best(known.without(part.statement)) - best(known), abs=1e-6)
    costs = [part.cost for part in price.parts]
    assert costs == sorted(costs, reverse=True)
    assert len(price.sentences) == sum(cost > 1e-6 for cost in costs)


def test_local_search_prices_say_so_and_are_not_negative() -> None:
    data = cases(3)
    known = Constraints(NAMES, forbidden=[("a", "b"), ("b", "a")])
    exact, local = constraint_price(data, known), constraint_price(data, known, exact=False)
    assert exact is not None
    assert local is not None
    assert not local.exact
    assert local.cost >= 0
    assert local.cost == pytest.approx(exact.cost, abs=1e-6)  # four variables: it finds the same
    assert all(part.cost >= 0 for part in local.parts)
    # Without either the edge comes back the other way round, so each costs as much as both.
    assert [part.cost for part in exact.binding] == pytest.approx([exact.cost] * 2)
    # What is said twice costs nothing each: the other goes on.
    twice = constraint_price(data, known.changed(separate=[("a", "b")]))
    assert twice is not None
    assert not twice.binding
    assert twice.cost == pytest.approx(exact.cost)


def test_words_and_limits() -> None:
    data = cases(3)
    known = Constraints(NAMES, separate=[("a", "b")])
    price = constraint_price(data, known)
    assert price is not None
    factor = factor_words(price.cost)
    assert price.sentences == (f"The data object to there being no arc between a and b by {factor}.",)
    aic = constraint_price(data, known, score="aic")
    assert aic is not None
    assert "in log score" in aic.sentences[0]
    assert constraint_price(data, known, limits=Limits(seconds=1e-9)) is None
    assert factor_words(math.log(4123)) == "a factor of 4,100"


def test_prior_odds_do_not_change_what_a_price_means() -> None:
    known = Constraints(NAMES, separate=[("a", "b")])
    for score, is_factor in (("bic", True), ("aic", False)):
        believed = BelievedScore(make_score(score), Beliefs(edges=[("a", "d", 3)]))
        for own in (make_score(score), believed):
            found = constraint_price(cases(1), known, score=own)
            assert found is not None
            assert found.is_factor is is_factor

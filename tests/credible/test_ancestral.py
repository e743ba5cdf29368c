"""Constraints on ancestors: the optimum and the credible set against all DAGs, and who refuses them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dataset
from arcwise.ensemble import exact_posterior, k_best
from arcwise.errors import ConstraintError, GuaranteeError
from arcwise.findings.price import constraint_price
from arcwise.graph import Constraints, Dag, all_dags
from arcwise.limits import Limits, Status
from arcwise.parent_sets.build import wider_slack

NAMES = ("a", "b", "c", "d")
DAGS = list(all_dags(NAMES))


def cases(seed: int, rows: int = 60) -> Dataset:
    """Return cases of a chain a -> b -> c with some noise, and d apart."""
    random = np.random.default_rng(seed)
    a = random.integers(0, 2, rows)
    b = np.where(random.random(rows) < 0.8, a, 1 - a)
    c = np.where(random.random(rows) < 0.7, b, 1 - b)
    return Dataset.from_codes(np.column_stack([a, b, c, random.integers(0, 2, rows)]), names=NAMES)


def score_of(table: arcwise.ParentSetTable, dag: Dag) -> float:
    known = {}
    for node in range(4):
        for row in table.rows_of(node):
            members = table.members[table.set_offsets[row] : table.set_offsets[row + 1]]
            known[node, frozenset(members.tolist())] = float(table.scores[row])
    return math.fsum(known[v, frozenset(parents)] for v, parents in enumerate(dag.parents))


PAIRS = list(itertools.permutations(NAMES, 2))


@pytest.mark.parametrize("seed", range(12))
def test_optimum_and_credible_set_are_those_of_all_dags(seed: int) -> None:
    random = np.random.default_rng(seed)
    pick = [PAIRS[k] for k in random.permutation(len(PAIRS))[:4]]
    try:
        known = Constraints(NAMES, ancestors=pick[:2], non_ancestors=pick[2:3], forbidden=pick[3:])
    except ConstraintError:
        known = Constraints(NAMES, non_ancestors=pick[1:3], ancestors=pick[:1])
    data = cases(seed)
    table = arcwise.build_parent_sets(data, "bic", slack=math.inf)
    scores = {dag: score_of(table, dag) for dag in DAGS if known.allows_dag(dag)}
    best = max(scores.values())
    found = arcwise.find_optimal(table, constraints=known, data=data)
    assert found.score == pytest.approx(best, abs=1e-9)
    assert known.allows_dag(found.dag)
    listed = arcwise.find_credible(table, log_slack=2.0, constraints=known)
    expected = {dag for dag, score in scores.items() if score >= best - 2.0 - 1e-9}
    assert set(listed) == expected
    assert listed.count == len(expected)
    assert listed.opt == pytest.approx(best)
    weights = np.exp([scores[dag] for dag in listed])
    assert listed.weights == pytest.approx(weights / weights.sum())
    # A table that was pruned gives the same, or says how far it would have to reach.
    for slack in (0.0, 4.0):
        pruned = arcwise.build_parent_sets(data, "bic", constraints=known, slack=slack)
        try:
            again = arcwise.find_optimal(pruned, constraints=known)
        except GuaranteeError as error:
            assert "rebuild it with build_parent_sets(..., slack=" in str(error).lower()
        else:
            assert again.score == pytest.approx(best, abs=1e-9)


def test_learn_finds_the_slack_itself() -> None:
    known = Constraints(NAMES, ancestors=[("d", "a")], non_ancestors=[("a", "c")])
    recipe = arcwise.ensemble.Recipe.of("credible", "bic", constraints=known)
    found = recipe.run(cases(3))
    assert found.complete
    assert found.count
    assert all(known.allows_dag(dag) for dag in found)
    table = arcwise.build_parent_sets(cases(3), "bic", slack=math.inf)
    assert found.count == arcwise.find_credible(table, bayes_factor=20, constraints=known).count


def test_experiments_and_the_constraints_of_the_table_are_kept() -> None:
    data = cases(0).with_targets(["b"] * 20 + [None] * 40)
    known = Constraints(NAMES, ancestors=[("a", "c")])
    made = arcwise.ensemble.Recipe.of("credible", "bdeu:ess=1", constraints=known).run(data)
    assert made.targets == ((), ("b",))
    assert made.obeyed == known
    assert made.fixed is not None and made.fixed.fixes("b", "c")
    early = Constraints(NAMES, forbidden=[("d", "a")])
    table = arcwise.build_parent_sets(data, "bdeu:ess=1", slack=math.inf, constraints=early)
    assert arcwise.find_credible(table, log_slack=1.0, constraints=known).obeyed == early.joined(known)


def test_limits_of_a_set_under_constraints_on_ancestors() -> None:
    table = arcwise.build_parent_sets(cases(0), "bic", slack=math.inf)
    rules = arcwise.Constraints(table.names, ancestors=[(table.names[0], table.names[1])])
    whole = arcwise.find_credible(table, bayes_factor=1000, constraints=rules)
    assert whole.count > 3
    best = arcwise.find_credible(table, bayes_factor=1000, constraints=rules, limits=Limits(count=3))
    assert (best.count, best.status, best.facts["total"]) == (3, Status.COUNT_LIMIT, str(whole.count))
    assert best.scores.tolist() == whole.scores[:3].tolist()
    np.testing.assert_allclose(best.weights, whole.weights[:3] / whole.weights[:3].sum())
    for limits, status in ((Limits(1e-9), Status.TIME_LIMIT), (Limits(memory_bytes=100), Status.MEMORY_LIMIT)):
        none = arcwise.find_credible(table, bayes_factor=1000, constraints=rules, limits=limits)
        assert (none.count, none.status) == (0, status)


def test_a_table_that_was_cut_short_tells_its_limit() -> None:
    table = arcwise.build_parent_sets(cases(0), "bic", slack=math.inf, limits=Limits(seconds=1e-9))
    found = arcwise.find_credible(table, log_slack=1.0, constraints=Constraints(NAMES, ancestors=[("a", "c")]))
    assert (found.count, found.status) == (0, Status.TIME_LIMIT)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ancestors": [("a", "d")]}, "a leads to d: 'd' never varies"),
        ({"ancestors": [("a", "c")], "max_parents_of": {"c": 1}, "required": [("d", "c")]}, "that a leads to c"),
        # Either could lead to c by itself, but both only by way of d, of which the data say nothing.
        (
            {
                "ancestors": [("a", "c"), ("b", "c")],
                "max_parents_of": {"c": 1},
                "forbidden": [("a", "b"), ("b", "a")],
            },
            "no network in the table satisfies",
        ),
    ],
)
def test_a_path_that_no_data_can_show_is_refused_at_once(options: dict[str, Any], reason: str) -> None:
    codes = cases(0).codes.T.copy()
    codes[:, 3] = 0
    data = Dataset.from_codes(codes, names=NAMES, states=[["0", "1"]] * 4)
    known = Constraints(NAMES, **options)
    for attempt in (
        lambda: arcwise.ensemble.Recipe.of("credible", "bdeu:ess=1", constraints=known).run(data),
        lambda: constraint_price(data, known, score="bdeu:ess=1"),
    ):
        with pytest.raises(ConstraintError, match=reason):
            attempt()


def test_the_slack_ends_where_every_parent_set_is_in_the_table() -> None:
    data = cases(1)
    known = Constraints(NAMES, ancestors=[("a", "c")], non_ancestors=[("a", "b")])
    table = arcwise.build_parent_sets(data, "bic", slack=1e6, constraints=known)
    assert wider_slack(table, 1e6, data, known, None) == math.inf
    tight = arcwise.build_parent_sets(data, "bic", slack=0.0, constraints=known)
    assert wider_slack(tight, 4.0, data, known, None) == 8.0


def test_the_others_refuse_them() -> None:
    known = Constraints(NAMES, ancestors=[("a", "c")])
    data = cases(0)
    table = arcwise.build_parent_sets(data, "bic", slack=math.inf)
    for attempt in (
        lambda: arcwise.hill_climb(data, score="bic", constraints=known),
        lambda: arcwise.bootstrap_networks(data, replicates=2, constraints=known),
        lambda: exact_posterior(table, constraints=known),
        lambda: k_best(table, 2, constraints=known),
        lambda: arcwise.local.order_search(table, constraints=known),
        lambda: arcwise.ensemble.count_credible(table, bayes_factor=3, constraints=known),
    ):
        with pytest.raises(ConstraintError, match=r"cannot obey constraints on ancestors \(a leads to c\)"):
            attempt()

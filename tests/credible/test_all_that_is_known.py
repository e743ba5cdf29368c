"""Constraints, prior odds and experiments at once: optimum, count, classes and confidences against all DAGs."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from tests.oracles.random_beliefs import random_beliefs
from tests.oracles.random_constraints import random_constraints
from tests.oracles.random_experiments import interventional_class, random_experiments

from arcwise.confidence import edge_confidence
from arcwise.ensemble import CredibleSet, find_posterior
from arcwise.errors import ConstraintError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag, all_dags
from arcwise.parent_sets import build_parent_sets
from arcwise.posterior.sampling import sample_posterior
from arcwise.scores import make_score

SLACK = math.log(30)


@cache
def dags_over(n: int) -> tuple[Dag, ...]:
    return tuple(all_dags("abcde"[:n]))


@pytest.mark.parametrize("number", range(30))
def test_all_at_once(number: int) -> None:
    rng = np.random.default_rng(7000 + number)
    data = random_experiments(4, rng)
    assert data.targets is not None
    silent = {(data.names[p], data.names[c]) for c, p in zip(*np.nonzero(data.silent_arcs), strict=True)}
    constraints = random_constraints(data.names, rng, own_limits=False)
    while silent & set(constraints.required):  # of such an arc the data say nothing
        constraints = random_constraints(data.names, rng, own_limits=False)
    beliefs = random_beliefs(rng, data.names)
    name = ("bic", "bdeu:ess=1", "qnml", "k2")[number % 4]
    score, prior = make_score(name, beliefs=beliefs), beliefs.on(data.names)
    allowed = [dag for dag in dags_over(4) if constraints.allows_dag(dag) and not silent & set(dag.arcs)]
    plain = make_score(name)
    values = np.array([plain.score_network(data, dag) + prior.network(dag) for dag in allowed])
    table = build_parent_sets(data, score, slack=SLACK, constraints=constraints, progress=False)
    best = find_optimal(table, constraints=constraints, progress=False)
    assert best.score == pytest.approx(values.max(), abs=1e-8)
    within = np.flatnonzero(values >= values.max() - SLACK - 1e-9)
    found = CredibleSet.build(table, constraints=constraints, log_slack=SLACK, progress=False)
    assert {dag.parents for dag in found.networks()} == {allowed[i].parents for i in within}
    # A class: what neither data nor experiments tell apart, among what is allowed and equally believed by direction.
    directed = [
        frozenset((a, b))
        for a in data.names
        for b in data.names
        if a < b and not math.isclose(prior.network(_arc(data.names, a, b)), prior.network(_arc(data.names, b, a)))
    ]
    members = defaultdict(list)
    for dag in allowed:
        told = frozenset(arc for arc in dag.arcs if frozenset(arc) in directed)
        members[interventional_class(dag, data.targets.sets), told].append(np.array(dag.to_adjacency(), dtype=bool))
    shares = np.exp(values[within] - values.max())
    wanted = np.zeros((2, 4, 4))
    for share, i in zip(shares / shares.sum(), within.tolist(), strict=True):
        dag = allowed[i]
        told = frozenset(arc for arc in dag.arcs if frozenset(arc) in directed)
        group = members[interventional_class(dag, data.targets.sets), told]
        some = np.any(group, axis=0)
        wanted += share * np.array([np.all(group, axis=0), some & some.T])
    confidence = edge_confidence(found, orient="cpdag")
    np.testing.assert_allclose(confidence.directed, wanted[0], atol=1e-9)
    np.testing.assert_allclose(confidence.undirected, wanted[1], atol=1e-9)


def test_chains_know_what_the_credible_set_knows() -> None:
    data = random_experiments(4, np.random.default_rng(7001))
    constraints = random_constraints(data.names, np.random.default_rng(3), own_limits=False)
    table = build_parent_sets(data, "bdeu", slack=math.inf, constraints=constraints, progress=False)
    drawn = sample_posterior(table, constraints=constraints, seed=1, progress=False, most_draws=64).networks()
    found = CredibleSet.build(table, constraints=constraints, log_slack=SLACK, progress=False)
    assert drawn.fixed == found.fixed and drawn.fixed is not None
    assert all(constraints.allows_dag(dag) for dag in drawn)
    assert "seconds" not in drawn.facts
    leads = Constraints(data.names, ancestors=[("a", "b")])
    with pytest.raises(ConstraintError, match="cannot obey constraints on ancestors"):
        find_posterior(data, "bdeu", constraints=leads, progress=False)


def _arc(names: tuple[str, ...], tail: str, head: str) -> Dag:
    return Dag.from_arcs(names, [(tail, head)])

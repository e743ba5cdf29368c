"""Optimum, count, classes and confidences under random constraints, against all DAGs of up to five variables."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.random_constraints import class_matrices, markov_class, random_constraints
from tests.twins.averages import class_sums_twin

from arcwise.confidence import averaging as credible_averages
from arcwise.confidence import edge_confidence
from arcwise.confidence.averaging import class_sums
from arcwise.credible import diagram as credible_diagram
from arcwise.credible import listing
from arcwise.credible.find import stream_credible
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet, NetworkSet, bootstrap_networks, class_sizes, concatenate, find_credible
from arcwise.errors import GuaranteeError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag, FixedPairs, all_dags
from arcwise.limits import Limits
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score

SLACK = math.log(20)


@cache
def dags_over(n: int) -> tuple[Dag, ...]:
    return tuple(all_dags("abcde"[:n]))


def random_data(n: int, rng: np.random.Generator) -> Dataset:
    """Few cases of a random network, so that many networks are credible."""
    columns: list[np.ndarray] = []
    for v in range(n):
        chance = np.full(60, 0.5)
        for parent in range(v):
            if rng.random() < 0.5:
                chance = np.clip(chance + 0.35 * (2 * columns[parent] - 1) * rng.choice([-1, 1]), 0.05, 0.95)
        columns.append((rng.random(60) < chance).astype(int))
    order = rng.permutation(n)
    return Dataset.from_codes(np.array(columns)[order].T, names=list("abcde"[:n]))


def case(number: int, **options: Any) -> tuple[Dataset, Constraints]:
    rng = np.random.default_rng(number)
    n = 5 if number % 5 == 0 else 4
    return random_data(n, rng), random_constraints("abcde"[:n], rng, **options)


def brute_force(data: Dataset, constraints: Constraints, score: str) -> tuple[list[Dag], np.ndarray, list[Dag]]:
    """All DAGs that satisfy the constraints; of these, the credible ones and their scores."""
    scorer = make_score(score)
    allowed = [dag for dag in dags_over(data.n_variables) if constraints.allows_dag(dag)]
    known: dict[tuple[int, tuple[int, ...]], float] = {}
    for dag in allowed:
        for v, parents in enumerate(dag.parents):
            known.setdefault((v, tuple(parents)), 0.0)
    families = list(known)
    known = dict(zip(families, scorer.score_families(data, families).tolist(), strict=True))
    scores = np.array([math.fsum(known[v, tuple(ps)] for v, ps in enumerate(dag.parents)) for dag in allowed])
    within = np.flatnonzero(scores >= scores.max() - SLACK - 1e-9)
    return [allowed[i] for i in within], scores[within], allowed


@pytest.mark.parametrize(
    ("number", "construction"), [*((i, "subsets") for i in range(40)), *((i, "costs") for i in range(0, 40, 2))]
)
def test_everything_against_all_dags(number: int, construction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if construction == "costs":  # as for more than 20 variables
        monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    data, constraints = case(number)
    score = ("bic", "bdeu:ess=1", "k2")[number % 3]
    table = build_parent_sets(data, score, slack=SLACK, constraints=constraints, progress=False)
    expected, scores, allowed = brute_force(data, constraints, score)
    best = find_optimal(table, constraints=constraints, progress=False)
    assert constraints.allows_dag(best.dag)
    assert best.score == pytest.approx(scores.max())
    # A half of the cases have constraints in the table alone.
    given = constraints if number % 2 else None
    found = CredibleSet.build(table, log_slack=SLACK, constraints=given, progress=False)
    assert found.count == len(expected)
    fixed = FixedPairs.by_constraints(constraints)
    assert (found.fixed or FixedPairs(data.names)) == fixed
    listed = found.networks()
    assert {dag.parents for dag in listed} == {dag.parents for dag in expected}
    own_limits = bool(constraints.max_parents_by_name)
    classes = {fixed.class_of(dag) for dag in expected}
    if not own_limits:  # then classes are Markov classes cut down to what satisfies the constraints
        assert len(classes) == len({markov_class(dag) for dag in expected})
    assert found.class_count == len(classes)
    monkeypatch.setattr(listing, "FEW", 0)
    again = CredibleSet.build(table, log_slack=SLACK, constraints=given, progress=False)
    assert again.class_count == len(classes)  # from the diagram of the classes, where they are whole
    if found.has_whole_classes:
        assert score != "k2"
        one_each = found.networks("mec")
        assert sorted(Counter(map(fixed.class_of, one_each)).values()) == [1] * len(classes)
        np.testing.assert_allclose(np.sort(one_each.scores)[[0, -1]], [scores.min(), scores.max()])
        sizes = class_sizes(one_each, one_each.fixed)
        members = Counter(map(fixed.class_of, expected))
        assert sizes == [members[fixed.class_of(dag)] for dag in one_each]
        best = found.networks("mec", limits=Limits(count=2))
        assert best.scores.tolist() == one_each.scores[:2].tolist()
    else:
        with pytest.raises(GuaranteeError):
            found.networks("mec")
    if own_limits:
        directed = [np.array(fixed.class_of(dag).to_adjacency()) for dag in expected]
        undirected = [m * m.T for m in directed]
        directed = [m - u for m, u in zip(directed, undirected, strict=True)]
    else:
        directed, undirected = class_matrices(expected, allowed)
    for weights in ("posterior", "equal"):
        shares = np.exp(scores - scores.max()) if weights == "posterior" else np.ones(len(scores))
        shares = shares / shares.sum()
        for most in (10**9, 0):
            monkeypatch.setattr(credible_averages, "MOST_DAGS", most)
            confidence = edge_confidence(found, orient="cpdag", weights=weights)
            np.testing.assert_allclose(confidence.directed, np.tensordot(shares, directed, 1), atol=1e-9)
            np.testing.assert_allclose(confidence.undirected, np.tensordot(shares, undirected, 1), atol=1e-9)


@pytest.mark.parametrize("number", range(12))
def test_bootstrap_networks_are_read_within_the_constraints(number: int) -> None:
    data, constraints = case(100 + number, own_limits=False)
    networks = bootstrap_networks(data, "bic", replicates=8, constraints=constraints, seed=1, progress=False)
    assert all(constraints.allows_dag(dag) for dag in networks)
    allowed = [dag for dag in dags_over(data.n_variables) if constraints.allows_dag(dag)]
    directed, undirected = class_matrices(list(networks), allowed)
    confidence = edge_confidence(networks)
    np.testing.assert_allclose(confidence.directed, np.mean(directed, axis=0), atol=1e-9)
    np.testing.assert_allclose(confidence.undirected, np.mean(undirected, axis=0), atol=1e-9)
    np.testing.assert_allclose(class_sums(networks), class_sums_twin(networks))


def test_what_is_fixed_survives_files_parts_and_joining(tmp_path: Any) -> None:
    data, _ = case(1)
    constraints = Constraints(data.names, tiers=[["a", "b"], ["c", "d"]])
    fixed = FixedPairs.by_constraints(constraints)
    table = build_parent_sets(data, "bic", slack=SLACK, progress=False)
    found = find_credible(table, log_slack=SLACK, constraints=constraints, progress=False)
    networks = bootstrap_networks(data, "bic", replicates=4, constraints=constraints, seed=1, progress=False)
    for kept in (found, networks):
        for name in ("set.nets", "set.parquet"):
            kept.save(tmp_path / name)
            assert NetworkSet.load(tmp_path / name).fixed == fixed
        assert kept[:2].fixed == fixed
        assert concatenate([kept[:1], kept[1:]]).fixed == fixed
    built = CredibleSet.build(table, log_slack=SLACK, constraints=constraints, progress=False)
    assert built.summary().fixed == built.best(3).fixed == built.sample(3, seed=1).fixed == fixed
    streamed = stream_credible(table, tmp_path / "all", log_slack=SLACK, constraints=constraints, progress=False)
    assert all(part.fixed == fixed for part in streamed)
    unconstrained = find_credible(table, log_slack=SLACK, progress=False)
    assert unconstrained.fixed is None
    assert concatenate([found, unconstrained]).fixed is None  # not known of all of them


def test_experiments_fix_pairs_of_a_listed_set() -> None:
    chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    networks = NetworkSet.from_dags([chain], origin="test", facts={"targets": [["a"]]})
    assert edge_confidence(networks).undirected.sum() == 0
    assert edge_confidence(NetworkSet.from_dags([chain], origin="test")).directed.sum() == 0


def test_constraints_of_table_and_search_are_joined() -> None:
    data, _ = case(2)
    early = Constraints(data.names, tiers=[["a"], ["b", "c", "d"]], max_parents_of={"b": 2})
    late = Constraints(data.names, tiers=[["a", "b", "c"], ["d"]], max_parents_of={"b": 1}, max_parents=2)
    table = build_parent_sets(data, "bic", slack=SLACK, constraints=early, progress=False)
    joint = CredibleSet.build(table, log_slack=SLACK, constraints=late, progress=False).obeyed
    assert joint is not None
    for dag in dags_over(4):
        assert joint.allows_dag(dag) == (early.allows_dag(dag) and late.allows_dag(dag))

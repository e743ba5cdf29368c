"""Optimum, count, classes and confidences of data with experiments, against all DAGs of up to five variables."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.random_constraints import random_constraints
from tests.oracles.random_experiments import class_graphs, interventional_class, random_experiments

from arcwise.confidence import averaging, edge_confidence
from arcwise.data import Dataset, stack
from arcwise.ensemble import CredibleSet, NetworkSet, bootstrap_networks, class_sizes, exact_posterior, find_credible
from arcwise.exact import find_optimal
from arcwise.graph import Dag, FixedPairs, all_dags
from arcwise.local import tabu_search
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.scores import SCORES, make_score

SLACK = math.log(20)


@cache
def dags_over(n: int) -> tuple[Dag, ...]:
    return tuple(all_dags("abcde"[:n]))


def case(number: int) -> Dataset:
    return random_experiments(5 if number % 5 == 0 else 4, np.random.default_rng(number))


def told(data: Dataset, dags: tuple[Dag, ...]) -> list[Dag]:
    """The networks without arcs of which the data say nothing."""
    bad = {(data.names[p], data.names[c]) for c, p in zip(*np.nonzero(data.silent_arcs), strict=True)}
    return [dag for dag in dags if not bad & set(dag.arcs)]


def scores_of(data: Dataset, dags: list[Dag], score: str) -> np.ndarray:
    """Scores by definition: each family by the data without the rows in which its child was set."""
    scorer, known = make_score(score), {}
    assert data.targets is not None
    mask = np.array([[name in data.targets.sets[k] for name in data.names] for k in data.targets.of_row])
    for dag in dags:
        for child, parents in enumerate(dag.parents):
            if (child, parents) not in known:
                rows = ~mask[:, child]
                plain = data.with_targets(None)
                known[child, parents] = scorer.score_family(plain.take(rows), child, parents) if rows.any() else 0.0
    return np.array([math.fsum(known[child, parents] for child, parents in enumerate(dag.parents)) for dag in dags])


@pytest.mark.parametrize("number", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 24))])
def test_everything_against_all_dags(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = case(number)
    assert data.targets is not None
    score = ("bic", "bdeu:ess=1", "qnml", "k2")[number % 4]
    allowed = told(data, dags_over(data.n_variables))
    values = scores_of(data, allowed, score)
    within = np.flatnonzero(values >= values.max() - SLACK - 1e-9)
    expected, scores = [allowed[i] for i in within], values[within]
    table = build_parent_sets(data, score, slack=SLACK, progress=False)
    assert table.targets == data.targets.sets
    best = find_optimal(table, progress=False)
    assert best.score == pytest.approx(values.max())
    found = CredibleSet.build(table, log_slack=SLACK, progress=False)
    assert found.count == len(expected)
    assert {dag.parents for dag in found.networks()} == {dag.parents for dag in expected}
    sets = data.targets.sets
    key_of = {dag: interventional_class(dag, sets) for dag in allowed}
    classes = Counter(key_of[dag] for dag in expected)
    assert found.class_count == len(classes)
    assert found.has_whole_classes == (score != "k2")
    if found.has_whole_classes:
        one_each = found.networks("mec")
        assert Counter(interventional_class(dag, sets) for dag in one_each) == Counter(dict.fromkeys(classes, 1))
        whole = Counter(key_of.values())
        assert classes == Counter({key: whole[key] for key in classes})
        assert class_sizes(one_each, one_each.fixed) == [classes[interventional_class(d, sets)] for d in one_each]
    graphs = class_graphs(expected, allowed, sets)
    shares = np.exp(scores - scores.max())
    directed, undirected = np.tensordot(shares / shares.sum(), graphs, 1)
    for most in (10**9, 0):
        monkeypatch.setattr(averaging, "MOST_DAGS", most)
        confidence = edge_confidence(found, orient="cpdag")
        np.testing.assert_allclose(confidence.directed, directed, atol=1e-9)
        np.testing.assert_allclose(confidence.undirected, undirected, atol=1e-9)
    posterior = exact_posterior(build_parent_sets(data, score, slack=math.inf, progress=False), progress=False)
    weights = np.exp(values - values.max())
    arcs = np.tensordot(weights / weights.sum(), [np.array(dag.to_adjacency()) for dag in allowed], 1)
    np.testing.assert_allclose(posterior.arc_probabilities(), arcs, atol=1e-9)


@pytest.mark.parametrize("number", range(8))
def test_experiments_and_constraints_together(number: int) -> None:
    data = case(200 + number)
    assert data.targets is not None
    rng = np.random.default_rng(number)
    silent = {(data.names[p], data.names[c]) for c, p in zip(*np.nonzero(data.silent_arcs), strict=True)}
    constraints = random_constraints(data.names, rng, own_limits=False)
    while silent & set(constraints.required):  # of such an arc the data say nothing
        constraints = random_constraints(data.names, rng, own_limits=False)
    allowed = [dag for dag in told(data, dags_over(data.n_variables)) if constraints.allows_dag(dag)]
    values = scores_of(data, allowed, "bdeu")
    within = np.flatnonzero(values >= values.max() - SLACK - 1e-9)
    table = build_parent_sets(data, "bdeu", slack=SLACK, constraints=constraints, progress=False)
    found = CredibleSet.build(table, log_slack=SLACK, progress=False)
    assert found.count == len(within)
    graphs = class_graphs([allowed[i] for i in within], allowed, data.targets.sets)
    shares = np.exp(values[within] - values.max())
    directed, undirected = np.tensordot(shares / shares.sum(), graphs, 1)
    confidence = edge_confidence(found, orient="cpdag")
    np.testing.assert_allclose(confidence.directed, directed, atol=1e-9)
    np.testing.assert_allclose(confidence.undirected, undirected, atol=1e-9)


@pytest.mark.parametrize("score", sorted(set(SCORES) - {"bde", "bhd"}))
def test_equivalent_scores_are_equal_over_interventional_classes(score: str) -> None:
    # Every arc that two members turn joins variables that were set in the same rows, so that both are counted from
    # the same cases, with the same N: what makes the score equal over Markov classes makes it equal here.
    # What sets scores of data with gaps apart are the cases that are left out, and here there are none.
    equivalent = make_score(score).facts.equivalent or make_score(score).takes_gaps
    unequal = 0
    for number in range(300, 306):
        data = random_experiments(4, np.random.default_rng(number))
        assert data.targets is not None
        allowed = told(data, dags_over(4))
        values = make_score(score)
        families = [(v, ps) for dag in allowed for v, ps in enumerate(dag.parents)]
        known = dict(zip(families, values.score_families(data, families), strict=True))
        by_class: dict[Any, list[float]] = {}
        for dag in allowed:
            total = math.fsum(known[v, ps] for v, ps in enumerate(dag.parents))
            by_class.setdefault(interventional_class(dag, data.targets.sets), []).append(total)
        unequal += sum(max(own) - min(own) > 1e-6 for own in by_class.values())
    assert (unequal == 0) == equivalent


@pytest.mark.parametrize("number", range(6))
def test_bootstrap_networks_are_read_by_what_was_set(number: int, tmp_path: Any) -> None:
    data = case(100 + number)
    assert data.targets is not None
    networks = bootstrap_networks(data, "bdeu", replicates=8, seed=1, progress=False)
    assert networks.fixed == FixedPairs.by_targets(data.names, data.targets.sets) or networks.fixed is None
    graphs = class_graphs(list(networks), list(dags_over(data.n_variables)), data.targets.sets)
    confidence = edge_confidence(networks)
    np.testing.assert_allclose(confidence.directed, graphs[:, 0].mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(confidence.undirected, graphs[:, 1].mean(axis=0), atol=1e-9)
    networks.save(tmp_path / "set.nets")
    assert NetworkSet.load(tmp_path / "set.nets").fixed == networks.fixed
    np.testing.assert_allclose(
        networks.scores, scores_of(data, list(networks), "bdeu"), rtol=1e-10
    )  # on the data at hand


@pytest.mark.parametrize("learner", ["tabu", "hill-climbing", "first-ascent", "genetic", "order", "exact"])
def test_every_learner_leaves_the_rows_out(learner: Any) -> None:
    data = case(7)
    found = bootstrap_networks(data, "bic", replicates=3, learner=learner, seed=2, draws="replacement", progress=False)
    for index, score in zip(found.facts["indices"], found.facts["replicate_scores"], strict=True):
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(2, spawn_key=(index,))))
        sample = data.collapse().resample(rng)
        expected = make_score("bic").score_network(sample, found[index])
        assert score == pytest.approx(expected)


def test_a_table_with_targets_survives_its_files(tmp_path: Any) -> None:
    from arcwise.parent_sets import read_parent_sets, write_parent_sets

    table = build_parent_sets(case(3), "bic", progress=False)
    for name in ("table.jkl", "table.arct"):
        write_parent_sets(tmp_path / name, table)
        assert read_parent_sets(tmp_path / name).targets == table.targets
    plain = build_parent_sets(case(3).with_targets(None), "bic", progress=False)
    write_parent_sets(tmp_path / "plain.arct", plain)
    assert read_parent_sets(tmp_path / "plain.arct").targets is None


def test_checkpoints_of_several_groups(tmp_path: Any) -> None:
    data = random_experiments(5, np.random.default_rng(11))
    path = tmp_path / "state"
    whole = build_parent_sets(data, "bdeu", slack=3.0, progress=False)

    calls = 0

    def stop(event: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 6:
            raise KeyboardInterrupt

    part = build_parent_sets(data, "bdeu", slack=3.0, checkpoint=path, progress=stop)
    if path.exists():  # stopped before the end
        assert part.max_parents is not None
        sizes = np.diff(part.set_offsets)
        assert sizes.max() <= part.max_parents
    again = build_parent_sets(data, "bdeu", slack=3.0, checkpoint=path, progress=False)
    assert again.digest == whole.digest
    assert not path.exists()


def test_nothing_set_is_the_same_to_the_last_bit() -> None:
    data = case(4).with_targets(None)
    same = data.with_targets([None] * data.n_rows)
    assert same.targets is None
    assert same.digest == data.digest
    tables = [build_parent_sets(d, "bdeu", slack=SLACK, progress=False) for d in (data, same)]
    assert tables[0].digest == tables[1].digest
    found = [bootstrap_networks(d, "bic", replicates=4, seed=3, progress=False) for d in (data, same)]
    assert (found[0].choices == found[1].choices).all()
    assert "targets" not in found[0].facts
    # Values that were set in rows that weigh nothing change nothing either.
    none = data.take(np.arange(5)).with_targets(["a"] * 5)
    extra = stack([data, Dataset(none.codes, none.names, none.states, np.zeros(5, dtype=np.int64) + 1, none.targets)])
    assert tabu_search(extra, score="bic", seed=1).dag is not None
    for v in range(1, data.n_variables):
        pooled = make_score("bic").score_family(stack([data, none.with_targets(None)]), v, ())
        assert make_score("bic").score_family(extra, v, ()) == pytest.approx(pooled, abs=1e-9)
    assert make_score("bic").score_family(extra, 0, ()) == make_score("bic").score_family(data, 0, ())


def test_a_variable_that_was_set_in_every_row_has_no_parents_but_can_be_one() -> None:
    rng = np.random.default_rng(0)
    treatment = rng.integers(2, size=400)
    outcome = (rng.random(400) < 0.2 + 0.6 * treatment).astype(int)
    data = Dataset.from_codes(np.column_stack([treatment, outcome]), names=["treatment", "outcome"])
    trial = data.with_targets(["treatment"] * 400)
    for score in ("bic", "bdeu", "qnml", "fnml"):
        table = build_parent_sets(trial, score, slack=SLACK, progress=False)
        assert find_optimal(table, progress=False).dag.arcs == (("treatment", "outcome"),)
        assert tabu_search(trial, score=score, seed=1).dag.arcs == (("treatment", "outcome"),)
    confidence = edge_confidence(find_credible(table, log_slack=SLACK, progress=False))
    assert confidence.directed[0, 1] == pytest.approx(1.0)
    assert edge_confidence(
        find_credible(build_parent_sets(data, "bic", slack=SLACK, progress=False), log_slack=SLACK)
    ).undirected[0, 1] == pytest.approx(1.0)
    everything = data.with_targets([("treatment", "outcome")] * 400)
    assert isinstance(build_parent_sets(everything, "bic", progress=False), ParentSetTable)
    assert find_optimal(build_parent_sets(everything, "bic", progress=False), progress=False).score == 0.0

"""Which experiment next: against the twin, closed forms, and experiments that are really made."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.oracles.random_constraints import random_constraints
from tests.twins.averages import next_experiment_twin

from arcwise.confidence import NextExperiment, edge_confidence, next_experiment
from arcwise.data import Dataset, stack
from arcwise.ensemble import CredibleSet, NetworkSet, find_credible
from arcwise.errors import OptionError, UnfinishedError
from arcwise.graph import Beliefs, Constraints, Dag, FixedPairs, all_dags
from arcwise.graph.classes import ClassMembers
from arcwise.limits import Limits, Status
from arcwise.model import BayesianNetwork
from arcwise.parent_sets import build_parent_sets

NAMES = list("abcde")


def random_dags(rng: np.random.Generator, count: int, n: int = 5) -> list[Dag]:
    found = []
    for _ in range(count):
        order = rng.permutation(n)
        arcs = [(NAMES[order[i]], NAMES[order[j]]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.45]
        found.append(Dag.from_arcs(NAMES[:n], arcs))
    return found


@pytest.mark.parametrize("number", range(12))
def test_it_is_the_twin(number: int) -> None:
    rng = np.random.default_rng(number)
    dags, facts = random_dags(rng, 6), {}
    if number % 3 > 0:
        facts["targets"] = [[], [NAMES[rng.integers(5)]], list(rng.choice(NAMES, 2, replace=False))]
    if number % 2:
        constraints = random_constraints(NAMES, rng, own_limits=False)
        dags = [dag for dag in all_dags(NAMES) if constraints.allows_dag(dag)][:: 97 + number][:6]
        facts["constraints"] = constraints.describe()
    networks = NetworkSet.from_dags(dags, origin="test", facts=facts).with_weights(rng.random(len(dags)) + 0.1)
    found = next_experiment(networks)
    np.testing.assert_allclose(found.settled, next_experiment_twin(networks), atol=1e-9)
    assert not found.drawn
    assert found.open_now == pytest.approx(edge_confidence(networks).undirected.sum() / 2)


def shape(dag: Dag) -> tuple[object, ...]:
    joined = {frozenset(arc) for arc in dag.arcs}
    colliders = {
        (frozenset((a, b)), c) for a, c in dag.arcs for b, d in dag.arcs if c == d and a < b and {a, b} not in joined
    }
    return frozenset(joined), frozenset(colliders)


def open_edges(dag: Dag, known: set[frozenset[str]], allowed: list[Dag]) -> int:
    """How many edges the class of a network, among allowed ones that agree on known pairs, has in both directions."""
    here = {(a, b) for a, b in dag.arcs if frozenset((a, b)) in known}
    members = [o for o in allowed if shape(o) == shape(dag) and here <= set(o.arcs)]
    return sum(any((b, a) in o.arcs for o in members) for a, b in dag.arcs)


@pytest.mark.parametrize("number", range(8))
def test_the_definition_with_odds_and_experiments(number: int) -> None:
    # By brute force over all networks: odds weigh the members, and settle nothing themselves.
    rng = np.random.default_rng(number)
    names = NAMES[:4]
    everything = list(all_dags(names))
    pairs = [(a, b) for a in names for b in names if a != b]
    chosen = [pairs[i] for i in rng.choice(len(pairs), 2, replace=False)]
    beliefs = Beliefs(arcs={chosen[0]: 4, chosen[1]: "1:3"})
    made = [[], [names[rng.integers(4)]]] if number % 2 else []
    seed = (
        everything[int(rng.integers(len(everything)))]
        if number > 1
        else Dag.from_arcs(names, [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
    )
    known = {frozenset(p) for p in pairs if any((p[0] in t) != (p[1] in t) for t in made)}
    agree = {(a, b) for a, b in seed.arcs if frozenset((a, b)) in known}
    members = [o for o in everything if shape(o) == shape(seed) and agree <= set(o.arcs)]
    prior = beliefs.on(names)
    weights = np.exp([prior.network(o) for o in members])
    weights /= weights.sum()
    expected, open_now = np.zeros(4), 0.0
    for dag, weight in zip(members, weights, strict=True):
        before = open_edges(dag, known, everything)
        open_now += weight * before
        for v, name in enumerate(names):
            after = known | {frozenset((name, other)) for other in names if other != name}
            expected[v] += weight * (before - open_edges(dag, after, everything))
    networks = NetworkSet.from_dags(
        members,
        origin="test",
        facts={"targets": made},
        score={"name": "bdeu", "ess": 1.0, "beliefs": beliefs.describe()},
    ).with_weights(weights)
    found = next_experiment(networks)
    np.testing.assert_allclose(found.settled, expected, atol=1e-9)
    np.testing.assert_allclose(next_experiment_twin(networks), expected, atol=1e-9)
    assert found.open_now == pytest.approx(open_now)


def test_members_that_the_score_tells_apart_weigh_what_they_weigh() -> None:
    star = Dag.from_arcs(NAMES[:4], [("a", b) for b in "bcd"])
    other = Dag.from_arcs(NAMES[:4], [("b", "a"), ("a", "c"), ("a", "d")])
    for score in ({"name": "k2"}, {"name": "bdeu", "ess": 1.0, "beliefs": {"fair_sizes": True}}):
        networks = NetworkSet.from_dags([star, other], origin="test", score=score).with_weights(np.array([0.9, 0.1]))
        found = next_experiment(networks)
        # Setting b settles its own edge, and all three if b is the source.
        np.testing.assert_allclose(found.settled, [3.0, 1.2, 1.0, 1.0])
        np.testing.assert_allclose(next_experiment_twin(networks), found.settled)


@pytest.mark.parametrize("number", range(8))
def test_only_members_that_the_constraints_allow_count(number: int) -> None:
    rng = np.random.default_rng(number)
    x, y, z = rng.choice(NAMES[:4], 3, replace=False).tolist()
    options = [{"ancestors": [(x, y)]}, {"non_ancestors": [(x, y), (z, y)]}, {"max_parents_of": {x: 1, y: 1}}]
    constraints = Constraints(NAMES[:4], **options[number % 3])
    dags = [dag for dag in all_dags(NAMES[:4]) if constraints.allows_dag(dag)][number::29]
    facts = {"constraints": constraints.describe(), **({"targets": [[], [z]]} if number % 2 else {})}
    networks = NetworkSet.from_dags(dags, origin="test", facts=facts).with_weights(rng.random(len(dags)) + 0.1)
    found = next_experiment(networks)
    assert found.open_now > 0
    np.testing.assert_allclose(found.settled, next_experiment_twin(networks), atol=1e-9)


def test_a_path_that_must_be_there_leaves_nothing_to_settle() -> None:
    chain = Dag.from_arcs(NAMES[:3], [("a", "b"), ("b", "c")])
    facts = {"constraints": Constraints(NAMES[:3], ancestors=[("a", "c")]).describe()}
    found = next_experiment(NetworkSet.from_dags([chain], origin="test", facts=facts))
    assert found.open_now == 0 and found.best is None


def test_closed_forms() -> None:
    complete = Dag.from_arcs(NAMES, [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]])
    found = next_experiment(NetworkSet.from_dags([complete], origin="test"))
    # Setting the k-th of five in the true order directs its four edges, and those between the ones before and after it.
    expected = np.mean([4 + k * (4 - k) for k in range(5)])
    np.testing.assert_allclose(found.settled, expected)
    star = Dag.from_arcs(NAMES, [("a", b) for b in NAMES[1:]])
    found = next_experiment(NetworkSet.from_dags([star], origin="test"))
    # The centre settles all four; a leaf all if it is the source (1 in 5), else its own edge.
    np.testing.assert_allclose(found.settled, [4.0, *[(4 + 4 * 1) / 5] * 4])
    assert found.best == "a"
    assert found.to_frame().iloc[0]["share"] == 1.0
    collider = Dag.from_arcs(NAMES[:3], [("a", "c"), ("b", "c")])
    nothing = next_experiment(NetworkSet.from_dags([collider], origin="test"))
    assert nothing.best is None
    assert nothing.settled.tolist() == [0.0, 0.0, 0.0]


def test_what_was_set_already_settles_nothing_more() -> None:
    chain = Dag.from_arcs(NAMES[:3], [("a", "b"), ("b", "c")])
    networks = NetworkSet.from_dags([chain], origin="test", facts={"targets": [[], ["c"]]})
    found = next_experiment(networks)  # b -> c is known, a - b open
    np.testing.assert_allclose(found.settled, [1.0, 1.0, 0.0])


@pytest.mark.parametrize("number", range(6))
def test_members_of_a_class(number: int) -> None:
    rng = np.random.default_rng(number)
    dag = random_dags(rng, 1, n=4)[0]
    constraints = random_constraints(dag.names, rng, own_limits=False)
    everything = list(all_dags(dag.names))
    for fixed in (None, FixedPairs.by_targets(dag.names, [["a"]]), FixedPairs.by_constraints(constraints)):
        graph = (fixed or FixedPairs(dag.names)).class_of(dag)
        expected = {other for other in everything if (fixed or FixedPairs(dag.names)).class_of(other) == graph}
        members = ClassMembers(dag, fixed)
        listed = list(members)
        assert len(listed) == members.count == len(expected)
        assert set(listed) == expected
        drawn = [members.draw(rng) for _ in range(60 * len(expected))]
        shares = [drawn.count(member) / 60 for member in expected]  # 1 each, but for chance
        assert max(abs(share - 1) for share in shares) < 0.65


def test_drawn_members_agree_with_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["arcwise.confidence.next_experiment"]  # the function has the same name
    rng = np.random.default_rng(1)
    networks = NetworkSet.from_dags(random_dags(rng, 8), origin="test")
    exact = next_experiment(networks)
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    roughly = next_experiment(networks, seed=1)
    assert roughly.drawn
    np.testing.assert_allclose(roughly.settled, exact.settled, atol=1.2)
    monkeypatch.setattr(module, "CLASSES", 5)
    assert next_experiment(networks, seed=2).n_classes == exact.n_classes
    assert isinstance(roughly, NextExperiment)


def test_every_kind_of_ensemble() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (80, 4))
    codes[:, 1] = np.where(rng.random(80) < 0.8, codes[:, 0], codes[:, 1])
    codes[:, 2] = np.where(rng.random(80) < 0.8, codes[:, 1], codes[:, 2])
    table = build_parent_sets(Dataset.from_codes(codes, names=NAMES[:4]), "bdeu", slack=3.0, progress=False)
    found = CredibleSet.build(table, log_slack=3.0, progress=False)
    listed = next_experiment(found.networks())
    np.testing.assert_allclose(next_experiment(found).settled, listed.settled, atol=1e-9)
    drawn = next_experiment(found.sample(4000, seed=1))
    np.testing.assert_allclose(drawn.settled, listed.settled, atol=0.1)
    with pytest.raises(OptionError, match="only counted"):
        next_experiment(found.summary())


def test_large_credible_sets_are_read_by_class_or_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["arcwise.confidence.next_experiment"]  # the function has the same name
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (60, 4))
    codes[:, 1] = np.where(rng.random(60) < 0.7, codes[:, 0], codes[:, 1])
    data = Dataset.from_codes(codes, names=NAMES[:4])
    for score in ("bdeu", "k2"):
        found = CredibleSet.build(
            build_parent_sets(data, score, slack=3.0, progress=False), log_slack=3.0, progress=False
        )
        exact = next_experiment(found)
        monkeypatch.setattr(module, "MOST_DAGS", 0)
        monkeypatch.setattr(module, "DRAWS", found.count - 1)
        again = next_experiment(found, seed=1)
        np.testing.assert_allclose(again.settled, exact.settled, atol=1e-9 if score == "bdeu" else 0.2)
        assert (exact.drawn, again.drawn) == (False, score == "k2")
        monkeypatch.undo()


def test_a_part_of_a_list_is_not_taken_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    data = Dataset.from_codes(rng.integers(0, 2, (60, 4)), names=NAMES[:4])
    table = build_parent_sets(data, "bdeu", slack=3.0, progress=False)
    found = CredibleSet.build(table, log_slack=3.0, progress=False)
    # As if the time ended after the first chunk: some networks are listed, in the order of the diagram.
    part = replace(found.networks(limits=Limits(count=5)), status=Status.TIME_LIMIT)
    monkeypatch.setattr(CredibleSet, "networks", lambda *arguments, **options: part)
    with pytest.raises(UnfinishedError, match="could not all be listed"):
        next_experiment(found)


def tree_network(dag: Dag) -> BayesianNetwork:
    """A network in which every parent is copied most of the time."""
    tables = [[[0.5, 0.5]] if not ps else [[0.85, 0.15], [0.15, 0.85]] for ps in dag.parents]
    return BayesianNetwork(dag, [["0", "1"]] * dag.n_nodes, tables)


def test_made_experiments_settle_what_was_expected() -> None:
    # Whichever member of the class is the truth: the mean over all of them is what was said before.
    tree = Dag.from_arcs(NAMES[:4], [("b", "a"), ("b", "c"), ("c", "d")])
    truths = list(ClassMembers(tree))
    assert len(truths) == 4
    observed = tree_network(tree).sample(3000, seed=1)  # the same distribution for all truths
    expected = next_experiment(learned(observed))
    assert expected.open_now == pytest.approx(3.0, abs=0.2)
    settled = np.zeros((len(truths), 4))
    for t, truth in enumerate(truths):
        network = tree_network(truth)
        for v, name in enumerate(truth.names):
            experiment = network.sample(3000, seed=10 * t + v, do={name: None})
            after = edge_confidence(learned(stack([observed, experiment])))
            settled[t, v] = expected.open_now - after.undirected.sum() / 2
    np.testing.assert_allclose(settled.mean(axis=0), expected.settled, atol=0.25)
    assert expected.settled.round(1).tolist() == [1.5, 2.5, 2.5, 1.5]


def learned(data: Dataset) -> NetworkSet:
    return find_credible(
        build_parent_sets(data, "bic", slack=math.log(3), progress=False), log_slack=math.log(3), progress=False
    )

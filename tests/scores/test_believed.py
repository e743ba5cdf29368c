"""Scores with prior odds: native against twin, bounds, pruning, and everything exact against all DAGs one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.random_beliefs import random_beliefs, random_constraints, random_data
from tests.twins.local_search import climb_twin, neighbours_twin
from tests.twins.pruning import build_parent_sets_twin
from tests.twins.scores import bound_families, bound_family_twin, score_family_twin

from arcwise.bootstrap.task import ReplicateTask
from arcwise.confidence import edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet, bootstrap_networks, exact_posterior, k_best
from arcwise.errors import OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Beliefs, Constraints, Dag, FamilyPrior, all_dags
from arcwise.local import first_ascent, genetic_search, hill_climb, order_search, tabu_search
from arcwise.local.problem import LocalProblem
from arcwise.parent_sets import ParentSetTable, build, build_parent_set_tables, build_parent_sets, format_jkl, parse_jkl
from arcwise.scores import BelievedScore, Score, make_score
from arcwise.scores import score as believed_module

SCORES = ["bic", "aic", "bdeu:ess=3", "qnml", "k2", "fnml", "bic_laplace"]
seeds = st.integers(0, 2**32 - 1)


def case(seed: int, *, most: int = 5, strength: float = 1.5) -> tuple[Dataset, Beliefs, np.random.Generator]:
    rng = np.random.default_rng(seed)
    data = random_data(rng, int(rng.integers(2, most + 1)), int(rng.integers(5, 120)))
    return data, random_beliefs(rng, data.names, strength=strength), rng


def believed(name: str, beliefs: Beliefs) -> Score:
    return make_score(name, beliefs=beliefs)


def rows_of(table: ParentSetTable) -> dict[tuple[int, tuple[int, ...]], float]:
    return {
        (v, table.parents_of(r)): float(table.scores[r]) for v in range(table.n_variables) for r in table.rows_of(v)
    }


def every_family(data: Dataset) -> list[tuple[int, tuple[int, ...]]]:
    n = data.n_variables
    return [
        (child, parents)
        for child in range(n)
        for size in range(n)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    ]


@given(seeds, st.sampled_from(SCORES))
def test_native_scores_and_bounds_equal_the_twins(seed: int, name: str) -> None:
    data, beliefs, _ = case(seed)
    score = believed(name, beliefs)
    if not isinstance(score, BelievedScore):  # nothing is believed
        return
    families = every_family(data)
    plain = score.data_score.score_families(data, families)
    prior = [beliefs.on(data.names).family(*family) for family in families]
    values = score.score_families(data, families)
    np.testing.assert_array_equal(values, plain + prior)
    twins = [score_family_twin(score, data, *family) for family in families]
    np.testing.assert_allclose(values, twins, rtol=1e-9, atol=1e-8)
    bounds = bound_families(score, data, families)
    own = [bound_family_twin(score, data, *family) for family in families]
    np.testing.assert_allclose(bounds, own, rtol=1e-9, atol=1e-8)
    known = dict(zip(families, values.tolist(), strict=True))
    for (child, parents), bound in zip(families, bounds.tolist(), strict=True):
        larger = [value for (c, others), value in known.items() if c == child and set(parents) <= set(others)]
        assert max(larger) <= bound + 1e-8


@pytest.mark.parametrize("dense_from", [0.0, 1e6])
@settings(max_examples=120)
@given(seeds, st.sampled_from(SCORES), st.sampled_from([0.0, math.log(20)]), st.sampled_from([1.5, 8.0, 30.0]))
def test_the_builder_keeps_what_brute_force_keeps(
    dense_from: float, seed: int, name: str, slack: float, strength: float
) -> None:
    data, beliefs, _ = case(seed, strength=strength)
    score = believed(name, beliefs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "DENSE_FROM", dense_from)
        found = rows_of(build_parent_sets(data, score, slack=slack, progress=False))
    expected = rows_of(build_parent_sets_twin(data, score, slack=slack))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-9)


@settings(max_examples=60)
@given(seeds, st.sampled_from(SCORES), st.sampled_from([0.0, math.log(20)]))
def test_pruning_keeps_every_network_within_the_slack_under_constraints(seed: int, name: str, slack: float) -> None:
    data, beliefs, rng = case(seed, most=4, strength=3.0)
    rules = random_constraints(rng, data.names)
    score = believed(name, beliefs)
    values = {dag: score.score_network(data, dag) for dag in all_dags(data.names) if rules.allows_dag(dag)}
    table = build_parent_sets(data, score, slack=slack, constraints=rules, progress=False)
    kept = rows_of(table).keys()
    best = max(values.values())
    near = [dag for dag, value in values.items() if value >= best - slack - 1e-9]
    assert all((v, tuple(sorted(parents))) in kept for dag in near for v, parents in enumerate(dag.parents))
    assert find_optimal(table, data=data, constraints=rules, progress=False).score == pytest.approx(best)


@settings(max_examples=60)
@given(seeds, st.sampled_from(SCORES), st.sampled_from([0.0, 2.0]), st.sampled_from([0.0, 1e6]))
def test_the_builder_is_right_for_any_term_of_the_size(seed: int, name: str, slack: float, dense_from: float) -> None:
    # As if three parents were likely where one is all but impossible: a set may go that its supersets need.
    data, _, rng = case(seed)
    n = data.n_variables
    prior = FamilyPrior(data.names, rng.normal(0, 3, (n, n)), rng.choice([0.0, -5.0, -100.0, 100.0], n))
    score = believed(name, Beliefs(every_edge=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(believed_module, "_prior_on", lambda beliefs, names: prior)
        patch.setattr(build, "DENSE_FROM", dense_from)
        found = rows_of(build_parent_sets(data, score, slack=slack, progress=False))
        expected = rows_of(build_parent_sets_twin(data, score, slack=slack))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("slack", [0.0, 2.0])
def test_the_rules_of_bic_and_aic_know_the_odds(slack: float) -> None:
    # Parents with too many configurations for 20 cases, and one that hardly varies, which odds ask for all the same.
    rng = np.random.default_rng(0)
    columns = np.column_stack([rng.integers(0, r, 20) for r in (2, 4, 4, 2)])
    columns[:, 3] = np.arange(20) == 0
    data = Dataset.from_codes(columns, states=[[str(k) for k in range(r)] for r in (2, 4, 4, 2)])
    for liked in ((1, 2, 3), (1, 3), (2, 3), (1, 2)):
        for odds in (1e6, 1e12, 1e24):
            beliefs = Beliefs(arcs={(data.names[p], data.names[0]): odds for p in liked})
            for name in ("bic", "aic"):
                score = believed(name, beliefs)
                found = rows_of(build_parent_sets(data, score, slack=slack, progress=False))
                assert found == pytest.approx(rows_of(build_parent_sets_twin(data, score, slack=slack)), abs=1e-9)
                assert odds < 1e24 or (0, liked) in found


def test_strong_odds_change_what_is_pruned() -> None:
    # A parent that the data do not want stays in the table if the odds ask for it, and one they want goes.
    data = random_data(np.random.default_rng(4), 4, 60)
    names = data.names
    plain = rows_of(build_parent_sets(data, "bic", progress=False))
    liked = Beliefs(arcs={(names[0], names[3]): 1e9, (names[1], names[3]): 1e9})
    odd = rows_of(build_parent_sets(data, believed("bic", liked), progress=False))
    assert (3, (0, 1)) in odd.keys() - plain.keys()
    sparse = rows_of(build_parent_sets(data, believed("bic", Beliefs(every_edge=1e-9)), progress=False))
    assert len(sparse) < len(plain)


@settings(max_examples=40)
@given(seeds, st.sampled_from(["bic", "bdeu:ess=3", "k2"]))
def test_everything_exact_equals_the_sum_over_all_dags(seed: int, name: str) -> None:
    data, beliefs, _ = case(seed, most=4)
    score = believed(name, beliefs)
    prior = beliefs.on(data.names)
    dags = list(all_dags(data.names))
    total = np.array([score.data_score.score_network(data, dag) + prior.network(dag) for dag in dags])
    table = build_parent_sets(data, score, slack=math.inf, progress=False)
    optimum = find_optimal(table, data=data, progress=False)
    assert optimum.score == pytest.approx(total.max())
    if not beliefs.is_trivial:
        assert optimum.log_prior == pytest.approx(prior.network(optimum.dag))
        assert optimum.data_score == pytest.approx(score.data_score.score_network(data, optimum.dag))
    slack = math.log(20)
    within = total >= total.max() - slack - 1e-9
    pruned = build_parent_sets(data, score, slack=slack, progress=False)
    found = CredibleSet.build(pruned, log_slack=slack, progress=False)
    assert found.count == int(within.sum())
    expected = {dag for dag, near in zip(dags, within, strict=True) if near}
    assert set(found.networks()) == expected
    fixed = beliefs.fixed_on(data.names)
    assert found.count_classes() == len({fixed.class_of(dag) for dag in expected})
    shares = {dag: math.exp(value - total.max()) for dag, value in zip(dags, total, strict=True) if dag in expected}
    confidence = edge_confidence(found)
    for pair in confidence.pairs:
        forward = sum(w for dag, w in shares.items() if (pair.first, pair.second) in fixed.class_of(dag).arcs)
        present = sum(w for dag, w in shares.items() if {pair.first, pair.second} in map(set, dag.arcs))
        assert pair.forward == pytest.approx(forward / sum(shares.values()), abs=1e-9)
        assert pair.present == pytest.approx(present / sum(shares.values()), abs=1e-9)
    k = min(7, len(dags))
    best = k_best(table, k, progress=False)
    np.testing.assert_allclose(best.scores, np.sort(total)[::-1][:k], atol=1e-8)
    weights = np.exp(total - total.max())
    weights /= weights.sum()
    arcs = sum(weight * dag.to_adjacency() for weight, dag in zip(weights, dags, strict=True))
    posterior = exact_posterior(table, progress=False)
    np.testing.assert_allclose(posterior.arc_probabilities(), arcs, atol=1e-9)


@settings(max_examples=40)
@given(seeds, st.sampled_from(SCORES))
def test_neighbour_scores_equal_the_twin(seed: int, name: str) -> None:
    data, beliefs, rng = case(seed, strength=4.0)
    score = believed(name, beliefs)
    learner = LocalProblem.of(data, score).learner()
    for child in range(data.n_variables):
        others = [v for v in range(data.n_variables) if v != child]
        for parents in ([], sorted(v for v in others if rng.random() < 0.5)):
            own, toggled = learner.neighbours(data.native_weights, child, np.array(parents, dtype=np.int32))
            assert own == pytest.approx(score_family_twin(score, data, child, parents), rel=1e-9, abs=1e-8)
            expected = neighbours_twin(data, score, child, frozenset(parents))
            np.testing.assert_allclose(toggled, expected, rtol=1e-9, atol=1e-8)


def test_neighbour_scores_of_variables_with_many_states_equal_the_twin() -> None:
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 90, 300)
    columns = [wide, rng.integers(0, 80, 300), wide % 2, rng.integers(0, 3, 300)]
    data = Dataset.from_codes(np.column_stack(columns), states=[[str(k) for k in range(90)]] * 4)
    score = believed("bdeu:ess=3", random_beliefs(rng, data.names, strength=4.0))
    learner = LocalProblem.of(data, score).learner()
    for child in range(4):
        _, toggled = learner.neighbours(data.native_weights, child, np.array([], dtype=np.int32))
        np.testing.assert_allclose(toggled, neighbours_twin(data, score, child, frozenset()), rtol=1e-9, atol=1e-8)


@settings(max_examples=40)
@given(seeds, st.sampled_from(["bic", "bdeu:ess=3", "k2"]), st.sampled_from([0, 3]), st.sampled_from([1.5, 20.0]))
def test_climbing_equals_the_twin_and_ends_at_a_local_optimum(seed: int, name: str, tabu: int, strength: float) -> None:
    data, beliefs, _ = case(seed, strength=strength)
    score = believed(name, beliefs)
    parents, value, _ = climb_twin(data, score, tabu=tabu)
    found = (
        tabu_search(data, score, tabu=tabu, refine=0, progress=False, by_position=True)
        if tabu
        else hill_climb(data, score, refine=0, progress=False, by_position=True)
    )
    assert found.dag.parents == tuple(tuple(sorted(p)) for p in parents)
    assert found.score == pytest.approx(value)
    assert found.score == pytest.approx(score.score_network(data, found.dag))
    if tabu:
        return
    arcs = set(found.dag.arcs)
    for a, b in itertools.permutations(data.names, 2):
        changed = [arcs - {(a, b)}, arcs | {(a, b)}] + ([(arcs - {(a, b)}) | {(b, a)}] if (a, b) in arcs else [])
        for other in changed:
            try:
                neighbour = Dag.from_arcs(data.names, sorted(other))
            except ValueError:
                continue
            assert score.score_network(data, neighbour) <= found.score + 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_every_search_returns_the_score_with_the_prior(seed: int) -> None:
    data, beliefs, _ = case(seed)
    score = believed("bdeu:ess=2", beliefs)
    table = build_parent_sets(data, score, slack=math.inf, progress=False)
    optimum = find_optimal(table, progress=False)
    for found in (
        hill_climb(data, score, progress=False),
        first_ascent(data, score, seed=1, progress=False),
        genetic_search(data, score, seed=1, progress=False),
        order_search(table, seed=1, progress=False),
    ):
        assert found.score == pytest.approx(score.score_network(data, found.dag))
        assert found.score <= optimum.score + 1e-7
        assert found.log_prior == pytest.approx(beliefs.on(data.names).network(found.dag))
        assert found.data_score + found.log_prior == pytest.approx(found.score)
    assert order_search(table, seed=1, progress=False).score == pytest.approx(optimum.score)


@pytest.mark.parametrize("learner", ["exact", "tabu"])
def test_each_replicate_of_a_bootstrap_is_learned_with_the_prior(learner: str) -> None:
    data, beliefs, _ = case(11, most=4)
    score = believed("bdeu:ess=2", beliefs)
    found = bootstrap_networks(data, score, replicates=6, seed=3, learner=learner, draws="replacement", progress=False)
    task = ReplicateTask(data.collapse(), score, Constraints(data.names), learner, "bootstrap", 3, {})  # type: ignore[arg-type]
    for index, dag in enumerate(found):
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(3, spawn_key=(index,))))
        sample = task.data.resample(rng)
        own = score.score_network(sample, dag)
        assert found.facts["replicate_scores"][index] == pytest.approx(own)
        if learner == "exact":
            assert own == pytest.approx(max(score.score_network(sample, other) for other in all_dags(data.names)))
    np.testing.assert_allclose(found.scores, [score.score_network(data, dag) for dag in found])


def test_several_scores_at_once_equal_each_alone() -> None:
    data, beliefs, _ = case(5)
    scores = [make_score("bic"), believed("bic", beliefs), believed("bdeu:ess=2", beliefs), believed("k2", beliefs)]
    together = build_parent_set_tables(data, scores, slack=1.0, progress=False)
    for score, table in zip(scores, together, strict=True):
        alone = build_parent_sets(data, score, slack=1.0, progress=False)
        np.testing.assert_array_equal(table.scores, alone.scores)
        np.testing.assert_array_equal(table.members, alone.members)


def test_threads_do_not_change_a_bit() -> None:
    data, beliefs, _ = case(6)
    score = believed("bic", beliefs)
    one, two = (build_parent_sets(data, score, slack=3.0, threads=threads, progress=False) for threads in (1, 2))
    np.testing.assert_array_equal(one.scores, two.scores)


def test_the_order_of_the_variables_does_not_matter() -> None:
    data, beliefs, _ = case(7)
    score = believed("bic", beliefs)
    turned = data.select(list(reversed(data.names)))
    for dag in itertools.islice(all_dags(data.names), 50):
        assert score.score_network(turned, dag) == pytest.approx(score.score_network(data, dag))


def test_odds_of_one_are_the_score_itself() -> None:
    assert make_score("bic", beliefs=Beliefs(arcs={("a", "b"): 1})) == make_score("bic")
    data = random_data(np.random.default_rng(0), 4, 50)
    neutral = Beliefs(arcs={tuple(data.names[:2]): "1:1"})
    table, plain = (build_parent_sets(data, s, progress=False) for s in (believed("bic", neutral), "bic"))
    assert format_jkl(table) == format_jkl(plain)


def test_a_table_file_remembers_the_odds_and_is_checked_against_the_data() -> None:
    data, beliefs, _ = case(8)
    table = build_parent_sets(data, believed("bic", beliefs), progress=False)
    again = parse_jkl(format_jkl(table))
    assert again.score["beliefs"] == beliefs.describe()
    assert again.equivalent == (beliefs.is_symmetric)
    found = find_optimal(again, data=data, progress=False)  # re-scores the network, prior included
    assert found.log_prior is not None
    assert "prior odds" in repr(table)


def test_only_a_prior_of_skeletons_leaves_classes_whole() -> None:
    assert believed("bdeu", Beliefs(every_edge=0.5)).facts.equivalent
    assert not believed("bdeu", Beliefs(arcs={("a", "b"): 2})).facts.equivalent
    assert not believed("bdeu", Beliefs(fair_sizes=True)).facts.equivalent
    assert not believed("k2", Beliefs(every_edge=0.5)).facts.equivalent


def test_a_score_that_has_beliefs_takes_no_others() -> None:
    score = believed("bic", Beliefs(every_edge=0.5))
    assert score.data_score == make_score("bic")
    assert score.title == "BIC with prior odds"
    with pytest.raises(OptionError, match="given twice"):
        make_score(score, beliefs=Beliefs(every_edge=0.25))
    with pytest.raises(OptionError, match="must be Beliefs"):
        make_score("bic", beliefs=3)

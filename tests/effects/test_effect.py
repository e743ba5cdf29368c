"""Effects: against enumeration of all DAGs, simulated posteriors, and what networks say when a variable is set."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

from arcwise import learn
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset
from arcwise.effects import find_effect, find_effects
from arcwise.effects.effect import Mixture, Range, Strata, e_value
from arcwise.ensemble import CredibleSet, NetworkSet, find_posterior
from arcwise.errors import DataError, OptionError, UnfinishedError
from arcwise.graph import Dag
from arcwise.graph.nodes import bits
from arcwise.graph.random_dags import all_parent_masks
from arcwise.limits import Limits, Status
from arcwise.model import BayesianNetwork
from arcwise.parent_sets import build_parent_sets
from arcwise.report.effects import effect_answer, effects_answer


def small_data(variables: int, cases: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, cases)
    columns = [first]
    for k in range(1, variables):
        arity = 2 + k % 2
        noise = rng.integers(0, arity, cases)
        columns.append(np.where(rng.random(cases) < 0.6, (columns[-1] + k) % arity, noise))
    return Dataset.from_codes(np.stack(columns, axis=1), names=[f"v{k}" for k in range(variables)])


def all_networks(data: Dataset) -> CredibleSet:
    """Every DAG there is, as a credible set whose Bayes factor excludes none."""
    return CredibleSet.build(build_parent_sets(data, "bdeu", slack=math.inf, progress=False), log_slack=1e6)


def by_enumeration(data: Dataset, x: int, y: int) -> tuple[float, np.ndarray, np.ndarray]:
    """P(x leads to y), the mean of P(y | do(x)) over all DAGs, and that given an effect, one DAG after the other."""
    table = build_parent_sets(data, "bdeu", slack=math.inf, progress=False)
    scores = [
        {sum(1 << p for p in table.parents_of(r)): float(table.scores[r]) for r in table.rows_of(v)}
        for v in range(data.n_variables)
    ]
    counts = np.bincount(data.codes[y], minlength=int(data.arities[y])) + 1 / int(data.arities[y])
    marginal = np.tile(counts / counts.sum(), (int(data.arities[x]), 1))
    known: dict[int, np.ndarray] = {}
    weights, means, leads = [], [], []
    for masks in all_parent_masks(data.n_variables):
        ancestors = masks[y]
        for _ in masks:
            for v in bits(ancestors):
                ancestors |= masks[v]
        effect = bool(ancestors >> x & 1)
        if masks[x] not in known:
            known[masks[x]] = Strata(data, x, list(bits(masks[x])), 1.0).estimate(y).of_states.mean[0]
        weights.append(sum(own[mask] for own, mask in zip(scores, masks, strict=True)))
        means.append(known[masks[x]] if effect else marginal)
        leads.append(effect)
    shares = np.exp(np.array(weights) - max(weights))
    shares /= shares.sum()
    with_effect = np.array(leads)
    given = np.tensordot(shares[with_effect] / shares[with_effect].sum(), np.array(means)[with_effect], axes=1)
    return float(shares[with_effect].sum()), np.tensordot(shares, np.array(means), axes=1), given


@pytest.mark.parametrize(("variables", "pairs"), [(3, 6), (4, 12), (5, 1)])
def test_equal_to_the_enumeration_of_all_dags(variables: int, pairs: int) -> None:
    data = small_data(variables, 60, variables)
    reach = family_reach(all_networks(data).networks())
    for x, y in itertools.islice(itertools.permutations(range(variables), 2), pairs):
        found = find_effect(reach, data, data.names[x], data.names[y])
        probability, mean, given = by_enumeration(data, x, y)
        assert found.probability == pytest.approx(probability, abs=1e-9)
        assert found.set_to.mean == pytest.approx(mean, abs=1e-9)
        assert found.set_if_effect is not None
        assert found.set_if_effect.mean == pytest.approx(given, abs=1e-9)


@pytest.mark.parametrize("cases", [40, 400])
def test_moments_are_those_of_simulated_posteriors(cases: int) -> None:
    data = small_data(4, cases, 7)
    x, y, parents = 1, 3, (0, 2)
    found = Strata(data, x, parents, 1.0).estimate(y)
    states, pairs = found.of_states, found.of_pairs
    arities = [int(data.arities[v]) for v in (*parents, x, y)]
    counts = np.zeros(arities)
    np.add.at(counts, tuple(data.codes[v] for v in (*parents, x, y)), 1)
    rng = np.random.default_rng(1)
    counts = counts.reshape(-1, arities[2], arities[3])
    overall = (counts.sum(axis=(0, 1)) + 1 / arities[3]) / (cases + 1)
    by_state = counts.sum(axis=0)
    guess = (by_state + overall) / (by_state.sum(axis=1, keepdims=True) + 1)
    strata = rng.dirichlet(counts.sum(axis=(1, 2)) + 1 / len(counts), 40_000)
    drawn = rng.gamma(np.broadcast_to(counts + guess, (40_000, *counts.shape)))
    given = drawn / drawn.sum(axis=3, keepdims=True)
    do = np.einsum("kz,kzas->kas", strata, given)
    assert states.mean[0] == pytest.approx(do.mean(axis=0), abs=0.01)
    assert np.sqrt(states.variance[0]) == pytest.approx(do.std(axis=0), abs=0.01)
    change = do[:, 1] - do[:, 0]
    assert pairs.mean[0, 0] == pytest.approx(change.mean(axis=0), abs=0.01)
    assert np.sqrt(pairs.variance[0, 0]) == pytest.approx(change.std(axis=0), abs=0.01)
    # And the interval of the Beta distribution with these moments, where strata have cases.
    if cases < 400:
        return
    interval = Range.of(Mixture(np.ones(1), states.mean, states.variance), 0.9)
    assert interval.low == pytest.approx(np.quantile(do, 0.05, axis=0), abs=0.035)
    assert interval.high == pytest.approx(np.quantile(do, 0.95, axis=0), abs=0.035)


def test_configurations_that_no_case_shows_count_as_in_a_full_table() -> None:
    data = small_data(4, 12, 3)
    codes = data.codes.T.copy()
    # The same with one more state of a parent that no case shows: its configurations share the prior.
    wide = Dataset.from_codes(
        codes, names=data.names, states=[*data.states[:2], ("0", "1", "2", "3"), *data.states[3:]]
    )
    found, wider = Strata(data, 1, (0, 2), 2.0), Strata(wide, 1, (0, 2), 2.0)
    assert wider.n_possible > found.n_possible
    assert wider.estimate(3).of_states.mean[0].sum(axis=1) == pytest.approx(1.0)


def test_cases_that_nothing_compares_with_are_told_of() -> None:
    """Of the cases with m = 0, three tenths, none was trained: what training does to them no case says."""
    rng = np.random.default_rng(3)
    m = (rng.random(1000) < 0.7).astype(int)
    trained = m * rng.integers(0, 2, 1000)
    data = Dataset.from_codes(
        np.column_stack([m, trained, rng.integers(0, 2, 1000)]),
        names=["m", "trained", "wage"],
        states=[["no", "yes"]] * 3,
    )
    dag = Dag.from_arcs(data.names, [("m", "trained"), ("trained", "wage"), ("m", "wage")])
    found = find_effect(NetworkSet.from_dags([dag], origin="given"), data, "trained", "wage")
    assert found.no_overlap == pytest.approx([0.0, 1 - m.mean()])
    assert found.lacking == (1, {"m": "no"})
    assert found.to_frame()["no_overlap"].tolist() == pytest.approx([0, 0, 1 - m.mean(), 1 - m.mean()])
    told = effect_answer(found).to_text()
    assert "No row has trained = yes and m = no." in " ".join(told.split())
    other = find_effect(NetworkSet.from_dags([dag], origin="given"), data, "m", "wage")
    assert (other.no_overlap.max(), other.lacking) == (0.0, None)
    assert "The data overlap" in effect_answer(other).to_text()


def test_many_data_give_what_the_network_says_when_a_variable_is_set() -> None:
    truth = BayesianNetwork(
        Dag.from_arcs(["age", "smoke", "cough"], [("age", "smoke"), ("age", "cough"), ("smoke", "cough")]),
        [["young", "old"], ["no", "yes"], ["no", "yes"]],
        [[[0.6, 0.4]], [[0.8, 0.2], [0.3, 0.7]], [[0.95, 0.05], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]],
    )
    data = truth.sample(20_000, seed=1, progress=False)
    networks = CredibleSet.build(build_parent_sets(data, "bdeu", slack=10, progress=False), bayes_factor=20)
    found = find_effect(networks, data, "smoke", "cough")
    # All orders of a triangle fit alike: in a third of them smoke has no parent that matters, in others no effect.
    assert 0.2 < found.no_effect < 0.8
    real = [truth.do({"smoke": state}).query("cough")["yes"] for state in ("no", "yes")]
    assert found.set_to.low[0, 1] <= real[0] <= found.set_to.high[0, 1]
    assert found.set_to.low[1, 1] <= real[1] <= found.set_to.high[1, 1]
    assert found.observed[1, 1] == pytest.approx(truth.query("cough", {"smoke": "yes"})["yes"], abs=0.02)
    least, most = found.without_assumption()
    assert (least <= np.array([[1 - p, p] for p in real])).all()
    assert (most >= np.array([[1 - p, p] for p in real])).all()
    frame = found.to_frame()
    assert frame.shape == (4, 12)
    assert found.changes()["change"].iloc[0] == pytest.approx(-found.changes()["change"].iloc[1])


def test_all_pairs_are_the_single_effects() -> None:
    data = small_data(4, 80, 5)
    reach = family_reach(all_networks(data).networks())
    matrix = find_effects(reach, data)
    for x, y in itertools.permutations(range(4), 2):
        one = find_effect(reach, data, data.names[x], data.names[y])
        assert matrix.probability[x, y] == pytest.approx(one.probability)
        assert one.strongest is not None and one.change_if_effect is not None
        pair, state = one.strongest
        assert matrix.change[x, y] == pytest.approx(one.change_if_effect.mean[pair, state])
        assert matrix.low[x, y] == pytest.approx(one.change_if_effect.low[pair, state], abs=1e-6)
    assert len(matrix.to_frame()) == 12
    hurried = find_effects(reach, data, limits=Limits(1e-9))
    assert hurried.status is Status.TIME_LIMIT
    assert np.isnan(hurried.change).all()


def test_draws_from_a_large_set_come_with_exact_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    data = small_data(5, 40, 9)
    networks = all_networks(data)
    exact = family_reach(networks.networks())
    monkeypatch.setattr("arcwise.confidence.reach.LISTED", 500)
    monkeypatch.setattr("arcwise.confidence.reach.DRAWS", 500)
    drawn = family_reach(networks, seed=3)
    assert drawn.n_draws == 500
    assert exact.n_draws is None
    assert np.add.reduceat(drawn.shares, drawn.families.node_offsets[:-1]) == pytest.approx(np.ones(5))
    assert np.abs(drawn.ancestor_probabilities() - exact.ancestor_probabilities()).max() < 5 * 0.5 / math.sqrt(500)
    known = dict(
        zip(zip(exact.families.row_nodes, exact.families.parent_tuples, strict=True), exact.shares, strict=True)
    )
    for node, parents, share in zip(drawn.families.row_nodes, drawn.families.parent_tuples, drawn.shares, strict=True):
        assert share == pytest.approx(known[node, parents], abs=1e-9)


def test_experiments_leave_out_what_else_was_set() -> None:
    data = small_data(3, 200, 2)
    told = data.with_targets([["v1"] if k % 4 == 0 else ["v2"] if k % 4 == 1 else [] for k in range(200)])
    networks = all_networks(data)
    found = find_effect(family_reach(networks.networks()), told, "v1", "v2")
    kept = np.array([k % 4 != 1 for k in range(200)])
    part = data.take(kept)
    assert found.marginal == pytest.approx(np.bincount(part.codes[2], minlength=2) / kept.sum())
    only = data.with_targets([["v2"]] * 200)
    with pytest.raises(DataError, match="every row sets"):
        find_effect(family_reach(networks.networks()), only, "v1", "v0")


def test_a_cause_that_no_case_tells_of_leaves_the_others_their_effects() -> None:
    data = small_data(3, 200, 2)
    reach = family_reach(all_networks(data).networks())
    told = data.with_targets([["v0"] if k % 2 else ["v1"] for k in range(200)])
    found = find_effects(reach, told)
    assert found.untold == ("v2",)
    assert np.isnan(found.change[2]).all()
    assert found.change[0, 1] == pytest.approx(find_effects(reach, data.take(np.arange(200) % 2 == 1)).change[0, 1])
    assert "What setting v2 does is not known" in effects_answer(found).to_text()
    assert "is not known" not in effects_answer(found, "v0").to_text()  # nobody asks for that of v2
    with pytest.raises(DataError, match="every row sets"):
        find_effects(reach, data.with_targets([["v0", "v1"]] * 200))


def test_the_verb_refuses_a_cause_that_no_case_tells_of(cli: Callable[..., str], tmp_path: Path) -> None:
    data = small_data(3, 200, 2).with_targets([["v0"] if k % 2 else ["v1"] for k in range(200)])
    learn(data, compare=False, permutations=0, seed=1).save(tmp_path / "report")
    assert "every row sets a variable other than 'v2'" in cli("effect", tmp_path / "report", "v2", code=1)
    assert json.loads(cli("effect", tmp_path / "report", "--json"))["untold"] == ["v2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outcome": "v1"}, "twice"),
        ({"outcome": "v9"}, "v9"),
        ({"level": 1.0}, "level"),
        ({"ess": 0.0}, "ess"),
    ],
)
def test_what_is_refused(options: dict[str, object], message: str) -> None:
    data = small_data(3, 50, 1)
    networks = all_networks(data).networks()
    given: dict[str, object] = {"cause": "v1", "outcome": "v2", **options}
    with pytest.raises((OptionError, DataError), match=message):
        find_effect(networks, data, **given)  # type: ignore[arg-type]


def test_a_summary_alone_does_not_know_what_is_reached() -> None:
    data = small_data(3, 50, 1)
    with pytest.raises(OptionError, match="no networks"):
        find_effect(all_networks(data).summary(), data, "v0", "v1")


def test_copies_of_the_data_count_once() -> None:
    data = small_data(3, 50, 1)
    reach = family_reach(all_networks(data).networks())
    twice = Dataset.from_codes(np.concatenate([data.codes.T, data.codes.T]), names=data.names, states=data.states)
    one, two = find_effect(reach, data, "v0", "v2"), find_effect(reach, twice, "v0", "v2", copies=2)
    assert two.set_to.low == pytest.approx(one.set_to.low)


def test_what_never_failed_may_be_certain() -> None:
    """An interval of what one variable determines holds the end, and as much as it says it does."""
    codes = np.array([[0, 0]] * 30 + [[1, 1]] * 20)
    data = Dataset.from_codes(codes, names=["x", "y"])
    states = Strata(data, 0, (), 1.0).estimate(1).of_states
    mixture = Mixture(np.ones(1), states.mean, states.variance)
    low, high = mixture.interval(0.95)
    assert high[0, 0] == 1.0
    assert low[1, 0] == 0.0
    # One stratum: an exact Beta distribution, 5 % of which lie on the other side.
    guess = (30 + 30.5 / 51) / 31
    assert low[0, 0] == pytest.approx(beta.ppf(0.05, 30 + guess, 1 - guess), abs=1e-6)
    middle = Mixture(np.ones(1), np.full((1, 1), 0.5), np.full((1, 1), 0.01)).interval(0.9)
    assert middle[0] + middle[1] == pytest.approx(1.0)


def test_draws_of_chains_are_worth_their_effective_number() -> None:
    data = small_data(4, 60, 8)
    found = find_posterior(data, "bdeu", way="chains", seed=1, limits=Limits(count=400))
    assert found.chains is not None
    draws = found.networks()
    reach = family_reach(draws)
    assert reach.n_draws == int(found.chains.verdict.effective) < draws.count
    effect = find_effect(reach, data, "v0", "v1")
    share = effect.probability
    assert effect.standard_error == pytest.approx(math.sqrt(share * (1 - share) / reach.n_draws))


def test_a_part_of_a_list_is_not_taken_for_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = all_networks(small_data(4, 60, 8))
    listed = networks.networks()
    part = replace(listed[:50], status=Status.TIME_LIMIT)
    monkeypatch.setattr(CredibleSet, "networks", lambda self, by="dag", *, limits=None: part)
    with pytest.raises(UnfinishedError, match="could not all be listed"):
        family_reach(networks)


def test_e_values_are_the_published_ones() -> None:
    """VanderWeele and Ding (2017): a risk ratio of 3.9 with an interval from 1.8 has E-values of 7.26 and 3.0."""
    assert (round(e_value(3.9), 2), round(e_value(1.8), 1)) == (7.26, 3.0)
    assert e_value(1 / 3.9) == pytest.approx(e_value(3.9))
    assert e_value(1.0) == 1.0
    truth = BayesianNetwork(
        Dag.from_arcs(["x", "y"], [("x", "y")]), [["0", "1"]] * 2, [[[0.5, 0.5]], [[0.9, 0.1], [0.61, 0.39]]]
    )
    data = truth.sample(200_000, seed=1, progress=False)
    found = find_effect(NetworkSet.from_dags([truth.dag], origin="given"), data, "x", "y")
    assert found.e_values is not None
    # The difference is as large for either state of y; the first is asked: 0.9 falls to 0.61.
    assert found.e_values[0] == pytest.approx(e_value(0.9 / 0.61), abs=0.03)
    assert 1 < found.e_values[1] < found.e_values[0]
    assert "The E-value is 2.3, and 2.3 at the end of the interval." in " ".join(effect_answer(found).to_text().split())

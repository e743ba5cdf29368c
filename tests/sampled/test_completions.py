"""Completions: chains of networks, parameters and cells; and ensembles over them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise.base.run import Run
from arcwise.confidence import EdgeConfidence, edge_confidence
from arcwise.confidence.by_recipe import carry_out
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset, Incomplete
from arcwise.ensemble import NetworkSet, Recipe, bootstrap_networks
from arcwise.errors import OptionError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.sampled.completions import CHAINS, Completions, dirichlet, draw_tables


def chain_data(rows: int, share: float, seed: int) -> tuple[Dataset, Incomplete]:
    """a -> b -> c, strongly, and d on its own; every cell is missing with the same probability."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.85, a, 1 - a)
    c = np.where(rng.random(rows) < 0.85, b, 1 - b)
    codes = np.stack([a, b, c, rng.integers(0, 3, rows)], axis=1)
    data = Dataset.from_codes(codes, names=list("abcd"), states=[["0", "1"]] * 3 + [["0", "1", "2"]])
    return data, Incomplete(data, rng.random((4, rows)) < share)


@pytest.fixture(scope="module")
def gappy() -> Incomplete:
    return chain_data(300, 0.3, 1)[1]


def test_observed_cells_stay_and_the_same_seed_gives_the_same_completions(gappy: Incomplete) -> None:
    first, again, other = (list(Completions(gappy, seed=seed, count=6).take(6)) for seed in (1, 1, 2))
    for completion in first:
        np.testing.assert_array_equal(completion.codes[~gappy.missing], gappy.held.codes[~gappy.missing])
    assert [one.digest for one in first] == [one.digest for one in again]
    assert len({one.digest for one in (*first, *other)}) == 12


def test_completions_have_the_associations_of_the_data() -> None:
    """With 40 % missing, the completed shares of agreement are those of the whole data, on average."""
    whole, gappy = chain_data(2000, 0.4, 3)
    drawn = list(Completions(gappy, seed=1, count=8).take(8))
    for u, v in ((0, 1), (1, 2), (0, 2)):
        expected = float((whole.codes[u] == whole.codes[v]).mean())
        found = np.mean([(one.codes[u] == one.codes[v]).mean() for one in drawn])
        assert found == pytest.approx(expected, abs=0.035)


def test_weighted_rows_are_completed_case_by_case() -> None:
    codes = [[0, 0], [1, 0], [1, 1], [0, 0]]
    data = Dataset.from_codes(codes, states=[["0", "1"]] * 2, weights=[30, 10, 40, 200])
    gappy = Incomplete(data, [[False, False, False, True], [False, False, False, False]])
    completion = next(Completions(gappy, seed=1).take(1))
    assert completion.n_rows == 280
    assert 0 < completion.codes[0, 80:].sum() < 200


def test_a_state_that_no_case_shows_is_never_drawn_and_constant_columns_stay_constant() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, size=(100, 3))
    codes[:, 2] = 0
    data = Dataset.from_codes(codes, states=[["0", "1", "never"], ["0", "1"], ["0", "other"]])
    gappy = Incomplete(data, rng.random((3, 100)) < 0.3)
    for completion in Completions(gappy, seed=1, count=4).take(4):
        assert completion.codes[0].max() == 1
        assert completion.constant.tolist() == [False, False, True]


def test_what_can_be_is_never_drawn_to_be_impossible() -> None:
    """Gamma variables of small shape underflow: 200 tables of which most entries are smaller than any double."""
    alphas, rng = np.tile([3.0, 1e-3, 1e-3, 0.0], 200), np.random.default_rng(1)
    flat = dirichlet(alphas, rng.standard_gamma(alphas + 1.0), rng.random(800), np.arange(0, 800, 4))
    tables = flat.reshape(200, 4)
    assert (tables[:, 1:3] > 0).all()
    assert (tables[:, 3] == 0).all()
    np.testing.assert_allclose(tables.sum(axis=1), 1.0)


def test_shares_have_the_moments_of_their_dirichlet_distribution() -> None:
    """Two tables of different widths side by side: each row has its own sum."""
    alphas, rng = np.tile([2.0, 1.0, 0.5, 4.0, 1.0], 20_000), np.random.default_rng(2)
    starts = np.arange(0, 100_000, 5)
    starts = np.sort(np.concatenate([starts, starts + 3]))
    flat = dirichlet(alphas, rng.standard_gamma(alphas + 1.0), rng.random(100_000), starts).reshape(-1, 5)
    for part, own in ((flat[:, :3], alphas[:3]), (flat[:, 3:], alphas[3:5])):
        mean = own / own.sum()
        np.testing.assert_allclose(part.sum(axis=1), 1.0)
        np.testing.assert_allclose(part.mean(axis=0), mean, atol=0.01)
        np.testing.assert_allclose(part.var(axis=0), mean * (1 - mean) / (own.sum() + 1), atol=0.005)


def test_networks_of_all_completions_are_one_ensemble(gappy: Incomplete) -> None:
    recipe = Recipe.usual("credible", "bdeu:ess=1", gaps="completions:8")
    networks = recipe.run(gappy, seed=3)
    assert networks.facts["completions"] >= 8
    assert networks.recipe == recipe
    parts = []
    count = 0
    for completion in Completions(gappy, seed=3, count=8).take(networks.facts["completions"]):
        made = Recipe.usual("credible", "bdeu:ess=1").run(completion)
        parts.append(made.arc_probabilities())
        count += made.count
    np.testing.assert_allclose(networks.arc_probabilities(), np.mean(parts, axis=0), atol=1e-9)
    assert networks.count == count


def test_what_chains_say_of_each_completion_is_kept(gappy: Incomplete) -> None:
    recipe = Recipe.usual("posterior", "bdeu:ess=1", gaps="completions:4", way="chains", most_draws=60)
    outcome = carry_out(recipe, gappy, Run(seed=3))
    networks, drawn = outcome.networks, outcome.drawn
    assert isinstance(networks, NetworkSet)
    assert drawn is not None
    assert outcome.status is networks.status is Status.COUNT_LIMIT
    count, verdict = networks.facts["completions"], networks.facts["verdict"]
    assert not verdict["converged"]
    assert f"In {count} of {count} completions the chains did not converge" in verdict["sentence"]
    assert verdict["draws"] == count * 45
    # Draws depend on each other, and how much is not known of all together.
    assert np.isnan(edge_confidence(networks).standard_error[0, 2])
    worth = family_reach(drawn).n_draws
    assert worth is not None
    assert worth == int(drawn.facts["verdict"]["effective"]) < drawn.count


def test_independent_draws_of_completions_are_that_many_draws(gappy: Incomplete) -> None:
    networks = Recipe.usual("posterior", "bdeu:ess=1", gaps="completions:4", way="exact").run(gappy, seed=3)
    assert networks.status is Status.COMPLETE
    assert "verdict" not in networks.facts
    found = edge_confidence(networks)
    share = found.present[0, 2]
    assert 0 < share < 1
    assert found.standard_error[0, 2] == pytest.approx(np.sqrt(share * (1 - share) / networks.count))


def test_confidences_are_means_over_completions_with_their_spread(gappy: Incomplete, tmp_path) -> None:
    recipe = Recipe.usual("credible", "qnml", gaps="completions:8")
    found = carry_out(recipe, gappy, Run(seed=3)).confidence
    assert found is not None
    single = [
        carry_out(Recipe.usual("credible", "qnml"), one).confidence
        for one in Completions(gappy, seed=3, count=8).take(found.completions)
    ]
    present = np.array([one.present for one in single])
    np.testing.assert_allclose(found.present, present.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(found.spread, present.std(axis=0, ddof=1))
    np.testing.assert_allclose(found.standard_error, found.spread / np.sqrt(found.completions))
    np.testing.assert_allclose(found.filled, gappy.pair_shares_missing)
    assert not found.exact
    assert found["a", "b"] > 0.99
    assert found["a", "d"] < 0.2
    path = tmp_path / "confidence.parquet"
    found.save(path)
    again = EdgeConfidence.load(path)
    np.testing.assert_allclose(again.spread, found.spread * (1 - np.eye(4)))
    assert again.completions == found.completions
    assert again.recipe == recipe


def test_each_replicate_is_completed_anew(gappy: Incomplete, tmp_path) -> None:
    path = tmp_path / "replicates"
    first = bootstrap_networks(gappy, "bdeu", replicates=12, seed=1, path=path, limits=Limits(count=5))
    assert (first.count, first.status) == (5, Status.COUNT_LIMIT)
    resumed = bootstrap_networks(gappy, "bdeu", replicates=12, seed=1, path=path)
    whole = bootstrap_networks(gappy, "bdeu", replicates=12, seed=1, workers=2)
    assert [dag.arcs for dag in resumed] == [dag.arcs for dag in whole]
    assert isinstance(whole, NetworkSet)
    assert whole.data_digest == gappy.digest
    with pytest.raises(OptionError, match="for complete data"):
        bootstrap_networks(gappy, "bdeu", replicates=2, resampling="permutation")
    found = carry_out(Recipe.usual("bootstrap", replicates=12, gaps="completions:20"), gappy, Run(seed=1)).confidence
    assert found is not None
    assert found.spread is None
    assert found.completions == 12
    assert found["a", "b"] > 0.9


def test_scores_share_completed_samples_and_order_does_not_matter(gappy: Incomplete) -> None:
    shared = Completions(gappy, seed=1)
    for score in ("bic", "bdeu"):
        alone = bootstrap_networks(Completions(gappy, seed=1), score, replicates=5, seed=4)
        together = bootstrap_networks(shared, score, replicates=5, seed=4)
        assert [dag.arcs for dag in alone] == [dag.arcs for dag in together]


def test_constraints_reach_the_networks_of_the_chains(gappy: Incomplete) -> None:
    rules = Constraints(gappy.names, forbidden=[("a", "b"), ("b", "a")], required=[("d", "c")])
    completions = Completions(gappy, constraints=rules, seed=1, count=CHAINS)
    for index in range(CHAINS):
        state = completions.state(index)
        assert state is not None
        assert not state[1][0] >> 1 & 1
        assert not state[1][1] & 1
        assert state[1][2] >> 3 & 1


def test_the_end_of_the_time_leaves_a_status(gappy: Incomplete) -> None:
    outcome = carry_out(Recipe.usual("credible"), gappy, Run(limits=Limits(seconds=1e-6)))
    assert outcome.confidence is None
    assert outcome.status is Status.TIME_LIMIT


def test_a_completion_that_the_time_cut_short_changes_no_later_one(gappy: Incomplete) -> None:
    """The first is there in any time, with the values that are known; with more time, all are those of the seed."""
    completions, whole = Completions(gappy, seed=1), Completions(gappy, seed=1)
    none, codes = Run(limits=Limits(seconds=1e-9)), gappy.held.codes
    hurried = completions.first(none)
    assert np.array_equal(np.where(gappy.missing, codes, hurried.codes), codes)
    assert completions.stacked().n_cases == gappy.n_cases
    assert completions.state(1, none) is None
    for index in range(6):
        wanted, found = whole.state(index), completions.state(index)
        assert wanted is not None
        assert found is not None
        assert np.array_equal(wanted[0].codes, found[0].codes)
        assert completions.state(index + 1, none) is None


def independent(seed: int, share: float) -> tuple[Dataset, Incomplete]:
    """Eight independent columns of 300 rows with gaps in four of them: the table of the issue."""
    rng = np.random.default_rng([20261116, seed])
    states = [2, 3] * 4
    data = Dataset.from_codes(
        np.stack([rng.integers(0, r, 300) for r in states], axis=1), states=[[str(k) for k in range(r)] for r in states]
    )
    missing = np.zeros((8, 300), dtype=bool)
    missing[:4] = rng.random((4, 300)) < share
    return data, Incomplete(data, missing)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_independent_columns_with_gaps_show_no_more_edges_than_without(share: float) -> None:
    """Seeds fixed beforehand. The rate of false edges is that of complete data, or less, within twice its error."""
    recipe = Recipe.usual("credible", gaps="completions:8")
    differences = []
    for seed in range(8):
        whole, gappy = independent(seed, share)
        without = carry_out(recipe, whole).confidence
        found = carry_out(recipe, gappy, Run(seed=seed)).confidence
        assert without is not None
        assert found is not None
        differences.append(int((found.vector > 0.5).sum()) - int((without.vector > 0.5).sum()))
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert np.mean(differences) <= 2 * max(error, 0.1), pd.Series(differences).describe()


def test_tables_are_drawn_from_their_dirichlet_distribution() -> None:
    dag = Dag.from_arcs(["a", "b"], [("a", "b")])
    counts = {(0,): np.array([3, 0]), (0, 1): np.array([[2, 1, 0], [0, 0, 0]])}
    seen = (np.array([True, True]), np.array([True, True, False]))
    rng = np.random.default_rng(1)
    states = (("0", "1"), ("0", "1", "2"))
    drawn = [
        draw_tables(dag, lambda axes: counts[tuple(axes)], ess=1.0, seen=seen, rng=rng, states=states)
        for _ in range(4000)
    ]
    first = np.array([network.tables[0][0] for network in drawn])
    second = np.array([network.tables[1] for network in drawn])
    assert first[:, 0].mean() == pytest.approx(3.5 / 4, abs=0.01)
    assert first[:, 0].var() == pytest.approx(3.5 * 0.5 / (16 * 5), rel=0.15)
    np.testing.assert_allclose(second.mean(axis=0), [[2.25 / 3.5, 1.25 / 3.5, 0], [0.5, 0.5, 0]], atol=0.03)
    assert np.isfinite(second).all()

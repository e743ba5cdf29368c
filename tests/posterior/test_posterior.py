"""`find_posterior`, `arcwise posterior` and `learn --method posterior`: sums, chains, and what is said of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import datasets, learn
from arcwise.base.run import Run
from arcwise.confidence import EdgeConfidence, edge_confidence, feature_confidence, next_experiment
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset, write_data
from arcwise.ensemble import CredibleSet, NetworkSet, PosteriorSettings, exact_posterior, find_posterior
from arcwise.errors import OptionError, UnknownNameError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.networks.recipe import Recipe
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.posterior.exact import draw_bytes
from arcwise.posterior.posterior import Posterior, Problem, draw_posterior
from arcwise.scores import make_score


@pytest.fixture(scope="module")
def data() -> Dataset:
    return datasets.load("balance-scale")


@pytest.fixture(scope="module")
def file(data: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("posterior") / "balance.csv"
    write_data(data, path)
    return path


def test_small_problems_are_summed(data: Dataset) -> None:
    found = find_posterior(data, "bdeu:ess=1")
    truth = exact_posterior(build_parent_sets(data, "bdeu:ess=1", slack=math.inf))
    assert found.is_exact
    assert found.complete
    np.testing.assert_allclose(found.arc_probabilities(), truth.arc_probabilities())
    assert not found.standard_errors().any()
    assert found.report() == truth.certificate()
    drawn = found.networks(4000, seed=1)
    assert (drawn.origin, drawn.count) == ("posterior", 4000)
    error = np.sqrt(truth.arc_probabilities() * (1 - truth.arc_probabilities()) / 4000)
    assert (np.abs(drawn.arc_probabilities() - truth.arc_probabilities()) <= 5 * error + 1e-3).all()


def test_chains_find_what_the_sums_are(data: Dataset) -> None:
    drawn = find_posterior(data, "bdeu:ess=1", way="chains", seed=1)
    summed = find_posterior(data, "bdeu:ess=1", way="exact")
    assert not drawn.is_exact
    assert drawn.complete
    assert drawn.chains is not None
    assert drawn.chains.facts["jumps"]
    assert 0 < drawn.chains.left_out <= 1.1e-3
    assert np.abs(drawn.arc_probabilities() - summed.arc_probabilities()).max() < 0.02
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.log(20))
    credible = CredibleSet.build(table, bayes_factor=20)
    exact, share = summed.share_of(credible), drawn.share_of(credible)
    assert exact.standard_error == 0
    assert share.value == pytest.approx(exact.value, abs=5 * share.standard_error + 1e-3)
    for found, expected in ((summed, exact), (drawn, share)):
        assert found.share_of(credible.networks()).value == pytest.approx(expected.value, rel=1e-9)
        for wrong in (drawn.networks(), credible.networks("mec")):
            with pytest.raises(OptionError, match="no complete credible set"):
                found.share_of(wrong)


def test_constraints_and_parent_limits_hold_either_way(data: Dataset) -> None:
    rules = Constraints(data.names, required=[("class", "left-weight")])
    for way in ("exact", "chains"):
        found = find_posterior(
            data, "bic", max_parents=2, constraints=rules, way=way, seed=1, limits=Limits(count=1000), jump_factor=1
        )
        arcs = found.arc_probabilities()
        assert arcs[data.names.index("class"), data.names.index("left-weight")] == pytest.approx(1)
        assert arcs.sum(axis=0).max() <= 2 + 1e-9


def test_what_is_asked_for_wrongly_is_refused(data: Dataset) -> None:
    with pytest.raises(UnknownNameError, match="way"):
        find_posterior(data, way="exactly")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="takes no argument"):
        find_posterior(data, draws=3)  # type: ignore[call-arg]


class BusyMachine:
    """A clock on which an hour passes between any two looks."""

    def __init__(self) -> None:
        self._hours = 0

    def monotonic(self) -> float:
        self._hours += 1
        return 3600.0 * self._hours


def test_no_clock_decides_that_nobody_asked_for(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = find_posterior(data, "bdeu:ess=1", way="chains", seed=1, most_draws=1000).chains
    monkeypatch.setattr("arcwise.base.run.time", BusyMachine())
    assert find_posterior(data, "bdeu:ess=1").is_exact
    busy = find_posterior(data, "bdeu:ess=1", way="chains", seed=1, most_draws=1000).chains
    assert drawn is not None
    assert busy is not None
    assert busy.facts["jumps"]
    assert np.array_equal(busy.rows, drawn.rows)


@pytest.mark.parametrize("share", ["EXACT_SHARE", "JUMP_SHARE"])
def test_where_a_time_limit_decided_how_draws_were_made_the_status_says_so(
    data: Dataset, monkeypatch: pytest.MonkeyPatch, share: str
) -> None:
    monkeypatch.setattr(f"arcwise.posterior.posterior.{share}", 0.0)
    way = "auto" if share == "EXACT_SHARE" else "chains"
    found = find_posterior(data, "bdeu:ess=1", way=way, seed=1, limits=Limits(seconds=1000))
    assert found.chains is not None
    assert found.chains.facts["jumps"] == (share == "EXACT_SHARE")
    assert found.chains.verdict.converged
    assert found.status is Status.TIME_LIMIT
    assert ("time limit" in found.why_chains) == (share == "EXACT_SHARE")
    assert find_posterior(data, "bdeu:ess=1", way=way, seed=1).complete  # without a limit there are no shares of it


@pytest.mark.parametrize("way", ["exact", "chains"])
def test_a_posterior_is_taken_where_networks_are(data: Dataset, way: Any) -> None:
    found = find_posterior(data, "bdeu:ess=1", way=way, seed=1)
    arcs = edge_confidence(found, orient="dag")
    assert np.abs(arcs.directed - found.arc_probabilities()).max() < 0.03
    assert arcs.origin == "posterior"
    held = found.exact if way == "exact" else found.chains
    assert held is not None
    for given in (found, held, found.networks(seed=0)):
        assert np.array_equal(edge_confidence(given).present, edge_confidence(found).present)  # type: ignore[arg-type]
        reach = family_reach(given)  # type: ignore[arg-type]
        assert reach.families.n_rows == family_reach(found).families.n_rows
    assert feature_confidence(found).shape == (len(data.names),) * 2
    assert next_experiment(found).drawn
    with pytest.raises(OptionError, match=r"expected a set of networks, got Dag. Give what find_credible"):
        edge_confidence(Dag(data.names, [()] * len(data.names)))  # type: ignore[arg-type]


@pytest.mark.parametrize("most, expected", [(7.0, [300, 1000]), (6.0, [300, 1000]), (5.0, [300])])
def test_chains_jump_in_the_largest_set_that_fits(
    data: Dataset, monkeypatch: pytest.MonkeyPatch, most: float, expected: list[int]
) -> None:
    tried, build = [], CredibleSet.within

    def built(table: ParentSetTable, slack: float, constraints: Constraints | None, run: Run) -> CredibleSet:
        tried.append(round(math.exp(slack)))
        limits = Limits(memory_bytes=1) if slack > most else Limits()  # a set that does not fit
        return build(table, slack, constraints, run.replace(limits=limits))

    monkeypatch.setattr(CredibleSet, "within", built)
    found = find_posterior(data, "bdeu:ess=1", way="chains", seed=1, most_draws=1000).chains
    assert found is not None
    assert tried == expected
    assert found.facts["jumps"] == (most > 5.0)


def test_too_many_terms_are_drawn_and_not_summed(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value, reason in (
        ("MOST_TERMS", 100, "would take too long"),
        ("MOST_SCORED", 1000, "out of reach"),
        ("EXACT_MEMORY", 1000, "could not all be scored (memory limit)"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"arcwise.posterior.posterior.{name}", value)
            found = find_posterior(data, "bdeu:ess=1", seed=1)
        assert not found.is_exact
        assert found.complete  # by counting alone, so that it is the same on every machine
        assert reason in found.why_chains
        assert reason in found.report()
    exact = find_posterior(data, "bdeu:ess=1", way="exact", limits=Limits(memory_bytes=1000))
    assert exact.status is Status.MEMORY_LIMIT
    assert exact.chains is None


def test_draws_that_the_clock_ended_are_not_complete(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the chains agree at that moment: another run would have more of them, or fewer."""
    monkeypatch.setattr("arcwise.posterior.sampling.FIRST_LOOK", 10**6)
    monkeypatch.setattr("arcwise.posterior.sampling._Walkers._draw_to", _drawing_until(10_000, Status.TIME_LIMIT))
    found = find_posterior(data, "bdeu:ess=1", way="chains", seed=1)
    assert found.chains is not None
    assert found.chains.verdict.converged
    assert found.status is Status.TIME_LIMIT


def _drawing_until(count: int, status: Status) -> Callable[..., Status]:
    from arcwise.posterior.sampling import _Walkers

    draw = _Walkers._draw_to

    def draw_to(run: _Walkers, goal: int, *rest: Any) -> Status:
        draw(run, min(goal, count), *rest)
        return status

    return draw_to


def test_confidences_of_draws_have_the_errors_of_dependent_draws(data: Dataset, tmp_path: Path) -> None:
    drawn = find_posterior(data, "bic", way="chains", seed=1, limits=Limits(count=1000))
    assert drawn.chains is not None
    networks = drawn.networks()
    confidence = edge_confidence(networks, orient="dag")
    assert not confidence.exact
    assert confidence.effective is not None
    np.testing.assert_allclose(confidence.present, drawn.edge_probabilities(), atol=1e-9)
    np.testing.assert_allclose(confidence.standard_error, drawn.standard_errors(), atol=1e-9)
    confidence.save(tmp_path / "confidence.parquet")
    again = EdgeConfidence.load(tmp_path / "confidence.parquet")
    np.testing.assert_allclose(again.standard_error, confidence.standard_error, atol=1e-12)
    networks.save(tmp_path / "networks")
    from_file = edge_confidence(NetworkSet.load(tmp_path / "networks"), orient="dag")
    np.testing.assert_allclose(from_file.standard_error, confidence.standard_error, atol=1e-12)
    part = edge_confidence(networks[:100], orient="dag")  # the chains are torn apart: nothing is known of the errors
    assert np.isnan(part.standard_error[(part.present > 0) & (part.present < 1)]).all()


def test_verb_prints_sums_and_their_certificate(file: Path, cli: Callable[..., str]) -> None:
    found = json.loads(cli("posterior", file, "--score", "bdeu:ess=1", "--json"))
    assert found["way"] == "exact"
    assert found["complete"]
    assert found["verdict"] is None
    assert found["arcs"][0]["probability"] == pytest.approx(1, abs=0.5)
    assert "Summed over all DAGs" in found["report"]


def test_verb_draws_saves_and_resumes(file: Path, cli: Callable[..., str], tmp_path: Path) -> None:
    output, chains = tmp_path / "networks.parquet", tmp_path / "chains"
    arguments = ("posterior", file, "--way", "chains", "--seed", "3", "--resume", chains, "-o", output, "--json")
    found = json.loads(cli(*arguments))
    assert found["way"] == "chains"
    assert found["verdict"]["converged"]
    networks = NetworkSet.load(output)
    assert networks.origin == "posterior"
    assert networks.count == found["verdict"]["draws"] * 4
    assert chains.exists()
    again = json.loads(cli(*arguments))
    assert again["arcs"] == found["arcs"]


def test_verb_ends_with_3_if_chains_do_not_agree(file: Path, cli: Callable[..., str]) -> None:
    told = cli("posterior", file, "--way", "chains", "--most-draws", "60", "--jump-factor", "1", code=3)
    assert "Not converged: 4 chains of 45 draws" in told
    assert "count limit" in told


def test_learn_draws_independently_where_all_networks_can_be_summed_over(data: Dataset) -> None:
    analysis = learn(data, method="posterior", score="bdeu:ess=1", permutations=0, compare=False, seed=1)
    assert analysis.status is Status.COMPLETE
    assert not analysis.main.verdict
    assert analysis.main.count == 10_000
    exact = find_posterior(data, "bdeu:ess=1").edge_probabilities()
    assert np.abs(analysis.confidence.present - exact).max() < 0.02
    told = " ".join(analysis.to_text().split())
    assert "drawn independently of each other" in told
    assert "by exact sums over all of them (Talvitie et al., 2019)" in told
    assert "Vuoksenmaa" in told
    assert "Borsuk" not in told


def test_a_recipe_draws_independently_where_all_networks_can_be_summed_over(data: Dataset) -> None:
    few = data.take(np.arange(0, data.n_rows, 9))  # from all of them, every edge is there or is not
    recipe = Recipe.usual("posterior", "bdeu:ess=1")
    drawn = recipe.run(few, seed=1)
    assert isinstance(drawn, NetworkSet)
    assert (drawn.origin, drawn.count, drawn.status) == ("posterior", 10_000, Status.COMPLETE)
    assert drawn.recipe == recipe
    found = edge_confidence(drawn)
    unsure = (found.present > 0.05) & (found.present < 0.95)
    assert unsure.any()
    error = np.sqrt(found.present * (1 - found.present) / 10_000)
    assert found.standard_error == pytest.approx(error)  # each draw counts for one
    exact = find_posterior(few, "bdeu:ess=1").edge_probabilities()
    assert (np.abs(found.present - exact) <= 5 * error + 1e-3).all()
    again, other = (recipe.run(few, seed=seed, threads=2) for seed in (1, 2))
    assert isinstance(again, NetworkSet)
    assert isinstance(other, NetworkSet)
    assert np.array_equal(again.scores, drawn.scores)
    assert not np.array_equal(other.scores, drawn.scores)


def test_sums_that_leave_no_memory_to_draw_from_them_are_not_begun_where_draws_are_wanted(
    file: Path, data: Dataset, cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf)
    room = draw_bytes(table) + 28 * 10_000
    limits = {number: Limits(memory_bytes=number) for number in (room - 1, room)}
    assert all(find_posterior(data, "bdeu:ess=1", limits=one).is_exact for one in limits.values())
    recipe = Recipe.usual("posterior", "bdeu:ess=1", most_draws=1000)
    chains, independent = (recipe.run(data, seed=1, limits=one, threads=3) for one in limits.values())
    assert "verdict" in chains.facts
    assert (independent.count, independent.status) == (10_000, Status.COMPLETE)  # the threads have to do without
    monkeypatch.setattr("arcwise.posterior.posterior.EXACT_MEMORY", room - 1)
    output = tmp_path / "networks.parquet"
    cli("posterior", file, "--score", "bdeu:ess=1", "-o", output, "--most-draws", "20000")
    assert "verdict" in NetworkSet.load(output).facts


def test_learn_averages_draws_and_says_whether_chains_agree(data: Dataset) -> None:
    chains = {"way": "chains"}
    analysis = learn(
        data, method="posterior", score="bdeu:ess=1", permutations=0, compare=False, seed=1, settings=chains
    )
    assert analysis.status is Status.COMPLETE
    assert analysis.confidence.orient == "cpdag"
    assert analysis.main.verdict["converged"]
    assert "Converged: 4 chains" in analysis.to_text()
    exact = find_posterior(data, "bdeu:ess=1").edge_probabilities()
    assert np.abs(analysis.confidence.present - exact).max() < 0.02
    short = learn(
        data,
        method="posterior",
        settings=("way=chains", "most_draws=60"),
        permutations=0,
        compare=False,
        seed=1,
        score="bic",
    )
    assert short.status is Status.COUNT_LIMIT
    assert not short.confidence.complete
    assert "Not converged" in short.to_text()


def test_learn_says_of_data_with_gaps_too_how_networks_were_drawn(data: Dataset) -> None:
    frame = data.to_dataframe().sample(150, random_state=1, ignore_index=True).astype(str)
    frame.loc[::9, "left-weight"] = None
    asked = {"method": "posterior", "impute": "completions", "completions": 4, "permutations": 0, "compare": False}
    chains = learn(frame, settings=("way=chains", "most_draws=60"), seed=1, **asked)
    told = " ".join(chains.to_text().split())
    assert chains.status is Status.COUNT_LIMIT
    assert "networks were drawn by Markov chains" in told
    assert "by 4 Markov chains (Su & Borsuk, 2016), but they had not converged" in told
    assert "independently of each other" not in told
    assert "completions the chains did not converge" in told


def test_a_sum_that_was_asked_for_and_not_finished_leaves_one_first_network(data: Dataset) -> None:
    recipe = Recipe.usual("posterior", "bdeu:ess=1", way="exact")
    made = recipe.run(data, limits=Limits(seconds=1e-9))
    assert (made.count, made.status) == (0, Status.TIME_LIMIT)
    told = " ".join(learn(data, method="posterior", settings=("way=exact",), limit_seconds=1e-9).to_text().split())
    assert "The posterior could not be completed" in told
    assert "Allow more time" in told


def test_learn_does_not_draw_unless_asked(data: Dataset) -> None:
    analysis = learn(data, permutations=0, seed=1)
    assert "posterior" not in {other.recipe.source for other in analysis.sets}


def test_learn_tells_the_share_that_the_set_holds_also_by_chains(
    data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"method": "credible", "score": "bdeu:ess=1", "permutations": 0, "compare": False, "seed": 1}
    summed = learn(data, **options).main.credible
    monkeypatch.setattr("arcwise.findings.network_facts.LARGEST_SUM", 0)
    analysis = learn(data, **options)
    drawn = analysis.main.credible
    assert summed is not None
    assert drawn is not None
    assert summed.covered is not None
    assert summed.covered_error == 0 < drawn.covered_error
    assert drawn.covered == pytest.approx(summed.covered, abs=5 * drawn.covered_error + 1e-3)
    told = " ".join(analysis.to_text().split())
    assert "by networks that chains drew from all of it" in told
    assert "of the best single one" in told


def test_networks_of_the_verb_know_how_they_were_made(file: Path, cli: Callable[..., str], tmp_path: Path) -> None:
    output = tmp_path / "networks.parquet"
    chains = ("--way", "chains", "--most-draws", "100")
    cli("posterior", file, *chains, "--seed", "3", "-o", output, "--quiet", code=3)
    networks = NetworkSet.load(output)
    assert networks.recipe is not None
    assert networks.recipe.source == "posterior"
    assert networks.recipe.settings == {"way": "chains", "chains": 4, "most_draws": 100}
    assert networks.facts["n_cases"] == 625
    for way in ("exact", "auto"):
        cli("posterior", file, "--way", way, "--seed", "3", "-o", output, "--quiet")
        drawn = NetworkSet.load(output)
        assert (drawn.origin, drawn.count, drawn.facts["n_cases"]) == ("posterior", 10_000, 625)
        assert drawn.recipe is not None
        assert drawn.recipe.settings["way"] == way


def test_the_verb_says_if_the_time_ended_its_draws(
    file: Path, cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = find_posterior(datasets.load("balance-scale")).networks(7, seed=1)
    monkeypatch.setattr(Posterior, "networks", lambda *_, **__: replace(drawn, status=Status.TIME_LIMIT))
    output = tmp_path / "networks.parquet"
    told = cli("posterior", file, "-o", output, code=3)
    assert "Summed over all DAGs" in told
    assert "Only 7 networks were drawn and written (time limit)." in told
    assert NetworkSet.load(output).count == 7


def test_chains_whose_table_was_cut_short_do_not_jump(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that a limit cut short lacks parent sets of the credible set, which then is no place to jump to."""
    score = make_score("bdeu:ess=1")
    credible = CredibleSet.build(build_parent_sets(data, score, slack=math.log(20)), bayes_factor=20)

    def short(self: Problem, slack: float, limits: Limits) -> ParentSetTable:
        table = build_parent_sets(data, score, slack=slack, max_parents=most)
        return replace(table, status=Status.TIME_LIMIT)

    monkeypatch.setattr(Problem, "table", short)
    settings = PosteriorSettings(most_draws=50, chains=2)
    for most in (1, 0):
        found = draw_posterior(Problem(data, score), Run(), credible=credible, seed=1, settings=settings)
        assert bool(found.count) == (most > 0)  # networks without an arc would seem to say that there is none
        assert found.status is Status.TIME_LIMIT
        assert f"at most {most} parent" in found.verdict.describe()["sentence"]


class HandClock:
    """A clock that somebody moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_time_is_left_to_draw_where_parent_sets_take_all_they_are_given(
    data: Dataset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock, score, path = HandClock(), make_score("bdeu:ess=1"), tmp_path / "chains"

    def slow(self: Problem, slack: float, limits: Limits) -> ParentSetTable:
        assert limits.seconds is not None
        clock.now += limits.seconds
        return replace(build_parent_sets(data, score, slack=slack, max_parents=1), status=Status.TIME_LIMIT)

    monkeypatch.setattr("arcwise.base.run.time", clock)
    monkeypatch.setattr(Problem, "table", slow)
    found = find_posterior(data, score, seed=1, limits=Limits(seconds=1000, count=100), path=path)
    assert found.chains is not None
    assert found.chains.count > 0
    assert found.status is Status.TIME_LIMIT
    assert "at most 1 parent per" in found.report()
    assert not path.exists()  # nobody could go on from this table


def test_a_sum_that_cannot_fit_the_time_is_not_begun(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.posterior.posterior.SECONDS_A_CASE", 1.0)
    found = find_posterior(data, "bdeu:ess=1", seed=1, limits=Limits(seconds=1000))
    assert found.chains is not None
    assert found.chains.verdict.converged
    assert found.status is Status.TIME_LIMIT
    assert "longer than its share of the time limit" in found.report()
    assert find_posterior(data, "bdeu:ess=1").is_exact

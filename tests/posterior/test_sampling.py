"""Draws from the posterior: right, the same each time, resumable, and honest about convergence."""

from __future__ import annotations

import math
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles import all_dags
from tests.posterior.chain_tables import SHARE, random_table, two_modes

from arcwise import datasets
from arcwise.credible import listing
from arcwise.ensemble import CredibleSet, exact_posterior, sample_posterior
from arcwise.errors import FormatError, GuaranteeError, OptionError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.posterior import walk
from arcwise.posterior.sampling import _Walkers
from arcwise.posterior.walk import left_out, slack_for
from arcwise.progress import ProgressEvent


def test_chains_that_agree_have_the_probabilities_of_all_dags() -> None:
    table = random_table(5, 2)
    found = sample_posterior(table, seed=1)
    assert found.converged
    assert found.status is Status.COMPLETE
    truth = all_dags.posterior(table)
    assert np.abs(found.arc_probabilities() - truth.arcs).max() < 0.02
    share = found.share_within(float(truth.scores.max()) - 2.0)
    assert share.value == pytest.approx(truth.mass_within(2.0), abs=5 * share.standard_error + 1e-3)
    assert "Converged" in found.report()


def test_errors_of_chains_are_as_large_as_their_standard_errors_say() -> None:
    scores = []
    for seed in range(20):
        table = random_table(6, 100 + seed, scale=2.5)
        found = sample_posterior(table, seed=seed, limits=Limits(count=2000))
        truth = exact_posterior(table).edge_probabilities()
        errors, upper = found.standard_errors(), np.triu_indices(6, 1)
        unsure = (truth[upper] > 0.05) & (truth[upper] < 0.95)
        difference = found.edge_probabilities()[upper][unsure] - truth[upper][unsure]
        scores += (difference / errors[upper][unsure]).tolist()
    z = np.array(scores)
    assert len(z) > 100
    assert 0.7 < np.sqrt((z**2).mean()) < 1.4
    assert abs(z.mean()) < 0.35
    assert (np.abs(z) < 2).mean() > 0.85


def test_chains_that_cannot_mix_are_called_not_converged() -> None:
    found = sample_posterior(two_modes(), seed=1, chains=8, limits=Limits(count=3000))
    assert not found.converged
    assert found.status is Status.COUNT_LIMIT
    assert found.verdict.r_hat > 1.1
    assert found.verdict.difference > 0.9
    assert found.verdict.sentence().startswith("Not converged: 8 chains of 2,250 draws differ on 5 pairs: ")
    assert {(pair.first, pair.second) for pair in found.verdict.differing} == {(f"v{k}", f"v{k + 1}") for k in range(5)}


def test_jumps_within_a_credible_set_find_the_masses_of_two_modes() -> None:
    table = two_modes()
    credible = CredibleSet.build(table, bayes_factor=20)
    assert credible.count == 2
    found = sample_posterior(table, seed=1, credible=credible)
    assert found.converged
    error = math.sqrt(SHARE * (1 - SHARE) / found.verdict.effective)
    assert found.arc_probabilities()[0, 1] == pytest.approx(SHARE, abs=min(0.03, 3 * error))
    assert found.moves["jump"][1] > 0.9 * found.moves["jump"][0]


def test_jumps_leave_the_posterior_as_it_is() -> None:
    table = random_table(5, 4)
    credible = CredibleSet.build(table, bayes_factor=3)
    found = sample_posterior(table, seed=3, credible=credible)
    assert np.abs(found.arc_probabilities() - all_dags.posterior(table).arcs).max() < 0.02


def test_a_credible_set_of_another_table_is_refused() -> None:
    wide, narrow = random_table(4, 4), random_table(4, 4, gaps=0.7)
    with pytest.raises(OptionError, match="parent sets that the chains' table lacks"):
        sample_posterior(narrow, seed=1, credible=CredibleSet.build(wide, bayes_factor=150))


def test_same_seed_same_draws_on_any_number_of_threads() -> None:
    table = random_table(6, 7)
    first = sample_posterior(table, seed=5, limits=Limits(count=500))
    second = sample_posterior(table, seed=5, threads=3, limits=Limits(count=500))
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.scores, second.scores)
    assert first.moves == second.moves
    other = sample_posterior(table, seed=6, limits=Limits(count=500))
    assert not np.array_equal(first.rows, other.rows)


def test_a_run_goes_on_where_another_ended(tmp_path: Path) -> None:
    table = random_table(6, 8)
    credible = CredibleSet.build(table, bayes_factor=20)
    whole = sample_posterior(table, seed=5, credible=credible, most_draws=2500)
    path = tmp_path / "chains"
    for count in (300, 900, 5000):
        part = sample_posterior(
            table, seed=5, credible=credible, most_draws=2500, path=path, limits=Limits(count=count)
        )
    assert np.array_equal(part.rows, whole.rows)
    assert part.moves == whole.moves
    assert part.verdict == whole.verdict
    again = sample_posterior(
        table, credible=credible, most_draws=2500, path=path
    )  # with its seed; nothing is left to do
    assert np.array_equal(again.rows, whole.rows)
    with pytest.raises(OptionError, match="another run: seed differ"):
        sample_posterior(table, seed=6, credible=credible, most_draws=2500, path=path)
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(FormatError, match="checksum"):
        sample_posterior(table, seed=5, credible=credible, most_draws=2500, path=path)


def test_ctrl_c_leaves_whole_draws_that_can_be_resumed(tmp_path: Path) -> None:
    table = random_table(6, 8)
    path = tmp_path / "chains"

    def interrupt(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    found = sample_posterior(table, seed=5, steps=2000, path=path, progress=interrupt)
    assert found.status is Status.INTERRUPTED
    assert not found.converged
    after = sample_posterior(table, seed=5, steps=2000, path=path, limits=Limits(count=40))
    whole = sample_posterior(table, seed=5, steps=2000, limits=Limits(count=after.facts["draws_made"]))
    assert np.array_equal(after.rows, whole.rows)
    assert after.moves == whole.moves


def test_ctrl_c_while_networks_to_jump_to_are_drawn_leaves_whole_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, path = random_table(6, 8), tmp_path / "chains"
    credible = CredibleSet.build(table, bayes_factor=20)
    whole = sample_posterior(table, seed=5, credible=credible, most_draws=1500)
    draw, calls = walk.draw_networks, []

    def interrupt(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        listed, proposals = draw(*arguments, **options)
        ended = Status.COMPLETE if len(calls) == 1 else Status.INTERRUPTED
        return replace(listed, status=ended), proposals

    with monkeypatch.context() as patch:
        patch.setattr(walk, "draw_networks", interrupt)
        part = sample_posterior(table, seed=5, credible=credible, most_draws=1500, path=path)
    assert part.status is Status.INTERRUPTED and 0 < part.facts["draws_made"] <= walk.BLOCK
    after = sample_posterior(table, seed=5, credible=credible, most_draws=1500, path=path)
    assert np.array_equal(after.rows, whole.rows)


@pytest.mark.parametrize("where", ["_save", "verdict", "_keep", "_advance"])
def test_ctrl_c_while_the_chains_are_looked_at_leaves_the_draws(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, path = random_table(6, 8), tmp_path / "chains"
    whole = sample_posterior(table, seed=5, most_draws=1500)
    real = getattr(_Walkers, where)

    def press(run: _Walkers, *given: Any) -> Any:
        found = real(run, *given) if where == "_advance" else None  # after the core has looked for the last time
        if run.done >= 1000 or where == "_keep":
            signal.raise_signal(signal.SIGINT)
        return found if where == "_advance" else real(run, *given)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(_Walkers, where, press)
            part = sample_posterior(table, seed=5, most_draws=1500, path=path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert part.status is Status.INTERRUPTED
    assert 0 < part.facts["draws_made"] <= 1000
    assert part.rows.shape[1] == part.verdict.draws
    after = sample_posterior(table, seed=5, most_draws=1500, path=path)
    assert np.array_equal(after.rows, whole.rows)
    assert after.moves == whole.moves


def test_chains_do_not_jump_where_the_networks_to_jump_to_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(6, 8)
    credible = CredibleSet.build(table, bayes_factor=20)
    alone = sample_posterior(table, seed=5, limits=Limits(count=50))
    monkeypatch.setattr(listing, "DEFAULT_MEMORY", credible.diagram("dag").native.bytes + 40_000)
    found = sample_posterior(table, seed=5, credible=credible, limits=Limits(count=50))
    assert found.facts["jumps"] is False
    assert np.array_equal(found.rows, alone.rows)


def test_networks_know_the_constraints_of_their_table_and_of_the_chains() -> None:
    data = datasets.load("balance-scale")
    first = Constraints(data.names, forbidden=[("class", "left-weight")])
    second = Constraints(data.names, forbidden=[("right-weight", "class")])
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, constraints=first)
    drawn = sample_posterior(table, seed=1, constraints=second, limits=Limits(count=50)).networks()
    assert drawn.obeyed is not None
    assert set(drawn.obeyed.forbidden) == {*first.forbidden, *second.forbidden}


def test_no_share_is_known_without_a_draw() -> None:
    found = sample_posterior(random_table(4, 1), seed=1, limits=Limits(seconds=1e-9))
    assert (found.count, found.status) == (0, Status.TIME_LIMIT)
    with pytest.raises(UnfinishedError, match=r"no network was drawn \(time limit\)"):
        found.share_within(0.0)


def test_every_draw_satisfies_the_constraints() -> None:
    data = datasets.load("balance-scale")
    rules = Constraints(data.names, required=[("class", "left-weight")], forbidden=[("class", "right-weight")])
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, constraints=rules)
    found = sample_posterior(table, seed=1, constraints=rules, limits=Limits(count=1000))
    assert not any(rules.violations(dag) for dag in found.networks()[:200])
    truth = exact_posterior(table, constraints=rules).arc_probabilities()
    assert np.abs(found.arc_probabilities() - truth).max() < 0.06
    plain = build_parent_sets(data, "bdeu:ess=1", slack=3.0)
    with pytest.raises(GuaranteeError, match="not built for the required arcs"):
        sample_posterior(plain, constraints=rules)


@pytest.mark.parametrize("score", ["bic", "bdeu:ess=1", "qnml"])
def test_what_a_table_lacks_is_within_the_bound(score: str) -> None:
    data = datasets.load("balance-scale")
    whole = exact_posterior(build_parent_sets(data, score, slack=math.inf))
    for slack in (1.0, 4.0, 8.0):
        table = build_parent_sets(data, score, slack=slack)
        kept = {(v, table.parents_of(row)) for v in range(5) for row in table.rows_of(v)}
        lost = 0.0
        for row, share in enumerate(whole.family_probabilities().tolist()):
            if (int(whole.families.row_nodes[row]), whole.families.parents_of(row)) not in kept:
                lost += share
        assert lost <= left_out(table, table.n_rows) + 1e-12
    assert left_out(build_parent_sets(data, score, slack=slack_for(5, None)), 0) <= 1.1e-3


def test_a_table_that_says_nothing_is_refused() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(0.0, ())], [(0.0, ()), (1.0, (0,))]])
    with pytest.raises(GuaranteeError, match="says what it holds"):
        sample_posterior(table)
    assert sample_posterior(table.vouched(), seed=1).converged


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"heats": (0.5,)}, "must fall from 1"),
        ({"heats": (1.0, 1.0)}, "must fall from 1"),
        ({"mixture": (1.0,)}, "must be 7 probabilities"),
        ({"mixture": (0.0, 1.0, 0, 0, 0, 0, 0)}, "toggles"),
        ({"chains": 1}, "chains"),
        ({"window": 0.0}, "window"),
        ({"draws": 5}, "takes no argument 'draws'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        sample_posterior(random_table(3, 1), **wrong)  # type: ignore[arg-type]


def test_one_variable_and_no_arcs_at_all() -> None:
    one = ParentSetTable.from_lists(["a"], [[(-1.0, ())]], slack=math.inf)
    found = sample_posterior(one, seed=1)
    assert found.converged
    assert found.arc_probabilities().tolist() == [[0.0]]


def test_traces_have_the_scores_and_the_edges_in_doubt() -> None:
    found = sample_posterior(random_table(4, 2), seed=1, limits=Limits(count=400))
    traces = found.traces()
    assert traces["score"].shape == (4, 300)
    edges = found.edge_probabilities()
    assert traces["v0 - v1"].mean() == pytest.approx(edges[0, 1])
    pytest.importorskip("arviz", reason="ArviZ is not installed: pip install 'arcwise[arviz]'")
    assert found.to_arviz().posterior["score"].shape == (4, 300)

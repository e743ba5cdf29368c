from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pytest
from tests.oracles.bnlearn_samples import golden, read_sample

from arcwise import datasets
from arcwise.bootstrap import bootstrap
from arcwise.bootstrap.completed import CompletedTask
from arcwise.bootstrap.task import DRAWS, PART, ReplicateTask
from arcwise.bootstrap.workers import open_workers
from arcwise.data import Incomplete, Table
from arcwise.data.checks import Targets
from arcwise.ensemble import NetworkSet, Recipe, bootstrap_networks
from arcwise.errors import FormatError, OptionError, UnknownNameError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.local import tabu_search
from arcwise.parent_sets import build_parent_sets
from arcwise.progress import ProgressEvent
from arcwise.sampled.numeric_data import Cutting, NumericData
from arcwise.scores import make_score

# Also run by the process that is killed, so that both have the same data.
MAKE_DATA = """
import numpy as np
from arcwise.data import Dataset

def make_data(variables=12, rows=300, seed=0):
    rng = np.random.default_rng(seed)
    columns = []
    for v in range(variables):
        own = rng.integers(0, 3, rows)
        columns.append(np.where(rng.random(rows) < 0.6, columns[rng.integers(v)], own) if v else own)
    return Dataset.from_codes(np.column_stack(columns), states=[["a", "b", "c"]] * variables)
"""
namespace: dict[str, Any] = {}
exec(MAKE_DATA, namespace)
make_data = namespace["make_data"]


def dags(networks: NetworkSet) -> list[Dag]:
    return list(networks)


def test_each_replicate_is_a_search_on_its_own_sample() -> None:
    data = make_data(rows=50)  # K2 has no ties, so that the order in which they are broken does not matter
    how: Any = {"replicates": 5, "score": "k2", "seed": 11, "draws": "replacement"}
    networks = bootstrap_networks(data, **how, options={"refine": 0})
    refined = bootstrap_networks(data, **how)
    assert networks.origin == "bootstrap"
    assert networks.complete
    np.testing.assert_allclose(networks.weights, 0.2)
    children = np.random.SeedSequence(11).spawn(5)
    for i, dag in enumerate(networks):
        rng = np.random.default_rng(children[i])
        sample = data.collapse().resample(rng)
        alone = tabu_search(sample, score="k2", refine=0, max_parents=None, by_position=True)
        assert dag == alone.dag
        better = refined.facts["replicate_scores"][i]
        assert better >= alone.score - 1e-9
        assert better == pytest.approx(make_score("k2").score_network(sample, refined[i]))
        assert networks.facts["replicate_scores"][i] == pytest.approx(alone.score)
        assert networks.scores[i] == pytest.approx(make_score("k2").score_network(data, dag))
    assert networks.score == {"name": "k2"}
    assert networks.data_digest == data.digest


@pytest.mark.parametrize("kind", ["complete", "gaps", "numbers"])
def test_replicates_draw_with_replacement_and_parts_in_turns(kind: str) -> None:
    rng = np.random.default_rng(4)
    numbers = np.arange(60.0) + rng.random(60) / 2
    frame = pd.DataFrame(
        {"case": numbers, "half": np.where(numbers < 30, "a", "b"), "other": rng.choice(["x", "y"], 60)}
    )
    table = Table.from_dataframe(frame)
    data: Any = NumericData(table, ("case",), Cutting("quantile", 3)) if kind == "numbers" else make_data(5, 60)
    if kind == "gaps":
        data = Incomplete(data, rng.random((5, 60)) < 0.1)
    made = {draws: bootstrap_networks(data, "k2", replicates=8, seed=2, draws=draws) for draws in DRAWS}
    for index in range(8):
        alone = made["parts" if index % 2 else "replacement"]
        assert made["both"][index] == alone[index]
        assert made["both"].facts["replicate_scores"][index] == alone.facts["replicate_scores"][index]
    assert made["parts"].facts["replicate_scores"] != made["replacement"].facts["replicate_scores"]
    assert [found.recipe.settings["draws"] for found in made.values() if found.recipe] == list(DRAWS)


@pytest.mark.parametrize("kind", ["plain", "gaps"])
def test_some_replicates_have_a_parent_less(kind: str) -> None:
    data: Any = make_data(7, 120)
    if kind == "gaps":
        data = Incomplete(data, np.random.default_rng(1).random((7, 120)) < 0.1)
    made = {most: bootstrap_networks(data, "k2", replicates=12, seed=2, max_parents=most) for most in (2, 3)}
    mixed = bootstrap_networks(data, "k2", replicates=12, seed=2, max_parents=3, share_below=0.5)
    below = [(index // 2 * 0.6180339887498949) % 1 < 0.5 for index in range(12)]
    assert sum(below) in (6, 8) and below[0::2] == below[1::2]
    assert all(max(map(len, dag.parents)) <= (2 if is_below else 3) for dag, is_below in zip(mixed, below, strict=True))
    for index, is_below in enumerate(below if kind == "plain" else ()):  # the limit has a say in how gaps are completed
        assert mixed[index] == made[2 if is_below else 3][index]
    assert list(made[2]) != list(made[3])
    assert mixed.max_parents == 3


def test_a_score_with_a_limit_of_its_own_lets_it_grow_in_the_networks_of_a_bootstrap() -> None:
    data = make_data(7, 120)
    found = {cases: Recipe.usual("bootstrap", n_cases=cases, replicates=12) for cases in (100, 120, 150)}
    assert [recipe.max_parents for recipe in found.values()] == [2, 3, 3]
    assert Recipe.usual("credible", "qnml", n_cases=120).max_parents == 2
    some = found[120]
    most = [max(map(len, dag.parents)) for dag in some.run(data, seed=1, progress=False)]
    share = some.scorer.facts.share_below(3, 120)
    below = [(index // 2 * 0.6180339887498949) % 1 < share for index in range(12)]
    assert 0 < sum(below) < 12 and max(most) == 3
    assert max(limit for limit, is_below in zip(most, below, strict=True) if is_below) <= 2
    required = Constraints(data.names, required=[(data.names[p], data.names[6]) for p in (0, 1, 2)])
    obeyed = Recipe.usual("bootstrap", n_cases=120, replicates=4, constraints=required).run(
        data, seed=1, progress=False
    )
    assert all(len(dag.parents[6]) == 3 for dag in obeyed)


def test_a_part_has_no_case_twice() -> None:
    rng = np.random.default_rng(4)
    data = make_data(4, 50)
    for seed in range(10):
        sample = data.subsample(PART, seed)
        assert sample.weights is not None and sample.n_cases == 35 and sample.weights.max() == 1
    task = ReplicateTask(data, make_score("k2"), Constraints(data.names), "tabu", "bootstrap", 1, draws="parts")
    assert [task.draw(index)[0].n_cases for index in range(4)] == [35] * 4
    held = Incomplete(data, rng.random((4, 50)) < 0.2)
    rows = held.resampled_rows(3, PART)
    assert len(rows) == len(set(rows.tolist())) == 35
    sets = Targets.of([None] * 20 + [data.names[0]] * 30, data.names)
    told = Incomplete(data.with_targets(sets), held.missing & (np.arange(4) > 0)[:, None])
    assert np.bincount(sets.of_row[told.resampled_rows(3, PART)]).tolist() == [14, 21]


def test_the_networks_do_not_depend_on_workers_batches_or_collapsing() -> None:
    data = make_data()
    expected = dags(bootstrap_networks(data, replicates=60, seed=3))
    assert len(set(expected)) > 10
    for options in ({"workers": 2}, {"workers": 2, "backend": "loky"}, {"limits": Limits(count=1000)}):
        assert dags(bootstrap_networks(data, replicates=60, seed=3, **options)) == expected, options
    assert dags(bootstrap_networks(data.collapse(), replicates=60, seed=3)) == expected
    assert dags(bootstrap_networks(data, replicates=25, seed=3)) == expected[:25]
    assert dags(bootstrap_networks(data, replicates=60, seed=4)) != expected


def test_dask_gives_the_same_networks_and_survives_killed_workers() -> None:
    distributed = pytest.importorskip("distributed")
    data = make_data()
    options = {"replicates": 120, "seed": 3, "options": {"restarts": 3}}
    expected = dags(bootstrap_networks(data, **options))
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),  # the machine may be busy
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill_all(event: ProgressEvent) -> None:
            if not killed and event.done < 60:  # all of them, so that the task that was sent to them is lost, too
                killed.extend(client.run(os.getpid).values())
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)

        found = bootstrap_networks(data, backend="dask", cluster=client, progress=kill_all, **options)
        assert killed
        assert dags(found) == expected
        address = bootstrap_networks(data, backend="dask", cluster=cluster.scheduler_address, replicates=5, seed=3)
        assert len(address) == 5
    with pytest.raises(OptionError, match="no Dask scheduler answers"):
        bootstrap_networks(data, backend="dask", cluster="no such scheme://x", replicates=1)


def test_a_killed_process_costs_only_its_own_replicates() -> None:
    data = make_data()
    options = {"replicates": 120, "seed": 3, "options": {"restarts": 3}}
    killed: list[int] = []

    def kill_one(event: ProgressEvent) -> None:
        for child in [] if killed else psutil.Process().children():
            with contextlib.suppress(psutil.Error):  # a worker of an earlier test may just be ending
                if "popen_loky" in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                    os.kill(child.pid, signal.SIGKILL)
                    killed.append(child.pid)
                    return

    found = bootstrap_networks(data, workers=2, backend="loky", progress=kill_one, **options)
    assert killed
    assert found.complete
    assert dags(found) == dags(bootstrap_networks(data, **options))


@pytest.mark.parametrize("learner", ["tabu", "hill-climbing", "first-ascent", "genetic", "order", "exact"])
@pytest.mark.parametrize("resampling", ["bootstrap", "permutation"])
def test_constraints_hold_in_every_network(learner: Any, resampling: Any) -> None:
    data = make_data(variables=6, rows=100)
    rules = Constraints(data.names, required=[("X5", "X0")], forbidden=[("X0", "X1"), ("X1", "X0")], max_parents=2)
    networks = bootstrap_networks(
        data, replicates=6, learner=learner, resampling=resampling, constraints=rules, max_parents=1, score="aic"
    )
    assert networks.origin == resampling
    for dag in networks:
        assert rules.violations(dag) == []
        assert max(map(len, dag.parents)) == 1


def test_exact_replicates_are_no_worse_than_any_other() -> None:
    data = make_data(variables=7)
    scores = {
        learner: np.array(
            bootstrap_networks(data, replicates=10, learner=learner, seed=2, draws="replacement").facts[
                "replicate_scores"
            ]
        )
        for learner in ("exact", "order", "tabu", "hill-climbing", "genetic")
    }
    assert (scores["order"] <= scores["exact"] + 1e-6).all()
    assert (scores["exact"] >= scores["tabu"] - 1e-6).all()
    assert scores["order"] == pytest.approx(scores["exact"])  # seven variables are no challenge
    for i in range(3):
        sample = data.collapse().resample(np.random.default_rng(np.random.SeedSequence(2, spawn_key=(i,))))
        assert scores["exact"][i] == pytest.approx(find_optimal(build_parent_sets(sample, "bic")).score)


@pytest.mark.parametrize("resampling", ["bootstrap", "permutation"])
def test_replicates_are_refined_as_single_searches_are(resampling: Any) -> None:
    data = make_data(variables=14, rows=60)
    common = {"replicates": 20, "learner": "hill-climbing", "score": "aic", "resampling": resampling, "seed": 2}
    plain, refined = (
        np.array(bootstrap_networks(data, options=options, **common).facts["replicate_scores"])
        for options in ({"refine": 0}, {})
    )
    assert (refined >= plain - 1e-6).all()
    assert (refined > plain + 1e-6).any()


def test_hyperparameters_are_those_of_the_sample() -> None:
    data = make_data(variables=3, rows=40)
    score = make_score("nip_bde")
    networks = bootstrap_networks(data, replicates=3, score=score, seed=4, draws="replacement")
    for i, dag in enumerate(networks):
        sample = data.collapse().resample(np.random.default_rng(np.random.SeedSequence(4, spawn_key=(i,))))
        assert networks.facts["replicate_scores"][i] == pytest.approx(score.score_network(sample, dag))


def test_permutation_leaves_nothing_but_chance() -> None:
    data = make_data()
    kept = bootstrap_networks(data, replicates=20, seed=1).arc_probabilities().sum()
    chance = bootstrap_networks(data, replicates=20, seed=1, resampling="permutation").arc_probabilities().sum()
    assert chance < 0.1 * kept


# loky's manager thread may look for work that has just been cancelled when its workers are stopped (a KeyError there).
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_limits_and_ctrl_c_give_a_valid_part() -> None:
    data = make_data()
    full = dags(bootstrap_networks(data, replicates=40, seed=5))
    some = bootstrap_networks(data, replicates=40, seed=5, limits=Limits(count=7))
    assert (some.status, dags(some)) == (Status.COUNT_LIMIT, full[:7])
    none = bootstrap_networks(data, replicates=40, seed=5, limits=Limits(seconds=1e-6))
    assert (none.status, len(none)) == (Status.TIME_LIMIT, 0)

    def interrupt(event: ProgressEvent) -> None:
        if event.done >= 10:
            raise KeyboardInterrupt

    everything = set(dags(bootstrap_networks(data, replicates=4000, seed=5)))
    for workers in ({}, {"workers": 2}, {"workers": 2, "backend": "loky"}):
        part = bootstrap_networks(data, replicates=4000, seed=5, progress=interrupt, **workers)
        assert part.status is Status.INTERRUPTED
        assert 10 <= len(part) < 4000
        # Of several workers a later one may have finished first.
        assert set(dags(part)) <= everything
        assert workers or dags(part)[:2] == full[:2]
        assert part.arc_probabilities().max() <= 1 + 1e-9


def test_a_time_limit_stops_soon_with_what_there_is() -> None:
    for workers in ({}, {"workers": 2}):
        begin = time.monotonic()
        part = bootstrap_networks(make_data(), replicates=10**6, limits=Limits(seconds=2), **workers)
        assert time.monotonic() - begin < 60  # all would take half an hour
        assert part.status is Status.TIME_LIMIT
        assert len(part) > 0


def test_progress_tells_how_much_is_left() -> None:
    events: list[ProgressEvent] = []
    bootstrap_networks(make_data(), replicates=300, seed=1, progress=events.append)
    assert [e.done for e in events] == sorted(e.done for e in events)
    assert (events[-1].done, events[-1].total) == (300, 300)
    assert events[0].details["seconds left"] > 0 == events[-1].details["seconds left"]


def test_a_killed_run_resumes_without_repeating_or_losing_a_replicate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "run.replicates"
    script = MAKE_DATA + textwrap.dedent(f"""
        from arcwise.ensemble import bootstrap_networks
        bootstrap_networks(make_data(), replicates=100000, seed=21, workers=1, path={str(journal)!r})
    """)
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 300  # the machine may be busy
    while (not journal.exists() or journal.stat().st_size < 20_000) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    size = journal.stat().st_size
    assert size >= 20_000

    learned: list[int] = []
    real = ReplicateTask.learn

    def counted(self: ReplicateTask, index: int, seconds: float | None = None) -> Any:
        learned.append(index)
        return real(self, index, seconds)

    monkeypatch.setattr(ReplicateTask, "learn", counted)
    data = make_data()
    bootstrap_networks(data, replicates=1, path=journal)  # the seed is that of the file; nothing is missing
    assert learned == []
    alone: Any = {"seed": 21, "workers": 1, "path": journal}
    had = len(bootstrap_networks(data, replicates=100000, limits=Limits(count=1), **alone)) - 1
    assert had > 50
    assert learned == [had]  # a run without threads finishes in order, so that exactly the next one was missing
    total = had + 50
    resumed = bootstrap_networks(data, replicates=total, **alone)
    assert learned == list(range(had, total))
    assert resumed.complete
    assert dags(resumed) == dags(bootstrap_networks(data, replicates=total, seed=21))


@pytest.mark.parametrize("learner", ["tabu", "first-ascent", "order", "exact"])
def test_a_search_in_another_thread_ends_when_nobody_waits_for_it(learner: Any) -> None:
    data = make_data()
    task = ReplicateTask(data.collapse(), make_score("bic"), Constraints(data.names), learner, "bootstrap", 1)
    assert task.learn(0) is not None
    task.stopping.set()
    with pytest.raises(KeyboardInterrupt):
        task.learn(0)


def test_a_batch_in_a_thread_has_one_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data()
    task = ReplicateTask(data.collapse(), make_score("bic"), Constraints(data.names), "tabu", "bootstrap", 1)
    given: list[float | None] = []
    real = ReplicateTask.learn

    def slow(self: ReplicateTask, index: int, seconds: float | None = None) -> Any:
        given.append(seconds)
        time.sleep(0.05)
        return real(self, index)

    monkeypatch.setattr(ReplicateTask, "learn", slow)
    with open_workers(task, "threads", 2, None) as workers:
        assert len(workers.submit([0, 1, 2], 100.0).result()) == 3
    assert all(seconds is not None and seconds <= 100.0 - 0.05 * k for k, seconds in enumerate(given))


def test_a_torn_record_is_cut_off_and_learned_again(tmp_path: Path) -> None:
    data = make_data()
    journal = tmp_path / "run.replicates"
    expected = dags(bootstrap_networks(data, replicates=10, seed=1, path=journal))
    whole = journal.read_bytes()
    for cut in (1, 5, 60, len(whole) - 30):
        journal.write_bytes(whole[:-cut])
        assert dags(bootstrap_networks(data, replicates=10, seed=1, path=journal)) == expected
    damaged = bytearray(whole)
    damaged[-3] ^= 255
    journal.write_bytes(bytes(damaged))
    assert dags(bootstrap_networks(data, replicates=10, seed=1, path=journal)) == expected
    assert journal.read_bytes() == whole


def test_a_file_of_another_run_is_refused(tmp_path: Path) -> None:
    data = make_data()
    journal = tmp_path / "run.replicates"
    bootstrap_networks(data, replicates=3, seed=1, path=journal)
    for other in ({"score": "aic"}, {"seed": 2}, {"learner": "hill-climbing"}, {"max_parents": 1}):
        with pytest.raises(OptionError, match="holds the replicates of another run"):
            bootstrap_networks(data, **{"replicates": 3, "seed": 1, "path": journal, **other})
    with pytest.raises(OptionError, match="data differ"):
        bootstrap_networks(make_data(seed=1), replicates=3, seed=1, path=journal)
    journal.write_text("something else\n" * 100)
    with pytest.raises(FormatError, match="not a file of replicates"):
        bootstrap_networks(data, replicates=3, seed=1, path=journal)
    with pytest.raises(FormatError, match="cannot write"):
        bootstrap_networks(data, replicates=3, seed=1, path=tmp_path / "none" / "file")


def test_two_runs_cannot_share_a_file(tmp_path: Path) -> None:
    data = make_data()
    journal = tmp_path / "run.replicates"

    def run_again(event: ProgressEvent) -> None:
        with pytest.raises(FormatError, match="in use by another run"):
            bootstrap_networks(data, replicates=3, seed=1, path=journal)

    bootstrap_networks(data, replicates=3, seed=1, path=journal, progress=run_again)


def test_wrong_arguments_are_told() -> None:
    data = make_data()
    for error, message, options in (
        (UnknownNameError, "did you mean 'tabu'", {"learner": "tab"}),
        (UnknownNameError, "unknown backend", {"backend": "mpi"}),
        (UnknownNameError, "unknown resampling", {"resampling": "jackknife"}),
        (OptionError, "replicates=0", {"replicates": 0}),
        (OptionError, "workers=0", {"workers": 0}),
        (OptionError, "has no option 'popsize'", {"options": {"popsize": 3}}),
        (OptionError, "restarts=-1", {"options": {"restarts": -1}}),
        (OptionError, "refine=-1", {"options": {"refine": -1}}),
        (OptionError, "needs backend='dask'", {"cluster": "tcp://x:1"}),
    ):
        with pytest.raises(error, match=message):
            bootstrap_networks(data, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("learner", "key"), [("tabu", "boot_tabu"), ("hill-climbing", "boot_hc")])
def test_strengths_agree_with_bnlearn(learner: Any, key: str) -> None:
    """boot.strength(data, R=200, algorithm=tabu or hc, algorithm.args=list(score="bic")), bnlearn 4.9.

    The strengths of 200 replicates correlate above 0.98 with bnlearn's, and the mean difference is below the standard
    error of the difference of two samples of 200. With 2,000 replicates of ours, only bnlearn's 200 leave an error,
    which is smaller by a factor of 1.35: the mean difference is below that too, so that there is no room for a bias.
    """
    data, _ = read_sample("insurance")
    theirs = golden("insurance")[key]
    pairs = [tuple(data.index(name) for name in pair.split("|")) for pair in theirs]
    expected = np.array(list(theirs.values()))
    for replicates, correlation in ((200, 0.98), (2000, 0.995)):
        asked = {
            "replicates": replicates,
            "learner": learner,
            "options": {"refine": 0},
            "seed": 1,
            "draws": "replacement",
        }
        arcs = bootstrap_networks(data, "bic", **asked).arc_probabilities()
        strength = np.clip(arcs + arcs.T, 0, 1)
        ours = np.array([strength[pair] for pair in pairs])
        assert np.corrcoef(ours, expected)[0, 1] > correlation
        pooled = (replicates * ours + 200 * expected) / (replicates + 200)
        monte_carlo = np.sqrt(pooled * (1 - pooled) * (1 / 200 + 1 / replicates))
        assert np.abs(ours - expected).mean() < monte_carlo.mean()
        assert strength.sum() / 2 == pytest.approx(expected.sum(), abs=0.5)


def test_completing_data_and_learning_from_them_share_one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = make_data(variables=4, rows=60)
    missing = np.zeros(whole.codes.shape, dtype=bool)
    missing[1, ::7] = True
    runs: list[Any] = []
    complete, dispatch = CompletedTask.of, bootstrap.Dispatch
    monkeypatch.setattr(CompletedTask, "of", lambda data, run, uncut: runs.append(run) or complete(data, run, uncut))

    def noted(*arguments: Any) -> Any:
        runs.append(arguments[2])
        return dispatch(*arguments)

    monkeypatch.setattr(bootstrap, "Dispatch", noted)
    bootstrap_networks(Incomplete(whole, missing), replicates=3, seed=1, limits=Limits(seconds=60))
    first, second = runs
    assert first is second


def test_restarts_from_random_networks_are_an_option_of_every_resampling() -> None:
    data = make_data(variables=5, rows=80)
    options = {"perturb": None, "restarts": 1}
    for resampling in ("bootstrap", "permutation"):
        found = bootstrap_networks(data, replicates=3, seed=1, resampling=resampling, options=options)
        assert len(found) == 3


def test_ctrl_c_while_the_networks_are_scored_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    data = datasets.load("balance-scale")
    whole = bootstrap_networks(data, replicates=5, seed=1, progress=False)
    make = bootstrap._network_set

    def interrupted(*arguments: Any, **options: Any) -> NetworkSet:
        signal.raise_signal(signal.SIGINT)
        return make(*arguments, **options)

    monkeypatch.setattr(bootstrap, "_network_set", interrupted)
    found = bootstrap_networks(data, replicates=5, seed=1, progress=False)
    assert found.status is Status.INTERRUPTED
    assert np.array_equal(found.scores, whole.scores)

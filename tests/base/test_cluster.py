"""Tasks on a Dask cluster: what is computed there is what is computed here, to the last bit, whoever dies meanwhile."""

import functools
import itertools
import math
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.credible.test_cover import force_branching, force_cover, make_table
from tests.posterior.chain_tables import random_table

from arcwise import bootstrap_networks, build_parent_sets, datasets, learn
from arcwise._core.parent_sets import SetBatch
from arcwise.base.cluster import Cluster, is_still_wanted, open_cluster
from arcwise.base.run import Run
from arcwise.bootstrap import workers
from arcwise.bootstrap.task import ReplicateTask
from arcwise.confidence import confidence_by_recipe, permuted_confidences
from arcwise.credible import parts as remote_parts
from arcwise.credible.credible_set import MemberKind
from arcwise.data import Dataset, read_data
from arcwise.effects import find_effects
from arcwise.ensemble import CredibleSet, Recipe, count_credible, find_credible
from arcwise.errors import OptionError, UnfinishedError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_set_tables
from arcwise.parent_sets import build as remote_counts
from arcwise.posterior.settings import ChainSettings
from arcwise.posterior.walk import ChainTask, StretchRequest, starting_networks
from arcwise.progress import ProgressEvent
from arcwise.scores import make_score

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two workers with one thread each."""
    with open_cluster(None, 2) as opened:
        yield opened


@pytest.fixture(scope="module")
def data() -> Dataset:
    return datasets.load("tic-tac-toe")


def same_table(one: ParentSetTable, other: ParentSetTable) -> bool:
    names = ("node_offsets", "scores", "set_offsets", "members")
    return one.max_parents == other.max_parents and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in names
    )


@pytest.fixture
def every_level(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every level be counted on the cluster, in pieces of at least 20 sets; return how many sets were."""
    counted: list[int] = []
    count = remote_counts.RemoteCounts.count

    def noted(self: remote_counts.RemoteCounts, run: Run, group: int, batch: SetBatch) -> int | None:
        found = count(self, run, group, batch)
        counted.extend([] if found is None else [batch.size])
        return found

    monkeypatch.setattr(remote_counts, "LEAST_ROWS", 0)
    monkeypatch.setattr(remote_counts, "SMALLEST_TASK", 20)
    monkeypatch.setattr(remote_counts.RemoteCounts, "count", noted)
    return counted


# Scores by set functions, by families, and both at once.
@pytest.mark.parametrize("scores", [("bic",), ("bdeu:ess=2",), ("k2",), ("qnml", "k2", "bdj")])
def test_tables_by_sets_are_those_built_here(
    cluster: Cluster, data: Dataset, scores: tuple[str, ...], every_level: list[int]
) -> None:
    known = Constraints(data.names, required=[(data.names[0], data.names[3])], forbidden=[(data.names[1], "Class")])
    for constraints, slack in ((None, 0.0), (known, 3.0)):
        options: dict[str, Any] = {"slack": slack, "max_parents": 3, "constraints": constraints, "progress": False}
        every = build_parent_set_tables(data, scores, **options)
        others = build_parent_set_tables(data, scores, **options, cluster=cluster)
        for here, there in zip(every, others, strict=True):
            assert same_table(here, there) and here.status == there.status and here.digest == there.digest
            assert (here.statistics.sets, here.statistics.families) == (
                there.statistics.sets,
                there.statistics.families,
            )
    assert sum(every_level) > 300
    set_in = data.with_targets([data.names[2] if k % 3 == 0 else None for k in range(data.n_rows)])
    assert same_table(
        build_parent_sets(set_in, scores[0], max_parents=2),
        build_parent_sets(set_in, scores[0], max_parents=2, cluster=cluster),
    )


def test_levels_of_little_work_are_counted_here(
    cluster: Cluster, data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Cluster, *given: Any) -> Any:
        raise AssertionError("a task was started")

    monkeypatch.setattr(Cluster, "submit", refuse)
    assert same_table(build_parent_sets(data, "bic"), build_parent_sets(data, "bic", cluster=cluster))


def test_levels_that_may_be_made_at_once_are_made_here(
    cluster: Cluster, data: Dataset, monkeypatch: pytest.MonkeyPatch, every_level: list[int]
) -> None:
    from arcwise.parent_sets import build

    monkeypatch.setattr(build, "DENSE_FROM", 10.0)  # what is made all at once is made here
    assert same_table(
        build_parent_sets(data, "bdeu:ess=1", slack=1.0),
        build_parent_sets(data, "bdeu:ess=1", slack=1.0, cluster=cluster),
    )


@pytest.mark.parametrize("pressed", [True, False])
def test_a_table_that_is_stopped_goes_on_from_its_checkpoint(
    cluster: Cluster, data: Dataset, tmp_path: Path, every_level: list[int], pressed: bool
) -> None:
    kept = tmp_path / "kept"

    def stop(event: ProgressEvent) -> None:
        if event.stage == "sets of 3 variables":
            if pressed:
                raise KeyboardInterrupt
            time.sleep(1.0)

    limits = None if pressed else Limits(1.0)
    options: dict[str, Any] = {"slack": 2.0, "max_parents": 3, "cluster": cluster, "checkpoint": kept}
    some = build_parent_sets(data, "bic", **options, limits=limits, progress=stop)
    assert some.status is (Status.INTERRUPTED if pressed else Status.TIME_LIMIT) and some.max_parents == 1
    assert kept.exists()
    every_level.clear()
    whole = build_parent_sets(data, "bic", **options, progress=False)
    assert same_table(whole, build_parent_sets(data, "bic", slack=2.0, max_parents=3)) and not kept.exists()
    assert len(every_level) <= 4  # sets of three and four variables, as parents and with a child


def test_a_table_survives_the_death_of_a_worker(data: Dataset, every_level: list[int]) -> None:
    with open_cluster(None, 2) as own:
        killed: list[int] = []

        def kill(event: ProgressEvent) -> None:
            if event.stage == "sets of 4 variables" and not killed:
                killed.append(next(iter(own.client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        there = build_parent_sets(data, "bic", slack=3.0, max_parents=3, cluster=own, progress=kill)
    assert killed and same_table(there, build_parent_sets(data, "bic", slack=3.0, max_parents=3))


def gapped(seed: int) -> ParentSetTable:
    rng = np.random.default_rng(seed)
    return make_table(5, rng.normal(scale=2.0, size=(5, 32)) + 2.0 * np.array([m.bit_count() == 2 for m in range(32)]))


def whole_diagram(found: CredibleSet, by: MemberKind = "dag") -> tuple[Any, ...]:
    native = found.diagram(by).native
    arrays = [array.tolist() for array in (native.layer_begin, *native.edge_arrays())]
    return native.optimum, native.slack, native.explored, arrays


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_credible_set_are_those_built_here(cluster: Cluster, seed: int) -> None:
    table = gapped(seed)
    with pytest.MonkeyPatch.context() as patch:
        here = force_branching(patch, seed)
        one = CredibleSet.build(table, log_slack=5.0, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        there = force_branching(patch, seed)
        other = CredibleSet.build(table, log_slack=5.0, cluster=cluster)
        assert count_credible(table, log_slack=5.0, cluster=cluster).count == one.count
        assert find_credible(table, log_slack=5.0, cluster=cluster).count == one.count
    assert here.parts[0] == there.parts[0] > 1 and one.status is other.status is Status.COMPLETE
    assert whole_diagram(one) == whole_diagram(other) and one.count == other.count


@pytest.mark.slow
def test_real_parts_are_tasks_and_survive_the_death_of_a_worker(shared: Path) -> None:
    data = read_data(shared / "data" / "liao2019" / "autos.csv.gz", categorical=True)
    table = build_parent_sets(data, "bic", slack=math.log(3), progress=False)
    for by in ("dag", "mec"):
        with pytest.MonkeyPatch.context() as patch:
            force_cover(patch)
            one = CredibleSet.build(table, bayes_factor=3, by=by, progress=False)
            with open_cluster(None, 2) as own:
                killed: list[int] = []

                def kill(event: ProgressEvent, own: Cluster = own, killed: list[int] = killed) -> None:
                    if event.stage == "credible set: parts" and not killed:
                        killed.append(next(iter(own.client.run(os.getpid).values())))
                        os.kill(killed[0], signal.SIGKILL)

                other = CredibleSet.build(table, bayes_factor=3, by=by, progress=kill, cluster=own)
        assert killed and other.complete and whole_diagram(one, by) == whole_diagram(other, by)


def test_limits_and_ctrl_c_end_a_set_whose_parts_are_elsewhere(cluster: Cluster) -> None:
    table = gapped(0)

    def press(event: ProgressEvent) -> None:
        if event.stage == "credible set: parts":
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        force_branching(patch, 0)
        pressed = CredibleSet.build(table, log_slack=5.0, progress=press, cluster=cluster)
    assert pressed.status is Status.INTERRUPTED
    with pytest.MonkeyPatch.context() as patch:
        force_branching(patch, 0)
        patch.setattr(remote_parts, "_build", _never)
        late = CredibleSet.build(table, log_slack=5.0, progress=False, cluster=cluster, limits=Limits(2.0))
    assert late.status is Status.TIME_LIMIT
    with pytest.MonkeyPatch.context() as patch:
        force_branching(patch, 0)
        patch.setattr(remote_parts, "_build", _no_memory)
        small = CredibleSet.build(table, log_slack=5.0, progress=False, cluster=cluster)
    assert small.status is Status.MEMORY_LIMIT


def _never(problem: object, asked: object) -> int:
    while is_still_wanted():
        time.sleep(0.05)
    return 0


def _no_memory(problem: object, asked: object) -> int:
    return list(Status).index(Status.MEMORY_LIMIT)


def test_a_diagram_is_what_its_arrays_say() -> None:
    native = CredibleSet.build(gapped(1), log_slack=3.0).diagram().native
    back = remote_parts.diagram_of(remote_parts.arrays_of(native))
    assert remote_parts.arrays_of(back)[1] == remote_parts.arrays_of(native)[1]
    for own, other in zip(remote_parts.arrays_of(back)[0], remote_parts.arrays_of(native)[0], strict=True):
        assert np.array_equal(own, other) and own.dtype == other.dtype
    arrays, facts = remote_parts.arrays_of(native)
    with pytest.raises(ValueError, match="no diagram"):
        remote_parts.diagram_of(((arrays[0][:-1], *arrays[1:]), facts))


def test_a_task_that_nobody_waits_for_may_end(cluster: Cluster, tmp_path: Path) -> None:
    assert is_still_wanted()  # here, where there is no task
    with cluster.tasks(_until_unwanted, str(tmp_path), str(tmp_path)) as tasks:
        tasks.give("ended")
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
    for _ in range(200):
        if (tmp_path / "ended").exists():
            return
        time.sleep(0.05)
    raise AssertionError("the task goes on")


def _until_unwanted(folder: str, name: str) -> None:
    Path(folder, "begun").touch()
    while is_still_wanted():
        time.sleep(0.05)
    Path(folder, name).touch()


def _unfinished(cluster: Cluster) -> int:
    """How many tasks the cluster still has to do, or does."""
    return sum(bool(keys) for keys in cluster.client.processing().values()) + len(
        [key for worker in cluster.client.call_stack().values() for key in worker]
    )


@pytest.mark.parametrize("end", [Status.TIME_LIMIT, Status.INTERRUPTED])
def test_batches_of_replicates_do_not_outlive_the_call(
    cluster: Cluster, data: Dataset, end: Status, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of the time and at Ctrl-C: those that wait are cancelled, those that run are told."""
    options: dict[str, Any] = {"backend": "dask", "cluster": cluster, "progress": False}
    bootstrap_networks(data, replicates=8, **options)  # all workers have imported what they need
    monkeypatch.setattr(workers, "_learn_sent", functools.partial(_endless, str(tmp_path)))
    limits = Limits(2.0) if end is Status.TIME_LIMIT else Limits()
    if end is Status.INTERRUPTED:
        monkeypatch.setattr(futures, "wait", _press_once_begun(tmp_path))
    found = bootstrap_networks(data, replicates=40, limits=limits, **options)
    assert found.status is end
    assert list(tmp_path.iterdir())
    for _ in range(100):
        if not _unfinished(cluster):
            break
        time.sleep(0.05)
    assert not _unfinished(cluster)
    begun = {path.name for path in tmp_path.glob("begun*")}
    assert {path.name for path in tmp_path.glob("told*")} == {name.replace("begun", "told") for name in begun}


def _press_once_begun(folder: Path) -> Any:
    def wait(*_: object, **__: object) -> None:
        while not list(folder.iterdir()):
            time.sleep(0.05)
        raise KeyboardInterrupt

    return wait


def _endless(folder: str, task: object, indices: list[int], seconds: float) -> bytes:
    """Be a batch that does not look at the clock: it ends once it is told, or after half a minute."""
    Path(folder, f"begun{indices[0]}").touch()
    for _ in range(600):
        if not is_still_wanted():
            Path(folder, f"told{indices[0]}").touch()
            break
        time.sleep(0.05)
    return b""


def test_a_batch_that_nobody_waits_for_ends_in_the_middle_of_a_search(data: Dataset) -> None:
    task = ReplicateTask(data, make_score("bic"), Constraints(data.names), "tabu", "bootstrap", 0)
    asked = itertools.count()
    assert len(task.learn_batch(range(3))) == 3
    assert len(task.learn_batch(range(3), is_wanted=lambda: next(asked) < 1)) <= 1
    assert task.learn_batch(range(3), is_wanted=lambda: False) == []
    assert len(task.learn_batch(range(3))) == 3  # the last one's wishes are not the next one's


def test_a_batch_or_a_chain_that_nobody_waits_for_has_no_result(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.base.cluster.is_still_wanted", lambda: False)
    task = ReplicateTask(data, make_score("bic"), Constraints(data.names), "tabu", "bootstrap", 0)
    with pytest.raises(distributed.Reschedule):
        workers._learn_sent(task, range(3), None)
    table = random_table(6, 7)
    chain = ChainTask(table, ChainSettings().mixture, 8.0, 36, (1.0,))
    begin = chain.start(np.zeros(1, dtype=np.uint64), starting_networks(table, 1, 0).reshape(-1))
    state = begin.positions(), begin.random_states(), begin.counts()
    with pytest.raises(distributed.Reschedule):
        chain.advance(StretchRequest(state, 10**6, np.empty(0, dtype=np.uint32), -math.inf, math.inf))


def _give_back_once(folder: str, name: str) -> str:
    if not Path(folder, name).exists():
        Path(folder, name).touch()
        raise distributed.Reschedule
    return name


def test_what_a_worker_gives_back_is_begun_anew(cluster: Cluster, tmp_path: Path) -> None:
    assert cluster.run_all(_give_back_once, str(tmp_path), str(tmp_path), ["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize("source", ["bootstrap", "posterior", "credible"])
def test_confidences_of_every_source_are_those_found_here(cluster: Cluster, data: Dataset, source: str) -> None:
    known = Constraints(data.names, forbidden=[("Class", name) for name in data.names if name != "Class"])
    settings: dict[str, Any] = {"replicates": 12} if source == "bootstrap" else {}
    recipe = Recipe.of(source, "bic", max_parents=2, constraints=known, **settings)
    here = confidence_by_recipe(recipe, data, Run(seed=3, progress=False))
    there = confidence_by_recipe(recipe, data, Run(seed=3, progress=False, cluster=cluster))
    assert here is not None and there is not None
    assert np.array_equal(here.vector, there.vector) and np.array_equal(here.directed, there.directed)
    assert not there.directed[data.names.index("Class")].any()


def test_shuffled_and_simulated_data_are_learned_from_as_here(cluster: Cluster, data: Dataset) -> None:
    recipe = Recipe.of("bootstrap", "bic", replicates=6)
    here = permuted_confidences(data, recipe, permutations=5, seed=2, progress=False)
    there = permuted_confidences(data, recipe, permutations=5, seed=2, progress=False, cluster=cluster)
    assert here.complete and there.complete and np.array_equal(here.vectors, there.vectors)


def test_effects_by_cause_are_those_found_here(cluster: Cluster, data: Dataset) -> None:
    networks = bootstrap_networks(data, "bic", replicates=8, seed=1, progress=False)
    here = find_effects(networks, data, progress=False)
    there = find_effects(networks, data, progress=False, cluster=cluster)
    for name in ("probability", "change", "low", "high", "at"):
        assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True), name
    assert here.status == there.status and np.isfinite(here.change).any()


def test_learn_writes_the_same_bytes_with_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"seed": 1, "replicates": 20, "limit_seconds": None}
    data = datasets.load("balance-scale")
    learn(data, **asked, progress=False).save(tmp_path / "here")
    address = cluster.client.scheduler_info()["address"]
    learn(data, **asked, progress=False, cluster=address).save(tmp_path / "there")
    for name in ("edges.csv", "network.bif", "confidence.parquet", "networks.nets", "report.html"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name


def test_a_worker_that_dies_while_data_are_sent_costs_another_sending(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    scatter, failures = cluster.client.scatter, [OSError("closed"), OSError("closed")]

    def fail(*given: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        return scatter(*given, **options)

    monkeypatch.setattr(cluster.client, "scatter", fail)
    assert cluster.run_all(max, 3, "three", [2, 5]) == [3, 5]
    assert not failures
    failures.extend([OSError("closed")] * 10)
    with pytest.raises(UnfinishedError, match="died again and again"):
        cluster.run_all(max, 4, "four", [2])


def _noted(folder: str, asked: tuple[int, float]) -> tuple[int, int]:
    """Write down that a task was begun, take some time, and say who did it."""
    index, seconds = asked
    with Path(folder, f"{index}-{os.getpid()}-{time.monotonic_ns()}").open("w"):
        time.sleep(seconds)
    return index, os.getpid()


def test_a_worker_that_dies_costs_only_the_tasks_it_had(tmp_path: Path) -> None:
    count, killed = 8, []
    with open_cluster(None, 2) as own:

        def kill(done: int) -> None:
            if done >= 2 and not killed:  # one of the two is in the middle of the next
                killed.append(next(iter(own.client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        asked = [(k, 0.6) for k in range(count)]
        found = own.run_all(_noted, str(tmp_path), "folder", asked, note=kill)
    assert killed and [index for index, _ in filter(None, found)] == list(range(count))
    begun = [tuple(map(int, path.name.split("-"))) for path in tmp_path.iterdir()]
    tries = Counter(index for index, _, _ in begun)
    again = {index for index, number in tries.items() if number > 1}
    assert again <= {index for index, process, _ in begun if process == killed[0]}  # results that were only there, too
    assert set(tries) == set(range(count))


def test_what_was_sent_stays_on_the_workers_and_is_sent_again_if_it_is_lost(cluster: Cluster) -> None:
    first = cluster.send([1, 2, 3], "one")
    assert cluster.send([1, 2, 3], "one") is first
    assert cluster.run_all(_add, [1, 2, 3], "one", [10, 20]) == [16, 26]
    cluster.client.cancel([first], force=True)  # as if all workers that had it were gone
    assert cluster.run_all(_add, [1, 2, 3], "one", [10, 20, 30]) == [16, 26, 36]


def _add(needed: list[int], more: int) -> int:
    return sum(needed) + more


def _refuse(needed: object, more: int) -> int:
    raise ValueError(f"no {more}")


def test_limits_and_errors_end_all_tasks(cluster: Cluster, tmp_path: Path) -> None:
    asked = [(k, 0.0 if k < 2 else 6.0) for k in range(4)]
    found = cluster.run_all(_noted, str(tmp_path), "folder", asked, run=Run(limits=Limits(2.0)))
    assert [one is not None for one in found] == [True, True, False, False]
    with pytest.raises(ValueError, match=r"no [78]"):
        cluster.run_all(_refuse, None, "none", [7, 8])

    with pytest.raises(KeyboardInterrupt):
        cluster.run_all(_add, [1], "few", [1, 2, 3], note=_press)


def _press(done: int) -> None:
    raise KeyboardInterrupt


def _break(folder: str, kind: str) -> None:
    with Path(folder, str(time.monotonic_ns())).open("w"):
        raise {"timeout": TimeoutError, "value": ValueError}[kind]("of the task")


@pytest.mark.parametrize("kind", ["timeout", "value"])
def test_an_error_of_a_task_is_raised_and_the_task_not_repeated(cluster: Cluster, tmp_path: Path, kind: str) -> None:
    with pytest.raises((TimeoutError, ValueError), match="of the task"):
        cluster.run_all(_break, str(tmp_path), str(tmp_path), [kind], run=Run(limits=Limits(60.0)))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("is_killed", [True, False])
def test_workers_that_die_again_and_again_are_an_error_of_ours(
    cluster: Cluster, data: Dataset, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    def lost(self: Cluster, *given: Any) -> Any:
        ended: futures.Future[Any] = futures.Future()
        if is_killed:  # with the worker that had it, too often
            ended.set_exception(distributed.KilledWorker("task", None, 3))
        else:  # what it needs is gone
            ended.cancel()
            ended.set_running_or_notify_cancel()
        return ended

    monkeypatch.setattr(Cluster, "submit", lost)
    with pytest.raises(UnfinishedError, match="died again and again"):
        cluster.run_all(_add, [1], "few", [1, 2])
    with pytest.raises(UnfinishedError, match="died again and again"):
        bootstrap_networks(data, replicates=3, backend="dask", cluster=cluster, progress=False)


def test_permutations_that_are_finished_are_kept_on_ctrl_c(cluster: Cluster, data: Dataset) -> None:
    def press(event: ProgressEvent) -> None:
        if event.stage == "permutations" and event.done == 3:
            raise KeyboardInterrupt

    recipe = Recipe.of("bootstrap", "bic", replicates=3)
    every = permuted_confidences(data, recipe, permutations=6, seed=2, progress=False)
    some = permuted_confidences(data, recipe, permutations=6, seed=2, progress=press, cluster=cluster)
    assert some.status is Status.INTERRUPTED and len(some.vectors) == 3
    assert all(any(np.array_equal(own, other) for other in every.vectors) for own in some.vectors)


def test_effects_leave_nothing_on_the_workers(cluster: Cluster, data: Dataset) -> None:
    networks = bootstrap_networks(data, "bic", replicates=4, seed=1, progress=False)
    with pytest.raises(KeyboardInterrupt):
        find_effects(networks, data, progress=_press, cluster=cluster)  # type: ignore[arg-type]
    late = find_effects(networks, data, progress=False, cluster=cluster, limits=Limits(1e-9))
    assert late.status is Status.TIME_LIMIT and not any(digest.startswith("effects") for digest in cluster._sent)


def test_a_limit_of_memory_is_that_of_the_call(cluster: Cluster, data: Dataset) -> None:
    asked: dict[str, Any] = {"max_parents": 2, "progress": False, "cluster": cluster}
    assert build_parent_sets(data, "bic", **asked).status is Status.COMPLETE
    with pytest.raises(OptionError, match="the memory limit of 1 bytes does not hold one parent set per variable"):
        build_parent_sets(data, "bic", limits=Limits(memory_bytes=1), **asked)


def test_a_scheduler_that_does_not_answer_is_an_error(data: Dataset) -> None:
    with pytest.raises(OptionError, match="no Dask scheduler answers at 'tcp//head:8786'"):
        learn(data, cluster="tcp//head:8786")
    for address in ("foo://head:8786", "inproc://head"):
        with pytest.raises(OptionError, match=f"no Dask scheduler answers at '{address}'"):
            learn(data, cluster=address)
    with pytest.raises(OptionError, match="asks for certificates, and Dask knows of none here"):
        learn(data, cluster="tls://head:8786")


@pytest.mark.slow
def test_the_cluster_of_the_benchmark_notes_each_task(cluster: Cluster) -> None:
    from benchmarks.cluster import Spent, TimedCluster

    timed = TimedCluster(cluster.client, Spent())
    assert timed.run_all(_add, [1, 2, 3], "one", [10, 20]) == [16, 26]
    assert len(timed.spent.tasks) == 2 and all(seconds >= 0 for _, seconds in timed.spent.tasks)

"""The bootstrap: one network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent import futures
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Unpack

import numpy as np

from arcwise import _core
from arcwise.base.cluster import Cluster, explained_losses, give_back_unwanted, open_cluster
from arcwise.base.errors import Argument, FormatError, GraphError, OptionError, check_argument, check_count, check_known
from arcwise.base.files import parse_json, refuse_other_run, sync_folder
from arcwise.base.options import REFINE, REPLICATES, Common, gather, option, row
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, resolve_seed, room_for_threads, undisturbed
from arcwise.base.showing import one_screen
from arcwise.bootstrap.task import (
    Interrupted,
    KeptBatches,
    Learner,
    Replicate,
    ReplicateTask,
    Resampling,
    complete_data,
)
from arcwise.data.dataset import Dataset
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.problem import LocalProblem, merged_constraints
from arcwise.networks.completions import with_completion_networks
from arcwise.networks.families import numbered_families
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Origin, Recipe, known_facts, make_facts
from arcwise.sampled.numeric_data import NumericData, Sampled
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from distributed import Client

    from arcwise.keywords import BootstrapKeywords


# The file of finished replicates: what an interrupted run resumes from.
#
# A first line names the kind of file, a second holds the identity of the run as JSON. Then one record per replicate:
# the length of its content (4 bytes, little-endian), its CRC-32 (4 bytes), the content: index (8), score (8), the
# number of parents of every node (2 each) and the parents (4 each). A record is appended in one write, so that a
# process that is killed leaves whole records and at most one torn record at the end, which is cut off when the run is
# resumed. The parent process alone writes; a lock keeps a second run off the file.


MAGIC = b"arcwise-replicates 1\n"
HEAD = struct.Struct("<II")
BODY = struct.Struct("<Qd")
LARGEST = 2**30


class ReplicateJournal:
    """An open journal of networks of so many nodes; `finished` holds the replicates that it has, by index.

    The file is created if it does not exist; one with another `identity`, what the run depends on, is refused.
    """

    def __init__(self, path: str | os.PathLike[str], identity: dict[str, Any], nodes: int) -> None:
        self.path = Path(path)
        self.finished: dict[int, Replicate] = {}
        try:
            self._file: BinaryIO = self.path.open("a+b")
        except OSError as error:
            raise FormatError(f"cannot write {path}: {error.strerror}.") from error
        try:
            _lock(self._file, self.path)
            self._load(identity, nodes)
        except BaseException:
            self._file.close()
            raise

    def _load(self, identity: dict[str, Any], nodes: int) -> None:
        self._file.seek(0)
        content = self._file.read()
        header = MAGIC + json.dumps(identity, sort_keys=True, ensure_ascii=True).encode() + b"\n"
        if len(content) < len(header) and header.startswith(content):  # new, or killed while the header was written
            self._file.truncate(0)
            self._append(header)
            return
        known, at = _read_header(self.path, content)
        refuse_other_run(self.path, "replicates", known, json.loads(header[len(MAGIC) :]))
        try:
            replicates, end = unpack_replicates(content, nodes, at)
        except FormatError as error:
            raise FormatError(f"{self.path}: {error}") from None
        self.finished.update((replicate.index, replicate) for replicate in replicates)
        if end < len(content):
            self._file.truncate(end)

    def add(self, replicates: Iterable[Replicate]) -> None:
        """Append finished replicates to the file."""
        found = list(replicates)
        self.finished.update((replicate.index, replicate) for replicate in found)
        self._append(pack_replicates(found))

    def _append(self, content: bytes) -> None:
        try:
            self._file.write(content)
            self._file.flush()
        except OSError as error:
            raise FormatError(f"cannot write {self.path}: {error.strerror}.") from error

    def close(self) -> None:
        """Write everything to disk, let go of the lock and close the file."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
            sync_folder(self.path.parent)

    def __enter__(self) -> ReplicateJournal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def pack_replicates(replicates: Iterable[Replicate]) -> bytes:
    """Return records of the replicates."""
    parts: list[bytes] = []
    for replicate in replicates:
        body = b"".join(
            (
                BODY.pack(replicate.index, replicate.score),
                np.diff(replicate.offsets).astype("<u2").tobytes(),
                replicate.members.astype("<i4").tobytes(),
            )
        )
        parts += [HEAD.pack(len(body), zlib.crc32(body)), body]
    return b"".join(parts)


def unpack_replicates(content: bytes, nodes: int, at: int = 0) -> tuple[list[Replicate], int]:
    """Return the replicates in the records from `at` on, and where the last whole record ends."""
    found: list[Replicate] = []
    while (record := _read_record(content, at, nodes)) is not None:
        replicate, at = record
        found.append(replicate)
    return found, at


def journal_seed(path: str | os.PathLike[str]) -> int | None:
    """Return the seed of the run that a journal belongs to; None if there is no journal yet."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}.") from error
    if MAGIC.startswith(content) or b"\n" not in content[len(MAGIC) :]:
        return None
    return int(_read_header(Path(path), content)[0]["seed"])


def _read_header(path: Path, content: bytes) -> tuple[dict[str, Any], int]:
    end = content.find(b"\n", len(MAGIC))
    try:
        if not content.startswith(MAGIC) or end < 0:
            raise ValueError("the first line is not that of a file of replicates")
        header = parse_json(content[len(MAGIC) : end], source="the second line")
        if not isinstance(header, dict) or not isinstance(header.get("seed"), int):
            raise ValueError("the second line is not the description of a run")
    except ValueError as error:
        raise FormatError(f"{path}: not a file of replicates ({error}). Give another file to resume from.") from error
    return header, end + 1


def _read_record(content: bytes, at: int, nodes: int) -> tuple[Replicate, int] | None:
    """Return the record at `at` and where the next begins; None at the end, or where a record is torn."""
    if at + HEAD.size > len(content):
        return None
    size, checksum = HEAD.unpack_from(content, at)
    body = content[at + HEAD.size : at + HEAD.size + size]
    least = BODY.size + 2 * nodes
    if len(body) < size or size < least or size > LARGEST or zlib.crc32(body) != checksum:
        return None
    index, score = BODY.unpack_from(body)
    counts = np.frombuffer(body, "<u2", nodes, BODY.size)
    members = np.frombuffer(body, "<i4", (size - least) // 4, least).astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    found = Replicate(index, score, offsets, members)
    try:
        if (size - least) % 4 or int(offsets[-1]) != len(members):
            raise GraphError("parents are missing")
        Dag([str(v) for v in range(nodes)], found.parents())  # a checksum can be recomputed
    except GraphError:
        raise FormatError(
            f"replicate {index} is no network of {nodes} variables; the file was edited. Give another."
        ) from None
    return found, at + HEAD.size + size


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system: the user must take care
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise FormatError(f"{path} is in use by another run; wait for it or give another file.") from error


Backend = Literal["threads", "loky", "dask"]
BACKENDS: tuple[Backend, ...] = ("threads", "loky", "dask")
Batch = futures.Future[Any]  # a list of replicates; where they are sent, records in one object of bytes


class Workers:
    """Who learns batches of replicates: this thread, when a batch is submitted, so that Ctrl-C reaches it."""

    batch_seconds = 0.25  # how long a batch should take: short enough to stop soon, long enough to cost nothing

    def __init__(self, task: ReplicateTask, count: int = 1) -> None:
        self._task, self.count = task, count  # how many batches run at the same time

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        """Start a batch."""
        done: Batch = futures.Future()
        done.set_result(self._task.learn_batch(indices, Limits(seconds)))
        return done

    def recover(self, error: BaseException) -> bool:
        """Return whether the error means that workers died; then new ones are ready and the batch may be repeated."""
        return False

    def stop(self) -> None:
        """Have the batches under way end as soon as they can, with what they have; some have limits of their own."""

    def close(self) -> None:
        """Let the workers go."""


@contextlib.contextmanager
def open_workers(
    task: ReplicateTask, backend: Backend, count: int, cluster: str | Client | Cluster | None
) -> Iterator[Workers]:
    """Start workers for a task and stop them at the end; on an error they are stopped at once."""
    check_known("backend", backend, BACKENDS)
    if cluster is not None and backend != "dask":
        raise OptionError(Argument("cluster", cluster), "needs", Argument("backend", "dask"), f", not '{backend}'.")
    with contextlib.ExitStack() as opened:
        workers: Workers
        if backend == "dask":
            there = opened.enter_context(open_cluster(cluster, count))
            opened.enter_context(explained_losses())
            workers = _Dask(task, there)
        elif backend == "loky":
            workers = _Loky(task, count)
        elif count == 1 or not room_for_threads(count):
            workers = Workers(task)
        else:
            workers = _Threads(task, count)
        opened.callback(workers.close)
        yield workers


class _Threads(Workers):
    """Threads of this process: the native searches release the interpreter's lock, and nothing is copied."""

    def __init__(self, task: ReplicateTask, count: int) -> None:
        super().__init__(task, count)
        task.stopping.clear()
        self._pool = futures.ThreadPoolExecutor(count, "arcwise", initializer=_core.prepare_thread)

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        try:
            # The clock runs from here on: what waits for a thread meanwhile has so much less time.
            return self._pool.submit(self._task.learn_batch, indices, Run(limits=Limits(seconds)))
        except RuntimeError as error:  # the system gives no more threads
            raise MemoryError(f"a thread could not be started: {error}") from error

    def stop(self) -> None:
        self._task.stopping.set()

    def close(self) -> None:
        self._task.stopping.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


_task_of_this_process: ReplicateTask | None = None


def _receive(task: ReplicateTask) -> None:
    global _task_of_this_process  # noqa: PLW0603 - a worker process has one task
    _task_of_this_process = task


def _learn_received(indices: range | list[int], seconds: float | None) -> bytes:
    assert _task_of_this_process is not None
    return pack_replicates(_task_of_this_process.learn_batch(indices, Limits(seconds)))


class _Loky(Workers):
    """Processes of this machine. If one is killed, joblib's pool is broken: a new one does what is missing."""

    def __init__(self, task: ReplicateTask, count: int) -> None:
        super().__init__(task, count)
        self._pool = self._start()

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(self.count, initializer=_receive, initargs=(self._task,))

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        batch: Batch = self._pool.submit(_learn_received, indices, seconds)
        return batch

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.BrokenExecutor):
            return False
        self.close()
        self._pool = self._start()
        return True

    def close(self) -> None:
        self._pool.shutdown(wait=True, kill_workers=True)


class _Dask(Workers):
    """A Dask cluster: see `Cluster`."""

    batch_seconds = 2.0  # a task costs milliseconds of CPU time here, in the scheduler and in the worker

    def __init__(self, task: ReplicateTask, cluster: Cluster) -> None:
        super().__init__(task, cluster.count)
        self._cluster = cluster
        self._running: set[Batch] = set()
        self._digest = hashlib.sha256(json.dumps(task.identity(), sort_keys=True, default=str).encode()).hexdigest()

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        sent = self._cluster.send(self._task, self._digest)
        batch = self._cluster.submit(_learn_sent, sent, indices, seconds)
        self._running.add(batch)
        batch.add_done_callback(self._running.discard)
        return batch

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.CancelledError):
            return False
        self._cluster.forget(self._digest)
        return True

    def close(self) -> None:
        """Cancel what nobody waits for any more: the cluster, which others may use, would go on with it."""
        for batch in list(self._running):
            batch.cancel()


def _learn_sent(task: ReplicateTask, indices: range | list[int], seconds: float | None) -> bytes:
    return pack_replicates(task.learn_batch(indices, Limits(seconds), give_back_unwanted))


# Handing out replicates to workers, batch by batch, and taking in what they learn.


SHORTEST = 1e-6  # seconds of a replicate: a clock may not tell two of its looks apart
LARGEST_BATCH = 4096
LOOK_SECONDS = 0.1  # how long Ctrl-C may have to wait
LAST_SECONDS = 5.0  # how long batches that were stopped may take to hand over what they have
MOST_DEATHS = 3  # how often in a row workers may die before any batch is finished


class Dispatch:
    """The batches of one bootstrap, of `nodes` variables; `note` gets the replicates as they come."""

    def __init__(
        self,
        task: ReplicateTask,
        workers: Workers,
        run: Run,
        note: Callable[[list[Replicate]], None],
        nodes: int,
    ) -> None:
        self._task, self._workers, self._run, self._note, self._nodes = task, workers, run, note, nodes
        self._waiting: deque[int] = deque()
        self._running: dict[Batch, list[int]] = {}
        self._begun = self._last = 0.0  # when the first batch was handed out, and the last whole one came
        self._done = 0  # how many replicates came in whole batches

    def expected_seconds(self, count: int) -> float:
        """Return about how long so many replicates take, NaN before a batch came whole.

        By the time when the last one came: what is under way then tells of no replicate yet, and in replicates that are
        counted together most of the time is in the first.
        """
        return self._begun + (self._last - self._begun) * count / self._done if self._done else math.nan

    def learn(self, missing: list[int]) -> Status:
        """Learn what is missing; at a limit or on Ctrl-C, take what is finished of the batches under way.

        Where many replicates are learned together, that is much; a batch of a quarter of a second is not waited for.
        """
        self._waiting = deque(missing)
        try:
            status = self._learn_all()
        except Interrupted as stop:  # in this thread
            self._note(stop.found)
            raise
        except KeyboardInterrupt:
            self._take_last()
            raise
        if status is not Status.COMPLETE:
            self._take_last()
        return status

    def _learn_all(self) -> Status:
        """Hand out batches and take in results until nothing is missing or the time is up.

        Two batches per worker are under way. Batches grow from one replicate to what takes `workers.batch_seconds`, and
        shrink towards the end, so that all workers end at the same time. Replicates that are counted `together` are as
        many rounds of equal batches as it takes, after those that another bootstrap has left.
        """
        workers, waiting, running, run = self._workers, self._waiting, self._running, self._run
        together = self._task.together
        rounds = math.ceil(len(waiting) / (workers.count * together))
        least = math.ceil(len(waiting) / (workers.count * rounds)) if together > 1 else 1
        start, done, deaths = run.seconds, 0, 0
        self._begun = start
        while waiting or running:
            left = run.limits.seconds
            if run.is_over:
                return Status.TIME_LIMIT
            while waiting and len(running) < 2 * workers.count:
                pace = (run.seconds - start) * workers.count / done if done else math.inf  # seconds per replicate
                size = int(
                    min(
                        1 + workers.batch_seconds / max(pace, SHORTEST),
                        LARGEST_BATCH,
                        1 + len(waiting) / (2 * workers.count),
                    )
                )
                batch = self._next_batch(max(size, least))
                running[workers.submit(batch, left)] = batch
                if workers.count == 1:
                    break
            broken: BaseException | None = None
            for future in self._ready(LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)):
                batch = running.pop(future)
                error = futures.CancelledError() if future.cancelled() else future.exception()
                found = self._received(future) if error is None else []
                if error is not None:
                    broken = error
                elif found:
                    self._note(found)
                    done += len(found)
                    if len(found) == len(batch):
                        self._done, self._last = self._done + len(found), run.seconds
                    deaths = 0
                known = {replicate.index for replicate in found}
                waiting.extendleft(index for index in reversed(batch) if index not in known)
            if broken is not None:
                deaths += 1
                if deaths > MOST_DEATHS or not workers.recover(broken):
                    raise broken
                self._take_back()
        return Status.COMPLETE

    def _ready(self, patience: float) -> set[Batch]:
        """Wait a little for a batch, and return those that are ready.

        Ctrl-C is raised afterwards: where threads meet, it would leave a lock of Python's in disorder, and the run
        would end with an error, or worker threads with a traceback each.
        """
        first = functools.partial(futures.wait, self._running, patience, futures.FIRST_COMPLETED)
        status, (ready, _) = undisturbed(first)
        status.unless_interrupted()
        return ready

    def _next_batch(self, size: int) -> list[int]:
        """Take a batch out of those that wait: one that is drawn already, as far as there are such."""
        kept = self._task.list_kept(self._waiting)
        for index in kept:
            self._waiting.remove(index)
        return kept or [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    def _take_back(self) -> None:
        """Let the batches wait again that died with the workers, unless they had just finished."""
        for future, batch in self._running.items():
            if _is_finished(future):
                self._note(self._received(future))
            else:
                self._waiting.extendleft(reversed(batch))
        self._running.clear()

    def _take_last(self) -> None:
        """Stop the batches under way and take what they have finished."""
        if self._task.together == 1:
            return
        self._workers.stop()
        # A shell may pass on the same Ctrl-C once more.
        undisturbed(functools.partial(futures.wait, self._running, LAST_SECONDS))
        for future in self._running:
            if _is_finished(future):
                self._note(self._received(future))

    def _received(self, batch: Batch) -> list[Replicate]:
        """Return the replicates of a finished batch; what was sent is checked, what was learned here is not."""
        result: bytes | list[Replicate] = batch.result()
        return unpack_replicates(result, self._nodes)[0] if isinstance(result, bytes) else result


def _is_finished(batch: Batch) -> bool:
    return batch.done() and not batch.cancelled() and batch.exception() is None


@one_screen
@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """How `bootstrap_networks` learns, and where.

    Parameters
    ----------
    learner
        "tabu" (as in bnlearn's usual ``boot.strength(algorithm = "tabu")``), "hill-climbing", "first-ascent",
        "genetic", "order" (order search over the replicate's table of parent sets) or "exact" (the optimum of that
        table).
    options
        Options of the learner, e.g. ``{"restarts": 5, "perturb": 3}``. Replicates by tabu search and hill climbing are
        refined as a single search is; ``{"refine": 0}`` leaves that out, and reproduces bnlearn's strengths. Among more
        than 400 variables, refinement of a replicate computes at most as many scores as its climb, and tries the 40
        parents of each variable again that gained most in it (``{"candidates": 0}``: all).
    resampling
        "bootstrap": N cases drawn with replacement. "permutation": the cases of every column shuffled, which keeps
        the margins and destroys all association: what edges look like by chance (Broom, Do & Subramanian 2012).
    workers
        How many replicates are learned at the same time; -1 for one per core that the process may use.
    backend
        "threads" (the native searches release Python's lock, so nothing is copied and nothing has to start), "loky"
        (processes, through joblib) or "dask" (a cluster).
    cluster
        The address of a Dask scheduler, a ``distributed.Client`` or an open `Cluster`; None starts a cluster of
        `workers` processes here.
    path
        A file that keeps every finished replicate. If a run with the same arguments wrote it, the run is resumed:
        nothing is repeated and nothing lost, even if the process was killed. `replicates` may have grown.
    batches
        Where threads keep what they draw and count, for other bootstraps of the same data with the same seed; the
        networks are the same with and without.
    """

    learner: Learner = option("tabu")
    options: Mapping[str, Any] = option(
        {},
        f"an option of the learner, e.g. refine=0 (default: {REFINE}), as in bnlearn; may be repeated",
        flags=("--learner-option",),
    )
    resampling: Resampling = option(
        "bootstrap",
        "shuffle every column instead of drawing cases: only chance edges",
        flags=("--permutation",),
        switch="permutation",
    )
    workers: int = option(
        -1, "the number of workers; -1 for one per core", flags=("--workers", "--jobs", "-j", "--threads")
    )
    backend: Backend = option("threads", "threads, loky (processes) or dask (a cluster)")
    cluster: str | Client | Cluster | None = row(Common, "cluster")
    path: str | os.PathLike[str] | None = option(
        None, "keep finished replicates in this file, and continue from it if it exists", flags=("--resume",)
    )
    batches: KeptBatches | None = None


MOST_REPLICATES = 10**8  # more do not fit in memory


def bootstrap_networks(
    data: Sampled,
    score: str | Score = "bic",
    *,
    replicates: int = REPLICATES,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[BootstrapKeywords],
) -> NetworkSet:
    """Learn a network from each of many resampled data sets.

    The data are collapsed to distinct rows; a replicate is a vector of row weights, the rows are not copied. Replicate
    i depends on the seed and on i alone: the networks are the same whatever `workers` and `backend` are, and a run with
    more replicates begins with the networks of one with fewer. Where changes tie, as they do between equivalent
    networks, every replicate breaks ties by its own random order of the variables, so that the order of the columns
    does not decide directions (bnlearn's ``shuffle = TRUE``).

    Parameters
    ----------
    data
        The data. With gaps (`Incomplete`, or `Completions` of it), every replicate is a sample of the cases with their
        gaps, which is completed anew: from a completion of the data on, by two steps of a chain. Of `NumericData`, the
        numbers of every replicate are cut anew, so that cut points are part of what varies between the networks.
    score, replicates
        By which score to learn, and how many networks.
    constraints, max_parents
        What every network must satisfy.
    seed
        Fixes the random numbers; ``facts["seed"]`` has it. None resumes with the seed of `path`, if it is there.
    limits
        `seconds`; `count`, the replicates that this call learns at most. At a limit, or on Ctrl-C, the result is the
        valid set of the replicates that are finished, and its status says why it is not complete.
    progress
        See `arcwise.progress.show_progress`; events give the estimated seconds left.
    settings
        The fields of `BootstrapSettings` by keyword: ``learner=``, ``options=`` and ``resampling=`` say how replicates
        are learned, ``workers=``, ``backend=`` and ``cluster=`` who learns them, ``path=`` where they are kept. A whole
        one as ``settings=``.

    Returns
    -------
    NetworkSet
        Origin "bootstrap" or "permutation", equal weights, in the order of the replicates. `scores` are those of the
        networks on the *original* data, so that they can be compared; ``facts["replicate_scores"]`` has those on the
        replicates' own data, and at the limit of time ``facts["expected_seconds"]`` about how long all would take, if
        some were finished.
    """
    check_count("replicates", replicates, 1, MOST_REPLICATES)
    chosen = gather(BootstrapSettings, bootstrap_networks, settings)
    check_argument(chosen.workers != 0, "workers", 0, ": give a number of workers, or -1 for one per core.")
    run = Run.of(limits)
    crew = run.thread_count if chosen.workers == -1 else check_count("workers", chosen.workers, 1)
    if seed is None and chosen.path is not None:
        seed = journal_seed(chosen.path)
    seed = resolve_seed(seed)
    given, completed = complete_data(data, make_score(score), constraints, max_parents, seed, run)
    problem = LocalProblem.of(given, score, constraints, max_parents)  # checks the arguments
    task = ReplicateTask(
        data=given.collapse() if completed is None else given,
        completed=completed,
        uncut=data if isinstance(data, NumericData) else None,
        score=problem.score,
        constraints=merged_constraints(given, constraints, max_parents),  # what was asked for, and nothing else
        learner=chosen.learner,
        resampling=chosen.resampling,
        seed=seed,
        options=dict(chosen.options),
        batches=chosen.batches if chosen.backend == "threads" else None,
    )
    most = run.given.count
    finished: dict[int, Replicate] = {}
    status, expected = Status.COMPLETE, math.nan
    with contextlib.ExitStack() as stack:
        shown = stack.enter_context(run.but(progress=progress).shown())
        keep: Callable[[list[Replicate]], None] = lambda found: None  # noqa: E731
        if chosen.path is not None:
            journal = stack.enter_context(ReplicateJournal(chosen.path, task.identity(), given.n_variables))
            finished, keep = journal.finished, journal.add
        missing = [index for index in range(replicates) if index not in finished]
        resumed = replicates - len(missing)
        if most is not None and most < len(missing):
            missing, status = missing[:most], Status.COUNT_LIMIT

        def note(found: list[Replicate]) -> None:
            finished.update((replicate.index, replicate) for replicate in found)
            keep(found)
            done = sum(index < replicates for index in finished)
            left = run.seconds / max(1, done - resumed) * (replicates - done)
            shown.report(str(chosen.resampling), done, replicates, **{"seconds left": left})

        if missing:
            try:
                if chosen.backend == "threads":  # made here, once, rather than by every thread
                    _ = task.copies, task.problem.layout, task._own
                    if task.together > 1:
                        _ = task.problem.layout.rare
                opened = open_workers(task, chosen.backend, min(crew, len(missing)), chosen.cluster)
                workers = stack.enter_context(opened)
                dispatch = Dispatch(task, workers, run, note, given.n_variables)
                ended = dispatch.learn(missing)
                status = ended if ended is not Status.COMPLETE else status
                expected = dispatch.expected_seconds(replicates)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
    found = [finished[index] for index in sorted(finished) if index < replicates]
    pressed, made = undisturbed(lambda: _network_set(task, given, found, status, replicates, run.seconds))
    facts = made.facts | known_facts(None if constraints is None or constraints.is_trivial else constraints)
    if status is Status.TIME_LIMIT and math.isfinite(expected):
        facts |= make_facts(expected_seconds=expected)
    return replace(made, facts=facts, status=made.status if pressed is Status.COMPLETE else pressed)


def _network_set(
    task: ReplicateTask, data: Dataset, chosen: list[Replicate], status: Status, replicates: int, seconds: float
) -> NetworkSet:
    count = len(chosen)
    parents = [[tuple(own) for own in replicate.parents()] for replicate in chosen]
    families, choices = numbered_families(parents, data.n_variables)
    values = np.full(families.n_rows, np.nan)
    if task.completed is None and families.n_rows:  # data with gaps have no score of their own
        rows = list(zip(families.row_nodes.tolist(), families.parent_tuples, strict=True))
        values = task.score.score_families(task.data, rows)
    made = NetworkSet(
        names=data.names,
        families=families,
        choices=choices,
        scores=values[choices + families.node_offsets[:-1]].sum(axis=1) if count else np.empty(0),
        log_weights=np.full(count, -np.log(max(1, count))),
        origin=Origin(task.resampling),
        status=status,
        max_parents=task.constraints.largest_limit,
        score=task.score.describe(),
        data_digest=data.digest if task.completed is None else task.completed.data.digest,
        facts=make_facts(
            n_cases=data.n_cases,
            replicates=replicates,
            learner=task.learner,
            options=dict(task.options),
            seed=task.seed,
            indices=[replicate.index for replicate in chosen],
            replicate_scores=[replicate.score for replicate in chosen],
            cut=None if task.uncut is None else task.uncut.cutting.describe(),
            seconds=seconds,
            copies=task.copies.named or None,
            targets=None if data.targets is None else [list(names) for names in data.targets.sets],
        ),
    )
    if task.completed is not None:
        made = with_completion_networks(made, [network for _, network in task.completed.states])
    return made if task.resampling != "bootstrap" else made.made_by(_recipe(task, replicates))


def _recipe(task: ReplicateTask, replicates: int) -> Recipe:
    """Return the recipe of a bootstrap."""
    constraints = task.constraints.describe()
    most = task.constraints.largest_limit
    if most == task.constraints.max_parents:  # it is told once; with larger ones of single variables, both are needed
        constraints.pop("max_parents", None)
    own = dict(task.options)
    settings: dict[str, Any] = {"replicates": replicates, "learner": task.learner, "refine": own.pop("refine", REFINE)}
    if task.uncut is not None:
        settings["recut"] = True
    if own:
        settings["options"] = own
    return Recipe("bootstrap", task.score.describe(), settings, most, constraints, scored_by=task.score)

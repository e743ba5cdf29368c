"""`sample_posterior`: draws from the posterior over DAGs by several chains, until they agree."""

from __future__ import annotations

import contextlib
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import read_array_file, write_array_file
from arcwise.base.cluster import open_cluster
from arcwise.base.errors import FormatError, GraphError, GuaranteeError, OptionError, UnfinishedError, reading
from arcwise.base.files import refuse_other_run
from arcwise.base.options import gather
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, native_seed, uninterrupted
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.dag import Dag
from arcwise.networks.families import Families
from arcwise.networks.recipe import KnownFacts, known_facts
from arcwise.parent_sets.build import joint_constraints
from arcwise.parent_sets.table import ParentSetTable, check_required
from arcwise.posterior import walk
from arcwise.posterior.chain_posterior import FEWEST, ChainPosterior, ChainVerdict, PairIndicators
from arcwise.posterior.settings import MOVES, ChainSettings

if TYPE_CHECKING:
    from arcwise.credible.credible_set import CredibleSet
    from arcwise.keywords import ChainKeywords


KIND = "arcwise-chains 2"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Where a run stands, in a file that an interrupted run resumes from."""

    done: int  # draws that each chain has made,
    stride: int  # and every how many-th of them is kept
    positions: NDArray[np.uint32]  # what the draws to come follow from,
    random_states: NDArray[np.uint64]  # with these random numbers
    counts: NDArray[np.int64]  # the moves so far, tried and accepted
    rows: NDArray[np.uint32]  # the draws that are kept, at [chain, draw]
    scores: NDArray[np.float64]
    # Whether a time limit decided where the chains began, or what they jump in: whoever goes on from here does not have
    # what a run without a limit has.
    by_clock: bool = False

    def save(self, path: str | os.PathLike[str], identity: dict[str, Any]) -> None:
        """Write the file, whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {
            "positions": self.positions,
            "random_states": self.random_states.view(np.uint32),
            "counts": self.counts,
            "rows": self.rows.reshape(len(self.scores), -1),
            "scores": self.scores,
        }
        facts = {"identity": identity, "done": self.done, "stride": self.stride, "by_clock": self.by_clock}
        write_array_file(path, KIND, facts, arrays)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], identity: dict[str, Any], table: ParentSetTable, heats: int
    ) -> Checkpoint | None:
        """Read the file of a run with the same identity; None if there is none yet."""
        if not Path(path).exists():
            return None
        facts, arrays = read_array_file(path, KIND)
        refuse_other_run(path, "chains", facts.get("identity"), identity)
        n, chains = table.n_variables, int(identity["chains"])
        with reading(f"{path}: the chains", "Give another file."):
            scores = arrays["scores"]
            found = cls(
                done=int(facts["done"]),
                stride=int(facts["stride"]),
                positions=arrays["positions"].astype(np.uint32).reshape(-1),
                random_states=arrays["random_states"].astype(np.uint32).reshape(-1).view(np.uint64),
                counts=arrays["counts"].astype(np.int64),
                rows=arrays["rows"].astype(np.uint32).reshape(chains, scores.shape[1], n),
                scores=scores.astype(np.float64).reshape(chains, -1),
                by_clock=bool(facts.get("by_clock", False)),
            )
        sizes = np.diff(table.node_offsets)
        places = found.positions.reshape(-1, n) if found.positions.size == chains * heats * n else np.empty((0, n))
        kept = -(-found.done // found.stride) if found.done >= 0 and found.stride > 0 else -1
        if (
            len(places) != chains * heats
            or not (places < sizes).all()
            or not (found.rows < sizes).all()
            or found.random_states.size != 4 * chains
            or found.counts.shape != (2 * (len(MOVES) + 2),)
            or not np.isfinite(found.scores).all()
            or kept != found.scores.shape[1]
            or not all(_is_acyclic(table, rows) for rows in places.astype(np.int64))
        ):
            raise FormatError(f"{path}: the chains are not those of this table; the file was edited. Give another.")
        return found


@dataclass(frozen=True, slots=True)
class RunOfFile:
    """What a file says about the run that it belongs to."""

    seed: int
    jump_slack: float | None  # of the credible set that its chains jump in; None if they do not jump


def run_of_file(path: str | os.PathLike[str] | None) -> RunOfFile | None:
    """Return what a file says about its run; None if there is no file yet."""
    if path is None or not Path(path).exists():
        return None
    facts, _ = read_array_file(path, KIND)
    with reading(f"{path}: the chains", "Give another file."):
        known = facts["identity"]
        jumps = known["jumps"]
        return RunOfFile(int(known["seed"]), None if jumps is None else float(jumps))


def _is_acyclic(table: ParentSetTable, rows: NDArray[np.int64]) -> bool:
    try:
        Dag(table.names, [table.parents_of(int(row)) for row in table.node_offsets[:-1] + rows])
    except GraphError:
        return False
    return True


FIRST_LOOK = 1000  # draws of each chain before the first verdict
BEGINNING = 4  # the first fourth of each chain is left out
GROWTH = 1.3  # from one look to the next: at most so many times the draws that are enough
SEGMENT_SECONDS = 0.2  # how soon progress and Ctrl-C are served
START_SHARE = 0.3  # the share of a limited time that the search for starting networks takes
FIRST_SEGMENT, LARGEST_SEGMENT = 16, walk.BLOCK
# On a cluster, where a task costs milliseconds, stretches are longer. The draws of all that may be under way or ahead
# take at most about this many bytes.
REMOTE_SECONDS, FIRST_REMOTE, LARGEST_REMOTE, REMOTE_BYTES = 1.0, 256, 64 * walk.BLOCK, 2**26
MOST_KEPT = 40_000  # draws of each chain in memory; beyond, every second one goes
KEPT_BYTES = 2**28
SAVE_SECONDS, SAVE_SHARE = 5.0, 50.0  # a killed run loses at most this much: a few seconds, or 50 times a save


def sample_posterior(
    table: ParentSetTable,
    *,
    constraints: GivenConstraints | None = None,
    credible: CredibleSet | None = None,
    seed: Seed = None,
    threads: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ChainKeywords],
) -> ChainPosterior:
    """Draw networks from the posterior over all DAGs by Markov chains, until the chains agree or a limit is reached.

    Each DAG weighs exp(score). The chains walk by single arcs, by drawing the parents of one node or of four nodes
    anew, by new edge reversals (Grzegorczyk & Husmeier 2008) and by resampling Markov blankets (Su & Borsuk 2016).
    They begin at the best network that is known, at a local optimum, at a network of resampled data and at the empty
    one, in turn. The first fourth of every chain is left out. They are looked at again and again, at growing distances;
    `verdict` says whether they agree.

    Parameters
    ----------
    table
        Candidate parent sets; the chains walk on the DAGs that consist of them. What a pruned table leaves out is
        bounded (`left_out`): `arcwise.posterior.walk.slack_for` says how much slack leaves out how little.
    constraints
        Draw among the DAGs that satisfy them.
    credible
        A complete credible set of the same data and score, for jumps between its networks; None for none.
    seed
        Fixes the random numbers. None resumes with the seed of `path`, if there is one.
    threads
        Chains run side by side; the draws do not depend on them, to the last bit, nor on ``cluster``.
    limits
        `seconds`; `count`, the draws of each chain that this call makes at most. At a limit, and on Ctrl-C, what was
        drawn is returned; `status` says so.
    settings
        The fields of `ChainSettings` by keyword (``chains=``, ``steps=``, ``most_draws=``, ``heats=``); ``path=``, a
        file to keep the chains in and to resume from; ``cluster=``, a Dask cluster to run on. A whole one as
        ``settings=``.

    Returns
    -------
    ChainPosterior
        Draws, probabilities with standard errors, and the verdict. `status` is COMPLETE only if the chains converged,
        and no limit of time ended them between two looks.

    Raises
    ------
    GuaranteeError
        If the table was not built for arcs that the constraints require.
    """
    constraints = Constraints.of(table.names, constraints)
    if constraints is not None:
        constraints.refuse_ancestors("a chain")
    chosen = gather(ChainSettings, sample_posterior, settings)
    path = chosen.path
    if not table.n_variables:
        raise OptionError("a posterior over networks needs at least one variable; here is none.")
    if math.isnan(table.slack):
        raise GuaranteeError(
            "chains need a table that says what it holds, to bound what it leaves out: build it with "
            "build_parent_sets, or vouch for it with table.vouched()."
        )
    check_required(table, constraints)
    before = table.n_rows
    walked = table if constraints is None or constraints.is_trivial else table.filter(constraints)
    if seed is None and (known := run_of_file(path)) is not None:
        seed = known.seed
    with contextlib.ExitStack() as opened:
        run = opened.enter_context(Run.begin(limits, progress, threads, seed=seed))
        if chosen.cluster is not None:
            run = run.replace(cluster=opened.enter_context(open_cluster(chosen.cluster)))
        walkers = _Walkers(walked, chosen, credible, run, opened)
        if path is not None:
            walkers.resume(path)
        status, verdict = walkers.until_agreed()
    rows, scores = walkers.kept
    return ChainPosterior(
        names=table.names,
        families=Families(walked.node_offsets, walked.set_offsets, walked.members),
        rows=rows,
        scores=scores,
        verdict=verdict,
        status=status,
        left_out=walk.left_out(table, before),
        moves=walkers.moves(),
        score=dict(table.score),
        max_parents=table.max_parents,
        data_digest=table.data_digest,
        facts=KnownFacts(
            seed=run.seed,
            steps=chosen.steps_for(table.n_variables) * walkers.stride,
            draws_made=walkers.done,
            slack=table.slack if math.isfinite(table.slack) else None,
            jumps=walkers.jumps is not None,
            seconds=run.seconds,
        )
        | known_facts(joint_constraints(table.names, table.constraints, constraints), table.targets),
    )


class _Walkers:
    """Chains under way: what they drew, and what they need to go on."""

    def __init__(
        self,
        table: ParentSetTable,
        settings: ChainSettings,
        credible: CredibleSet | None,
        run: Run,
        opened: contextlib.ExitStack,
    ) -> None:
        self._table, self._settings, self._run, seed = table, settings, run, run.seed
        self.jumps = _jumps(credible, table, settings.chains, seed)
        self._identity: dict[str, Any] = {
            "table": table.digest,
            "seed": seed,
            "chains": settings.chains,
            "steps": settings.steps_for(table.n_variables),
            "heats": list(settings.heats),
            "mixture": list(settings.mixture),
            "window": settings.window,
            "jumps": None if self.jumps is None or credible is None else credible.slack,
        }
        n, chains = table.n_variables, settings.chains
        seeds = np.array([native_seed(seed, purpose=3 + chain) for chain in range(chains)], dtype=np.uint64)
        task = walk.ChainTask(table, settings.mixture, settings.window, settings.steps_for(n), settings.heats)
        start = run.share(START_SHARE)
        here = task.start(seeds, walk.starting_networks(table, chains, seed, start, settings.resampled).reshape(-1))
        self._by_clock = settings.by_clock or start.is_over
        pace = (
            walk.Pace(FIRST_SEGMENT, SEGMENT_SECONDS, LARGEST_SEGMENT)
            if run.cluster is None
            else walk.Pace(FIRST_REMOTE, REMOTE_SECONDS, _largest_remote(n, chains))
        )
        self._stretches = walk.Stretches(pace, self.jumps, self._goal)
        self._remote: walk.RemoteRun | None = None
        if run.cluster is not None:
            tasks = opened.enter_context(run.cluster.tasks(walk.advance_chain, task, task.digest))
            self._remote = walk.RemoteRun(tasks, here, chains, self._stretches, run)
        self._here = here
        self._native = here if self._remote is None else self._remote
        self._most_kept = max(4 * FIRST_LOOK, min(MOST_KEPT, KEPT_BYTES // (4 * chains * max(1, n))))
        self._counted = np.zeros(2 * (len(MOVES) + 2), dtype=np.int64)  # before the run was resumed
        self._path: str | os.PathLike[str] | None = None
        self._parts: list[tuple[NDArray[np.uint32], NDArray[np.float64]]] = []
        self._next_save = time.monotonic() + SAVE_SECONDS
        self.done, self.stride, self._most = 0, 1, settings.most_draws

    # -- what was drawn ------------------------------------------------------------------------------------------------

    def _joined(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """Return all draws that are kept, at [chain, draw]."""
        if not self._parts:
            chains, n = self._settings.chains, self._table.n_variables
            return np.empty((chains, 0, n), dtype=np.uint32), np.empty((chains, 0))
        if len(self._parts) > 1:
            rows, scores = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(rows, axis=1), np.concatenate(scores, axis=1))]
        return self._parts[0]

    @property
    def kept(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The rows and scores of the chains without their beginnings."""
        rows, scores = self._joined()
        first = scores.shape[1] // BEGINNING
        return rows[:, first:], scores[:, first:]

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return how often each move was tried and accepted, over all chains."""
        tried, accepted = (self._counts() + self._counted).reshape(2, -1).tolist()
        named = zip((*MOVES, "swap", "jump"), tried, accepted, strict=True)
        return {name: (a, b) for name, a, b in named if a}

    def _counts(self) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = self._native.counts().astype(np.int64)
        return np.asarray(counts.reshape(self._settings.chains, -1).sum(axis=0))

    # -- going on ------------------------------------------------------------------------------------------------------

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Go on from a file, and keep the chains there."""
        self._path = path
        found = Checkpoint.load(path, self._identity, self._table, len(self._settings.heats))
        if found is not None:
            self._native.restore(found.positions, found.random_states)
            self._counted = found.counts
            self._parts = [(found.rows, found.scores)]
            self.done, self.stride = found.done, found.stride
            self._by_clock = self._settings.by_clock or found.by_clock

    def _save(self) -> None:
        if self._path is None or not self.done:  # a new run may have time for better starts
            return
        begin = time.monotonic()
        rows, scores = self._joined()
        Checkpoint(
            done=self.done,
            stride=self.stride,
            positions=self._native.positions(),
            random_states=self._native.random_states(),
            counts=self._counts() + self._counted,
            rows=rows,
            scores=scores,
            by_clock=self._by_clock,
        ).save(self._path, self._identity)
        now = time.monotonic()
        self._next_save = now + max(SAVE_SECONDS, SAVE_SHARE * (now - begin))

    def until_agreed(self) -> tuple[Status, ChainVerdict]:
        """Draw and look until the chains agree, or until a limit."""
        self._most = min(self._settings.most_draws, self.done + self._run.given.native_count)
        agreed = Status.TIME_LIMIT if self._by_clock else Status.COMPLETE
        # A resumed run may have ended because it had converged.
        if _next_look(self.done - 1) == self.done and (verdict := self.verdict()).converged:
            return agreed, verdict
        while True:
            status = self._draw_to(self._goal(self.done))
            is_last = status is not Status.COMPLETE or self.done >= self._most
            looked, verdict = self._looked_at(last=is_last)
            status = looked if status is Status.COMPLETE else status
            if status is not Status.COMPLETE:  # even if they agree: how many draws there are is the clock's doing
                return status, verdict
            if verdict.converged:
                return agreed, verdict
            if self.done >= self._most:
                return Status.COUNT_LIMIT, verdict

    def _goal(self, done: int) -> int:
        """Return the draw up to which chains that have made so many go on before they are looked at."""
        return min(_next_look(done), self._most)

    def _looked_at(self, *, last: bool) -> tuple[Status, ChainVerdict]:
        """Save the chains and judge them, while those that walk elsewhere go on, unless this is the `last` time.

        The status says whether they were told to stop meanwhile.
        """

        def look() -> ChainVerdict:
            self._save()
            return self.verdict()

        if self._remote is not None and not last:
            return self._remote.meanwhile(look)
        with uninterrupted() as meanwhile:
            verdict = look()
        return meanwhile.status, verdict

    def verdict(self) -> ChainVerdict:
        """Judge what is kept."""
        rows, scores = self.kept
        if scores.shape[1] < FEWEST:
            return ChainVerdict(False, len(scores), scores.shape[1], math.inf, 0.0, math.inf, 0.0, 1.0, ())
        return PairIndicators.of(self._table.native, rows, self._run.thread_count).verdict(self._table.names, scores)

    def _draw_to(self, goal: int) -> Status:
        """Let every chain make draws up to number `goal`; one that is begun and not ended is as if not begun."""
        while self.done < goal:
            if self._run.is_over:
                return Status.TIME_LIMIT
            try:
                stretch = self._stretches.at(self.done)
                positions, states, counts = self._native.positions(), self._native.random_states(), self._counts()
            except KeyboardInterrupt:
                return Status.INTERRUPTED
            assert stretch is not None  # there is something left to draw
            try:
                code, rows, scores = self._advance(stretch)
                status = Status.from_native(code)
            except KeyboardInterrupt:  # it came after the last look of the core, and is raised when that returns
                status = Status.INTERRUPTED
            if status is not Status.COMPLETE:
                self._native.restore(positions, states)
                self._counted -= self._counts() - counts
                return status
            with uninterrupted() as meanwhile:
                self._take(stretch, rows, scores)
            if meanwhile.status is not Status.COMPLETE:
                return meanwhile.status
        return Status.COMPLETE

    def _take(self, stretch: walk.Stretch, rows: NDArray[np.uint32], scores: NDArray[np.float64]) -> None:
        """Keep the draws of a stretch, and save them if it is time to."""
        self._keep(rows.reshape(self._settings.chains, stretch.count, -1), scores.reshape(-1, stretch.count))
        self._stretches.forget(self.done)
        if time.monotonic() >= self._next_save:
            self._save()

    def _advance(self, stretch: walk.Stretch) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]:
        """Let every chain go through a stretch, here or elsewhere; return why that ended, and the draws."""
        if self._remote is not None:
            return self._remote.advance(stretch, self._report)
        begin, run = time.monotonic(), self._run
        code, _, rows, scores = self._here.advance(
            stretch.count, stretch.targets, self._stretches.least, run.thread_count, run.seconds_left, self._report
        )
        self._stretches.pace.note(stretch.count, time.monotonic() - begin)
        return code, rows, scores

    def _keep(self, rows: NDArray[np.uint32], scores: NDArray[np.float64]) -> None:
        """Keep every `stride`-th draw, of all that were made; of too many, every second one."""
        first = -self.done % self.stride
        if first < scores.shape[1]:
            self._parts.append((rows[:, first :: self.stride].copy(), scores[:, first :: self.stride].copy()))
        self.done += scores.shape[1]
        if -(-self.done // self.stride) > self._most_kept:
            rows, scores = self._joined()
            self._parts = [(rows[:, ::2].copy(), scores[:, ::2].copy())]
            self.stride *= 2

    def _report(self, done: int, total: int, incumbent: float, bound: float) -> None:
        self._run.report("chains: draws", self.done)


def _jumps(credible: CredibleSet | None, table: ParentSetTable, chains: int, seed: int) -> walk.Jumps | None:
    """Return what chains jump to; None where there is no set, or too few of its diagram's paths belong to it."""
    if credible is None or not credible.complete:
        return None
    found = walk.Jumps(credible, table, chains, seed)
    try:
        found.at(0, 1)
    except UnfinishedError:
        return None
    return found


def _largest_remote(variables: int, chains: int) -> int:
    """Return the most draws of one stretch of a chain on a cluster: each may have some ahead, and one under way."""
    bytes_each = 4 * max(1, variables) + 8  # rows and score
    return min(LARGEST_REMOTE, max(FIRST_REMOTE, REMOTE_BYTES // (bytes_each * chains * (walk.MOST_AHEAD + 1))))


def _next_look(done: int) -> int:
    """Return the first check after this many draws."""
    look = FIRST_LOOK
    while look <= done:
        look = math.ceil(look * GROWTH)
    return look

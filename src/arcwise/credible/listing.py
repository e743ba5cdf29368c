"""Networks of a diagram, one by one: all within some slack, or a number of the best.

The lister goes through a diagram depth first and never leaves the slack it was given, so its cost is that of what it
lists, but its order is not that of the scores. The best k are therefore found by trying smaller slacks: a trial ends as
soon as it has listed more than twice k, and that alone settles most slacks; once a trial ends by itself with
at least k, the k best of it are the k best of all. Ties are the exception: if a million networks share the k-th place,
no slack has between k and 2 k of them. Then the networks strictly better are listed, and as many of the tied ones as
are missing. Nothing here relies on counts that are made in another way (`CredibleDiagram.sums` joins losses that are
equal except for rounding), so that exactly k networks are returned whenever there are k.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import (
    ArcwiseError,
    Argument,
    Call,
    Either,
    FormatError,
    GuaranteeError,
    OptionError,
    Remedy,
    UnfinishedError,
    check_argument,
    reading,
)
from arcwise.base.files import parse_json, read_bytes, write_text
from arcwise.base.run import HasStatus, Run, Status, native_seed
from arcwise.base.showing import one_screen
from arcwise.credible.diagram import DEFAULT_MEMORY, CredibleDiagram, DiagramSums
from arcwise.graph.classes import FixedPairs, class_keys, native_pairs
from arcwise.graph.constraints import Constraints
from arcwise.networks.families import Families
from arcwise.networks.network_list import NetworkSet, posterior_log_weights
from arcwise.networks.recipe import KnownFacts, NetworkOrigin
from arcwise.parent_sets.build import has_own_limits
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.registry import KNOWN_SCORES, make_score

if TYPE_CHECKING:
    from arcwise.credible.credible_set import CredibleSet, MemberKind


CREDIBLE = NetworkOrigin("credible")
CHUNK = 1 << 18  # some 10 MB of networks at a time
# Between two doubles of the size of a slack there is nothing to halve after this many steps.
HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Listed:
    """Networks by falling score: the row of each node's parent set, counted within the node, and what each loses."""

    choices: NDArray[Any]
    losses: NDArray[np.float64]
    status: Status

    def first(self, count: int, status: Status) -> Listed:
        """Return the first ones, this many, with another status."""
        return Listed(self.choices[:count], self.losses[:count], status)

    @classmethod
    def nothing(cls, diagram: CredibleDiagram) -> Listed:
        """Return the list of a diagram that was not finished."""
        return cls(np.empty((0, diagram.table.n_variables), dtype=np.uint16), np.empty(0), diagram.status)


def iterate_chunks(
    diagram: CredibleDiagram, slack: float | None = None, size: int = CHUNK
) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
    """Yield all networks within a slack (by default the diagram's), up to `size` at a time, in the diagram's order.

    A chunk may be empty: between two chunks a caller can look at the clock.
    """
    lister = diagram.lister(slack)
    met = _ClassesSeen(diagram) if diagram.repeats_classes else None
    while not lister.done:
        chunk = diagram.next_chunk(lister, size)
        yield chunk if met is None else met.only_new(*chunk)


def networks_of(
    diagram: CredibleDiagram,
    listed: Listed,
    facts: KnownFacts,
    *,
    origin: NetworkOrigin = CREDIBLE,
    slack: float | None = None,
) -> NetworkSet:
    """Return networks that were listed, with posterior weights."""
    table, losses = diagram.table, listed.losses
    return NetworkSet(
        names=table.names,
        families=diagram.families,
        choices=listed.choices,
        scores=diagram.opt - losses,
        log_weights=posterior_log_weights(-losses),  # the scores have lost digits of the losses
        origin=origin,
        opt=diagram.opt if diagram.native.states else math.nan,
        slack=diagram.slack if slack is None else slack,
        status=listed.status,
        max_parents=table.max_parents,
        tolerance=diagram.tolerance,
        score=dict(table.score),
        data_digest=table.data_digest,
        facts=facts,
    ).compact()


class _ClassesSeen:
    """The classes that were listed, where a diagram may have several networks of one: 16 bytes each."""

    def __init__(self, diagram: CredibleDiagram) -> None:
        self._table, self._fixed = diagram.table, diagram.fixed
        self._keys: NDArray[np.void] = np.empty(0, dtype="V16")  # sorted

    def only_new(self, rows: NDArray[Any], losses: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the first network of each class that was not met before."""
        if not len(losses):
            return rows, losses
        table = self._table
        keys = class_keys(
            rows,
            set_offsets=table.set_offsets,
            members=table.members,
            node_offsets=table.node_offsets,
            fixed=self._fixed,
            progress=False,
        )
        found, first = np.unique(np.ascontiguousarray(keys).view("V16").ravel(), return_index=True)
        new = ~np.isin(found, self._keys)
        self._keys = np.union1d(self._keys, found[new])
        kept = np.sort(first[new])
        return rows[kept], losses[kept]


def list_all(diagram: CredibleDiagram, run: Run, *, slack: float | None = None, most: int | None = None) -> Listed:
    """List the networks within a slack by falling score.

    With more than `most` the list ends early with the status COUNT_LIMIT and then holds an arbitrary part of them.
    """
    limit = run.given.native_count if most is None else most
    status, listed = run.status, 0
    rows: list[NDArray[Any]] = []
    losses: list[NDArray[np.float64]] = []
    memory = run.given.native_memory
    try:
        if status is Status.COMPLETE:
            for chosen, lost in iterate_chunks(diagram, slack, min(CHUNK, limit + 1)):
                rows.append(chosen)
                losses.append(lost)
                listed += len(lost)
                run.report("credible set: networks", listed)
                if listed > limit:
                    status = Status.COUNT_LIMIT
                elif sum(part.nbytes for part in rows) > memory:
                    status = Status.MEMORY_LIMIT
                else:
                    status = run.status
                if status is not Status.COMPLETE:
                    break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    n = diagram.table.n_variables
    loss = np.concatenate(losses) if losses else np.empty(0)
    choices = np.concatenate(rows) if rows else np.empty((0, n), dtype=diagram.families.choice_type)
    order = np.argsort(loss, kind="stable")
    return Listed(choices[order], loss[order], status)


def list_best(diagram: CredibleDiagram, count: int, run: Run) -> Listed:
    """List the best `count` networks of a diagram, by falling score; all of them if there are no more.

    The status is COMPLETE if they are the best, and COUNT_LIMIT if there are more; of networks that tie for the last
    place, any may be listed. Where time or memory ends first, nothing is: whatever was seen was not chosen by score.
    """
    found = list_all(diagram, run, most=count)
    if found.status is not Status.COUNT_LIMIT:
        return found
    low, high = -diagram.tolerance, diagram.slack  # fewer than count within low (or none at all), more within high
    below: Listed | None = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        trial = list_all(diagram, run, slack=middle, most=2 * count)
        if trial.status not in (Status.COMPLETE, Status.COUNT_LIMIT):
            return trial.first(0, trial.status)
        if trial.status is Status.COUNT_LIMIT:
            high = middle
        elif len(trial.losses) < count:
            low, below = middle, trial
        else:
            return trial.first(count, Status.COUNT_LIMIT)
    tied = list_all(diagram, run, slack=high, most=count)
    if tied.status is not Status.COUNT_LIMIT:
        return tied.first(0, tied.status)
    if below is None:
        return tied.first(count, tied.status)
    # Of the first `count` + 1 in the diagram's order at most those below are not tied.
    choices, lost = _not_in(diagram, tied, below)
    missing = count - len(below.losses)
    losses = np.concatenate([below.losses, lost[:missing]])
    order = np.argsort(losses, kind="stable")
    return Listed(np.concatenate([below.choices, choices[:missing]])[order], losses[order], Status.COUNT_LIMIT)


def _not_in(diagram: CredibleDiagram, tied: Listed, below: Listed) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return what is tied but not below.

    Where several paths stand for one class, their losses may differ by rounding, and the first that is met within a
    slack need not be the first within more of it: then classes are compared, not networks.
    """
    if diagram.repeats_classes:
        met = _ClassesSeen(diagram)
        met.only_new(below.choices, below.losses)
        return met.only_new(tied.choices, tied.losses)
    every, lower = (np.ascontiguousarray(found.choices) for found in (tied, below))
    row = np.dtype((np.void, every.dtype.itemsize * every.shape[1]))  # each row as one item that can be compared
    new = ~np.isin(every.view(row).ravel(), lower.view(row).ravel())
    return tied.choices[new], tied.losses[new]


def draw_networks(diagram: CredibleDiagram, count: int, *, by_score: bool, seed: int, run: Run) -> tuple[Listed, int]:
    """Draw networks within the slack of a diagram, by posterior weight or uniformly, in the order of the draws.

    Paths are proposed, and those that belong to the set kept in the right proportions: see network_sampler.hpp.
    Returns them and the number of paths that were tried. The status is COUNT_LIMIT if the limits allow fewer than
    `count`; those that were drawn before a limit was reached are returned.
    """
    limits = run.limits
    allowed = min(count, limits.native_count)
    code, hopeless, proposals, _, rows, losses = diagram.native.draw(
        diagram.table.native,
        diagram.slack + diagram.tolerance,
        by_score,
        allowed,
        native_seed(seed),
        limits.memory_bytes or DEFAULT_MEMORY,
        limits.native_seconds,
        run.native_report("credible set: draws"),
    )
    if hopeless:
        raise UnfinishedError(
            f"of {proposals:,} paths of the diagram that were tried, {len(losses):,} are networks of the set: draws "
            "would take too long.",
            remedies=Remedy("ask for a smaller", Argument("bayes_factor")),
        )
    status = Status.from_native(code)
    if status is Status.COMPLETE and allowed < count:
        status = Status.COUNT_LIMIT
    choices = rows.reshape(len(losses), diagram.table.n_variables).astype(diagram.families.choice_type)
    return Listed(choices, losses, status), proposals


def family_shares(families: Families, sums: DiagramSums | None) -> dict[str, Any]:
    """Return the families that occur, with their shares by posterior and by number, and the sums; none without sums."""
    if sums is None or not sums.count:
        empty, nothing = np.empty(0), families.take(np.empty(0, dtype=np.int64))
        return {"families": nothing, "count": 0, "posterior": empty, "equal": empty, "log_mass": math.nan}
    used = np.flatnonzero(np.array([count > 0 for count in sums.row_counts]))
    return {
        "families": families.take(used),
        "count": sums.count,
        "posterior": np.minimum(sums.row_masses[used] / math.exp(sums.log_mass), 1.0),
        "equal": np.array([sums.row_counts[row] / sums.count for row in used.tolist()]),
        "log_mass": sums.log_mass,
    }


VOUCH_FOR_CLASSES = Either("table.vouched(equivalent=True)", Argument("trust_table", True))
LIST_DAGS = Remedy("list DAGs:", Argument("by", "dag"))

# More networks than this are not listed for the sake of counting their classes, unless limits.count allows for more.
LARGEST_LISTED = 50_000_000
# Up to this many networks, listing them all is cheaper than a diagram of the classes: 851 take 1 ms listed and 3 ms by
# the diagram, 31,126 take 17 and 6, and 756,761 take 618 and 34.
FEW = 5_000


def has_whole_classes(table: ParentSetTable) -> bool:
    """Return whether the table holds all members of a class with one score: that is, whether the score is equivalent.

    A limit on parents forbids all members of a class or none: they are joined by reversing covered arcs (Chickering
    1995, Theorem 2), which swaps the numbers of parents of the two ends.
    """
    if table.equivalent is not None or "name" not in table.score:
        return table.equivalent is True
    # A table of a file that does not say it: the facts of a score may depend on its parameters.
    options = dict(table.score)
    name = str(options.pop("name"))
    try:
        return make_score(name, **options).facts.equivalent
    except (ArcwiseError, TypeError):  # it takes an object, such as a prior network, or is not arcwise's
        return name in KNOWN_SCORES and "beliefs" not in options and KNOWN_SCORES[name].FACTS.equivalent


def count_classes(
    diagram: CredibleDiagram,
    count: int,
    classes: Callable[[], CredibleDiagram],
    *,
    fixed: FixedPairs | None,
    whole: bool,
    run: Run,
    most: int | None = None,
) -> int | None:
    """Return the number of equivalence classes among the `count` networks of a diagram of DAGs.

    A few networks are listed and grouped by the key of their class. So are many where classes are not whole; where they
    are, the diagram of the classes is counted. None if that would be too many (the limit of count, or
    `LARGEST_LISTED`), or another limit was reached, or as soon as there are more than `most`.
    """
    if not diagram.table.n_variables:
        return count  # there is one network, without a node to find its class by
    if whole and count > FEW:
        return _count_diagram(classes(), run, most)
    if count > _most_listed(run):
        return None
    table = diagram.table
    pairs = native_pairs(fixed)
    known: NDArray[np.void] = np.empty(0, dtype="V16")
    fresh: list[NDArray[np.void]] = []
    pending = 0
    for choices, _ in iterate_chunks(diagram):
        if run.is_over:
            return None
        rows = choices.astype(np.int64) + table.node_offsets[:-1]
        keys = _core.graph.class_keys_of_rows(rows, table.set_offsets, table.members, pairs)
        fresh.append(np.unique(np.ascontiguousarray(keys).view("V16").ravel()))
        pending += len(fresh[-1])
        if pending > len(known):
            known, fresh, pending = np.unique(np.concatenate([known, *fresh])), [], 0
    return len(np.unique(np.concatenate([known, *fresh])))


def _count_diagram(classes: CredibleDiagram, run: Run, most: int | None) -> int | None:
    """Count the classes of a diagram of classes: its paths, or one path for each class."""
    if classes.status is not Status.COMPLETE:
        return None
    sums = classes.sums(limits=run.limits)
    if sums.status is not Status.COMPLETE or classes.rank is None:
        return sums.count if sums.status is Status.COMPLETE else None
    if sums.count > _most_listed(run):
        return None
    count = 0
    for _, losses in iterate_chunks(classes):
        count += len(losses)
        if run.is_over or (most is not None and count > most):
            return None
    return count


def _most_listed(run: Run) -> int:
    return max(LARGEST_LISTED, run.given.count or 0)


def check_classes(table: ParentSetTable, obeyed: Constraints | None) -> None:
    """Refuse to work with classes where the members of a class may score differently or be missing."""
    if has_own_limits(obeyed):
        raise GuaranteeError(
            "equivalence classes cannot be enumerated as wholes under limits on the parents of single variables, "
            "which may leave out some members of a class and not others.",
            remedies=LIST_DAGS,
        )
    if has_whole_classes(table):
        return
    if table.equivalent is None and "name" not in table.score:
        raise GuaranteeError(
            "equivalence classes need a score that gives their members the same value; this table does not say "
            "which score it holds.",
            remedies=(Remedy("vouch for it with", VOUCH_FOR_CLASSES), LIST_DAGS),
        )
    raise GuaranteeError(
        f"{table.score.get('name', 'the score')} gives the members of an equivalence class different values, so "
        "classes cannot be enumerated as wholes.",
        remedies=LIST_DAGS,
    )


# The share of the time that the whole set may take before smaller ones are counted, and by how much they are smaller.
# A diagram grows about sixfold with every half unit of slack: the first that ends is close to the largest that can.
FIRST_SHARE = 0.75
STEP = 0.6
MOST_STEPS = 12


@dataclass(frozen=True, slots=True)
class Reached:
    """All `count` networks within `slack` of the optimum, and their diagram: a lower bound on what was asked for."""

    slack: float
    count: int
    diagram: CredibleDiagram


def count_within_reach(build: Callable[[float, Run], CredibleDiagram], slack: float, run: Run) -> Reached | None:
    """Count the sets of less and less slack, beginning below `slack`, until one ends in the time; Ctrl-C raises."""
    for _ in range(MOST_STEPS):
        slack *= STEP
        if run.is_over:
            return None
        third = run.part(3)
        diagram = build(slack, third)
        if diagram.status.unless_interrupted() is Status.COMPLETE:
            sums = diagram.sums(limits=third.limits)
            if sums.status.unless_interrupted() is Status.COMPLETE:
                return Reached(slack, sums.count, diagram)
    return None


# Credible sets that do not fit in memory: listed into files, chunk by chunk, and resumed after a crash.
#
# A folder holds one file per chunk (the compact format of `NetworkSet`, or Parquet) and ``progress.json``, which names
# the finished chunks and the position in the diagram after the last of them. Each file is written under a temporary
# name and renamed; the position is recorded after its chunk. A process that is killed at any moment therefore loses at
# most the chunk at hand, and the next call with the same table and slack continues from there.


MANIFEST = "progress.json"


@one_screen
@dataclass(frozen=True)
class NetworkStream(HasStatus):
    """A folder of networks: iterating gives a `NetworkSet` per file, in the order of the files."""

    folder: Path
    files: tuple[str, ...]
    count: int
    opt: float
    slack: float
    status: Status

    def __iter__(self) -> Iterator[NetworkSet]:
        return (NetworkSet.load(self.folder / name) for name in self.files)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> NetworkStream:
        """Open a folder that `stream_credible` wrote, finished or not."""
        state = _read_manifest(Path(folder))
        return cls(
            Path(folder), tuple(state["files"]), state["count"], state["opt"], state["slack"], Status(state["status"])
        )


def stream_set(
    found: CredibleSet, folder: str | os.PathLike[str], by: MemberKind, *, chunk: int, parquet: bool, run: Run
) -> NetworkStream:
    """List a set into a folder; see `CredibleSet.stream`. A folder that is complete asks for no diagram."""
    check_argument(chunk >= 1, "chunk", chunk, "must be at least 1.")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    identity = _identity(found, by, chunk, parquet)
    state: dict[str, Any] = {"identity": identity, "files": [], "count": 0, "position": []}
    state |= {"status": str(Status.INTERRUPTED), "diagram": ""}
    if (target / MANIFEST).exists():
        state = _read_manifest(target)
        if state["identity"] != identity:
            raise OptionError(
                f"{target} holds networks of another table, slack, constraints or chunk size. Choose another folder or "
                "empty it."
            )
        if Status(state["status"]) is Status.COMPLETE:
            return NetworkStream.load(target)
    with found.begin(run) as shown:
        diagram = found.diagram(by, shown)
        if diagram.repeats_classes:
            raise GuaranteeError(
                "classes of more than 20 variables under constraints or experiments are told apart in memory, so that "
                "a folder of them cannot be gone on with.",
                remedies=(LIST_DAGS, Remedy("list them at once:", Call("networks", Argument("by", "mec")))),
            )
        status = diagram.status
        if status is Status.COMPLETE:
            # A position belongs to one diagram. They are made in the same way every time, except linear programs that
            # are cut into slices by the clock on a busy machine.
            fingerprint = f"{diagram.native.fingerprint:016x}"
            if state["position"] and state["diagram"] != fingerprint:
                raise FormatError(
                    f"{target / MANIFEST}: the credible set was put together in another way this time, so that the "
                    "list cannot continue where it ended. Try again, or empty the folder and start again."
                )
            state |= {"opt": diagram.opt, "slack": found.slack, "diagram": fingerprint}
            try:
                status = _write_chunks(diagram, target, state, shown, chunk=chunk, parquet=parquet, facts=found.known)
            except KeyboardInterrupt:  # what is in the manifest is there
                if (target / MANIFEST).exists():
                    state |= _read_manifest(target)
                status = Status.INTERRUPTED
    missing = {"opt": float("-inf"), "slack": found.slack}
    _write_manifest(target, state | {"status": str(status)} | {k: v for k, v in missing.items() if k not in state})
    return NetworkStream.load(target)


def _write_chunks(
    diagram: CredibleDiagram,
    target: Path,
    state: dict[str, Any],
    run: Run,
    *,
    chunk: int,
    parquet: bool,
    facts: KnownFacts,
) -> Status:
    lister = diagram.lister()
    if not lister.seek(np.array(state["position"], dtype=np.uint32)):
        raise FormatError(f"{target / MANIFEST}: the position is not in this credible set. Empty the folder.")
    listed = 0
    while not lister.done:
        if run.is_over:
            return Status.TIME_LIMIT
        if listed >= run.given.native_count:
            return Status.COUNT_LIMIT
        rows, losses = diagram.next_chunk(lister, chunk)
        if not len(losses):
            continue
        name = f"networks-{len(state['files']):06d}{'.parquet' if parquet else '.nets'}"
        networks_of(diagram, Listed(rows, losses, Status.COMPLETE), facts).save(target / name)
        listed += len(losses)
        state["files"].append(name)
        state["count"] += len(losses)
        state["position"] = lister.position.tolist()
        _write_manifest(target, state)
        run.report("credible set: networks", state["count"])
    return Status.COMPLETE


def _identity(found: CredibleSet, by: MemberKind, chunk: int, parquet: bool) -> str:
    """Return what must be equal for a folder to be gone on with: all of the content, nothing that only counts it."""
    rules = None if found.constraints is None or found.constraints.is_trivial else found.constraints.describe()
    facts = [found.table.digest, repr(float(found.slack)), by, chunk, parquet, rules]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _write_manifest(target: Path, state: dict[str, Any]) -> None:
    write_text(target / MANIFEST, json.dumps(state, indent=1, allow_nan=True))


def _read_manifest(target: Path) -> dict[str, Any]:
    path = target / MANIFEST
    with reading(f"{path}:", "Empty the folder and start again."):
        state = dict(parse_json(read_bytes(path), source=str(path)))
        files = [str(name) for name in state["files"]]
        checked = {
            "identity": str(state["identity"]),
            "files": files,
            "count": int(state["count"]),
            "position": [int(step) for step in state["position"]],
            "status": str(Status(state["status"])),
            "diagram": str(state["diagram"]),
            "opt": float(state.get("opt", "nan")),
            "slack": float(state.get("slack", "nan")),
        }
    here = {entry.name for entry in target.iterdir() if entry.is_file()}
    missing = [name for name in files if name not in here]
    if missing:
        raise FormatError(f"{path}: the file {missing[0][:200]} is missing. Empty the folder and start again.")
    return checked

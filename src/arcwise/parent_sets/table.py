"""`ParentSetTable`: the candidate parent sets of every variable with their local scores, and what was guaranteed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base import errors
from arcwise.base.arrays import format_array_file, is_array_file, parse_array_file
from arcwise.base.errors import Argument, Call, Either, FormatError, Remedy
from arcwise.base.files import parse_json, read_bytes, write_bytes
from arcwise.base.run import Status
from arcwise.base.showing import clipped, one_screen
from arcwise.graph.constraints import Constraints

if TYPE_CHECKING:
    from arcwise._core.parent_sets import TableView
    from arcwise.scores.score import Score


REBUILT = Call("build_parent_sets", Argument("constraints", shown="..."))
# The largest absolute score of a network that is supported; `parent_sets/build.py` says why.
LARGEST_SCORE = 1e10

# What `arcwise::Defect` of the native core stands for.
_DEFECTS = (
    "",
    "offsets that do not ascend from 0 to the length of what they index",
    "no parent set, so no network exists; give it at least one, such as the empty set",
    "a score that is NaN or infinite; leave out a set that is not allowed",
    "a parent that is not a variable",
    "the node is among its own parents",
    "parents that do not ascend, or a parent twice",
    "rows that are not sorted by falling score, then size, then members",
    "the same parent set a second time",
)


@one_screen
@dataclass(frozen=True, slots=True)
class BuildStatistics:
    """The work of building a table: families scored, contingency tables counted, seconds, the builder's memory."""

    families: int
    sets: int
    seconds: float
    peak_bytes: int


@dataclass(frozen=True, eq=False)
class ParentSetTable:
    """The candidate parent sets of every variable, with local scores, in compressed rows.

    Node v has the rows ``node_offsets[v]:node_offsets[v + 1]``; row r has the score ``scores[r]`` and the parents
    ``members[set_offsets[r]:set_offsets[r + 1]]``, ascending. Within a node, rows are sorted by falling score (ties:
    smaller sets first, then by members). Scores are natural logarithms, higher is better.

    The table carries its guarantee: it holds every parent set of at most `max_parents` variables (None: any number)
    that occurs in a network within `slack` of the optimum.

    Parameters
    ----------
    slack
        How far below the optimum the guarantee reaches (natural log; the log of a Bayes factor); 0 covers the
        optimum alone. NaN means that nothing is known, as for a file made elsewhere.
    max_parents
        The parent limit the table was built with, or None.
    score
        The score's name and parameters, e.g. ``{"name": "bdeu", "ess": 1.0}``; empty if not known.
    data_digest
        The digest of the data the table was built from, or None.
    constraints
        What the table was built for, or None: its pruning compared a parent set with those subsets that the constraints
        allow. A search can add forbidden arcs and parent limits later, but not required arcs (see `check_required`).
    equivalent
        Whether the score gives the members of an equivalence class the same value; None if that is not known. Where
        variables were set, the classes are those of interventional equivalence (`FixedPairs.by_targets`).
    targets
        The sets of variables that were set together in some row of the data, () for rows in which none was; None for
        observations.
    status
        Why the building ended; anything but complete means that `max_parents` is the last finished level.
    statistics
        How much work the building was; None for a table that was read.
    data, scorer
        The data the table was built from (`Dataset` or `MixedData`), for searches that can use them
        (`arcwise.exact.component`), and the score itself, which may have a prior network; no file and no copy sent to
        another process has them.
    """

    names: tuple[str, ...]
    node_offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    set_offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    slack: float = float("nan")
    max_parents: int | None = None
    score: dict[str, Any] = field(default_factory=dict)
    data_digest: str | None = None
    constraints: Constraints | None = None
    equivalent: bool | None = None
    targets: tuple[tuple[str, ...], ...] | None = None
    status: Status = Status.COMPLETE
    statistics: BuildStatistics | None = None
    data: Any = None
    scorer: Score | None = None

    def __repr__(self) -> str:
        limit = "" if self.max_parents is None else f", at most {self.max_parents} parents"
        parts = [f"{value}" if name == "name" else f"{name} {value}" for name, value in self.score.items()]
        score = ", ".join(
            "prior odds" if name == "beliefs" else part for name, part in zip(self.score, parts, strict=True)
        )
        return (
            f"ParentSetTable({self.n_rows:,} parent sets of {self.n_variables} variables, "
            f"{clipped(score or 'unknown score', 40)}, slack {self.slack:.4g}{limit}, {self.status})"
        )

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """The number of parent sets in the table."""
        return len(self.scores)

    def rows_of(self, node: int) -> range:
        """Return the rows of a node."""
        return range(int(self.node_offsets[node]), int(self.node_offsets[node + 1]))

    def parents_of(self, row: int) -> tuple[int, ...]:
        """Return the parents in a row."""
        return tuple(int(p) for p in self.members[self.set_offsets[row] : self.set_offsets[row + 1]])

    @classmethod
    def from_lists(
        cls, names: Sequence[str], entries: Sequence[Iterable[tuple[float, Iterable[int]]]], **facts: Any
    ) -> ParentSetTable:
        """Make a table from (score, parents) pairs for each node, in any order."""
        nodes = [
            sorted(((s, tuple(sorted(ps))) for s, ps in rows), key=lambda row: (-row[0], len(row[1]), row[1]))
            for rows in entries
        ]
        listed = [row for rows in nodes for row in rows]
        table = cls(
            names=tuple(names),
            node_offsets=offsets_of(np.array([len(rows) for rows in nodes])),
            scores=np.array([value for value, _ in listed], dtype=np.float64),
            set_offsets=offsets_of(np.array([len(parents) for _, parents in listed])),
            members=np.array([p for _, parents in listed for p in parents], dtype=np.int32),
            **facts,
        )
        table.validate()
        return table

    def validate(self) -> None:
        """Check everything that a search relies on.

        Raises
        ------
        FormatError
            If a node has no parent set, a score is NaN or infinite, the largest absolute scores of the nodes add up to
            more than 1e10 (see `parent_sets/build.py`), a parent is not a variable or the node itself, a
            set or the rows are not in order, or a node has the same set twice. The message says where.
        """
        if len(set(self.names)) != len(self.names):
            raise errors.FormatError("a name occurs twice among the variables of the table; names must be different.")
        if len(self.node_offsets) != len(self.names) + 1:
            raise errors.FormatError(f"the table has {len(self.node_offsets) - 1} nodes for {len(self.names)} names.")
        for name in {name for names in self.targets or () for name in names} - set(self.names):
            raise errors.FormatError(f"the targets of the table name '{name}', which is not one of its variables.")
        defect, node, row = _core.parent_sets.inspect_table(self.native)
        if defect == 0:
            self._check_range()
            return
        where = f"node '{self.names[node]}' ({node + 1} of {self.n_variables})" if node >= 0 else "the table"
        if row >= 0:
            where += f", row {row - int(self.node_offsets[node])}"
        raise errors.FormatError(f"{where}: {_DEFECTS[defect]}.")

    def _check_range(self) -> None:
        """Refuse scores whose sums have too few digits left for differences."""
        largest = np.maximum.reduceat(np.abs(self.scores), self.node_offsets[:-1]) if self.n_rows else np.zeros(0)
        if float(np.minimum(largest, 2 * LARGEST_SCORE).sum()) > LARGEST_SCORE:
            node = int(np.argmax(largest))
            raise errors.FormatError(
                f"node '{self.names[node]}' ({node + 1} of {self.n_variables}): a score of {largest[node]:.4g} in "
                f"absolute value. The largest absolute scores of all nodes may add up to {LARGEST_SCORE:.0e}: "
                "differences of larger ones have too few digits. Leave out sets that are not allowed, or subtract a "
                "constant from the scores of a node."
            )

    @cached_property
    def native(self) -> TableView:
        """The table as the native core sees it: a view of the arrays, not a copy."""
        return _core.parent_sets.TableView(self.node_offsets, self.scores, self.set_offsets, self.members)

    def __getstate__(self) -> dict[str, Any]:
        # The view is made again where it arrives.
        return {name: value for name, value in self.__dict__.items() if name != "native"} | {
            "data": None,
            "scorer": None,
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the names, sets, scores, guarantee, score function and data digest."""
        hasher = hashlib.sha256()
        facts: list[Any] = [self.names, repr(float(self.slack)), self.max_parents, self.score, self.data_digest]
        if self.required_arcs:
            facts.append(sorted(self.required_arcs))
        hasher.update(json.dumps(facts, sort_keys=True, default=str).encode())
        for array, kind in (
            (self.node_offsets, "<i8"),
            (self.scores, "<f8"),
            (self.set_offsets, "<i8"),
            (self.members, "<i4"),
        ):
            hasher.update(array.astype(kind).tobytes())
        return hasher.hexdigest()

    @property
    def required_arcs(self) -> frozenset[tuple[str, str]]:
        """The arcs that every network of the table has, because it was built for them."""
        return frozenset(() if self.constraints is None else self.constraints.required)

    def vouched(self, slack: float = math.inf, *, equivalent: bool | None = None) -> ParentSetTable:
        """Return the table with a guarantee that you give, because the table itself does not say what it holds.

        A table that another program wrote may be complete without saying so. Nothing is checked: a set or an optimum
        that is found in a table with missing rows is wrong.

        Parameters
        ----------
        slack
            The table holds every parent set of every network within this of the optimum; infinity: all parent sets.
        equivalent
            Whether its score gives the members of an equivalence class the same value.

        >>> table = ParentSetTable.from_lists(["a", "b"], [[(-1.0, ())], [(-2.0, ())]])
        >>> table.slack, table.vouched(3.0).slack
        (nan, 3.0)
        """
        errors.check_argument(slack >= 0, "slack", slack, "must be 0 or more (natural log), or infinity.")
        return dataclasses.replace(
            self, slack=float(slack), equivalent=self.equivalent if equivalent is None else equivalent
        )

    def allowed_rows(self, constraints: Constraints, words: NDArray[np.uint64] | None = None) -> NDArray[np.bool_]:
        """Return whether the constraints, over the same variables, allow each row; a node without any is an error.

        `words` are the rows' sets as bits, if they are known already.
        """
        native = (constraints if constraints.names == self.names else constraints.reorder(self.names)).native()
        node = np.repeat(np.arange(self.n_variables), np.diff(self.node_offsets))
        if words is None:
            words = _core.parent_sets.CandidateSets(self.native).sets
        required, forbidden = native.required[node], native.forbidden[node]
        kept = ((words & required) == required).all(axis=1) & ((words & forbidden) == 0).all(axis=1)
        kept &= np.diff(self.set_offsets) <= native.limits[node]
        left = np.bincount(node[kept], minlength=self.n_variables)
        if (left == 0).any():
            bare = int(np.argmin(left))
            raise errors.ConstraintError(
                f"no parent set of '{self.names[bare]}' in the table satisfies the constraints; it has "
                f"{len(self.rows_of(bare)):,}.",
                remedies=(Remedy("build the table with", REBUILT), Remedy("relax them")),
            )
        return np.asarray(kept)

    def filter(self, constraints: Constraints) -> ParentSetTable:
        """Return the table without the parent sets that the constraints do not allow.

        The guarantee changes its meaning: a table built without constraints compares a parent set with all its
        subsets, one with required arcs may compare it only with subsets that hold them. So a table that was pruned
        keeps its slack only if the constraints require nothing that it was not built for; otherwise it becomes unknown
        (NaN). Build the table with ``build_parent_sets(..., constraints=...)`` to have a guarantee.

        Raises
        ------
        ConstraintError
            If a node is left without a parent set.
        """
        if set(constraints.names) != set(self.names):
            raise errors.ConstraintError("the constraints and the table are about different variables.")
        kept = self.with_rows(self.allowed_rows(constraints))
        requires = not set(constraints.required) <= self.required_arcs
        return dataclasses.replace(kept, slack=math.nan) if requires and not math.isinf(self.slack) else kept

    def with_rows(self, kept: NDArray[np.bool_]) -> ParentSetTable:
        """Return the table with some of its rows; its guarantee stays the same."""
        sizes = np.diff(self.set_offsets)
        return dataclasses.replace(
            self,
            node_offsets=offsets_of(kept)[self.node_offsets],
            scores=self.scores[kept],
            set_offsets=offsets_of(sizes[kept]),
            members=self.members[np.repeat(kept, sizes)],
        )


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return where things of these lengths begin, one after the other, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


# What a file says about a table in addition to its rows: the guarantee, the score, the data.


# An integer of a thousand digits is a number in JSON, but no float.
LARGEST_SLACK = 1e300
_NEEDED = {"slack", "max_parents", "score", "data_digest", "status"}
_OPTIONAL = {"names", "constraints", "equivalent", "targets"}


def facts_of(table: ParentSetTable) -> dict[str, Any]:
    """Return the facts in terms of JSON, which knows neither NaN nor infinity."""
    slack = "infinite" if math.isinf(table.slack) else table.slack
    facts: dict[str, Any] = {
        "slack": None if math.isnan(table.slack) else slack,
        "max_parents": table.max_parents,
        "score": table.score,
        "data_digest": table.data_digest,
        "status": str(table.status),
    }
    if table.constraints is not None:
        facts["constraints"] = table.constraints.describe()
    if table.equivalent is not None:
        facts["equivalent"] = table.equivalent
    if table.targets is not None:
        facts["targets"] = [list(names) for names in table.targets]
    return facts


def read_constraints_of(facts: dict[str, Any], names: Sequence[str], complaint: str) -> Constraints | None:
    """Return the constraints among the facts of a table over these variables; FormatError if they are not such."""
    described = facts.get("constraints")
    if described is None:
        return None
    try:
        return Constraints(names, **described)
    except (errors.ArcwiseError, TypeError, ValueError, AttributeError) as error:
        raise errors.FormatError(f"{complaint} ({error})") from None


def read_facts(facts: object, complaint: str) -> dict[str, Any]:
    """Return the facts as arguments of `ParentSetTable` (with `names`, if given); FormatError if they are not facts."""
    if not isinstance(facts, dict) or not _well_formed(facts):
        raise errors.FormatError(complaint)
    checked = {str(name): value for name, value in facts.items()}
    checked["slack"] = float({None: math.nan, "infinite": math.inf}.get(checked["slack"], checked["slack"]))
    checked["status"] = Status(checked["status"])
    if checked.get("targets") is not None:
        checked["targets"] = tuple(tuple(names) for names in checked["targets"])
    return checked


def _well_formed(facts: dict[Any, Any]) -> bool:
    if not _NEEDED <= facts.keys() <= _NEEDED | _OPTIONAL:
        return False
    slack, limit, digest = facts["slack"], facts["max_parents"], facts["data_digest"]
    names, targets = facts.get("names"), facts.get("targets")
    return (
        (slack is None or slack == "infinite" or (_is_number(slack) and 0 <= slack < LARGEST_SLACK))
        and (limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and 0 <= limit < 2**31))
        and isinstance(facts["score"], dict)
        and (digest is None or isinstance(digest, str))
        and isinstance(facts.get("constraints"), dict | None)
        and isinstance(facts.get("equivalent"), bool | None)
        and (targets is None or (isinstance(targets, list) and all(map(_are_names, targets))))
        and isinstance(facts["status"], str)
        and facts["status"] in {str(status) for status in Status}
        and (names is None or _are_names(names))
    )


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# What a search may ask of a table: how far its guarantee reaches, and for which required arcs.
#
# A table holds the parent sets that can matter within its slack: a set P was dropped if a subset Q scores so much
# better that putting Q in its place improves every network by more than the slack. Forbidden arcs and parent limits
# that come later do no harm, because a subset of an allowed set is allowed. A *required* arc does: Q may lack it while
# P has it, so that a network which needs P is missing. A table is therefore complete only for required arcs that it
# was built for, or if nothing was dropped (infinite slack).


VOUCH = Either("table.vouched()", Argument("trust_table", True))


def check_slack(table: ParentSetTable, slack: float, what: str) -> None:
    """Refuse a table that does not hold every parent set that a network within the slack can have."""
    if table.slack >= slack - 1e-12:
        return
    enough = math.ceil(slack * 1e4) / 1e4  # rounded down it would be refused again
    rebuild = Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", enough, shown=f"{enough:.10g}")))
    if math.isnan(table.slack):
        raise errors.GuaranteeError(
            f"{what} needs a table with slack >= {slack:.4g}; this one does not say what it has, like a file made "
            "elsewhere.",
            remedies=(rebuild, Remedy("vouch for it with", VOUCH)),
        )
    raise errors.GuaranteeError(
        f"{what} needs a table with slack >= {slack:.4g}; this one has {table.slack:.4g}.", remedies=rebuild
    )


def check_required(table: ParentSetTable, constraints: Constraints | None) -> None:
    """Refuse required arcs that the table was not built for."""
    if constraints is None or table.slack == math.inf:
        return
    missing = [arc for arc in constraints.required if arc not in table.required_arcs]
    if not missing:
        return
    arcs = ", ".join(f"{tail} -> {head}" for tail, head in missing[:3]) + (", ..." if len(missing) > 3 else "")
    rebuild = Remedy("rebuild it with", REBUILT)
    vouch = Remedy("vouch for it with", VOUCH, only_if="it holds every parent set")
    raise errors.GuaranteeError(
        f"the table was not built for the required arcs {arcs}: sets that they need may have been dropped from it.",
        remedies=(rebuild, vouch) if math.isnan(table.slack) else rebuild,
    )


# Tables as text: the "jkl" format of GOBNILP, CPBayes and ELSA, read and written natively.
#
# The file has the number of variables, then for each variable a line ``name number-of-parent-sets`` and one line
# ``score number-of-parents parent ...`` per set. Lines that start with ``#`` are comments; arcwise writes the table's
# guarantee into them and reads it back, other programs ignore it.


_MARK = "arcwise parent sets: "


def read_jkl(path: str | os.PathLike[str]) -> ParentSetTable:
    """Read a table in jkl format, plain or gzip.

    Names are any words; where they are the numbers 0 .. n-1, a variable's index is its number, otherwise the position
    of its block. A file that arcwise wrote has its guarantee, score and data digest in comments; for any other file
    they are unknown (`slack` is NaN).

    Raises
    ------
    FormatError
        If the file is malformed; the message names the line.
    """
    return parse_jkl(read_bytes(path), source=str(path))


def write_jkl(path: str | os.PathLike[str], table: ParentSetTable) -> None:
    """Write a table in jkl format, atomically; a name that ends in .gz is compressed."""
    write_bytes(path, format_jkl(table))


def parse_jkl(content: bytes, *, source: str = "jkl text") -> ParentSetTable:
    """Return the table in `content`; `source` names it in error messages."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{source}, line {line}: not UTF-8 text, so not a jkl file.") from None
    names, arrays, comments, line, mistake = _core.parent_sets.parse_jkl(content)
    if mistake:
        raise FormatError(f"{source}, line {line}: {mistake}.")
    facts = _facts(comments, source)
    written_names = facts.pop("names", None)
    if written_names is not None and len(written_names) == len(names):
        names = written_names
        if len(set(names)) < len(names):
            raise FormatError(f"{source}: a name occurs twice in the comment '# {_MARK}...'. Write the file again.")
    complaint = f"{source}: the constraints in the comment '# {_MARK}...' were edited. Write the file again."
    facts["constraints"] = read_constraints_of(facts, names, complaint)
    return _validated(ParentSetTable(tuple(names), *arrays, **facts), source)


def format_jkl(table: ParentSetTable) -> bytes:
    """Return the table as jkl text; scores have the fewest digits that read back as the same number.

    A name that is not one word (it has a blank, is empty or starts with ``#``) cannot be written in this format: such a
    table is written with the numbers of its variables, and the names go into a comment.
    """
    facts = facts_of(table)
    names = list(table.names)
    # Names that are the numbers 0 .. n-1 in another order would be taken for positions.
    numbers = [str(v) for v in range(len(names))]
    shuffled = names != numbers and sorted(names) == sorted(numbers)
    if shuffled or not all(_is_word(name) for name in names):
        facts["names"] = names
        names = numbers
    comments = [_MARK + json.dumps(facts)]
    if not math.isnan(table.slack):
        size = "any number of" if table.max_parents is None else f"at most {table.max_parents}"
        within = f"{table.slack:.6g} of the optimum (natural log)"
        comments.append(f"every set of {size} parents that is in a network within {within}")
    return _core.parent_sets.format_jkl(table.native, names, comments)


def _is_word(name: str) -> bool:
    """Return whether a name can stand in the file as it is: one word, no comment, valid Unicode."""
    return name.split() == [name] and not name.startswith("#") and not re.search("[\\0\ud800-\udfff]", name)


def _facts(comments: list[str], source: str) -> dict[str, Any]:
    """Return what arcwise wrote about the table, checked, or nothing if it did not write the file."""
    for comment in comments:
        if not comment.startswith(_MARK):
            continue
        complaint = f"{source}: the comment '# {_MARK}...' was edited. Remove it, or write the file again."
        try:
            facts = parse_json(comment.removeprefix(_MARK), source=source)
        except FormatError:
            raise FormatError(complaint) from None
        return read_facts(facts, complaint)
    return {}


# Tables as compact binary files (.arct): scores in full precision, members in the fewest bytes, and a checksum.


KIND = "arcwise-parent-sets 1"


def format_binary(table: ParentSetTable) -> bytes:
    """Return the table as the content of an .arct file."""
    return format_array_file(
        KIND,
        {**facts_of(table), "names": list(table.names)},
        {
            "rows": _narrow(np.diff(table.node_offsets)),
            "sizes": _narrow(np.diff(table.set_offsets)),
            "members": _narrow(table.members),
            "scores": table.scores,
        },
    )


def parse_binary(content: bytes, *, source: str = "arct content") -> ParentSetTable:
    """Return the table in `content`; a file that is truncated, edited or of another kind is a FormatError."""
    facts, arrays = parse_array_file(content, KIND, source=source)
    checked = read_facts(facts, f"{source}: malformed facts.")
    names = checked.pop("names", None)
    if names is None or arrays.keys() != {"rows", "sizes", "members", "scores"}:
        raise FormatError(f"{source}: malformed: not the arrays of a parent-set table.")
    rows, sizes, members, scores = (arrays[name] for name in ("rows", "sizes", "members", "scores"))
    is_table = (
        scores.dtype == np.float64
        and scores.ndim == 1
        and _are_numbers(rows, most=len(scores))
        and _are_numbers(sizes, most=len(members))
        and _are_numbers(members, most=len(names))
    )
    if not is_table:
        raise FormatError(f"{source}: malformed: an array is not what a parent-set table has. Write the file again.")
    checked["constraints"] = read_constraints_of(checked, names, f"{source}: malformed constraints.")
    arrays_of = offsets_of(rows), scores, offsets_of(sizes), members.astype(np.int32)
    return _validated(ParentSetTable(tuple(names), *arrays_of, **checked), source)


def _validated(table: ParentSetTable, source: str) -> ParentSetTable:
    try:
        table.validate()
    except FormatError as error:
        raise error.within(f"{source}:") from None
    return table


def read_parent_sets(path: str | os.PathLike[str]) -> ParentSetTable:
    """Read a table in any format that arcwise knows, recognised by its content: .arct or jkl, plain or gzip."""
    return parse_parent_sets(read_bytes(path), source=str(path))


def parse_parent_sets(content: bytes, *, source: str = "content") -> ParentSetTable:
    """Return the table in `content`, in .arct or jkl format; `source` names it in error messages."""
    if is_array_file(content):
        return parse_binary(content, source=source)
    return parse_jkl(content, source=source)


FORMATS = {".arct": format_binary, ".jkl": format_jkl}


def write_parent_sets(path: str | os.PathLike[str], table: ParentSetTable) -> None:
    """Write a table, atomically, in the format of the name: .arct or .jkl, either with .gz."""
    suffixes = [suffix for suffix in Path(path).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        raise FormatError(f"cannot write {path}: a table's name ends in .arct, .jkl, .arct.gz or .jkl.gz.")
    write_bytes(path, FORMATS[suffix](table))


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    largest = int(values.max()) if len(values) else 0
    return values.astype(next((kind for kind in ("<u1", "<u2", "<u4") if largest <= np.iinfo(kind).max), "<i8"))


def _are_numbers(values: NDArray[Any], *, most: int) -> bool:
    """Return whether an array is a list of integers from 0 to `most`; checked before they are added up or narrowed."""
    return (
        values.ndim == 1
        and values.dtype.kind in "ui"
        and (len(values) == 0 or (int(values.min()) >= 0 and int(values.max()) <= most))
    )

"""`Constraints`: what the analyst knows about the structure before seeing the data."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import (
    Argument,
    Call,
    ConstraintError,
    FormatError,
    GraphError,
    Remedy,
    check_known,
    errors_within,
    suggestion,
)
from arcwise.base.files import csv_rows, parse_json, parse_toml, read_text, write_text
from arcwise.base.showing import one_screen
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import Node, bits, read_link, to_words
from arcwise.graph.statements import (
    LISTS,
    Arc,
    Stated,
    Statement,
    StatementKind,
)

if TYPE_CHECKING:
    import pandas as pd


# Constraints as a table with the columns from, to and kind: a DataFrame, or a CSV file.
#
# | kind | from | to |
# |---|---|---|
# | required, forbidden, allowed, ancestor, non_ancestor | the parent, or x | the child, or y |
# | separate | one variable | the other |
# | root, leaf | the variable | empty |
# | tier | the variable | the number of its tier, earliest first |
# | group | the variable | the name of the group |
# | max_parents | the variable, or empty for all | the most parents |


COLUMNS = ("from", "to", "kind")
# The words of the column kind, and the option that each is for.
SYNONYMS = {"whitelist": "required", "blacklist": "forbidden"}
TABLE_PAIRS = {name: name for name in ("required", "forbidden", "allowed", "separate")} | SYNONYMS
TABLE_PAIRS |= {"ancestor": "ancestors", "non_ancestor": "non_ancestors"}
SINGLES = {"root": "roots", "leaf": "leaves"}
KINDS = (*TABLE_PAIRS, *SINGLES, "tier", "group", "max_parents")
PLURALS = {f"{kind}s": kind for kind in ("ancestor", "non_ancestor", "root", "tier", "group")} | {"leaves": "leaf"}

Row = tuple[object, ...]  # from, to, kind


def rows_of_csv(text: str, *, source: str) -> list[Row]:
    """Return the rows of a CSV file with the columns from, to and kind."""
    (_, header), *rows = csv_rows(text, source=source, expected="the columns from, to and kind are needed")
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise FormatError(f"{source}: the columns from, to and kind are needed; '{missing[0]}' is not there.")
    for line, row in rows:
        if len(row) != len(header):
            raise FormatError(f"{source}, line {line}: damaged: more or fewer fields than the header has.")
    return [tuple(row[header.index(column)] for column in COLUMNS) for _, row in rows]


def options_from_rows(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the keywords of `Constraints` that rows with from, to and kind stand for."""
    options: dict[str, Any] = {}
    tiers: dict[int, list[str]] = {}
    groups: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=1):
        first, second, kind = map(_text, row)
        where = f"row {number}"
        kind = PLURALS.get(kind, kind)
        if kind not in KINDS:
            raise ConstraintError(f"{where}: {suggestion('kind', kind, KINDS)}")
        _check_ends(where, kind, first, second)
        if kind in TABLE_PAIRS:
            options.setdefault(TABLE_PAIRS[kind], []).append((first, second))
        elif kind in SINGLES:
            options.setdefault(SINGLES[kind], []).append(first)
        elif kind == "tier":
            tiers.setdefault(_integer(where, kind, second), []).append(first)
        elif kind == "group":
            groups.setdefault(second, []).append(first)
        elif first:
            options.setdefault("max_parents_of", {})[first] = _integer(where, kind, second)
        else:
            options["max_parents"] = _integer(where, kind, second)
    if tiers:
        options["tiers"] = [tiers[place] for place in sorted(tiers)]
    if groups:
        options["groups"] = list(groups.values())
    return options


def _check_ends(where: str, kind: str, first: str, second: str) -> None:
    """Refuse a row that has too little or too much for its kind."""
    if kind != "max_parents" and not first:
        raise ConstraintError(f"{where}: '{kind}' needs a variable in the column from.")
    if kind in SINGLES and second:
        raise ConstraintError(f"{where}: '{kind}' is about one variable; leave the column to empty.")
    if kind not in SINGLES and not second:
        raise ConstraintError(f"{where}: '{kind}' needs something in the column to.")


def _text(cell: object) -> str:
    """Return a cell as text; what is missing is empty."""
    if cell is None or cell != cell or (isinstance(cell, float) and math.isnan(cell)):  # noqa: PLR0124
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _integer(where: str, kind: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConstraintError(f"{where}: '{kind}' needs an integer in the column to, not '{text}'.") from None


@one_screen
@dataclass(frozen=True, eq=False)
class NativeConstraints:
    """Constraints as arrays, one row per child; a parent set P of v is allowed if it holds all of ``required[v]``.

    It must also hold nothing of ``forbidden[v]`` and have at most ``limits[v]`` members. Bits: 64 positions per word,
    lowest first.
    """

    required: NDArray[np.uint64]  # (nodes, words)
    forbidden: NDArray[np.uint64]  # (nodes, words); the node itself is forbidden
    limits: NDArray[np.int32]  # (nodes,)


GivenConstraints: TypeAlias = "Constraints | Mapping[str, Any] | pd.DataFrame | str | os.PathLike[str]"


class Constraints(Stated):
    """What every network must satisfy; what no network can is refused, with the smallest set that conflicts.

    Wherever a name is given, a pattern such as ``lab_*`` stands for all variables that it matches. bnlearn calls
    required arcs the whitelist and forbidden arcs the blacklist; see `from_lists`.

    Parameters
    ----------
    names
        The variables.
    required
        Arcs that every network must have: ``("smoke", "cough")``, or as text, ``"smoke->cough"``.
    forbidden
        Arcs that no network may have; ``"smoke--cough"`` forbids both directions.
    tiers
        Groups of variables in order of time: no arc leads from a later tier to an earlier one. As lists, or as text:
        ``"age, sex | smoke | cough"``. Variables that are in no tier are free.
    max_parents
        The largest number of parents of any variable, or None for no limit.
    max_parents_of
        Limits of single variables; they replace `max_parents` for these.
    roots, leaves
        Variables that have no parents, or no children.
    separate
        Pairs without an arc between them, in either direction.
    groups
        Sets of variables without an arc between any two of them.
    allowed
        The only arcs that a network may have; None for all.
    ancestors, non_ancestors
        Pairs (x, y): x must lead to y, or must not, by whichever path. These are about whole networks, and only
        what lists networks can obey them exactly: `find_optimal`, and credible sets that can be listed. Everything
        else refuses them.

    Examples
    --------
    >>> known = Constraints(["age", "lab_a", "lab_b"], roots=["age"], groups=[["lab_*"]])
    >>> [said.text() for said in known.statements]
    ['age has no parents', 'there is no arc between any two of lab_a, lab_b']
    >>> known.forbidden_parents("lab_a")
    ('lab_b',)
    """

    __slots__ = ()

    @classmethod
    def from_lists(
        cls,
        names: Sequence[str],
        *,
        whitelist: Iterable[Arc] | None = None,
        blacklist: Iterable[Arc] = (),
        fixed_edges: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        dialect: str = "bnlearn",
    ) -> Constraints:
        """Make constraints in the words of another library, which do not mean the same in all of them.

        Parameters
        ----------
        whitelist
            In R's bnlearn the arcs that every network has: `required`. In pgmpy 0.x (`white_list`, or `search_space` of
            its later `ExpertKnowledge`) the only arcs that a network may have: `allowed`.
        blacklist
            In both the arcs that no network has: `forbidden`.
        fixed_edges
            pgmpy's word for `required`; bnlearn has none.
        tiers
            What bnlearn's `tiers2blacklist` takes, and pgmpy's `temporal_order`; for an order of single variables
            (`ordering2blacklist`) give tiers of one variable each. A set for `set2blacklist` is one of `groups`.
        max_parents
            bnlearn's `maxp`, pgmpy's `max_indegree`.
        dialect
            Whose words they are: "bnlearn" or "pgmpy".
        """
        check_known("dialect", dialect, DIALECTS)
        required = [*fixed_edges]
        allowed = None
        if dialect == "pgmpy":
            allowed = None if whitelist is None else [*whitelist, *required]
        else:
            required += [] if whitelist is None else [*whitelist]
        return cls(names, required=required, forbidden=blacklist, tiers=tiers, max_parents=max_parents, allowed=allowed)

    @classmethod
    def of(cls, names: Sequence[str], given: GivenConstraints | None, **more: Any) -> Constraints | None:
        """Return the constraints on the variables `names`, given in any form; keywords in `more` add to them.

        It may be a table of the keywords of the class, a DataFrame, JSON or the name of a file.

        >>> Constraints.of(["age", "ill"], {"forbidden": ["ill->age"]}, tiers="age | ill").tiers
        (('age',), ('ill',))
        """
        if given is None or isinstance(given, cls):
            base = given
        elif isinstance(given, Mapping):
            base = cls(names, **{SYNONYMS.get(key, key): value for key, value in given.items()})
        elif isinstance(given, str | os.PathLike):
            inline = isinstance(given, str) and given.lstrip().startswith("{")
            base = parse_constraints(str(given), names) if inline else read_constraints(given, names)
        elif hasattr(given, "columns"):
            base = cls.from_frame(names, cast("pd.DataFrame", given))
        else:
            raise ConstraintError(
                Argument("constraints", given), "must be Constraints, a table such as {'tiers': ...}, or a file."
            )
        if not any(more.values()):
            return base
        own = cls(names, **{key: value for key, value in more.items() if value})
        return own if base is None else base.reorder(own.names).joined(own)

    @classmethod
    def from_frame(cls, names: Sequence[str], frame: pd.DataFrame) -> Constraints:
        """Make constraints of a DataFrame with the columns from, to and kind; see `constraints_from_frame`."""
        missing = [column for column in COLUMNS if column not in frame.columns]
        if missing:
            raise ConstraintError(f"constraints need the columns from, to and kind; '{missing[0]}' is not there.")
        rows = zip(*(frame[column].tolist() for column in COLUMNS), strict=True)
        return cls(names, **options_from_rows(rows))

    def reasons(self, tail: str, head: str) -> tuple[Statement, ...]:
        """Return what excludes the arc tail -> head: single statements, or all that exclude it together."""
        direct = tuple(statement for statement in self.statements if statement.forbids(tail, head))
        if direct or tail not in self.forbidden_parents(head):
            return direct
        if self._crowded_masks[self.index(head)] >> self.index(tail) & 1:
            own = self.index(head) in self._limits
            return tuple(
                statement
                for statement in self.statements
                if (statement.kind is StatementKind.REQUIRED and statement.names[1] == head)
                or (statement.kind is StatementKind.MAX_PARENTS_OF and statement.names == (head,))
                or (statement.kind is StatementKind.MAX_PARENTS and not own)
            )
        return tuple(statement for statement in self.statements if statement.kind in _LEADING)

    def without(self, statement: Statement) -> Constraints:
        """Return the constraints without one of their statements."""
        if statement not in self.statements:
            raise ConstraintError(f"this was never said: {statement.text('->')}.")
        kind, own = statement.kind, self.stated_options()
        if kind in (StatementKind.TIERS, StatementKind.ALLOWED, StatementKind.MAX_PARENTS):
            own.pop(kind.value)
        elif kind is StatementKind.MAX_PARENTS_OF:
            # A limit of all variables would take its place, and that was not said of this one.
            own[kind.value] = {**own[kind.value], statement.names[0]: self.n_nodes}
        elif kind in (StatementKind.ROOT, StatementKind.LEAF):
            own[kind.value] = [name for name in own[kind.value] if name not in statement.names]
        else:
            own[kind.value] = [members for members in own[kind.value] if members != statement.names]
        return Constraints(self._names, **own)

    def changed(self, **options: Any) -> Constraints:
        """Return the constraints with some options replaced and all others unchanged."""
        return Constraints(self._names, **{**self.stated_options(), **options})

    def joined(self, other: Constraints) -> Constraints:
        """Return what both ask for together.

        Tiers of two kinds have no common order: those of the other are kept, and of the own ones what they forbid.
        """
        if other._names != self._names:
            other = other.reorder(self._names)
        if self == other:
            return self
        mine, theirs = self.stated_options(), other.stated_options()
        both = {key: (*mine[key], *theirs[key]) for key in LISTS}
        if self.tiers and other.tiers and self.tiers != other.tiers:
            arcs = ((p, v) for v, mask in enumerate(self._tier_masks) for p in bits(mask))
            both["forbidden"] += self._name_arcs(arcs)
        limits = [most for most in (self._max_parents, other._max_parents) if most is not None]
        single = {
            self._names[v]: min(one._limit_of(v) for one in (self, other))
            for v in sorted({*self._limits, *other._limits})
        }
        return Constraints(
            self._names,
            **both,
            tiers=other.tiers or self.tiers,
            allowed=_common(self.allowed, other.allowed),
            max_parents=min(limits, default=None),
            max_parents_of=single,
        )

    # -- what follows from it -----------------------------------------------------------------------------------------

    @property
    def is_trivial(self) -> bool:
        """Whether nothing is constrained."""
        return not self.statements

    @cached_property
    def arc_part(self) -> Constraints:
        """What can be said about arcs: without the statements about ancestors, but with the arcs that they exclude."""
        if not self.is_ancestral:
            return self
        plain = self.changed(ancestors=(), non_ancestors=())
        arcs = [
            (self._names[tail], self._names[head])
            for head in range(self.n_nodes)
            for tail in bits(self.forbidden_masks[head] & ~plain.forbidden_masks[head])
        ]
        return plain.changed(forbidden=(*self.forbidden, *arcs))

    def refuse_ancestors(self, what: str) -> None:
        """Refuse statements about ancestors in the name of something that cannot obey them."""
        if self.is_ancestral:
            first = next(statement for statement in self.statements if statement.kind in _ANCESTRAL)
            raise ConstraintError(
                f"{what} cannot obey constraints on ancestors ({first.text('->')}): these are about whole networks, "
                "not about arcs.",
                remedies=(
                    Remedy("find the best network with", Call("find_optimal")),
                    Remedy("list the credible set with", Call("find_credible")),
                    Remedy("analyse the data with", Call("learn", Argument("method", "credible"))),
                    Remedy("say which arcs you mean, as required or forbidden ones"),
                ),
            )

    @cached_property
    def forbidden_masks(self) -> tuple[int, ...]:
        """For each node, the parents it cannot have, as a bit set.

        These are the arcs that a statement excludes, the node itself, and what follows from several statements: a node
        to which required arcs and ancestors lead from this one, an arc that would lead from x to y if x must not, and
        whatever is left once the required parents of a node are as many as it may have.
        """
        masks = list(self._excluded_masks)
        below = [0] * self.n_nodes  # the nodes that a node leads to, by required arcs and ancestors
        leading = [0] * self.n_nodes
        for tail, head in self._required | self._leads[StatementKind.ANCESTOR]:
            leading[head] |= 1 << tail
        order = Dag(self._names, [list(bits(mask)) for mask in leading])
        for v in reversed(order.topological_order):
            for child in order.children[v]:
                below[v] |= below[child] | 1 << child
        for x, y in self._leads[StatementKind.NON_ANCESTOR]:
            for head in (v for v in range(self.n_nodes) if v == y or below[v] >> y & 1):
                masks[head] |= below[x] | 1 << x
        return tuple(mask | below[v] | self._crowded_masks[v] for v, mask in enumerate(masks))

    @cached_property
    def _crowded_masks(self) -> tuple[int, ...]:
        """For each node that needs as many parents as its limit allows, perhaps none, all others."""
        everything = (1 << self.n_nodes) - 1
        return tuple(
            everything & ~mask if mask.bit_count() == self._limits.get(v, self._max_parents) else 0
            for v, mask in enumerate(self.required_masks)
        )

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """For each node, the most parents it can have: its limit, or fewer if too many parents are forbidden."""
        return tuple(
            min(self._limit_of(v), self.n_nodes - mask.bit_count()) for v, mask in enumerate(self.forbidden_masks)
        )

    @property
    def largest_limit(self) -> int | None:
        """The limit of parents that holds for every variable: the largest that one of them has; None if one has none.

        It is that of all variables, unless single ones may have more.
        """
        return None if self._max_parents is None else max(self._max_parents, *self._limits.values(), 0)

    @property
    def most_required(self) -> int:
        """The largest number of parents that are required of one node."""
        return max((required.bit_count() for required in self.required_masks), default=0)

    def required_parents(self, child: Node) -> tuple[str, ...]:
        """Return the parents that a node must have."""
        return tuple(self._names[p] for p in bits(self.required_masks[self.index(child)]))

    def forbidden_parents(self, child: Node) -> tuple[str, ...]:
        """Return the parents that a node cannot have, itself left out."""
        v = self.index(child)
        return tuple(self._names[p] for p in bits(self.forbidden_masks[v] & ~(1 << v)))

    def max_parents_of(self, child: Node) -> int:
        """Return the most parents that a node can have."""
        return self.limits[self.index(child)]

    def allows(self, child: Node, parents: Iterable[Node]) -> bool:
        """Return whether a node may have exactly these parents."""
        v, mask = self.index(child), self._mask(parents)
        required, forbidden = self.required_masks[v], self.forbidden_masks[v]
        return not (required & ~mask or forbidden & mask) and mask.bit_count() <= self.limits[v]

    def allows_dag(self, dag: Dag) -> bool:
        """Return whether a DAG over the same variables satisfies all constraints."""
        return not self.violations(dag)

    def violations(self, dag: Dag) -> list[str]:
        """Return one sentence for every constraint that a DAG over the same variables breaks."""
        if dag.names != self._names:
            dag = dag.reorder(self._names)
        found = self._broken_by_arcs(dag.parent_masks, dag.parent_masks, [*map(self._limit_of, range(self.n_nodes))])
        for kind, pairs in self._leads.items():
            for x, y in sorted(pairs):
                if (self._names[y] in dag.descendants(x)) != (kind is StatementKind.ANCESTOR):
                    verb = "does not lead" if kind is StatementKind.ANCESTOR else "leads"
                    found.append(f"'{self._names[x]}' {verb} to '{self._names[y]}'")
        return found

    def _broken_by_arcs(self, sure: Sequence[int], possible: Sequence[int], limits: Sequence[int]) -> list[str]:
        """Return one sentence for every arc that is missing or not allowed, and for every node with too many parents.

        `sure` has the parents of each node, `possible` also those that it would have if undirected edges were turned.
        """
        found: list[str] = []
        for v, (parents, some, limit) in enumerate(zip(sure, possible, limits, strict=True)):
            found += [f"{a} is missing" for a in self._arc_names(v, self.required_masks[v] & ~parents)]
            found += [f"{a} is not allowed" for a in self._arc_names(v, self.forbidden_masks[v] & some)]
            if parents.bit_count() > limit:
                found.append(f"'{self._names[v]}' has {parents.bit_count()} parents, at most {limit} are allowed")
        return found

    def native(self) -> NativeConstraints:
        """Return the constraints as arrays, for filters that run over millions of parent sets."""
        return NativeConstraints(
            required=to_words(self.required_masks, self.n_nodes),
            forbidden=to_words(self.forbidden_masks, self.n_nodes),
            limits=np.array(self.limits, dtype=np.int32),
        )

    def reorder(self, names: Sequence[str]) -> Constraints:
        """Return the same constraints with the variables in another order."""
        self._new_positions(names)
        return Constraints(names, **self.stated_options())

    def __reduce__(self) -> tuple[object, ...]:
        return (Constraints.from_description, (self._names, self.stated_options()))

    @classmethod
    def from_description(cls, names: Sequence[str], facts: Mapping[str, Any]) -> Constraints:
        """Make the constraints that `describe` described, on the variables `names`."""
        return cls(names, **facts)

    def _arc_names(self, child: int, parents: int) -> list[str]:
        return [f"{self._names[p]} -> {self._names[child]}" for p in bits(parents)]


DIALECTS = ("bnlearn", "pgmpy")
_ANCESTRAL = (StatementKind.ANCESTOR, StatementKind.NON_ANCESTOR)
_LEADING = (StatementKind.REQUIRED, *_ANCESTRAL)


def _common(one: tuple[Arc, ...] | None, other: tuple[Arc, ...] | None) -> tuple[Arc, ...] | None:
    """Return the arcs that both allow."""
    if one is None or other is None:
        return other if one is None else one
    return tuple(arc for arc in one if arc in other)


def constraints_from_frame(names: Sequence[str], frame: pd.DataFrame) -> Constraints:
    """Make constraints on the variables `names` of a DataFrame with the columns from, to and kind.

    Kinds are required, forbidden, allowed, separate, ancestor, non_ancestor (from and to are variables), root and leaf
    (from is the variable), tier and group (to is the number of the tier or the name of the group), and max_parents
    (to is the limit; from is empty for all variables).

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"from": ["age", "smoke"], "to": [None, "lung"], "kind": ["root", "required"]})
    >>> constraints_from_frame(["age", "smoke", "lung"], rows)
    Constraints(3 nodes: 1 required, 0 forbidden, 0 tiers, 1 roots)
    """
    return Constraints.from_frame(names, frame)


# Files of constraints: JSON or TOML, or a CSV file with the columns from, to and kind; by suffix.
#
# required = [["smoke", "cancer"]]         # or: whitelist
# forbidden = [["cancer", "lab_*"]]        # or: blacklist; names may be patterns
# tiers = [["age", "sex"], ["smoke"]]
# roots = ["age"]                          # no parents
# leaves = ["death"]                       # no children
# separate = [["lab_a", "lab_b"]]          # no arc between the two
# groups = [["lab_*"]]                     # no arc between any two
# allowed = [["smoke", "cancer"]]          # no other arc
# ancestors = [["smoke", "death"]]         # smoke leads to death, by whichever path
# non_ancestors = [["sex", "smoke"]]       # sex does not lead to smoke
# max_parents = 4
# max_parents_of = { cancer = 2 }


KEYS = tuple(kind.value for kind in StatementKind)
FILE_PAIRS = ("required", "forbidden", "allowed", "separate", "ancestors", "non_ancestors")


def read_constraints(path: str | os.PathLike[str], names: Sequence[str]) -> Constraints:
    """Read constraints on the variables `names` from a .json, .toml or .csv file."""
    content = read_table_file(path, "constraints are read from a .json, .toml or .csv file.")
    if isinstance(content, str):
        rows = rows_of_csv(content, source=str(path))
        with errors_within(f"{path}:"):
            return Constraints(names, **options_from_rows(rows))
    return _from_content(content, names, str(path))


def parse_constraints(text: str, names: Sequence[str]) -> Constraints:
    """Read constraints on the variables `names` from JSON text, as the record of a run has them."""
    return _from_content(parse_json(text, source="the constraints"), names, "the constraints")


def read_table_file(path: str | os.PathLike[str], rule: str) -> Any:
    """Return what a .json or .toml file holds, and of a .csv file the text, plain or gzip; `rule` refuses others."""
    name = str(path)
    suffix = Path(name.removesuffix(".gz")).suffix
    if suffix not in (".json", ".toml", ".csv"):
        raise FormatError(f"{path}: {rule}")
    text = read_text(path)
    if suffix == ".csv":
        return text
    return parse_toml(text, source=name) if suffix == ".toml" else parse_json(text, source=name)


def _from_content(content: object, names: Sequence[str], source: str) -> Constraints:
    if not isinstance(content, dict):
        raise FormatError(f"{source}: a table with the keys {', '.join(KEYS)} is needed.")
    options: dict[str, Any] = {}
    for key, value in content.items():
        name = SYNONYMS.get(key, key)
        if name not in KEYS:
            raise FormatError(f"{source}: {suggestion('key', key, (*KEYS, *SYNONYMS))}")
        if name in options:
            raise FormatError(f"{source}: '{key}' says the same as another key; keep one of the two.")
        options[name] = value
        _check_shape(name, value, source)
    with errors_within(f"{source}:"):
        return Constraints(names, **options)


def _check_shape(key: str, value: Any, source: str) -> None:
    """Refuse a value that is not a list, or a list of lists, where the key needs one."""
    if key in ("roots", "leaves") and not isinstance(value, list):
        raise FormatError(f"{source}: {key} must be a list of names.")
    if key == "max_parents_of" and not isinstance(value, dict):
        raise FormatError(f"{source}: max_parents_of must be a table of names and limits.")
    if key in (*FILE_PAIRS, "tiers", "groups") and not (key == "tiers" and isinstance(value, str)):
        rows: list[Any] = value if isinstance(value, list) else [None]
        rows = [row for row in rows if not (key in FILE_PAIRS and isinstance(row, str) and read_link(row, ()))]
        lists = all(isinstance(row, list) and all(isinstance(name, str) for name in row) for row in rows)
        if not lists or (key in FILE_PAIRS and any(len(row) != 2 for row in rows)):
            what = "pairs [parent, child] of names, or texts 'parent->child'" if key in FILE_PAIRS else "lists of names"
            raise FormatError(f"{source}: {key} must be a list of {what}.")


def write_constraints(path: str | os.PathLike[str], constraints: Constraints) -> None:
    """Write constraints to a .json file."""
    if not str(path).removesuffix(".gz").endswith(".json"):
        raise FormatError(f"{path}: constraints are written as JSON; end the name in .json.")
    write_text(path, json.dumps(constraints.describe(), indent=2, ensure_ascii=False) + "\n")


# The last look before a network is written: no file may break what the analyst has said.
#
# Every stage keeps the constraints by itself. If one of them ever did not, it must not be found out by a reader of the
# file: what is written goes through `assert_obeys` first.


MOST_OPEN = 10  # with at most this many undirected edges, all orientations are tried


def broken_rules(graph: Dag | Pdag, constraints: Constraints) -> list[str]:
    """Return one sentence for every constraint that a graph breaks.

    An undirected edge breaks a constraint if one of its directions does. Ancestors are checked in every orientation of
    the undirected edges without a cycle or a new v-structure. With more than a few edges not all orientations are
    tried, and the graph counts as breaking the constraint.

    >>> broken_rules(Pdag.from_edges(["a", "b"], edges=[("a", "b")]), Constraints(["a", "b"], tiers=[["a"], ["b"]]))
    ['b -> a is not allowed']
    """
    if isinstance(graph, Dag):
        return constraints.violations(graph)
    if graph.names != constraints.names:
        graph = graph.reorder(constraints.names)
    possible = [a | b for a, b in zip(graph.parent_masks, graph.neighbour_masks, strict=True)]
    found = constraints._broken_by_arcs(graph.parent_masks, possible, constraints.limits)
    return found + (_broken_paths(graph, constraints) if constraints.is_ancestral and not found else [])


def _broken_paths(graph: Pdag, constraints: Constraints) -> list[str]:
    """Return what the first way of directing the undirected edges breaks that leads where it must not, or fails to."""
    edges = [(graph.names.index(a), graph.names.index(b)) for a, b in graph.edges]
    if len(edges) > MOST_OPEN:
        return [f"{len(edges)} undirected edges leave open which variable leads to which"]
    for turned in itertools.product((1, -1), repeat=len(edges)):
        parents = [set(own) for own in graph.parents]
        for edge, step in zip(edges, turned, strict=True):
            tail, head = edge[::step]
            parents[head].add(tail)
        try:
            dag = Dag(graph.names, parents)
        except GraphError:
            continue
        makes_new = set(dag.v_structures) - set(graph.v_structures)
        if not makes_new and (broken := constraints.violations(dag)):
            return broken
    return []


def assert_obeys(graph: Dag | Pdag, constraints: Constraints | None) -> None:
    """Raise an AssertionError if a graph that is about to be written breaks a constraint: a defect of arcwise."""
    broken = [] if constraints is None else broken_rules(graph, constraints)
    if broken:
        raise AssertionError(f"a network was not written, because it breaks a constraint: {broken[0]}")

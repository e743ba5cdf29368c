"""What the fields of a `Dataset` must be: names, states, codes, weights, targets; and the copying of codes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import Argument, DataError, DataWarning, FormatError, Remedy, suggestion
from arcwise.base.showing import one_screen
from arcwise.data.column import Column, code_type, numbers_of, quoted

if TYPE_CHECKING:
    from arcwise.data.columns import Columns
    from arcwise.data.dataset import Dataset


# Between the variables of one row, in a column that names them. Names such as "CD4+" rule out the plus sign.
SEPARATOR = ";"
# What the column is called in files that are written.
COLUMN = "interventions"
# Labels that most likely stand for rows in which nothing was set.
UNTREATED = re.compile(
    r"\b(control|ctrl|none|nothing|untreated|observ\w*|baseline|vehicle|placebo|wild.?type|wt)\b", re.I
)

Conditions = Mapping[str, str | Iterable[str]]

ALLOWED = (
    "they are a mask of booleans, of shape (rows, variables) or a data frame with variables as columns, or for each "
    "row a name, several names, or None"
)


@one_screen
@dataclass(frozen=True, eq=False)
class Targets:
    """The sets of variables that were set together, and which of the sets was set in each row.

    In a row in which a variable was set, its value says nothing about its causes: the experimenter chose it. Everything
    that estimates or scores a variable given its parents leaves these rows out, and keeps them for all other variables
    (Cooper and Yoo, UAI 1999). So a data set needs to know no more of an experiment than its targets; values that were
    set are values like any other.

    Parameters
    ----------
    sets
        Different sets of names, each sorted; () stands for rows in which nothing was set.
    of_row
        For each row, the position of its set.

    Examples
    --------
    >>> targets = Targets.of_rows([None, "b", ["b", "a"], "b"])
    >>> targets.sets, targets.of_row.tolist()
    (((), ('b',), ('a', 'b')), [0, 1, 2, 1])
    """

    sets: tuple[tuple[str, ...], ...]
    of_row: NDArray[np.int32]

    def __post_init__(self) -> None:
        """Bring the sets into one order, those that occur only, so that equal targets have equal fields."""
        given = [tuple(sorted(set(names))) for names in self.sets]
        rows = np.asarray(self.of_row)
        if rows.ndim != 1 or (rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < len(given)):
            raise DataError(f"targets need the position of one of their {len(given)} sets for each row.")
        occurring = {given[k] for k in np.unique(rows).tolist()}
        ordered = sorted(occurring, key=lambda names: (len(names), names))
        place = np.array([ordered.index(names) if names in occurring else 0 for names in given], dtype=np.int32)
        of_row = place[rows] if given else np.zeros(len(rows), dtype=np.int32)
        of_row.flags.writeable = False
        object.__setattr__(self, "sets", tuple(ordered))
        object.__setattr__(self, "of_row", of_row)

    @classmethod
    def of(cls, given: object, names: Sequence[str]) -> Targets:
        """Make targets of whatever `Dataset.with_targets` takes.

        Raises
        ------
        DataError
            If it is neither targets, nor a mask, nor one entry per row.
        """
        if isinstance(given, Targets):
            return given
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            raise DataError(f"targets cannot be read from {given!r:.60}; {ALLOWED}.")
        if hasattr(given, "columns"):
            return cls.of_frame(given, names)
        if isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "biuf":
            return cls.of_mask(given, names)
        rows = list(given)
        width = {len(row) if isinstance(row, list | tuple | np.ndarray) else -1 for row in rows}
        if len(width) == 1 and min(width) > 0:
            table = np.array([list(row) for row in rows], dtype=object)
            if not any(isinstance(value, str) for value in table.flat):
                return cls.of_mask(table, names)
        return cls.of_rows(rows)

    @classmethod
    def of_rows(cls, rows: Iterable[str | Iterable[str] | None]) -> Targets:
        """Make targets of one entry per row: a name, or several names; None, a missing value or "" for nothing."""
        known: dict[tuple[str, ...], int] = {}
        of_row = []
        for row, entry in enumerate(rows):
            is_one = isinstance(entry, str | bytes | Mapping) or not isinstance(entry, Iterable)
            several: list[Any] = [] if entry is None or _is_missing(entry) else [entry] if is_one else [*entry]
            if not all(isinstance(name, str) for name in several):
                raise DataError(f"the targets of row {row} cannot be read from {entry!r:.60}; {ALLOWED}.")
            names = tuple(sorted({name for name in several if name}))
            of_row.append(known.setdefault(names, len(known)))
        return cls(tuple(known), np.array(of_row, dtype=np.int32))

    @classmethod
    def of_frame(cls, frame: Any, names: Sequence[str]) -> Targets:
        """Make targets of a data frame of booleans whose columns are variables; those without a column were not set."""
        columns = [str(column) for column in frame.columns]
        if len(set(columns)) < len(columns):
            raise DataError("a mask of targets has a column twice; each variable has one at most.")
        for column in columns:
            if column not in names:
                raise DataError(
                    f"a mask of targets has a column that is no variable. {suggestion('variable', column, names)}"
                )
        mask = np.zeros((len(frame), len(names)), dtype=object)
        mask[:, [list(names).index(column) for column in columns]] = frame.to_numpy(dtype=object)
        return cls.of_mask(mask, names)

    @classmethod
    def of_mask(cls, mask: ArrayLike, names: Sequence[str]) -> Targets:
        """Make targets of a table of booleans, or 0 and 1, shape (rows, variables): True where it was set."""
        given = np.asarray(mask)
        if given.ndim != 2 or given.shape[1] != len(names):
            raise DataError(
                f"a mask of targets is an array of booleans of shape (rows, {len(names)} variables), "
                f"not of shape {given.shape}."
            )
        if given.dtype != bool:
            fits = np.isin(given, (0, 1)) if given.dtype.kind in "iuf" else np.vectorize(_is_flag, otypes=[bool])(given)
            if not bool(fits.all()):
                row, v = (int(i) for i in np.argwhere(~fits)[0])
                raise DataError(
                    f"a mask of targets says {given[row, v]} for '{names[v]}' in row {row}; it has True or 1 where the "
                    "variable was set, and False or 0 where it was not."
                )
            given = given.astype(bool)
        patterns, of_row = np.unique(given, axis=0, return_inverse=True)
        sets = tuple(tuple(name for name, was_set in zip(names, row, strict=True) if was_set) for row in patterns)
        return cls(sets, of_row.reshape(-1).astype(np.int32))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that were set in some row, sorted."""
        return tuple(sorted({name for names in self.sets for name in names}))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was set in any row: the data are observations."""
        return not any(self.sets)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.of_row)

    def rows_without(self, name: str) -> NDArray[np.bool_]:
        """Return for each row whether the variable was left alone."""
        return np.array([name not in names for names in self.sets], dtype=bool)[self.of_row]

    def among(self, names: Iterable[str]) -> Targets:
        """Return the targets among some variables; a row in which only others were set counts as an observation."""
        kept = set(names)
        return Targets(tuple(tuple(n for n in own if n in kept) for own in self.sets), self.of_row)

    def take(self, rows: NDArray[Any]) -> Targets:
        """Return the targets of some rows: positions, or a mask of booleans."""
        return Targets(self.sets, self.of_row[rows])

    def column(self) -> Column:
        """Return the targets as a column of labels, as files have it: empty where nothing was set."""
        labels = [SEPARATOR.join(names) for names in self.sets if names]
        first = 0 if () in self.sets else -1  # the empty set comes first, and is a gap
        codes = np.where(self.of_row == first, len(labels), self.of_row - (first + 1))
        return Column(COLUMN, codes.astype(np.uint32), tuple(labels), declared=True)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.number) and value in (0, 1)


def _is_missing(entry: object) -> bool:
    """Return whether an entry is a missing value: NaN, or pandas' NA and NaT."""
    if isinstance(entry, float | np.floating):
        return bool(np.isnan(entry))
    return type(entry).__name__ in ("NAType", "NaTType")


def table_targets(table: Columns, column: Column, conditions: Conditions | None) -> Targets:
    """Read the targets from a column whose labels are variables, several with ``;`` between them, or conditions.

    Raises
    ------
    DataError
        If a label is neither a variable nor a condition that was explained.
    """
    known = checked_conditions(conditions or {})
    names = set(table.names) - {column.name}
    for label, explained in known.items():
        for name in explained:
            if name not in names:
                raise DataError(
                    *table.place_parts,
                    Argument("conditions"),
                    f"says that '{label}' sets '{name}'. {suggestion('column', name, sorted(names))}",
                )
    sets: list[tuple[str, ...]] = []
    unexplained: dict[str, int] = {}  # with the first row that has it
    used: set[str] = set()
    for code, label in enumerate(column.labels):
        own: list[str] = []
        for part in [label] if label in known or label in names else [p.strip() for p in label.split(SEPARATOR)]:
            if part in known:
                own += known[part]
                used.add(part)
            elif part in names:
                own.append(part)
            elif part:
                unexplained.setdefault(part, int(np.argmax(column.codes == code)))
        sets.append(tuple(own))
    if unexplained:
        raise _unexplained(table, column, unexplained)
    if unused := sorted(known.keys() - used):
        listed = ", ".join(f"'{label}'" for label in unused)
        warnings.warn(
            f"{table.prefix}column '{column.name}' nowhere says {listed}, of which the conditions tell what it sets; "
            f"it says {quoted(column.labels, 8)}.",
            DataWarning,
            stacklevel=2,
        )
    return Targets((*sets, ()), column.codes.astype(np.int64).astype(np.int32))


def _unexplained(table: Columns, column: Column, labels: Mapping[str, int]) -> DataError:
    """Return the error for labels that are neither variables nor conditions, with what to write for all of them."""
    first = next(iter(labels))
    others = [label for label in labels if label != first]
    also = f" So it is with {quoted(others, 8)}." if others else ""
    proposal = {label: "" if UNTREATED.search(label) else "VARIABLE" for label in labels}
    return DataError(
        f"{table.prefix}column '{column.name}' says '{first}' in {table.where(labels[first])}, which is neither a "
        f"variable nor a condition that was explained.{also}",
        remedies=(
            Remedy(
                "say which variables each condition sets, and nothing for those that set none:",
                Argument("conditions", proposal),
            ),
        ),
    )


def checked_conditions(conditions: Conditions | Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return what each condition sets; given as a mapping, or as texts ``condition=variable;variable``."""
    if not isinstance(conditions, Mapping):
        pairs = [text.partition("=") for text in conditions]
        if wrong := [name for name, sign, _ in pairs if not (sign and name.strip())]:
            raise DataError(
                Argument("conditions", wrong[0]), f"must be of the form CONDITION=VARIABLE{SEPARATOR}VARIABLE."
            )
        conditions = {name.strip(): value for name, _, value in pairs}
    found = {}
    for name, value in conditions.items():
        parts = value.split(SEPARATOR) if isinstance(value, str) else list(value)
        found[str(name)] = tuple(sorted({part.strip() for part in parts if part.strip()}))
    return found


def refuse_targets(data: Dataset, what: str) -> None:
    """Raise a DataError for a computation that has no meaning, or no method here, where variables were set."""
    if data.targets is not None:
        raise DataError(
            f"{what} is for observations, and variables were set in some rows of these data "
            f"({', '.join(data.targets.names[:6])}).",
            remedies=(
                Remedy("take the rows in which nothing was set: data.observations()"),
                Remedy("treat set values as observed: data.with_targets(None)"),
            ),
        )


# The names of columns, as headers have them.


def completed_header(fields: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return a name for every column, and for those that got it here the reason: empty fields, and repeated names.

    Every reader's names come from here, without the blanks around them, of which Unicode has many. pandas writes its
    index under an empty name, and joins of two tables repeat names.

    >>> completed_header(["", "age\u00a0", "age"])
    (['column 1', 'age', 'age (2)'], {'column 1': 'its header is empty', 'age (2)': "column 2 is called 'age', too"})
    """
    names: list[str] = []
    renamed: dict[str, str] = {}
    fields = [field.strip() for field in fields]
    taken, first = set(fields), dict[str, int]()
    free: dict[str, int] = {}  # for each field that is renamed, the first number that may be free
    for position, own in enumerate(fields, start=1):
        if own and first.setdefault(own, position) == position:
            names.append(own)
            continue
        base, number = (own, 2) if own else ("column", position)
        spelled = f"{base} ({number})" if own else f"{base} {number}"
        if spelled in taken:
            number = max(number + 1, free.get(own, 0))
            while (spelled := f"{base} ({number})") in taken:
                number += 1
            free[own] = number + 1
        taken.add(spelled)
        names.append(spelled)
        renamed[spelled] = f"column {first[own]} is called '{own}', too" if own else "its header is empty"
    return names, renamed


def checked_header(names: list[str], name: str, separator: str) -> list[str]:
    """Return the names of the columns of file `name`, if they are all different and none is empty.

    One column is enough for a file of evidence, not for learning; but not if it looks like several.
    """
    joined = names[0] if len(names) == 1 else ""
    other = next((s for s in (",", ";", "\t", "|", " ") if s != separator and s in joined), None)
    if other is not None:
        raise DataError(
            f"{name}: there is only one column, {quoted(names)}, with the separator {separator!r}; a structure needs "
            f"at least two variables. The line contains {named_separator(other)}.",
            remedies=Remedy("give", Argument("separator", other)),
        )
    seen: dict[str, int] = {}
    for position, own in enumerate(names, start=1):
        if not own:
            index = " (pandas writes its index like this: use index=False)" if position == 1 else ""
            raise FormatError(
                f"{name}: the header is empty in field {position:,} of {len(names):,}{index}; "
                "every column needs a name."
            )
        if own in seen:
            no_header = Remedy("give", Argument("header", False), only_if="the first line holds data")
            raise DataError(
                f"{name}: the header has the name {quoted([own])} in fields {seen[own]:,} and {position:,}; "
                "names must differ.",
                remedies=(no_header,) if numbers_of(names) is not None else (),
            )
        seen[own] = position
    numbers = numbers_of(names)
    if numbers is not None and bool((numbers != np.floor(numbers)).any()):
        raise FormatError(
            f"{name}: the header consists of numbers, {quoted(names)}.",
            remedies=Remedy("give", Argument("header", False), only_if="it is data"),
        )
    return names


def named_separator(separator: str) -> str:
    """Return what a separator is called."""
    return {",": "a comma", "\t": "a tab", ";": "a semicolon", " ": "a space"}.get(separator, f"'{separator}'")


# Counts enter scores as doubles: up to here every count is exact.
MAX_CASES = 2**53
# Codes are converted in blocks of this many cells: a table is never held twice in a wider type.
BLOCK_CELLS = 2**20


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of variables, which must be different texts."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DataError(f"names must be a list of strings, not {names!r:.80}.")
    if not names:
        raise DataError("there are no variables; a data set needs at least one.")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"variable {position} of {len(names)} has an empty name; every variable needs one.")
        if name in seen:
            raise DataError(
                f"the name '{name}' is given to variables {seen[name]} and {position} of {len(names)}; "
                "names must differ. Rename one of them."
            )
        seen[name] = position
    return tuple(names)


def checked_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the states of each variable, at least two and different."""
    if len(states) != len(names):
        raise DataError(f"states are given for {len(states)} variables, but there are {len(names)}.")
    checked = []
    for position, (name, own) in enumerate(zip(names, states, strict=True), start=1):
        where = f"variable '{name}' ({position} of {len(names)})"
        if isinstance(own, str) or not all(isinstance(state, str) for state in own):
            raise DataError(f"{where}: states must be a list of strings, not {own!r:.80}.")
        if len(own) < 2:
            has = f"one state, '{own[0]}'" if own else "no states"
            raise DataError(f"{where} has {has}; a variable needs at least two. Drop it, or declare its states.")
        if len(set(own)) != len(own):
            twice = next(state for k, state in enumerate(own) if state in own[:k])
            raise DataError(f"{where} has the state '{twice}' twice; states must differ.")
        if not all(own):
            raise DataError(f"{where} has a state with an empty name; every state needs a name.")
        checked.append(tuple(own))
    return tuple(checked)


def checked_codes(table: NDArray[Any], names: tuple[str, ...], states: tuple[tuple[str, ...], ...]) -> NDArray[Any]:
    """Return codes (variables, rows) in the type that the states ask for, read-only, none above its states.

    A table of another type or memory order is copied, block by block.
    """
    if table.shape[1] == 0:
        raise DataError("there are no rows; a data set needs at least one row.")
    kind = code_type(max(len(s) for s in states))
    codes = np.ascontiguousarray(table) if table.dtype == kind else np.empty(table.shape, dtype=kind)
    arities = np.array([len(own) for own in states])
    for block in _blocks(table):
        part = _checked_block(table, block, names)
        if table.dtype != kind and int(part.max()) <= np.iinfo(kind).max:
            codes[:, block] = part
            part = codes[:, block]  # which is quicker to look through
        if bool((part.max(axis=1) >= arities).any()):
            v, row = (int(i) for i in np.argwhere(part >= arities[:, None])[0])
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {part[v, row]} in row {block.start + row}, "
                f"but only {len(states[v])} states; codes run from 0 to {len(states[v]) - 1}."
            )
    return frozen(codes)


def checked_weights(weights: object, rows: int) -> NDArray[np.int64] | None:
    """Return how often each row occurs, as integers; None stays None."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.shape != (rows,):
        raise DataError(f"weights of shape {given.shape} do not fit {rows:,} rows; one weight per row is needed.")
    whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and bool((given == np.floor(given)).all()))
    if not whole or (given.dtype.kind == "f" and not bool(np.isfinite(given).all())):
        bad = next((w for w in given.tolist() if not isinstance(w, float) or not w.is_integer()), given.dtype)
        raise DataError(f"weights must be whole numbers (how often a row occurs), not {bad!r}.")
    if bool((given < 0).any()):
        row = int(np.argmax(given < 0))
        raise DataError(f"the weight of row {row} is {given[row]}; weights count rows and cannot be negative.")
    total = float(given.sum(dtype=np.float64))
    if total > MAX_CASES:
        raise DataError(f"the weights sum to {total:.6g} rows; at most 2^53 = {MAX_CASES:,} can be counted exactly.")
    if total == 0:
        raise DataError("all weights are 0: there are no rows.")
    return frozen(np.ascontiguousarray(given, dtype=np.int64))


def checked_targets(
    targets: Targets | None, names: tuple[str, ...], rows: int, weights: NDArray[np.int64] | None
) -> Targets | None:
    """Return targets that fit the names and rows, those of some case alone, or None if nothing was set."""
    if targets is None or targets.is_empty:
        return None
    if targets.n_rows != rows:
        raise DataError(f"targets of {targets.n_rows:,} rows do not fit {rows:,} rows.")
    known = set(names)
    for name in targets.names:
        if name not in known:
            raise DataError(f"a variable was set that is not in the data. {suggestion('variable', name, names)}")
    if weights is None:
        return targets
    cases = np.bincount(targets.of_row, weights, minlength=len(targets.sets)) > 0
    if bool(cases.all()):
        return targets
    # Rows without a case count for nothing; so does an experiment that has no others.
    found = Targets(targets.sets, np.where(cases[targets.of_row], targets.of_row, int(np.argmax(cases))))
    return None if found.is_empty else found


def _blocks(table: NDArray[Any]) -> Iterable[slice]:
    """Split the rows (second axis) into blocks that fit the cache."""
    size = max(1, BLOCK_CELLS // max(1, table.shape[0]))
    return (slice(start, min(start + size, table.shape[1])) for start in range(0, table.shape[1], size))


def _checked_block(table: NDArray[Any], block: slice, names: tuple[str, ...]) -> NDArray[Any]:
    """Return a block of a table of codes as integers that are not negative."""
    part = table[:, block]
    if part.dtype.kind in "ub":
        return part
    if part.dtype.kind not in "if":
        try:
            part = part.astype(np.float64)
        except (OverflowError, TypeError, ValueError):
            raise DataError(
                f"codes must be integers, not {table.dtype}; use Dataset.from_dataframe for text or mixed values."
            ) from None
    bad = part < 0 if part.dtype.kind == "i" else ~(part >= 0) | (part != np.floor(part)) | (part >= 2**32)
    if bool(bad.any()):
        v, row = (int(i) for i in np.argwhere(bad)[0])
        raise DataError(
            f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {part[v, row]} in row {block.start + row}; "
            "codes are the integers 0, 1, ... Missing values must be imputed first: see arcwise.data.impute."
        )
    return part


def largest_codes(table: NDArray[Any], names: tuple[str, ...]) -> list[int]:
    """Return the largest code of each variable of a table."""
    largest = np.zeros(table.shape[0], dtype=np.int64)
    for block in _blocks(table):
        part = _checked_block(table, block, names)
        np.maximum(largest, part.max(axis=1).astype(np.int64), out=largest)
    for v, top in enumerate(largest.tolist()):
        if top >= 2**24:
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {top:,}; that many states were not "
                "declared. Codes are 0, 1, ..., r - 1: recode the column, or give states=."
            )
    return [int(top) for top in largest]

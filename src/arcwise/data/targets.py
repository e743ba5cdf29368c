"""`Targets`: which variables an experiment set, row by row.

In a row in which a variable was set, its value says nothing about its causes: the experimenter chose it. Everything
that estimates or scores a variable given its parents leaves these rows out, and keeps them for all other variables
(Cooper and Yoo, UAI 1999). So a data set needs to know no more of an experiment than its targets; values that were
set are values like any other.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError, DataWarning, suggestion
from arcwise.mentions import Argument, Remedy
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.data.table import Column, Table

__all__ = ["COLUMN", "SEPARATOR", "Conditions", "Targets", "checked_conditions", "refuse_targets", "table_targets"]

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
            if entry is None or (isinstance(entry, str) and not entry) or _is_missing(entry):
                names: tuple[str, ...] = ()
            elif isinstance(entry, str):
                names = (entry,)
            else:
                several: list[Any] = (
                    [entry] if isinstance(entry, bytes | Mapping) or not isinstance(entry, Iterable) else [*entry]
                )
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

    def repeat(self, times: NDArray[np.int64]) -> Targets:
        """Return the targets of rows that are each repeated so often."""
        return Targets(self.sets, np.repeat(self.of_row, times))

    def column(self) -> Column:
        """Return the targets as a column of labels, as files have it: empty where nothing was set."""
        from arcwise.data.table import Column

        labels = [SEPARATOR.join(names) for names in self.sets if names]
        first = 0 if () in self.sets else -1  # the empty set comes first, and is a gap
        codes = np.where(self.of_row == first, len(labels), self.of_row - (first + 1))
        return Column(COLUMN, codes.astype(np.uint32), tuple(labels), declared=True)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.number) and value in (0, 1)


def _is_missing(entry: object) -> bool:
    """Say whether an entry is a missing value: NaN, or pandas' NA and NaT."""
    if isinstance(entry, float | np.floating):
        return bool(np.isnan(entry))
    return type(entry).__name__ in ("NAType", "NaTType")


def table_targets(table: Table, column: Column, conditions: Conditions | None) -> Targets:
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
            f"it says {_some(column.labels)}.",
            DataWarning,
            stacklevel=2,
        )
    return Targets((*sets, ()), column.codes.astype(np.int64).astype(np.int32))


def _unexplained(table: Table, column: Column, labels: Mapping[str, int]) -> DataError:
    """Return the error for labels that are neither variables nor conditions, with what to write for all of them."""
    first = next(iter(labels))
    others = [label for label in labels if label != first]
    also = f" So it is with {_some(others)}." if others else ""
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


def _some(labels: Sequence[str]) -> str:
    """List labels in quotes, up to eight."""
    more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
    return ", ".join(f"'{label}'" for label in labels[:8]) + more


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

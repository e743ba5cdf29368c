"""`Coding`: how the columns of data became states, so that new rows can be coded as the training data were.

Repairs of a column are relabellings: spellings that were joined, values that stand for missing ones, rare states,
numbers written as text. What became of each label is read off the table before and after; cut points are kept as
numbers. A label that no training row had is matched as a number where the states are numbers, and is an *unseen
state* otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.written_numbers import NumberFormat, format_of
from arcwise.base.errors import Argument, DataError, OptionError, Remedy, reading
from arcwise.base.showing import counted, one_screen
from arcwise.data.column import Column, gap_label, numbers_of, quoted
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.discretize import interval_labels, intervals_of
from arcwise.data.table import Table
from arcwise.data.write import check_readable
from arcwise.graph.files import check_xml_names

if TYPE_CHECKING:
    from arcwise.model.mixed_network import MixedNetwork

Unseen = Literal["missing", "error"]


@one_screen
@dataclass(frozen=True)
class ColumnCoding:
    """How one column became a variable."""

    name: str
    states: tuple[str, ...]
    cuts: tuple[float, ...] | None = None  # the cut points of a column of numbers that was cut
    # What became of labels that are not states themselves: a state, a plain number, or None for a missing value.
    labels: Mapping[str, str | None] | None = None
    written: tuple[str, str] | None = None  # how numbers were written, (decimal, thousands), if not plainly
    gap: str | None = None  # the state that a missing value became, if it became one

    def code(self, column: Column) -> tuple[Column, dict[str, int]]:
        """Return a column in the variable's states, and how many rows show each label that is none of them."""
        missing = len(self.states)
        gap = missing if self.gap is None else self.states.index(self.gap)
        lookup = np.full(len(column.labels) + 1, gap, dtype=np.int64)
        unseen = []
        for code, label in enumerate(column.labels):
            plain = self._plain(label)
            if plain is not None:
                found = self._position(plain)
                lookup[code] = missing if found is None else found
                unseen += [code] if found is None else []
        counts = column.counts()
        kind = Dataset.code_type(len(self.states) + 1)
        coded = Column(self.name, lookup.astype(kind)[column.codes], self.states, declared=True)
        return coded, {column.labels[k]: int(counts[k]) for k in unseen if counts[k]}

    def state_of(self, label: str) -> str | None:
        """Return the state that a label of the data became, or would have; None for one that no training row had."""
        if label in self.states:
            return label
        plain = self._plain(label)
        if plain is None:
            return self.gap
        found = self._position(plain)
        return None if found is None else self.states[found]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {state: k for k, state in enumerate(self.states)}

    @cached_property
    def _values(self) -> dict[float, int]:
        """The states by their values, if all are numbers."""
        values = numbers_of(self.states)
        return {} if values is None else {float(value): k for k, value in enumerate(values)}

    def _position(self, plain: str) -> int | None:
        """Return the state of a label as the audit has it: its interval, itself, or the same number, 1 for 1.0."""
        if self.cuts is None and plain in self._places:
            return self._places[plain]
        number = numbers_of([plain])
        if number is None or self.cuts is None:
            return None if number is None else self._values.get(float(number[0]))
        cuts = np.array(self.cuts)
        return self._places.get(interval_labels(cuts)[int(intervals_of(number, cuts)[0])])

    def _plain(self, label: str) -> str | None:
        """Return a label as the audit would have it, None for a missing value."""
        if self.labels is not None and label in self.labels:
            return self.labels[label]
        if self.written is not None and numbers_of([label]) is None:
            found = NumberFormat(*self.written).value(label)
            return label if found is None else found[0]
        return label

    def describe(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "name": self.name,
            "states": list(self.states),
            "cuts": None if self.cuts is None else list(self.cuts),
            "labels": dict(self.labels or {}),
            "written": None if self.written is None else list(self.written),
            "gap": self.gap,
        }


@dataclass(frozen=True, eq=False)
class CodingNotes:
    """What was met in new rows that was not in the data that were learned from."""

    unseen: Mapping[str, Mapping[str, int]]  # the labels that no training row had, by variable, and how many rows do
    missing: tuple[str, ...]  # variables that the rows have no column of

    def without(self, name: str) -> Self:
        """Return the same with nothing to say about one variable."""
        unseen = {own: labels for own, labels in self.unseen.items() if own != name}
        return replace(self, unseen=unseen, missing=tuple(own for own in self.missing if own != name))

    def remarks(self) -> tuple[str, ...]:
        """Return what was not as in the training data, one sentence each."""
        sentences = []
        for name, labels in self.unseen.items():
            rows = sum(labels.values())
            sentences.append(
                f"Column '{name}' has {quoted(list(labels), 3)} in {counted(rows, 'row')}, which the "
                "training data did not have: taken as not observed."
            )
        if self.missing:
            sentences.append(f"There is no column {quoted(self.missing, 6)}: taken as not observed.")
        return tuple(sentences)


@dataclass(frozen=True, eq=False)
class Coded(CodingNotes):
    """New rows in the states of a network, and what was met on the way."""

    table: Table  # what is missing or unseen is a gap

    def __repr__(self) -> str:
        return f"Coded({self.table.n_rows:,} rows, {len(self.unseen)} columns with unseen states)"


@dataclass(frozen=True, eq=False)
class CodedValues(CodingNotes):
    """New rows as a network of numbers as they are has them, and what was met on the way."""

    values: NDArray[np.float64]  # at [variable, row]; NaN for what is missing or unseen

    def __repr__(self) -> str:
        return f"CodedValues({self.values.shape[1]:,} rows, {len(self.unseen)} columns with unseen values)"


@one_screen
@dataclass(frozen=True)
class Coding:
    """How all columns became variables."""

    columns: tuple[ColumnCoding, ...]

    @classmethod
    def of(
        cls,
        data: Dataset | Incomplete,
        given: Table | None = None,
        repaired: Table | None = None,
        cuts: Mapping[str, Sequence[float] | NDArray[np.float64]] | None = None,
        gaps: Iterable[str] = (),
    ) -> Coding:
        """Read off what became of each column.

        `given` and `repaired` are the table as it came, and after the audit, before numbers were cut: the same rows.
        `cuts` are the cut points of columns, and missing values of `gaps` became a state of their own, the last one.
        """
        found = []
        with_gap_state = set(gaps)
        there = set() if given is None else set(given.names)
        both = there if repaired is None else there & set(repaired.names)
        of_reader = {} if given is None else given.reader_cuts
        for name, states in zip(data.names, data.states, strict=True):
            read = of_reader.get(name)
            own = read.cuts if read is not None else None if cuts is None else cuts.get(name)
            labels: dict[str, str | None] = {}
            if given is not None and repaired is not None and name in both:
                labels = _relabelled(given.column(name), repaired.column(name))
            written = format_of(labels) if own is not None else None
            if written is not None:
                labels = {}
            if read is not None:
                labels |= dict.fromkeys(read.missing)
            gap = None
            if name in with_gap_state and repaired is not None:
                before = set(repaired.column(name).labels) if own is None else set(interval_labels(np.array(own)))
                gap = next((state for state in states if state not in before), None)
            elif given is not None and repaired is not None and name in there and given.column(name).n_missing:
                # The audit makes a state of what is missing where another column says that there is no value.
                marked = gap_label(given.column(name).labels)
                gap = marked if marked in states and not repaired.column(name).n_missing else None
            found.append(
                ColumnCoding(
                    name,
                    tuple(states),
                    None if own is None else tuple(float(cut) for cut in own),
                    labels,
                    None if written is None else (written.decimal, written.thousands),
                    gap,
                )
            )
        return cls(tuple(found))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(column.name for column in self.columns)

    def apply(self, table: Table, *, unseen: Unseen = "missing") -> Coded:
        """Return new rows in the states of the training data.

        Columns that are no variables are left aside; a variable without a column is not observed. A label that no
        training row had is a state that nothing is known about: it is taken as not observed ("missing"), or is an
        error.
        """
        if table.is_grouped:
            raise DataError(
                f"{table.prefix}the rows were read as {table.n_rows:,} distinct ones of {table.n_cases:,}; "
                "rows that are named need them all, with their numbers as they are.",
                remedies=Remedy("read the file with grouping=Grouping(always=False)")
                if table.notes
                else Remedy("write its rows as CSV"),
            )
        columns, met = [], {}
        for coding in self.columns:
            if coding.name not in table.names:
                continue
            coded, labels = coding.code(table.column(coding.name))
            columns.append(coded)
            if labels:
                met[coding.name] = labels
        if met and unseen == "error":
            name, labels = next(iter(met.items()))
            label, rows = next(iter(labels.items()))
            raise DataError(
                f"{table.prefix}column '{name}' has the value '{label}' in {rows:,} rows, which the training data did "
                f"not have; its states are {quoted(self._of(name).states, 12)}.",
                remedies=Remedy("take it as not observed with", Argument("unseen", "missing")),
            )
        if not columns:
            raise DataError(
                f"{table.prefix}no column is a variable of the analysis: the columns are {quoted(table.names, 10)}; "
                f"the variables are {quoted(self.names, 10)}."
            )
        chosen = Table(tuple(columns), table.source, table.weights, table.lines, {}, None)
        return Coded(met, tuple(name for name in self.names if name not in table.names), chosen)

    def state_of(self, name: str, label: str) -> str | None:
        """Return the state of a variable that a label of its column became; None for one that no training row had."""
        return self._of(name).state_of(label) if name in self.names else None

    def _of(self, name: str) -> ColumnCoding:
        return next(column for column in self.columns if column.name == name)

    def plain(self, name: str, label: str) -> str | None:
        """Return a label of the data as it was learned from before numbers were cut; None for a missing value."""
        return self._of(name)._plain(label) if name in self.names else label

    def values(self, table: Table, network: MixedNetwork, *, unseen: Unseen = "missing") -> CodedValues:
        """Return new rows as a network of numbers as they are has them: NaN for what is missing or was never seen."""
        found = np.full((len(network.names), table.n_rows), np.nan)
        met: dict[str, Mapping[str, int]] = {}
        for v, name in enumerate(network.names):
            if name not in table.names:
                continue
            column = table.column(name)
            own, wrong = np.full(len(column.labels) + 1, np.nan), []
            for code, label in enumerate(column.labels):
                plain = self.plain(name, label)
                if plain is None:
                    continue
                try:
                    own[code] = network.value(name, plain)
                except OptionError:
                    if unseen == "error":
                        raise
                    wrong.append(code)
            counts = column.counts()
            if labels := {column.labels[k]: int(counts[k]) for k in wrong if counts[k]}:
                met[name] = labels
            found[v] = own[column.codes]
        missing = tuple(name for name in network.names if name not in table.names)
        if len(missing) == len(network.names):
            raise DataError(
                f"{table.prefix}no column is a variable of the analysis: the columns are {quoted(table.names, 10)}; "
                f"the variables are {quoted(network.names, 10)}."
            )
        return CodedValues(met, missing, found)

    def describe(self) -> list[dict[str, Any]]:
        """Return it as JSON can hold it."""
        return [column.describe() for column in self.columns]

    @classmethod
    def from_description(cls, facts: object, where: str) -> Coding:
        """Read what `describe` returned."""
        with reading(f"{where}: how the data were coded"):
            if not isinstance(facts, list):
                raise TypeError("not a list")
            columns = tuple(
                ColumnCoding(
                    str(one["name"]),
                    tuple(str(state) for state in one["states"]),
                    None if one["cuts"] is None else tuple(float(cut) for cut in one["cuts"]),
                    {str(label): None if to is None else str(to) for label, to in dict(one["labels"]).items()},
                    None if one["written"] is None else (str(one["written"][0]), str(one["written"][1])),
                    None if one["gap"] is None else str(one["gap"]),
                )
                for one in facts
            )
            for column in columns:
                if column.gap is not None and column.gap not in column.states:
                    raise ValueError(f"'{column.gap}' is no state of '{column.name}'")
                if column.cuts is not None and not np.all(np.diff(np.array(column.cuts)) > 0):
                    raise ValueError(f"the cuts of '{column.name}' do not ascend")
        return cls(columns)


def _relabelled(before: Column, after: Column) -> dict[str, str | None]:
    """Return what became of labels that did not stay as they were; both columns have the same rows."""
    if len(before.codes) != len(after.codes) or before.labels == after.labels:
        return {}
    codes, first = np.unique(before.codes, return_index=True)
    was, now = (*before.labels, None), (*after.labels, None)  # behind the labels: missing
    pairs = [(was[code], now[new]) for code, new in zip(codes.tolist(), after.codes[first].tolist(), strict=True)]
    return {old: new for old, new in pairs if old is not None and new != old}


def table_of(data: Dataset | Incomplete) -> Table:
    """Return discrete data as a table of declared states."""
    if isinstance(data, Dataset):
        return Table(tuple(Column(n, data.codes[v], data.states[v], declared=True) for v, n in enumerate(data.names)))
    held = table_of(data.held)
    columns = []
    for v, column in enumerate(held.columns):
        codes = np.where(data.missing[v], len(column.labels), column.codes.astype(np.int64))
        columns.append(
            Column(column.name, codes.astype(Dataset.code_type(len(column.labels) + 1)), column.labels, True)
        )
    return Table(tuple(columns))


def refuse_unwritable(columns: Sequence[Column]) -> None:
    """Refuse names and states that the files of a result cannot hold, before anything is computed."""
    check_readable(columns, "the result", "parquet")
    check_xml_names([column.name for column in columns])

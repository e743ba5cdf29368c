"""`DeclaredNetwork`: what a file declares, variable by variable and table by table, checked as it comes.

The four formats of this folder write a table in the same order: one row per configuration of the parents, the first
parent of the list varying slowest, and in a row the states of the child. Only the order of the parents is the file's
own; a network has them ascending.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, GraphError
from arcwise.base.files import parse_json
from arcwise.graph.dag import Dag
from arcwise.model.tables import MAX_CELLS, ROW_TOLERANCE, Parts

if TYPE_CHECKING:
    pass


# What numbers consist of; without it float() would take "nan", "1_000" and the digits of all scripts.
_NUMERIC = re.compile(r"[0-9+\-.eE \t\r\n\f\v]*+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")


@dataclass(slots=True)
class _Variable:
    name: str
    states: list[str]
    place: str
    parents: list[int] = field(default_factory=list)
    values: NDArray[np.float64] | None = None


class DeclaredNetwork:
    """The variables and tables of a file; `key` is what the file calls a variable, which may differ from its name."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._variables: list[_Variable] = []
        self._positions: dict[Hashable, int] = {}
        self._names: set[str] = set()

    def error(self, place: str, message: str) -> FormatError:
        """Return the error that something is wrong at a place, such as "line 3"."""
        return FormatError(f"{self._source}{f', {place}' if place else ''}: {message}")

    def numbers(self, text: str, place: str) -> NDArray[np.float64]:
        """Return the numbers of a text, with white space between them; Python's own spellings, such as 1_000, are none.

        Words are looked at one by one only where `float` refuses one, or might take what is no number.
        """
        words = text.split()
        try:
            found = list(map(float, words)) if _NUMERIC.fullmatch(text) else []
        except ValueError:
            found = []
        wrong = next((word for word in words if not _NUMBER.fullmatch(word)), None) if not found else None
        if wrong is not None:
            raise self.error(place, f"{wrong[:40]!r} is not a number.")
        return np.array(found or list(map(float, words)), dtype=np.float64)

    def add_variable(self, key: Hashable, name: str, states: Sequence[str], place: str) -> None:
        """Declare a variable with its states."""
        if key in self._positions or name in self._names:
            raise self.error(place, f"the variable '{name}' is declared twice.")
        if not name:
            raise self.error(place, "a variable has no name.")
        if not states:
            raise self.error(place, f"the variable '{name}' has no states.")
        for text in (name, *states):
            if not text:
                raise self.error(place, f"a state of '{name}' has no name.")
            if not is_unicode(text):
                raise self.error(place, f"the name {text!r} is not valid Unicode.")
        if len(set(states)) < len(states):
            twice = Counter(states).most_common(1)[0][0]
            raise self.error(place, f"the variable '{name}' has the state '{twice}' twice.")
        self._positions[key] = len(self._variables)
        self._names.add(name)
        self._variables.append(_Variable(name, list(states), place))

    def add_table(self, key: Hashable, parents: Sequence[Hashable], values: NDArray[np.float64], place: str) -> None:
        """Give a variable its parents and its table, whose rows are in the order of these parents."""
        variable = self._variables[self._position(key, place)]
        if variable.values is not None:
            raise self.error(place, f"'{variable.name}' has two tables.")
        positions = [self._position(parent, place) for parent in parents]
        if len(set(positions)) < len(positions):
            raise self.error(place, f"a parent of '{variable.name}' is there twice.")
        shape = [len(self._variables[p].states) for p in positions] + [len(variable.states)]
        if len(values) != math.prod(shape):
            numbers = " x ".join(map(str, shape))
            raise self.error(place, f"the table of '{variable.name}' has {len(values):,} numbers; it needs {numbers}.")
        self._check_rows(variable, values.reshape(-1, len(variable.states)), place)
        variable.parents, variable.values = positions, values

    def parts(self, order: Sequence[Hashable] | None = None) -> Parts:
        """Return the parts of the network, its variables as they were declared or in another order."""
        if not self._variables:
            raise self.error("", "there is no variable in this file.")
        for variable in self._variables:
            if variable.values is None:
                raise self.error(variable.place, f"the variable '{variable.name}' has no table.")
        total = sum(len(variable.values) for variable in self._variables if variable.values is not None)
        if total > MAX_CELLS:
            raise self.error("", f"the tables hold {total:,} numbers; at most {MAX_CELLS:,} are supported.")
        chosen = list(range(len(self._variables))) if order is None else [self._positions[key] for key in order]
        moved = {position: number for number, position in enumerate(chosen)}
        ordered = [self._variables[v] for v in chosen]
        try:
            dag = Dag([own.name for own in ordered], [[moved[p] for p in own.parents] for own in ordered])
        except GraphError as error:
            raise error.within(f"{self._source}:", kind=FormatError) from None
        values = np.concatenate([self._table(own, moved).ravel() for own in ordered])
        return Parts(dag, tuple(tuple(own.states) for own in ordered), values)

    def _table(self, variable: _Variable, moved: dict[int, int]) -> NDArray[np.float64]:
        """Return a variable's table with the parents in the ascending order of their new positions."""
        assert variable.values is not None
        rows = len(variable.states)
        ascending = sorted(range(len(variable.parents)), key=lambda k: moved[variable.parents[k]])
        if ascending == list(range(len(variable.parents))):
            return variable.values.reshape(-1, rows)
        shape = [*(len(self._variables[p].states) for p in variable.parents), rows]
        return variable.values.reshape(shape).transpose([*ascending, len(ascending)]).reshape(-1, rows)

    def _position(self, key: Hashable, place: str) -> int:
        try:
            return self._positions[key]
        except KeyError:
            raise self.error(place, f"the variable '{key}' is not declared.") from None

    def _check_rows(self, variable: _Variable, rows: NDArray[np.float64], place: str) -> None:
        wrong = ~((rows >= 0) & (rows <= 1 + ROW_TOLERANCE))
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise self.error(
                place,
                f"the table of '{variable.name}', row {row + 1}: {rows[row, column]:.6g} is not a probability.",
            )
        sums = rows.sum(axis=1)
        far = np.flatnonzero(np.abs(sums - 1) > ROW_TOLERANCE)
        if len(far):
            raise self.error(
                place,
                f"the table of '{variable.name}', row {int(far[0]) + 1}, sums to {sums[far[0]]:.6g}; a row must sum "
                f"to 1 within {ROW_TOLERANCE}.",
            )


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# Names that a format cannot hold: an identifier stands for each, and what it stands for is kept beside it.
#
# Hugin and GeNIe ask for identifiers, GeNIe for states as well, XML strips blanks and knows no control characters. A
# name that a format takes is written as it is. For a variable with any other name the file also has a property of
# ours, `arcwise_names`, with the variable's name and states as JSON; other programs skip it and show the identifiers.


PROPERTY = "arcwise_names"

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a variable is written: its identifier, those of its states, and the property with what they stand for."""

    name: str
    states: tuple[str, ...]
    note: str | None


def identifier(text: str) -> bool:
    """Return whether a text is a letter followed by letters, digits and underscores, all ASCII."""
    return _IDENTIFIER.fullmatch(text) is not None


def spell_all(
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    is_name: Callable[[str], bool],
    is_state: Callable[[str], bool],
) -> list[Spelling]:
    """Return how the variables of a network are written, given which names and states the format takes."""
    written = spell(names, is_name)
    found = []
    for name, own, called in zip(names, states, written, strict=True):
        words = spell(own, is_state)
        same = called == name and list(own) == words
        note = None if same else json.dumps({"name": name, "states": list(own)})
        found.append(Spelling(called, tuple(words), note))
    return found


def spell(texts: Sequence[str], is_taken: Callable[[str], bool]) -> list[str]:
    """Return a text for each that the format takes, all different; those that it takes stay as they are."""
    for text in texts:
        if not is_unicode(text):
            raise FormatError(f"the name {text!r} is not valid Unicode. Rename it.")
    used = {text for text in texts if is_taken(text)}
    found = []
    for text in texts:
        if is_taken(text):
            found.append(text)
            continue
        plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:60]
        stem = plain if identifier(plain) and is_taken(plain) else f"x_{plain}".rstrip("_")
        number, chosen = 1, stem
        while chosen in used:
            number += 1
            chosen = f"{stem}_{number}"
        used.add(chosen)
        found.append(chosen)
    return found


def read_property(text: str, count: int, source: str) -> tuple[str, list[str]]:
    """Return the name and the `count` states that a property says."""
    found = parse_json(text, source=source)
    name = found.get("name") if isinstance(found, dict) else None
    states = found.get("states") if isinstance(found, dict) else None
    if not isinstance(name, str) or not isinstance(states, list) or not all(isinstance(s, str) for s in states):
        raise FormatError(f"{source}: the property {PROPERTY} must have a name and a list of states.")
    if len(states) != count:
        raise FormatError(f"{source}: the property {PROPERTY} names {len(states)} states of '{name}'; it has {count}.")
    return name, states

"""What the fields of a `Dataset` must be: names, states, codes, weights, targets; and the copying of codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.targets import Targets
from arcwise.errors import DataError, suggestion

__all__ = [
    "checked_codes",
    "checked_names",
    "checked_states",
    "checked_targets",
    "checked_weights",
    "code_type",
    "copied_codes",
    "frozen",
    "largest_codes",
]

# Counts enter scores as doubles: up to here every count is exact.
MAX_CASES = 2**53
# Codes are converted in blocks of this many cells: a table is never held twice in a wider type.
BLOCK_CELLS = 2**20


def code_type(largest_arity: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned type that holds the codes of `largest_arity` states."""
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest_arity - 1 <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise DataError(f"a variable has {largest_arity:,} states; at most 2^32 are supported.")


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
    """Return codes in the type that the states ask for, read-only, none above its states."""
    if table.shape[1] == 0:
        raise DataError("there are no rows; a data set needs at least one case.")
    kind = code_type(max(len(s) for s in states))
    codes = np.ascontiguousarray(table) if table.dtype == kind else copied_codes(table, names, kind)
    largest = [int(top) for top in codes.max(axis=1)]
    for v, (top, own) in enumerate(zip(largest, states, strict=True)):
        if top >= len(own):
            row = int(codes[v].argmax())
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {top} in row {row}, but only {len(own)} "
                f"states; codes run from 0 to {len(own) - 1}."
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
        raise DataError(f"the weight of row {row} is {given[row]}; weights count cases and cannot be negative.")
    total = float(given.sum(dtype=np.float64))
    if total > MAX_CASES:
        raise DataError(f"the weights sum to {total:.6g} cases; at most 2^53 = {MAX_CASES:,} can be counted exactly.")
    if total == 0:
        raise DataError("all weights are 0: there are no cases.")
    return frozen(np.ascontiguousarray(given, dtype=np.int64))


def checked_targets(
    targets: Targets | None, names: tuple[str, ...], rows: int, weights: NDArray[np.int64] | None
) -> Targets | None:
    """Return targets that fit the names and rows, those of some case alone, or None if nothing was set."""
    if targets is None or targets.is_empty:
        return None
    if targets.n_rows != rows:
        raise DataError(f"targets of {targets.n_rows:,} rows do not fit {rows:,} rows.")
    for name in targets.names:
        if name not in names:
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


def copied_codes(table: NDArray[Any], names: tuple[str, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """Copy a (variables, rows) table of codes of any type and memory order, block by block."""
    codes = np.empty(table.shape, dtype=kind)
    limit = int(np.iinfo(kind).max)
    for block in _blocks(table):
        part = _checked_block(table, block, names)
        if int(part.max()) > limit:
            v, row = (int(i) for i in np.argwhere(part > limit)[0])
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {part[v, row]} in row {block.start + row}, "
                "more than its states allow."
            )
        codes[:, block] = part
    return codes

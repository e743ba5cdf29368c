"""The probability tables of a network as arrays: their sizes, their checks, and views of one flat array of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.graph import Dag

__all__ = [
    "MAX_CELLS",
    "ROW_TOLERANCE",
    "check_rows",
    "check_states",
    "flat_table",
    "in_order",
    "table_sizes",
    "table_views",
]

# How far the sum of a table's row may be from 1. Published networks are printed with three to seven digits, so that
# (1/3, 1/3, 1/3) sums to 0.999. Tables are kept as given: sampling and inference scale rows, likelihoods do not.
ROW_TOLERANCE = 1e-3

# The most numbers that the tables of one network may hold, and the most cells of a query's largest clique: 1 GB.
MAX_CELLS = 2**27


def check_states(names: Sequence[str], listed: Sequence[tuple[Any, ...]]) -> None:
    """Refuse variables without states, and states without names or with the same one."""
    for name, states in zip(names, listed, strict=True):
        if not states:
            raise OptionError(f"variable '{name}' has no states; it needs at least one.")
        if not all(isinstance(state, str) and state for state in states):
            raise OptionError(
                f"variable '{name}' has the states {states!r:.80}; a state's name is a string that is not empty."
            )
        if len(set(states)) < len(states):
            twice = next(state for i, state in enumerate(states) if state in states[:i])
            raise OptionError(f"variable '{name}' has the state '{twice}' twice; states must differ.")


def flat_table(dag: Dag, v: int, given: ArrayLike, sizes: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the numbers of one table in order; its shape is (q, r), or has an axis for each parent."""
    size = sizes[v]
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"table of '{dag.names[v]}': not an array of numbers ({error}).") from None
    parents = dag.parents[v]
    full = tuple(sizes[p][1] for p in (*parents, v))
    if table.shape not in (size, full):
        given_parents = f"given {', '.join(dag.names[p] for p in parents)}" if parents else "(no parents)"
        raise OptionError(
            f"table of '{dag.names[v]}' {given_parents} has shape {table.shape}; it must be {size}, one row per "
            f"parent configuration and one column per state{f', or {full}' if full != size else ''}."
        )
    return table.ravel()


def check_rows(name: str, table: NDArray[np.float64], describe: Callable[[int], str]) -> None:
    """Refuse rows that are no distribution; `describe` says which parents' states a row is for."""
    undefined = np.isnan(table).all(axis=1)
    for row in np.flatnonzero(~undefined & ~((table >= 0) & (table <= 1 + ROW_TOLERANCE)).all(axis=1)).tolist():
        raise OptionError(
            f"table of '{name}', row {row} ({describe(row)}): {table[row].tolist()}; "
            "probabilities lie between 0 and 1. An undefined row is NaN in every column."
        )
    sums = table.sum(axis=1)
    for row in np.flatnonzero(~undefined & (np.abs(sums - 1) > ROW_TOLERANCE)).tolist():
        raise OptionError(
            f"table of '{name}', row {row} ({describe(row)}) sums to {sums[row]:.6g}; "
            f"a row must sum to 1 within {ROW_TOLERANCE}."
        )


def table_sizes(dag: Dag, states: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return (q, r) for each variable; tables beyond MAX_CELLS are refused before any memory is taken."""
    arities = [len(own) for own in states]
    sizes = [(math.prod(arities[p] for p in ps), arities[v]) for v, ps in enumerate(dag.parents)]
    total = sum(q * r for q, r in sizes)
    if total > MAX_CELLS:
        v = max(range(len(sizes)), key=lambda v: math.prod(sizes[v]))
        raise OptionError(
            f"the tables of this network hold {total:,} numbers; at most {MAX_CELLS:,} are supported. The largest is "
            f"that of '{dag.names[v]}', with {len(dag.parents[v])} parents and {sizes[v][0]:,} parent configurations. "
            "Give it fewer parents, or merge states."
        )
    return sizes


def table_views(values: NDArray[np.float64], sizes: list[tuple[int, int]]) -> tuple[NDArray[np.float64], ...]:
    """Cut flat values into read-only tables that share their memory."""
    values.setflags(write=False)
    tables = []
    start = 0
    for q, r in sizes:
        tables.append(values[start : start + q * r].reshape(q, r))
        start += q * r
    return tuple(tables)


def in_order(what: str, names: tuple[str, ...], given: Any) -> list[Any]:
    """Return one entry per variable, in order, from a sequence or a mapping."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise UnknownNameError(f"{what}: " + suggestion("variable", str(name), names))
        missing = [name for name in names if name not in given]
        if missing:
            raise OptionError(f"{what} are missing for {', '.join(missing)}; give them for every variable.")
        return [given[name] for name in names]
    entries = list(given)
    if len(entries) != len(names):
        raise OptionError(f"{what} are given for {len(entries)} variables, but the DAG has {len(names)}.")
    return entries

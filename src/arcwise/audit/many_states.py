"""Columns with more states than the rows can carry: identifiers, free text, long lists of names; and rare states.

A family of the column with one parent of two states has twice as many cells as the column has states. Where the rows
give fewer than `LEAST_PER_CELL` to each of them on average, no score can tell an edge from chance, and scores that
reward fit find one: such a column is not learned from. (Cochran's rule for tables, Biometrics 1954, asks for 5.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.words import columns_words, it, verb
from arcwise.data import Column, Table
from arcwise.data.identifiers import identifier_reason
from arcwise.data.labels import quoted
from arcwise.data.table import MAX_LEVELS
from arcwise.mentions import Argument

__all__ = ["LEAST_PER_CELL", "OTHER", "find_free_text", "find_identifiers", "find_many_states", "find_rare_states"]

LEAST_PER_CELL = 5
OTHER = "other"
# Free text: labels of this many words, or characters, on average, and most of them different.
TEXT_WORDS, TEXT_LENGTH, TEXT_SHARE = 3.5, 30, 0.1
# A state with fewer rows than this is rare: its probabilities rest on next to nothing.
RARE = 5


def find_identifiers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns that number or name the rows."""
    reasons = {c.name: r for c in table.columns if c.name not in keep and (r := identifier_reason(c)) is not None}
    names = tuple(reasons)
    if not names:
        return
    told = "; ".join(f"'{name}' has {reason}" for name, reason in list(reasons.items())[:3])
    yield Finding(
        Kind.IDENTIFIER,
        Severity.BLOCKS,
        names,
        f"{columns_words(names)} {verb(names, 'is', 'are')} different in almost every row: "
        f"{verb(names, 'an identifier, not a variable', 'identifiers, not variables')}",
        told,
        f"leave {it(names)} out",
        Argument("drop", [*names]),
        Repair(
            lambda table: table.drop(names), f"Left out {columns_words(names)}, different in almost every row ({told})."
        ),
    )


def find_free_text(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns of sentences."""
    for column in table.columns:
        if column.declared or column.name in keep or column.numbers is not None or len(column.labels) <= MAX_LEVELS:
            continue
        words = np.mean([len(label.split()) for label in column.labels])
        length = np.mean([len(label) for label in column.labels])
        rows = len(column.codes) - column.n_missing
        if len(column.labels) < TEXT_SHARE * rows or (words < TEXT_WORDS and length < TEXT_LENGTH):
            continue
        yield Finding(
            Kind.TEXT,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' holds free text",
            f"{len(column.labels):,} different texts of {words:.0f} words on average, e.g. {quoted(column.labels, 1)}",
            "leave it out",
            Argument("drop", [column.name]),
            Repair(
                lambda table, name=column.name: table.drop([name]),  # type: ignore[misc]
                f"Left out column '{column.name}', which holds free text.",
            ),
        )


def find_many_states(
    table: Table, *, keep: Collection[str] = (), categories: Collection[str] = (), merge_rare: int | None = None
) -> Iterable[Finding]:
    """Yield the columns with too many states for their rows; numbers are not meant, unless they are `categories`."""
    for column in table.columns:
        numbers = column.numbers is not None and column.name not in categories
        if column.name in keep or numbers:
            continue
        states, rows = _states(column), len(column.codes) - column.n_missing
        if states <= MAX_LEVELS or rows >= 2 * LEAST_PER_CELL * states:
            continue
        limit = max(MAX_LEVELS, rows // (2 * LEAST_PER_CELL))
        yield Finding(
            Kind.MANY_STATES,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' has {states:,} states, more than {rows:,} rows can carry",
            f"{rows / (2 * states):.1f} rows for each of its states with one parent of two states; "
            f"{LEAST_PER_CELL} are needed, so that it may have {limit:,} states",
            "leave it out, or join its rare states",
            Argument("drop", [column.name]) if merge_rare is None else Argument("merge_rare", merge_rare),
            Repair(
                lambda table, name=column.name: table.drop([name]),  # type: ignore[misc]
                f"Left out column '{column.name}': it has {states:,} states, more than {rows:,} rows can carry.",
            ),
        )


def find_rare_states(
    table: Table, *, merge_rare: int | None = None, categories: Collection[str] = ()
) -> Iterable[Finding]:
    """Yield the columns with states that few rows show; joined where `merge_rare` says from how many rows on."""
    least = RARE if merge_rare is None else merge_rare
    for column in table.columns:
        counts = column.counts()
        rare = [label for label, count in zip(column.labels, counts.tolist(), strict=True) if 0 < count < least]
        quantity = column.is_continuous() and column.name not in categories
        if len(rare) < (1 if merge_rare is None else 2) or _states(column) < 3 or quantity:
            continue
        if len(rare) == _states(column):
            rare = sorted(rare, key=lambda label: (counts[column.labels.index(label)], label))[:-1]
        rows = int(sum(counts[column.labels.index(label)] for label in rare))
        other = OTHER if OTHER not in column.labels else f"({OTHER})"
        yield Finding(
            Kind.RARE_STATES,
            Severity.NOTE,
            (column.name,),
            f"column '{column.name}' has {len(rare):,} {'state' if len(rare) == 1 else 'states'} with fewer than "
            f"{least} rows",
            quoted(rare, 4),
            "" if merge_rare is None else f"join them as '{other}'",
            Argument("merge_rare", least),
            None
            if merge_rare is None
            else Repair(
                lambda table, name=column.name, rare=rare, other=other: table.with_columns(  # type: ignore[misc]
                    [_merged(table.column(name), rare, other)]
                ),
                f"Joined {len(rare):,} states of column '{column.name}' with fewer than {least} rows as '{other}' "
                f"({rows:,} rows).",
            ),
            safe=merge_rare is not None,
        )


def _merged(column: Column, rare: list[str], other: str) -> Column:
    merged = column.relabel(dict.fromkeys(rare, other))
    return Column(merged.name, merged.codes, merged.labels)  # no longer the states that were declared


def _states(column: Column) -> int:
    return len(column.labels) if column.declared else int((column.counts() > 0).sum())

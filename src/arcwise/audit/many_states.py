"""Columns with more states than the rows can carry: identifiers, free text, long lists of names; and rare states.

A family of the column with one parent of two states has twice as many cells as the column has states. Where the rows
give fewer than `LEAST_PER_CELL` to each of them on average, no score can tell an edge from chance, and scores that
reward fit find one: such a column is not learned from, unless the analyst insists. (Cochran's rule for tables,
Biometrics 1954, asks for 5.) Below `arcwise.data.carrying.FEWEST_PER_CELL` nobody can insist.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.words import columns_words, it, verb
from arcwise.data import Column, Table
from arcwise.data.carrying import most_states
from arcwise.data.identifiers import identifier_reason
from arcwise.data.labels import quoted
from arcwise.data.table import MAX_LEVELS
from arcwise.mentions import Argument

__all__ = ["LEAST_PER_CELL", "OTHER", "find_free_text", "find_identifiers", "find_many_states", "find_rare_states"]

LEAST_PER_CELL = 5
OTHER = "other"
# Free text: labels of this many words, or characters, on average, and most of them different.
TEXT_WORDS, TEXT_LENGTH, TEXT_SHARE = 3.5, 30, 0.1
_POSTCODE = re.compile(r"(?:^|[^a-z])(zip|zip.?code|post.?code|postal.?code|plz)(?:$|[^a-z])")
_ZERO_FIRST = re.compile(r"0[0-9]+")
# A state with fewer rows than this is rare: its probabilities rest on next to nothing.
RARE = 5


def find_identifiers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns that number or name the rows."""
    reasons = {c.name: r for c in table.columns if c.name not in keep and (r := identifier_reason(c)) is not None}
    repeated = tuple(name for name in reasons if _repeats(table.column(name)))
    unique = tuple(name for name in reasons if name not in repeated)
    again = "occur again"
    every = "different in almost every row"
    for names, one, many, short in (
        (unique, f"is {every}", f"are {every}", every),
        (repeated, f"numbers cases that {again}", f"number cases that {again}", f"numbers of cases that {again}"),
    ):
        if not names:
            continue
        told = "; ".join(f"'{name}' has {reasons[name]}" for name in names[:3])
        yield Finding(
            Kind.IDENTIFIER,
            Severity.BLOCKS,
            names,
            f"{columns_words(names)} {verb(names, one, many)}: "
            f"{verb(names, 'an identifier, not a variable', 'identifiers, not variables')}",
            told,
            f"leave {it(names)} out",
            Argument("drop", [*names]),
            Repair(
                lambda table, names=names: table.drop(names),  # type: ignore[misc]
                f"Left out {columns_words(names)}, {short} ({told}).",
            ),
            keepable=all(_can_be_kept(table.column(name)) for name in names),
        )


def _can_be_kept(column: Column) -> bool:
    """Say whether a column could be learned from if the analyst insists: numbers are cut into intervals."""
    return column.numbers is not None or _states(column) <= most_states(column.n_cases - column.n_missing)


def _repeats(column: Column) -> bool:
    """Say whether numbers occur more than once."""
    return column.numbers is not None and len(np.unique(column.numbers)) < column.n_cases - column.n_missing


def find_free_text(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns of sentences."""
    for column in table.columns:
        if column.declared or column.name in keep or column.numbers is not None or len(column.labels) <= MAX_LEVELS:
            continue
        words = np.mean([len(label.split()) for label in column.labels])
        length = np.mean([len(label) for label in column.labels])
        rows = column.n_cases - column.n_missing
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
            keepable=_can_be_kept(column),
        )


def find_many_states(
    table: Table, *, keep: Collection[str] = (), categories: Collection[str] = (), merge_rare: int | None = None
) -> Iterable[Finding]:
    """Yield the columns with too many states for their rows; numbers are not meant, unless they are `categories`."""
    for column in table.columns:
        numbers = column.numbers is not None and column.name not in categories and not are_codes(column)
        states, rows = _states(column), column.n_cases - column.n_missing
        never, limit = most_states(rows), most_states(rows, LEAST_PER_CELL)
        if numbers or (column.name in keep and states <= never):
            continue
        if states <= limit:
            continue
        yield Finding(
            Kind.MANY_STATES,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' has {states:,} states, more than {rows:,} rows can carry",
            f"{rows / (2 * states):.1f} rows for each cell with one parent of two states; {LEAST_PER_CELL} are needed, "
            f"which {limit:,} states would have"
            + ("" if states <= never else f"; with more than {never:,} states no column is learned from"),
            "leave it out, or join its rare states",
            Argument("drop", [column.name]) if merge_rare is None else Argument("merge_rare", merge_rare),
            Repair(
                lambda table, name=column.name: table.drop([name]),  # type: ignore[misc]
                f"Left out column '{column.name}': it has {states:,} states, more than {rows:,} rows can carry.",
            ),
            keepable=states <= never,
        )


def are_codes(column: Column) -> bool:
    """Say whether numbers are names: postcodes by the name of the column, and what is written with zeros in front."""
    if column.numbers is None or column.declared:
        return False
    return _POSTCODE.search(column.name.lower()) is not None or any(map(_ZERO_FIRST.fullmatch, column.labels))


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

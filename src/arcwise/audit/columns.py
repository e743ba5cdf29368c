"""Checks of columns: what their values stand for, and whether they can be learned from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, leave_out, note, verb
from arcwise.base.errors import Argument
from arcwise.base.showing import first_few
from arcwise.data.column import (
    MAX_LEVELS,
    MONTHS,
    Column,
    are_codes,
    are_names,
    date_example,
    date_parts,
    identifier_reason,
    is_stamp,
    is_time,
    most_states,
    quoted,
    stamp_parts,
)
from arcwise.data.table import Table

# Columns that never, or hardly ever, vary.


# A column is nearly constant if fewer rows than this, or than this share, have another value than the most frequent.
FEW_ROWS, FEW_SHARE = 5, 0.005
# A column of ticks has at least so many rows with the tick, and without.
TICKED = 5


def find_constants(table: Table) -> Iterable[Finding]:
    """Yield the columns with one value or none; declared states are left to the analyst."""
    names = tuple(c.name for c in table.columns if int((c.counts() > 0).sum()) < 2 and not c.declared)
    if names:
        yield leave_out(
            Kind.CONSTANT,
            Severity.BLOCKS,
            names,
            f"{columns_words(names)} {verb(names, 'has', 'have')} fewer than two distinct values",
            _ticks([table.column(name) for name in names]),
            ", with fewer than two values",
        )


def _ticks(columns: list[Column]) -> str:
    """Tell of columns that have one value or none: a tick, whose absence may mean no."""
    ticked = [column for column in columns if column.labels and TICKED <= column.n_missing <= column.n_cases - TICKED]
    if not ticked:
        return ""
    label, rows = quoted(ticked[0].labels, 1), f"{ticked[0].n_cases - ticked[0].n_missing:,}"
    shown = f"'{ticked[0].name}' has {label} in {rows} rows and nothing in the others"
    return f"{shown}: if nothing means no, write that into {it(ticked)}"


def find_nearly_constant(table: Table) -> Iterable[Finding]:
    """Yield the columns of which nearly all rows have one value."""
    for column in table.columns:
        counts = column.counts()
        rows, seen = int(counts.sum()), int((counts > 0).sum())
        others = rows - int(counts.max(initial=0))
        if seen < 2 or column.is_continuous() or others >= max(FEW_ROWS, FEW_SHARE * rows) or rows < 10 * FEW_ROWS:
            continue
        top = column.labels[int(counts.argmax())]
        what = f"column '{column.name}' is nearly constant: '{top}' in all but {others:,} of {rows:,} rows"
        yield note(Kind.NEARLY_CONSTANT, (column.name,), what)


# Columns with more states than the rows can carry: identifiers, free text, long lists of names; and rare states.
#
# A family of the column with one parent of two states has twice as many cells as the column has states. Where the rows
# give fewer than `LEAST_PER_CELL` to each of them on average, no score can tell an edge from chance, and scores that
# reward fit find one: such a column is not learned from, unless the analyst insists. (Cochran's rule for tables,
# Biometrics 1954, asks for 5.) Below `arcwise.data.column.FEWEST_PER_CELL` nobody can insist.


LEAST_PER_CELL = 5  # the usual rule for a table of counts
OTHER = "other"
# Free text: labels of this many words, or characters, on average, and most of them different.
TEXT_WORDS, TEXT_LENGTH, TEXT_SHARE = 3.5, 30, 0.1
# A state with fewer rows than this is rare: its probabilities rest on next to nothing.
RARE = 5


def find_identifiers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns that number or name the rows."""
    reasons = {c.name: r for c in table.columns if c.name not in keep and (r := identifier_reason(c)) is not None}
    known = {c.name: (c.numbers, c.n_cases - c.n_missing) for c in table.columns if c.name in reasons}
    repeated = tuple(
        name for name, (numbers, rows) in known.items() if numbers is not None and len(np.unique(numbers)) < rows
    )
    unique = tuple(name for name in reasons if name not in repeated)
    again = "occur again"
    every = "different in almost every row"
    for names, one, many, short in (
        (unique, f"is {every}", f"are {every}", every),
        (repeated, f"numbers rows that {again}", f"number rows that {again}", f"numbers of rows that {again}"),
    ):
        if not names:
            continue
        evidence = "; ".join(f"'{name}' has {reasons[name]}" for name in names[:3])
        yield leave_out(
            Kind.IDENTIFIER,
            Severity.BLOCKS,
            names,
            f"{columns_words(names)} {verb(names, one, many)}: "
            f"{verb(names, 'an identifier, not a variable', 'identifiers, not variables')}",
            evidence,
            f", {short} ({evidence})",
            keepable=all(_can_be_kept(table.column(name)) for name in names),
        )


def _can_be_kept(column: Column) -> bool:
    """Return whether a column could be learned from if the analyst insists: numbers are cut into intervals."""
    return column.numbers is not None or _states(column) <= most_states(column.n_cases - column.n_missing)


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
        yield leave_out(
            Kind.TEXT,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' holds free text",
            f"{len(column.labels):,} different texts of {words:.0f} words on average, e.g. {quoted(column.labels, 1)}",
            ", which holds free text",
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
        if numbers or states <= limit or (column.name in keep and states <= never):
            continue
        found = leave_out(
            Kind.MANY_STATES,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' has {states:,} states, more than {rows:,} rows can carry",
            f"{rows / (2 * states):.1f} rows for each cell with one parent of two states; {LEAST_PER_CELL} are needed, "
            f"which {limit:,} states would have"
            + ("" if states <= never else f"; with more than {never:,} states no column is learned from"),
            f": it has {states:,} states, more than {rows:,} rows can carry",
            keepable=states <= never,
        )
        remedy = found.remedy if merge_rare is None else Argument("merge_rare", merge_rare)
        yield replace(found, proposal="leave it out, or join its rare states", remedy=remedy)


def find_codes(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns of whole numbers that would be cut into intervals, and whose names say that they are codes.

    Their order means nothing. They are taken as categories, or left out where they have too many states for that; what
    the analyst keeps, or calls a category, is not meant.
    """
    for column in table.columns:
        values = column.numbers
        if values is None or column.name in keep or not column.is_continuous() or not are_names(column):
            continue
        states, rows = _states(column), column.n_cases - column.n_missing
        what = f"column '{column.name}' holds codes, not quantities: bins of them mean nothing"
        evidence = f"{states:,} whole numbers, and its name; a quantity is kept with keep"
        if states > most_states(rows, LEAST_PER_CELL):
            why = ", which holds codes of more kinds than the rows can carry"
            yield leave_out(Kind.CODES, Severity.MISLEADS, (column.name,), what, evidence, why, keepable=True)
            continue
        done = f"Took the numbers of column '{column.name}' as categories: they are codes."
        order = [column.labels[k] for k in np.argsort(values, kind="stable")]
        yield Finding(
            Kind.CODES,
            Severity.MISLEADS,
            (column.name,),
            what,
            evidence,
            "take each of them as a category",
            Argument("categories", [column.name]),
            Repair.of_column(column.name, partial(_ordered, order=order), done),
            keepable=True,
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
        done = f"Joined {len(rare):,} states of column '{column.name}' with fewer than {least} rows as '{other}'"
        repair = Repair.of_column(column.name, partial(_merged, rare=rare, other=other), f"{done} ({rows:,} rows).")
        yield Finding(
            Kind.RARE_STATES,
            Severity.NOTE,
            (column.name,),
            f"column '{column.name}' has {len(rare):,} {'state' if len(rare) == 1 else 'states'} with fewer than "
            f"{least} rows",
            quoted(rare, 4),
            "" if merge_rare is None else f"join them as '{other}'",
            Argument("merge_rare", least),
            None if merge_rare is None else repair,
            safe=merge_rare is not None,
        )


def _merged(column: Column, rare: list[str], other: str) -> Column:
    merged = column.relabel(dict.fromkeys(rare, other))
    return Column(merged.name, merged.codes, merged.labels)  # no longer the states that were declared


def _states(column: Column) -> int:
    return len(column.labels) if column.declared else int((column.counts() > 0).sum())


# Labels that are one label in several spellings: "Yes" and "yes", "New  York" and "new york", "Zürich", "Zurich".


SINGLE = "ynjmfwdt"  # yes, no, ja; male, female, weiblich, divers; true
# Between letters, with or without blanks: "full-time", "full - time"; in "1-2" it is a range.
_HYPHEN = re.compile(r"(?<=[^\W\d])\s*-\s*(?=[^\W\d])")


def folded(label: str) -> str:
    """Return a label without what spellings differ in: case, accents, blanks, hyphens, underscores, a full stop.

    A hyphen joins words; before a number or behind a grade it means something.

    >>> folded("  Sao_Paulo "), folded("são-paulo."), folded("AB-"), folded("-0.5")
    ('sao paulo', 'sao paulo', 'ab-', '-0.5')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
    return " ".join(_HYPHEN.sub(" ", plain.casefold().replace("_", " ")).rstrip(".").split())


def find_spellings(table: Table) -> Iterable[Finding]:
    """Yield, for every column of words, the labels to join; each group takes its most frequent spelling."""
    for column in table.columns:
        if column.declared or column.numbers is not None:
            continue
        joined = _joined(column)
        if not joined:
            continue
        groups = [
            [best, *(label for label in joined if joined[label] == best)] for best in dict.fromkeys(joined.values())
        ]
        shown = first_few([" = ".join(f"'{label}'" for label in group) for group in groups], 3, "; ")
        yield Finding(
            Kind.SPELLING,
            Severity.MISLEADS,
            (column.name,),
            f"column '{column.name}' has the same label in several spellings: {shown}",
            "they differ in case, blanks or accents alone",
            "take each for one state, in its most frequent spelling",
            Argument("agree", True),
            Repair.of_column(
                column.name,
                partial(Column.relabel, labels=joined),
                f"Joined spellings in column '{column.name}': {shown}.",
            ),
        )


def _joined(column: Column) -> dict[str, str]:
    """Return the spellings that change, each with the one it becomes; single letters may differ by case on purpose."""
    by_key: dict[str, list[int]] = {}
    for code, label in enumerate(column.labels):
        by_key.setdefault(folded(label), []).append(code)
    counts = column.counts()
    joined: dict[str, str] = {}
    for key, codes in by_key.items():
        if len(codes) < 2 or not key or (len(key) == 1 and key not in SINGLE):
            continue
        best = min(codes, key=lambda code: (-int(counts[code]), column.labels[code]))
        joined |= {column.labels[code]: column.labels[best] for code in codes if code != best}
    return joined


# Labels with an order that the alphabet does not know: low, medium, high; 18-25, 26-35, over 65.


SCALES: tuple[tuple[str, ...], ...] = (
    ("very low", "low", "medium", "moderate", "average", "normal", "high", "very high"),
    ("none", "very mild", "mild", "moderate", "severe", "very severe"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("young", "adult", "old"),
    ("short", "medium", "long"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
)
_RANGE = re.compile(
    r"(?P<below><=?|under |below |up to )?\s*(?P<low>\d+(?:\.\d+)?)\s*"
    r"(?:(?:-|–|to)\s*(?P<high>\d+(?:\.\d+)?)|(?P<above>\+| and over| and more| or more))?",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?:>=?|over |above |more than )\s*(\d+(?:\.\d+)?)", re.IGNORECASE)


def find_scales(table: Table) -> Iterable[Finding]:
    """Yield the columns whose labels have an order; no score uses it, but tables and bars are read by it."""
    for column in table.columns:
        order = _order(column)
        if order is None or order == sorted(column.labels):
            continue
        shown = " < ".join(order[:6]) + (" < ..." if len(order) > 6 else "")
        yield Finding(
            Kind.ORDINAL,
            Severity.NOTE,
            (column.name,),
            f"the labels of column '{column.name}' have an order: {shown}",
            "no score uses it; tables and charts show it",
            "keep them in this order",
            Argument("agree", True),
            Repair.of_column(
                column.name,
                partial(_ordered, order=order),
                f"Put the states of column '{column.name}' in order: {shown}.",
            ),
        )


def _order(column: Column) -> list[str] | None:
    labels = column.labels
    if column.declared or column.numbers is not None or not 3 <= len(labels) <= 20:
        return None
    plain = {folded(label): label for label in labels}
    for scale in SCALES:
        if len(plain) == len(labels) and all(word in scale for word in plain):
            return [plain[word] for word in scale if word in plain]
    starts = {label: _start(label) for label in labels}
    if any(start is None for start in starts.values()) or len(set(starts.values())) < len(labels):
        return None
    return sorted(labels, key=lambda label: starts[label] or (0.0, 0))


def _start(label: str) -> tuple[float, int] | None:
    """Return where a range begins, e.g. (18, 0) for "18-25", (18, -1) for "under 18", (65, 1) for "over 65"."""
    match = _RANGE.fullmatch(label)
    if match is not None and (match["below"] or match["high"] or match["above"]):
        return float(match["low"]), -1 if match["below"] else 0
    over = _OVER.fullmatch(label)
    return None if over is None else (float(over[1]), 1)


def _ordered(column: Column, order: list[str]) -> Column:
    lookup = [*map(order.index, column.labels), len(order)]
    return Column.looked_up(column.name, lookup, column.codes, order, declared=True)


# Columns of dates and times: as they are written, every day would be a state of its own.


def find_dates(table: Table, *, dates: str | None = None) -> Iterable[Finding]:
    """Yield the columns of dates; `dates` says what becomes of them: left out (the proposal), the year, the month."""
    for column in table.columns:
        example = date_example(column)
        if example is None:
            continue
        what = dates or "drop"
        parts = None if what == "drop" else _labels(column, what)
        unclear = what != "drop" and parts is None
        yield Finding(
            Kind.DATE,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' holds dates or times, not categories",
            f"{len(column.labels):,} distinct values such as '{example}'"
            + (f"; they have no {what}, or day and month cannot be told apart" if unclear else ""),
            "leave it out" if what == "drop" or unclear else f"keep the {what}",
            Argument("dates", "drop" if unclear else what),
            None if unclear else _date_repair(column, what, parts),
            safe=not unclear,
        )


def _labels(column: Column, what: str) -> dict[str, str | None] | None:
    """Return the year or the month of every label; None if some date does not say, or may say two."""
    read = stamp_parts if is_stamp(column) else date_parts
    parts = {label: read(label) for label in column.labels}
    numbered = [p for p in parts.values() if p is not None and "first" in p]
    day_first = any(int(p["first"]) > 12 for p in numbered)
    month_first = any(int(p["second"]) > 12 for p in numbered)
    if what == "month" and numbered and day_first == month_first:
        return None
    found: dict[str, str | None] = {}
    for label, p in parts.items():
        if p is None:
            if is_time(label):
                return None
            found[label] = None
        elif what == "year":
            year = p["year"]
            found[label] = year if len(year) == 4 else f"{'19' if int(year) > 50 else '20'}{year}"
        elif "name" in p:
            found[label] = f"{MONTHS.index(p['name'].lower()[:3]) + 1:02d}"
        else:
            found[label] = f"{int(p.get('month') or p['second' if day_first else 'first']):02d}"
    return found


def _date_repair(column: Column, what: str, labels: dict[str, str | None] | None) -> Repair:
    name = column.name
    if labels is None:
        return Repair(lambda table: table.drop([name]), f"Left out column '{name}', which holds dates or times.")
    lost = [label for label, part in labels.items() if part is None]
    more = f"; {quoted(lost)} became missing" if lost else ""
    done = f"Kept the {what} of column '{name}', which holds dates{more}."
    return Repair.of_column(name, partial(Column.relabel, labels=labels), done)

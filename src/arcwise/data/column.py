"""`Column`: distinct labels, and for each row the code of its label."""

from __future__ import annotations

import datetime
import enum
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import DataError, check_known
from arcwise.base.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd


# How many states the rows of a data set can carry.
#
# A family of a variable with one parent of two states has twice as many cells as the variable has states. Where the
# rows give fewer than `FEWEST_PER_CELL` to each of them on average, no score can tell an edge from chance, and scores
# that reward fit find one with certainty: whatever is said about such a column, it is never learned from. (The audit
# warns much earlier, from Cochran's five on; up to twenty states nothing is said.)


# A column of numbers with more distinct values is taken to be a quantity, not a set of categories.
MAX_LEVELS = 20
FEWEST_PER_CELL = 2


def most_states(rows: int, per_cell: int = FEWEST_PER_CELL) -> int:
    """Return how many states a variable may have with so many rows.

    >>> most_states(60), most_states(2000)
    (20, 500)
    """
    return max(MAX_LEVELS, rows // (2 * per_cell))


# What counts as a missing value in a text file. "None" is not among them: it is a state of many networks.
MISSING: tuple[str, ...] = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")

# Decimal numbers only: neither "inf" nor "1_000" nor hexadecimal, which Python's float would take. Every number matches
# in one way, and what matched is not tried again: a word after a thousand numbers would take forever.
_NUMBERS = re.compile(r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\n)*+")


def numbers_of(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the labels as numbers, or None unless every label is a finite decimal number."""
    lines = "\n".join(labels) + "\n"
    if not labels or lines.count("\n") != len(labels) or _NUMBERS.fullmatch(lines) is None:
        return None
    values = np.array(labels, dtype=np.float64)
    return values if bool(np.isfinite(values).all()) else None


def sorted_labels(labels: Sequence[str]) -> list[int]:
    """Return the positions of the labels in order: numerically if all are numbers, else by Unicode code points."""
    values = numbers_of(labels)
    if values is None:
        return sorted(range(len(labels)), key=labels.__getitem__)
    return sorted(range(len(labels)), key=lambda k: (values[k], labels[k]))


def spell(value: object) -> str:
    """Return a value as a label: `str` without surrounding spaces; a whole float as an integer.

    >>> spell(3.0), spell(2.5), spell(" yes "), spell(True)
    ('3', '2.5', 'yes', 'True')
    """
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)
    return str(value).strip()


def quoted(labels: Sequence[str], limit: int = 5) -> str:
    """Return labels in quotes for a message, the first few if there are many.

    >>> quoted(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(f"'{_short(label)}'" for label in labels[:limit])
    return shown if len(labels) <= limit else f"{shown} and {len(labels) - limit:,} more"


def _short(label: str) -> str:
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in label[:60])
    return text if len(label) <= 60 else f"{text}..."


def coded(labels: Iterable[str | None]) -> tuple[list[int], tuple[str, ...]]:
    """Return the code of each label, and the distinct ones, of which there are as many as the code of a missing value.

    >>> coded(["b", None, "a", "b"])
    ([0, 2, 1, 0], ('b', 'a'))
    """
    listed = list(labels)
    kept = tuple(dict.fromkeys(label for label in listed if label is not None))
    position: dict[str | None, int] = {label: code for code, label in enumerate(kept)}
    return [position.get(label, len(kept)) for label in listed], kept


def gap_label(labels: Sequence[str]) -> str:
    """Return a label for missing values that no other label is."""
    name = "missing"
    while name in labels:
        name = f"({name})"
    return name


def code_type(largest_arity: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned type that holds the codes of `largest_arity` states."""
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest_arity - 1 <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise DataError(f"a variable has {largest_arity:,} states; at most 2^32 are supported.")


@one_screen
@dataclass(frozen=True, slots=True)
class ReaderCuts:
    """Where the reader of a large file cut a column of numbers, and the labels that it took for missing values."""

    cuts: tuple[float, ...]
    missing: tuple[str, ...] = ()


class VariableKind(enum.StrEnum):
    """What the values of a column are, and so what can be done with them."""

    NUMBER = "number"  # values with differences: years, kilograms, counts
    ORDINAL = "ordinal"  # states in an order: a scale
    NOMINAL = "nominal"  # states without one


def checked_kind(name: str, kind: object) -> VariableKind:
    """Return the kind of a variable; another word is refused."""
    check_known(f"kind of '{name}'", kind, [str(known) for known in VariableKind])
    return VariableKind(str(kind))


@one_screen
@dataclass(frozen=True, eq=False)
class Column:
    """One column: distinct labels, and for each row the code of its label.

    Parameters
    ----------
    name
        The variable.
    codes
        One unsigned integer per row; ``len(labels)`` stands for a missing value.
    labels
        The distinct labels, as written but without spaces around them.
    declared
        Whether the labels are declared states, in their order, rather than what was seen.
    weights
        How many cases each row stands for, if the rows are the distinct ones of a large file; None if one.
    kind
        What its values are, if its file or frame says so; else see `proposed_kind`.
    """

    name: str
    codes: NDArray[Any]
    labels: tuple[str, ...]
    declared: bool = False
    weights: NDArray[Any] | None = None
    kind: VariableKind | None = None

    @classmethod
    def of(cls, name: str, values: Sequence[str | None]) -> Column:
        """Make a column of one label per row, None for a missing value."""
        codes, labels = coded(values)
        return cls(name, np.array(codes, dtype=code_type(len(labels) + 1)), labels)

    @classmethod
    def looked_up(
        cls, name: str, lookup: ArrayLike, codes: NDArray[Any], labels: Iterable[str], declared: bool = False
    ) -> Column:
        """Make a column of codes that stand for other ones: `lookup` has the code of the label for each of them."""
        kept = tuple(labels)
        return cls(name, np.asarray(lookup).astype(code_type(len(kept) + 1))[codes], kept, declared)

    @classmethod
    def of_numbers(cls, name: str, values: NDArray[np.float64]) -> Column:
        """Make a column of numbers, which need not be read from their labels again."""
        distinct, codes = np.unique(values, return_inverse=True)
        labels = tuple(map(spell, distinct.tolist()))
        made = cls(name, codes.astype(code_type(len(labels) + 1)), labels, kind=VariableKind.NUMBER)
        made.__dict__["numbers"] = distinct + 0.0  # -0.0 is spelt 0
        return made

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The labels as numbers; None if one is not a number or if the labels are declared states."""
        return None if self.declared else numbers_of(self.labels)

    @cached_property
    def n_missing(self) -> int:
        """The number of cases without a value."""
        gaps = self.codes == len(self.labels)
        return int(np.count_nonzero(gaps) if self.weights is None else self.weights[gaps].sum())

    @property
    def n_cases(self) -> int:
        """The number of cases: of rows, or what these stand for."""
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """For each row, whether it has no value."""
        return np.asarray(self.codes == len(self.labels))

    def is_continuous(self, max_levels: int = MAX_LEVELS) -> bool:
        """Return whether the column holds numbers with more than `max_levels` distinct values."""
        return self.numbers is not None and self._n_numbers > max_levels

    @cached_property
    def _n_numbers(self) -> int:
        return 0 if self.numbers is None else len(np.unique(self.numbers))

    def values(self) -> NDArray[np.float64]:
        """Return each row's number, NaN where it is missing. Only for columns of numbers."""
        if self.numbers is None:
            raise DataError(f"column '{self.name}' does not hold numbers: {quoted(self.labels)}.")
        return np.asarray(np.append(self.numbers, np.nan)[self.codes])

    def counts(self) -> NDArray[np.int64]:
        """Return how many cases show each label."""
        return self._counts

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        # Sums of whole numbers below 2^53 are exact as floats.
        found = np.bincount(self.codes, self.weights, minlength=len(self.labels) + 1)[: len(self.labels)]
        found = found.astype(np.int64, copy=False)
        found.setflags(write=False)
        return found

    def relabel(self, labels: Mapping[str, str | None]) -> Column:
        """Return the column with other labels: equal ones become one, None a missing value; what is not named stays."""
        lookup, kept = coded(labels.get(label, label) for label in self.labels)
        return replace(
            Column.looked_up(self.name, [*lookup, len(kept)], self.codes, kept, self.declared), kind=self.kind
        )

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the given rows; of observed labels, those that are still seen."""
        codes = self.codes[rows]
        if self.declared:
            return Column(self.name, codes, self.labels, declared=True, kind=self.kind)
        seen = np.bincount(codes, minlength=len(self.labels) + 1)[: len(self.labels)] > 0
        if seen.all():
            return Column(self.name, codes, self.labels, kind=self.kind)
        labels = [label for label, kept in zip(self.labels, seen, strict=True) if kept]
        found = Column.looked_up(self.name, np.append(np.cumsum(seen) - 1, len(labels)), codes, labels)
        return replace(found, kind=self.kind)


# Of what kind the values of a column are, where nobody said it.
#
# Whole numbers of few values are marks on a scale or small counts. Taken for labels without an order they lose what
# they say about each other, and no score can find it again; so they are never taken for that unless somebody says so.


MOST_MARKS = 10  # whole numbers of more values than this are numbers rather than a scale
# Words in an order, as questionnaires have them.
LADDERS = (
    ("none", "very mild", "mild", "moderate", "severe", "very severe", "critical"),
    ("none", "very low", "low", "medium", "moderate", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("very short", "short", "medium", "long", "very long"),
    ("never", "rarely", "seldom", "occasionally", "sometimes", "often", "usually", "frequently", "always"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("very bad", "bad", "fair", "neutral", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "undecided", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("not at all", "a little", "somewhat", "moderately", "quite", "very", "extremely"),
    ("primary", "secondary", "tertiary"),
)
_RANGE = re.compile(
    r"([<>\u2264\u2265]=?|\(-inf,)?\s*[(\[]?([0-9]+(?:\.[0-9]+)?)(?:\s*(?:-|\u2013|to|,)\s*(?:[0-9.]+|inf)\s*[)\]]?|\s*\+|\])?"
)


_POSTCODE = re.compile(r"(?:^|[^a-z])(zip|zip.?code|post.?code|postal.?code|plz)(?:$|[^a-z])")
_ZERO_FIRST = re.compile(r"0[0-9]+")
# Names of columns whose whole numbers are names of places and groups, with or without what says that they number them.
_CODE = re.compile(
    r"fips|(?<!en)(?<!de)cod(es?)?$|^birth_?place$|^(naics|sic|isco|isic|icd\d*|cip)(_?codes?)?$"
    r"|^(vill(age)?|dist(rict)?|county|country|region|prov(ince)?|municipality|tract|ward|stratum|parish|precinct"
    r"|store|shop|branch|school|inst(itution)?|hosp(ital)?|clinic|cent(er|re)|site)[_ .-]?(nums?|no|nr|id|number)?$",
    re.IGNORECASE,
)
# Names of columns whose few whole numbers stand for kinds that have no order.
_CLASSES = re.compile(
    r"^(race|ethnic(ity|_?group)?|religion|relig|(marital_?)?status|marital|nationality|origin|language|party|sector"
    r"|industry|occupation|species|colou?r|brand|state|city|site|cent(er|re)|hospital|clinic)(_(husb(and)?|wife|spouse|\d))?$",
    re.IGNORECASE,
)


def ladder(labels: Sequence[str]) -> list[int] | None:
    """Return the positions of labels in the order that their words say; None if they say none.

    >>> ladder(["often", "never", "sometimes"]), ladder(["18-39", "<18", "40+"]), ladder(["red", "green", "blue"])
    ([1, 2, 0], [1, 0, 2], None)
    """
    words = [label.strip().lower().replace("_", " ") for label in labels]
    for known in LADDERS:
        if len(set(words)) == len(words) > 2 and set(words) <= set(known):
            return sorted(range(len(words)), key=lambda k: known.index(words[k]))
    ranges = [_RANGE.fullmatch(word) for word in words]
    if len(words) < 3 or not all(ranges) or numbers_of(labels) is not None:
        return None
    ends = [(float(found[2]), (found[1] or "")[:1] not in ("", ">")) for found in ranges if found]
    keys = [(end - 0.5 * is_below, not is_below) for end, is_below in ends]
    return sorted(range(len(words)), key=keys.__getitem__) if len(set(keys)) == len(keys) else None


def are_codes(column: Column) -> bool:
    """Return whether numbers are names: postcodes by the name of the column, or written with zeros in front."""
    if column.numbers is None or column.declared:
        return False
    return _POSTCODE.search(column.name.lower()) is not None or any(map(_ZERO_FIRST.fullmatch, column.labels))


def are_names(column: Column) -> bool:
    """Return whether whole numbers are names of places, groups or kinds, as the name of the column says."""
    values = column.numbers
    if values is None or bool((values != np.floor(values)).any()) or float(values.min()) < 0:
        return False
    return bool(_CODE.search(column.name) or (len(np.unique(values)) <= MOST_MARKS and _CLASSES.search(column.name)))


def proposed_kind(column: Column) -> VariableKind:
    """Return of what kind the values are: what the column says, else its name, else what they look like.

    >>> marks, ages = ([str(k % most) for k in range(60)] for most in (5, 40))
    >>> [str(proposed_kind(Column.of("x", values))) for values in (marks, ages, ["yes", "no"])]
    ['ordinal', 'number', 'nominal']
    >>> str(proposed_kind(Column.of("region", marks)))
    'nominal'
    """
    if column.kind is not None:
        return column.kind
    few = len(column.labels) <= most_states(column.n_cases - column.n_missing)
    return VariableKind.NOMINAL if few and (are_names(column) or are_codes(column)) else looked_like(column)


def looked_like(column: Column) -> VariableKind:
    """Return of what kind the values look, whatever the column is called."""
    numbers = column.numbers
    if numbers is None or len(np.unique(numbers)) < 3:
        return VariableKind.NOMINAL if ladder(column.labels) is None else VariableKind.ORDINAL
    is_scale = len(np.unique(numbers)) <= MOST_MARKS and bool((numbers % 1 == 0).all())
    return VariableKind.ORDINAL if is_scale else VariableKind.NUMBER


# Labels that are dates or times, in the ways in which people write them.


SHARE = 0.95  # of the distinct labels
LEAST_DATES = 2  # one date is a constant
NUMBERS = 20  # a column of numbers needs more values than this to hold dates
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = r"(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
_NAMES = rf"(?P<name>{'|'.join(MONTHS)})[a-z]*\.?"
_PATTERNS = tuple(
    re.compile(pattern + _CLOCK, re.IGNORECASE)
    for pattern in (
        r"(?P<year>[12]\d{3})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<year>[12]\d{3})[-/](?P<month>0[1-9]|1[0-2])",
        r"(?P<first>\d{1,2})[-/.](?P<second>\d{1,2})[-/.](?P<year>[12]\d{3}|\d{2})",
        rf"(?P<day>\d{{1,2}})[ -]{_NAMES}[ ,-]+(?P<year>[12]\d{{3}}|\d{{2}})",
        rf"{_NAMES}[ -](?P<day>\d{{1,2}}),?[ -]+(?P<year>[12]\d{{3}})",
        rf"{_NAMES}[ -](?P<year>[12]\d{{3}})",
        r"(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    )
)
# Names that say that large numbers are seconds, or thousandths, since 1970.
_STAMP = re.compile(r"(?:^|[^a-z])(time|timestamp|ts|epoch|date|datetime|created|updated|modified|at|when)(?:$|[^a-z])")
SINCE, UNTIL = 946_684_800, 2**31  # from 2000 to 2038
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?")


def date_example(column: Column) -> str | None:
    """Return an example that shows that a column holds dates or times, or None if it does not."""
    if column.declared or len(column.labels) < LEAST_DATES:
        return None
    sample = column.labels[:: max(1, len(column.labels) // 1000)]
    if column.numbers is not None:
        # 20150131 may be a quantity; that all of many numbers are dates is no chance.
        compact = len(column.labels) > NUMBERS and all(date_parts(label) is not None for label in sample)
        return sample[0] if compact or is_stamp(column) else None
    dates = [label for label in sample if date_parts(label) is not None or is_time(label)]
    return dates[0] if len(dates) >= SHARE * len(sample) else None


def date_parts(label: str) -> dict[str, str] | None:
    """Return year, month and day as far as a label says them; "first" and "second" where their order is open."""
    for pattern in _PATTERNS:
        match = pattern.fullmatch(label)
        if match is not None:
            found = {name: value for name, value in match.groupdict().items() if value is not None}
            plausible = all(int(found[name]) <= most for name, most in (("month", 12), ("day", 31)) if name in found)
            plausible &= all(1 <= int(found[name]) <= 31 for name in ("first", "second") if name in found)
            return found if plausible else None
    return None


def is_stamp(column: Column) -> bool:
    """Return whether numbers are seconds or thousandths since 1970: by their size, and by the name of the column."""
    if column.numbers is None or not _STAMP.search(re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).lower()):
        return False
    values = column.numbers
    return any(bool(((values >= SINCE * unit) & (values < UNTIL * unit)).all()) for unit in (1, 1000))


def stamp_parts(label: str) -> dict[str, str]:
    """Return year, month and day of seconds or thousandths since 1970, in UTC."""
    value = float(label)
    day = datetime.datetime.fromtimestamp(value if value < UNTIL else value / 1000, datetime.UTC)
    return {"year": f"{day.year}", "month": f"{day.month:02d}", "day": f"{day.day:02d}"}


def is_time(label: str) -> bool:
    """Return whether a label is a time of the day."""
    return _TIME.fullmatch(label) is not None


# Numbers that stand for a missing value in questionnaires and old files, where they are out of range of the rest.


CODES = (-9999.0, -999.0, -99.0, -9.0, -8.0, -7.0, -1.0, 9.0, 88.0, 98.0, 99.0, 888.0, 998.0, 999.0, 9999.0, 99999.0)
LEAST_VALUES = 4  # a range is known from this many other values on


def stands_for_missing(code: float, low: float, high: float, n_others: int) -> bool | None:
    """Return whether one of the codes stands for a missing value: True certainly, False possibly, None not.

    Certain are those that are further from all others than these are from each other; possible, those that are apart
    from the others, as 9 is from 1 to 5, or negative where no other is. `low` and `high` are the least and the largest
    of the `n_others` different values that are no codes.
    """
    if n_others < 2 or low <= code <= high:
        return None
    if n_others >= LEAST_VALUES and (code > high + (high - low) or code < low - (high - low)):
        return True
    return False if code >= high + 2 or code <= low - 2 or code < 0 <= low else None


FEWEST_ROWS, MANY_VALUES = 5, 20


def first_seen(codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the values in the order in which they are first seen: equal for columns that correspond one to one.

    >>> first_seen(np.array([2, 0, 2, 1])).tolist()
    [0, 1, 0, 2]
    """
    first = np.full(int(codes.max()) + 1, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written, the first row, stays
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return np.asarray(rank[codes])


def can_show_copies(counts: NDArray[np.number]) -> bool:
    """Return whether at least two values have rows enough not to be those of another column's by chance.

    >>> can_show_copies(np.array([40, 5])), can_show_copies(np.array([44, 1]))
    (True, False)
    """
    ordered = np.sort(counts)
    return len(ordered) > 1 and bool(ordered[-2] >= FEWEST_ROWS or len(ordered) > MANY_VALUES)


# Columns that number or name the rows rather than describe them, and the reason why they are taken for that.


# Nothing with fewer distinct values is taken for an identifier: that many are categories.
IDENTIFIER_LEVELS = 20
# Whole numbers without a repeat are taken for handed-out numbers if measurements would do that less often than this.
CHANCE = 0.001
# Names that say it, alone or as the last word: "Customer No", "patient_id", "orderNumber".
NUMBERING_WORDS = frozenset(
    ("id", "ids", "identifier", "uid", "uuid", "guid", "key", "no", "nr", "number", "rowid", "rownum", "serial")
)
# Of these, those that say it also of numbers that repeat: a customer has many orders.
IDENTIFYING_WORDS = frozenset(("id", "ids", "identifier", "uid", "uuid", "guid"))
NUMBERING_NAMES = frozenset(("index", "row", "case", "record", "customer", "patient", "person", "subject"))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def identifier_reason(column: Column) -> str | None:
    """Return why a column is taken for an identifier, or None if it may be a variable.

    Text is an identifier if more than half of the rows have a label of their own. Numbers are harder: measurements with
    many digits differ in every row, too. They must be whole, with a name that ends in "id"; or whole and all different,
    and in addition

    - the name says that they number the cases; or
    - they lie too close together to differ by chance. Of n independent draws from R whole numbers, no two are equal
      with a probability of at most prod (1 - i/R) <= exp(-n (n - 1) / 2R), the birthday problem: the uniform
      distribution, for which this is exact, repeats itself least. Measurements that dense would repeat; only numbers
      that are handed out, each once, do not. Whether they have gaps (1, 2, 5, 9, ...) does not matter. A regular step
      (0, 5, 10, ...) is how doses and times are laid out, so that alone is no identifier.

    >>> import numpy as np
    >>> numbers = Column("customer", np.arange(40), tuple(str(k + k // 3) for k in range(40)))
    >>> identifier_reason(numbers)
    '40 whole numbers from 0 to 52, none of them twice'
    """
    if column.declared:
        return None
    seen = column.counts() > 0
    distinct, rows = int(seen.sum()), column.n_cases - column.n_missing
    if distinct <= IDENTIFIER_LEVELS:
        return None
    numbers = column.numbers
    if numbers is None:
        return f"{distinct:,} distinct values in {rows:,} rows" if distinct > rows // 2 else None
    return _numbers_reason(column.name, np.unique(numbers[seen]), rows)


def _numbers_reason(name: str, values: NDArray[np.float64], rows: int) -> str | None:
    """Return why distinct numbers of so many rows are taken for an identifier."""
    if bool((values % 1 != 0).any()):
        return None
    if len(values) < rows:
        named = names_identifier(name)
        return f"{len(values):,} different whole numbers, and a name that says so" if named else None
    if not names_numbering(name) and not _are_too_dense(values):
        return None
    return f"{rows:,} whole numbers from {values[0]:,.0f} to {values[-1]:,.0f}, none of them twice"


def _are_too_dense(values: NDArray[np.float64]) -> bool:
    """Return whether measurements would repeat in a range this narrow; sorted whole numbers, all different."""
    steps = np.unique(np.diff(values))
    if len(steps) == 1 and steps[0] > 1:
        return False
    count = len(values)
    return bool(-count * (count - 1) / (2 * (values[-1] - values[0] + 1)) < math.log(CHANCE))


def names_identifier(name: str) -> bool:
    """Return whether a name is that of an identifier, even of one that repeats."""
    return _last_word(name) in IDENTIFYING_WORDS


def names_numbering(name: str) -> bool:
    """Return whether a name is that of numbers that are handed out, each once."""
    return name.strip().lower() in NUMBERING_NAMES or _last_word(name) in NUMBERING_WORDS


def _last_word(name: str) -> str:
    words = _WORDS.findall(name)
    return words[-1].lower() if words else ""


def frame_of(columns: Iterable[Column]) -> pd.DataFrame:
    """Return columns as a DataFrame: numbers as floats, declared states categorical, the rest as text."""
    import pandas as pd

    series: dict[str, Any] = {}
    types: dict[tuple[tuple[str, ...], bool], Any] = {}  # of thousands of columns, many have the same states
    for column in columns:
        if column.numbers is not None:
            series[column.name] = column.values()
        elif not column.declared:
            series[column.name] = np.array([*column.labels, None], dtype=object)[column.codes]
        else:
            codes = column.codes.astype(np.int64)
            codes[codes == len(column.labels)] = -1
            ordered = column.kind is VariableKind.ORDINAL
            known = (tuple(column.labels), ordered)
            if known not in types:
                types[known] = pd.CategoricalDtype(pd.Index(column.labels), ordered)
            series[column.name] = pd.Categorical.from_codes(codes, dtype=types[known])
    return pd.DataFrame(series)

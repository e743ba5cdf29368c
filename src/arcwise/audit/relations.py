"""What columns say of one another: copies, columns that follow from others, gaps that another column explains."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, leave_out, note, verb
from arcwise.base.errors import Argument
from arcwise.data.column import MAX_LEVELS, Column, can_show_copies, first_seen, gap_label, sorted_labels
from arcwise.data.table import Table

LEAST_ROWS = 50  # fewer rows fit a sum by chance
FEWEST = 5  # rows of each label that is an interval of numbers
# Columns that say the same: copies, near copies, and columns that another one determines.
#
# A copy takes half of the confidence of its twin's edges, silently: networks with either as the parent fit alike. Two
# columns are copies if their values map one to one; numbers, whose values may be in other units or rounded, if their
# ranks agree. Near copies do so but for a few rows. Where one of the two is missing, nothing is compared; of two
# copies the one with fewer gaps is kept, else the first.
LEAST_ROWS_OF_COPIES = 20  # below this, columns of few states are equal by chance
NEAR = 0.99  # the share of rows in which the values of near copies correspond
NEAR_ROWS = 200  # with fewer rows, all have to
EXACT_ROWS = 50  # the fewest rows in which columns with different gaps are compared
COMMON = 0.5  # the share of the rows with either value that have both, at least
FEW, SIMILAR = 100, 0.98  # rows whose ranks are looked at first, and their correlation in copies
RANKS = 0.9995  # the rank correlation of copied numbers
SAMPLE = 5_000  # rows that are looked at for near copies
MOST_PAIRS = 20_000  # pairs of columns that are looked at for near copies
MOST_COUNTED = 1_000_000  # pairs of which the counts of values are compared before that, some seconds


def find_copies(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield, for every column that repeats another one, which that is; the one with fewer gaps is kept, or the first.

    Exact copies cost one pass over the data; near ones a cross table of `SAMPLE` rows per pair of columns whose values
    occur about equally often, of which at most `MOST_PAIRS` are looked at, after counts of at most `MOST_COUNTED` were
    compared. If there are more, a note says so.
    """
    columns = [column for column in table.columns if int((column.counts() > 0).sum()) > 1]
    columns.sort(key=lambda column: column.n_missing)
    kept: list[Column] = []
    looks = _CopySearch(table.sampled_rows(SAMPLE))
    known: dict[bytes, str] = {}
    for column in columns:
        if table.n_cases < LEAST_ROWS_OF_COPIES or not can_show_copies(column.counts()):
            continue
        # Columns that are different in every row all correspond one to one.
        repeats = 2 * len(column.labels) <= table.n_cases and not column.is_continuous()
        key = first_seen(column.codes).tobytes() if repeats else column.name.encode()
        if column.name in keep:
            kept.append(column)
            known.setdefault(key, column.name)
            continue
        if key in known:
            yield _copy(column.name, known[key], "the values correspond one to one in every row")
            continue
        twin = looks.twin_of(column, kept)
        if twin is not None:
            yield _copy(column.name, twin.name, looks.evidence)
            continue
        known[key] = column.name
        kept.append(column)
    if looks.left_out:
        yield note(
            Kind.COPY,
            (),
            f"not all pairs of columns were compared for near copies: {looks.left_out:,} were left out",
            "there are too many columns; exact copies are found all the same",
        )


def find_determined(table: Table) -> Iterable[Finding]:
    """Yield the columns that are a function of another one with more values: a postcode and its town."""
    rows = table.n_cases
    small = [c for c in table.columns if 2 <= int((c.counts() > 0).sum()) <= rows // 10 and not c.is_continuous()]
    if rows < LEAST_ROWS_OF_COPIES or len(small) ** 2 > MOST_PAIRS:
        return
    for column in small:
        for other in small:
            finer = len(other.labels) > len(column.labels) >= 2
            if finer and can_show_copies(column.counts()) and _determines(other, column):
                what = f"column '{column.name}' follows from column '{other.name}': each value of that has one of this"
                values = f"{len(other.labels):,} and {len(column.labels):,} values"
                yield note(Kind.DETERMINED, (column.name,), what, values, others=(other.name,))
                break


def _copy(name: str, twin: str, evidence: str) -> Finding:
    what, why = f"column '{name}' is a copy of column '{twin}'", f", a copy of '{twin}' ({evidence})"
    return leave_out(Kind.COPY, Severity.MISLEADS, (name,), what, evidence, why, keepable=True)


def _determines(finer: Column, coarser: Column) -> bool:
    """Return whether one column is a function of another in the rows that have both, which are most.

    What is not one in some of the rows is none: few pairs of columns are looked at beyond these.
    """
    some = slice(None, None, max(1, len(finer.codes) // SAMPLE))
    if not _is_function(finer.codes[some], coarser.codes[some], finer, coarser):
        return False
    common = ~(finer.is_missing | coarser.is_missing)
    cases = int(common.sum() if finer.weights is None else finer.weights[common].sum())
    return cases >= COMMON * finer.n_cases and _is_function(finer.codes, coarser.codes, finer, coarser)


def _is_function(
    codes: NDArray[np.unsignedinteger], values: NDArray[np.unsignedinteger], finer: Column, coarser: Column
) -> bool:
    """Return whether no code goes with two values; missing ones aside."""
    common = (codes != len(finer.labels)) & (values != len(coarser.labels))
    own = codes[common].astype(np.int64)
    pairs = np.unique(own * (len(coarser.labels) + 1) + values[common])
    return len(pairs) == len(np.unique(own))


# Columns that were computed from others: differences, sums, means, and classes of a number.


MOST_NUMBERS = 60  # columns of numbers in which linear identities are looked for
EXACT = 0.005  # the standard deviation of what a formula leaves open, in units of its column's
LEAST_TERM = 0.01  # how much a term must contribute, in the same units
MOST_TERMS = 5  # longer sums tell a reader nothing


def find_computed(table: Table) -> Iterable[Finding]:
    """Yield the columns of numbers that are a sum of others times factors, and those that are intervals of one."""
    rows = table.sampled_rows(SAMPLE)
    numbers = sorted((c for c in table.columns if c.is_continuous()), key=lambda column: column.n_missing)
    values = {c.name: c.values()[rows] for c in numbers[:MOST_NUMBERS]}
    if len(rows) < LEAST_ROWS:
        return
    kept = dict(values)
    while len(kept) > 2 and len(_complete(kept)) < max(LEAST_ROWS, 5 * len(kept)):
        kept.popitem()  # the one with the most gaps
    order = {name: place for place, name in enumerate(table.names)}
    reported: set[frozenset[str]] = set()
    for name in sorted(kept, key=order.__getitem__, reverse=True):  # what was computed mostly comes last
        formula = _formula(name, {other: own for other, own in kept.items() if other != name}, kept[name])
        if formula is not None and (among := frozenset((name, *formula))) not in reported:
            reported.add(among)
            words = " ".join(_term(formula[other], other) for other in sorted(formula, key=order.__getitem__))
            what = f"column '{name}' follows from others: {name} = {words.removeprefix('+ ')}"
            evidence = "up to rounding and a constant; edges among them say only that"
            yield note(Kind.DETERMINED, (name,), what, evidence, others=tuple(formula))
    for column in table.columns:
        if 2 <= len(column.labels) <= MAX_LEVELS // 2 and not column.is_continuous():
            cause = next((c for c in numbers if c.name in values and _are_intervals(c, column)), None)
            if cause is not None:
                what = f"column '{column.name}' follows from column '{cause.name}': each of its labels is a bin"
                evidence = f"{len(column.labels)} labels, in the order of numbers"
                yield note(Kind.DETERMINED, (column.name,), what, evidence, others=(cause.name,))


def _term(factor: float, name: str) -> str:
    amount = "" if abs(abs(factor) - 1) < EXACT else f"{abs(factor):.3g} "
    return f"{'-' if factor < 0 else '+'} {amount}{name}"


def _complete(columns: dict[str, NDArray[np.float64]]) -> NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(np.array([*columns.values()])).any(axis=0))


def _formula(name: str, others: dict[str, NDArray[np.float64]], values: NDArray[np.float64]) -> dict[str, float] | None:
    """Return the factors of the few columns of which one is the sum, up to a constant; None if it is no sum."""
    chosen = dict(others)
    while len(chosen) > 1:
        complete = _complete({name: values, **chosen})
        own = values[complete] - values[complete].mean()
        terms = np.array([column[complete] - column[complete].mean() for column in chosen.values()])
        spread = float(own.std())
        if len(complete) < LEAST_ROWS or spread == 0:
            return None
        factors = np.linalg.lstsq(terms.T, own, rcond=None)[0]
        if float((own - factors @ terms).std()) > EXACT * spread:
            return None
        shares = np.abs(factors) * terms.std(axis=1) / spread
        found = {other: float(f) for other, f, share in zip(chosen, factors, shares, strict=True) if share > LEAST_TERM}
        if len(found) == len(chosen):
            return found if len(found) <= MOST_TERMS else None
        chosen = {other: chosen[other] for other in found}
    return None


def _are_intervals(finer: Column, coarser: Column) -> bool:
    """Return whether the labels of a column are intervals of the numbers of another, with some rows each."""
    values, codes = finer.values(), coarser.codes
    known = ~np.isnan(values) & ~coarser.is_missing
    if known.sum() < max(LEAST_ROWS, COMMON * len(codes)):
        return False
    order = np.argsort(values[known], kind="stable")
    ranked, labels = values[known][order], codes[known][order]
    changes = np.flatnonzero(labels[1:] != labels[:-1])
    sizes = np.bincount(labels, minlength=len(coarser.labels))
    apart = bool((ranked[changes] < ranked[changes + 1]).all())
    return apart and len(changes) + 1 == np.count_nonzero(sizes) and int(sizes[sizes > 0].min()) >= FEWEST


# Values that are missing by definition: the date of death of the living. They are no accident, and whoever completes
# them at random gives dates of death to the living.


ALWAYS, SELDOM = 0.98, 0.1  # the share of gaps where there is no value, and elsewhere at most
LEAST_GAPS = 10  # rows with a gap, and without, at least


def find_gaps_by_definition(table: Table, *, answered: bool = False) -> Iterable[Finding]:
    """Yield the columns that are missing where another one has certain values, and hardly ever elsewhere.

    They get a state of their own, or are left out if they hold numbers; where it was `answered` what to do about gaps,
    they are told. Columns with the same gaps are one finding.
    """
    causes = [c for c in table.columns if 2 <= len(c.labels) <= MAX_LEVELS]
    same: dict[bytes, list[Column]] = {}
    for column in table.columns:
        if LEAST_GAPS <= column.n_missing <= column.n_cases - LEAST_GAPS:
            same.setdefault(np.packbits(column.is_missing).tobytes(), []).append(column)
    if len(same) * len(causes) > MOST_PAIRS:
        return
    for columns in same.values():
        others = [cause for cause in causes if cause not in columns]
        found = [reason for cause in others if (reason := _reason(columns[0], cause)) is not None]
        if not found:
            continue
        _, _, where, evidence = min(found, key=lambda reason: reason[:2])
        for is_number in (False, True):
            names = tuple(c.name for c in columns if c.is_continuous() is is_number)
            if names:
                yield _by_definition(names, where, evidence, is_number, answered)


def _reason(column: Column, cause: Column) -> tuple[float, int, str, str] | None:
    """Return where a column has no value by definition, if a cause tells: how many rows differ, of how many labels."""
    weights = np.ones(len(column.codes)) if column.weights is None else column.weights
    total = np.bincount(cause.codes, weights, minlength=len(cause.labels) + 1)
    gaps = np.bincount(cause.codes, weights * column.is_missing, minlength=len(cause.labels) + 1)
    if gaps[-1] > SELDOM * total[-1] + 1:  # where the cause is missing itself
        return None
    seen = np.flatnonzero(total[:-1])
    share = gaps[seen] / total[seen]
    never, others = seen[share >= ALWAYS], seen[share <= SELDOM]
    if len(never) + len(others) < len(seen) or not len(never) or not len(others):
        return None
    rows, rest = int(total[never].sum()), int(total[others].sum())
    missing, elsewhere = int(gaps[never].sum()), int(gaps.sum() - gaps[never].sum())
    if missing < LEAST_GAPS or rest - elsewhere < LEAST_GAPS:
        return None
    few, word = (never, "is") if len(never) <= len(others) else (others, "is not")
    labels = " or ".join(f"'{cause.labels[k]}'" for k in few[:4]) + (" or another" if len(few) > 4 else "")
    exactly = "exactly" if missing == rows and not elsewhere else "nearly always"
    where = f"{exactly} where '{cause.name}' {word} {labels}"
    evidence = f"in {missing:,} of {rows:,} rows, and in {elsewhere:,} of {rest:,} others"
    return rows - missing + elsewhere, len(few), where, evidence


def _by_definition(names: tuple[str, ...], where: str, evidence: str, is_number: bool, answered: bool) -> Finding:
    what = f"{columns_words(names)} {verb(names, 'is', 'are')} missing {where}"
    if answered:
        return note(Kind.BY_DEFINITION, names, f"{what}: by definition, not at random", evidence)
    if is_number:
        found = leave_out(Kind.BY_DEFINITION, Severity.MISLEADS, names, what, evidence, f", missing {where}")
        return replace(found, proposal=f"leave {it(names)} out, or take every gap as a state with impute='state'")
    done = f"Took a missing value of {columns_words(names)} as a state of its own: there is none {where}."

    def marked(column: Column) -> Column:
        order = sorted_labels(column.labels)
        labels = [*(column.labels[k] for k in order), gap_label(column.labels)]
        return Column.looked_up(column.name, np.argsort([*order, len(order)]), column.codes, labels, declared=True)

    proposal = "take that as a state of its own: there is no value, rather than one that is not known"
    repair = Repair(lambda table: table.with_columns(marked(table.column(name)) for name in names), done)
    remedy = Argument("impute", "state")
    return Finding(Kind.BY_DEFINITION, Severity.MISLEADS, names, what, evidence, proposal, remedy, repair)


class _CopySearch:
    """Compares pairs of columns on a sample of the rows, as long as there are not too many pairs."""

    def __init__(self, rows: NDArray[np.int64]) -> None:
        self._rows = rows
        self._left, self._counted = MOST_PAIRS, MOST_COUNTED
        self._ranks: dict[str, NDArray[np.float64]] = {}
        self._known: dict[str, tuple[bool, NDArray[np.int64] | None]] = {}
        self.evidence = ""
        self.left_out = 0  # pairs that were not looked at

    def twin_of(self, column: Column, kept: Sequence[Column]) -> Column | None:
        """Return the first of the columns that is nearly a copy; pairs beyond the limits are left out, and counted."""
        for place, other in enumerate(kept):
            if self._left == 0 or self._counted == 0:
                self.left_out += len(kept) - place
                return None
            if self._are_near(column, other):
                return other
        return None

    def _are_near(self, one: Column, other: Column) -> bool:
        self._counted -= 1
        if self._cannot_correspond(one, other):
            return False
        self._left -= 1
        (numbers, counts), (other_numbers, other_counts) = self._seen(one), self._seen(other)
        if numbers != other_numbers:
            return False
        common = self._rows
        if counts is None or other_counts is None:
            gaps = [column.is_missing[self._rows] for column in (one, other)]
            common = self._rows[~(gaps[0] | gaps[1])]
            if len(common) < COMMON * (~(gaps[0] & gaps[1])).sum():
                return False
        return self._same_ranks(one, other, common) if numbers else self._correspond(one, other, common)

    def _cannot_correspond(self, one: Column, other: Column) -> bool:
        """Return whether the counts of two columns without gaps show that their values do not correspond.

        Matched values occur together at most as often as the rarer of the two. Of all ways to match, that by rank gives
        the largest sum, which bounds the share of rows that can correspond.
        """
        (numbers, counts), (other_numbers, other_counts) = self._seen(one), self._seen(other)
        if counts is None or other_counts is None or numbers or other_numbers:
            return False
        both = min(len(counts), len(other_counts))
        return int(np.minimum(counts[:both], other_counts[:both]).sum()) < NEAR * len(self._rows)

    def _seen(self, column: Column) -> tuple[bool, NDArray[np.int64] | None]:
        """Return whether a column holds numbers, and how often its values occur, falling; None if there are gaps."""
        if column.name not in self._known:
            codes = column.codes[self._rows]
            counts = np.sort(np.bincount(codes, minlength=len(column.labels)))[::-1]
            has_gaps = bool((codes == len(column.labels)).any())
            self._known[column.name] = column.is_continuous(), None if has_gaps else counts
        return self._known[column.name]

    def _same_ranks(self, one: Column, other: Column, common: NDArray[np.int64]) -> bool:
        fewer, more = sorted((len(one.labels), len(other.labels)))
        # A rounded copy has fewer values, but two columns of sorted rows need not be copies.
        if 2 * fewer < more or len(common) < LEAST_ROWS_OF_COPIES:
            return False
        if len(common) == len(self._rows):
            both = float(self._rank(one) @ self._rank(other))
        else:
            values = [column.values()[common] for column in (one, other)]
            both = correlation(*(ranks(own[:FEW]) for own in values))
            if abs(both) > SIMILAR:
                both = correlation(*map(ranks, values))
        if abs(both) < RANKS:
            return False
        self.evidence = f"their ranks correlate by {both:.4f}"
        return True

    def _rank(self, column: Column) -> NDArray[np.float64]:
        """Return the ranks of a column without gaps, of mean 0 and length 1: products of two are correlations."""
        if column.name not in self._ranks:
            own = ranks(column.values()[self._rows])
            own -= own.mean()
            length = float(np.linalg.norm(own))
            self._ranks[column.name] = own / length if length else own
        return self._ranks[column.name]

    def _correspond(self, one: Column, other: Column, common: NDArray[np.int64]) -> bool:
        rows = len(common)
        if rows < EXACT_ROWS:
            return False
        a, b = one.codes[common].astype(np.int64), other.codes[common].astype(np.int64)
        wide = len(other.labels) + 1
        pairs, counts = np.unique(a * wide + b, return_counts=True)
        matched, used = 0, set[int]()
        seen: set[int] = set()
        for pair, count in sorted(zip(pairs.tolist(), counts.tolist(), strict=True), key=lambda item: -item[1]):
            left, right = divmod(pair, wide)
            if left not in seen and right not in used:
                matched += count
                seen.add(left)
                used.add(right)
        share = matched / rows
        # Two columns that hardly vary agree in most rows as well: what counts is where they leave the most frequent.
        top = counts.max() / rows
        if share < (NEAR if rows >= NEAR_ROWS else 1.0) or (share - top) < NEAR * (1 - top) or top == 1.0:
            return False
        where = "the rows" if rows == len(self._rows) else "the rows that have both"
        self.evidence = f"the values correspond in {share:.1%} of {where}"
        return True


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of every value; equal ones share theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse.ravel()])


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the correlation; 0 if one of the two does not vary."""
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])

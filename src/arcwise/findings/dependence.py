"""Rows that are no cases of their own, although nobody said so: repeated ones, and neighbours that are alike.

Whether rows are independent cannot be seen from counts alone: in a small table many rows are equal by chance. So both
tests compare with what independent rows would show. Equal rows are counted against a network that is fitted to the
data: columns that depend on each other have more equal rows than independent ones, and a network knows how many. And
the order of independent rows means nothing: neighbours agree as often as rows apart, which shuffling the rows tells
exactly. What is found is a `Design`, as if somebody had said which rows belong together; the analysis then counts what
they are worth, and says so first.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.rows import is_in_order
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.design import Design
from arcwise.findings.preparation import Prepared
from arcwise.local.searches import hill_climb

# The largest data that are looked at; of more, the file is a matter of minutes, and so is the search.
MOST_CASES, MOST_VALUES = 20_000, 2_000_000
FEWEST_CASES, FEWEST_COLUMNS = 30, 4
MOST_PARENTS = 3  # of the network that equal rows are compared with
# So many equal rows too many for each row, on average, are no chance and no misfit of the network (`excess_of_equals`):
# one of 200 simulated tables of independent rows, of 60 to 5,000 rows and 6 to 30 columns, had more.
LEAST_EXCESS = 0.5
MISFIT = 0.1  # of the equal rows expected: where each row has dozens of them, no network is right to a few per cent
# If all counts are multiples of k, chance has let that happen once in k for each distinct row, or less.
LARGEST_CHANCE = 1e-4
LEAST_REPEATED = 1.25  # times as many rows that repeat another as the network expects, if the excess is small
LEAST_AGREED = 0.1  # of neighbours beyond chance; less is a drift, as most collections of rows have
LAGS = 5  # how far apart neighbours may be that are compared
SHUFFLES = 60
STANDARD_ERRORS = 5.0
LONGEST_BLOCK = 60
# Rows that are sorted by a column of few values are shuffled within its runs, if they have so many rows on average:
# shorter ones may be groups.
LEAST_RUN = 12
# Rows change places with others not far away: a drift, as when the ill were entered first, makes no groups.
WINDOW = 60


def find_dependence(data: Dataset, seed: int = 0, *, in_order: bool = True) -> Design | None:
    """Return which rows seem to belong together; None if they look independent, or are too many to look.

    Parameters
    ----------
    data
        Complete data. Those with groups are not looked at, since somebody said it, nor those with weights.
    seed
        For shuffles of the rows.
    in_order
        Whether the order of the rows may mean something: not that of distinct rows, or of rows sorted by a number.
    """
    size = data.n_cases
    if data.design is not None or not FEWEST_CASES <= size <= MOST_CASES or size * data.n_variables > MOST_VALUES:
        return None
    varying = [name for name, same in zip(data.names, data.constant, strict=True) if not same]
    if len(varying) < FEWEST_COLUMNS or data.weights is not None:
        return None
    whole = data.select(varying)
    multiples, equal = _equal_rows(whole)
    if multiples or not in_order:  # nothing is left to find
        return equal
    series = _neighbours(whole, np.random.default_rng([seed, size]))
    designs = [design for design in (equal, series) if design is not None]
    return min(designs, key=lambda design: whole.with_groups(design).n_effective, default=None)


def _equal_rows(data: Dataset) -> tuple[bool, Design | None]:
    """Group rows that are equal where more are than chance and the network explain; whether all are multiples."""
    content = np.unique(data.codes.T, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(content)
    if len(counts) == data.n_rows:
        return False, None
    rank = np.empty(data.n_rows, dtype=np.int64)  # of a row among those equal to it
    order = np.argsort(content, kind="stable")
    rank[order] = np.arange(data.n_rows) - np.repeat(np.cumsum(counts) - counts, counts)
    times = int(np.gcd.reduce(counts))
    if times > 1 and len(counts) * math.log(times) > -math.log(LARGEST_CHANCE):
        why = f"every row occurs {times} times or a multiple of that"
        return True, Design(content * data.n_rows + rank // times, alike=1.0, found=why)
    expected = expected_equals(data)
    excess = excess_of_equals(counts[content], expected)
    repeats, usual = data.n_rows - len(counts), _repeats(expected)
    if excess <= max(LEAST_EXCESS, MISFIT * expected.mean()) or (excess <= 1 and repeats <= LEAST_REPEATED * usual):
        return False, None
    # A row that is rare under the network and there several times was entered several times; of frequent ones, as many
    # belong together as there are too many.
    size = np.where(expected < 1, counts[content], max(2, round(1 + excess)))
    why = f"{repeats:,} rows repeat another, where a fitted network expects about {usual:,}"
    return False, Design(content * data.n_rows + rank // size, alike=1.0, found=why)


def expected_equals(data: Dataset) -> NDArray[np.float64]:
    """Return for each row how many equal ones a network fitted to the data expects among as many rows."""
    parents = hill_climb(data, score="bic", max_parents=MOST_PARENTS, seed=0, progress=False).dag.parents
    codes, arities = data.codes.astype(np.int64), data.arities.tolist()
    logs = np.zeros(data.n_rows)
    for v, given in enumerate(parents):
        place = np.zeros(data.n_rows, dtype=np.int64)
        for p in given:
            place = place * arities[p] + codes[p]
        place = np.unique(place, return_inverse=True)[1].reshape(-1)
        cells = np.bincount(place * arities[v] + codes[v], minlength=(int(place.max()) + 1) * arities[v])
        table = cells.reshape(-1, arities[v]) + 1 / arities[v]
        logs += np.log(table[place, codes[v]] / table.sum(axis=1)[place])
    return np.asarray(data.n_rows * np.exp(logs))


def excess_of_equals(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """Return how many equal rows there are too many for each row, on average: the design effect less one.

    With counts c of a content and the expected number m, E (c - m)^2 is m times the design effect D. Weighed by
    1 / (1 + m), which neither frequent nor rare contents dominate, D - 1 is the mean over rows of c - 1 - m.
    """
    weight = 1 / (1 + expected)
    return float((weight * (counts - 1 - expected)).sum() / weight.sum())


def _repeats(expected: NDArray[np.float64]) -> int:
    """Return about how many rows repeat an earlier one if each content has a Poisson number of rows."""
    return round(float((1 - (1 - np.exp(-expected)) / np.maximum(expected, 1e-12)).sum()))


def _neighbours(data: Dataset, rng: np.random.Generator) -> Design | None:
    """Make blocks of neighbouring rows where these agree more than rows apart."""
    codes = data.codes
    begun, windows = _sorted_by(codes.astype(np.int64)), np.arange(data.n_rows) // WINDOW
    shares = np.array([((np.bincount(own) / data.n_rows) ** 2).sum() for own in codes])
    lags = range(1, LAGS + 1)
    seen = float(sum(_agreement(codes, shares, lag) for lag in lags))
    by_chance = np.empty(SHUFFLES)
    for k in range(SHUFFLES):
        shuffled = codes[:, np.lexsort((rng.random(data.n_rows), windows, begun))]
        by_chance[k] = sum(_agreement(shuffled, shares, lag) for lag in lags)
    mean, spread = float(by_chance.mean()), float(by_chance.std(ddof=1))
    if seen <= mean + STANDARD_ERRORS * spread:
        return None
    # The design effect is 1 + 2 sum_k r_k, as of the mean of a series; r_k ends where neighbours no longer agree.
    effect, block, base = 1.0, 1, mean / LAGS
    first = _agreement(codes, shares, 1) - base
    for lag in range(1, min(LONGEST_BLOCK, data.n_rows // 4)):
        agreed = _agreement(codes, shares, lag) - base
        if agreed <= spread / LAGS:
            break
        effect, block = effect + 2 * agreed, lag + 1
    if block == 1 or first <= LEAST_AGREED:
        return None
    why = f"rows that follow each other agree more than rows apart, up to {block} rows"
    alike = min(1.0, (effect - 1) / (block - 1))
    return Design(np.arange(data.n_rows) // block, alike=alike, found=why)


def _sorted_by(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return in which part of the table each row is, if it is sorted by some columns: what they say, their order says.

    A column that the table is sorted by, if roughly, has its values in long runs. Short ones may be groups, unless the
    values of every part rise, or fall, with the rows.
    """
    part = np.zeros(codes.shape[1], dtype=np.int64)
    waiting = list(codes)
    while True:
        for place, own in enumerate(waiting):
            ends = (np.diff(part) != 0) | (np.diff(own) != 0)
            runs = int(np.count_nonzero(ends)) + 1
            inside = np.diff(own)[np.diff(part) == 0]
            rises = bool((inside >= 0).all() or (inside <= 0).all())
            long_runs = codes.shape[1] >= LEAST_RUN * runs
            if inside.any() and (rises or (long_runs and _is_sorted(own))):
                part = np.concatenate([[0], np.cumsum(ends)])
                del waiting[place]
                break
        else:
            return part


def _is_sorted(codes: NDArray[np.int64]) -> bool:
    """Whether a column has far fewer runs than it would have in random order."""
    shares = np.bincount(codes) / len(codes)
    return 1 + int(np.count_nonzero(np.diff(codes))) < 0.5 * len(codes) * (1 - float((shares**2).sum()))


def _agreement(codes: NDArray[np.unsignedinteger], shares: NDArray[np.float64], lag: int) -> float:
    """Return how far rows at a distance agree beyond chance, on average over the columns: an autocorrelation."""
    agreed = (codes[:, lag:] == codes[:, :-lag]).mean(axis=1)
    return float(np.mean((agreed - shares) / np.maximum(1 - shares, 1e-12)))


def with_dependence(prepared: Prepared, seed: int) -> Prepared:
    """Return what was prepared with the groups that rows seem to be in, if nobody said any.

    Of data with gaps, complete rows decide; what was filled from neighbours is alike for that.
    """
    data, table = prepared.data, None if prepared.audit is None else prepared.audit.repaired
    held = data if isinstance(data, Dataset) else data.held
    whole = np.ones(data.n_rows, dtype=bool) if isinstance(data, Dataset) else ~data.missing.any(axis=0)
    if held.design is not None or 2 * np.count_nonzero(whole) < data.n_rows or prepared.gaps == "knn":
        return prepared
    in_order = table is None or not (table.is_grouped or any(map(is_in_order, table.columns)))
    found = find_dependence(held if whole.all() else held.take(whole), seed, in_order=in_order)
    if found is None:
        return prepared
    groups = np.arange(data.n_rows) + data.n_rows  # a row with gaps is one of its own
    groups[whole] = found.groups
    design = replace(found, groups=groups)
    return replace(
        prepared,
        data=held.with_groups(design)
        if isinstance(data, Dataset)
        else Incomplete(held.with_groups(design), data.missing),
        uncut=None if prepared.uncut is None else prepared.uncut.with_groups(design),
        mixed=None if prepared.mixed is None else prepared.mixed.with_groups(design),
    )

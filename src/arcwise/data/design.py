"""`Design`: how the rows of data were drawn. Rows that belong together are worth less than as many independent ones.

Rows of one patient, one family, one school are alike. To count each as a case of its own makes chance look like
dependence: a hundred patients with ten rows each say little more about a cause of patients than a hundred rows. Two
things follow, and both are here. A bootstrap draws whole groups, so that groups that were not seen could have been
others (Davison and Hinkley 1997, section 3.8). And what counts cases counts what rows are worth: of m rows that are
alike with the intra-class correlation rho, each tells 1 / (1 + (m - 1) rho) of what an independent one would (Kish
1965, section 5.4). A score knows nothing of groups; so samples are thinned to rows that are worth a case each, and
everything that learns from a sample stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import DataError
from arcwise.base.showing import one_screen
from arcwise.data.column import Column, spell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arcwise.data.dataset import Dataset

# What the column is called in files that are written.
COLUMN = "groups"
# Fewer groups than these say too little about groups that were not seen.
FEWEST_GROUPS = 20
# Groups whose values are exchanged with each other are of about one size: as many make a class of sizes.
SIZE_CLASS = 20


@one_screen
@dataclass(frozen=True, eq=False)
class Design:
    """Which rows belong together.

    Parameters
    ----------
    groups
        The group of each row, as integers; they are numbered anew by their first rows.
    name
        The column that said so.
    alike
        How alike the rows of a group are, as an intra-class correlation; by default what the data say, on average over
        their variables.
    found
        Why the rows seem to belong together, a clause, where nobody said so; "" where somebody did.

    Examples
    --------
    >>> Design([7, 7, 3, 7]).groups.tolist()
    [0, 0, 1, 0]
    """

    groups: NDArray[Any]
    name: str = COLUMN
    alike: float | None = None
    found: str = ""

    def __post_init__(self) -> None:
        given = np.asarray(self.groups)
        if given.ndim != 1 or given.dtype.kind not in "iub":
            raise DataError(f"groups of shape {given.shape} and type {given.dtype}; one number per row is needed.")
        _, first, inverse = np.unique(given, return_index=True, return_inverse=True)
        numbers = np.empty(len(first), dtype=np.int32)
        numbers[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        groups = numbers[inverse.reshape(-1)]
        groups.flags.writeable = False
        object.__setattr__(self, "groups", groups)

    @classmethod
    def of_labels(cls, labels: ArrayLike | Iterable[object], name: str = COLUMN) -> Design:
        """Make it of a label for each row: texts, numbers, dates."""
        known: dict[object, int] = {}
        listed = labels.tolist() if hasattr(labels, "tolist") else list(labels)  # type: ignore[arg-type]
        missing = next((row for row, label in enumerate(listed) if label is None or spell(label) in ("", "nan")), None)
        if missing is not None:
            raise DataError(f"the group of row {missing} is missing; every row belongs to a group, if alone.")
        return cls(np.array([known.setdefault(label, len(known)) for label in listed], dtype=np.int64), name)

    @classmethod
    def of_column(cls, column: Column) -> Design:
        """Make it of a column, of which equal values mean one group."""
        if column.n_missing:
            raise DataError(
                f"column '{column.name}' cannot say which rows belong together: {column.n_missing:,} of its values are "
                "missing. Fill them in; a row that belongs to no other is a group of its own."
            )
        return cls(column.codes.astype(np.int64), column.name)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.groups)

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    def take(self, rows: NDArray[np.int64]) -> Design:
        """Return it for some rows: positions, with repeats."""
        return replace(self, groups=self.groups[rows])

    def tile(self, copies: int) -> Design:
        """Return it for copies of all rows, one below the other; those of different copies do not belong together."""
        offsets = np.repeat(np.arange(copies) * self.n_groups, self.n_rows)
        return replace(self, groups=np.tile(self.groups, copies) + offsets)

    def column(self) -> Column:
        """Return the groups as a column of labels, as files have it."""
        return Column(COLUMN, self.groups.astype(np.uint32), tuple(map(str, range(self.n_groups))), declared=True)


def checked_design(design: Design | None, rows: int) -> Design | None:
    """Return a design that fits the rows; None stays None."""
    if design is not None and design.n_rows != rows:
        raise DataError(f"groups of {design.n_rows:,} rows do not fit {rows:,} rows.")
    return design


def stacked_design(parts: Sequence[Dataset]) -> Design | None:
    """Return the design of data sets one below the other; rows without groups belong to none but their own."""
    names = [part.design.name for part in parts if part.design is not None]
    if not names:
        return None
    found: list[NDArray[np.int64]] = []
    first = 0
    for part in parts:
        own = np.arange(part.n_rows) if part.design is None else part.design.groups.astype(np.int64)
        found.append(own + first)
        first += int(own.max(initial=-1)) + 1
    return Design(np.concatenate(found), names[0])


def intraclass(data: Dataset, design: Design, missing: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return for each variable how alike the rows of a group are: the intra-class correlation, from 0 to 1.

    The estimate of a one-way analysis of variance, with the sums of squares of all states of a variable together, of
    the cases in which it is not missing.
    """
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    found = []
    for v, (codes, r) in enumerate(zip(data.codes, data.arities.tolist(), strict=True)):
        cases = weights if missing is None else np.where(missing[v], 0.0, weights)
        sizes = np.bincount(design.groups, cases)
        groups, total = int((sizes > 0).sum()), float(cases.sum())
        if groups < 2 or total <= groups:
            found.append(0.0)
            continue
        usual_size = (total - float((sizes**2).sum()) / total) / (groups - 1)
        table = np.bincount(design.groups * np.int64(r) + codes, cases, minlength=len(sizes) * r).reshape(-1, r)
        base = float((table.sum(axis=0) ** 2).sum()) / total
        between = float(((table**2).sum(axis=1)[sizes > 0] / sizes[sizes > 0]).sum()) - base
        within = (total - base - between) / (total - groups)
        between /= groups - 1
        scale = between + (usual_size - 1) * within
        found.append((between - within) / scale if scale > 0 else 0.0)
    return np.clip(found, 0.0, 1.0)


def row_worths(
    of_variables: NDArray[np.float64], design: Design, weights: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return how many independent cases each row is worth, given how alike the rows of a group are."""
    cases = np.ones(design.n_rows) if weights is None else weights.astype(np.float64)
    alike = float(np.mean(of_variables)) if design.alike is None else design.alike
    sizes = np.bincount(design.groups, cases)
    return np.asarray(cases / (1 + np.maximum(sizes - 1, 0) * alike)[design.groups])


def drawn_rows(
    groups: NDArray[np.int32], worths: NDArray[np.float64], rng: np.random.Generator, share: float | None
) -> NDArray[np.int64]:
    """Return how often each row is taken if whole groups are drawn, and of each group what it is worth.

    With replacement, as many groups as there are; or a share of them without. The rows of a group come in random order
    on a line, each as long as its worth, one group behind the other; those are taken in which a point falls, of points
    at distance 1 that begin at random. So every draw of a group gives its worth, rounded up or down, and all draws
    together theirs.
    """
    weights = np.zeros(len(groups), dtype=np.int64)
    rows = np.flatnonzero(worths > 0)
    own = np.unique(groups[rows], return_inverse=True)[1].reshape(-1)
    by_group, sizes = rows[np.argsort(own, kind="stable")], np.bincount(own)
    count = len(sizes)
    drawn = rng.integers(0, count, count) if share is None else rng.permutation(count)[: max(1, round(share * count))]
    firsts, lengths = (np.cumsum(sizes) - sizes)[drawn], sizes[drawn]
    copy = np.repeat(np.arange(len(drawn)), lengths)
    within = np.arange(len(copy)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    picked = by_group[firsts[copy] + within]
    picked = picked[np.lexsort((rng.random(len(picked)), copy))]
    offset = rng.random()
    times = np.diff(np.floor(np.cumsum(worths[picked]) + offset), prepend=0.0)
    np.add.at(weights, picked, times.astype(np.int64))
    if not weights.any():
        weights[picked[0]] = 1
    return weights


def exchanged_rows(groups: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return for each row the one whose value it gets if groups exchange their values, with groups of about their size.

    What rows of one group have in common stays; what variables have in common goes. Of a larger group some values are
    taken, of a smaller one some twice.
    """
    own = np.unique(groups, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(own)
    order = np.lexsort((rng.random(len(sizes)), sizes))
    ranked = sizes[order]
    # A class of sizes ends where the next group is larger and there are enough.
    ends: list[int] = []
    begun = 0
    for place in range(1, len(order)):
        if ranked[place] != ranked[place - 1] and place - begun >= SIZE_CLASS and len(order) - place >= SIZE_CLASS:
            ends.append(place)
            begun = place
    source = np.empty(len(sizes), dtype=np.int64)
    for part in np.split(order, ends):
        source[part] = rng.permutation(part)
    by_group = np.lexsort((rng.random(len(own)), own))  # the rows of each group in random order
    firsts = np.cumsum(sizes) - sizes
    within = np.empty(len(own), dtype=np.int64)
    within[by_group] = np.arange(len(own)) - np.repeat(firsts, sizes)
    given = source[own]
    return np.asarray(by_group[firsts[given] + within % sizes[given]])

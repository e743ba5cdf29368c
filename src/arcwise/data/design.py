"""`Design`: how the rows of data were drawn. Rows that belong together are worth less than as many independent ones.

Rows of one patient, one family, one school are alike. To count each as a case of its own makes chance look like
dependence: a hundred patients with ten rows each say little more about a cause of patients than a hundred rows. Two
things follow, and both are here. A bootstrap draws whole groups, so that groups that were not seen could have been
others (Davison and Hinkley 1997, section 3.8). And what counts cases counts what rows are worth: of m rows that are
alike with the intra-class correlation rho, each tells 1 / (1 + (m - 1) rho) of what an independent one would (Kish
1965, section 5.4). A score knows nothing of groups; so samples are thinned to rows that are worth a case each, and
everything that learns from a sample stays as it is.

Rows of a survey were drawn with unequal chances, and each stands for as many people as its weight says. What is
counted is weighted, so that it is of the population (the pseudo-likelihood of Skinner, Holt and Smith 1989, chapter 3),
and what the rows tell together is (sum w)^2 / sum w^2 cases, Kish's effective size (1965, section 11.7). This is the N
of penalties and priors: the variance of a weighted mean is that of so many independent cases, and of so many draws in
proportion to the weights two are of one row as often as in a bootstrap of so many cases. With groups, each row loses by
both: first to its weight, then to its group.
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

# What the columns are called in files that are written.
COLUMN, WEIGHTS, REPLICATE = "groups", "weights", "replicate weights"
# Fewer groups than these say too little about groups that were not seen.
FEWEST_GROUPS = 20
# Replicate weights that differ less than this from the weights, as those of a jackknife do, are added up.
SMALL_STEPS = 0.15
# Groups whose values are exchanged with each other are of about one size: as many make a class of sizes.
SIZE_CLASS = 20


@one_screen
@dataclass(frozen=True, eq=False)
class Design:
    """Which rows belong together, and for how many others each stands.

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
    weights
        How many others each row stands for: survey weights, numbers >= 0 whose scale does not matter.
    replicates
        Replicate weights, of shape (replicates, rows): those of a bootstrap, balanced halves or a jackknife.
    weighed_by
        The column that had the weights.

    Examples
    --------
    >>> Design([7, 7, 3, 7]).groups.tolist()
    [0, 0, 1, 0]
    """

    groups: NDArray[Any]
    name: str = COLUMN
    alike: float | None = None
    found: str = ""
    weights: NDArray[np.float64] | None = None
    replicates: NDArray[np.float64] | None = None
    weighed_by: str = WEIGHTS

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
        if self.replicates is not None and self.weights is None:
            raise DataError("replicate weights go with survey weights; give these, too.")
        for name, shape in (("weights", groups.shape), ("replicates", (-1, *groups.shape))):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _checked_survey(getattr(self, name), shape))

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

    def check_rows(self, count: int) -> None:
        """Refuse data with another number of rows."""
        if self.n_rows != count:
            raise DataError(f"groups of {self.n_rows:,} rows do not fit {count:,} rows.")

    @property
    def is_grouped(self) -> bool:
        """Whether some row belongs to another."""
        return self.n_groups < self.n_rows

    def take(self, rows: NDArray[np.int64]) -> Design:
        """Return it for some rows: positions, with repeats."""
        return replace(
            self,
            groups=self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
            replicates=None if self.replicates is None else self.replicates[:, rows],
        )

    def tile(self, copies: int) -> Design:
        """Return it for copies of all rows, one below the other; those of different copies do not belong together."""
        offsets = np.repeat(np.arange(copies) * self.n_groups, self.n_rows)
        return replace(
            self,
            groups=np.tile(self.groups, copies) + offsets,
            weights=None if self.weights is None else np.tile(self.weights, copies),
            replicates=None if self.replicates is None else np.tile(self.replicates, copies),
        )

    def unweighted(self) -> Design:
        """Return which rows belong together, without weights."""
        return replace(self, weights=None, replicates=None)

    def columns(self) -> list[Column]:
        """Return groups and weights as columns, as files have them."""
        listed = tuple(map(str, range(self.n_groups)))
        found = [Column(COLUMN, self.groups.astype(np.uint32), listed, declared=True)]
        found = found if self.is_grouped or self.weights is None else []
        found += [] if self.weights is None else [_number_column(WEIGHTS, self.weights)]
        more = [] if self.replicates is None else list(self.replicates)
        return found + [_number_column(f"{REPLICATE} {k}", own) for k, own in enumerate(more, start=1)]

    def perturbed(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return weights of the size of replicate weights, by which a network is learned.

        Replicate weights w_r are made so that c sum_r (T(w_r) - T(w))^2 is the variance of a figure T, with a c that
        depends on how they were made. Here a network takes the place of T, and each is to differ from the one of w as
        another sample would: the relative steps (w_r - w) / w are scaled to a mean square of 1, that of units drawn
        with replacement. It is theirs already if they are of a bootstrap or of balanced halves, and without knowing how
        they were made, this undoes Fay's factor. Of a jackknife, one replicate moves one unit alone; half of all
        replicates together move all, as halves of the sample do.
        """
        assert self.weights is not None
        assert self.replicates is not None
        given = self.weights > 0
        steps = self.replicates[:, given] / self.weights[given] - 1
        count, size = len(steps), float(np.mean(steps**2))
        together = 1 if size >= SMALL_STEPS or count < 2 else count // 2
        some = steps[rng.permutation(count)[:together]].sum(axis=0)
        # One step has the size of all of them; a sum of many, its own.
        size = size if together == 1 else float(np.mean(some**2))
        found = np.zeros(self.n_rows)
        found[given] = self.weights[given] * np.maximum(0.0, 1 + some / np.sqrt(size if size > 0 else 1.0))
        return found


def _checked_survey(given: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return survey weights as they have to be."""
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"survey weights must be numbers: {error}.") from error
    if weights.shape[-1:] != shape[-1:] or weights.ndim != len(shape):
        raise DataError(f"survey weights of shape {weights.shape} do not fit {shape[-1]:,} rows.")
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        place = np.argwhere(wrong)[0].tolist()
        raise DataError(
            f"the survey weight of row {place[-1]} is {weights[tuple(place)]:g}; it must be a number >= 0: for how "
            "many others the row stands. Leave out rows that have none, or fill them in."
        )
    if not (weights > 0).any(axis=-1).all():
        raise DataError("all survey weights are 0: no row counts.")
    weights.flags.writeable = False
    return weights


def _number_column(name: str, values: NDArray[np.float64]) -> Column:
    distinct, codes = np.unique(values, return_inverse=True)
    return Column(name, codes.reshape(-1).astype(np.uint32), tuple(map(repr, distinct.tolist())))


def stacked_design(parts: Sequence[Dataset]) -> Design | None:
    """Return the design of data sets one below the other; rows without groups belong to none but their own."""
    designs = [part.design for part in parts if part.design is not None]
    if not designs:
        return None
    if any(design.weights is not None for design in designs) and len(parts) > 1:
        raise DataError("data with survey weights cannot be stacked: different surveys have no common scale.")
    if len(parts) == 1:
        return designs[0]
    found: list[NDArray[np.int64]] = []
    first = 0
    for part in parts:
        own = np.arange(part.n_rows) if part.design is None else part.design.groups.astype(np.int64)
        found.append(own + first)
        first += int(own.max(initial=-1)) + 1
    return Design(np.concatenate(found), designs[0].name)


def intraclass(data: Dataset, design: Design, missing: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return for each variable how alike the rows of a group are: the intra-class correlation, from 0 to 1.

    The estimate of a one-way analysis of variance, with the sums of squares of all states of a variable together, of
    the cases in which it is not missing.
    """
    weights = data.times
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
    counted = cases if design.weights is None else cases * design.weights / design.weights.mean()
    squares = np.divide(counted**2, cases, out=np.zeros_like(cases), where=cases > 0)
    own = np.bincount(design.groups, squares)
    sizes = np.divide(np.bincount(design.groups, counted) ** 2, own, out=np.ones_like(own), where=own > 0)
    total = squares.sum()
    kept = counted if design.weights is None or not total else counted * (counted.sum() / total)
    return np.asarray(kept / (1 + np.maximum(sizes - 1, 0) * alike)[design.groups])


def whole_worths(cells: NDArray[Any], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return what rows are worth, rounded up or down so that totals stay: what counts whole cases counts these.

    Rows in the order of their content are rounded one after the other, each by what the ones before it left over. So
    rows that are alike together keep what they are worth, to less than one.
    """
    order = np.lexsort(cells[::-1])
    found = np.empty(len(worths), dtype=np.int64)
    found[order] = np.diff(np.floor(np.cumsum(worths[order]) + 0.5), prepend=0.0).astype(np.int64)
    if not found.any():
        found[np.argmax(worths)] = 1
    return found


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

"""`LearnedTable`: the thresholds learned from proxy networks, by method, score, sample size and what mistakes cost.

Two tables come with the package and record how they were made: that of the study `liao-thresholds`, by the recipes of
the thesis, and that of the study `calibration`, by the recipes of `learn` (`table_for` chooses). Liao's own values (his
Table 5.8) are here for comparison.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, OptionError, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.calibration import BY_CASES, StudiedTable
from arcwise.networks.recipe import Recipe

Metric = Literal["shd", "f", "f-cpdag", "cost"]

ANY = "any"
# Liao 2022, section 5.4, p. 65: coarse on purpose, "to avoid making finer distinctions that are not justified".
GRID: NDArray[np.float64] = np.arange(20) / 20
WEIGHTS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of beta and of alpha
SIZE_GROUPS: dict[str, tuple[int, int]] = {"50-100": (50, 100), "500-1000": (500, 1000), "5000-10000": (5000, 10000)}


def check_metric(metric: str, *, beta: float | None = None, alpha: float | None = None) -> float:
    """Return the weight of the metric (1 for SHD), after checking that it fits: beta for F, alpha for the cost."""
    check_known("metric", metric, get_args(Metric))
    wanted = {"shd": None, "f": "beta", "f-cpdag": "beta", "cost": "alpha"}[metric]
    given = {name: value for name, value in (("beta", beta), ("alpha", alpha)) if value is not None}
    if unfit := [name for name in given if name != wanted]:
        needs = "no weight" if wanted is None else wanted
        raise OptionError(f"the metric '{metric}' takes {needs}, not {unfit[0]}.")
    weight = 1.0 if wanted is None else given.get(wanted, 1.0)
    if not (weight > 0 and math.isfinite(weight)):
        raise OptionError(f"{wanted}={weight!r} must be a positive number: 1 weighs missed and extra edges alike.")
    return float(weight)


def size_group(n_cases: int | None) -> str:
    """Return the group of sample sizes that is nearest on a log scale; "any" if the size is not known."""
    if n_cases is None:
        return ANY
    groups = list(SIZE_GROUPS.items())
    for (name, (_, last)), (_, (first, _)) in itertools.pairwise(groups):
        if n_cases < math.sqrt(last * first):
            return name
    return groups[-1][0]


def size_warning(n_cases: int | None) -> str:
    """Return what to know if there are fewer or more cases than any proxy had; nothing if the number is in the range.

    >>> size_warning(1_000)
    ''
    >>> print(size_warning(20_000))  # doctest: +ELLIPSIS
    The learned cut-offs come from data sets of 50 to 10,000 rows, and there are 20,000 here. That of the nearest ...
    """
    low, high = min(first for first, _ in SIZE_GROUPS.values()), max(last for _, last in SIZE_GROUPS.values())
    if n_cases is None or low <= n_cases <= high:
        return ""
    first, last = SIZE_GROUPS[size_group(n_cases)]
    return (
        f"The learned cut-offs come from data sets of {low:,} to {high:,} rows, and there are {n_cases:,} here. That "
        f"of the nearest sizes, {first:,} to {last:,} rows, is used, but no study shows that it is best here. "
        "The rule 'cost', which follows from your costs alone, is the alternative."
    )


@one_screen
@dataclass(frozen=True, slots=True)
class LearnedEntry:
    """One learned threshold and what is known about its alternatives."""

    method: str  # "bootstrap", "credible" or "ensemble"
    score: str  # a score's name, or "any"
    cases: str  # a key of SIZE_GROUPS, or "any"
    metric: str
    weight: float  # beta or alpha
    threshold: float
    proxies: int  # how many proxy data sets it was learned from
    networks: int  # drawn from how many different networks
    loss: float = math.nan  # the mean loss on the proxies at the threshold: 1 - F, or SHD or cost over n (n - 1)
    errors: tuple[float, ...] = ()  # for each threshold of GRID, the mean loss against the best one of each proxy

    @property
    def key(self) -> tuple[str, str, str, str, float]:
        """What the entry is looked up by."""
        return self.method, self.score, self.cases, self.metric, self.weight


@one_screen
@dataclass(frozen=True, eq=False)
class LearnedTable(StudiedTable):
    """Learned thresholds with their provenance."""

    kind: ClassVar[str] = "arcwise learned thresholds 1"
    title: ClassVar[str] = "learned thresholds"

    entries: Mapping[tuple[str, str, str, str, float], LearnedEntry]

    @classmethod
    def of(cls, entries: Iterable[LearnedEntry], provenance: Mapping[str, Any]) -> LearnedTable:
        """Make a table from its entries."""
        return cls({entry.key: entry for entry in entries}, dict(provenance))

    @property
    def methods(self) -> tuple[str, ...]:
        """The ways of finding networks that the table knows."""
        return tuple(sorted({entry.method for entry in self.entries.values()}))

    def scores(self, method: str) -> tuple[str, ...]:
        """Return the scores that were studied with a method."""
        return tuple(sorted({e.score for e in self.entries.values() if e.method == method} - {ANY}))

    def find(self, method: str, score: str | None, n_cases: int | None, metric: str, weight: float) -> LearnedEntry:
        """Return the entry for a weight of the grid; an unknown score or sample size falls back to all of them."""
        for name in (score, ANY):
            for group in (size_group(n_cases), ANY):
                entry = self.entries.get((method, name or ANY, group, metric, weight))
                if entry is not None:
                    return entry
        raise OptionError(
            f"no threshold was learned for the metric '{metric}' with networks of the kind '{method}'; known kinds: "
            f"{', '.join(self.methods)}. Use another rule: cost (your costs) or fixed."
        )

    def neighbours(
        self, method: str, score: str | None, n_cases: int | None, metric: str, weight: float
    ) -> tuple[LearnedEntry, LearnedEntry, float]:
        """Return the entries of the two weights of the grid around `weight`, and the share of the second."""
        known = sorted({w for m, _, _, x, w in self.entries if m == method and x == metric})
        if not known:
            self.find(method, score, n_cases, metric, weight)
        inside = min(max(weight, known[0]), known[-1])
        above = next(k for k, value in enumerate(known) if value >= inside)
        below = above if known[above] == inside else above - 1
        first = self.find(method, score, n_cases, metric, known[below])
        second = self.find(method, score, n_cases, metric, known[above])
        if below == above:
            return first, second, 0.0
        share = (math.log(inside) - math.log(known[below])) / (math.log(known[above]) - math.log(known[below]))
        return first, second, share

    def mismatch(self, recipe: Recipe | None, n_networks: int | None = None, n_cases: int | None = None) -> str:
        """Return in words how a recipe differs from the one that the thresholds for it were learned with; "" if not.

        Constraints and filled gaps are the analyst's own, and no proxy had any; they are reported as differences, too.
        """
        if recipe is None:
            return ""
        by_cases = self.provenance.get("parents") == BY_CASES
        same = str(recipe.score.get("name"))
        studied = self.studied_like(recipe, n_cases) if by_cases else self.recipe(recipe.source, same)
        if studied is None:
            return ""
        most = studied.settings.get("most_networks")
        if most is not None and n_networks is not None and n_networks <= most:  # the cap would have changed nothing
            cap = {"most_networks": recipe.settings.get("most_networks")}
            studied = replace(studied, settings={**studied.settings, **cap})
        return self.made_differently("The learned cut-offs", recipe.differences(studied), "best")

    @classmethod
    def _entry(cls, row: Mapping[str, Any]) -> LearnedEntry:
        entry = LearnedEntry(**{**row, "errors": tuple(row["errors"])})
        if not (0 <= entry.threshold <= 1 and len(entry.errors) in (0, len(GRID))):
            raise FormatError(f"the entry {entry.key} has an impossible threshold or list of errors")
        return entry


@cache
def learned_table() -> LearnedTable:
    """Return the table that comes with the package."""
    return LearnedTable.shipped("thresholds.json")


@cache
def relearned_table() -> LearnedTable:
    """Return the thresholds that were learned with the recipes of `learn`."""
    return LearnedTable.shipped("relearned.json")


def table_for(recipe: Recipe | None, n_cases: int | None) -> LearnedTable:
    """Return the table of thresholds that were learned with a recipe like this one; if there is none, the thesis'.

    Constraints, prior odds and gaps are the analyst's own: no study has them, and neither table is nearer for it.
    """
    fresh = relearned_table()
    studied = None if recipe is None else fresh.studied_like(recipe, n_cases)
    if recipe is None or studied is None:
        return learned_table()
    alike = replace(studied, constraints=recipe.constraints, beliefs=recipe.beliefs, gaps=recipe.gaps)
    return learned_table() if recipe.differences(alike) else fresh


# Liao 2022, Table 5.8: SHD; rows are the groups of sample sizes, columns the scores.
TABLE_5_8 = {
    "bootstrap": {
        "aic": (0.35, 0.45, 0.45),
        "bdeu": (0.50, 0.30, 0.40),
        "bic": (0.25, 0.25, 0.45),
    },
    "credible": {
        "aic": (0.60, 0.50, 0.50),
        "bdeu": (0.95, 0.50, 0.50),
        "bic": (0.50, 0.50, 0.50),
        "qnml": (0.75, 0.50, 0.50),
    },
}


@cache
def published_table() -> LearnedTable:
    """Return Liao's own thresholds for the structural Hamming distance (2022, Table 5.8, p. 71)."""
    entries = [
        LearnedEntry(method, score, group, "shd", 1.0, value, proxies=540, networks=90)  # 90 networks x 3 x 2 sizes
        for method, scores in TABLE_5_8.items()
        for score, values in scores.items()
        for group, value in zip(SIZE_GROUPS, values, strict=True)
    ]
    return LearnedTable.of(entries, {"source": "Liao 2022, Table 5.8"})

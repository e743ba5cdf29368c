"""How large an exact comparison may be: what is begun is known to end.

The answer does not rest on comparisons, so that they take no longer than it. What decides is the size of the data and
not the clock: a report is the same on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["EXACT_COMPARED", "ExactComparison"]

# Up to so many variables all scores are compared, beyond one.
EXACT_COMPARED = 20
# Beyond EXACT_COMPARED variables, the largest limit of parents with no more families than these, which take a second or
# two and fit the memory of a comparison; where that is below three parents it would be begun in vain: the table of 76
# variables does not fit. Proofs get longer with the cases. CPU seconds of the whole comparison (BIC, samples with seed
# 1, nearly all on one core) with 20,000 and 50,000 cases: insurance 4.4 and 9.1 with five parents, 2.6 and 4.1 with
# three; alarm 5.2 and 35 with four, 3.8 and 16 with three; hailfinder, with three, 13 and 28. So beyond 20,000 cases
# there are three parents, and beyond so many values (insurance with 50,000 cases has 1.35 million, alarm 1.85) it is
# not begun: all the rest takes 20 of the 30 seconds that alarm with 50,000 cases is to take.
MOST_FAMILIES = 3_000_000
LEAST_PARENTS = 3
MANY_CASES = 20_000
MOST_VALUES = 1_500_000
# Up to EXACT_COMPARED variables, what the sets that are counted may come to: rows times sets, where sets of more than
# five variables, whose cells are mostly empty, take about five times as long (child: 0.6 ns a row for triples, 5.8 for
# all sets). With no limit of parents the three tables of child took 25 CPU seconds from 5,000 cases, 19 of them for
# BDeu, and over half an hour from 2,000,000.
MOST_COUNTED = 4_000_000_000
SMALL_SET, LARGE_SET_COST = 5, 5


@dataclass(frozen=True)
class ExactComparison:
    """An exact comparison of data of some size, in which variables have up to `required` required parents."""

    n_variables: int
    n_cases: int
    n_rows: int
    required: int = 0

    @property
    def is_large(self) -> bool:
        """Whether there are so many variables that only the score whose table is pruned best is tried."""
        return self.n_variables > EXACT_COMPARED

    @property
    def max_parents(self) -> int | None:
        """The limit of parents with which it is known to end; None for none. A required family stays possible.

        >>> ExactComparison(20, 500, 500).max_parents is None
        True
        >>> [ExactComparison(20, cases, cases).max_parents for cases in (5_000, 50_000, 500_000, 2_000_000)]
        [6, 4, 3, 2]
        >>> [ExactComparison(37, cases, cases).max_parents for cases in (5_000, 50_000)]
        [4, 3]
        """
        if self.is_large:
            fitting = LEAST_PARENTS if self.n_cases > MANY_CASES else self._fitting
            return max(LEAST_PARENTS, self.required, fitting)
        counted, size = 0, 0
        while size < self.n_variables:
            cost = LARGE_SET_COST if size + 1 > SMALL_SET else 1
            counted += cost * math.comb(self.n_variables, size + 1) * min(self.n_cases, self.n_rows)
            if counted > MOST_COUNTED:
                return max(1, size - 1, self.required)
            size += 1
        return None

    @property
    def _fitting(self) -> int:
        """The largest limit of parents that leaves few enough families."""
        n, most = self.n_variables, 0
        while most < n - 1 and n * math.comb(n - 1, most + 1) <= MOST_FAMILIES:
            most += 1
        return most

    def excess(self, max_parents: int | None) -> str:
        """Say what makes it too large to be begun with a limit of parents; "" if nothing does."""
        if not self.is_large:
            return ""
        most = LEAST_PARENTS if max_parents is None else min(LEAST_PARENTS, max_parents)
        if self._fitting < most:
            return f"not begun: too many parent sets with {self.n_variables} variables"
        if self.n_cases > MANY_CASES and self.n_cases * self.n_variables > MOST_VALUES:
            return f"not begun: {self.n_cases:,} cases of {self.n_variables} variables make the proof long"
        return ""

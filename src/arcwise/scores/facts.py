"""Facts about a score: what is known about it, with the examples that prove what it is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.errors import OptionError
from arcwise.mentions import Argument
from arcwise.showing import one_screen

__all__ = [
    "DILUTED",
    "QUOTIENT_LIMITS",
    "THREE_WAY",
    "Asymmetry",
    "Counts",
    "Facts",
    "Irregularity",
    "Parameter",
    "two_way",
]

Counts = NDArray[np.int64]
"""Counts n_jk of a family: one row per parent configuration (all q of them), one column per state."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a score: its name, meaning and range."""

    name: str
    meaning: str
    low: float = 0.0
    high: float = math.inf
    low_allowed: bool = False
    high_allowed: bool = False
    whole: bool = False

    @property
    def range(self) -> str:
        """The range in the usual notation, e.g. ``(0, inf)``."""
        return f"{'[' if self.low_allowed else '('}{self.low:g}, {self.high:g}{']' if self.high_allowed else ')'}"

    def check(self, score: str, value: Any) -> None:
        """Raise an OptionError unless `value` is a number in the range."""
        kinds = (int, np.integer) if self.whole else (int, float, np.integer, np.floating)
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        if not is_number or math.isnan(value) or not self._holds(float(value)):
            noun = "a whole number" if self.whole else "a number"
            raise OptionError(
                f"score '{score}':", Argument(self.name, value), f"({self.meaning}) must be {noun} in {self.range}."
            )

    def _holds(self, value: float) -> bool:
        above = value >= self.low if self.low_allowed else value > self.low
        below = value <= self.high if self.high_allowed else value < self.high
        return above and below


@dataclass(frozen=True, slots=True)
class Asymmetry:
    """Data for which two Markov equivalent networks score differently.

    Parameters
    ----------
    shape
        The number of states of each variable.
    counts
        How often each combination of states occurs, the first variable varying slowest.
    first, second
        The networks: the parents of each variable.
    gaps
        Whether the last state of each variable stands for a missing value.
    """

    shape: tuple[int, ...]
    counts: tuple[int, ...]
    first: tuple[tuple[int, ...], ...]
    second: tuple[tuple[int, ...], ...]
    gaps: bool = False


def two_way(counts: tuple[tuple[int, ...], ...]) -> Asymmetry:
    """Make the asymmetry of X -> Y and Y -> X from a table of X (rows) and Y (columns)."""
    flat = tuple(n for row in counts for n in row)
    return Asymmetry((len(counts), len(counts[0])), flat, first=((), (0,)), second=((1,), ()))


# Two complete networks over three binary variables, in opposite orders.
THREE_WAY = Asymmetry((2, 2, 2), (6, 3, 0, 0, 0, 3, 1, 3), first=((), (0,), (0, 1)), second=((1, 2), (2,), ()))


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A parent set and a superset with the same empirical entropy of the child, of which the superset scores better."""

    smaller: tuple[tuple[int, ...], ...]
    larger: tuple[tuple[int, ...], ...]


@one_screen
@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a score. The contract tests check every entry.

    Parameters
    ----------
    title
        The score as papers write it: "BDeu".
    in_words
        What the title stands for.
    sources
        Where it comes from: the first is the one to cite.
    equivalent
        Whether networks of one Markov equivalence class always score the same.
    log_bayes_factor
        Whether a difference of two scores is the logarithm of a Bayes factor (else it is an information criterion).
    regular
        Whether a smaller parent set never scores worse than a superset that explains the child no better (Suzuki
        2017; Liao 2022, section 4.2); None if that is not known.
    bound
        The theorem behind `Score.bound` in one line, or "" where there is none.
    asymmetric
        Proof that the score is not equivalent.
    irregular
        Proof that the score is not regular.
    parent_limits
        The most parents that a variable may have if networks are to be averaged and nothing else was asked for, by the
        number of cases from which each limit holds (see `most_parents`); none where the score itself keeps parents few.
    number_of_cases
        What N is in the score of a variable that was set in some cases (`Dataset.targets`), which are then left out.
    """

    title: str
    in_words: str
    sources: tuple[Citation, ...]
    equivalent: bool
    log_bayes_factor: bool
    regular: bool | None
    bound: str
    asymmetric: Asymmetry | None = None
    irregular: Irregularity | None = None
    parent_limits: tuple[tuple[int, int], ...] = ()
    number_of_cases: str = "no N: the counts of the cases in which the variable was not set"

    def most_parents(self, n_cases: int | None, arities: Sequence[int] = ()) -> int | None:
        """Return the limit on parents for a number of cases, None for no limit; if it is not known, for a few hundred.

        Variables of many states have large tables: a family of as many parents, of average variables, must have three
        cases for two cells.

        >>> from arcwise.scores import make_score
        >>> [make_score("qnml").facts.most_parents(cases) for cases in (100, 200, 1_000, 5_000, 50_000)]
        [2, 3, 4, 5, 6]
        """
        known = FEW_HUNDRED if n_cases is None else n_cases
        fitting = [limit for cases, limit in self.parent_limits if cases <= known]
        if not fitting or not len(arities):
            return max(fitting, default=None)
        states = math.fsum(math.log(max(int(arity), 2)) for arity in arities) / len(arities)
        carried = math.floor(math.log(max(known / CASES_PER_CELL, 2)) / states + 1e-9) - 1
        return max(1, min(max(fitting), carried))

    @property
    def citation(self) -> str:
        """The key in the bibliography of the work to cite for the score."""
        return self.sources[0].key

    @property
    def reference(self) -> str:
        """All sources in one line: "Schwarz 1978; Liao 2022, section 4.2"."""
        return "; ".join(map(str, self.sources))


# With q r much larger than N the penalty of qNML, log C(N, q r) - log C(N, q), stays below N log r, while a table with
# at most one case per row fits perfectly: a variable with even shares then gains by having many parents, whatever they
# are. (qBDJ alike.) In the 958 boards of tic-tac-toe with their columns shuffled, the networks of the credible set have
# 20 edges without a limit and hardly one with at most 3 or 4 parents.
# More cases carry larger tables, and a limit that is too low is as wrong: a variable with five parents of which three
# may be found has edges to what stands for the others. On 35 samples of 5,000 cases (random networks, bnRep, parts of
# large networks; none of them in a study) the log loss of a credible set fell by a third between 3 and 5 parents, at
# 200 cases it rose by 70 %; at 100 the best limit was 2, at 1,000 it was 4, at 20,000 it was 6
# (docs/benchmarks/calibration.md).
QUOTIENT_LIMITS = ((0, 2), (150, 3), (500, 4), (2_000, 5), (10_000, 6))
FEW_HUNDRED = 200
CASES_PER_CELL = 1.5

# X is a function of its parent; a second parent that never varies on its own changes no count, but halves the
# hyperparameters of a score that divides its sample size by q, and pure rows gain by that.
DILUTED = Irregularity(smaller=((5, 0), (0, 5)), larger=((5, 0), (0, 0), (0, 0), (0, 5)))

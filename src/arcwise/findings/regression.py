"""`EdgeRegression`: what a linear regression says of an edge at a number, as a check that any reader knows.

`Missed`: a pair that a regression on all other columns shows and the network does not join, with the reason.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from arcwise.base.showing import one_screen
from arcwise.data.column import VariableKind
from arcwise.scores.gaussian import Blocks, embed, mean_price, normal_scores

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData
    from arcwise.graph.dag import Dag

Floats = NDArray[np.float64]

# Rows that are looked at together: sums over them are all that is kept.
ROWS = 2**15
# Of a column's variance, what others must leave for it to have a slope of its own.
LEAST_LEFT = 1e-8
# Numbers are taken no further from their mean than this many standard deviations where a curve is asked for: powers of
# the most extreme ones would be all that counts.
FURTHEST = 4.0
# A slope that chance gives more often than the first does not show the dependence. What may show it then, a curve, the
# spread or ranks, is tested as strictly as the second says. A curve is also told of beside a clear slope where it
# explains this much more of the variance: what nobody sees in the picture is not worth words.
CHANCE, STRICT, BENT_SHARE = 0.05, 0.01, 0.02
SIMPLER = 1.25  # ranks are preferred to a curve that explains no more than this many times as much
# A pair is said to be shown by a regression on all other columns if chance shows any such pair in so few tables.
SHOWN = 0.05
# Of more columns no regression on all of them is made, nor where rows are fewer than so many times the columns.
MOST_COLUMNS, ROWS_PER_COLUMN = 400, 3
# Of a column's variance, what others must leave for its slope beside them all to mean something; and how much a column
# must contribute to one that follows from others to be part of it.
OWN_SHARE, LEAST_TERM = 0.01, 0.05


class Shape(enum.StrEnum):
    """What shows that the two depend on each other; the figures of each are those of `EdgeRegression.figures`."""

    LINE = "line"  # the regression itself; no figures
    CURVE = "curve"  # a cubic of the other: shares of the variance that a line and the curve explain
    TURNED = "turned"  # a cubic of the number explains the other: the same shares, of the other
    SPREAD = "spread"  # the squares of the number differ between states: F
    RANKS = "ranks"  # normal scores of ranks: the root of F, and of partial R squared
    NOTHING = "nothing"  # none of these; no figures


CLEAR = 1e-3


@one_screen
@dataclass(frozen=True)
class EdgeRegression:
    """A linear regression of the number at an edge on the variable at its other end.

    The number is the head of the arc if that is one, else its tail; the head's other parents are held fixed. A scale is
    the number that its steps are. What is required of data for a regression's t to be right (cases that are
    independent, residuals of one spread) is required here.

    Parameters
    ----------
    partial
        The partial correlation of the two; of a category with more than two states the root of its partial R squared.
    t
        Slope over standard error; of a category with more than two states the root of F.
    slope
        By how much the mean of the number changes with one more of the other; not a number for a category with more
        than two states.
    outcome, of, given
        The number, the other variable, and what is held fixed.
    compared
        The states of a category, the first being the one that the others are compared with; () for a number.
    shifts, freedom
        By how much the mean of the number is shifted with each other state; degrees of freedom of the residuals.
    shape, figures
        What shows that the two depend on each other, and how clearly.
    """

    partial: float
    t: float
    slope: float
    outcome: str = ""
    of: str = ""
    given: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    shifts: tuple[float, ...] = ()
    freedom: float = math.nan
    shape: Shape = Shape.LINE
    figures: tuple[float, float] = (math.nan, math.nan)

    @property
    def f(self) -> float:
        """F of the regression on a category; t squared for one column."""
        return self.t**2

    @property
    def p(self) -> float:
        """How often chance alone gives as large an F."""
        return float(fdtrc(max(1, len(self.shifts)), self.freedom, self.f))

    @property
    def is_clear(self) -> bool:
        """Whether chance gives as large an F more rarely than once in a thousand."""
        return self.p < CLEAR


class Reason(enum.StrEnum):
    """Why the network does not join two variables that a regression on all other columns shows to be related."""

    YOURS = "your constraints"
    ONE_OF = "one of several"  # the networks have this edge or another one in its place
    SUM = "follows from other columns"  # such slopes rest on what rounding leaves
    COMMON = "a common effect"  # to hold an effect fixed makes its causes depend
    RANKS = "few rows far away"  # ranks do not show it
    CURVE = "a curve"  # nothing is left once what is held fixed may act by curves
    PRICE = "costs more than it gains"  # an edge of few rows, or between columns that also enter by curves
    UNSURE = "open"  # some networks have the edge
    UNKNOWN = "no reason found"


@one_screen
@dataclass(frozen=True)
class Missed:
    """A pair without an edge that a regression on all other columns shows.

    Parameters
    ----------
    reason
        Why there is no edge.
    t, without
        That of the regression on all other columns, and on the parents of the one that comes later alone; the root of
        F for a category with more than two states.
    names
        What the reason names: the common effects, or which of the two follows from other columns.
    """

    reason: Reason
    t: float = math.nan
    without: float = math.nan
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Sums:
    """Correlations of the columns of all variables, and what turns them back into units."""

    made: (
        Floats  # all correlations; or, of more columns than rows, which have few pairs that are asked for, the columns
    )
    spreads: Floats
    cases: float  # as how many independent ones they count

    def among(self, first: Sequence[int], second: Sequence[int]) -> Floats:
        """Return the correlations of some columns with others."""
        if self.made.shape[0] == self.made.shape[1]:
            return np.asarray(self.made[np.ix_(first, second)])
        return np.asarray(self.made[list(first)] @ self.made[list(second)].T)


@dataclass(frozen=True, eq=False)
class Regressions:
    """The regressions of a data set: columns of numbers, their squares, cubes and ranks, and indicators of states.

    All are made from one matrix of cross products, so that hundreds of edges cost no more than one.
    """

    data: MixedData
    copies: int = 1  # how many completions the rows are

    def of(self, tail: str, head: str, parents: Sequence[str]) -> EdgeRegression | None:
        """Return what a regression says of tail -> head given the head's other parents; None without a number."""
        data = self.data
        numbers = [name for name in (head, tail) if data.kind(name) is not VariableKind.NOMINAL]
        if not numbers or data.constant[data.index(tail)] or data.constant[data.index(head)]:
            return None
        outcome = numbers[0]
        other = tail if outcome == head else head
        given = tuple(name for name in parents if name not in (tail, head))
        sums = self._sums[int(data.group_of_child[data.index(head)])]
        if sums is None:
            return None
        y = self._columns[outcome][0]
        held = self._independent(sums, [k for name in given for k in self._linear(sums, name)], [])
        own = self._independent(sums, self._linear(sums, other), held)
        freedom = sums.cases - 1 - len(held) - len(own)
        if not own or freedom < 1:
            return None
        tested = self._tested(sums, y, own, held)
        if tested is None:
            return None
        part, f, slopes = tested
        in_units = slopes * sums.spreads[y] / sums.spreads[own]
        nominal = data.kind(other) is VariableKind.NOMINAL
        seen = [self._base(sums, other), *own] if nominal else []
        compared = tuple(data.states[data.index(other)][k - self._columns[other][0]] for k in seen)
        sign = math.copysign(1.0, in_units[0]) if len(own) == 1 else 1.0
        is_clear = float(fdtrc(len(own), freedom, f)) < CHANCE
        shape, figures = self._shape(sums, outcome, other, given, is_clear=is_clear)
        return EdgeRegression(
            sign * math.sqrt(part),
            sign * math.sqrt(f),
            float(in_units[0]) if len(own) == 1 else math.nan,
            outcome,
            other,
            given,
            compared,
            tuple(map(float, in_units)) if nominal else (),
            freedom,
            shape,
            figures,
        )

    def shown(self) -> dict[tuple[str, str], float]:
        """Return the pairs that a regression on all other columns shows, with its t or the root of F.

        Of a pair, one has to have one column: a number, a scale, or a category with two states. The level is
        Bonferroni's over all pairs. Where experiments set variables, or rows are few for so many columns, none is.
        """
        sums, freedom = self._sums[0], self._freedom
        if sums is None or freedom <= 0:
            return {}
        inverse = np.linalg.inv(sums.among(self._whole, self._whole))
        places = {name: [self._whole.index(k) for k in own if k in self._whole] for name, own in self._own.items()}
        roots: dict[tuple[str, str], tuple[float, float]] = {}
        for first, second in itertools.combinations(self.data.names, 2):
            one, other = sorted((places[first], places[second]), key=len)
            if len(one) != 1 or not other:
                continue
            among = np.linalg.inv(inverse[np.ix_([*one, *other], [*one, *other])])
            part = min(1 - 1e-12, max(0.0, 1 - 1 / (inverse[one[0], one[0]] * among[0, 0])))
            f = part * freedom / len(other) / (1 - part)
            sign = math.copysign(1.0, -inverse[one[0], other[0]]) if len(other) == 1 else 1.0
            roots[first, second] = float(fdtrc(len(other), freedom, f)), sign * math.sqrt(f)
        return {pair: t for pair, (p, t) in roots.items() if p * len(roots) < SHOWN}

    def reason(self, first: str, second: str, t: float, dag: Dag) -> Missed:
        """Return why a network does not join two variables that all other columns show to be related (`shown`)."""
        sums = self._sums[0]
        assert sums is not None
        summed = tuple(name for name in (first, second) if name in self._summed)
        if summed:
            return Missed(Reason.SUM, t, names=summed)
        last, other = (first, second) if second in dag.ancestors(first) else (second, first)
        given = [name for name in dag.parents_of(last) if name != other]
        level = SHOWN / max(1, math.comb(self.data.n_variables, 2))
        p, root, gain = self._beside(sums, last, other, given)
        if p >= level:
            effects = tuple(v for v in dag.names if {first, second} <= {*dag.parents_of(v)})
            effects = effects or tuple(v for v in dag.names if {first, second} <= {*dag.ancestors(v)})
            return Missed(Reason.COMMON, t, root, effects)
        if self._beside(sums, last, other, given, of_numbers=3)[0] >= level:
            return Missed(Reason.RANKS, t, root)
        if self._p_beside_curves(last, other, given) >= level:
            return Missed(Reason.CURVE, t, root)
        widths = dict(zip(self.data.names, self._widths, strict=True))
        price = 0.5 * math.log(sums.cases) * widths[first] * widths[second] * mean_price(self.data)
        return Missed(Reason.PRICE if gain < price else Reason.UNKNOWN, t, root)

    def _beside(
        self, sums: _Sums, first: str, second: str, given: Sequence[str], *, of_numbers: int = 0
    ) -> tuple[float, float, float]:
        """Return p, t and gain in log likelihood of a regression of one on the other given others."""
        nominal = self.data.kind(first) is VariableKind.NOMINAL
        if nominal and len(self._own[first]) != 1:
            first, second = second, first
        y = self._linear(sums, first, of_numbers)[0]
        held = self._independent(sums, [k for name in given for k in self._linear(sums, name, of_numbers)], [])
        own = self._independent(sums, self._linear(sums, second, of_numbers), held)
        tested = self._tested(sums, y, own, held)
        freedom = sums.cases - 1 - len(held) - len(own)
        if tested is None:
            return 1.0, 0.0, 0.0
        part, f, slopes = tested
        sign = math.copysign(1.0, slopes[0]) if len(own) == 1 else 1.0
        gain = -0.5 * sums.cases * math.log1p(-min(part, 1 - 1e-12))
        return float(fdtrc(len(own), freedom, f)), sign * math.sqrt(f), gain

    def _p_beside_curves(self, first: str, second: str, given: Sequence[str]) -> float:
        """Return p of a regression of one on the other where those held fixed act by curves, as in networks."""
        places = {name: np.flatnonzero(self._curves.of_column == v) for v, name in enumerate(self.data.names)}
        nominal = self.data.kind(first) is VariableKind.NOMINAL
        if nominal and len(places[first]) != 1:
            first, second = second, first
        numbers = {name for name in (first, second) if self.data.kind(name) is not VariableKind.NOMINAL}
        own = [k for name in (first, second) for k in (places[name][:1] if name in numbers else places[name])]
        held = np.concatenate([[], *(places[name] for name in given)]).astype(np.int64)
        rows, weights = self._curves.rows, self.data.times
        shared = (rows[:, [*own, *held]] * (weights / weights.sum())[:, None]).T @ rows[:, [*own, *held]]
        left = [np.linalg.lstsq(shared[1:, 1:][k:, k:], shared[0, 1:][k:], rcond=1e-9)[0] for k in (0, len(own) - 1)]
        unexplained = [1 - float(shared[0, 1:][k:] @ one) for k, one in zip((0, len(own) - 1), left, strict=True)]
        added, freedom = len(own) - 1, self.data.n_effective / self.copies - len(own) - len(held)
        f = (unexplained[1] - unexplained[0]) / added / max(unexplained[0] / freedom, 1e-300)
        return float(fdtrc(added, freedom, max(f, 0.0))) if freedom > 0 and added else 1.0

    @cached_property
    def _curves(self) -> Blocks:
        """Numbers and scales as three functions of their ranks."""
        return embed(self.data, "ranks", 3)

    @cached_property
    def _widths(self) -> list[int]:
        """How many columns each variable has in the matrix that networks are scored by."""
        return [int(width) for width in embed(self.data).widths]

    @cached_property
    def _own(self) -> dict[str, list[int]]:
        """The columns of each variable as a regression on all columns has them."""
        sums = self._sums[0]
        assert sums is not None
        return {name: self._linear(sums, name) for name in self.data.names}

    @cached_property
    def _freedom(self) -> float:
        """The degrees of freedom of a regression on all other columns; 0 where none is made."""
        sums, columns = self._sums[0], sum(map(len, self._columns.values()))
        if sums is None or len(self._sums) > 1 or columns > MOST_COLUMNS:
            return 0.0
        return sums.cases - len(self._whole) if sums.cases >= ROWS_PER_COLUMN * len(self._whole) else 0.0

    @cached_property
    def _swept(self) -> tuple[list[int], frozenset[str]]:
        """The columns that no others make up, and the variables that follow from others or are part of such a sum."""
        sums = self._sums[0]
        assert sums is not None
        kept: list[int] = []
        summed: set[str] = set()
        name_of = {column: name for name, own in self._own.items() for column in own}
        left = sums.among(range(len(sums.spreads)), range(len(sums.spreads)))
        for column, name in name_of.items():
            if left[column, column] > LEAST_LEFT:
                kept.append(column)
                left -= np.outer(left[:, column], left[column]) / left[column, column]
            elif sums.spreads[column] > 0:
                terms = self._left(sums, column, kept)[1]
                parts = (k for k, term in zip(kept, terms, strict=True) if abs(term) > LEAST_TERM)
                summed |= {name, *(name_of[k] for k in parts)}
        shares = 1 / np.linalg.inv(sums.among(kept, kept)).diagonal()
        for column, share in zip(kept, shares, strict=True):
            summed |= {name_of[column]} if share < OWN_SHARE else set()
        return kept, frozenset(summed)

    @property
    def _whole(self) -> list[int]:
        return self._swept[0]

    @property
    def _summed(self) -> frozenset[str]:
        return self._swept[1]

    def _tested(self, sums: _Sums, y: int, own: list[int], held: list[int]) -> tuple[float, float, Floats] | None:
        """Return partial R squared, F and slopes of a regression on some columns given others; None if none can be."""
        freedom = sums.cases - 1 - len(held) - len(own)
        before = self._left(sums, y, held)[0]
        if not own or freedom < 1 or before <= LEAST_LEFT:
            return None
        left, slopes = self._left(sums, y, [*held, *own])
        part = min(1.0, max(0.0, 1 - left / before))
        return part, part * freedom / len(own) / max(1 - part, 1e-12), slopes[len(held) :]

    def _shape(
        self, sums: _Sums, outcome: str, other: str, given: Sequence[str], *, is_clear: bool
    ) -> tuple[Shape, tuple[float, float]]:
        """Return what shows the dependence: a slope that is clear, or in its place what explains most."""
        nominal = self.data.kind(other) is VariableKind.NOMINAL
        bent = None if nominal else self._bent(sums, outcome, other, given)
        if is_clear:
            if bent is not None and bent[1] - bent[0] > BENT_SHARE:
                return Shape.CURVE, bent
            return Shape.LINE, (math.nan, math.nan)
        found = [(0.0, Shape.NOTHING, (math.nan, math.nan))]
        if bent is not None:
            found.append((bent[1], Shape.CURVE, bent))
        turned = None if nominal else self._bent(sums, other, outcome, given)
        if turned is not None:
            found.append((turned[1], Shape.TURNED, turned))
        spread = self._clear(sums, outcome, 1, other, given, 0) if nominal else None
        if spread is not None:
            found.append((spread[0], Shape.SPREAD, (spread[1], math.nan)))
        ranked = self._clear(sums, outcome, 3, other, given, 3)
        if ranked is not None:
            found.append((SIMPLER * ranked[0], Shape.RANKS, (math.sqrt(ranked[1]), math.sqrt(ranked[0]))))
        _, shape, figures = max(found, key=lambda one: one[0])
        return shape, figures

    def _clear(
        self, sums: _Sums, outcome: str, column: int, other: str, given: Sequence[str], of_numbers: int
    ) -> tuple[float, float] | None:
        """Return partial R squared and F of another column of the outcome on others; None if chance gives as much."""
        held = self._independent(sums, [k for name in given for k in self._linear(sums, name, of_numbers)], [])
        own = self._independent(sums, self._linear(sums, other, of_numbers), held)
        tested = self._tested(sums, self._columns[outcome][column], own, held)
        freedom = sums.cases - 1 - len(held) - len(own)
        is_clear = tested is not None and float(fdtrc(len(own), freedom, tested[1])) < STRICT
        return tested[:2] if tested is not None and is_clear else None

    def _bent(self, sums: _Sums, outcome: str, other: str, given: Sequence[str]) -> tuple[float, float] | None:
        """Return the shares of variance that a line and a cubic explain, if the cubic explains clearly more."""
        y = self._columns[outcome][0]
        held = self._independent(sums, [k for name in given for k in self._linear(sums, name)], [])
        line = self._independent(sums, self._columns[other][:1], held)
        curve = self._independent(sums, self._columns[other][1:3], [*held, *line])
        tested = self._tested(sums, y, curve, [*held, *line])
        freedom = sums.cases - 1 - len(held) - len(line) - len(curve)
        if tested is None or float(fdtrc(len(curve), freedom, tested[1])) >= STRICT:
            return None
        before, straight = (self._left(sums, y, columns)[0] for columns in (held, [*held, *line]))
        return 1 - straight / before, 1 - straight * (1 - tested[0]) / before

    @cached_property
    def _columns(self) -> dict[str, list[int]]:
        """The columns of each variable: a number, its square, cube and ranks; the states of a category."""
        found, at = {}, 0
        for name, kind, states in zip(self.data.names, self.data.kinds, self.data.states, strict=True):
            width = len(states) if kind is VariableKind.NOMINAL else 4
            found[name] = list(range(at, at + width))
            at += width
        return found

    def _base(self, sums: _Sums, name: str) -> int:
        """Return the column of the state that the others of a category are compared with: the first that is seen."""
        return next(column for column in self._columns[name] if sums.spreads[column] > 0)

    def _linear(self, sums: _Sums, name: str, of_numbers: int = 0) -> list[int]:
        """Return the columns of a variable as a regression has them: of a category all states but one."""
        columns = self._columns[name]
        if self.data.kind(name) is not VariableKind.NOMINAL:
            return [columns[of_numbers]]
        return [column for column in columns if sums.spreads[column] > 0][1:]

    @staticmethod
    def _independent(sums: _Sums, columns: Sequence[int], before: list[int]) -> list[int]:
        """Return those columns of which some variance is left by the others, and by those before them."""
        kept = list(before)
        for column in columns:
            if sums.spreads[column] > 0 and Regressions._left(sums, column, kept)[0] > LEAST_LEFT:
                kept.append(column)
        return kept[len(before) :]

    @staticmethod
    def _left(sums: _Sums, y: int, columns: list[int]) -> tuple[float, Floats]:
        """Return the share of a column's variance that others leave, and the slopes of a regression on these."""
        along = sums.among(columns, [y])[:, 0]
        slopes: Floats = np.zeros(0)
        if columns:
            slopes = np.asarray(np.linalg.solve(sums.among(columns, columns), along))
        return float(sums.among([y], [y])[0, 0] - along @ slopes), slopes

    @cached_property
    def _sums(self) -> tuple[_Sums | None, ...]:
        """The correlations among the cases that tell of each variable: see `MixedData.child_groups`."""
        return tuple(map(self._sums_of, self.data.child_groups))

    def _sums_of(self, data: MixedData) -> _Sums | None:
        rows = data.row_weights
        weights = np.ones(data.n_rows) if rows is None else rows.astype(np.float64)
        total = float(weights.sum())
        if total <= 0:
            return None
        numbers = [v for v, kind in enumerate(data.kinds) if kind is not VariableKind.NOMINAL]
        scores = {v: data.scores(data.names[v]) for v in numbers}
        means = {v: float(weights @ own) / total for v, own in scores.items()}
        ranks = {v: normal_scores(own, weights) for v, own in scores.items()}
        spreads = {v: math.sqrt(float(weights @ (own - means[v]) ** 2) / total) for v, own in scores.items()}
        width = sum(map(len, self._columns.values()))
        is_wide = width > data.n_rows
        products, sums = np.zeros((0 if is_wide else width,) * 2), np.zeros(width)
        block = data.n_rows if is_wide else ROWS
        for start in range(0, data.n_rows, block):
            part = slice(start, start + block)
            made = np.empty((width, len(weights[part])))
            for v, name in enumerate(data.names):
                columns = self._columns[name]
                if v in scores:
                    standard = (scores[v][part] - means[v]) / (spreads[v] or 1.0)
                    made[columns[0]] = standard
                    made[columns[1]] = np.clip(standard, -FURTHEST, FURTHEST) ** 2
                    made[columns[2]] = np.clip(standard, -FURTHEST, FURTHEST) ** 3
                    made[columns[3]] = ranks[v][part]
                else:
                    made[columns] = data.values[v][part] == np.arange(len(columns))[:, None]
            if not is_wide:
                products += (made * weights[part]) @ made.T
            sums += made @ weights[part]
        if is_wide:
            scaled = (made - sums[:, None] / total) * np.sqrt(weights / total)
            own = np.sqrt((scaled**2).sum(axis=1))
        else:
            scaled = products / total - np.outer(sums, sums) / total**2
            own = np.sqrt(np.maximum(scaled.diagonal(), 0.0))
        own[own < 1e-9] = 0.0
        divisor = np.where(own > 0, own, 1.0)[:, None]
        scaled = scaled / (divisor if is_wide else divisor * divisor.T)
        for v in numbers:
            own[self._columns[data.names[v]][0]] *= spreads[v] or 1.0
        return _Sums(scaled, own, data.n_effective / self.copies)

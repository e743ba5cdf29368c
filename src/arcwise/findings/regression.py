"""`EdgeRegression`: what a linear regression says of an edge at a number, as a check that any reader knows."""

from __future__ import annotations

import enum
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
from arcwise.scores.gaussian import normal_scores

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData

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


class Shape(enum.StrEnum):
    """What shows that the two depend on each other; the figures of each are those of `EdgeRegression.figures`."""

    LINE = "line"  # the regression itself; no figures
    CURVE = "curve"  # a cubic of the other: shares of the variance that a line and the curve explain
    TURNED = "turned"  # a cubic of the number explains the other: the same shares, of the other
    SPREAD = "spread"  # the squares of the number differ between states: F
    RANKS = "ranks"  # normal scores of ranks: the root of F, and of partial R squared
    NOTHING = "nothing"  # none of these; no figures


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


@dataclass(frozen=True, eq=False)
class _Sums:
    """Correlations of the columns of all variables, and what turns them back into units."""

    shared: Floats
    spreads: Floats
    cases: float  # as how many independent ones they count


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
        along = sums.shared[columns, y]
        slopes: Floats = np.zeros(0)
        if columns:
            slopes = np.asarray(np.linalg.solve(sums.shared[np.ix_(columns, columns)], along))
        return float(sums.shared[y, y] - along @ slopes), slopes

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
        products, sums = np.zeros((width, width)), np.zeros(width)
        for start in range(0, data.n_rows, ROWS):
            part = slice(start, start + ROWS)
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
            products += (made * weights[part]) @ made.T
            sums += made @ weights[part]
        covariance = products / total - np.outer(sums, sums) / total**2
        own = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        own[own < 1e-9] = 0.0
        scaled = covariance / np.outer(np.where(own > 0, own, 1.0), np.where(own > 0, own, 1.0))
        for v in numbers:
            own[self._columns[data.names[v]][0]] *= spreads[v] or 1.0
        return _Sums(scaled, own, data.n_effective / self.copies)

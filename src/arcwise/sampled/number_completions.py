"""`NumberCompletions`: numbers, scales and categories with gaps, completed many times under one Gaussian matrix.

It is the model of the scores of numbers as they are (`arcwise.scores.gaussian`): a number or a scale is a column of
normal scores, a category its indicators less one. Data augmentation in turns draws the mean and the covariance matrix
from their posterior given the completed columns, and what is missing given both and the rest of its row (Schafer,
Analysis of Incomplete Multivariate Data, 1997, chapter 5): no edge is left out, so that no completion is told what the
last one found. A number that is drawn is one that the column has, at the same rank; of a category the shares that
its indicators are expected to have are drawn from. Curves are not drawn: an effect that is no line looks flatter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.run import Run, Seed, resolve_seed
from arcwise.data.dataset import Incomplete
from arcwise.data.mixed import NOMINAL, MixedData
from arcwise.sampled.completions import BURN_IN, Completions, State
from arcwise.scores.gaussian import normal_scores

Floats = NDArray[np.float64]
ROUNDS = 3  # of draws in a step of a chain
LEAST_SHARE = 0.002  # of a state, which a line may say is impossible
PRIOR_CASES = 2.0  # what the prior of uncorrelated columns weighs beyond the fewest that make it proper


@dataclass(frozen=True, eq=False)
class NumberGaps:
    """Rows of which some values are missing: `held` has anything in their place."""

    held: MixedData
    missing: NDArray[np.bool_]  # at [variable, row]

    @cached_property
    def open_columns(self) -> list[tuple[int, NDArray[np.int64]]]:
        """The variables with gaps, and the rows of these."""
        return [(v, np.flatnonzero(own)) for v, own in enumerate(self.missing) if own.any()]

    @cached_property
    def seen(self) -> dict[int, Floats]:
        """The values of each variable with gaps, sorted."""
        return {v: np.sort(self.held.values[v, ~self.missing[v]]) for v, _ in self.open_columns}

    @cached_property
    def blocks(self) -> list[slice]:
        """The columns of each variable."""
        widths = [max(1, len(states) - 1) if kind is NOMINAL else 1 for kind, states in self._kinds]
        ends = np.cumsum([0, *widths]).tolist()
        return [slice(first, last) for first, last in itertools.pairwise(ends)]

    @property
    def _kinds(self) -> Iterator[tuple[Any, tuple[str, ...]]]:
        return zip(self.held.kinds, self.held.states, strict=True)

    def columns(self, v: int, values: Floats, scores_of: Floats | None = None) -> Floats:
        """Return values of a variable as columns; numbers by their normal scores among `scores_of`, or themselves."""
        if self.held.kinds[v] is NOMINAL:
            states = np.arange(1, max(2, len(self.held.states[v])))
            return np.asarray(values[:, None] == states, dtype=np.float64)
        known = np.sort(values if scores_of is None else scores_of)
        scores = normal_scores(known, np.ones(len(known)))
        return np.asarray(scores[np.minimum(np.searchsorted(known, values), len(known) - 1)][:, None])

    def start(self, rng: np.random.Generator) -> MixedData:
        """Return the rows with gaps filled by values of other rows."""
        values = np.array(self.held.values)
        for v, rows in self.open_columns:
            values[v, rows] = rng.choice(self.seen[v], size=len(rows))
        return self.completed(values)

    def completed(self, values: Floats) -> MixedData:
        """Return the rows with other values in the gaps."""
        held = self.held
        return held._unchecked(values, held.weights, held.targets, held.design)


class NumberChain:
    """One chain: it is at `completion`, and has no network."""

    parents: tuple[int, ...] = ()

    def __init__(
        self, gaps: NumberGaps, seed: np.random.SeedSequence | np.random.Generator, start: MixedData | None = None
    ) -> None:
        self._gaps, self._rng = gaps, np.random.default_rng(seed)
        self.completion = gaps.start(self._rng) if start is None else start
        values = self.completion.values
        seen = gaps.seen
        self._matrix = np.concatenate([gaps.columns(v, own, seen.get(v)) for v, own in enumerate(values)], axis=1)

    def step(self, run: Run | None = None) -> bool:
        """Draw the matrix and the gaps some times; False if the time was over before."""
        if run is not None and run.is_over:
            return False
        values = np.array(self.completion.values)
        for _ in range(ROUNDS):
            mean, precision = self._drawn_law()
            for v, rows in self._gaps.open_columns:
                values[v, rows] = self._drawn_values(v, rows, mean, precision)
        self.completion = self._gaps.completed(values)
        return True

    def _drawn_law(self) -> tuple[Floats, Floats]:
        """Draw a mean and a precision matrix from their posterior, by Bartlett's decomposition."""
        x, rng = self._matrix, self._rng
        n, p = x.shape
        centred = x - x.mean(axis=0)
        spread = np.maximum((centred**2).mean(axis=0), 1e-6)
        scatter = centred.T @ centred + PRIOR_CASES * np.diag(spread)
        root = np.linalg.cholesky(np.linalg.inv(scatter))
        triangle = np.tril(rng.normal(size=(p, p)), -1)
        np.fill_diagonal(triangle, np.sqrt(rng.chisquare(n + p + PRIOR_CASES - np.arange(p))))
        factor = root @ triangle  # of the precision
        mean = x.mean(axis=0) + np.linalg.solve(factor.T, rng.normal(size=p)) / np.sqrt(n)
        return mean, factor @ factor.T

    def _drawn_values(self, v: int, rows: NDArray[np.int64], mean: Floats, precision: Floats) -> Floats:
        """Draw what is missing of a variable given the rest of its rows, and note it in the matrix."""
        gaps, x, rng = self._gaps, self._matrix, self._rng
        own = gaps.blocks[v]
        others = np.delete(np.arange(x.shape[1]), np.arange(own.start, own.stop))
        spread = np.linalg.inv(precision[own, own])
        line = spread @ precision[own][:, others]
        expected = mean[own] - (x[np.ix_(rows, others)] - mean[others]) @ line.T
        if gaps.held.kinds[v] is NOMINAL:
            shares = np.concatenate([1 - expected.sum(axis=1, keepdims=True), expected], axis=1)
            shares = np.maximum(shares[:, : max(1, len(gaps.held.states[v]))], LEAST_SHARE)
            ends = shares.cumsum(axis=1)
            drawn: Floats = (rng.random((len(rows), 1)) * ends[:, -1:] >= ends[:, :-1]).sum(axis=1).astype(np.float64)
            x[rows, own] = gaps.columns(v, drawn)
            return drawn
        from scipy.special import ndtr

        scores = expected[:, 0] + np.sqrt(spread[0, 0]) * rng.normal(size=len(rows))
        x[rows, own.start] = scores
        seen = gaps.seen[v]
        return np.asarray(seen[np.minimum((ndtr(scores) * len(seen)).astype(np.int64), len(seen) - 1)])


class NumberCompletions(Completions):
    """The completions of numbers, scales and categories with gaps: see `Completions`.

    Parameters
    ----------
    data
        The same rows with numbers cut, and which values are missing.
    numbers
        The rows, with anything in place of what is missing.
    count, seed
        As for `Completions`.
    """

    def __init__(self, data: Incomplete, numbers: MixedData, *, count: int, seed: Seed = None) -> None:
        whole = data.expand()
        self.data, self.count, self.seed = data, count, resolve_seed(seed)
        self.constraints, self.max_parents = None, None
        self.numbers = NumberGaps(numbers.expand(), whole.missing)
        self.kept: dict[str, object] = {}
        self._chains = []
        self._states: list[State] = []
        self._cut_short = None
        self._ahead = BURN_IN

    def _chain(self, number: int, run: Run | None) -> Any:
        return NumberChain(self.numbers, np.random.SeedSequence([self.seed, number]))

    def stacked(self) -> Any:
        """Return all completions that were drawn, one below the other."""
        states: list[Any] = [one for one, _ in self._states or ([] if self._cut_short is None else [self._cut_short])]
        first, times = states[0], len(states)
        targets = None if first.targets is None else first.targets.take(np.tile(np.arange(first.n_rows), times))
        design = None if first.design is None else first.design.tile(times)
        return first._unchecked(np.concatenate([one.values for one in states], axis=1), None, targets, design)

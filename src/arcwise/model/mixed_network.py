"""`MixedNetwork`: a network over numbers, scales and categories, with its parameters, answers and files."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, ndtri

from arcwise.base.errors import UNREADABLE, DataError, FormatError, OptionError, check_argument, suggestion
from arcwise.base.files import parse_json, read_text, write_text
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Seed, generator_of
from arcwise.base.showing import one_screen
from arcwise.data.checks import Targets, checked_names, checked_states
from arcwise.data.column import VariableKind, checked_kind, numbers_of, spell
from arcwise.data.mixed import NOMINAL, NUMBER, ORDINAL, MixedData, scores_of_states
from arcwise.graph.dag import Dag
from arcwise.model.mixed_families import (
    LOG_2_PI,
    Family,
    Floats,
    LinearFamily,
    checked_family,
    fit_family,
    normal_log_density,
)
from arcwise.model.tables import read_asked

VERSION = 1  # of the file format
KIND = "arcwise mixed network"
LEVEL = 0.95  # of intervals
# Numbers that the covariances of all configurations of the states that are not observed may hold together.
MOST_CELLS = 2**22
# Draws where the answer has no closed form, and how many must count as much as if they were draws from the answer.
DRAWS, FEWEST_EFFECTIVE = 2**16, 100
# Points of an integral over one number that is the parent of states.
POINTS, WIDTH = 401, 9.0
STEPS = np.linspace(-WIDTH, WIDTH, POINTS)
# Draws for one of many rows; where they do not answer, how often a row is completed, and after how many sweeps.
ROW_DRAWS, COPIES, SWEEPS = 2**13, 64, 10
BATCH = 2**13  # rows, each with its points, at once
HALVINGS = 60
Evidence = Mapping[str, object]
COMPARISON = re.compile(r"\s*([<>])=?\s*([^<>=\s]+)\s*")


class Between(NamedTuple):
    """What is known of a number that lies between two others; either may be infinite."""

    low: float
    high: float


@one_screen
@dataclass(frozen=True)
class NumberAnswer:
    """The distribution of a number, given evidence."""

    name: str
    mean: float
    spread: float  # its standard deviation
    low: float  # the ends of the interval that holds ...
    high: float
    level: float  # ... this share, its middle
    error: float  # the Monte Carlo standard error of the mean; 0 if it is exact
    log_evidence: float  # the log density of what was observed
    # What it is, a mixture of Gaussians, those of spread 0 being draws: weights, means and spreads.
    parts: tuple[Floats, Floats, Floats] = field(repr=False, compare=False)

    def share(self, between: Between) -> float:
        """Return the probability that it lies between two numbers."""
        weights, means, spreads = self.parts
        own = np.maximum(spreads, 1e-300)
        inside: Floats = ndtr((between.high - means) / own) - ndtr((between.low - means) / own)
        return float(np.asarray(weights @ inside))

    def __str__(self) -> str:
        how = f"within {2 * self.error:.2g}" if self.error else "exact"
        return f"{self.name} = {self.mean:.4g} ({100 * self.level:g} % from {self.low:.4g} to {self.high:.4g}; {how})"


@one_screen
@dataclass(frozen=True)
class StateAnswer:
    """The probabilities of the states of a nominal variable, given evidence."""

    name: str
    probabilities: dict[str, float]
    error: float  # the largest Monte Carlo standard error of one; 0 if they are exact
    log_evidence: float

    @property
    def most_probable(self) -> str:
        """The state with the highest probability."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(f'{state} {p:.3f}' for state, p in self.probabilities.items())}"


class _Query(NamedTuple):
    """What takes part in an answer: values that were observed or set, and the variables that these depend on."""

    target: int
    observed: dict[int, float]
    within: dict[int, Between]  # numbers of which only a range was observed
    done: dict[int, float]
    relevant: list[int]  # in topological order


class _Numbers(NamedTuple):
    """The distribution of a number in each row: a Gaussian, times weights at steps of its spread."""

    mean: Floats
    spread: Floats
    weights: Floats | None  # at [step, row]

    def interval(self, level: float) -> tuple[Floats, Floats, Floats]:
        """Return mean, low and high."""
        mean, spread, tail = self.mean, self.spread, (1 - level) / 2
        if self.weights is None:
            return mean, mean + spread * ndtri(tail), mean - spread * ndtri(tail)
        ends = np.cumsum(self.weights, axis=0)
        at = [np.minimum((ends < p).sum(axis=0), POINTS - 1) for p in (tail, 1 - tail)]
        low, high = (mean + spread * STEPS[own] for own in at)
        return mean + spread * (STEPS @ self.weights), low, high

    def moments(self) -> tuple[Floats, Floats]:
        """Return the means of the number and of its square."""
        if self.weights is None:
            return self.mean, self.mean**2 + self.spread**2
        first, second = STEPS @ self.weights, STEPS**2 @ self.weights
        return self.mean + self.spread * first, self.mean**2 + 2 * self.mean * self.spread * first + (
            self.spread**2 * second
        )

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw one for each row."""
        rows = len(self.mean)
        if self.weights is None:
            return self.mean + self.spread * rng.standard_normal(rows)
        at = np.minimum((np.cumsum(self.weights, axis=0) < rng.random(rows)).sum(axis=0), POINTS - 1)
        return np.asarray(self.mean + self.spread * (STEPS[at] + (rng.random(rows) - 0.5) * (STEPS[1] - STEPS[0])))


class MixedNetwork:
    """A conditional linear Gaussian network, in which numbers may also be parents of states.

    A number given its parents is Gaussian around a line for each configuration of its nominal parents, an ordinal
    variable is the number that its score is, and a nominal one has a table, or a multinomial logistic regression where
    parents are numbers; see `arcwise.model.mixed_families`.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 2000)
    >>> frame = pd.DataFrame({"sex": np.array(["f", "m"])[sex], "height": 166 + 13 * sex + 7 * rng.normal(size=2000)})
    >>> network = MixedNetwork.fit(Dag.from_arcs(["sex", "height"], [("sex", "height")]),
    ...     MixedData.from_dataframe(frame))
    >>> print(network.query("height", {"sex": "m"}))
    height = 179.1 (95 % from 165.5 to 192.8; exact)
    >>> print(network.query("sex", {"height": 185}))
    sex: f 0.036, m 0.964
    """

    def __init__(
        self,
        dag: Dag,
        kinds: Sequence[VariableKind],
        states: Sequence[Sequence[str]],
        families: Sequence[Family],
    ) -> None:
        self.dag, self.kinds = dag, tuple(kinds)
        self.states, self.families = tuple(map(tuple, states)), tuple(families)

    @classmethod
    def fit(cls, dag: Dag, data: MixedData, *, ess: float = 1.0) -> MixedNetwork:
        """Estimate the parameters of a graph: least squares, logistic regression, and BDeu with `ess` for tables.

        A variable's family is estimated without the cases in which an experiment set it.
        """
        check_argument(math.isfinite(ess) and ess > 0, "ess", ess, "must be positive.")
        data = data.select(dag.names)
        values = data.matrix
        arities = data.levels
        families, cases = [], None
        for child, parents in enumerate(dag.parents):
            own = data.cases_without(dag.names[child])
            if own is not cases:  # most have the same: rows are not to be copied for each of thousands
                cases = own
                weights = np.ones(data.n_rows) if own.row_weights is None else own.row_weights.astype(np.float64)
                seen = weights > 0
                rows, weights = (values, weights) if seen.all() else (values[:, seen], weights[seen])
            families.append(fit_family(child, tuple(parents), arities, rows, weights, ess=ess))
        return cls(dag, data.kinds, data.states, families)

    # ---- What it holds

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.dag.names

    @cached_property
    def n_free_parameters(self) -> int:
        """How many numbers were estimated."""
        return sum(family.n_free_parameters for family in self.families)

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        if name not in self.names:
            raise OptionError(suggestion("variable", str(name), self.names))
        return self.names.index(name)

    def family(self, name: str) -> Family:
        """Return the distribution of a variable given its parents."""
        return self.families[self.index(name)]

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.kinds.count(kind)} {kind}" for kind in VariableKind if kind in self.kinds)
        return f"<MixedNetwork: {len(self.names)} variables ({counts}), {self.dag.n_arcs} arcs>"

    def value(self, name: str, given: object) -> float:
        """Return what a variable is observed or set to as the number that stands for it here."""
        v = self.index(name)
        label, states = spell(given), self.states[v]
        if self.kinds[v] is not NUMBER and label in states:
            code = states.index(label)
            return float(code if self.kinds[v] is NOMINAL else scores_of_states(states)[code])
        number = None if self.kinds[v] is NOMINAL else numbers_of([label])
        if number is None:
            allowed = "a finite number" if self.kinds[v] is NUMBER else f"one of {', '.join(states)}"
            raise OptionError(f"'{label}' is no value of '{name}', which must be {allowed}.")
        return float(number[0])

    def observed(self, name: str, given: object) -> float | Between:
        """Return what was observed: a value as above, or of a number or scale a range, "> 40" or "> 40 <= 50"."""
        v, label = self.index(name), spell(given)
        if isinstance(given, Between):
            return self._range(v, given.low, given.high, "")
        parts = COMPARISON.findall(label)
        if not parts or COMPARISON.sub("", label) or label in self.states[v]:
            return self.value(name, given)
        low, high = -math.inf, math.inf
        for sign, text in parts:
            number = numbers_of([text])
            code = None if text not in self.states[v] else self.value(name, text)
            if number is None and code is None:
                raise OptionError(f"'{label}' of '{name}': '{text}' is no number.")
            own = float(number[0]) if code is None and number is not None else float(code or 0.0)
            low, high = (max(low, own), high) if sign == ">" else (low, min(high, own))
        return self._range(v, low, high, label)

    def _range(self, v: int, low: float, high: float, label: str) -> Between:
        """Return a range of a number; of a scale, as its numbers are rounded to steps, that of the steps within."""
        name = self.names[v]
        if self.kinds[v] is NOMINAL:
            raise OptionError(
                f"'{label or name}' compares '{name}', whose states have no order: {', '.join(self.states[v])}."
            )
        if low > high or (low == high and self.kinds[v] is NUMBER):
            raise OptionError(f"'{name}' cannot lie above {low:g} and below {high:g}.")
        if self.kinds[v] is NUMBER:
            return Between(low, high)
        scores = scores_of_states(self.states[v])
        ends = [-math.inf, *((scores[1:] + scores[:-1]) / 2).tolist(), math.inf]
        open_low, open_high = ">=" not in label, "<=" not in label
        inside = [k for k, own in enumerate(scores.tolist()) if own > low or (own == low and not open_low)]
        inside = [k for k in inside if scores[k] < high or (scores[k] == high and not open_high)]
        if not inside:
            raise OptionError(f"no state of '{name}' is {label or 'in this range'}: {', '.join(self.states[v])}.")
        return Between(ends[inside[0]], ends[inside[-1] + 1])

    # ---- Data under it

    def _values(self, data: MixedData, names: Sequence[str]) -> Floats:
        """Return the values of rows as the network has them, 0 for variables not among the names."""
        values = np.zeros((len(self.names), data.n_rows))
        for name in names:
            v, own = self.index(name), data.kind(name)
            if (own is NOMINAL) != (self.kinds[v] is NOMINAL):
                raise DataError(f"'{name}' is {own} in the data and {self.kinds[v]} in the network.")
            if own is not NOMINAL:
                values[v] = data.scores(name)
                continue
            labels = data.states[data.index(name)]
            known = {state: code for code, state in enumerate(self.states[v])}
            recode = np.array([known.get(label, -1) for label in labels])
            values[v] = recode[data.codes(name)]
            if (values[v] < 0).any():
                label = labels[int(data.codes(name)[int(np.argmin(values[v]))])]
                raise DataError(f"'{name}' has the state '{label}', which the network does not know.")
        return values

    def data_of(self, values: Floats) -> MixedData:
        """Return rows whose values are as the network has them; those of scales are rounded to their states."""
        values = values.copy()
        for v in (v for v, kind in enumerate(self.kinds) if kind is ORDINAL):
            scores = scores_of_states(self.states[v])
            values[v] = np.searchsorted((scores[1:] + scores[:-1]) / 2, values[v])
        return MixedData(values, self.names, self.kinds, self.states)

    def row_log_densities(self, data: MixedData) -> Floats:
        """Return the log density of each row; what an experiment set does not count."""
        missing = [name for name in self.names if name not in data]
        if missing:
            raise DataError(f"the data lack the variables {', '.join(missing[:6])} of the network.")
        values, total = self._values(data, self.names), np.zeros(data.n_rows)
        for name, family in zip(self.names, self.families, strict=True):
            own = family.log_density(values)
            total += own if data.targets is None else np.where(data.targets.rows_without(name), own, 0.0)
        return total

    def log_likelihood(self, data: MixedData) -> float:
        """Return the log density of all cases. Of cases that were held back, it says how well a network predicts."""
        rows = self.row_log_densities(data)
        return float(rows.sum() if data.row_weights is None else rows @ data.row_weights)

    def sample(self, rows: int, *, seed: Seed = None, do: Evidence | None = None) -> MixedData:
        """Draw rows, each variable after its parents; `do` sets variables. Scales are rounded to their states."""
        rng, done = generator_of(seed), {self.index(n): self.value(n, given) for n, given in (do or {}).items()}
        check_argument(rows >= 1, "rows", rows, "must be at least 1.")
        values = np.zeros((len(self.names), rows))
        for v in self.dag.topological_order:
            values[v] = done[v] if v in done else self.families[v].sample(values, rng)
        drawn = self.data_of(values)
        return drawn if not do else drawn.with_targets(Targets((tuple(do),), np.zeros(rows, dtype=np.int32)))

    # ---- Answers

    def query(
        self,
        name: str,
        evidence: Evidence | None = None,
        *,
        do: Evidence | None = None,
        level: float = LEVEL,
        seed: Seed = 0,
        draws: int = DRAWS,
    ) -> NumberAnswer | StateAnswer:
        """Return the distribution of a variable given the values of others, observed or set by an experiment.

        Of a number or a scale, a range may be what was observed: ``{"age": "> 40"}``, ``{"age": "> 40 <= 50"}``.

        It is exact where, for every combination of the states that are not observed, what remains is linear and
        Gaussian (Lauritzen and Jensen 2001): that is, unless a number that is not observed is a parent of states that
        matter, or known by a range. There, weighted draws answer, and `error` says how far they may be off.
        """
        check_argument(0 < level < 1, "level", level, "must lie between 0 and 1, e.g. 0.95.")
        asked_for, evidence = read_asked(name, evidence, self.names)
        name = asked_for if isinstance(asked_for, str) else asked_for[0]
        target = self.index(name)
        seen = {self.index(n): self.observed(n, given) for n, given in (evidence or {}).items()}
        done = {self.index(n): self.value(n, given) for n, given in (do or {}).items()}
        if target in seen or target in done or seen.keys() & done.keys():
            raise OptionError(f"'{name}' and all that is observed or set must be different variables.")
        relevant = self._relevant({target, *seen, *done}, done)
        within = {v: own for v, own in seen.items() if isinstance(own, Between)}
        observed = {v: own for v, own in seen.items() if not isinstance(own, Between)}
        asked = _Query(target, observed, within, done, relevant)
        if self._is_exact(asked):
            return self._exact(asked, level)
        return self._drawn(asked, level, generator_of(seed), draws)

    def _relevant(self, wanted: set[int], done: Mapping[int, float]) -> list[int]:
        """Return variables and all that they depend on, in topological order; nothing but itself for what is set."""
        found, open_ = set(wanted), list(wanted)
        while open_:
            v = open_.pop()
            fresh = [] if v in done else [p for p in self.dag.parents[v] if p not in found]
            found.update(fresh)
            open_ += fresh
        return [v for v in self.dag.topological_order if v in found]

    def _hidden_states(self, asked: _Query) -> list[int]:
        known = asked.observed.keys() | asked.done.keys()
        return [v for v in asked.relevant if self.kinds[v] is NOMINAL and v not in known]

    def _is_exact(self, asked: _Query) -> bool:
        known = asked.observed.keys() | asked.done.keys()
        if asked.within:
            return False
        for v in asked.relevant:
            if self.kinds[v] is NOMINAL and v not in asked.done and not known.issuperset(self.families[v].numbers):
                return False
        numbers = sum(self.kinds[v] is not NOMINAL for v in asked.relevant)
        cells = math.prod(len(self.states[v]) for v in self._hidden_states(asked)) * (numbers + 1) ** 2
        return cells <= MOST_CELLS

    def _exact(self, asked: _Query, level: float) -> NumberAnswer | StateAnswer:
        """Enumerate the states that are not observed; the numbers are jointly Gaussian given each combination."""
        hidden = self._hidden_states(asked)
        shape = tuple(len(self.states[v]) for v in hidden)
        count = math.prod(shape)
        values = np.zeros((len(self.names), count))
        for v, codes in zip(hidden, np.indices(shape).reshape(len(hidden), -1) if hidden else (), strict=True):
            values[v] = codes
        for v, given in (asked.observed | asked.done).items():
            values[v] = given
        log_weights = np.zeros(count)
        numbers = [v for v in asked.relevant if self.kinds[v] is not NOMINAL]
        place = {v: k for k, v in enumerate(numbers)}
        mean, cov = np.zeros((count, len(numbers))), np.zeros((count, len(numbers), len(numbers)))
        for v in asked.relevant:
            family, k = self.families[v], place.get(v)
            if k is None:
                log_weights += 0.0 if v in asked.done else family.log_density(values)
            elif v in asked.done:
                mean[:, k] = asked.done[v]
            else:
                assert isinstance(family, LinearFamily)
                which, at = family.configurations(values), [place[p] for p in family.numbers]
                lines = family.coefficients[which]
                mean[:, k] = lines[:, 0] + (lines[:, 1:] * mean[:, at]).sum(axis=1)
                cov[:, k, :] = np.einsum("jm,jmk->jk", lines[:, 1:], cov[:, at, :])
                cov[:, :, k] = cov[:, k, :]
                own = np.einsum("jm,jm->j", lines[:, 1:], cov[:, at, k])
                cov[:, k, k] = own + family.spreads[which] ** 2
        seen = [place[v] for v in asked.observed if v in place]
        gain: Floats = np.zeros((count, len(seen), len(numbers)))
        if seen:
            rest = np.array([asked.observed[numbers[k]] for k in seen]) - mean[:, seen]
            inner = cov[:, seen][:, :, seen]
            gain = np.asarray(np.linalg.solve(inner, cov[:, seen]), dtype=np.float64)
            whole = np.linalg.solve(inner, rest[:, :, None])[:, :, 0]
            determinant = np.linalg.slogdet(inner)[1]
            log_weights += -0.5 * (len(seen) * LOG_2_PI + determinant + (rest * whole).sum(axis=1))
            mean = mean + np.einsum("jek,je->jk", gain, rest)
        total = float(logsumexp(log_weights))
        if not math.isfinite(total):
            raise OptionError("what was observed is impossible under the network.")
        weights = np.exp(log_weights - total)
        evidence = total if asked.observed else 0.0
        name, t = self.names[asked.target], asked.target
        if t not in place:
            shares = np.bincount(values[t].astype(np.int64), weights, minlength=len(self.states[t]))
            return StateAnswer(name, dict(zip(self.states[t], shares.tolist(), strict=True)), 0.0, evidence)
        k = place[t]
        variance = cov[:, k, k] - (np.einsum("je,je->j", cov[:, seen, k], gain[:, :, k]) if seen else 0.0)
        spreads = np.sqrt(np.maximum(variance, 0.0))
        return answer_of(name, (weights, mean[:, k], spreads), level, log_evidence=evidence)

    def _drawn(self, asked: _Query, level: float, rng: np.random.Generator, draws: int) -> NumberAnswer | StateAnswer:
        """Draw what is not observed, each after its parents, and weigh by the density of what is.

        A number of which a range was observed is drawn from that part of its distribution, which weighs the draw.
        """
        values, log_weights = np.zeros((len(self.names), draws)), np.zeros(draws)
        for v in asked.relevant:
            if v in asked.done:
                values[v] = asked.done[v]
            elif v in asked.observed:
                values[v] = asked.observed[v]
                log_weights += self.families[v].log_density(values)
            elif v in asked.within:
                values[v], inside = self.families[v].sample_between(values, asked.within[v], rng)
                log_weights += inside
            else:
                values[v] = self.families[v].sample(values, rng)
        total = float(logsumexp(log_weights))
        weights = np.exp(log_weights - total) if math.isfinite(total) else np.zeros(draws)
        effective = 1 / float((weights**2).sum()) if weights.any() else 0.0
        if effective < min(FEWEST_EFFECTIVE, draws / 10):
            raise OptionError(
                f"what was observed is too improbable for {draws:,} draws to answer: only {effective:.0f} of them "
                "count. Observe fewer variables."
            )
        evidence = total - math.log(draws) if asked.observed or asked.within else 0.0
        own, t, name = values[asked.target], asked.target, self.names[asked.target]
        if self.kinds[t] is NOMINAL:
            shares = np.bincount(own.astype(np.int64), weights, minlength=len(self.states[t]))
            errors = [math.sqrt(float((weights**2) @ ((own == k) - p) ** 2)) for k, p in enumerate(shares)]
            return StateAnswer(name, dict(zip(self.states[t], shares.tolist(), strict=True)), max(errors), evidence)
        error = math.sqrt(float((weights**2) @ (own - float(weights @ own)) ** 2))
        return answer_of(name, (weights, own.copy(), np.zeros(draws)), level, error=error, log_evidence=evidence)

    # ---- Prediction

    def predict(self, data: MixedData, target: str) -> NDArray[Any]:
        """Return the mean of a number, or the most probable state, for each row, given all its other values."""
        if self.kinds[self.index(target)] is not NOMINAL:
            return self.predict_numbers(data, target)[0]
        states = np.array(self.states[self.index(target)], dtype=object)
        return np.asarray(states[self.predict_proba(data, target).argmax(axis=1)])

    def _blanket_values(self, data: MixedData, target: str) -> Floats:
        blanket = self.dag.markov_blanket(target)
        if missing := [name for name in blanket if name not in data]:
            raise DataError(
                f"the data lack {', '.join(missing[:6])}, which '{target}' depends on given the rest. Ask for a "
                "table with gaps, predict_table, which does without."
            )
        return self._values(data, blanket)

    def predict_proba(self, data: MixedData, target: str) -> Floats:
        """Return the probability of each state of a nominal variable, at [row, state], given all other values."""
        self._check_nominal(target)
        return self._state_shares(self._blanket_values(data, target), self.index(target))

    def _check_nominal(self, target: str) -> None:
        if self.kinds[self.index(target)] is not NOMINAL:
            raise OptionError(f"'{target}' is a number; predict_numbers gives its mean and interval.")

    def _state_shares(self, values: Floats, t: int) -> Floats:
        """Return the probability of each state of a nominal variable given values of its blanket."""
        values = values.copy()
        around = [t, *self._children(t)]
        found = np.zeros((values.shape[1], len(self.states[t])))
        for state in range(found.shape[1]):
            values[t] = state
            found[:, state] = sum(self.families[v].log_density(values) for v in around)
        return np.asarray(np.exp(found - logsumexp(found, axis=1, keepdims=True)))

    def _children(self, t: int) -> list[int]:
        return [v for v, parents in enumerate(self.dag.parents) if t in parents]

    def predict_numbers(self, data: MixedData, target: str, *, level: float = LEVEL) -> tuple[Floats, Floats, Floats]:
        """Return mean and interval of a number for each row, given all other values: exact, or a sum over a grid."""
        check_argument(0 < level < 1, "level", level, "must lie between 0 and 1, e.g. 0.95.")
        if self.kinds[self.index(target)] is NOMINAL:
            raise OptionError(f"'{target}' is nominal; predict_proba gives the probabilities of its states.")
        values, t = self._blanket_values(data, target), self.index(target)
        parts = [self._number_given(values[:, rows], t).interval(level) for rows in _batches(values.shape[1])]
        mean, low, high = (np.concatenate(own) for own in zip(*parts, strict=True))
        return mean, low, high

    def _number_given(self, values: Floats, t: int) -> _Numbers:
        """Return the distribution of a number given values of its blanket.

        The family of the target and the lines of its children are one Gaussian; children that are states multiply it.
        """
        values, own = values.copy(), self.families[t]
        assert isinstance(own, LinearFamily)
        spread = own.spreads[own.configurations(values)]
        precision, weighed = spread**-2.0, own.means(values) / spread**2
        others: list[Family] = []
        values[t] = 0.0
        for v in self._children(t):
            child = self.families[v]
            if not isinstance(child, LinearFamily):
                others.append(child)
                continue
            which = child.configurations(values)
            slope = child.coefficients[which, 1 + child.numbers.index(t)]
            rest = values[child.child] - child.means(values)
            precision = precision + (slope / child.spreads[which]) ** 2
            weighed = weighed + slope * rest / child.spreads[which] ** 2
        mean, spread = weighed / precision, precision**-0.5
        if not others:
            return _Numbers(mean, spread, None)
        log_weights = np.tile(normal_log_density(STEPS, np.ones(POINTS))[:, None], (1, values.shape[1]))
        for k, step in enumerate(STEPS):
            values[t] = mean + step * spread
            log_weights[k] += sum(child.log_density(values) for child in others)
        return _Numbers(mean, spread, np.exp(log_weights - logsumexp(log_weights, axis=0)))

    # ---- Gaps

    def draw_missing(self, values: Floats, missing: NDArray[np.bool_], rng: np.random.Generator, sweeps: int) -> Floats:
        """Return values (`MixedData.matrix`) with those that are missing drawn, given all others of their rows.

        Each is drawn after its parents first, and then, so many times, given all that it depends on (Gibbs sampling).
        """
        values = np.where(missing, 0.0, values)
        open_ = [(v, np.flatnonzero(missing[v])) for v in self.dag.topological_order if missing[v].any()]
        for v, rows in open_:
            values[v, rows] = self.families[v].sample(values[:, rows], rng)
        for _ in range(sweeps):
            for v, rows in open_:
                for part in _batches(len(rows)):
                    at = rows[part]
                    own = values[:, at]
                    if self.kinds[v] is not NOMINAL:
                        values[v, at] = self._number_given(own, v).sample(rng)
                        continue
                    ends = self._state_shares(own, v).cumsum(axis=1)
                    values[v, at] = (rng.random((len(at), 1)) * ends[:, -1:] >= ends[:, :-1]).sum(axis=1)
        return values

    def predict_table(
        self,
        values: Floats,
        target: str,
        *,
        level: float = LEVEL,
        seed: Seed = 0,
        progress: bool | ProgressCallback | None = None,
    ) -> tuple[Floats, Floats, Floats] | Floats:
        """Return what `predict_numbers` or `predict_proba` does for values that may be missing, NaN.

        Rows in which something of the blanket is missing are asked one by one, as `query` is.
        """
        t, rng = self.index(target), generator_of(seed)
        blanket = [self.index(name) for name in self.dag.markov_blanket(target)]
        is_number = self.kinds[t] is not NOMINAL
        made: list[NDArray[np.float64]] = []
        with Run.begin(None, progress) as shown:
            for rows in _batches(values.shape[1]):
                own = values[:, rows].copy()
                own[t] = np.nan
                gaps = np.flatnonzero(np.isnan(own[blanket]).any(axis=0)) if blanket else np.zeros(0, dtype=np.int64)
                whole = np.nan_to_num(own)
                found = (
                    np.array(self._number_given(whole, t).interval(level))
                    if is_number
                    else self._state_shares(whole, t).T
                )
                for row in gaps.tolist():
                    found[:, row] = self._row_given(own[:, row], t, level, rng)
                    shown.report("rows", rows.start + row + 1, values.shape[1])
                made.append(found)
        joined = np.concatenate(made, axis=1)
        return (joined[0], joined[1], joined[2]) if is_number else joined.T

    def _row_given(self, values: Floats, t: int, level: float, rng: np.random.Generator) -> Floats:
        """Return mean and interval, or the shares of states, of one row in which something else is missing, too.

        What is known is so improbable, now and then, that weighted draws do not answer; then draws given it do.
        """
        seen = {v: float(own) for v, own in enumerate(values) if not np.isnan(own)}
        asked = _Query(t, seen, {}, {}, self._relevant({t, *seen}, {}))
        try:
            exact = self._is_exact(asked)
            found = self._exact(asked, level) if exact else self._drawn(asked, level, rng, ROW_DRAWS)
        except OptionError:
            copies = np.repeat(values[:, None], COPIES, axis=1)
            drawn = self.draw_missing(copies, np.isnan(copies), rng, SWEEPS)
            if self.kinds[t] is NOMINAL:
                return np.asarray(self._state_shares(drawn, t).mean(axis=0))
            means, squares = (own.mean() for own in self._number_given(drawn, t).moments())
            half = math.sqrt(max(squares - means**2, 0.0)) * float(ndtri((1 + level) / 2))
            return np.array([means, means - half, means + half])
        if isinstance(found, StateAnswer):
            return np.array(list(found.probabilities.values()))
        return np.array([found.mean, found.low, found.high])

    # ---- Files

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a JSON file; every number reads back unchanged."""
        if not str(path).lower().endswith((".json", ".json.gz")):
            raise FormatError(
                f"cannot write {path}: BIF and the other formats of networks hold tables of states, and this network "
                "has numbers. Write .json; or cut the numbers (MixedData.as_dataset), fit tables "
                "(fit_parameters), and write that network beside it."
            )
        families = [
            {"parents": list(self.dag.parents[f.child]), "type": f.WORD}
            | {name: array.tolist() for name, array in f.arrays().items()}
            for f in self.families
        ]
        kinds, states = [str(kind) for kind in self.kinds], [list(own) for own in self.states]
        content = {"format": KIND, "version": VERSION, "names": list(self.names), "kinds": kinds, "states": states}
        write_text(path, json.dumps(content | {"families": families}, ensure_ascii=False, allow_nan=False) + "\n")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MixedNetwork:
        """Read a network that `write` wrote."""
        return cls.parse(read_text(path), source=str(path))

    @classmethod
    def parse(cls, text: str, *, source: str = "<text>") -> MixedNetwork:
        """Read a network from the text of its file; whatever it cannot be is a FormatError."""
        made = parse_json(text, source=source)
        if not isinstance(made, dict) or made.get("format") != KIND:
            raise FormatError(f"{source}: not a network of mixed columns, whose format is '{KIND}'.")
        if made.get("version") != VERSION:
            raise FormatError(f"{source}: version {made.get('version')!r:.20}; this arcwise reads version {VERSION}.")
        try:
            if set(made) != {"format", "version", "names", "kinds", "states", "families"}:
                raise ValueError("fields are missing, or there are others")
            names = checked_names(made["names"])
            kinds = tuple(checked_kind(name, kind) for name, kind in zip(names, made["kinds"], strict=True))
            states: list[tuple[str, ...]] = [()] * len(names)
            for v, (kind, own) in enumerate(zip(kinds, made["states"], strict=True)):
                states[v] = () if kind is NUMBER and own == [] else checked_states([names[v]], [own])[0]
                if kind is NUMBER and own != []:
                    raise ValueError(f"'{names[v]}' is a number and has states")
            arities = [len(own) if kind is NOMINAL else 0 for kind, own in zip(kinds, states, strict=True)]
            if len(made["families"]) != len(names):
                raise ValueError("there must be one family for each name")
            families = [checked_family(own, arities, child) for child, own in enumerate(made["families"])]
            dag = Dag(names, [own["parents"] for own in made["families"]])
        except UNREADABLE as error:
            raise FormatError(f"{source}: the network cannot be read: {error}.") from None
        return cls(dag, kinds, states, families)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MixedNetwork):
            return NotImplemented
        if (self.dag, self.kinds, self.states) != (other.dag, other.kinds, other.states):
            return False
        pairs = zip(self.families, other.families, strict=True)
        return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for a, b in pairs for name in a.arrays())

    def __hash__(self) -> int:
        return hash((self.dag, self.kinds, self.states))


def is_mixed(content: bytes) -> bool:
    """Return whether the content of a JSON file says that it is such a network."""
    return f'"{KIND}"'.encode() in content[:200]


def _batches(count: int) -> Iterator[slice]:
    """Yield slices that are small enough for a grid of each row."""
    for start in range(0, max(count, 1), BATCH):
        yield slice(start, min(start + BATCH, count))


def answer_of(
    name: str, parts: tuple[Floats, Floats, Floats], level: float, *, error: float = 0.0, log_evidence: float = 0.0
) -> NumberAnswer:
    """Return mean, spread and interval of a mixture of Gaussians."""
    weights, means, spreads = parts
    centre = float(weights @ means)
    spread = math.sqrt(float(weights @ (spreads**2 + (means - centre) ** 2)))
    tails = ((1 - level) / 2, (1 + level) / 2)
    if spreads.any():
        low, high = (mixture_quantile(weights, means, spreads, p) for p in tails)
    else:
        order = np.argsort(means)
        ends = np.cumsum(weights[order])
        low, high = (float(means[order[min(int(np.searchsorted(ends, p)), len(order) - 1)]]) for p in tails)
    return NumberAnswer(name, centre, spread, low, high, level, error, log_evidence, parts)


def mixture_quantile(weights: Floats, means: Floats, spreads: Floats, share: float) -> float:
    """Return the value that a share of a mixture of Gaussians lies below, by halving."""
    spreads = np.maximum(spreads, 1e-300)
    kept = weights > 0
    ends = means[kept] + spreads[kept] * float(ndtri(share))
    low, high = float(ends.min()), float(ends.max())
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = float(weights @ ndtr((middle - means) / spreads))
        low, high = (middle, high) if below < share else (low, middle)
    return (low + high) / 2

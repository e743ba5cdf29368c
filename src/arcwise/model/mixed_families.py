"""The distributions of one variable given its parents, where some of them are numbers: linear, table, logistic.

A number given its parents is a line per configuration of the discrete ones, with a Gaussian around it (Lauritzen and
Wermuth 1989; bnlearn's conditional Gaussian networks). A nominal variable of which all parents are nominal has a table.
One with parents that are numbers has a multinomial logistic regression, in which nominal parents shift the intercepts.
An ordinal variable is the number that its score is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, log_softmax, ndtri_exp

Floats = NDArray[np.float64]

LOG_2_PI = math.log(2 * math.pi)
# A configuration with fewer cases than this many per coefficient takes what all cases say together: its own line would
# be noise, and with as many coefficients as cases it would fit them without any spread.
CASES_PER_COEFFICIENT = 5
# No spread is below this share of the child's own: a copy of a parent would have an infinite density.
LEAST_SPREAD = 1e-6
# The prior of a logistic regression: coefficients of standardised columns are below ten. Where states can be told
# apart without an error, they would else be infinite; where not, it changes the third digit at most.
PRIOR_SPREAD = 10.0
MOST_STEPS = 100
MOST_CELLS = 2**22  # numbers in the parameters of one family


@dataclass(frozen=True, eq=False)
class Family:
    """A variable given its parents; positions are those in the network, values an array of (variables, rows)."""

    child: int
    nominal: tuple[int, ...]  # parents, of which the first varies slowest in configurations
    arities: tuple[int, ...]  # of these
    numbers: tuple[int, ...]  # the other parents

    WORD: ClassVar[str]

    @property
    def n_configurations(self) -> int:
        """The number of configurations of the nominal parents."""
        return math.prod(self.arities)

    def configurations(self, values: Floats) -> NDArray[np.int64]:
        """Return the number of each row's configuration of the nominal parents."""
        found = np.zeros(values.shape[1], dtype=np.int64)
        for parent, arity in zip(self.nominal, self.arities, strict=True):
            found = found * arity + values[parent].astype(np.int64)
        return found

    def log_density(self, values: Floats) -> Floats:
        """Return the log density of each row's value given its parents; of a state, its log probability."""
        raise NotImplementedError

    def sample(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Draw a value for each row, given those of the parents."""
        raise NotImplementedError

    def sample_between(
        self, values: Floats, ends: tuple[float, float], rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw a number between two others for each row, and return the log probability that it lies there, too."""
        raise NotImplementedError

    @property
    def n_free_parameters(self) -> int:
        """How many numbers the family has of its own."""
        raise NotImplementedError

    def arrays(self) -> dict[str, Floats]:
        """Return the parameters by their names in files."""
        raise NotImplementedError

    def shapes(self, arity: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes that the parameters must have; `arity` is that of the child."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LinearFamily(Family):
    """A number given its parents: intercept and slopes at [configuration, 1 + numbers], and a spread for each."""

    coefficients: Floats
    spreads: Floats

    WORD: ClassVar[str] = "linear"

    def means(self, values: Floats) -> Floats:
        """Return the mean of each row."""
        own = self.coefficients[self.configurations(values)]
        return np.asarray(own[:, 0] + np.einsum("rm,mr->r", own[:, 1:], values[list(self.numbers)]))

    def log_density(self, values: Floats) -> Floats:
        """Return the log density of each row's number."""
        spreads = self.spreads[self.configurations(values)]
        return normal_log_density((values[self.child] - self.means(values)) / spreads, spreads)

    def sample(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Draw a number for each row."""
        noise = rng.standard_normal(values.shape[1]) * self.spreads[self.configurations(values)]
        return self.means(values) + noise

    def sample_between(
        self, values: Floats, ends: tuple[float, float], rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw from the part of the Gaussian between the ends, in the tail in which the digits are."""
        spreads, means = self.spreads[self.configurations(values)], self.means(values)
        low, high = (ends[0] - means) / spreads, (ends[1] - means) / spreads
        turned = low > 0
        low, high = np.where(turned, -high, low), np.where(turned, -low, high)
        log_low, log_high = log_ndtr(low), log_ndtr(high)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = log_high + np.log1p(-np.exp(log_low - log_high))
        u = rng.random(values.shape[1])
        # log of P(below low) + u P(inside), whose quantile is the draw.
        at = np.clip(ndtri_exp(np.logaddexp(log_low, np.log(u) + inside)), low, high)
        drawn = means + np.where(turned, -at, at) * spreads
        return np.where(np.isfinite(drawn), drawn, means), np.where(np.isnan(inside), -np.inf, inside)

    @property
    def n_free_parameters(self) -> int:
        """Coefficients and spreads."""
        return self.coefficients.size + self.spreads.size

    def arrays(self) -> dict[str, Floats]:
        """Return coefficients and spreads."""
        return {"coefficients": self.coefficients, "spreads": self.spreads}

    def shapes(self, arity: int) -> dict[str, tuple[int, ...]]:
        """Return their shapes."""
        del arity
        return {
            "coefficients": (self.n_configurations, 1 + len(self.numbers)),
            "spreads": (self.n_configurations,),
        }


@dataclass(frozen=True, eq=False)
class TableFamily(Family):
    """A nominal variable given nominal parents: a probability at [configuration, state]."""

    table: Floats

    WORD: ClassVar[str] = "table"

    def log_probabilities(self, values: Floats) -> Floats:
        """Return the log probability of every state, at [row, state]."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.table)[self.configurations(values)])

    def log_density(self, values: Floats) -> Floats:
        """Return the log probability of each row's state."""
        states = values[self.child].astype(np.int64)
        return np.asarray(np.take_along_axis(self.log_probabilities(values), states[:, None], axis=1)[:, 0])

    def sample(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Draw a state for each row."""
        ends = np.cumsum(np.exp(self.log_probabilities(values)), axis=1)
        drawn = rng.random((values.shape[1], 1)) * ends[:, -1:]
        return np.asarray((drawn >= ends[:, :-1]).sum(axis=1), dtype=np.float64)

    @property
    def n_free_parameters(self) -> int:
        """Probabilities but for one of each configuration."""
        rows, states = self.table.shape
        return int(rows * (states - 1))

    def arrays(self) -> dict[str, Floats]:
        """Return the table."""
        return {"table": self.table}

    def shapes(self, arity: int) -> dict[str, tuple[int, ...]]:
        """Return its shape."""
        return {"table": (self.n_configurations, arity)}


@dataclass(frozen=True, eq=False)
class LogisticFamily(TableFamily):
    """A nominal variable given parents of which some are numbers: a multinomial logistic regression.

    The log odds of each state but the first against the first are linear in 1, the numbers, and the indicators of the
    states but the first of each nominal parent: coefficients at [state - 1, column], in this order.
    """

    WORD: ClassVar[str] = "logistic"

    def log_probabilities(self, values: Floats) -> Floats:
        """Return the log probability of every state, at [row, state]."""
        odds = logistic_columns(self, values) @ self.table.T
        return np.asarray(log_softmax(np.column_stack([np.zeros(len(odds)), odds]), axis=1))

    @property
    def n_free_parameters(self) -> int:
        """The coefficients."""
        return self.table.size

    def arrays(self) -> dict[str, Floats]:
        """Return the coefficients."""
        return {"coefficients": self.table}

    def shapes(self, arity: int) -> dict[str, tuple[int, ...]]:
        """Return their shape."""
        return {"coefficients": (arity - 1, 1 + len(self.numbers) + sum(self.arities) - len(self.arities))}


FAMILIES: dict[str, Callable[..., Family]] = {kind.WORD: kind for kind in (LinearFamily, TableFamily, LogisticFamily)}


def normal_log_density(standardised: Floats, spreads: Floats) -> Floats:
    """Return the log density of Gaussian numbers, given by their distances from the mean in spreads."""
    return np.asarray(-0.5 * (LOG_2_PI + standardised**2) - np.log(spreads))


def logistic_columns(family: Family, values: Floats) -> Floats:
    """Return 1, the numbers, and the indicators of the nominal parents' states but the first, one row per row."""
    columns = [np.ones(values.shape[1]), *values[list(family.numbers)]]
    return np.column_stack([*columns, *indicators(family, values)])


def indicators(family: Family, values: Floats) -> list[Floats]:
    """Return the indicators of the states but the first of each nominal parent."""
    pairs = zip(family.nominal, family.arities, strict=True)
    return [(values[p] == state).astype(np.float64) for p, arity in pairs for state in range(1, arity)]


# ---- From data


def fit_family(
    child: int, parents: Sequence[int], arities: Sequence[int], values: Floats, weights: Floats, *, ess: float
) -> Family:
    """Return the distribution of a variable given its parents, from rows and how often each counts.

    `arities` are 0 for numbers. A table is the posterior mean under BDeu with this equivalent sample size.
    """
    nominal = tuple(p for p in parents if arities[p])
    numbers = tuple(p for p in parents if not arities[p])
    plain = Family(child, nominal, tuple(int(arities[p]) for p in nominal), numbers)
    given = (child, nominal, plain.arities, numbers)
    seen = weights > 0
    if not seen.all():
        values, weights = values[:, seen], weights[seen]
    if not arities[child]:
        return LinearFamily(*given, *_lines(plain, values, weights))
    if numbers:
        columns = logistic_columns(plain, values)
        return LogisticFamily(*given, log_odds(columns, values[child].astype(np.int64), weights, int(arities[child])))
    r, q = int(arities[child]), plain.n_configurations
    cells = plain.configurations(values) * r + values[child].astype(np.int64)
    counts = np.bincount(cells, weights, minlength=q * r).reshape(q, r) + ess / (q * r)
    return TableFamily(*given, counts / counts.sum(axis=1, keepdims=True))


def _lines(family: Family, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and spreads by configuration: least squares, with n - p degrees of freedom.

    Configurations with few cases, or in which the numbers do not vary enough for slopes of their own, take the slopes
    and the spread of all cases, and the sum of the shifts that go with each parent's state.
    """
    x = np.column_stack([np.ones(values.shape[1]), *values[list(family.numbers)]])
    y, which, q = values[family.child], family.configurations(values), family.n_configurations
    width = x.shape[1]
    floor = LEAST_SPREAD * (_spread(y - np.average(y, weights=weights), weights, 1) if len(y) else 0.0) or LEAST_SPREAD
    pooled, spread, _ = _least_squares(np.column_stack([x, *indicators(family, values)]), y, weights)
    shifts = np.zeros(q)
    at, each = width, np.indices(family.arities).reshape(len(family.arities), -1) if family.arities else None
    for k, arity in enumerate(family.arities):
        assert each is not None
        shifts += np.append(0.0, pooled[at : at + arity - 1])[each[k]]
        at += arity - 1
    coefficients = np.tile(pooled[:width], (q, 1))
    coefficients[:, 0] += shifts
    spreads = np.full(q, max(spread, floor))
    sizes = np.bincount(which, weights, minlength=q)
    for j in np.flatnonzero(sizes >= CASES_PER_COEFFICIENT * (width + 1)):
        rows = which == j
        own, spread, rank = _least_squares(x[rows], y[rows], weights[rows])
        if rank == width:
            coefficients[j], spreads[j] = own, max(spread, floor)
    return coefficients, spreads


def _least_squares(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, float, int]:
    """Return coefficients, the spread of the residuals, and the rank, of columns of one length."""
    root = np.sqrt(weights)
    if not len(y):
        return np.zeros(x.shape[1]), 1.0, 0
    # Far from 0, a number is almost the intercept: around its mean it is not.
    centre = np.average(x, axis=0, weights=weights)
    centre[0] = 0.0
    inner = x - centre
    scale = np.sqrt((weights[:, None] * inner**2).sum(axis=0))
    scale[scale <= 1e-12 * np.abs(centre) * math.sqrt(float(weights.sum()))] = 0.0
    inner = inner / np.where(scale > 0, scale, 1.0) * (scale > 0)
    found, _, rank, _ = np.linalg.lstsq(inner * root[:, None], y * root, rcond=1e-10)
    left = y - inner @ found
    found = np.where(scale > 0, found / np.where(scale > 0, scale, 1.0), 0.0)
    found[0] -= found @ centre
    return found, _spread(left, weights, int(rank)), int(rank)


def _spread(residuals: Floats, weights: Floats, rank: int) -> float:
    freedom = float(weights.sum()) - rank
    return math.sqrt(float((weights * residuals**2).sum()) / freedom) if freedom > 0 else 0.0


def log_odds(columns: Floats, states: NDArray[np.int64], weights: Floats, arity: int) -> Floats:
    """Return the coefficients of a multinomial logistic regression, by Newton's method with halved steps."""
    size, width = columns.shape
    if not size:
        return np.zeros((arity - 1, width))
    centre = np.average(columns, axis=0, weights=weights)
    scale = np.sqrt(np.average((columns - centre) ** 2, axis=0, weights=weights))
    centre[0], scale[0] = 0.0, 1.0
    varies = scale > 1e-12 * np.maximum(1.0, np.abs(centre))
    x = (columns - centre) / np.where(varies, scale, 1.0) * varies
    hits = np.zeros((size, arity))
    hits[np.arange(size), states] = 1.0
    found = np.zeros((arity - 1, width))
    precision = 1.0 / PRIOR_SPREAD**2

    def objective(at: Floats) -> tuple[float, Floats]:
        log_p = log_softmax(np.column_stack([np.zeros(size), x @ at.T]), axis=1)
        return float(weights @ log_p[np.arange(size), states]) - 0.5 * precision * float((at**2).sum()), np.exp(log_p)

    value, p = objective(found)
    for _ in range(MOST_STEPS):
        gradient = ((hits - p)[:, 1:] * weights[:, None]).T @ x - precision * found
        hessian = np.zeros((arity - 1, width, arity - 1, width))
        for a in range(arity - 1):
            for b in range(a, arity - 1):
                own = weights * p[:, a + 1] * ((a == b) - p[:, b + 1])
                hessian[a, :, b, :] = (x * own[:, None]).T @ x
                hessian[b, :, a, :] = hessian[a, :, b, :].T
        flat = hessian.reshape(found.size, found.size) + precision * np.eye(found.size)
        step = np.linalg.solve(flat, gradient.ravel()).reshape(found.shape)
        gain = float((gradient * step).sum())
        if gain < 1e-12 * (1 + abs(value)):
            break
        length = 1.0
        while (trial := objective(found + length * step))[0] < value + 1e-4 * length * gain and length > 1e-6:
            length /= 2
        if length <= 1e-6:
            break
        found, (value, p) = found + length * step, trial
    found = found / np.where(varies, scale, 1.0) * varies
    found[:, 0] -= found @ centre
    return found


def checked_family(made: Mapping[str, Any], arities: Sequence[int], child: int) -> Family:
    """Return a family from what a file says of it; ValueError or KeyError if it is none."""
    parents = [p for p in made["parents"] if type(p) is int and 0 <= p < len(arities) and p != child]
    if parents != made["parents"] or len(set(parents)) < len(parents):
        raise ValueError("the parents are not positions of other variables")
    nominal = tuple(p for p in parents if arities[p])
    numbers = tuple(p for p in parents if not arities[p])
    word = "linear" if not arities[child] else "logistic" if numbers else "table"
    plain = (child, nominal, tuple(arities[p] for p in nominal), numbers)
    kind: type[Family] = {"linear": LinearFamily, "table": TableFamily, "logistic": LogisticFamily}[word]
    if made["type"] != word:
        raise ValueError(f"the type must be {word}")
    empty = kind(*plain, *([np.empty(0)] * (2 if word == "linear" else 1)))
    shapes = empty.shapes(arities[child])
    if set(made) != {"parents", "type", *shapes} or any(math.prod(shape) > MOST_CELLS for shape in shapes.values()):
        raise ValueError("there are other fields, or too many parameters")
    arrays = {name: np.array(made[name]) for name in shapes}
    for name, array in arrays.items():
        if array.shape != shapes[name] or array.dtype.kind not in "iuf" or not bool(np.isfinite(array).all()):
            raise ValueError(f"{name} must be finite numbers of shape {shapes[name]}")
    if word == "linear" and not bool((arrays["spreads"] > 0).all()):
        raise ValueError("spreads must be positive")
    if word == "table" and not (
        bool((arrays["table"] >= 0).all()) and np.allclose(arrays["table"].sum(axis=1), 1, rtol=0, atol=1e-9)
    ):
        raise ValueError("the rows of the table must be probabilities")
    return kind(*plain, *(array.astype(np.float64) for array in arrays.values()))

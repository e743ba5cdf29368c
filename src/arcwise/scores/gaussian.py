"""Scores of numbers, scales and categories as they are: every column a block of one Gaussian matrix.

A number is a column of the matrix, or a few functions of it; a scale the normal scores of its steps; a category its
indicators less one. The score of a family is then a ratio of determinants, whatever its members are, and networks of
one Markov equivalence class score the same (degenerate Gaussian, Andrews et al. 2019). Beside it: BGe, and the scores
that R's package bnlearn calls bic-g and bic-cg.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.base.errors import Argument, DataError, OptionError, Remedy
from arcwise.data.column import VariableKind
from arcwise.scores.score import Facts, Parameter, Score

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData

Matrix = NDArray[np.float64]
Numbers = Literal["auto", "raw", "ranks"]
NUMBERS = get_args(Numbers)
Units = Literal["standard", "raw"]
UNITS = get_args(Units)

# ---- Embeddings
#
# What of a number enters the matrix is chosen by the data, column by column. Its first function is the number itself if
# it is as good as normal, else the normal scores of its ranks, which no outlier moves. Powers of it up to the third,
# made orthogonal, follow if something speaks for them. Functions cost power where effects are linear, since every edge
# between two columns of two functions has four parameters, not one; and they are everything where effects are not. In a
# linear Gaussian world a Hermite polynomial of x of degree two or more is uncorrelated with every other variable, so
# that one which adds to a regression of some y on the lower functions of x shows that an effect of x is not linear. The
# gain must exceed BIC's price of a parameter and the log of the number of regressions that were looked at.
#
# Skeleton F1 over five networks of 10 variables, at 200 / 1,000 / 5,000 cases, one function always, the rule, and three
# functions always: linear, weak effects .89 .98 .96 | .88 .98 .96 | .60 .80 .98; squares, tanh, sine and steps
# .62 .82 .69 | .91 .98 .96 | .83 .99 .95; half of the columns categories .92 .97 .99 | .90 .97 .99 | .88 .95 .98.

MOST_FUNCTIONS = 3  # a cubic; higher powers only follow outliers
# Of more columns each number has one function: to ask for more takes a regression of each column on each other one, and
# the price of one among so many regressions is rarely met.
MOST_ASKED = 1000
# A level of a category with fewer cases than this joins the others that are as rare, and the commonest if it is alone.
RARE = 5
# How far the correlation of a number with its normal scores may be from 1 (Shapiro and Francia 1972): N^0.9 (1 - r) is
# about 0.6 for normal numbers, and above 2.5 in fewer than one sample of a hundred.
NORMAL_WITHIN = 2.5
# Added to the variance 1 of every column: no number is taken for exact to more than four digits. A column that is a
# copy or a sum of others then scores finitely, and equivalent networks score the same with it, too.
RIDGE = 1e-8


# What a parameter between two scales costs, in prices of one between numbers. A scale is a number read off in a few
# steps. Given the steps of its parents, what is left of the number still tells of its neighbours: edges join these, and
# more of them the more cases there are. The kernel has one price for all pairs, which is their mean.
# At 500 and 2,000 cases of four steps, 1.75 halves the distance to the truth (docs/benchmarks/mixed.md).
BETWEEN_SCALES = 1.75


def mean_price(data: MixedData) -> float:
    """Return what a parameter costs in the mean over pairs of columns, in prices of one between numbers."""
    scales = data.kinds.count(VariableKind.ORDINAL) / len(data.kinds)
    return float((1 + (math.sqrt(BETWEEN_SCALES) - 1) * scales) ** 2)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Columns of a matrix, some for each variable: of mean 0, variance 1, and uncorrelated within a variable."""

    rows: Matrix  # (rows, columns)
    widths: NDArray[np.int32]
    log_scales: Matrix  # of each column, the log of the variance that it was divided by

    @property
    def of_column(self) -> NDArray[np.int64]:
        """The variable of each column."""
        return np.repeat(np.arange(len(self.widths)), self.widths)


def normal_scores(values: Matrix, weights: Matrix) -> Matrix:
    """Return the normal scores of mid-ranks, the same for equal values.

    >>> normal_scores(np.array([3.0, 1.0, 2.0]), np.ones(3)).round(2).tolist()
    [0.97, -0.97, 0.0]
    """
    from scipy.special import ndtri

    _, place = np.unique(values, return_inverse=True)
    cases = np.bincount(place, weights)
    middle = (np.cumsum(cases) - cases / 2) / cases.sum()
    edge = 0.5 / cases.sum()  # of values that only rows of weight 0 have
    return np.asarray(ndtri(np.clip(middle, edge, 1 - edge))[place], dtype=np.float64)


def _standard(columns: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Return columns with mean 0 and variance 1, without those that never vary, and the logs of their variances."""
    total = weights.sum()
    centred = columns - weights @ columns / total
    variances = weights @ centred**2 / total
    kept = variances > np.finfo(float).eps ** 2 * (1 + (weights @ columns**2) / total)
    return centred[:, kept] / np.sqrt(variances[kept]), np.log(variances[kept])


def _orthogonal(columns: Matrix, weights: Matrix) -> Matrix:
    """Return columns that span the same, each uncorrelated with those before it; what adds nothing is left out."""
    total = weights.sum()
    found: list[Matrix] = []
    for column in _standard(columns, weights)[0].T:
        left = column
        for _ in range(2):  # twice is enough
            for other in found:
                left = left - other * float(weights @ (left * other)) / total
        spread = math.sqrt(float(weights @ left**2) / total)
        if spread > 1e-6:
            found.append(left / spread)
    return np.stack(found, axis=1) if found else np.empty((len(columns), 0))


def _first_function(values: Matrix, weights: Matrix, numbers: Numbers) -> Matrix:
    """Return a number as it enters the matrix: as it is, or the normal scores of its ranks."""
    raw = _standard(values[:, None], weights)[0]
    if numbers == "raw" or raw.shape[1] == 0:
        return raw
    scores = _standard(normal_scores(values, weights)[:, None], weights)[0]
    if numbers == "ranks":
        return scores
    cases = weights.sum()
    alike = float(weights @ (raw * scores)[:, 0]) / cases
    return raw if 1 - alike < NORMAL_WITHIN / cases**0.9 else scores


def _indicators(codes: NDArray[np.int64], weights: Matrix) -> Matrix:
    """Return the indicators of all levels but the commonest, the rare ones merged."""
    cases = np.bincount(codes, weights)
    common = int(np.argmax(cases))
    rare = np.flatnonzero((cases < RARE) & (cases > 0) & (np.arange(len(cases)) != common))
    level = np.arange(len(cases))
    level[rare] = rare[0] if len(rare) and cases[rare].sum() >= RARE else common
    merged = level[codes]
    return np.stack([merged == k for k in np.unique(merged) if k != common] or [np.zeros(len(codes))], axis=1).astype(
        float
    )


def embed(data: MixedData, numbers: Numbers = "auto", functions: int | None = None) -> Blocks:
    """Return the matrix of a data set: see above. `functions` of every number and scale, or as many as the data ask."""
    weights, cases = data.times, float(data.n_cases)
    if functions is None and len(data.names) > MOST_ASKED:
        functions = 1
    found: list[Matrix] = []
    for v, kind in enumerate(data.kinds):
        name = data.names[v]
        if kind is VariableKind.NOMINAL:
            found.append(_orthogonal(_indicators(data.codes(name), weights), weights))
            continue
        chosen = "ranks" if kind is VariableKind.ORDINAL and numbers == "auto" else numbers
        first = _first_function(data.scores(name), weights, chosen)
        powers = np.multiply.accumulate(np.repeat(first, functions or MOST_FUNCTIONS, axis=1), axis=1)
        found.append(_orthogonal(powers, weights))
    if functions is None:
        found = _chosen_functions(found, [kind is VariableKind.NOMINAL for kind in data.kinds], weights, cases)
    widths = np.array([block.shape[1] for block in found], dtype=np.int32)
    return Blocks(np.concatenate(found, axis=1), widths, np.zeros(int(widths.sum())))


def _chosen_functions(blocks: list[Matrix], whole: list[bool], weights: Matrix, cases: float) -> list[Matrix]:
    """Return the blocks with those functions of numbers that add to a regression of some other variable."""
    others = [block if is_whole else block[:, :1] for block, is_whole in zip(blocks, whole, strict=True)]
    ends = np.cumsum([0, *(other.shape[1] for other in others)])
    together = np.concatenate(others, axis=1) * weights[:, None] / cases
    price = 0.5 * math.log(cases) + math.log(max(1, (len(blocks) - 1) * (MOST_FUNCTIONS - 1)))
    found = []
    for v, (block, is_whole) in enumerate(zip(blocks, whole, strict=True)):
        if is_whole or block.shape[1] < 2:
            found.append(block)
            continue
        shared = (block.T @ together) ** 2
        shared[:, ends[v] : ends[v + 1]] = 0.0
        left = np.maximum(1 - np.cumsum(shared, axis=0) + shared, 1e-6)  # by the functions before
        best = np.max(shared / left, axis=1, initial=0.0)
        gains = -0.5 * cases * np.log1p(-np.minimum(best, 1 - 1e-9))
        kept = [0, *(k for k in range(1, block.shape[1]) if gains[k] > price)]
        found.append(block[:, kept])
    return found


# ---- Scores

NativeScore = tuple[_core.scores.LocalScore, NDArray[np.bool_]]  # and which variables say nothing to it
_natives: WeakKeyDictionary[MixedData, dict[Score, NativeScore]] = WeakKeyDictionary()


@dataclass(frozen=True)
class MixedScore(Score):
    """A score of `MixedData`, whose compiled form holds the data: embeddings are made once for a data set."""

    holds_data: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The score with the parameters that are not as usual: "degenerate Gaussian BIC (numbers ranks)"."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        given = [f"{item.name} {own[item.name]}" for item in fields(self) if own[item.name] != item.default]
        return self.facts.title + (f" ({', '.join(given)})" if given else "")

    def native(self, data: Any) -> _core.scores.LocalScore:
        """Return the compiled score of a data set."""
        return self._of(data)[0]

    def silent_arcs(self, data: Any) -> NDArray[np.bool_]:
        """Return of which arcs the data say nothing: a variable without a column, whose levels are all rare, is one."""
        groups = data.child_groups
        return np.asarray(data.silent_arcs_given([self._of(own)[1] if own.n_cases else own.constant for own in groups]))

    def _of(self, data: MixedData) -> NativeScore:
        known = _natives.setdefault(data, {})
        if self not in known:
            known[self] = self._made(data)
        return known[self]

    def _made(self, data: MixedData) -> NativeScore:
        raise NotImplementedError

    def cases_read(self, data: MixedData) -> float:
        """Return 0: cases are looked at once, not for every family."""
        return 0.0

    def _plain_blocks(self, data: MixedData) -> Blocks:
        """Return numbers and scores of scales as they are; categories are refused."""
        refused = [name for name, kind in zip(data.names, data.kinds, strict=True) if kind is VariableKind.NOMINAL]
        if refused:
            raise DataError(
                f"{self.facts.title} takes numbers, and '{refused[0]}' is nominal.",
                remedies=(
                    Remedy("score numbers and categories together, with", Argument("score", "bic-dg")),
                    Remedy("as bnlearn does, with", Argument("score", "bic-cg")),
                ),
            )
        weights = data.times
        made = [_standard(data.scores(name)[:, None], weights) for name in data.names]
        widths = np.array([columns.shape[1] for columns, _ in made], dtype=np.int32)
        rows = np.concatenate([columns for columns, _ in made], axis=1)
        return Blocks(rows, widths, np.concatenate([scales for _, scales in made]))


def _native_blocks(data: MixedData, blocks: Blocks, law: int, **terms: float) -> NativeScore:
    rows = np.ascontiguousarray(blocks.rows)
    made = _core.scores.make_gaussian(rows, blocks.widths, blocks.log_scales, data.native_weights, law, **terms)
    return made, data.constant | (blocks.widths == 0)


PENALTY = Parameter("penalty", "what BIC's price of a parameter, log(N) / 2, is multiplied by")
N_OF_PENALTY = "N of the likelihood and of log(N) / 2: the rows in which the variable was not set"


FUNCTIONS = Parameter("functions", "how many functions of a number; 0: as many as data ask for", 0, 6, True, True, True)


@dataclass(frozen=True)
class BlockScore(MixedScore):
    """A score of numbers, scales and categories together, as blocks of one matrix (see the module).

    Parameters
    ----------
    numbers
        "auto": as they are where they are as good as normal, else the normal scores of their ranks; "raw", "ranks".
    functions
        How many powers of every number and scale enter; 0 for as many as the data ask for, column by column, and one
        if there are more than 1,000 columns.
    """

    numbers: Numbers = "auto"
    functions: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.numbers not in NUMBERS:
            known = ", ".join(map(repr, NUMBERS))
            raise OptionError(f"score '{self.name}': numbers={self.numbers!r} must be one of {known}.")

    def blocks(self, data: MixedData) -> Blocks:
        """Return what the score is made of."""
        return embed(data, self.numbers, self.functions or None)


@dataclass(frozen=True)
class DegenerateGaussianBic(BlockScore):
    """g(P + v) - g(P) with g(S) = -N/2 log|C_SS| - log(N)/2 d (d + 1)/2: numbers, scales and categories together.

    C_SS is the correlation matrix of the columns of S, d their number (see the module). Numbers enter as they are or by
    ranks, with as many functions as the data ask for. Where there are scales, log(N)/2 is multiplied by `mean_price`.

    Parameters
    ----------
    numbers, functions
        See `BlockScore`.
    penalty
        What the price of a parameter is multiplied by.
    """

    name = "bic-dg"
    FACTS = Facts(
        title="degenerate Gaussian BIC",
        in_words="BIC of numbers, scales and categories as blocks of one Gaussian matrix",
        sources=(Citation("andrews-2019"),),
        equivalent=True,
        asymptotic=True,
        regular=True,
        bound="no parents leave less of a variable than all others do, and more columns cost more",
        keeps_parents_few=True,
        number_of_cases=N_OF_PENALTY,
    )

    penalty: float = 1.0
    parameters = (FUNCTIONS, PENALTY)

    def _made(self, data: MixedData) -> NativeScore:
        return _native_blocks(data, self.blocks(data), 0, penalty=self.penalty * mean_price(data), ridge=RIDGE)


@dataclass(frozen=True)
class GaussianBic(MixedScore):
    """The log likelihood of a linear regression on the parents, less log(N) / 2 for each of its |P| + 2 parameters.

    It is bnlearn's "bic-g": the residual variance is divided by N - |P| - 1, so that N enters as it does there.
    """

    name = "bic-g"
    FACTS = Facts(
        title="Gaussian BIC",
        in_words="BIC of linear Gaussian networks, as bnlearn has it",
        sources=(Citation("schwarz-1978"), Citation("scutari-2010")),
        equivalent=True,
        asymptotic=True,
        regular=True,
        bound="no parents leave less of a variable than all others do, and more parents cost more",
        keeps_parents_few=True,
        number_of_cases=N_OF_PENALTY,
    )
    penalty: float = 1.0
    parameters = (PENALTY,)

    def _made(self, data: MixedData) -> NativeScore:
        return _native_blocks(data, self._plain_blocks(data), 1, penalty=self.penalty)


@dataclass(frozen=True)
class Bge(BlockScore):
    """The marginal likelihood of linear Gaussian networks under a normal-Wishart prior (BGe), as corrected in 2014.

    It is that of the blocks of `BlockScore`. The prior mean is that of the data, and T = t I with
    t = iss_mu (iss_w - n - 1) / (iss_mu + 1), n being the number of columns. Over 60 samples of linear, mixed and
    curved worlds it has fewer false edges than bic-dg, and over scales of four steps half as many. Nothing bounds it
    for more parents: give tables of more than a dozen variables a limit of parents.

    Parameters
    ----------
    numbers, functions
        See `BlockScore`.
    iss_mu, iss_w
        The weights of the prior's mean and of its covariance matrix, in cases; iss_w counts from n on, and is above 1:
        2 is the usual n + 2.
    units
        "standard": columns are divided by their standard deviations, so that units do not matter; "raw": numbers alone,
        as they are, which is what bnlearn's "bge" does.
    """

    name = "bge"
    FACTS = Facts(
        title="BGe",
        in_words="Bayesian Gaussian equivalent: the marginal likelihood of the blocks of bic-dg",
        sources=(Citation("geiger-2002"), Citation("kuipers-2014")),
        equivalent=True,
        log_bayes_factor=True,
        regular=None,
        bound="",
        keeps_parents_few=True,
        number_of_cases="N of the marginal likelihood: the rows in which the variable was not set",
    )
    iss_mu: float = 1.0
    iss_w: float = 2.0
    units: Units = "standard"
    parameters = (
        FUNCTIONS,
        Parameter("iss_mu", "what the prior mean weighs, in cases"),
        Parameter("iss_w", "what the prior covariance weighs, in cases above the number of columns", low=1.0),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units not in UNITS:
            raise OptionError(f"score '{self.name}': units={self.units!r} must be 'standard' or 'raw'.")
        if self.units == "raw" and (self.numbers, self.functions) != ("auto", 0):
            raise OptionError(f"score '{self.name}': units='raw' takes numbers as they are; leave the other out.")

    def _made(self, data: MixedData) -> NativeScore:
        blocks = self._plain_blocks(data) if self.units == "raw" else self.blocks(data)
        return _native_blocks(data, blocks, 2, mean_cases=self.iss_mu, freedom=self.iss_w)


@dataclass(frozen=True)
class ConditionalGaussianBic(MixedScore):
    """BIC of conditional linear Gaussian networks: bnlearn's "bic-cg".

    A category is multinomial given categories and has no numbers as parents; a number has a linear regression of its
    own for each configuration of its parents that are categories. Scales count as categories.
    """

    name = "bic-cg"
    FACTS = Facts(
        title="conditional Gaussian BIC",
        in_words="BIC of conditional linear Gaussian networks, as bnlearn has it",
        sources=(Citation("bottcher-2001"), Citation("scutari-2010")),
        equivalent=False,
        asymptotic=True,
        regular=None,
        bound="",
        keeps_parents_few=True,
        number_of_cases=N_OF_PENALTY,
    )
    penalty: float = 1.0
    parameters = (PENALTY,)

    def cases_read(self, data: MixedData) -> float:
        """Return the number of rows: each family has regressions of its own."""
        return float(data.n_rows)

    is_joint: ClassVar[bool] = False

    def _made(self, data: MixedData) -> NativeScore:
        weights, total = data.times, data.n_cases
        arities = np.array(data.levels, dtype=np.int32) if self.is_joint else data.arities
        values, log_scales = np.array(data.matrix if self.is_joint else data.values), np.zeros(data.n_variables)
        for v in np.flatnonzero(arities == 0):
            centred = values[v] - float(weights @ values[v]) / total
            variance = float(weights @ centred**2) / total
            values[v] = centred / math.sqrt(variance) if variance > 0 else centred
            log_scales[v] = math.log(variance) if variance > 0 else 0.0
        made = _core.scores.make_conditional_gaussian(
            values, arities, log_scales, data.native_weights, self.penalty, self.is_joint
        )
        return made, data.constant


@dataclass(frozen=True)
class JointConditionalGaussianBic(ConditionalGaussianBic):
    """`bic-cg` for both directions of an edge between a number and a category: equivalent networks score the same.

    The score of a complete network of a set S is that of `bic-cg`, g(S): a table of the categories, and a Gaussian with
    means, variances and correlations of its own for each of their configurations. A family has g(P + v) - g(P), as in
    the score of Andrews, Ramsey and Cooper (2018), so that a category may have numbers as parents. Where it has none,
    this is `bic-cg`, but that scales count as numbers.
    """

    name = "bic-jcg"
    FACTS = Facts(
        title="joint conditional Gaussian BIC",
        in_words="BIC of numbers whose lines and spreads differ between categories, for both directions of an edge",
        sources=(Citation("andrews-2018"), Citation("bottcher-2001")),
        equivalent=True,
        asymptotic=True,
        regular=None,
        bound="",
        keeps_parents_few=True,
        number_of_cases=N_OF_PENALTY,
    )
    is_joint: ClassVar[bool] = True

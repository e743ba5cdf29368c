"""Whether a network over numbers as they are fits data, and how well it predicts numbers and states."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import log_softmax

from arcwise.base.errors import DataError, check_argument
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, generator_of
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.data.mixed import NOMINAL, MixedData
from arcwise.evaluate.fit import FitCheck, PairFits, PredictionScores, score_predictions
from arcwise.graph.dag import Dag
from arcwise.model.mixed_families import Family, Floats, fit_family, indicators, log_odds
from arcwise.model.mixed_network import MixedNetwork, matrix_of
from arcwise.scores.gaussian import embed

if TYPE_CHECKING:
    import pandas as pd

REPLICATES = 100


# ---- How well a number is predicted


@dataclass(frozen=True, eq=False)
class NumberScores(ShowsFrame):
    """How well a number was predicted in cases that were not learned from.

    Parameters
    ----------
    target, n_cases, folds
        What was predicted, in how many cases, and in how many parts these were held out; 0 for one separate data set.
    rmse, rmse_error
        The root of the mean squared error, in units of the target, and its standard error.
    usual_rmse
        That of always predicting the mean.
    absolute
        The mean absolute error.
    explained
        The share of the variance that is explained: 1 for no error, 0 for the mean alone.
    level, inside
        The share of values that their intervals should hold, and that they do.
    by_time
        Whether the clock decided how some fold was learned from.
    """

    target: str
    n_cases: int
    folds: int
    rmse: float
    rmse_error: float
    usual_rmse: float
    absolute: float
    explained: float
    level: float
    inside: float
    by_time: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a table of one row."""
        return data_frame([{item.name: getattr(self, item.name) for item in fields(self)}])

    def __repr__(self) -> str:
        return (
            f"NumberScores({self.target}: error {self.rmse:.4g}, {self.explained:.1%} explained; {self.n_cases:,} "
            "cases)"
        )


def score_numbers(
    values: Floats,
    mean: Floats,
    low: Floats,
    high: Floats,
    *,
    target: str,
    level: float = 0.95,
    folds: int = 0,
    usual: Floats | None = None,
) -> NumberScores:
    """Return how good predicted means and intervals are for what happened; `usual` is what to compare with."""
    if not len(values):
        raise DataError("there is no case to predict.")
    squares = (values - mean) ** 2
    plain = (values - (values.mean() if usual is None else usual)) ** 2
    rmse = math.sqrt(float(squares.mean()))
    return NumberScores(
        target=target,
        n_cases=len(values),
        folds=folds,
        rmse=rmse,
        rmse_error=float(squares.std()) / math.sqrt(len(values)) / (2 * rmse) if rmse > 0 else 0.0,
        usual_rmse=math.sqrt(float(plain.mean())),
        absolute=float(np.abs(values - mean).mean()),
        explained=1 - float(squares.sum()) / float(plain.sum()) if plain.any() else math.nan,
        level=level,
        inside=float(((values >= low) & (values <= high)).mean()),
    )


def cross_validate_mixed(
    learner: Callable[[MixedData, int], MixedNetwork],
    data: MixedData,
    target: str,
    *,
    folds: int = 10,
    level: float = 0.95,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores | NumberScores:
    """Return how well a variable is predicted in cases that were not learned from: k-fold cross-validation.

    As in `cross_validate`, rows that belong together stay together.
    """
    v = data.index(target)
    whole = data.expand() if data.weights is not None else data
    most = whole.n_rows if whole.design is None else whole.design.n_groups
    rule = f"must be an integer from 2 to {most:,}, the number of {'cases' if whole.design is None else 'groups'}."
    check_argument(2 <= folds <= most, "folds", folds, rule)
    shuffled = generator_of(seed).permutation(most)
    own = whole.values[v] if whole.design is None else -np.bincount(whole.design.groups).astype(np.float64)
    fold_of = np.empty(most, dtype=np.int64)  # by value and then at random, dealt out like cards
    fold_of[shuffled[np.argsort(own[shuffled], kind="stable")]] = np.arange(most) % folds
    if whole.design is not None:
        fold_of = fold_of[whole.design.groups]
    is_number = data.kinds[v] is not NOMINAL
    width = 3 if is_number else len(data.states[v])
    found, usual = np.empty((width, whole.n_rows)), np.empty((1 if is_number else width, whole.n_rows))
    truth: Floats = whole.scores(target) if is_number else whole.codes(target).astype(np.float64)
    with Run.begin(None, progress) as run:
        for fold in range(folds):
            held = np.flatnonzero(fold_of == fold)
            training = whole.take(np.flatnonzero(fold_of != fold))
            network, rows = learner(training, fold), whole.take(held)
            if is_number:
                found[:, held] = network.predict_numbers(rows, target, level=level)
                usual[0, held] = training.scores(target).mean()
            else:
                found[:, held] = network.predict_proba(rows, target).T
                counts = np.bincount(training.codes(target), minlength=width) + 1 / width
                usual[:, held] = (counts / counts.sum())[:, None]
            run.report("cross-validation", fold + 1, folds)
    if is_number:
        return score_numbers(truth, *found, target=target, level=level, folds=folds, usual=usual[0])
    states = data.states[v]
    return score_predictions(found.T, truth.astype(np.int64), target=target, states=states, folds=folds, usual=usual.T)


# ---- Whether it fits


def check_mixed_fit(
    network: MixedNetwork,
    data: MixedData,
    *,
    replicates: int = REPLICATES,
    seed: Seed = 0,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> FitCheck:
    """Return how far data look as a network over numbers as they are says: see `check_fit`.

    An independence of two variables is tested by adding one to the regression of the other on its parents: an F test
    of a number, a likelihood-ratio test of a category. How dependent two variables are is -log(1 - R^2) / 2 of the
    regression of one's columns on the other's, in natural units; the end of the scale of likelihoods is the network of
    all edges.
    """
    if missing := [name for name in network.names if name not in data.names]:
        raise DataError(f"the data have no column {', '.join(repr(name) for name in missing)} of the network.")
    data = data.select(network.names).independent(seed)
    with Run.begin(limits, progress) as run:
        tests = _markov_tests(network, data, run.share(0.5))
        is_set = data.targets is not None and not data.targets.is_empty
        seen, drawn = pair_information(data), []
        rng = generator_of(seed)
        for number in range(0 if is_set else replicates):
            if run.is_over:
                break
            drawn.append(pair_information(network.sample(data.n_cases, seed=rng)))
            run.report("data sets from the network", number + 1, replicates)
    n = len(network.names)
    everything = n * (n - 1) // 2 - network.dag.n_arcs
    whole = len(drawn) == (0 if is_set else replicates) and len(tests) == everything
    names = network.names
    empty, full = Dag(names, [()] * n), Dag(names, [tuple(range(v)) for v in range(n)])
    ends = [MixedNetwork.fit(dag, data).log_likelihood(data) / data.n_cases for dag in (empty, full)]
    return FitCheck.of(
        PairFits.of(names, [network.dag.parents_of(name) for name in names], tests, seen, drawn),
        len(tests),
        (network.log_likelihood(data) / data.n_cases, ends[0], ends[1]),
        data.n_cases,
        len(drawn),
        Status.COMPLETE if whole else Status.TIME_LIMIT,
        all_edges=True,
    )


def _markov_tests(network: MixedNetwork, data: MixedData, run: Run) -> dict[tuple[int, int], tuple[int, float]]:
    """Test every independence of two variables without an edge, given the parents of one, v: {(i, j): (v, p)}."""
    found: dict[tuple[int, int], tuple[int, float]] = {}
    place = {v: k for k, v in enumerate(network.dag.topological_order)}
    n = len(network.names)
    values = matrix_of(data)
    for i in range(n):
        for j in range(i + 1, n):
            if i in network.dag.parents[j] or j in network.dag.parents[i] or run.is_over:
                continue
            # Of the later one in the order, the other is no descendant.
            v, w = (i, j) if place[i] > place[j] else (j, i)
            found[i, j] = v, added_p_value(data, values, v, w, tuple(network.dag.parents[v]))
    return found


def added_p_value(data: MixedData, values: Floats, v: int, w: int, given: tuple[int, ...]) -> float:
    """Return the p-value of adding w to the regression of v on others; NaN if there are too few cases."""
    own = data.cases_without(data.names[v])
    weights = np.ones(own.n_rows) if own.weights is None else own.weights.astype(np.float64)
    arities = [len(s) if k is NOMINAL else 0 for k, s in zip(data.kinds, data.states, strict=True)]
    small, large = columns_of(values, given, arities), columns_of(values, (*given, w), arities)
    added, total = large.shape[1] - small.shape[1], float(weights.sum())
    if total < 5 * (large.shape[1] + 1):
        return math.nan
    if not arities[v]:
        before, after = (_residual(columns, values[v], weights) for columns in (small, large))
        freedom = total - large.shape[1]
        if after <= 1e-12 * before or not added:
            return math.nan if not added or before <= 0 else 0.0
        return float(stats.f.sf((before - after) / added / (after / freedom), added, freedom))
    if any(not arities[p] for p in (*given, w)):
        states = values[v].astype(np.int64)
        odds = [(columns, log_odds(columns, states, weights, arities[v])) for columns in (small, large)]
        logs = [log_softmax(np.column_stack([np.zeros(len(x)), x @ own.T]), axis=1) for x, own in odds]
        gains = [float(weights @ log[np.arange(len(log)), states]) for log in logs]
        return float(stats.chi2.sf(2 * max(0.0, gains[1] - gains[0]), added * (arities[v] - 1)))
    families = [fit_family(v, parents, arities, values, weights, ess=1e-6) for parents in (given, (*given, w))]
    if total < 5 * arities[v] * families[1].n_configurations:
        return math.nan
    gains = [float(weights @ family.log_density(values)) for family in families]
    freedom = families[1].n_free_parameters - families[0].n_free_parameters
    return float(stats.chi2.sf(2 * max(0.0, gains[1] - gains[0]), freedom))


def columns_of(values: Floats, variables: tuple[int, ...], arities: list[int]) -> Floats:
    """Return 1, the numbers, and the indicators of the nominal ones' states but the first."""
    nominal = tuple(v for v in variables if arities[v])
    family = Family(-1, nominal, tuple(arities[v] for v in nominal), ())
    numbers = [values[v] for v in variables if not arities[v]]
    return np.column_stack([np.ones(values.shape[1]), *numbers, *indicators(family, values)])


def _residual(columns: Floats, y: Floats, weights: Floats) -> float:
    root = np.sqrt(weights)
    centre = np.average(columns, axis=0, weights=weights)
    centre[0] = 0.0
    x = columns - centre
    scale = np.sqrt(np.average(x**2, axis=0, weights=weights))
    x = x / np.where(scale > 0, scale, 1.0)
    found = np.linalg.lstsq(x * root[:, None], y * root, rcond=1e-10)[0]
    return float((weights * (y - x @ found) ** 2).sum())


def pair_information(data: MixedData) -> NDArray[np.float64]:
    """Return how dependent every two variables are: the mutual information of Gaussian columns, natural units."""
    blocks = embed(data, "raw", 1)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    shared = (blocks.rows * weights[:, None]).T @ blocks.rows / weights.sum()
    n, of = data.n_variables, blocks.of_column
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            inner = shared[np.ix_(of == i, of == j)]
            squares = np.linalg.svd(inner, compute_uv=False) ** 2 if inner.size else np.zeros(1)
            found[i, j] = found[j, i] = -0.5 * float(np.log1p(-np.minimum(squares, 1 - 1e-12)).sum())
    return found

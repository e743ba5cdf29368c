"""How well networks predict: one variable in cases that were not learned from, and whole data by their likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import DataError, OptionError, check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Seed, generator_of
from arcwise.base.showing import LINES, ShowsFrame, data_frame, html_table
from arcwise.data.cases import Cases
from arcwise.data.dataset import Dataset, Frame, dataset_of
from arcwise.data.mixed import NOMINAL, MixedData
from arcwise.plotting.charts import plot_calibration

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.model.mixed_network import MixedNetwork

Floats = NDArray[np.float64]

# How good predictions of one variable are: accuracy, log loss, and whether probabilities mean what they say.


BINS = 10  # of a reliability diagram, as in most papers
# A probability of 0 for what happened would make one row decide: it counts as this.
LEAST = 1e-15


class Classifier(Protocol):
    """Anything that predicts one variable from the others, such as `arcwise.model.BayesianNetwork`."""

    def predict_proba(self, rows: Dataset, target: str, /) -> NDArray[np.float64]:
        """Return one line per row, one column per state."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class PredictionBins:
    """Of the predicted probabilities near each value, how many came true.

    Parameters
    ----------
    predicted, observed
        The mean predicted probability of each bin, and the share that came true.
    count
        How many predictions the bin has, over all states.
    """

    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    count: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The mean difference between what was predicted and what came true (expected calibration error)."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.count))


@dataclass(frozen=True, eq=False)
class PredictionScores:
    """How well a variable was predicted in cases that were not learned from.

    Parameters
    ----------
    target, states
        What was predicted.
    n_cases, folds
        How many cases there are, and in how many parts they were held out; 0 for one separate data set.
    accuracy, accuracy_error
        The share of the cases whose most probable state is the right one, and its standard error.
    usual_accuracy
        That of always predicting the most frequent state.
    log_loss, log_loss_error
        Minus the mean log probability of what happened; lower is better.
    usual_log_loss
        That of predicting the frequencies, whatever the other variables are.
    brier
        The mean squared distance between probabilities and what happened.
    calibration
        Whether probabilities mean what they say.
    confusion
        Cases by true (rows) and predicted state (columns).
    by_time
        Whether the clock decided how some fold was learned from: more time may give other figures.
    """

    target: str
    states: tuple[str, ...]
    n_cases: int
    folds: int
    accuracy: float
    accuracy_error: float
    usual_accuracy: float
    log_loss: float
    log_loss_error: float
    usual_log_loss: float
    brier: float
    calibration: PredictionBins
    confusion: NDArray[np.float64]
    by_time: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a table of one row."""
        names = [field.name for field in fields(self)]
        figures = names[names.index("accuracy") : names.index("calibration")]
        facts = {"target": self.target, "cases": self.n_cases} | {name: getattr(self, name) for name in figures}
        return data_frame([{**facts, "calibration_error": self.calibration.error}])

    def calibration_frame(self) -> pd.DataFrame:
        """Return one row per bin of predicted probabilities."""
        own = self.calibration
        return data_frame({"predicted": own.predicted, "observed": own.observed, "count": own.count})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw observed shares over predicted probabilities; return the axes."""
        own = self.calibration
        return plot_calibration(own.predicted, own.observed, own.count, title=self.target, ax=ax)

    def __repr__(self) -> str:
        return (
            f"PredictionScores({self.target}: accuracy {self.accuracy:.3f}, log loss {self.log_loss:.3f}; "
            f"{self.n_cases:,} rows)"
        )

    def _repr_html_(self) -> str:
        frame = self.calibration_frame()
        rows = frame.head(LINES).itertuples(index=False, name=None)
        return html_table(repr(self), list(map(str, frame)), rows, len(frame))


def score_predictions(
    probabilities: NDArray[np.float64],
    codes: NDArray[np.integer],
    *,
    target: str,
    states: Sequence[str],
    weights: NDArray[np.integer] | None = None,
    folds: int = 0,
    usual: NDArray[np.float64] | None = None,
) -> PredictionScores:
    """Return how good predicted probabilities are for what happened.

    Parameters
    ----------
    probabilities, codes
        One line per case and one column per state; and the state that each case has.
    target, states
        What was predicted.
    weights
        How often each case counts.
    folds
        Recorded in the result.
    usual
        For each case, the frequencies to compare with; those of these cases if they are None.
    """
    n, r = probabilities.shape
    if n == 0:
        raise DataError("there is no row to predict.")
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(w.sum())
    rows = np.arange(n)
    shares = np.bincount(codes, weights=w, minlength=r) / total
    base = np.broadcast_to(shares, (n, r)) if usual is None else usual
    best = probabilities.argmax(axis=1)
    right = best == codes
    loss = -np.log(np.maximum(probabilities[rows, codes], LEAST))
    accuracy, log_loss = float(w @ right / total), float(w @ loss / total)
    happened = np.zeros((n, r))
    happened[rows, codes] = 1.0
    confusion = np.zeros((r, r))
    np.add.at(confusion, (codes, best), w)
    return PredictionScores(
        target=target,
        states=tuple(states),
        n_cases=int(total),
        folds=folds,
        accuracy=accuracy,
        accuracy_error=float(np.sqrt(accuracy * (1 - accuracy) / total)),
        usual_accuracy=float(w @ (base.argmax(axis=1) == codes) / total),
        log_loss=log_loss,
        log_loss_error=float(np.sqrt(w @ (loss - log_loss) ** 2 / total / total)),
        usual_log_loss=float(w @ -np.log(np.maximum(base[rows, codes], LEAST)) / total),
        brier=float(w @ ((probabilities - happened) ** 2).sum(axis=1) / total),
        calibration=_calibration(probabilities, happened, w),
        confusion=confusion,
    )


def _calibration(
    probabilities: NDArray[np.float64], happened: NDArray[np.float64], weights: NDArray[np.float64]
) -> PredictionBins:
    """Sort all predicted probabilities into ten bins of equal width."""
    flat, came, w = probabilities.ravel(), happened.ravel(), np.repeat(weights, probabilities.shape[1])
    bins = np.minimum((flat * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, weights=w, minlength=BINS)
    used = count > 0
    predicted = np.bincount(bins, weights=w * flat, minlength=BINS)[used] / count[used]
    observed = np.bincount(bins, weights=w * came, minlength=BINS)[used] / count[used]
    return PredictionBins(predicted, observed, count[used].astype(np.float64))


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
        raise DataError("there is no row to predict.")
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


@overload
def cross_validate(
    learner: Callable[[Dataset, int], Classifier],
    data: Dataset | Frame,
    target: str,
    *,
    folds: int = 10,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores: ...
@overload
def cross_validate(
    learner: Callable[[MixedData, int], MixedNetwork],
    data: MixedData,
    target: str,
    *,
    folds: int = 10,
    level: float = 0.95,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores | NumberScores: ...
def cross_validate(
    learner: Callable[[Any, int], Any],
    data: Dataset | MixedData | Frame,
    target: str,
    *,
    folds: int = 10,
    level: float = 0.95,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores | NumberScores:
    """Return how well a variable is predicted in cases that were not learned from: k-fold cross-validation.

    Parameters
    ----------
    learner
        Called with the cases to learn from and the number of the fold; returns what predicts, in the data's states.
    data, target
        The data, and the variable to predict.
    folds
        Into how many parts the cases are divided, at random and with the states or numbers of the target spread evenly.
        Rows that belong together stay together: groups are dealt out, the largest first.
    level
        The share of numbers that intervals should hold.
    seed, progress
        See `Run`; the seed is that of the division.
    """
    given: Any = dataset_of(data)
    v, whole = given.index(target), given.representative().expand()
    is_number = isinstance(whole, MixedData) and whole.kinds[v] is not NOMINAL
    width = 3 if is_number else len(whole.states[v])  # mean and interval, or a probability for each state
    found, usual = np.empty((width, whole.n_rows)), np.empty((1 if is_number else width, whole.n_rows))
    fold_of = _dealt(whole, v, folds, generator_of(seed))
    with Run.begin(None, progress) as run:
        for fold in range(folds):
            held = np.flatnonzero(fold_of == fold)
            training, rows = whole.take(np.flatnonzero(fold_of != fold)), whole.take(held)
            predictor = learner(training, fold)
            if is_number:
                found[:, held] = predictor.predict_numbers(rows, target, level=level)
                usual[0, held] = training.scores(target).mean()
            else:
                found[:, held] = predictor.predict_proba(rows, target).T
                counts = np.bincount(training.cells[v].astype(np.int64), minlength=width) + 1 / width
                usual[:, held] = (counts / counts.sum())[:, None]
            run.report("cross-validation", fold + 1, folds)
    if is_number:
        return score_numbers(whole.scores(target), *found, target=target, level=level, folds=folds, usual=usual[0])
    codes = whole.cells[v].astype(np.int64)
    return score_predictions(found.T, codes, target=target, states=whole.states[v], folds=folds, usual=usual.T)


def _dealt(data: Cases, target: int, folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each row: by state or number (groups: by size) and then at random, dealt out like cards."""
    most = data.n_rows if data.design is None else data.design.n_groups
    rule = f"must be an integer from 2 to {most:,}, the number of {'rows' if data.design is None else 'groups'}."
    check_argument(2 <= folds <= most, "folds", folds, rule)
    shuffled = rng.permutation(most)
    key = data.cells[target] if data.design is None else -np.bincount(data.design.groups)
    fold_of = np.empty(most, dtype=np.int64)
    fold_of[shuffled[np.argsort(key[shuffled], kind="stable")]] = np.arange(most) % folds
    return fold_of if data.design is None else fold_of[data.design.groups]


# How well networks predict data they have not seen: the accuracy score, and the likelihood of averaged networks.


@runtime_checkable
class Predictor(Protocol):
    """Anything that gives the rows of data a log-likelihood, such as `arcwise.model.BayesianNetwork`."""

    def row_log_likelihoods(self, data: Dataset, /) -> NDArray[np.float64]:
        """Return the log-likelihood of every row."""
        ...


def accuracy_score(true: float | Predictor, learned: float | Predictor, data: Dataset | Frame | None = None) -> float:
    """Return by how many per cent the learned network's log-likelihood of held-out data falls short of the true one's.

    Scanagatta, section 4: 100 (LL_true - LL_learned) / |LL_true| on data that were sampled from the true network and
    not used for learning; lower is better. It estimates the Kullback-Leibler divergence, relative to the entropy; like
    any estimate it may be slightly negative.

    Parameters
    ----------
    true, learned
        The two log-likelihoods of the same data, or the two networks.
    data
        The held-out data, if networks are given.
    """
    data = dataset_of(data)
    reference, value = (_total(network, data) for network in (true, learned))
    if not math.isfinite(reference) or reference >= 0:
        raise DataError(
            f"the true network gives the held-out data the log-likelihood {reference:g}; a finite number below 0 is "
            f"needed. Sample the held-out data from the true network."
        )
    return 100 * (reference - value) / -reference


def negative_log_likelihood(
    networks: Iterable[ArrayLike | Predictor],
    data: Dataset | Frame | None = None,
    *,
    log_weights: ArrayLike | None = None,
    row_weights: ArrayLike | None = None,
    per_case: bool = False,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return minus the log-likelihood of data under the weighted average of networks.

    Model averaging for density estimation (Liao, sections 4.4 and 4.6.3): the average predicts a row with the sum over
    the networks of weight times probability, and the rows' logarithms add up. Networks are taken one after the other:
    a generator of any number of them needs the memory of one.

    Parameters
    ----------
    networks
        For each network the log-likelihoods of the rows (so a 2-D array is fine), or a network itself.
    data
        The held-out data, if networks are given.
    log_weights
        One per network, natural logarithm, in any scale: they are normalised. Equal weights if None.
    row_weights
        How often each row counts; those of `data`, or once each, if None.
    per_case
        Divide by the number of cases (the sum of the row weights).

    Returns
    -------
    float
        Natural logarithm; lower is better; inf if all networks give some row the probability 0.
    """
    data = dataset_of(data)
    logs = None if log_weights is None else _normalised(log_weights)
    total = np.empty(0)
    count = 0
    with Run.begin(None, progress) as run:
        for network in networks:
            rows = _rows(network, data, count)
            if count == 0:
                total = np.full(rows.shape, -np.inf)
            if rows.shape != total.shape:
                raise DataError(f"network {count} has {len(rows)} rows where the first one has {len(total)}.")
            if logs is not None and count < len(logs):
                rows = rows + logs[count]
            total = np.logaddexp(total, rows)
            count += 1
            run.report("held-out likelihood", count, None if logs is None else len(logs))
    if count == 0:
        raise DataError("no network to average.")
    if logs is None:
        total -= math.log(count)
    elif len(logs) != count:
        raise DataError(f"{count} networks but {len(logs)} log weights.")
    weights = _row_weights(row_weights, data, len(total))
    counted = weights > 0  # a row that does not count may be impossible
    if not counted.any():
        raise DataError("no row has a positive weight.")
    value = -float(np.dot(weights[counted], total[counted]))
    return value / float(weights.sum()) if per_case else value


def _total(network: float | Predictor, data: Dataset | None) -> float:
    if not isinstance(network, Predictor):
        return float(network)
    rows = _rows(network, data, None)
    weights = _row_weights(None, data, len(rows))
    return float(np.dot(weights[weights > 0], rows[weights > 0]))


def _rows(network: ArrayLike | Predictor, data: Dataset | None, number: int | None) -> NDArray[np.float64]:
    if isinstance(network, Predictor):
        if data is None:
            raise OptionError("networks need the held-out data: pass data=.")
        network = network.row_log_likelihoods(data)
    rows = np.asarray(network, dtype=np.float64)
    which = "the network" if number is None else f"network {number}"
    if rows.ndim != 1:
        raise DataError(f"{which}: one log-likelihood per row is needed, not an array of shape {rows.shape}.")
    if np.isnan(rows).any():
        row = int(np.flatnonzero(np.isnan(rows))[0])
        raise DataError(
            f"{which} does not define the probability of row {row} ({int(np.isnan(rows).sum()):,} such rows). "
            f"Fit the parameters with an estimator that smooths."
        )
    return rows


def _normalised(log_weights: ArrayLike) -> NDArray[np.float64]:
    logs = np.asarray(log_weights, dtype=np.float64)
    if logs.ndim != 1 or not logs.size:
        raise DataError(f"one log weight per network is needed, not an array of shape {logs.shape}.")
    if np.isnan(logs).any() or logs.max() in (-np.inf, np.inf):
        raise DataError("log weights must be numbers below infinity, and not all -infinity.")
    shifted = logs - logs.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def _row_weights(row_weights: ArrayLike | None, data: Dataset | None, n_rows: int) -> NDArray[np.float64]:
    if row_weights is None:
        row_weights = np.ones(n_rows) if data is None or data.row_weights is None else data.row_weights
    weights = np.asarray(row_weights, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise DataError(f"{n_rows} rows but row weights of shape {weights.shape}.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError("row weights must be finite and not negative.")
    return weights

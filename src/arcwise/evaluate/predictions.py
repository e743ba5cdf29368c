"""How good predictions of one variable are: accuracy, log loss, and whether probabilities mean what they say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import DataError, OptionError, check_argument
from arcwise.base.run import ProgressCallback, Run, Seed, generator_of
from arcwise.base.showing import LINES, html_table
from arcwise.data.dataset import Dataset
from arcwise.plotting.charts import plot_calibration

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


BINS = 10
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
        import pandas as pd

        names = [field.name for field in fields(self)]
        figures = names[names.index("accuracy") : names.index("calibration")]
        facts = {"target": self.target, "cases": self.n_cases} | {name: getattr(self, name) for name in figures}
        return pd.DataFrame([{**facts, "calibration_error": self.calibration.error}])

    def calibration_frame(self) -> pd.DataFrame:
        """Return one row per bin of predicted probabilities."""
        import pandas as pd

        own = self.calibration
        return pd.DataFrame({"predicted": own.predicted, "observed": own.observed, "count": own.count})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw observed shares over predicted probabilities; return the axes."""
        own = self.calibration
        return plot_calibration(own.predicted, own.observed, own.count, title=self.target, ax=ax)

    def __repr__(self) -> str:
        return (
            f"PredictionScores({self.target}: accuracy {self.accuracy:.3f}, log loss {self.log_loss:.3f}; "
            f"{self.n_cases:,} cases)"
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
        raise DataError("there is no case to predict.")
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


def cross_validate(
    learner: Callable[[Dataset, int], Classifier],
    data: Dataset,
    target: str,
    *,
    folds: int = 10,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores:
    """Return how well a variable is predicted in cases that were not learned from: k-fold cross-validation.

    Parameters
    ----------
    learner
        Called with the cases to learn from and the number of the fold; returns what predicts, in the data's states.
    data, target
        The data, and the variable to predict.
    folds
        Into how many parts the cases are divided, at random and with the states of the target spread evenly.
    seed, progress
        See `Run`; the seed is that of the division.
    """
    v = data.index(target)
    whole = data.expand() if data.weights is not None else data
    rule = f"must be an integer from 2 to {whole.n_rows:,}, the number of cases."
    check_argument(2 <= folds <= whole.n_rows, "folds", folds, rule)
    rng = generator_of(seed)
    # By state and then at random, dealt out like cards.
    shuffled = rng.permutation(whole.n_rows)
    dealt = shuffled[np.argsort(whole.codes[v][shuffled], kind="stable")]
    fold_of = np.empty(whole.n_rows, dtype=np.int64)
    fold_of[dealt] = np.arange(whole.n_rows) % folds
    r = int(data.arities[v])
    probabilities, usual = np.empty((whole.n_rows, r)), np.empty((whole.n_rows, r))
    with Run.begin(None, progress) as run:
        for fold in range(folds):
            held = fold_of == fold
            training = whole.take(np.flatnonzero(~held))
            predictor = learner(training, fold)
            probabilities[held] = predictor.predict_proba(whole.take(np.flatnonzero(held)), target)
            counts = np.bincount(training.codes[v], minlength=r) + 1 / r
            usual[held] = counts / counts.sum()
            run.report("cross-validation", fold + 1, folds)
    return score_predictions(
        probabilities,
        whole.codes[v].astype(np.int64),
        target=target,
        states=data.states[v],
        folds=folds,
        usual=usual,
    )


# How well networks predict data they have not seen: the accuracy score, and the likelihood of averaged networks.


@runtime_checkable
class Predictor(Protocol):
    """Anything that gives the rows of data a log-likelihood, such as `arcwise.model.BayesianNetwork`."""

    def row_log_likelihoods(self, data: Dataset, /) -> NDArray[np.float64]:
        """Return the log-likelihood of every row."""
        ...


def accuracy_score(true: float | Predictor, learned: float | Predictor, data: Dataset | None = None) -> float:
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
    reference, value = (_total(network, data) for network in (true, learned))
    if not math.isfinite(reference) or reference >= 0:
        raise DataError(
            f"the true network gives the held-out data the log-likelihood {reference:g}; a finite number below 0 is "
            f"needed. Sample the held-out data from the true network."
        )
    return 100 * (reference - value) / -reference


def negative_log_likelihood(
    networks: Iterable[ArrayLike | Predictor],
    data: Dataset | None = None,
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
        row_weights = np.ones(n_rows) if data is None or data.weights is None else data.weights
    weights = np.asarray(row_weights, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise DataError(f"{n_rows} rows but row weights of shape {weights.shape}.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError("row weights must be finite and not negative.")
    return weights

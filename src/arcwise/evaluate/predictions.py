"""How good predictions of one variable are: accuracy, log loss, and whether probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.seeds import Seed, generator_of
from arcwise.showing import LINES, html_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Classifier", "PredictionBins", "PredictionScores", "cross_validate", "score_predictions"]

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

        names = (
            "accuracy",
            "accuracy_error",
            "usual_accuracy",
            "log_loss",
            "log_loss_error",
            "usual_log_loss",
            "brier",
        )
        facts = {name: getattr(self, name) for name in names}
        return pd.DataFrame(
            [{"target": self.target, "cases": self.n_cases, **facts, "calibration_error": self.calibration.error}]
        )

    def calibration_frame(self) -> pd.DataFrame:
        """Return one row per bin of predicted probabilities."""
        import pandas as pd

        own = self.calibration
        return pd.DataFrame({"predicted": own.predicted, "observed": own.observed, "count": own.count})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw observed shares over predicted probabilities; return the axes."""
        from arcwise.plotting.charts import plot_calibration

        own = self.calibration
        return plot_calibration(own.predicted, own.observed, own.count, title=self.target, ax=ax)

    def __repr__(self) -> str:
        return (
            f"PredictionScores({self.target}: accuracy {self.accuracy:.3f}, log loss {self.log_loss:.3f}; "
            f"{self.n_cases:,} cases)"
        )

    def _repr_html_(self) -> str:
        frame = self.calibration_frame()
        return html_table(
            repr(self), list(map(str, frame)), frame.head(LINES).itertuples(index=False, name=None), len(frame)
        )


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
    seed
        Of the division.
    progress
        See `arcwise.progress.show_progress`.
    """
    v = data.index(target)
    whole = data.expand() if data.weights is not None else data
    if not 2 <= folds <= whole.n_rows:
        raise OptionError(
            Argument("folds", folds), f"must be an integer from 2 to {whole.n_rows:,}, the number of cases."
        )
    rng = generator_of(seed)
    # By state and then at random, dealt out like cards.
    shuffled = rng.permutation(whole.n_rows)
    dealt = shuffled[np.argsort(whole.codes[v][shuffled], kind="stable")]
    fold_of = np.empty(whole.n_rows, dtype=np.int64)
    fold_of[dealt] = np.arange(whole.n_rows) % folds
    r = int(data.arities[v])
    probabilities, usual = np.empty((whole.n_rows, r)), np.empty((whole.n_rows, r))
    with show_progress(progress) as callback:
        for fold in range(folds):
            held = fold_of == fold
            training = whole.take(np.flatnonzero(~held))
            predictor = learner(training, fold)
            probabilities[held] = predictor.predict_proba(whole.take(np.flatnonzero(held)), target)
            counts = np.bincount(training.codes[v], minlength=r) + 1 / r
            usual[held] = counts / counts.sum()
            callback(ProgressEvent("cross-validation", fold + 1, folds))
    return score_predictions(
        probabilities,
        whole.codes[v].astype(np.int64),
        target=target,
        states=data.states[v],
        folds=folds,
        usual=usual,
    )

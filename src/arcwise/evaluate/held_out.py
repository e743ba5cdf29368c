"""How well networks predict data they have not seen: the accuracy score, and the likelihood of averaged networks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress

__all__ = ["Predictor", "accuracy_score", "negative_log_likelihood"]


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
    progress
        See `arcwise.progress.show_progress`.

    Returns
    -------
    float
        Natural logarithm; lower is better; inf if all networks give some row the probability 0.
    """
    logs = None if log_weights is None else _normalised(log_weights)
    total = np.empty(0)
    count = 0
    with show_progress(progress) as report:
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
            report(ProgressEvent("held-out likelihood", count, None if logs is None else len(logs)))
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

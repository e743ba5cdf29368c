"""The cut-off that is best on average if probabilities mean what they say (see `arcwise.confidence.calibration`)."""

from __future__ import annotations

from arcwise.confidence.calibration.decisions import best_cut, false_rate_cut
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.learned_table import check_metric
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["calibrated_threshold"]


def calibrated_threshold(
    confidence: EdgeConfidence,
    *,
    metric: str | None = None,
    beta: float | None = None,
    alpha: float | None = None,
    false_rate: float | None = None,
) -> Threshold:
    """Return the cut-off with the best expectation of a metric, or with at most a share of false edges.

    Parameters
    ----------
    confidence
        The confidences, with their way to probabilities.
    metric, beta, alpha
        As in `recommend`; the cost with alpha 1 if neither a metric nor a rate is given.
    false_rate
        The false discovery rate: the share of the edges that may be false, on average.
    """
    if false_rate is not None:
        if metric is not None or beta is not None or alpha is not None:
            raise OptionError(Argument("false_rate", false_rate), "is given instead of a metric and its weight.")
        value, bar = false_rate_cut(confidence, false_rate)
    else:
        chosen = metric or ("f" if beta is not None else "cost")
        value, bar = best_cut(confidence, chosen, check_metric(chosen, beta=beta, alpha=alpha))
    found = confidence.probability
    expected = found.expected(confidence.vector > value)
    return Threshold(
        value=value,
        rule="calibrated",
        assumes="the probabilities of the edges mean what they say",
        details={"probability": bar, "false": expected.false, "missed": expected.missed},
    )

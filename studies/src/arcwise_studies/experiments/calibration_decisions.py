"""Are the cut-offs that follow from probabilities better than one half, and than those learned by trying them out?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.cuts import Ranked
from arcwise.confidence.learned_table import WEIGHTS, size_group
from arcwise_studies.experiment import SummaryTable
from arcwise_studies.experiments.calibration_judged import EVERY, Judged
from arcwise_studies.experiments.instances import Instances
from arcwise_studies.experiments.pair_states import losses

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["decisions_table"]

# What mistakes cost: the cost of a missed edge, F1 of the skeleton, and the structural Hamming distance.
GOALS = (*(("cost", weight) for weight in WEIGHTS), ("f", 1.0), ("shd", 1.0))
HALF, LEARNED = "0.5", "learned threshold"
TIE = 1e-12


def decisions_table(judged: Sequence[Judged], rows: pd.DataFrame) -> SummaryTable:
    """Compare, sample by sample and family by family, what three cut-offs cost.

    The cut-off that follows from the probabilities, one half, and the threshold that was best for the same recipe and
    about as many cases in all families but the one at hand (Liao 2022, Algorithm 5.2).
    """
    import pandas as pd

    lines = []
    others = _without_each(rows)
    for metric, weight in GOALS:
        learned = _learned(others, metric, weight)
        found = [(one, _costs(one, metric, weight, learned)) for one in judged]
        for label, family, costs in _grouped(found):
            lines += [
                {
                    "recipe": label,
                    "family": family,
                    "metric": metric,
                    "weight": weight,
                    "against": rival,
                    "won": int((costs[:, 0] < costs[:, column] - TIE).sum()),
                    "lost": int((costs[:, 0] > costs[:, column] + TIE).sum()),
                    "sign_test": _sign_test(costs[:, 0] - costs[:, column]),
                    "loss": round(float(costs[:, 0].mean()), 5),
                    "loss_against": round(float(costs[:, column].mean()), 5),
                    "cells": len(costs),
                }
                for column, rival in ((1, HALF), (2, LEARNED))
            ]
    caption = (
        "What the cut-off costs that the probabilities ask for, beside one half and a threshold that was learned for "
        "the same recipe: on how many samples it is less (won) or more (lost), the p-value of the sign test, and the "
        "means. Each family left out."
    )
    return SummaryTable("decisions", caption, pd.DataFrame(lines))


def _without_each(rows: pd.DataFrame) -> dict[str, Instances]:
    """Return, for each family, the samples of all others."""
    every = Instances.of(rows)
    families = every.frame["family"].to_numpy(dtype=str)
    return {family: every.take(families != family) for family in np.unique(families) if (families != family).any()}


def _learned(others: Mapping[str, Instances], metric: str, weight: float) -> dict[tuple[str, str, str], float]:
    """Return thresholds by family left out, recipe and group of sizes."""
    return {
        (family, f"{entry.method}:{entry.score}", entry.cases): entry.threshold
        for family, known in others.items()
        for entry in known.learn(metric, weight)
    }


def _costs(one: Judged, metric: str, weight: float, learned: dict[tuple[str, str, str], float]) -> NDArray[np.float64]:
    """Return the losses at the three cut-offs; without a learned one, that of one half."""
    drawn = one.probability * one.ways.max(axis=0)
    best, _ = Ranked.of(one.confidence, one.probability, drawn, one.curve).best(metric, weight)
    tried = learned.get((one.family, one.label, size_group(one.cases)), 0.5)
    return losses(one.states.count(np.array([best, 0.5, tried])), metric, weight)


def _grouped(
    found: Sequence[tuple[Judged, NDArray[np.float64]]],
) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    for label in sorted({one.label for one, _ in found}):
        own = [(one, costs) for one, costs in found if one.label == label]
        for family in [*sorted({one.family for one, _ in own}), EVERY]:
            yield label, family, np.array([costs for one, costs in own if family in (one.family, EVERY)])


def _sign_test(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of as many signs of one kind; ties count for neither."""
    from scipy.stats import binomtest

    won, lost = int((differences < -TIE).sum()), int((differences > TIE).sum())
    return 1.0 if won + lost == 0 else float(f"{binomtest(won, won + lost).pvalue:.2g}")

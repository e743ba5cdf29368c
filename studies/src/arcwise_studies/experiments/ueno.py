"""Ueno and Uto (2012), section 5: how often BDeu and expected log-BDe find a five-node structure, over the ESS.

Four networks share one structure; from the first to the last, the conditional probabilities differ less and less
between the states of the parents ("strongly skewed" to "strongly uniform"). The paper gives the networks in figures, of
which our copy has the captions only. So they were rebuilt from what is printed: the pattern of its Table 1 (a lost
edge nearly always comes with one lost orientation) says that there is one collider, and with

    x1 -> x2, x1 -> x3, x2 -> x4 <- x3, x3 -> x5,      p(x1) = 1/2,
    p(x = 1 | its parent) = 1/2 -+ d/2,                p(x4 = 1 | x2, x3) = 1/2 -+ d/2 if they agree,
                                                       1/2 -+ mixing d/2 if they do not (towards x2),

a search over d and the mixing reproduces the 36 printed counts of correct structures of *BDeu* to 7 per 100 (root mean
square). The numbers were then fixed; expected log-BDe was not used for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import ConfigError
from arcwise.evaluate import structural_hamming
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise.priors import Learning, find_optima
from arcwise.priors.optima import worst_status
from arcwise.scores import make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Ueno", "UenoSettings", "fit_and_penalty", "ueno_network"]

STRUCTURE = Dag(["x1", "x2", "x3", "x4", "x5"], [[], [0], [0], [1, 2], [2]])
SCORES = {
    "bdeu": {},
    "expected_log_bde_local": {"structures": "local"},  # Algorithm 1: over the parent sets of each variable
    "expected_log_bde": {"structures": "all"},  # Definition 2: over all 29,281 structures
}
COLUMNS = ("missing", "extra", "wrong_orientation", "missing_orientation", "extra_orientation")
SHORT = ("ME", "EE", "WO", "MO", "EO")


@dataclass(frozen=True)
class UenoSettings:
    """The settings: the networks' strengths (d), named g1, g2, ... in this order, and what is learned from them."""

    strengths: tuple[float, ...] = (0.9, 0.77, 0.5, 0.38)
    mixing: float = 0.35
    sizes: tuple[int, ...] = (200, 500, 1000)
    ess: tuple[float, ...] = (0.1, 1.0, 10.0)
    repetitions: int = 100
    exact_repetitions: int | None = None  # of expected_log_bde, which takes 100 times as long as the others
    scores: tuple[str, ...] = tuple(SCORES)

    def __post_init__(self) -> None:
        for score in self.scores:
            if score not in SCORES:
                raise ConfigError(f"score '{score}' must be one of {', '.join(SCORES)}.")
        if not all(0 < strength < 1 for strength in self.strengths) or not -1 <= self.mixing <= 1:
            raise ConfigError("strengths must be between 0 and 1, and mixing between -1 and 1.")
        if self.exact_repetitions is not None and not 1 <= self.exact_repetitions <= self.repetitions:
            raise ConfigError("exact_repetitions must be from 1 to the number of repetitions.")
        if self.repetitions < 1 or not all(size >= 1 for size in self.sizes) or not all(e > 0 for e in self.ess):
            raise ConfigError("repetitions, sizes and ess must be positive.")


def ueno_network(strength: float, mixing: float) -> BayesianNetwork:
    """Return one of the networks."""
    high, low = (1 + strength) / 2, (1 - strength) / 2
    one_parent = [[high, low], [low, high]]  # rows: the parent is 0, 1
    firsts = (low, (1 - mixing * strength) / 2, (1 + mixing * strength) / 2, high)  # (x2, x3) = 00, 01, 10, 11
    collider = [[1 - p, p] for p in firsts]
    tables = [[[0.5, 0.5]], one_parent, one_parent, collider, one_parent]
    return BayesianNetwork(STRUCTURE, [["0", "1"]] * 5, [np.array(table) for table in tables])


def fit_and_penalty(data: Dataset, dag: Dag, ess: float) -> tuple[float, float]:
    """Return the two parts of log-BDeu by the paper's Theorem 1 (eq. 7): log-BDeu = fit - penalty + a constant."""
    fit = penalty = 0.0
    for v, parents in enumerate(dag.parents):
        counts = contingency(data, [*parents, v]).reshape(-1, int(data.arities[v])).astype(float)
        prior = ess / counts.size
        posterior = counts + prior
        fit += float((posterior * np.log(posterior / posterior.sum(axis=1, keepdims=True))).sum())
        states = counts.shape[1]
        penalty += float((states - 1) / states * np.log1p(counts / prior).sum()) / 2
    return fit, penalty


class Ueno(Experiment[UenoSettings]):
    """One cell: one sample of one network, learned from with one score and every ESS."""

    Settings = UenoSettings
    axes = ("sizes", "repetitions", "exact_repetitions", "scores")

    def plan(self, settings: UenoSettings) -> Iterable[Row]:
        """Return score, network, size and repetition."""
        return (
            {"score": score, "network": f"g{number + 1}", "size": size, "repetition": repetition}
            for score in settings.scores
            for repetition in range(
                settings.exact_repetitions or settings.repetitions
                if score == "expected_log_bde"
                else settings.repetitions
            )
            for number in range(len(settings.strengths))
            for size in settings.sizes
        )

    def run(self, settings: UenoSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, learn exactly under every ESS, and compare with the truth; all scores see the same samples."""
        score, network, size = parameters["score"], parameters["network"], parameters["size"]
        rng = context.shared_rng(network, size, parameters["repetition"])
        strength = settings.strengths[int(network[1:]) - 1]
        data = ueno_network(strength, settings.mixing).sample(size, seed=rng, threads=1)
        options = SCORES[score]
        made = [make_score(score.removesuffix("_local"), ess=ess, **options) for ess in settings.ess]
        optima = find_optima(data, made, Learning(limits=context.limits), progress=False)
        rows: list[Row] = []
        for ess, optimum in zip(settings.ess, optima, strict=True):
            parts = structural_hamming(STRUCTURE, optimum.dag)
            counts: Row = {column: getattr(parts, column) for column in COLUMNS}
            rows.append({"ess": ess, "shd": parts.total, "correct": parts.total == 0, **counts})
        return CellResult(rows, worst_status(optima))

    def summarize(
        self, settings: UenoSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return his Tables 1 and 2, the spread over the ESS, and a figure of it."""
        import pandas as pd

        by = ["score", "network", "ess", "size"]
        groups = rows.groupby(by, sort=True)
        table = groups[["correct", "shd", *COLUMNS]].sum().astype(int)
        table = table.rename(columns={"shd": "SHD", **dict(zip(COLUMNS, SHORT, strict=True))})
        table["cells"] = groups["cell"].nunique()
        share = groups["correct"].mean().astype(float).unstack("ess") * 100
        spread = (share.max(axis=1) - share.min(axis=1)).rename("spread")
        each = spread.unstack("score")
        counts = rows.groupby("score")["cell"].nunique()
        each["cells"] = rows.groupby(["network", "size"])["cell"].nunique()
        overall = pd.DataFrame(
            [
                {
                    "score": score,
                    "mean spread": float(of_score.mean()),
                    "least correct": float(share.loc[score].to_numpy().min()),
                    "mean correct": float(share.loc[score].to_numpy().mean()),
                    **{f"mean spread {network}": float(v.mean()) for network, v in of_score.groupby("network")},
                    "cells": int(counts[score]),
                }
                for score, of_score in spread.groupby("score")
            ]
        )

        def draw(axes: Axes) -> None:
            scores = [score for score in SCORES if score in each.columns]
            places = np.arange(len(each))
            for number, score in enumerate(scores):
                shift = (number - (len(scores) - 1) / 2) * 0.8 / len(scores)
                axes.bar(places + shift, each[score], width=0.8 / len(scores), label=score)
            axes.set_xticks(places, [f"{network}, {size:,}" for network, size in each.index], rotation=45)
            axes.set_ylabel("spread over the ESS, per cent")
            axes.set_ylim(top=1.3 * float(each[scores].to_numpy().max()) + 1)
            axes.legend(loc="upper right")

        caption = "Correct structures per cell and summed differences; one row per score, network, ESS and size."
        spread_caption = "The highest minus the lowest percentage of correct structures over the ESS."
        return [
            SummaryTable("performance", caption, table.reset_index()),
            SummaryTable("spread", spread_caption, each.reset_index()),
            SummaryTable("overall", "Means over networks and sizes of the spread, and of what is correct.", overall),
            SummaryFigure("spread", f"{spread_caption} {len(cells)} cells.", draw),
        ]

"""Ueno and Uto (2012), Tables 1 and 2, on networks fitted to all columns of Table 1; and the scores that they name.

`ueno_fit` says how the networks were found. Scores without an ESS (NML, which section 6 wants compared, and BDeu
averaged over it) are learned once per sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.errors import ConfigError
from arcwise.evaluate import structural_hamming
from arcwise.model import BayesianNetwork
from arcwise.priors import Learning, find_optima
from arcwise.priors.optima import worst_status
from arcwise.scores import make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryTable
from arcwise_studies.experiments.ueno import COLUMNS, SHORT, STRUCTURE
from arcwise_studies.experiments.ueno import SCORES as WITH_ESS
from arcwise_studies.experiments.ueno_printed import COLUMNS_PRINTED, ESS_PRINTED, TABLE_1, TABLE_2, printed_row

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NETWORKS", "UenoFitted", "UenoFittedSettings", "fitted_network"]

# Found by `python -m arcwise_studies.experiments.ueno_fit 100`, with the distance from Table 1 before and after.
# P(x = 1): of x1; of x2 and x3 given x1 = 0, 1; of x4 given (x2, x3) = 00, 01, 10, 11; of x5 given x3 = 0, 1.
NETWORKS: dict[str, tuple[float, ...]] = {
    "g1": (
        0.447,
        0.037,
        0.950,
        0.064,
        0.959,
        0.049,
        0.361,
        0.670,
        0.917,
        0.083,
        0.925,
    ),  # 8.0 before, 4.4 per 100 after
    "g2": (
        0.502,
        0.136,
        0.926,
        0.226,
        0.838,
        0.142,
        0.359,
        0.630,
        0.885,
        0.128,
        0.715,
    ),  # 7.4 before, 3.8 per 100 after
    "g3": (
        0.513,
        0.253,
        0.697,
        0.357,
        0.732,
        0.250,
        0.406,
        0.506,
        0.714,
        0.248,
        0.662,
    ),  # 11.6 before, 6.9 per 100 after
    "g4": (
        0.433,
        0.431,
        0.652,
        0.193,
        0.490,
        0.393,
        0.461,
        0.559,
        0.730,
        0.338,
        0.984,
    ),  # 17.1 before, 5.0 per 100 after
}
WITHOUT_ESS = ("bdeu_averaged", "qnml", "fnml", "qbdj", "bic")


def fitted_network(name: str) -> BayesianNetwork:
    """Return g1, g2, g3 or g4."""
    ones = NETWORKS[name]
    parts = ones[:1], ones[1:3], ones[3:5], ones[5:9], ones[9:]
    tables = [np.array([[1 - p, p] for p in part]) for part in parts]
    return BayesianNetwork(STRUCTURE, [["0", "1"]] * 5, tables)


@dataclass(frozen=True)
class UenoFittedSettings:
    """The settings: scores with and without an ESS, sizes, ESS and repetitions."""

    scores: tuple[str, ...] = ("bdeu", "expected_log_bde_local", *WITHOUT_ESS)
    sizes: tuple[int, ...] = (200, 500, 1000)
    ess: tuple[float, ...] = (0.1, 1.0, 10.0)
    repetitions: int = 100
    exact_repetitions: int = 20  # of expected_log_bde, which takes 100 times as long as the others

    def __post_init__(self) -> None:
        for score in self.scores:
            if score not in (*WITH_ESS, *WITHOUT_ESS):
                raise ConfigError(f"score '{score}' must be one of {', '.join((*WITH_ESS, *WITHOUT_ESS))}.")
        if min(self.repetitions, self.exact_repetitions) < 1:
            raise ConfigError("repetitions must be at least 1.")


class UenoFitted(Experiment[UenoFittedSettings]):
    """One cell: one sample of one network, learned from with one score."""

    Settings = UenoFittedSettings
    axes = ("sizes", "repetitions", "exact_repetitions", "scores")

    def plan(self, settings: UenoFittedSettings) -> Iterable[Row]:
        """Return score, network, size and repetition."""
        return (
            {"score": score, "network": network, "size": size, "repetition": repetition}
            for score in settings.scores
            for repetition in range(settings.exact_repetitions if score == "expected_log_bde" else settings.repetitions)
            for network in NETWORKS
            for size in settings.sizes
        )

    def run(self, settings: UenoFittedSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, learn exactly, and compare with the truth; all scores see the same samples."""
        score, network, size = parameters["score"], parameters["network"], parameters["size"]
        rng = context.shared_rng(network, size, parameters["repetition"])
        data = fitted_network(network).sample(size, seed=rng, threads=1)
        every: Sequence[float | None] = settings.ess if score in WITH_ESS else (None,)
        made = [
            make_score(score) if ess is None else make_score(score.removesuffix("_local"), ess=ess, **WITH_ESS[score])
            for ess in every
        ]
        optima = find_optima(data, made, Learning(limits=context.limits), progress=False)
        rows: list[Row] = []
        for ess, optimum in zip(every, optima, strict=True):
            parts = structural_hamming(STRUCTURE, optimum.dag)
            counts: Row = {column: getattr(parts, column) for column in COLUMNS}
            rows.append({"ess": ess, "shd": parts.total, "correct": parts.total == 0, **counts})
        return CellResult(rows, worst_status(optima))

    def summarize(
        self, settings: UenoFittedSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable]:
        """Return both tables beside the print, how far they are off, and all scores by size."""
        import pandas as pd

        rows = rows.assign(ess=pd.to_numeric(rows["ess"]))
        values = {"correct": "correct", "SHD": "shd", **dict(zip(SHORT, COLUMNS, strict=True))}
        for column in values.values():
            rows[column] = pd.to_numeric(rows[column])
        parts, errors = [], []
        for name, table, scores in (
            ("table-1", TABLE_1, ("bdeu",)),
            ("table-2", TABLE_2, ("expected_log_bde_local", "expected_log_bde")),
        ):
            lines = []
            keys: Any
            for keys, part in rows[rows["score"].isin(scores)].groupby(["score", "network", "ess", "size"], sort=True):
                score, network, ess, size = keys
                try:
                    printed = printed_row(table, str(network), float(ess), int(size))
                except ValueError:  # a size or an ESS that they do not have
                    continue
                ours = {column: 100 * float(part[values[column]].mean()) for column in COLUMNS_PRINTED}
                line: dict[str, Any] = {"score": score, "network": network, "ESS": ess, "n": size}
                for column, value in zip(COLUMNS_PRINTED, printed, strict=True):
                    line[f"{column} printed"] = value
                    line[column] = round(ours[column])
                    if value is not None:
                        errors.append((name, score, network, column, ours[column] - value))
                lines.append({**line, "cells": part["cell"].nunique()})
            frame = pd.DataFrame(lines)
            for column in COLUMNS_PRINTED if len(frame) else ():
                frame[f"{column} printed"] = frame[f"{column} printed"].astype("Int64")
            caption = f"Ueno and Uto's {name.replace('-', ' ').capitalize()}, per 100 samples: printed and ours."
            if len(frame):
                parts.append(SummaryTable(name, caption, frame))
        return [*parts, _errors(errors, rows), _all_scores(rows), _claims(rows)]


def _errors(errors: list[tuple[str, Any, Any, str, float]], rows: pd.DataFrame) -> SummaryTable:
    import pandas as pd

    frame = pd.DataFrame(errors, columns=["table", "score", "network", "column", "error"])
    of = frame.groupby(["table", "score", "column"], sort=False)["error"]
    wide = of.apply(lambda e: float(np.sqrt(np.mean(np.square(e))))).round(1).unstack("column")
    wide = wide[[column for column in COLUMNS_PRINTED if column in wide]].reset_index()
    wide["cells"] = [rows.loc[rows["score"] == score, "cell"].nunique() for score in wide["score"]]
    caption = "The root mean square of ours minus printed, per 100 samples, by column."
    return SummaryTable("errors", caption, wide)


def _claims(rows: pd.DataFrame) -> SummaryTable:
    """Compare scores with an ESS: with BDeu cell by cell, over the ESS, and which ESS is best for each size."""
    import pandas as pd

    correct = 100 * rows.dropna(subset=["ess"]).pivot_table(
        index=["network", "size", "ess"], columns="score", values="correct", aggfunc="mean"
    )
    printed = correct[correct.index.get_level_values("ess").isin(ESS_PRINTED)]
    lines = []
    for score in correct:
        difference = printed[score] - printed["bdeu"]
        over = printed[score].unstack("ess")
        best = correct[score].groupby(["size", "ess"]).mean().unstack("ess").idxmax(axis=1)
        line: dict[str, Any] = {"score": score, "better than BDeu": int((difference > 0).sum())}
        line |= {"equal": int((difference == 0).sum()), "worse": int((difference < 0).sum())}
        line["mean spread"] = round(float((over.max(axis=1) - over.min(axis=1)).mean()), 1)
        line |= {f"best ESS, n = {size}": f"{ess:g}" for size, ess in best.items()}
        lines.append({**line, "cells": rows.loc[rows["score"] == score, "cell"].nunique()})
    caption = (
        "On how many of the cells (network, size, printed ESS) a score finds more correct structures than BDeu; the "
        "highest minus the lowest over the printed ESS; and the best ESS of all for each size."
    )
    return SummaryTable("claims", caption, pd.DataFrame(lines))


def _all_scores(rows: pd.DataFrame) -> SummaryTable:
    """Correct structures per 100 by score, ESS and size, over the four networks."""
    named = rows.assign(ess=[("" if np.isnan(value) else f"{value:g}") for value in rows["ess"]])
    groups = named.groupby(["score", "ess"], sort=False)
    correct = (100 * named.pivot_table(index=["score", "ess"], columns="size", values="correct", sort=False)).round(1)
    by_network = (
        100 * named.pivot_table(index=["score", "ess"], columns="network", values="correct", sort=False)
    ).round(1)
    frame = correct.join(by_network)
    frame["all"] = (100 * groups["correct"].mean()).round(1)
    frame["cells"] = groups["cell"].nunique()
    frame.columns = [f"n = {column}" if str(column).isdecimal() else str(column) for column in frame.columns]
    caption = "Correct structures per 100 samples, by score and ESS: by sample size, by network, and over all."
    return SummaryTable("scores", caption, frame.reset_index())

"""Liao, Table 4.4: which score predicts best, with which estimator of parameters, when networks are averaged.

Every data set is split at random, 70 to 30. From the training part the credible set of a score is learned (all networks
within a Bayes factor of 150, 100,000 at most), every network gets parameters by an estimator, and the networks,
weighted by their scores, predict the rest. AIC, BIC and qNML go with both the m-estimate (m = 1) and sNML; BDeu and
qBDJ with the Dirichlet priors that they assume. A cell is one score on one split; all scores see the same splits.

The thesis defines the m-estimate twice: with m imaginary cases for each *row* of a table, (n_jk + m/r) / (n_j + m), in
section 2.2, and with m for the whole *table*, (n_jk + m/(q r)) / (n_j + m/q), in 4.3. Both are here, "m-row" and
"m-table", each with a Borda count of its own, since a row of Table 4.4 has one "m".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.run import Run
from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.ensemble import NetworkSet, find_credible
from arcwise.errors import ConfigError
from arcwise.evaluate import borda_count, negative_log_likelihood
from arcwise.limits import Status
from arcwise.model import ESTIMATORS
from arcwise.model.fitting import FamilyCounts
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import Score, make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Density", "DensitySettings"]

# The printed row of Table 4.4.
PRINTED = {
    "aic m": 85,
    "aic snml": 73,
    "bdeu bdeu": 49,
    "bic m": 29,
    "bic snml": 22,
    "qbdj bdj": 66,
    "qnml m": 68,
    "qnml snml": 56,
}
M_ESTIMATES = {"m-row": "2.2", "m-table": "4.3"}  # and where the thesis defines them
MOST_PRINTED = 16 * (len(PRINTED) - 1)  # sixteen data sets, one point per opponent


@dataclass(frozen=True)
class DensitySettings:
    """The settings: data sets, scores, how many splits, and how the credible sets are limited."""

    data: tuple[str, ...]
    scores: tuple[str, ...] = ("aic", "bdeu", "bic", "qbdj", "qnml")
    splits: int = 1
    train_share: float = 0.7
    bayes_factor: float = 150.0
    max_networks: int = 100_000
    max_parents: int | None = None

    def __post_init__(self) -> None:
        if self.splits < 1 or self.max_networks < 1:
            raise ConfigError("splits and max_networks must be at least 1.")
        if not 0 < self.train_share < 1:
            raise ConfigError(f"train_share = {self.train_share} must lie between 0 and 1.")
        if not self.bayes_factor > 1:
            raise ConfigError(f"bayes_factor = {self.bayes_factor} must be above 1.")
        for score in self.scores:
            make_score(score)


class Density(Experiment[DensitySettings]):
    """Held-out log-likelihood of averaged networks, by score and estimator."""

    Settings = DensitySettings
    axes = ("data", "scores", "splits")

    def check(self, settings: DensitySettings, sources: Sources) -> None:
        """Check that every data set is there."""
        for data in settings.data:
            sources.check_data(data)

    def plan(self, settings: DensitySettings) -> Iterable[Row]:
        """Return one cell per data set, split and score."""
        for data in settings.data:
            for split in range(settings.splits):
                for score in settings.scores:
                    yield {"data": data, "split": split, "score_name": score}

    def run(self, settings: DensitySettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Learn the credible set from one part of the data; let it, and its best network alone, predict the other."""
        deadline = Run.of(context.limits)
        data = context.sources.data(parameters["data"])
        rng = context.shared_rng("density", parameters["data"], parameters["split"])
        train, test = data.split(settings.train_share, rng)
        score = make_score(parameters["score_name"])
        # A third of the time for the table, a third for the credible set: what is there then is averaged.
        third = replace(deadline.part(3).limits, count=settings.max_networks)
        table = build_parent_sets(
            train,
            score,
            slack=math.log(settings.bayes_factor),
            max_parents=settings.max_parents,
            limits=third,
            threads=1,
            progress=False,
        )
        networks = find_credible(
            table, log_slack=math.log(settings.bayes_factor), limits=third, threads=1, progress=False
        )
        # The limit on the number of networks is the thesis's own, and part of the experiment: no reason to complain.
        stopped = [s for s in (table.status, networks.status) if s not in (Status.COMPLETE, Status.COUNT_LIMIT)]
        if not len(networks):
            return CellResult([], stopped[0], f"{stopped[0]} before the credible set had a network")
        learned = deadline.seconds
        test = test.collapse()
        rows: list[Row] = []
        for name, estimator, options in estimators_of(score):
            predictions = _FamilyPredictions(networks, train, test, estimator, options)
            weights = networks.log_weights
            rows.append(
                {
                    "estimator": name,
                    "nll": negative_log_likelihood(
                        predictions.rows(range(len(networks))), test, log_weights=weights, per_case=True, progress=False
                    ),
                    "nll_best": negative_log_likelihood(predictions.rows([0]), test, per_case=True, progress=False),
                    "networks": len(networks),
                    "table_parents": table.max_parents,
                    "train": train.n_cases,
                    "test": test.n_cases,
                    "variables": data.n_variables,
                    "learning_seconds": learned,
                }
            )
        return CellResult(rows, stopped[0] if stopped else Status.COMPLETE)

    def summarize(
        self, settings: DensitySettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return the Borda count next to the printed one, what averaging gains, and the values themselves."""
        rows = rows.assign(candidate=rows["score_name"] + " " + rows["estimator"])
        values = rows.pivot_table(index=["data", "split"], columns="candidate", values="nll", sort=False)
        values = values[sorted(values.columns)]
        complete = values.dropna()
        instances = len(cells[["data", "split"]].drop_duplicates())
        return [
            *_borda_tables(complete, instances, cells),
            _gain_table(rows),
            _value_table(rows, values, cells),
            _figure(complete),
        ]


def estimators_of(score: Score) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (name in Table 4.4, estimator, its options) for a score."""
    if score.name == "bdeu":
        return [("bdeu", "bd", {"alpha": "bdeu", "ess": score.describe()["ess"]})]
    if score.name in ("qbdj", "bdj"):
        return [("bdj", "bd", {"alpha": "bdj"})]
    return [("m-row", "bd", {"alpha": _per_row}), ("m-table", "m-estimate", {"m": 1.0}), ("snml", "snml", {})]


def _per_row(family: FamilyCounts) -> NDArray[np.float64]:
    """Return one imaginary case for each row of a family's table, spread over its states."""
    return np.full(family.counts.shape, 1.0 / family.counts.shape[1])


class _FamilyPredictions:
    """The log-probability of every test row under every family: networks share families, so each is fitted once."""

    def __init__(
        self, networks: NetworkSet, train: Dataset, test: Dataset, estimator: str, options: Mapping[str, Any]
    ) -> None:
        self._networks = networks.compact()
        families = self._networks.families
        chosen = ESTIMATORS[estimator]
        self._starts = families.node_offsets[:-1]
        self._logs: list[NDArray[np.float64]] = []
        codes = test.codes.astype(np.int64)
        arities = [int(arity) for arity in train.arities]
        for row, v in enumerate(families.row_nodes.tolist()):
            parents = families.parents_of(row)
            counts = contingency(train, [*parents, v]).reshape(-1, arities[v])
            family = FamilyCounts(train.names[v], tuple(train.names[p] for p in parents), counts)
            configuration = np.zeros(test.n_rows, dtype=np.int64)
            for p in parents:
                configuration = configuration * arities[p] + codes[p]
            with np.errstate(divide="ignore"):
                self._logs.append(np.log(chosen.table(family, **options)[configuration, codes[v]]))

    def rows(self, networks: Iterable[int]) -> Iterator[NDArray[np.float64]]:
        """Yield the log-likelihoods of the test rows, network by network."""
        for network in networks:
            total = np.zeros(len(self._logs[0]))
            for row in self._networks.choices[network].astype(np.int64) + self._starts:
                total += self._logs[row]
            yield total


def _borda_tables(complete: pd.DataFrame, instances: int, cells: pd.DataFrame) -> list[SummaryTable]:
    """Return the Borda count with each of the two m-estimates as the "m" of Table 4.4."""
    import pandas as pd

    if not len(complete):
        return []
    lines: list[dict[str, Any]] = []
    for chosen, section in M_ESTIMATES.items():
        others = [name for name in M_ESTIMATES if name != chosen]
        part = complete[[name for name in complete if not str(name).endswith(tuple(others))]]
        count = borda_count(part.to_numpy(), candidates=list(part.columns), higher_is_better=False)
        # One point per opponent that does worse. The printed points add up to what sixteen data sets have to give.
        most = len(part) * (len(part.columns) - 1)
        excess = part.sub(part.min(axis=1), axis=0).mean()
        for name, points in zip(part.columns, count.points, strict=True):
            score, estimator = name.split()
            printed = PRINTED.get(f"{score} m" if estimator == chosen else name)
            lines.append(
                {
                    "m of section": section,
                    "score and estimator": name,
                    "printed": printed,
                    "printed share": None if printed is None else printed / MOST_PRINTED,
                    "ours": points,
                    "our share": points / most,
                    "first": int((part.rank(axis=1)[name] == 1).sum()),
                    "mean excess": excess[name],
                    "cells": int((cells["score_name"] == score).sum()),
                    "limited": _count(cells, score, "limit"),
                    "failed": _count(cells, score, "failed"),
                }
            )
    caption = (
        f"Table 4.4: Borda points by score and estimator over {len(complete)} of {instances} splits (those on which "
        "every combination has a value), and the share of the points that it could have, with the m-estimate of "
        "section 2.2 and with that of 4.3; `first`: on how many it is the best; `mean excess`: nats per case above the "
        "best. `cells`, `limited` and `failed`: cells of the score."
    )
    return [SummaryTable("borda", caption, pd.DataFrame(lines)), _m_against_snml(complete, cells)]


def _m_against_snml(complete: pd.DataFrame, cells: pd.DataFrame) -> SummaryTable:
    """Return on how many splits each m-estimate predicts better than sNML, by score."""
    import pandas as pd

    lines = []
    for score in ("aic", "bic", "qnml"):
        if f"{score} snml" in complete:
            better = {m: int((complete[f"{score} {m}"] < complete[f"{score} snml"]).sum()) for m in M_ESTIMATES}
            of_score = int((cells["score_name"] == score).sum())
            lines.append({"score": score, **better, "splits": len(complete), "cells": of_score})
    caption = "On how many splits the m-estimate of each definition predicts better than sNML."
    return SummaryTable("m-against-snml", caption, pd.DataFrame(lines))


def _count(cells: pd.DataFrame, score: str, status: str) -> int:
    return int(((cells["score_name"] == score) & (cells["status"] == status)).sum())


def _gain_table(rows: pd.DataFrame) -> SummaryTable:
    """What averaging gains over the best network alone."""
    import pandas as pd

    lines: list[dict[str, Any]] = []
    for candidate, of_candidate in rows.groupby("candidate", sort=False):
        gain = (of_candidate["nll_best"] - of_candidate["nll"]).to_numpy(dtype=float)
        lines.append(
            {
                "score and estimator": candidate,
                "mean gain": float(gain.mean()),
                "better": int((gain > 0).sum()),
                "worse": int((gain < 0).sum()),
                "median networks": float(of_candidate["networks"].median()),
                "cells": len(of_candidate),
                "limited": int((of_candidate["status"] == "limit").sum()),
            }
        )
    caption = (
        "What averaging over the credible set gains over its best network alone: nats per case of the test part, and "
        "on how many splits it is better or worse."
    )
    return SummaryTable("averaging", caption, pd.DataFrame(lines))


def _value_table(rows: pd.DataFrame, values: pd.DataFrame, cells: pd.DataFrame) -> SummaryTable:
    """The values by data set; a data set on which nothing was learned in time has a line too."""
    means = values.groupby(level="data", sort=False).mean()
    sizes = rows.groupby("data", sort=False)[["variables", "train"]].max()
    of_data = cells.groupby("data", sort=False)
    frame = of_data.size().to_frame("cells").join(sizes).join(means)
    frame["limited"] = of_data["status"].apply(lambda statuses: int((statuses == "limit").sum()))
    frame["failed"] = of_data["status"].apply(lambda statuses: int((statuses == "failed").sum()))
    frame = frame[[*sizes, *means, "cells", "limited", "failed"]].reset_index()
    caption = "Minus the log-likelihood of the test part, nats per case, mean over the splits; lower is better."
    return SummaryTable("values", caption, frame)


def _figure(complete: pd.DataFrame) -> SummaryFigure:
    excess = complete.sub(complete.min(axis=1), axis=0)

    def draw(axes: Axes) -> None:
        axes.boxplot([excess[name].to_numpy() for name in excess.columns], tick_labels=list(excess.columns))
        axes.set_ylabel("nats per case above the best")
        axes.tick_params(axis="x", rotation=45)

    caption = f"How far each combination is from the best one, over {len(complete)} splits of data sets."
    return SummaryFigure("excess", caption, draw)

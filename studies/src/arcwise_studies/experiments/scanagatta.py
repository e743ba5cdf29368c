"""Scanagatta, de Campos and Zaffalon (2014), section 4: Min-BDeu, BDeu and Max-BDeu on samples of known networks.

Accuracy is by how many per cent the log-likelihood of 10,000 unseen cases falls short of the true network's; lower is
better. The paper fits parameters "using the same Dirichlet prior parameters", which can mean BDeu's prior or the one
that Min- or Max-BDeu chose: both are recorded. Its Figure 5 learns the parameters from a large sample instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data import Dataset
from arcwise.errors import ConfigError
from arcwise.evaluate import accuracy_score, moral_distance, shd
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, fit_parameters
from arcwise.priors import Learning, find_optima, prior_sensitivity
from arcwise.priors.optima import worst_status
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.prior_comparison import COMPARED, fit_under, make_compared
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Scanagatta", "ScanagattaSettings"]

MEASURES = ("accuracy", "accuracy_own", "accuracy_large", "arcs", "moral", "shd", "sensitivity")


@dataclass(frozen=True)
class ScanagattaSettings:
    """The settings; the sizes are 10 x 2^i for i = 1 ... `doublings`."""

    networks: tuple[str, ...]
    doublings: int = 10
    repetitions: int = 1
    ess: float = 1.0
    epsilon: float = 0.5
    max_parents: int = 3
    unseen: int = 10_000
    large: int = 5_000

    def __post_init__(self) -> None:
        for name in ("doublings", "repetitions", "max_parents", "unseen", "large"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} must be at least 1.")
        make_compared(self.ess, self.epsilon)


class Scanagatta(Experiment[ScanagattaSettings]):
    """One cell: one sample of one network, learned from with all three scores."""

    Settings = ScanagattaSettings
    axes = ("networks", "doublings", "repetitions")

    def check(self, settings: ScanagattaSettings, sources: Sources) -> None:
        """Check that the networks are there."""
        for network in settings.networks:
            sources.check_network(network)

    def plan(self, settings: ScanagattaSettings) -> Iterable[Row]:
        """Return network, size and repetition."""
        return (
            {"network": network, "size": 10 * 2**i, "repetition": repetition}
            for repetition in range(settings.repetitions)
            for network in settings.networks
            for i in range(1, settings.doublings + 1)
        )

    def run(self, settings: ScanagattaSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, learn under the three scores, and measure; the empty network is the reference."""
        truth = context.sources.network(parameters["network"])
        shared = context.shared_rng(parameters["network"], "unseen")  # the same for all cells of a network
        unseen, large = (truth.sample(n, seed=shared, threads=1) for n in (settings.unseen, settings.large))
        data = truth.sample(parameters["size"], seed=context.rng, threads=1)
        best = truth.log_likelihood(unseen, threads=1)

        def accuracy(network: BayesianNetwork) -> float:
            return accuracy_score(best, network.log_likelihood(unseen, threads=1))

        scores = make_compared(settings.ess, settings.epsilon)
        learning = Learning(max_parents=settings.max_parents, limits=context.limits)
        optima = find_optima(data, scores, learning, progress=False)
        rows: list[Row] = []
        for name, score, optimum in zip(COMPARED, scores, optima, strict=True):
            rows.append(
                {
                    "score": name,
                    "accuracy": accuracy(fit_under(score, optimum.dag, data, "uniform")),
                    "accuracy_own": accuracy(fit_under(score, optimum.dag, data, "own")),
                    "accuracy_large": accuracy(fit_parameters(optimum.dag, large, ess=settings.ess)),
                    **_structure(truth.dag, optimum.dag),
                    "sensitivity": _sensitivity(settings, data, optimum.dag) if name == "bdeu" else None,
                }
            )
        empty = Dag(truth.names, [[]] * truth.n_variables)
        value = accuracy(fit_parameters(empty, data, ess=settings.ess))
        rows.append({"score": "empty", "accuracy": value, "accuracy_own": value, **_structure(truth.dag, empty)})
        return CellResult(rows, worst_status(optima))

    def summarize(
        self, settings: ScanagattaSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return means by score and size (his Figures 1, 3, 4, 5, 6), paired differences to BDeu, and correlations."""
        import pandas as pd

        for measure in MEASURES:
            rows[measure] = pd.to_numeric(rows[measure])
        means = rows.groupby(["score", "size"])[list(MEASURES)].mean()
        means["cells"] = rows.groupby(["score", "size"])["cell"].nunique()
        of_means = "Means over networks and repetitions, by score and sample size."
        of_pairs = "Mean difference to BDeu on the same samples, with its standard error."
        of_ranks = "Rank correlation of sensitivity and accuracy of BDeu's networks."
        tables: list[SummaryTable | SummaryFigure] = [
            SummaryTable("means", of_means, means.reset_index()),
            SummaryTable("by-network", "The same for each network (Figure 2).", _by_network(rows)),
            *_by_nodes(rows),
            SummaryTable("differences", of_pairs, _paired(rows)),
            SummaryTable("correlation", of_ranks, _correlations(rows)),
        ]
        labels = {
            "accuracy": "accuracy score (per cent; lower is better)",
            "moral": "moral distance from the truth",
            "arcs": "arcs",
            "accuracy_large": "accuracy score, parameters from a large sample",
        }
        for measure, label in labels.items():
            tables.append(SummaryFigure(measure, f"{label}; {len(cells)} cells.", _curves(means, measure, label)))
        return tables


def _by_network(rows: pd.DataFrame) -> pd.DataFrame:
    groups = rows.groupby(["network", "score", "size"], sort=False)
    means = groups[["accuracy", "accuracy_own", "arcs", "moral"]].mean()
    means["cells"] = groups["cell"].nunique()
    return means.reset_index()


def _by_nodes(rows: pd.DataFrame) -> list[SummaryTable]:
    """Return the differences to BDeu and the sensitivity by the number of nodes, where random networks have several."""
    import pandas as pd

    nodes = rows["network"].str.extract(r"nodes=(\d+)")[0]
    if nodes.dropna().nunique() < 2:
        return []
    of_nodes = [(int(number), part) for number, part in rows.groupby(nodes)]
    pairs = pd.concat([_paired(part).assign(nodes=number) for number, part in sorted(of_nodes, key=lambda one: one[0])])
    plain = rows[rows["score"] == "bdeu"].assign(nodes=pd.to_numeric(nodes))
    groups = plain.groupby(["nodes", "size"])
    means = groups[["accuracy", "sensitivity"]].mean().assign(cells=groups["cell"].nunique())
    last = [*(column for column in pairs.columns if column not in ("nodes", "cells")), "cells"]
    of_pairs = "Mean difference to BDeu by the number of nodes (Figures 1, 3 and 4), with its standard error."
    of_means = "Accuracy and sensitivity of BDeu's network by the number of nodes (Figure 6)."
    return [
        SummaryTable("differences-by-nodes", of_pairs, pairs[["nodes", *last]].reset_index(drop=True)),
        SummaryTable("sensitivity-by-nodes", of_means, means.reset_index()),
    ]


def _structure(truth: Dag, learned: Dag) -> Row:
    return {"arcs": learned.n_arcs, "moral": moral_distance(truth, learned), "shd": shd(truth, learned)}


def _sensitivity(settings: ScanagattaSettings, data: Dataset, dag: Dag) -> float:
    return prior_sensitivity(data, dag, ess=settings.ess, epsilon=settings.epsilon, epsilons=()).relative


def _paired(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, for each size, score and measure, the mean of the differences to BDeu and its standard error."""
    import pandas as pd

    lines = []
    for measure in MEASURES[:-1]:
        wide = rows.pivot_table(index=["cell", "size"], columns="score", values=measure)
        for score in ("min_bdeu", "max_bdeu"):
            difference = wide[score] - wide["bdeu"]
            for size, values in difference.groupby("size"):
                error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
                lines.append(
                    {
                        "score": score,
                        "measure": measure,
                        "size": size,
                        "difference": float(values.mean()),
                        "error": error,
                        "cells": len(values),
                    }
                )
    return pd.DataFrame(lines)


def _correlations(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of sensitivity and accuracy: over the sizes, and over the samples of one size.

    The first says that both fall as N grows. The second, N held fixed, says whether sensitivity says more than N does.
    """
    import pandas as pd

    plain = rows[rows["score"] == "bdeu"]
    by_size = plain.groupby("size")[["sensitivity", "accuracy"]].mean()
    lines = [{"over": "mean of each size", "correlation": _rank_correlation(by_size), "cells": len(plain)}]
    for network, part in plain.groupby("network"):
        means = part.groupby("size")[["sensitivity", "accuracy"]].mean()
        lines.append({"over": str(network), "correlation": _rank_correlation(means), "cells": len(part)})
    for size, part in plain.groupby("size"):
        lines.append({"over": f"samples of {size}", "correlation": _rank_correlation(part), "cells": len(part)})
    return pd.DataFrame(lines)


def _rank_correlation(frame: pd.DataFrame) -> float:
    ranks = frame.rank()
    return float(np.corrcoef(ranks["sensitivity"], ranks["accuracy"])[0, 1]) if len(frame) > 1 else math.nan


def _curves(means: pd.DataFrame, measure: str, label: str) -> Any:
    def draw(axes: Axes) -> None:
        for score, part in means.groupby("score"):
            if part[measure].notna().any():
                axes.plot(part.index.get_level_values("size"), part[measure], marker=".", label=str(score))
        axes.set_xscale("log")
        axes.set_xlabel("cases")
        axes.set_ylabel(label)
        axes.legend()

    return draw

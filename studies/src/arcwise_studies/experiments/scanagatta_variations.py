"""Scanagatta, de Campos and Zaffalon (2014), Figure 7 and section 5: other limits on parents, other ESS, other epsilon.

Figure 7 has the accuracy of BDeu's network with at most 1 to 6 parents. The study of "the size of the contamination and
the strength of the prior" is what they leave for later. One setting is varied at a time, the others are those of
`scanagatta`; all values see the same samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arcwise.errors import ConfigError
from arcwise.evaluate import accuracy_score
from arcwise.model import fit_parameters
from arcwise.priors import Learning, find_optima
from arcwise.priors.optima import worst_status
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.experiments.scanagatta import Scanagatta, ScanagattaSettings
from arcwise_studies.prior_comparison import make_compared

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise_studies.sources import Sources

__all__ = ["ScanagattaVariations", "ScanagattaVariationsSettings"]

PARENTS = "max_parents"


@dataclass(frozen=True)
class ScanagattaVariationsSettings:
    """The settings: networks, sizes of samples, repetitions, and the values of each setting that is varied."""

    networks: tuple[str, ...]
    sizes: tuple[int, ...] = (20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240)
    repetitions: int = 1
    max_parents: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    ess: tuple[float, ...] = ()
    epsilon: tuple[float, ...] = ()
    unseen: int = 10_000

    def __post_init__(self) -> None:
        if self.repetitions < 1 or self.unseen < 1 or min(self.max_parents, default=1) < 1:
            raise ConfigError("repetitions, unseen and max_parents must be at least 1.")
        for ess in self.ess:
            make_compared(ess, 0.5)
        for epsilon in self.epsilon:
            make_compared(1.0, epsilon)


class ScanagattaVariations(Experiment[ScanagattaVariationsSettings]):
    """One cell: one sample of one network, with one setting changed."""

    Settings = ScanagattaVariationsSettings
    axes = ("networks", "sizes", "repetitions", "max_parents", "ess", "epsilon")

    def check(self, settings: ScanagattaVariationsSettings, sources: Sources) -> None:
        """Check that the networks are there."""
        for network in settings.networks:
            sources.check_network(network)

    def plan(self, settings: ScanagattaVariationsSettings) -> Iterable[Row]:
        """Return what is varied, its value, network, size and repetition."""
        for varied in (PARENTS, "ess", "epsilon"):
            for repetition in range(settings.repetitions):
                for network in settings.networks:
                    for size in settings.sizes:
                        for value in getattr(settings, varied):
                            own: Row = {"varied": varied, "value": float(value)}
                            yield {**own, "network": network, "size": size, "repetition": repetition}

    def run(
        self, settings: ScanagattaVariationsSettings, parameters: Mapping[str, Any], context: CellContext
    ) -> CellResult:
        """Learn from the sample; only BDeu where the limit on parents is varied, else all three scores."""
        network, size = parameters["network"], parameters["size"]
        rng = context.shared_rng("variations", network, size, parameters["repetition"])
        varied, value = parameters["varied"], parameters["value"]
        if varied != PARENTS:
            usual = ScanagattaSettings((network,), unseen=settings.unseen)
            return Scanagatta().run(replace(usual, **{varied: value}), parameters, replace(context, rng=rng))
        truth = context.sources.network(network)
        unseen = truth.sample(settings.unseen, seed=context.shared_rng(network, "unseen"), threads=1)
        data = truth.sample(size, seed=rng, threads=1)
        learning = Learning(max_parents=int(value), limits=context.limits)
        (optimum,) = find_optima(data, make_compared(1.0, 0.5)[1:2], learning, progress=False)
        fitted = fit_parameters(optimum.dag, data, ess=1.0)
        best, found = (one.log_likelihood(unseen, threads=1) for one in (truth, fitted))
        row: Row = {"score": "bdeu", "accuracy": accuracy_score(best, found), "arcs": optimum.dag.n_arcs}
        return CellResult([row], worst_status([optimum]))

    def summarize(
        self, settings: ScanagattaVariationsSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return Figure 7's curves, and for each ESS and epsilon the differences to BDeu."""
        import pandas as pd

        parts: list[SummaryTable | SummaryFigure] = []
        limits = rows[rows["varied"] == PARENTS].astype({"value": int})
        if len(limits):
            curves = limits.pivot_table(index="size", columns="value", values="accuracy", aggfunc="mean")
            curves.columns = pd.Index([f"at most {value}" for value in curves.columns])
            frame = curves.join(limits.groupby("size")["cell"].nunique().rename("cells")).reset_index()
            caption = "Figure 7: mean accuracy score of BDeu's network (lower is better) by the limit on parents."
            parts += [SummaryTable("parents", caption, frame), SummaryFigure("parents", caption, _draw(curves))]
        others = rows[rows["varied"] != PARENTS]
        if len(others):
            caption = (
                "Mean difference to BDeu on the same samples, with its standard error, by the setting that is varied "
                "(the usual ones: ESS 1, epsilon 1/2)."
            )
            parts.append(SummaryTable("settings", caption, _differences(others)))
        return parts


def _differences(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    lines = []
    for (varied, value, size), part in rows.groupby(["varied", "value", "size"], sort=False):
        for score in ("min_bdeu", "max_bdeu"):
            line: dict[str, Any] = {"varied": varied, "value": value, "size": size, "score": score}
            for measure in ("accuracy", "moral", "arcs"):
                wide = part.assign(**{measure: pd.to_numeric(part[measure])}).pivot_table(
                    index="cell", columns="score", values=measure
                )
                difference = wide[score] - wide["bdeu"]
                line[measure] = float(difference.mean())
                line[f"{measure} error"] = float(difference.std(ddof=1)) / math.sqrt(max(1, len(difference)))
                line["cells"] = len(difference)
            cells = line.pop("cells")
            lines.append({**line, "cells": cells})
    return pd.DataFrame(lines)


def _draw(curves: pd.DataFrame) -> Any:
    def draw(axes: Axes) -> None:
        for name in curves:
            axes.plot(curves.index, curves[name], marker=".", label=f"{name} parents")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("cases")
        axes.set_ylabel("accuracy score (lower is better)")
        axes.legend(fontsize=8)

    return draw

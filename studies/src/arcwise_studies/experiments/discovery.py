"""Knowledge discovery (Liao 2022, chapters 4 and 5): confidences learned from samples of networks that are known.

A cell is one proxy instance: a network, a sample from it, a score, and the bootstrap or the credible set. It keeps the
confidences of all pairs next to the truth (see `PairStates`), so that one set of cells serves chapter 4 (which score is
best?) and chapter 5 (which threshold, which method, which ensemble?), for every measure and threshold.

Ground truths are networks by name, and networks fitted to data as in section 4.6.1: each data set is scored with each
of `truth_scores`, an optimal network learned, its parameters fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from arcwise.base.options import options_of
from arcwise.base.run import Run
from arcwise.confidence import edge_confidence, permuted_confidences
from arcwise.confidence.by_recipe import broom_threshold
from arcwise.ensemble import Recipe
from arcwise.errors import ConfigError, OptionError
from arcwise.limits import Limits, Status
from arcwise.recipes.registry import find_source
from arcwise.scores import make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.experiments.pair_states import PairStates
from arcwise_studies.settings import LATER

if TYPE_CHECKING:
    import pandas as pd

    from arcwise_studies.sources import Sources

__all__ = ["Discovery", "DiscoverySettings"]

# The scores whose penalty ends the search for parent sets by itself; the others need a limit on parents (section 4.5).
PENALISED = ("aic", "bic")


@dataclass(frozen=True)
class DiscoverySettings:
    """The settings.

    Parameters
    ----------
    networks, repetitions, first_repetition
        Networks by name, how many samples of each size are drawn from each, and how many of these are left out, since
        another study has them.
    data_sets, truth_scores, fitted_search, fitted_repetitions
        Data sets to fit networks to, the scores to learn them with, how (see `arcwise_studies.fitted`), and the number
        of samples of each size.
    sizes, scores, methods
        Cases in a sample; scores; sources of networks (`arcwise.recipes.registry`).
    replicates
        Networks of a bootstrap.
    bayes_factor, most_networks, max_parents, largest_credible
        Of a credible set; the limit on parents is for scores other than AIC and BIC. Networks with more variables than
        `largest_credible` have no credible cells.
    learn_seconds
        Time for a cell's networks; what is not finished then is recorded as a limit.
    permuted_networks, permuted_sizes, permutations, permuted_replicates, permuted_seconds
        For which networks and sizes Broom's rule is applied too, and how. It is done for the first repetition.
    keep_arcs
        Whether the arcs of the networks are averaged, too, and not only those of their classes.
    tables
        Which tables a summary has: those of chapter 4 ("scores"), those of chapter 5 ("thresholds"), its figures by
        instance, ensembles within a method and remarks ("ensembles"), or the rules with Broom's ("broom").
    """

    networks: tuple[str, ...] = ()
    repetitions: int = 3
    data_sets: tuple[str, ...] = ()
    truth_scores: tuple[str, ...] = ("aic", "bdeu", "bic", "qbdj", "qnml")
    fitted_search: Literal["exact", "order"] = "exact"
    fitted_max_parents: int | None = None
    fitted_repetitions: int = 3
    sizes: tuple[int, ...] = (50, 100, 500, 1000, 5000, 10000)
    scores: tuple[str, ...] = ("aic", "bdeu", "bic", "qnml")
    methods: tuple[str, ...] = ("bootstrap", "credible")
    replicates: int = 200
    bayes_factor: float = 150.0
    most_networks: int | None = 100_000
    max_parents: int | None = None
    largest_credible: int = 1000
    learn_seconds: float | None = None
    permuted_networks: tuple[str, ...] = ()
    permuted_sizes: tuple[int, ...] = ()
    permutations: int = 60
    permuted_replicates: int = 200
    permuted_seconds: float | None = None
    keep_arcs: bool = field(default=False, metadata={LATER: True})
    first_repetition: int = field(default=0, metadata={LATER: True})
    tables: Literal["scores", "thresholds", "ensembles", "broom"] = "thresholds"

    def __post_init__(self) -> None:
        for score in (*self.scores, *self.truth_scores):
            make_score(score)
        for name in ("repetitions", "fitted_repetitions", "replicates", "permuted_replicates"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} must be at least 1.")
        try:
            self.recipes()
        except OptionError as error:
            raise error.within(kind=ConfigError) from None
        if not 0 <= self.first_repetition < max(self.repetitions, self.fitted_repetitions):
            raise ConfigError(f"first_repetition = {self.first_repetition} leaves no sample: repetitions must be more.")
        if self.permutations < 2:
            raise ConfigError(f"permutations = {self.permutations} must be at least 2.")
        if any(size < 2 for size in self.sizes):
            raise ConfigError("sizes: a sample needs at least 2 cases.")
        if not (self.networks or self.data_sets):
            raise ConfigError("give networks, or data_sets to fit networks to.")

    def recipe(self, method: str, score: str, *, replicates: int | None = None) -> Recipe:
        """Return how the networks of a cell are made; a source takes those settings that it knows.

        The penalties of AIC and BIC end the search for parent sets by themselves; the other scores of a credible set
        need the limit on parents (section 4.5). A bootstrap's searches need none.
        """
        source = find_source(method)
        given: dict[str, Any] = {
            "replicates": replicates or self.replicates,
            "bayes_factor": self.bayes_factor,
            "most_networks": self.most_networks,
            "refine": 0,  # as bnlearn learns them, and the thesis did
        }
        known = {item.name for item in options_of(source.Settings)}
        name = str(make_score(score).describe()["name"])
        return Recipe.of(
            method,
            score,
            max_parents=None if name in PENALISED or source.is_sample else self.max_parents,
            **{key: value for key, value in given.items() if key in known},
        )

    def recipes(self) -> dict[str, dict[str, Any]]:
        """Return the recipes of all cells, described, by source and score: "credible:qnml"."""
        made = [self.recipe(method, score) for method in self.methods for score in self.scores]
        return {f"{recipe.source}:{recipe.score['name']}": recipe.describe() for recipe in made}


class Discovery(Experiment[DiscoverySettings]):
    """Samples of known networks, and the confidences learned from them."""

    Settings = DiscoverySettings
    axes = (
        "networks",
        "repetitions",
        "first_repetition",
        "data_sets",
        "truth_scores",
        "fitted_repetitions",
        "sizes",
        "scores",
        "methods",
        "largest_credible",
        "permuted_networks",
        "permuted_sizes",
        "tables",
    )

    def check(self, settings: DiscoverySettings, sources: Sources) -> None:
        """Raise an error if a network or a data set is not there."""
        for truth in _truths(settings):
            sources.check_network(truth.source)

    def plan(self, settings: DiscoverySettings) -> Iterable[Row]:
        """Return the cells, one repetition after the other."""
        for repetition in range(settings.first_repetition, max(settings.repetitions, settings.fitted_repetitions)):
            for size in settings.sizes:
                for truth in _truths(settings):
                    if repetition >= truth.repetitions:
                        continue
                    for method in settings.methods:
                        for score in settings.scores:
                            yield {
                                "truth": truth.source,
                                "family": truth.family,
                                "benchmark": truth.benchmark,
                                "cases": size,
                                "repetition": repetition,
                                "method": method,
                                "score": score,
                                "permuted": repetition == 0
                                and truth.source in settings.permuted_networks
                                and size in settings.permuted_sizes,
                            }

    def run(self, settings: DiscoverySettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, find networks, average them, and put the confidences next to the truth."""
        network = context.sources.network(parameters["truth"])
        source = find_source(parameters["method"])
        if not source.is_sample and network.n_variables > settings.largest_credible:  # all networks or none
            text = f"{source.title}s are not sought for more than {settings.largest_credible} variables"
            return CellResult([], Status.COUNT_LIMIT, text)
        sample_key = (parameters["truth"], parameters["cases"], parameters["repetition"])
        data = network.sample(parameters["cases"], seed=context.shared_rng(*sample_key), threads=1)
        recipe = settings.recipe(parameters["method"], parameters["score"])
        deadline = Run(limits=Limits(seconds=settings.learn_seconds, memory_bytes=context.limits.memory_bytes))
        seed = int(context.rng.integers(2**32))
        networks = recipe.run(data, seed=seed, threads=1, limits=deadline.limits, progress=False)
        if not networks.count:
            return CellResult([], networks.status, f"no network was found: {networks.status}")
        confidence = edge_confidence(networks, n_cases=data.n_cases, limits=deadline.limits)
        row: Row = {
            "variables": network.n_variables,
            "networks": networks.count,
            "whole": networks.complete,
            "broom": math.nan,
            "permutations": 0,
            **PairStates.of(confidence, network.dag).pack(),
        }
        if settings.keep_arcs:
            arcs = edge_confidence(networks, orient="dag", n_cases=data.n_cases, limits=deadline.limits)
            row["arcs"] = PairStates.of(arcs, network.dag).pack()["shares"]
        if parameters["permuted"]:
            permuted = permuted_confidences(
                data,
                settings.recipe(parameters["method"], parameters["score"], replicates=settings.permuted_replicates),
                permutations=settings.permutations,
                seed=context.rng,
                limits=Limits(seconds=settings.permuted_seconds, memory_bytes=context.limits.memory_bytes),
                progress=False,
            )
            if permuted.complete:
                row["broom"] = broom_threshold(confidence.vector, permuted.vectors, significance=None).value
                row["permutations"] = len(permuted.vectors)
        # A credible set that reached the count of networks to average is whole in the sense of the thesis (4.6.2).
        stopped = networks.status not in (Status.COMPLETE, Status.COUNT_LIMIT)
        return CellResult([row], networks.status if stopped else Status.COMPLETE)

    def summarize(
        self, settings: DiscoverySettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return the tables and figures of chapter 4 or chapter 5."""
        from arcwise_studies.experiments import discovery_ensembles, discovery_scores, discovery_thresholds

        if settings.tables == "scores":
            return discovery_scores.summarize(settings.scores, rows, cells)
        if settings.tables == "ensembles":
            return discovery_ensembles.summarize(rows)
        if settings.tables == "broom":
            return discovery_thresholds.summarize_broom(rows)
        return discovery_thresholds.summarize(settings.scores, rows, cells)


@dataclass(frozen=True, slots=True)
class _Truth:
    source: str
    family: str  # "named", or "fitted-bic" and so on: the rows of Liao's Table 4.3
    benchmark: str  # what is left out together
    repetitions: int


def _truths(settings: DiscoverySettings) -> Iterator[_Truth]:
    for name in settings.networks:
        yield _Truth(name, "named", name, settings.repetitions)
    more = "" if settings.fitted_search == "exact" else f",search={settings.fitted_search}"
    if settings.fitted_max_parents is not None:
        more += f",max_parents={settings.fitted_max_parents}"
    for data in settings.data_sets:
        benchmark, _, options = data.partition(":")
        rest = f",{options}" if options else ""
        for score in settings.truth_scores:
            source = f"fitted:data={benchmark},score={score}{more}{rest}"
            yield _Truth(source, f"fitted-{score.partition(':')[0]}", benchmark, settings.fitted_repetitions)

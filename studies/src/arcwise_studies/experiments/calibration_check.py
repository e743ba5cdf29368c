"""Do the probabilities that the package ships hold on worlds that they were not learned from?

A cell is a sample of one world, at a number of cases and of variables; it leaves what the default recipe of `learn`
says of all pairs next to the truth, and how far its network and those of other methods are from the true class. Nothing
is fitted here: the tables of the summary judge the probabilities of the package that makes it.

logistic    main effects of every state of every parent
hubs        few variables have all the children
contexts    tables that are trees of questions
modules     groups of variables with many edges, and none between groups
benchmark   connected parts of networks that no study learned from: child, insurance, alarm, hailfinder, hepar2, ...
copying     trees whose variables copy a parent or stray
chain       every variable depends on the one before it
votes       three layers, weighted votes of two states
skewed      one state has most of the cases
straight    numbers on straight lines with normal noise, cut into intervals
sparse      0.35 edges for each variable, of a kind that the study has, too, as the next two
lattice     neighbours on a grid
dense       3 to 5 edges for each variable
tiers       a world of one of the first kinds, and the learner is told an order of time
arcs        the same, and the learner is told arcs that are there and arcs that are not
independent no edge at all, 2 to 5 states
shuffled    columns of a table, each shuffled on its own
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import suggestion
from arcwise.base.run import Run
from arcwise.confidence import choose_threshold, consensus_network
from arcwise.confidence.by_recipe import carry_out
from arcwise.data import Dataset
from arcwise.ensemble import Recipe
from arcwise.errors import ConfigError
from arcwise.evaluate import shd
from arcwise.graph import Dag
from arcwise.limits import Limits, Status
from arcwise.local import hill_climb, tabu_search
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.experiments.calibration import FEWEST, among, as_seen, learn_sample
from arcwise_studies.known_facts import known_facts

if TYPE_CHECKING:
    import pandas as pd

    from arcwise_studies.sources import Sources

__all__ = ["CUT", "KINDS", "NEW", "CalibrationCheck", "CheckSettings"]

WORLD_SEED = 38  # of the worlds, with their kind, sizes and number
PARTS = {"child": 20, "insurance": 27, "alarm": 37, "hailfinder": 56, "hepar2": 70, "win95pts": 76, "andes": 223}
SHUFFLED, CUT, INDEPENDENT = "shuffled", "straight", "independent"
NEW = (
    *("logistic", "hubs", "contexts", "modules", "benchmark"),
    *("copying", "chain", "votes", "skewed", CUT),
)
TOLD = ("tiers", "arcs")
KINDS = (*NEW, INDEPENDENT, "sparse", "lattice", "dense", *TOLD)
FEW_CASES = 200  # up to here samples are small: of these there may be more


def world_text(kind: str, nodes: int, rng: np.random.Generator) -> str:
    """Return the text of a world of a kind."""
    if kind in TOLD:
        kind = str(rng.choice([name for name in NEW if name != "benchmark"]))
    seed = int(rng.integers(2**31))
    low, high = ((2, 2), (2, 3), (2, 4), (3, 4), (3, 3))[rng.integers(5)]
    states = f"min_states={low},max_states={high}"
    strength = f"concentration={math.exp(rng.uniform(math.log(0.3), math.log(1.5))):.2f}"
    some = f"mean_parents={min(rng.uniform(0.6, 1.6), (nodes - 1) / 3):.2f}"
    if kind == "benchmark":
        fitting = [name for name, size in PARTS.items() if size > nodes]
        return f"part:network={fitting[int(rng.integers(len(fitting)))]},nodes={nodes},seed={seed}"
    text = {
        "logistic": f"{some},{states},tables=logistic",
        "hubs": f"shape=hubs,{states},{strength}",
        "contexts": f"{some},{states},tables=contexts",
        "modules": f"shape=modules,{states},{strength}",
        "copying": f"shape={('tree', 'polytree')[rng.integers(2)]},min_states=2,max_states={high},tables=copying",
        "chain": f"shape=chain,{states},{strength}",
        "votes": "shape=layers,tables=votes",
        "skewed": f"{some},min_states={low},max_states={max(high, 3)},tables=skewed",
        "sparse": f"mean_parents=0.35,{states},{strength}",
        "lattice": f"shape=lattice,{states},{strength}",
        "dense": f"mean_parents={min(rng.uniform(3, 5), (nodes - 1) / 3):.2f},max_states=3,{strength}",
        CUT: f"mean_parents={min(rng.uniform(0.6, 1.6), (nodes - 1) / 3):.2f},straight=yes",
        INDEPENDENT: "mean_parents=0,min_states=2,max_states=5,concentration=2",
    }[kind]
    return f"{'system' if kind == CUT else 'random'}:nodes={nodes},{text},seed={seed}"


@dataclass(frozen=True)
class CheckSettings:
    """The settings.

    Parameters
    ----------
    kinds
        The kinds of worlds.
    nodes, repetitions
        Numbers of variables, and how many worlds of each kind there are for each of them and each number of cases.
    times
        How many times as many samples of at most 200 cases there are: there probabilities decide, and cells are quick.
    first
        The number of the first world: another gives fresh ones.
    independent, shuffled, columns
        How many tables without any edge there are for each number of columns and of cases, data sets whose columns are
        shuffled, and these numbers of columns.
    sizes
        Numbers of cases.
    recipe, replicates
        Source and score, and how many networks.
    compare
        Whether other methods learn from the same samples.
    learn_seconds
        Time for each sample.
    """

    kinds: tuple[str, ...] = NEW
    nodes: tuple[int, ...] = (8, 15, 30, 60)
    repetitions: tuple[int, ...] = (1, 1, 1, 1)
    times: int = 1
    first: int = 0
    independent: int = 0
    shuffled: tuple[str, ...] = ()
    columns: tuple[int, ...] = (8, 15)
    sizes: tuple[int, ...] = (60, 200, 800, 3000, 20000)
    recipe: str = "bootstrap:qnml"
    replicates: int = 100
    compare: bool = True
    learn_seconds: float | None = None

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in KINDS:
                raise ConfigError(f"kinds: {suggestion('kind of worlds', kind, KINDS)}")
        if len(self.nodes) != len(self.repetitions) or min((*self.nodes, *self.columns)) < FEWEST:
            raise ConfigError(f"give as many repetitions as nodes, and at least {FEWEST} nodes and columns.")

    def worlds(self) -> Iterable[Row]:
        """Return kind, text and number of variables of every world: those without edges first, then small ones."""
        yield from self._drawn((INDEPENDENT,), self.columns, [self.independent] * len(self.columns))
        for columns in self.columns:
            for size in self.sizes:
                for text in self.shuffled:
                    yield {"kind": SHUFFLED, "nodes": columns, "cases": size, "truth": text}
        yield from self._drawn(self.kinds, self.nodes, self.repetitions)

    def _drawn(self, kinds: Sequence[str], nodes: Sequence[int], repetitions: Sequence[int]) -> Iterator[Row]:
        for own, count in zip(nodes, repetitions, strict=True):
            for size in self.sizes:
                for kind in kinds:
                    more = self.times if size <= FEW_CASES else 1
                    for k in range(self.first, self.first + more * count):
                        rng = np.random.default_rng([WORLD_SEED, KINDS.index(kind), own, size, k])
                        yield {"kind": kind, "nodes": own, "cases": size, "truth": world_text(kind, own, rng)}


class CalibrationCheck(Experiment[CheckSettings]):
    """Samples of worlds of other kinds and of some of the study's, and what the package says of them."""

    Settings = CheckSettings
    axes = ("kinds", "nodes", "repetitions", "times", "first", "independent", "shuffled", "columns", "sizes")

    def check(self, settings: CheckSettings, sources: Sources) -> None:
        """Raise an error if a network or a data set is not there."""
        for world in settings.worlds():
            (sources.check_data if world["kind"] == SHUFFLED else sources.check_network)(str(world["truth"]))

    def plan(self, settings: CheckSettings) -> Iterable[Row]:
        """Return a cell for each sample, those of few variables first."""
        return settings.worlds()

    def run(self, settings: CheckSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, learn, and put all next to the truth."""
        data, truth = self._sample(parameters, context)
        if data is None:
            return CellResult([], Status.COMPLETE, "fewer than three variables vary in the sample")
        source, _, score = settings.recipe.partition(":")
        facts = {"n_cases": data.n_cases, "arities": data.arities.tolist(), "replicates": settings.replicates}
        kind = str(parameters["kind"])
        knowledge = known_facts(kind, truth, context.shared_rng(*parameters.values())) if kind in TOLD else None
        recipe = Recipe.usual(source, score, constraints=knowledge, **facts)
        limits = Limits(settings.learn_seconds, context.limits.memory_bytes)
        found = learn_sample(recipe, data, truth, int(context.rng.integers(2**32)), limits)
        if found.confidence is None:
            return CellResult([], found.status, f"no network was found: {found.status}")
        row = dict(found.row)
        if knowledge is not None:
            said = {"names": list(knowledge.names), "said": knowledge.describe()}
            return CellResult([row | {"told": json.dumps(said)}], found.status)
        half = choose_threshold(found.confidence, "calibrated", metric="cost", alpha=1)
        network = consensus_network(found.confidence, half).dag
        graphs = {"learn": network.cpdag}
        if settings.compare:
            run = Run(1, threads=1, limits=limits, progress=False)
            plain = Recipe.of("bootstrap", "bic", learner="hill-climbing", draws="replacement", replicates=100)
            others = carry_out(plain, data, run).confidence
            graphs["hill_climb"] = hill_climb(data, "bic", seed=1, progress=False).dag.cpdag
            graphs["tabu"] = tabu_search(
                data, "bic", seed=1, refine=0, restarts=0, perturb=None, progress=False
            ).dag.cpdag
            if others is not None:
                graphs["averaged"] = consensus_network(others, 0.5).dag.cpdag
        row |= {f"distance_{name}": float(shd(truth.cpdag, graph)) for name, graph in graphs.items()}
        return CellResult([row], found.status)

    @staticmethod
    def _sample(parameters: Mapping[str, Any], context: CellContext) -> tuple[Dataset | None, Dag]:
        text, cases = parameters["truth"], parameters["cases"]
        rng = context.shared_rng(text, cases, parameters["nodes"])
        if parameters["kind"] == SHUFFLED:
            whole = context.sources.data(text)
            names = [whole.names[v] for v in rng.permutation(whole.n_variables)[: parameters["nodes"]]]
            mixed = whole.select(names).subsample(min(1.0, cases / whole.n_cases), rng).permute_columns(rng)
            data = as_seen(mixed.expand(), names)
            return data, Dag([], []) if data is None else Dag(list(data.names), [[] for _ in data.names])
        world = context.sources.world(text)
        seen = as_seen(world.sample(cases, seed=rng, threads=1), world.names)
        assert seen is None or isinstance(seen, Dataset)
        return seen, Dag([], []) if seen is None else among(world.dag, seen.names)

    def summarize(
        self, settings: CheckSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return how good probabilities, ranges, directions, paths and networks are, and what is said of noise."""
        from arcwise_studies.experiments.calibration_goals import summarize

        source, _, score = settings.recipe.partition(":")
        return summarize(rows, Recipe.usual(source, score, replicates=settings.replicates))

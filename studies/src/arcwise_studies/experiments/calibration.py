"""Calibration: how often an edge of confidence c is there, in worlds that differ.

A cell is one recipe on one sample of one world; it leaves the confidences of all pairs next to the truth
(`PairStates`): from these rows come the maps from confidences to probabilities, the learned thresholds, and the
choice of what `learn` does by default. Worlds come in families, and every choice is judged on a family that it was made
without:

published   networks by name
collected   networks by name, of another collection
learned     networks learned from data sets, each by several scores (Liao 4.6.1)
part        connected parts of large networks (`arcwise_studies.network_parts`)
random      random networks of 5 to 60 variables, weak and strong, sparse and dense
hidden      such networks with common causes that are not in the data
mixed       such networks in which the cases come from two populations
independent 3 to 30 variables without any edge: what is found there is found by chance
sparse      5 to 60 variables with 0.1 to 0.7 edges each
dense       5 to 20 variables with 3 to 5 edges each
shaped      trees, lattices, small worlds and scale-free networks
ordered     states that rise or fall with those of their parents
causes      noisy-or: two states, and causes that each suffice
parity      parities and majorities, of which pairs show nothing
rare        two states, one of which hardly occurs
many        8 to 15 states
cut         systems of numbers that were cut into intervals

and, for scores of numbers, scales and categories as they are (`arcwise_studies.number_systems`):

linear      numbers, straight lines, normal noise, effects from weak to middling
strong      the same with strong effects
curved      numbers, most of whose effects are squares, tanh, sines and steps
tailed      numbers with heavy tails, skewed, rounded or exponentials
halves      half of the variables categories, with categories alone as parents
children    half of the variables categories, also children of numbers
scales      scales of three to six steps, alone and among numbers
slopes      categories that change the slopes of numbers
confounded  the same and others with common causes that are not in the data
blends      some of everything
copied      networks fitted to tables of numbers and categories, with the values that these have
unrelated   variables of all these kinds without any edge, counted as independent

In `hidden`, `confounded` and `mixed` the truth is the network among the variables that are seen: what a hidden cause
makes dependent is no edge, and a method that reports one is wrong. As in a file, states that do not occur in a sample
are not known there, and a variable with a single state is left out.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from arcwise.base.options import options_of
from arcwise.base.run import Run
from arcwise.confidence.by_recipe import carry_out
from arcwise.confidence.chance import find_chance
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset, MixedData
from arcwise.ensemble import Recipe
from arcwise.errors import ConfigError, OptionError
from arcwise.graph import Dag
from arcwise.limits import Limits, Status
from arcwise.recipes.registry import find_source
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.experiments.pair_states import PairStates, PathStates
from arcwise_studies.random_networks import visible_names

if TYPE_CHECKING:
    import pandas as pd

    from arcwise_studies.sources import Sources

__all__ = [
    "FAMILIES",
    "CalibrationExperiment",
    "CalibrationSettings",
    "among",
    "as_seen",
    "independent_world",
    "learn_sample",
]

KINDS = ("sparse", "dense", "shaped", "ordered", "causes", "parity", "rare", "many", "cut")
AS_THEY_ARE = (
    *("linear", "strong", "curved", "tailed", "halves", "children", "scales", "slopes", "confounded", "blends"),
    "unrelated",
)
COPIED, COPIES = "copied", 3  # systems that are like a table, and how many are made of each
FAMILIES = (
    *("published", "collected", "part", "random", "hidden", "mixed", "independent", "learned"),
    *(*KINDS, *AS_THEY_ARE, COPIED),
)
FEWEST = 3  # variables of a sample
MOST_REACHED = 100  # variables of which paths are looked at, too
WORLD_SEED = 20  # of the random worlds: the plan is always the same


@dataclass(frozen=True)
class CalibrationSettings:
    """The settings.

    Parameters
    ----------
    published, repetitions, collected
        Networks by name; the published ones, which are few, as often as `repetitions` says.
    added
        More networks as "family:name", or "sparse:40": 40 worlds of one of the families that are made here,
        "sparse:100+40": 40 from number 100 on, and "copied:wine": three that are like this table. They come last, so
        that a study can grow without another cell's being changed.
    learned_from, truth_scores
        Data sets, and the scores by which networks of at most three parents are learned from each.
    parts_of, parts, part_nodes
        The large networks, how many parts of each, and their numbers of variables.
    random, hidden, mixed, independent
        How many random worlds of each family.
    sizes, sizes_per_world
        Cases in a sample; how many of the sizes each world has, in turn.
    recipes
        Source and score, "credible:qnml" or "bootstrap:bdeu:ess=1".
    replicates, most_draws
        Of a bootstrap, and of a posterior: how exact a confidence is, not what it means.
    largest_exact
        Networks with more variables have no credible sets and no posteriors.
    learn_seconds
        Time for each recipe, None for no limit; what is not finished then is left out.
    """

    published: tuple[str, ...] = ()
    repetitions: int = 1
    collected: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    learned_from: tuple[str, ...] = ()
    truth_scores: tuple[str, ...] = ("bic",)
    parts_of: tuple[str, ...] = ()
    parts: int = 1
    part_nodes: tuple[int, ...] = (10, 20, 30)
    random: int = 0
    hidden: int = 0
    mixed: int = 0
    independent: int = 0
    sizes: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000)
    sizes_per_world: int = 3
    recipes: tuple[str, ...] = ("credible:qnml", "bootstrap:bdeu:ess=1")
    replicates: int = 200
    most_draws: int = 2000
    largest_exact: int = 40
    learn_seconds: float | None = None

    def __post_init__(self) -> None:
        try:
            self.made_recipes()
        except OptionError as error:
            raise error.within(kind=ConfigError) from None
        if any(size < 2 for size in self.sizes):
            raise ConfigError("sizes: a sample needs at least 2 cases.")
        if not 1 <= self.sizes_per_world <= len(self.sizes):
            raise ConfigError(f"sizes_per_world = {self.sizes_per_world} must be between 1 and the number of sizes.")
        for text in self.added:
            if text.partition(":")[0] not in FAMILIES:
                raise ConfigError(f"added: '{text}' does not begin with a family: {', '.join(FAMILIES)}.")
        if not any(True for _ in worlds(self)):
            raise ConfigError(
                "give worlds: published, collected, added, learned_from, parts_of, random, hidden, mixed, independent."
            )

    def recipe(self, text: str, data: Dataset | MixedData | None = None) -> Recipe:
        """Return the recipe of a source and score for a data set, as `learn` has it."""
        source, _, score = text.partition(":")
        known = {item.name for item in options_of(find_source(source).Settings)}
        given: dict[str, Any] = {name: getattr(self, name) for name in ("replicates", "most_draws") if name in known}
        if data is not None:
            given |= {"n_cases": data.n_cases, "arities": data.arities.tolist()}
        return Recipe.usual(source, score or None, **given)

    def made_recipes(self) -> dict[str, Recipe]:
        """Return the recipes by source and score's name: "credible:qnml"."""
        made = [self.recipe(text) for text in self.recipes]
        return {f"{recipe.source}:{recipe.score['name']}": recipe for recipe in made}


def worlds(settings: CalibrationSettings) -> Iterator[tuple[str, str, int]]:
    """Return family, text and repetition of every world; families take turns, so that a part of a study has all."""
    lists = [
        [("published", name, again) for again in range(settings.repetitions) for name in settings.published],
        [("collected", name, 0) for name in settings.collected],
        [
            ("part", f"part:network={name},nodes={nodes},seed={seed}", 0)
            for seed in range(settings.parts)
            for nodes in settings.part_nodes
            for name in settings.parts_of
        ],
        *(
            [(family, random_world(family, k), 0) for k in range(getattr(settings, family))]
            for family in ("random", "hidden", "mixed")
        ),
    ]
    for k in range(max(map(len, lists), default=0)):
        yield from (of_family[k] for of_family in lists if k < len(of_family))
    yield from (("independent", independent_world(k), 0) for k in range(settings.independent))
    yield from (("learned", text, 0) for text in learned_worlds(settings))
    for text in settings.added:
        family, _, name = text.partition(":")
        first, _, count = name.rpartition("+")
        if family in MADE and count.isdecimal() and (first or "0").isdecimal():
            label = "independent" if family == "unrelated" else family
            begin = int(first or 0)
            yield from ((label, MADE[family](family, k), 0) for k in range(begin, begin + int(count)))
        elif family == COPIED:
            yield from ((family, copied_world(name, k), 0) for k in range(COPIES))
        else:
            yield family, name, 0


def learned_worlds(settings: CalibrationSettings) -> Iterator[str]:
    """Return the texts of the networks that are learned from data: by order search, which is near the best."""
    for score in settings.truth_scores:
        for data in settings.learned_from:
            name, _, options = data.partition(":")
            more = f",{options}" if options else ""
            yield f"fitted:data={name},score={score},max_parents=3,search=order{more}"


def random_world(family: str, index: int) -> str:
    """Return the text of a random network: its size, states, strength and density are drawn."""
    rng = np.random.default_rng([WORLD_SEED, FAMILIES.index(family), index])
    nodes = round(math.exp(rng.uniform(math.log(5), math.log(60))))
    low, high = ((2, 2), (2, 3), (2, 4), (3, 4), (2, 6))[rng.integers(5)]
    if rng.random() < 0.5:
        structure = f"max_degree={rng.integers(3, 7 if high < 5 else 5)}"
    else:
        structure = f"mean_parents={min(rng.uniform(0.8, 2.2), (nodes - 1) / 3):.2f}"
    concentration = math.exp(rng.uniform(math.log(0.3), math.log(2)))
    trouble = {
        "random": "",
        "hidden": f",hidden={max(1, nodes // 8)}",
        "mixed": f",mixture={rng.uniform(0.15, 0.5):.2f}",
    }[family]
    return (
        f"random:nodes={nodes},{structure},min_states={low},max_states={high},concentration={concentration:.2f}"
        f"{trouble},seed={index}"
    )


def independent_world(index: int) -> str:
    """Return the text of a network without edges."""
    rng = np.random.default_rng([WORLD_SEED, FAMILIES.index("independent"), index])
    nodes = round(math.exp(rng.uniform(math.log(3), math.log(30))))
    low, high = ((2, 2), (2, 3), (2, 4), (3, 4), (2, 6))[rng.integers(5)]
    return f"random:nodes={nodes},mean_parents=0,min_states={low},max_states={high},concentration=2,seed={index}"


def world_of_kind(family: str, index: int) -> str:
    """Return the text of a world of the families that are made here, drawn by its number."""
    rng = np.random.default_rng([WORLD_SEED, FAMILIES.index(family), index])
    nodes = round(math.exp(rng.uniform(math.log(5), math.log(60))))
    few = round(math.exp(rng.uniform(math.log(5), math.log(20))))
    low, high = ((2, 2), (2, 3), (2, 4), (3, 4), (2, 6))[rng.integers(5)]
    states = f"min_states={low},max_states={high}"
    strength = f"concentration={math.exp(rng.uniform(math.log(0.3), math.log(1.5))):.2f}"
    shape = ("tree", "polytree", "lattice", "small-world", "scale-free")[rng.integers(5)]
    some = f"mean_parents={min(rng.uniform(0.7, 1.8), (nodes - 1) / 3):.2f}"
    text = {
        "sparse": f"nodes={nodes},mean_parents={rng.uniform(0.1, 0.7):.2f},{states},{strength}",
        "dense": f"nodes={few},mean_parents={min(rng.uniform(3, 5), (few - 1) / 3):.2f},max_states=3,{strength}",
        "shaped": f"nodes={nodes},shape={shape},{states},{strength}",
        "ordered": f"nodes={nodes},{some},min_states={low},max_states={min(high, 5)},tables=monotone",
        "causes": f"nodes={nodes},shape=bipartite,tables=noisy-or",
        "parity": f"nodes={nodes},{some},tables=parity",
        "rare": f"nodes={nodes},{some},tables=rare",
        "many": f"nodes={few},shape=polytree,min_states=8,max_states=15,{strength}",
        "cut": f"nodes={nodes},{some}",
    }[family]
    return f"{'system' if family == 'cut' else 'random'}:{text},seed={index}"


def world_of_numbers(family: str, index: int) -> str:
    """Return the text of a system of numbers, scales and categories, drawn by its number."""
    rng = np.random.default_rng([WORLD_SEED, FAMILIES.index(family), index])
    nodes = round(math.exp(rng.uniform(math.log(5), math.log(40))))
    some = f"nodes={nodes},mean_parents={min(rng.uniform(0.7, 2.2), (nodes - 1) / 3):.2f}"
    low = math.exp(rng.uniform(math.log(0.1), math.log(0.5)))
    strength = f"low={low:.2f},high={rng.uniform(2, 4) * low:.2f}"
    shares = [f"{share:.2f}" for share in rng.uniform(0.1, 0.6, size=4)]
    steps = f"least_steps=3,most_steps={rng.integers(3, 7)},latent={('yes', 'no')[rng.integers(2)]}"
    text = {
        "linear": f"{some},{strength}",
        "strong": f"{some},low=0.8,high={rng.uniform(1.5, 4):.2f}",
        "curved": f"{some},low=0.4,high=1.2,curves={rng.uniform(0.4, 1):.2f}",
        "tailed": f"{some},{strength},tails={rng.uniform(0.4, 1):.2f},shown={shares[0]}",
        "halves": f"{some},{strength},categories=0.5,first=yes",
        "children": f"{some},{strength},categories={rng.uniform(0.3, 0.7):.2f}",
        "scales": f"{some},low=0.3,high=1,scales={(0.5, 1)[rng.integers(2)]},{steps}",
        "slopes": f"{some},{strength},categories=0.5,first=yes,slopes={rng.uniform(0.3, 1):.2f}",
        "confounded": f"{some},{strength},categories={shares[0]},tails={shares[1]},hidden={max(1, nodes // 8)}",
        "blends": f"{some},{strength},categories={shares[0]},scales=0.{rng.integers(1, 4)},{steps},curves={shares[1]},"
        f"tails={shares[2]},shown={shares[3]}",
        "unrelated": f"nodes={nodes},mean_parents=0,categories={shares[0]},scales=0.{rng.integers(0, 4)},"
        f"tails={shares[1]},shown={shares[2]}",
    }[family]
    return f"numbers:{text},seed={index}"


# The families whose worlds are drawn by their number.
MADE: Mapping[str, Callable[[str, int], str]] = {
    **dict.fromkeys(("random", "hidden", "mixed"), random_world),
    "independent": lambda family, index: independent_world(index),
    **dict.fromkeys(KINDS, world_of_kind),
    **dict.fromkeys(AS_THEY_ARE, world_of_numbers),
}


def copied_world(name: str, index: int) -> str:
    """Return the text of a system that is like a table."""
    rng = np.random.default_rng([WORLD_SEED, FAMILIES.index(COPIED), index])
    return f"copula:data={name},columns={round(math.exp(rng.uniform(math.log(6), math.log(20))))},seed={index}"


class CalibrationExperiment(Experiment[CalibrationSettings]):
    """Samples of worlds that differ, and the confidences that all recipes learn from them."""

    Settings = CalibrationSettings
    axes = (
        "published",
        "repetitions",
        "collected",
        "added",
        "learned_from",
        "truth_scores",
        "parts_of",
        "parts",
        "part_nodes",
        "random",
        "hidden",
        "mixed",
        "independent",
        "sizes",
        "sizes_per_world",
        "recipes",
        "largest_exact",
    )

    def check(self, settings: CalibrationSettings, sources: Sources) -> None:
        """Raise an error if a network is not there."""
        for _, text, _ in worlds(settings):
            sources.check_network(text)

    def plan(self, settings: CalibrationSettings) -> Iterable[Row]:
        """Return the cells: recipe by recipe, the first size of every world, then the second, and so on."""
        known = list(worlds(settings))
        for text in settings.recipes:
            for turn in range(settings.sizes_per_world):
                for k, (family, truth, again) in enumerate(known):
                    step = turn * len(settings.sizes) // settings.sizes_per_world
                    size = settings.sizes[(k + k // len(settings.sizes) + step) % len(settings.sizes)]
                    yield {
                        "truth": truth,
                        "family": family,
                        "benchmark": truth,
                        "cases": size,
                        "repetition": again,
                        "recipe": text,
                    }

    def run(self, settings: CalibrationSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Sample, learn by the recipe, and put the confidences next to the truth."""
        network = context.sources.world(parameters["truth"])
        sample_key = (parameters["truth"], parameters["cases"], parameters["repetition"])
        data = as_seen(
            network.sample(parameters["cases"], seed=context.shared_rng(*sample_key), threads=1),
            visible_names(network.names),
        )
        if data is None:
            return CellResult([], Status.COMPLETE, "fewer than three variables vary in the sample")
        recipe = settings.recipe(parameters["recipe"], data)
        if not recipe.source_facts.resamples and data.n_variables > settings.largest_exact:
            text = f"{recipe.source_facts.title}s are not sought for more than {settings.largest_exact} variables"
            return CellResult([], Status.COUNT_LIMIT, text)
        limits = Limits(settings.learn_seconds, context.limits.memory_bytes)
        seed = int(context.rng.integers(2**32))
        found = learn_sample(recipe, data, among(network.dag, data.names), seed, limits)
        if found.confidence is None:
            return CellResult([], found.status, f"no network was found: {found.status}")
        # The draws of chains end at their number: what was asked for.
        stopped = found.status not in (Status.COMPLETE, Status.COUNT_LIMIT)
        return CellResult([found.row], found.status if stopped else Status.COMPLETE)

    def summarize(
        self, settings: CalibrationSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return how good the confidences and the probabilities are, on families left out."""
        from arcwise_studies.experiments.calibration_fit import Samples
        from arcwise_studies.experiments.calibration_paths import summarize_paths
        from arcwise_studies.experiments.calibration_tables import summarize

        paths = [summarize_paths(Samples(rows), settings.made_recipes())] if "paths" in rows else []
        return [*summarize(rows), *paths]


@dataclass(frozen=True, eq=False)
class LearnedSample:
    """What a recipe made of a sample: its confidences, with what shuffled columns show, and the row of a study."""

    confidence: EdgeConfidence | None
    status: Status
    row: Row


def learn_sample(recipe: Recipe, data: Dataset | MixedData, truth: Dag, seed: int, limits: Limits) -> LearnedSample:
    """Learn from a sample, and put the confidences next to the truth."""
    begin = time.process_time()
    made = carry_out(recipe, data, Run(seed, threads=1, limits=limits, progress=False))
    if made.confidence is None:
        return LearnedSample(None, made.status, {})
    chance = find_chance(data, recipe.scorer, Run(seed, threads=1, limits=limits, progress=False))
    found = replace(made.confidence, chance=chance)
    row: Row = {
        "method": recipe.source,
        "score": str(recipe.score["name"]),
        "variables": data.n_variables,
        "mean_states": float(np.mean(data.arities)),
        "networks": found.n_networks,
        "orient": found.orient,
        "whole": found.complete,
        "learn_seconds": time.process_time() - begin,
        "broom": math.nan,
        "chance": "" if chance is None else json.dumps(chance.describe()),
        **PairStates.of(found, truth).pack(),
    }
    if made.networks.listed is not None and data.n_variables <= MOST_REACHED:
        reach = family_reach(made.networks, confidence=found, seed=seed)
        row["paths"] = PathStates.of(reach, truth).pack()
    return LearnedSample(found, made.status, row)


@overload
def as_seen(data: Dataset, names: Sequence[str]) -> Dataset | None: ...
@overload
def as_seen(data: Dataset | MixedData, names: Sequence[str]) -> Dataset | MixedData | None: ...
def as_seen(data: Dataset | MixedData, names: Sequence[str]) -> Dataset | MixedData | None:
    """Return a sample as a file would have it: states that do not occur are not there, nor variables without two.

    None if that leaves fewer than three variables.
    """
    kept = [v for v, name in enumerate(data.names) if name in names and not data.constant[v]]
    if len(kept) < FEWEST:
        return None
    if isinstance(data, MixedData):
        return _mixed_as_seen(data.select([data.names[v] for v in kept]))
    seen = [np.unique(data.codes[v], return_inverse=True) for v in kept]
    return Dataset.from_codes(
        np.column_stack([codes for _, codes in seen]),
        names=[data.names[v] for v in kept],
        states=[[data.states[v][k] for k in found] for v, (found, _) in zip(kept, seen, strict=True)],
    )


def _mixed_as_seen(data: MixedData) -> MixedData:
    values, states = np.array(data.values), list(data.states)
    for v, own in enumerate(data.states):
        if own:
            found, values[v] = np.unique(data.values[v], return_inverse=True)
            states[v] = tuple(own[int(k)] for k in found)
    return MixedData(values, data.names, data.kinds, tuple(states))


def among(dag: Dag, names: Sequence[str]) -> Dag:
    """Return the arcs among some of the variables."""
    position = {dag.names.index(name): k for k, name in enumerate(names)}
    return Dag(
        list(names), [[position[p] for p in dag.parents[dag.names.index(name)] if p in position] for name in names]
    )

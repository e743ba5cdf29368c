"""`NumberSystem` and `CopulaSystem`: worlds of numbers, scales and categories, seen as they are.

``numbers:nodes=10,mean_parents=1.5,low=0.3,high=1,seed=1`` is a random one. Every variable has a number, the sum of
what its parents add and of noise, and made to have variance 1: of a category it is one number for each state, drawn
once. A scale shows between which steps its number lies, and a category the states are drawn of by a softmax. Options:

nodes, mean_parents   how many variables, and parents of each on average
low, high             between what the weights of the parents are (log-uniform, of either sign)
curves                the share of the effects of numbers that are curves: squares, tanh, sines, steps
tails                 the share of the numbers whose noise is Student's t with 3 degrees, exponential or uniform
shown                 the share of the numbers that are shown by another monotone scale: exponentials, whole numbers
categories, scales    the shares of variables that are these
first                 "yes": categories have categories alone as parents, as in conditional Gaussian networks
slopes                the share of numbers whose slopes differ between the states of a category that is a parent, too
latent                "yes": what children of a scale depend on is its number, of which the scale is all that is seen
least_steps, most_steps   of scales (default 3 and 6)
hidden                so many numbers are common causes of two to four others, and not seen

``copula:data=wine,columns=12,seed=1`` is like a real table: of so many of its columns, drawn by the seed, numbers and
scales are made normal by their ranks, a network of at most three parents each is learned and fitted to them (bic-dg of
straight lines; `MixedNetwork`), and what is drawn of it has the values that the columns have: its correlations are as
strong as real ones, and its distributions as odd.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import suggestion
from arcwise.data import MixedData, impute, read_table
from arcwise.data.column import VariableKind, identifier_reason
from arcwise.errors import ConfigError
from arcwise.graph import Dag, sparse_dag
from arcwise.local import tabu_search
from arcwise.model import MixedNetwork
from arcwise.scores.gaussian import normal_scores
from arcwise_studies.cut_systems import CURVES, NOISES
from arcwise_studies.random_networks import CHILDREN, HIDDEN
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise_studies.sources import Sources

__all__ = ["CopulaSystem", "NumberSystem", "check_copula", "check_numbers", "copula_system", "number_system"]

Floats = NDArray[np.float64]
NUMBER, ORDINAL, NOMINAL = VariableKind.NUMBER, VariableKind.ORDINAL, VariableKind.NOMINAL
SHARES = ("curves", "tails", "shown", "categories", "scales", "slopes")
OPTIONS = {
    **dict.fromkeys(("nodes", "seed", "least_steps", "most_steps", "hidden"), int),
    **dict.fromkeys(("mean_parents", "low", "high", *SHARES), float),
    **dict.fromkeys(("first", "latent"), str),
}
COPULA_OPTIONS = {"data": str, "columns": int, "seed": int}
MOST_LEVELS = 4  # of categories that are drawn
# Of variance 1: what a number may have in place of normal noise.
TAILS: tuple[Callable[[np.random.Generator, int], Floats], ...] = (
    NOISES[1],
    lambda rng, size: rng.exponential(size=size) - 1,
    NOISES[2],
)
# How a number may be shown: incomes, counts, and measurements with few digits.
SHOWN: tuple[Callable[[Floats], Floats], ...] = (
    lambda x: np.asarray(np.exp(x), dtype=np.float64),
    lambda x: np.asarray(np.exp(1.5 * x), dtype=np.float64),
    lambda x: np.asarray(np.round(np.exp(1 + 0.7 * x)), dtype=np.float64),
    lambda x: np.asarray(np.round(4 * x), dtype=np.float64),
)
FIT_ROWS, MOST_STATES, ALIKE = 3000, 8, 0.995  # of tables that are imitated


class _Parent(NamedTuple):
    """What a parent adds to the number of a child."""

    weight: float
    curve: int


@dataclass(frozen=True, eq=False)
class NumberSystem:
    """A random system of numbers, scales and categories."""

    dag: Dag
    kinds: tuple[VariableKind, ...]
    parents: tuple[tuple[_Parent, ...], ...]  # in the order of the graph's
    tails: tuple[int, ...]  # 0: normal; else one of TAILS
    shown: tuple[int, ...]  # 0: as it is; else one of SHOWN
    levels: tuple[Floats, ...]  # of a category, the number of each state
    logits: tuple[Floats, ...]  # of a category, at [state, parent], and last the constant
    cuts: tuple[Floats, ...]  # of a scale, the quantiles at which its number is cut
    slopes: tuple[bool, ...]
    latent: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.dag.names

    def sample(self, n_cases: int, *, seed: np.random.Generator | int, threads: int = 1) -> MixedData:
        """Draw cases."""
        rng = np.random.default_rng(seed)
        acts = np.empty((self.dag.n_nodes, n_cases))  # what children depend on, of mean 0 and variance 1
        seen = np.empty_like(acts)
        for v in self.dag.topological_order:
            acts[v], seen[v] = self._draw(v, acts, rng)
        states = []
        for kind, own, levels, cuts in zip(self.kinds, seen, self.levels, self.cuts, strict=True):
            count = {NUMBER: 0, ORDINAL: len(cuts) + 1, NOMINAL: len(levels)}[kind]
            states.append(tuple(str(k + 1) for k in range(count)))
            assert not count or own.max() < count
        return MixedData(seen, self.names, self.kinds, tuple(states))

    def _draw(self, v: int, acts: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return what children of a variable depend on, and what is seen of it."""
        own, n_cases = self.dag.parents[v], acts.shape[1]
        if self.kinds[v] is NOMINAL:
            logits = np.repeat(self.logits[v][:, -1:], n_cases, axis=1)
            for k, (parent, (weight, curve)) in enumerate(zip(own, self.parents[v], strict=True)):
                logits += self.logits[v][:, k, None] * weight * CURVES[curve](acts[parent])
            codes = np.argmax(logits + rng.gumbel(size=logits.shape), axis=0)
            return _standard(self.levels[v][codes]), codes.astype(np.float64)
        tail = self.tails[v]
        drawn: Floats = TAILS[tail - 1](rng, n_cases) if tail else np.asarray(rng.normal(size=n_cases))
        turned: Floats = np.ones(n_cases)
        for parent, (weight, curve) in zip(own, self.parents[v], strict=True):
            drawn = drawn + weight * CURVES[curve](acts[parent])
            if self.slopes[v] and self.kinds[parent] is NOMINAL:
                turned = acts[parent]
        if self.slopes[v]:
            for parent, (weight, _) in zip(own, self.parents[v], strict=True):
                if self.kinds[parent] is not NOMINAL:
                    drawn = drawn + weight * acts[parent] * turned
        number = _standard(drawn)
        if self.kinds[v] is ORDINAL:
            codes = np.searchsorted(np.quantile(number, self.cuts[v]), number, side="left").astype(np.float64)
            return (number if self.latent else _standard(codes)), codes
        return number, SHOWN[self.shown[v] - 1](number) if self.shown[v] else number


def _standard(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-12), dtype=np.float64)


def check_numbers(source: SourceText) -> dict[str, Any]:
    """Return the options of a system, checked."""
    usual = {"seed": 0, "mean_parents": 1.5, "low": 0.3, "high": 1.0, "hidden": 0, "least_steps": 3, "most_steps": 6}
    options: dict[str, Any] = usual | dict.fromkeys(SHARES, 0.0) | {"first": "no", "latent": "no"}
    options |= source.values(OPTIONS)
    if options.get("nodes", 0) < 2 or min(options["seed"], options["mean_parents"], options["hidden"]) < 0:
        raise ConfigError(f"'{source.text}': nodes must be at least 2; seed, mean_parents and hidden at least 0.")
    if not 0 < options["low"] <= options["high"] or not 2 <= options["least_steps"] <= options["most_steps"]:
        raise ConfigError(f"'{source.text}': 0 < low <= high and 2 <= least_steps <= most_steps must hold.")
    if any(not 0 <= options[name] <= 1 for name in SHARES) or options["categories"] + options["scales"] > 1:
        raise ConfigError(f"'{source.text}': {', '.join(SHARES)} are shares; categories and scales at most 1 together.")
    for name in ("first", "latent"):
        if options[name] not in ("yes", "no"):
            raise ConfigError(f"'{source.text}': {name} is yes or no.")
    return options


def number_system(source: SourceText) -> NumberSystem:
    """Return the system that the text describes; the same text gives the same system."""
    options = check_numbers(source)
    rng = np.random.default_rng(options["seed"])
    nodes = options["nodes"]
    dag = sparse_dag(nodes, rng, mean_parents=min(options["mean_parents"], (nodes - 1) / 3))
    drawn = rng.random(nodes)
    limits = options["categories"], options["categories"] + options["scales"]
    kinds = [NOMINAL if x < limits[0] else ORDINAL if x < limits[1] else NUMBER for x in drawn]
    parents = [list(own) for own in dag.parents]
    if options["first"] == "yes":
        parents = [[p for p in own if kinds[v] is not NOMINAL or kinds[p] is NOMINAL] for v, own in enumerate(parents)]
    names = list(dag.names)
    for k in range(options["hidden"]):
        for child in rng.permutation(nodes)[: min(nodes, int(rng.integers(*CHILDREN)))].tolist():
            parents[child].append(nodes + k)
        names, kinds, parents = [*names, f"{HIDDEN}{k + 1}"], [*kinds, NUMBER], [*parents, []]
    dag, nodes = Dag(names, parents), len(names)
    low, high = np.log(options["low"]), np.log(options["high"])
    bent = len(CURVES)
    of_parents = []
    for own in dag.parents:
        weights = np.exp(rng.uniform(low, high, size=len(own))) * rng.choice([-1, 1], size=len(own))
        curves = np.where(rng.random(len(own)) < options["curves"], rng.integers(2, bent, size=len(own)), 0)
        curves = np.where([kinds[p] is NOMINAL for p in own], 0, curves)
        of_parents.append(tuple(map(_Parent, weights.tolist(), curves.tolist())))
    counts = rng.integers(2, MOST_LEVELS + 1, size=nodes).tolist()
    steps = rng.integers(options["least_steps"], options["most_steps"] + 1, size=nodes).tolist()

    def share(name: str, kinds_of: int) -> tuple[int, ...]:
        chosen = rng.random(nodes) < options[name]
        return tuple(np.where(chosen, rng.integers(1, kinds_of + 1, size=nodes), 0).tolist())

    return NumberSystem(
        dag,
        tuple(kinds),
        tuple(of_parents),
        share("tails", len(TAILS)),
        share("shown", len(SHOWN)),
        tuple(rng.normal(size=count) for count in counts),
        tuple(
            np.column_stack([1.5 * rng.normal(size=(count, len(own))), 0.5 * rng.normal(size=count)])
            for count, own in zip(counts, dag.parents, strict=True)
        ),
        tuple(rng.dirichlet(np.full(count, 4.0)).cumsum()[:-1] for count in steps),
        tuple((rng.random(nodes) < options["slopes"]).tolist()),
        options["latent"] == "yes",
    )


@dataclass(frozen=True, eq=False)
class CopulaSystem:
    """A network that was fitted to ranks of a table's columns, and the values that these have."""

    network: MixedNetwork
    like: MixedData

    @property
    def dag(self) -> Dag:
        """The graph."""
        return self.network.dag

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.dag.names

    def sample(self, n_cases: int, *, seed: np.random.Generator | int, threads: int = 1) -> MixedData:
        """Draw cases."""
        from scipy.special import ndtr

        drawn = self.network.sample(n_cases, seed=seed)
        values = np.array(drawn.values)
        for v, kind in enumerate(self.like.kinds):
            if kind is not NOMINAL:
                levels = ndtr(_standard(values[v]))
                values[v] = np.quantile(self.like.values[v], levels, method="inverted_cdf")
        return MixedData(values, self.names, self.like.kinds, self.like.states)


def check_copula(source: SourceText, sources: Sources) -> dict[str, Any]:
    """Return the options of a system like a table, checked; its data must be there."""
    from arcwise_studies.data_sets import SUFFIXES

    options: dict[str, Any] = {"columns": 12, "seed": 0} | source.values(COPULA_OPTIONS)
    if "data" not in options or options["columns"] < 2 or options["seed"] < 0:
        raise ConfigError(f"'{source.text}': say which data, at least 2 columns and a seed of at least 0.")
    if sources.file(sources.data_folder, options["data"], SUFFIXES) is None:
        raise ConfigError(f"{suggestion('data set', options['data'], ())} Give their folder: --data FOLDER.")
    return options


def copula_system(source: SourceText, sources: Sources) -> CopulaSystem:
    """Return the system that the text describes."""
    from arcwise_studies.data_sets import SUFFIXES

    options = check_copula(source, sources)
    path = sources.file(sources.data_folder, options["data"], SUFFIXES)
    assert path is not None
    table = read_table(path, merge=True, progress=False)
    rng = np.random.default_rng(options["seed"])
    table = table.take(np.sort(rng.permutation(table.n_rows)[:FIT_ROWS]))
    kept = [c.name for c in table.columns if (c.counts() > 0).sum() > 1 and identifier_reason(c) is None]
    table = table.drop([name for name in table.names if name not in kept])
    if any(table.n_missing.values()):
        table = impute(table, method="knn", k=5, progress=False)
    data = MixedData.from_table(table)
    fitted = _normal(data)
    chosen: list[int] = []
    for v in rng.permutation(data.n_variables).tolist():
        known = [u for u in chosen if data.kinds[u] is not NOMINAL and data.kinds[v] is not NOMINAL]
        is_copy = any(abs(np.corrcoef(fitted.values[u], fitted.values[v])[0, 1]) > ALIKE for u in known)
        varies = float(fitted.values[v].std()) > 0 and len(data.states[v]) <= MOST_STATES
        if varies and not is_copy and len(chosen) < options["columns"]:
            chosen.append(v)
    names = [data.names[v] for v in sorted(chosen)]
    data, fitted = data.select(names), fitted.select(names)
    dag = tabu_search(fitted, "bic-dg:functions=1", max_parents=3, seed=0, progress=False).dag
    return CopulaSystem(MixedNetwork.fit(dag, fitted), data)


def _normal(data: MixedData) -> MixedData:
    """Return numbers and scales as the normal scores of their ranks, all of them numbers."""
    weights = np.ones(data.n_rows)
    values = [
        own if kind is NOMINAL else _standard(normal_scores(own, weights))
        for own, kind in zip(data.values, data.kinds, strict=True)
    ]
    kinds = tuple(kind if kind is NOMINAL else NUMBER for kind in data.kinds)
    states = tuple(own if kind is NOMINAL else () for own, kind in zip(data.states, kinds, strict=True))
    return MixedData(np.array(values), data.names, kinds, states)

"""`ModelAverage`: answers averaged over many networks, with the uncertainty of structure and parameters.

The probability of t given evidence e is the sum over networks of w P(t, e), divided by that of w P(e): networks under
which the evidence is likely count more. Intervals come from draws of a network, by weight, and of its parameters, from
their Dirichlet posterior. Of data with gaps, every network that is drawn has its parameters from one completion: the
one that it was learned from, if that is known, else any.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from arcwise.base.errors import OptionError, check_argument, check_count, check_known
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Seed, generator_of, thread_count
from arcwise.base.showing import ShowsFrame, data_frame, wrapped
from arcwise.counts import contingency
from arcwise.data.cases import Cases
from arcwise.data.dataset import Dataset
from arcwise.data.mixed import MixedData
from arcwise.data.table import Table
from arcwise.graph.dag import Dag
from arcwise.model.fitting import PRIORS, backoff_prior
from arcwise.model.inference import IMPOSSIBLE, asked_and_observed, check_outcome
from arcwise.model.mixed_families import Family, fit_family
from arcwise.model.mixed_network import Between, MixedNetwork, NumberAnswer, StateAnswer, answer_of
from arcwise.model.network import BayesianNetwork
from arcwise.model.profiles import RowProfiles, find_profiles
from arcwise.model.tables import MAX_CELLS, Distribution, RowDistributions, read_asked
from arcwise.networks.completions import completion_of_networks
from arcwise.networks.network_list import NetworkSet

if TYPE_CHECKING:
    import pandas as pd

D = TypeVar("D", bound=Cases)
# Over how many networks rows are predicted, and how many draws an interval takes.
NETWORKS = 50
DRAWS = 400


@dataclass(frozen=True, eq=False)
class AveragedDistribution(ShowsFrame):
    """A distribution averaged over networks and parameters, with an interval for every probability.

    Parameters
    ----------
    names, states
        The variables asked for, and their states.
    mean, low, high
        One axis per variable.
    between
        The standard deviation of each probability between networks, their parameters at their means: the part of the
        uncertainty that is due to the structure.
    level
        The share of the posterior that intervals hold.
    draws, networks
        How many draws of networks and parameters there are, and how many different networks are among them.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    between: NDArray[np.float64]
    level: float
    draws: int
    networks: int

    @property
    def distribution(self) -> Distribution:
        """The mean as a plain distribution."""
        return Distribution(self.names, self.states, self.mean, 0.0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per combination of states."""
        frame = self.distribution.to_frame()
        frame["low"], frame["high"] = self.low.ravel(), self.high.ravel()
        frame["between_networks"] = self.between.ravel()
        return frame

    def __getitem__(self, states: object) -> float:
        """Return the probability of a state, or of a tuple of states, one per variable."""
        return self.distribution[states]

    def __repr__(self) -> str:
        cells = zip(self.mean.ravel(), self.low.ravel(), self.high.ravel(), strict=True)
        text = (
            f"{', '.join(states)} {mean:.2f} ({low:.2f}-{high:.2f})"
            for states, (mean, low, high) in zip(itertools.product(*self.states), cells, strict=True)
        )
        networks = f"{self.networks:,} network{'s' if self.networks > 1 else ''}"
        return wrapped(f"{', '.join(self.names)}: ", text, f"  [{self.level:.0%} intervals over {networks}]")


class Averages(Generic[D]):
    """Networks with weights, and the data that give each its parameters.

    Parameters
    ----------
    networks
        The networks; their variables are those of the data.
    data
        The data, or `copies` completions of them stacked.
    copies
        How many completions `data` holds, one below the other.
    """

    def __init__(self, networks: NetworkSet, data: D, *, copies: int = 1) -> None:
        if networks.names != data.names:
            raise OptionError("the networks and the data have different variables, or the same in another order.")
        if not networks.count:
            raise OptionError("there is no network to average over.")
        self.names, self._networks, self._data, self._copies = data.names, networks, data, copies

    def _picked(self, draws: int, level: float, rng: np.random.Generator) -> list[int]:
        """Draw the rows of networks, by weight."""
        check_argument(draws >= 2, "draws", draws, "must be at least 2.")
        check_argument(0 < level < 1, "level", level, "must lie between 0 and 1, such as 0.95.")
        found: list[int] = rng.choice(self._networks.count, size=draws, p=self._networks.weights).tolist()
        return found

    def _completion_of(self, row: int, rng: np.random.Generator) -> int | None:
        """Return the completion of a network, or a draw if several may be its; None for data without gaps."""
        if self._copies == 1:
            return None
        return int(rng.integers(self._copies)) if self._completions is None else int(self._completions[row])

    @cached_property
    def _completions(self) -> NDArray[np.int64] | None:
        """The completion of every network; None if it is not known."""
        own = completion_of_networks(self._networks)
        return None if own is None or int(own.max(initial=-1)) >= self._copies else own

    def __repr__(self) -> str:
        count = len(np.unique(self._networks.choices, axis=0))
        return f"{type(self).__name__}({count:,} networks over {len(self.names)} variables)"


class ModelAverage(Averages[Dataset]):
    """Networks with weights, and the data that give each its tables: see `Averages`.

    Parameters
    ----------
    networks, data, copies
        As there.
    ess
        The equivalent sample size of the Dirichlet prior of the parameters.
    prior
        What the Dirichlet prior puts into each cell of a table: "bdeu" (`ess` in the whole table, the default), "k2"
        (1 in each cell), "bdj" (1/2) or "backoff" (`ess` times what a table with one parent fewer says; 8 is a good
        `ess` for it).
    profiles
        How many hidden profiles of rows each network has, with tables of their own: see `arcwise.model.profiles`. They
        describe rows better where rows are of kinds that no column names, as readers or documents are.
    strength
        How many rows draw each row of a profile's tables towards those of all rows.
    seed
        The profiles that rows begin with are random.

    Examples
    --------
    >>> from arcwise import datasets
    >>> from arcwise.ensemble import bootstrap_networks
    >>> data = datasets.load("iris")
    >>> average = ModelAverage(bootstrap_networks(data, "qnml", replicates=20, seed=1, progress=False), data)
    >>> rows = average.sample(3, seed=1)
    >>> average.row_log_likelihoods(rows).shape
    (3,)
    """

    def __init__(
        self,
        networks: NetworkSet,
        data: Dataset,
        *,
        ess: float = 1.0,
        copies: int = 1,
        prior: str = "bdeu",
        profiles: int = 1,
        strength: float = 20.0,
        seed: int = 0,
    ) -> None:
        super().__init__(networks, data, copies=copies)
        check_argument(0 < ess < float("inf"), "ess", ess, "must be positive: the equivalent sample size of the prior.")
        check_known("prior", prior, (*PRIORS, "backoff"))
        check_count("profiles", profiles, 1)
        check_argument(0 < strength < float("inf"), "strength", strength, "must be positive: a number of rows.")
        self.states, self._ess, self._prior, self._profiles = data.states, ess, prior, profiles
        self._strength, self._seed = strength, seed
        self._found: dict[int, RowProfiles] = {}
        self._alphas: dict[tuple[int, tuple[int, ...], int | None], NDArray[np.float64]] = {}
        self._parts: dict[int, Dataset] = {}

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The first row of every different network, and its weight, the heaviest first."""
        _, first, inverse = np.unique(self._networks.choices, axis=0, return_index=True, return_inverse=True)
        weights = np.bincount(inverse.ravel(), weights=self._networks.weights)
        order = np.lexsort((first, -weights.round(15)))
        return first[order].astype(np.int64), weights[order].astype(np.float64)

    @property
    def count(self) -> int:
        """How many different networks there are."""
        return len(self._distinct[0])

    def read(
        self, variables: str | Sequence[str], evidence: Mapping[str, object] | None = None
    ) -> tuple[str | Sequence[str], Mapping[str, object] | None]:
        """Return the variables and the evidence of a query, which may be one text: "P(cough | smoke=yes)"."""
        return read_asked(variables, evidence, self.names)

    def members(self, most: int = NETWORKS, *, seed: Seed = 0) -> list[tuple[BayesianNetwork, float]]:
        """Return the networks with their posterior-mean parameters and weights; a draw of `most` if there are more."""
        rows, weights = self._distinct
        if len(rows) > most:
            chosen, counts = np.unique(
                generator_of(seed).choice(len(rows), size=most, p=weights / weights.sum()), return_counts=True
            )
            rows, weights = rows[chosen], counts / most
        return [
            (self._network(int(row), part), float(w * share))
            for row, w in zip(rows, weights, strict=True)
            for part, share in self._parts_of(int(row))
        ]

    def query(
        self,
        variables: str | Sequence[str],
        evidence: Mapping[str, object] | None = None,
        *,
        draws: int = DRAWS,
        level: float = 0.95,
        seed: Seed = 0,
        progress: bool | ProgressCallback | None = None,
    ) -> AveragedDistribution:
        """Return the joint distribution of variables given evidence, averaged over networks and parameters."""
        variables, evidence = self.read(variables, evidence)
        rng = generator_of(seed)
        picked = [(row, self._part(row, rng)) for row in self._picked(draws, level, rng)]
        found, logs, means = [], [], {}
        with Run.begin(None, progress) as run:
            for number, one in enumerate(picked):
                probabilities, log = _asked(self._drawn(*one, rng), variables, evidence)
                found.append(probabilities)
                logs.append(log)
                if one not in means:
                    means[one] = _asked(self._network(*one), variables, evidence)[0]
                run.report("draws", number + 1, draws)
        if max(logs) == -np.inf:
            given = ", ".join(f"{name}={state}" for name, state in (evidence or {}).items())
            raise OptionError(f"the evidence is impossible in every network: {given} has probability 0.")
        weights = np.exp(np.array(logs) - max(logs))
        values = np.array(found)
        possible = weights > 0
        values, weights = values[possible], weights[possible] / weights.sum()
        structural = np.array([means[one] for one in picked])[possible]
        mean = np.tensordot(weights, values, axes=1)
        centre = np.tensordot(weights, structural, axes=1)
        positions = [self.names.index(name) for name in _listed(variables)]
        tail = (1 - level) / 2
        return AveragedDistribution(
            tuple(self.names[v] for v in positions),
            tuple(self.states[v] for v in positions),
            mean,
            weighted_quantile(values, weights, tail),
            weighted_quantile(values, weights, 1 - tail),
            np.sqrt(np.tensordot(weights, (structural - centre) ** 2, axes=1)).round(12),  # below it is rounding
            level,
            draws,
            len({tuple(self._networks.choices[row].tolist()) for row, _ in means}),
        )

    def query_rows(
        self,
        variables: str | Sequence[str],
        rows: Dataset | Table | pd.DataFrame,
        evidence: Mapping[str, object] | None = None,
        *,
        most: int = NETWORKS,
        seed: Seed = 0,
        progress: bool | ProgressCallback | None = None,
        **options: Any,
    ) -> RowDistributions:
        """Return a distribution for each row of evidence, averaged over networks, their parameters at their means."""
        table = rows if isinstance(rows, Dataset | Table) else Table.from_dataframe(rows)
        total: NDArray[np.float64] | None = None
        logs = np.empty(0)
        networks = self.members(most, seed=seed)
        with Run.begin(None, progress) as run:
            for number, (network, weight) in enumerate(networks):
                one = network.query_rows(variables, table, evidence, progress=False, **options)
                assert one.log_evidence is not None
                own = one.log_evidence + np.log(weight)
                axes = (slice(None), *(None for _ in one.names))
                if total is None:
                    total, logs = one.probabilities.copy(), own
                else:
                    joint = np.logaddexp(logs, own)
                    with np.errstate(invalid="ignore"):
                        share = np.exp(own - joint)
                    known = ~np.isnan(one.probabilities)
                    before = np.isnan(total)
                    mixed = total + np.nan_to_num(share)[axes] * (one.probabilities - total)
                    total = np.where(known & before, one.probabilities, np.where(known, mixed, total))
                    logs = joint
                run.report("networks", number + 1, len(networks))
        assert total is not None
        return RowDistributions(one.names, one.states, total, logs)

    def predict_proba(self, rows: Dataset | Table | pd.DataFrame, target: str, **options: Any) -> NDArray[np.float64]:
        """Return the probability of each state of `target` for each row, given all its other variables."""
        return self.query_rows(target, rows, **options).probabilities

    def predict(self, rows: Dataset | Table | pd.DataFrame, target: str, **options: Any) -> NDArray[np.object_]:
        """Return the most probable state of `target` for each row, given all its other variables."""
        states = np.array(self.states[self.names.index(target)], dtype=object)
        return np.asarray(states[self.predict_proba(rows, target, **options).argmax(axis=1)], dtype=object)

    def row_log_likelihoods(
        self, data: Dataset, *, threads: int | None = None, progress: bool | ProgressCallback | None = None
    ) -> NDArray[np.float64]:
        """Return the logarithm of each row's probability: that of all networks, by weight, parameters at their means.

        Weights of rows do not count. Densities of rows that were not learned from say how well networks describe what
        there is: the average does so better than any one of them.
        """
        rows, weights = self._distinct
        total = np.full(data.n_rows, -np.inf)
        with Run.begin(None, progress, threads) as run:
            for number, (row, weight) in enumerate(zip(rows.tolist(), weights.tolist(), strict=True)):
                for part, share in self._parts_of(row):
                    network = self._network(row, part)
                    own = network.row_log_likelihoods(data, threads=run.thread_count, progress=False)
                    total = np.logaddexp(total, own + np.log(weight * share))
                run.report("networks", number + 1, len(rows))
        return total

    def log_likelihood(self, data: Dataset, **options: Any) -> float:
        """Return the log-likelihood of the data: the sum of `row_log_likelihoods`, each times its weight."""
        rows = self.row_log_likelihoods(data, **options)
        return float(rows.sum() if data.row_weights is None else rows @ data.row_weights)

    def sample(self, rows: int, *, seed: Seed = None) -> Dataset:
        """Draw rows, each from a network that is drawn by weight, parameters at their means."""
        check_count("rows", rows, 1)
        rng = generator_of(seed)
        chosen, weights = self._distinct
        parts = [
            self._network(row, part).sample(int(drawn), seed=rng, progress=False)
            for row, count in zip(chosen.tolist(), rng.multinomial(rows, weights / weights.sum()), strict=True)
            if count
            for part, drawn in self._numbers_of(row, int(count), rng)
        ]
        codes = np.concatenate([part.codes for part in parts], axis=1)
        return replace(parts[0], codes=np.ascontiguousarray(codes[:, rng.permutation(rows)]))

    def _parts_of(self, row: int) -> list[tuple[int, float]]:
        """Return the profiles of a network, and the share of each."""
        return [(0, 1.0)] if self._profiles == 1 else list(enumerate(self._in_profiles(row).shares.tolist()))

    def _part(self, row: int, rng: np.random.Generator) -> int:
        """Draw a profile of a network."""
        return 0 if self._profiles == 1 else int(rng.choice(self._profiles, p=self._in_profiles(row).shares))

    def _numbers_of(self, row: int, rows: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw how many rows each profile of a network has, of those that have some."""
        numbers = rng.multinomial(rows, [share for _, share in self._parts_of(row)]) if self._profiles > 1 else [rows]
        return [(part, int(number)) for part, number in enumerate(numbers) if number]

    def _network(self, row: int, part: int) -> BayesianNetwork:
        """Return a profile of a network with posterior-mean parameters, of data with gaps those of all completions."""
        return self._with_tables(row, part, lambda alpha: alpha / alpha.sum(axis=1, keepdims=True), None)

    def _drawn(self, row: int, part: int, rng: np.random.Generator) -> BayesianNetwork:
        """Return a network with a draw of its parameters, and before that of a completion if several may be its."""
        completion = self._completion_of(row, rng) if self._profiles == 1 else None
        return self._with_tables(row, part, lambda alpha: _draw(alpha, rng), completion)

    def _with_tables(
        self, row: int, part: int, table: Callable[[NDArray[np.float64]], NDArray[np.float64]], completion: int | None
    ) -> BayesianNetwork:
        parents = self._networks.parents(row)
        if self._profiles == 1:
            alphas = [self._alpha(v, own, completion) for v, own in enumerate(parents)]
        else:
            alphas = [own[part] for own in self._in_profiles(row).counts]
        tables = [table(alpha).ravel() for alpha in alphas]
        return BayesianNetwork._from_flat(Dag(self.names, parents), self.states, np.concatenate(tables))

    def _in_profiles(self, row: int) -> RowProfiles:
        """Return the profiles of a network, of all completions together; each network has profiles of its own."""
        if row not in self._found:
            parents = self._networks.parents(row)
            alphas = [self._alpha(v, own, None) for v, own in enumerate(parents)]
            tables = [alpha / alpha.sum(axis=1, keepdims=True) for alpha in alphas]
            rng = np.random.default_rng([self._seed, row])
            self._found[row] = find_profiles(
                parents, self._data, tables, self._profiles, self._strength, copies=self._copies, rng=rng
            )
        return self._found[row]

    def _alpha(self, v: int, parents: tuple[int, ...], completion: int | None) -> NDArray[np.float64]:
        """Return the hyperparameters of a family's posterior: counts, of all completions or one, and the prior's."""
        key = (v, parents, completion)
        if key not in self._alphas:
            data = self._data if completion is None else self._completion(completion)
            counts = contingency(data.cases_without(self.names[v]), [*parents, v])
            own = counts.reshape(-1, counts.shape[-1]) / (self._copies if completion is None else 1)
            if self._prior == "backoff":
                prior: Any = backoff_prior(own, counts.shape[:-1], self._ess)
            else:
                prior = PRIORS[self._prior](self._ess, own.size)
            self._alphas[key] = own + prior
        return self._alphas[key]

    def _completion(self, number: int) -> Dataset:
        if number not in self._parts:
            each = self._data.n_rows // self._copies
            self._parts[number] = self._data.take(np.arange(number * each, (number + 1) * each))
        return self._parts[number]


def _listed(variables: str | Sequence[str]) -> list[str]:
    return [variables] if isinstance(variables, str) else list(variables)


def _asked(
    network: BayesianNetwork, variables: str | Sequence[str], evidence: Mapping[str, object] | None
) -> tuple[NDArray[np.float64], float]:
    """Return P(variables | evidence), and the log of the evidence's probability, -inf if it is impossible."""
    positions, states = asked_and_observed(network, variables, evidence)
    shape = [len(network.states[v]) for v in positions]
    outcome, table = network.native_inference.query(
        positions, states, MAX_CELLS, thread_count(1), lambda done, total, incumbent, bound: None
    )
    if outcome[0] == IMPOSSIBLE:
        return np.zeros(shape), -np.inf
    check_outcome(network, outcome, evidence, MAX_CELLS)
    return table.reshape(shape).copy(), outcome[2] if evidence else 0.0


def _draw(alpha: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw each row from its Dirichlet distribution; where all parameters are so small that nothing is left, a state.

    A Dirichlet distribution with parameters near 0 puts all probability on one state.
    """
    drawn = rng.standard_gamma(alpha)
    sums = drawn.sum(axis=1)
    empty = np.flatnonzero(sums <= 0)
    drawn[empty, rng.integers(0, alpha.shape[1], len(empty))] = 1.0
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def weighted_quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the quantile of weighted draws along the first axis: the least value that `share` lies at or below."""
    order = np.argsort(values, axis=0, kind="stable")
    cumulated = np.cumsum(weights[order], axis=0)
    at = np.argmax(cumulated >= min(share, 1.0) * cumulated[-1] - 1e-12, axis=0)
    found = np.take_along_axis(np.take_along_axis(values, order, axis=0), at[None], axis=0)
    return np.asarray(found[0])


# `MixedAverage`: answers about numbers, scales and categories as they are, averaged over many networks.
#
# As in `ModelAverage`, networks under which the evidence is likely count more, and intervals come from draws of a
# network, by weight, and of its parameters. These are those of reweighted rows, each with a weight from an exponential
# distribution (the Bayesian bootstrap, Rubin 1981): it takes lines, spreads, tables and odds alike.


# How many reweighted sets of rows there are, fewer of very many: with more rows parameters vary less.
REPLICATES, FEWEST, ROWS = 100, 20, 1_000_000
# Draws of one network where its answer is not exact: there are hundreds of networks.
NETWORK_DRAWS = 2**12


@dataclass(frozen=True, eq=False)
class AveragedNumber(ShowsFrame):
    """What a number is, averaged over networks and parameters.

    Parameters
    ----------
    name
        The variable.
    mean, low, high
        Its mean given the evidence, with an interval for the mean: how sure these data make one of it.
    least, most
        Where single values lie.
    between
        The standard deviation of the mean between networks: the part of the uncertainty that is due to the structure.
    level
        The share that both intervals hold.
    draws, networks
        How many draws of networks and parameters there are, and how many different networks are among them.
    """

    name: str
    mean: float
    low: float
    high: float
    least: float
    most: float
    between: float
    level: float
    draws: int
    networks: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row."""
        names = ("mean", "low", "high", "least", "most", "between_networks")
        values = (self.mean, self.low, self.high, self.least, self.most, self.between)
        return data_frame({"variable": [self.name]} | {n: [v] for n, v in zip(names, values, strict=True)})

    def __repr__(self) -> str:
        return (
            f"AveragedNumber({self.name}: mean {self.mean:.4g} ({self.low:.4g} to {self.high:.4g}), values "
            f"{self.least:.4g} to {self.most:.4g}; {self.networks:,} networks)"
        )


class MixedAverage(Averages[MixedData]):
    """Networks with weights, and the rows that give each its parameters: see `Averages`."""

    def __init__(self, networks: NetworkSet, data: MixedData, *, copies: int = 1) -> None:
        super().__init__(networks, data, copies=copies)
        self._values = data.matrix
        self._families: dict[tuple[int, tuple[int, ...], int | None, int], Family] = {}

    @property
    def replicates(self) -> int:
        """How many reweighted sets of rows there are."""
        return max(FEWEST, min(REPLICATES, ROWS // self._data.n_rows))

    def query(
        self,
        name: str,
        evidence: Mapping[str, object] | None = None,
        *,
        within: object = None,
        draws: int = 400,
        level: float = 0.95,
        seed: Seed = 0,
        progress: bool | ProgressCallback | None = None,
    ) -> AveragedNumber | AveragedDistribution:
        """Return the distribution of a variable given evidence, averaged over networks and parameters.

        `within` is a range, "> 40", whose probability is asked for, in place of the number itself.
        """
        rng = generator_of(seed)
        picked = self._picked(draws, level, rng)
        found: list[NumberAnswer | StateAnswer] = []
        plain: dict[int, NumberAnswer | StateAnswer] = {}
        with Run.begin(None, progress) as run:
            for number, row in enumerate(picked):
                wanted = {name, *(evidence or {})}
                one = self._network(row, number % self.replicates, wanted, rng)
                found.append(one.query(name, evidence, seed=int(rng.integers(2**31)), level=level, draws=NETWORK_DRAWS))
                if row not in plain:
                    plain[row] = self._network(row, None, wanted, rng).query(
                        name, evidence, seed=0, level=level, draws=NETWORK_DRAWS
                    )
                run.report("draws", number + 1, draws)
        logs = np.array([one.log_evidence for one in found])
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        networks = len({tuple(self._networks.choices[row].tolist()) for row in plain})
        network = self._network(picked[0], None, {name}, rng)
        tails = ((1 - level) / 2, (1 + level) / 2)
        if within is None and isinstance(found[0], NumberAnswer):
            means = np.array([one.mean for one in found if isinstance(one, NumberAnswer)])
            own = np.array([plain[row].mean for row in picked])  # type: ignore[union-attr]
            # A mixture of few parts each: of what is drawn, the interval of the answer stands for it.
            parts = [_few_parts(one) for one in found if isinstance(one, NumberAnswer)]
            joined = tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            shares = joined[0] * np.repeat(weights, [len(part[0]) for part in parts])
            whole = answer_of(name, (shares, joined[1], joined[2]), level)
            low, high = (float(weighted_quantile(means, weights, p)) for p in tails)
            return AveragedNumber(
                name, float(weights @ means), low, high, whole.low, whole.high, _spread(own, weights), level, draws,
                networks,
            )  # fmt: skip
        states = network.states[network.index(name)]
        between: Between | None = None
        if within is not None:
            asked = network.observed(name, within)
            if not isinstance(asked, Between):
                raise OptionError(f"'{within}' is no range of '{name}', such as '> 40'.")
            between, states = asked, (str(within), "else")
        values = np.array([_shares(one, between) for one in found])
        structural = np.array([_shares(plain[row], between) for row in picked])
        return AveragedDistribution(
            (name,),
            (tuple(states),),
            weights @ values,
            weighted_quantile(values, weights, tails[0]),
            weighted_quantile(values, weights, tails[1]),
            np.array([_spread(column, weights) for column in structural.T]),
            level,
            draws,
            networks,
        )

    def predict_table(
        self,
        values: NDArray[np.float64],
        target: str,
        *,
        level: float = 0.95,
        most: int = NETWORKS,
        seed: Seed = 0,
        progress: bool | ProgressCallback | None = None,
    ) -> tuple[NDArray[np.float64], ...] | NDArray[np.float64]:
        """Return what `MixedNetwork.predict_table` does, averaged over networks, as many as `most`, by weight."""
        rng = generator_of(seed)
        picked = rng.choice(self._networks.count, size=most, p=self._networks.weights).tolist()
        made: list[tuple[NDArray[np.float64], ...] | NDArray[np.float64]] = []
        with Run.begin(None, progress) as run:
            for number, row in enumerate(picked):
                network = self._network(row, number % self.replicates, set(self.names), rng)
                made.append(network.predict_table(values, target, level=level, seed=rng, progress=False))
                run.report("networks", number + 1, most)
        if not isinstance(made[0], tuple):
            return np.asarray(np.mean(made, axis=0))
        means, lows, highs = np.array(made).transpose(1, 0, 2)
        # Between networks means differ, too: the interval has both spreads.
        mean, half = means.mean(axis=0), means.std(axis=0) * float(ndtri((1 + level) / 2))
        below, above = (means - lows).mean(axis=0), (highs - means).mean(axis=0)
        return mean, mean - np.hypot(below, half), mean + np.hypot(above, half)

    def _network(self, row: int, replicate: int | None, wanted: set[str], rng: np.random.Generator) -> MixedNetwork:
        """Return a network with parameters, those of all rows or of reweighted ones, of what an answer depends on."""
        dag = Dag(self.names, self._networks.parents(row))
        needed, open_ = set[str](), list(wanted)
        while open_:
            name = open_.pop()
            if name not in needed and name in self.names:
                needed.add(name)
                open_ += dag.parents_of(name)
        completion = None if replicate is None else self._completion_of(row, rng)
        families = [
            self._family(v, tuple(parents) if self.names[v] in needed else (), replicate, completion)
            for v, parents in enumerate(dag.parents)
        ]
        kept = Dag(self.names, [p if self.names[v] in needed else () for v, p in enumerate(dag.parents)])
        return MixedNetwork(kept, self._data.kinds, self._data.states, families)

    def _family(self, v: int, parents: tuple[int, ...], replicate: int | None, completion: int | None) -> Family:
        key = (v, parents, completion, -1 if replicate is None else replicate)
        if key not in self._families:
            data = self._data.cases_without(self.names[v])
            weights = data.times
            if completion is not None:
                each = data.n_rows // self._copies
                weights = np.where(np.arange(data.n_rows) // each == completion, weights, 0.0)
            elif self._copies > 1:
                weights = weights / self._copies
            if replicate is not None:
                weights = np.random.default_rng(replicate).standard_gamma(weights)
            self._families[key] = fit_family(v, parents, self._data.levels, self._values, weights, ess=1.0)
        return self._families[key]


def _few_parts(one: NumberAnswer) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the parts of an answer; of one that was drawn, a few hundred quantiles."""
    weights, means, spreads = one.parts
    if spreads.any() or len(weights) <= NETWORK_DRAWS // 16:
        return one.parts
    shares = (np.arange(NETWORK_DRAWS // 16) + 0.5) / (NETWORK_DRAWS // 16)
    at = np.asarray([weighted_quantile(means, weights, share) for share in shares])
    return np.full(len(at), 1 / len(at)), at, np.zeros(len(at))


def _shares(one: NumberAnswer | StateAnswer, between: Between | None) -> list[float]:
    if isinstance(one, StateAnswer):
        return list(one.probabilities.values())
    assert between is not None
    share = one.share(between)
    return [share, 1.0 - share]


def _spread(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    centre = float(weights @ values)
    return round(float(np.sqrt(weights @ (values - centre) ** 2)), 12)  # below it is rounding

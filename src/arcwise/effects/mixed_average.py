"""`MixedAverage`: answers about numbers, scales and categories as they are, averaged over many networks.

As in `ModelAverage`, networks under which the evidence is likely count more, and intervals come from draws of a
network, by weight, and of its parameters. These are those of reweighted rows, each with a weight from an exponential
distribution (the Bayesian bootstrap, Rubin 1981): it takes lines, spreads, tables and odds alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from arcwise.base.errors import OptionError
from arcwise.base.run import ProgressCallback, Run, Seed, generator_of
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.data.mixed import MixedData
from arcwise.effects.model_average import NETWORKS, AveragedDistribution, Averages, weighted_quantile
from arcwise.graph.dag import Dag
from arcwise.model.mixed_families import Family, fit_family
from arcwise.model.mixed_network import Between, MixedNetwork, NumberAnswer, StateAnswer, answer_of
from arcwise.networks.network_list import NetworkSet

if TYPE_CHECKING:
    import pandas as pd

# How many reweighted sets of rows there are, fewer of very many: with more rows parameters vary less.
REPLICATES, FEWEST, ROWS = 100, 20, 1_000_000
# Draws of one network where its answer is not exact: there are hundreds of networks.
DRAWS = 2**12


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
                found.append(one.query(name, evidence, seed=int(rng.integers(2**31)), level=level, draws=DRAWS))
                if row not in plain:
                    plain[row] = self._network(row, None, wanted, rng).query(
                        name, evidence, seed=0, level=level, draws=DRAWS
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
    if spreads.any() or len(weights) <= DRAWS // 16:
        return one.parts
    shares = (np.arange(DRAWS // 16) + 0.5) / (DRAWS // 16)
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

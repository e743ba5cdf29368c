"""`CompletionChain`: one Markov chain of networks, parameters and completions of data with gaps.

Data augmentation (Tanner and Wong, Journal of the American Statistical Association 82, 1987): given the completion, a
network is drawn; given both, its parameters; given these, the missing cells, row by row, from their joint distribution
given the observed cells. The chain's stationary distribution is the posterior of all three given the observed cells, if
the values are missing at random. Averages over its completions are then averages over what the gaps may have held. All
three have to be *drawn*: with the best network and the best parameters of each completion, chance associations of one
completion would be copied into the next, and edges would be found that are in the filling alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset, Incomplete
from arcwise.ensemble.gaps.available_cases import AvailableCases, gains_of_completion
from arcwise.ensemble.gaps.drawn_tables import Counter, draw_tables
from arcwise.ensemble.gaps.structure_walk import StructureWalk
from arcwise.graph import Constraints, Dag
from arcwise.graph.bitset import bits
from arcwise.local.problem import LocalProblem
from arcwise.model.completion import draw_missing
from arcwise.scores import Score

__all__ = ["ChainModel", "CompletionChain"]

# How often each ordered pair of variables is proposed: in a step, and before the first one.
SWEEPS = 2
FIRST_SWEEPS = 4
# How often parameters and cells are drawn before the network moves: the first parameters are those of available cases.
SETTLING = 5
# The most cells of a clique when cells are drawn.
MAX_CELLS = 2**24


@dataclass(frozen=True, eq=False)
class ChainModel:
    """What all chains on the same data share."""

    data: Incomplete  # one row per case
    score: Score
    walk: StructureWalk
    cases: AvailableCases = field(repr=False)
    ess: float
    seen: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(cls, data: Incomplete, score: Score, constraints: Constraints | None, max_parents: int | None) -> ChainModel:
        """Prepare data for chains."""
        whole = data.expand()
        # The variables that never vary are set apart, and the limits merged, as for any search.
        rules = LocalProblem.of(_observed_only(whole), score, constraints, max_parents).constraints
        seen = tuple(whole.observed_counts(v) > 0 for v in range(whole.n_variables))
        ess = float(score.describe().get("ess", 1.0))
        return cls(whole, score, StructureWalk(rules), AvailableCases(whole, score), ess, seen)


def _observed_only(data: Incomplete) -> Dataset:
    """Return data in which a variable is constant if all its observed values are the same."""
    codes = data.held.codes.copy()
    for v in range(data.n_variables):
        first = int(np.argmin(data.missing[v]))
        codes[v, data.missing[v]] = codes[v, first]
    return data.completed(codes)


class CompletionChain:
    """One chain.

    It starts at a network that is drawn by what the available cases say about each arc, with the parameters of these
    cases; or at a state of another chain.
    """

    def __init__(
        self,
        model: ChainModel,
        seed: np.random.SeedSequence | np.random.Generator,
        start: tuple[Dataset, tuple[int, ...]] | None = None,
    ) -> None:
        self._model = model
        self._rng = np.random.default_rng(seed)
        n = model.data.n_variables
        self._moves = n * (n - 1)
        if start is not None:
            self._completion, self._parents = start[0], list(start[1])
            return
        begin = model.walk.climb(model.walk.start, model.cases.gain)
        self._parents = model.walk.walk(begin, model.cases.gain, FIRST_SWEEPS * self._moves, self._rng)
        self._draw(model.cases.count)
        for _ in range(SETTLING):
            self._draw(self._count)

    @property
    def completion(self) -> Dataset:
        """The completion that the chain is at."""
        return self._completion

    @property
    def dag(self) -> Dag:
        """The network that the chain is at."""
        return Dag(self._model.data.names, [tuple(bits(mask)) for mask in self._parents])

    @property
    def parents(self) -> list[int]:
        """Its parents: one mask per variable."""
        return list(self._parents)

    def step(self) -> None:
        """Draw a network, its parameters and the missing cells."""
        model = self._model
        gain = gains_of_completion(model.data, self._completion, model.score)
        self._parents = model.walk.walk(self._parents, gain, SWEEPS * self._moves, self._rng)
        self._draw(self._count)

    def _count(self, variables: list[int]) -> NDArray[np.int64]:
        return contingency(self._completion, variables)

    def _draw(self, count: Counter) -> None:
        """Draw the parameters given counts, and the missing cells given these."""
        model = self._model
        network = draw_tables(
            self.dag, count, ess=model.ess, seen=model.seen, rng=self._rng, states=model.data.states
        )
        self._completion = draw_missing(
            network, model.data, seed=self._rng, max_cells=MAX_CELLS, threads=1, progress=False
        )

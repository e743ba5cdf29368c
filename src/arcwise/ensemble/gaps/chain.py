"""`CompletionChain`: one Markov chain of networks, parameters and completions of data with gaps.

Data augmentation (Tanner and Wong, Journal of the American Statistical Association 82, 1987): given the completion, a
network is drawn; given both, its parameters; given these, the gaps, row by row, from their joint distribution
given the observed cells. The chain's stationary distribution is the posterior of all three given the observed cells, if
the values are missing at random. Averages over its completions are then averages over what the gaps may have held. All
three have to be *drawn*: with the best network and the best parameters of each completion, chance associations of one
completion would be copied into the next, and edges would be found that are in the filling alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset, Incomplete
from arcwise.ensemble.gaps.drawn_tables import Counter, draw_tables
from arcwise.ensemble.gaps.structure_walk import Evidence, StructureWalk
from arcwise.graph import Constraints, Dag
from arcwise.graph.bitset import bits
from arcwise.local.problem import LocalProblem
from arcwise.model.completion import draw_missing

__all__ = ["ChainModel", "CompletionChain"]

# The networks of a chain: their posterior under BDeu, whose prior is also that of the parameters that are drawn.
# Another score would not fit these draws: with qNML, chance associations of half-empty independent columns keep
# themselves up, and 9 false edges are found among 8 columns instead of 1.
ESS = 1.0
SCORE = f"bdeu:ess={ESS:g}"
MAX_PARENTS = 3
# How often each ordered pair of variables is proposed: in a step, and before the first one.
SWEEPS = 2
FIRST_SWEEPS = 10
# How often parameters and cells are drawn before the network moves: the first parameters are those of available cases.
SETTLING = 5
# The most cells of a clique when cells are drawn.
MAX_CELLS = 2**24


@dataclass(frozen=True, eq=False)
class ChainModel:
    """What all chains on the same data share."""

    data: Incomplete  # one row per case
    walk: StructureWalk
    seen: tuple[NDArray[np.bool_], ...]  # by variable: its states that some case shows

    @classmethod
    def of(cls, data: Incomplete, constraints: Constraints | None, max_parents: int | None) -> ChainModel:
        """Prepare data for chains, whose networks have at most so many parents."""
        whole = data.expand()
        most = MAX_PARENTS if max_parents is None else min(MAX_PARENTS, max_parents)
        # The variables that never vary are set apart, and the limits merged, as for any search.
        rules = LocalProblem.of(_observed_only(whole), SCORE, constraints, most).constraints
        seen = tuple(whole.observed_counts(v) > 0 for v in range(whole.n_variables))
        return cls(whole, StructureWalk(rules), seen)

    @cached_property
    def available(self) -> Evidence:
        """What arcs are judged by before anything is completed: the cases that have the values of a whole family."""
        return Evidence(self.data.held.codes, self.data.arities, self.data.cell_flags, ESS, whole_families=True)

    def evidence(self, completion: Dataset) -> Evidence:
        """Return what arcs are judged by: the cases that have both their ends, with other parents as completed."""
        return Evidence(completion.codes, self.data.arities, self.data.cell_flags, ESS)

    @cached_property
    def _marked(self) -> Dataset:
        return self.data.with_gap_states()

    def count_available(self, family: list[int]) -> NDArray[np.int64]:
        """Count the cases that have the values of a family, whose child is the last, one axis each."""
        return _count(self._marked, family)[tuple(slice(0, int(self.data.arities[v])) for v in family)]


def _count(data: Dataset, family: list[int]) -> NDArray[np.int64]:
    """Count a family, parents first, without the cases in which the child was set."""
    return contingency(data if data.targets is None else data.cases_without(data.names[family[-1]]), family)


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
        self._parents = model.walk.walk(model.walk.start, model.available, FIRST_SWEEPS * self._moves, self._rng)
        self._draw(model.count_available)
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
        """Draw a network, its parameters and the gaps."""
        model = self._model
        evidence = model.evidence(self._completion)
        self._parents = model.walk.walk(self._parents, evidence, SWEEPS * self._moves, self._rng)
        self._draw(self._count)

    def _count(self, family: list[int]) -> NDArray[np.int64]:
        return _count(self._completion, family)

    def _draw(self, count: Counter) -> None:
        """Draw the parameters given counts, and the gaps given these."""
        model = self._model
        network = draw_tables(self.dag, count, ess=ESS, seen=model.seen, rng=self._rng, states=model.data.states)
        self._completion = draw_missing(
            network, model.data, seed=self._rng, max_cells=MAX_CELLS, threads=1, progress=False
        )

"""`Completions`: data with gaps, completed many times by chains from different starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, OptionError, check_count
from arcwise.base.options import COMPLETIONS
from arcwise.base.run import Run, Seed, resolve_seed
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits
from arcwise.local.problem import LocalProblem, pack_parents, unpack_parents
from arcwise.model.fitting import draw_missing
from arcwise.model.network import BayesianNetwork

# The tables of a network, drawn from their posterior: a Dirichlet distribution for every row.


# What is possible stays so: a share that no double can hold would make a row impossible whose family, before the first
# completion, no case shows whole.
LEAST = 1e-60

States = tuple[tuple[str, ...], ...]

# The counts of a family, one axis each, its child the last.
Counter = Callable[[list[int]], NDArray[np.int64]]


def draw_tables(
    dag: Dag, count: Counter, *, ess: float, seen: Sequence[NDArray[np.bool_]], rng: np.random.Generator, states: States
) -> BayesianNetwork:
    """Draw every row of every table given counts, under the prior of BDeu; states not in `seen` have no chance.

    A table of posterior means would make completions that are too much alike: what is not known about the parameters
    would not show in them (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987, section 3.1).
    """
    shapes, gammas, uniforms, alphas = [], [], [], []
    for v, parents in enumerate(dag.parents):
        counts = count([*parents, v]).reshape(-1, len(states[v]))
        own = counts + np.where(seen[v], ess / (len(counts) * int(seen[v].sum())), 0.0)
        shapes.append(own.shape)
        alphas.append(own.ravel())
        gammas.append(rng.standard_gamma(alphas[-1] + 1.0))
        uniforms.append(rng.random(own.size))
    starts = np.cumsum([0, *(columns for rows, columns in shapes for _ in range(rows))])[:-1]
    shares = dirichlet(np.concatenate(alphas), np.concatenate(gammas), np.concatenate(uniforms), starts)
    return BayesianNetwork._from_flat(dag, states, shares)


def dirichlet(
    alphas: NDArray[np.float64],
    gammas: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Make distributions, one after the other, of gamma variables of the shapes alpha + 1 and of uniform ones.

    In logarithms: gamma variables of small shape underflow, so that rows without a case would have no distribution.
    If G has the shape a + 1 and U is uniform, G U^(1/a) has the shape a. All tables at once: small networks have more
    tables than numbers in each.
    """
    sizes = np.diff(starts, append=len(alphas))
    possible = alphas > 0
    with np.errstate(divide="ignore"):
        logs = np.where(possible, np.log(gammas) + np.log(uniforms) / np.where(possible, alphas, 1.0), -np.inf)
    shares = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes))
    shares = np.where(possible, np.maximum(shares, LEAST), 0.0)
    return np.asarray(shares / np.repeat(np.add.reduceat(shares, starts), sizes))


# A random walk over networks by Metropolis' rule, arc by arc.
#
# Madigan and York (International Statistical Review 63, 1995, section 4.2) add and delete arcs; reversals are added
# here, as Giudici and Castelo (Machine Learning 50, 2003) do. An ordered pair of variables is chosen, and with
# probability one half its arc is added or deleted, else reversed; so every move is proposed as often as its opposite,
# and accepted with the ratio of the scores. Where nothing is missing, that leaves the posterior as it is, and a step
# of a chain needs no more. Where values are missing it does not quite, and on purpose: see below.
#
# What an arc gains is the difference of two BDeu scores of its head. Scores of families that were counted over
# different cases cannot be compared: the family with more parents has fewer cases, hence a higher score. Both families
# are therefore counted over the *same* cases: those that have the values of both ends of the arc, and in which no
# experiment set the head. The head's other parents may be as completed, or must be observed, too.
#
# Cases in which an end of the arc was filled in would tell of the filling: while the network has the arc they show it
# as if they had been observed, while it lacks the arc they show independence. Either keeps itself up, so that a chain
# that counted them would hardly ever change its mind where many values are missing (with half of them, in sachs, it
# never did in forty steps). Without them, what a chain says about an arc does not depend on what it said before. What
# is lost are the cases in which an end is not observed but can be told from other variables.


@dataclass(frozen=True, eq=False)
class Evidence:
    """What arcs are judged by: codes and `Incomplete.cell_flags`, and the prior's equivalent sample size.

    With `whole_families`, the head's other parents must be observed, too.
    """

    codes: NDArray[np.unsignedinteger]
    arities: NDArray[np.int32]
    flags: NDArray[np.uint8]
    ess: float
    whole_families: bool = False


# So many moves are made between two looks at the clock.
MOVES_AT_ONCE = 2000


@dataclass(frozen=True, eq=False)
class Moves:
    """Proposed moves: the arcs, which of them are to be turned, and the logarithms of random numbers."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    turns: NDArray[np.uint8]
    chances: NDArray[np.float64]

    @classmethod
    def draw(cls, variables: int, count: int, rng: np.random.Generator) -> Moves:
        """Draw ordered pairs of variables, with equal probabilities."""
        tails = rng.integers(0, variables, size=count)
        heads = (tails + rng.integers(1, variables, size=count)) % variables
        turns = rng.random(count) < 0.5
        chances = np.log(rng.random(count))
        return cls(tails.astype(np.int32), heads.astype(np.int32), turns.astype(np.uint8), chances)

    def part(self, taken: slice) -> Moves:
        """Return some of them."""
        return Moves(self.tails[taken], self.heads[taken], self.turns[taken], self.chances[taken])


class StructureWalk:
    """Walks over the networks that constraints allow; a network is one mask of parents per variable."""

    def __init__(self, constraints: Constraints) -> None:
        self.required = constraints.required_masks
        self.forbidden = constraints.forbidden_masks
        self.limits = constraints.limits
        self._native = constraints.native()

    def walk(
        self, parents: list[int], evidence: Evidence, moves: int, rng: np.random.Generator, run: Run | None = None
    ) -> list[int]:
        """Return the network after so many proposed moves; fewer, if the time of a run is over before."""
        if len(parents) < 2:
            return list(parents)
        drawn = Moves.draw(len(parents), moves, rng)
        for start in range(0, moves, MOVES_AT_ONCE):
            if run is not None and run.is_over:
                break
            parents = self.make(parents, evidence, drawn.part(slice(start, start + MOVES_AT_ONCE)))
        return parents

    def make(self, parents: list[int], evidence: Evidence, moves: Moves) -> list[int]:
        """Return the network after given proposals; Ctrl-C raises."""
        options = _core.sampled.WalkOptions(
            start=pack_parents(tuple(tuple(bits(mask)) for mask in parents)),
            tails=moves.tails,
            heads=moves.heads,
            turns=moves.turns,
            chances=moves.chances,
            required=np.ascontiguousarray(self._native.required).ravel(),
            forbidden=np.ascontiguousarray(self._native.forbidden).ravel(),
            limits=self._native.limits,
            ess=evidence.ess,
            whole_families=evidence.whole_families,
        )
        found = _core.sampled.walk_structures(evidence.codes, evidence.arities, evidence.flags, options)
        return [sum(1 << p for p in own) for own in unpack_parents(*found)]


# `CompletionChain`: one Markov chain of networks, parameters and completions of data with gaps.
#
# Data augmentation (Tanner and Wong, Journal of the American Statistical Association 82, 1987): given the completion,
# a network is drawn; given both, its parameters; given these, the gaps, row by row, from their joint distribution
# given the observed cells. The chain's stationary distribution is the posterior of all three given the observed cells,
# if the values are missing at random. Averages over its completions are then averages over what the gaps may have
# held. All three have to be *drawn*: with the best network and the best parameters of each completion, chance
# associations of one completion would be copied into the next, and edges would be found that are in the filling alone.


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
    cases; or at a state of another chain. It is at `completion`, and at a network: `parents`, one mask per variable.
    """

    def __init__(
        self,
        model: ChainModel,
        seed: np.random.SeedSequence | np.random.Generator,
        start: tuple[Dataset, tuple[int, ...]] | None = None,
        run: Run | None = None,
    ) -> None:
        self._model = model
        self._rng = np.random.default_rng(seed)
        n = model.data.n_variables
        self._moves = n * (n - 1)
        if start is not None:
            self.completion, self.parents = start[0], list(start[1])
            return
        self.parents = model.walk.walk(
            list(model.walk.required), model.available, FIRST_SWEEPS * self._moves, self._rng, run
        )
        self._draw(model.count_available)
        for _ in range(SETTLING):
            if run is None or not run.is_over:
                self._draw(self._count)

    def step(self, run: Run | None = None) -> bool:
        """Draw a network, its parameters and the gaps; False if the time was over before, and nothing is changed."""
        model, before = self._model, self._rng.bit_generator.state
        evidence = model.evidence(self.completion)
        parents = model.walk.walk(self.parents, evidence, SWEEPS * self._moves, self._rng, run)
        if run is not None and run.is_over:
            self._rng.bit_generator.state = before
            return False
        self.parents = parents
        self._draw(self._count)
        return True

    def _count(self, family: list[int]) -> NDArray[np.int64]:
        return _count(self.completion, family)

    def _draw(self, count: Counter) -> None:
        """Draw the parameters given counts, and the gaps given these."""
        model = self._model
        dag = Dag(model.data.names, [tuple(bits(mask)) for mask in self.parents])
        network = draw_tables(dag, count, ess=ESS, seen=model.seen, rng=self._rng, states=model.data.states)
        alone = Run(threads=1, progress=False)
        self.completion = draw_missing(network, model.data, seed=self._rng, max_cells=MAX_CELLS, run=alone)


CHAINS = 4  # independent starts; each continues its own
# Steps of a chain before its first completion is taken, and from one to the next. Networks move freely, since arcs are
# judged by observed ends; what has to settle are the cells, and with half of them missing a step halves the distance.
BURN_IN = 6
BETWEEN = 2
# How many times as many completions as asked for are drawn, at most, while confidences still move.
MOST_TIMES = 3
# A completion, and the network that it was drawn with.
State = tuple[Dataset, tuple[int, ...]]


class Completions:
    """The completions of data with gaps: drawn when they are asked for, kept, the same for the same seed.

    A completion does not depend on the score or the source that learns from it, so that all of an analysis can share
    one object. Completion k belongs to chain k mod 4: any beginning of the sequence has all starts in it.

    Parameters
    ----------
    data
        The data; rows with weights are written out, since each case is completed on its own.
    constraints, max_parents
        What the networks of the chains must satisfy; they have at most three parents in any case.
    count
        How many completions an average takes.
    seed
        Fixes the random numbers.
    """

    def __init__(
        self,
        data: Incomplete,
        *,
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        count: int = COMPLETIONS,
        seed: Seed = None,
    ) -> None:
        if not isinstance(data, Incomplete):
            raise OptionError(Argument("data"), "must be Incomplete; complete data need no completion.")
        self.data = data
        self.count = check_count("completions", count, 2, 10_000)
        self.seed = resolve_seed(seed)
        self.constraints, self.max_parents = constraints, max_parents
        self._model = ChainModel.of(data, constraints, max_parents)
        self.kept: dict[str, object] = {}  # what others made of the completions, to be shared as they are
        self._chains: list[CompletionChain] = []
        self._states: list[State] = []
        self._cut_short: State | None = None  # in place of the first, where the time was over before
        self._ahead = BURN_IN  # steps before the next completion is taken

    gapless: ClassVar[None] = None

    @property
    def gaps(self) -> Incomplete:
        """The data that are completed."""
        return self.data

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.data.names

    @property
    def drawn(self) -> int:
        """How many there are so far."""
        return len(self._states)

    def __repr__(self) -> str:
        return f"<Completions of {self.data!r}: {self.drawn} drawn, of {self.count}>"

    def state(self, index: int, run: Run | None = None) -> State | None:
        """Return a completion with its network; None if the time is over before it is drawn.

        A first one is there in any case: that of its chain as far as it came.
        """
        while len(self._states) <= index:
            if run is not None and run.is_over:
                return None if index or self._states else self._unsettled(run)
            number = len(self._states) % CHAINS
            if number == len(self._chains):
                chain = self._chain(number, run)
                if run is not None and run.is_over:  # it may not have come to where others with its seed are
                    self._cut_short = (chain.completion, tuple(chain.parents))
                    continue
                self._chains.append(chain)
            chain = self._chains[number]
            if self._ahead:
                self._ahead -= chain.step(run)
                continue
            self._states.append((chain.completion, tuple(chain.parents)))
            self._ahead = BURN_IN if len(self._states) < CHAINS else BETWEEN
        return self._states[index]

    def _chain(self, number: int, run: Run | None) -> CompletionChain:
        return CompletionChain(self._model, np.random.SeedSequence([self.seed, number]), run=run)

    def _unsettled(self, run: Run) -> State:
        if self._cut_short is None:
            chain = self._chains[0] if self._chains else self._chain(0, run)
            self._cut_short = (chain.completion, tuple(chain.parents))
        return self._cut_short

    def first(self, run: Run) -> Dataset:
        """Return the first completion."""
        state = self.state(0, run)
        assert state is not None
        return state[0]

    def take(self, count: int) -> Iterator[Dataset]:
        """Yield the first completions."""
        for index in range(count):
            state = self.state(index)
            assert state is not None
            yield state[0]

    def stacked(self) -> Dataset:
        """Return all completions that were drawn, one below the other: its counts are sums over completions."""
        states = self._states or ([] if self._cut_short is None else [self._cut_short])
        codes = np.concatenate([completion.codes for completion, _ in states], axis=1)
        targets = states[0][0].targets
        if targets is not None:
            targets = targets.take(np.tile(np.arange(targets.n_rows), len(states)))
        design = states[0][0].design
        tiled = None if design is None else design.tile(len(states))
        return states[0][0]._unchecked(codes, None, targets, tiled)

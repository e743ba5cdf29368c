"""`LocalProblem`: data, score and constraints, checked and prepared once for any number of local searches."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, ConstraintError, DataError, OptionError, Remedy, check_argument, check_known
from arcwise.base.machine import available_memory
from arcwise.base.run import HasStatus, Run, Status
from arcwise.counts import contingency
from arcwise.data.cases import Cases
from arcwise.data.dataset import Dataset, Frame
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits
from arcwise.scores.registry import log_prior_of, make_score
from arcwise.scores.score import Score, scored_data

if TYPE_CHECKING:
    from arcwise._core.local import DataLearner, LocalLearner, Outcome, Progress, RareColumns, StateBlocks
    from arcwise.data.mixed import MixedData
    from arcwise.scores.score import Scored, Whole

    Learner = LocalLearner | DataLearner


# `LocalSearchResult`: what every local search returns.


@dataclass(frozen=True, eq=False)
class LocalSearchResult(HasStatus):
    """The best network that a local search found, and how it got there. It need not be the optimum.

    Parameters
    ----------
    dag, score
        The best network seen, and its score.
    method
        The search: "hill-climbing", "tabu", "first-ascent", "genetic" or "order".
    scored_by
        The score's name and parameters, e.g. ``{"name": "bic"}``.
    history
        The score at the start and after each iteration; for a genetic search the best of the population.
    restarts
        The positions in `history` at which the search starts again.
    iterations
        Moves made (genetic search: rounds; order search: perturbations; first-ascent: sweeps, the last without a move).
    operations
        Moves looked at: the candidates compared, or for first-ascent every operator drawn, legal or not; for order
        search, places at which a variable could be put.
    families_scored
        Local scores computed from counts. For order search, those that were computed for its table, or, if the table
        was read from a file, those that it holds.
    seed, seconds
        The seed that gives the same result again; wall-clock time.
    candidates
        Among how many parents of each variable refinement looked for a better network; None: among all. Either way no
        single change of the network would gain.
    usual_limit
        The limit of parents that the search had because nobody gave one; None if it had none of its own.
    status
        COMPLETE if the search ended by its own rule, else the limit that ended it; the network is valid either way.
    """

    dag: Dag
    score: float
    method: str
    scored_by: Mapping[str, Any]
    history: NDArray[np.float64]
    iterations: int
    operations: int
    families_scored: int
    seconds: float
    status: Status = Status.COMPLETE
    restarts: tuple[int, ...] = ()
    seed: int = 0
    candidates: int | None = None
    usual_limit: int | None = None

    @property
    def log_prior(self) -> float | None:
        """The part of the score that was believed before the data; None if the score has no prior odds."""
        return log_prior_of(self.scored_by, self.dag)

    @property
    def data_score(self) -> float:
        """The part of the score that is the data's: all of it, unless there were prior odds."""
        return self.score - (self.log_prior or 0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it."""
        return {
            "method": self.method,
            "score": self.score,
            **({} if self.log_prior is None else {"data_score": self.data_score, "log_prior": self.log_prior}),
            "scored_by": dict(self.scored_by),
            "nodes": list(self.dag.names),
            "arcs": [list(arc) for arc in self.dag.arcs],
            "iterations": self.iterations,
            "operations": self.operations,
            "families_scored": self.families_scored,
            **({} if self.candidates is None else {"candidates": self.candidates}),
            **({} if self.usual_limit is None else {"usual_limit": self.usual_limit}),
            "seed": self.seed,
            "seconds": self.seconds,
            "status": str(self.status),
            "history": self.history.tolist(),
            "restarts": list(self.restarts),
        }

    def __repr__(self) -> str:
        state = "" if self.complete else f", {self.status}"
        return (
            f"LocalSearchResult({self.method}: {self.scored_by.get('name')} {self.score:.4f}, "
            f"{len(self.dag.arcs)} arcs, {self.iterations} iterations{state})"
        )


Start = Literal["empty", "random"] | Dag
STARTS = ("empty", "random")
START = 1  # the stream of random numbers that makes the starting network; stream 0 is the search's

Options = TypeVar("Options")
MostParents = int | Literal["usual"] | None
FITTED_CELLS = 2**27  # the most numbers that the tables of a network may hold (`model.tables.MAX_CELLS`)

# What the rows of scores may take before the oldest are computed again, if the caller sets no limit.
DEFAULT_MEMORY = 2**29
# What a search keeps for two variables: what either gains as a parent of the other, and its places among what gains.
PAIR_BYTES = 24


class Layout:
    """Data as the native core counts them."""

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self.blocks: StateBlocks = _core.local.StateBlocks(data.codes, data.arities)

    @cached_property
    def rare(self) -> RareColumns:
        """As they are counted for many replicates at once."""
        return _core.local.RareColumns(self.blocks)


# As long as a problem or a batch of replicates has one, by the identity of its data, which it keeps.
_layouts: WeakValueDictionary[int, Layout] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """What is searched: the data, the score, the constraints.

    Make it with `LocalProblem.of`, which checks its arguments. The prepared data are shared by all searches and
    threads; `learner` makes the native search object, of which each thread needs its own.
    """

    data: Any  # a `Dataset`, or `MixedData`, whichever the score takes
    score: Score
    constraints: Constraints
    usual_limit: int | None = None  # of parents, where none was given

    @classmethod
    def of(
        cls,
        data: Scored | Frame,
        score: str | Score,
        constraints: GivenConstraints | None = None,
        max_parents: MostParents = None,
    ) -> LocalProblem:
        """Check the arguments that all local searches share; data may have gaps if the score takes them."""
        made = make_score(score)
        whole = scored_data(data, made)
        _check_memory(whole.n_variables)
        constraints = Constraints.of(whole.names, constraints)
        if constraints is not None:
            constraints.refuse_ancestors("local search")
        usual = None
        if isinstance(max_parents, str):
            check_known("max_parents", max_parents, ("usual",), more="Or give an integer, or None for no limit.")
            usual = max_parents = usual_limit(made, whole, constraints)
        merged = merged_constraints(whole, constraints, max_parents)
        _check_known(whole, made, merged)
        return cls(whole, made, _forbid(_silent_arcs(whole, made), merged), usual)

    def in_order(self, order: Sequence[int]) -> LocalProblem:
        """Return the problem with its variables in another order."""
        names = [self.data.names[v] for v in order]
        return LocalProblem(self.data.select(names), self.score, self.constraints.reorder(names), self.usual_limit)

    @cached_property
    def layout(self) -> Layout:
        """The data as the native core counts them, shared by problems of the same data."""
        layout = _layouts.get(id(self.data))
        if layout is None:
            layout = _layouts[id(self.data)] = Layout(self.data)
        return layout

    def prepare(self) -> None:
        """Make what all learners share, before several threads ask for theirs."""
        if not self.score.data_score.holds_data:
            _ = self.layout
            return
        for group in self.data.child_groups:
            if group.n_cases > 0:
                self.score.native(group)

    @cached_property
    def _rows_of_groups(self) -> NDArray[np.uint8]:
        """For each group of children, whether each row is one of their cases; empty if every row is one of each."""
        targets = self.data.targets
        if targets is None:
            return np.empty(0, dtype=np.uint8)
        of_group = {int(g): self.data.names[v] for v, g in reversed(list(enumerate(self.data.group_of_child)))}
        rows = [targets.rows_without(of_group[g]) for g in range(len(of_group))]
        return np.concatenate(rows).astype(np.uint8)

    def density(self, given: float | None) -> float:
        """Return the chance of each arc of a random network: by default two neighbours per node, at most one half."""
        if given is None:
            return float(min(0.5, 2.0 / max(1, self.data.n_variables - 1)))
        check_argument(0.0 <= given <= 1.0, "density", given, "must lie between 0 and 1: it is the chance of each arc.")
        return float(given)

    def learner(self, memory: int | None = None) -> Learner:
        """Return a native search object with this much memory for its scores; threads must not share it."""
        rules = self.constraints.native()
        rest = (
            [self.score.native(group) if group.n_cases > 0 else None for group in self.data.child_groups],
            self.data.group_of_child,
            self._rows_of_groups,
            np.ascontiguousarray(rules.required).ravel(),
            np.ascontiguousarray(rules.forbidden).ravel(),
            rules.limits,
            memory or DEFAULT_MEMORY,
        )
        if self.score.data_score.holds_data:
            return _core.local.DataLearner(self.data.n_rows, *rest)
        return _core.local.LocalLearner(self.layout.blocks, *rest)

    @cached_property
    def constant_score(self) -> float:
        """The score of the variables that were set in every case: constant, as they have just their required parents.

        The native search leaves it out.
        """
        counted = [self.data.child_groups[g].n_cases > 0 for g in self.data.group_of_child.tolist()]
        required = self.constraints.required_masks
        return sum(
            self.score.score_without_cases(self.data, v, list(bits(required[v])))
            for v, has_cases in enumerate(counted)
            if not has_cases
        )

    def pack_start(
        self, learner: Learner, start: Start, density: float | None, seed: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the parents of the starting network as arrays (offsets, members)."""
        if isinstance(start, Dag):
            return pack_parents(self.checked_start(start).parents)
        if start == "random":
            return learner.random_dag(self.density(density), seed)
        check_known("start", start, STARTS, more="Or give a Dag.")
        return pack_parents(Dag.from_arcs(self.data.names, self.constraints.required).parents)

    def checked_start(self, start: Dag) -> Dag:
        """Return a starting network in the order of the data, if it obeys the constraints.

        It has no arcs of which the data say nothing, but for required ones.
        """
        if set(start.names) != set(self.data.names):
            differing = ", ".join(sorted(set(start.names) ^ set(self.data.names)))
            raise OptionError(f"the starting network and the data have different variables: {differing}.")
        dag = start if start.names == self.data.names else start.reorder(self.data.names)
        silent = _silent_arcs(self.data, self.score) - set(self.constraints.required)
        dag = Dag.from_arcs(dag.names, [arc for arc in dag.arcs if arc not in silent]) if silent else dag
        broken = self.constraints.violations(dag)
        if broken:
            raise ConstraintError(f"the starting network breaks the constraints: {'; '.join(broken)}.")
        return dag

    def search(
        self,
        method: str,
        operation: Callable[[NDArray[np.int64], Options, float, Progress], Outcome],
        options: Options,
        run: Run,
    ) -> LocalSearchResult:
        """Return the result of an operation of a learner, with its options."""
        outcome = operation(self.data.native_weights, options, run.limits.native_seconds, run.native_report(method))
        offsets, members, score, history, restarts, iterations, operations, families, status = outcome
        return LocalSearchResult(
            dag=Dag(self.data.names, unpack_parents(offsets, members)),
            score=score + self.constant_score,
            method=method,
            scored_by=self.score.describe(),
            history=history + self.constant_score,
            restarts=tuple(restarts.tolist()),
            iterations=iterations,
            operations=operations,
            families_scored=families,
            seed=run.seed,
            seconds=run.seconds,
            status=Status.from_native(status),
            usual_limit=self.usual_limit,
        )


# A climb breaks ties between equal changes by the order of the variables, and ties decide directions, so that the same
# data with their columns in another order end in another class of networks (Kitson and Constantinou 2024). So the
# variables are put into an order of their own first, by entropy; and into its reverse, since the better of the two ends
# scores at least as much as 94 % of the ends from random orders (12 networks, 300 and 2,000 cases, BIC and BDeu; one
# order alone 78 to 87 %). Of variables with the same counts, what rows they share with others decides: a row has a
# number made of all its values, and a state the sum of those of its rows, whatever the order of rows and columns.
# Columns that are alike, or that could be exchanged, are left to their names.


def order_of_content(data: Any) -> list[int]:
    """Return the variables in an order that depends on nothing but their content."""
    if data.HOLDS_NUMBERS:
        return _order_of_values(data)
    counts = [contingency(data, [v]).ravel() for v in range(data.n_variables)]
    shares = [np.sort(own[own > 0]) / max(data.n_cases, 1) for own in counts]
    entropies = [-float((share * np.log(share)).sum()) for share in shares]
    seen = Counter(entropies)
    signs = _signs(data, counts) if max(seen.values()) > 1 else [""] * len(counts)
    return sorted(range(len(counts)), key=lambda v: (entropies[v], signs[v], data.names[v]))


def _order_of_values(data: MixedData) -> list[int]:
    """Return the variables by how many values they have, and then by these values and how often each occurs."""

    def content(v: int) -> tuple[object, ...]:
        values, place = np.unique(data.values[v], return_inverse=True)
        cases = np.bincount(place, data.weights).astype(np.int64)
        return (int((cases > 0).sum()), values[cases > 0].tolist(), cases[cases > 0].tolist(), data.names[v])

    return sorted(range(data.n_variables), key=content)


def _signs(data: Dataset, counts: Sequence[NDArray[np.int64]]) -> list[str]:
    """Return a text for each variable that tells variables with different content apart, in any order of rows."""

    def digest(content: object, size: int) -> bytes:
        return hashlib.blake2b(repr(content).encode(), digest_size=size).digest()

    numbers = [
        np.array([int.from_bytes(digest((own, counted.tolist(), k), 8)) for k in range(len(own))], dtype=np.uint64)
        for own, counted in zip(data.states, counts, strict=True)
    ]
    rows = np.zeros(data.n_rows, dtype=np.uint64)
    for own, codes in zip(numbers, data.codes, strict=True):
        rows += own[codes]
    rows = (rows ^ rows >> np.uint64(31)) * np.uint64(0x9E3779B97F4A7C15)  # so that sums of rows are none of columns
    rows ^= rows >> np.uint64(29)
    if data.weights is not None:
        rows *= data.weights.astype(np.uint64)
    found = []
    for own, codes in zip(numbers, data.codes, strict=True):
        sums = np.zeros(len(own), dtype=np.uint64)
        np.add.at(sums, codes, rows)
        found.append(digest((own.tolist(), sums.tolist()), 16).hex())
    return found


def usual_limit(score: Score, data: Whole, constraints: Constraints | None) -> int | None:
    """Return the default parent limit; None if one was given, or for scores that keep parents few.

    A Dirichlet prior puts nothing on configurations that do not occur, so that of 1,500 variables one may get a hundred
    parents, and a table that no data can fill. A family of variables with average numbers of states has as many
    configurations of parents as there are cases, at most; and see `fitted_limit`.
    """
    fitted = fitted_limit(score, data, constraints)
    if fitted is None:
        return None
    states = float(np.log(np.maximum(data.arities, 2)).mean())
    by_cases = math.floor(math.log(max(data.n_cases, 2)) / states + 1e-9)
    return max(min(by_cases, fitted), _required(constraints), 1)


def fitted_limit(score: Score, data: Whole, constraints: Constraints | None) -> int | None:
    """Return with how many parents every variable can have a table that can be fitted; None as `usual_limit`.

    It is for parents of the most states. Those that constraints require are allowed.
    """
    limited = constraints is not None and (constraints.max_parents is not None or constraints.max_parents_by_name)
    if score.data_score.facts.keeps_parents_few or limited:
        return None
    states = np.sort(np.log(np.maximum(data.arities, 2)))[::-1]
    most = int(np.searchsorted(np.cumsum(states), math.log(FITTED_CELLS / data.n_variables), side="right")) - 1
    return max(most, _required(constraints), 1)


def _required(constraints: Constraints | None) -> int:
    return 0 if constraints is None else constraints.most_required


def merged_constraints(data: Cases, constraints: Constraints | None, max_parents: int | None) -> Constraints:
    """Return what was asked for as constraints over the variables of the data, with the limit of parents in them."""
    if constraints is None:
        return Constraints(data.names, max_parents=max_parents)
    if constraints.names != data.names:
        constraints = constraints.reorder(data.names)
    if max_parents is None:
        return constraints
    own = {name: min(limit, max_parents) for name, limit in constraints.max_parents_by_name.items()}
    overall = max_parents if constraints.max_parents is None else min(max_parents, constraints.max_parents)
    return constraints.changed(max_parents=overall, max_parents_of=own)


def _check_memory(n_variables: int) -> None:
    """Refuse more variables than there is memory for their pairs: the system would end the process without a word."""
    needed, free = PAIR_BYTES * n_variables**2, available_memory()
    if free is not None and needed > free:
        raise DataError(
            f"a search keeps the scores of all pairs: {needed / 1e9:,.3g} GB for {n_variables:,} variables, and "
            f"{free / 1e9:,.3g} GB may be used.",
            remedies=Remedy("leave out columns with", Argument("drop")),
        )


def _check_known(data: Any, score: Score, constraints: Constraints) -> None:
    """Refuse required arcs that make a family which the score does not know: no search leaves minus infinity."""
    required = [(v, list(bits(mask))) for v, mask in enumerate(constraints.required_masks) if mask]
    if not required or not score.data_score.holds_data:
        return
    for (v, parents), found in zip(required, score.score_families(data, required).tolist(), strict=True):
        if found == -np.inf:
            raise ConstraintError(
                f"no network is possible: '{data.names[v]}' with the required "
                f"{' and '.join(data.names[p] for p in parents)} has the score minus infinity by {score.title}.",
                remedies=Remedy("require no such arcs, or take another score"),
            )


def _forbid(silent: set[tuple[str, str]], constraints: Constraints) -> Constraints:
    """Return the constraints with the silent arcs forbidden, too, but for required ones."""
    if not silent:
        return constraints
    forbidden = {*constraints.forbidden, *silent} - set(constraints.required)
    return constraints.changed(forbidden=sorted(forbidden))


def _silent_arcs(data: Any, score: Score) -> set[tuple[str, str]]:
    """Return the arcs of which the data say nothing (`Cases.silent_arcs`): they are the prior's doing."""
    children, parents = np.nonzero(score.silent_arcs(data))
    names = data.names
    return {(names[p], names[c]) for c, p in zip(children.tolist(), parents.tolist(), strict=True) if p != c}


def pack_parents(parents: tuple[tuple[int, ...], ...]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return parent lists as two arrays: node v has the parents members[offsets[v]:offsets[v + 1]]."""
    offsets = np.zeros(len(parents) + 1, dtype=np.int64)
    np.cumsum([len(p) for p in parents], out=offsets[1:])
    return offsets, np.array([p for ps in parents for p in ps], dtype=np.int32)


def unpack_parents(offsets: NDArray[np.int64], members: NDArray[np.int32]) -> list[list[int]]:
    """Return the parent lists that `pack_parents` packed."""
    flat, ends = members.tolist(), offsets.tolist()
    return [flat[a:b] for a, b in itertools.pairwise(ends)]

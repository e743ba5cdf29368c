"""`Score`: what every score is, and how it is computed from data."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset, Incomplete
from arcwise.errors import DataError
from arcwise.graph import Dag
from arcwise.mentions import Argument, Call, Remedy
from arcwise.scores.facts import Counts, Facts, Parameter

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Score"]


@dataclasses.dataclass(frozen=True)
class Score(abc.ABC):
    """A decomposable score: the sum over variables of a local score; natural logarithm, higher is better.

    A score is a frozen dataclass of its parameters. `native` gives the compiled score that tables and searches use;
    `local` is its readable twin, from one family's table of counts. Where variables were set (`Dataset.targets`), a
    family is scored without the cases in which its child was (Cooper and Yoo 1999), and N is the number of the others.
    """

    name: ClassVar[str]
    FACTS: ClassVar[Facts]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    takes_gaps: ClassVar[bool] = False  # whether it scores data with gaps, each family by the cases that have it whole

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            parameter.check(self.name, getattr(self, parameter.name))

    @property
    def facts(self) -> Facts:
        """What is known about the score with these parameters; `FACTS` is that of the defaults."""
        return self.FACTS

    @property
    def data_score(self) -> Score:
        """The score of the data alone: the score itself, unless it has a prior (`BelievedScore`)."""
        return self

    @property
    def title(self) -> str:
        """The score as papers write it, with its parameters: "BDeu (ess 1)"."""
        values = {name: value for name, value in self.describe().items() if name != "name"}
        shown = ", ".join(
            f"{name} {value}" if isinstance(value, str) else f"{name} {value:g}"
            for name, value in values.items()
            if isinstance(value, int | float | str)
        )
        return self.facts.title + (f" ({shown})" if shown else "")

    @abc.abstractmethod
    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return the local score of a family from its counts, one row per parent configuration.

        `alphas` are the hyperparameters, for the scores that take them from elsewhere than the counts (see `alphas`).
        """

    @abc.abstractmethod
    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score for a data set; it may be used by several threads at once."""

    def bound(self, counts: Counts) -> float:
        """Return a number that neither this family nor one with more parents exceeds; `facts.bound` says why."""
        return math.inf

    def alphas(self, data: Dataset, child: int, parents: Sequence[int]) -> NDArray[np.float64] | None:
        """Return the hyperparameters that `local` needs in addition to the counts; None for most scores."""
        return None

    def describe(self) -> dict[str, Any]:
        """Return the name and the parameters, as tables record them: ``{"name": "bdeu", "ess": 1.0}``."""
        return {"name": self.name, **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)}}

    def identity(self) -> dict[str, Any]:
        """Return what tells the score from every other one: the key of work that is resumed or kept."""
        return self.describe()

    def score_family(self, data: Dataset | Incomplete, child: int, parents: Iterable[int] = ()) -> float:
        """Return the local score of a variable given parents (all by position), counted from the data."""
        return float(self.score_families(data, [(child, parents)])[0])

    def score_families(
        self, data: Dataset | Incomplete, families: Iterable[tuple[int, Iterable[int]]]
    ) -> NDArray[np.float64]:
        """Return the local scores of several (child, parents) pairs, each counted from the data on its own.

        Where variables were set, a family is counted without the cases in which its child was, and their number is
        the family's N. Of a child that was set in every case the data say nothing: see `untold`. Data may have gaps if
        the score takes them (`takes_gaps`).
        """
        from arcwise import _core

        return self._by_group(data, families, _core.scores.score_families, self.untold)

    def untold(self, data: Dataset, child: int, parents: Iterable[int]) -> float:
        """Return the score of a family without a case: the likelihood of no case is 1, so that it is the log prior."""
        return 0.0

    def _by_group(
        self,
        data: Dataset | Incomplete,
        families: Iterable[tuple[int, Iterable[int]]],
        compute: Callable[..., NDArray[np.float64]],
        untold: Callable[[Dataset, int, Iterable[int]], float],
    ) -> NDArray[np.float64]:
        """Call a native function for the families of each group of children of which the same cases tell.

        `untold` gives the value of a family of which no case tells.
        """
        data = scored_data(data, self)
        listed = [(child, sorted(set(parents))) for child, parents in families]
        children, offsets, parents = pack_families(data, listed)
        groups = data.group_of_child[children]
        result = np.zeros(len(listed))
        for g, group in enumerate(check_cases(data).child_groups):
            chosen = np.flatnonzero(groups == g)
            if group.n_cases == 0:
                result[chosen] = [untold(data, *listed[i]) for i in chosen]
            if group.n_cases == 0 or len(chosen) == 0:
                continue
            if len(chosen) < len(listed):
                children, offsets, parents = pack_families(data, [listed[i] for i in chosen])
            result[chosen] = compute(
                self.native(group), group.codes, group.arities, group.native_weights, children, offsets, parents
            )
        return result

    def score_network(self, data: Dataset | Incomplete, dag: Dag) -> float:
        """Return the score of a network, counted from the data: the sum of its families' local scores.

        It shares no code with the builder of tables, so it also serves to check what a search returns.
        """
        return math.fsum(self.score_families(data, families_of(data, dag)))

    def bound_families(
        self, data: Dataset | Incomplete, families: Iterable[tuple[int, Iterable[int]]]
    ) -> NDArray[np.float64]:
        """Return `bound` of several (child, parents) pairs, natively."""
        from arcwise import _core

        return self._by_group(data, families, _core.scores.bound_families, self.untold_bound)

    def untold_bound(self, data: Dataset, child: int, parents: Iterable[int]) -> float:
        """Return the bound of a family without a case."""
        return 0.0

    def score_family_twin(self, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
        """Return the same as `score_family`, by `local` in Python: what the native score is compared with."""
        ordered = sorted(parents)
        alone = data if data.targets is None else data.cases_without(data.names[child])
        if alone.n_cases == 0:
            return 0.0
        return self.local(family_counts(alone, child, ordered), self.alphas(alone, child, ordered))

    def bound_family_twin(self, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
        """Return what neither this family nor one with more parents exceeds, in Python."""
        return self.bound(family_counts(data, child, sorted(parents)))


def family_counts(data: Dataset, child: int, parents: Sequence[int]) -> Counts:
    """Count a family densely, without the cases in which the child was set: (q, r), the first parent slowest."""
    if data.targets is not None:
        data = data.cases_without(data.names[child])
    return contingency(data, [*parents, child]).reshape(-1, int(data.arities[child]))


def scored_data(data: Dataset | Incomplete, score: Score) -> Dataset:
    """Return data as a score takes them: with gaps as states of their own, if it is an available-case score.

    Raises
    ------
    DataError
        If there are gaps and the score needs complete data.
    """
    if not isinstance(data, Incomplete):
        return data
    if not data.missing.any():
        return data.held
    if score.data_score.takes_gaps:
        return data.with_gap_states()
    raise DataError(
        f"{int(data.missing.sum()):,} values are missing, and {score.title} needs complete cases.",
        remedies=(
            Remedy("score each family by the cases that have it whole, with", Argument("score", "pnal")),
            Remedy("average over completions, with", Call("learn")),
            Remedy("fill the gaps first, with", Call("impute")),
        ),
    )


def check_cases(data: Dataset) -> Dataset:
    """Raise a DataError if the data have no case."""
    if data.n_cases < 1:
        raise DataError("the data have no cases: a score needs at least one row with a weight above 0.")
    return data


def families_of(data: Dataset | Incomplete, dag: Dag) -> list[tuple[int, list[int]]]:
    """Return the families of a network as positions in the data; the network's nodes may be in any order."""
    if set(dag.names) != set(data.names):
        differing = sorted(set(dag.names) ^ set(data.names))
        raise DataError(f"the network and the data have different variables: {', '.join(differing)}.")
    position = [data.index(name) for name in dag.names]
    return [(position[v], [position[p] for p in parents]) for v, parents in enumerate(dag.parents)]


def pack_families(
    data: Dataset, families: Iterable[tuple[int, Iterable[int]]]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Check families and pack them into arrays: children, offsets, parents."""
    children: list[int] = []
    offsets = [0]
    members: list[int] = []
    for child, parents in families:
        ordered = sorted(set(parents))
        for v in (child, *ordered):
            if not 0 <= v < data.n_variables:
                raise DataError(f"no variable at position {v}; the positions are 0 to {data.n_variables - 1}.")
        if child in ordered:
            raise DataError(f"variable '{data.names[child]}' cannot be its own parent.")
        children.append(child)
        members.extend(ordered)
        offsets.append(len(members))
    return np.array(children, dtype=np.int32), np.array(offsets, dtype=np.int64), np.array(members, dtype=np.int32)

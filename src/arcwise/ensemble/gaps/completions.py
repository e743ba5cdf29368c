"""`Completions`: data with gaps, completed many times by chains from different starts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.defaults import COMPLETIONS
from arcwise.ensemble.gaps.chain import ChainModel, CompletionChain
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.local.problem import check_count
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.seeds import Seed, resolve_seed

__all__ = ["BETWEEN", "BURN_IN", "CHAINS", "MOST_TIMES", "Completions", "State"]

CHAINS = 4
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
        self._ahead = BURN_IN  # steps before the next completion is taken

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

    def state(self, index: int, deadline: Deadline | None = None) -> State | None:
        """Return a completion with its network; None if the time is over before it is drawn."""
        while len(self._states) <= index:
            if deadline is not None and deadline.is_over:
                return None
            number = len(self._states) % CHAINS
            if number == len(self._chains):
                self._chains.append(CompletionChain(self._model, np.random.SeedSequence([self.seed, number])))
            chain = self._chains[number]
            if self._ahead:
                chain.step()
                self._ahead -= 1
                continue
            self._states.append((chain.completion, tuple(chain.parents)))
            self._ahead = BURN_IN if len(self._states) < CHAINS else BETWEEN
        return self._states[index]

    def take(
        self, count: int, *, deadline: Deadline | None = None, progress: bool | ProgressCallback | None = None
    ) -> Iterator[Dataset]:
        """Yield the first completions; fewer if the time is over."""
        with show_progress(progress) as callback:
            for index in range(count):
                state = self.state(index, deadline)
                if state is None:
                    return
                callback(ProgressEvent("completions", index + 1, count))
                yield state[0]

    def stacked(self) -> Dataset:
        """Return all completions that were drawn, one below the other: its counts are sums over completions."""
        assert self._states
        codes = np.concatenate([completion.codes for completion, _ in self._states], axis=1)
        targets = self._states[0][0].targets
        if targets is not None:
            targets = targets.take(np.tile(np.arange(targets.n_rows), len(self._states)))
        return self._states[0][0]._unchecked(codes, None, targets)

"""`CompletedTask`: what replicates of data with gaps start from."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.run import Run
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.graph.constraints import Constraints
from arcwise.sampled.completions import ChainModel, CompletionChain, Completions, State
from arcwise.sampled.number_completions import NumberChain, NumberCompletions, NumberGaps
from arcwise.sampled.numeric_data import NumericData, Sampled
from arcwise.scores.score import Score, scored_data

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData

# Steps of a chain on each sample: it starts where a chain on the data is, and has to forget that equal cases had equal
# values.
STEPS = 2
# What completed samples may take that are kept for other scores.
MOST_BYTES = 2**28


@dataclass(frozen=True, eq=False)
class CompletedTask:
    """What the replicates of data with gaps start from: the data, and completions of them with their networks.

    To bootstrap first and to complete then is what keeps the spread between replicates right: completions of the data,
    resampled, would share their fillings (Schomaker and Heumann, Statistics in Medicine 37, 2018, "Boot MI").
    """

    data: Incomplete  # one row per case
    states: tuple[State, ...]
    constraints: Constraints | None
    max_parents: int | None
    seed: int
    uncut: NumericData | None = None  # numbers to cut anew in every sample

    @classmethod
    def of(cls, completions: Completions, run: Run, uncut: NumericData | None = None) -> CompletedTask:
        """Draw the completions, or at least one if the time is short. All that share the completions share the task."""
        known = completions.kept.get("replicates")
        if isinstance(known, cls) and len(known.states) == completions.count and known.uncut is uncut:
            return known
        states: list[State] = []
        for index in range(completions.count):
            state = completions.state(index, run)
            if state is None:
                break
            states.append(state)
        given = completions
        kind = CompletedNumbers if isinstance(given, NumberCompletions) else cls
        made = kind(given.data.expand(), tuple(states), given.constraints, given.max_parents, given.seed, uncut)
        completions.kept["replicates"] = made
        return made

    def sample(self, index: int, seed: int, share: float | None = None) -> Dataset:
        """Draw cases as `Incomplete.resampled_rows` does, and complete them; other scores may ask for them again."""
        found = self._samples.get((index, seed, share))
        if found is None:
            found = self._completed(index, np.random.default_rng(seed), share)
            if (len(self._samples) + 1) * found.cells.nbytes <= MOST_BYTES:
                self._samples[index, seed, share] = found
        return found

    @functools.cached_property
    def _samples(self) -> dict[tuple[int, int, float | None], Dataset]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_samples"}

    def _completed(self, index: int, rng: np.random.Generator, share: float | None) -> Dataset:
        rows = self.data.resampled_rows(rng, share)
        completion, network = self.states[index % len(self.states)]
        if self.uncut is None:
            chosen, start = self.data.take(rows), completion.take(rows)
        else:
            chosen, start = self.uncut.completed_sample(rows, completion, rng)
        model = ChainModel.of(chosen, self.constraints, self.max_parents)
        chain = CompletionChain(model, rng, (start, network))
        for _ in range(STEPS):
            chain.step()
        return chain.completion.with_groups(None)  # each row is a separate case

    @property
    def networks(self) -> list[Any]:
        """The networks under which the completions were drawn; none where no networks were."""
        return [network for _, network in self.states if network]

    @functools.cached_property
    def identity(self) -> dict[str, Any]:
        """What a file of replicates must agree with."""
        return {"data": self.data.digest, "completions": len(self.states), "completion_seed": self.seed}


class CompletedNumbers(CompletedTask):
    """The same for numbers as they are."""

    def _completed(self, index: int, rng: np.random.Generator, share: float | None) -> Any:
        rows = self.data.resampled_rows(rng, share)
        completion: Any = self.states[index % len(self.states)][0]
        start = completion.take(rows)
        chain = NumberChain(NumberGaps(start, self.data.missing[:, rows]), rng, start)
        for _ in range(STEPS):
            chain.step()
        return chain.completion.with_groups(None)


def complete_data(
    data: Sampled | MixedData,
    score: Score,
    constraints: Constraints | None,
    max_parents: int | None,
    seed: int,
    run: Run,
) -> tuple[Any, CompletedTask | None]:
    """Return, for data with gaps, complete data to count with, and what replicates start from if gaps are filled."""
    assert data.gaps is not None
    if score.data_score.takes_gaps:  # each family is scored by the cases that have it whole
        return scored_data(data.gaps, score), None
    uncut = data if isinstance(data, NumericData) else None
    known = data if uncut is None else uncut.completions
    if not isinstance(known, Completions):
        known = Completions(data.gaps, constraints=constraints, max_parents=max_parents, seed=seed)
    made = CompletedTask.of(known, run, uncut)
    return made.states[0][0], made


def has_all_states(completions: Completions) -> bool:
    """Return whether replicates were begun from all completions that were asked for, or from none: others differ."""
    known = completions.kept.get("replicates")
    return not isinstance(known, CompletedTask) or len(known.states) == completions.count

"""`CompletedTask`: samples of the cases of data with gaps, each completed anew."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.ensemble.gaps.chain import ChainModel, CompletionChain
from arcwise.ensemble.gaps.completions import Completions, State
from arcwise.errors import UnfinishedError
from arcwise.graph import Constraints

__all__ = ["STEPS", "CompletedTask"]

# Steps of a chain on each sample: it starts where a chain on the data is, and has to forget that equal cases had equal
# values.
STEPS = 2


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

    @classmethod
    def of(cls, completions: Completions, deadline: Deadline) -> CompletedTask:
        """Draw the completions; fewer, if the time is short."""
        states: list[State] = []
        for index in range(completions.count):
            state = completions.state(index, deadline)
            if state is None:
                break
            states.append(state)
        if not states:
            raise UnfinishedError("the time was over before the data were completed once.")
        given = completions
        return cls(given.data.expand(), tuple(states), given.constraints, given.max_parents, given.seed)

    def sample(self, index: int, rng: np.random.Generator) -> Dataset:
        """Draw cases with replacement, and complete them."""
        rows = self.data.resampled_rows(rng)
        chosen = self.data.take(rows)
        completion, network = self.states[index % len(self.states)]
        model = ChainModel.of(chosen, self.constraints, self.max_parents)
        chain = CompletionChain(model, rng, (completion.take(rows), network))
        for _ in range(STEPS):
            chain.step()
        return chain.completion

    @functools.cached_property
    def identity(self) -> dict[str, Any]:
        """What a file of replicates must agree with."""
        return {"data": self.data.digest, "completions": len(self.states), "completion_seed": self.seed}

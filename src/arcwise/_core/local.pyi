from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise._core.parent_sets import CandidateSets
from arcwise._core.scores import LocalScore

Progress = Callable[[int, int, float, float], None] | None
# Parents (offsets, members), score, history, restarts, iterations, operations, families, status.
Outcome = tuple[
    NDArray[np.int64],
    NDArray[np.int32],
    float,
    NDArray[np.float64],
    NDArray[np.int64],
    int,
    int,
    int,
    int,
]

# Order, rows, score, nodes without a row.
OrderedNetwork = tuple[NDArray[np.int32], NDArray[np.int64], float, int]
_PackedDag = tuple[NDArray[np.int64], NDArray[np.int32]]  # offsets, members

class StateBlocks:
    def __init__(self, codes: NDArray[np.unsignedinteger], arities: NDArray[np.int32]) -> None: ...

class RareColumns:
    def __init__(self, data: StateBlocks) -> None: ...
    @staticmethod
    def fits(arities: NDArray[np.int32], rows: int) -> bool: ...

class ReplicateCounts:
    def __init__(self, data: StateBlocks, rare: RareColumns, weights: list[NDArray[np.int64]]) -> None: ...
    @property
    def bytes(self) -> int: ...
    def forget(self) -> None: ...

REPLICATES_TOGETHER: int

class ClimbOptions:
    def __init__(
        self,
        *,
        start: _PackedDag,
        restarts: int = 0,
        perturbations: int = 1,
        density: float = 0.0,
        tabu: int = 0,
        patience: int = 0,
        max_iterations: int = 0,
        refine: int = 0,
        effort: int = 0,
        narrow: int = 400,
        candidates: int = 40,
        whole: int = 512,
        near: int = 64,
        random_ties: bool = False,
        seed: int = 0,
    ) -> None: ...

class FirstAscentOptions:
    def __init__(self, *, start: _PackedDag, max_iterations: int = 0, seed: int = 0) -> None: ...

class GeneticOptions:
    def __init__(
        self,
        *,
        population: int = 16,
        unconnected: int = 1,
        dropped: int = 3,
        promoted: int = 3,
        mating_tries: int = 20,
        patience: int = 5,
        max_rounds: int = 0,
        mutate: bool = True,
        density: float = 0.0,
        seed: int = 0,
    ) -> None: ...

# One template binds both.
class _Learner:
    def neighbours(
        self, weights: NDArray[np.int64], child: int, parents: NDArray[np.int32]
    ) -> tuple[float, NDArray[np.float64]]: ...
    def random_dag(self, density: float, seed: int) -> _PackedDag: ...
    def climb(
        self, weights: NDArray[np.int64], options: ClimbOptions, seconds: float, progress: Progress
    ) -> Outcome: ...
    def first_ascent(
        self, weights: NDArray[np.int64], options: FirstAscentOptions, seconds: float, progress: Progress
    ) -> Outcome: ...
    def evolve(
        self, weights: NDArray[np.int64], options: GeneticOptions, seconds: float, progress: Progress
    ) -> Outcome: ...

class LocalLearner(_Learner):
    def __init__(
        self,
        data: StateBlocks,
        scores: list[LocalScore | None],
        group_of: NDArray[np.int32],
        counted: NDArray[np.uint8],
        required: NDArray[np.uint64],
        forbidden: NDArray[np.uint64],
        limits: NDArray[np.int32],
        memory: int,
    ) -> None: ...
    def climb_together(
        self,
        counts: ReplicateCounts,
        seeds: NDArray[np.uint64],
        options: ClimbOptions,
        seconds: float,
        progress: Progress,
    ) -> list[Outcome]: ...

class DataLearner(_Learner):
    def __init__(
        self,
        rows: int,
        scores: list[LocalScore | None],
        group_of: NDArray[np.int32],
        counted: NDArray[np.uint8],
        required: NDArray[np.uint64],
        forbidden: NDArray[np.uint64],
        limits: NDArray[np.int32],
        memory: int,
    ) -> None: ...

class OrderSearch:
    def __init__(self, sets: CandidateSets, seed: int) -> None: ...
    @property
    def operations(self) -> int: ...
    def evaluate(self, order: NDArray[np.int32]) -> OrderedNetwork: ...
    def descend(self, order: NDArray[np.int32], callback: Progress = None) -> OrderedNetwork: ...
    def iterate(
        self, start: NDArray[np.int32], iterations: int, patience: int, seconds: float, callback: Progress
    ) -> tuple[OrderedNetwork, int]: ...

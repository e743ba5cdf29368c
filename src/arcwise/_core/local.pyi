from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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

class StateBlocks:
    def __init__(self, codes: NDArray[np.unsignedinteger], arities: NDArray[np.int32]) -> None: ...

class LocalLearner:
    def __init__(
        self,
        data: StateBlocks,
        score: LocalScore,
        required: NDArray[np.uint64],
        forbidden: NDArray[np.uint64],
        limits: NDArray[np.int32],
        memory: int,
    ) -> None: ...
    def neighbours(
        self, weights: NDArray[np.int64], child: int, parents: NDArray[np.int32]
    ) -> tuple[float, NDArray[np.float64]]: ...
    def random_dag(self, density: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    def climb(
        self,
        weights: NDArray[np.int64],
        offsets: NDArray[np.int64],
        members: NDArray[np.int32],
        restarts: int,
        perturbations: int,
        density: float,
        tabu: int,
        patience: int,
        max_iterations: int,
        refine: int,
        effort: int,
        random_ties: bool,
        seed: int,
        seconds: float,
        progress: Progress,
    ) -> Outcome: ...
    def first_ascent(
        self,
        weights: NDArray[np.int64],
        offsets: NDArray[np.int64],
        members: NDArray[np.int32],
        max_iterations: int,
        seed: int,
        seconds: float,
        progress: Progress,
    ) -> Outcome: ...
    def evolve(
        self,
        weights: NDArray[np.int64],
        population: int,
        unconnected: int,
        dropped: int,
        promoted: int,
        mating_tries: int,
        patience: int,
        max_rounds: int,
        mutate: bool,
        density: float,
        seed: int,
        seconds: float,
        progress: Progress,
    ) -> Outcome: ...

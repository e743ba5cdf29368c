from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Report = Callable[[int, int, float, float], None] | None

class CountSpectra:
    largest: int
    @property
    def level(self) -> int: ...
    @property
    def bytes(self) -> float: ...
    @property
    def labels(self) -> list[int]: ...
    def spectrum(self, set: int) -> list[int]: ...  # noqa: A002
    def advance(self, callback: Report, seconds: float, threads: int, memory_bytes: float) -> int: ...

def make_spectra(codes: NDArray[Any], arities: NDArray[np.int32], weights: NDArray[np.int64]) -> CountSpectra: ...

class EssOptimizer:
    def __init__(self, spectra: CountSpectra) -> None: ...
    @staticmethod
    def memory_for(variables: int, threads: int) -> float: ...
    def solve(
        self,
        ess: NDArray[np.float64],
        averaged: bool,
        required: Sequence[int],
        allowed: Sequence[int],
        limits: Sequence[int],
        threads: int,
        callback: Report,
        seconds: float,
    ) -> tuple[int, NDArray[np.uint8], NDArray[np.float64], NDArray[np.uint32]]: ...

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise._core.scores import LocalScore

_Arrays = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]

def parse_jkl(text: bytes) -> tuple[list[str], _Arrays, list[str], int, str]: ...
def format_jkl(
    node_offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    names: list[str],
    comments: list[str],
) -> bytes: ...
def inspect_table(
    node_offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
) -> tuple[int, int, int]: ...

class ParentSetBuilder:
    @property
    def level(self) -> int: ...
    @property
    def finished(self) -> bool: ...
    @property
    def families(self) -> int: ...
    @property
    def sets(self) -> int: ...
    @property
    def peak_bytes(self) -> float: ...
    def advance(self, callback: Callable[[int, int, float, float], None] | None, seconds: float) -> int: ...
    def table(self, score: int) -> _Arrays: ...
    def pack(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
    def restore(self, numbers: NDArray[np.int64], members: NDArray[np.int32], values: NDArray[np.float64]) -> bool: ...

def make_builder(
    codes: NDArray[np.unsignedinteger],
    arities: NDArray[np.int32],
    weights: NDArray[np.int64],
    scores: list[LocalScore],
    slack: float,
    threads: int,
    memory_bytes: float,
    dense_from: float,
    required: list[list[int]],
    allowed: list[list[int]],
    limits: list[int],
) -> ParentSetBuilder: ...

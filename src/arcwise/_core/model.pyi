from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

# Refusal, variable, log evidence, width, cells of the largest clique, cells of all messages.
Outcome = tuple[int, int, float, float, float, float]

def read_bif(
    text: bytes, tolerance: float, max_cells: int
) -> tuple[list[str], list[list[str]], list[list[int]], NDArray[np.int64], NDArray[np.float64], str, int, int]: ...

class NetworkView:
    def __init__(
        self,
        arities: NDArray[np.int32],
        parent_offsets: NDArray[np.int64],
        parents: NDArray[np.int32],
        table_offsets: NDArray[np.int64],
        values: NDArray[np.float64],
        order: NDArray[np.int32],
    ) -> None: ...

def sample_rows(
    network: NetworkView,
    key: NDArray[np.uint64],
    codes: NDArray[np.unsignedinteger],
    threads: int,
    callback: Callable[[int, int, float, float], None] | None,
) -> int: ...
def log_likelihood(
    network: NetworkView,
    codes: NDArray[np.unsignedinteger],
    positions: NDArray[np.int32],
    of_row: NDArray[np.int32],
    was_set: NDArray[np.uint8],
    threads: int,
    callback: Callable[[int, int, float, float], None] | None,
) -> tuple[NDArray[np.float64], int]: ...

class Inference:
    def __init__(
        self,
        arities: NDArray[np.int32],
        parent_offsets: NDArray[np.int64],
        parents: NDArray[np.int32],
        table_offsets: NDArray[np.int64],
        values: NDArray[np.float64],
        order: NDArray[np.int32],
    ) -> None: ...
    def query(
        self,
        asked: Sequence[int],
        states: Sequence[int],
        max_cells: float,
        threads: int,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[Outcome, NDArray[np.float64]]: ...
    def marginals(
        self,
        states: Sequence[int],
        max_cells: float,
        threads: int,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[Outcome, NDArray[np.float64]]: ...
    def most_probable(
        self,
        states: Sequence[int],
        max_cells: float,
        threads: int,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[Outcome, NDArray[np.int32], float]: ...
    def fill_rows(
        self,
        codes: NDArray[np.unsignedinteger],
        missing: NDArray[np.uint8],
        key: NDArray[np.uint64],
        max_cells: float,
        threads: int,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[Outcome, int]: ...
    def relevant_evidence(self, asked: Sequence[int], observed: Sequence[int]) -> list[int]: ...
    def query_rows(
        self,
        asked: Sequence[int],
        observed: Sequence[int],
        codes: NDArray[np.int32],
        with_evidence: bool,
        max_cells: float,
        threads: int,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...

class ExpectationLimits:
    def __init__(self, **fields: object) -> None: ...

class RowPosteriors8:
    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        flags: NDArray[np.uint8],
        arities: NDArray[np.int32],
        weights: NDArray[np.int64],
        network_arities: NDArray[np.int32],
        parent_offsets: NDArray[np.int64],
        parents: NDArray[np.int32],
        table_offsets: NDArray[np.int64],
        values: NDArray[np.float64],
        order: NDArray[np.int32],
        limits: ExpectationLimits,
    ) -> None: ...
    def prepare(self, seconds: float, callback: Callable[..., None] | None = None) -> int: ...
    def count(
        self,
        children: NDArray[np.int32],
        offsets: NDArray[np.int64],
        parents: NDArray[np.int32],
        seconds: float,
        callback: Callable[..., None] | None = None,
    ) -> tuple[int, NDArray[np.float64]]: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def refused_row(self) -> int: ...

class RowPosteriors16(RowPosteriors8): ...
class RowPosteriors32(RowPosteriors8): ...

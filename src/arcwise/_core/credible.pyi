import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise._core.parent_sets import TableView

Report = Callable[[int, int, float, float], None] | None

class NetworkDiagram:
    def __init__(self, status: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def optimum(self) -> float: ...
    @property
    def slack(self) -> float: ...
    @property
    def explored(self) -> int: ...
    @property
    def fingerprint(self) -> int: ...
    @property
    def layer_begin(self) -> NDArray[np.uint32]: ...
    @property
    def status(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def sums(
        self,
        slack: float,
        grain: float,
        rows: int,
        families: bool,
        memory: int,
        threads: int,
        seconds: float,
        callback: Report,
    ) -> tuple[int, bool, tuple[int, int], float, NDArray[np.uint64], NDArray[np.float64], int, int]: ...
    def draw(
        self,
        table: TableView,
        slack: float,
        by_score: bool,
        count: int,
        seed: int,
        memory: int,
        seconds: float,
        callback: Report,
    ) -> tuple[int, bool, int, float, NDArray[np.uint32], NDArray[np.float64]]: ...
    @staticmethod
    def from_arrays(
        layer_begin: NDArray[np.uint32],
        edge_begin: NDArray[np.uint64],
        edge_target: NDArray[np.uint32],
        edge_row: NDArray[np.uint32],
        edge_detour: NDArray[np.float64],
        facts: tuple[int, float, float, int],
    ) -> NetworkDiagram: ...
    def edge_arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...

class NetworkLister:
    def __init__(self, diagram: NetworkDiagram, table: TableView, slack: float) -> None: ...
    def next_narrow(self, limit: int) -> tuple[NDArray[np.uint16], NDArray[np.float64]]: ...
    def next_wide(self, limit: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
    @property
    def done(self) -> bool: ...
    @property
    def position(self) -> NDArray[np.uint32]: ...
    def seek(self, position: NDArray[np.uint32]) -> bool: ...

class Construction(enum.Enum):
    SOURCES = ...
    REPRESENTATIVES = ...
    FRONTIER = ...

class DiagramInput:
    def __init__(
        self,
        *,
        order: NDArray[np.int32],
        keep: NDArray[np.uint8],
        slack: float,
        memory: int,
        most_states: int = ...,
        fixed: NDArray[np.uint64] = ...,
        threads: int = ...,
    ) -> None: ...

class RowCosts:
    def __init__(
        self,
        *,
        costs: NDArray[np.float64],
        reference: float,
        at_least: float,
        cuts: NDArray[np.uint64],
        codes: NDArray[np.int32],
        multipliers: NDArray[np.float64],
    ) -> None: ...

def build_from_subsets(
    table: TableView,
    input: DiagramInput,  # noqa: A002
    best: NDArray[np.float64],
    classes: bool,
    seconds: float,
    callback: Report,
) -> NetworkDiagram: ...
def build_from_costs(
    table: TableView,
    input: DiagramInput,  # noqa: A002
    costs: RowCosts,
    construction: Construction,
    seconds: float,
    callback: Report,
) -> NetworkDiagram: ...
def join_diagrams(parts: list[NetworkDiagram], slack: float) -> NetworkDiagram: ...

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

class DagSumOptions:
    def __init__(self, cut: float, blankets: bool, threads: int, memory: int, most_terms: float) -> None: ...

class DagSums:
    @property
    def status(self) -> int: ...
    @property
    def too_wide(self) -> bool: ...
    @property
    def log_total(self) -> float: ...
    @property
    def left_out(self) -> float: ...
    @property
    def defect(self) -> float: ...
    @property
    def sets(self) -> int: ...
    @property
    def terms(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    def take_shares(self) -> NDArray[np.float64]: ...
    def take_arcs(self) -> NDArray[np.float64]: ...
    def take_ancestors(self) -> NDArray[np.float64]: ...
    def take_blankets(self) -> NDArray[np.float64]: ...

def sum_all_dags(table: TableView, options: DagSumOptions, seconds: float, callback: Report) -> DagSums: ...

class DagSampler:
    def __init__(self, table: TableView, cut: float, threads: int) -> None: ...
    @staticmethod
    def bytes_for(table: TableView, threads: int) -> int: ...
    def prepare(self, seconds: float, callback: Report) -> tuple[bool, int]: ...
    def draw(
        self, count: int, seed: int, threads: int, seconds: float, callback: Report
    ) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]: ...

class ChainOptions:
    def __init__(
        self,
        *,
        mixture: NDArray[np.float64] = ...,
        window: float = ...,
        thin: int = ...,
        heats: NDArray[np.float64] = ...,
        firsts: NDArray[np.float64] = ...,
        partner_offsets: NDArray[np.int64] = ...,
        partners: NDArray[np.int32] = ...,
        partner_sums: NDArray[np.float64] = ...,
    ) -> None: ...

class ChainRun:
    def __init__(
        self, table: TableView, options: ChainOptions, seeds: NDArray[np.uint64], starts: NDArray[np.uint32]
    ) -> None: ...
    def advance(
        self,
        count: int,
        jumps: NDArray[np.uint32],
        least: float,
        threads: int,
        seconds: float,
        callback: Report,
    ) -> tuple[int, NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]: ...
    def positions(self) -> NDArray[np.uint32]: ...
    def random_states(self) -> NDArray[np.uint64]: ...
    def counts(self) -> NDArray[np.uint64]: ...
    def restore(self, positions: NDArray[np.uint32], random_states: NDArray[np.uint64]) -> None: ...

def summarize_arcs(
    table: TableView, rows: NDArray[np.uint32], chains: int, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]: ...

class WalkOptions:
    def __init__(self, **fields: object) -> None: ...

def walk_structures(
    codes: NDArray[np.unsignedinteger],
    arities: NDArray[np.int32],
    flags: NDArray[np.uint8],
    options: WalkOptions,
    callback: Report | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...

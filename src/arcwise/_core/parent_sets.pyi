import numpy as np
from numpy.typing import NDArray

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

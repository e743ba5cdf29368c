import numpy as np
from numpy.typing import NDArray

def sum_classes(
    node_offsets: NDArray[np.int64],
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    choices: NDArray[np.unsignedinteger],
    weights: NDArray[np.float64],
    fixed: NDArray[np.uint64],
) -> NDArray[np.float64]: ...
def sum_blankets(
    node_offsets: NDArray[np.int64],
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    choices: NDArray[np.unsignedinteger],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def sum_paths(
    node_offsets: NDArray[np.int64],
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    choices: NDArray[np.unsignedinteger],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]: ...

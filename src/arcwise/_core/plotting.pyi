import numpy as np
from numpy.typing import NDArray

def order_layers(
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    nodes: int,
    sweeps: int,
) -> tuple[NDArray[np.int32], int]: ...
def place_layers(
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    weights: NDArray[np.float64],
    sizes: NDArray[np.float64],
    rounds: int,
) -> NDArray[np.float64]: ...

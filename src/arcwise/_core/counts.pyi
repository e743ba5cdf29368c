import numpy as np
from numpy.typing import NDArray

def count_cells(
    codes: NDArray[np.unsignedinteger],
    arities: NDArray[np.int32],
    weights: NDArray[np.int64],
    members: NDArray[np.int32],
    cells: int,
) -> NDArray[np.int64]: ...

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Report = Callable[[int, int, float, float], None] | None

class WalkOptions:
    def __init__(self, **fields: object) -> None: ...

def walk_structures(
    codes: NDArray[np.unsignedinteger],
    arities: NDArray[np.int32],
    flags: NDArray[np.uint8],
    options: WalkOptions,
    callback: Report | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...

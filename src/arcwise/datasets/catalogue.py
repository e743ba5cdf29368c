"""`load` and `available`: the data sets by name."""

from __future__ import annotations

from collections.abc import Callable

from arcwise.data import Dataset
from arcwise.datasets.enumerated import balance_scale, tic_tac_toe
from arcwise.datasets.measured import breast_cancer, iris, wine
from arcwise.errors import UnknownNameError, suggestion

__all__ = ["available", "load"]

_DATASETS: dict[str, Callable[[], Dataset]] = {
    "balance-scale": balance_scale,
    "breast-cancer": breast_cancer,
    "iris": iris,
    "tic-tac-toe": tic_tac_toe,
    "wine": wine,
}


def available() -> tuple[str, ...]:
    """Return the names that `load` takes."""
    return tuple(_DATASETS)


def load(name: str) -> Dataset:
    """Return a data set by its name.

    ==============  ==========  =====  ==========================================================================
    name            variables   rows   what
    ==============  ==========  =====  ==========================================================================
    balance-scale   5           625    which side of a scale goes down, for all weights and distances; generated
    breast-cancer   31          569    Wisconsin diagnostic; each measure cut in two at its mean (Liao et al. 2019)
    iris            5           150    each measure cut into 3 intervals of equal width
    tic-tac-toe     10          958    all final boards if x moves first, and whether x has won; generated
    wine            14          178    each measure cut into 3 intervals of equal width
    ==============  ==========  =====  ==========================================================================

    The generated ones equal the files of the same name in the UCI repository, as multisets of rows. The measured ones
    come with scikit-learn; a value on a boundary belongs to the lower interval.
    """
    if name not in _DATASETS:
        raise UnknownNameError(suggestion("data set", str(name), _DATASETS))
    return _DATASETS[name]()

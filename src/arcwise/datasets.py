"""Data sets that can be generated, or that come with a dependency: `available()` names them, `load(name)` makes one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import UnknownNameError, suggestion
from arcwise.data.dataset import Dataset
from arcwise.data.discretize import discretize
from arcwise.data.table import Table

__all__ = ["available", "load"]

# Data sets that are complete enumerations, generated from their rules.


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def balance_scale() -> Dataset:
    """Return the 625 settings of a scale: weight and distance from 1 to 5 on both sides, and what it does.

    Class L, B or R: the left torque (weight x distance) is larger than, equal to, or smaller than the right one.
    """
    rows = [
        (
            ("B", "L", "R").index("L" if lw * ld > rw * rd else "R" if lw * ld < rw * rd else "B"),
            *(lw - 1, ld - 1, rw - 1, rd - 1),
        )
        for lw, ld, rw, rd in product(range(1, 6), repeat=4)
    ]
    digits = ("1", "2", "3", "4", "5")
    return Dataset.from_codes(
        np.array(rows),
        names=("class", "left-weight", "left-distance", "right-weight", "right-distance"),
        states=(("B", "L", "R"), digits, digits, digits, digits),
    )


def tic_tac_toe() -> Dataset:
    """Return the 958 boards on which a game of tic-tac-toe that x began can end; class: positive if x has won.

    A board is final if the player who moved last completed a line, or if it is full. The states of a square are b
    (blank), o and x.
    """
    blank, o, x = 0, 1, 2
    rows = []
    for board in product((x, o, blank), repeat=9):
        wins = {board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != blank}
        moves_x, moves_o = board.count(x), board.count(o)
        x_moved_last = moves_x == moves_o + 1
        if not (x_moved_last or moves_x == moves_o) or len(wins) > 1:
            continue
        is_final = wins == {x if x_moved_last else o} or (not wins and blank not in board)
        if is_final:
            rows.append((*board, int(x in wins)))
    squares = [
        f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
    ]
    return Dataset.from_codes(
        np.array(rows), names=(*squares, "Class"), states=(*((("b", "o", "x"),) * 9), ("negative", "positive"))
    )


# A survey of people who do not exist, drawn from a network of our own. Of each variable: its states, its parents, and
# how many percent are in each state, for one combination of the parents' states after the other. Sex and smoke are
# joined so weakly that 2,000 rows leave it open.


PEOPLE = 2_000  # of the survey
SURVEY = (
    ("age", "18-39 40-59 60+", "", "38 36 26"),
    ("sex", "female male", "", "51 49"),
    ("asthma", "no yes", "", "86 14"),
    ("smoke", "no yes", "age sex", "68 32  59 41  76 24  67 33  90 10  81 19"),
    ("exercise", "rarely sometimes usually", "age", "20 45 35  40 40 20  55 30 15"),
    ("overweight", "no yes", "exercise", "42 58  62 38  80 20"),
    ("blood_pressure", "normal raised", "age overweight", "93 7  76 24  80 20  56 44  62 38  32 68"),
    ("cough", "no yes", "smoke asthma", "93 7  52 48  60 40  15 85"),
    ("visits", "0 1-2 3+", "cough blood_pressure", "60 32 8  24 48 28  26 46 28  4 30 66"),
)


def survey() -> Dataset:
    """Return the answers of 2,000 invented people: habits, health, and how often they saw a doctor in a year."""
    rng = np.random.Generator(np.random.PCG64(20))
    states = {name: tuple(words.split()) for name, words, _, _ in SURVEY}
    codes: dict[str, NDArray[np.intp]] = {}
    for name, _, parents, percent in SURVEY:
        combination = np.zeros(PEOPLE, dtype=np.intp)
        for parent in parents.split():
            combination = combination * len(states[parent]) + codes[parent]
        shares = np.array(percent.split(), dtype=float).reshape(-1, len(states[name])) / 100
        codes[name] = (rng.random(PEOPLE)[:, None] > shares.cumsum(axis=1)[combination, :-1]).sum(axis=1)
    return Dataset.from_codes(np.array(list(codes.values())).T, names=tuple(states), states=tuple(states.values()))


# Data sets of measurements that come with scikit-learn, made discrete by a fixed recipe.


def iris() -> Dataset:
    """Return Fisher's irises: four measures, each in 3 intervals of equal width, and the species."""
    from sklearn.datasets import load_iris

    return _discrete(load_iris(), "species", "width")


def wine() -> Dataset:
    """Return the wines: thirteen chemical measures, each in 3 intervals of equal width, and the cultivar."""
    from sklearn.datasets import load_wine

    return _discrete(load_wine(), "cultivar", "width")


def breast_cancer() -> Dataset:
    """Return the Wisconsin diagnostic data: thirty measures, each cut in two at its mean, and the diagnosis."""
    from sklearn.datasets import load_breast_cancer

    return _discrete(load_breast_cancer(), "diagnosis", "mean")


def _discrete(bunch: Any, target: str, method: str) -> Dataset:
    """Cut every measure; the class comes last, under the name `target`, with its state names in their order."""
    import pandas as pd

    names = [str(name).replace(" (cm)", "").replace(" ", "-") for name in bunch.feature_names]
    frame = pd.DataFrame(bunch.data, columns=names)
    frame[target] = pd.Categorical.from_codes(
        bunch.target, categories=pd.Index([str(name) for name in bunch.target_names])
    )
    return discretize(Table.from_dataframe(frame), method=method, columns=names).to_dataset()


# `load` and `available`: the data sets by name.


_DATASETS: dict[str, Callable[[], Dataset]] = {
    "balance-scale": balance_scale,
    "breast-cancer": breast_cancer,
    "iris": iris,
    "survey": survey,
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
    survey          9           2,000  invented people: age, habits, health and visits to a doctor; of `arcwise demo`
    tic-tac-toe     10          958    all final boards if x moves first, and whether x has won; generated
    wine            14          178    each measure cut into 3 intervals of equal width
    ==============  ==========  =====  ==========================================================================

    The survey is drawn from a network of our own. The other generated ones equal the files of the same name in the UCI
    repository, as multisets of rows. The measured ones come with scikit-learn; a value on a boundary belongs to the
    lower interval.
    """
    if name not in _DATASETS:
        raise UnknownNameError(suggestion("data set", str(name), _DATASETS))
    return _DATASETS[name]()

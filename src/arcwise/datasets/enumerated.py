"""Data sets that are complete enumerations, generated from their rules."""

from __future__ import annotations

from itertools import product

import numpy as np

from arcwise.data import Dataset

__all__ = ["balance_scale", "tic_tac_toe"]

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

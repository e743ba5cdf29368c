"""The uniformity measure U of Steck (2008), section 3.1: how far two variables are from what a uniform prior expects.

For a distribution p(A, B, P) of two variables and their context P, with |.| the number of joint states,

    U = |A,B,P| sum p(a,b,p)^2 - |A,P| sum p(a,p)^2 - |B,P| sum p(b,p)^2 + |P| sum p(p)^2.                        (5)

Written per context and completed to squares, it is

    U = |P| sum_p p(p)^2 |A| |B| sum_ab ( p(a,b|p) - p(a|p)/|B| - p(b|p)/|A| + 1/(|A||B|) )^2,

which shows Proposition 1's symmetry and U >= 0 at a glance, and when U = 0: in every context that occurs, p(a,b|p) is a
sum of a function of a and one of b. Independence with one uniform margin is such a case. It is not the only one, as the
proposition says it is: p = [[0.35, 0.25], [0.25, 0.15]] has U = 0, but the margins are (0.6, 0.4) and
0.6 x 0.6 = 0.36, not 0.35. (The proof takes the difference of two rows, (p(a) - p(a')) / |B|, to imply a product.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError

__all__ = ["uniformity", "uniformity_by_squares"]


def _table(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution with axes (A, B, all contexts), normalised."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim < 2 or not (table >= 0).all() or not 0 < table.sum() < np.inf:
        raise OptionError(
            "the uniformity measure needs non-negative counts or probabilities with a positive sum, with one axis for "
            f"each of the two variables and then any for their parents; got an array of shape {table.shape}."
        )
    joined: NDArray[np.float64] = table.reshape(table.shape[0], table.shape[1], -1)
    return np.asarray(joined / joined.sum())


def uniformity(probabilities: NDArray[np.float64]) -> float:
    """Return U of counts or probabilities with the axes (A, B, parents...), by Steck's eq. (4).

    Eq. (4) is the mean, over the distribution, of
    |A,B,P| p(a,b,p) - |A,P| p(a,p) - |B,P| p(b,p) + |P| p(p).
    """
    p = _table(probabilities)
    a, b, contexts = p.shape
    inner = (
        p.size * p
        - a * contexts * p.sum(axis=1, keepdims=True)
        - b * contexts * p.sum(axis=0, keepdims=True)
        + contexts * p.sum(axis=(0, 1), keepdims=True)
    )
    return float((p * inner).sum())


def uniformity_by_squares(probabilities: NDArray[np.float64]) -> float:
    """Return U by eq. (5), from the sums of squared probabilities."""
    p = _table(probabilities)
    a, b, contexts = p.shape
    return float(
        p.size * (p**2).sum()
        - a * contexts * (p.sum(axis=1) ** 2).sum()
        - b * contexts * (p.sum(axis=0) ** 2).sum()
        + contexts * (p.sum(axis=(0, 1)) ** 2).sum()
    )

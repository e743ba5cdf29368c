"""The posterior mean under the Dirichlet prior of any BD score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.mentions import Argument
from arcwise.model.estimators.estimator import Estimator, FamilyCounts, posterior_mean
from arcwise.model.network import BayesianNetwork

__all__ = ["BD"]

# What each named prior puts into a cell of a table of q r cells: alpha_jk as a function of the equivalent sample size.
PRIORS: dict[str, Callable[[float, int], float]] = {
    "bdeu": lambda ess, cells: ess / cells,
    "k2": lambda ess, cells: 1.0,
    "bdj": lambda ess, cells: 0.5,
}

Alpha = str | float | BayesianNetwork | Mapping[str, ArrayLike] | Callable[[FamilyCounts], ArrayLike]


def _table(family: FamilyCounts, *, alpha: Alpha = "bdeu", ess: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + a_jk) / (n_j + a_j); a row whose counts and hyperparameters are all 0 is undefined."""
    if not (math.isfinite(ess) and ess > 0):
        raise OptionError(Argument("ess", ess), "must be positive: the equivalent sample size of the prior.")
    return posterior_mean(family.counts, _hyperparameters(family, alpha, ess))


def _hyperparameters(family: FamilyCounts, alpha: Any, ess: float) -> NDArray[np.float64]:
    """a_jk, of the shape of the counts."""
    given: Any
    if isinstance(alpha, str):
        if alpha not in PRIORS:
            raise UnknownNameError(suggestion("prior", alpha, PRIORS) + " Or give numbers.")
        given = PRIORS[alpha](ess, family.counts.size)
    elif isinstance(alpha, BayesianNetwork):
        # BDe: the prior network's probability of the cell (DESIGN: a_jk = ess p(x_i = k, P = j | prior network)).
        given = ess * alpha.query([*family.parents, family.child]).probabilities
    elif isinstance(alpha, Mapping):
        if family.child not in alpha:
            raise OptionError(f"alpha has no entry for '{family.child}'; a mapping needs one per variable.")
        given = alpha[family.child]
    elif callable(alpha):
        given = alpha(family)
    else:
        given = alpha
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.size != family.counts.size:
        raise OptionError(
            f"alpha of '{family.child}' has shape {array.shape}; it must be one number, or one for each of the "
            f"{family.counts.shape[0]} parent configurations and {family.counts.shape[1]} states."
        )
    if not bool((np.isfinite(array) & (array >= 0)).all()):
        raise OptionError(f"alpha of '{family.child}' must be finite and not negative in every cell.")
    return np.broadcast_to(array.reshape(family.counts.shape) if array.ndim else array, family.counts.shape)


BD = Estimator(
    "(n_jk + a_jk) / (n_j + a_j): the posterior mean under a BD score's Dirichlet prior",
    _table,
    {
        "alpha": "the prior: 'bdeu' (ess/(q r), the default), 'k2' (1), 'bdj' (1/2), a number for every cell, a "
        "BayesianNetwork (BDe), a mapping from variables to arrays of shape (q, r), or a function of FamilyCounts",
        "ess": "the equivalent sample size of 'bdeu' and of a prior network (default 1)",
    },
)

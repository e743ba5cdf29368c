"""The tables of a network, drawn from their posterior: a Dirichlet distribution for every row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.graph import Dag
from arcwise.model.network import BayesianNetwork

__all__ = ["Counter", "dirichlet", "draw_tables"]

# What is possible stays so: a share that no double can hold would make a row impossible whose family, before the first
# completion, no case shows whole.
LEAST = 1e-60

States = tuple[tuple[str, ...], ...]

# The counts of a family, one axis each, its child the last.
Counter = Callable[[list[int]], NDArray[np.int64]]


def draw_tables(
    dag: Dag, count: Counter, *, ess: float, seen: Sequence[NDArray[np.bool_]], rng: np.random.Generator, states: States
) -> BayesianNetwork:
    """Draw every row of every table given counts, under the prior of BDeu; states not in `seen` have no chance.

    A table of posterior means would make completions that are too much alike: what is not known about the parameters
    would not show in them (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987, section 3.1).
    """
    shapes, gammas, uniforms, alphas = [], [], [], []
    for v, parents in enumerate(dag.parents):
        counts = count([*parents, v]).reshape(-1, len(states[v]))
        own = counts + np.where(seen[v], ess / (len(counts) * int(seen[v].sum())), 0.0)
        shapes.append(own.shape)
        alphas.append(own.ravel())
        gammas.append(rng.standard_gamma(alphas[-1] + 1.0))
        uniforms.append(rng.random(own.size))
    starts = np.cumsum([0, *(columns for rows, columns in shapes for _ in range(rows))])[:-1]
    shares = dirichlet(np.concatenate(alphas), np.concatenate(gammas), np.concatenate(uniforms), starts)
    return BayesianNetwork._from_flat(dag, states, shares)


def dirichlet(
    alphas: NDArray[np.float64],
    gammas: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Make distributions, one after the other, of gamma variables of the shapes alpha + 1 and of uniform ones.

    In logarithms: gamma variables of small shape underflow, so that rows without a case would have no distribution.
    If G has the shape a + 1 and U is uniform, G U^(1/a) has the shape a. All tables at once: small networks have more
    tables than numbers in each.
    """
    sizes = np.diff(starts, append=len(alphas))
    possible = alphas > 0
    with np.errstate(divide="ignore"):
        logs = np.where(possible, np.log(gammas) + np.log(uniforms) / np.where(possible, alphas, 1.0), -np.inf)
    shares = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes))
    shares = np.where(possible, np.maximum(shares, LEAST), 0.0)
    return np.asarray(shares / np.repeat(np.add.reduceat(shares, starts), sizes))

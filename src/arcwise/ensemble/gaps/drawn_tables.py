"""The tables of a network, drawn from their posterior: a Dirichlet distribution for every row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.graph import Dag
from arcwise.model.network import BayesianNetwork

__all__ = ["Counter", "draw_tables"]

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
    values = []
    for v, parents in enumerate(dag.parents):
        counts = count([*parents, v]).reshape(-1, len(states[v]))
        alphas = counts.astype(np.float64) + np.where(seen[v], ess / (len(counts) * int(seen[v].sum())), 0.0)
        values.append(_dirichlet_rows(alphas, rng).ravel())
    return BayesianNetwork._from_flat(dag, states, np.concatenate(values))


def _dirichlet_rows(alphas: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one distribution per row.

    In logarithms: gamma variables of small shape underflow, so that rows without a case would have no distribution.
    If G has the shape a + 1 and U is uniform, G U^(1/a) has the shape a.
    """
    gammas = rng.standard_gamma(alphas + 1.0)
    uniforms = rng.random(alphas.shape)
    with np.errstate(divide="ignore"):
        logs = np.where(alphas > 0, np.log(gammas) + np.log(uniforms) / np.where(alphas > 0, alphas, 1.0), -np.inf)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))

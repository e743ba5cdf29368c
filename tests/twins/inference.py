"""The same answers as `arcwise.model.inference` in plain numpy: what the native core is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.model.network import BayesianNetwork

__all__ = ["joint_twin", "most_probable_twin"]

Factor = tuple[tuple[int, ...], NDArray[np.float64]]


def joint_twin(
    network: BayesianNetwork, variables: Sequence[str], evidence: Mapping[str, object]
) -> NDArray[np.float64]:
    """Return P(variables, evidence), one axis per variable: its sum is the probability of the evidence.

    Bucket elimination (Dechter, 1999): one variable after the other, always the one with the smallest product.
    """
    asked = [network.index(name) for name in variables]
    factors = _cut_factors(network, evidence)
    while True:
        left = {v for scope, _ in factors for v in scope} - set(asked)
        if not left:
            break
        v = min(sorted(left), key=lambda u: _cells(network, [scope for scope, _ in factors if u in scope]))
        scope, table = _product([factor for factor in factors if v in factor[0]])
        factors = [factor for factor in factors if v not in factor[0]]
        axis = scope.index(v)
        factors.append((scope[:axis] + scope[axis + 1 :], table.sum(axis=axis)))
    ones: list[Factor] = [((v,), np.ones(len(network.states[v]))) for v in asked]
    scope, table = _product([*factors, *ones])
    return table.transpose([scope.index(v) for v in asked])


def most_probable_twin(network: BayesianNetwork, evidence: Mapping[str, object]) -> tuple[dict[str, str], float]:
    """Return the most probable states of the other variables and their log probability, from the whole joint table."""
    others = [name for name in network.names if name not in evidence]
    joint = joint_twin(network, others, evidence)
    cell = np.unravel_index(int(joint.argmax()), joint.shape)
    states = {name: network.states[network.index(name)][i] for name, i in zip(others, cell, strict=True)}
    top = float(joint.max())
    return states, math.log(top) if top > 0 else -math.inf


def _cut_factors(network: BayesianNetwork, evidence: Mapping[str, object]) -> list[Factor]:
    """Every table, its rows scaled to sum to 1, where the observed variables have their states."""
    observed = {network.index(name): network.state_index(name, state) for name, state in evidence.items()}
    factors = []
    for v, name in enumerate(network.names):
        table = network.table(name)
        axes = (*network.dag.parents[v], v)
        cut = (table / table.sum(axis=-1, keepdims=True))[tuple(observed.get(u, slice(None)) for u in axes)]
        factors.append((tuple(u for u in axes if u not in observed), np.asarray(cut)))
    return factors


def _product(factors: Sequence[Factor]) -> Factor:
    scope = tuple(sorted({v for own, _ in factors for v in own}))
    table = np.ones(())
    for own, values in factors:
        order = sorted(range(len(own)), key=own.__getitem__)
        shape = [values.shape[own.index(v)] if v in own else 1 for v in scope]
        table = table * values.transpose(order).reshape(shape)
    return scope, table


def _cells(network: BayesianNetwork, scopes: Sequence[Sequence[int]]) -> int:
    return math.prod(len(network.states[v]) for v in {v for scope in scopes for v in scope})

"""Experiments on a network: the network in which some variables are set, whatever their parents are.

Setting a variable removes the arcs into it and leaves every other table as it is (the truncated factorisation: Pearl,
Causality, 2009, section 3.2). What remains is a network like any other: sampling and inference need to know nothing of
experiments.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.mentions import Argument
from arcwise.model.network import BayesianNetwork
from arcwise.model.probability_tables import ROW_TOLERANCE

__all__ = ["Setting", "mutilated"]

Setting = str | Mapping[str, float] | None
"""What a variable is set to: a state, a distribution over its states, or None for all states equally often."""


def mutilated(network: BayesianNetwork, do: Mapping[str, Setting]) -> BayesianNetwork:
    """Return the network under an experiment: without the arcs into the variables that are set.

    Parameters
    ----------
    network
        The network.
    do
        The variables that are set, and to what: a state, a distribution over the states, or None for a randomised
        experiment, in which every state is set equally often.
    """
    tables = {network.index(name): _row(network, name, setting) for name, setting in do.items()}
    parents = [[] if v in tables else list(own) for v, own in enumerate(network.dag.parents)]
    return BayesianNetwork(
        Dag(network.names, parents),
        network.states,
        [tables.get(v, table) for v, table in enumerate(network.tables)],
    )


def _row(network: BayesianNetwork, name: str, setting: Setting) -> NDArray[np.float64]:
    states = network.states[network.index(name)]
    if setting is None:
        return np.full((1, len(states)), 1 / len(states))
    row = np.zeros((1, len(states)))
    if not isinstance(setting, Mapping):
        row[0, network.state_index(name, setting)] = 1.0
        return row
    for state, share in setting.items():
        row[0, network.state_index(name, state)] = share
    if not (row >= 0).all() or abs(float(row.sum()) - 1) > ROW_TOLERANCE:
        raise OptionError(
            Argument("do"), f"sets '{name}' with the probabilities {dict(setting)}; they must be >= 0 and sum to 1."
        )
    return np.asarray(row / row.sum())

"""Averages over the classes of networks, network by network and member by member."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.next_experiment import _known
from arcwise.ensemble import NetworkSet
from arcwise.graph import Dag, FixedPairs
from arcwise.graph.classes import ClassMembers
from arcwise.networks.classes import distinguishes_members, splits_classes
from arcwise.networks.recipe import make_facts


def class_sums_twin(networks: NetworkSet) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of arcs and of edges of the classes, network by network: the native kernel's twin."""
    n = networks.n_variables
    fixed = networks.fixed or FixedPairs(networks.names)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    for dag, weight in zip(networks, networks.weights, strict=True):
        members = fixed.class_of(dag)
        for head in range(n):
            for tail in members.parents[head]:
                directed[tail, head] += weight
            for other in members.neighbours[head]:
                undirected[other, head] += weight
    return directed, undirected


def next_experiment_twin(networks: NetworkSet) -> NDArray[np.float64]:
    """Return what `next_experiment` calls `settled`, class by class and member by member: for comparison."""
    weight_of: dict[frozenset[Dag], float] = {}
    obeyed, fixed = networks.obeyed, networks.fixed or FixedPairs(networks.names)
    splits = obeyed if obeyed is not None and splits_classes(obeyed) else None
    for dag, weight in zip(networks, networks.weights, strict=True):
        whole = [dag] if splits is None and distinguishes_members(networks) else ClassMembers(dag, networks.fixed)
        members = frozenset(one for one in whole if splits is None or splits.allows_dag(one))
        weight_of[members] = weight_of.get(members, 0.0) + float(weight)
    settled = np.zeros(networks.n_variables)
    for members, weight in weight_of.items():
        share = weight / len(members)
        for dag in members:
            alone = NetworkSet.from_dags([dag], origin="one", facts=_known(networks))
            before = class_sums_twin(alone)[1].sum() / 2
            for v, name in enumerate(networks.names):
                if splits is None:
                    targets = [*(alone.facts.get("targets") or ()), [name]]
                    after = replace(alone, facts=alone.facts | make_facts(targets=targets))
                    settled[v] += share * (before - class_sums_twin(after)[1].sum() / 2)
                    continue
                known = fixed | FixedPairs.by_targets(networks.names, [[name]])
                alike = [one for one in members if known.class_of(one) == known.class_of(dag)]
                settled[v] += share * (len(_shared_arcs(alike)) - len(_shared_arcs(members)))
    return settled


def _shared_arcs(dags: Iterable[Dag]) -> frozenset[tuple[str, str]]:
    return frozenset.intersection(*(frozenset(dag.arcs) for dag in dags))

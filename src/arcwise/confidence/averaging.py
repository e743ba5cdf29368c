"""Model averaging: from a set of weighted networks to the confidence in edges and in other features of a pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.edge_confidence import EdgeConfidence, Orientation
from arcwise.ensemble import Ensemble, NetworkSet
from arcwise.errors import GuaranteeError, OptionError, UnknownNameError, suggestion
from arcwise.graph import Cpdag
from arcwise.mentions import Argument, Mention, Remedy

__all__ = [
    "Feature",
    "PairFeature",
    "Weights",
    "class_sums",
    "class_sums_twin",
    "edge_confidence",
    "feature_confidence",
]

Weights = Literal["posterior", "equal"]
Feature = Literal["arc", "markov-blanket", "path"]
PairFeature = Literal["edge", "markov-blanket", "path"]


def edge_confidence(
    networks: Ensemble,
    *,
    orient: Orientation = "cpdag",
    weights: Weights | None = None,
    feature: PairFeature = "edge",
    n_cases: int | None = None,
) -> EdgeConfidence:
    """Average networks into the confidence that an edge joins each pair of variables, and in which direction.

    Parameters
    ----------
    networks
        A credible set, a bootstrap sample, or any other `NetworkSet`; or a set that was only counted.
    orient
        "cpdag" reads each network as its Markov equivalence class, so that a direction counts only where the data can
        show it; "dag" takes the arcs as they are; "skeleton" ignores directions.
    weights
        "posterior" (by score) or "equal" (Liao 2022, section 4.4); by default the set's own weights.
    feature
        "edge"; or, of the networks as DAGs, "markov-blanket" (the two are in each other's blanket: `undirected`) or
        "path" (a directed path leads from one to the other: `directed`), after Friedman et al. (1999).
    n_cases
        The number of cases the networks were learned from, where the set does not say it: learned thresholds depend
        on it.

    Returns
    -------
    EdgeConfidence
        Exact for a credible set (also for one that was only counted); with a Monte Carlo standard error for a
        bootstrap. The cost grows with networks x arcs.
    """
    if orient not in get_args(Orientation):
        raise UnknownNameError(suggestion("orientation", orient, get_args(Orientation)))
    if weights is not None and weights not in get_args(Weights):
        raise UnknownNameError(suggestion("weighting", weights, get_args(Weights)))
    if networks.count == 0:
        raise OptionError("there is no network in the set; a confidence needs at least one.")
    if feature not in get_args(PairFeature):
        raise UnknownNameError(suggestion("feature", feature, get_args(PairFeature)))
    if isinstance(networks, NetworkSet) and np.isnan(networks.log_weights).any():
        first = int(np.flatnonzero(np.isnan(networks.log_weights))[0])
        raise OptionError(
            f"the weight of network {first} is not a number; every network needs a weight >= 0. Give the set others: "
            "networks.with_weights(...)."
        )
    n = len(networks.names)
    nothing = np.zeros((n, n))
    if feature == "markov-blanket":
        orient, directed, undirected = "skeleton", nothing, feature_confidence(networks, weights=weights)
    elif feature == "path":
        orient, directed, undirected = "dag", feature_confidence(networks, feature="path", weights=weights), nothing
    elif orient == "cpdag":
        directed, undirected = class_sums(networks, weights)
    else:
        arcs = networks.arc_probabilities(weights)
        directed, undirected = (arcs, nothing) if orient == "dag" else (nothing, arcs + arcs.T)
    facts: dict[str, Any] = dict(getattr(networks, "facts", {}))
    slack = float(getattr(networks, "slack", math.nan))
    return EdgeConfidence(
        names=networks.names,
        directed=_rounded(directed),
        undirected=_rounded(undirected),
        orient=orient,
        feature=feature,
        origin=networks.origin,
        n_networks=networks.count,
        weights=weights or "own",
        exact=networks.origin not in SAMPLES,
        complete=networks.complete,
        score=dict(getattr(networks, "score", {})),
        n_cases=n_cases if n_cases is not None else facts.get("n_cases"),
        data_digest=getattr(networks, "data_digest", None),
        log_slack=slack if math.isfinite(slack) else None,
        max_parents=getattr(networks, "max_parents", None),
    )


def _rounded(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop what the order of summation left: a half of the weights is 0.5, which is not above a threshold of 0.5."""
    return np.clip(np.round(sums, 12), 0.0, 1.0)


# Origins whose networks are a random sample, so that a confidence has a Monte Carlo error.
SAMPLES = frozenset({"bootstrap", "permutation"})


def feature_confidence(
    networks: Ensemble, *, feature: Feature = "markov-blanket", weights: Weights | None = None
) -> NDArray[np.float64]:
    """Average a feature of pairs of variables over networks, as an n x n matrix (Friedman et al. 1999).

    "arc": [i, j] is the confidence in i -> j; "markov-blanket": symmetric, j is in the Markov blanket of i; "path": a
    directed path leads from i to j.
    """
    if feature not in get_args(Feature):
        raise UnknownNameError(suggestion("feature", feature, get_args(Feature)))
    if feature == "arc":
        return networks.arc_probabilities(weights)
    from arcwise import _core

    kernel = _core.confidence.sum_blankets if feature == "markov-blanket" else _core.confidence.sum_paths
    n = len(networks.names)
    return np.clip(_sum(kernel, _listed(networks, feature), weights).reshape(n, n), 0.0, 1.0)


def class_sums(networks: Ensemble, weights: Weights | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of the compelled arcs and of the reversible edges of the networks' equivalence classes."""
    from arcwise import _core

    n = len(networks.names)
    sums = _sum(_core.confidence.sum_classes, _listed(networks, Argument("orient", "cpdag")), weights)
    return sums[: n * n].reshape(n, n), sums[n * n :].reshape(n, n)


def _listed(networks: Ensemble, what: str | Mention) -> NetworkSet:
    if isinstance(networks, NetworkSet):
        return networks
    raise GuaranteeError(
        what,
        f"needs the networks themselves, but this set of {networks.count:,} was only counted.",
        remedies=(
            Remedy("use", Argument("orient", "dag"), "or", Argument("orient", "skeleton")),
            Remedy("use credible_confidence(table, ...)"),
            Remedy("list the set"),
        ),
    )


def _sum(
    kernel: Callable[..., NDArray[np.float64]], networks: NetworkSet, weights: Weights | None
) -> NDArray[np.float64]:
    log_weights = networks.log_weights if weights is None else networks.weights_by(weights)
    families = networks.families
    return kernel(
        families.node_offsets,
        families.set_offsets,
        families.members,
        np.ascontiguousarray(networks.choices),
        np.exp(log_weights),
    )


def class_sums_twin(networks: NetworkSet) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of compelled arcs and of reversible edges, network by network: the native kernel's twin."""
    n = networks.n_variables
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    for dag, weight in zip(networks, networks.weights, strict=True):
        cpdag = Cpdag.from_dag(dag)
        for head in range(n):
            for tail in cpdag.parents[head]:
                directed[tail, head] += weight
            for other in cpdag.neighbours[head]:
                undirected[other, head] += weight
    return directed, undirected

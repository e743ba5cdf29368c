"""Model averaging: from a set of weighted networks to the confidence in edges and in other features of a pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.credible_averages import (
    Weights,
    average_over_classes,
    average_over_networks,
    can_read_classes,
)
from arcwise.confidence.edge_confidence import EdgeConfidence, Orientation, is_sample
from arcwise.deadline import Deadline
from arcwise.ensemble import CredibleSet, Ensemble, NetworkSet, Posterior
from arcwise.ensemble.chains.chain_posterior import effective_networks
from arcwise.ensemble.given import as_ensemble
from arcwise.ensemble.joint_constraints import has_own_limits
from arcwise.errors import GuaranteeError, OptionError, UnknownNameError, suggestion
from arcwise.graph import FixedPairs
from arcwise.graph.fixed_pairs import native_pairs
from arcwise.limits import Limits, Status
from arcwise.local.problem import check_count
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

Feature = Literal["arc", "markov-blanket", "path"]
PairFeature = Literal["edge", "markov-blanket", "path"]
MOST_CASES = 2**63 - 1


def edge_confidence(
    networks: Ensemble | Posterior,
    *,
    orient: Orientation | None = None,
    weights: Weights | None = None,
    feature: PairFeature = "edge",
    n_cases: int | None = None,
    limits: Limits | None = None,
) -> EdgeConfidence:
    """Average networks into the confidence that an edge joins each pair of variables, and in which direction.

    Parameters
    ----------
    networks
        A bootstrap sample or any other `NetworkSet`, a `CredibleSet`, a set that was only counted (`NetworkSummary`),
        or a `Posterior`: the draws of its chains, or 10,000 from its sums (whose arcs and edges it has exactly:
        `arc_probabilities`, `edge_probabilities`).
    orient
        "cpdag" reads each network as its equivalence class, so that a direction counts only where the data can show it,
        or constraints or experiments tell it (`networks.fixed`); "dag" takes the arcs as they are; "skeleton" ignores
        directions. By default "cpdag" where the networks are listed, or are a `CredibleSet` of at most 200,000 networks
        or 100,000 classes, and "dag" for larger ones, for a set that was only counted, and where constraints on
        ancestors or limits of single variables cut classes apart; `EdgeConfidence.orient` says which it was.
    weights
        "posterior" (by score) or "equal" (Liao 2022, section 4.4); by default the set's own weights.
    feature
        "edge"; or, of the networks as DAGs, "markov-blanket" (the two are in each other's blanket: `undirected`) or
        "path" (a directed path leads from one to the other: `directed`), after Friedman et al. (1999).
    n_cases
        The number of cases the networks were learned from, where the set does not say: learned thresholds depend
        on it.
    limits
        For a `CredibleSet`, whose networks or classes may have to be listed. If one is reached, `complete` and `exact`
        are False and the confidences are those of the part that was seen (the best classes, for a count limit).

    Returns
    -------
    EdgeConfidence
        Exact for a complete credible set (also for one that was only counted); with a Monte Carlo standard error for a
        bootstrap. The cost grows with networks x arcs. For a `CredibleSet` whose classes are whole, it grows with the
        classes instead; the sets of "dag" and "skeleton" are not listed at all.
    """
    networks = as_ensemble(networks)
    _check_options(networks, orient, weights, feature)
    cases = networks.facts.get("n_cases") if n_cases is None else n_cases
    if cases is not None:
        cases = check_count("n_cases", cases, 0, MOST_CASES)
    deadline = Deadline.of(limits)
    if isinstance(networks, CredibleSet):
        counted = networks.summary(limits=deadline.limits)
        if not counted.complete:
            raise OptionError(f"no network was counted ({counted.status}); allow more, or ask for a smaller factor.")
    if networks.count == 0:
        raise OptionError("there is no network in the set; a confidence needs at least one.")
    if feature == "markov-blanket":
        orient = "skeleton"
    elif feature == "path":
        orient = "dag"
    elif orient is None:
        orient = _default_orientation(networks, deadline)
    directed, undirected, status = _averages(networks, orient, weights, feature, deadline)
    complete = networks.complete and status is Status.COMPLETE
    return EdgeConfidence(
        names=networks.names,
        directed=_rounded(directed),
        undirected=_rounded(undirected),
        orient=orient,
        feature=feature,
        origin=networks.origin,
        n_networks=networks.count,
        weights=weights or ("posterior" if isinstance(networks, CredibleSet) else "own"),
        exact=complete and not is_sample(networks.origin),
        complete=complete,
        recipe=networks.recipe,
        n_cases=cases,
        data_digest=getattr(networks, "data_digest", None),
        constraints=networks.obeyed,
        targets=networks.targets,
        beliefs=networks.score.get("beliefs") or {},
        effective=effective_networks(networks) if feature == "edge" else None,
    )


def _check_options(networks: Ensemble, orient: str | None, weights: str | None, feature: str) -> None:
    if orient is not None and orient not in get_args(Orientation):
        raise UnknownNameError(suggestion("orientation", orient, get_args(Orientation)))
    if weights is not None and weights not in get_args(Weights):
        raise UnknownNameError(suggestion("weighting", weights, get_args(Weights)))
    if feature not in get_args(PairFeature):
        raise UnknownNameError(suggestion("feature", feature, get_args(PairFeature)))
    if isinstance(networks, NetworkSet) and np.isnan(networks.log_weights).any():
        first = int(np.flatnonzero(np.isnan(networks.log_weights))[0])
        raise OptionError(
            f"the weight of network {first} is not a number; every network needs a weight >= 0. Give it new ones: "
            "networks.with_weights(...)."
        )


def _default_orientation(networks: Ensemble, deadline: Deadline) -> Orientation:
    """Return the finest reading that the ensemble offers readily.

    Constraints on ancestors, and limits of single variables, allow some members of a class and not others: which
    directions are open is then told by the networks themselves, all of which are there. A bootstrap, or a
    single search, has one member of each class, whichever the search came upon, so that its arcs tell nothing about
    directions.
    """
    obeyed = networks.obeyed
    learned = not {"bootstrap", "permutation", "search"}.isdisjoint(networks.origin.split(" + "))
    if obeyed is not None and (obeyed.is_ancestral or (has_own_limits(obeyed) and not learned)):
        return "dag"
    if isinstance(networks, CredibleSet):
        return "cpdag" if can_read_classes(networks, deadline) else "dag"
    return "cpdag" if isinstance(networks, NetworkSet) else "dag"


def _averages(
    networks: Ensemble, orient: Orientation, weights: Weights | None, feature: PairFeature, deadline: Deadline
) -> tuple[NDArray[np.float64], NDArray[np.float64], Status]:
    """Return the shares of directed and of undirected edges (or of what the feature is), and what stopped the work."""
    n = len(networks.names)
    nothing = np.zeros((n, n))
    if feature != "edge":
        shares, status = _feature_shares(networks, feature, weights, deadline)
        return (nothing, shares, status) if feature == "markov-blanket" else (shares, nothing, status)
    if orient != "cpdag":
        arcs = networks.arc_probabilities(weights)
        for one, other in _copies(networks):
            arcs[one, other] = arcs[other, one] = (arcs[one, other] + arcs[other, one]) / 2
        return (arcs, nothing, Status.COMPLETE) if orient == "dag" else (nothing, arcs + arcs.T, Status.COMPLETE)
    if isinstance(networks, CredibleSet):
        sums, status = average_over_classes(networks, class_sums, weights or "posterior", deadline)
        return sums[0], sums[1], status
    directed, undirected = class_sums(networks, weights)
    for one, other in _copies(networks):
        undirected[one, other] = undirected[other, one] = (undirected + directed + directed.T)[one, other]
        directed[one, other] = directed[other, one] = 0.0
    return directed, undirected, Status.COMPLETE


def _copies(networks: Ensemble) -> list[tuple[int, int]]:
    """Return the pairs of columns that were learned as one: which of the two comes first cannot be told."""
    named = networks.copies if isinstance(networks, NetworkSet) else {}
    return [(networks.names.index(copy), networks.names.index(first)) for copy, first in named.items()]


def _feature_shares(
    networks: Ensemble, feature: Feature, weights: Weights | None, deadline: Deadline
) -> tuple[NDArray[np.float64], Status]:
    if not isinstance(networks, CredibleSet):
        return feature_confidence(networks, feature=feature, weights=weights), Status.COMPLETE
    average = average_over_classes if feature == "markov-blanket" else average_over_networks
    sums, status = average(
        networks, lambda part: (feature_confidence(part, feature=feature),), weights or "posterior", deadline
    )
    return sums[0], status


def _rounded(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop what the order of summation left: a half of the weights is 0.5, which is not above a threshold of 0.5."""
    return np.clip(np.round(sums, 12), 0.0, 1.0)


def feature_confidence(
    networks: Ensemble | Posterior, *, feature: Feature = "markov-blanket", weights: Weights | None = None
) -> NDArray[np.float64]:
    """Average a feature of pairs of variables over networks, as an n x n matrix.

    "arc": [i, j] is the confidence in i -> j; "markov-blanket": symmetric, j is in the Markov blanket of i; "path": a
    directed path leads from i to j. Friedman et al. (1999) average such features over bootstrap replicates.
    """
    if feature not in get_args(Feature):
        raise UnknownNameError(suggestion("feature", feature, get_args(Feature)))
    networks = as_ensemble(networks)
    if feature == "arc":
        return networks.arc_probabilities(weights)
    from arcwise import _core

    kernel = _core.confidence.sum_blankets if feature == "markov-blanket" else _core.confidence.sum_paths
    n = len(networks.names)
    return np.clip(_sum(kernel, _listed(networks, feature), weights).reshape(n, n), 0.0, 1.0)


def class_sums(networks: Ensemble, weights: Weights | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of the arcs that all members of the networks' classes have, and of the edges that turn."""
    from arcwise import _core

    n = len(networks.names)
    listed = _listed(networks, Argument("orient", "cpdag"))
    sums = _sum(_core.confidence.sum_classes, listed, weights, native_pairs(listed.fixed))
    return sums[: n * n].reshape(n, n), sums[n * n :].reshape(n, n)


def _listed(networks: Ensemble, what: str | Mention) -> NetworkSet:
    if isinstance(networks, NetworkSet):
        return networks
    raise GuaranteeError(
        what,
        f"needs the networks themselves, but this set of {networks.count:,} was only counted.",
        remedies=(
            Remedy("use", Argument("orient", "dag"), "or", Argument("orient", "skeleton")),
            Remedy("give the CredibleSet itself"),
            Remedy("list it"),
        ),
    )


def _sum(
    kernel: Callable[..., NDArray[np.float64]],
    networks: NetworkSet,
    weights: Weights | None,
    *further: NDArray[np.uint64],
) -> NDArray[np.float64]:
    log_weights = networks.log_weights if weights is None else networks.weights_by(weights)
    families = networks.families
    return kernel(
        families.node_offsets,
        families.set_offsets,
        families.members,
        np.ascontiguousarray(networks.choices),
        np.exp(log_weights),
        *further,
    )


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

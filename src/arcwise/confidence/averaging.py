"""Model averaging: from a set of weighted networks to the confidence in edges and in other features of a pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base import errors
from arcwise.base.run import Limits, Run, Status
from arcwise.confidence.edge_confidence import EdgeConfidence, Orientation, rounded
from arcwise.credible.credible_set import CredibleSet
from arcwise.graph.classes import native_pairs
from arcwise.networks.classes import weigh_classes
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble
from arcwise.parent_sets.build import has_own_limits
from arcwise.posterior.chain_posterior import effective_networks
from arcwise.posterior.posterior import Posterior, as_ensemble

# Averages over a credible set that need its networks, found without holding them all.
#
# Where the score gives all members of an equivalence class one value (those that satisfy the constraints, if there are
# any) and no variable has a limit of its own on its parents, a credible set consists of whole classes: one
# representative of each is found, and it weighs as much as its class has members. Classes are far fewer than networks.
# Otherwise the networks pass by in chunks and only sums are kept; that takes time in proportion to their number, but
# no memory.


# Up to this many DAGs a set is listed as it is; beyond that, one DAG for each class, up to this many classes.
MOST_DAGS = 200_000
MOST_CLASSES = 100_000
CHUNK = 200_000

Weights = Literal["posterior", "equal"]
Sums = tuple[NDArray[np.float64], ...]
SumFunction = Callable[[NetworkSet], Sums]  # over networks with their weights, which sum to 1


def average_over_classes(found: CredibleSet, sum_up: SumFunction, weights: Weights, run: Run) -> tuple[Sums, Status]:
    """Average something that is the same for all members of a class, over the networks of the set."""
    if found.count <= MOST_DAGS or not found.has_whole_classes:
        return average_over_networks(found, sum_up, weights, run)
    classes = found.networks("mec", limits=run.limits)
    if not classes.count:
        raise errors.OptionError(f"no equivalence class was listed ({classes.status}); allow more time.")
    try:
        weighted = weigh_classes(classes, weights=weights)
    except errors.UnfinishedError:  # the members of a class with fixed pairs are too many to count
        return average_over_networks(found, sum_up, weights, run)
    return sum_up(weighted), classes.status


def average_over_networks(found: CredibleSet, sum_up: SumFunction, weights: Weights, run: Run) -> tuple[Sums, Status]:
    """Average anything over the networks of the set; if a limit is reached, over those that were seen."""
    if found.count <= MOST_DAGS:
        listed = found.networks(limits=run.limits)
        if listed.count:
            return sum_up(listed if weights == "posterior" else listed.with_weights(weights)), listed.status
        raise errors.OptionError(f"no network was listed ({listed.status}); allow more time.")
    totals: Sums | None = None
    mass, seen, status = 0.0, 0, Status.COMPLETE
    for part in found.chunks(size=CHUNK, limits=run.limits):
        status = part.status
        if not part.count:
            continue
        share = np.exp(part.scores - found.opt) if weights == "posterior" else np.ones(part.count)
        sums = tuple(values * share.sum() for values in sum_up(part.with_weights(share)))
        totals = sums if totals is None else tuple(a + b for a, b in zip(totals, sums, strict=True))
        mass += float(share.sum())
        seen += part.count
        if status is Status.COMPLETE and run.given.native_count <= seen < found.count:
            status = Status.COUNT_LIMIT
        if status is not Status.COMPLETE:
            break
    if totals is None:
        raise errors.OptionError(f"no network was listed ({status}); allow more time.")
    return tuple(values / mass for values in totals), status


Feature = Literal["arc", "markov-blanket", "path"]
PairFeature = Literal["edge", "markov-blanket", "path"]
MOST_CASES = 2**63 - 1  # what a file can hold


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
    if orient is not None:
        errors.check_known("orientation", orient, get_args(Orientation))
    if weights is not None:
        errors.check_known("weighting", weights, get_args(Weights))
    errors.check_known("feature", feature, get_args(PairFeature))
    _check_weights(networks)
    cases = networks.facts.get("n_cases") if n_cases is None else n_cases
    if cases is not None:
        cases = errors.check_count("n_cases", cases, 0, MOST_CASES)
    run = Run.of(limits)
    counted = networks.summed(run.limits)
    if counted is not networks and not counted.complete:
        raise errors.OptionError(f"no network was counted ({counted.status}); allow more, or ask for a smaller factor.")
    if networks.count == 0:
        raise errors.OptionError("there is no network in the set; a confidence needs at least one.")
    if feature == "markov-blanket":
        orient = "skeleton"
    elif feature == "path":
        orient = "dag"
    elif orient is None:
        orient = _default_orientation(networks, run)
    directed, undirected, status = _averages(networks, orient, weights, feature, run)
    complete = networks.complete and status is Status.COMPLETE
    return EdgeConfidence(
        names=networks.names,
        directed=rounded(directed),
        undirected=rounded(undirected),
        orient=orient,
        feature=feature,
        origin=networks.origin,
        n_networks=networks.count,
        weights=weights or networks.weighting,
        exact=complete and not networks.origin.is_sample,
        complete=complete,
        recipe=networks.recipe,
        n_cases=cases,
        data_digest=networks.data_digest,
        constraints=networks.obeyed,
        targets=networks.targets,
        beliefs=networks.score.get("beliefs") or {},
        effective=effective_networks(networks) if feature == "edge" and networks.origin.is_chained else None,
    )


def _check_weights(networks: Ensemble) -> None:
    listed = networks.listed
    if listed is not None and np.isnan(listed.log_weights).any():
        first = int(np.flatnonzero(np.isnan(listed.log_weights))[0])
        raise errors.OptionError(
            f"the weight of network {first} is not a number; every network needs a weight >= 0. Give it new ones: "
            "networks.with_weights(...)."
        )


def _default_orientation(networks: Ensemble, run: Run) -> Orientation:
    """Return the finest reading that the ensemble offers readily.

    Constraints on ancestors, and limits of single variables, allow some members of a class and not others: which
    directions are open is then told by the networks themselves, all of which are there. A bootstrap, or a
    single search, has one member of each class, whichever the search came upon, so that its arcs tell nothing about
    directions.
    """
    obeyed = networks.obeyed
    searched = networks.origin.is_searched
    if obeyed is not None and (obeyed.is_ancestral or (has_own_limits(obeyed) and not searched)):
        return "dag"
    if not isinstance(networks, CredibleSet):
        return "cpdag" if networks.listed is not None else "dag"
    if networks.count <= MOST_DAGS:
        return "cpdag"
    classes = networks.count_classes(run.limits, most=MOST_CLASSES) if networks.has_whole_classes else None
    return "cpdag" if classes is not None and classes <= MOST_CLASSES else "dag"


def _averages(
    networks: Ensemble, orient: Orientation, weights: Weights | None, feature: PairFeature, run: Run
) -> tuple[NDArray[np.float64], NDArray[np.float64], Status]:
    """Return the shares of directed and of undirected edges (or of what the feature is), and what stopped the work."""
    n = len(networks.names)
    nothing = np.zeros((n, n))
    if feature != "edge":
        shares, status = _feature_shares(networks, feature, weights, run)
        return (nothing, shares, status) if feature == "markov-blanket" else (shares, nothing, status)
    if orient != "cpdag":
        arcs = networks.arc_probabilities(weights)
        for one, other in _copies(networks):
            arcs[one, other] = arcs[other, one] = (arcs[one, other] + arcs[other, one]) / 2
        return (arcs, nothing, Status.COMPLETE) if orient == "dag" else (nothing, arcs + arcs.T, Status.COMPLETE)
    if isinstance(networks, CredibleSet):
        sums, status = average_over_classes(networks, class_sums, weights or "posterior", run)
        return sums[0], sums[1], status
    directed, undirected = class_sums(networks, weights)
    for one, other in _copies(networks):
        undirected[one, other] = undirected[other, one] = (undirected + directed + directed.T)[one, other]
        directed[one, other] = directed[other, one] = 0.0
    return directed, undirected, Status.COMPLETE


def _copies(networks: Ensemble) -> list[tuple[int, int]]:
    """Return the pairs of columns that were learned as one: which of the two comes first cannot be told."""
    return [(networks.names.index(copy), networks.names.index(first)) for copy, first in networks.copies.items()]


def _feature_shares(
    networks: Ensemble, feature: Feature, weights: Weights | None, run: Run
) -> tuple[NDArray[np.float64], Status]:
    if not isinstance(networks, CredibleSet):
        return feature_confidence(networks, feature=feature, weights=weights), Status.COMPLETE
    average = average_over_classes if feature == "markov-blanket" else average_over_networks
    sums, status = average(
        networks, lambda part: (feature_confidence(part, feature=feature),), weights or "posterior", run
    )
    return sums[0], status


def feature_confidence(
    networks: Ensemble | Posterior, *, feature: Feature = "markov-blanket", weights: Weights | None = None
) -> NDArray[np.float64]:
    """Average a feature of pairs of variables over networks, as an n x n matrix.

    "arc": [i, j] is the confidence in i -> j; "markov-blanket": symmetric, j is in the Markov blanket of i; "path": a
    directed path leads from i to j. Friedman et al. (1999) average such features over bootstrap replicates.
    """
    errors.check_known("feature", feature, get_args(Feature))
    networks = as_ensemble(networks)
    if feature == "arc":
        return networks.arc_probabilities(weights)
    kernel = _core.confidence.sum_blankets if feature == "markov-blanket" else _core.confidence.sum_paths
    n = len(networks.names)
    return np.clip(_sum(kernel, _listed(networks, feature), weights).reshape(n, n), 0.0, 1.0)


def class_sums(networks: Ensemble, weights: Weights | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of the arcs that all members of the networks' classes have, and of the edges that turn."""
    n = len(networks.names)
    listed = _listed(networks, errors.Argument("orient", "cpdag"))
    sums = _sum(_core.confidence.sum_classes, listed, weights, native_pairs(listed.fixed))
    return sums[: n * n].reshape(n, n), sums[n * n :].reshape(n, n)


def _listed(networks: Ensemble, what: str | errors.Mention) -> NetworkSet:
    if networks.listed is not None:
        return networks.listed
    raise errors.GuaranteeError(
        what,
        f"needs the networks themselves, but this set of {networks.count:,} was only counted.",
        remedies=(
            errors.Remedy("use", errors.Argument("orient", "dag"), "or", errors.Argument("orient", "skeleton")),
            errors.Remedy("give the CredibleSet itself"),
            errors.Remedy("list it"),
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

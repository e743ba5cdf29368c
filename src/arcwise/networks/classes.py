"""Sets of networks by equivalence class: how many DAGs a class has, members drawn from it, Markov blankets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import ArcwiseError, UnfinishedError
from arcwise.base.run import Seed
from arcwise.graph.classes import ClassMembers, FixedPairs
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Orientations, bits
from arcwise.networks.families import numbered_families
from arcwise.networks.network_list import NetworkSet, Weighting, check_weighting, posterior_log_weights
from arcwise.networks.recipe import make_facts
from arcwise.parent_sets.build import has_own_limits
from arcwise.scores.registry import KNOWN_SCORES, make_score


def class_size(dag: Dag, fixed: FixedPairs | None = None) -> int:
    """Return the number of DAGs that are equivalent to `dag`, itself included.

    With fixed pairs: of those that agree with it on the arcs of these. That may be too much to count, which is an
    `UnfinishedError`.
    """
    return class_sizes([dag], fixed)[0]


def class_sizes(dags: Iterable[Dag], fixed: FixedPairs | None = None) -> list[int]:
    """Return the class size of each DAG; components that occur again are counted once."""
    sizes: list[int] = []
    counts: dict[tuple[tuple[int, int], ...], int] = {}  # by the neighbours and the known parents of each node
    for dag in dags:
        if fixed is not None and fixed.names != dag.names:
            fixed = fixed.reorder(dag.names)
        free = dag.cpdag.neighbour_masks
        known = [0] * len(free)
        if fixed is not None:
            known = [a & b & c for a, b, c in zip(dag.parent_masks, free, fixed.masks, strict=True)]
        sizes.append(1)
        for component in dag.cpdag.chordal_masks:
            key = tuple((free[v], known[v]) for v in bits(component))
            if key not in counts:
                counts[key] = Orientations(free, known).count(component)
            sizes[-1] *= counts[key]
    return sizes


def weigh_classes(classes: NetworkSet, *, weights: Weighting = "posterior") -> NetworkSet:
    """Give each equivalence class, of which `classes` has one DAG each, the weight of all its members together.

    "posterior": proportional to size x exp(score), as all members have the same score; "equal": proportional to the
    size. What is the same for all members (the directions that they share, the skeleton) then averages as over all
    DAGs, none of which need be listed. ``facts["sizes"]`` has the sizes, as text since they may exceed 64 bits.
    """
    check_weighting(weights)
    sizes = class_sizes(classes, classes.fixed)
    log_weights = np.array([math.log(size) for size in sizes])
    if weights == "posterior":
        log_weights = log_weights + classes.scores
    log_weights = posterior_log_weights(log_weights)
    return replace(classes, log_weights=log_weights, facts=classes.facts | make_facts(sizes=list(map(str, sizes))))


# Networks drawn from the classes of those that searches have found.
#
# A search ends with one network of a class. Which one is decided by the order of the variables where all members score
# the same: the data do not tell them apart, and all searches of a bootstrap may take the same one. What depends on
# whole networks, such as what a variable reaches, would then be sure of a direction that is open; so every network is
# replaced by a member of its class, drawn at random.


# How often a member is drawn that constraints on ancestors do not allow before the network stays as it was found.
MOST_TRIES = 100


def distinguishes_members(networks: NetworkSet) -> bool:
    """Return whether networks of one class (of `networks.fixed`) can have different scores."""
    options = dict(networks.score)
    name, beliefs = str(options.pop("name", "")), options.pop("beliefs", None) or {}
    if beliefs.get("fair_sizes") or name not in KNOWN_SCORES:
        return bool(beliefs.get("fair_sizes"))
    try:
        return not make_score(name, **options).facts.equivalent
    except (ArcwiseError, TypeError):  # it takes an object, such as a prior network
        return not KNOWN_SCORES[name].FACTS.equivalent


def splits_classes(constraints: Constraints) -> bool:
    """Return whether constraints allow some members of a class and not others."""
    return constraints.is_ancestral or has_own_limits(constraints)


def drawn_from_classes(networks: NetworkSet, seed: Seed = 0) -> NetworkSet:
    """Return the networks of a bootstrap, each as a random member of its class; any other set as it is.

    Members obey what is known: constraints, experiments and prior odds. A network stays as it was found where its class
    is too large to be counted, where the score tells members apart, and for the arc to a copy of a column.
    """
    name = str(networks.score.get("name"))  # a file may hold anything
    if not networks.origin.is_resampled or name not in KNOWN_SCORES or distinguishes_members(networks):
        return networks
    obeyed = networks.obeyed
    rule = obeyed if obeyed is not None and splits_classes(obeyed) else None
    copies = {networks.names.index(copy): networks.names.index(first) for copy, first in networks.copies.items()}
    rng = np.random.default_rng(seed if not isinstance(seed, int) else [seed, 2])
    found = []
    classes: dict[Dag, ClassMembers] = {}
    for dag in networks:
        bare = Dag(dag.names, [() if v in copies else parents for v, parents in enumerate(dag.parents)])
        drawn = _member(bare, classes, networks, rule, rng)
        found.append([(copies[v],) if v in copies else tuple(own) for v, own in enumerate(drawn.parents)])
    families, choices = numbered_families(found, networks.n_variables)
    return replace(networks, families=families, choices=choices)


def _member(
    dag: Dag, classes: dict[Dag, ClassMembers], networks: NetworkSet, rule: Constraints | None, rng: np.random.Generator
) -> Dag:
    """Draw a member of the class of a network that the rule allows; the network itself if none is found."""
    members = classes.get(dag)
    if members is None:
        members = classes[dag] = ClassMembers(dag, networks.fixed)
    try:
        for _ in range(1 if rule is None else MOST_TRIES):
            drawn = members.draw(rng)
            if rule is None or rule.allows_dag(drawn):
                return drawn
    except UnfinishedError:
        pass
    return dag


# Markov blankets over a set of networks: how probable it is that one variable is in another's, and which are whole.


def blankets_of(networks: NetworkSet, variable: int) -> NDArray[np.bool_]:
    """Return, for each network, which variables are in the Markov blanket of one: [network, variable]."""
    families, n = networks.families, len(networks.names)
    masks = families.masks[networks.choices.astype(np.int64) + families.node_offsets[:-1]]
    word, bit = variable // 64, np.uint64(variable % 64)
    found = masks[:, variable].copy()
    for child in range(n):
        has = ((masks[:, child, word] >> bit) & np.uint64(1)) != 0
        own = masks[:, child].copy()
        own[:, child // 64] |= np.uint64(1) << np.uint64(child % 64)
        found |= np.where(has[:, None], own, np.uint64(0))
    at, shift = np.arange(n) // 64, (np.arange(n) % 64).astype(np.uint64)
    inside = ((found[:, at] >> shift) & np.uint64(1)) != 0
    inside[:, variable] = False
    return np.asarray(inside)


def blanket_shares(
    networks: NetworkSet, variable: int
) -> tuple[NDArray[np.float64], list[tuple[tuple[str, ...], float]]]:
    """Return the weight of the networks with each variable in the blanket of one, and the whole blankets by weight."""
    inside = blankets_of(networks, variable)
    shares = networks.weights @ inside
    kinds, inverse = np.unique(inside, axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), weights=networks.weights)
    order = np.argsort(-weights.round(12), kind="stable")
    names = networks.names
    whole = [(tuple(names[v] for v in np.flatnonzero(kinds[k])), float(weights[k])) for k in order.tolist()]
    return np.minimum(shares, 1.0), whole

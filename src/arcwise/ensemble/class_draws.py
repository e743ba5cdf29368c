"""Networks drawn from the classes of those that searches have found.

A search ends with one network of a class. Which one is decided by the order of the variables where all members score
the same: the data do not tell them apart, and all searches of a bootstrap may take the same one. What depends on whole
networks, such as what a variable reaches, would then be sure of a direction that is open; so every network is replaced
by a member of its class, drawn at random.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arcwise.ensemble.families import Families, choice_type
from arcwise.ensemble.joint_constraints import has_own_limits
from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import ArcwiseError, UnfinishedError
from arcwise.graph import Constraints, Dag
from arcwise.graph.class_members import ClassMembers
from arcwise.scores import SCORES, make_score
from arcwise.seeds import Seed

__all__ = ["drawn_from_classes", "splits_classes", "tells_members_apart"]

# How often a member is drawn that constraints on ancestors do not allow before the network stays as it was found.
MOST_TRIES = 100


def tells_members_apart(networks: NetworkSet) -> bool:
    """Say whether networks of one class (of `networks.fixed`) can have different scores."""
    options = dict(networks.score)
    name, beliefs = str(options.pop("name", "")), options.pop("beliefs", None) or {}
    if beliefs.get("fair_sizes") or name not in SCORES:
        return bool(beliefs.get("fair_sizes"))
    try:
        return not make_score(name, **options).facts.equivalent
    except (ArcwiseError, TypeError):  # it takes an object, such as a prior network
        return not SCORES[name].FACTS.equivalent


def splits_classes(constraints: Constraints) -> bool:
    """Say whether constraints allow some members of a class and not others."""
    return constraints.is_ancestral or has_own_limits(constraints)


def drawn_from_classes(networks: NetworkSet, seed: Seed = 0) -> NetworkSet:
    """Return the networks of a bootstrap, each as a random member of its class; any other set as it is.

    Members obey what is known: constraints, experiments and prior odds. A network stays as it was found where its class
    is too large to be counted, where the score tells members apart, and for the arc to a copy of a column.
    """
    name = str(networks.score.get("name"))  # a file may hold anything
    if networks.origin != "bootstrap" or name not in SCORES or tells_members_apart(networks):
        return networks
    obeyed = networks.obeyed
    rule = obeyed if obeyed is not None and splits_classes(obeyed) else None
    copies = {networks.names.index(copy): networks.names.index(first) for copy, first in networks.copies.items()}
    rng = np.random.default_rng(seed if not isinstance(seed, int) else [seed, 2])
    known: list[dict[tuple[int, ...], int]] = [{} for _ in networks.names]
    rows = []
    classes: dict[Dag, ClassMembers] = {}
    for dag in networks:
        bare = Dag(dag.names, [() if v in copies else parents for v, parents in enumerate(dag.parents)])
        drawn = _member(bare, classes, networks, rule, rng)
        parents = [(copies[v],) if v in copies else own for v, own in enumerate(drawn.parents)]
        rows.append([known[v].setdefault(tuple(own), len(known[v])) for v, own in enumerate(parents)])
    choices = np.array(rows, dtype=np.int64).reshape(networks.count, len(known))
    return replace(
        networks,
        families=Families.from_sets([list(sets) for sets in known]),
        choices=choices.astype(choice_type(max(1, *(len(sets) for sets in known)))),
    )


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

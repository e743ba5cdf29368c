"""`next_experiment`: which variable to set next, so that most open directions are settled.

Data that leave a direction open leave a class of networks, and an experiment that sets a variable tells its members
apart: every edge at the variable gets its direction, and others follow by Meek's rules (Hauser and Buehlmann, JMLR
2012; He and Geng, JMLR 2008, choose experiments by how finely they divide a class). How many follow
depends on which member is the truth. So the number is averaged over the networks of the ensemble, and within each class
over its members, all of which the data find equally good.

Without constraints, the open edges of a class fall into connected chordal graphs whose orientations are independent
(Hauser and Buehlmann 2012, section 3), and setting a variable changes nothing outside its own: it is enough to know the
average for each such graph, of which few are different. Constraints can leave open edges that depend on directed ones;
then whole members are looked at. So they are where prior odds prefer a direction: the odds decide how likely each
member is, yet an edge that they alone direct is open, since an experiment can show that it points the other way. Where
the score tells the members of a class apart by itself, the networks of the ensemble stand for themselves. Constraints
on ancestors, and limits of single variables, allow some members of a class and not others: then only these count, all
alike, and what they agree on is not open.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, Remedy, UnfinishedError
from arcwise.base.run import Limits, Run
from arcwise.base.showing import one_screen
from arcwise.confidence.averaging import MOST_CLASSES, MOST_DAGS, class_sums
from arcwise.credible.credible_set import CredibleSet
from arcwise.graph.classes import ClassMembers, FixedPairs, class_keys
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Orientations, bits, components
from arcwise.networks.classes import distinguishes_members, splits_classes, weigh_classes
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble, KnownFacts, fixed_pairs, known_facts, make_facts
from arcwise.posterior.posterior import Posterior, as_ensemble

if TYPE_CHECKING:
    import pandas as pd


# Up to so many orientations of a graph of open edges, or members of a class, are listed; of more, so many are drawn.
MOST_LISTED = 500
# About so many members are looked at where whole ones are needed, and orientations drawn of all classes together: 500
# of each of 200 networks of pathfinder, whose graphs of open edges are all different, took 163 s.
MEMBERS = 10_000
# Of more classes, so many are drawn by their weight.
CLASSES = 10_000
DRAWS = 10_000


@one_screen
@dataclass(frozen=True, eq=False)
class NextExperiment:
    """How many open directions an experiment on each variable would settle.

    Parameters
    ----------
    names
        The variables.
    settled
        For each, the expected number of directions that are open now and would be settled if it were set.
    open_now
        The expected number of edges whose direction is open.
    n_classes
        How many classes of networks the averages are over.
    drawn
        Whether networks, classes, or members of one, were drawn at random; otherwise the averages are exact.
    """

    names: tuple[str, ...]
    settled: NDArray[np.float64]
    open_now: float
    n_classes: int
    drawn: bool

    @property
    def best(self) -> str | None:
        """The variable that settles most; None if no direction is open."""
        return self.names[int(np.argmax(self.settled))] if self.open_now > 0 else None

    def to_frame(self) -> pd.DataFrame:
        """Return the variables, those that settle most first, with the share of the open directions."""
        import pandas as pd

        share = self.settled / self.open_now if self.open_now > 0 else np.zeros(len(self.names))
        frame = pd.DataFrame({"set": self.names, "settles": self.settled, "share": share})
        return frame.sort_values("settles", ascending=False, kind="stable").reset_index(drop=True)


def next_experiment(networks: Ensemble | Posterior, *, seed: int = 0, limits: Limits | None = None) -> NextExperiment:
    """Return how many open directions setting each variable would settle, on average over an ensemble.

    Parameters
    ----------
    networks
        Networks that are listed or drawn, a `Posterior`, or a `CredibleSet`, of which 10,000 are drawn if it is large.
        Experiments that were made already, and constraints, count as they do for its classes (`networks.fixed`). Prior
        odds weigh the networks, but settle nothing: an edge is open if the data, experiments and constraints leave it
        open.
    seed
        For the networks of a large set, and members of large classes, which are drawn at random.
    limits
        Limits of the whole. Of hundreds of networks with large classes it takes minutes.

    Raises
    ------
    UnfinishedError
        If a credible set could not be listed within the limits, nor a network drawn, or the time did not suffice.

    Examples
    --------
    >>> from arcwise.ensemble import NetworkSet
    >>> chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> found = next_experiment(NetworkSet.from_dags([chain], origin="example"))
    >>> found.best, found.settled.round(3).tolist(), found.open_now
    ('b', [1.333, 2.0, 1.333], 2.0)
    """
    run = Run.of(limits)
    listed = _listed(as_ensemble(networks, seed=seed), seed, run)
    rng = np.random.default_rng(seed)
    classes, n_classes = _classes(listed, rng)
    obeyed = listed.obeyed
    if obeyed is not None and splits_classes(obeyed):
        settled, open_now, drawn = _by_allowed_members(classes, obeyed, rng, run)
    elif distinguishes_members(listed):
        # The classes are cut down by constraints and experiments alone, not by odds.
        settled, open_now, drawn = (
            *_settled(replace(listed, score={}, facts=_known(listed), carried_out=None), run),
            False,
        )
    elif fixed_pairs(listed.names, obeyed, (), listed.score.get("beliefs")) is None:  # by experiments alone
        settled, open_now, drawn = _by_components(classes, rng, run)
    else:
        settled, open_now, drawn = _by_members(classes, rng, run)
    sampled = listed is not networks and listed.origin.is_sample
    return NextExperiment(listed.names, settled, open_now, n_classes, drawn or sampled or n_classes > CLASSES)


def _listed(networks: Ensemble, seed: int, run: Run) -> NetworkSet:
    if networks.listed is not None:
        return networks.listed
    if not isinstance(networks, CredibleSet):
        raise OptionError(
            "which experiment is next depends on whole networks, and these were only counted.",
            remedies=Remedy("build a CredibleSet, or list the networks"),
        )
    if networks.count <= MOST_DAGS:
        return networks.drawn(MOST_DAGS, limits=run.limits)
    if networks.has_whole_classes:
        classes = networks.count_classes(run.limits)
        if classes is not None and classes <= MOST_CLASSES // 10:
            found = networks.networks("mec", limits=run.limits)
            with contextlib.suppress(UnfinishedError):  # the members of a class with fixed pairs may be too many
                if found.complete:
                    return weigh_classes(found)
    return networks.drawn(DRAWS, seed=seed, limits=run.limits)


def _classes(networks: NetworkSet, rng: np.random.Generator) -> tuple[NetworkSet, int]:
    """Return one network of each class with the weight of the class, and how many classes there are.

    Of very many classes, some are drawn by their weight.
    """
    families = networks.families
    keys = class_keys(
        networks.choices,
        set_offsets=families.set_offsets,
        members=families.members,
        node_offsets=families.node_offsets,
        fixed=networks.fixed,
        progress=False,
    )
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weights: NDArray[np.float64] = np.bincount(number.reshape(-1), weights=networks.weights).astype(np.float64)
    n_classes = len(first)
    if n_classes > CLASSES:
        chosen, times = np.unique(rng.choice(n_classes, size=CLASSES, p=weights / weights.sum()), return_counts=True)
        first, weights = first[chosen], times / CLASSES
    return networks[first].with_weights(weights), n_classes


def _check_time(run: Run) -> None:
    if run.is_over:
        raise UnfinishedError(
            "which experiment is next could not be found in the time allowed.", remedies=Remedy("allow more time")
        )


def _settled(members: NetworkSet, run: Run) -> tuple[NDArray[np.float64], float]:
    """Return how many open directions setting each variable settles, and how many are open: means over networks."""
    _, undirected = class_sums(members)
    settled = np.zeros(members.n_variables)
    for v in np.flatnonzero(undirected.sum(axis=0) > 0).tolist():
        _check_time(run)
        targets = [*(members.facts.get("targets") or ()), [members.names[v]]]  # one more experiment
        _, left = class_sums(replace(members, facts=members.facts | make_facts(targets=targets)))
        settled[v] = (undirected.sum() - left.sum()) / 2
    return np.maximum(settled, 0.0), float(undirected.sum() / 2)


def _by_components(classes: NetworkSet, rng: np.random.Generator, run: Run) -> tuple[NDArray[np.float64], float, bool]:
    """Average over the orientations of each connected graph of open edges, which are looked at once each."""
    fixed = classes.fixed or FixedPairs(classes.names)
    known: dict[tuple[int, ...], tuple[NDArray[np.float64], bool]] = {}
    settled, open_now, drawn = np.zeros(classes.n_variables), 0.0, False
    draws = max(1, min(MOST_LISTED, MEMBERS // classes.count))
    for dag, weight in zip(classes, classes.weights.tolist(), strict=True):
        _check_time(run)
        neighbours = fixed.class_of(dag).neighbour_masks
        joined = sum(1 << v for v, mask in enumerate(neighbours) if mask)
        open_now += weight * sum(mask.bit_count() for mask in neighbours) / 2
        for component in components(neighbours, joined):
            nodes = list(bits(component))
            place = {v: k for k, v in enumerate(nodes)}
            graph = tuple(sum(1 << place[u] for u in bits(neighbours[v])) for v in nodes)
            if graph not in known:
                known[graph] = _settled_in(graph, draws, rng, run)
            own, was_drawn = known[graph]
            settled[nodes] += weight * own
            drawn |= was_drawn
    return settled, open_now, drawn


def _settled_in(
    graph: tuple[int, ...], draws: int, rng: np.random.Generator, run: Run
) -> tuple[NDArray[np.float64], bool]:
    """Return what setting each node of a connected chordal graph settles, and whether orientations were drawn."""
    whole, orientations = (1 << len(graph)) - 1, Orientations(graph)
    drawn = orientations.count(whole) > MOST_LISTED
    found = (orientations.draw([whole], rng) for _ in range(draws)) if drawn else orientations.every([whole])
    names = [str(v) for v in range(len(graph))]
    dags = []
    for parents in found:
        _check_time(run)
        dags.append(Dag(names, [list(bits(parents[v])) for v in range(len(graph))]))
    return _settled(NetworkSet.from_dags(dags, origin="orientations"), run)[0], drawn


def _members(classes: NetworkSet, rng: np.random.Generator, run: Run) -> Iterator[tuple[Dag, float, list[Dag], bool]]:
    """Yield a network of each class, its weight, and members: all, or some at random, and whether they are all.

    The network alone stands for a class whose members cannot be counted.
    """
    most = max(1, min(MOST_LISTED, MEMBERS // classes.count))
    for dag, weight in zip(classes, classes.weights.tolist(), strict=True):
        _check_time(run)
        members = ClassMembers(dag, classes.fixed)
        try:
            complete = members.count <= most
            yield dag, weight, list(members) if complete else [members.draw(rng) for _ in range(most)], complete
        except UnfinishedError:
            yield dag, weight, [dag], False


def _by_members(classes: NetworkSet, rng: np.random.Generator, run: Run) -> tuple[NDArray[np.float64], float, bool]:
    """Average over whole members of the classes."""
    found: list[Dag] = []
    shares: list[float] = []
    drawn = False
    for _, weight, own, complete in _members(classes, rng, run):
        drawn |= not complete
        found += own
        shares += [weight / len(own)] * len(own)
    made = NetworkSet.from_dags(found, origin=classes.origin, facts=_known(classes))
    return *_settled(made.with_weights(np.array(shares)), run), drawn


def _by_allowed_members(
    classes: NetworkSet, obeyed: Constraints, rng: np.random.Generator, run: Run
) -> tuple[NDArray[np.float64], float, bool]:
    """Average over the members of the classes that constraints allow which no pair of variables shows.

    A direction is open if some of these members have it one way and some the other. Setting a variable tells those
    apart that differ in an edge at it.
    """
    settled, open_now, drawn = np.zeros(classes.n_variables), 0.0, False
    for dag, weight, own, complete in _members(classes, rng, run):
        drawn |= not complete
        arcs = np.array([one.to_adjacency() for one in own if obeyed.allows_dag(one)] or [dag.to_adjacency()], bool)
        turning = _turning(arcs)
        open_now += weight * turning.sum() / 2
        for v in np.flatnonzero(turning.any(axis=0)).tolist():
            _, group, sizes = np.unique(arcs[:, v], axis=0, return_inverse=True, return_counts=True)
            left = [_turning(arcs[group.reshape(-1) == k]).sum() / 2 for k in range(len(sizes))]
            settled[v] += weight * (turning.sum() / 2 - float(np.average(left, weights=sizes)))
    return settled, open_now, drawn


def _turning(arcs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the pairs that networks of one skeleton direct differently, as a symmetric matrix."""
    return np.asarray(arcs.any(axis=0) & ~arcs.all(axis=0))


def _known(networks: NetworkSet) -> KnownFacts:
    """Return what constraints and experiments say, but not the odds, as facts of other networks."""
    return known_facts(networks.obeyed, networks.targets)

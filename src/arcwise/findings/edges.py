"""Fills an `EdgeRecord` for every edge: confidences by all methods, origin, counts and what the prior does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, compress

import numpy as np
from numpy.typing import NDArray

from arcwise.base.showing import listed, plural
from arcwise.confidence.calibration import SETTLED_SHARE
from arcwise.confidence.consensus import ConsensusNetwork, Fate
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.counts import contingency
from arcwise.data.checks import Targets
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.findings.edge_record import EdgeRecord, Origin
from arcwise.findings.method_result import MethodResult
from arcwise.findings.options import LearnOptions
from arcwise.findings.verdict import HALF, Verdict
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.classes import FixedPairs
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.statements import Statement, StatementKind
from arcwise.networks.network_list import NetworkSet
from arcwise.priors.optima import EdgePrior, edge_prior
from arcwise.scores.registry import make_score

Floats = NDArray[np.float64]


# `Origins`: whether an edge is the data's finding or the analyst's own words.
#
# What an analyst states is obeyed, so a required arc has a confidence of 1 and a tier turns an arrow; neither is a
# finding. Every edge therefore says where it comes from: whether it is there, and points where it does, because the
# data say so or because somebody said so before.


# Confidences with and without what was said that are no further apart say the same.
SAME_CONFIDENCE = 0.1


OriginWithStatements = tuple[Origin, tuple[Statement, ...]]


# Which directions never count as settled, whatever the networks say. Networks of numbers that were cut depend on what
# cutting lost: a tenth to a third of their settled directions are wrong, and more cases make these surer. And where a
# variable is a function of others, networks with other arrows fit as well: of 164 directions of known networks that
# would have been settled, 30 of 39 were right where the parents determine the head, and 121 of 125 elsewhere.
DETERMINED = 0.02  # of a variable's entropy is left, or less, if its parents are known


@dataclass(frozen=True)
class Withheld:
    """The numbers that were cut, and the variables that their parents in the network determine."""

    cut: frozenset[str]
    determined: frozenset[str]

    @classmethod
    def of(cls, dag: Dag, data: Dataset, cut: frozenset[str] = frozenset()) -> Withheld:
        """Ask the data which variables their parents determine."""
        whole, score = data.independent(), make_score("ll")
        children = [v for v, own in enumerate(dag.parents) if own]
        scores = score.score_families(whole, [(v, dag.parents[v]) for v in children])
        alone = score.score_families(whole, [(v, ()) for v in children])
        return cls(cut, frozenset(dag.names[v] for v in np.array(children, dtype=int)[scores >= DETERMINED * alone]))

    def reason(self, tail: str, head: str) -> str:
        """Return why tail -> head never counts as settled; "" if nothing speaks against it."""
        cut = [name for name in (tail, head) if name in self.cut]
        if cut:
            return f"{listed(cut)} {plural(len(cut), 'was', 'were')} cut from numbers"
        if head in self.determined:
            return f"what points to {head} determines it, so that other networks fit as well"
        return ""


@dataclass(frozen=True, eq=False)
class Origins:
    """The origins of all pairs of an analysis."""

    constraints: Constraints | None  # what was said, None for nothing
    consensus: ConsensusNetwork
    without: MethodResult | None  # the same recipe without constraints and odds, None if it was not computed
    main: MethodResult  # what the answer rests on
    unbelieved: MethodResult | None = None  # the same recipe without prior odds, None if there were none
    targets: Targets | None = None  # the variables that were set, None if there were no experiments
    withheld: Withheld | None = None  # which directions never count as settled, None if none was looked for

    def of(self, first: str, second: str) -> EdgeRecord:
        """Return what the main set says about a pair, with where its edge comes from, or why there is none."""
        here = _pair(self.main, first, second)
        assert here is not None
        without = None if self.constraints is None else _pair(self.without, first, second)
        found = None if self.constraints is None else self._constrained(here, without)
        reason = ""
        if found is None and self._is_believed(here):
            found, reason = (Origin.BELIEVED, ()), "your odds"
        if found is None and self.constraints is not None:
            found = self._follows(here, without)
        if found is None and (reason := self._experiment(here)):
            found = (Origin.EXPERIMENT, ())
        origin, statements = found or (Origin.FOUND, ())
        nothing = origin is Origin.FORBIDDEN or (origin is Origin.GONE and here.present <= 0)
        return replace(
            here,
            split=(0.0, 0.0, 0.0) if nothing else here.split,
            origin=origin,
            statements=statements,
            reason=reason,
            without=without,
            kept_without=without is not None and without.present > self.consensus.threshold,
        )

    def _constrained(self, here: EdgeRecord, without: EdgeRecord | None) -> OriginWithStatements | None:
        pair = here.first, here.second
        return self._required(*pair) or self._forbidden(*pair) or _changed(here, without) or self._directed(*pair)

    def _is_believed(self, here: EdgeRecord) -> bool:
        """Whether an edge of the network has a direction that prior odds give it, and that is open without them."""
        alone = _pair(self.unbelieved, here.first, here.second)
        if alone is None or alone.present <= 0 or frozenset((here.first, here.second)) not in self._in_network:
            return False
        way = self._way(here)
        is_open = alone.split[2] > HALF and way > HALF
        turned = way >= SETTLED_SHARE and self._way(alone) < _enough(self.unbelieved)
        return is_open or turned

    def _experiment(self, here: EdgeRecord) -> str:
        """Return which experiment directs an edge that is open in the network's Markov class; "" if none does."""
        first, second = here.first, here.second
        if self.targets is None or frozenset((first, second)) not in self._by_experiments:
            return ""
        if self._way(here) < SETTLED_SHARE:
            return ""
        sets = [set(names) for names in self.targets.sets]
        ends = [
            a for a, b in ((first, second), (second, first)) if any(a in names and b not in names for names in sets)
        ]
        return f"your {plural(len(ends), 'experiment')} on {' and '.join(ends)}" if ends else "your experiments"

    @cached_property
    def _by_experiments(self) -> frozenset[frozenset[str]]:
        """The edges of the network that experiments direct, at first hand or by what follows from that."""
        if self.targets is None:
            return frozenset()
        return self._directed_by(FixedPairs.by_targets(self.consensus.dag.names, self.targets.sets))

    def _directed_by(self, fixed: FixedPairs) -> frozenset[frozenset[str]]:
        """Return the edges of the network that are open in its Markov class, but not where these pairs are fixed."""
        dag = self.consensus.dag
        return frozenset(map(frozenset, dag.cpdag.edges)) - frozenset(map(frozenset, fixed.class_of(dag).edges))

    def _required(self, first: str, second: str) -> OriginWithStatements | None:
        """Return the statements that an edge is there for: that it is required, or on a path that is."""
        assert self.constraints is not None
        statements, pair = self.constraints.statements, {first, second}
        required = tuple(s for s in statements if s.kind is StatementKind.REQUIRED and set(s.names) == pair)
        if not required and frozenset(pair) in self._on_paths:
            required = tuple(s for s in statements if s.kind is StatementKind.ANCESTOR)
        return (Origin.REQUIRED, required) if required else None

    def _forbidden(self, first: str, second: str) -> OriginWithStatements | None:
        """Return the statements that leave neither direction."""
        reasons = self._reasons(first, second)
        if len(reasons) < 2:
            return None
        whole = tuple(statement for statement in reasons[0] if statement in reasons[1])
        return Origin.FORBIDDEN, whole or tuple(dict.fromkeys((*reasons[0], *reasons[1])))

    def _directed(self, first: str, second: str) -> OriginWithStatements | None:
        """Return the statements that leave only one direction."""
        reasons = self._reasons(first, second)
        return (Origin.DIRECTED, reasons[0]) if reasons else None

    def _follows(self, here: EdgeRecord, without: EdgeRecord | None) -> OriginWithStatements | None:
        """Return whether an edge of the network has its direction from what was said about others.

        The data's part alone tells: a direction that nearly all networks have here, and not there, is not the data's,
        whichever way it came about (a cycle, a path that must be there, a parent that may not be, a collider that is
        left over). Shares are compared with shares: of directions under constraints no study tells.
        """
        pair = frozenset((here.first, here.second))
        if pair not in self._in_network:
            return None
        if without is None or without.present <= 0:
            return (Origin.FOLLOWS, ()) if pair in self._consequences else None
        alone = self._way(without)
        if alone >= SETTLED_SHARE:
            return None
        turned = self._way(here) >= SETTLED_SHARE and alone < _enough(self.without)
        return (Origin.FOLLOWS, ()) if turned or pair in self._consequences else None

    def _way(self, edge: EdgeRecord) -> float:
        """Return how often an edge points where the network has it, or else where it does more often."""
        forward, backward, _ = edge.split
        arc = self._in_network.get(frozenset((edge.first, edge.second)))
        return max(forward, backward) if arc is None else forward if arc == (edge.first, edge.second) else backward

    def _reasons(self, first: str, second: str) -> list[tuple[Statement, ...]]:
        """Return, for each direction that is excluded, what excludes it."""
        known = self.constraints
        assert known is not None
        ways = ((first, second), (second, first))
        return [known.reasons(*way) for way in ways if way[0] in known.forbidden_parents(way[1])]

    @cached_property
    def _in_network(self) -> dict[frozenset[str], tuple[str, str]]:
        return {frozenset((e.tail, e.head)): (e.tail, e.head) for e in self.consensus.edges if e.fate.in_network}

    @property
    def gone(self) -> tuple[tuple[str, str], ...]:
        """The pairs that the data alone would join and that nothing joins here, in the order of the data."""
        if self.constraints is None or self.without is None or self.without.confidence is None:
            return ()
        likely = combinations(self.without.confidence.names, 2), self.without.confidence.vector > HALF
        return tuple(pair for pair in compress(*likely) if self.of(*pair).origin is Origin.GONE)

    @property
    def forbidden(self) -> tuple[tuple[str, str], ...]:
        """The pairs without an edge because nothing else was allowed, in the order of the data."""
        known = self.constraints
        if known is None:
            return ()
        pairs, masks = combinations(enumerate(known.names), 2), known.forbidden_masks
        return tuple((a, b) for (i, a), (j, b) in pairs if masks[i] >> j & 1 and masks[j] >> i & 1)

    @cached_property
    def _consequences(self) -> frozenset[frozenset[str]]:
        """The edges of the network that only other directions direct: open in its Markov class, not in the cut one."""
        assert self.constraints is not None
        return self._directed_by(FixedPairs.by_constraints(self.constraints))

    @cached_property
    def _on_paths(self) -> frozenset[frozenset[str]]:
        """The edges below the cut-off that are there only so that a variable leads where it must."""
        assert self.constraints is not None
        arcs = {(edge.tail, edge.head) for edge in self.consensus.edges if edge.fate is Fate.REQUIRED}
        return frozenset(frozenset(arc) for arc in arcs - set(self.constraints.required))


def _pair(averaged: MethodResult | None, first: str, second: str) -> EdgeRecord | None:
    confidence = None if averaged is None else averaged.confidence
    return None if confidence is None else EdgeRecord.of(confidence, first, second)


def _changed(here: EdgeRecord, without: EdgeRecord | None) -> OriginWithStatements | None:
    """Return whether what was said brought an edge that was neither required nor forbidden, or took it away.

    It did if the edge is more likely than not in one case, and not in the other, by more than a little.
    """
    if without is None or abs(here.present - without.present) <= SAME_CONFIDENCE:
        return None
    if here.present > HALF >= without.present:
        return Origin.APPEARS, ()
    return (Origin.GONE, ()) if without.present > HALF >= here.present else None


def _enough(averaged: MethodResult | None) -> float:
    """Return the share of networks from which on a direction counts for something where it is compared with another.

    Directions of DAGs, unlike those of classes, are shared out where they are open.
    """
    confidence = None if averaged is None else averaged.confidence
    return HALF if confidence is not None and confidence.orient == "cpdag" else SETTLED_SHARE


def constraints_for(options: LearnOptions, data: Dataset | Incomplete) -> Constraints | None:
    """Return what was said about the variables that are learned from, in their order; None for nothing."""
    given = options.constraints
    if given is None or given.is_trivial:
        return None
    return given if given.names == data.names else Constraints.from_description(data.names, given.describe())


def believed_of(
    edge: EdgeRecord, beliefs: Beliefs, constraints: Constraints | None, without: EdgeConfidence | None, n: int
) -> EdgeRecord:
    """Return an edge with its prior odds among n variables, and whether constraints leave the data a say in it."""
    first, second = edge.first, edge.second
    own = (beliefs.odds_of(first, second), beliefs.odds_of(second, first))
    general = beliefs.general_odds(n)
    ways = [way for way, odds in zip(((first, second), (second, first)), own, strict=True) if odds not in (None, 1)]
    return replace(
        edge,
        odds=(general if own[0] is None else own[0], general if own[1] is None else own[1]),
        has_own_odds=own != (None, None),
        odds_decided=constraints is not None and _decide(constraints, (first, second), ways),
        without_odds=None if without is None else without.pair(first, second),
    )


def _decide(constraints: Constraints, pair: tuple[str, str], ways: list[tuple[str, str]]) -> bool:
    """Whether constraints require an edge, or exclude all of some arcs, if only as one parent too many."""
    required = {frozenset(arc) for arc in constraints.required}
    if frozenset(pair) in required:
        return True

    def excluded(tail: str, head: str) -> bool:
        parents = constraints.required_parents(head)
        return tail in constraints.forbidden_parents(head) or len(parents) >= constraints.max_parents_of(head)

    return bool(ways) and all(excluded(tail, head) for tail, head in ways)


# Pairs with less confidence are left to the file of confidences; so are others, if there are more than these besides
# the edges above the cut-off: the floor then rises, and the report says to which confidence.
FLOOR = 0.01
MOST_PAIRS = 600
# What the prior does is described for pairs that are this likely, or in the network; not if there are more than this.
LEAST_DESCRIBED = 0.25
MOST_DESCRIBED = 1200
# Steck's curve is drawn at these equivalent sample sizes: four per power of ten.
ESS_POINTS: NDArray[np.float64] = np.logspace(-3, 5, 33)
# A table over the two variables and the other parents with more cells than this is not made for one edge.
MOST_CELLS = 200_000


def describe_edges(
    data: Dataset,
    sets: tuple[MethodResult, ...],
    origins: Origins,
    stacked: Dataset | None = None,
    *,
    with_priors: bool = True,
) -> tuple[EdgeRecord, ...]:
    """Describe every pair with a confidence above `FLOOR`, and all in the network, the most certain first.

    The first of the sets is the one that the answer rests on. Behind them stand the pairs that the analyst's words keep
    apart, if the data would have given them more than `FLOOR`: that they are not there is not the data's finding.
    `with_priors`: describe what the prior does to those that are likely, too; some milliseconds each, so that it is
    left out where there are more than `MOST_DESCRIBED` of them.
    `stacked` has all completions of data with gaps, of which `data` is one: counts are means over them.
    """
    main = sets[0].confidence
    assert main is not None
    order = main.to_frame(above=floor_of(main, origins.consensus.threshold))
    pairs = list(zip(order["first"].tolist(), order["second"].tolist(), strict=True))
    apart = {pair: origins.of(*pair).without for pair in (*origins.forbidden, *origins.gone) if pair not in pairs}
    missed = {pair: without.present for pair, without in apart.items() if without is not None}
    pairs += sorted((pair for pair, value in missed.items() if value > FLOOR), key=lambda pair: -missed[pair])
    least = LEAST_DESCRIBED if with_priors and len(pairs) <= MOST_DESCRIBED else math.inf
    return tuple(describe_edge(data, sets, origins, pair, stacked, least_described=least) for pair in pairs)


def floor_of(confidence: EdgeConfidence, threshold: float) -> float:
    """Return the confidence above which pairs are described: `FLOOR`, or more where there are very many."""
    described = confidence.vector[confidence.vector > FLOOR]
    values = np.sort(described[described <= threshold])[::-1]
    least = FLOOR if len(values) <= MOST_PAIRS else float(values[MOST_PAIRS])
    return min(least, threshold)


def with_methods(edges: tuple[EdgeRecord, ...], sets: tuple[MethodResult, ...]) -> tuple[EdgeRecord, ...]:
    """Return the same edges with what all of these sets of networks say about each."""
    return tuple(replace(edge, by_method=_by_method(sets, edge.first, edge.second)) for edge in edges)


def _by_method(sets: tuple[MethodResult, ...], first: str, second: str) -> tuple[tuple[str, float | None], ...]:
    return tuple(
        (s.title, None if s.confidence is None else 1.0 - s.confidence.pair(first, second).absent) for s in sets
    )


def describe_edge(
    data: Dataset,
    sets: tuple[MethodResult, ...],
    origins: Origins,
    pair: tuple[str, str],
    stacked: Dataset | None = None,
    *,
    least_described: float = 0.0,
) -> EdgeRecord:
    """Describe one pair, in the order of the data: its confidences, what the network made of it, and why.

    What the prior does is left out of pairs that are less likely than `least_described` and not in the network.
    """
    origin, consensus = origins.of(*pair), origins.consensus
    edge = consensus.by_pair.get(frozenset(pair))
    tail, head = (origin.tail, origin.head) if edge is None else (edge.tail, edge.head)
    why = "" if origins.withheld is None else origins.withheld.reason(tail, head)
    described = math.isfinite(least_described) and (edge is not None or origin.present >= least_described)
    return replace(
        origin,
        tail=tail,
        head=head,
        fate=Fate.BELOW if edge is None else edge.fate,
        withheld=why,
        without=None if origin.without is None else replace(origin.without, withheld=why),
        by_method=_by_method(sets, *pair),
        counts=_mean_counts(data if stacked is None else stacked, data, tail, head),
        prior=_prior(data, tail, head, consensus.dag) if described else None,
    )


def _mean_counts(stacked: Dataset, data: Dataset, tail: str, head: str) -> NDArray[np.int64]:
    """Count the pairs of states in one data set, or on average over stacked completions of it.

    Cases in which the head was set tell what the experimenter chose, not how it goes with the tail.
    """
    copies = stacked.n_cases // data.n_cases
    counts = contingency(stacked.cases_without(head), [data.index(tail), data.index(head)])
    return counts if copies == 1 else np.round(counts / copies).astype(np.int64)


def describe_arc(data: Dataset, dag: Dag, tail: str, head: str) -> EdgeRecord:
    """Describe tail -> head of a single network, about which there are no confidences: its effect and its prior."""
    first, second = sorted((tail, head), key=data.index)
    return EdgeRecord(
        first=first,
        second=second,
        tail=tail,
        head=head,
        fate=Fate.KEPT,
        counts=_mean_counts(data, data, tail, head),
        prior=_prior(data, tail, head, dag),
    )


def _prior(data: Dataset, tail: str, head: str, dag: Dag) -> EdgePrior | None:
    given = [name for name in dag.parents_of(head) if name != tail]
    cells = float(np.prod([float(data.arities[data.index(name)]) for name in (tail, head, *given)]))
    if cells > MOST_CELLS or data.cases_without(head).n_cases == 0:
        return None
    return edge_prior(data.independent(), child=head, parent=tail, given=given, ess=ESS_POINTS)


# A variable that is linked with at least one of several, though no single edge is established.
#
# Of causes that go together (weight, size, power), resampled data join a price now to one and now to another. Each edge
# alone is then uncertain, and a report of single edges says that the price has none. What is nearly certain is that one
# of them is there: the share of networks that have at least one. It is told only where the networks swap these edges
# for each other, that is, have one of them more often than edges with these shares would if they came and went alone.


# Edges below the first are in no set; a set that is this probable is told; it has at most so many edges.
LEAST_OF_SET, SURE_OF_SET, MOST_OF_SET = 0.1, 0.95, 4
UNSURE = (Verdict.PROBABLY, Verdict.OPEN, Verdict.UNLIKELY)
MOST_TRIED = 10  # edges of one variable of which sets are made
# If edges came and went alone, so many times as many networks would have none of the set.
SWAPPED = 2.0


def with_sets(
    edges: tuple[EdgeRecord, ...], networks: NetworkSet, worth: Callable[[Floats], Floats]
) -> tuple[EdgeRecord, ...]:
    """Return the edges with the sets of which at least one is nearly certain; `worth` makes shares probabilities.

    A set has the share of networks with one of its edges, or what that is worth if it is less: of few rows, shares are
    worth more than they are, since edges are missed. But where one edge stands for another, none is missed.
    Of two sets that share an edge, that with fewer edges is kept, then the surer one.
    """
    place = {name: v for v, name in enumerate(networks.names)}
    unsure: dict[str, list[EdgeRecord]] = {}
    for edge in edges:
        if edge.verdict in UNSURE and LEAST_OF_SET <= edge.real < SURE_OF_SET:
            for name in (edge.first, edge.second):
                unsure.setdefault(name, []).append(edge)
    found: list[tuple[int, float, str, tuple[EdgeRecord, ...]]] = []
    for name, every in unsure.items():
        own = sorted(every, key=lambda edge: -edge.present)[:MOST_TRIED]
        has = np.array([_has_edge(networks, place[edge.first], place[edge.second]) for edge in own])
        for size in range(2, min(MOST_OF_SET, len(own)) + 1):
            for some in combinations(range(len(own)), size):
                without = float(networks.weights @ ~has[list(some)].any(axis=0))
                alone = float(np.prod([1 - float(networks.weights @ has[k]) for k in some]))
                probability = min(1 - without, float(worth(np.array([1 - without]))[0]))
                if without * SWAPPED <= alone and probability >= SURE_OF_SET:
                    found.append((size, -probability, name, tuple(own[k] for k in some)))
    sets: dict[tuple[str, str], tuple[str, float]] = {}
    told: set[str] = set()
    for _, minus, name, own_set in sorted(found, key=lambda one: one[:3]):
        pairs = [(edge.first, edge.second) for edge in own_set]
        if name not in told and not any(pair in sets for pair in pairs):
            told.add(name)
            sets |= dict.fromkeys(pairs, (name, -minus))
    return tuple(
        replace(edge, one_of=sets[pair][0], one_of_probability=sets[pair][1])
        if (pair := (edge.first, edge.second)) in sets
        else edge
        for edge in edges
    )


def _has_edge(networks: NetworkSet, first: int, second: int) -> NDArray[np.bool_]:
    """Return which networks join two variables."""
    families, found = networks.families, np.zeros(networks.count, dtype=bool)
    for child, parent in ((first, second), (second, first)):
        begin, end = families.node_offsets[child : child + 2]
        starts = families.set_offsets[begin : end + 1]
        rows = np.repeat(np.arange(end - begin), np.diff(starts))
        has = np.zeros(end - begin, dtype=bool)
        has[rows[families.members[starts[0] : starts[-1]] == parent]] = True
        found |= has[networks.choices[:, child].astype(np.int64)]
    return found

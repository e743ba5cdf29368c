"""What is known about one edge: its confidence by several methods, its effect, and what the prior does to it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from arcwise.analysis.averaged import Averaged
from arcwise.analysis.edge_beliefs import EdgeBelief
from arcwise.analysis.origins import NOTHING_SAID, EdgeOrigin, Origin, Origins
from arcwise.confidence import EdgeConfidence, Fate
from arcwise.confidence.calibration.edge_probability import PairProbability
from arcwise.confidence.calibration.settled import is_settled
from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.graph import Dag
from arcwise.priors import EdgePrior, edge_prior
from arcwise.report.content.trust import HALF, Trust, trust_of
from arcwise.showing import one_screen

__all__ = [
    "FLOOR",
    "HALF",
    "MOST_DESCRIBED",
    "Agreement",
    "EdgeFinding",
    "describe_arc",
    "describe_edge",
    "describe_edges",
    "floor_of",
    "with_methods",
]

# Methods whose confidences are no further apart are said to agree.
CLOSE = 0.2


class Agreement(enum.StrEnum):
    """Whether other methods and scores say the same about an edge."""

    AGREE = "agree"  # all confidences are close to the main one
    DIFFER = "differ"  # some are further off, but on the same side of one half
    DISAGREE = "disagree"  # some find the edge likely, others not
    NOT_COMPARED = "not compared"


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


@one_screen
@dataclass(frozen=True, eq=False)
class EdgeFinding:
    """One pair of variables: in a report those with a confidence above `FLOOR`.

    Parameters
    ----------
    first, second
        The variables, in the order of the data.
    present, forward, backward, undirected, standard_error
        See `EdgeConfidence`; forward is first -> second.
    by_method
        The confidence by every method and score: (title, value), None where it was not computed.
    tail, head
        The arc that the consensus network has, or the more credible direction if it has none.
    fate
        What became of the edge.
    counts
        How many cases show each pair of states, without those in which `head` was set: rows are the states of `tail`,
        columns those of `head`.
    prior
        What the equivalent sample size does to tail -> head given the head's other parents.
    origin
        Whether it is the data's finding, or what the analyst said.
    belief
        What was believed about the pair, and its confidence without that; None if there were no prior odds.
    share_filled, between_completions
        The share of the cases in which a value of the two was filled in, and the standard deviation of the confidence
        between completions; None where there are none, or one for every network.
    probability
        How probable the edge and its directions are; None for a single network.
    """

    first: str
    second: str
    present: float
    forward: float
    backward: float
    undirected: float
    standard_error: float
    by_method: tuple[tuple[str, float | None], ...]
    tail: str
    head: str
    fate: Fate
    counts: NDArray[np.int64]
    prior: EdgePrior | None
    origin: EdgeOrigin = NOTHING_SAID
    belief: EdgeBelief | None = None
    share_filled: float = 0.0
    between_completions: float | None = None
    probability: PairProbability | None = None

    @property
    def split(self) -> tuple[float, float, float]:
        """If there is an edge, how likely it points first -> second, second -> first, or could do either; sums to 1.

        All are 0 for an edge that what was said leaves no network with: there is nothing to point.
        """
        if self.origin.kind is Origin.FORBIDDEN or (self.origin.kind is Origin.GONE and self.present <= 0):
            return 0.0, 0.0, 0.0
        if self.present <= 0:
            return 0.0, 0.0, 1.0
        return self.forward / self.present, self.backward / self.present, self.undirected / self.present

    @property
    def way(self) -> float:
        """The share of the networks with the edge that point it from `tail` to `head`."""
        return self.split[0 if self.tail == self.first else 1]

    @property
    def way_probability(self) -> float | None:
        """If there is an edge, how probably it points from `tail` to `head`; None where no study tells.

        Studies tell of what observations alone direct, not of what somebody said, believed or set.
        """
        if self.probability is None or self.origin.kind is not Origin.FOUND:
            return None
        return self.probability.studied(ahead=self.tail == self.first)

    @property
    def is_settled(self) -> bool:
        """Whether its direction, from `tail` to `head`, is settled."""
        return is_settled(self.way, self.way_probability)

    @property
    def is_settled_by_data(self) -> bool:
        """Whether the data settle the direction: nobody said it, or the data alone would say the same."""
        if not self.is_settled or self.origin.kind is Origin.BELIEVED:
            return False
        without = self.origin.without
        if self.origin.kind.is_directed_by_data or without is None:
            return self.origin.kind.is_directed_by_data
        return self.origin.kind.is_found and without.settles(ahead=self.tail == self.first)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest confidence over the methods that were computed."""
        known = [value for _, value in self.by_method if value is not None]
        return min(known), max(known)

    @property
    def agreement(self) -> Agreement:
        """Whether other methods and scores say the same: within 0.2, or at least on the same side of one half.

        What was required or forbidden is the same for all, so they are not asked.
        """
        others = [value for _, value in self.by_method[1:] if value is not None]
        if not others or self.origin.kind.is_decided:
            return Agreement.NOT_COMPARED
        if any((value > HALF) != (self.present > HALF) for value in others):
            return Agreement.DISAGREE
        close = all(abs(value - self.present) <= CLOSE + 1e-9 for value in others)
        return Agreement.AGREE if close else Agreement.DIFFER

    @property
    def trust(self) -> Trust:
        """What all methods together say about it."""
        return trust_of(self.present, self.agreement, [value for _, value in self.by_method])

    @property
    def information(self) -> float:
        """What the two tell about each other alone, in the data, in nats."""
        shares = self.counts / max(1, self.counts.sum())
        by_chance = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
        return float(rel_entr(shares, by_chance).sum())


def describe_edges(
    data: Dataset,
    sets: tuple[Averaged, ...],
    origins: Origins,
    stacked: Dataset | None = None,
    *,
    with_priors: bool = True,
) -> tuple[EdgeFinding, ...]:
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
    values = np.sort(confidence.vector[confidence.vector <= threshold])[::-1]
    least = FLOOR if len(values) <= MOST_PAIRS else max(FLOOR, float(values[MOST_PAIRS]))
    return min(least, threshold)


def with_methods(edges: tuple[EdgeFinding, ...], sets: tuple[Averaged, ...]) -> tuple[EdgeFinding, ...]:
    """Return the same edges with what all of these sets of networks say about each."""
    return tuple(replace(edge, by_method=_by_method(sets, edge.first, edge.second)) for edge in edges)


def _by_method(sets: tuple[Averaged, ...], first: str, second: str) -> tuple[tuple[str, float | None], ...]:
    return tuple(
        (s.title, None if s.confidence is None else 1.0 - s.confidence.pair(first, second).absent) for s in sets
    )


def describe_edge(
    data: Dataset,
    sets: tuple[Averaged, ...],
    origins: Origins,
    pair: tuple[str, str],
    stacked: Dataset | None = None,
    *,
    least_described: float = 0.0,
) -> EdgeFinding:
    """Describe one pair, in the order of the data: its confidences, what the network made of it, and why.

    What the prior does is left out of pairs that are less likely than `least_described` and not in the network.
    """
    first, second = pair
    main, consensus = sets[0].confidence, origins.consensus
    assert main is not None
    edge = consensus.by_pair.get(frozenset(pair))
    i, j = data.index(first), data.index(second)
    forward, backward = float(main.directed[i, j]), float(main.directed[j, i])
    tail, head = (second, first) if backward > forward else (first, second)
    if edge is not None:
        tail, head = edge.tail, edge.head
    return EdgeFinding(
        first=first,
        second=second,
        present=float(main.present[i, j]),
        forward=forward,
        backward=backward,
        undirected=float(main.undirected[i, j]),
        standard_error=float(main.standard_error[i, j]),
        by_method=_by_method(sets, first, second),
        tail=tail,
        head=head,
        fate=Fate.BELOW if edge is None else edge.fate,
        counts=_mean_counts(data if stacked is None else stacked, data, tail, head),
        prior=_prior(data, tail, head, consensus.dag)
        if math.isfinite(least_described) and (edge is not None or float(main.present[i, j]) >= least_described)
        else None,
        origin=origins.of(first, second),
        share_filled=0.0 if main.filled is None else float(main.filled[i, j]),
        between_completions=None if main.spread is None else float(main.spread[i, j]),
        probability=main.probability.pair(first, second),
    )


def _mean_counts(stacked: Dataset, data: Dataset, tail: str, head: str) -> NDArray[np.int64]:
    """Count the pairs of states in one data set, or on average over stacked completions of it.

    Cases in which the head was set tell what the experimenter chose, not how it goes with the tail.
    """
    copies = stacked.n_cases // data.n_cases
    counts = contingency(stacked.cases_without(head), [data.index(tail), data.index(head)])
    return counts if copies == 1 else np.round(counts / copies).astype(np.int64)


def describe_arc(data: Dataset, dag: Dag, tail: str, head: str) -> EdgeFinding:
    """Describe tail -> head of a single network, about which there are no confidences: its effect and its prior."""
    first, second = sorted((tail, head), key=data.index)
    return EdgeFinding(
        first=first,
        second=second,
        present=math.nan,
        forward=math.nan,
        backward=math.nan,
        undirected=math.nan,
        standard_error=math.nan,
        by_method=(),
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
    return edge_prior(data, child=head, parent=tail, given=given, ess=ESS_POINTS)

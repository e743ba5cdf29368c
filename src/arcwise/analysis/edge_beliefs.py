"""What was believed about an edge, what the data say without it, and whether the two contradict each other."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.edge_confidence import PairConfidence
from arcwise.graph import Beliefs, Constraints
from arcwise.showing import one_screen

__all__ = ["EdgeBelief", "Verdict", "believed_of"]

HALF = 0.5


class Verdict(enum.StrEnum):
    """What the data, without the prior odds, say about what was believed."""

    AGREE = "agrees"
    CONTRADICT = "contradicted"
    DECIDED = "not tested: your constraint decides"
    NOT_ASKED = "no odds of its own"
    NOT_KNOWN = "not compared"


@one_screen
@dataclass(frozen=True, eq=False)
class EdgeBelief:
    """The prior odds of a pair, and the confidence in its edge without any.

    Parameters
    ----------
    forward, backward
        The odds of first -> second and of second -> first.
    own
        Whether the pair has odds of its own, not only those of every edge.
    without
        The confidence without prior odds; None if it was not computed.
    decided
        Whether a constraint requires the edge, or excludes every arc that the odds are about.
    """

    forward: float
    backward: float
    own: bool
    without: PairConfidence | None
    decided: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether the data agree.

        Odds above 1 are contradicted if the data alone give the arcs that they favour no more than one half: edges that
        could be turned count for either. Odds below 1 are contradicted if the data alone give the arcs that they
        disfavour more than one half, against any direction: an edge that could be turned does not count against one
        direction alone.
        """
        if not self.own:
            return Verdict.NOT_ASKED
        if self.decided:
            return Verdict.DECIDED
        if self.without is None:
            return Verdict.NOT_KNOWN
        known = self.without
        ways = ((self.forward, known.forward), (self.backward, known.backward))
        wanted = [share for odds, share in ways if odds > 1]
        unwanted = [share for odds, share in ways if odds < 1]
        if wanted and sum(wanted) + known.undirected <= HALF:
            return Verdict.CONTRADICT
        turned = known.undirected if len(unwanted) == 2 else 0.0
        if unwanted and sum(unwanted) + turned > HALF:
            return Verdict.CONTRADICT
        return Verdict.AGREE


def believed_of(
    beliefs: Beliefs, constraints: Constraints | None, without: EdgeConfidence | None, pair: tuple[str, str], n: int
) -> EdgeBelief:
    """Return what was believed about a pair of the n variables, and whether constraints leave the data a say in it."""
    first, second = pair
    own = (beliefs.odds_of(first, second), beliefs.odds_of(second, first))
    general = beliefs.general_odds(n)
    ways = [way for way, odds in zip((pair, (second, first)), own, strict=True) if odds not in (None, 1)]
    return EdgeBelief(
        forward=general if own[0] is None else own[0],
        backward=general if own[1] is None else own[1],
        own=own != (None, None),
        without=None if without is None else without.pair(first, second),
        decided=constraints is not None and _decide(constraints, pair, ways),
    )


def _decide(constraints: Constraints, pair: tuple[str, str], ways: list[tuple[str, str]]) -> bool:
    """Say whether constraints require an edge, or exclude all of some arcs, if only as one parent too many."""
    required = {frozenset(arc) for arc in constraints.required}
    if frozenset(pair) in required:
        return True

    def excluded(tail: str, head: str) -> bool:
        parents = constraints.required_parents(head)
        return tail in constraints.forbidden_parents(head) or len(parents) >= constraints.max_parents_of(head)

    return bool(ways) and all(excluded(tail, head) for tail, head in ways)

"""What was believed about an edge, what the data say without it, and whether the two contradict each other."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.edge_confidence import PairConfidence
from arcwise.graph import Beliefs
from arcwise.showing import one_screen

__all__ = ["EdgeBelief", "Verdict", "believed_of"]

HALF = 0.5


class Verdict(enum.StrEnum):
    """What the data, without the prior odds, say about what was believed."""

    AGREE = "agrees"
    CONTRADICT = "contradicted"
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
    """

    forward: float
    backward: float
    own: bool
    without: PairConfidence | None

    @property
    def directs(self) -> bool:
        """Whether the odds prefer a direction that the data alone leave open."""
        if self.forward == self.backward:
            return False
        return self.without is None or self.without.undirected > HALF * self.without.present

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
    beliefs: Beliefs, names: tuple[str, ...], without: EdgeConfidence | None, first: str, second: str
) -> EdgeBelief:
    """Return what was believed about a pair of the variables."""
    own = (beliefs.odds_of(first, second), beliefs.odds_of(second, first))
    general = beliefs.general_odds(len(names))
    return EdgeBelief(
        forward=general if own[0] is None else own[0],
        backward=general if own[1] is None else own[1],
        own=own != (None, None),
        without=None if without is None else without.pair(first, second),
    )

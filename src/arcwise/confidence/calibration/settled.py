"""When a direction is settled: one rule for all that say so.

Nine tenths of the networks may agree on a direction that is wrong: with few cases they agree on what the sample happens
to show. So a direction counts by its probability where a study tells it, and 95 in 100 such directions are right, in
each family of worlds that the study had not seen (docs/benchmarks/calibration.md). Where no study tells it, because
confidences are taken for probabilities or because what was said, believed or set has a part in the direction, it
counts by the share of the networks.
"""

from __future__ import annotations

__all__ = ["SETTLED_PROBABILITY", "SETTLED_SHARE", "is_settled"]

SETTLED_PROBABILITY = 0.95
SETTLED_SHARE = 0.9


def is_settled(share: float, probability: float | None) -> bool:
    """Say whether a direction is settled.

    Parameters
    ----------
    share
        The share of the networks with the edge that point it this way.
    probability
        How often it points this way, if there is an edge; None if no study tells.

    >>> is_settled(0.92, None), is_settled(0.92, 0.9), is_settled(0.99, 0.96)
    (True, False, True)
    """
    return share >= SETTLED_SHARE if probability is None else probability >= SETTLED_PROBABILITY

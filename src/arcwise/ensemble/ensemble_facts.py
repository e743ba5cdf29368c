"""What every ensemble says about how it was found, whether its networks are listed or only summed up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arcwise.limits import Status
from arcwise.showing import one_screen

__all__ = ["EnsembleFacts"]


@one_screen
@dataclass(frozen=True, eq=False, kw_only=True)
class EnsembleFacts:
    """The optimum, the slack, the status and where the networks come from.

    Parameters
    ----------
    opt
        The score of the optimal network, NaN if not known.
    slack
        For a credible set: every network with score >= opt - slack is meant; NaN otherwise.
    status
        COMPLETE if nothing is missing from what was asked for, else the limit that was reached.
    max_parents
        The parent limit of the table that the networks come from; complete then means complete for that limit.
    tolerance
        How far below the limit a network may lie and still count, for ties in floating-point numbers.
    score
        The score's name and parameters, as in `ParentSetTable.score`.
    data_digest
        The digest of the data, None if not known.
    facts
        Further facts that JSON can hold (seed, replicates, seconds, ...); they are saved with the set.
    """

    opt: float = float("nan")
    slack: float = float("nan")
    status: Status = Status.COMPLETE
    max_parents: int | None = None
    tolerance: float = 0.0
    score: Mapping[str, Any] = field(default_factory=dict)
    data_digest: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True if no network that was asked for is missing."""
        return self.status is Status.COMPLETE

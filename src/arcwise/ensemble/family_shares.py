"""The families of a credible set with their shares, from the sums over its diagram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arcwise.ensemble.diagram.credible_diagram import DiagramSums
from arcwise.ensemble.families import Families

__all__ = ["family_shares", "no_shares"]


def no_shares(families: Families) -> dict[str, Any]:
    """Return the same of nothing: what a summary holds whose sums were not finished."""
    empty = np.empty(0)
    nothing = families.take(np.empty(0, dtype=np.int64))
    return {"families": nothing, "count": 0, "posterior": empty, "equal": empty, "log_mass": math.nan}


def family_shares(families: Families, sums: DiagramSums) -> dict[str, Any]:
    """Return the families that occur, with their shares by posterior and by number, and the sums."""
    if not sums.count:
        return no_shares(families)
    used = np.flatnonzero(np.array([count > 0 for count in sums.row_counts]))
    return {
        "families": families.take(used),
        "count": sums.count,
        "posterior": np.minimum(sums.row_masses[used] / math.exp(sums.log_mass), 1.0),
        "equal": np.array([sums.row_counts[row] / sums.count for row in used.tolist()]),
        "log_mass": sums.log_mass,
    }

"""Gross et al. (2019): a cut-off from a model of how often an arc occurs by chance, 1/3 + sqrt(2 / M).

Between two variables there are three states: no arc, an arc one way, an arc the other way. If nothing were known, each
would hold in a third of the M networks; sqrt(2 / M) is what chance may add (Liao 2022, section 5.4, p. 65). The rule is
made for directed arcs; for undirected edges its authors use the same value.
"""

from __future__ import annotations

import math

from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError

__all__ = ["gross_threshold"]


def gross_threshold(n_networks: int) -> Threshold:
    """Return 1/3 + sqrt(2 / M) for M networks; below 5 networks it exceeds 1, and no edge is significant."""
    if n_networks < 1:
        raise OptionError(f"Gross's rule needs the number of networks, at least 1; got {n_networks}.")
    return Threshold(
        value=1 / 3 + math.sqrt(2 / n_networks),
        rule="gross",
        assumes="without dependence, no arc and both directions are equally frequent in independent networks",
        details={"networks": float(n_networks)},
    )

"""`to_arviz`: sampled networks, such as bootstrap replicates, for ArviZ."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import OptionError

__all__ = ["edge_draws", "to_arviz"]


def to_arviz(networks: NetworkSet) -> Any:
    """Return networks that were drawn, one by one, as ``arviz.InferenceData``; needs ArviZ (``arcwise[arviz]``).

    The group is one chain with a draw per network: `score`, and for every pair of variables that some network joins and
    some does not, whether it does, as "a - b". Replicates of a bootstrap are independent, so that ArviZ's means and
    standard errors are those of the confidences. Chains have a method of their own: `ChainPosterior.to_arviz`.
    """
    try:
        import arviz as az
    except ImportError:
        raise OptionError("ArviZ is not installed: pip install arviz, or pip install 'arcwise[arviz]'.") from None
    if np.ptp(networks.log_weights) > 1e-9:
        raise OptionError(
            "ArviZ takes draws that count the same, and these networks have weights of their own. Draw from them "
            "first: CredibleSet.sample."
        )
    return az.from_dict(posterior={name: values[None] for name, values in edge_draws(networks).items()})


def edge_draws(networks: NetworkSet) -> dict[str, NDArray[Any]]:
    """Return, for each network, its score ("score") and whether it joins the pairs ("a - b") that not all do alike."""
    found: dict[str, NDArray[Any]] = {"score": networks.scores}
    starts, tuples = networks.families.node_offsets, networks.families.parent_tuples
    for i, j in itertools.combinations(range(networks.n_variables), 2):
        joined = np.zeros(len(networks), dtype=bool)
        for child, parent in ((i, j), (j, i)):
            own = np.array(
                [parent in tuples[row] for row in range(int(starts[child]), int(starts[child + 1]))], dtype=bool
            )
            joined |= own[networks.choices[:, child]]
        if joined.any() and not joined.all():
            found[f"{networks.names[i]} - {networks.names[j]}"] = joined
    return found

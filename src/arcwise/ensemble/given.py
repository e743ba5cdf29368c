"""What users have at hand, as an ensemble: a posterior stands for the networks that are drawn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.ensemble.network_summary import Ensemble
from arcwise.errors import OptionError
from arcwise.mentions import Call, Remedy

if TYPE_CHECKING:
    from arcwise.ensemble.chains.chain_posterior import ChainPosterior
    from arcwise.ensemble.exact_posterior import ExactPosterior
    from arcwise.ensemble.posterior import Posterior

__all__ = ["as_ensemble"]


def as_ensemble(networks: Ensemble | Posterior | ExactPosterior | ChainPosterior, *, seed: int = 0) -> Ensemble:
    """Return networks as they are; of a posterior, those of its chains, or 10,000 draws where it was summed.

    `seed` is that of these draws. Anything else is refused with what it could be.
    """
    from arcwise.ensemble.chains.chain_posterior import ChainPosterior
    from arcwise.ensemble.exact_posterior import ExactPosterior
    from arcwise.ensemble.posterior import EXACT_DRAWS, Posterior

    if isinstance(networks, Posterior):
        return networks.networks(seed=seed)
    if isinstance(networks, ExactPosterior):
        return networks.sample(EXACT_DRAWS, seed=seed)
    if isinstance(networks, ChainPosterior):
        return networks.networks()
    if not hasattr(networks, "arc_probabilities"):  # a method of every ensemble
        finders = [Call(name) for name in ("find_credible", "find_posterior", "bootstrap_networks")]
        raise OptionError(
            f"{type(networks).__name__} is no set of networks.",
            remedies=Remedy("give what", finders[0], ",", finders[1], "or", finders[2], "returns"),
        )
    return networks

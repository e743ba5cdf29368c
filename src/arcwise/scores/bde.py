"""BDe: the likelihood-equivalent Bayesian Dirichlet score with a prior network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.scores.bdeu import ESS
from arcwise.scores.dirichlet import log_marginal_likelihood
from arcwise.scores.facts import DILUTED, Counts, Facts, Parameter
from arcwise.scores.prior_network import PriorNetwork, family_joint
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Bde"]

# Up to this many cells the whole joint distribution is handed to the core; beyond, the core asks per family.
DENSE_CELLS = 2**20


@dataclass(frozen=True)
class Bde(Score):
    """BD with alpha_jk = ess p(x_i = k, P = j | prior network).

    Parameters
    ----------
    prior
        What is believed before the data: any object with the method ``joint_probabilities(variables)``, e.g. a
        `BayesianNetwork`, a `JointPrior` or a `UniformPrior` (which makes it BDeu).
    ess
        The equivalent sample size: how many imaginary cases the prior is worth.
    """

    name: ClassVar[str] = "bde"
    FACTS: ClassVar[Facts] = Facts(
        title="BDe",
        in_words="Bayesian Dirichlet equivalent, with a prior network",
        sources=(Citation("heckerman-1995"), Citation("ueno-2012", "eqs. (5) and (6)")),
        equivalent=True,
        log_bayes_factor=True,
        regular=False,
        bound="no probability exceeds one",
        irregular=DILUTED,
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (ESS,)

    prior: PriorNetwork | None = None
    ess: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.prior, PriorNetwork):
            raise OptionError(
                "score 'bde' needs prior=, an object with the method joint_probabilities(variables): "
                "a Bayesian network, a JointPrior or a UniformPrior. Without prior knowledge use 'bdeu'."
            )

    @property
    def title(self) -> str:
        """The score with the kind of its prior, not its digest: "BDe (prior UniformPrior, ess 1)"."""
        return f"{self.facts.title} (prior {type(self.prior).__name__}, ess {self.ess:g})"

    def describe(self) -> dict[str, Any]:
        """Return the name and the parameters, with the kind of the prior and, where it has one, its digest."""
        kind, digest = type(self.prior).__name__, getattr(self.prior, "digest", None)
        return {"name": self.name, "prior": kind if digest is None else f"{kind}:{digest}", "ess": self.ess}

    def identity(self) -> dict[str, Any]:
        """Return `describe`, which tells two priors apart if they have a digest.

        Raises
        ------
        OptionError
            If the prior is an object without one: work that is kept could be resumed with another prior.
        """
        if getattr(self.prior, "digest", None) is None:
            raise OptionError(
                f"work with the score 'bde' can be kept and resumed only if its prior can be recognised; a "
                f"{type(self.prior).__name__} has no property digest. Give it one (a text that differs for different "
                "priors), or use a JointPrior or a UniformPrior."
            )
        return self.describe()

    def alphas(self, data: Dataset, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        """Return ess p(x_i = k, P = j), one row per configuration."""
        assert self.prior is not None
        return self.ess * family_joint(self.prior, data, [*parents, child]).reshape(-1, int(data.arities[child]))

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return BD with the given hyperparameters, see `alphas`."""
        if alphas is None:
            raise OptionError("score 'bde' needs the hyperparameters of the family, see Bde.alphas.")
        return log_marginal_likelihood(counts, alphas)

    def bound(self, counts: Counts) -> float:
        """Return 0."""
        return 0.0

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score. With a prior of more than 2^20 cells it calls the prior once per family."""
        from arcwise import _core

        prior = self.prior
        assert prior is not None
        if math.prod(data.arities.tolist()) <= DENSE_CELLS:
            joint = family_joint(prior, data, range(data.n_variables))
            return _core.scores.make_bde(data.n_cases, self.ess, joint[None, :], np.ones(1), data.arities, 0)
        return _core.scores.make_bde_of_function(
            data.n_cases, self.ess, lambda child, parents: family_joint(prior, data, [*parents, child])
        )

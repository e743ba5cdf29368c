"""Bayesian Dirichlet (BD) scores: the marginal likelihood of a family under Dirichlet priors.

K2, BDJ and BD have the same hyperparameter in every cell; BDeu and BDe divide an equivalent sample size among the
cells; averaged, min- and max-BDeu say how far that choice matters; qBDJ is the quotient of two marginal likelihoods.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.base.errors import OptionError
from arcwise.data.dataset import Dataset
from arcwise.scores.prior_network import PriorNetwork, family_joint
from arcwise.scores.score import DILUTED, QUOTIENT_LIMITS, Counts, Facts, Parameter, Score, two_way

ESS = Parameter("ess", "the equivalent sample size")
# Up to this many cells the whole joint distribution is handed to the core; beyond, the core asks per family.
DENSE_CELLS = 2**20

Average = Literal["log", "family", "configuration"]
# In the order of the native enumeration.
AVERAGES = ("log", "family", "configuration")


def log_marginal_likelihood(counts: Counts, alphas: float | NDArray[np.float64]) -> float:
    """Return BD for any hyperparameters alpha_jk > 0, a number or an array of the shape of `counts`.

    sum_j [lnG(a_j) - lnG(a_j + n_j)] + sum_jk [lnG(a_jk + n_jk) - lnG(a_jk)], with a_j = sum_k a_jk.
    """
    alpha = np.broadcast_to(np.asarray(alphas, dtype=np.float64), counts.shape)
    return math.fsum(_rises(alpha, counts)) - math.fsum(_rises(alpha.sum(axis=1), counts.sum(axis=1)))


def _rises(alpha: NDArray[np.float64], counts: Counts) -> NDArray[np.float64]:
    """Return lnG(alpha + n) - lnG(alpha) where n > 0; alpha = 0 gives minus infinity there."""
    from scipy.special import gammaln

    seen = counts > 0
    result: NDArray[np.float64] = gammaln(alpha[seen] + counts[seen]) - gammaln(alpha[seen])
    return result


def _constant_alpha(title: str, in_words: str, *sources: Citation) -> Facts:
    """Return the facts of BD with the same hyperparameter in every cell."""
    return Facts(
        title=title,
        in_words=in_words,
        sources=sources,
        equivalent=False,
        log_bayes_factor=True,
        regular=True,
        bound="the family with a configuration of its own for every cell",
        asymmetric=two_way(((3, 1), (0, 2))),
    )


@dataclass(frozen=True)
class Bd(Score):
    """BD with alpha_jk = alpha in every cell; 1 gives K2 and 1/2 gives BDJ."""

    name = "bd"
    kernel = "make_bd"
    FACTS = _constant_alpha("BD", "Bayesian Dirichlet score with constant alpha", Citation("heckerman-1995"))
    parameters = (Parameter("alpha", "the hyperparameter of every cell"),)

    alpha: float = 1.0


@dataclass(frozen=True)
class K2(Score):
    """BD with alpha_jk = 1: every conditional distribution equally likely a priori."""

    name = "k2"
    FACTS = _constant_alpha("K2", "K2", Citation("cooper-1992"))

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return Bd(alpha=1.0).native(data)


@dataclass(frozen=True)
class Bdj(Score):
    """BD with Jeffreys' prior, alpha_jk = 1/2: regular, but not score-equivalent (Liao 2022, section 4.2)."""

    name = "bdj"
    FACTS = _constant_alpha(
        "BDJ", "BD with Jeffreys' prior", Citation("suzuki-2017"), Citation("liao-2022", "section 4.2")
    )

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return Bd(alpha=0.5).native(data)


@dataclass(frozen=True)
class Qbdj(Score):
    """qBDJ = f(S) - f(P): Jeffreys' marginal likelihood of child and parents over that of the parents.

    f(T) = lnG(\\|T\\|/2) - lnG(\\|T\\|/2 + N) + sum over cells of lnG(n + 1/2) - lnG(1/2). No parameter.
    """

    name = "qbdj"
    kernel = "make_qbdj"
    FACTS = Facts(
        title="qBDJ",
        in_words="quotient BD with Jeffreys' prior",
        sources=(Citation("suzuki-kawahara-2017"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        log_bayes_factor=False,
        asymptotic=True,
        regular=True,
        bound="the configurations' part is at most 0, and the penalty grows with q",
        number_of_cases="N of both parts: the cases in which the variable was not set",
    )


@dataclass(frozen=True)
class Bdeu(Score):
    """BD with alpha_jk = ess / (q r); the equivalent sample size weighs the prior against the data."""

    name = "bdeu"
    kernel = "make_bdeu"
    FACTS = Facts(
        title="BDeu",
        in_words="Bayesian Dirichlet equivalent uniform",
        sources=(Citation("heckerman-1995"), Citation("buntine-1991")),
        equivalent=True,
        log_bayes_factor=True,
        regular=False,
        bound="the first case of every cell that occurs has probability at most 1/r",
        irregular=DILUTED,
    )
    parameters = (ESS,)

    ess: float = 1.0


@dataclass(frozen=True)
class BdeuAveraged(Score):
    """The average of BDeu over a grid of equivalent sample sizes.

    Silander, Kontkanen & Myllymäki (2007) average over 1, 2, ..., 100; Cano et al. (2011) over a few sizes far below
    and far above 1, each parent configuration on its own.

    Parameters
    ----------
    grid
        The equivalent sample sizes, all > 0, equally weighted.
    average
        What is averaged. ``"log"``: the log scores; the score stays equivalent. ``"family"``: the likelihoods of the
        family, that is, a uniform prior over the grid for each family. ``"configuration"``: the likelihoods of each
        parent configuration, that is, a uniform prior over the grid for each configuration (locally averaged BD).
    """

    name = "bdeu_averaged"
    FACTS = Facts(
        title="averaged BDeu",
        in_words="BDeu averaged over equivalent sample sizes",
        sources=(Citation("silander-2007"), Citation("cano-2011"), Citation("ueno-2012", "section 1")),
        equivalent=True,
        log_bayes_factor=False,
        regular=False,
        bound="BDeu's bound, which holds for every sample size",
        irregular=DILUTED,
    )

    grid: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)
    average: Average = "log"

    def __post_init__(self) -> None:
        values = np.ravel(self.grid).tolist()  # one number will do for a grid of one
        if not values:
            raise OptionError(f"score '{self.name}': grid=() has no sample size; give at least one, e.g. grid=(1, 10).")
        for value in values:
            ESS.check(self.name, value)
        object.__setattr__(self, "grid", tuple(float(value) for value in values))
        if self.average not in AVERAGES:
            known = ", ".join(repr(known) for known in AVERAGES)
            raise OptionError(f"score '{self.name}': average={self.average!r} must be one of {known}.")

    @property
    def facts(self) -> Facts:
        """What is known of the score: averaging likelihoods gives a Bayes factor and costs the equivalence."""
        if self.average == "log" or len(self.grid) == 1:
            return self.FACTS
        return dataclasses.replace(
            self.FACTS, equivalent=False, log_bayes_factor=True, asymmetric=two_way(((9, 1), (0, 4)))
        )

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return _core.scores.make_averaged_bdeu(data.n_cases, list(self.grid), AVERAGES.index(self.average))


@dataclass(frozen=True)
class MinBdeu(Score):
    """BDeu with, in each configuration, the prior of the contamination set that makes the data least likely.

    With beta = ess / q, the set holds all alpha_jk >= beta (1 - epsilon) / r that sum to beta. The worst puts all of
    the free mass, beta epsilon, on the state seen least. Gives sparser networks in small samples (Scanagatta et al.).
    """

    name = "min_bdeu"
    kernel = "make_min_bdeu"
    FACTS = Facts(
        title="min-BDeu",
        in_words="BDeu under the worst prior",
        sources=(Citation("scanagatta-2014", "section 3"),),
        equivalent=False,
        log_bayes_factor=False,
        regular=False,
        bound="no more than BDeu, so BDeu's bound holds",
        asymmetric=two_way(((3, 1), (0, 2))),
        irregular=DILUTED,
    )
    parameters = (
        ESS,
        Parameter("epsilon", "the size of the contamination", low=0, high=1, low_allowed=True),
    )

    ess: float = 1.0
    epsilon: float = 0.5

    def worst_prior(self, counts: Counts) -> NDArray[np.float64]:
        """Return the hyperparameters at which the minimum is attained."""
        q, r = counts.shape
        beta = self.ess / q
        alphas = np.full(counts.shape, beta * (1 - self.epsilon) / r)
        alphas[np.arange(q), counts.argmin(axis=1)] += beta * self.epsilon
        return alphas


@dataclass(frozen=True)
class MaxBdeu(Score):
    """BDeu with, in each configuration, the prior of the contamination set that makes the data most likely.

    With beta = ess / q, the set holds all alpha_jk >= beta (1 - epsilon) / r that sum to beta. The best is the solution
    of a concave problem, see `best_prior`. Finds more of the true edges in small samples (Scanagatta et al.).
    """

    name = "max_bdeu"
    kernel = "make_max_bdeu"
    FACTS = Facts(
        title="max-BDeu",
        in_words="BDeu under the best prior",
        sources=(Citation("scanagatta-2014", "section 3"),),
        equivalent=False,
        log_bayes_factor=False,
        regular=False,
        bound="the first case of every cell that occurs has probability at most epsilon + (1 - epsilon) / r",
        asymmetric=two_way(((3, 1), (0, 2))),
        irregular=DILUTED,
    )
    parameters = (
        ESS,
        Parameter("epsilon", "the size of the contamination", low=0, high=1, low_allowed=True, high_allowed=True),
    )

    ess: float = 1.0
    epsilon: float = 0.5

    def best_prior(self, counts: Counts) -> NDArray[np.float64]:
        """Return the hyperparameters at which the maximum is attained.

        The objective sum_k [lnG(alpha_k + n_k) - lnG(alpha_k)] is concave, its slopes are
        psi(alpha_k + n_k) - psi(alpha_k). So at the optimum one multiplier equals the slope of every state above its
        lower end, and no slope at a lower end exceeds it. A state that does not occur has slope 0 and stays at its
        lower end. Here by bisection on the inverse of the multiplier, for all configurations at once.
        """
        from scipy.special import psi

        q, r = counts.shape
        beta = self.ess / q
        low, free = beta * (1 - self.epsilon) / r, beta * self.epsilon
        seen = counts > 0
        states = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        even = np.broadcast_to(low + free / states, counts.shape)
        # At the smallest inverse slope of the even split no alpha exceeds its share; at the largest none is below it.
        levels = 1 / np.where(seen, psi(even + counts) - psi(even), 1.0)
        left = np.where(seen, levels, np.inf).min(axis=1, keepdims=True)
        right = np.where(seen, levels, 0.0).max(axis=1, keepdims=True)
        solution = even
        for _ in range(60):
            level = np.where(np.isfinite(left), (left + right) / 2, 1.0)
            solution = _alpha_at_level(counts, level, low, solution)
            enough = np.where(seen, solution, low).sum(axis=1, keepdims=True) >= beta
            left, right = np.where(enough, left, level), np.where(enough, level, right)
        alphas = np.where(seen, solution, low)
        # What rounding leaves over goes to the largest; near the optimum that costs only its square.
        alphas[np.arange(q), alphas.argmax(axis=1)] += beta - alphas.sum(axis=1)
        return alphas


def _alpha_at_level(
    counts: Counts, level: NDArray[np.float64], low: float, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the alpha >= low with 1 / (psi(alpha + n) - psi(alpha)) = level, or low if there is none.

    By Newton's method: 1 / slope is concave and increasing in alpha, so the steps settle from the left of the root.
    """
    from scipy.special import polygamma, psi

    alpha = np.maximum(start, low)
    n = np.maximum(counts, 1)
    for _ in range(50):
        inverse = 1 / (psi(alpha + n) - psi(alpha))
        rate = inverse**2 * (polygamma(1, alpha) - polygamma(1, alpha + n))
        step = (level - inverse) / rate
        following = np.maximum(alpha + step, low if low > 0 else alpha / 2)
        settled = np.abs(following - alpha) <= 1e-15 * alpha
        alpha = following
        if settled.all():
            break
    return alpha


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

    name = "bde"
    own_alphas = True
    FACTS = Facts(
        title="BDe",
        in_words="Bayesian Dirichlet equivalent, with a prior network",
        sources=(Citation("heckerman-1995"), Citation("ueno-2012", "eqs. (5) and (6)")),
        equivalent=True,
        log_bayes_factor=True,
        regular=False,
        bound="no probability exceeds one",
        irregular=DILUTED,
    )
    parameters = (ESS,)

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

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score. With a prior of more than 2^20 cells it calls the prior once per family."""
        prior = self.prior
        assert prior is not None
        if math.prod(data.arities.tolist()) <= DENSE_CELLS:
            joint = family_joint(prior, data, range(data.n_variables))
            return _core.scores.make_bde(data.n_cases, self.ess, joint[None, :], np.ones(1), data.arities, 0)
        return _core.scores.make_bde_of_function(
            data.n_cases, self.ess, lambda child, parents: family_joint(prior, data, [*parents, child])
        )

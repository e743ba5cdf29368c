"""Bayesian Dirichlet (BD) scores: the marginal likelihood of a family under Dirichlet priors.

K2, BDJ and BD have the same hyperparameter in every cell; BDeu and BDe divide an equivalent sample size among the
cells; averaged, min- and max-BDeu say how far that choice matters; qBDJ is the quotient of two marginal likelihoods;
NIP-BDe and expected log-BDe average over hypothetical structures.
"""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.base.errors import DataError, OptionError, suggestion
from arcwise.base.showing import one_screen
from arcwise.counts import contingency
from arcwise.data.checks import refuse_targets
from arcwise.data.dataset import Dataset
from arcwise.graph.classes import class_keys_from_masks
from arcwise.graph.dag import Dag
from arcwise.graph.random_dags import all_parent_masks, count_dags, uniform_dag
from arcwise.scores.score import (
    DILUTED,
    QUOTIENT_LIMITS,
    THREE_WAY,
    Counts,
    Facts,
    Parameter,
    Score,
    check_cases,
    families_of,
    family_counts,
    two_way,
)

MAX_CELLS = 2**24  # 128 MB of doubles
ALIKE = tuple(2.0**k for k in range(13))  # how alike sites may be, in cases, from hardly to as one


@runtime_checkable
class PriorNetwork(Protocol):
    """A joint distribution over named variables, such as a Bayesian network."""

    def joint_probabilities(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """Return the probabilities of all combinations of states of `variables`, one axis each, in the order given."""
        ...


@one_screen
@dataclass(frozen=True)
class UniformPrior:
    """All combinations of states equally likely, for variables with these numbers of states: BDe with it is BDeu."""

    arities: Mapping[str, int]

    @classmethod
    def of(cls, data: Dataset) -> UniformPrior:
        """Return the uniform prior over the variables of a data set."""
        return cls(dict(zip(data.names, data.arities.tolist(), strict=True)))

    def joint_probabilities(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """Return the same probability for every combination."""
        shape = tuple(self.arities[name] for name in variables)
        return np.full(shape, 1 / math.prod(shape))

    @property
    def digest(self) -> str:
        """SHA-256 of the names and their numbers of states."""
        return hashlib.sha256(repr(sorted(self.arities.items())).encode()).hexdigest()


class JointPrior:
    """A joint distribution given as a table: the probabilities of all combinations of states, an axis per name."""

    def __init__(self, names: Sequence[str], table: NDArray[np.float64]) -> None:
        self.names = tuple(names)
        self.table = np.array(table, dtype=np.float64)
        self.table.flags.writeable = False
        if self.table.ndim != len(self.names):
            raise OptionError(f"a joint prior over {len(self.names)} variables needs a table with as many axes.")
        if not (self.table >= 0).all() or not math.isclose(self.table.sum(), 1.0, rel_tol=1e-9):
            raise OptionError(f"a joint prior needs probabilities >= 0 with the sum 1, not {self.table.sum():g}.")

    def joint_probabilities(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """Return the marginal of `variables`, by summing the others out."""
        axes = [self.names.index(name) for name in variables]
        others = tuple(axis for axis in range(len(self.names)) if axis not in axes)
        kept = sorted(axes)
        marginal: NDArray[np.float64] = np.transpose(self.table.sum(axis=others), [kept.index(axis) for axis in axes])
        return marginal

    @property
    def digest(self) -> str:
        """SHA-256 of names and probabilities."""
        content = repr((self.names, self.table.shape)).encode() + self.table.astype("<f8").tobytes()
        return hashlib.sha256(content).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointPrior) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def family_joint(prior: PriorNetwork, data: Dataset, variables: Sequence[int]) -> NDArray[np.float64]:
    """Return the prior's joint probabilities of some variables of the data, flat, the first varying slowest."""
    shape = tuple(int(data.arities[v]) for v in variables)
    names = [data.names[v] for v in variables]
    if math.prod(shape) > MAX_CELLS:
        raise OptionError(
            f"score 'bde': the prior's joint over {len(names)} variables has {math.prod(shape):,} cells; "
            f"at most {MAX_CELLS:,} are computed. Limit the number of parents."
        )
    try:
        joint = np.asarray(prior.joint_probabilities(names), dtype=np.float64)
    except (KeyError, ValueError) as error:
        raise DataError(f"score 'bde': the prior gives no joint of {', '.join(names)} ({error}).") from error
    if joint.shape != shape:
        raise DataError(
            f"score 'bde': the prior's joint of {', '.join(names)} has the shape {joint.shape}, the data {shape}; "
            "the prior must have the states of the data, in the same order."
        )
    for axis, v in enumerate(variables):
        joint = joint.take(_order_of_states(prior, data, v), axis=axis)
    return np.ascontiguousarray(joint).ravel()


def _order_of_states(prior: PriorNetwork, data: Dataset, variable: int) -> list[int]:
    """Return where a prior has each state of a variable of the data; priors that do not name states have the same."""
    name, wanted = data.names[variable], data.states[variable]
    names, states = getattr(prior, "names", ()), getattr(prior, "states", None)
    own = list(wanted) if states is None else list(states[names.index(name)])
    if sorted(own) != sorted(wanted):
        raise DataError(
            f"score 'bde': '{name}' has the states {', '.join(wanted)} in the data, and {', '.join(own)} in the prior. "
            "Code the data with the states of the prior."
        )
    return [own.index(state) for state in wanted]


ESS = Parameter("ess", "the equivalent sample size")
# Up to this many cells the whole joint distribution is handed to the core; beyond, the core asks per family.
DENSE_CELLS = 2**20

Average = Literal["log", "family", "configuration"]  # in the order of the native enumeration
AVERAGES = get_args(Average)


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
    kernel = "make_bd"
    constants = (1.0,)
    FACTS = _constant_alpha("K2", "K2", Citation("cooper-1992"))


@dataclass(frozen=True)
class Bdj(Score):
    """BD with Jeffreys' prior, alpha_jk = 1/2: regular, but not score-equivalent (Liao 2022, section 4.2)."""

    name = "bdj"
    kernel = "make_bd"
    constants = (0.5,)
    FACTS = _constant_alpha(
        "BDJ", "BD with Jeffreys' prior", Citation("suzuki-2017"), Citation("liao-2022", "section 4.2")
    )


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
        asymptotic=True,
        regular=True,
        bound="the configurations' part is at most 0, and the penalty grows with q",
        number_of_cases="N of both parts: the rows in which the variable was not set",
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
        bound="the first row of every cell that occurs has probability at most 1/r",
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


EPSILON = Parameter("epsilon", "the size of the contamination", low=0, high=1, low_allowed=True)


def _contaminated(title: str, in_words: str, bound: str) -> Facts:
    """Return the facts of BDeu under one prior of a contamination set."""
    return Facts(
        title=title,
        in_words=in_words,
        sources=(Citation("scanagatta-2014", "section 3"),),
        equivalent=False,
        regular=False,
        bound=bound,
        asymmetric=two_way(((3, 1), (0, 2))),
        irregular=DILUTED,
    )


@dataclass(frozen=True)
class ContaminatedBdeu(Score):
    """BDeu under a prior that each configuration chooses from a contamination set.

    With beta = ess / q, the set holds all alpha_jk >= beta (1 - epsilon) / r that sum to beta.
    """

    ess: float = 1.0
    epsilon: float = 0.5


@dataclass(frozen=True)
class MinBdeu(ContaminatedBdeu):
    """BDeu with, in each configuration, the prior of the contamination set that makes the data least likely.

    The worst puts all of the free mass, beta epsilon, on the state seen least. Gives sparser networks in small samples
    (Scanagatta et al.).
    """

    name = "min_bdeu"
    kernel = "make_min_bdeu"
    FACTS = _contaminated("min-BDeu", "BDeu under the worst prior", "no more than BDeu, so BDeu's bound holds")
    parameters = (ESS, EPSILON)


@dataclass(frozen=True)
class MaxBdeu(ContaminatedBdeu):
    """BDeu with, in each configuration, the prior of the contamination set that makes the data most likely.

    The best is the solution of a concave problem (`best_prior` of the studies). Finds more of the true edges in small
    samples (Scanagatta et al.).
    """

    name = "max_bdeu"
    kernel = "make_max_bdeu"
    FACTS = _contaminated(
        "max-BDeu",
        "BDeu under the best prior",
        "the first row of every cell that occurs has probability at most epsilon + (1 - epsilon) / r",
    )
    parameters = (ESS, dataclasses.replace(EPSILON, high_allowed=True))


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
        """Return `describe`, which tells two priors apart if they have a digest; others are refused.

        Work that is kept could be resumed with another prior.
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


@dataclass(frozen=True)
class Bhd(Score):
    """The marginal likelihood where rows come from sites, whose tables are alike and not the same.

    In each site the joint distribution of a variable and its parents is drawn from a Dirichlet distribution around what
    the sites share, and that from one of the sample size `ess`. The score is g(P + i) - g(P), where g(T) is the
    variational bound on the marginal likelihood of the columns T, given the site if T contains it.

    Parameters
    ----------
    site
        The variable that says which site a row is from.
    ess
        The equivalent sample size of what the sites share.
    alike
        How many cases that is worth in each site: much where sites are alike. `of` finds it.
    """

    name = "bhd"
    FACTS = Facts(
        title="BHD",
        in_words="Bayesian hierarchical Dirichlet, of rows from several sites",
        sources=(Citation("azzimonti-2022"), Citation("azzimonti-2019")),
        equivalent=True,
        log_bayes_factor=True,
        regular=None,
        bound="",
    )
    parameters = (ESS, Parameter("alike", "how many rows what the sites share is worth in each"))

    site: str | None = None
    ess: float = 1.0
    alike: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.site, str):
            raise OptionError("score 'bhd' needs site=, the column that says which site a row is from.")

    @classmethod
    def of(cls, data: Dataset, site: str) -> Bhd:
        """Return the score with the `alike`, of powers of two, under which all pairs of columns are likeliest."""
        place = data.index(site)
        others = [v for v in range(data.n_variables) if v != place]
        families = [(v, (place,)) for v in others] + [(v, (place, w)) for v in others for w in others if w < v]

        def likelihood(alike: float) -> float:
            return float(cls(site, alike=alike).score_families(data, families).sum())

        return cls(site, alike=max(ALIKE, key=likelihood))

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        assert self.site is not None
        if self.site not in data.names:
            raise DataError(f"score 'bhd': {suggestion('column of sites', self.site, data.names)}")
        return _core.scores.make_hierarchical(
            data.n_effective,
            np.asarray(data.arities, dtype=np.int32),
            data.names.index(self.site),
            self.ess,
            self.alike,
        )


# Scores averaged over hypothetical structures (Ueno & Uto 2012): NIP-BDe and expected log-BDe.
#
# Each structure gives a prior network, estimated from the data. A hypothetical structure g^h has the parameters of
# their eq. (10), theta_jk = (n_jk + 1/(r q)) / (n_j + 1/q). With the smoothed frequencies f(T) = (n_T + 1/|T|) / (N +
# 1) of variable sets, theta is f(S) / f(P), and the joint distribution of g^h is a product of quotients f(S_i) /
# f(P_i). Markov equivalent structures have the same joint distribution: an average over all 29,281 DAGs of five
# variables is one over 8,782 classes, weighted by their sizes.


EXACT_VARIABLES = 5  # 29,281 DAGs; six variables have 3,781,503
LOCAL_VARIABLES = 12  # 2,048 hypothetical parent sets of a variable
MAX_SAMPLED_CELLS = 2**27  # a gigabyte of doubles

Structures = Literal["auto", "all", "sample", "local"]
STRUCTURES = get_args(Structures)
Masks = NDArray[np.uint64]
"""Structures, shape (structures, variables): bit p of entry v is set if p is a parent of v."""


@lru_cache(maxsize=8)
def all_structures(variables: int) -> tuple[Masks, NDArray[np.float64]]:
    """Return one DAG of each equivalence class as parent masks, and the class sizes as weights."""
    masks = np.array(list(all_parent_masks(variables)), dtype=np.uint64)
    keys = class_keys_from_masks(masks, progress=False)
    _, first, sizes = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return masks[first], sizes / sizes.sum()


@lru_cache(maxsize=8)
def sampled_structures(variables: int, size: int, seed: int) -> Masks:
    """Draw DAGs uniformly, as parent masks."""
    rng = np.random.default_rng(seed)
    return np.array([uniform_dag(variables, rng).parent_masks for _ in range(size)], dtype=np.uint64)


def smoothed_joints(data: Dataset, masks: Masks) -> NDArray[np.float64]:
    """Return the joint distribution of each structure, one row each, with the parameters of eq. (10).

    By logarithms: each row is the sum of log f(S_i) - log f(P_i), so a block of rows is a matrix of coefficients
    (structures x variable sets) times a matrix of logarithms (variable sets x cells).
    """
    n = data.n_variables
    shape = tuple(data.arities.tolist())
    cells = math.prod(shape)
    joints = np.empty((len(masks), cells))
    block = max(1, 2**23 // (2 * n * cells))
    own = np.uint64(1) << np.arange(n, dtype=np.uint64)
    for start in range(0, len(masks), block):
        parents = masks[start : start + block]
        sets, place = np.unique(np.concatenate([parents | own, parents], axis=1), return_inverse=True)
        place = place.reshape(len(parents), 2 * n)
        logs = np.stack([_log_smoothed(data, int(mask), shape).ravel() for mask in sets])
        coefficients = np.zeros((len(parents), len(sets)))
        rows = np.arange(len(parents))
        for v in range(n):
            np.add.at(coefficients, (rows, place[:, v]), 1.0)
            np.add.at(coefficients, (rows, place[:, n + v]), -1.0)
        joints[start : start + block] = np.exp(coefficients @ logs)
    return joints


def _log_smoothed(data: Dataset, mask: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return log f(T) for a variable set, spread over the cells of all variables."""
    members = [v for v in range(data.n_variables) if mask >> v & 1]
    counts = contingency(data, members)
    logs = np.log((counts + 1 / counts.size) / (data.n_cases + 1))
    spread = [shape[v] if mask >> v & 1 else 1 for v in range(data.n_variables)]
    return np.broadcast_to(logs.reshape(spread), shape)


def marginals(joints: NDArray[np.float64], data: Dataset, variables: Sequence[int]) -> NDArray[np.float64]:
    """Return the marginals of some variables from joint distributions over all, one row each, first varying slowest."""
    table = joints.reshape(len(joints), *data.arities.tolist())
    others = tuple(v + 1 for v in range(data.n_variables) if v not in variables)
    kept = sorted(variables)
    ordered = np.transpose(table.sum(axis=others), [0, *(1 + kept.index(v) for v in variables)])
    return ordered.reshape(len(joints), -1)


@one_screen
@dataclass(frozen=True, slots=True)
class Estimate:
    """An average over hypothetical structures: its value, its standard error (0 if all were used) and their number."""

    value: float
    standard_error: float
    structures: int


@dataclass(frozen=True)
class HypotheticalScore(Score, abc.ABC):
    """BDe averaged over hypothetical structures.

    Parameters
    ----------
    ess
        The equivalent sample size.
    structures
        Over what is averaged. ``"all"``: every DAG (up to 5 variables). ``"sample"``: DAGs drawn uniformly; `estimate`
        gives the standard error. ``"local"``: the parent sets of the child (Algorithm 1), for which no joint
        distribution over all variables is needed. ``"auto"``: all up to 5 variables, else a sample.
    samples
        How many DAGs are drawn.
    seed
        The seed of the draw: the same in every call, so that scores are comparable.
    hypothetical_parents
        The largest hypothetical parent set of the local form; None for all, up to 12 variables.
    """

    parameters = (
        ESS,
        Parameter("samples", "the number of structures drawn", low=1, low_allowed=True, whole=True),
        Parameter("seed", "the seed of the draw", low=0, low_allowed=True, whole=True),
    )
    own_alphas = True
    mixture: ClassVar[int]  # of the native enumeration Mixture

    ess: float = 1.0
    structures: Structures = "auto"
    samples: int = 1000
    seed: int = 0
    hypothetical_parents: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.structures not in STRUCTURES:
            known = ", ".join(repr(known) for known in STRUCTURES)
            raise OptionError(f"score '{self.name}': structures={self.structures!r} must be one of {known}.")
        largest = self.hypothetical_parents
        if largest is not None and largest < 0:
            raise OptionError(f"score '{self.name}': hypothetical_parents={largest} must be >= 0, or None for all.")

    @abc.abstractmethod
    def combine(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
        """Return the average of log BDe values, one per structure; without weights all count the same."""

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        if self._kind(data) == "local":
            rows, inverse = np.unique(data.codes.T, axis=0, return_inverse=True)
            weights = np.zeros(len(rows), dtype=np.int64)
            np.add.at(weights, inverse.ravel(), 1 if data.weights is None else data.weights)
            codes = np.ascontiguousarray(rows.T, dtype=np.uint32)
            return _core.scores.make_local_hypotheses(
                self.ess, codes, weights, data.arities, self._largest(data), self.mixture
            )
        joints, weights_of = self._hypotheses(data)
        return _core.scores.make_bde(data.n_cases, self.ess, joints, weights_of, data.arities, self.mixture)

    def estimate_family(self, data: Dataset, child: int, parents: Sequence[int] = ()) -> Estimate:
        """Return the local score with its standard error."""
        return self._estimate(data, [(child, parents)])

    def estimate_network(self, data: Dataset, dag: Dag) -> Estimate:
        """Return the average over structures of the log score (or the likelihood) of a whole network, and its error.

        For expected log-BDe (eq. 12) this is the sum of the local scores. For NIP-BDe it is Definition 1, eq. (9), and
        not a sum of local scores: the same hypothetical structure holds for all families.
        """
        if self._kind(data) == "local":
            raise OptionError(f"score '{self.name}': the local form averages per family; use score_network.")
        return self._estimate(data, families_of(data, dag))

    def _estimate(self, data: Dataset, families: Sequence[tuple[int, Sequence[int]]]) -> Estimate:
        refuse_targets(check_cases(data), "the estimate with its standard error")
        if self._kind(data) == "local":
            ((child, parents),) = families
            sets = sum(math.comb(data.n_variables - 1, size) for size in range(self._largest(data) + 1))
            return Estimate(self.score_family(data, child, parents), 0.0, sets)
        joints, weights = self._hypotheses(data)
        values = np.zeros(len(joints))
        for child, parents in families:
            ordered = sorted(parents)
            values += self._bd_values(data, child, ordered, marginals(joints, data, [*ordered, child]))
        if self._kind(data) == "all":
            return Estimate(self.combine(values, weights), 0.0, count_dags(data.n_variables))
        return Estimate(self.combine(values), self.standard_error(values), len(values))

    @abc.abstractmethod
    def standard_error(self, values: NDArray[np.float64]) -> float:
        """Return the standard error of `combine` for values of independently drawn structures."""

    def _kind(self, data: Dataset) -> str:
        kind = self.structures
        if kind == "auto":
            kind = "all" if data.n_variables <= EXACT_VARIABLES else "sample"
        if kind == "all" and data.n_variables > EXACT_VARIABLES:
            raise OptionError(
                f"score '{self.name}': all DAGs over {data.n_variables} variables are too many to average over, "
                f"at most {EXACT_VARIABLES} variables are. Use structures='sample' or structures='local'."
            )
        cells = math.prod(data.arities.tolist()) if kind != "local" else 0
        number = len(all_structures(data.n_variables)[0]) if kind == "all" else self.samples
        if cells * number > MAX_SAMPLED_CELLS:
            raise OptionError(
                f"score '{self.name}': {number:,} joint distributions over {cells:,} cells do not fit; their product "
                f"may be {MAX_SAMPLED_CELLS:,} at most. Use fewer samples or structures='local'."
            )
        return kind

    def _largest(self, data: Dataset) -> int:
        others = data.n_variables - 1
        if self.hypothetical_parents is None and data.n_variables > LOCAL_VARIABLES:
            raise OptionError(
                f"score '{self.name}': a variable among {data.n_variables} has 2^{others} hypothetical parent sets. "
                "Set hypothetical_parents, e.g. to 2."
            )
        return others if self.hypothetical_parents is None else min(self.hypothetical_parents, others)

    def _hypotheses(self, data: Dataset) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._kind(data) == "all":
            masks, weights = all_structures(data.n_variables)
        else:
            masks = sampled_structures(data.n_variables, self.samples, self.seed)
            weights = np.full(self.samples, 1 / self.samples)
        return smoothed_joints(data, masks), weights

    def _bd_values(
        self, data: Dataset, child: int, parents: Sequence[int], joints: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return log BDe of a family under each joint distribution of parents and child, one row each."""
        from scipy.special import gammaln

        counts = family_counts(data, child, parents)
        seen = counts.sum(axis=1) > 0
        n, a = counts[seen], self.ess * joints.reshape(len(joints), *counts.shape)[:, seen]
        cells = np.where(n > 0, gammaln(a + n) - gammaln(a), 0.0).sum(axis=(1, 2))
        total = a.sum(axis=2)
        values: NDArray[np.float64] = cells + (gammaln(total) - gammaln(total + n.sum(axis=1))).sum(axis=1)
        return values


@dataclass(frozen=True)
class NipBde(HypotheticalScore):
    """The logarithm of the mean BDe likelihood of a family over hypothetical structures (non-informative prior BDe).

    Definition 1 averages the likelihood of the whole network, which is not a sum over families and so fits no search
    by local scores; `estimate_network` gives it. The score itself averages each family on its own.
    """

    name = "nip_bde"
    FACTS = Facts(
        title="NIP-BDe",
        in_words="non-informative prior BDe, averaged per family",
        sources=(Citation("ueno-2012", "Definition 1"),),
        equivalent=False,
        log_bayes_factor=True,
        regular=None,
        bound="no probability exceeds one",
        asymmetric=THREE_WAY,
        number_of_cases="N and the hypothetical distributions: the rows in which the variable was not set",
    )
    mixture = 1

    def combine(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
        """Return the logarithm of the mean of the likelihoods."""
        from scipy.special import logsumexp

        if weights is None:
            return float(logsumexp(values) - math.log(len(values)))
        return float(logsumexp(values, b=weights))

    def standard_error(self, values: NDArray[np.float64]) -> float:
        """Return the standard error of the logarithm, by the delta method."""
        if len(values) < 2:
            return math.inf
        likelihoods = np.exp(values - values.max())
        return float(np.std(likelihoods, ddof=1) / math.sqrt(len(values)) / likelihoods.mean())


@dataclass(frozen=True)
class ExpectedLogBde(HypotheticalScore):
    """The mean of log BDe over hypothetical structures (Definition 2): a prior that favours no structure.

    BDeu's answer depends on the equivalent sample size because its prior believes in uniform distributions; here the
    sample size weighs priors of all shapes. Averaged over structures the score is equivalent and decomposable.
    """

    name = "expected_log_bde"
    FACTS = Facts(
        title="expected log-BDe",
        in_words="expected log-BDe over hypothetical structures",
        sources=(Citation("ueno-2012", "Definition 2 and Algorithm 1"),),
        equivalent=True,
        regular=None,
        bound="no probability exceeds one",
        number_of_cases="N and the hypothetical distributions: the rows in which the variable was not set",
    )
    mixture = 0

    @property
    def facts(self) -> Facts:
        """What is known of the score: the local form is not equivalent."""
        if self.structures == "local":
            return dataclasses.replace(self.FACTS, equivalent=False, asymmetric=THREE_WAY)
        return self.FACTS

    def combine(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
        """Return the mean."""
        return float(np.average(values, weights=weights))

    def standard_error(self, values: NDArray[np.float64]) -> float:
        """Return the standard error of the mean."""
        return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf

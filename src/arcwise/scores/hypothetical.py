"""Scores averaged over hypothetical structures (Ueno & Uto 2012): NIP-BDe and expected log-BDe.

Each structure gives a prior network, estimated from the data. A hypothetical structure g^h has the parameters of their
eq. (10), theta_jk = (n_jk + 1/(r q)) / (n_j + 1/q). With the smoothed frequencies f(T) = (n_T + 1/|T|) / (N + 1) of
variable sets, theta is f(S) / f(P), and the joint distribution of g^h is a product of quotients f(S_i) / f(P_i). Markov
equivalent structures have the same joint distribution: an average over all 29,281 DAGs of five variables is one over
8,782 classes, weighted by their sizes.
"""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.base.errors import OptionError
from arcwise.base.showing import one_screen
from arcwise.counts import contingency
from arcwise.data.checks import refuse_targets
from arcwise.data.dataset import Dataset
from arcwise.graph.classes import class_keys_from_masks
from arcwise.graph.dag import Dag
from arcwise.graph.random_dags import all_parent_masks, count_dags, uniform_dag
from arcwise.scores.dirichlet import ESS
from arcwise.scores.score import THREE_WAY, Facts, Parameter, Score, check_cases, families_of, family_counts

EXACT_VARIABLES = 5  # 29,281 DAGs; six variables have 3,781,503
LOCAL_VARIABLES = 12  # 2,048 hypothetical parent sets of a variable
MAX_CELLS = 2**27

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
        ordered = sorted(parents)
        return self._estimate(data, [(child, ordered)])

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
        if cells * number > MAX_CELLS:
            raise OptionError(
                f"score '{self.name}': {number:,} joint distributions over {cells:,} cells do not fit; their product "
                f"may be {MAX_CELLS:,} at most. Use fewer samples or structures='local'."
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
        number_of_cases="N and the hypothetical distributions: the cases in which the variable was not set",
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
        log_bayes_factor=False,
        regular=None,
        bound="no probability exceeds one",
        number_of_cases="N and the hypothetical distributions: the cases in which the variable was not set",
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

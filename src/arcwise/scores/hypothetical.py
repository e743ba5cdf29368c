"""Scores averaged over hypothetical structures (Ueno & Uto 2012): what NIP-BDe and expected log-BDe share."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.data.targets import refuse_targets
from arcwise.errors import OptionError
from arcwise.graph import Dag, count_dags
from arcwise.scores.bdeu import ESS
from arcwise.scores.facts import Counts, Parameter
from arcwise.scores.hypothetical_structures import (
    all_structures,
    every_structure,
    local_joints,
    marginals,
    sampled_structures,
    smoothed_joints,
)
from arcwise.scores.score import Score, check_cases, families_of, family_counts
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Estimate", "HypotheticalScore"]

EXACT_VARIABLES = 5  # 29,281 DAGs; six variables have 3,781,503
LOCAL_VARIABLES = 12  # 2,048 hypothetical parent sets of a variable
MAX_CELLS = 2**27

Structures = Literal["auto", "all", "sample", "local"]
STRUCTURES = ("auto", "all", "sample", "local")


@one_screen
@dataclass(frozen=True, slots=True)
class Estimate:
    """An average over hypothetical structures: its value, its standard error (0 if all were used) and their number."""

    value: float
    standard_error: float
    structures: int


@dataclass(frozen=True)
class HypotheticalScore(Score):
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

    parameters: ClassVar[tuple[Parameter, ...]] = (
        ESS,
        Parameter("samples", "the number of structures drawn", low=1, low_allowed=True, whole=True),
        Parameter("seed", "the seed of the draw", low=0, low_allowed=True, whole=True),
    )
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

    def alphas(self, data: Dataset, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        """Return ess p(x_i = k, P = j | g^h), shape (structures, q, r), without the shortcut by equivalence classes."""
        arity = int(data.arities[child])
        if self._kind(data) == "local":
            joints = local_joints(data, child, parents, self._largest(data))
        elif self._kind(data) == "all":
            joints = smoothed_joints(data, every_structure(data.n_variables))
        else:
            joints = smoothed_joints(data, sampled_structures(data.n_variables, self.samples, self.seed))
        if self._kind(data) != "local":
            joints = marginals(joints, data, [*parents, child])
        return self.ess * joints.reshape(len(joints), -1, arity)

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return the average of BD over the given hyperparameters, see `alphas`."""
        if alphas is None:
            raise OptionError(f"score '{self.name}' needs the hyperparameters of each structure, see alphas.")
        return self.combine(_bd_values(counts, alphas))

    def bound(self, counts: Counts) -> float:
        """Return 0."""
        return 0.0

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

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
            values = _bd_values(family_counts(data, child, parents), self.alphas(data, child, parents))
            return Estimate(self.combine(values), 0.0, len(values))
        joints, weights = self._hypotheses(data)
        values = np.zeros(len(joints))
        for child, parents in families:
            ordered = sorted(parents)
            joint = marginals(joints, data, [*ordered, child])
            alphas = self.ess * joint.reshape(len(joints), -1, int(data.arities[child]))
            values += _bd_values(family_counts(data, child, ordered), alphas)
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


def _bd_values(counts: Counts, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return BD for each row of hyperparameters, shape (structures, q, r)."""
    from scipy.special import gammaln

    seen = counts.sum(axis=1) > 0
    n, a = counts[seen], alphas[:, seen]
    cells = np.where(n > 0, gammaln(a + n) - gammaln(a), 0.0).sum(axis=(1, 2))
    total = a.sum(axis=2)
    values: NDArray[np.float64] = cells + (gammaln(total) - gammaln(total + n.sum(axis=1))).sum(axis=1)
    return values

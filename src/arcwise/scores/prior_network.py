"""Prior networks for BDe: anything that gives joint probabilities, and two that need no network."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import DataError, OptionError
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset

MAX_CELLS = 2**24


@runtime_checkable
class PriorNetwork(Protocol):
    """A joint distribution over named variables, such as a Bayesian network."""

    def joint_probabilities(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """Return the probabilities of all combinations of states of `variables`, one axis each, in the order given."""
        ...


@one_screen
@dataclass(frozen=True)
class UniformPrior:
    """All combinations of states equally likely: BDe with it is BDeu.

    Parameters
    ----------
    arities
        The number of states of each variable.
    """

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
    """A joint distribution given as a table.

    Parameters
    ----------
    names
        One name per axis of the table.
    table
        Probabilities of all combinations of states: not negative, with the sum 1.
    """

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
    return np.ascontiguousarray(joint).ravel()

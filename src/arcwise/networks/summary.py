"""`NetworkSummary`: a set of networks that is counted and averaged exactly without being listed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import finite_or_none, read_array_file, write_array_file
from arcwise.base.errors import FormatError, UnfinishedError
from arcwise.base.run import Status
from arcwise.networks.families import Families
from arcwise.networks.network_list import Weighting, check_weighting
from arcwise.networks.origin import EnsembleFacts, describe_completeness, fields_of
from arcwise.networks.recipe import Origin

if TYPE_CHECKING:
    pass


KIND = "arcwise-summary 1"


@dataclass(frozen=True, eq=False)
class NetworkSummary(EnsembleFacts):
    """The exact count of a set of networks and the exact share of each family, without the networks themselves.

    It works for sets of any size (`count` is a Python integer) and offers what `NetworkSet` offers for averaging.

    Parameters
    ----------
    posterior, equal
        For every row of `families`, the share of the networks with this family, with weights proportional to
        exp(score) and with equal weights.
    log_mass
        The log of the sum of exp(score - opt) over the networks.
    class_count
        The number of equivalence classes (of `fixed`, where pairs are fixed), or None if not counted.

    The other fields are those of `NetworkSet` and `EnsembleFacts`.
    """

    names: tuple[str, ...]
    families: Families
    count: int
    posterior: NDArray[np.float64]
    equal: NDArray[np.float64]
    origin: Origin
    log_mass: float = float("nan")
    class_count: int | None = None

    @classmethod
    def unfinished(cls, names: tuple[str, ...], status: Status) -> NetworkSummary:
        """Return what is left of a set that a limit stopped: its status."""
        nothing = np.empty(0)
        return cls(
            names, Families.from_sets([[] for _ in names]), 0, nothing, nothing, Origin("credible"), status=status
        )

    def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return the share of every family; by default with posterior weights.

        Raises
        ------
        UnfinishedError
            If a limit stopped the work before there was a share.
        """
        weights = weights or "posterior"
        check_weighting(weights)
        if self.count == 0 and not self.complete:
            raise UnfinishedError(
                f"the networks were not summed up ({self.status}), so there are no probabilities. Raise the limit."
            )
        return self.posterior if weights == "posterior" else self.equal

    def __repr__(self) -> str:
        state = describe_completeness(self.status, self.max_parents, self.n_variables)
        return f"NetworkSummary({self.count:,} networks over {self.n_variables} variables, {self.origin}, {state})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the summary to a compact checksummed file."""
        self.families.assert_obey(self.obeyed, self.equal > 0)
        facts = {
            "names": list(self.names),
            "count": str(self.count),
            "origin": self.origin,
            "log_mass": finite_or_none(self.log_mass),
            "class_count": None if self.class_count is None else str(self.class_count),
            **self.describe(),
        }
        write_array_file(path, KIND, facts, {**self.families.arrays, "posterior": self.posterior, "equal": self.equal})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NetworkSummary:
        """Read a summary that `save` wrote, and check it."""
        facts, arrays = read_array_file(path, KIND)
        nan = float("nan")
        try:
            families = Families(arrays["node_offsets"], arrays["set_offsets"], arrays["members"])
            made = cls(
                names=tuple(str(name) for name in facts["names"]),
                families=families,
                count=int(facts["count"]),
                posterior=arrays["posterior"],
                equal=arrays["equal"],
                log_mass=nan if facts["log_mass"] is None else float(facts["log_mass"]),
                class_count=None if facts["class_count"] is None else int(facts["class_count"]),
                **fields_of(facts),
            )
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise FormatError(f"{path}: the summary cannot be read ({error!r}). Write the file again.") from error
        families.check(str(path), made.names)
        for values in (made.posterior, made.equal):
            if values.shape != (families.n_rows,) or not ((values >= 0) & (values <= 1 + 1e-9)).all():
                raise FormatError(f"{path}: the shares of the families are not numbers between 0 and 1, one for each.")
        return made.check_known(str(path))

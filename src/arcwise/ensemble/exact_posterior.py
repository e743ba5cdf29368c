"""The exact posterior over all DAGs, and how much of it a credible set holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.families import Families, arc_frame
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.errors import GuaranteeError, OptionError
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument, Call, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExactPosterior", "exact_posterior"]

LARGEST = 20


@one_screen
@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """Posterior probabilities of all families and arcs, summed over every DAG with a uniform structure prior.

    Parameters
    ----------
    log_total
        The log of the sum of exp(score) over all DAGs: the log marginal likelihood up to the number of DAGs.
    probabilities
        For every row of `families`, the posterior probability of this family.
    defect
        How far the families of a node (or the sets of its descendants) were from summing to one, at most: the
        numerical error.
    paths
        If asked for, the matrix of the posterior probabilities of a directed path from p to c, at [p, c].
    """

    names: tuple[str, ...]
    families: Families
    probabilities: NDArray[np.float64]
    log_total: float
    defect: float
    status: Status
    max_parents: int | None = None
    paths: NDArray[np.float64] | None = None

    @property
    def complete(self) -> bool:
        """True unless a limit stopped the sum; the probabilities are then empty."""
        return self.status is Status.COMPLETE

    def arc_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the posterior probabilities of the arcs p -> c, at [p, c]."""
        return self.families.arc_shares(self.probabilities)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per arc that any network has, with its probability, the likeliest first."""
        return arc_frame(self.names, self.arc_probabilities())

    def covered_by(self, networks: NetworkSet | NetworkSummary) -> float:
        """Return the posterior probability of a set of networks: how much of the posterior it holds."""
        if networks.names != self.names:
            raise OptionError("the networks and the posterior have different variables.")
        if isinstance(networks, NetworkSummary):
            log_mass = networks.opt + networks.log_mass
        else:
            top = float(networks.scores.max())
            log_mass = top + math.log(float(np.exp(networks.scores - top).sum()))
        return math.exp(min(0.0, log_mass - self.log_total))


def exact_posterior(
    table: ParentSetTable,
    *,
    paths: bool = False,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> ExactPosterior:
    """Sum over all DAGs: the exact posterior probability of every family and arc, under a uniform structure prior.

    O(n 3^n) operations for all families together (Tian and He 2009, in reverse mode); about 16 variables in seconds,
    at most 20. The posterior of paths takes 4^n operations more: 14 variables in seconds, 16 in a minute.

    Parameters
    ----------
    table
        All parent sets: built with ``slack=math.inf``, or a table that is vouched for (`ParentSetTable.vouched`). With
        a parent limit the sum is over the DAGs within it.
    paths
        Find the posterior probability of every directed path as well: that p is an ancestor of c.
    limits
        A time limit shows in `status`.

    Raises
    ------
    GuaranteeError
        If parent sets were pruned: their weight would be missing.
    """
    if table.n_variables > LARGEST:
        raise OptionError(
            f"the exact posterior takes 3^n steps and works for up to {LARGEST} variables; the table has "
            f"{table.n_variables}. Average over a credible set instead: count_credible."
        )
    if table.slack != math.inf:
        raise GuaranteeError(
            f"the exact posterior needs a table with all parent sets (slack inf); this one has {table.slack:.4g}.",
            remedies=Remedy(
                "rebuild it with", Call("build_parent_sets", Argument("slack", math.inf, shown="math.inf"))
            ),
        )
    from arcwise import _core

    arrays = (table.node_offsets, table.scores, table.set_offsets, table.members)
    n, matrix = table.n_variables, None
    deadline = Deadline.of(limits)
    with show_progress(progress) as callback:
        code, log_total, probabilities, defect = _core.ensemble.sum_all_dags(
            *arrays, deadline.seconds_left, native_callback(callback, "exact posterior")
        )
        if paths and not code:
            code, flat, missed = _core.ensemble.sum_paths_of_all_dags(
                *arrays, deadline.seconds_left, native_callback(callback, "exact posterior of paths")
            )
            matrix, defect = (flat.reshape(n, n) if not code else None), max(defect, missed)
    return ExactPosterior(
        names=table.names,
        families=Families(table.node_offsets, table.set_offsets, table.members),
        probabilities=probabilities,
        log_total=log_total,
        defect=defect,
        status=Status.from_native(code),
        max_parents=table.max_parents,
        paths=matrix,
    )

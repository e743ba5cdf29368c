"""`Optimum`: the best network with its proof, and the checks that it has to pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.data import Dataset
from arcwise.errors import DataError
from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable

__all__ = ["PROOF_TOLERANCE", "Optimum", "check_against_data"]

# Absolute, in units of the score (natural log). A search stops when nothing better by more than this can exist, so that
# networks that differ by rounding only count as equal. A factor of 1 + 1e-7 in likelihood means nothing to anyone.
PROOF_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Optimum:
    """The best network found, and what is proved about it.

    Parameters
    ----------
    dag
        The network.
    score
        Its score: the sum of the table's local scores of its families.
    upper_bound
        No network that the table allows scores higher (up to `PROOF_TOLERANCE`). Equal to `score` if the proof is
        complete.
    gap
        ``upper_bound - score``, in natural log; 0 if proved optimal.
    status
        COMPLETE if proved optimal, else the limit that was reached.
    method
        What solved it: "dp", "branch-and-bound" or "ilp".
    reason
        Why this method, in a sentence.
    seconds
        Wall-clock time.
    nodes
        Branch-and-bound nodes, over all components.
    ties_possible
        False only if no other network within the proof tolerance exists; with score-equivalent scores there are nearly
        always others.
    statistics
        Counts for the curious: components, sets after filtering, cuts, LP solves.
    most_parents
        If the table stopped before all parent sets were scored: up to how many parents it has them. The bound holds for
        networks within that, and nothing is known of others. None for a table that has all.
    log_prior
        The part of the score that was believed before the data, for a table with prior odds; None for one without.
    """

    dag: Dag
    score: float
    upper_bound: float
    gap: float
    status: Status
    method: str
    reason: str
    seconds: float
    nodes: int
    ties_possible: bool
    statistics: Mapping[str, float] = field(default_factory=dict)
    log_prior: float | None = None
    most_parents: int | None = None

    def __repr__(self) -> str:
        proof = "proved optimal" if self.is_proved else f"gap {self.gap:.4g}, {self.status}"
        shares = "" if self.log_prior is None else f" (data {self.data_score:.6f}, log prior {self.log_prior:.6f})"
        return (
            f"Optimum({self.score:.6f}{shares}, {proof}; {self.dag.n_arcs} arcs; {self.method}, {self.seconds:.2f} s)"
        )

    @property
    def data_score(self) -> float:
        """The part of the score that is the data's: all of it, unless there were prior odds."""
        return self.score - (self.log_prior or 0.0)

    @property
    def is_proved(self) -> bool:
        """Whether the network is proved optimal among those that the table allows."""
        return self.status is Status.COMPLETE


def check_against_data(table: ParentSetTable, dag: Dag, score: float, data: Dataset) -> None:
    """Recompute the network's score from the raw data, by code that shares nothing with tables or searches.

    Raises
    ------
    DataError
        If the data are not those of the table, or the scores differ.
    """
    from arcwise.scores import make_score

    if table.data_digest is not None and table.data_digest != data.digest:
        raise DataError(
            "the data given for checking are not those the table was built from (their digests differ). "
            "Give the same data set, or build the table again."
        )
    if not table.score:
        raise DataError("the table does not say which score it holds, so the data cannot check it; leave out data=.")
    options = dict(table.score)
    recomputed = make_score(options.pop("name"), **options).score_network(data, dag)
    if abs(recomputed - score) > 1e-6 + 1e-8 * abs(score):
        raise DataError(
            f"the network scores {score:.6f} by the table but {recomputed:.6f} by the data: "
            "the table was built from other data or another score. Build it again."
        )

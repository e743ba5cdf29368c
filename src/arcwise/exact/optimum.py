"""`Optimum`: the best network with its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.base.run import Status
from arcwise.graph.dag import Dag

# Absolute, in units of the score (natural log). A search stops when nothing better by more than this can exist, so that
# networks that differ by rounding only count as equal. A factor of 1 + 1e-7 in likelihood means nothing to anyone.
PROOF_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Optimum:
    """The best network found, and what is proved about it.

    Parameters
    ----------
    dag, score
        The network, and the sum of the table's local scores of its families.
    upper_bound
        No network that the table allows scores higher (up to `PROOF_TOLERANCE`). Equal to `score` if the proof is
        complete.
    status
        COMPLETE if proved optimal, else the limit that was reached.
    method, reason
        What solved it, "dp", "branch-and-bound" or "ilp", and why this method, in a sentence.
    seconds, nodes
        Wall-clock time; branch-and-bound nodes, over all components.
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
    status: Status
    method: str
    reason: str
    seconds: float = 0.0
    nodes: int = 0
    ties_possible: bool = True
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
    def gap(self) -> float:
        """``upper_bound - score``, in natural log; 0 if proved optimal."""
        return self.upper_bound - self.score

    @property
    def data_score(self) -> float:
        """The part of the score that is the data's: all of it, unless there were prior odds."""
        return self.score - (self.log_prior or 0.0)

    @property
    def is_proved(self) -> bool:
        """Whether the network is proved optimal among those that the table allows."""
        return self.status is Status.COMPLETE

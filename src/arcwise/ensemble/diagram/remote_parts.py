"""`RemoteParts`: parts of a credible set whose diagrams the workers of a Dask cluster build.

The table is sent once; to a task goes the part (which rows, what they cost, the cuts), and from it comes the diagram as
arrays. The search for parts goes on here meanwhile. It does not wait for a part, and learns nothing from one, so that
parts are the same wherever they are built; the diagrams are joined in the order in which the parts were found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster import Cluster, Tasks, give_back_unwanted
from arcwise.deadline import NO_TIME, Deadline
from arcwise.ensemble.diagram.cover import Part
from arcwise.ensemble.diagram.part_problem import PartProblem
from arcwise.errors import ArcwiseError
from arcwise.limits import Limits

if TYPE_CHECKING:
    from arcwise._core.ensemble import NetworkDiagram

__all__ = ["DiagramArrays", "RemoteParts", "arrays_of", "diagram_of"]

# The layers, edges and facts of a diagram.
DiagramArrays = tuple[tuple[NDArray[Any], ...], tuple[int, float, float, int]]


def arrays_of(diagram: NetworkDiagram) -> DiagramArrays:
    """Return a finished diagram as arrays."""
    facts = diagram.nodes, diagram.optimum, diagram.slack, diagram.explored
    return (diagram.layer_begin, *diagram.edge_arrays()), facts


def diagram_of(arrays: DiagramArrays) -> NetworkDiagram:
    """Return the diagram that had these arrays; what cannot be one is a ValueError."""
    from arcwise import _core

    (layer_begin, edge_begin, edge_target, edge_row, edge_detour), facts = arrays
    return _core.ensemble.NetworkDiagram.from_arrays(layer_begin, edge_begin, edge_target, edge_row, edge_detour, facts)


def _build(problem: PartProblem, asked: tuple[Part, float, int, float]) -> int | DiagramArrays:
    part, at_least, memory, seconds = asked

    def report(*_: float) -> None:
        give_back_unwanted()

    deadline = Deadline(Limits(max(NO_TIME, seconds) if np.isfinite(seconds) else None))
    diagram = problem.build(part, at_least, memory, trial=False, deadline=deadline, report=report)
    return diagram.status or arrays_of(diagram)


class RemoteParts:
    """The parts that are on their way, and the diagrams that have come back.

    Parameters
    ----------
    problem
        What they have in common.
    cluster
        Who builds.
    deadline
        Of all of them.
    """

    def __init__(self, problem: PartProblem, cluster: Cluster, deadline: Deadline) -> None:
        self._tasks: Tasks[int | DiagramArrays] = cluster.tasks(_build, problem, problem.digest)
        self._deadline = deadline
        self._rows = problem.table.n_rows
        self._nodes = problem.order.size

    def __enter__(self) -> RemoteParts:
        self._tasks.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._tasks.__exit__(*raised)

    def __len__(self) -> int:
        """How many are on their way."""
        return len(self._tasks)

    def give(self, part: Part, at_least: float, memory: int) -> int:
        """Have a part built; return its number."""
        return self._tasks.give((part, at_least, memory, self._deadline.seconds_left))

    def take(self, *, wait: bool) -> tuple[int, NetworkDiagram] | None:
        """Return the number and the diagram of a part that is built; None if there is none yet, or in time."""
        from arcwise import _core

        ended = self._tasks.take(self._deadline if wait else Deadline(Limits(NO_TIME)))
        if ended is None:
            return None
        number, found = ended
        if isinstance(found, int):
            return number, _core.ensemble.NetworkDiagram(found)
        (_, _, _, edge_row, _), (nodes, *_) = found
        try:
            if nodes != self._nodes or (edge_row.size and int(edge_row.max()) >= self._rows):
                raise ValueError("rows that the table does not have")
            return number, diagram_of(found)
        except ValueError as error:
            raise ArcwiseError(f"a worker of the cluster has built no diagram of this table ({error}).") from error

"""The optimal network as a function of the equivalent sample size (Silander, Kontkanen and Myllymäki 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.priors.ess_solver import EssSolver
from arcwise.priors.optima import LearnedNetwork, Learning, stays_optimal, worst_status
from arcwise.progress import ProgressCallback
from arcwise.scores import make_score
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["EssInterval", "EssPath", "ess_path"]


@one_screen
@dataclass(frozen=True, eq=False)
class EssInterval:
    """A run of grid values over which one network stays optimal."""

    low: float
    high: float
    dag: Dag

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return len(self.dag.arcs)


@one_screen
@dataclass(frozen=True, eq=False)
class EssPath:
    """The optimal network over a grid of equivalent sample sizes.

    Parameters
    ----------
    ess, scores, dags
        The grid, and the optimum at each value.
    intervals
        The grid, cut where the network that was optimal so far no longer is.
    averaged
        The optimal network under BDeu averaged over the whole grid (`bdeu_averaged`), which needs no choice; None if
        Ctrl-C or the time limit came before it.
    status
        COMPLETE if every optimum is proved.
    """

    ess: NDArray[np.float64]
    scores: NDArray[np.float64]
    dags: tuple[Dag, ...]
    intervals: tuple[EssInterval, ...]
    averaged: LearnedNetwork | None
    status: Status

    @property
    def n_arcs(self) -> NDArray[np.int64]:
        """The number of arcs at each ESS."""
        return np.array([len(dag.arcs) for dag in self.dags], dtype=np.int64)

    @property
    def best_ess(self) -> float:
        """The grid value at which the optimal score is highest."""
        return float(self.ess[int(np.argmax(self.scores))])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per interval: its ends, the number of arcs, and the arcs."""
        import pandas as pd

        rows = [
            {"from": i.low, "to": i.high, "arcs": i.n_arcs, "network": ", ".join(f"{a} -> {b}" for a, b in i.dag.arcs)}
            for i in self.intervals
        ]
        return pd.DataFrame(rows)

    def plot(self, *, axes: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
        """Plot the number of arcs and the optimal score over the ESS, one above the other; return both axes."""
        from arcwise.plotting.axes import two_axes_or_new

        above, below = two_axes_or_new(axes, 7.0, 5.0)
        above.step(self.ess, self.n_arcs, where="mid")
        if self.averaged is not None:
            above.axhline(len(self.averaged.dag.arcs), linestyle="--", color="0.4", label="averaged over the grid")
            above.legend()
        above.set_ylabel("arcs of the optimum")
        below.plot(self.ess, self.scores)
        below.axvline(self.best_ess, linestyle=":", color="0.4")
        below.annotate(
            f"highest at {self.best_ess:.3g}",
            (self.best_ess, float(self.scores.min())),
            xytext=(-5, 0),
            textcoords="offset points",
            horizontalalignment="right",
        )
        below.set_ylabel("optimal log score")
        below.set_xlabel("equivalent sample size")
        below.set_xscale("log")
        return above, below


def ess_path(
    data: Dataset,
    *,
    ess: Sequence[float] | NDArray[np.float64] | None = None,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> EssPath:
    """Find the optimal network for each equivalent sample size of a grid, by default 60 from 10^-3 to 10^5.

    The data are counted once. With up to 20 variables a value costs milliseconds more (`EssSolver`); beyond, the
    pruning and the search of one table. Ctrl-C and the time limit end the path early: it then has the values up
    to there.
    """
    grid = np.logspace(-3, 5, 60) if ess is None else np.asarray(ess, dtype=np.float64)
    if grid.ndim != 1 or len(grid) == 0 or not ((grid > 0) & np.isfinite(grid)).all():
        raise OptionError("the grid of equivalent sample sizes must be positive, finite numbers; got another.")
    grid = np.unique(grid)
    path, averaged = EssSolver(data, learning, progress=progress).solve_with_average(grid, stage="ESS path")
    grid = grid[: len(path)]
    starts = [0]
    for k in range(1, len(path)):
        if not stays_optimal(data, path[starts[-1]].dag, make_score("bdeu", ess=float(grid[k])), path[k]):
            starts.append(k)
    ends = [*(start - 1 for start in starts[1:]), len(path) - 1]
    return EssPath(
        ess=grid,
        scores=np.array([optimum.score for optimum in path]),
        dags=tuple(optimum.dag for optimum in path),
        intervals=tuple(
            EssInterval(float(grid[a]), float(grid[b]), path[a].dag) for a, b in zip(starts, ends, strict=True)
        ),
        averaged=averaged,
        status=worst_status(path if averaged is None else [*path, averaged]),
    )

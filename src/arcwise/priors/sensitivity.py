"""How sensitive a graph's score is to the prior (Scanagatta, de Campos and Zaffalon 2014, section 4.2).

Max-BDeu and Min-BDeu let every Dirichlet prior vary inside an epsilon-contaminated set around the uniform one. Their
difference for a graph is the log of the ratio between its highest and its lowest marginal likelihood under those
priors: if it is large, the prior still has a say, and more data would change the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.defaults import MANY_VARIABLES
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.scores import make_score
from arcwise.scores.score import families_of
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Sensitivity", "prior_sensitivity"]

EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@one_screen
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The range of a graph's score over the priors of an epsilon-contaminated set.

    Parameters
    ----------
    lower, score, upper
        Min-BDeu, BDeu and Max-BDeu of the graph.
    by_node
        Each variable's part of upper - lower.
    epsilons, sweep
        upper - lower over several epsilons.
    """

    names: tuple[str, ...]
    dag: Dag
    ess: float
    epsilon: float
    n_cases: int
    lower: float
    score: float
    upper: float
    by_node: NDArray[np.float64]
    epsilons: NDArray[np.float64]
    sweep: NDArray[np.float64]

    @property
    def value(self) -> float:
        """Max-BDeu minus Min-BDeu: the log of the ratio of marginal likelihoods."""
        return self.upper - self.lower

    @property
    def relative(self) -> float:
        """The difference divided by the size of the lower score, as in Scanagatta's Figure 6."""
        return self.value / abs(self.lower)

    @property
    def per_case(self) -> float:
        """The difference for each case of the data."""
        return self.value / self.n_cases

    def to_frame(self) -> pd.DataFrame:
        """Return each variable's contribution, the largest first."""
        import pandas as pd

        frame = pd.DataFrame({"variable": self.names, "sensitivity": self.by_node})
        frame["share"] = frame["sensitivity"] / self.value if self.value > 0 else 0.0
        return frame.sort_values("sensitivity", ascending=False, kind="stable").reset_index(drop=True)

    def plot(self) -> Figure:
        """Plot the contributions of the variables, and the sensitivity over epsilon."""
        from arcwise.extras import load_figure

        Figure = load_figure()
        frame = self.to_frame().head(20)[::-1]
        figure = Figure(figsize=(9, 0.25 * len(frame) + 2), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.barh(frame["variable"], frame["sensitivity"])
        left.set_xlabel(f"Max-BDeu − Min-BDeu (epsilon {self.epsilon:g})")
        right.plot(self.epsilons, self.sweep, marker=".")
        right.axvline(self.epsilon, linestyle=":", color="0.4")
        right.set_xlabel("epsilon")
        right.set_ylabel("Max-BDeu − Min-BDeu")
        return figure


def prior_sensitivity(
    data: Dataset,
    dag: Dag,
    *,
    ess: float = 1.0,
    epsilon: float = 0.5,
    epsilons: Sequence[float] = EPSILONS,
) -> Sensitivity:
    """Return how far the score of a graph moves when the priors do; epsilon says how far those may move.

    The families are counted once, or where there are hundreds of them, once for each prior, all in one call; beside
    that, the cost grows with the cells that occur.
    """
    if any(not 0 < e <= 1 for e in (epsilon, *epsilons)):
        raise OptionError("epsilon must be above 0 and at most 1: the share of the prior that may move.")
    families = list(families_of(data, dag))
    at_once = data.targets is None and data.n_variables > MANY_VARIABLES
    counted = [] if at_once else [_counted(data, child, parents) for child, parents in families]

    def local(name: str, **options: float) -> NDArray[np.float64]:
        score = make_score(name, **options)
        if at_once:  # a call for each of thousands of families takes longer than to count them again
            return score.score_families(data, families)
        # Of a variable that was set in every case, the data say nothing: its likelihood is 1.
        return np.array(
            [0.0 if own is None else score.score_family(own, 0, range(1, own.n_variables)) for own in counted]
        )

    low, high = local("min_bdeu", ess=ess, epsilon=epsilon), local("max_bdeu", ess=ess, epsilon=epsilon)
    sweep = [
        float((local("max_bdeu", ess=ess, epsilon=e) - local("min_bdeu", ess=ess, epsilon=e)).sum()) for e in epsilons
    ]
    return Sensitivity(
        names=dag.names,
        dag=dag,
        ess=ess,
        epsilon=epsilon,
        n_cases=data.n_cases,
        lower=float(low.sum()),
        score=float(local("bdeu", ess=ess).sum()),
        upper=float(high.sum()),
        by_node=high - low,
        epsilons=np.array(epsilons),
        sweep=np.array(sweep),
    )


def _counted(data: Dataset, child: int, parents: Sequence[int]) -> Dataset | None:
    """Return a family's distinct rows and the number of their cases: the child, then its parents; None without any."""
    names = [data.names[child], *(data.names[parent] for parent in parents)]
    told = data.cases_without(names[0])
    return told.select(names).collapse() if told.n_cases else None

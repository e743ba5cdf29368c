"""Is there enough data? Sensitivity and structure over growing subsamples (Scanagatta 2014, section 4.2).

The sensitivity of the learned graph to the prior falls with the number of cases in step with the graph's accuracy, and
it needs no knowledge of the truth. Here it is followed over nested subsamples of N = 20, 40, 80, ... cases, together
with how much the learned structure still changes when the data double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import DataError, check_argument
from arcwise.base.options import load_figure
from arcwise.base.run import ProgressCallback, Seed, Status
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset
from arcwise.evaluate.comparison import shd
from arcwise.evaluate.predictions import accuracy_score
from arcwise.graph.dag import Dag
from arcwise.model.fitting import fit_parameters
from arcwise.model.network import BayesianNetwork
from arcwise.priors.edge_prior import prior_sensitivity
from arcwise.priors.optima import Learning, all_or_interrupt, find_optima, worst_status
from arcwise.scores.registry import make_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# Below this share of the edges changed by the last doubling, more data are said to change little.
SETTLED = 0.1
UNSEEN = 10_000
MEASURES = ("sensitivity", "edges", "change", "distance", "accuracy")


@one_screen
@dataclass(frozen=True, eq=False)
class Saturation:
    """What more data changed so far; arrays have one entry per sample size, means over the repetitions.

    Parameters
    ----------
    sizes
        The numbers of cases, the last all of them.
    sensitivity
        The relative sensitivity to the prior of the graph learned from this many cases.
    edges
        The number of edges of that graph.
    change
        The structural Hamming distance to the graph learned from the next smaller subsample; the first is NaN.
    distance
        The structural Hamming distance to the true graph, where one was given; else NaN.
    accuracy
        By how many per cent the log-likelihood of unseen cases falls short of the true network's, where a network with
        parameters was given (`arcwise.evaluate.accuracy_score`; lower is better); else NaN.
    repetitions, status
        How many repetitions the means are over, and INTERRUPTED or TIME_LIMIT if Ctrl-C or the time limit ended it
        there. If it came during the first one, `sizes` ends with the last size that was finished.
    """

    sizes: NDArray[np.int64]
    sensitivity: NDArray[np.float64]
    edges: NDArray[np.float64]
    change: NDArray[np.float64]
    distance: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    repetitions: int
    ess: float
    epsilon: float
    dag: Dag
    status: Status

    @property
    def changed_share(self) -> float:
        """The share of the edges that the last step to all the data changed."""
        return float(self.change[-1] / max(self.edges[-1], 1.0))

    @property
    def settled(self) -> bool:
        """Whether the last step changed less than a tenth of the edges."""
        return self.changed_share < SETTLED

    @property
    def advice(self) -> str:
        """What this means, in two sentences."""
        before, after = int(self.sizes[-2]), int(self.sizes[-1])
        verdict = "would not change the structure much" if self.settled else "would change the structure"
        return (
            f"More data {verdict}: from {before:,} to all {after:,} cases about {self.change[-1]:.0f} edges were "
            f"added, removed or reversed; the network of all cases has {self.edges[-1]:.0f}. The sensitivity to the "
            f"prior fell from {self.sensitivity[-2]:.3g} to {self.sensitivity[-1]:.3g} of the score."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per sample size."""
        import pandas as pd

        return pd.DataFrame({"cases": self.sizes, **{name: getattr(self, name) for name in MEASURES}})

    def plot(self) -> Figure:
        """Plot sensitivity and change of structure over the sample size."""
        Figure = load_figure()
        figure = Figure(figsize=(7, 5), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(self.sizes, self.sensitivity, marker=".")
        above.set_ylabel("relative sensitivity")
        if np.isfinite(self.accuracy).any():
            beside = above.twinx()
            beside.plot(self.sizes, self.accuracy, marker="x", color="C1")
            beside.set_ylabel("accuracy score, per cent", color="C1")
        above.set_yscale("log")
        below.plot(self.sizes, self.change, marker=".", label="change since the previous size (SHD)")
        below.plot(self.sizes, self.edges, "--", color="0.5", label="edges")
        if np.isfinite(self.distance).any():
            below.plot(self.sizes, self.distance, marker="x", label="distance from the truth (SHD)")
        below.set_xscale("log")
        below.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes], rotation=0 if len(self.sizes) < 9 else 30)
        below.minorticks_off()
        below.set_ylim(bottom=0)
        below.set_xlabel("cases")
        below.set_ylabel("edges")
        below.legend()
        return figure


def data_saturation(
    data: Dataset,
    *,
    truth: Dag | BayesianNetwork | None = None,
    ess: float = 1.0,
    epsilon: float = 0.5,
    repetitions: int = 5,
    seed: Seed = 0,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
) -> Saturation:
    """Learn the BDeu-optimal graph from nested subsamples of 20, 40, 80, ... cases up to all, several times over.

    Each repetition shuffles the cases and takes longer and longer beginnings. The cost is `repetitions` x log2(N / 10)
    searches. Where the truth is known, the graphs are compared with it, and, if it has parameters, so are predictions
    of 10,000 cases sampled from it.

    Ctrl-C and the time limit end it with the repetitions that are finished, or in the first one with the sizes that
    are; before there are two sizes, Ctrl-C raises KeyboardInterrupt, and the time limit waits for them.
    """
    check_argument(repetitions >= 1, "repetitions", repetitions, "must be at least 1.")
    sizes = _sizes(data.n_cases)
    score = make_score("bdeu", ess=ess)
    rng = np.random.default_rng(seed)
    true_dag = truth.dag if isinstance(truth, BayesianNetwork) else truth
    unseen = truth.sample(UNSEEN, seed=rng) if isinstance(truth, BayesianNetwork) else None
    run = learning.run
    steps = repetitions * len(sizes) + 1
    share = learning.within(run.part(steps))
    whole = all_or_interrupt(find_optima(data, [score], share, progress=progress))[0]
    optima = [whole]
    rows = np.repeat(np.arange(data.n_rows), 1 if data.weights is None else data.weights)
    shape = (repetitions, len(sizes))
    measured = {name: np.full(shape, np.nan) for name in MEASURES}
    done = 0  # steps, each of them one size of one repetition
    cut = Status.COMPLETE
    try:
        with run.but(progress=progress).shown() as run:
            for repetition, k in np.ndindex(shape):
                if done >= 2 and run.is_over:
                    cut = Status.TIME_LIMIT
                    break
                run.report("saturation", done, repetitions * len(sizes))
                if k == 0:
                    shuffled = rng.permutation(rows)
                part, found = data, whole
                if k < len(sizes) - 1:
                    part = _subsample(data, shuffled[: sizes[k]])
                    share = learning.within(run.part(steps - len(optima)))
                    found = all_or_interrupt(find_optima(part, [score], share, progress=False))[0]
                here = repetition, k
                sensitive = prior_sensitivity(part, found.dag, ess=ess, epsilon=epsilon, epsilons=())
                measured["sensitivity"][here] = sensitive.relative
                measured["edges"][here] = len(found.dag.arcs)
                if k > 0:
                    measured["change"][here] = shd(optima[-1].dag, found.dag)
                if true_dag is not None:
                    measured["distance"][here] = shd(true_dag, found.dag)
                if isinstance(truth, BayesianNetwork):
                    fitted = fit_parameters(found.dag, part, ess=ess)
                    measured["accuracy"][here] = accuracy_score(truth, fitted, unseen)
                optima.append(found)
                done += 1
    except KeyboardInterrupt:
        cut = Status.INTERRUPTED
    if done < 2:
        raise KeyboardInterrupt
    finished = max(1, done // len(sizes))
    kept = min(done, len(sizes))
    return Saturation(
        sizes=np.array(sizes[:kept], dtype=np.int64),
        **{name: values[:finished, :kept].mean(axis=0) for name, values in measured.items()},
        repetitions=finished,
        ess=ess,
        epsilon=epsilon,
        dag=whole.dag,
        status=cut if cut is not Status.COMPLETE else worst_status(optima),
    )


def _sizes(cases: int) -> list[int]:
    """Return 20, 40, 80, ... and the number of cases, whose step should be about a doubling, too."""
    sizes = [20 * 2**i for i in range(64) if 20 * 2**i < cases]
    if not sizes:
        raise DataError(f"{cases} cases are too few to see saturation; at least 21 are needed.")
    sizes.append(cases)
    if len(sizes) > 2 and sizes[-1] < 1.5 * sizes[-2]:
        del sizes[-2]
    return sizes


def _subsample(data: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """Return the data with weights that count the given rows; the codes are shared, the declared states kept."""
    weights = np.bincount(rows, minlength=data.n_rows).astype(np.int64)
    return Dataset(data.codes, data.names, data.states, weights, data.targets)

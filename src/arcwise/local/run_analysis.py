"""How a randomised search behaves over many runs: the analyses of Lau & Bush (2004), on any data set.

For every score and start: the distribution of final scores (their Figure 13), of iterations (14, 17 to 20), of
operations (15), the score against the iteration (16), the number of parameters (21, 23, 25, 26), the most common
networks (22, 24) and the log-likelihood (27 to 30).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, check_count, check_known
from arcwise.base.options import gather
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status
from arcwise.base.showing import data_frame, one_screen
from arcwise.data.dataset import Dataset, Frame, dataset_of
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.problem import LocalSearchResult, Start
from arcwise.local.searches import StartSettings, first_ascent
from arcwise.plotting.layout import new_figure
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from arcwise.keywords import AscentKeywords


Metric = Literal["score", "iterations", "operations", "history", "parameters", "log-likelihood"]
METRICS: dict[str, str] = {
    "score": "final score (natural log)",
    "iterations": "iterations",
    "operations": "operations",
    "history": "score after each iteration (natural log)",
    "parameters": "parameters of the network",
    "log-likelihood": "log-likelihood of the network (natural log)",
}


@one_screen
@dataclass(frozen=True, eq=False)
class RunSample:
    """The runs with one score and one start."""

    score: Score
    start: str
    data: Dataset
    runs: tuple[LocalSearchResult, ...]

    @property
    def label(self) -> str:
        """The score and the start, e.g. "k2, random start"."""
        return f"{self.score.name}, {self.start} start"

    @cached_property
    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """One number per run for every metric but "history"."""
        likelihood = make_score("ll")
        dags = [run.dag for run in self.runs]
        fit = {dag: likelihood.score_network(self.data, dag) for dag in set(dags)}
        return {
            "score": np.array([run.score for run in self.runs]),
            "iterations": np.array([run.iterations for run in self.runs], dtype=float),
            "operations": np.array([run.operations for run in self.runs], dtype=float),
            "parameters": np.array([count_parameters(self.data, dag) for dag in dags], dtype=float),
            "log-likelihood": np.array([fit[dag] for dag in dags]),
        }

    @cached_property
    def mean_history(self) -> NDArray[np.float64]:
        """The score after each iteration, averaged over the runs; a run that has ended counts with its last score."""
        longest = max(len(run.history) for run in self.runs)
        padded = [np.pad(run.history, (0, longest - len(run.history)), mode="edge") for run in self.runs]
        return np.asarray(np.mean(padded, axis=0))

    def common_networks(self) -> list[tuple[Dag, int]]:
        """Return the networks that the runs ended with and how often, the most common first."""
        return Counter(run.dag for run in self.runs).most_common()


@one_screen
@dataclass(frozen=True, eq=False)
class RunAnalysis:
    """Samples of runs, one for each score and start, with their table and figures."""

    samples: tuple[RunSample, ...]
    seed: int
    status: Status

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per run: score, start, run, and every metric but "history"."""
        import pandas as pd

        parts = [
            pd.DataFrame({"scored_by": s.score.name, "start": s.start, "run": range(len(s.runs)), **s.values})
            for s in self.samples
        ]
        return pd.concat(parts, ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """Return mean and standard deviation of every metric, and the number of different networks, per sample."""
        rows: list[dict[str, Any]] = []
        for sample in self.samples:
            row: dict[str, Any] = {"scored_by": sample.score.name, "start": sample.start, "runs": len(sample.runs)}
            for name, values in sample.values.items():
                row[name] = float(values.mean())
                row[f"{name} sd"] = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
            row["networks"] = len(sample.common_networks())
            row["best in"] = int(np.isclose(sample.values["score"], sample.values["score"].max()).sum())
            rows.append(row)
        return data_frame(rows)

    def plot(self, metric: Metric) -> Figure:
        """Draw one panel per sample: a histogram over the runs, or for "history" a line per run and their mean."""
        check_known("metric", metric, METRICS)
        across = min(2, len(self.samples))
        down = -(-len(self.samples) // across)
        figure = new_figure(5.0 * across, 3.2 * down)
        panels = figure.subplots(down, across, squeeze=False).ravel()
        for panel, sample in zip(panels, self.samples, strict=False):
            _draw(panel, sample, metric)
        for panel in panels[len(self.samples) :]:
            panel.set_visible(False)
        return figure


@one_screen
@dataclass(frozen=True, slots=True)
class AscentSettings(StartSettings):
    """What every run of `analyse_runs` keeps to."""

    constraints: Constraints | None = None
    max_parents: int | None = None


def analyse_runs(
    data: Dataset | Frame,
    *,
    scores: Sequence[str | Score] = ("bic_laplace", "k2"),
    starts: Sequence[Start] = ("empty", "random"),
    runs: int = 50,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **search: Unpack[AscentKeywords],
) -> RunAnalysis:
    """Run first-ascent hill climbing many times with each score and start.

    The comparison of Lau & Bush (2004, sections 4.4 and 5.2).

    Parameters
    ----------
    data
        The data; Lau & Bush use two samples, of 4 variables x 100 cases and 8 variables x 5,000 cases.
    scores
        The scores to compare; by default theirs, BIC with Bayesian correction and BD with a uniform prior (K2).
    starts
        The starts to compare.
    runs
        Runs for each score and start. Run i has the same seed with every score and start.
    seed, progress
        As for `hill_climb`.
    limits
        `seconds` for all runs together; the analysis then holds the runs that are finished. `count`, the moves of one
        run.
    search
        ``constraints=``, ``max_parents=`` and ``density=``, as for `first_ascent`.
    """
    data = dataset_of(data)
    check_count("runs", runs, 1)
    if not scores or not starts:
        raise OptionError("scores and starts must not be empty: there would be nothing to run.")
    given = gather(AscentSettings, analyse_runs, search)
    chosen: Any = {"constraints": given.constraints, "max_parents": given.max_parents, "density": given.density}
    settings = [(make_score(score), start) for score in scores for start in starts]
    found: list[list[LocalSearchResult]] = [[] for _ in settings]
    status = Status.COMPLETE
    with Run.begin(limits, progress, seed=seed) as run:
        for i, (k, (score, start)) in itertools.product(range(runs), enumerate(settings)):
            if run.is_over:
                status = Status.TIME_LIMIT
                break
            own = int(np.random.SeedSequence(run.seed, spawn_key=(i,)).generate_state(1, np.uint64)[0])
            limits = run.limits
            result = first_ascent(data, score, start=start, seed=own, limits=limits, progress=False, **chosen)
            status = status if result.complete else result.status
            if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
                break
            found[k].append(result)
            run.report("runs", i * len(settings) + k + 1, runs * len(settings))
    names = [start if isinstance(start, str) else "given" for _, start in settings]
    samples = tuple(
        RunSample(score, name, data, tuple(results))
        for (score, _), name, results in zip(settings, names, found, strict=True)
        if results
    )
    return RunAnalysis(samples, run.seed, status)


def count_parameters(data: Dataset, dag: Dag) -> int:
    """Return the number of free parameters of a network: the sum of q (r - 1)."""
    arities = [int(data.arities[data.index(name)]) for name in dag.names]
    return sum(math.prod(arities[p] for p in dag.parents[v]) * (arity - 1) for v, arity in enumerate(arities))


def _draw(panel: Axes, sample: RunSample, metric: str) -> None:
    panel.set_title(f"{sample.label}, {len(sample.runs)} runs", fontsize=9)
    if metric == "history":
        for run in sample.runs:
            panel.plot(run.history, color="tab:blue", alpha=0.3, linewidth=0.8)
        panel.plot(sample.mean_history, color="tab:red", linewidth=2, label="mean")
        panel.set(xlabel="iteration", ylabel="score (natural log)")
        panel.legend()
        return
    values = sample.values[metric]
    spread = float(np.ptp(values))
    if spread < 1e-9 * float(np.abs(values).max()):  # rounding, not a spread
        spread = 0.0
    if metric in ("iterations", "parameters") and spread <= 60:
        bins = np.arange(values.min() - 0.5, values.max() + 1.5)
    else:
        around = (values.min() - 0.5, values.max() + 0.5) if spread == 0 else None
        bins = np.histogram_bin_edges(values, bins=12 if spread > 0 else 1, range=around)
    panel.hist(values, bins=bins.tolist(), color="tab:blue", edgecolor="white")
    panel.set(xlabel=METRICS[metric], ylabel="runs")

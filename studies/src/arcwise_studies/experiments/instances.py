"""`Instances`: the cells of a discovery study as arrays: what every threshold costs on every proxy instance."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.learned_table import ANY, GRID, SIZE_GROUPS, WEIGHTS, LearnedEntry, size_group
from arcwise.errors import OptionError
from arcwise.recipes.registry import SOURCES
from arcwise.scores import make_score
from arcwise_studies.experiments.pair_states import Counts, StudiedPairs, losses

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METRICS", "Instances", "choose_on_grid", "mean_errors", "metric_weights"]

# A bootstrap with fewer networks has confidences so coarse that no threshold for real ones can be learned from them.
FEWEST_NETWORKS = 50
METRICS = ("shd", "f", "f-cpdag", "cost")


def metric_weights(metric: str) -> tuple[float, ...]:
    """Return the weights that are studied for a metric: beta or alpha from 1/8 to 8, or 1 for SHD."""
    return (1.0,) if metric == "shd" else WEIGHTS


@dataclass(frozen=True, eq=False)
class Instances(StudiedPairs):
    """One proxy instance per element: a network, a sample, a method and a score, with confidences and truth.

    The columns of the rows: method, score (its name), cases, truth, benchmark, ...
    """

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Instances:
        """Take the rows of a discovery study, except samples that a limit left with fewer than 50 networks."""
        samples = [name for name, source in SOURCES.items() if source.is_sample]
        short = rows["method"].isin(samples) & (rows["status"] == "limit") & (rows["networks"] < FEWEST_NETWORKS)
        frame = rows[~short].reset_index(drop=True)
        names = {text: str(make_score(text).describe()["name"]) for text in frame["score"].unique()}
        frame["score"] = frame["score"].map(names)
        frame["group"] = [size_group(int(n)) for n in frame["cases"]]
        frame["sample"] = [f"{t}|{n}|{r}" for t, n, r in zip(frame.truth, frame.cases, frame.repetition, strict=True)]
        return cls(frame)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the results, in any order."""
        hasher = hashlib.sha256()
        for line in sorted(f"{row.cell} {row.states} {row.shares}" for row in self.frame.itertuples()):
            hasher.update(line.encode())
        return hasher.hexdigest()

    @cached_property
    def grid_counts(self) -> list[Counts]:
        """What every threshold of the grid gets right and wrong on each instance."""
        return [states.count(GRID) for states in self.states]

    def grid_losses(self, metric: str, weight: float) -> NDArray[np.float64]:
        """Return the loss of every threshold of the grid on each instance."""
        key = (metric, weight)
        if key not in self._cache:
            self._cache[key] = np.array([losses(counts, metric, weight) for counts in self.grid_counts])
        return self._cache[key]

    @cached_property
    def _cache(self) -> dict[tuple[str, float], NDArray[np.float64]]:
        return {}

    def losses_at(self, thresholds: NDArray[np.float64], metric: str, weight: float) -> NDArray[np.float64]:
        """Return the loss of one threshold per instance; NaN where the threshold is."""
        grid = np.searchsorted(GRID, thresholds)
        found = np.full(len(self), np.nan)
        table = self.grid_losses(metric, weight)
        for k, (states, value) in enumerate(zip(self.states, thresholds, strict=True)):
            if np.isnan(value):
                continue
            if grid[k] < len(GRID) and abs(GRID[grid[k]] - value) < 1e-12:
                found[k] = table[k, grid[k]]
                continue
            key = (k, float(value))
            if key not in self._off_grid:
                self._off_grid[key] = states.count(np.array([value]))
            found[k] = losses(self._off_grid[key], metric, weight)[0]
        return found

    @cached_property
    def _off_grid(self) -> dict[tuple[int, float], Counts]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("method", "score", "group", "benchmark", "truth")
        return {name: self.frame[name].to_numpy(dtype=str) for name in names}

    @cached_property
    def _left_out(self) -> dict[tuple[str | float, ...], NDArray[np.float64]]:
        return {}

    def learn(self, metric: str, weight: float) -> list[LearnedEntry]:
        """Learn thresholds by Algorithm 5.2: per method, score and group of sizes, and over all scores or sizes."""
        table = self.grid_losses(metric, weight)
        entries = []
        methods, scores, groups, truths = (self._columns[name] for name in ("method", "score", "group", "truth"))
        for method in np.unique(methods).tolist():
            of_method = methods == method
            for score in [*np.unique(scores[of_method]).tolist(), ANY]:
                of_score = of_method & ((scores == score) | (score == ANY))
                for group in [*SIZE_GROUPS, ANY]:
                    chosen = of_score & ((groups == group) | (group == ANY))
                    if not chosen.any():
                        continue
                    errors = mean_errors(table[chosen])
                    threshold = choose_on_grid(errors)
                    at = int(np.argmin(np.abs(GRID - threshold)))
                    entries.append(
                        LearnedEntry(
                            method=method,
                            score=score,
                            cases=group,
                            metric=metric,
                            weight=weight,
                            threshold=threshold,
                            proxies=int(chosen.sum()),
                            networks=len(np.unique(truths[chosen])),
                            loss=round(float(table[chosen, at].mean()), 6),
                            errors=tuple(float(f"{e:.3g}") for e in errors),
                        )
                    )
        return entries

    def learn_all(self) -> list[LearnedEntry]:
        """Learn the thresholds of all metrics and weights."""
        return [e for metric in METRICS for weight in metric_weights(metric) for e in self.learn(metric, weight)]

    def left_out_thresholds(self, metric: str, weight: float, *also: str) -> NDArray[np.float64]:
        """Return, for each instance, the threshold learned for its method, score and size without its benchmark.

        All networks that were fitted to the same data set are one benchmark. `also` are further columns of the frame
        that the threshold may depend on.
        """
        key: tuple[str | float, ...] = (metric, weight, *also)
        if key in self._left_out:
            return self._left_out[key]
        table = self.grid_losses(metric, weight)
        regret = table - table.min(axis=1, keepdims=True)
        found = np.full(len(self), np.nan)
        parts = [self._columns[name] for name in ("method", "score", "group")]
        parts += [self.frame[name].to_numpy(dtype=str) for name in also]
        kinds = np.array(["|".join(kind) for kind in zip(*parts, strict=True)])
        benchmarks = self._columns["benchmark"]
        for kind in np.unique(kinds):
            of_key = kinds == kind
            for benchmark in np.unique(benchmarks[of_key]):
                inside = of_key & (benchmarks == benchmark)
                others = of_key & ~inside
                if others.any():
                    found[inside] = choose_on_grid(regret[others].mean(axis=0))
        self._left_out[key] = found
        return found

    def take(self, rows: NDArray[Any]) -> Instances:
        """Return some of the instances."""
        taken = Instances(self.frame[rows].reset_index(drop=True))
        positions = np.flatnonzero(rows)
        taken.__dict__["states"] = [self.states[k] for k in positions]
        taken.__dict__["grid_counts"] = [self.grid_counts[k] for k in positions]
        return taken


def mean_errors(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each threshold, the mean over the proxies of the loss above that of the proxy's best threshold.

    `losses` has one row per proxy and one column per threshold; smaller is better (1 - F for an F score).
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise OptionError(f"losses need one row per proxy and one column per threshold, not the shape {table.shape}.")
    return np.asarray((table - table.min(axis=1, keepdims=True)).mean(axis=0))


def choose_on_grid(errors: NDArray[np.float64], grid: NDArray[np.float64] = GRID) -> float:
    """Return the threshold with the smallest mean error; of equally good ones, that nearest to one half.

    Equal errors are common: where all confidences are near 0 or 1, every threshold between selects the same edges.
    """
    best = np.flatnonzero(errors <= errors.min() + 1e-12)
    return float(grid[best[np.argmin(np.abs(grid[best] - 0.5))]])

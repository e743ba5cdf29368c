"""`CutSystem`: numbers that depend on one another in curves, cut into a few states as an analyst would cut them.

``system:nodes=10,mean_parents=1.5,seed=1``; every number is a sum of curves of its parents and noise, with
heavy tails for some; with ``straight=yes`` all are straight lines, and all noise is normal. What is seen are intervals:
a network over them has no table that is exactly right, and a variable that was cut no longer blocks all that it did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import ConfigError
from arcwise.graph import Dag, sparse_dag
from arcwise_studies.source_text import SourceText

__all__ = ["CutSystem", "check_system", "cut_system"]

OPTIONS = {**dict.fromkeys(("nodes", "seed", "least_bins", "most_bins"), int), "mean_parents": float, "straight": str}
CURVES: tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], ...] = (
    lambda x: x,
    lambda x: x,  # as often straight as curved
    lambda x: (x * x - 1) / np.sqrt(2),
    np.tanh,
    lambda x: np.sin(2 * x),
    lambda x: np.where(x > 0, 1.0, -1.0),
)
# Of variance 1; "heavy" is Student's t with three degrees of freedom.
NOISES: tuple[Callable[[np.random.Generator, int], NDArray[np.float64]], ...] = (
    lambda rng, size: rng.normal(size=size),
    lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
    lambda rng, size: rng.uniform(-np.sqrt(3), np.sqrt(3), size=size),
)


@dataclass(frozen=True, eq=False)
class CutSystem:
    """A system of numbers; `sample` returns their intervals."""

    dag: Dag
    curves: tuple[tuple[int, ...], ...]  # which curve each parent has, and
    weights: tuple[tuple[float, ...], ...]  # its weight
    noises: tuple[int, ...]
    bins: tuple[int, ...]
    equal_width: tuple[bool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.dag.names

    def numbers(self, n_cases: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw cases of the numbers: a row per variable, each of mean 0 and variance 1 in the sample."""
        values = np.empty((self.dag.n_nodes, n_cases))
        for v in self.dag.topological_order:
            drawn = NOISES[self.noises[v]](rng, n_cases)
            for parent, curve, weight in zip(self.dag.parents[v], self.curves[v], self.weights[v], strict=True):
                drawn = drawn + weight * CURVES[curve](values[parent])
            values[v] = (drawn - drawn.mean()) / max(float(drawn.std()), 1e-12)
        return values

    def sample(self, n_cases: int, *, seed: np.random.Generator | int, threads: int = 1) -> Dataset:
        """Draw cases, and cut each variable into intervals of equally many cases, or of equal width."""
        numbers = self.numbers(n_cases, np.random.default_rng(seed))
        codes = np.empty((n_cases, len(numbers)), dtype=np.int64)
        for v, own in enumerate(numbers):
            if self.equal_width[v]:
                cuts = np.linspace(own.min(), own.max(), self.bins[v] + 1)[1:-1]
            else:
                cuts = np.quantile(own, np.linspace(0, 1, self.bins[v] + 1)[1:-1])
            codes[:, v] = np.searchsorted(cuts, own, side="left")
        states = [[str(k) for k in range(bins)] for bins in self.bins]
        return Dataset.from_codes(codes, names=list(self.names), states=states)


def check_system(source: SourceText) -> dict[str, Any]:
    """Return the options of a system, checked."""
    options: dict[str, Any] = {"seed": 0, "mean_parents": 1.5, "least_bins": 2, "most_bins": 5} | source.values(OPTIONS)
    if options.get("straight", "yes") != "yes":
        raise ConfigError(f"'{source.text}': straight takes 'yes', or is left out.")
    if options.get("nodes", 0) < 2 or options["seed"] < 0 or options["mean_parents"] < 0:
        raise ConfigError(f"'{source.text}': nodes must be at least 2, seed and mean_parents at least 0.")
    if not 2 <= options["least_bins"] <= options["most_bins"]:
        raise ConfigError(f"'{source.text}': 2 <= least_bins <= most_bins must hold.")
    return options


def cut_system(source: SourceText) -> CutSystem:
    """Return the system that the text describes; the same text gives the same system."""
    options = check_system(source)
    rng = np.random.default_rng(options["seed"])
    nodes = options["nodes"]
    dag = sparse_dag(nodes, rng, mean_parents=min(options["mean_parents"], (nodes - 1) / 3))
    counts = [len(own) for own in dag.parents]
    curves, noises = (1, 1) if "straight" in options else (len(CURVES), len(NOISES))
    return CutSystem(
        dag,
        tuple(tuple(rng.integers(curves, size=k).tolist()) for k in counts),
        tuple(tuple((rng.uniform(0.5, 1.2, size=k) * rng.choice([-1, 1], size=k)).tolist()) for k in counts),
        tuple(rng.integers(noises, size=nodes).tolist()),
        tuple(rng.integers(options["least_bins"], options["most_bins"] + 1, size=nodes).tolist()),
        tuple((rng.random(nodes) < 0.25).tolist()),
    )

"""`EdgeConfidence`: for each pair of variables, the weight of the networks in which an edge joins them, and how."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError, suggestion
from arcwise.base.showing import LINES, html_table, one_screen
from arcwise.confidence.calibration import Calibration, calibration_table
from arcwise.confidence.files import GAP_COLUMNS, Orientation, read_confidence, rounded, save_confidence
from arcwise.confidence.probability import edge_probability
from arcwise.graph.constraints import Constraints
from arcwise.graph.fixed_pairs import FixedPairs
from arcwise.networks.origin import fixed_pairs
from arcwise.networks.recipe import Origin, Recipe
from arcwise.plotting.charts import plot_forest, plot_matrix

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.confidence.probability import EdgeProbability


@one_screen
@dataclass(frozen=True, slots=True)
class PairConfidence:
    """The confidence in one pair of variables; the four states sum to 1."""

    first: str
    second: str
    forward: float  # first -> second
    backward: float  # second -> first
    undirected: float
    absent: float

    @property
    def present(self) -> float:
        """The confidence that an edge of any kind joins the two."""
        return 1.0 - self.absent


@dataclass(frozen=True, eq=False)
class EdgeConfidence:
    """How far each edge can be trusted, from a set of weighted networks.

    Parameters
    ----------
    names
        The variables.
    directed
        n x n; entry [i, j] is the weight of the networks with the arc i -> j (a compelled one if `orient` is "cpdag").
    undirected
        n x n, symmetric; the weight of the networks in which i and j are joined without a direction: reversible edges
        if `orient` is "cpdag", all edges if it is "skeleton", none if it is "dag".
    orient
        How the networks were read: as equivalence classes ("cpdag"), as DAGs, or as skeletons.
    origin
        How the networks were found: "credible", "bootstrap", ...
    n_networks
        How many networks there are, M.
    weights
        "posterior", "equal", or "given".
    exact
        True if the networks are all there are (a complete credible set), False for a sample (a bootstrap), whose
        confidences have a Monte Carlo error, and for a set that a limit cut short, whose error is unknown.
    complete
        False if a limit cut the set of networks short.
    recipe
        How the networks were made, where known: source, score, settings, parent limit, constraints.
    n_cases, data_digest
        What they were learned from, where known.
    constraints
        What every network satisfies; where it is not given, what the recipe says.
    targets
        The variables that experiments set, experiment by experiment.
    beliefs
        The prior odds that the networks were weighed by, as `Beliefs.describe` says them; where they are not given,
        what the recipe says.
    feature
        What joins the two variables of a pair: "edge", or "markov-blanket" or "path".
    completions
        Over how many completions of data with gaps the confidences are averages; 0 for data without gaps.
    spread
        n x n: the standard deviation of `present` between completions; None without, or if every network has a
        completion of its own, as in a bootstrap: then `standard_error` has it in it.
    filled
        n x n: the share of the cases in which one of the two values, or both, were missing; None for data without gaps.
    effective
        n x n; how many independent networks the networks are worth for each pair, where chains drew them; None if they
        are independent.
    calibration
        How confidences become probabilities; None for the package's own way (see `calibrate`).
    """

    names: tuple[str, ...]
    directed: NDArray[np.float64]
    undirected: NDArray[np.float64]
    orient: Orientation
    origin: str
    n_networks: int
    weights: str
    exact: bool
    complete: bool = True
    recipe: Recipe | None = None
    n_cases: int | None = None
    data_digest: str | None = None
    feature: str = "edge"
    constraints: Constraints | None = None
    targets: tuple[tuple[str, ...], ...] = ()
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    effective: NDArray[np.float64] | None = None
    completions: int = 0
    spread: NDArray[np.float64] | None = None
    filled: NDArray[np.float64] | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        if self.constraints is None and self.recipe is not None:
            object.__setattr__(self, "constraints", self.recipe.constraints_on(self.names))
        if not self.beliefs and self.recipe is not None:
            object.__setattr__(self, "beliefs", self.recipe.beliefs)

    @cached_property
    def fixed(self) -> FixedPairs | None:
        """The pairs whose edges have their directions from constraints, experiments or odds; None if there are none."""
        return fixed_pairs(self.names, self.constraints, self.targets, self.beliefs)

    @cached_property
    def present(self) -> NDArray[np.float64]:
        """n x n, symmetric: the confidence that an edge of any kind joins i and j."""
        return rounded(self.directed + self.directed.T + self.undirected)

    @cached_property
    def probability(self) -> EdgeProbability:
        """How probable each edge is, and its directions: of edges with 0.9, nine in ten are real in known networks.

        A confidence says in how many of the networks an edge is; how often an edge of that confidence is real is
        another question. `probability.calibration` says how it was answered.
        """
        return edge_probability(self, self.calibration or calibration_table().calibration(self))

    @cached_property
    def standard_error(self) -> NDArray[np.float64]:
        """The Monte Carlo standard error of `present`, sqrt(p (1 - p) / M); zero where the confidences are exact.

        For chains, M is the effective number of draws. Averages over completions have that of a mean over them:
        `spread` / sqrt(completions). NaN for an ensemble, whose confidences are not averages over networks, for a
        credible set that a limit cut short, and for a part of the draws of chains.
        """
        if self.exact:
            return np.zeros_like(self.present)
        if self.spread is not None:
            return np.asarray(self.spread / np.sqrt(max(self.completions, 1)))
        if not Origin(self.origin).is_sample:
            return np.full_like(self.present, np.nan)
        spread = self.present * (1.0 - self.present)
        if self.effective is None:
            return np.sqrt(spread / max(self.n_networks, 1))
        return np.where(spread > 0, np.sqrt(spread / self.effective), 0.0)

    @cached_property
    def vector(self) -> NDArray[np.float64]:
        """The confidences of all n (n - 1) / 2 pairs, in the order of `pairs`."""
        return self.present[np.triu_indices(len(self.names), 1)]

    @property
    def pairs(self) -> Iterator[PairConfidence]:
        """All pairs, i < j, by i and then by j."""
        for i, j in zip(*np.triu_indices(len(self.names), 1), strict=True):
            yield self.pair(self.names[int(i)], self.names[int(j)])

    def pair(self, first: str, second: str) -> PairConfidence:
        """Return the confidence in one pair of variables."""
        i, j = self._position(first), self._position(second)
        if i == j:
            raise OptionError(f"a pair needs two variables; got '{first}' twice.")
        return PairConfidence(
            first=first,
            second=second,
            forward=float(self.directed[i, j]),
            backward=float(self.directed[j, i]),
            undirected=float(self.undirected[i, j]),
            absent=float(1.0 - self.present[i, j]),
        )

    def __getitem__(self, pair: Any) -> float:
        """Return the confidence that an edge of any kind joins two variables: ``confidence["smoke", "cough"]``."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError(f"a confidence is asked for by two variables, confidence['a', 'b'], not by {pair!r}.")
        return self.pair(*pair).present

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _position(self, name: str) -> int:
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise OptionError(suggestion("variable", str(name), self.names)) from None

    def to_frame(self, *, above: float = 0.0) -> pd.DataFrame:
        """Return one row per pair with confidence above the given value, the most certain first."""
        import pandas as pd

        # Of thousands of variables, very few of all pairs have a confidence above 0.
        i, j = np.triu_indices(len(self.names), 1) if above < 0 else np.nonzero(np.triu(self.present > above, 1))
        names = np.array(self.names, dtype=object)
        columns: dict[str, NDArray[Any]] = {
            "first": names[i],
            "second": names[j],
            "present": self.present[i, j],
            "forward": self.directed[i, j],
            "backward": self.directed[j, i],
            "undirected": self.undirected[i, j],
            "absent": 1.0 - self.present[i, j],
            "standard_error": self.standard_error[i, j],
        }
        if self.feature == "edge":
            found = self.probability
            columns["probability"] = found.present[i, j].round(9)
            columns["probability_forward"] = found.directed[i, j].round(9)
            columns["probability_backward"] = found.directed[j, i].round(9)
            columns["probability_either"] = found.undirected[i, j].round(9)
        columns |= {name: own[i, j] for name in GAP_COLUMNS if (own := getattr(self, GAP_COLUMNS[name])) is not None}
        frame = pd.DataFrame(columns)
        # Sums of weights: what differs by rounding alone is equal, and equal pairs stay in the order of the variables.
        order = np.argsort(-frame["present"].round(9).to_numpy(), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def compare(self, other: EdgeConfidence) -> pd.DataFrame:
        """Return the confidences of both side by side, the largest difference first; the variables must be the same."""
        import pandas as pd

        if set(self.names) != set(other.names):
            odd = sorted(set(self.names) ^ set(other.names))
            raise OptionError(f"the two are over different variables: {', '.join(odd)} occur in one only.")
        order = [other.names.index(name) for name in self.names]
        theirs = other.present[np.ix_(order, order)]
        i, j = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame({"first": names[i], "second": names[j], "here": self.present[i, j], "there": theirs[i, j]})
        frame["difference"] = frame["here"] - frame["there"]
        by_size = frame["difference"].abs().sort_values(ascending=False, kind="stable").index
        return frame.loc[by_size].reset_index(drop=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the confidences: Parquet (``*.parquet``, with all facts) or CSV (``*.csv``, ``*.csv.gz``)."""
        save_confidence(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EdgeConfidence:
        """Read confidences that `save` wrote; the content is checked."""
        return cls(**read_confidence(path))

    def plot(
        self, kind: Literal["matrix", "forest"] = "matrix", *, above: float = 0.05, ax: Axes | None = None
    ) -> Axes:
        """Draw all confidences as a matrix, or those above a value one by one; return the axes.

        In a forest, lines are two standard errors long each way; a confidence without a standard error is a point.
        """
        if kind == "matrix":
            return plot_matrix(self.names, self.present, labels=("", ""), legend="confidence in an edge", ax=ax)
        if kind != "forest":
            raise OptionError(suggestion("kind of plot", str(kind), ("matrix", "forest")))
        frame = self.to_frame(above=above)
        values = frame["present"].to_numpy(dtype=float)
        error = 2 * np.nan_to_num(frame["standard_error"].to_numpy(dtype=float))
        names = [f"{first} — {second}" for first, second in zip(frame["first"], frame["second"], strict=True)]
        return plot_forest(names, values, np.clip(values - error, 0, 1), np.clip(values + error, 0, 1), ax=ax)

    def __repr__(self) -> str:
        kind = f"{self.origin}, {self.n_networks:,} networks, {self.weights} weights, {self.orient}"
        likely = int((self.vector > 0.5).sum())
        return f"EdgeConfidence({len(self.names)} variables, {likely} pairs above 0.5; {kind})"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        columns = ["first", "second", "present", "forward", "backward", "undirected"]
        rows = frame[columns].head(LINES).itertuples(index=False, name=None)
        return html_table(repr(self), columns, rows, len(frame))

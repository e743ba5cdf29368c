"""`VariableFinding`: what one variable depends on, how far that can be trusted, and how much it matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr, xlogy

from arcwise.base.errors import ArcwiseError
from arcwise.base.showing import LINES, html_table, one_screen
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset
from arcwise.findings.method_result import is_few
from arcwise.model.network import BayesianNetwork
from arcwise.networks.classes import blanket_shares
from arcwise.networks.recipe import networks_title
from arcwise.plotting.charts import plot_bars

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.analysis.questions import Questions
    from arcwise.graph.dag import Dag


# A variable with less confidence that is in no network at hand is left out.
FLOOR = 0.01
# Rows over which information is averaged.
MOST_ROWS = 20_000
# Cells of a table of two variables that are counted.
MOST_CELLS = 10_000_000
ROUNDING = 1e-9  # a change that is rounding alone


@one_screen
@dataclass(frozen=True)
class Neighbour:
    """Another variable, as one variable sees it."""

    name: str
    confidence: float  # in an edge, ...
    towards: float  # ... in one that points to the variable, ...
    away: float  # ... away from it, ...
    either: float  # ... or could do either
    direction: str  # "towards it" or "away from it" if settled; else "open", or "" where there is no edge
    in_network: str  # "parent", "child", "partner" (a child's other parent), or "" for none
    in_blanket: float | None  # the share of the networks with it in the Markov blanket; None if they are not at hand
    # What it tells beyond the rest of the blanket: the mutual information given the others under the network, in bits;
    # None outside the blanket, and where tables with so many cells would tell as much by chance.
    information: float | None
    alone: float | None  # what it tells alone in the data, in bits; None where chance would tell as much
    # The largest change in the probability of a state of the variable when this one is observed in one state instead
    # of another, None if the network has no path between them; and where: (its first state, its second state, the
    # variable's state).
    change: float | None
    at: tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class VariableFinding:
    """What one variable depends on.

    Parameters
    ----------
    name, states, shares
        The variable, and the share of the cases in each state.
    neighbours
        All variables that may be joined to it or are in its blanket, the most trusted first, and of equally trusted
        ones those that matter most.
    blanket
        Its Markov blanket in the network: given these, all others tell nothing more about it.
    blankets
        Whole blankets with the share of the networks that have them, the most frequent first; empty if networks are
        not at hand.
    known, entropy
        What the blanket tells about it, and how uncertain it is without, in bits.
    n_networks, networks
        How many networks the shares are over, and what they are: "networks drawn from the posterior".
    few
        Whether these are too few for their shares to say how far an edge can be trusted.
    """

    name: str
    states: tuple[str, ...]
    shares: tuple[float, ...]
    neighbours: tuple[Neighbour, ...]
    blanket: tuple[str, ...]
    blankets: tuple[tuple[tuple[str, ...], float], ...]
    known: float
    entropy: float
    n_networks: int
    networks: str = "networks"
    few: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per neighbour."""
        import pandas as pd

        known = ["confidence", "towards", "away", "either", "direction", "in_network", "in_blanket"]
        known += ["information", "alone", "change"]
        rows = [(one.name, *(getattr(one, name) for name in known), *one.at) for one in self.neighbours]
        return pd.DataFrame(rows, columns=["variable", *known, "from", "to", "state"])

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw confidence and information of every neighbour as bars; return the axes."""
        values = {
            "confidence": [one.confidence for one in self.neighbours],
            "information (bits)": [one.information or 0.0 for one in self.neighbours],
        }
        return plot_bars([one.name for one in self.neighbours], values, title=self.name, ax=ax)

    def __repr__(self) -> str:
        return f"VariableFinding({self.name}: {len(self.blanket)} variables in its blanket)"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        return html_table(
            repr(self), list(map(str, frame)), frame.head(LINES).itertuples(index=False, name=None), len(frame)
        )


def describe_variable(source: Questions, name: str) -> VariableFinding:
    """Return what one variable depends on, from the confidences, the networks and the consensus network."""
    network, confidence, data = source.network, source.confidence, source.one_copy
    v = network.index(name)
    dag = network.dag
    blanket = dag.markov_blanket(name)
    shares, whole, count = _blankets(source, v)
    rows = _rows(data)
    base = np.asarray(network.query(name).probabilities)
    full = network.predict_proba(rows, name, progress=False) if blanket else np.tile(base, (rows.n_rows, 1))
    at = {other: k for k, other in enumerate(confidence.names)}
    found = []
    for other in network.names:
        if other == name:
            continue
        pair = confidence.pair(name, other)
        share = None if shares is None else float(shares[at[other]])
        if other not in blanket and pair.present < FLOOR and (share or 0.0) < FLOOR:
            continue
        information = _beyond(network, rows, name, other, full) if other in blanket else None
        if information is not None and information <= _in_bits(_chance(network.dag, data, name, other), data):
            information = None
        change, where = _change(network, data, name, other)
        found.append(
            Neighbour(
                other,
                pair.present,
                pair.backward,
                pair.forward,
                pair.undirected,
                _direction(source, name, other) if pair.present > 0 else "",
                _role(network, name, other, blanket),
                share,
                information,
                _alone(data, name, other),
                change,
                where,
            )
        )
    # What differs by rounding alone is equal.
    found.sort(
        key=lambda one: (-round(one.confidence, 2), -round(one.information or 0.0, 6), -round(one.alone or 0.0, 6))
    )
    counts = np.bincount(data.codes[data.index(name)], weights=data.row_weights, minlength=len(network.states[v]))
    return VariableFinding(
        name=name,
        states=network.states[v],
        shares=tuple((counts / counts.sum()).tolist()),
        neighbours=tuple(found),
        blanket=blanket,
        blankets=tuple(whole[:5]),
        known=_divergence(full, base, rows),
        entropy=float(-xlogy(base, base).sum() / np.log(2)),
        n_networks=count,
        networks=networks_title(confidence.recipe),
        few=confidence.recipe is not None and is_few(confidence.n_networks, confidence.recipe),
    )


def _blankets(source: Questions, v: int) -> tuple[NDArray[np.float64] | None, list[tuple[tuple[str, ...], float]], int]:
    try:
        networks = source.networks
    except ArcwiseError:  # no networks were kept
        return None, [], 0
    at = networks.names.index(source.network.names[v])
    shares, whole = blanket_shares(networks, at)
    return shares, whole, networks.count


def _rows(data: Dataset) -> Dataset:
    """Return the rows to average over: all, or those of evenly spaced cases of very many.

    A few rows may stand for most cases: of evenly spaced rows, each with its weight, the mean would be that of whether
    these are among them.
    """
    if data.n_rows <= MOST_ROWS:
        return data
    cases = np.linspace(0, data.n_cases - 1, MOST_ROWS).astype(np.int64)
    if data.weights is None:
        return data.take(cases)
    return data.unweighted().take(np.searchsorted(np.cumsum(data.weights), cases, side="right")).collapse()


def _direction(source: Questions, name: str, other: str) -> str:
    settled = source.settled
    return "towards it" if (other, name) in settled else "away from it" if (name, other) in settled else "open"


def _role(network: BayesianNetwork, name: str, other: str, blanket: tuple[str, ...]) -> str:
    if other in network.dag.parents_of(name):
        return "parent"
    if other in network.dag.children_of(name):
        return "child"
    return "partner" if other in blanket else ""


def _divergence(full: NDArray[np.float64], part: NDArray[np.float64], rows: Dataset) -> float:
    """Return the mean over cases of the divergence of P(x | all) from P(x | some), in bits."""
    each = (xlogy(full, full) - xlogy(full, np.maximum(part, 1e-300))).sum(axis=1)
    weights = None if rows.row_weights is None else np.asarray(rows.row_weights, dtype=np.float64)
    return max(0.0, float(np.average(each, weights=weights)) / float(np.log(2)))


def _beyond(network: BayesianNetwork, rows: Dataset, name: str, other: str, full: NDArray[np.float64]) -> float:
    """Return what a variable tells about another beyond all others: I(x; w | the rest), in bits."""
    kept = [column for column in rows.names if column not in (other, name)]
    if not kept:
        without = np.tile(np.asarray(network.query(name).probabilities), (rows.n_rows, 1))
    else:
        without = network.predict_proba(rows.select(kept), name, progress=False)
    return _divergence(full, without, rows)


def _chance(dag: Dag, data: Dataset, name: str, other: str) -> int:
    """Return how many probabilities only the dependence of two variables adds to the tables that have both."""
    added = 0
    for child in dag.names:
        parents = dag.parents_of(child)
        if {name, other} <= {child, *parents}:
            gone = other if child != other else name
            fewer = [parent for parent in parents if parent != gone]
            added += (data.arities[data.index(child)] - 1) * (_n_rows_of(data, parents) - _n_rows_of(data, fewer))
    return int(added)


def _n_rows_of(data: Dataset, names: Sequence[str]) -> int:
    """Return how many combinations of the states of some variables the data show."""
    return data.select(names).collapse().n_rows if names else 1


def _in_bits(added: int, data: Dataset) -> float:
    """Return what so many probabilities must tell to be worth it: twice the mean by chance, as the AIC asks."""
    return added / (data.n_effective * float(np.log(2)))


def _alone(data: Dataset, name: str, other: str) -> float | None:
    """Return the mutual information in the data, in bits; None if chance would give a table of its size as much."""
    pair = data.index(other), data.index(name)
    if np.prod(data.arities[list(pair)].astype(float)) > MOST_CELLS:
        return None
    counts = contingency(data, pair)
    shares = counts / counts.sum()
    found = float(rel_entr(shares, shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)).sum())
    rows, columns = (int((counts.sum(axis=axis) > 0).sum()) for axis in (1, 0))
    bits = found / float(np.log(2))
    return bits if bits > _in_bits((rows - 1) * (columns - 1), data) else None


def _change(
    network: BayesianNetwork, data: Dataset, name: str, other: str
) -> tuple[float | None, tuple[str, str, str]]:
    """Return the largest change of a probability under the network, and where; None if there is no dependence."""
    joint = np.asarray(network.query([other, name]).probabilities)
    single = joint.sum(axis=1, keepdims=True)
    given = np.divide(joint, single, out=np.tile(joint.sum(axis=0), (len(joint), 1)), where=single > 0)
    # Only states that occur: of others the tables know nothing.
    counts = np.bincount(data.codes[data.index(other)], weights=data.row_weights, minlength=len(given))
    seen = np.flatnonzero(counts > 0)
    span = given[seen].max(axis=0) - given[seen].min(axis=0)
    if span.max() < ROUNDING:
        return None, ("", "", "")
    s = int(np.argmax(span > span.max() - 1e-12))
    low, high = int(seen[given[seen, s].argmin()]), int(seen[given[seen, s].argmax()])
    states, own = network.states[network.index(other)], network.states[network.index(name)]
    return float(span[s]), (states[low], states[high], own[s])

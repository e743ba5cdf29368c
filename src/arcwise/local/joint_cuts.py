"""Cut points that are chosen together with the structure: cuts for a network, a network for the cuts, and again.

Friedman and Goldszmidt ("Discretizing continuous attributes while learning Bayesian networks", ICML 1996) describe
the data by a network over intervals, the cut points, and the values within their intervals. What changes with the
cuts of one variable X, all else being equal, is in nats

    DL(X) = (ln N / 2) (parameters of the families of X and of its children)
            + (m - 1) H((k - 1) / (m - 1))                             which k - 1 of m - 1 possible cuts
            - N (I(X; parents of X) + sum over children Y of I(Y; parents of Y)),

with m distinct values, k intervals, H the entropy of a coin and I the mutual information over intervals. Information
takes the place of likelihood: what an interval says less about its values, their description within it says more.
Where experiments set variables, a family is described without the rows in which its child was set, as it is scored;
N is the number of the others.

The paper splits greedily. Here the best cuts for each k are found exactly: for given k the description is a sum over
intervals, so that dynamic programming over m possible cuts (64 at most) takes m^2 x (k + cells of the families).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset
from arcwise.data.discretize import apply_cuts, intervals_of, quantiles
from arcwise.data.table import Table
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.searches import hill_climb

Cuts = dict[str, NDArray[np.float64]]

# Possible cuts of a variable: all between distinct values, or this many with about equal numbers of rows between them,
CANDIDATES = 48
GAPS = 16  # and those in the widest gaps, where states part
MOST_INTERVALS = 8
ROUNDS = 10  # of cuts and structure; the description length stops falling long before
MOST_CELLS = 2_000_000  # of a family's table, with the finest intervals; larger families do not take part


@one_screen
@dataclass(frozen=True, eq=False)
class JointCuts:
    """Cut points, the network that they were chosen with, and how long the description is, round by round."""

    cuts: Cuts
    dag: Dag
    lengths: tuple[float, ...]  # in nats, up to what does not depend on cuts and structure
    status: Status = Status.COMPLETE  # or TIME_LIMIT: more time might have found other cuts


def joint_cuts(
    table: Table,
    columns: Iterable[str],
    *,
    start_bins: int = 3,
    categorical: Iterable[str] | bool = False,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    limits: Limits | None = None,
    seed: int = 0,
) -> JointCuts:
    """Cut columns of numbers where that pays for the network: two steps in turn, until the description is shortest.

    Parameters
    ----------
    table, columns
        Complete data, and the columns of numbers to cut; the others must be discrete.
    start_bins
        The first cuts are quantiles; the structure that they give is where it begins.
    categorical
        Columns of numbers that are categories, however many values they have; True for all.
    constraints, max_parents, seed
        For the search of the structure, hill climbing with BIC.
    limits
        If the time ends, the cuts of the last finished round are returned, and `status` says so.

    Returns
    -------
    JointCuts
        A column that no cut pays for, since it is joined to nothing, is cut once, at its median.
    """
    names = table.checked_names(columns, "columns")
    kept = categorical if isinstance(categorical, bool) else [n for n in categorical if n in table.names]
    return alternate_cuts(
        {name: table.column(name).values() for name in names},
        lambda cuts: apply_cuts(table, cuts, keep_empty=False).to_dataset(categorical=kept),
        Run(seed, limits=limits, progress=False),
        start_bins,
        constraints=constraints,
        max_parents=max_parents,
    )


def alternate_cuts(
    values: Mapping[str, NDArray[np.float64]],
    coded: Callable[[Cuts], Dataset],
    run: Run,
    start_bins: int,
    **search: Any,
) -> JointCuts:
    """Choose the cuts of numbers as `joint_cuts` does; `coded` returns the data for cuts, with a row per number.

    `search` are the constraints and the parent limit of the structure.
    """
    fine = {name: _Fine.of(own) for name, own in values.items()}
    cuts = {name: quantiles(own, start_bins) for name, own in values.items()}
    best: JointCuts | None = None
    lengths: list[float] = []
    status = Status.COMPLETE
    for _ in range(ROUNDS):
        data = coded(cuts)
        found = hill_climb(data, "bic", seed=run.seed, progress=False, limits=run.limits, by_position=True, **search)
        found.status.unless_interrupted()
        status = found.status
        dag = found.dag.reorder(data.names)
        cuts, data = _recut(coded, data, dag, cuts, fine, run)
        lengths.append(_length(data, dag, cuts, fine))
        if best is not None and lengths[-1] >= best.lengths[-1] - 1e-9:
            break
        best = JointCuts(dict(cuts), dag, tuple(lengths))
        if run.is_over:
            status = Status.TIME_LIMIT
            break
    assert best is not None
    return JointCuts(best.cuts, best.dag, tuple(lengths), status)


@dataclass(frozen=True, eq=False)
class _Fine:
    """A column in its finest intervals."""

    cuts: NDArray[np.float64]
    codes: NDArray[np.int64]
    distinct: int

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> _Fine:
        distinct = np.unique(values)
        middles = 0.5 * (distinct[1:] + distinct[:-1])
        if len(middles) > CANDIDATES + GAPS:
            wanted = np.quantile(values, np.arange(1, CANDIDATES + 1) / (CANDIDATES + 1), method="inverted_cdf")
            even = np.clip(np.searchsorted(distinct, wanted), 0, len(middles) - 1)
            wide = np.argsort(-np.diff(distinct), kind="stable")[:GAPS]
            middles = middles[np.unique(np.concatenate([even, wide]))]
        return cls(middles, intervals_of(values, middles), len(distinct))

    def policy(self, intervals: int) -> float:
        """Return the cost of describing which cuts were chosen, in nats."""
        possible = self.distinct - 1
        share = min(max((intervals - 1) / possible, 0.0), 1.0)
        inside = 0.0 < share < 1.0
        return possible * -(share * math.log(share) + (1 - share) * math.log(1 - share)) if inside else 0.0


def _recut(
    coded: Callable[[Cuts], Dataset], data: Dataset, dag: Dag, cuts: Cuts, fine: dict[str, _Fine], run: Run
) -> tuple[Cuts, Dataset]:
    """Re-cut each column in turn for a given structure, until none changes or the time is over."""
    cuts = dict(cuts)
    waiting = list(cuts)
    for _ in range(20 * len(cuts)):
        if not waiting or run.is_over:
            break
        name = waiting.pop(0)
        chosen = _cuts_for(data, dag, name, fine[name])
        if np.array_equal(chosen, cuts[name]):
            continue
        cuts[name] = chosen
        data = coded(cuts)
        blanket = dag.markov_blanket(name)
        waiting += [other for other in cuts if other in blanket and other not in waiting]
    return cuts, data


def _cuts_for(data: Dataset, dag: Dag, name: str, fine: _Fine) -> NDArray[np.float64]:
    """Return the best cuts of one column, given the structure and the cuts of the others."""
    v = data.index(name)
    size = len(fine.cuts) + 1
    gains = np.zeros((size + 1, size + 1))
    penalty, base = 0.0, 0.0  # for each interval, and whatever their number
    arities = [int(r) for r in data.arities]
    # Its own family, if it has parents, and those of its children: the child, the other members, rows per total.
    families = [(v, list(dag.parents[v]), 1)] if dag.parents[v] else []
    families += [(c, [*(p for p in dag.parents[c] if p != v), c], arities[c]) for c in dag.children[v]]
    for child, members, states in families:
        cells = math.prod(arities[member] for member in members)
        weights = _weights(data, child)
        if cells * size <= MOST_CELLS and weights.any():
            gains += interval_gains(_joint(data, members, fine, weights), states)
            half = 0.5 * math.log(weights.sum())
            if child == v:
                penalty, base = penalty + half * cells, base - half * cells
            else:
                penalty += half * (cells // states) * (states - 1)
    best: tuple[float, list[int]] | None = None
    for total, ends in best_partition(gains, MOST_INTERVALS):
        k = len(ends)
        length = penalty * k + base + fine.policy(k) - total
        if best is None or length < best[0] - 1e-9:
            best = (length, ends)
    assert best is not None
    chosen = np.asarray(fine.cuts[[end - 1 for end in best[1][:-1]]])
    if len(chosen):
        return chosen
    weights = data.times
    middle = int(np.searchsorted(np.cumsum(np.bincount(fine.codes, weights, minlength=size)), weights.sum() / 2))
    return np.asarray(fine.cuts[[min(middle, len(fine.cuts) - 1)]])


def _weights(data: Dataset, child: int) -> NDArray[np.float64]:
    """Return what each row counts for in a family: nothing where its child was set."""
    weights = data.cases_without(data.names[child]).weights
    return np.ones(data.n_rows) if weights is None else weights.astype(np.float64)


def _joint(data: Dataset, members: Iterable[int], fine: _Fine, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count configurations of variables against the finest intervals; the last variable varies fastest."""
    index, rows = _configurations(data, members)
    size = len(fine.cuts) + 1
    counts = np.bincount(index * size + fine.codes, weights, minlength=rows * size)
    return np.asarray(counts.reshape(rows, size), dtype=np.float64)


def _configurations(data: Dataset, members: Iterable[int]) -> tuple[NDArray[np.int64], int]:
    """Return the number of each row's configuration of some variables, and how many there are."""
    index, count = np.zeros(data.n_rows, dtype=np.int64), 1
    for member in members:
        index = index * int(data.arities[member]) + data.codes[member]
        count *= int(data.arities[member])
    return index, count


def interval_gains(counts: NDArray[np.float64], per_total: int) -> NDArray[np.float64]:
    """Return for all a < b what the intervals a to b - 1, taken as one, add to N times the mutual information.

    `counts` has a row per configuration and a column per finest interval. Every `per_total` rows share a total: all
    states of a child under one configuration of its other parents. With 1, rows are configurations of the parents of
    the variable itself, and the total is over all of them.
    """
    below = np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)
    groups = below.sum(axis=0, keepdims=True) if per_total == 1 else below.reshape(-1, per_total, below.shape[1]).sum(1)
    gains = np.zeros((below.shape[1], below.shape[1]))
    for start in range(below.shape[1] - 1):
        cells = below[:, start + 1 :] - below[:, [start]]
        totals = groups[:, start + 1 :] - groups[:, [start]]
        gains[start, start + 1 :] = _n_log_n(cells).sum(axis=0) - _n_log_n(totals).sum(axis=0)
    return gains


def best_partition(gains: NDArray[np.float64], most: int) -> Iterable[tuple[float, list[int]]]:
    """Yield for 1, 2, ... intervals the best sum of gains and where the intervals end: dynamic programming."""
    size = len(gains) - 1
    best = gains[0].copy()
    best[0] = -np.inf
    came: list[NDArray[np.int64]] = []
    yield float(best[size]), [size]
    for _ in range(2, min(most, size) + 1):
        # The last interval begins somewhere, with one interval fewer before it.
        choices = np.where(np.tri(size + 1, k=-1, dtype=bool).T, best[:, None] + gains, -np.inf)
        came.append(choices.argmax(axis=0))
        best = choices.max(axis=0)
        ends, at = [size], size
        for step in reversed(came):
            at = int(step[at])
            ends.append(at)
        yield float(best[size]), ends[::-1]


def _n_log_n(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(counts * np.log(np.maximum(counts, 1e-300)))


def _length(data: Dataset, dag: Dag, cuts: Cuts, fine: dict[str, _Fine]) -> float:
    """Return the description length that depends on cuts and structure, in nats: penalties less N times information."""
    total = sum(fine[name].policy(len(points) + 1) for name, points in cuts.items())
    for v, parents in enumerate(dag.parents):
        weights = _weights(data, v)
        cases = float(weights.sum())
        if cases == 0:
            continue
        arity = int(data.arities[v])
        index, configurations = _configurations(data, parents)
        total += 0.5 * math.log(cases) * configurations * (arity - 1)
        joint = np.unique(index * arity + data.codes[v], return_inverse=True)[1].ravel()
        above = np.unique(index, return_inverse=True)[1].ravel()
        own = _n_log_n(np.bincount(data.codes[v], weights)).sum()
        information = _n_log_n(np.bincount(joint, weights)).sum() - _n_log_n(np.bincount(above, weights)).sum()
        total -= float(information - own + cases * math.log(cases))
    return float(total)

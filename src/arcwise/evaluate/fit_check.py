"""`check_fit`: does a network fit data? Independences that it implies, likelihoods to compare with, and pair tables.

The Markov check: a network says that two variables without an edge are independent given the parents of one of them. If
it is right, the p-values of these tests are uniform: as many below 0.05 as a twentieth. The predictive check asks how
strong the dependence of each pair is in data sets drawn from the network, and whether the data look like one of them
(Gelman, Meng and Stern 1996).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from arcwise.base.errors import DataError
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, generator_of
from arcwise.base.showing import ShowsFrame
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.model.network import BayesianNetwork
from arcwise.plotting.charts import plot_uniformity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


REPLICATES = 100
# A test needs so many cases per degree of freedom for its p-value to mean anything.
LEAST_CASES = 5
# Tables of pairs are made by products of matrices of so many rows, which are a few megabytes.
MOST_AT_ONCE = 2**14
# With more states than this on average, many rows are counted pair by pair in less time.
MOST_STATES = 4
# Pairs beyond this many standard deviations of the replicates do not fit, and the false discovery rate of tests.
FAR = 4.0
RATE = 0.05


@dataclass(frozen=True, slots=True)
class PairFit:
    """Two variables: the test of an independence that the network implies, and how its pair table compares.

    Parameters
    ----------
    first, second, given
        Two variables, and what they should be independent given; None where the network has an edge.
    p
        The p-value of the test; NaN where there is an edge, or too few cases for the table.
    information, expected, spread
        The mutual information of the pair in the data, and mean and standard deviation in data drawn from the network;
        NaN if none were.
    misfit
        Whether the pair does not fit.
    """

    first: str
    second: str
    given: tuple[str, ...] | None
    p: float
    information: float
    expected: float
    spread: float
    misfit: bool

    @property
    def z(self) -> float:
        """How many standard deviations the dependence in the data is from that in data drawn from the network."""
        return (self.information - self.expected) / self.spread if self.spread > 0 else math.nan


@dataclass(frozen=True, eq=False)
class FitCheck(ShowsFrame):
    """How far data look as a network says.

    Parameters
    ----------
    pairs
        Every pair of variables, those that fit worst first.
    n_tests, n_untested
        How many implied independences were tested, and how many have too few cases for a test.
    small
        The share of p-values below 0.05; a twentieth is to be expected.
    uniformity
        The p-value of a test of their uniformity (Kolmogorov and Smirnov), as if the tests were independent; NaN
        without tests.
    log_likelihood, independent, saturated
        Per case, natural logarithm: of the network; of a network without edges and of the frequencies of whole rows,
        both fitted to these very data, as the ends of the scale. What experiments set is given, in all three.
    replicates
        How many data sets were drawn from the network.
    status
        COMPLETE; TIME_LIMIT if fewer tests or data sets were made than asked for.
    """

    pairs: tuple[PairFit, ...]
    n_tests: int
    n_untested: int
    small: float
    uniformity: float
    log_likelihood: float
    independent: float
    saturated: float
    n_cases: int
    replicates: int
    status: Status = Status.COMPLETE

    @property
    def misfits(self) -> tuple[PairFit, ...]:
        """The pairs that do not fit, the worst first."""
        return tuple(pair for pair in self.pairs if pair.misfit)

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The p-values of the implied independences, rising."""
        return np.sort([pair.p for pair in self.pairs if not math.isnan(pair.p)])

    @property
    def share_explained(self) -> float:
        """Where the network lies between no edges (0) and the frequencies of whole rows (1); NaN if these are equal."""
        span = self.saturated - self.independent
        return (self.log_likelihood - self.independent) / span if span > 0 else math.nan

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, those that fit worst first."""
        import pandas as pd

        columns = ["first", "second", "given", "p", "information", "expected", "spread", "z", "misfit"]
        frame = pd.DataFrame([[getattr(pair, name) for name in columns] for pair in self.pairs], columns=columns)
        frame["given"] = [None if pair.given is None else ", ".join(pair.given) for pair in self.pairs]
        return frame

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the p-values of implied independences against uniform ones; return the axes."""
        return plot_uniformity(self.p_values, ax=ax)

    def __repr__(self) -> str:
        return (
            f"FitCheck({self.n_tests:,} independences, {self.small:.1%} below 0.05; {len(self.misfits)} pairs do not "
            f"fit; {self.n_cases:,} cases)"
        )


def markov_tests(
    dag: Dag, data: Dataset, run: Run | None = None
) -> dict[tuple[int, int], tuple[tuple[int, ...], float]]:
    """Test every independence of two variables without an edge, given the parents of one: {(i, j): (given, p)}.

    A variable is independent of what it does not lead to given its parents. Where that holds both ways, the smaller set
    is taken. G tests, with the degrees of freedom of the configurations that occur; NaN where the cases are too few.
    Cases in which an experiment set the variable whose parents are given are left out; that others were set does not
    change how it follows from its parents.
    """
    leads = _descendants(dag)
    arities = [int(r) for r in data.arities]
    found: dict[tuple[int, int], tuple[tuple[int, ...], float]] = {}
    for i, j in itertools.combinations(range(dag.n_nodes), 2):
        if dag.parent_masks[i] >> j & 1 or dag.parent_masks[j] >> i & 1:
            continue
        if run is not None and run.is_over:
            return found
        ways = [(a, b) for a, b in ((i, j), (j, i)) if not leads[a] >> b & 1]
        v, w = min(ways, key=lambda way: math.prod(arities[p] for p in dag.parents[way[0]]))
        given = tuple(dag.parents[v])
        found[i, j] = given, _g_test(data, v, w, given)
    return found


def _descendants(dag: Dag) -> list[int]:
    """Return what each variable leads to, as bits."""
    leads = [0] * dag.n_nodes
    for v in reversed(dag.topological_order):
        for child in dag.children[v]:
            leads[v] |= leads[child] | 1 << child
    return leads


def _g_test(data: Dataset, v: int, w: int, given: tuple[int, ...]) -> float:
    told = data.cases_without(data.names[v])
    if math.prod(int(data.arities[k]) for k in (*given, v, w)) > LEAST_CASES * max(told.n_cases, 1):
        return math.nan
    counts = contingency(told, [*given, v, w]).reshape(-1, int(data.arities[v]), int(data.arities[w])).astype(float)
    rows, columns, total = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
    free = ((rows > 0).sum(axis=1) - 1).clip(0) * ((columns > 0).sum(axis=1) - 1).clip(0)
    degrees = int(free[total > 0].sum())
    if degrees == 0 or told.n_cases < LEAST_CASES * degrees:
        return math.nan
    g = 2 * (
        xlogy(counts, counts).sum()
        - xlogy(rows, rows).sum()
        - xlogy(columns, columns).sum()
        + xlogy(total, total).sum()
    )
    return float(chdtrc(degrees, max(float(g), 0.0)))


def check_fit(
    network: BayesianNetwork,
    data: Dataset,
    *,
    replicates: int = REPLICATES,
    seed: Seed = 0,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> FitCheck:
    """Return how far data look as a network says.

    Parameters
    ----------
    network, data
        The network and the data: those that it was learned from, or new ones. States are those of the network.
    replicates
        How many data sets of the same size to draw from the network; 0 for none.
    seed, limits, progress
        See `Run`; the seed is that of the data sets, and a limit of time shows in the status.
    """
    if missing := [name for name in network.names if name not in data.names]:
        raise DataError(f"the data have no column {', '.join(repr(name) for name in missing)} of the network.")
    data = data if data.names == network.names else data.select(network.names)
    if not data.n_cases:
        raise DataError("there is no case to compare with.")
    if data.states != network.states:
        raise DataError("the data and the network have different states; code the data with those of the network.")
    with Run.begin(limits, progress) as run:
        distinct = data.collapse()  # what is counted is counted many times
        tests = markov_tests(network.dag, distinct, run)
        # What experiments set is not as in data that the network draws; without any other case, nothing is drawn.
        is_set = data.targets is not None and all(data.targets.sets)
        observed = distinct if is_set else distinct.observations()
        replicates = 0 if is_set else replicates
        seen = _pair_information(observed)
        drawn = []
        rng = generator_of(seed)
        for number in range(replicates):
            if run.is_over:
                break
            drawn.append(_pair_information(network.sample(observed.n_cases, seed=rng, progress=False)))
            run.report("data sets from the network", number + 1, replicates)
    n, names = network.n_variables, network.names
    everything = n * (n - 1) // 2 - len(network.dag.arcs)
    status = Status.COMPLETE if len(drawn) == replicates and len(tests) == everything else Status.TIME_LIMIT
    expected = np.mean(drawn, axis=0) if len(drawn) > 1 else np.full((n, n), np.nan)
    spread = np.std(drawn, axis=0, ddof=1) if len(drawn) > 1 else np.full((n, n), np.nan)
    from scipy.stats import kstest  # takes half a second to import

    tested = [p for _, p in tests.values() if not math.isnan(p)]
    cut = _false_discovery_cut(tested)
    pairs = []
    for i, j in itertools.combinations(range(n), 2):
        given, p = tests.get((i, j), (None, math.nan))
        between = None if given is None else tuple(names[k] for k in given)
        figures = float(seen[i, j]), float(expected[i, j]), float(spread[i, j])
        pair = PairFit(names[i], names[j], between, p, *figures, misfit=False)
        pairs.append(replace(pair, misfit=bool(p <= cut or abs(pair.z) > FAR)))
    pairs.sort(key=lambda pair: (not pair.misfit, 2.0 if math.isnan(pair.p) else pair.p, -abs(np.nan_to_num(pair.z))))
    return FitCheck(
        pairs=tuple(pairs),
        n_tests=len(tested),
        n_untested=len(tests) - len(tested),
        small=float(np.mean([p < 0.05 for p in tested])) if tested else math.nan,
        uniformity=float(kstest(tested, "uniform").pvalue) if tested else math.nan,
        log_likelihood=network.log_likelihood(data) / data.n_cases,
        independent=_independent(distinct),
        saturated=_saturated(distinct),
        n_cases=data.n_cases,
        replicates=len(drawn),
        status=status,
    )


def _false_discovery_cut(tested: list[float]) -> float:
    """Return the largest p-value that is a misfit if one in twenty misfits may be none (Benjamini, Hochberg 1995)."""
    ordered = np.sort(tested)
    good = np.flatnonzero(ordered <= RATE * np.arange(1, len(ordered) + 1) / max(len(ordered), 1))
    return float(ordered[good[-1]]) if len(good) else -1.0


def _pair_information(data: Dataset) -> NDArray[np.float64]:
    """Return the mutual information of every pair, in nats."""
    starts = np.concatenate([[0], np.cumsum(data.arities)])
    joint = _pair_counts(data, starts) / float(max(data.n_cases, 1))
    single = xlogy(joint.diagonal(), joint.diagonal())
    entropy = -np.add.reduceat(single, starts[:-1])
    both = xlogy(joint, joint)
    pair_entropy = -np.add.reduceat(np.add.reduceat(both, starts[:-1], axis=0), starts[:-1], axis=1)
    return np.asarray(np.maximum(entropy[:, None] + entropy[None, :] - pair_entropy, 0.0))


def _pair_counts(data: Dataset, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the tables of all pairs side by side: how often each state of each variable is there with each other.

    By products of matrices, of some rows each; where there are many rows and many states, one by one. Both are exact.
    """
    columns = int(starts[-1])
    counts = np.zeros((columns, columns))
    if data.n_rows > MOST_AT_ONCE and columns > MOST_STATES * data.n_variables:
        places = [slice(begin, end) for begin, end in itertools.pairwise(starts.tolist())]
        for i in range(data.n_variables):
            counts[places[i], places[i]] = np.diag(contingency(data, [i]))
            for j in range(i):
                counts[places[i], places[j]] = table = contingency(data, [i, j])
                counts[places[j], places[i]] = table.T
        return counts
    # Sums of ones are exact in single precision up to 2^24 only, and so are weights.
    precision = np.float32 if data.n_cases < 2**24 else np.float64
    for begin in range(0, data.n_rows, MOST_AT_ONCE):
        codes = data.codes[:, begin : begin + MOST_AT_ONCE]
        rows = np.arange(codes.shape[1])
        shown = np.zeros((len(rows), columns), dtype=precision)
        for v in range(data.n_variables):
            shown[rows, starts[v] + codes[v]] = 1.0
        weighted = shown
        if data.weights is not None:
            weighted = shown * data.weights[begin : begin + MOST_AT_ONCE, None].astype(precision)
        counts += weighted.T @ shown
    return counts


def _independent(data: Dataset) -> float:
    """Return the log likelihood per case of the best network without edges."""
    total = 0.0
    for v, name in enumerate(data.names):
        counts = contingency(data.cases_without(name), [v]).astype(np.float64)
        total += float(xlogy(counts, counts).sum() - xlogy(counts.sum(), counts.sum()))
    return total / data.n_cases


def _saturated(data: Dataset) -> float:
    """Return the log likelihood per case of the frequencies of whole rows: no model does better on these data.

    The rows are distinct. In each experiment the frequencies are those among the cases for which the same variables
    were set to the same. Terms are added by their size, so that the sum does not depend on the order of the cases.
    """
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    sets: tuple[tuple[str, ...], ...] = ((),)
    of_row = np.zeros(data.n_rows, dtype=np.int32)
    if data.targets is not None:
        sets, of_row = data.targets.sets, data.targets.of_row
    total = 0.0
    for number, names in enumerate(sets):
        rows = np.flatnonzero(of_row == number)
        given = np.zeros(len(rows), dtype=np.int64)
        for name in names:  # relabelled after each, so that no product overflows
            given = given * int(data.arities[data.index(name)]) + data.codes[data.index(name), rows]
            given = np.unique(given, return_inverse=True)[1].reshape(-1)
        whole, parts = np.sort(weights[rows]), np.sort(np.bincount(given, weights=weights[rows]))
        total += float(xlogy(whole, whole).sum() - xlogy(parts, parts).sum())
    return total / data.n_cases

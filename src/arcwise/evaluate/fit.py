"""How well a network fits data: the independences it implies, the pairs of variables, and the likelihood."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc, log_softmax, ndtri, xlogy

from arcwise.base.errors import DataError, Remedy
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, generator_of
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.counts import contingency
from arcwise.data.column import VariableKind
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.data.mixed import MixedData
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import reach
from arcwise.model.mixed_families import Family, Floats, fit_family, indicators, log_odds
from arcwise.model.mixed_network import MixedNetwork
from arcwise.model.network import BayesianNetwork
from arcwise.plotting.charts import plot_uniformity
from arcwise.scores.gaussian import embed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


REPLICATES = 100  # p-values in steps of 0.01
# A test needs so many cases per degree of freedom for its p-value to mean anything.
LEAST_CASES = 5
# Tables of pairs are made by products of matrices of so many rows, which are a few megabytes.
MOST_AT_ONCE = 2**14
MOST_PRODUCTS = 2**30  # between two looks at the clock
# With more states than this on average, many rows are counted pair by pair in less time: 200 variables in 60,000 rows
# take 0.2, 0.9 and 3.9 s by products with 2, 4 and 8 states, and 1.7, 1.5 and 1.5 s one by one.
MOST_STATES = 4
# Pairs beyond this many standard deviations of the replicates do not fit, and the false discovery rate of tests.
FAR = 4.0
RATE = 0.05
TESTS_SHARE = 0.5  # of a limit of time


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
class PairFits:
    """The `PairFit` of every pair, made when it is asked for: of a thousand variables there are half a million.

    All arrays have an entry per pair; `first` and `second` are positions of variables, and `tested` is that of the one
    whose parents, `given`, make the two independent, -1 where nothing is to be tested or there was no time for it.
    """

    names: tuple[str, ...]
    given: tuple[tuple[str, ...], ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    tested: NDArray[np.int64]
    p: NDArray[np.float64]
    information: NDArray[np.float64]
    expected: NDArray[np.float64]
    spread: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, k: int) -> PairFit:
        v = int(self.tested[k])
        between = None if v < 0 else self.given[v]
        pair = self.names[self.first[k]], self.names[self.second[k]]
        figures: Any = (self.p[k], self.information[k], self.expected[k], self.spread[k], self.misfit[k])
        return PairFit(*pair, between, *(value.item() for value in figures))

    @cached_property
    def z(self) -> NDArray[np.float64]:
        """How many standard deviations each dependence is from that in data drawn from the network."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.spread > 0, (self.information - self.expected) / self.spread, np.nan)

    @cached_property
    def misfit(self) -> NDArray[np.bool_]:
        """Whether each pair does not fit."""
        return np.asarray((self.p <= _false_discovery_cut(self.p[~np.isnan(self.p)])) | (np.abs(self.z) > FAR))

    def worst_first(self) -> PairFits:
        """Return the pairs in the order in which they fit."""
        keys = -np.abs(np.nan_to_num(self.z)), np.where(np.isnan(self.p), 2.0, self.p), ~self.misfit
        order = np.lexsort(keys)
        arrays = ("first", "second", "tested", "p", "information", "expected", "spread")
        return replace(self, **{name: getattr(self, name)[order] for name in arrays})

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        parents: Sequence[tuple[str, ...]],
        tests: Mapping[tuple[int, int], tuple[int, float]],
        seen: NDArray[np.float64] | None,
        drawn: Sequence[NDArray[np.float64]],
    ) -> PairFits:
        """Gather what `markov_tests` found, how dependent pairs are in the data, and in data sets from the network."""
        n = len(names)
        i, j = np.triu_indices(n, 1)
        unknown = np.full((n, n), np.nan)
        tested, p = np.full((n, n), -1), unknown.copy()
        if tests:
            at = tuple(np.array(list(tests)).T)
            tested[at], p[at] = np.array(list(tests.values())).T
        return cls(
            names,
            tuple(parents),
            *(i, j, tested[i, j], p[i, j]),
            information=(unknown if seen is None else seen)[i, j],
            expected=(np.mean(drawn, axis=0) if len(drawn) > 1 else unknown)[i, j],
            spread=(np.std(drawn, axis=0, ddof=1) if len(drawn) > 1 else unknown)[i, j],
        ).worst_first()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair."""
        names = np.array(self.names, dtype=object)
        given = np.array([*(", ".join(own) for own in self.given), None], dtype=object)
        columns = {"first": names[self.first], "second": names[self.second], "given": given[self.tested]}
        figures = ("p", "information", "expected", "spread", "z", "misfit")
        return data_frame(columns | {name: getattr(self, name) for name in figures})


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
    all_edges
        Whether `saturated` is that of a network of all edges: whole rows of numbers have no frequencies.
    """

    pairs: PairFits
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
    all_edges: bool = False

    @classmethod
    def of(
        cls,
        pairs: PairFits,
        n_tests: int,
        figures: tuple[float, float, float],
        n_cases: int,
        replicates: int,
        status: Status,
    ) -> FitCheck:
        """Make it of the pairs, how many independences there are, and the log likelihoods per case."""
        p_values = pairs.p[~np.isnan(pairs.p)]
        from scipy.stats import kstest  # takes half a second to import

        return cls(
            pairs,
            len(p_values),
            n_tests - len(p_values),
            float(np.mean(p_values < 0.05)) if len(p_values) else math.nan,
            float(kstest(p_values, "uniform").pvalue) if len(p_values) else math.nan,
            *figures,
            n_cases=n_cases,
            replicates=replicates,
            status=status,
        )

    @cached_property
    def misfits(self) -> tuple[PairFit, ...]:
        """The pairs that do not fit, the worst first."""
        return tuple(self.pairs[k] for k in np.flatnonzero(self.pairs.misfit).tolist())

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The p-values of the implied independences, rising."""
        return np.sort(self.pairs.p[~np.isnan(self.pairs.p)])

    @property
    def share_explained(self) -> float:
        """Where the network lies between no edges (0) and the frequencies of whole rows (1); NaN if these are equal."""
        span = self.saturated - self.independent
        return (self.log_likelihood - self.independent) / span if span > 0 else math.nan

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, those that fit worst first."""
        return self.pairs.to_frame()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the p-values of implied independences against uniform ones; return the axes."""
        return plot_uniformity(self.p_values, ax=ax)

    def __repr__(self) -> str:
        return (
            f"FitCheck({self.n_tests:,} independences, {self.small:.1%} below 0.05; {len(self.misfits)} pairs do not "
            f"fit; {self.n_cases:,} rows)"
        )


def markov_tests(dag: Dag, data: Dataset, run: Run | None = None) -> dict[tuple[int, int], tuple[int, float]]:
    """Test every independence of two variables without an edge, given the parents of one, v: {(i, j): (v, p)}.

    A variable is independent of what it does not lead to given its parents. Where that holds both ways, the smaller set
    is taken. G tests, with the degrees of freedom of the configurations that occur; NaN where the cases are too few.
    Cases in which an experiment set the variable whose parents are given are left out; that others were set does not
    change how it follows from its parents.
    """
    leads = [reach(mask, dag.child_masks) for mask in dag.child_masks]
    arities = [int(r) for r in data.arities]
    found: dict[tuple[int, int], tuple[int, float]] = {}
    for i, j in itertools.combinations(range(dag.n_nodes), 2):
        if dag.parent_masks[i] >> j & 1 or dag.parent_masks[j] >> i & 1:
            continue
        if run is not None and run.is_over:
            return found
        ways = [(a, b) for a, b in ((i, j), (j, i)) if not leads[a] >> b & 1]
        v, w = min(ways, key=lambda way: math.prod(arities[p] for p in dag.parents[way[0]]))
        found[i, j] = v, _g_test(data, v, w, dag.parents[v])
    return found


def _g_test(data: Dataset, v: int, w: int, given: tuple[int, ...]) -> float:
    cases = data.cases_without(data.names[v])
    if math.prod(int(data.arities[k]) for k in (*given, v, w)) > LEAST_CASES * max(cases.n_cases, 1):
        return math.nan
    g, degrees = g_statistic(contingency(cases, [*given, v, w]).reshape(-1, *data.arities[[v, w]].tolist()))
    if degrees == 0 or cases.n_cases < LEAST_CASES * degrees:
        return math.nan
    return float(chdtrc(degrees, g))


def g_statistic(table: NDArray[np.int64]) -> tuple[float, int]:
    """Return G of the independence of two variables given others, and its degrees of freedom.

    The axes are what is given, the first and the second variable. What does not occur takes no degree of freedom.
    """
    counts = table.astype(float)
    rows, columns, total = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
    free = ((rows > 0).sum(axis=1) - 1).clip(0) * ((columns > 0).sum(axis=1) - 1).clip(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = rows[:, :, None] * columns[:, None, :] / total[:, None, None]
        ratio = np.where(counts > 0, counts / expected, 1.0)
    return max(2 * float(xlogy(counts, ratio).sum()), 0.0), int(free[total > 0].sum())


def check_fit(
    network: BayesianNetwork,
    data: Dataset | Frame,
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
        The network and the data: those that it was learned from, or new ones. States are those of the network. Where
        rows belong together, a test counts as many of each group, drawn at random, as they are worth.
    replicates
        How many data sets of the same size to draw from the network; 0 for none.
    seed, limits, progress
        See `Run`; the seed is that of the data sets, and a limit of time shows in the status.
    """
    data = states_of(data, Remedy("check a MixedNetwork with arcwise.evaluate.fit.check_mixed_fit"))
    if missing := [name for name in network.names if name not in data.names]:
        raise DataError(f"the data have no column {', '.join(repr(name) for name in missing)} of the network.")
    data = (data if data.names == network.names else data.select(network.names)).independent(seed)
    if not data.n_cases:
        raise DataError("there is no row to compare with.")
    if data.states != network.states:
        raise DataError("the data and the network have different states; code the data with those of the network.")
    with Run.begin(limits, progress) as run:
        distinct = data.collapse()  # what is counted is counted many times
        tests = markov_tests(network.dag, distinct, run.share(TESTS_SHARE))
        # What experiments set is not as in data that the network draws; without any other case, nothing is drawn.
        is_set = data.targets is not None and all(data.targets.sets)
        observed = distinct if is_set else distinct.observations()
        figures = network.log_likelihood(data) / data.n_cases, _independent(distinct), _saturated(distinct)
        rng = generator_of(seed)

        def draw() -> NDArray[np.float64] | None:
            return _pair_information(network.sample(observed.n_cases, seed=rng, progress=False), run)

        seen, count = _pair_information(observed, run), 0 if is_set else replicates
        return _compared(network.dag, data.n_cases, tests, seen, draw, replicates=count, figures=figures, run=run)


def _compared(
    dag: Dag,
    n_cases: int,
    tests: dict[tuple[int, int], tuple[int, float]],
    seen: NDArray[np.float64] | None,
    draw: Callable[[], NDArray[np.float64] | None],
    *,
    replicates: int,
    figures: tuple[float, float, float],
    run: Run,
) -> FitCheck:
    """Return how dependent pairs are (`seen`), beside data sets that the network draws, with tests and likelihoods."""
    drawn: list[NDArray[np.float64]] = []
    for number in range(replicates):
        information = None if run.is_over else draw()
        if information is None:
            break
        drawn.append(information)
        run.report("data sets from the network", number + 1, replicates)
    everything = dag.n_nodes * (dag.n_nodes - 1) // 2 - dag.n_arcs
    whole = len(drawn) == replicates and len(tests) == everything
    pairs = PairFits.of(dag.names, [dag.parents_of(name) for name in dag.names], tests, seen, drawn)
    return FitCheck.of(pairs, len(tests), figures, n_cases, len(drawn), Status.COMPLETE if whole else Status.TIME_LIMIT)


def _false_discovery_cut(tested: NDArray[np.float64]) -> float:
    """Return the largest p-value that is a misfit if one in twenty misfits may be none (Benjamini, Hochberg 1995)."""
    ordered = np.sort(tested)
    good = np.flatnonzero(ordered <= RATE * np.arange(1, len(ordered) + 1) / max(len(ordered), 1))
    return float(ordered[good[-1]]) if len(good) else -1.0


def _pair_information(data: Dataset, run: Run | None = None) -> NDArray[np.float64] | None:
    """Return the mutual information of every pair, in nats; None if the time is over first."""
    starts = np.concatenate([[0], np.cumsum(data.arities)])
    counts = _pair_counts(data, starts, run or Run())
    if counts is None:
        return None
    joint = counts / float(max(data.n_cases, 1))
    single = xlogy(joint.diagonal(), joint.diagonal())
    entropy = -np.add.reduceat(single, starts[:-1])
    both = xlogy(joint, joint)
    pair_entropy = -np.add.reduceat(np.add.reduceat(both, starts[:-1], axis=0), starts[:-1], axis=1)
    return np.asarray(np.maximum(entropy[:, None] + entropy[None, :] - pair_entropy, 0.0))


def _pair_counts(data: Dataset, starts: NDArray[np.int64], run: Run) -> NDArray[np.float64] | None:
    """Return the tables of all pairs side by side: how often each state of each variable is there with each other.

    By products of matrices, of some rows each; where there are many rows and many states, one by one. Both are exact.
    None if the time is over first.
    """
    columns = int(starts[-1])
    counts = np.zeros((columns, columns))
    if data.n_rows > MOST_AT_ONCE and columns > MOST_STATES * data.n_variables:
        places = [slice(begin, end) for begin, end in itertools.pairwise(starts.tolist())]
        for i in range(data.n_variables):
            if run.is_over:
                return None
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
        step = max(1, MOST_PRODUCTS // shown.size)
        for some in range(0, columns, step):
            if run.is_over:
                return None
            counts[some : some + step] += weighted[:, some : some + step].T @ shown
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
    weights = data.times
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


# ---- Networks over numbers as they are


def check_mixed_fit(
    network: MixedNetwork,
    data: MixedData,
    *,
    replicates: int = REPLICATES,
    seed: Seed = 0,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> FitCheck:
    """Return how far data look as a network over numbers as they are says: see `check_fit`.

    An independence of two variables is tested by adding one to the regression of the other on its parents: an F test
    of a number, a likelihood-ratio test of a category. How dependent two variables are is -log(1 - R^2) / 2 of the
    regression of one's columns on the other's, in natural units; the end of the scale of likelihoods is the network of
    all edges.
    """
    if missing := [name for name in network.names if name not in data.names]:
        raise DataError(f"the data have no column {', '.join(repr(name) for name in missing)} of the network.")
    data = data.select(network.names).independent(seed)
    names, n = network.names, len(network.names)
    rng = generator_of(seed)
    with Run.begin(limits, progress) as run:
        tests = _mixed_tests(network, data, run.share(TESTS_SHARE))
        is_set = data.targets is not None and not data.targets.is_empty
        graphs = Dag(names, [()] * n), Dag(names, [tuple(range(v)) for v in range(n)])
        ends = [MixedNetwork.fit(dag, data).log_likelihood(data) / data.n_cases for dag in graphs]
        figures = network.log_likelihood(data) / data.n_cases, ends[0], ends[1]

        def draw() -> NDArray[np.float64]:
            return pair_information(network.sample(data.n_cases, seed=rng))

        seen, count = pair_information(data), 0 if is_set else replicates
        found = _compared(network.dag, data.n_cases, tests, seen, draw, replicates=count, figures=figures, run=run)
    return replace(found, all_edges=True)


def _mixed_tests(network: MixedNetwork, data: MixedData, run: Run) -> dict[tuple[int, int], tuple[int, float]]:
    """Test every independence of two variables without an edge, given the parents of one, v: {(i, j): (v, p)}."""
    found: dict[tuple[int, int], tuple[int, float]] = {}
    place = {v: k for k, v in enumerate(network.dag.topological_order)}
    n = len(network.names)
    values = data.matrix
    for i in range(n):
        for j in range(i + 1, n):
            if i in network.dag.parents[j] or j in network.dag.parents[i] or run.is_over:
                continue
            # Of the later one in the order, the other is no descendant.
            v, w = (i, j) if place[i] > place[j] else (j, i)
            found[i, j] = v, added_p_value(data, values, v, w, tuple(network.dag.parents[v]))
    return found


def added_p_value(data: MixedData, values: Floats, v: int, w: int, given: tuple[int, ...]) -> float:
    """Return the p-value of adding w to the regression of v on others; NaN if there are too few cases."""
    own = data.cases_without(data.names[v])
    weights = own.times
    arities = data.levels
    small, large = columns_of(values, given, arities), columns_of(values, (*given, w), arities)
    added, total = large.shape[1] - small.shape[1], float(weights.sum())
    if total < 5 * (large.shape[1] + 1):
        return math.nan
    if not arities[v]:
        before, after = (_residual(columns, values[v], weights) for columns in (small, large))
        freedom = total - large.shape[1]
        if after <= 1e-12 * before or not added:
            return math.nan if not added or before <= 0 else 0.0
        return float(fdtrc(added, freedom, (before - after) / added / (after / freedom)))
    if any(not arities[p] for p in (*given, w)):
        states = values[v].astype(np.int64)
        odds = [(columns, log_odds(columns, states, weights, arities[v])) for columns in (small, large)]
        logs = [log_softmax(np.column_stack([np.zeros(len(x)), x @ own.T]), axis=1) for x, own in odds]
        gains = [float(weights @ log[np.arange(len(log)), states]) for log in logs]
        return float(chdtrc(added * (arities[v] - 1), 2 * max(0.0, gains[1] - gains[0])))
    families = [fit_family(v, parents, arities, values, weights, ess=1e-6) for parents in (given, (*given, w))]
    if total < 5 * arities[v] * families[1].n_configurations:
        return math.nan
    gains = [float(weights @ family.log_density(values)) for family in families]
    freedom = families[1].n_free_parameters - families[0].n_free_parameters
    return float(chdtrc(freedom, 2 * max(0.0, gains[1] - gains[0])))


def columns_of(values: Floats, variables: tuple[int, ...], arities: Sequence[int]) -> Floats:
    """Return 1, the numbers, and the indicators of the nominal ones' states but the first."""
    nominal = tuple(v for v in variables if arities[v])
    family = Family(-1, nominal, tuple(arities[v] for v in nominal), ())
    numbers = [values[v] for v in variables if not arities[v]]
    return np.column_stack([np.ones(values.shape[1]), *numbers, *indicators(family, values)])


def _residual(columns: Floats, y: Floats, weights: Floats) -> float:
    root = np.sqrt(weights)
    centre = np.average(columns, axis=0, weights=weights)
    centre[0] = 0.0
    x = columns - centre
    scale = np.sqrt(np.average(x**2, axis=0, weights=weights))
    x = x / np.where(scale > 0, scale, 1.0)
    found = np.linalg.lstsq(x * root[:, None], y * root, rcond=1e-10)[0]
    return float((weights * (y - x @ found) ** 2).sum())


def pair_information(data: MixedData) -> NDArray[np.float64]:
    """Return how dependent every two variables are: the mutual information of Gaussian columns, natural units."""
    blocks = embed(data, "raw", 1)
    weights = data.times
    shared = (blocks.rows * weights[:, None]).T @ blocks.rows / weights.sum()
    n, of = data.n_variables, blocks.of_column
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            inner = shared[np.ix_(of == i, of == j)]
            squares = np.linalg.svd(inner, compute_uv=False) ** 2 if inner.size else np.zeros(1)
            found[i, j] = found[j, i] = -0.5 * float(np.log1p(-np.minimum(squares, 1 - 1e-12)).sum())
    return found


# ---- Three variables at once
#
# What depends on two variables together may depend on neither alone: y on x1 times x2, or the parity of two states. No
# edge gains anything then, so that no search adds the first, and no test of two variables rejects the network. What is
# left of each variable beside its parents, e, tells: of three variables without edges the mean of e1 e2 e3 is 0, since
# the last in the order has the mean 0 whatever the others are. It is compared with the root of the sum of its squares,
# which needs no spread to be the same everywhere; or of what that is expected to be, where rare states never meet. The
# level is Bonferroni's over all triples of columns.


TRIPLE_LEVEL = 0.01  # in so many tables without such a dependence one is found
MOST_TRIPLE_COLUMNS = 120  # of more columns no three are looked at
ROWS_PER_TERM = 5  # of fewer rows for each line in a combination of states, parents act each on its own
TRIPLE_WORK, LEAST_TRIPLE_ROWS = 1.5e8, 500  # rows times columns^3: of more rows, evenly spaced ones


@dataclass(frozen=True, slots=True)
class TripleFit:
    """Three variables that depend on each other all at once, where at most one edge joins two of them; and its t."""

    names: tuple[str, str, str]
    t: float


def find_triples(dag: Dag, data: Dataset | MixedData) -> tuple[TripleFit, ...]:
    """Return triples of variables that depend on each other at once and not by edges, the clearest first.

    Each variable is in at most one. None is looked for where experiments set variables, and among more than
    `MOST_TRIPLE_COLUMNS` columns.
    """
    worth = data.n_effective / data.n_cases
    columns = sum(1 if not levels else levels - 1 for levels in (len(states) for states in data.states))
    if data.targets is not None or len(dag.names) < 3 or columns > MOST_TRIPLE_COLUMNS:
        return ()
    rows = max(LEAST_TRIPLE_ROWS, int(TRIPLE_WORK / columns**3))
    if data.n_rows > rows:
        data = data.take(np.linspace(0, data.n_rows - 1, rows).astype(np.int64))
    if isinstance(data, Dataset):
        kinds = (VariableKind.NOMINAL,) * data.n_variables
        data = MixedData(data.codes.astype(np.float64), data.names, kinds, data.states, data.weights)
    left, of = _beside_parents(dag, data)
    q, squares, weights = left.shape[1], left**2, data.times
    means = weights @ squares / weights.sum()
    cut = float(ndtri(1 - TRIPLE_LEVEL / 2 / max(1, math.comb(q, 3))))
    joined = [{*dag.parents_of(name)} | {*dag.children_of(name)} for name in dag.names]
    found: list[tuple[float, tuple[int, int, int]]] = []
    for c in range(q - 2):
        rest = slice(c + 1, q)
        sums = (left[:, rest] * (left[:, c] * weights)[:, None]).T @ left[:, rest]
        spread = (squares[:, rest] * (squares[:, c] * weights)[:, None]).T @ squares[:, rest]
        spread = np.maximum(spread, weights.sum() * means[c] * np.outer(means[rest], means[rest]))
        t = np.triu(sums / np.sqrt(np.maximum(spread, 1e-300)), 1) * math.sqrt(worth)
        for a, b in np.argwhere(np.abs(t) > cut).tolist():
            three = int(of[c]), int(of[c + 1 + a]), int(of[c + 1 + b])
            edges = sum(dag.names[k] in joined[j] for j, k in itertools.combinations(three, 2))
            if len({*three}) == 3 and edges <= 1:
                found.append((float(t[a, b]), three))
    told: list[TripleFit] = []
    for t_value, three in sorted(found, key=lambda one: (-abs(one[0]), one[1])):
        i, j, k = (dag.names[v] for v in three)
        if not any({i, j, k} & {*one.names} for one in told):
            told.append(TripleFit((i, j, k), t_value))
    return tuple(told)


def _beside_parents(dag: Dag, data: MixedData) -> tuple[Floats, NDArray[np.int64]]:
    """Return what is left of each column beside its parents, and the variable of each column.

    Parents that are numbers act by curves and by products of two, categories by all combinations of their states, in
    each of which numbers have lines of their own: all that a network can hold.
    """
    plain, curves, weights = embed(data, "ranks", 1), embed(data, "ranks", 3), data.times
    root, left = np.sqrt(weights / weights.sum())[:, None], plain.rows.copy()
    for v, name in enumerate(data.names):
        own, parents = np.flatnonzero(plain.of_column == v), [data.index(parent) for parent in dag.parents_of(name)]
        if not len(own) or not parents:
            continue
        states = [p for p in parents if data.kinds[p] is VariableKind.NOMINAL]
        lines = plain.rows[:, np.isin(plain.of_column, [*{*parents} - {*states}])]
        held = [curves.rows[:, np.isin(curves.of_column, parents)]]
        cells = np.unique(data.values[states], axis=1, return_inverse=True)[1].reshape(-1) if states else np.zeros(1)
        if (int(cells.max()) + 1) * (1 + lines.shape[1]) * ROWS_PER_TERM <= data.n_rows:
            among = (cells[:, None] == np.arange(int(cells.max()) + 1)).astype(float) * np.ones((data.n_rows, 1))
            held += [among, *(among * line[:, None] for line in lines.T)]
            held += [(one * other)[:, None] for one, other in itertools.combinations(lines.T, 2)]
        whole = np.concatenate(held, axis=1)
        left[:, own] -= whole @ np.linalg.lstsq(whole * root, left[:, own] * root, rcond=1e-9)[0]
    return left, plain.of_column

"""How well a network fits data, and how well it predicts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, xlogy

from arcwise.base.errors import DataError, OptionError, check_argument
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, generator_of
from arcwise.base.showing import LINES, ShowsFrame, data_frame, html_table
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset, Frame, dataset_of
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import reach
from arcwise.model.network import BayesianNetwork
from arcwise.plotting.charts import plot_calibration, plot_uniformity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


REPLICATES = 100  # p-values in steps of 0.01
# A test needs so many cases per degree of freedom for its p-value to mean anything.
LEAST_CASES = 5
# Tables of pairs are made by products of matrices of so many rows, which are a few megabytes.
MOST_AT_ONCE = 2**14
MOST_PRODUCTS = 2**30  # between two looks at the clock
# With more states than this on average, many rows are counted pair by pair in less time.
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
        *,
        all_edges: bool = False,
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
            all_edges=all_edges,
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
            f"fit; {self.n_cases:,} cases)"
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
    told = data.cases_without(data.names[v])
    if math.prod(int(data.arities[k]) for k in (*given, v, w)) > LEAST_CASES * max(told.n_cases, 1):
        return math.nan
    g, degrees = g_statistic(contingency(told, [*given, v, w]).reshape(-1, *data.arities[[v, w]].tolist()))
    if degrees == 0 or told.n_cases < LEAST_CASES * degrees:
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
    data = dataset_of(data)
    if missing := [name for name in network.names if name not in data.names]:
        raise DataError(f"the data have no column {', '.join(repr(name) for name in missing)} of the network.")
    data = (data if data.names == network.names else data.select(network.names)).independent(seed)
    if not data.n_cases:
        raise DataError("there is no case to compare with.")
    if data.states != network.states:
        raise DataError("the data and the network have different states; code the data with those of the network.")
    with Run.begin(limits, progress) as run:
        distinct = data.collapse()  # what is counted is counted many times
        tests = markov_tests(network.dag, distinct, run.share(TESTS_SHARE))
        # What experiments set is not as in data that the network draws; without any other case, nothing is drawn.
        is_set = data.targets is not None and all(data.targets.sets)
        observed = distinct if is_set else distinct.observations()
        replicates = 0 if is_set else replicates
        n, names = network.n_variables, network.names
        seen = _pair_information(observed, run)
        drawn: list[NDArray[np.float64]] = []
        rng = generator_of(seed)
        for number in range(replicates):
            one = None if run.is_over else network.sample(observed.n_cases, seed=rng, progress=False)
            information = None if one is None else _pair_information(one, run)
            if information is None:
                break
            drawn.append(information)
            run.report("data sets from the network", number + 1, replicates)
    everything = n * (n - 1) // 2 - len(network.dag.arcs)
    status = Status.COMPLETE if len(drawn) == replicates and len(tests) == everything else Status.TIME_LIMIT
    parents = [network.parents(name) for name in names]
    figures = network.log_likelihood(data) / data.n_cases, _independent(distinct), _saturated(distinct)
    found = PairFits.of(names, parents, tests, seen, drawn)
    return FitCheck.of(found, len(tests), figures, data.n_cases, len(drawn), status)


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


# How good predictions of one variable are: accuracy, log loss, and whether probabilities mean what they say.


BINS = 10
# A probability of 0 for what happened would make one row decide: it counts as this.
LEAST = 1e-15


class Classifier(Protocol):
    """Anything that predicts one variable from the others, such as `arcwise.model.BayesianNetwork`."""

    def predict_proba(self, rows: Dataset, target: str, /) -> NDArray[np.float64]:
        """Return one line per row, one column per state."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class PredictionBins:
    """Of the predicted probabilities near each value, how many came true.

    Parameters
    ----------
    predicted, observed
        The mean predicted probability of each bin, and the share that came true.
    count
        How many predictions the bin has, over all states.
    """

    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    count: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The mean difference between what was predicted and what came true (expected calibration error)."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.count))


@dataclass(frozen=True, eq=False)
class PredictionScores:
    """How well a variable was predicted in cases that were not learned from.

    Parameters
    ----------
    target, states
        What was predicted.
    n_cases, folds
        How many cases there are, and in how many parts they were held out; 0 for one separate data set.
    accuracy, accuracy_error
        The share of the cases whose most probable state is the right one, and its standard error.
    usual_accuracy
        That of always predicting the most frequent state.
    log_loss, log_loss_error
        Minus the mean log probability of what happened; lower is better.
    usual_log_loss
        That of predicting the frequencies, whatever the other variables are.
    brier
        The mean squared distance between probabilities and what happened.
    calibration
        Whether probabilities mean what they say.
    confusion
        Cases by true (rows) and predicted state (columns).
    by_time
        Whether the clock decided how some fold was learned from: more time may give other figures.
    """

    target: str
    states: tuple[str, ...]
    n_cases: int
    folds: int
    accuracy: float
    accuracy_error: float
    usual_accuracy: float
    log_loss: float
    log_loss_error: float
    usual_log_loss: float
    brier: float
    calibration: PredictionBins
    confusion: NDArray[np.float64]
    by_time: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a table of one row."""
        names = [field.name for field in fields(self)]
        figures = names[names.index("accuracy") : names.index("calibration")]
        facts = {"target": self.target, "cases": self.n_cases} | {name: getattr(self, name) for name in figures}
        return data_frame([{**facts, "calibration_error": self.calibration.error}])

    def calibration_frame(self) -> pd.DataFrame:
        """Return one row per bin of predicted probabilities."""
        own = self.calibration
        return data_frame({"predicted": own.predicted, "observed": own.observed, "count": own.count})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw observed shares over predicted probabilities; return the axes."""
        own = self.calibration
        return plot_calibration(own.predicted, own.observed, own.count, title=self.target, ax=ax)

    def __repr__(self) -> str:
        return (
            f"PredictionScores({self.target}: accuracy {self.accuracy:.3f}, log loss {self.log_loss:.3f}; "
            f"{self.n_cases:,} cases)"
        )

    def _repr_html_(self) -> str:
        frame = self.calibration_frame()
        rows = frame.head(LINES).itertuples(index=False, name=None)
        return html_table(repr(self), list(map(str, frame)), rows, len(frame))


def score_predictions(
    probabilities: NDArray[np.float64],
    codes: NDArray[np.integer],
    *,
    target: str,
    states: Sequence[str],
    weights: NDArray[np.integer] | None = None,
    folds: int = 0,
    usual: NDArray[np.float64] | None = None,
) -> PredictionScores:
    """Return how good predicted probabilities are for what happened.

    Parameters
    ----------
    probabilities, codes
        One line per case and one column per state; and the state that each case has.
    target, states
        What was predicted.
    weights
        How often each case counts.
    folds
        Recorded in the result.
    usual
        For each case, the frequencies to compare with; those of these cases if they are None.
    """
    n, r = probabilities.shape
    if n == 0:
        raise DataError("there is no case to predict.")
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(w.sum())
    rows = np.arange(n)
    shares = np.bincount(codes, weights=w, minlength=r) / total
    base = np.broadcast_to(shares, (n, r)) if usual is None else usual
    best = probabilities.argmax(axis=1)
    right = best == codes
    loss = -np.log(np.maximum(probabilities[rows, codes], LEAST))
    accuracy, log_loss = float(w @ right / total), float(w @ loss / total)
    happened = np.zeros((n, r))
    happened[rows, codes] = 1.0
    confusion = np.zeros((r, r))
    np.add.at(confusion, (codes, best), w)
    return PredictionScores(
        target=target,
        states=tuple(states),
        n_cases=int(total),
        folds=folds,
        accuracy=accuracy,
        accuracy_error=float(np.sqrt(accuracy * (1 - accuracy) / total)),
        usual_accuracy=float(w @ (base.argmax(axis=1) == codes) / total),
        log_loss=log_loss,
        log_loss_error=float(np.sqrt(w @ (loss - log_loss) ** 2 / total / total)),
        usual_log_loss=float(w @ -np.log(np.maximum(base[rows, codes], LEAST)) / total),
        brier=float(w @ ((probabilities - happened) ** 2).sum(axis=1) / total),
        calibration=_calibration(probabilities, happened, w),
        confusion=confusion,
    )


def _calibration(
    probabilities: NDArray[np.float64], happened: NDArray[np.float64], weights: NDArray[np.float64]
) -> PredictionBins:
    """Sort all predicted probabilities into ten bins of equal width."""
    flat, came, w = probabilities.ravel(), happened.ravel(), np.repeat(weights, probabilities.shape[1])
    bins = np.minimum((flat * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, weights=w, minlength=BINS)
    used = count > 0
    predicted = np.bincount(bins, weights=w * flat, minlength=BINS)[used] / count[used]
    observed = np.bincount(bins, weights=w * came, minlength=BINS)[used] / count[used]
    return PredictionBins(predicted, observed, count[used].astype(np.float64))


def cross_validate(
    learner: Callable[[Dataset, int], Classifier],
    data: Dataset | Frame,
    target: str,
    *,
    folds: int = 10,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> PredictionScores:
    """Return how well a variable is predicted in cases that were not learned from: k-fold cross-validation.

    Parameters
    ----------
    learner
        Called with the cases to learn from and the number of the fold; returns what predicts, in the data's states.
    data, target
        The data, and the variable to predict.
    folds
        Into how many parts the cases are divided, at random and with the states of the target spread evenly. Rows that
        belong together stay together: groups are dealt out, the largest first.
    seed, progress
        See `Run`; the seed is that of the division.
    """
    data = dataset_of(data)
    v = data.index(target)
    whole = data.representative().expand()
    most = whole.n_rows if whole.design is None else whole.design.n_groups
    rule = f"must be an integer from 2 to {most:,}, the number of {'cases' if whole.design is None else 'groups'}."
    check_argument(2 <= folds <= most, "folds", folds, rule)
    rng = generator_of(seed)
    # By state (groups: by size) and then at random, dealt out like cards.
    shuffled = rng.permutation(most)
    key = whole.codes[v] if whole.design is None else -np.bincount(whole.design.groups)
    dealt = shuffled[np.argsort(key[shuffled], kind="stable")]
    fold_of = np.empty(most, dtype=np.int64)
    fold_of[dealt] = np.arange(most) % folds
    if whole.design is not None:
        fold_of = fold_of[whole.design.groups]
    r = int(data.arities[v])
    probabilities, usual = np.empty((whole.n_rows, r)), np.empty((whole.n_rows, r))
    with Run.begin(None, progress) as run:
        for fold in range(folds):
            held = fold_of == fold
            training = whole.take(np.flatnonzero(~held))
            predictor = learner(training, fold)
            probabilities[held] = predictor.predict_proba(whole.take(np.flatnonzero(held)), target)
            counts = np.bincount(training.codes[v], minlength=r) + 1 / r
            usual[held] = counts / counts.sum()
            run.report("cross-validation", fold + 1, folds)
    return score_predictions(
        probabilities,
        whole.codes[v].astype(np.int64),
        target=target,
        states=data.states[v],
        folds=folds,
        usual=usual,
    )


# How well networks predict data they have not seen: the accuracy score, and the likelihood of averaged networks.


@runtime_checkable
class Predictor(Protocol):
    """Anything that gives the rows of data a log-likelihood, such as `arcwise.model.BayesianNetwork`."""

    def row_log_likelihoods(self, data: Dataset, /) -> NDArray[np.float64]:
        """Return the log-likelihood of every row."""
        ...


def accuracy_score(true: float | Predictor, learned: float | Predictor, data: Dataset | Frame | None = None) -> float:
    """Return by how many per cent the learned network's log-likelihood of held-out data falls short of the true one's.

    Scanagatta, section 4: 100 (LL_true - LL_learned) / |LL_true| on data that were sampled from the true network and
    not used for learning; lower is better. It estimates the Kullback-Leibler divergence, relative to the entropy; like
    any estimate it may be slightly negative.

    Parameters
    ----------
    true, learned
        The two log-likelihoods of the same data, or the two networks.
    data
        The held-out data, if networks are given.
    """
    data = dataset_of(data)
    reference, value = (_total(network, data) for network in (true, learned))
    if not math.isfinite(reference) or reference >= 0:
        raise DataError(
            f"the true network gives the held-out data the log-likelihood {reference:g}; a finite number below 0 is "
            f"needed. Sample the held-out data from the true network."
        )
    return 100 * (reference - value) / -reference


def negative_log_likelihood(
    networks: Iterable[ArrayLike | Predictor],
    data: Dataset | Frame | None = None,
    *,
    log_weights: ArrayLike | None = None,
    row_weights: ArrayLike | None = None,
    per_case: bool = False,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return minus the log-likelihood of data under the weighted average of networks.

    Model averaging for density estimation (Liao, sections 4.4 and 4.6.3): the average predicts a row with the sum over
    the networks of weight times probability, and the rows' logarithms add up. Networks are taken one after the other:
    a generator of any number of them needs the memory of one.

    Parameters
    ----------
    networks
        For each network the log-likelihoods of the rows (so a 2-D array is fine), or a network itself.
    data
        The held-out data, if networks are given.
    log_weights
        One per network, natural logarithm, in any scale: they are normalised. Equal weights if None.
    row_weights
        How often each row counts; those of `data`, or once each, if None.
    per_case
        Divide by the number of cases (the sum of the row weights).

    Returns
    -------
    float
        Natural logarithm; lower is better; inf if all networks give some row the probability 0.
    """
    data = dataset_of(data)
    logs = None if log_weights is None else _normalised(log_weights)
    total = np.empty(0)
    count = 0
    with Run.begin(None, progress) as run:
        for network in networks:
            rows = _rows(network, data, count)
            if count == 0:
                total = np.full(rows.shape, -np.inf)
            if rows.shape != total.shape:
                raise DataError(f"network {count} has {len(rows)} rows where the first one has {len(total)}.")
            if logs is not None and count < len(logs):
                rows = rows + logs[count]
            total = np.logaddexp(total, rows)
            count += 1
            run.report("held-out likelihood", count, None if logs is None else len(logs))
    if count == 0:
        raise DataError("no network to average.")
    if logs is None:
        total -= math.log(count)
    elif len(logs) != count:
        raise DataError(f"{count} networks but {len(logs)} log weights.")
    weights = _row_weights(row_weights, data, len(total))
    counted = weights > 0  # a row that does not count may be impossible
    if not counted.any():
        raise DataError("no row has a positive weight.")
    value = -float(np.dot(weights[counted], total[counted]))
    return value / float(weights.sum()) if per_case else value


def _total(network: float | Predictor, data: Dataset | None) -> float:
    if not isinstance(network, Predictor):
        return float(network)
    rows = _rows(network, data, None)
    weights = _row_weights(None, data, len(rows))
    return float(np.dot(weights[weights > 0], rows[weights > 0]))


def _rows(network: ArrayLike | Predictor, data: Dataset | None, number: int | None) -> NDArray[np.float64]:
    if isinstance(network, Predictor):
        if data is None:
            raise OptionError("networks need the held-out data: pass data=.")
        network = network.row_log_likelihoods(data)
    rows = np.asarray(network, dtype=np.float64)
    which = "the network" if number is None else f"network {number}"
    if rows.ndim != 1:
        raise DataError(f"{which}: one log-likelihood per row is needed, not an array of shape {rows.shape}.")
    if np.isnan(rows).any():
        row = int(np.flatnonzero(np.isnan(rows))[0])
        raise DataError(
            f"{which} does not define the probability of row {row} ({int(np.isnan(rows).sum()):,} such rows). "
            f"Fit the parameters with an estimator that smooths."
        )
    return rows


def _normalised(log_weights: ArrayLike) -> NDArray[np.float64]:
    logs = np.asarray(log_weights, dtype=np.float64)
    if logs.ndim != 1 or not logs.size:
        raise DataError(f"one log weight per network is needed, not an array of shape {logs.shape}.")
    if np.isnan(logs).any() or logs.max() in (-np.inf, np.inf):
        raise DataError("log weights must be numbers below infinity, and not all -infinity.")
    shifted = logs - logs.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def _row_weights(row_weights: ArrayLike | None, data: Dataset | None, n_rows: int) -> NDArray[np.float64]:
    if row_weights is None:
        row_weights = np.ones(n_rows) if data is None or data.row_weights is None else data.row_weights
    weights = np.asarray(row_weights, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise DataError(f"{n_rows} rows but row weights of shape {weights.shape}.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError("row weights must be finite and not negative.")
    return weights

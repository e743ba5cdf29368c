"""The tables of a network, estimated from data, and gaps drawn from a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln, polygamma

from arcwise import _core
from arcwise.base.errors import (
    Argument,
    DataError,
    OptionError,
    Remedy,
    UnfinishedError,
    check_argument,
    check_known,
)
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run, Seed, generator_of
from arcwise.counts import contingency
from arcwise.data.checks import Targets
from arcwise.data.dataset import Dataset, Frame, Incomplete, states_of
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits, reach
from arcwise.model.inference import IMPOSSIBLE, INTERRUPTED, TOO_LARGE, UNDEFINED, check_outcome, column_positions
from arcwise.model.network import BayesianNetwork
from arcwise.model.tables import MAX_CELLS, table_sizes

# What an estimator is: a function of the counts of one family, with a name and described parameters.


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """The counts of a variable and its parents, in the order of the table: the first parent varies slowest.

    `counts` are n_jk, of shape (q, r): one row per parent configuration, one column per state of the child. `sizes` are
    the numbers of states of the parents.
    """

    child: str
    parents: tuple[str, ...]
    counts: NDArray[Any]
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Estimator:
    """An estimator of a table, with a line about what it computes and what its parameters mean, by name.

    `table` is the function: from the counts of a family and the parameters to probabilities of the same shape, with
    rows that are NaN where they are not defined.
    """

    summary: str
    table: Callable[..., NDArray[np.float64]]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def check_parameters(self, name: str, given: Mapping[str, Any]) -> None:
        """Refuse parameters that the estimator does not have."""
        for parameter in given:
            if parameter not in self.parameters:
                takes = f"takes {', '.join(self.parameters)}" if self.parameters else "has no parameters"
                raise OptionError(f"estimator '{name}' has no parameter '{parameter}'; it {takes}.")


def posterior_mean(counts: NDArray[Any], alpha: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return (n_jk + a_jk) / (n_j + a_j), NaN in the rows where nothing was counted and nothing assumed."""
    weights = counts + alpha
    totals = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        table: NDArray[np.float64] = weights / totals
    return table


# The posterior mean under the Dirichlet prior of any BD score.


# What each named prior puts into a cell of a table of q r cells: alpha_jk as a function of the equivalent sample size.
PRIORS: dict[str, Callable[[float, int], float]] = {
    "bdeu": lambda ess, cells: ess / cells,
    "k2": lambda ess, cells: 1.0,
    "bdj": lambda ess, cells: 0.5,
}

Alpha = str | float | BayesianNetwork | Mapping[str, ArrayLike] | Callable[[FamilyCounts], ArrayLike]


def _bd_table(family: FamilyCounts, *, alpha: Alpha = "bdeu", ess: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + a_jk) / (n_j + a_j); a row whose counts and hyperparameters are all 0 is undefined."""
    positive = math.isfinite(ess) and ess > 0
    check_argument(positive, "ess", ess, "must be positive: the equivalent sample size of the prior.")
    return posterior_mean(family.counts, _hyperparameters(family, alpha, ess))


def _hyperparameters(family: FamilyCounts, alpha: Any, ess: float) -> NDArray[np.float64]:
    """a_jk, of the shape of the counts."""
    given: Any
    if isinstance(alpha, str):
        check_known("prior", alpha, PRIORS, more="Or give numbers.")
        given = PRIORS[alpha](ess, family.counts.size)
    elif isinstance(alpha, BayesianNetwork):
        # BDe: the prior network's probability of the cell (a_jk = ess p(x_i = k, P = j | prior network)).
        given = ess * alpha.query([*family.parents, family.child]).probabilities
    elif isinstance(alpha, Mapping):
        if family.child not in alpha:
            raise OptionError(f"alpha has no entry for '{family.child}'; a mapping needs one per variable.")
        given = alpha[family.child]
    elif callable(alpha):
        given = alpha(family)
    else:
        given = alpha
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.size != family.counts.size:
        raise OptionError(
            f"alpha of '{family.child}' has shape {array.shape}; it must be one number, or one for each of the "
            f"{family.counts.shape[0]} parent configurations and {family.counts.shape[1]} states."
        )
    if not bool((np.isfinite(array) & (array >= 0)).all()):
        raise OptionError(f"alpha of '{family.child}' must be finite and not negative in every cell.")
    return np.broadcast_to(array.reshape(family.counts.shape) if array.ndim else array, family.counts.shape)


def backoff_prior(counts: NDArray[Any], sizes: Sequence[int], ess: float) -> NDArray[np.float64]:
    """Return what draws each row of a table towards the row of one parent fewer: `ess` times its probabilities.

    The parents are left out one by one, first that which says least about the child by itself; the row without parents
    has half a row in each cell. So a row with few cases is like those that differ from it in what matters least, as in
    the hierarchical smoothing of Petitjean and others (2018), with one `ess` for all levels.
    """
    q, r = counts.shape
    table = np.asarray(counts, dtype=np.float64).reshape(*sizes, r)
    axes = range(len(sizes))
    alone = [table.sum(axis=tuple(u for u in axes if u != p)) for p in axes]
    with np.errstate(divide="ignore", invalid="ignore"):
        known = [float(np.nansum(own * np.log(own / own.sum(axis=1, keepdims=True)))) for own in alone]
    order = sorted(axes, key=lambda p: (-known[p], p))
    marginals = [table]
    for p in reversed(order):
        marginals.append(marginals[-1].sum(axis=p, keepdims=True))
    alpha: NDArray[np.float64] = np.full_like(marginals[-1], 0.5)
    for own in marginals[:0:-1]:
        seen = own + alpha
        alpha = ess * seen / seen.sum(axis=-1, keepdims=True)
    return np.broadcast_to(alpha, table.shape).reshape(q, r) if sizes else alpha.reshape(q, r)


def _backoff_table(family: FamilyCounts, *, ess: float = 8.0) -> NDArray[np.float64]:
    """(n_jk + ess p_jk) / (n_j + ess), with the probabilities p_jk of the table with one parent fewer."""
    check_argument(math.isfinite(ess) and ess > 0, "ess", ess, "must be positive: how many rows draw each row.")
    return posterior_mean(family.counts, backoff_prior(family.counts, family.sizes, ess))


def _m_table(family: FamilyCounts, *, m: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + m / (q r)) / (n_j + m / q): the posterior mean under BDeu with ess = m (Liao, section 4.3)."""
    check_argument(math.isfinite(m) and m > 0, "m", m, "must be positive: the number of imaginary rows.")
    return posterior_mean(family.counts, m / family.counts.size)


def _snml_table(family: FamilyCounts) -> NDArray[np.float64]:
    """(n_jk + 1) e(n_jk), normalised over k, with e(n) = (1 + 1/n)^n and e(0) = 1.

    The distribution of the next case that is closest, in the worst case, to the likelihood maximised with that case in
    hindsight (Liao, section 4.3): n^n becomes (n+1)^(n+1), whose ratio is (n+1) e(n). It has no parameter, like the NML
    scores that it goes with.
    """
    counts = family.counts.astype(np.float64)
    # e(0) = 1 comes out by itself: 0 times any logarithm.
    growth = np.exp(counts * np.log1p(1 / np.maximum(counts, 1)))
    weights: NDArray[np.float64] = (counts + 1) * growth
    table: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return table


def _sites_table(
    family: FamilyCounts, *, site: str = "site", alpha0: float = 1.0, ess: float = 1.0
) -> NDArray[np.float64]:
    """Tables of the sites that are drawn towards each other: see `arcwise.model.fitting`."""
    check_argument(math.isfinite(ess) and ess > 0, "ess", ess, "must be positive: the sample size of all sites' prior.")
    check_argument(math.isfinite(alpha0) and alpha0 > 0, "alpha0", alpha0, "must be positive.")
    if family.child == site:
        return posterior_mean(family.counts, 0.0)
    if site not in family.parents:
        raise OptionError(
            Argument("site", site),
            f"is no parent of '{family.child}': the tables of sites are pooled where the column of the sites is a "
            "parent of every other variable.",
        )
    place, r = family.parents.index(site), family.counts.shape[1]
    apart = np.moveaxis(family.counts.reshape(*family.sizes, r), place, -1)
    counts = apart.reshape(-1, family.sizes[place]).astype(np.float64)
    found = RelatedCounts(counts, alpha0, ess / family.sizes[place]).posterior().reshape(apart.shape)
    return posterior_mean(np.moveaxis(found, -1, place).reshape(family.counts.shape), 0.0)


ESTIMATORS: dict[str, Estimator] = {
    # A configuration that the data do not show stays undefined, as the "---" of Lau's figure 1.
    "mle": Estimator(
        "relative frequencies n_jk / n_j; undefined where the data show no row",
        lambda family: posterior_mean(family.counts, 0.0),
    ),
    # Lau's "Bayesian correction" (section 3.5), the posterior mean under K2's prior.
    "laplace": Estimator(
        "(n_jk + 1) / (n_j + r): one imaginary row per cell", lambda family: posterior_mean(family.counts, 1.0)
    ),
    "m-estimate": Estimator(
        "(n_jk + m/(q r)) / (n_j + m/q): m imaginary rows per table",
        _m_table,
        {"m": "the number of imaginary rows, spread over the whole table (default 1)"},
    ),
    "bd": Estimator(
        "(n_jk + a_jk) / (n_j + a_j): the posterior mean under a BD score's Dirichlet prior",
        _bd_table,
        {
            "alpha": "the prior: 'bdeu' (ess/(q r), the default), 'k2' (1), 'bdj' (1/2), a number for every cell, a "
            "BayesianNetwork (BDe), a mapping from variables to arrays of shape (q, r), or a function of FamilyCounts",
            "ess": "the equivalent sample size of 'bdeu' and of a prior network (default 1)",
        },
    ),
    "snml": Estimator("(n_jk + 1) e(n_jk), normalised, e(n) = (1 + 1/n)^n: sequential NML, no parameter", _snml_table),
    "backoff": Estimator(
        "(n_jk + ess p_jk) / (n_j + ess), p_jk that of the table with one parent fewer, and so on: hierarchical "
        "smoothing (Petitjean and others 2018)",
        _backoff_table,
        {"ess": "how many rows draw each row of a table towards that with one parent fewer (default 8)"},
    ),
    "sites": Estimator(
        "the tables of each site, drawn towards those of the others: the posterior mean of the hierarchical Dirichlet "
        "model (Azzimonti, Corani and Zaffalon 2019)",
        _sites_table,
        {
            "site": "the variable that says which site a row is from, a parent of every other one (default 'site')",
            "alpha0": "the hyperparameter of each cell of what the sites share (default 1)",
            "ess": "the equivalent sample size of the sites' prior, all together (default 1)",
        },
    ),
}


def fit_parameters(
    dag: Dag,
    data: Dataset | Frame,
    *,
    estimator: str = "bd",
    progress: bool | ProgressCallback | None = None,
    **parameters: Any,
) -> BayesianNetwork:
    """Estimate the tables of a network with a given structure.

    Parameters
    ----------
    dag
        The structure. Its nodes are matched with the data's variables by name; variables of the data that it does not
        have are left out.
    data
        The data; weights count. A variable's table is estimated without the cases in which it was set
        (`Dataset.targets`); if it was set in all, what the estimator makes of no case.
    estimator
        "bd" (the default): the posterior mean under the prior `alpha` ("bdeu" with `ess`, the default with ess = 1;
        "k2", "bdj", a number, a prior network, arrays per variable, or a function); "mle": relative frequencies,
        undefined (NaN) where the data show no case; "laplace": one imaginary case per cell; "m-estimate": `m` imaginary
        cases per table; "snml": sequential NML; "backoff": each row drawn towards that with one parent fewer; "sites":
        the tables of each `site`, drawn towards each other.
    progress
        See `arcwise.progress.show_progress`.
    parameters
        The estimator's parameters: ``ESTIMATORS[estimator].parameters`` describes them.

    Returns
    -------
    BayesianNetwork
        With the states of the data, in the order of the DAG's nodes.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset.from_codes(np.array([[0, 0], [0, 1], [0, 1], [1, 1]]), names=["a", "b"])
    >>> network = fit_parameters(Dag.from_arcs(["a", "b"], [("a", "b")]), data, estimator="laplace")
    >>> network.tables[1].round(3).tolist()
    [[0.4, 0.6], [0.333, 0.667]]
    """
    data = states_of(data, Remedy("fit them as they are: MixedNetwork.fit(dag, data), from arcwise.model"))
    check_known("estimator", estimator, ESTIMATORS)
    chosen = ESTIMATORS[estimator]
    chosen.check_parameters(estimator, parameters)
    columns = column_positions(data, dag.names, "structure's nodes")
    states = tuple(data.states[column] for column in columns)
    sizes = table_sizes(dag, states)
    tables = []
    with Run.begin(None, progress) as run:
        for v, parents in enumerate(dag.parents):
            cases = data.cases_without(dag.names[v])
            counts = contingency(cases, [columns[u] for u in (*parents, v)]).reshape(sizes[v])
            arities = tuple(len(states[p]) for p in parents)
            family = FamilyCounts(dag.names[v], tuple(dag.names[p] for p in parents), counts, arities)
            tables.append(chosen.table(family, **parameters))
            run.report("fitting", v + 1, dag.n_nodes)
    return BayesianNetwork(dag, states, tables)


# Gaps drawn from a network, given the observed cells of their rows.


def draw_missing(
    network: BayesianNetwork,
    data: Incomplete,
    *,
    seed: Seed = None,
    max_cells: int = MAX_CELLS,
    run: Run | None = None,
) -> Dataset:
    """Draw the gaps of every row from their joint distribution given the row's other cells.

    The draws are independent and exact: from a junction tree of the variables that are missing together and not
    separated by what is observed, one for each such set of variables, whatever the number of rows.

    Parameters
    ----------
    network
        The network, over the variables of the data in their order, with all tables defined where they are needed.
    data
        The data. A row with a weight is one row: `Incomplete.expand` first, if its cases are to differ.
        In rows in which variables were set, their values say nothing about their parents.
    seed
        Fixes the draws; row i (of its experiment) depends on the seed, on i and on its own cells alone.
    max_cells
        The most cells that a clique, and that all messages of a junction tree, may have.
    run
        Its threads, on which the result does not depend, and its progress.
    """
    run, rng = run or Run(), generator_of(seed)
    if network.names != data.names or network.states != data.states:
        raise DataError("the network and the data must have the same variables and states, in the same order.")
    targets = data.held.targets
    if targets is not None and not targets.is_empty:
        return _experiment_by_experiment(network, data, targets, rng, max_cells, run.replace(progress=False))
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    missing = data.missing.view(np.uint8)
    key = rng.integers(0, 2**64, size=2, dtype=np.uint64)
    with run.shown() as run:
        outcome, row = network.native_inference.fill_rows(
            codes, missing, key, max_cells, run.thread_count, run.native_report("completing")
        )
    refusal = outcome[0]
    if refusal in (IMPOSSIBLE, UNDEFINED, INTERRUPTED):
        seen = np.flatnonzero(~data.missing[:, row]).tolist() if refusal == IMPOSSIBLE else ()
        evidence = {data.names[v]: data.states[v][int(data.held.codes[v, row])] for v in seen}
        check_outcome(network, outcome, evidence, max_cells)
    if refusal == TOO_LARGE:
        raise OptionError(
            f"the gaps of some rows depend on each other in too many ways: {outcome[4]:,.0f} cells in the "
            f"largest clique of a junction tree, at most {max_cells:,} are allowed. Networks with fewer parents need "
            "fewer."
        )
    return data.completed(codes)


def _experiment_by_experiment(
    network: BayesianNetwork,
    data: Incomplete,
    targets: Targets,
    rng: np.random.Generator,
    max_cells: int,
    run: Run,
) -> Dataset:
    """Draw the cells of each experiment's rows from the network without the arcs into what it set."""
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    for number, names in enumerate(targets.sets):
        rows = np.flatnonzero(targets.of_row == number)
        own = Incomplete.trusted(data.held._unchecked(codes[:, rows], None, None), data.missing[:, rows])
        codes[:, rows] = draw_missing(
            network.do(dict.fromkeys(names)), own, seed=rng, max_cells=max_cells, run=run
        ).codes
    return data.completed(codes)


# `ExpectedCounts`: how often each combination of states is to be expected in data with gaps, given a network.


# A variable and its parents, ascending, by position.
Family = tuple[int, tuple[int, ...]]
# Sets of missing variables with at most this many configurations have one table.
TABLE_CELLS = 1024
# What the native core answers: `arcwise::ExpectationStatus`.
STOPPED, CASE_IMPOSSIBLE, CASE_TOO_LARGE = 1, 2, 3


class ExpectedCounts:
    """Expected counts of families, by exact inference in each row, and the log likelihood of what was observed.

    Given its observed cells, a row's missing variables fall apart into sets that are independent of each other. Their
    joint distributions are computed once, row by row, and serve every family; sets with more than 1,024
    configurations are eliminated once, which leaves a tree of conditional distributions: a family asks for those on the
    paths between its members.

    Parameters
    ----------
    network
        The network, over the variables of the data in their order.
    data
        The data. In rows in which a variable was set, it does not follow from its parents, and its family counts
        nothing.
    run
        Its threads, on which the result does not depend, and when to stop: `UnfinishedError` is raised then.
    """

    def __init__(self, network: BayesianNetwork, data: Incomplete, run: Run | None = None) -> None:
        self._data, self._run = data, run or Run()
        codes = data.held.codes
        kinds = {1: _core.model.RowPosteriors8, 2: _core.model.RowPosteriors16, 4: _core.model.RowPosteriors32}
        self._native = kinds[codes.dtype.itemsize](
            codes,
            data.cell_flags,
            data.arities,
            data.held.native_weights,
            *network.native_arrays,
            _core.model.ExpectationLimits(table_cells=TABLE_CELLS, threads=self._run.thread_count),
        )
        self._check(self._native.prepare(self._run.seconds_left, None))

    @property
    def log_likelihood(self) -> float:
        """The log probability of the observed cells; of cells that were set, given that they were."""
        return self._native.log_likelihood

    def tables(self, families: Sequence[Family]) -> list[NDArray[np.float64]]:
        """Return the expected counts of families: one row per configuration of the parents, the first slowest."""
        offsets = np.concatenate([[0], np.cumsum([len(parents) for _, parents in families])]).astype(np.int64)
        status, flat = self._native.count(
            np.array([child for child, _ in families], dtype=np.int32),
            offsets,
            np.array([p for _, parents in families for p in parents], dtype=np.int32),
            self._run.seconds_left,
            None,
        )
        self._check(status)
        arities = self._data.arities.tolist()
        shapes = [(math.prod(arities[p] for p in parents), arities[child]) for child, parents in families]
        ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]

    def _check(self, status: int) -> None:
        if status == STOPPED:
            if not self._run.is_over:
                raise KeyboardInterrupt
            raise UnfinishedError("time ran out before the expected counts were computed.")
        if status == CASE_IMPOSSIBLE:
            raise OptionError(f"row {self._native.refused_row + 1:,} is impossible under the network.")
        if status == CASE_TOO_LARGE:
            raise OptionError(
                "the gaps of some rows depend on each other in too many ways for exact inference. Networks "
                "with fewer parents need less."
            )


# Hill climbing by the scores of expected counts, which are not whole numbers: the structural step of EM.


# Changes that gain less are ties: sums of logarithms are not exact.
TIE = 1e-8
# Larger tables are not counted: their penalty is beyond any likelihood, unless there are that many cases.
MOST_CELLS = 2**22
# The kinds of changes, in the order in which they are preferred.
ADDITION, REMOVAL, REVERSAL = 0, 1, 2


class ExpectedScores:
    """LL - w q (r - 1) of families, from expected counts, each family once; `weights` has w for each child."""

    def __init__(self, expected: ExpectedCounts, arities: NDArray[np.int32], weights: NDArray[np.float64]) -> None:
        self._expected, self._weights = expected, weights
        self._arities: list[int] = arities.tolist()
        self._known: dict[Family, float] = {}

    def penalty(self, child: int, parents: tuple[int, ...]) -> float:
        """Return w q (r - 1)."""
        cells = float(self._arities[child] - 1)
        for p in parents:
            cells *= self._arities[p]
        return float(self._weights[child]) * cells

    def learn(self, families: Iterable[Family], floors: Mapping[int, float] | None = None) -> None:
        """Compute the scores of families that are not known yet, all from one pass over the rows.

        No likelihood exceeds one: a family whose penalty alone is worse than the floor of its variable, a score that it
        has already, is not counted, and cannot be chosen. Without floors all are counted.
        """
        fresh = []
        for child, parents in dict.fromkeys(families):
            if (child, parents) in self._known:
                continue
            cells = self._arities[child] * np.prod([float(self._arities[p]) for p in parents])
            if floors is None or (-self.penalty(child, parents) > floors[child] and cells <= MOST_CELLS):
                fresh.append((child, parents))
        for family, counts in zip(fresh, self._expected.tables(fresh) if fresh else (), strict=True):
            self._known[family] = _log_likelihood(counts) - self.penalty(*family)

    def __getitem__(self, family: Family) -> float:
        return self._known.get(family, -np.inf)  # what was not counted


def _log_likelihood(counts: NDArray[np.float64]) -> float:
    """Return the sum of n log(n / total). The logarithms are taken apart: of 1e-320 expected cases among 2,000, the
    share is 0 in floating point, and its logarithm no number.
    """
    totals = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * (np.log(counts) - np.log(totals)), 0.0)
    return float(terms.sum())


def climb_expected(scores: ExpectedScores, start: list[int], constraints: Constraints) -> list[int]:
    """Add, remove or reverse the arc that improves the score most, until none does; masks of parents in and out.

    Of equal gains additions come before removals before reversals, then the smaller arc, as in `hill_climb`.
    """
    climb = _Climb(scores, list(start), constraints)
    while climb.step():
        pass
    return climb.parents


class _Climb:
    def __init__(self, scores: ExpectedScores, parents: list[int], constraints: Constraints) -> None:
        self.parents = parents
        self._scores = scores
        self._required, self._forbidden = constraints.required_masks, constraints.forbidden_masks
        self._limits = constraints.limits
        scores.learn((v, ()) for v in range(len(parents)))
        self._look(range(len(parents)))

    def _look(self, children: Iterable[int]) -> None:
        """Score what the changes of an arc into these children need."""
        held = {child: (child, tuple(bits(self.parents[child]))) for child in children}
        self._scores.learn(held.values())
        wanted: list[Family] = []
        for child in held:
            own = self.parents[child]
            wanted += [(child, tuple(bits(own ^ 1 << x))) for x in range(len(self.parents)) if self._may(x, child)]
        # A start may cost more than no parents at all: then what is a way out of it counts.
        floors = {child: min(self._scores[child, ()], self._scores[family]) for child, family in held.items()}
        self._scores.learn(wanted, floors)

    def _may(self, tail: int, head: int) -> bool:
        """Whether the arc may be toggled."""
        bit = 1 << tail
        if tail == head or self._required[head] & bit:
            return False
        if self.parents[head] & bit:
            return True
        return not self._forbidden[head] & bit and self.parents[head].bit_count() < self._limits[head]

    def _gain(self, tail: int, head: int) -> float:
        own = self.parents[head]
        return self._scores[head, tuple(bits(own ^ 1 << tail))] - self._scores[head, tuple(bits(own))]

    def step(self) -> bool:
        """Make the best change; False if none improves the score."""
        n = len(self.parents)
        ranked: list[tuple[float, int, int, int]] = []
        for tail in range(n):
            for head in range(n):
                if not self._may(tail, head):
                    continue
                gain, is_there = self._gain(tail, head), bool(self.parents[head] >> tail & 1)
                ranked.append((gain, REMOVAL if is_there else ADDITION, tail, head))
                if is_there and self._may(head, tail):
                    ranked.append((gain + self._gain(head, tail), REVERSAL, tail, head))
        gaining = [move for move in ranked if move[0] > TIE]
        for _, kind, tail, head in sorted(gaining, key=lambda move: (-round(move[0] / TIE), move[1:])):
            if self._closes_a_cycle(kind, tail, head):
                continue
            self.parents[head] ^= 1 << tail
            if kind == REVERSAL:
                self.parents[tail] |= 1 << head
            self._look((head, tail) if kind == REVERSAL else (head,))
            return True
        return False

    def _closes_a_cycle(self, kind: int, tail: int, head: int) -> bool:
        """Return whether the end of the arc that comes leads to its start."""
        if kind == REMOVAL:
            return False
        ahead, goal = (self.parents[tail], head) if kind == ADDITION else (self.parents[head] & ~(1 << tail), tail)
        return bool(reach(ahead, self.parents) >> goal & 1)


# Tables of related data sets, such as the sites of a study: each its own, and each drawn towards what they share.
#
# A site with few cases says little of rare configurations; all sites together say much, but are not alike. In the
# hierarchical Dirichlet model of Azzimonti, Corani and Zaffalon (2019) the probabilities of a variable and its parents
# in site f are drawn from a Dirichlet distribution with the parameters s kappa, and kappa from one with alpha_0: what
# sites share is estimated with all else. Its posterior has no closed form; the variational one does: Dirichlet for the
# sites, with the parameters nu_f = s kappa + n_f, and Dirichlet for kappa, with tau kappa. The three are found in
# turns until the bound on the likelihood stands still (sections 3 and B of the paper; the same steps and the same ends
# as in bnlearn's "hdir", so that tables can be compared).


# A relative gain below this ends each of the loops, and so many rounds do.
TINY = float(np.sqrt(np.finfo(np.float64).eps))
MOST_ROUNDS = 200
FIRST_SCALE = 100.0  # where the search for tau begins; ten times as far where it comes to nothing
NEXT_STEP = 0.9  # times the last one, where a step gains too little
ENOUGH = 0.4  # of the gain that the slope promises
LEAST = 1e-10  # of kappa, on the way

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RelatedCounts:
    """The counts n of each cell (rows) in each site (columns), and the prior."""

    counts: NDArray[np.float64]
    alpha: float  # alpha_0, of a cell of kappa's prior
    size: float  # s, the equivalent sample size of a site

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of cells, K, and of sites, F."""
        return self.counts.shape[0], self.counts.shape[1]

    def posterior(self) -> NDArray[np.float64]:
        """Return nu: normalised over the states of a variable, the tables of the sites."""
        cells, sites = self.shape
        nu, kappa = np.full((cells, sites), 1 / cells), np.full(cells, 1 / cells)
        last = 1e-10
        for _ in range(MOST_ROUNDS):
            kappa, tau = self._shared(digamma(nu).sum(axis=1), kappa)
            nu = self.size * kappa[:, None] + self.counts
            bound = self._bound(nu, kappa, tau)
            if abs(bound - last) < TINY * abs(last):
                break
            last = bound
        return nu

    def _rest(self, kappa: Vector, tau: float) -> Vector:
        """Return alpha_0 - tau kappa + F (1 - s kappa)."""
        return np.asarray(self.alpha - tau * kappa + self.shape[1] * (1 - self.size * kappa))

    def _shared(self, of_sites: Vector, kappa: Vector) -> tuple[Vector, float]:
        """Return kappa and tau, in turns, given the sums of digamma(nu) over the sites."""
        last, tau = 0.0, 0.0
        for _ in range(MOST_ROUNDS):
            tau = self._scale(kappa)
            kappa = self._centre(of_sites, tau)
            bound = self._of_shared(kappa, tau, of_sites)
            if abs(bound - last) < TINY * abs(last):
                break
            last = bound
        return kappa, tau

    def _scale(self, kappa: Vector) -> float:
        """Return tau, by Newton's steps of its logarithm."""
        cells, sites = self.shape
        start = tau = FIRST_SCALE
        weight = sites * self.size * (cells - 1)
        for _ in range(MOST_ROUNDS):
            rest, one, two = self._rest(kappa, tau), polygamma(1, tau * kappa), polygamma(2, tau * kappa)
            slope = float(((one * kappa - polygamma(1, tau)) * rest).sum()) + weight / tau**2
            bend = float(((kappa**2 * two - polygamma(2, tau)) * rest - kappa**2 * one).sum())
            bend += float(polygamma(1, tau)) - 2 * weight / tau**3
            with np.errstate(over="ignore"):
                tau = float(np.exp(np.log(tau) - slope / (bend * tau + slope)))
            if not tau >= TINY:
                start *= 10
                tau = start
            if abs(slope) < TINY:
                break
        return tau

    def _centre(self, of_sites: Vector, tau: float) -> Vector:
        """Return kappa, by Newton's steps among vectors that sum to one, from the uniform one."""
        (cells, sites), s = self.shape, self.size
        kappa = np.full(cells, 1 / cells)
        value = self._of_centre(kappa, tau, of_sites)
        for _ in range(MOST_ROUNDS):
            rest, one = self._rest(kappa, tau), polygamma(1, tau * kappa)
            inner = digamma(tau * kappa) + digamma(s * kappa) - np.log(kappa) - 1
            slope = tau * one * rest - s * sites * inner - sites / kappa + s * of_sites
            bend = tau**2 * polygamma(2, tau * kappa) * rest - tau * one * (tau + 2 * s * sites)
            bend += sites * (s / kappa + 1 / kappa**2 - s**2 * polygamma(1, s * kappa))
            change = ((slope / bend).sum() / (1 / bend).sum() - slope) / bend
            promised, size = float(slope @ change), -float(bend @ change**2)
            falls = change < 0
            step = min(1.0, float(((kappa[falls] - LEAST) / -change[falls]).min(initial=1.0)))
            before, here = value, kappa
            while value < before + ENOUGH * step * promised and step > TINY:
                kappa = here + step * change
                value = self._of_centre(kappa, tau, of_sites)
                step *= NEXT_STEP
            if size < 2 * TINY or step < TINY:
                break
        return np.asarray(np.maximum(kappa, TINY), dtype=np.float64)

    # ---- The bound, in parts

    def _of_centre(self, kappa: Vector, tau: float, of_sites: Vector) -> float:
        s, sites = self.size, self.shape[1]
        own = digamma(tau * kappa) * self._rest(kappa, tau) + gammaln(tau * kappa) + s * kappa * of_sites
        return float((own - sites * (gammaln(s * kappa) + (1 - s * kappa) * np.log(kappa))).sum())

    def _of_shared(self, kappa: Vector, tau: float, of_sites: Vector) -> float:
        cells, sites = self.shape
        scale = -float((digamma(tau) * self._rest(kappa, tau)).sum()) - float(gammaln(tau))
        return self._of_centre(kappa, tau, of_sites) + scale - sites * self.size * (cells - 1) / tau

    def _bound(self, nu: NDArray[np.float64], kappa: Vector, tau: float) -> float:
        (cells, sites), s = self.shape, self.size
        totals, own = nu.sum(axis=0), digamma(nu)
        of_sites = (
            gammaln(nu) + (self.counts - nu + 1) * (own - digamma(totals)) + (s * kappa[:, None] - 1) * own
        ).sum()
        of_sites -= (gammaln(totals) + (s - cells) * digamma(totals)).sum()
        summed = own.sum(axis=1)
        constant = sites * float(gammaln(s)) - cells * float(gammaln(self.alpha)) - s * float(kappa @ summed)
        return self._of_shared(kappa, tau, summed) + float(of_sites) + constant

"""What the equivalent sample size does to one edge (Steck 2008, section 3).

The log Bayes factor of the edge B -> A, given the other parents P of A, is the difference of two BDeu scores, eq. (7).
For an ESS far above the number of cases N it behaves as eq. (8),

    N / (2 ess) (N U - d_F) + O(ess^-2),        d_F = |P| (|A| - 1) (|B| - 1),

with U the uniformity measure of the data. So a large ESS favours the edge if N U > d_F (Corollary 1), and U is large
not only if A and B depend on each other: two independent but skewed variables have it too. Then the prior, not the
data, makes the edge. (The paper states the error as O(N^2 / ess^2); the next term of eq. (9), with N_y^3 / ess_y^2,
makes it O(N^3 |A,B,P|^2 / ess^2): the power of ess is the same.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from arcwise.base.errors import OptionError, check_argument, check_known
from arcwise.base.options import MANY_VARIABLES
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Status, thread_count
from arcwise.base.showing import data_frame, one_screen
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.evaluate.fit import g_statistic
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import Constraints, assert_obeys
from arcwise.graph.dag import Dag
from arcwise.local.searches import hill_climb, tabu_search
from arcwise.parent_sets.build import build_parent_set_tables
from arcwise.parent_sets.table import ParentSetTable
from arcwise.plotting.layout import new_figure
from arcwise.scores.dirichlet import ESS, log_marginal_likelihood
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, families_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# The uniformity measure U of Steck (2008), section 3.1: how far two variables are from what a uniform prior expects.
#
# For a distribution p(A, B, P) of two variables and their context P, with |.| the number of joint states,
#
#     U = |A,B,P| sum p(a,b,p)^2 - |A,P| sum p(a,p)^2 - |B,P| sum p(b,p)^2 + |P| sum p(p)^2.                        (5)
#
# Written per context and completed to squares, it is
#
#     U = |P| sum_p p(p)^2 |A| |B| sum_ab ( p(a,b|p) - p(a|p)/|B| - p(b|p)/|A| + 1/(|A||B|) )^2,
#
# which shows Proposition 1's symmetry and U >= 0 at a glance, and when U = 0: in every context that occurs, p(a,b|p)
# is a sum of a function of a and one of b. Independence with one uniform margin is such a case. It is not the only
# one, as the proposition says it is: p = [[0.35, 0.25], [0.25, 0.15]] has U = 0, but the margins are (0.6, 0.4) and
# 0.6 x 0.6 = 0.36, not 0.35. (The proof takes the difference of two rows, (p(a) - p(a')) / |B|, to imply a product.)


def _table(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution with axes (A, B, all contexts), normalised."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim < 2 or not (table >= 0).all() or not 0 < table.sum() < np.inf:
        raise OptionError(
            "the uniformity measure needs non-negative counts or probabilities with a positive sum, with one axis for "
            f"each of the two variables and then any for their parents; got an array of shape {table.shape}."
        )
    joined: NDArray[np.float64] = table.reshape(table.shape[0], table.shape[1], -1)
    return np.asarray(joined / joined.sum())


def uniformity(probabilities: NDArray[np.float64]) -> float:
    """Return U of counts or probabilities with the axes (A, B, parents...), by Steck's eq. (4).

    Eq. (4) is the mean, over the distribution, of
    |A,B,P| p(a,b,p) - |A,P| p(a,p) - |B,P| p(b,p) + |P| p(p).
    """
    p = _table(probabilities)
    a, b, contexts = p.shape
    inner = (
        p.size * p
        - a * contexts * p.sum(axis=1, keepdims=True)
        - b * contexts * p.sum(axis=0, keepdims=True)
        + contexts * p.sum(axis=(0, 1), keepdims=True)
    )
    return float((p * inner).sum())


def uniformity_by_squares(probabilities: NDArray[np.float64]) -> float:
    """Return U by eq. (5), from the sums of squared probabilities."""
    p = _table(probabilities)
    a, b, contexts = p.shape
    return float(
        p.size * (p**2).sum()
        - a * contexts * (p.sum(axis=1) ** 2).sum()
        - b * contexts * (p.sum(axis=0) ** 2).sum()
        + contexts * (p.sum(axis=(0, 1)) ** 2).sum()
    )


def checked_sizes(ess: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return equivalent sample sizes as an array, or refuse them."""
    sizes = np.ascontiguousarray(ess, dtype=np.float64)
    if sizes.ndim != 1 or len(sizes) == 0 or not ((sizes > 0) & np.isfinite(sizes)).all():
        raise OptionError("equivalent sample sizes must be positive, finite numbers, and at least one.")
    return sizes


ESS_GRID: NDArray[np.float64] = np.logspace(-3, 5, 81)

Cause = Literal["dependence", "skewness", "none"]


@one_screen
@dataclass(frozen=True, eq=False)
class EdgePrior:
    """An edge over the equivalent sample size.

    Parameters
    ----------
    ess, exact, approximate
        The grid, the exact log Bayes factor for the edge (eq. 7), and its leading order (eq. 8), which holds for an ESS
        far above N.
    uniformity, degrees_of_freedom
        U of the data and d_F.
    sign_changes
        The ESS values, solved to 1e-6 relative, at which the preference for or against the edge changes.
    alpha_plus
        Above this ESS the edge is favoured for good (Corollary 1's alpha+); None if a large ESS does not favour it.
    cause
        Why a large ESS favours the edge: "dependence" if a chi-squared test shows the two variables to depend on each
        other given the parents (p < 0.05), "skewness" if not, so that the prior makes the edge; "none" if it does not.
    """

    child: str
    parent: str
    given: tuple[str, ...]
    n_cases: int
    ess: NDArray[np.float64]
    exact: NDArray[np.float64]
    approximate: NDArray[np.float64]
    uniformity: float
    degrees_of_freedom: int
    dependence_p_value: float
    sign_changes: tuple[float, ...]
    alpha_plus: float | None
    cause: Cause

    @property
    def favoured_by_large_ess(self) -> bool:
        """Corollary 1: N U - d_F > 0."""
        return self.n_cases * self.uniformity > self.degrees_of_freedom

    def to_frame(self) -> pd.DataFrame:
        """Return one row per ESS: the log Bayes factor, exact and to leading order."""
        return data_frame({"ess": self.ess, "log Bayes factor": self.exact, "leading order": self.approximate})

    def plot(self) -> Figure:
        """Plot the log Bayes factor over the ESS."""
        figure = new_figure(6, 4)
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        axes.plot(self.ess, self.exact, label="exact (eq. 7)")
        far = self.ess >= self.n_cases
        axes.plot(self.ess[far], self.approximate[far], "--", label="large ESS (eq. 8)")
        if self.sign_changes:
            changes = ", ".join(f"{ess:.4g}" for ess in self.sign_changes)
            axes.plot(self.sign_changes, np.zeros(len(self.sign_changes)), "ko", label=f"change at {changes}")
        axes.set_xscale("log")
        # What matters is the sign, also where the factor is near 0, as it is for every large ESS.
        axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
        axes.set(xlabel="equivalent sample size", ylabel="log Bayes factor for the edge")
        given = f" given {', '.join(self.given)}" if self.given else ""
        axes.set_title(f"{self.parent} → {self.child}{given}")
        axes.legend()
        return figure


def edge_prior(
    data: Dataset | Frame,
    *,
    child: str,
    parent: str,
    given: Sequence[str] = (),
    ess: Sequence[float] | NDArray[np.float64] | None = None,
) -> EdgePrior:
    """Analyse the edge parent -> child, given other parents of the child, over a grid of equivalent sample sizes.

    Cases in which the child was set are left out.
    """
    data = states_of(data)
    if child == parent or child in given or parent in given or len(set(given)) < len(given):
        raise OptionError(f"child '{child}', parent '{parent}' and the given {list(given)} must all be different.")
    a, b = data.index(child), data.index(parent)
    others = [data.index(name) for name in given]
    grid = ESS_GRID if ess is None else np.sort(checked_sizes(ess))
    data = data.cases_without(child)
    counts = contingency(data, [a, b, *others])
    counts = counts.reshape(counts.shape[0], counts.shape[1], -1)
    exact = log_bayes_factors(counts, grid)
    changes = _sign_changes(counts, grid, exact)
    measure, freedom = uniformity(counts.astype(float)), _degrees_of_freedom(counts)
    favoured = data.n_cases * measure > freedom
    g, degrees = g_statistic(np.moveaxis(counts, 2, 0))
    p_value = float(chdtrc(degrees, g)) if degrees else 1.0
    cause: Cause = "none" if not favoured else "dependence" if p_value < 0.05 else "skewness"
    alpha_plus = None
    if favoured and exact[-1] > 0:
        alpha_plus = changes[-1] if changes else float(grid[0])
    return EdgePrior(
        child=child,
        parent=parent,
        given=tuple(given),
        n_cases=data.n_cases,
        ess=grid,
        exact=exact,
        approximate=leading_order(counts, grid),
        uniformity=measure,
        degrees_of_freedom=freedom,
        dependence_p_value=p_value,
        sign_changes=changes,
        alpha_plus=alpha_plus,
        cause=cause,
    )


def log_bayes_factors(counts: NDArray[np.int64] | NDArray[np.float64], ess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return eq. (7) for each ESS: BDeu of A given B and P, minus BDeu of A given P. Axes of the counts: A, B, P."""
    table = cast("NDArray[np.int64]", counts.reshape(counts.shape[0], counts.shape[1], -1))  # expected counts will do
    with_edge = np.moveaxis(table, 0, -1).reshape(-1, table.shape[0])
    without = table.sum(axis=1).T.reshape(-1, table.shape[0])
    for e in ess:
        ESS.check("bdeu", float(e))
    values = [[log_marginal_likelihood(table, e / table.size) for table in (with_edge, without)] for e in ess]
    return np.array([joined - apart for joined, apart in values])


def leading_order(counts: NDArray[np.int64], ess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return eq. (8) for each ESS: N / (2 ess) (N U - d_F)."""
    cases = float(counts.sum())
    return cases / (2 * ess) * (cases * uniformity(counts.astype(float)) - _degrees_of_freedom(counts))


def _degrees_of_freedom(counts: NDArray[np.int64]) -> int:
    """Return d_F, not corrected for empty cells: it comes from the prior (Steck, footnote 1)."""
    contexts = math.prod(int(size) for size in counts.shape[2:])
    return contexts * (int(counts.shape[0]) - 1) * (int(counts.shape[1]) - 1)


def _sign_changes(
    counts: NDArray[np.int64], grid: NDArray[np.float64], exact: NDArray[np.float64]
) -> tuple[float, ...]:
    from scipy.optimize import brentq

    def at(x: float) -> float:
        return float(log_bayes_factors(counts, np.array([np.exp(x)]))[0])

    changes = []
    for k in np.flatnonzero(np.sign(exact[:-1]) * np.sign(exact[1:]) < 0):
        low, high = float(np.log(grid[k])), float(np.log(grid[k + 1]))
        ends = at(low), at(high)
        if ends[0] * ends[1] < 0:
            root = brentq(at, low, high, xtol=1e-7)
        else:  # an end is zero but for rounding, which exp(log(x)) makes fall on the other side
            root = low if abs(ends[0]) < abs(ends[1]) else high
        changes.append(float(np.exp(root)))
    return tuple(changes)


# How sensitive a graph's score is to the prior (Scanagatta, de Campos and Zaffalon 2014, section 4.2).
#
# Max-BDeu and Min-BDeu let every Dirichlet prior vary inside an epsilon-contaminated set around the uniform one. Their
# difference for a graph is the log of the ratio between its highest and its lowest marginal likelihood under those
# priors: if it is large, the prior still has a say, and more data would change the answer.


EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@one_screen
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The range of a graph's score over the priors of an epsilon-contaminated set.

    Parameters
    ----------
    lower, score, upper
        Min-BDeu, BDeu and Max-BDeu of the graph.
    by_node
        Each variable's part of upper - lower.
    epsilons, sweep
        upper - lower over several epsilons.
    """

    names: tuple[str, ...]
    dag: Dag
    ess: float
    epsilon: float
    n_cases: int
    lower: float
    score: float
    upper: float
    by_node: NDArray[np.float64]
    epsilons: NDArray[np.float64]
    sweep: NDArray[np.float64]

    @property
    def value(self) -> float:
        """Max-BDeu minus Min-BDeu: the log of the ratio of marginal likelihoods."""
        return self.upper - self.lower

    @property
    def relative(self) -> float:
        """The difference divided by the size of the lower score, as in Scanagatta's Figure 6."""
        return self.value / abs(self.lower)

    @property
    def per_case(self) -> float:
        """The difference for each case of the data."""
        return self.value / self.n_cases

    def to_frame(self) -> pd.DataFrame:
        """Return each variable's contribution, the largest first."""
        frame = data_frame({"variable": self.names, "sensitivity": self.by_node})
        frame["share"] = frame["sensitivity"] / self.value if self.value > 0 else 0.0
        return frame.sort_values("sensitivity", ascending=False, kind="stable").reset_index(drop=True)

    def plot(self) -> Figure:
        """Plot the contributions of the variables, and the sensitivity over epsilon."""
        frame = self.to_frame().head(20)[::-1]
        figure = new_figure(9, 0.25 * len(frame) + 2)
        left, right = figure.subplots(1, 2)
        left.barh(frame["variable"], frame["sensitivity"])
        left.set_xlabel(f"Max-BDeu − Min-BDeu (epsilon {self.epsilon:g})")
        right.plot(self.epsilons, self.sweep, marker=".")
        right.axvline(self.epsilon, linestyle=":", color="0.4")
        right.set(xlabel="epsilon", ylabel="Max-BDeu − Min-BDeu")
        return figure


def prior_sensitivity(
    data: Dataset | Frame,
    dag: Dag,
    *,
    ess: float = 1.0,
    epsilon: float = 0.5,
    epsilons: Sequence[float] = EPSILONS,
) -> Sensitivity:
    """Return how far the score of a graph moves when the priors do; epsilon says how far those may move.

    The families are counted once, or where there are hundreds of them, once for each prior, all in one call; beside
    that, the cost grows with the cells that occur.
    """
    data = states_of(data)
    if any(not 0 < e <= 1 for e in (epsilon, *epsilons)):
        raise OptionError("epsilon must be above 0 and at most 1: the share of the prior that may move.")
    families = list(families_of(data, dag))
    at_once = data.targets is None and data.n_variables > MANY_VARIABLES
    counted = [] if at_once else [_counted(data, child, parents) for child, parents in families]

    def local(name: str, **options: float) -> NDArray[np.float64]:
        score = make_score(name, **options)
        if at_once:  # a call for each of thousands of families takes longer than to count them again
            return score.score_families(data, families)
        # Of a variable that was set in every case, the data say nothing: its likelihood is 1.
        return np.array(
            [0.0 if own is None else score.score_family(own, 0, range(1, own.n_variables)) for own in counted]
        )

    low, high = local("min_bdeu", ess=ess, epsilon=epsilon), local("max_bdeu", ess=ess, epsilon=epsilon)
    sweep = [
        float((local("max_bdeu", ess=ess, epsilon=e) - local("min_bdeu", ess=ess, epsilon=e)).sum()) for e in epsilons
    ]
    return Sensitivity(
        names=dag.names,
        dag=dag,
        ess=ess,
        epsilon=epsilon,
        n_cases=data.n_cases,
        lower=float(low.sum()),
        score=float(local("bdeu", ess=ess).sum()),
        upper=float(high.sum()),
        by_node=high - low,
        epsilons=np.array(epsilons),
        sweep=np.array(sweep),
    )


def _counted(data: Dataset, child: int, parents: Sequence[int]) -> Dataset | None:
    """Return a family's distinct rows and the number of their cases: the child, then its parents; None without any."""
    names = [data.names[child], *(data.names[parent] for parent in parents)]
    cases = data.cases_without(names[0])
    return cases.select(names).collapse() if cases.n_cases else None


# Optimal networks under several scores at once: the data are counted once, then each table is solved exactly.


Search = Literal["exact", "hill-climbing", "tabu"]

# Of the time for a search that needs tables first, the tables get this part.
TABLE_SHARE = 0.5


@one_screen
@dataclass(frozen=True, slots=True)
class LearnedNetwork:
    """A network with its score.

    Parameters
    ----------
    dag, score
        The network, and its score.
    status
        COMPLETE if the search came to its end, else the limit that was reached.
    proved
        Whether no network that the options allow scores higher.
    """

    dag: Dag
    score: float
    status: Status
    proved: bool


@one_screen
@dataclass(frozen=True, slots=True)
class Learning:
    """How the analyses of the prior learn a network: the options that they all pass on.

    Parameters
    ----------
    max_parents, constraints
        The largest number of parents of a variable, None for no limit; and what the network must satisfy.
    limits
        Time for the whole analysis, and memory for each table and each search. A `Run` that runs already is shared
        by all analyses that are given it.
    threads
        How many to use for counting: see `Run`.
    search
        "exact", or a local search for data with more variables than an exact one can handle: "hill-climbing" or "tabu",
        from the empty network, which prove nothing.
    """

    max_parents: int | None = None
    constraints: Constraints | None = None
    limits: Limits | Run = field(default_factory=Limits)
    threads: int | None = None
    search: Search = "exact"

    def __post_init__(self) -> None:
        most = self.max_parents
        whole = most is None or (not isinstance(most, bool) and most == int(most) and most >= 0)
        check_argument(whole, "max_parents", most, "must be an integer, 0 or more, or None for no limit.")
        thread_count(self.threads)  # refuses what is no number of threads
        check_known("search", self.search, get_args(Search))

    @property
    def run(self) -> Run:
        """The run of the analysis; one that begins now if the limits are no run yet."""
        return Run.of(self.limits).replace(threads=self.threads)

    def within(self, run: Run) -> Learning:
        """Return the same options with the limits and the clock of a run."""
        return replace(self, limits=run)


def find_optima(
    data: Dataset | Frame,
    scores: Sequence[Score],
    learning: Learning,
    *,
    partly: bool = False,
    progress: bool | ProgressCallback | None = None,
    stage: str = "optimal networks",
) -> list[LearnedNetwork]:
    """Return the optimal network under each score; where a limit was reached, its status says so.

    With `partly`, no search is begun once the time is over: the networks found so far are returned, at least one, the
    last with the status TIME_LIMIT.

    One table of counts per set of variables serves all scores. (For many values of the ESS of BDeu, `EssSolver` needs
    no tables.) Ctrl-C returns the networks found so far, the last with the status INTERRUPTED; during the building of
    the tables, when there is none yet, it raises KeyboardInterrupt.
    """
    data = states_of(data)
    run = learning.run
    tables: list[ParentSetTable] = []
    if learning.search == "exact":
        tables = build_parent_set_tables(
            data,
            scores,
            max_parents=learning.max_parents,
            constraints=learning.constraints,
            limits=run.share(TABLE_SHARE).limits,
            threads=learning.threads,
            progress=progress,
        )
        tables[0].status.unless_interrupted()

    def search(number: int, limits: Limits) -> LearnedNetwork:
        if not tables:
            climb = hill_climb if learning.search == "hill-climbing" else tabu_search
            rules: dict[str, Any] = {"max_parents": learning.max_parents, "constraints": learning.constraints}
            rules["by_position"] = True
            local = climb(data, score=scores[number], **rules, limits=limits, progress=False)
            return LearnedNetwork(local.dag, local.score, local.status, proved=False)
        best = find_optimal(tables[number], constraints=learning.constraints, limits=limits, progress=False)
        # A table that a limit ended holds the sets of the finished levels only.
        ended = tables[number].status
        status = best.status if ended is Status.COMPLETE or best.status is Status.INTERRUPTED else ended
        return LearnedNetwork(best.dag, best.score, status, proved=status is Status.COMPLETE)

    found: list[LearnedNetwork] = []
    with run.replace(progress=progress).shown() as run:
        for number in range(len(scores)):
            if partly and found and run.is_over:
                return [*found[:-1], replace(found[-1], status=Status.TIME_LIMIT)]
            run.report(stage, number, len(scores))
            found.append(search(number, run.part(len(scores) - number).limits))
            assert_obeys(found[-1].dag, learning.constraints)
            if found[-1].status is Status.INTERRUPTED:
                break
    return found


def all_or_interrupt(optima: list[LearnedNetwork]) -> list[LearnedNetwork]:
    """Return the networks, or raise KeyboardInterrupt if Ctrl-C ended the search: for work that needs all of them."""
    optima[-1].status.unless_interrupted()
    return optima


def worst_status(optima: Sequence[LearnedNetwork]) -> Status:
    """Return COMPLETE if every search came to its end, else the first limit that was reached."""
    return next((o.status for o in optima if o.status is not Status.COMPLETE), Status.COMPLETE)


def stays_optimal(data: Dataset, dag: Dag, score: Score, optimum: LearnedNetwork) -> bool:
    """Return whether a network is optimal too, up to rounding: an optimum may have many equals.

    Comparing networks, or equivalence classes, is not enough: a data set with symmetries, such as tic-tac-toe, has
    optima in several classes, of which a search returns any.
    """
    if dag == optimum.dag:
        return True
    return score.score_network(data, dag) >= optimum.score - 1e-9 * abs(optimum.score)

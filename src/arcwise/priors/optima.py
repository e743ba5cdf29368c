"""Optimal networks under several scores at once: the data are counted once, then each table is solved exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from arcwise.base.errors import check_argument, check_known
from arcwise.base.run import Limits, ProgressCallback, Run, Status, thread_count
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import Constraints, assert_obeys
from arcwise.graph.dag import Dag
from arcwise.local.climbing import hill_climb, tabu_search
from arcwise.parent_sets.build import build_parent_set_tables
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.score import Score

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
        return Run.of(self.limits).but(threads=self.threads)

    def within(self, run: Run) -> Learning:
        """Return the same options with the limits and the clock of a run."""
        return replace(self, limits=run)


def find_optima(
    data: Dataset,
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
            local = climb(data, score=scores[number], **rules, limits=limits, progress=False)
            return LearnedNetwork(local.dag, local.score, local.status, proved=False)
        best = find_optimal(tables[number], constraints=learning.constraints, limits=limits, progress=False)
        # A table that a limit ended holds the sets of the finished levels only.
        ended = tables[number].status
        status = best.status if ended is Status.COMPLETE or best.status is Status.INTERRUPTED else ended
        return LearnedNetwork(best.dag, best.score, status, proved=status is Status.COMPLETE)

    found: list[LearnedNetwork] = []
    with run.but(progress=progress).shown() as run:
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

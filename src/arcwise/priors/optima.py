"""Optimal networks under several scores at once: the data are counted once, then each table is solved exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from arcwise.base.errors import Argument, OptionError, check_known
from arcwise.base.run import Limits, ProgressCallback, Run, Status, thread_count
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import Constraints, assert_obeys
from arcwise.graph.dag import Dag
from arcwise.local.climbing import hill_climb, tabu_search
from arcwise.parent_sets.build import build_parent_set_tables
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
    max_parents
        The largest number of parents of a variable; None for no limit.
    constraints
        Required and forbidden arcs, tiers, limits.
    limits
        Time for the whole analysis, and memory for each table and each search. A `Run` that runs already is shared
        by all analyses that are given it.
    threads
        How many to use, for counting; None for all cores. Results do not depend on them.
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
        if most is not None and (isinstance(most, bool) or most != int(most) or most < 0):
            raise OptionError(Argument("max_parents", most), "must be an integer, 0 or more, or None for no limit.")
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
    if learning.search != "exact":
        with run.but(progress=progress).shown() as run:
            return _search_locally(data, scores, learning, run, partly=partly, stage=stage)
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
    found: list[LearnedNetwork] = []
    with run.but(progress=progress).shown() as run:
        for number, table in enumerate(tables):
            if partly and found and run.is_over:
                return _stopped(found)
            run.report(stage, number, len(tables))
            limits = run.part(len(tables) - number).limits
            best = find_optimal(table, constraints=learning.constraints, limits=limits, progress=False)
            # A table that a limit ended holds the sets of the finished levels only.
            status = best.status if table.status is Status.COMPLETE else table.status
            assert_obeys(best.dag, learning.constraints)
            found.append(LearnedNetwork(best.dag, best.score, status, proved=status is Status.COMPLETE))
            if best.status is Status.INTERRUPTED:
                break
    return found


def _search_locally(
    data: Dataset,
    scores: Sequence[Score],
    learning: Learning,
    run: Run,
    *,
    partly: bool,
    stage: str,
) -> list[LearnedNetwork]:
    search = hill_climb if learning.search == "hill-climbing" else tabu_search
    found: list[LearnedNetwork] = []
    for number, score in enumerate(scores):
        if partly and found and run.is_over:
            return _stopped(found)
        run.report(stage, number, len(scores))
        best = search(
            data,
            score=score,
            max_parents=learning.max_parents,
            constraints=learning.constraints,
            limits=run.part(len(scores) - number).limits,
            progress=False,
        )
        assert_obeys(best.dag, learning.constraints)
        found.append(LearnedNetwork(best.dag, best.score, best.status, proved=False))
        if best.status is Status.INTERRUPTED:
            break
    return found


def _stopped(found: list[LearnedNetwork]) -> list[LearnedNetwork]:
    """Return the networks with a last one that says that the time was over after it."""
    return [*found[:-1], replace(found[-1], status=Status.TIME_LIMIT)]


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

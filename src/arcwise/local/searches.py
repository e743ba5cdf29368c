"""Local searches: climbs, tabu search, a genetic search, orders, equivalence classes, trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, ConstraintError, OptionError, check_argument, check_count
from arcwise.base.options import CANDIDATES, REFINE, REFINED_WHOLE, gather, option
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, native_seed
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset, Frame, dataset_of
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import bits, reach
from arcwise.local.problem import START, LocalProblem, LocalSearchResult, MostParents, Start, order_of_content
from arcwise.parent_sets.build import candidate_sets, network_of_rows, table_of
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.keywords import ClimbKeywords, GeneticKeywords, StartKeywords, TabuKeywords
    from arcwise.scores.score import Scored


# The rare settings of the local searches.


MOST = 2**31 - 1  # of counts in the core
MOST_ROUNDS = 10**6  # out of reach of any search that improves


@one_screen
@dataclass(frozen=True, slots=True, kw_only=True)
class StartSettings:
    """How random networks are made.

    Parameters
    ----------
    density
        The chance of each arc of a random network; by default two neighbours per variable on average.
    """

    density: float | None = None


@one_screen
@dataclass(frozen=True, slots=True)
class ClimbSettings(StartSettings):
    """How `hill_climb` restarts, refines and breaks ties, and the settings of `StartSettings`.

    Parameters
    ----------
    restarts
        How often the search starts again when it is stuck; the best network of all is returned.
    perturb
        A restart makes this many random changes to the best network; 0 starts again from `start` and breaks ties among
        equal changes by another random order; None starts from a random network.
    refine
        How many rounds of refinement without a gain end the search; 0 for none. Rounds that turn arcs and rounds that
        take variables out alternate. It also ends when it has computed `refine` times as many local scores as the
        climbs. By default the search takes two to three times as long as without. A climb that ``limits.count`` ended
        is not refined.
    candidates
        Among more than 2,000 variables, refinement tries only so many parents of each variable again: those that it
        had, and those that gained most, next to any of the parent sets that the climb came through. At the end it
        climbs on among all, so that no single change of the result would gain. 0: all are tried, which takes longer.
    random_ties
        Break ties between equal changes by a random order of the variables. Scores that are equal for equivalent
        networks produce many ties, and ties decide directions.
    by_position
        Break ties by the order of the columns, as bnlearn does. Otherwise the search is made twice, by an order of what
        the columns contain (`arcwise.local.problem`) and its reverse, and the better network is returned: it does not
        depend on the order in which columns come, and takes twice the time.
    """

    restarts: int = option(0, "restarts", low=0, most=MOST)
    perturb: int | None = option(
        1, "random changes per restart; 0: from the start, with ties broken in another order", low=0, most=MOST
    )
    refine: int = option(
        REFINE,
        "rounds of refinement without a gain that end the search; 0: none, as in bnlearn",
        low=0,
        most=MOST_ROUNDS,
    )
    random_ties: bool = option(False, "break ties at random")
    candidates: int = option(
        CANDIDATES,
        "parents of each variable that refinement tries again among more than 2,000 variables; 0: all",
        low=0,
        most=MOST,
    )
    by_position: bool = option(False, "break ties by the order of the columns, as bnlearn does")


@one_screen
@dataclass(frozen=True, slots=True)
class TabuSettings(ClimbSettings):
    """How long `tabu_search` remembers, and the settings of `ClimbSettings`; a restart empties the tabu list.

    Parameters
    ----------
    tabu
        How many of the last networks are not visited again.
    max_tabu
        How many changes for the worse end the search; None: as many as `tabu`.
    """

    tabu: int = option(10, "networks not to visit again", low=1, most=MOST, of="tabu")
    max_tabu: int | None = option(None, "bad moves that end it", low=0, most=MOST, usual="--tabu", of="tabu")


@one_screen
@dataclass(frozen=True, slots=True)
class GeneticSettings(StartSettings):
    """The population of `genetic_search`, and the settings of `StartSettings`.

    Parameters
    ----------
    population
        The number of networks.
    unconnected
        How many of them start without arcs; the others start at random.
    drop
        How many of the worst are removed in every round.
    promote
        How many of the best go to the next round as they are, and serve as mates.
    mating_tries
        How often an offspring with a cycle is drawn again before the network stays as it is.
    mutate
        Whether every network takes a first-ascent step in every round.
    patience
        The search ends after this many rounds without a better network.
    """

    population: int = option(16, "networks", low=1, most=MOST, of="genetic")
    unconnected: int = option(1, "how many start empty", low=0, most=MOST, of="genetic")
    drop: int = option(3, "dropped each round", low=0, most=MOST, of="genetic", flags=("--drop-worst",))
    promote: int = option(3, "the best, kept each round", low=1, most=MOST, of="genetic")
    mating_tries: int = option(20, "draws of an offspring", low=0, most=MOST, of="genetic")
    mutate: bool = True
    patience: int = option(5, "rounds without progress that end it", low=1, most=MOST, of="genetic")


EFFORT = 1  # for each round of refinement, it may compute this many times the scores that the climbs have


def hill_climb(
    data: Scored | Frame,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: GivenConstraints | None = None,
    max_parents: MostParents = "usual",
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ClimbKeywords],
) -> LocalSearchResult:
    """Add, remove or reverse the arc that improves the score most, until none does.

    The local optimum is then refined: every arc is reversed, one after another in random order, while both of its ends
    choose their parents again, and the variable that it leads to is taken out of the network and put back; the search
    continues from every better network. ``refine=0`` leaves that out: then, and with ``by_position=True``, the defaults
    are those of bnlearn's `hc`: empty start, no restart, one perturbation per restart. Without restarts, a random start
    or random ties, the result does not depend on the seed; nor does it on the order of rows and columns.

    Parameters
    ----------
    data
        The data; row weights count. With gaps (`Incomplete`) if the score takes them: "pnal", "nal".
    score
        A score or its name, e.g. "bic" or "bdeu:ess=10".
    start
        "empty" (the required arcs alone), "random", or a `Dag`.
    constraints
        What the network must satisfy.
    max_parents
        The largest number of parents of any variable; None for no limit. By default there is one unless the score's
        penalty counts cells, as those of BIC and AIC do: so many that a table has a case for each configuration of
        parents, and can be fitted (`LocalSearchResult.usual_limit`).
    seed
        An integer or a numpy generator that fixes the random numbers; the result records the seed.
    limits
        `seconds`; `count`, the moves of each climb; `memory_bytes`, for the cache of scores.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `ClimbSettings` by keyword, such as ``restarts=10``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents)
    chosen = gather(ClimbSettings, hill_climb, settings)
    with Run.begin(limits, progress, seed=seed) as run:
        return _climb(problem, "hill-climbing", chosen, start, run)


def _climb(
    problem: LocalProblem,
    method: str,
    settings: ClimbSettings,
    start: Start,
    run: Run,
    tabu: tuple[int, int] = (0, 0),
) -> LocalSearchResult:
    """Run the climb that hill climbing and tabu search share, in both orders of content or by position.

    `tabu` has the length of the tabu list, 0 for hill climbing, and the changes for the worse that end the search.
    """
    if settings.by_position:
        return _climb_once(problem, method, settings, start, run, tabu)
    order = order_of_content(problem.data)
    found = [_climb_once(problem.in_order(order), method, settings, start, run, tabu)]
    if found[0].complete:
        found.append(_climb_once(problem.in_order(order[::-1]), method, settings, start, run, tabu))
    best = max(found, key=lambda one: one.score)
    return replace(best, dag=best.dag.reorder(problem.data.names), seconds=run.seconds, status=found[-1].status)


def _climb_once(
    problem: LocalProblem, method: str, settings: ClimbSettings, start: Start, run: Run, tabu: tuple[int, int]
) -> LocalSearchResult:
    rounds, candidates = settings.refine, settings.candidates
    learner = problem.learner(run.given.memory_bytes)
    options = _core.local.ClimbOptions(
        start=problem.pack_start(learner, start, settings.density, native_seed(run.seed, START)),
        restarts=settings.restarts,
        perturbations=-1 if settings.perturb is None else settings.perturb,
        density=problem.density(settings.density),
        tabu=tabu[0],
        patience=tabu[1],
        max_iterations=run.given.count or 0,
        refine=rounds,
        effort=EFFORT * rounds,
        narrow=REFINED_WHOLE,
        candidates=candidates,
        random_ties=settings.random_ties,
        seed=native_seed(run.seed),
    )
    found = problem.search(method, learner.climb, options, run)
    narrowed = rounds > 0 and 0 < candidates < problem.data.n_variables > REFINED_WHOLE
    return replace(found, candidates=candidates) if narrowed else found


# Tabu search: hill climbing that walks on past local optima and does not walk back.


def tabu_search(
    data: Scored | Frame,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: GivenConstraints | None = None,
    max_parents: MostParents = "usual",
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[TabuKeywords],
) -> LocalSearchResult:
    """Climb; at a local optimum make the least bad change that leads to none of the last networks, and continue.

    The best network is then refined, as in `hill_climb`; ``refine=0`` leaves that out. The rest of the algorithm and
    its defaults are those of bnlearn's `tabu`: the last ``tabu=10`` *structures* are kept, and the search ends after
    ``max_tabu=tabu`` changes for the worse since it last found a new best network. A structure on the list has been
    visited, so it is no better than the best network seen: the aspiration criterion, which would allow a tabu change
    that leads to a new best network, has nothing to allow.

    Parameters
    ----------
    data, score, start, constraints, max_parents, seed, limits, progress
        As for `hill_climb`.
    settings
        The fields of `TabuSettings` by keyword, such as ``tabu=20``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents)
    chosen = gather(TabuSettings, tabu_search, settings)
    most = chosen.tabu if chosen.max_tabu is None else chosen.max_tabu
    with Run.begin(limits, progress, seed=seed) as run:
        return _climb(problem, "tabu", chosen, start, run, (chosen.tabu, most))


# Randomised first-ascent hill climbing (Lau & Bush 2004, section 4).


def first_ascent(
    data: Scored | Frame,
    score: str | Score = "bic_laplace",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: MostParents = "usual",
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[StartKeywords],
) -> LocalSearchResult:
    """Shuffle all 3 n (n - 1) single-arc changes and make the first that improves the score; repeat until none does.

    `iterations` are the sweeps and `operations` the changes looked at, legal or not. Both include the last sweep, which
    finds nothing: from a local maximum there is one iteration (Lau & Bush, sections 4.4.2 and 4.4.3). `history` has the
    score at the start and after each change. An improvement below rounding error does not count as one, so that the
    search ends among equivalent networks.

    Parameters
    ----------
    data, start, constraints, max_parents, seed, progress
        As for `hill_climb`; the order of the changes is random, so the seed matters for every start.
    score
        A score or its name; Lau & Bush use BIC with Bayesian correction, "bic_laplace", and "k2".
    limits
        `seconds`; `count`, the moves; `memory_bytes`, for the cache of scores.
    settings
        ``density=``, the chance of each arc of a random start, or a `StartSettings` as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents)
    density = gather(StartSettings, first_ascent, settings).density
    with Run.begin(limits, progress, seed=seed) as run:
        learner = problem.learner(run.given.memory_bytes)
        options = _core.local.FirstAscentOptions(
            start=problem.pack_start(learner, start, density, native_seed(run.seed, START)),
            max_iterations=run.given.count or 0,
            seed=native_seed(run.seed),
        )
        found = problem.search("first-ascent", learner.first_ascent, options, run)
    return replace(found, iterations=found.iterations + found.complete)


# Genetic search over networks (Lau & Bush 2004, section 6).


def genetic_search(
    data: Scored | Frame,
    score: str | Score = "bic_laplace",
    *,
    constraints: GivenConstraints | None = None,
    max_parents: MostParents = "usual",
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[GeneticKeywords],
) -> LocalSearchResult:
    """Evolve a population of networks by swapping the parents of whole nodes and by first-ascent mutations.

    In every round the worst networks are dropped and the best promoted; then the survivors mate, each with one of the
    best: the offspring takes the parents of 1 to n random nodes from its mate, drawn again if that makes a cycle. Last,
    every network takes one first-ascent step. The defaults are Lau & Bush's, except for the number of offspring: they
    drop 3 of 16 and speak of "the remaining 12", which are 13; here the survivors have 13 offspring, so that the
    population stays at 16.

    Parameters
    ----------
    data, score, constraints, max_parents, seed, progress
        As for `first_ascent`.
    limits
        `seconds`; `count`, the rounds; `memory_bytes`, for the cache of scores.
    settings
        The fields of `GeneticSettings` by keyword, such as ``population=32``, or a whole one as ``settings=``.
    """
    problem = LocalProblem.of(data, score, constraints, max_parents)
    chosen = _checked(gather(GeneticSettings, genetic_search, settings))
    with Run.begin(limits, progress, seed=seed) as run:
        options = _core.local.GeneticOptions(
            population=chosen.population,
            unconnected=chosen.unconnected,
            dropped=chosen.drop,
            promoted=chosen.promote,
            mating_tries=chosen.mating_tries,
            patience=chosen.patience,
            max_rounds=run.given.count or 0,
            mutate=chosen.mutate,
            density=problem.density(chosen.density),
            seed=native_seed(run.seed),
        )
        return problem.search("genetic", problem.learner(run.given.memory_bytes).evolve, options, run)


def _checked(settings: GeneticSettings) -> GeneticSettings:
    population = Argument("population", settings.population)
    if settings.unconnected > settings.population:
        raise OptionError(Argument("unconnected", settings.unconnected), "exceeds", population, ".")
    if settings.drop >= settings.population:
        raise OptionError(Argument("drop", settings.drop), "must be below", population, ": someone must survive.")
    survivors = settings.population - settings.drop
    rule = f"exceeds the {survivors} survivors of population - drop."
    check_argument(settings.promote <= survivors, "promote", settings.promote, rule)
    return settings


# Order-based search over a table of parent sets (Teyssier & Koller 2005).


def order_search(
    table: ParentSetTable | Scored | Frame,
    *,
    iterations: int = 1000,
    patience: int = 150,
    start: Sequence[str] | None = None,
    constraints: GivenConstraints | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Search over orders of the variables; given an order, every variable takes its best parents before it.

    The space of orders is smaller and smoother than that of networks: where hill climbing over networks ends far below
    the optimum, this often ends at it. A move takes one variable out of the order and puts it back anywhere (swaps of
    neighbours are such moves). A local optimum is left by a few random moves (iterated local search); after
    `patience` of them without a gain the search starts again from a random order. The best network seen is returned.

    Parameters
    ----------
    table
        The candidate parent sets of every variable, e.g. from `build_parent_sets`.
    iterations
        How many perturbations in total.
    patience
        How many perturbations without a gain lead to a new start.
    start
        An order of the variables to start from, parents first; None for a random one.
    constraints
        Only parent sets of the table that they allow are used.
    seed, limits, progress
        As for `hill_climb`; ``limits.count`` is the perturbations at most.

    Returns
    -------
    LocalSearchResult
        `history` has the best score after each `patience` perturbations, `restarts` the positions of new starts.
    """
    table = table_of(table, constraints=constraints, limits=limits, progress=progress)
    constraints = Constraints.of(table.names, constraints)
    check_count("iterations", iterations, 1)
    check_count("patience", patience, 1)
    table.validate()
    sets = candidate_sets(table, constraints)
    allowed = min(iterations, (limits or Limits()).native_count)
    order = _positions(table, start)
    best_rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    best = current = (-table.n_variables, -np.inf)  # minus the variables without a parent set; the score
    history: list[float] = []
    restarts: list[int] = []
    done, status = 0, Status.COMPLETE
    with Run.begin(limits, progress, seed=seed) as run:
        search, report = _core.local.OrderSearch(sets, native_seed(run.seed)), run.native_report("order")
        while done < allowed:
            size = min(patience, allowed - done)
            (found, rows, score, missing), reason = search.iterate(order, size, size + 1, run.seconds_left, report)
            done += size
            value = (-missing, score)
            if value > best or not best_rows.size:
                best, best_rows = value, rows
            history.append(best[1])
            if reason:
                status = Status.from_native(reason)
                break
            if value > current:
                current, order = value, found
            else:
                current, order = (-table.n_variables, -np.inf), np.empty(0, dtype=np.int32)
                if done < allowed:
                    restarts.append(len(history))
    if allowed < iterations and status is Status.COMPLETE:
        status = Status.COUNT_LIMIT
    if best[0] < 0:
        raise ConstraintError(
            "no order was found in which every variable has a parent set of the table that the constraints allow; "
            "find_optimal says whether there is one."
        )
    dag, score = network_of_rows(table, sets.origins[best_rows], constraints)
    return LocalSearchResult(
        dag=dag,
        score=score,
        method="order",
        scored_by=table.score,
        # The core adds the same scores in another order: no entry may exceed the final score by that rounding.
        history=np.minimum([*history[:-1], score], score),
        restarts=tuple(restarts),
        iterations=done,
        operations=search.operations,
        families_scored=table.n_rows if table.statistics is None else table.statistics.families,
        seed=run.seed,
        seconds=run.seconds,
        status=status,
    )


def _positions(table: ParentSetTable, start: Sequence[str] | None) -> NDArray[np.int32]:
    if start is None:
        return np.empty(0, dtype=np.int32)
    if sorted(start) != sorted(table.names):
        raise OptionError(f"start must hold every variable once: {', '.join(table.names)}.")
    return np.array([table.names.index(name) for name in start], dtype=np.int32)


# Deterministic searches look at the columns in an order of their content, so that the order in which these come, which
# says nothing, decides nothing.


def _by_content(data: Dataset) -> Dataset:
    return data.select([data.names[v] for v in order_of_content(data)])


def _as_given(data: Dataset, found: LocalSearchResult) -> LocalSearchResult:
    return replace(found, dag=found.dag.reorder(data.names))


# Greedy equivalence search (GES): climbs between Markov equivalence classes instead of networks.
#
# Chickering (2002), *Optimal structure identification with greedy search*, JMLR 3. A state is the CPDAG of a class.
# The first phase inserts edges as long as the score rises, the second deletes them. Insert(X, Y, T), for X and Y that
# are not adjacent and T among the undirected neighbours of Y that are not adjacent to X, adds X -> Y and directs T ->
# Y; it is valid if NA(Y, X) and T form a clique and every path without arcs against it from Y to X has one of them on
# it (Theorem 15), and gains s(Y, NA, T, Pa(Y), X) - s(Y, NA, T, Pa(Y)) (Corollary 16). Delete(X, Y, H), for X - Y or
# X -> Y and H in NA(Y, X), removes the edge and directs Y -> H and, where X - H, X -> H; it is valid if NA(Y, X)
# without H is a clique (Theorem 17) and gains s(Y, NA less H, Pa(Y) less X) - s(Y, NA less H, Pa(Y), X) (Corollary
# 18).
#
# With an equivalent score and enough data from a network, the two phases end in its class (Lemmas 9 and 10). On data
# as they are, it is no better than a climb through networks: see the page on local search.


# A gain that rounding makes: families that a step compares can have the same score.
LEAST_GAIN = 1e-9
AT_ONCE = 4096  # steps of one variable
BLOCK_SECONDS = 0.05  # between two looks at the clock


def _scored_in_time(
    score: Score, data: Dataset, families: Sequence[tuple[int, Sequence[int]]], run: Run
) -> NDArray[np.float64]:
    """Return the scores of families; only of the first ones if the time runs out."""
    found: list[NDArray[np.float64]] = [np.empty(0)]
    done, size = 0, 16
    while done < len(families) and not run.is_over:
        begin = run.seconds
        found.append(score.score_families(data, families[done : done + size]))
        done += size
        size = 2 * size if run.seconds - begin < BLOCK_SECONDS else max(1, size // 2)
    return np.concatenate(found)


@dataclass(frozen=True, order=True, slots=True)
class SearchStep:
    """An operator: its gain, and the edge x, y with the set that is directed along with it, as a bit set."""

    gain: float
    x: int
    y: int
    others: int


def equivalence_search(
    data: Dataset | Frame,
    score: str | Score = "bic",
    *,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Greedy equivalence search, GES: insert edges into an equivalence class, then delete, while the score rises.

    The data are observations, the score an equivalent one; ``limits.count`` is the most steps. The `dag` of the result
    is a member of the class that was found; ``dag.cpdag`` is the class. It does not depend on the order of columns.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = equivalence_search(datasets.load("iris"), "bdeu:ess=1")
    >>> found.method, found.complete
    ('ges', True)
    """
    data = dataset_of(data)
    chosen = make_score(score)
    rule = "gives equivalent networks different scores; GES needs one that does not, such as bic or bdeu."
    check_argument(chosen.facts.equivalent, "score", chosen.name, rule)
    if data.targets is not None:
        raise OptionError("GES is for observations alone: experiments tell members of a class apart. Use hill_climb.")
    with Run.begin(limits, progress) as run:
        return _as_given(data, _EquivalenceSearch(_by_content(data), chosen, run).result())


class _Class:
    """The CPDAG of the current class as bit sets."""

    def __init__(self, graph: Pdag) -> None:
        self.graph = graph
        self.parents, self.neighbours = graph.parent_masks, graph.neighbour_masks
        self.edges = list(zip(self.parents, self.neighbours, graph.child_masks, strict=True))
        self.steps = [neighbours | children for _, neighbours, children in self.edges]
        self.adjacent = [parents | steps for parents, steps in zip(self.parents, self.steps, strict=True)]

    def cliques(self, base: int, among: int) -> Iterator[int]:
        """Yield the subsets of `among` that form a clique together with `base`, the empty one first."""
        if any(base & ~(self.adjacent[v] | 1 << v) for v in bits(base)):
            return
        allowed = among
        for v in bits(base):
            allowed &= self.adjacent[v]
        waiting = [(0, allowed)]
        while waiting:
            chosen, left = waiting.pop()
            yield chosen
            for v in bits(left):
                left ^= 1 << v
                waiting.append((chosen | 1 << v, left & self.adjacent[v]))

    def is_blocked(self, start: int, end: int, by: int) -> bool:
        """Return whether every path from `start` to `end` along arcs and undirected edges meets the set `by`."""
        return not reach(1 << start, self.steps, ~by) >> end & 1

    def differing(self, other: _Class) -> int:
        """Return the nodes whose edges are not the same."""
        return sum(1 << v for v, own in enumerate(self.edges) if own != other.edges[v])


class _EquivalenceSearch:
    def __init__(self, data: Dataset, score: Score, run: Run) -> None:
        self._data, self._score, self._run = data, score, run
        self._n = data.n_variables
        self._scores: dict[tuple[int, int], float] = {}
        self._looked_at = 0
        self._status = Status.COMPLETE
        self.state = _Class(Dag(data.names, [()] * self._n).cpdag)

    def result(self) -> LocalSearchResult:
        alone = self._score.score_families(self._data, [(v, ()) for v in range(self._n)])
        self._scores = {(v, 0): value for v, value in enumerate(alone.tolist())}
        history = [float(alone.sum())]
        try:
            for inserting in (True, False):
                self._phase(inserting, history)
        except KeyboardInterrupt:
            self._status = Status.INTERRUPTED
        dag = self.state.graph.extend()
        return LocalSearchResult(
            dag=dag,
            score=self._score.score_network(self._data, dag),
            method="ges",
            scored_by=self._score.describe(),
            history=np.array(history),
            iterations=len(history) - 1,
            operations=self._looked_at,
            families_scored=len(self._scores),
            seconds=self._run.seconds,
            status=self._status,
        )

    def _phase(self, inserting: bool, history: list[float]) -> None:
        """Make the best valid step of one kind until none has a gain.

        The steps of a pair stay as they are while the edges of its nodes and of the second one's neighbours do; only
        whether paths are blocked depends on more, and is asked when a step is about to be made.
        """
        steps: dict[tuple[int, int], list[SearchStep]] = {}
        changed = (1 << self._n) - 1
        while self._status is Status.COMPLETE:
            self._refresh(steps, inserting, changed)
            self._status = self._run.status
            best = self._best(steps, inserting) if self._status is Status.COMPLETE else None
            if best is None:
                return
            if self._run.given.count is not None and len(history) > self._run.given.count:
                self._status = Status.COUNT_LIMIT
            else:
                before = self.state
                self.state = self._after(best, inserting)
                changed = before.differing(self.state)
                history.append(history[-1] + best.gain)
                self._run.report("ges", len(history) - 1, score=history[-1])

    def _refresh(self, steps: dict[tuple[int, int], list[SearchStep]], inserting: bool, changed: int) -> None:
        """Look at the steps of pairs that have changed again; at those that the time allows."""
        found = self._insertions if inserting else self._deletions
        for y in range(self._n):
            whole = changed >> y & 1 or self.state.neighbours[y] & changed
            others = [x for x in (range(self._n) if whole else bits(changed)) if x != y]
            for x in others:
                steps.pop((x, y), None)
            # Each is x, y, the set, the family without x, with x.
            waiting = itertools.chain.from_iterable(found(x, y) for x in others)
            while families := list(itertools.islice(waiting, AT_ONCE)):
                without = self._family_scores([(y, less) for _, _, _, less, _ in families])
                within = self._family_scores([(y, more) for _, _, _, _, more in families])
                if self._run.is_over:
                    return
                gains = within - without if inserting else without - within
                self._looked_at += len(families)
                for (x, _, directed, _, _), gain in zip(families, gains.tolist(), strict=True):
                    if gain > LEAST_GAIN:
                        steps.setdefault((x, y), []).append(SearchStep(gain, x, y, directed))

    def _insertions(self, x: int, y: int) -> Iterator[tuple[int, int, int, int, int]]:
        state = self.state
        if state.adjacent[y] >> x & 1:
            return
        common = state.neighbours[y] & state.adjacent[x]
        for others in state.cliques(common, state.neighbours[y] & ~state.adjacent[x]):
            family = common | others | state.parents[y]
            yield x, y, others, family, family | 1 << x

    def _deletions(self, x: int, y: int) -> Iterator[tuple[int, int, int, int, int]]:
        state = self.state
        if not (state.neighbours[y] | state.parents[y]) >> x & 1:
            return
        common = state.neighbours[y] & state.adjacent[x]
        for kept in state.cliques(0, common):
            family = (kept | state.parents[y]) & ~(1 << x)
            yield x, y, common & ~kept, family, family | 1 << x

    def _best(self, steps: dict[tuple[int, int], list[SearchStep]], inserting: bool) -> SearchStep | None:
        """Return the valid step with the largest gain; of equal ones that of the first variables."""
        state = self.state
        ordered = sorted(itertools.chain.from_iterable(steps.values()), key=lambda s: (-s.gain, s.x, s.y, s.others))
        for step in ordered:
            barrier = state.neighbours[step.y] & state.adjacent[step.x] | step.others
            if not inserting or state.is_blocked(step.y, step.x, barrier):
                return step
        return None

    def _after(self, step: SearchStep, inserting: bool) -> _Class:
        """Return the class that a step leads to."""
        state = self.state
        parents, neighbours = list(state.parents), list(state.neighbours)
        x, y = 1 << step.x, 1 << step.y

        def direct(tail: int, head: int) -> None:
            neighbours[tail] &= ~(1 << head)
            neighbours[head] &= ~(1 << tail)
            parents[head] |= 1 << tail

        if inserting:
            parents[step.y] |= x
            for t in bits(step.others):
                direct(t, step.y)
        else:
            neighbours[step.x] &= ~y
            neighbours[step.y] &= ~x
            parents[step.y] &= ~x
            for h in bits(step.others):
                direct(step.y, h)
                if state.neighbours[step.x] >> h & 1:
                    direct(step.x, h)
        graph = Pdag(self._data.names, [list(bits(m)) for m in parents], [list(bits(m)) for m in neighbours])
        return _Class(graph.to_cpdag())

    def _family_scores(self, families: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """Return scores; some are NaN if the time runs out."""
        missing = [family for family in dict.fromkeys(families) if family not in self._scores]
        wanted = [(v, list(bits(parents))) for v, parents in missing]
        found = _scored_in_time(self._score, self._data, wanted, self._run)
        self._scores.update(zip(missing, found.tolist(), strict=False))
        return np.array([self._scores.get(family, np.nan) for family in families], dtype=np.float64)


# Networks of a fixed shape that others are measured by: naive Bayes, tree-augmented naive Bayes, Chow and Liu's tree.
#
# For an equivalent score the gain of an edge, s(j | i) - s(j), is the same in both directions: i -> j and j -> i are
# one class. The best network among trees is then a maximum spanning tree of these gains (Chow and Liu 1968, for the
# likelihood, where the gain is N times the mutual information), and an edge without a gain is left out: scores that
# weigh parameters make a forest. Given a class variable C that is a parent of all others, the gain of an edge is s(j
# | i, C) - s(j | C), which is symmetric for the same reason (Friedman, Geiger and Goldszmidt 1997, section 4).


def naive_bayes(data: Dataset | Frame, target: str, score: str | Score = "bic") -> LocalSearchResult:
    """Return naive Bayes: the target is the only parent of every other variable.

    Nothing is searched; the score is that of the network.

    Examples
    --------
    >>> from arcwise import datasets
    >>> naive_bayes(datasets.load("iris"), "species").dag.children_of("species")
    ('sepal-length', 'sepal-width', 'petal-length', 'petal-width')
    """
    data = dataset_of(data)
    c = data.index(target)
    parents = [[] if v == c else [c] for v in range(data.n_variables)]
    return _result(data, make_score(score), "naive-bayes", parents, 0, Run())


def tree_augmented(
    data: Dataset | Frame,
    target: str,
    score: str | Score = "ll",
    *,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Return tree-augmented naive Bayes, TAN: the best tree over the other variables, all of them below the target.

    If the limit of `seconds` ends it, the tree is the best of the edges that were looked at by then. The score is an
    equivalent one. The likelihood, "ll", gives the tree of Friedman, Geiger and Goldszmidt; a score
    that weighs parameters, such as "bic", leaves out edges that do not pay.

    Examples
    --------
    >>> from arcwise import datasets
    >>> len(tree_augmented(datasets.load("iris"), "species").dag.arcs)  # 4 from the species, 3 of the tree
    7
    """
    data = dataset_of(data)
    ordered = _by_content(data)
    c = ordered.index(target)
    with Run.begin(limits, progress) as run:
        others = [v for v in range(data.n_variables) if v != c]
        return _as_given(data, _tree(ordered, make_score(score), "tan", others, [c], run))


def chow_liu(
    data: Dataset | Frame,
    score: str | Score = "ll",
    *,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Return the best network in which every variable has at most one parent: the tree of Chow and Liu.

    If the limit of `seconds` ends it, the tree is the best of the edges that were looked at by then. The score is an
    equivalent one. The likelihood, "ll", gives a tree; a score that weighs parameters, such as "bic", a
    forest of the edges that pay.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = chow_liu(datasets.load("iris"))
    >>> len(found.dag.arcs), max(map(len, found.dag.parents))
    (4, 1)
    """
    data = dataset_of(data)
    with Run.begin(limits, progress) as run:
        found = _tree(_by_content(data), make_score(score), "chow-liu", list(range(data.n_variables)), [], run)
        return _as_given(data, found)


def spanning_forest(gains: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return a forest of the largest sum of gains, given for all i < j: edges (i, j) whose gain is above 0.

    Of edges with the same gain the first in the order of (i, j) comes first. A tree is grown from each of its nodes
    (Prim's algorithm), always by the first edge in this order, which gives the same edges as Kruskal's.

    >>> spanning_forest(np.array([[0, 3, 2], [0, 0, 1], [0, 0, 0.0]]))
    [(0, 1), (0, 2)]
    """
    n = len(gains)
    first, second = np.triu_indices(n, 1)
    order = np.argsort(-gains[first, second], kind="stable")
    rank = np.full((n, n), len(order))  # that of no edge
    kept = order[gains[first[order], second[order]] > 0]
    rank[first[kept], second[kept]] = rank[second[kept], first[kept]] = np.arange(len(kept))
    nearest, tail = np.full(n, len(order)), np.zeros(n, dtype=np.int64)
    outside, edges = np.ones(n, dtype=bool), []
    for _ in range(n):
        v = int(np.argmin(np.where(outside, nearest, len(order) + 1)))
        if nearest[v] < len(order):
            edges.append((int(nearest[v]), min(v, int(tail[v])), max(v, int(tail[v]))))
        outside[v] = False
        closer = rank[v] < nearest
        nearest[closer], tail[closer] = rank[v][closer], v
    return [(i, j) for _, i, j in sorted(edges)]


def _tree(data: Dataset, score: Score, method: str, nodes: list[int], above: list[int], run: Run) -> LocalSearchResult:
    _check(data, score, method)
    alone = score.score_families(data, [(v, above) for v in nodes])
    gains, looked_at = np.zeros((len(nodes), len(nodes))), len(nodes)
    for i in range(len(nodes) - 1):
        joined = _scored_in_time(score, data, [(v, [nodes[i], *above]) for v in nodes[i + 1 :]], run)
        gains[i, i + 1 : i + 1 + len(joined)] = joined - alone[i + 1 : i + 1 + len(joined)]
        looked_at += len(joined)
        run.report(method, i + 1, len(nodes) - 1)
        if run.is_over:
            break
    parents: list[list[int]] = [[] for _ in range(data.n_variables)]
    for v in nodes:
        parents[v] = list(above)
    for i, j in _from_roots(len(nodes), spanning_forest(gains)):
        parents[nodes[j]] = sorted([nodes[i], *above])
    everything = len(nodes) * (len(nodes) + 1) // 2
    return _result(data, score, method, parents, looked_at, run, cut=looked_at < everything)


def _from_roots(n: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Direct the edges of a forest away from the first node of each of its trees."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    arcs: list[tuple[int, int]] = []
    left = set(range(n))
    for root in range(n):
        waiting = [root] if root in left else []
        while waiting:
            v = waiting.pop()
            left.remove(v)
            below = [child for child in neighbours[v] if child in left]
            arcs += [(v, child) for child in below]
            waiting += below
    return arcs


def _check(data: Dataset, score: Score, method: str) -> None:
    rule = (
        f"gives equivalent networks different scores, so that an edge of {method} has no gain of its own; use one that "
        "does not, such as ll, bic or bdeu."
    )
    check_argument(score.facts.equivalent, "score", score.name, rule)
    if data.targets is not None:
        raise OptionError(
            f"{method} is for observations alone: with experiments the gain of an edge depends on its direction. Use "
            "hill_climb."
        )


def _result(
    data: Dataset, score: Score, method: str, parents: list[list[int]], families: int, run: Run, *, cut: bool = False
) -> LocalSearchResult:
    dag = Dag(data.names, parents)
    value = score.score_network(data, dag)
    return LocalSearchResult(
        dag=dag,
        score=value,
        method=method,
        scored_by=score.describe(),
        history=np.array([value]),
        iterations=len(dag.arcs),
        operations=families,
        families_scored=families + data.n_variables,
        seconds=run.seconds,
        status=Status.TIME_LIMIT if cut else Status.COMPLETE,
    )

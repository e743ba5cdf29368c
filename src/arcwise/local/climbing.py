"""Searches through networks by single changes: hill climbing, tabu search, first ascent, a genetic search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from arcwise import _core
from arcwise.base.errors import Argument, OptionError, check_argument
from arcwise.base.options import CANDIDATES, REFINE, REFINED_WHOLE, gather, option
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, native_seed
from arcwise.base.showing import one_screen
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.graph.constraints import Constraints
from arcwise.local.problem import START, LocalProblem, LocalSearchResult, Start
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.keywords import ClimbKeywords, GeneticKeywords, StartKeywords, TabuKeywords

# The rare settings of the local searches.


MOST = 2**31 - 1  # of counts in the core
MOST_ROUNDS = 10**6


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
        Break ties between equal changes by a random order of the variables, not by their order in the data. Scores
        that are equal for equivalent networks produce many ties, and ties decide directions.
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
    data: Dataset | Incomplete,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ClimbKeywords],
) -> LocalSearchResult:
    """Add, remove or reverse the arc that improves the score most, until none does.

    The local optimum is then refined: every arc is reversed, one after another in random order, while both of its ends
    choose their parents again, and the variable that it leads to is taken out of the network and put back; the search
    continues from every better network. ``refine=0`` leaves that out: then the defaults are those of bnlearn's
    `hc`: empty start, no restart, one perturbation per restart, no parent limit. Without restarts, a random start or
    random ties, the result does not depend on the seed.

    Parameters
    ----------
    data
        The data; row weights count. With gaps (`Incomplete`) if the score takes them: "pnal", "nal".
    score
        A score or its name, e.g. "bic" or "bdeu:ess=10".
    start
        "empty" (the required arcs alone), "random", or a `Dag`.
    constraints, max_parents
        What the network must satisfy, and the largest number of parents of any variable.
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
    """Run the climb that hill climbing and tabu search share.

    `tabu` has the length of the tabu list, 0 for hill climbing, and the changes for the worse that end the search.
    """
    rounds, candidates = settings.refine, settings.candidates
    found = problem.search(
        method,
        _core.local.LocalLearner.climb,
        lambda learner, seed: _core.local.ClimbOptions(
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
            seed=seed,
        ),
        run,
    )
    narrowed = rounds > 0 and 0 < candidates < problem.data.n_variables > REFINED_WHOLE
    return replace(found, candidates=candidates) if narrowed else found


# Tabu search: hill climbing that walks on past local optima and does not walk back.


def tabu_search(
    data: Dataset | Incomplete,
    score: str | Score = "bic",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
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
    data: Dataset | Incomplete,
    score: str | Score = "bic_laplace",
    *,
    start: Start = "empty",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[StartKeywords],
) -> LocalSearchResult:
    """Shuffle all 3 n (n - 1) single-arc changes and make the first that improves the score; repeat until none does.

    `iterations` are the changes made and `operations` the changes looked at, legal or not, the last fruitless sweep
    included (Lau & Bush, sections 4.4.2 and 4.4.3); `history` has the score after each iteration. An improvement
    below rounding error does not count as one, so that the search ends among equivalent networks.

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
        return problem.search(
            "first-ascent",
            _core.local.LocalLearner.first_ascent,
            lambda learner, seed: _core.local.FirstAscentOptions(
                start=problem.pack_start(learner, start, density, native_seed(run.seed, START)),
                max_iterations=run.given.count or 0,
                seed=seed,
            ),
            run,
        )


# Genetic search over networks (Lau & Bush 2004, section 6).


def genetic_search(
    data: Dataset | Incomplete,
    score: str | Score = "bic_laplace",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
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
        return problem.search(
            "genetic",
            _core.local.LocalLearner.evolve,
            lambda _, seed: _core.local.GeneticOptions(
                population=chosen.population,
                unconnected=chosen.unconnected,
                dropped=chosen.drop,
                promoted=chosen.promote,
                mating_tries=chosen.mating_tries,
                patience=chosen.patience,
                max_rounds=run.given.count or 0,
                mutate=chosen.mutate,
                density=problem.density(chosen.density),
                seed=seed,
            ),
            run,
        )


def _checked(settings: GeneticSettings) -> GeneticSettings:
    population = Argument("population", settings.population)
    if settings.unconnected > settings.population:
        raise OptionError(Argument("unconnected", settings.unconnected), "exceeds", population, ".")
    if settings.drop >= settings.population:
        raise OptionError(Argument("drop", settings.drop), "must be below", population, ": someone must survive.")
    survivors = settings.population - settings.drop
    told = f"exceeds the {survivors} survivors of population - drop."
    check_argument(settings.promote <= survivors, "promote", settings.promote, told)
    return settings

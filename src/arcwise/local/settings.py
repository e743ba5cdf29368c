"""The rare settings of the local searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from arcwise.defaults import CANDIDATES, REFINE
from arcwise.showing import one_screen

__all__ = [
    "ClimbKeywords",
    "ClimbSettings",
    "GeneticKeywords",
    "GeneticSettings",
    "StartKeywords",
    "StartSettings",
    "TabuKeywords",
    "TabuSettings",
]


@one_screen
@dataclass(frozen=True, slots=True)
class StartSettings:
    """How random networks are made.

    Parameters
    ----------
    density
        The chance of each arc of a random network; by default two neighbours per variable on average.
    """

    density: float | None = None


class StartKeywords(TypedDict, total=False):
    """`StartSettings` as keywords."""

    settings: StartSettings
    density: float | None


@one_screen
@dataclass(frozen=True, slots=True)
class ClimbSettings:
    """How `hill_climb` restarts, refines and breaks ties.

    Parameters
    ----------
    restarts
        How often the search starts again when it is stuck; the best network of all is returned.
    perturb
        A restart makes this many random changes to the best network; 0 starts again from `start` and breaks ties among
        equal changes by another random order; None starts from a random network.
    density
        The chance of each arc of a random network; by default two neighbours per variable on average.
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

    restarts: int = 0
    perturb: int | None = 1
    density: float | None = None
    refine: int = REFINE
    random_ties: bool = False
    candidates: int = CANDIDATES


class ClimbKeywords(TypedDict, total=False):
    """`ClimbSettings` as keywords."""

    settings: ClimbSettings
    restarts: int
    perturb: int | None
    density: float | None
    refine: int
    random_ties: bool
    candidates: int


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

    tabu: int = 10
    max_tabu: int | None = None


class TabuKeywords(TypedDict, total=False):
    """`TabuSettings` as keywords."""

    settings: TabuSettings
    restarts: int
    perturb: int | None
    density: float | None
    refine: int
    random_ties: bool
    candidates: int
    tabu: int
    max_tabu: int | None


@one_screen
@dataclass(frozen=True, slots=True)
class GeneticSettings:
    """The population of `genetic_search`.

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
    density
        The chance of each arc of a random network; by default two neighbours per variable on average.
    """

    population: int = 16
    unconnected: int = 1
    drop: int = 3
    promote: int = 3
    mating_tries: int = 20
    mutate: bool = True
    patience: int = 5
    density: float | None = None


class GeneticKeywords(TypedDict, total=False):
    """`GeneticSettings` as keywords."""

    settings: GeneticSettings
    population: int
    unconnected: int
    drop: int
    promote: int
    mating_tries: int
    mutate: bool
    patience: int
    density: float | None

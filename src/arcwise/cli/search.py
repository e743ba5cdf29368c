"""`arcwise search`: one network by local search."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from arcwise import local
from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, options_of, row, rows
from arcwise.base.run import Run, Status
from arcwise.cli.options import DataArgument, LearningVerb, ScoreOptions, StepLimit
from arcwise.cli.output import GraphFileVerb, score_shares, write_graph_file
from arcwise.cli.verb import Result, Rows
from arcwise.graph.constraints import assert_obeys
from arcwise.model.structural_em import structural_em
from arcwise.parent_sets.build import build_parent_sets

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Incomplete


def _usual(function: Callable[..., object], name: str) -> Any:
    """Return the default of a parameter of a function of the library."""
    return inspect.signature(function).parameters[name].default


class Method(enum.StrEnum):
    """The local searches."""

    TABU = "tabu"
    HILL_CLIMBING = "hill-climbing"
    FIRST_ASCENT = "first-ascent"
    GENETIC = "genetic"
    ORDER = "order"
    GES = "ges"
    CHOW_LIU = "chow-liu"
    NAIVE_BAYES = "naive-bayes"
    TAN = "tan"
    EM = "em"


class StartName(enum.StrEnum):
    """Where a search starts."""

    EMPTY = "empty"
    RANDOM = "random"


@dataclass(frozen=True)
class StartOptions:
    """Where a search starts."""

    start: StartName = option(StartName.EMPTY, "where to start")


@dataclass(frozen=True)
class OrderOptions:
    """The settings of order search, and threads for its table."""

    iterations: int = option(_usual(local.order_search, "iterations"), "perturbations", low=1, of="order")
    patience: int = row(
        local.GeneticSettings,
        "patience",
        usual=f"{local.GeneticSettings().patience}; order: {_usual(local.order_search, 'patience')}, which restart it",
    )
    threads: int | None = row(Common, "threads", help="threads for its table", of="order")


@dataclass(frozen=True)
class TargetOptions:
    """What a network is made for."""

    target: str | None = option(None, "the variable to predict", of="naive-bayes, tan")


# What each method calls, and what it takes besides the common options; an option that it does not take is refused, not
# ignored.
SEARCHES: dict[Method, tuple[Callable[..., Any], tuple[type, ...]]] = {
    Method.TABU: (local.tabu_search, (StartOptions, local.TabuSettings)),
    Method.HILL_CLIMBING: (local.hill_climb, (StartOptions, local.ClimbSettings)),
    Method.FIRST_ASCENT: (local.first_ascent, (StartOptions,)),
    Method.GENETIC: (local.genetic_search, (local.GeneticSettings,)),
    Method.ORDER: (local.order_search, (OrderOptions,)),
    Method.GES: (local.equivalence_search, ()),
    Method.CHOW_LIU: (local.chow_liu, ()),
    Method.NAIVE_BAYES: (local.naive_bayes, (TargetOptions,)),
    Method.TAN: (local.tree_augmented, (TargetOptions,)),
    Method.EM: (structural_em, (StartOptions,)),
}
FREE = (Method.GES, Method.CHOW_LIU, Method.NAIVE_BAYES, Method.TAN)  # they take no constraints
OPTIONS = Rows(tuple(dict.fromkeys(table for _, tables in SEARCHES.values() for table in tables)), given=True)


def _taken(method: Method) -> dict[str, str]:
    """Return the options that a method takes, with their flags."""
    return {item.name: item.flag for table in SEARCHES[method][1] for item in options_of(table)}


class SearchVerb(LearningVerb, StepLimit, GraphFileVerb):
    """Search for a network with a high score, fast and without a proof that it is the best.

    Besides searches there are networks to compare with: the tree of Chow and Liu, naive Bayes and tree-augmented naive
    Bayes (tan), which are made for --target, and greedy equivalence search (ges).

    Prints the arcs as CSV. The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, .txt
    (structure file) or .modelstring (bnlearn).

    Data may have gaps with --score pnal, which scores each family by the cases that have it whole, and with --method
    em, structural EM; both need values that are missing at random.

    Example: arcwise search survey.csv --method genetic --score bdeu:ess=10 --seed 1 -o network.graphml
    """

    data: DataArgument
    method: Method = option(Method.TABU, "the search")
    seed: int = row(Common, "seed")
    options: Annotated[dict[str, Any], OPTIONS]
    scored: ScoreOptions = rows(ScoreOptions)

    def _run(self) -> Result:
        self._refuse_untaken()
        to_stdout = self.stdout_is_taken(self.output, otherwise=not self.as_json)
        score, run = self.scored.make(), self.clock
        cases: Dataset | Incomplete
        if self.method is not Method.EM:
            cases, known = self.read_known(self.data, self, score)
            self.warn_of_idle_odds(score, known)
        elif self.impute is None:
            cases, known = self.read_incomplete(self.data, self, score)
        else:
            raise OptionError("--method em needs the gaps as they are: leave --impute out.")
        given: dict[str, Any] = {"score": score, "constraints": known, "limits": run.limits, "progress": self.progress}
        if self.method in FREE:
            result = self._search_freely(cases, **given)
        elif self.method is Method.ORDER:
            result = self._search_orders(cases, **given, **self.options)
        else:
            search, _ = SEARCHES[self.method]
            if self.max_parents is not None:
                given["max_parents"] = self.max_parents
            result = search(cases, seed=self.seed, **given, **self.options)
        assert_obeys(result.dag, known)
        if to_stdout or self.output is not None:
            write_graph_file(self.output or Path("-"), result.dag)
        if self.method is Method.EM:
            found = f"{score.name} {result.score:.6f} of the observed values"
        else:
            found = f"{score.data_score.name} {score_shares(result)}"
        stopped = "" if result.complete else f"; stopped: {result.status}"
        usual = None if self.method is Method.EM else result.usual_limit
        if usual is not None and any(len(parents) >= usual for parents in result.dag.parents):
            stopped += f"; {usual} parents are the most that so many rows carry: --max-parents allows others"
        remark = (
            f"{self.method}: {found}, {len(result.dag.arcs)} arcs, {result.iterations} iterations, "
            f"{result.seconds:.3f} s{stopped}"
        )
        return Result(result.as_dict(), remark=remark, status=result.status)

    def _refuse_untaken(self) -> None:
        """Refuse an option that the method does not take."""
        flags = {name: flag for other in Method for name, flag in _taken(other).items()}
        for name in self.options:
            if name not in _taken(self.method):
                takers = ", ".join(other for other in Method if name in _taken(other))
                raise OptionError(f"{flags[name]} is not an option of --method {self.method}, but of {takers}.")

    def _search_freely(self, data: Any, score: Any, constraints: Any, **run: Any) -> local.LocalSearchResult:
        """Call a search that takes no constraints."""
        if constraints is not None or self.max_parents is not None:
            raise OptionError(
                f"--method {self.method} knows no constraints and no limit of parents; hill-climbing and tabu do."
            )
        function, tables = SEARCHES[self.method]
        if TargetOptions in tables and "target" not in self.options:
            raise OptionError(f"--method {self.method} needs the variable to predict: --target NAME.")
        circumstances = {} if self.method is Method.NAIVE_BAYES else run  # there is nothing to search
        return cast("local.LocalSearchResult", function(data, score=score, **self.options, **circumstances))

    def _search_orders(
        self, data: Any, score: Any, constraints: Any, limits: Any, threads: int | None = None, **options: Any
    ) -> local.LocalSearchResult:
        """Order search over the table of parent sets of the data; both share the time."""
        clock = Run.of(limits)
        table = build_parent_sets(
            data,
            score,
            max_parents=self.max_parents,
            constraints=constraints,
            threads=threads,
            limits=clock.uncounted,
            progress=self.progress,
        )
        found = local.order_search(table, constraints=constraints, seed=self.seed, limits=clock.limits, **options)
        status = found.status if table.status is Status.COMPLETE else table.status
        return replace(found, seconds=clock.seconds, status=status)

"""`arcwise search`: one network by local search."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, options_of, row
from arcwise.cli.options import (
    DataArgument,
    DataOptions,
    Rows,
    RuleOptions,
    ScoreOptions,
    StepLimit,
    tell_idle,
)
from arcwise.cli.output import ResultOptions, check_output_name, finish, print_json, score_shares, write_graph_file
from arcwise.local.climbing import ClimbSettings, GeneticSettings, TabuSettings
from arcwise.local.order_search import order_search

if TYPE_CHECKING:
    from arcwise.base.run import Limits
    from arcwise.data.dataset import Dataset, Incomplete
    from arcwise.graph.constraints import Constraints
    from arcwise.local.problem import LocalSearchResult
    from arcwise.scores.score import Score


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

    iterations: int = option(_usual(order_search, "iterations"), "perturbations", low=1, of="order")
    patience: int = row(
        GeneticSettings,
        "patience",
        usual=f"{GeneticSettings().patience}; order: {_usual(order_search, 'patience')}, which restart it",
    )
    threads: int | None = row(Common, "threads", help="threads for its table", of="order")


@dataclass(frozen=True)
class TargetOptions:
    """What a network is made for."""

    target: str | None = option(None, "the variable to predict", of="naive-bayes, tan")


# What each method takes besides the common options; an option that a method does not take is refused, not ignored.
TABLES: dict[Method, tuple[type, ...]] = {
    Method.TABU: (StartOptions, TabuSettings),
    Method.HILL_CLIMBING: (StartOptions, ClimbSettings),
    Method.FIRST_ASCENT: (StartOptions,),
    Method.GENETIC: (GeneticSettings,),
    Method.ORDER: (OrderOptions,),
    Method.GES: (),
    Method.CHOW_LIU: (),
    Method.NAIVE_BAYES: (TargetOptions,),
    Method.TAN: (TargetOptions,),
    Method.EM: (StartOptions,),
}
OPTIONS = Rows(tuple(dict.fromkeys(table for tables in TABLES.values() for table in tables)), given=True)


def _taken(method: Method) -> dict[str, str]:
    """Return the options that a method takes, with their flags."""
    return {item.name: item.flag for table in TABLES[method] for item in options_of(table)}


@dataclass(frozen=True)
class SearchOptions:
    """The search, and its random numbers."""

    method: Method = option(Method.TABU, "the search")
    seed: int = row(Common, "seed")


def search(
    data: DataArgument,
    *,
    searching: SearchOptions,
    options: Annotated[dict[str, Any], OPTIONS],
    scored: ScoreOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: StepLimit,
    printing: ResultOptions,
) -> None:
    """Search for a network with a high score, fast and without a proof that it is the best.

    Besides searches there are networks to compare with: the tree of Chow and Liu, naive Bayes and tree-augmented naive
    Bayes (tan), which are made for --target, and greedy equivalence search (ges).

    Prints the arcs as CSV. The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, .txt
    (structure file) or .modelstring (bnlearn).

    Data may have gaps with --score pnal, which scores each family by the cases that have it whole, and with --method
    em, structural EM; both need values that are missing at random.

    Example: arcwise search survey.csv --method genetic --score bdeu:ess=10 --seed 1 -o network.graphml
    """
    from arcwise.graph.constraints import assert_obeys
    from arcwise.local.climbing import first_ascent, genetic_search, hill_climb, tabu_search
    from arcwise.local.equivalence_search import equivalence_search
    from arcwise.local.trees import chow_liu, naive_bayes, tree_augmented
    from arcwise.model.structural_em import structural_em

    method, output = searching.method, printing.output
    _refuse_untaken(method, options)
    if "start" in options:
        options["start"] = options["start"].value
    to_stdout = printing.stdout_is_taken(output, otherwise=not printing.as_json)
    if output is not None:
        check_output_name(output)
    score, limits = scored.make(), limit.limits
    function: Any = {
        Method.TABU: tabu_search,
        Method.HILL_CLIMBING: hill_climb,
        Method.FIRST_ASCENT: first_ascent,
        Method.GENETIC: genetic_search,
        Method.ORDER: _search_orders,
        Method.GES: functools.partial(_search_freely, method, equivalence_search),
        Method.CHOW_LIU: functools.partial(_search_freely, method, chow_liu),
        Method.NAIVE_BAYES: functools.partial(_search_freely, method, naive_bayes),
        Method.TAN: functools.partial(_search_freely, method, tree_augmented),
        Method.EM: structural_em,
    }[method]
    cases: Dataset | Incomplete
    if method is not Method.EM:
        cases, known = reading.read_known(data, printing.progress, rules, score)
        tell_idle(score, known, quiet=printing.quiet)
    elif reading.impute is None:
        cases, known = reading.read_incomplete(data, printing.progress, rules, score)
    else:
        raise OptionError("--method em needs the gaps as they are: leave --impute out.")
    result = function(
        cases,
        score=score,
        max_parents=rules.max_parents,
        constraints=known,
        seed=searching.seed,
        limits=limits,
        progress=printing.progress,
        **options,
    )
    assert_obeys(result.dag, known)
    if to_stdout:
        write_graph_file(Path("-"), result.dag)
    elif output is not None:
        write_graph_file(output, result.dag)
    if printing.as_json:
        print_json(result.as_dict())
    stopped = "" if result.complete else f"; stopped: {result.status}"
    if method is Method.EM:
        found = f"{score.name} {result.score:.6f} of the observed values"
    else:
        found = f"{score.data_score.name} {score_shares(result)}"
    printing.remark(
        f"{method}: {found}, {len(result.dag.arcs)} arcs, {result.iterations} iterations, "
        f"{result.seconds:.3f} s{stopped}"
    )
    finish(result.status)


def _refuse_untaken(method: Method, options: dict[str, Any]) -> None:
    """Refuse an option that the method does not take."""
    flags = {name: flag for other in Method for name, flag in _taken(other).items()}
    for name in options:
        if name not in _taken(method):
            takers = ", ".join(other for other in Method if name in _taken(other))
            raise OptionError(f"{flags[name]} is not an option of --method {method}, but of {takers}.")


def _search_freely(
    method: Method,
    function: Any,
    data: Dataset,
    *,
    score: Score,
    max_parents: int | None,
    constraints: Constraints | None,
    **options: Any,
) -> LocalSearchResult:
    """Call a search that takes no constraints: greedy equivalence search, or a network of a fixed shape."""
    if constraints is not None or max_parents is not None:
        raise OptionError(f"--method {method} knows no constraints and no limit of parents; hill-climbing and tabu do.")
    if method is Method.GES:
        found = function(data, score, limits=options["limits"], progress=options["progress"])
    elif TargetOptions not in TABLES[method]:
        found = function(data, score)
    elif "target" in options:
        found = function(data, options["target"], score)
    else:
        raise OptionError(f"--method {method} needs the variable to predict: --target NAME.")
    return cast("LocalSearchResult", found)


def _search_orders(
    data: Dataset,
    *,
    score: Score,
    max_parents: int | None,
    constraints: Constraints | None,
    limits: Limits,
    progress: bool | None,
    threads: int | None = None,
    **options: Any,
) -> LocalSearchResult:
    """Order search over the table of parent sets of the data; both share the time."""
    from arcwise.base.run import Run, Status
    from arcwise.parent_sets.build import build_parent_sets

    deadline = Run.of(limits)
    table = build_parent_sets(
        data,
        score,
        max_parents=max_parents,
        constraints=constraints,
        threads=threads,
        limits=deadline.uncounted,
        progress=progress,
    )
    found = order_search(table, constraints=constraints, limits=deadline.limits, progress=progress, **options)
    status = found.status if table.status is Status.COMPLETE else table.status
    return replace(found, seconds=deadline.seconds, status=status)

"""`arcwise search`: one network by local search."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arcwise.cli.data_options import DataArgument, DataOptions
from arcwise.cli.graph_files import check_output_name, write_graph_file
from arcwise.cli.limit_options import StepLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.printing import ResultOptions, finish, print_json, score_shares
from arcwise.cli.repeat_options import SeedOption
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import ScoreOptions, tell_idle
from arcwise.defaults import MOST_THREADS
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.limits import Limits
    from arcwise.local import LocalSearchResult
    from arcwise.scores import Score

__all__ = ["register"]


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


# What each method takes besides the common options; an option that a method does not take is refused, not ignored.
CLIMB = ("start", "restarts", "perturb", "refine", "candidates", "random_ties")
TAKES: dict[Method, tuple[str, ...]] = {
    Method.TABU: (*CLIMB, "tabu", "max_tabu"),
    Method.HILL_CLIMBING: CLIMB,
    Method.FIRST_ASCENT: ("start",),
    Method.GENETIC: ("population", "unconnected", "drop_worst", "promote", "mating_tries", "patience"),
    Method.ORDER: ("iterations", "patience", "threads"),
    Method.GES: (),
    Method.CHOW_LIU: (),
    Method.NAIVE_BAYES: ("target",),
    Method.TAN: ("target",),
    Method.EM: ("start",),
}


@dataclass(frozen=True)
class SearchOptions(OptionGroup):
    """The search and its settings; None stands for the default."""

    method: Annotated[Method, typer.Option("--method", help="The search.")] = Method.TABU
    start: Annotated[
        StartName | None, typer.Option("--start", help="Where to start (default: empty).", show_default=False)
    ] = None
    restarts: Annotated[
        int | None, typer.Option("--restarts", min=0, help="Restarts (default: 0).", show_default=False)
    ] = None
    perturb: Annotated[
        int | None,
        typer.Option(
            "--perturb",
            min=0,
            help="Random changes per restart (default: 1); 0: from the start, with ties broken in another order.",
            show_default=False,
        ),
    ] = None
    refine: Annotated[
        int | None,
        typer.Option(
            "--refine",
            min=0,
            help="Rounds of refinement without a gain that end the search (default: 3); 0: none, as in bnlearn.",
            show_default=False,
        ),
    ] = None
    candidates: Annotated[
        int | None,
        typer.Option(
            "--candidates",
            min=0,
            help="Parents of each variable that refinement tries again among more than 2,000 variables (default: 40); "
            "0: all.",
            show_default=False,
        ),
    ] = None
    random_ties: Annotated[
        bool | None, typer.Option("--random-ties", help="Break ties at random.", show_default=False)
    ] = None
    tabu: Annotated[
        int | None,
        typer.Option("--tabu", min=1, help="tabu: networks not to visit again (default: 10).", show_default=False),
    ] = None
    max_tabu: Annotated[
        int | None,
        typer.Option("--max-tabu", min=0, help="tabu: bad moves that end it (default: --tabu).", show_default=False),
    ] = None
    population: Annotated[
        int | None, typer.Option("--population", min=1, help="genetic: networks (default: 16).", show_default=False)
    ] = None
    unconnected: Annotated[
        int | None,
        typer.Option("--unconnected", min=0, help="genetic: how many start empty (default: 1).", show_default=False),
    ] = None
    drop_worst: Annotated[
        int | None,
        typer.Option("--drop-worst", min=0, help="genetic: dropped each round (default: 3).", show_default=False),
    ] = None
    promote: Annotated[
        int | None,
        typer.Option("--promote", min=1, help="genetic: the best, kept each round (default: 3).", show_default=False),
    ] = None
    mating_tries: Annotated[
        int | None,
        typer.Option("--mating-tries", min=0, help="genetic: draws of an offspring (default: 20).", show_default=False),
    ] = None
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience",
            min=1,
            help="genetic: rounds without progress that end it (default: 5); order: that restart it (150).",
            show_default=False,
        ),
    ] = None
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", min=1, help="order: perturbations (default: 1000).", show_default=False),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            help="order: threads for its table (default: one per core).",
            show_default=False,
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option("--target", help="naive-bayes, tan: the variable to predict.", show_default=False),
    ] = None
    seed: SeedOption = 0

    def settings(self) -> dict[str, Any]:
        """Return what was given, by the names of the library; what the method does not take is refused."""
        given = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("method", "seed")
        }
        options = {name: value for name, value in given.items() if value is not None}
        for name in options:
            if name not in TAKES[self.method]:
                takers = ", ".join(method for method in Method if name in TAKES[method])
                option = f"--{name.replace('_', '-')}"
                raise OptionError(f"{option} is not an option of --method {self.method}, but of {takers}.")
        if "drop_worst" in options:
            options["drop"] = options.pop("drop_worst")
        if self.start is not None:
            options["start"] = self.start.value
        return options


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("search")(expanded(search))


def search(
    data: DataArgument,
    *,
    searching: SearchOptions,
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
    from arcwise import local as stage
    from arcwise.graph import assert_obeys

    method, output = searching.method, printing.output
    options = searching.settings()
    to_stdout = printing.stdout_is_taken(output, otherwise=not printing.as_json)
    if output is not None:
        check_output_name(output)
    score, limits = scored.make(), limit.limits
    if method is Method.EM:
        chosen = {**options, "seed": searching.seed}
        _search_by_em(data, chosen, score, rules=rules, reading=reading, limits=limits, printing=printing)
        return
    function: Any = {
        Method.TABU: stage.tabu_search,
        Method.HILL_CLIMBING: stage.hill_climb,
        Method.FIRST_ASCENT: stage.first_ascent,
        Method.GENETIC: stage.genetic_search,
        Method.ORDER: _search_orders,
        Method.GES: functools.partial(_search_freely, method, stage.equivalence_search),
        Method.CHOW_LIU: functools.partial(_search_freely, method, stage.chow_liu),
        Method.NAIVE_BAYES: functools.partial(_search_freely, method, stage.naive_bayes),
        Method.TAN: functools.partial(_search_freely, method, stage.tree_augmented),
    }[method]
    cases, known = reading.read_known(data, printing.progress, rules, score)
    tell_idle(score, known, quiet=printing.quiet)
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
    printing.remark(
        f"{method}: {score.data_score.name} {score_shares(result)}, {len(result.dag.arcs)} arcs, "
        f"{result.iterations} iterations, {result.seconds:.3f} s{stopped}"
    )
    finish(result.status)


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
    elif "target" not in TAKES[method]:
        found = function(data, score)
    elif "target" in options:
        found = function(data, options["target"], score)
    else:
        raise OptionError(f"--method {method} needs the variable to predict: --target NAME.")
    return cast("LocalSearchResult", found)


def _search_by_em(
    data: Path,
    options: dict[str, Any],
    score: Score,
    *,
    rules: RuleOptions,
    reading: DataOptions,
    limits: Limits,
    printing: ResultOptions,
) -> None:
    """Structural EM on data with gaps."""
    from arcwise.graph import assert_obeys
    from arcwise.model import structural_em

    if reading.impute is not None:
        raise OptionError("--method em needs the gaps as they are: leave --impute out.")
    cases, known = reading.read_incomplete(data, printing.progress, rules, score)
    found = structural_em(
        cases,
        score,
        max_parents=rules.max_parents,
        constraints=known,
        limits=limits,
        progress=printing.progress,
        **options,
    )
    assert_obeys(found.dag, known)
    if printing.stdout_is_taken(printing.output, otherwise=not printing.as_json):
        write_graph_file(Path("-"), found.dag)
    elif printing.output is not None:
        write_graph_file(printing.output, found.dag)
    if printing.as_json:
        print_json(found.as_dict())
    stopped = "" if found.complete else f"; stopped: {found.status}"
    printing.remark(
        f"em: {score.name} {found.score:.6f} of the observed values, {len(found.dag.arcs)} arcs, "
        f"{found.iterations} iterations, {found.seconds:.3f} s{stopped}"
    )
    finish(found.status)


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
    from arcwise.deadline import Deadline
    from arcwise.limits import Status
    from arcwise.local import order_search
    from arcwise.parent_sets import build_parent_sets

    deadline = Deadline.of(limits)
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

"""`arcwise search`: one network by local search."""

from __future__ import annotations

import enum
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.graph_files import check_output_name, write_graph_file
from arcwise.cli.options import (
    BlacklistOption,
    CategoricalOption,
    ConstraintsOption,
    DataArgument,
    EssOption,
    JsonOption,
    LimitSecondsOption,
    MaxParentsOption,
    OutputOption,
    QuietOption,
    ScoreOption,
    SeedOption,
    WhitelistOption,
    constraints_from,
    finish,
    limits_from,
    print_json,
    progress_from,
    score_from,
    stdout_is_taken,
)
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.limits import Limits
    from arcwise.scores import Score
    from arcwise.search import LocalSearchResult

__all__ = ["register"]


class Method(enum.StrEnum):
    """The local searches."""

    TABU = "tabu"
    HILL_CLIMBING = "hill-climbing"
    FIRST_ASCENT = "first-ascent"
    GENETIC = "genetic"
    ORDER = "order"


class StartName(enum.StrEnum):
    """Where a search starts."""

    EMPTY = "empty"
    RANDOM = "random"


# What each method takes beside the options of all; an option that a method does not take is refused, not ignored.
CLIMB = ("start", "restarts", "perturb", "random_ties")
TAKES: dict[Method, tuple[str, ...]] = {
    Method.TABU: (*CLIMB, "tabu", "max_tabu"),
    Method.HILL_CLIMBING: CLIMB,
    Method.FIRST_ASCENT: ("start",),
    Method.GENETIC: ("population", "unconnected", "drop", "promote", "mating_tries", "patience"),
    Method.ORDER: ("iterations", "patience"),
}


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("search")(search)


def search(
    data: DataArgument,
    method: Annotated[Method, typer.Option("--method", help="The search.")] = Method.TABU,
    score: ScoreOption = "bic",
    ess: EssOption = None,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    start: Annotated[
        StartName | None, typer.Option("--start", help="Where to start (default: empty).", show_default=False)
    ] = None,
    restarts: Annotated[
        int | None, typer.Option("--restarts", min=0, help="Restarts (default: 0).", show_default=False)
    ] = None,
    perturb: Annotated[
        int | None,
        typer.Option(
            "--perturb",
            min=0,
            help="Random changes per restart (default: 1); 0: from the start, with ties broken in another order.",
            show_default=False,
        ),
    ] = None,
    random_ties: Annotated[
        bool | None, typer.Option("--random-ties", help="Break ties at random.", show_default=False)
    ] = None,
    tabu: Annotated[
        int | None,
        typer.Option("--tabu", min=1, help="tabu: networks not to visit again (default: 10).", show_default=False),
    ] = None,
    max_tabu: Annotated[
        int | None,
        typer.Option("--max-tabu", min=0, help="tabu: bad moves that end it (default: --tabu).", show_default=False),
    ] = None,
    population: Annotated[
        int | None, typer.Option("--population", min=1, help="genetic: networks (default: 16).", show_default=False)
    ] = None,
    unconnected: Annotated[
        int | None,
        typer.Option("--unconnected", min=0, help="genetic: how many start empty (default: 1).", show_default=False),
    ] = None,
    drop: Annotated[
        int | None,
        typer.Option("--drop", min=0, help="genetic: the worst, dropped each round (default: 3).", show_default=False),
    ] = None,
    promote: Annotated[
        int | None,
        typer.Option("--promote", min=1, help="genetic: the best, kept each round (default: 3).", show_default=False),
    ] = None,
    mating_tries: Annotated[
        int | None,
        typer.Option("--mating-tries", min=0, help="genetic: draws of an offspring (default: 20).", show_default=False),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience",
            min=1,
            help="genetic: rounds without progress that end it (default: 5); order: that restart it (150).",
            show_default=False,
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", min=1, help="order: perturbations (default: 1000).", show_default=False),
    ] = None,
    categorical: CategoricalOption = False,
    seed: SeedOption = 0,
    limit_seconds: LimitSecondsOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search for a network with a high score, fast and without a proof that it is the best.

    Prints the arcs as CSV. The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, or .txt
    (structure file).

    Example: arcwise search survey.csv --method genetic --score bdeu:ess=10 --seed 1 -o network.graphml
    """
    from arcwise import search as stage
    from arcwise.data import read_data

    given: dict[str, Any] = {
        "start": None if start is None else start.value,
        "restarts": restarts,
        "perturb": perturb,
        "random_ties": random_ties,
        "tabu": tabu,
        "max_tabu": max_tabu,
        "population": population,
        "unconnected": unconnected,
        "drop": drop,
        "promote": promote,
        "mating_tries": mating_tries,
        "patience": patience,
        "iterations": iterations,
    }
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in TAKES[method]:
            takers = ", ".join(m for m in Method if name in TAKES[m])
            raise OptionError(f"--{name.replace('_', '-')} is not an option of --method {method}, but of {takers}.")
    to_stdout = stdout_is_taken(output, as_json, otherwise=not as_json)
    if output is not None:
        check_output_name(output)
    function: Any = {
        Method.TABU: stage.tabu_search,
        Method.HILL_CLIMBING: stage.hill_climb,
        Method.FIRST_ASCENT: stage.first_ascent,
        Method.GENETIC: stage.genetic_search,
        Method.ORDER: _search_orders,
    }[method]
    scored = score_from(score, ess)
    cases = read_data(data, categorical=categorical, progress=progress_from(quiet))
    result = function(
        cases,
        score=scored,
        max_parents=max_parents,
        constraints=constraints_from(cases.names, constraints, whitelist, blacklist),
        seed=seed,
        limits=limits_from(limit_seconds),
        progress=progress_from(quiet),
        **options,
    )
    if to_stdout:
        write_graph_file(Path("-"), result.dag)
    elif output is not None:
        write_graph_file(output, result.dag)
    if as_json:
        print_json(result.as_dict())
    if not quiet:
        typer.echo(
            f"{method}: {scored.name} {result.score:.6f}, {len(result.dag.arcs)} arcs, {result.iterations} iterations, "
            f"{result.seconds:.3f} s" + ("" if result.complete else f"; stopped: {result.status}"),
            err=True,
        )
    finish(result.status)


def _search_orders(
    data: Dataset,
    *,
    score: Score,
    max_parents: int | None,
    constraints: Constraints | None,
    limits: Limits,
    progress: bool | None,
    **options: Any,
) -> LocalSearchResult:
    """Order search over the table of parent sets of the data; both share the time."""
    from arcwise.limits import Limits, Status
    from arcwise.parent_sets import build_parent_sets
    from arcwise.search import order_search

    begin = time.monotonic()
    table = build_parent_sets(
        data, score, max_parents=max_parents, constraints=constraints, limits=limits, progress=progress
    )
    left = None if limits.seconds is None else max(1e-3, limits.seconds - (time.monotonic() - begin))
    found = order_search(table, constraints=constraints, limits=Limits(seconds=left), progress=progress, **options)
    seconds = time.monotonic() - begin
    status = found.status if table.status is Status.COMPLETE else table.status
    return replace(found, seconds=seconds, status=status)

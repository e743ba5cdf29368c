"""`arcwise prior`: what the equivalent sample size does to the answer, and which one to choose."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Status
from arcwise.cli.options import DataArgument, DataOptions, MemoryLimit, RuleOptions, VerbGroup, expanded
from arcwise.cli.output import PrintOptions, check_figure_name, figure_of, finish, print_json, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arcwise.data.dataset import Dataset
    from arcwise.priors.optima import Learning

app_of_prior = typer.Typer(
    cls=VerbGroup, help="Analyse the prior: which equivalent sample size, how sensitive, is there enough data?"
)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.add_typer(app_of_prior, name="prior")


@dataclass(frozen=True)
class LearningOptions:
    """How an analysis learns networks, apart from the rules and limits."""

    threads: int | None = row(Common, "threads")
    search: str = option(
        "exact",
        "exact; or, for many variables, hill-climbing or tabu, which prove nothing",
        choices=("exact", "hill-climbing", "tabu"),
    )


@dataclass(frozen=True)
class PriorOptions:
    """The prior that is asked about."""

    ess: float = option(1.0, "the equivalent sample size of BDeu")
    epsilon: float = option(0.5, "how far the priors may move: above 0, at most 1")


@dataclass(frozen=True)
class Request:
    """What every analysis is given: the data, how to learn networks, and whether to show progress."""

    data: Dataset
    learning: Learning
    progress: bool | None


@dataclass(frozen=True)
class Answer:
    """What every analysis gives back: an object for --json, a text otherwise, a figure for --plot, and its status."""

    payload: Mapping[str, Any]
    text: str
    figure: Callable[[], Figure]
    status: Status = Status.COMPLETE


# The options of every analysis, in front of and behind those of its own; and those of the ones that learn networks.
def _first(data: DataArgument) -> None: ...


def _learning(*, rules: RuleOptions, learning: LearningOptions, limit: MemoryLimit) -> None: ...


def _last(
    *,
    plot: Path | None = option(None, "write the figure to this file (.png, .svg, .pdf)"),
    reading: DataOptions,
    printing: PrintOptions,
) -> None: ...


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True, localns={"Request": Request, "Answer": Answer})
    found = inspect.signature(function).parameters.values()
    return [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in found if p.name != "request"]


def analysis(name: str, *, learns: bool = True) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a subcommand of a function from a request, and the options of its own, to an answer."""

    def make(analyse: Callable[..., Answer]) -> Callable[..., Answer]:
        own = _parameters(analyse)
        parameters = [*_parameters(_first), *own, *(_parameters(_learning) if learns else []), *_parameters(_last)]

        def command(**values: Any) -> None:
            printing: PrintOptions = values["printing"]
            plot: Path | None = values["plot"]
            check_figure_name(plot)
            answer = analyse(_read(values), **{p.name: values[p.name] for p in own})
            if plot is not None:
                save_figure(answer.figure(), plot)
            if printing.as_json:
                print_json({**answer.payload, "status": answer.status})
            else:
                typer.echo(answer.text)
            if answer.status is not Status.COMPLETE:
                printing.remark(f"not complete: {answer.status}")
            finish(answer.status)

        command.__doc__ = analyse.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        app_of_prior.command(name)(expanded(command))
        return analyse

    return make


def _read(values: Mapping[str, Any]) -> Request:
    from arcwise.base.run import Run
    from arcwise.priors.optima import Learning

    progress = values["printing"].progress
    limits = Run.of(values["limit"].limits) if "limit" in values else None  # reading is a part of the time
    if limits is None:
        return Request(values["reading"].read(values["data"], progress), Learning(), progress)
    rules, learning = values["rules"], values["learning"]
    data, known = values["reading"].read_known(values["data"], progress, rules)
    return Request(data, Learning(rules.max_parents, known, limits, learning.threads, learning.search), progress)


def table_text(frame: Any) -> str:
    """Return a DataFrame as text, with four digits."""
    return str(frame.to_string(index=False, float_format=lambda value: f"{value:.4g}"))


@analysis("ess")
def ess(
    request: Request,
    tolerance: float = option(0.1, "stop when alpha* changes by less"),
) -> Answer:
    """Find the equivalent sample size: Steck's alpha*, and the exact maximiser with its interval.

    Example: arcwise prior ess survey.csv
    """
    from arcwise.base.errors import UnfinishedError
    from arcwise.priors.optimal_ess import ascend_ess, maximise_ess

    learning = request.learning
    half = learning.within(learning.run.share(0.5))
    ascent = ascend_ess(request.data, tolerance=tolerance, learning=half, progress=request.progress)
    spread = "" if ascent.spread is None else f" (its class: {ascent.spread[0]:.4g} to {ascent.spread[1]:.4g})"
    payload = {
        "alpha_star": ascent.alpha_star,
        "rounds": ascent.rounds,
        "history": ascent.history,
        "spread": ascent.spread,
        "converged": ascent.converged,
    }
    text = f"analytic, alpha*: {ascent.alpha_star:.4g} after {ascent.rounds} rounds{spread}"
    maximum, why = None, Status.INTERRUPTED  # the ascent is an answer of its own
    if ascent.status is not Status.INTERRUPTED:
        try:
            maximum = maximise_ess(request.data, learning=learning, progress=request.progress)
        except KeyboardInterrupt:
            why = Status.INTERRUPTED
        except UnfinishedError:
            why = Status.TIME_LIMIT
    if maximum is None:
        missing = dict.fromkeys(("alpha_max", "alpha_interval", "alpha_integers", "best_integer", "score"))
        return Answer(
            {**payload, **missing, "arcs": ascent.dag.arcs},
            f"{text}\nexact, alpha^M: not found ({why})",
            ascent.plot,
            why,
        )
    low, high = maximum.interval
    return Answer(
        {
            **payload,
            "alpha_max": maximum.alpha_max,
            "alpha_interval": maximum.interval,
            "alpha_integers": maximum.integers,
            "best_integer": maximum.best_integer,
            "score": maximum.score,
            "arcs": maximum.dag.arcs,
        },
        f"{text}\nexact, alpha^M: {maximum.alpha_max:.4g}; the same network is optimal from {low:.4g} to {high:.4g}",
        maximum.plot,
        maximum.status if ascent.status is Status.COMPLETE else ascent.status,
    )


@analysis("path")
def path(
    request: Request,
    values: int = option(60, "how many values from 0.001 to 100,000", low=2, high=100_000),
) -> Answer:
    """Follow the optimal network over the equivalent sample size from 0.001 to 100,000.

    Example: arcwise prior path survey.csv --plot path.png
    """
    import numpy as np

    from arcwise.priors.ess_path import ess_path

    grid = np.logspace(-3, 5, values)
    found = ess_path(request.data, ess=grid, learning=request.learning, progress=request.progress)
    return Answer(
        {
            "ess": found.ess,
            "scores": found.scores,
            "n_arcs": found.n_arcs,
            "best_ess": found.best_ess,
            "intervals": [{"from": i.low, "to": i.high, "arcs": i.dag.arcs} for i in found.intervals],
            "averaged": None if found.averaged is None else found.averaged.dag.arcs,
        },
        found.to_frame().to_string(index=False),
        lambda: figure_of(found.plot()[0]),
        found.status,
    )


@analysis("sensitivity")
def sensitivity(request: Request, prior: PriorOptions) -> Answer:
    """Return how sensitive the BDeu-optimal network is to the prior, and which variables are most sensitive.

    Example: arcwise prior sensitivity survey.csv --ess 1 --epsilon 0.5
    """
    from arcwise.priors.edge_prior import prior_sensitivity
    from arcwise.priors.optima import find_optima
    from arcwise.scores.registry import make_score

    score = make_score("bdeu", ess=prior.ess)
    optimum = find_optima(request.data, [score], request.learning, progress=request.progress)[0]
    found = prior_sensitivity(request.data, optimum.dag, ess=prior.ess, epsilon=prior.epsilon)
    return Answer(
        {
            "sensitivity": found.value,
            "relative": found.relative,
            "per_case": found.per_case,
            "min_bdeu": found.lower,
            "bdeu": found.score,
            "max_bdeu": found.upper,
            "by_node": dict(zip(found.names, found.by_node.tolist(), strict=True)),
            "epsilons": found.epsilons,
            "sweep": found.sweep,
        },
        f"Max-BDeu - Min-BDeu: {found.value:.4g}, {found.relative:.3g} of the score\n{table_text(found.to_frame())}",
        found.plot,
        optimum.status,
    )


@analysis("saturation")
def saturation(
    request: Request,
    prior: PriorOptions,
    repetitions: int = option(5, "how often the cases are shuffled", low=1, high=100_000),
    seed: int = row(Common, "seed"),
) -> Answer:
    """Return whether more data would change the structure, from growing subsamples.

    Example: arcwise prior saturation survey.csv --seed 1
    """
    from arcwise.priors.saturation import data_saturation

    found = data_saturation(
        request.data,
        ess=prior.ess,
        epsilon=prior.epsilon,
        repetitions=repetitions,
        seed=seed,
        learning=request.learning,
        progress=request.progress,
    )
    return Answer(
        {
            "settled": found.settled,
            "repetitions": found.repetitions,
            "changed_share": found.changed_share,
            "advice": found.advice,
            "table": found.to_frame().to_dict(orient="records"),
        },
        f"{found.advice}\n{table_text(found.to_frame())}",
        found.plot,
        found.status,
    )


@analysis("edge", learns=False)
def edge(
    request: Request,
    parent: str = option(REQUIRED, "the tail of the edge"),
    child: str = option(REQUIRED, "the head of the edge"),
    given: tuple[str, ...] = option((), "another parent of the child; may be repeated", metavar=""),
) -> Answer:
    """Follow one edge over the equivalent sample size: will a large one favour it, and why?

    Example: arcwise prior edge survey.csv --parent smoke --child cough
    """
    from arcwise.priors.edge_prior import edge_prior

    found = edge_prior(request.data, child=child, parent=parent, given=given)
    text = f"A large equivalent sample size does not favour {parent} -> {child}."
    if found.favoured_by_large_ess:
        reasons = {"dependence": "the two depend on each other", "skewness": "both are skewed, not because they depend"}
        above = "" if found.alpha_plus is None else f" above {found.alpha_plus:.4g}"
        text = f"A large equivalent sample size{above} favours {parent} -> {child}, since {reasons[found.cause]}."
    return Answer(
        {
            "ess": found.ess,
            "log_bayes_factor": found.exact,
            "leading_order": found.approximate,
            "uniformity": found.uniformity,
            "degrees_of_freedom": found.degrees_of_freedom,
            "dependence_p_value": found.dependence_p_value,
            "sign_changes": found.sign_changes,
            "alpha_plus": found.alpha_plus,
            "cause": found.cause,
        },
        text,
        found.plot,
    )

"""`arcwise prior`: what the equivalent sample size does to the answer, and which one to choose."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from arcwise.cli.completion import one_of
from arcwise.cli.data_options import DataArgument, DataOptions
from arcwise.cli.figure_file import PlotOption, check_figure_name, figure_of, save_figure
from arcwise.cli.limit_options import MemoryLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.printing import PrintOptions, finish, print_json
from arcwise.cli.repeat_options import SeedOption, ThreadsOption
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.verb_group import VerbGroup
from arcwise.limits import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arcwise.data import Dataset
    from arcwise.priors import Learning

__all__ = ["register"]

EssOption = Annotated[float, typer.Option("--ess", help="The equivalent sample size of BDeu.")]
EpsilonOption = Annotated[float, typer.Option("--epsilon", help="How far the priors may move: above 0, at most 1.")]

prior = typer.Typer(
    cls=VerbGroup, help="Analyse the prior: which equivalent sample size, how sensitive, is there enough data?"
)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.add_typer(prior, name="prior")


@dataclass(frozen=True)
class LearningOptions(OptionGroup):
    """How an analysis learns networks, apart from the rules and limits."""

    threads: ThreadsOption = None
    search: Annotated[
        str,
        typer.Option(
            "--search",
            help="exact; or, for many variables, hill-climbing or tabu, which prove nothing.",
            autocompletion=one_of("exact", "hill-climbing", "tabu"),
        ),
    ] = "exact"


@dataclass(frozen=True)
class _Request:
    """What every analysis is given: the data, how to learn networks, and whether to show progress."""

    data: Dataset
    learning: Learning
    progress: bool | None


@dataclass(frozen=True)
class _Answer:
    """What every analysis gives back: an object for --json, a text otherwise, a figure for --plot, and its status."""

    payload: Mapping[str, Any]
    text: str
    figure: Callable[[], Figure]
    status: Status = Status.COMPLETE


# The options of every analysis, in front of and behind those of its own; and those of the ones that learn networks.
def _first(data: DataArgument) -> None: ...


def _learning(*, rules: RuleOptions, learning: LearningOptions, limit: MemoryLimit) -> None: ...


def _last(*, plot: PlotOption = None, reading: DataOptions, printing: PrintOptions) -> None: ...


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True, localns={"_Request": _Request, "_Answer": _Answer})
    found = inspect.signature(function).parameters.values()
    return [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in found if p.name != "request"]


def _analysis(name: str, *, learns: bool = True) -> Callable[[Callable[..., _Answer]], Callable[..., _Answer]]:
    """Make a subcommand of a function from a request, and the options of its own, to an answer."""

    def make(analyse: Callable[..., _Answer]) -> Callable[..., _Answer]:
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
        prior.command(name)(expanded(command))
        return analyse

    return make


def _read(values: Mapping[str, Any]) -> _Request:
    from arcwise.deadline import Deadline
    from arcwise.priors import Learning

    progress = values["printing"].progress
    limits = Deadline.of(values["limit"].limits) if "limit" in values else None  # reading is a part of the time
    if limits is None:
        return _Request(values["reading"].read(values["data"], progress), Learning(), progress)
    rules, learning = values["rules"], values["learning"]
    data, known = values["reading"].read_known(values["data"], progress, rules)
    return _Request(data, Learning(rules.max_parents, known, limits, learning.threads, learning.search), progress)


def _table(frame: Any) -> str:
    return str(frame.to_string(index=False, float_format=lambda value: f"{value:.4g}"))


@_analysis("ess")
def ess(
    request: _Request,
    tolerance: Annotated[float, typer.Option("--tolerance", help="Stop when alpha* changes by less.")] = 0.1,
) -> _Answer:
    """Find the equivalent sample size: Steck's alpha*, and the exact maximiser with its interval.

    Example: arcwise prior ess survey.csv
    """
    from arcwise.errors import UnfinishedError
    from arcwise.priors import ascend_ess, maximise_ess

    learning = request.learning
    half = learning.within(learning.deadline.share(0.5))
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
        return _Answer(
            {**payload, **missing, "arcs": ascent.dag.arcs},
            f"{text}\nexact, alpha^M: not found ({why})",
            ascent.plot,
            why,
        )
    low, high = maximum.interval
    return _Answer(
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


@_analysis("path")
def path(
    request: _Request,
    values: Annotated[
        int, typer.Option("--values", min=2, max=100_000, help="How many values from 0.001 to 100,000.")
    ] = 60,
) -> _Answer:
    """Follow the optimal network over the equivalent sample size from 0.001 to 100,000.

    Example: arcwise prior path survey.csv --plot path.png
    """
    import numpy as np

    from arcwise.priors import ess_path

    grid = np.logspace(-3, 5, values)
    found = ess_path(request.data, ess=grid, learning=request.learning, progress=request.progress)
    return _Answer(
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


@_analysis("sensitivity")
def sensitivity(request: _Request, ess: EssOption = 1.0, epsilon: EpsilonOption = 0.5) -> _Answer:
    """Say how sensitive the BDeu-optimal network is to the prior, and which variables are most sensitive.

    Example: arcwise prior sensitivity survey.csv --ess 1 --epsilon 0.5
    """
    from arcwise.priors import find_optima, prior_sensitivity
    from arcwise.scores import make_score

    score = make_score("bdeu", ess=ess)
    optimum = find_optima(request.data, [score], request.learning, progress=request.progress)[0]
    found = prior_sensitivity(request.data, optimum.dag, ess=ess, epsilon=epsilon)
    return _Answer(
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
        f"Max-BDeu - Min-BDeu: {found.value:.4g}, {found.relative:.3g} of the score\n{_table(found.to_frame())}",
        found.plot,
        optimum.status,
    )


@_analysis("compare")
def compare(
    request: _Request,
    ess: EssOption = 1.0,
    epsilon: EpsilonOption = 0.5,
    splits: Annotated[int, typer.Option("--splits", min=1, max=100_000, help="How often the data are split.")] = 10,
    held_out: Annotated[float, typer.Option("--held-out", help="The share of the cases that are held out.")] = 0.3,
    seed: SeedOption = 0,
) -> _Answer:
    """Learn with Min-BDeu, BDeu and Max-BDeu side by side: arcs, moral distance, held-out likelihood.

    Example: arcwise prior compare survey.csv --seed 1
    """
    from arcwise.priors import compare_priors

    found = compare_priors(
        request.data,
        ess=ess,
        epsilon=epsilon,
        splits=splits,
        held_out=held_out,
        seed=seed,
        learning=request.learning,
        progress=request.progress,
    )
    frame = found.to_frame().drop(columns="moral distance from truth")
    return _Answer(
        {
            "table": frame.to_dict(orient="records"),
            "arcs": {score: dag.arcs for score, dag in zip(found.scores, found.dags, strict=True)},
            "splits": found.splits,
        },
        _table(frame),
        found.plot,
        found.status,
    )


@_analysis("saturation")
def saturation(
    request: _Request,
    ess: EssOption = 1.0,
    epsilon: EpsilonOption = 0.5,
    repetitions: Annotated[
        int, typer.Option("--repetitions", min=1, max=100_000, help="How often the cases are shuffled.")
    ] = 5,
    seed: SeedOption = 0,
) -> _Answer:
    """Say whether more data would change the structure, from growing subsamples.

    Example: arcwise prior saturation survey.csv --seed 1
    """
    from arcwise.priors import data_saturation

    found = data_saturation(
        request.data,
        ess=ess,
        epsilon=epsilon,
        repetitions=repetitions,
        seed=seed,
        learning=request.learning,
        progress=request.progress,
    )
    return _Answer(
        {
            "settled": found.settled,
            "repetitions": found.repetitions,
            "changed_share": found.changed_share,
            "advice": found.advice,
            "table": found.to_frame().to_dict(orient="records"),
        },
        f"{found.advice}\n{_table(found.to_frame())}",
        found.plot,
        found.status,
    )


@_analysis("edge", learns=False)
def edge(
    request: _Request,
    parent: Annotated[str, typer.Option("--parent", help="The tail of the edge.")],
    child: Annotated[str, typer.Option("--child", help="The head of the edge.")],
    given: Annotated[
        list[str] | None, typer.Option("--given", help="Another parent of the child; may be repeated.")
    ] = None,
) -> _Answer:
    """Follow one edge over the equivalent sample size: will a large one favour it, and why?

    Example: arcwise prior edge survey.csv --parent smoke --child cough
    """
    from arcwise.priors import edge_prior

    found = edge_prior(request.data, child=child, parent=parent, given=given or [])
    text = f"A large equivalent sample size does not favour {parent} -> {child}."
    if found.favoured_by_large_ess:
        reasons = {"dependence": "the two depend on each other", "skewness": "both are skewed, not because they depend"}
        above = "" if found.alpha_plus is None else f" above {found.alpha_plus:.4g}"
        text = f"A large equivalent sample size{above} favours {parent} -> {child}, since {reasons[found.cause]}."
    return _Answer(
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

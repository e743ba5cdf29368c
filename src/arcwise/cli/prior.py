"""`arcwise prior`: what the equivalent sample size does to the answer, and which one to take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.options import (
    BlacklistOption,
    CategoricalOption,
    ConstraintsOption,
    DataArgument,
    JsonOption,
    LimitSecondsOption,
    MaxParentsOption,
    QuietOption,
    SeedOption,
    ThreadsOption,
    WhitelistOption,
    constraints_from,
    finish,
    limits_from,
    print_json,
    progress_from,
)

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.priors import Learning

__all__ = ["register"]

PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Write the figure to this file (.png, .svg, .pdf).", show_default=False)
]
EssOption = Annotated[float, typer.Option("--ess", help="The equivalent sample size of BDeu.")]
EpsilonOption = Annotated[float, typer.Option("--epsilon", help="How far the priors may move, above 0 up to 1.")]

prior = typer.Typer(help="Analyse the prior: which equivalent sample size, how sensitive, is there enough data?")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.add_typer(prior, name="prior")


def _read(data: Path, categorical: bool, quiet: bool) -> Dataset:
    from arcwise.data import read_data

    return read_data(data, categorical=categorical, progress=progress_from(quiet))


def _learning(
    max_parents: int | None, constraints: Constraints | None, limit_seconds: float | None, threads: int
) -> Learning:
    from arcwise.priors import Learning

    return Learning(max_parents, constraints, limits_from(limit_seconds), threads)


def _save_plot(figure: Any, path: Path | None) -> None:
    if path is None:
        return
    from arcwise.cli.figure_file import save_figure

    save_figure(figure, path)


@prior.command("ess")
def ess(
    data: DataArgument,
    tolerance: Annotated[float, typer.Option("--tolerance", help="Stop when alpha* changes by less.")] = 0.1,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    threads: ThreadsOption = 1,
    limit_seconds: LimitSecondsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the equivalent sample size: Steck's alpha*, and the exact maximiser with its interval.

    Example: arcwise prior ess survey.csv
    """
    from arcwise.priors import ascend_ess, maximise_ess

    rows = _read(data, categorical, quiet)
    rules = constraints_from(rows.names, constraints, whitelist, blacklist)
    learning = _learning(max_parents, rules, limit_seconds, threads)
    ascent = ascend_ess(rows, tolerance=tolerance, learning=learning, progress=progress_from(quiet))
    maximum = maximise_ess(rows, learning=learning, progress=progress_from(quiet))
    if as_json:
        print_json(
            {
                "alpha_star": ascent.alpha_star,
                "rounds": ascent.rounds,
                "history": ascent.history,
                "spread": ascent.spread,
                "converged": ascent.converged,
                "alpha_max": maximum.alpha_max,
                "alpha_interval": maximum.interval,
                "alpha_integers": maximum.integers,
                "best_integer": maximum.best_integer,
                "score": maximum.score,
                "arcs": maximum.dag.arcs,
                "status": maximum.status,
            }
        )
    else:
        low, high = maximum.interval
        spread = "" if ascent.spread is None else f" (its class: {ascent.spread[0]:.4g} to {ascent.spread[1]:.4g})"
        typer.echo(f"analytic, alpha*: {ascent.alpha_star:.4g} after {ascent.rounds} rounds{spread}")
        typer.echo(f"exact, alpha^M: {maximum.alpha_max:.4g}; the same network is optimal from {low:.4g} to {high:.4g}")
    finish(maximum.status)


@prior.command("path")
def path(
    data: DataArgument,
    values: Annotated[int, typer.Option("--values", min=2, help="How many values from 0.001 to 100,000.")] = 60,
    plot: PlotOption = None,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    threads: ThreadsOption = 1,
    limit_seconds: LimitSecondsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Follow the optimal network over the equivalent sample size from 0.001 to 100,000.

    Example: arcwise prior path survey.csv --plot path.png
    """
    import numpy as np

    from arcwise.priors import ess_path

    rows = _read(data, categorical, quiet)
    rules = constraints_from(rows.names, constraints, whitelist, blacklist)
    learning = _learning(max_parents, rules, limit_seconds, threads)
    found = ess_path(rows, ess=np.logspace(-3, 5, values), learning=learning, progress=progress_from(quiet))
    _save_plot(found.plot(), plot)
    if as_json:
        print_json(
            {
                "ess": found.ess,
                "scores": found.scores,
                "n_arcs": found.n_arcs,
                "best_ess": found.best_ess,
                "intervals": [{"from": i.low, "to": i.high, "arcs": i.dag.arcs} for i in found.intervals],
                "averaged": found.averaged.dag.arcs,
                "status": found.status,
            }
        )
    else:
        typer.echo(found.to_frame().to_string(index=False))
    finish(found.status)


@prior.command("sensitivity")
def sensitivity(
    data: DataArgument,
    ess: EssOption = 1.0,
    epsilon: EpsilonOption = 0.5,
    plot: PlotOption = None,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    threads: ThreadsOption = 1,
    limit_seconds: LimitSecondsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say how sensitive the BDeu-optimal network is to the prior, and which variables it is that are.

    Example: arcwise prior sensitivity survey.csv --ess 1 --epsilon 0.5
    """
    from arcwise.priors import find_optima, prior_sensitivity
    from arcwise.scores import make_score

    rows = _read(data, categorical, quiet)
    rules = constraints_from(rows.names, constraints, whitelist, blacklist)
    learning = _learning(max_parents, rules, limit_seconds, threads)
    optimum = find_optima(rows, [make_score("bdeu", ess=ess)], learning, progress=progress_from(quiet))[0]
    found = prior_sensitivity(rows, optimum.dag, ess=ess, epsilon=epsilon)
    _save_plot(found.plot(), plot)
    if as_json:
        print_json(
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
                "status": optimum.status,
            }
        )
    else:
        typer.echo(f"Max-BDeu - Min-BDeu: {found.value:.4g}, {found.relative:.3g} of the score")
        typer.echo(found.to_frame().to_string(index=False, float_format=lambda value: f"{value:.4g}"))
    finish(optimum.status)


@prior.command("saturation")
def saturation(
    data: DataArgument,
    ess: EssOption = 1.0,
    epsilon: EpsilonOption = 0.5,
    repetitions: Annotated[int, typer.Option("--repetitions", min=1, help="How often the cases are shuffled.")] = 5,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    categorical: CategoricalOption = False,
    threads: ThreadsOption = 1,
    limit_seconds: LimitSecondsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say whether more data would change the structure, from growing subsamples.

    Example: arcwise prior saturation survey.csv --seed 1
    """
    from arcwise.priors import data_saturation

    rows = _read(data, categorical, quiet)
    rules = constraints_from(rows.names, constraints, whitelist, blacklist)
    learning = _learning(max_parents, rules, limit_seconds, threads)
    found = data_saturation(
        rows,
        ess=ess,
        epsilon=epsilon,
        repetitions=repetitions,
        seed=seed,
        learning=learning,
        progress=progress_from(quiet),
    )
    _save_plot(found.plot(), plot)
    if as_json:
        print_json(
            {
                "settled": found.settled,
                "changed_share": found.changed_share,
                "advice": found.advice,
                "table": found.to_frame().to_dict(orient="records"),
                "status": found.status,
            }
        )
    else:
        typer.echo(found.advice)
        typer.echo(found.to_frame().to_string(index=False, float_format=lambda value: f"{value:.4g}"))
    finish(found.status)


@prior.command("edge")
def edge(
    data: DataArgument,
    parent: Annotated[str, typer.Option("--parent", help="The tail of the edge.")],
    child: Annotated[str, typer.Option("--child", help="The head of the edge.")],
    given: Annotated[
        list[str] | None, typer.Option("--given", help="Another parent of the child; may be repeated.")
    ] = None,
    plot: PlotOption = None,
    categorical: CategoricalOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Follow one edge over the equivalent sample size: will a large one favour it, and why?

    Example: arcwise prior edge survey.csv --parent smoke --child cough
    """
    from arcwise.priors import edge_prior

    found = edge_prior(_read(data, categorical, quiet), child=child, parent=parent, given=given or [])
    _save_plot(found.plot(), plot)
    if as_json:
        print_json(
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
            }
        )
        return
    if not found.favoured_by_large_ess:
        typer.echo(f"A large equivalent sample size does not favour {parent} -> {child}.")
    else:
        reasons = {"dependence": "the two depend on each other", "skewness": "both are skewed, not since they depend"}
        above = "" if found.alpha_plus is None else f" above {found.alpha_plus:.4g}"
        typer.echo(f"A large equivalent sample size{above} favours {parent} -> {child}, since {reasons[found.cause]}.")

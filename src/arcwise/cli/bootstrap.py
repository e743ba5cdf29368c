"""`arcwise bootstrap`: one network from each of many resampled data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

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
    check_file_name,
    constraints_from,
    finish,
    limits_from,
    print_json,
    progress_from,
    score_from,
)
from arcwise.errors import OptionError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("bootstrap")(bootstrap)


def bootstrap(
    data: DataArgument,
    score: ScoreOption = "bic",
    ess: EssOption = None,
    replicates: Annotated[int, typer.Option("--replicates", min=1, help="How many networks to learn.")] = 200,
    learner: Annotated[
        str, typer.Option("--learner", help="tabu, hill-climbing, first-ascent, genetic, order or exact.")
    ] = "tabu",
    learner_option: Annotated[
        list[str] | None,
        typer.Option("--learner-option", help="An option of the learner, e.g. restarts=5; may be repeated."),
    ] = None,
    permutation: Annotated[
        bool, typer.Option("--permutation", help="Shuffle every column instead of drawing cases: edges by chance.")
    ] = False,
    max_parents: MaxParentsOption = None,
    constraints: ConstraintsOption = None,
    whitelist: WhitelistOption = None,
    blacklist: BlacklistOption = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", "--threads", help="Workers; -1 for one per processor.")] = 1,
    backend: Annotated[
        str, typer.Option("--backend", help="threads, loky (processes) or dask (a cluster).")
    ] = "threads",
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="The address of a Dask scheduler.", show_default=False)
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Keep finished replicates in this file; go on from it if it is there."),
    ] = None,
    categorical: CategoricalOption = False,
    seed: SeedOption = 0,
    limit_seconds: LimitSecondsOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a network from each of many resampled data sets, for `arcwise confidence`.

    Prints how strong each edge is: in which share of the networks it is, and how often in that direction.

    Example: arcwise bootstrap survey.csv --score bdeu --replicates 200 --seed 1 -o networks.parquet
    """
    import numpy as np

    from arcwise.data import read_data
    from arcwise.ensemble import bootstrap_networks

    check_file_name(output, "networks")
    chosen: Any = learner
    where: Any = backend
    scored = score_from(score, ess)
    cases = read_data(data, categorical=categorical, progress=progress_from(quiet))
    networks = bootstrap_networks(
        cases,
        replicates=replicates,
        learner=chosen,
        score=scored,
        resampling="permutation" if permutation else "bootstrap",
        constraints=constraints_from(cases.names, constraints, whitelist, blacklist),
        max_parents=max_parents,
        options=_parse_options(learner_option or []),
        seed=seed,
        n_jobs=jobs,
        backend=where,
        cluster=cluster,
        path=resume,
        limits=limits_from(limit_seconds),
        progress=progress_from(quiet),
    )
    if output is not None:
        networks.save(output)
    arcs = networks.arc_probabilities()
    strength = arcs + arcs.T
    tails, heads = np.triu_indices(len(networks.names), 1)
    order = np.argsort(-strength[tails, heads], kind="stable")
    edges = [
        {
            "from": networks.names[a if arcs[a, b] >= arcs[b, a] else b],
            "to": networks.names[b if arcs[a, b] >= arcs[b, a] else a],
            "strength": float(strength[a, b]),
            "direction": float(max(arcs[a, b], arcs[b, a]) / strength[a, b]),
        }
        for a, b in ((int(tails[k]), int(heads[k])) for k in order)
        if strength[a, b] > 0
    ]
    if as_json:
        print_json(
            {
                "networks": len(networks),
                "replicates": replicates,
                "origin": networks.origin,
                "status": str(networks.status),
                "score": dict(networks.score),
                "seed": seed,
                "seconds": networks.facts["seconds"],
                "edges": edges,
            }
        )
    else:
        if not edges:
            typer.echo("# no edge is in any network")
        for edge in edges:
            typer.echo(f"{edge['from']} -> {edge['to']}  {edge['strength']:.4f}  {edge['direction']:.4f}")
    if not quiet:
        note = "" if networks.complete else f"; stopped: {networks.status}"
        typer.echo(f"{len(networks)} of {replicates} networks in {networks.facts['seconds']:.2f} s{note}", err=True)
    finish(networks.status)


def _parse_options(texts: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise OptionError(f"--learner-option {text}: give it as name=value, e.g. restarts=5.")
        try:
            options[name.strip()] = json.loads(value)
        except ValueError:
            options[name.strip()] = value
    return options

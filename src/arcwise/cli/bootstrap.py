"""`arcwise bootstrap`: one network from each of many resampled data sets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.data_options import DataArgument, DataOptions
from arcwise.cli.limit_options import TimeLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import check_file_name
from arcwise.cli.printing import ResultOptions, finish, print_json
from arcwise.cli.repeat_options import SeedOption
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import ScoreOptions, tell_idle
from arcwise.cli.worker_options import ClusterOption, WorkersOption
from arcwise.defaults import BINS, REPLICATES
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.data import Dataset, Incomplete
    from arcwise.ensemble.uncut import Uncut

__all__ = ["register"]


@dataclass(frozen=True)
class ReplicateOptions(OptionGroup):
    """What is learned, from what."""

    replicates: Annotated[int, typer.Option("--replicates", min=1, help="How many networks to learn.")] = REPLICATES
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            help="tabu, hill-climbing, first-ascent, genetic, order or exact.",
            autocompletion=names_of("arcwise.ensemble.replicates.task", "LEARNERS"),
        ),
    ] = "tabu"
    learner_option: Annotated[
        list[str] | None,
        typer.Option(
            "--learner-option",
            help="An option of the learner, e.g. refine=0 (default: 3), as in bnlearn; may be repeated.",
        ),
    ] = None
    recut: Annotated[
        str | None,
        typer.Option(
            "--recut",
            help="Cut columns of numbers, anew in each replicate: quantile, width, kmeans, mean, mdl or joint.",
            autocompletion=names_of("arcwise.ensemble.uncut", "WAYS"),
            show_default=False,
        ),
    ] = None
    bins: Annotated[int, typer.Option("--bins", min=2, max=10_000, help="--recut: the number of intervals.")] = BINS
    target: Annotated[
        str | None, typer.Option("--target", help="--recut mdl: the class column.", show_default=False)
    ] = None
    permutation: Annotated[
        bool, typer.Option("--permutation", help="Shuffle every column instead of drawing cases: only chance edges.")
    ] = False
    seed: SeedOption = 0


@dataclass(frozen=True)
class SharingOptions(OptionGroup):
    """Who learns the replicates, and where they are kept."""

    workers: WorkersOption = -1
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            help="threads, loky (processes) or dask (a cluster).",
            autocompletion=names_of("arcwise.ensemble.replicates.workers", "BACKENDS"),
        ),
    ] = "threads"
    cluster: ClusterOption = None
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Keep finished replicates in this file, and continue from it if it exists."),
    ] = None


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("bootstrap")(expanded(bootstrap))


def bootstrap(
    data: DataArgument,
    scored: ScoreOptions,
    *,
    learning: ReplicateOptions,
    rules: RuleOptions,
    sharing: SharingOptions,
    reading: DataOptions,
    limit: TimeLimit,
    printing: ResultOptions,
) -> None:
    """Learn a network from each of many resampled data sets, for `arcwise confidence`.

    Prints how strong each edge is: the share of the networks that have it, and how often in that direction.

    Example: arcwise bootstrap survey.csv --score bdeu --replicates 200 --seed 1 -o networks.parquet
    """
    import numpy as np

    from arcwise.ensemble import bootstrap_networks
    from arcwise.ensemble.uncut import Cutting

    output = printing.output
    check_file_name(output, "networks")
    chosen: Any = learning.learner
    where: Any = sharing.backend
    score, limits = scored.make(), limit.limits
    cases: Dataset | Incomplete | Uncut
    if learning.recut is not None:
        cutting = Cutting(
            learning.recut, learning.bins, learning.target, max_parents=rules.max_parents, seed=learning.seed
        )
        cases, known = reading.read_uncut(data, printing.progress, rules, score, cutting)
    elif reading.impute == "completions":
        cases, known = reading.read_incomplete(data, printing.progress, rules, score)
    else:
        cases, known = reading.read_known(data, printing.progress, rules, score)
    tell_idle(score, known, quiet=printing.quiet)
    networks = bootstrap_networks(
        cases,
        replicates=learning.replicates,
        learner=chosen,
        score=score,
        resampling="permutation" if learning.permutation else "bootstrap",
        constraints=known,
        max_parents=rules.max_parents,
        options=_parse_options(learning.learner_option or []),
        seed=learning.seed,
        workers=sharing.workers,
        backend=where,
        cluster=sharing.cluster,
        path=sharing.resume,
        limits=limits,
        progress=printing.progress,
    )
    if output is not None:
        networks.save(output)
    arcs = networks.arc_probabilities()
    strength = np.minimum(arcs + arcs.T, 1.0)  # sums of many weights
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
    if printing.as_json:
        print_json(
            {
                "networks": len(networks),
                "replicates": learning.replicates,
                "origin": networks.origin,
                "status": str(networks.status),
                "score": dict(networks.score),
                **({"cut": networks.facts["cut"]} if "cut" in networks.facts else {}),
                "seed": learning.seed,
                "seconds": networks.facts["seconds"],
                "edges": edges,
            }
        )
    else:
        if not edges:
            typer.echo("# no edge is in any network")
        for edge in edges:
            typer.echo(f"{edge['from']} -> {edge['to']}  {edge['strength']:.4f}  {edge['direction']:.4f}")
    note = "" if networks.complete else f"; stopped: {networks.status}"
    printing.remark(f"{len(networks)} of {learning.replicates} networks in {networks.facts['seconds']:.2f} s{note}")
    finish(networks.status)


def _parse_options(texts: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise OptionError(f"--learner-option {text}: give it as name=value, e.g. refine=2.")
        try:
            options[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            options[name.strip()] = value
    return options

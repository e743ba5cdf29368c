"""`arcwise bootstrap`: one network from each of many resampled data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from arcwise.base.options import Common, option, row, rows
from arcwise.bootstrap.bootstrap import BootstrapSettings
from arcwise.cli.options import DataArgument, DataOptions, RuleOptions, ScoreOptions, TimeLimit, tell_idle
from arcwise.cli.output import ResultOptions, check_file_name, finish, print_json
from arcwise.recipes.bootstrap import BootstrapOptions
from arcwise.sampled.numeric_data import WAYS, Cutting

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Incomplete
    from arcwise.sampled.numeric_data import NumericData


@dataclass(frozen=True)
class ReplicateOptions:
    """What is learned, from what, and who learns it."""

    replicates: int = row(BootstrapOptions, "replicates", help="how many networks to learn")
    settings: BootstrapSettings = rows(BootstrapSettings)
    recut: str | None = option(
        None, f"cut columns of numbers, anew in each replicate: {', '.join(WAYS[:-1])} or {WAYS[-1]}", choices=WAYS
    )
    bins: int = row(Common, "bins", of="--recut")
    target: str | None = option(None, "the class column", of="--recut mdl")
    seed: int = row(Common, "seed")


def bootstrap(
    data: DataArgument,
    scored: ScoreOptions,
    *,
    learning: ReplicateOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: TimeLimit,
    printing: ResultOptions,
) -> None:
    """Learn a network from each of many resampled data sets, for `arcwise confidence`.

    Prints how strong each edge is: the share of the networks that have it, and how often in that direction.

    Example: arcwise bootstrap survey.csv --score bdeu --replicates 200 --seed 1 -o networks.parquet
    """
    import numpy as np

    from arcwise.bootstrap.bootstrap import bootstrap_networks

    output = printing.output
    check_file_name(output, "networks")
    score, limits = scored.make(), limit.limits
    cases: Dataset | Incomplete | NumericData
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
        score=score,
        constraints=known,
        max_parents=rules.max_parents,
        seed=learning.seed,
        settings=learning.settings,
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
                **({} if (cut := networks.facts.get("cut")) is None else {"cut": cut}),
                "seed": learning.seed,
                "seconds": networks.facts.get("seconds"),
                "edges": edges,
            }
        )
    else:
        if not edges:
            typer.echo("# no edge is in any network")
        for edge in edges:
            typer.echo(f"{edge['from']} -> {edge['to']}  {edge['strength']:.4f}  {edge['direction']:.4f}")
    took = networks.facts.get("seconds")
    note = "" if networks.complete else f"; stopped: {networks.status}"
    printing.remark(f"{len(networks)} of {learning.replicates} networks in {took:.2f} s{note}")
    finish(networks.status)

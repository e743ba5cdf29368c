"""`arcwise posterior`: the probability of every arc over all networks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli.completion import one_of
from arcwise.cli.data_options import DataArgument, DataOptions
from arcwise.cli.limit_options import MemoryLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import check_file_name
from arcwise.cli.printing import ResultOptions, finish, print_json
from arcwise.cli.repeat_options import SeedOption, ThreadsOption
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import ScoreOptions
from arcwise.cli.worker_options import ClusterOption

__all__ = ["register"]


@dataclass(frozen=True)
class WayOptions(OptionGroup):
    """How the posterior is found."""

    way: Annotated[
        str,
        typer.Option(
            "--way",
            help="exact: sum over all networks; chains: draw from them; auto: sum if that is quick.",
            autocompletion=one_of("auto", "exact", "chains"),
        ),
    ] = "auto"
    chains: Annotated[int, typer.Option("--chains", min=2, max=1000, help="How many chains.")] = 4
    most_draws: Annotated[
        int, typer.Option("--most-draws", min=8, help="The most draws of each chain, converged or not.")
    ] = 200_000
    jump_factor: Annotated[
        float,
        typer.Option(
            "--jump-factor", min=1, help="Chains jump among the networks within this Bayes factor of the best; 1: none."
        ),
    ] = 1000.0
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Keep the chains in this file, and continue from it if it exists."),
    ] = None
    cluster: ClusterOption = None
    seed: SeedOption = 0
    threads: ThreadsOption = None


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("posterior")(expanded(posterior))


def posterior(
    data: DataArgument,
    scored: ScoreOptions,
    *,
    wanted: WayOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: MemoryLimit,
    printing: ResultOptions,
) -> None:
    """Find how probable each arc is, over all networks, each in proportion to its posterior probability.

    Sums over all networks where that is possible. Otherwise chains draw networks until they agree; if they do not, the
    exit code is 3, and what is printed is not the posterior. With -o, networks are written: 10,000 that were drawn
    independently, where the posterior was summed, and else those that the chains drew.

    Example: arcwise posterior survey.csv --score bdeu --ess 1 --seed 1
    """
    import numpy as np

    from arcwise.deadline import Deadline
    from arcwise.ensemble import find_posterior
    from arcwise.ensemble.recipe import Recipe
    from arcwise.ensemble.ways import checked_way

    output = printing.output
    check_file_name(output, "networks")
    way = checked_way(wanted.way)
    deadline = Deadline.of(limit.limits)
    score = scored.make()
    cases, known = reading.read_known(data, printing.progress, rules, score)
    found = find_posterior(
        cases,
        score,
        max_parents=rules.max_parents,
        constraints=known,
        seed=wanted.seed,
        threads=wanted.threads,
        limits=deadline.limits,
        progress=printing.progress,
        way=way,
        chains=wanted.chains,
        most_draws=wanted.most_draws,
        jump_factor=wanted.jump_factor,
        path=wanted.resume,
        cluster=wanted.cluster,
        drawing=output is not None,
    )
    status, short = found.status, ""
    if output is not None and (found.exact is None or found.complete):
        recipe = Recipe.usual(
            "posterior",
            score,
            n_cases=cases.n_cases,
            arities=cases.arities.tolist(),
            max_parents=rules.max_parents,
            constraints=known,
            way=way,
            chains=wanted.chains,
            most_draws=wanted.most_draws,
        )
        drawn = found.networks(seed=wanted.seed, threads=wanted.threads, limits=deadline.uncounted).made_by(recipe)
        replace(drawn, facts={**drawn.facts, "n_cases": cases.n_cases}).save(output)
        status = drawn.status  # draws take time, too
        if found.exact is not None and not drawn.complete:
            short = f" Only {drawn.count:,} networks were drawn and written ({drawn.status})."
    unfinished = found.exact is not None and not found.exact.complete
    nothing = unfinished or (found.chains is not None and not found.chains.count)
    n = len(found.names)
    arcs = np.zeros((n, n)) if unfinished else found.arc_probabilities()
    errors = np.zeros((n, n)) if unfinished else found.standard_errors()
    order = sorted(zip(*np.nonzero(arcs), strict=True), key=lambda arc: (-arcs[arc], arc))
    listed = [
        {
            "from": found.names[p],
            "to": found.names[c],
            "probability": float(arcs[p, c]),
            "edge": float(min(1.0, arcs[p, c] + arcs[c, p])),
            "edge_error": float(errors[p, c]),
        }
        for p, c in order
    ]
    report = found.exact.needed() if unfinished and found.exact is not None else f"{found.report()}{short}"
    if printing.as_json:
        print_json(
            {
                "way": "exact" if found.is_exact else "chains",
                "complete": status is found.status and found.complete,
                "status": str(status),
                "seconds": deadline.seconds,
                "verdict": None if found.chains is None else found.chains.verdict.describe(),
                "left_out": found.chains.left_out
                if found.chains is not None
                else None
                if unfinished or found.exact is None
                else found.exact.left_out,
                "report": report,
                "score": score.describe(),
                "arcs": listed,
            }
        )
    else:
        if not listed:
            typer.echo(f"# no arc is known: {found.status}" if nothing else "# no arc is in any network")
        for arc in listed:
            typer.echo(f"{arc['from']} -> {arc['to']}  {arc['probability']:.4f}")
    printing.remark(f"{report} {deadline.seconds:.2f} s.")
    finish(status)

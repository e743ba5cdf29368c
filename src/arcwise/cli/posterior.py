"""`arcwise posterior`: the probability of every arc over all networks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import typer

from arcwise.base.options import Common, options_of, row, rows
from arcwise.cli.options import DataArgument, DataOptions, MemoryLimit, RuleOptions, ScoreOptions
from arcwise.cli.output import ResultOptions, check_file_name, finish, print_json
from arcwise.posterior.settings import PosteriorSettings
from arcwise.recipes.posterior import PosteriorOptions


@dataclass(frozen=True)
class WayOptions:
    """How the posterior is found."""

    settings: PosteriorSettings = rows(PosteriorSettings)
    seed: int = row(Common, "seed")
    threads: int | None = row(Common, "threads")


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

    import arcwise.recipes.registry  # noqa: F401 - a recipe finds its source there
    from arcwise.base.run import Run
    from arcwise.networks.origin import make_facts
    from arcwise.networks.recipe import Recipe
    from arcwise.recipes.posterior import find_posterior

    output = printing.output
    check_file_name(output, "networks")
    deadline = Run.of(limit.limits)
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
        settings=replace(wanted.settings, drawing=output is not None),
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
            **{item.name: getattr(wanted.settings, item.name) for item in options_of(PosteriorOptions)},
        )
        drawn = found.networks(seed=wanted.seed, threads=wanted.threads, limits=deadline.uncounted).made_by(recipe)
        replace(drawn, facts=drawn.facts | make_facts(n_cases=cases.n_cases)).save(output)
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

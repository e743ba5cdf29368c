"""`arcwise credible`: every network that the data cannot rule out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from arcwise.base.options import option, row, rows
from arcwise.cli.options import (
    DataOptions,
    NetworkLimit,
    ParentSetSource,
    RuleOptions,
    ScoreOptions,
    SourceArgument,
    factor_from,
    load_parent_sets,
)
from arcwise.cli.output import ResultOptions, check_file_name, finish, print_json
from arcwise.credible.bayes_factors import SPELLED
from arcwise.credible.diagram import Sharing
from arcwise.recipes.credible import CredibleOptions

if TYPE_CHECKING:
    from arcwise.base.run import Run
    from arcwise.credible.credible_set import CredibleSet
    from arcwise.networks.network_list import NetworkSet
    from arcwise.networks.summary import NetworkSummary


@dataclass(frozen=True)
class SetOptions:
    """Which set, and what is to be known of it."""

    bayes_factor: str = row(
        CredibleOptions, "bayes_factor", help=f"networks within this factor of the best: {SPELLED}", kind=str
    )
    by: str = option("dag", "with -o: list DAGs (dag) or one per equivalence class (mec)", choices=("dag", "mec"))
    classes: bool = option(True, "count the equivalence classes too", flags=("--classes", "--no-classes"))
    trust_table: bool = option(False, "trust that a table from elsewhere is complete for this factor")
    sharing: Sharing = rows(Sharing)


def credible(
    source: SourceArgument,
    scored: ScoreOptions,
    *,
    wanted: SetOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: NetworkLimit,
    printing: ResultOptions,
) -> None:
    """Count, and with -o list, all networks within a Bayes factor of the best one.

    Prints the number of networks and equivalence classes, and how likely each arc is among them.

    Example: arcwise credible survey.csv --score bdeu --ess 1 --bayes-factor 20 -o networks.parquet
    """
    import numpy as np

    from arcwise.base.run import Run, Status
    from arcwise.networks.origin import describe_completeness, make_facts
    from arcwise.parent_sets.build import BuildSettings

    output, factor = printing.output, factor_from(wanted.bayes_factor)
    check_file_name(output, "networks")
    deadline = Run.of(limit.limits)
    loaded = load_parent_sets(
        source,
        scored=scored,
        rules=rules,
        reading=reading,
        slack=math.log(factor),
        building=BuildSettings(wanted.sharing.threads, cluster=wanted.sharing.cluster),
        limits=deadline.uncounted,
        progress=printing.progress,
    )
    table = loaded.table
    if wanted.trust_table:  # also for its score, if nobody knows which it is
        table = table.vouched(equivalent=None if "name" in table.score else True)
    table_seconds = deadline.seconds
    found, summary = _found(replace(loaded, table=table), wanted, factor, deadline, printing)
    class_count = getattr(summary, "class_count", None)  # of networks that were listed to be counted, nobody knows
    seconds = deadline.seconds - table_seconds
    # A table that was cut short is complete for the finished sizes of parent sets only.
    status = summary.status if summary.status is not Status.COMPLETE else table.status
    complete = status is Status.COMPLETE
    if output is not None:
        networks = _listed(found, wanted.by, deadline)
        if loaded.data is not None:
            networks = replace(networks, facts=networks.facts | make_facts(n_cases=loaded.data.n_cases))
        networks.save(output)
        status = status if networks.complete else networks.status
    reached = None  # how far the count got, if a limit stopped it
    count, slack = summary.facts.get("reached_count"), summary.facts.get("reached_slack")
    if count is not None and slack is not None:
        reached = {"bayes_factor": math.exp(min(slack, 700.0)), "count": int(count)}
    names = summary.names
    probabilities = summary.arc_probabilities() if summary.count else np.zeros((len(names), len(names)))
    arcs = sorted(
        (
            {"from": names[p], "to": names[c], "probability": float(probabilities[p, c])}
            for p in range(len(names))
            for c in range(len(names))
            if probabilities[p, c] > 0
        ),
        key=lambda arc: (-float(str(arc["probability"])), str(arc["from"]), str(arc["to"])),
    )
    if printing.as_json:
        print_json(
            {
                "count": summary.count,
                "classes": class_count,
                "optimum": summary.opt,
                "complete": complete,
                "status": str(status),
                "reached": reached,
                "seconds": seconds,
                "table_seconds": table_seconds,
                "bayes_factor": factor,
                "log_slack": summary.slack,
                "tolerance": summary.tolerance,
                "score": dict(summary.score),
                "max_parents": summary.max_parents,
                "arcs": arcs,
            }
        )
    else:
        if not arcs:
            typer.echo("# no arc is in any network" if summary.count else f"# no arc is known: {status}")
        for arc in arcs:
            typer.echo(f"{arc['from']} -> {arc['to']}  {arc['probability']:.4f}")
    if not printing.quiet:
        grouped = "" if class_count is None else f" in {class_count:,} equivalence classes"
        line = f"{summary.count:,} networks{grouped} within a Bayes factor of {factor:g} of {summary.opt:.6f}"
        if not summary.count:
            line = f"the networks within a Bayes factor of {factor:g} of the best were not counted"
        stopped = "; " + describe_completeness(summary.status if complete else status, summary.max_parents, len(names))
        if wanted.classes and class_count is None and summary.count:
            stopped += "; their classes were not counted"
        if reached is not None:
            stopped += f"; {reached['count']:,} networks are within a Bayes factor of {reached['bayes_factor']:.3g}"
        typer.echo(
            f"{line}, in {seconds:.2f} s{stopped}",
            err=True,
        )
    finish(status)


def _found(
    loaded: ParentSetSource, wanted: SetOptions, factor: float, deadline: Run, printing: ResultOptions
) -> tuple[CredibleSet | NetworkSet, NetworkSummary | NetworkSet]:
    """Find the set and count it. Under constraints on ancestors it has to be listed to be counted."""
    from arcwise.credible.credible_set import CredibleSet
    from arcwise.credible.find import find_credible
    from arcwise.credible.listing import FIRST_SHARE

    known = loaded.constraints
    if known is not None and known.is_ancestral:
        listed = find_credible(
            loaded.table,
            bayes_factor=factor,
            by=wanted.by,  # type: ignore[arg-type]
            constraints=known,
            limits=deadline.uncounted,
            progress=printing.progress,
            settings=wanted.sharing,
        )
        return listed, listed
    found = CredibleSet.build(
        loaded.table,
        bayes_factor=factor,
        constraints=known,
        limits=deadline.share(FIRST_SHARE).limits,
        progress=printing.progress,
        settings=wanted.sharing,
    )
    return found, found.summary(classes=wanted.classes, limits=deadline.limits)


def _listed(found: CredibleSet | NetworkSet, by: str, deadline: Run) -> NetworkSet:
    from arcwise.credible.find import best_of
    from arcwise.networks.network_list import NetworkSet

    if isinstance(found, NetworkSet):
        return best_of(found, deadline.given.count)
    return found.networks(by, limits=deadline.limits)  # type: ignore[arg-type]

"""`arcwise credible`: every network that the data cannot rule out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.bayes_factor import BayesFactorOption, factor_from
from arcwise.cli.completion import one_of
from arcwise.cli.data_options import DataOptions
from arcwise.cli.limit_options import NetworkLimit
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import OutputOption, check_file_name
from arcwise.cli.parent_set_source import ParentSetSource, SourceArgument, load_parent_sets
from arcwise.cli.printing import PrintOptions, finish, print_json
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import ScoreOptions
from arcwise.cli.worker_options import ClusterOption
from arcwise.defaults import BAYES_FACTOR, MOST_THREADS

if TYPE_CHECKING:
    from arcwise.deadline import Deadline
    from arcwise.ensemble import CredibleSet, NetworkSet, NetworkSummary

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("credible")(expanded(credible))


@dataclass(frozen=True)
class SetOptions(OptionGroup):
    """Which set, and what is to be known of it."""

    bayes_factor: BayesFactorOption = f"{BAYES_FACTOR:g}"
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="With -o: list DAGs (dag) or one per equivalence class (mec).",
            autocompletion=one_of("dag", "mec"),
        ),
    ] = "dag"
    classes: Annotated[bool, typer.Option("--classes/--no-classes", help="Count the equivalence classes too.")] = True
    trust_table: Annotated[
        bool, typer.Option("--trust-table", help="Trust that a table from elsewhere is complete for this factor.")
    ] = False
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            help="Threads for the table of parent sets and the set itself (default: one per core).",
            show_default=False,
        ),
    ] = None
    cluster: ClusterOption = None


def credible(
    source: SourceArgument,
    scored: ScoreOptions,
    *,
    wanted: SetOptions,
    rules: RuleOptions,
    reading: DataOptions,
    limit: NetworkLimit,
    output: OutputOption = None,
    printing: PrintOptions,
) -> None:
    """Count, and with -o list, all networks within a Bayes factor of the best one.

    Prints the number of networks and equivalence classes, and how likely each arc is among them.

    Example: arcwise credible survey.csv --score bdeu --ess 1 --bayes-factor 20 -o networks.parquet
    """
    import numpy as np

    from arcwise.deadline import Deadline
    from arcwise.ensemble.ensemble_facts import describe_completeness
    from arcwise.limits import Status
    from arcwise.parent_sets import BuildSettings

    check_file_name(output, "networks")
    factor = factor_from(wanted.bayes_factor)
    deadline = Deadline.of(limit.limits)
    loaded = load_parent_sets(
        source,
        scored=scored,
        rules=rules,
        reading=reading,
        slack=math.log(factor),
        building=BuildSettings(wanted.threads, cluster=wanted.cluster),
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
            networks = replace(networks, facts={**networks.facts, "n_cases": loaded.data.n_cases})
        networks.save(output)
        status = status if networks.complete else networks.status
    reached = None  # how far the count got, if a limit stopped it
    if "reached_count" in summary.facts:
        up_to = math.exp(min(float(summary.facts["reached_slack"]), 700.0))
        reached = {"bayes_factor": up_to, "count": int(summary.facts["reached_count"])}
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
        told = f"{summary.count:,} networks{grouped} within a Bayes factor of {factor:g} of {summary.opt:.6f}"
        if not summary.count:
            told = f"the networks within a Bayes factor of {factor:g} of the best were not counted"
        stopped = "; " + describe_completeness(summary.status if complete else status, summary.max_parents, len(names))
        if wanted.classes and class_count is None and summary.count:
            stopped += "; their classes were not counted"
        if reached is not None:
            stopped += f"; {reached['count']:,} networks are within a Bayes factor of {reached['bayes_factor']:.3g}"
        typer.echo(
            f"{told}, in {seconds:.2f} s{stopped}",
            err=True,
        )
    finish(status)


def _found(
    loaded: ParentSetSource, wanted: SetOptions, factor: float, deadline: Deadline, printing: PrintOptions
) -> tuple[CredibleSet | NetworkSet, NetworkSummary | NetworkSet]:
    """Find the set and count it. Under constraints on ancestors it has to be listed to be counted."""
    from arcwise.ensemble import CredibleSet, find_credible
    from arcwise.ensemble.diagram.reached import FIRST_SHARE

    known = loaded.constraints
    if known is not None and known.is_ancestral:
        listed = find_credible(
            loaded.table,
            bayes_factor=factor,
            by=wanted.by,  # type: ignore[arg-type]
            constraints=known,
            limits=deadline.uncounted,
            progress=printing.progress,
            threads=wanted.threads,
            cluster=wanted.cluster,
        )
        return listed, listed
    found = CredibleSet.build(
        loaded.table,
        bayes_factor=factor,
        constraints=known,
        limits=deadline.share(FIRST_SHARE).limits,
        progress=printing.progress,
        threads=wanted.threads,
        cluster=wanted.cluster,
    )
    return found, found.summary(classes=wanted.classes, limits=deadline.limits)


def _listed(found: CredibleSet | NetworkSet, by: str, deadline: Deadline) -> NetworkSet:
    from arcwise.ensemble import NetworkSet
    from arcwise.ensemble.ancestral_set import best_of

    if isinstance(found, NetworkSet):
        return best_of(found, deadline.given.count)
    return found.networks(by, limits=deadline.limits)  # type: ignore[arg-type]

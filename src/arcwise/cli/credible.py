"""`arcwise credible`: every network that the data cannot rule out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise.base.options import option, row, rows
from arcwise.base.run import Run, Status
from arcwise.cli.options import LearningVerb, NetworkLimit, ParentSetSource, ScoreOptions, SourceArgument, factor_from
from arcwise.cli.output import NetworksFileVerb
from arcwise.cli.verb import Result
from arcwise.credible.bayes_factors import SPELLED
from arcwise.credible.credible_set import CredibleSet
from arcwise.credible.diagram import Sharing
from arcwise.credible.find import best_of, find_credible
from arcwise.credible.listing import FIRST_SHARE
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.origin import describe_completeness, make_facts
from arcwise.parent_sets.build import BuildSettings
from arcwise.recipes.credible import CredibleOptions

if TYPE_CHECKING:
    from arcwise.networks.summary import NetworkSummary


class Credible(LearningVerb, NetworkLimit, NetworksFileVerb):
    """Count, and with -o list, all networks within a Bayes factor of the best one.

    Prints the number of networks and equivalence classes, and how likely each arc is among them.

    Example: arcwise credible survey.csv --score bdeu --ess 1 --bayes-factor 20 -o networks.parquet
    """

    source: SourceArgument
    scored: ScoreOptions = rows(ScoreOptions)
    bayes_factor: str = row(
        CredibleOptions, "bayes_factor", help=f"networks within this factor of the best: {SPELLED}", kind=str
    )
    by: str = option("dag", "with -o: list DAGs (dag) or one per equivalence class (mec)", choices=("dag", "mec"))
    classes: bool = option(True, "count the equivalence classes too", flags=("--classes", "--no-classes"))
    trust_table: bool = option(False, "trust that a table from elsewhere is complete for this factor")
    sharing: Sharing = rows(Sharing)

    def _run(self) -> Result:
        factor = factor_from(self.bayes_factor)
        deadline = Run.of(self.limits)
        building = BuildSettings(self.sharing.threads, cluster=self.sharing.cluster)
        loaded = self.load_parent_sets(self.source, self.scored, building, deadline.uncounted, math.log(factor))
        table = loaded.table
        if self.trust_table:  # also for its score, if nobody knows which it is
            table = table.vouched(equivalent=None if "name" in table.score else True)
        table_seconds = deadline.seconds
        found, summary = self._found(replace(loaded, table=table), factor, deadline)
        class_count = getattr(summary, "class_count", None)  # of networks that were listed to be counted, nobody knows
        seconds = deadline.seconds - table_seconds
        # A table that was cut short is complete for the finished sizes of parent sets only.
        status = summary.status if summary.status is not Status.COMPLETE else table.status
        complete = status is Status.COMPLETE
        if self.output is not None:
            networks = self._listed(found, deadline)
            if loaded.data is not None:
                networks = replace(networks, facts=networks.facts | make_facts(n_cases=loaded.data.n_cases))
            networks.save(self.output)
            status = status if networks.complete else networks.status
        reached = None  # how far the count got, if a limit stopped it
        count, slack = summary.facts.get("reached_count"), summary.facts.get("reached_slack")
        if count is not None and slack is not None:
            reached = {"bayes_factor": math.exp(min(slack, 700.0)), "count": int(count)}
        names = summary.names
        probabilities = summary.arc_probabilities() if summary.count else np.zeros((len(names), len(names)))
        listed = [(float(probabilities[p, c]), names[p], names[c]) for p, c in np.argwhere(probabilities > 0)]
        listed.sort(key=lambda arc: (-arc[0], *arc[1:]))
        payload = {
            "count": summary.count,
            "classes": class_count,
            "optimum": summary.opt,
            "complete": complete,
            "status": status,
            "reached": reached,
            "seconds": seconds,
            "table_seconds": table_seconds,
            "bayes_factor": factor,
            "log_slack": summary.slack,
            "tolerance": summary.tolerance,
            "score": summary.score,
            "max_parents": summary.max_parents,
            "arcs": ({"from": tail, "to": head, "probability": share} for share, tail, head in listed),
        }
        lines = [f"{tail} -> {head}  {share:.4f}" for share, tail, head in listed]
        none = "# no arc is in any network" if summary.count else f"# no arc is known: {status}"
        grouped = "" if class_count is None else f" in {class_count:,} equivalence classes"
        told = f"{summary.count:,} networks{grouped} within a Bayes factor of {factor:g} of {summary.opt:.6f}"
        if not summary.count:
            told = f"the networks within a Bayes factor of {factor:g} of the best were not counted"
        stopped = "; " + describe_completeness(summary.status if complete else status, summary.max_parents, len(names))
        if self.classes and class_count is None and summary.count:
            stopped += "; their classes were not counted"
        if reached is not None:
            stopped += f"; {reached['count']:,} networks are within a Bayes factor of {reached['bayes_factor']:.3g}"
        return Result(payload, lines or none, f"{told}, in {seconds:.2f} s{stopped}", status=status)

    def _found(
        self, loaded: ParentSetSource, factor: float, deadline: Run
    ) -> tuple[CredibleSet | NetworkSet, NetworkSummary | NetworkSet]:
        """Find the set and count it. Under constraints on ancestors it has to be listed to be counted."""
        known = loaded.constraints
        if known is not None and known.is_ancestral:
            listed = find_credible(
                loaded.table,
                bayes_factor=factor,
                by=self.by,  # type: ignore[arg-type]
                constraints=known,
                limits=deadline.uncounted,
                progress=self.progress,
                settings=self.sharing,
            )
            return listed, listed
        found = CredibleSet.build(
            loaded.table,
            bayes_factor=factor,
            constraints=known,
            limits=deadline.share(FIRST_SHARE).limits,
            progress=self.progress,
            settings=self.sharing,
        )
        return found, found.summary(classes=self.classes, limits=deadline.limits)

    def _listed(self, found: CredibleSet | NetworkSet, deadline: Run) -> NetworkSet:
        if isinstance(found, NetworkSet):
            return best_of(found, deadline.given.count)
        return found.networks(self.by, limits=deadline.limits)  # type: ignore[arg-type]

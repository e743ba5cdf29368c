"""The verbs that find many networks: credible ones, by the posterior, or one per resampled data set."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise import ensemble
from arcwise.base.options import Common, option, options_of, row, rows
from arcwise.base.run import Run, Status
from arcwise.cli import options
from arcwise.cli.output import NetworksFileVerb
from arcwise.cli.verb import Result, facts
from arcwise.credible.bayes_factors import SPELLED, factor_of
from arcwise.credible.find import best_of, find_credible
from arcwise.credible.listing import FIRST_SHARE
from arcwise.data.read import ReadingSettings
from arcwise.networks.recipe import describe_completeness, make_facts
from arcwise.parent_sets.build import BuildSettings
from arcwise.recipes.bootstrap import BootstrapOptions
from arcwise.recipes.credible import CredibleOptions
from arcwise.recipes.posterior import PosteriorOptions, find_posterior
from arcwise.sampled.numeric_data import CUT_METHODS, Cutting, NumericData

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Incomplete


class CredibleVerb(options.LearningVerb, options.NetworkLimit, NetworksFileVerb):
    """Count, and with -o list, all networks within a Bayes factor of the best one.

    Prints the number of networks and equivalence classes, and how likely each arc is among them.

    Example: arcwise credible survey.csv --score bdeu --ess 1 --bayes-factor 20 -o networks.parquet
    """

    source: options.SourceArgument
    scored: options.ScoreOptions = rows(options.ScoreOptions)
    bayes_factor: str = row(
        CredibleOptions, "bayes_factor", help=f"networks within this factor of the best: {SPELLED}", kind=str
    )
    by: str = option("dag", "with -o: list DAGs (dag) or one per equivalence class (mec)", choices=("dag", "mec"))
    classes: bool = option(True, "count the equivalence classes too", flags=("--classes", "--no-classes"))
    trust_table: bool = option(False, "trust that a table from elsewhere is complete for this factor")
    sharing: ensemble.Parallel = rows(ensemble.Parallel)

    def _run(self) -> Result:
        factor = factor_of(self.bayes_factor)
        clock = self.clock
        building = BuildSettings(self.sharing.threads, cluster=self.sharing.cluster)
        loaded = self.load_parent_sets(self.source, self.scored, building, clock.uncounted, math.log(factor))
        table = loaded.table
        if self.trust_table:  # also for its score, if nobody knows which it is
            table = table.vouched(equivalent=None if "name" in table.score else True)
        table_seconds = clock.seconds
        found, summary = self._found(replace(loaded, table=table), factor, clock)
        class_count = getattr(summary, "class_count", None)  # of networks that were listed to be counted, nobody knows
        seconds = clock.seconds - table_seconds
        # A table that was cut short is complete for the finished sizes of parent sets only.
        status = summary.status if summary.status is not Status.COMPLETE else table.status
        complete = status is Status.COMPLETE
        if self.output is not None:
            networks = self._listed(found, clock)
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
        message = f"{summary.count:,} networks{grouped} within a Bayes factor of {factor:g} of {summary.opt:.6f}"
        if not summary.count:
            message = f"the networks within a Bayes factor of {factor:g} of the best were not counted"
        stopped = "; " + describe_completeness(summary.status if complete else status, summary.max_parents, len(names))
        if self.classes and class_count is None and summary.count:
            stopped += "; their classes were not counted"
        if reached is not None:
            stopped += f"; {reached['count']:,} networks are within a Bayes factor of {reached['bayes_factor']:.3g}"
        return Result(payload, lines or none, f"{message}, in {seconds:.2f} s{stopped}", status=status)

    def _found(
        self, loaded: options.ParentSetSource, factor: float, clock: Run
    ) -> tuple[ensemble.CredibleSet | ensemble.NetworkSet, ensemble.NetworkSummary | ensemble.NetworkSet]:
        """Find the set and count it. Under constraints on ancestors it has to be listed to be counted."""
        known = loaded.constraints
        if known is not None and known.is_ancestral:
            listed = find_credible(
                loaded.table,
                bayes_factor=factor,
                by=self.by,  # type: ignore[arg-type]
                constraints=known,
                limits=clock.uncounted,
                progress=self.progress,
                settings=self.sharing,
            )
            return listed, listed
        found = ensemble.CredibleSet.build(
            loaded.table,
            bayes_factor=factor,
            constraints=known,
            limits=clock.share(FIRST_SHARE).limits,
            progress=self.progress,
            settings=self.sharing,
        )
        return found, found.summary(classes=self.classes, limits=clock.limits)

    def _listed(self, found: ensemble.CredibleSet | ensemble.NetworkSet, clock: Run) -> ensemble.NetworkSet:
        if isinstance(found, ensemble.NetworkSet):
            return best_of(found, clock.given.count)
        return found.networks(self.by, limits=clock.limits)  # type: ignore[arg-type]


class PosteriorVerb(options.LearningVerb, options.MemoryLimit, NetworksFileVerb):
    """Find how probable each arc is, over all networks, each in proportion to its posterior probability.

    Sums over all networks where that is possible. Otherwise chains draw networks until they agree; if they do not, the
    exit code is 3, and what is printed is not the posterior. With -o, networks are written: 10,000 that were drawn
    independently, where the posterior was summed, and else those that the chains drew.

    Example: arcwise posterior survey.csv --score bdeu --ess 1 --seed 1
    """

    data: options.DataArgument
    scored: options.ScoreOptions = rows(options.ScoreOptions)
    settings: ensemble.PosteriorSettings = rows(ensemble.PosteriorSettings)
    seed: int = row(Common, "seed")
    threads: int | None = row(Common, "threads")

    def _run(self) -> Result:
        clock = self.clock
        score = self.scored.make()
        cases, known = self.read_known(self.data, self, score)
        found = find_posterior(
            cases,
            score,
            max_parents=self.max_parents,
            constraints=known,
            seed=self.seed,
            threads=self.threads,
            limits=clock.limits,
            progress=self.progress,
            settings=replace(self.settings, drawing=self.output is not None),
        )
        status, short = found.status, ""
        if self.output is not None and (found.exact is None or found.complete):
            recipe = ensemble.Recipe.usual(
                "posterior",
                score,
                n_cases=cases.n_cases,
                arities=cases.arities.tolist(),
                max_parents=self.max_parents,
                constraints=known,
                **{item.name: getattr(self.settings, item.name) for item in options_of(PosteriorOptions)},
            )
            drawn = found.networks(seed=self.seed, threads=self.threads, limits=clock.uncounted).made_by(recipe)
            replace(drawn, facts=drawn.facts | make_facts(n_cases=cases.n_cases)).save(self.output)
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
        made = found.chains if found.chains is not None else None if unfinished else found.exact
        payload = {
            "way": "exact" if found.is_exact else "chains",
            "complete": status is found.status and found.complete,
            "status": status,
            "seconds": clock.seconds,
            "verdict": None if found.chains is None else found.chains.verdict.describe(),
            "left_out": None if made is None else made.left_out,
            "report": report,
            "score": score.describe(),
            "arcs": listed,
        }
        lines = [f"{arc['from']} -> {arc['to']}  {arc['probability']:.4f}" for arc in listed]
        none = f"# no arc is known: {found.status}" if nothing else "# no arc is in any network"
        return Result(payload, lines or none, f"{report} {clock.seconds:.2f} s.", status=status)


class BootstrapVerb(options.LearningVerb, options.TimeLimit, NetworksFileVerb):
    """Learn a network from each of many resampled data sets, for `arcwise confidence`.

    Prints how strong each edge is: the share of the networks that have it, and how often in that direction.

    Example: arcwise bootstrap survey.csv --score bdeu --replicates 200 --seed 1 -o networks.parquet
    """

    data: options.DataArgument
    scored: options.ScoreOptions = rows(options.ScoreOptions)
    groups: str | None = row(Common, "groups")
    weights: str | None = row(Common, "weights")
    replicate_weights: tuple[str, ...] = row(Common, "replicate_weights")
    replicates: int = row(BootstrapOptions, "replicates", help="how many networks to learn")
    settings: ensemble.BootstrapSettings = rows(ensemble.BootstrapSettings)
    recut: str | None = option(
        None,
        f"cut columns of numbers, anew in each replicate: {', '.join(CUT_METHODS[:-1])} or {CUT_METHODS[-1]}",
        choices=CUT_METHODS,
    )
    bins: int = row(Common, "bins", of="--recut")
    target: str | None = option(None, "the class column", of="--recut mdl")
    seed: int = row(Common, "seed")

    @property
    def reading_settings(self) -> ReadingSettings:
        """How the file is read: with how its rows were drawn."""
        drawn = {name: getattr(self, name) for name in ("groups", "weights", "replicate_weights")}
        return replace(self.reading, **drawn)

    def _run(self) -> Result:
        score = self.scored.make()
        cases: Dataset | Incomplete | NumericData
        if self.recut is not None:
            cutting = Cutting(self.recut, self.bins, self.target, max_parents=self.max_parents, seed=self.seed)
            cases, known = self.read_uncut(self.data, self, score, cutting)
        elif self.impute == "completions":
            cases, known = self.read_incomplete(self.data, self, score)
        else:
            cases, known = self.read_known(self.data, self, score)
        self.warn_of_idle_odds(score, known)
        networks = ensemble.bootstrap_networks(
            cases,
            replicates=self.replicates,
            score=score,
            constraints=known,
            max_parents=self.max_parents,
            seed=self.seed,
            settings=self.settings,
            limits=self.clock.limits,
            progress=self.progress,
        )
        if self.output is not None:
            networks.save(self.output)
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
        took = networks.facts.get("seconds")
        payload = {
            "networks": len(networks),
            "replicates": self.replicates,
            **facts(networks, "origin", "status", "score"),
            **({} if (cut := networks.facts.get("cut")) is None else {"cut": cut}),
            "seed": self.seed,
            "seconds": took,
            "edges": edges,
        }
        lines = [f"{one['from']} -> {one['to']}  {one['strength']:.4f}  {one['direction']:.4f}" for one in edges]
        note = "" if networks.complete else f"; stopped: {networks.status}"
        remark = f"{len(networks)} of {self.replicates} networks in {took:.2f} s{note}"
        return Result(payload, lines or "# no edge is in any network", remark, status=networks.status)

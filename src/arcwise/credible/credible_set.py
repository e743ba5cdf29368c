"""`CredibleSet`: every network that the data cannot rule out (Liao chapter 3), built once and asked many things."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import ArcwiseError, OptionError, UnfinishedError, check_known
from arcwise.base.options import gather
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, resolve_seed
from arcwise.credible import listing
from arcwise.credible.bayes_factors import log_slack_of, settings_within, warn_if_not_bayes_factor
from arcwise.credible.diagram import CredibleDiagram, DiagramSums, Parallel, build_diagram
from arcwise.credible.listing import Listed, NetworkStream, Reached, stream_set
from arcwise.exact.proof import Optimum
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.networks.families import Families
from arcwise.networks.network_list import NetworkSet, NetworkSummary, Weighting, check_count, check_weighting
from arcwise.networks.recipe import (
    Ensemble,
    KnownFacts,
    NetworkOrigin,
    Recipe,
    describe_completeness,
    known_facts,
    make_facts,
)
from arcwise.parent_sets.build import has_own_limits, joint_constraints, table_of
from arcwise.parent_sets.table import ParentSetTable, check_slack

if TYPE_CHECKING:
    from arcwise.data.dataset import Frame
    from arcwise.keywords import ParallelKeywords
    from arcwise.scores.score import Scored


MemberKind = Literal["dag", "mec"]


class CredibleSet(Ensemble):
    """All networks within a Bayes factor of the optimum, as a decision diagram from which everything is read.

    `build` makes it, which is the expensive part; after that it can be counted, summed up, listed, streamed into a
    folder and averaged (`arcwise.confidence.edge_confidence`) any number of times. Sets of 10^12 networks are no
    problem for anything that does not list them.

    Each method that may take a long time has its own `limits`; limits of `build` are for the building alone.

    Attributes
    ----------
    table, constraints
        What the networks are made of.
    slack
        The natural log of the Bayes factor: every network with score >= opt - slack is in the set.
    names, score, data_digest, max_parents
        Those of the table; the set is complete among networks within the parent limit.
    """

    names: tuple[str, ...]
    score: Mapping[str, Any]
    data_digest: str | None
    max_parents: int | None
    origin = listing.CREDIBLE
    weighting = "posterior"

    def __init__(
        self,
        table: ParentSetTable,
        slack: float,
        constraints: Constraints | None = None,
        run: Run | None = None,
    ) -> None:
        self.table, self.slack, self.constraints = table, slack, constraints
        self.names, self.max_parents = table.names, table.max_parents
        self.score, self.data_digest = table.score, table.data_digest
        self._run = run or Run()  # with the progress, the threads and the cluster of whatever is asked of the set
        self._diagrams: dict[MemberKind, CredibleDiagram] = {}
        self._counted: DiagramSums | None = None
        self._summed: DiagramSums | None = None
        self._class_count: int | None = None
        self._reached: Reached | None = None
        self._recipe: Recipe | None = None

    @classmethod
    def build(
        cls,
        table: ParentSetTable | Scored | Frame,
        *,
        bayes_factor: float | str | None = None,
        log_slack: float | None = None,
        by: MemberKind | None = "dag",
        constraints: GivenConstraints | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
        **settings: Unpack[ParallelKeywords],
    ) -> CredibleSet:
        """Build the set of all networks within a Bayes factor of the optimum; a limit shows in `status`.

        Parameters
        ----------
        table
            Candidate parent sets, built with at least the slack that is asked for; or data, of which the table by BIC
            is made. A table that does not say what it
            holds, such as a file made elsewhere, is refused; `ParentSetTable.vouched` gives it a guarantee.
        bayes_factor, log_slack
            How far from the optimum: a Bayes factor (or its name: "anecdotal" 3, "positive" 20, "strong" 150), or its
            natural logarithm. Exactly one of the two.
        by
            What is built now: the diagram of the networks ("dag"), or that of the equivalence classes ("mec"). The
            other one, or both if this is None, are built when they are first asked for.
        constraints
            Only networks that satisfy them; the optimum is then the best of those. Required arcs must be those that
            the table was built for.
        limits
            `seconds` and `memory_bytes` of the building.
        progress, settings
            Also used by everything that is asked of the set later. The settings are the fields of
            `arcwise.ensemble.Parallel` by keyword, ``threads=`` and ``cluster=``, or a whole one as ``settings=``.

        Raises
        ------
        GuaranteeError
            If the table was pruned for less slack than is asked for, or not for the required arcs.
        """
        slack = log_slack_of(bayes_factor, log_slack)
        table = table_of(table, slack, constraints=constraints, limits=limits, progress=progress)
        constraints = Constraints.of(table.names, constraints)
        if constraints is not None:
            constraints.refuse_ancestors("a credible set that is not listed")
        named = f"at Bayes factor {math.exp(min(slack, 700.0)):.6g}" if log_slack is None else f"with slack {slack:.4g}"
        check_slack(table, slack, f"a credible set {named}")
        if bayes_factor is not None:
            warn_if_not_bayes_factor(table.score)
        sharing = gather(Parallel, cls.build, settings)
        run = Run().replace(
            progress=progress, threads=sharing.threads, cluster=sharing.cluster
        )  # opened when it is needed
        made = cls(table, slack, constraints, run)
        if by is not None:
            made.diagram(by, Run.of(limits))
        return made

    @classmethod
    def within(cls, table: ParentSetTable, slack: float, constraints: Constraints | None, run: Run) -> CredibleSet:
        """Build the set of all networks within a slack, in the circumstances of a run."""
        check_slack(table, slack, f"a credible set with slack {slack:.4g}")
        made = cls(table, slack, constraints, Run(threads=run.threads, progress=run.progress, cluster=run.cluster))
        with made.begin(run.uncounted) as own:
            made._diagrams["dag"] = made._build("dag", slack, own)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made from: all but the progress callback and the cluster."""
        return self.__dict__ | {"_run": Run(threads=self._run.threads)}

    def begin(self, limits: Limits | Run | None = None) -> AbstractContextManager[Run]:
        """Begin to answer a question within limits, or as a part of a run."""
        return Run.begin(limits, self._run.progress, self._run.threads, self._run.cluster)

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def facts(self) -> KnownFacts:
        """How far the work came."""
        return make_facts(states=self._any.native.states, explored=self._any.native.explored)

    @property
    def recipe(self) -> Recipe:
        """How the networks are made: by the score of the table, within the Bayes factor."""
        if self._recipe is not None:
            return self._recipe
        return Recipe(
            source=self.origin,
            score=dict(self.score),
            settings=settings_within(self.slack),
            max_parents=self.max_parents,
            constraints={} if self.obeyed is None else self.obeyed.describe(),
        )

    @cached_property
    def obeyed(self) -> Constraints | None:
        """What every network satisfies: the constraints of the set and those that its table was built for."""
        return joint_constraints(self.table.names, self.table.constraints, self.constraints)

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The variables that were set, experiment by experiment, in the data that the table was built from."""
        return tuple(tuple(target) for target in self.table.targets or ())

    def summed(self, limits: Limits | None = None) -> NetworkSummary:
        """Return the shares of the families; see `summary`."""
        return self.summary(limits=limits)

    def drawn(self, count: int, *, seed: Seed = 0, limits: Limits | None = None) -> NetworkSet:
        """Return the networks, or that many draws if there are more; an error if neither is there in the time."""
        if self.count <= check_count(count):
            found = self.networks(limits=limits)
            if not found.complete:  # a part of a list is not a sample
                raise UnfinishedError("the networks could not all be listed in the time; raise the limit.")
        else:
            found = self.sample(count, seed=seed, limits=limits)
        if not found.count:
            raise UnfinishedError("no network could be drawn in the time; raise the limit.")
        return found

    def made_by(self, recipe: Recipe) -> CredibleSet:
        """Note the recipe that the set was made by, and return it."""
        self._recipe = recipe
        return self

    @property
    def status(self) -> Status:
        """COMPLETE, or the limit that stopped the building."""
        return self._any.status

    @property
    def opt(self) -> float:
        """The score of the best network; NaN if the building was stopped."""
        return self._any.opt if self._any.native.states else math.nan

    @property
    def tolerance(self) -> float:
        """How far below the limit a network may lie and still count: ties in floating-point numbers."""
        return self._any.tolerance

    @property
    def has_whole_classes(self) -> bool:
        """Whether the set consists of whole equivalence classes, so that they can be listed one by one.

        The score must give the members of a class the same value. Constraints on arcs cut classes down to the members
        that satisfy them, which are all there; a limit on the parents of a single variable may leave some of them out.
        """
        return not has_own_limits(self.obeyed) and listing.has_whole_classes(self.table)

    def __repr__(self) -> str:
        state = describe_completeness(self.status, self.max_parents, self.n_variables)
        counted = self._counted or self._summed
        many = "" if counted is None else f"{counted.count:,} networks, "
        factor = math.exp(min(self.slack, 700.0))
        return f"CredibleSet({many}Bayes factor {factor:.6g}, {self.n_variables} variables, {state})"

    # -- counts and shares --------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The exact number of networks; 0 if the building was stopped."""
        return self._count().count

    @property
    def log_mass(self) -> float:
        """The log of the sum of exp(score - opt) over the networks; NaN if the building was stopped."""
        return self._count().log_mass if self.complete else math.nan

    @property
    def class_count(self) -> int | None:
        """The exact number of equivalence classes; None if more than 50 million networks had to be listed."""
        return self.count_classes()

    def count_classes(self, limits: Limits | None = None, *, most: int | None = None) -> int | None:
        """Return the number of equivalence classes, those of `fixed` where pairs have their direction from elsewhere.

        None if a limit is reached, or if more than 50 million networks (or `limits.count` if that is more) would have
        to be listed: one of each class, or all of them where the score or limits on single variables split classes.
        With `most`, None also if there are more than that, which is often known long before they are counted.
        """
        if self._class_count is None and self.complete:
            run = Run.of(limits)
            self._class_count = listing.count_classes(
                self.diagram("dag", run),
                self.count,
                lambda: self.diagram("mec", run),
                fixed=self.fixed,
                whole=self.has_whole_classes,
                run=run,
                most=most,
            )
        return self._class_count

    def summary(self, *, classes: bool = False, limits: Limits | None = None) -> NetworkSummary:
        """Return the exact count and the exact share of every family, without listing a network.

        With `classes` the equivalence classes are counted as well. If a limit of time or memory stops the work (or
        stopped the building), the count is 0 and `status` says so; `facts` then says how far it got: `reached_count`,
        the exact number (as text) of the networks within `reached_slack` of the optimum, which is a lower bound (or the
        number itself, if all of the slack was reached and only the shares did not fit into memory).
        """
        reached = None
        with self.begin(limits) as run:
            diagram = self.diagram("dag", run)
            report = run.native_report("credible set: counting")
            sums, status = self._summed, diagram.status
            if status is Status.COMPLETE and sums is None:
                sums = diagram.sums(families=True, limits=run.limits, report=report)
                status = sums.status
                if status is Status.COMPLETE:
                    self._summed = sums
                elif status is Status.MEMORY_LIMIT:  # a count needs less memory than the shares of the families
                    alone = diagram.sums(limits=run.limits, report=report)
                    reached = Reached(self.slack, alone.count, diagram) if alone.status is Status.COMPLETE else None
            if reached is None and status in (Status.TIME_LIMIT, Status.MEMORY_LIMIT):
                try:
                    reached = listing.count_within_reach(partial(self._build, "dag"), self.slack, run)
                except KeyboardInterrupt:
                    status = Status.INTERRUPTED
        summed = sums is not None and status is Status.COMPLETE
        if classes and summed:
            self.count_classes(run.limits)
        facts = _effort(diagram, run) | self.known
        self._reached = reached or self._reached
        if reached is not None:
            facts |= make_facts(reached_slack=reached.slack, reached_count=str(reached.count))
        return NetworkSummary(
            names=self.names,
            **listing.family_shares(diagram.families, sums if summed else None),
            origin=self.origin,
            class_count=self._class_count if classes else None,
            opt=self.opt,
            slack=self.slack,
            status=status,
            max_parents=self.max_parents,
            tolerance=diagram.tolerance,
            score=dict(self.score),
            data_digest=self.data_digest,
            facts=facts,
        ).made_by(self.recipe)

    @property
    def bracketed(self) -> Optimum | None:
        """The best network that is known with a bound on all, whether the set was finished or not; None for none."""
        finished = self._any if self._reached is None else self._reached.diagram
        known = finished.best_bracket() or self._any.bracket
        return None if known is None else known.optimum(self.table, self.constraints, self.status)

    def within_reach(self, limits: Limits | None = None) -> CredibleSet | None:
        """Return the set of a smaller Bayes factor, complete and summed up, where a limit stopped this one.

        What `summary` reached is taken; otherwise smaller and smaller ones are tried. None if none of them ends; Ctrl-C
        raises KeyboardInterrupt.
        """
        with self.begin(limits) as run:

            def build(within: float, left: Run) -> CredibleDiagram:
                whole = self._diagrams.get("dag")
                if whole is not None and whole.status is Status.COMPLETE:  # it only could not be summed up
                    return replace(whole, slack=within)
                return self._build("dag", within, left)

            reached = self._reached
            if reached is None or reached.slack == self.slack:
                reached = listing.count_within_reach(build, self.slack, run)
            for _ in range(listing.MOST_STEPS):
                if reached is None:
                    return None
                sums = reached.diagram.sums(families=True, limits=run.limits)
                if sums.status.unless_interrupted() is Status.COMPLETE:
                    self._reached = reached
                    made = CredibleSet(self.table, reached.slack, self.constraints, self._run)
                    made._diagrams["dag"] = replace(reached.diagram, slack=reached.slack)
                    made._summed = sums
                    return made
                reached = listing.count_within_reach(build, reached.slack, run)
        return None

    @property
    def families(self) -> Families:
        """The distinct parent sets that occur."""
        return self._whole_summary().families

    def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return, for every row of `families`, the share of the networks with it; by default with posterior weights."""
        return self._whole_summary().family_probabilities(weights)

    def stream(
        self,
        folder: str | os.PathLike[str],
        by: MemberKind = "dag",
        *,
        chunk: int = 1_000_000,
        parquet: bool = False,
        limits: Limits | None = None,
    ) -> NetworkStream:
        """List the set into a folder, `chunk` networks per file; continue where an earlier call ended.

        `limits.seconds` and `limits.count` are per call. Within a file the networks come in the order of the diagram,
        not of their scores, and their weights are those within the file.
        """
        return stream_set(self, folder, by, chunk=chunk, parquet=parquet, run=Run.of(limits))

    # -- the networks, one by one --------------------------------------------------------------------------------------

    def networks(self, by: MemberKind = "dag", *, limits: Limits | None = None) -> NetworkSet:
        """List the networks, each exactly once, by falling score and with posterior weights.

        Parameters
        ----------
        by
            "dag" lists DAGs. "mec" lists one DAG for each equivalence class, cut down to the members that satisfy the
            constraints, without going through them: it needs a score that gives the members of a class the same value,
            and no limits on the parents of single variables. Each class weighs as much as its representative;
            `weigh_classes` gives it the weight of all its members. Constraints or experiments with more than 20
            variables: a few networks per class are listed, and all classes that were met are held in memory.
        limits
            `seconds`, `memory_bytes`, and `count`, the number of networks to list: if there are more, the best are
            listed, the status is COUNT_LIMIT, and ``facts["total"]`` has the exact number (as text, of DAGs).
        """
        with self.begin(limits) as run:
            diagram = self.diagram(by, run)
            most = run.given.count
            if diagram.status is not Status.COMPLETE:
                return self._listed(diagram, Listed.nothing(diagram), run)
            if most is None:
                return self._listed(diagram, listing.list_all(diagram, run), run)
            found = listing.list_best(diagram, most, run)
        total = None
        if found.status is Status.COUNT_LIMIT and diagram.rank is None:
            total = str(self.count if by == "dag" else diagram.sums(limits=Limits()).count)
        return self._listed(diagram, found, run, total=total)

    def best(self, count: int, by: MemberKind = "dag", *, limits: Limits | None = None) -> NetworkSet:
        """List the best networks or classes of the set, all of them if there are no more; the origin is "k-best".

        Of networks that tie for the last place, any may be in the list. `slack` is the distance of the last from the
        optimum.
        """
        check_count(count)
        with self.begin(limits) as run:
            diagram = self.diagram(by, run)
            found = Listed.nothing(diagram)
            if diagram.status is Status.COMPLETE:
                found = listing.list_best(diagram, count, run)
        if found.status is Status.COUNT_LIMIT:  # by the requested count, which is not a limit
            found = Listed(found.choices, found.losses, Status.COMPLETE)
        return self._listed(diagram, found, run, origin="k-best")

    def sample(
        self, count: int, *, weights: Weighting = "posterior", seed: Seed = None, limits: Limits | None = None
    ) -> NetworkSet:
        """Draw networks of the set at random, each independently of the others; the origin is "draws".

        For what only a list of networks can tell about a set that is too large to list. The draws are exact: no chain
        has to converge. A network may come several times; all have the same weight, and their order is that of the
        draws, so that the first thousand are a sample too.

        Parameters
        ----------
        weights
            What the chance of a network is proportional to: its posterior weight within the set ("posterior"), or 1
            ("equal").
        seed
            The networks depend on it alone; fewer draws are the first of more. ``facts["seed"]`` has the one used.
        limits
            `seconds`, `memory_bytes`, and `count`; what was drawn before a limit is returned, with the status.

        Raises
        ------
        UnfinishedError
            If fewer than one in 10,000 paths of the diagram that were tried belong to the set.
        """
        check_count(count)
        check_weighting(weights)
        used = resolve_seed(seed)
        with self.begin(limits) as run:
            diagram = self.diagram("dag", run)
            found, proposals = Listed.nothing(diagram), 0
            if diagram.status is Status.COMPLETE:
                by_score = weights == "posterior"
                found, proposals = listing.draw_networks(diagram, count, by_score=by_score, seed=used, run=run)
        made = self._listed(diagram, found, run, origin="draws")
        facts = made.facts | make_facts(seed=used, drawn_by=weights, proposals=proposals)
        return replace(made, facts=facts).with_weights("equal")

    def chunks(
        self, by: MemberKind = "dag", *, size: int = listing.CHUNK, limits: Limits | None = None
    ) -> Iterator[NetworkSet]:
        """Yield all networks, up to `size` at a time, for sums over sets that do not fit into memory.

        They come in the order of the diagram, not of their scores, and their weights are those within the chunk. A
        limit of time or memory ends the iteration; the last chunk, which may be empty, then has it as its status.
        """
        run = Run.of(limits)
        diagram = self.diagram(by, run)
        if diagram.status is not Status.COMPLETE:
            yield self._listed(diagram, Listed.nothing(diagram), run)
            return
        for choices, losses in listing.iterate_chunks(diagram, size=size):
            status = run.status
            if len(losses) or status is not Status.COMPLETE:
                yield self._listed(diagram, Listed(choices, losses, status), run)
            if status is not Status.COMPLETE:
                return

    def losses(self, by: MemberKind = "dag", *, limits: Limits | None = None) -> NDArray[np.float64]:
        """Return how far each network lies below the optimum, rising: the curve of deviations (Liao figure 3.1).

        Raises
        ------
        OptionError
            If a limit is reached.
        """
        run = Run.of(limits)
        diagram = self.diagram(by, run)
        parts: list[NDArray[np.float64]] = [np.empty(0)]
        status = diagram.status
        for _, lost in listing.iterate_chunks(diagram) if status is Status.COMPLETE else ():
            parts.append(lost)
            status = run.status
            if status is not Status.COMPLETE:
                break
        if status is not Status.COMPLETE:
            raise OptionError(f"the losses of the networks were not all found ({status}); raise the limit.")
        return np.sort(np.concatenate(parts))

    def _listed(
        self, diagram: CredibleDiagram, found: Listed, run: Run, origin: str = "credible", total: str | None = None
    ) -> NetworkSet:
        """Return the networks listed from a diagram, with their origin.

        They have the set's recipe, unless no recipe makes just these: the k best, and what time cut short.
        """
        losses, status = found.losses, found.status
        made = listing.networks_of(
            diagram,
            found,
            make_facts(by="mec" if diagram.by_class else "dag")
            | _effort(diagram, run)
            | self.known
            | make_facts(total=total),
            origin=NetworkOrigin(origin),
            slack=float(losses[-1]) if origin == "k-best" and len(losses) else self.slack,
        )
        if origin == "k-best" or status not in (Status.COMPLETE, Status.COUNT_LIMIT):
            return made  # no recipe makes just these
        most = None if status is Status.COMPLETE else len(losses)
        return made.made_by(replace(self.recipe, settings={**self.recipe.settings, "most_networks": most}))

    # -- the diagrams -------------------------------------------------------------------------------------------------

    def diagram(self, by: MemberKind = "dag", run: Run | None = None) -> CredibleDiagram:
        """Return the decision diagram of the networks or of the classes; it is built when it is first asked for.

        What the set was built with stays, also if a limit stopped it: that is the set's status. If a limit stops the
        other diagram, it is built again when it is asked for again.
        """
        check_known("unit", by, ("dag", "mec"))
        known = self._diagrams.get(by)
        if known is None:
            if by == "mec":
                listing.check_classes(self.table, self.obeyed)
            with self.begin(run) as own:
                known = self._build(by, self.slack, own)
            if known.status is Status.COMPLETE or not self._diagrams:
                self._diagrams[by] = known
        return known

    @property
    def known(self) -> KnownFacts:
        """What constraints and experiments say of the networks."""
        return known_facts(self.obeyed, self.targets)

    @property
    def _any(self) -> CredibleDiagram:
        """A diagram that exists, preferably that of the networks."""
        return self._diagrams.get("dag") or self._diagrams.get("mec") or self.diagram("dag")

    def _build(self, by: MemberKind, slack: float, run: Run) -> CredibleDiagram:
        by_class = by == "mec"
        return build_diagram(
            self.table, slack, by_class=by_class, constraints=self.constraints, fixed=self.fixed, run=run
        )

    def _count(self) -> DiagramSums:
        known = self._summed or self._counted
        if known is None:
            diagram = self.diagram("dag")
            if diagram.status is not Status.COMPLETE:
                return DiagramSums(diagram.status, 0, math.nan, [], np.empty(0), 0, 0)
            known = diagram.sums(limits=Limits())
            if known.status is not Status.COMPLETE:
                raise ArcwiseError(f"the networks of the set cannot be counted: {known.status}.")
            self._counted = known
        return known

    def _whole_summary(self) -> NetworkSummary:
        found = self.summary()
        if not found.complete:
            raise OptionError(f"the set has no shares of families: {found.status}. Build it with higher limits.")
        return found


def _effort(diagram: CredibleDiagram, run: Run) -> KnownFacts:
    return make_facts(seconds=run.seconds, states=diagram.native.states, explored=diagram.native.explored)

"""`CredibleSet`: every network that the data cannot rule out (Liao chapter 3), built once and asked many things."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.bayes_factors import log_slack_of, warn_if_not_bayes_factor
from arcwise.ensemble.credible_networks import By, CredibleNetworks
from arcwise.ensemble.diagram.class_counting import check_classes, count_classes, has_whole_classes
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram, DiagramSums, build_diagram
from arcwise.ensemble.diagram.reached import TRIES, Reached, count_within_reach
from arcwise.ensemble.diagram.sharing import Sharing, SharingKeywords
from arcwise.ensemble.ensemble_facts import describe_completeness, fixed_pairs, known_facts
from arcwise.ensemble.families import Families, arc_frame
from arcwise.ensemble.family_shares import family_shares, no_shares
from arcwise.ensemble.joint_constraints import has_own_limits, joint_constraints
from arcwise.ensemble.network_set import Weighting
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.ensemble.recipe import Recipe
from arcwise.errors import ArcwiseError, OptionError, UnknownNameError, suggestion
from arcwise.exact import Optimum
from arcwise.graph import Constraints, FixedPairs
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.guarantee import check_slack
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.settings import gather

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


__all__ = ["By", "CredibleSet"]


class CredibleSet(CredibleNetworks):
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
    """

    def __init__(
        self,
        table: ParentSetTable,
        slack: float,
        constraints: Constraints | None = None,
        progress: bool | ProgressCallback | None = None,
        sharing: Sharing | None = None,
    ) -> None:
        self.table = table
        self.slack = slack
        self.constraints = constraints
        self._progress = progress
        self._sharing = sharing or Sharing()
        self._diagrams: dict[By, CredibleDiagram] = {}
        self._counted: DiagramSums | None = None
        self._summed: DiagramSums | None = None
        self._class_count: int | None = None
        self._reached: Reached | None = None
        self._recipe: Recipe | None = None

    @classmethod
    def build(
        cls,
        table: ParentSetTable,
        *,
        bayes_factor: float | str | None = None,
        log_slack: float | None = None,
        by: By = "dag",
        constraints: Constraints | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
        **settings: Unpack[SharingKeywords],
    ) -> CredibleSet:
        """Build the set of all networks within a Bayes factor of the optimum; a limit shows in `status`.

        Parameters
        ----------
        table
            Candidate parent sets, built with at least the slack that is asked for. A table that does not say what it
            holds, such as a file made elsewhere, is refused; `ParentSetTable.vouched` gives it a guarantee.
        bayes_factor, log_slack
            How far from the optimum: a Bayes factor (or its name: "anecdotal" 3, "positive" 20, "strong" 150), or its
            natural logarithm. Exactly one of the two.
        by
            What is built now: the diagram of the networks ("dag"), or that of the equivalence classes ("mec"). The
            other one is built when it is first asked for.
        constraints
            Only networks that satisfy them; the optimum is then the best of those. Required arcs must be those that
            the table was built for.
        limits
            `seconds` and `memory_bytes` of the building.
        progress
            See `arcwise.progress.show_progress`; it is also used by everything that is asked of the set later.
        settings
            The fields of `arcwise.ensemble.Sharing` by keyword, ``threads=`` and ``cluster=``, or a whole one as
            ``settings=``: who builds it, and whatever else is built when it is asked for.

        Raises
        ------
        GuaranteeError
            If the table was pruned for less slack than is asked for, or not for the required arcs.
        """
        made = cls.unbuilt(
            table,
            bayes_factor=bayes_factor,
            log_slack=log_slack,
            constraints=constraints,
            progress=progress,
            **settings,
        )
        made.diagram(by, Deadline.of(limits))
        return made

    @classmethod
    def unbuilt(
        cls,
        table: ParentSetTable,
        *,
        bayes_factor: float | str | None = None,
        log_slack: float | None = None,
        constraints: Constraints | None = None,
        progress: bool | ProgressCallback | None = None,
        **settings: Unpack[SharingKeywords],
    ) -> CredibleSet:
        """Check what is asked for, but build nothing yet: that happens, without a limit, at the first question."""
        if constraints is not None:
            constraints.refuse_ancestors("a credible set that is not listed")
        slack = log_slack_of(bayes_factor, log_slack)
        named = f"at Bayes factor {math.exp(min(slack, 700.0)):.6g}" if log_slack is None else f"with slack {slack:.4g}"
        check_slack(table, slack, f"a credible set {named}")
        if bayes_factor is not None:
            warn_if_not_bayes_factor(table.score)
        return cls(table, slack, constraints, progress, gather(Sharing, cls.build, settings))

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.table.n_variables

    @property
    def origin(self) -> str:
        """How the networks were found: "credible"."""
        return "credible"

    @property
    def max_parents(self) -> int | None:
        """The parent limit of the table: the set is complete among networks within it. None for any number."""
        return self.table.max_parents

    @property
    def score(self) -> Mapping[str, Any]:
        """The score's name and parameters."""
        return self.table.score

    @property
    def data_digest(self) -> str | None:
        """The digest of the data, None if not known."""
        return self.table.data_digest

    @property
    def facts(self) -> Mapping[str, Any]:
        """Further facts that JSON can hold."""
        return {"states": self._any.native.states, "explored": self._any.native.explored}

    @property
    def recipe(self) -> Recipe:
        """How the networks are made: by the score of the table, within the Bayes factor."""
        if self._recipe is not None:
            return self._recipe
        return Recipe(
            source=self.origin,
            score=dict(self.score),
            settings={"bayes_factor": float(f"{math.exp(min(self.slack, 700.0)):.12g}"), "most_networks": None},
            max_parents=self.max_parents,
            constraints={} if self.obeyed is None else self.obeyed.describe(),
        )

    @cached_property
    def obeyed(self) -> Constraints | None:
        """What every network satisfies: the constraints of the set and those that its table was built for."""
        return joint_constraints(self.table.names, self.table.constraints, self.constraints)

    @cached_property
    def fixed(self) -> FixedPairs | None:
        """The pairs whose edges have their directions from constraints or experiments; None if there are none.

        The class of a network is its Markov equivalence class cut down to the members that agree with it on these.
        """
        return fixed_pairs(self.names, self.obeyed, self.targets, self.table.score.get("beliefs"))

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The variables that were set, experiment by experiment, in the data that the table was built from."""
        return tuple(tuple(target) for target in self.table.targets or ())

    def made_by(self, recipe: Recipe) -> CredibleSet:
        """Note the recipe that the set was made by, and return it."""
        self._recipe = recipe
        return self

    @property
    def status(self) -> Status:
        """COMPLETE, or the limit that stopped the building."""
        return self._any.status

    @property
    def complete(self) -> bool:
        """True if no network is missing, among those that `max_parents` allows."""
        return self.status is Status.COMPLETE

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
        return not has_own_limits(self.obeyed) and has_whole_classes(self.table)

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
            deadline = Deadline.of(limits)
            self._class_count = count_classes(
                self.diagram("dag", deadline),
                self.count,
                lambda: self.diagram("mec", deadline),
                fixed=self.fixed,
                whole=self.has_whole_classes,
                deadline=deadline,
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
        deadline = Deadline.of(limits)
        reached = None
        with show_progress(self._progress) as callback:
            diagram = self.diagram("dag", deadline)
            report = native_callback(callback, "credible set: counting")
            sums, status = self._summed, diagram.status
            if status is Status.COMPLETE and sums is None:
                sums = diagram.sums(families=True, limits=deadline.limits, report=report)
                status = sums.status
                if status is Status.COMPLETE:
                    self._summed = sums
                elif status is Status.MEMORY_LIMIT:  # a count needs less memory than the shares of the families
                    alone = diagram.sums(limits=deadline.limits, report=report)
                    reached = Reached(self.slack, alone.count, diagram) if alone.status is Status.COMPLETE else None
            if reached is None and status in (Status.TIME_LIMIT, Status.MEMORY_LIMIT):
                try:
                    reached = count_within_reach(
                        lambda within, left: self._build("dag", within, left, callback), self.slack, deadline
                    )
                except KeyboardInterrupt:
                    status = Status.INTERRUPTED
        summed = sums is not None and status is Status.COMPLETE
        if classes and summed:
            self.count_classes(deadline.limits)
        facts: dict[str, Any] = {
            "seconds": deadline.seconds,
            "states": diagram.native.states,
            "explored": diagram.native.explored,
        }
        facts |= self.known_facts
        self._reached = reached or self._reached
        if reached is not None:
            facts |= {"reached_slack": reached.slack, "reached_count": str(reached.count)}
        return NetworkSummary(
            names=self.names,
            **(family_shares(diagram.families, sums) if sums is not None and summed else no_shares(diagram.families)),
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
        deadline = Deadline.of(limits)
        with show_progress(self._progress) as callback:

            def build(within: float, left: Deadline) -> CredibleDiagram:
                whole = self._diagrams.get("dag")
                if whole is not None and whole.status is Status.COMPLETE:  # it only could not be summed up
                    return replace(whole, slack=within)
                return self._build("dag", within, left, callback)

            reached = self._reached
            if reached is None or reached.slack == self.slack:
                reached = count_within_reach(build, self.slack, deadline)
            for _ in range(TRIES):
                if reached is None:
                    return None
                sums = reached.diagram.sums(families=True, limits=deadline.limits)
                if sums.status is Status.COMPLETE:
                    self._reached = reached
                    return self._at(reached, sums)
                if sums.status is Status.INTERRUPTED:
                    raise KeyboardInterrupt
                reached = count_within_reach(build, reached.slack, deadline)
        return None

    def _at(self, reached: Reached, sums: DiagramSums) -> CredibleSet:
        """Return the set of less slack that was reached."""
        made = CredibleSet(self.table, reached.slack, self.constraints, self._progress, self._sharing)
        made._diagrams["dag"] = replace(reached.diagram, slack=reached.slack)
        made._summed = sums
        return made

    @property
    def families(self) -> Families:
        """The distinct parent sets that occur."""
        return self._whole_summary().families

    def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return, for every row of `families`, the share of the networks with it; by default with posterior weights."""
        return self._whole_summary().family_probabilities(weights)

    def arc_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return the matrix of the shares of the networks with the arc p -> c, at [p, c]."""
        return self._whole_summary().arc_probabilities(weights)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the matrix of the arcs' probabilities; return the axes."""
        from arcwise.plotting.charts import plot_matrix

        return plot_matrix(self.names, self.arc_probabilities(), labels=("from", "to"), legend="probability", ax=ax)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per arc that any network has, with its probability, the likeliest first."""
        return arc_frame(self.names, self.arc_probabilities())

    # -- the diagrams -------------------------------------------------------------------------------------------------

    def diagram(self, by: By = "dag", deadline: Deadline | None = None) -> CredibleDiagram:
        """Return the decision diagram of the networks or of the classes; it is built when it is first asked for.

        What the set was built with stays, also if a limit stopped it: that is the set's status. If a limit stops the
        other diagram, it is built again when it is asked for again.
        """
        if by not in ("dag", "mec"):
            raise UnknownNameError(suggestion("unit", by, ("dag", "mec")))
        known = self._diagrams.get(by)
        if known is None:
            if by == "mec":
                check_classes(self.table, self.obeyed)
            with show_progress(self._progress) as callback:
                known = self._build(by, self.slack, deadline or Deadline(), callback)
            if known.status is Status.COMPLETE or not self._diagrams:
                self._diagrams[by] = known
        return known

    @property
    def known_facts(self) -> dict[str, Any]:
        """What constraints and experiments say, as facts of the networks."""
        return known_facts(self.obeyed, self.targets)

    @property
    def progress(self) -> bool | ProgressCallback | None:
        """What was given for the progress of everything that is asked of the set."""
        return self._progress

    @property
    def _any(self) -> CredibleDiagram:
        """A diagram that exists, preferably that of the networks."""
        return self._diagrams.get("dag") or self._diagrams.get("mec") or self.diagram("dag")

    def _build(self, by: By, slack: float, deadline: Deadline, callback: ProgressCallback) -> CredibleDiagram:
        return build_diagram(
            self.table,
            slack,
            by_class=by == "mec",
            constraints=self.constraints,
            fixed=self.fixed,
            deadline=deadline,
            callback=callback,
            sharing=self._sharing,
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

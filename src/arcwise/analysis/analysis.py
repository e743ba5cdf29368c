"""`Analysis`: everything that `learn` found, as one object with a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from arcwise.analysis.averaged import Averaged, NotBegun, is_few
from arcwise.analysis.coding import Coding
from arcwise.analysis.cut_checks import CutChecks
from arcwise.analysis.edge_beliefs import EdgeBelief, believed_of
from arcwise.analysis.edge_table import edge_frame
from arcwise.analysis.edges import EdgeFinding, describe_edge
from arcwise.analysis.options import LearnOptions
from arcwise.analysis.origins import Origins, known_of
from arcwise.analysis.preparation import Prepared
from arcwise.analysis.price import ConstraintPrice
from arcwise.analysis.prior_checks import PriorChecks
from arcwise.analysis.questions import Questions
from arcwise.analysis.remark import Remark
from arcwise.analysis.target_focus import TargetFocus
from arcwise.analysis.thresholds import Thresholds
from arcwise.confidence import ConsensusNetwork, EdgeConfidence
from arcwise.confidence.calibration.edge_probability import EdgeProbability, Expected
from arcwise.confidence.calibration.self_calibration import SelfCalibration
from arcwise.data import Dataset, Incomplete
from arcwise.ensemble import NetworkSet, NetworkSummary
from arcwise.errors import UnfinishedError
from arcwise.evaluate import FitCheck
from arcwise.graph import Constraints, Dag, Pdag
from arcwise.limits import Status
from arcwise.model import BayesianNetwork

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.report import Report

__all__ = ["Analysis"]


@dataclass(frozen=True, eq=False)
class Analysis(Questions):
    """What `learn` found, from the data to the network, with a report of it all.

    In a notebook it shows itself as the interactive report; `print` shows the same content as text, and `save` writes
    the folder that ``arcwise learn -o`` writes.

    Parameters
    ----------
    prepared
        The data that were learned from, what they are called, and what was done to make them complete and discrete.
    options
        Everything that was asked for.
    main, comparisons
        The set of networks that the answer rests on, and others that it is compared with.
    remarks
        What the reader has to know: why another method was used, what was not computed.
    thresholds, consensus, network
        The cut-offs, the network of the edges above the chosen one, and its parameters.
    edges
        Every pair of variables with a confidence above 0.01, the most certain first.
    prior
        Sensitivity to the prior, and saturation.
    without_constraints
        The main set once more without the constraints, None if there are none or the time did not suffice.
    price
        What the constraints cost, None likewise.
    without_beliefs
        The main set again without prior odds; None if there were none, or if it was too much.
    cuts
        Which edges depend on how numbers were cut; None if none were, or without comparisons.
    fit
        Whether the data are as the network says; None if that was too much to test.
    focus
        What the target depends on and how well it is predicted; None if there is none.
    completion, completions
        One completion of data with gaps: what is not averaged over completions looks at it; and all of them, one below
        the other. None without gaps.
    simulated
        How often confidences were right on data simulated from the networks found; None where there are none.
    unsimulated
        Why there are none, in words; "" where there are some, or none were asked for.
    missing
        The comparisons that were not made: a title, and what became of it or why it was not begun.
    unfinished
        What was still to be done when the user stopped the run, or when this first result was given out.
    """

    prepared: Prepared
    options: LearnOptions
    main: Averaged
    comparisons: tuple[Averaged, ...]
    remarks: tuple[Remark, ...]
    thresholds: Thresholds
    consensus: ConsensusNetwork
    network: BayesianNetwork
    edges: tuple[EdgeFinding, ...]
    prior: PriorChecks
    without_constraints: Averaged | None = None
    price: ConstraintPrice | None = None
    without_beliefs: Averaged | None = None
    cuts: CutChecks | None = None
    fit: FitCheck | None = None
    focus: TargetFocus | None = None
    completion: Dataset | None = None
    completions: Dataset | None = None
    simulated: SelfCalibration | None = None
    unsimulated: str = ""
    missing: tuple[tuple[str, Averaged | NotBegun], ...] = ()
    unfinished: tuple[str, ...] = ()

    def with_remark(self, remark: Callable[[Sequence[str]], Remark]) -> Analysis:
        """Return the same with a remark about what is unfinished."""
        return replace(self, remarks=(*self.remarks, remark(self.unfinished)))

    def with_missing(
        self,
        missing: tuple[str, Averaged | NotBegun],
        remark: Callable[[Sequence[tuple[str, Averaged | NotBegun]]], Remark],
    ) -> Analysis:
        """Return the same with one more comparison that is missing, and one remark about all of them."""
        before = remark(self.missing) if self.missing else None
        kept = tuple(one for one in self.remarks if one != before)
        every = (*self.missing, missing)
        return replace(self, missing=every, remarks=(*kept, remark(every)))

    @property
    def name(self) -> str:
        """What the data are called: a file name, or "data"."""
        return self.prepared.name

    @property
    def data(self) -> Dataset:
        """The data that were learned from; of data with gaps, one completion."""
        if self.completion is not None:
            return self.completion
        assert isinstance(self.prepared.data, Dataset)
        return self.prepared.data

    @property
    def stacked(self) -> Dataset:
        """The data that were learned from; of data with gaps, all completions, one below the other."""
        return self.data if self.completions is None else self.completions

    @property
    def copies(self) -> int:
        """How many completions `stacked` holds: 1 without gaps."""
        return self.stacked.n_cases // self.data.n_cases

    @property
    def coding(self) -> Coding:
        """How columns became variables: new rows are coded in the same way."""
        return self.prepared.coding or Coding.of(self.data)

    @property
    def networks(self) -> NetworkSet:
        """The networks of the main set, or draws from a larger one."""
        if self.main.kept is None:
            raise UnfinishedError("no networks were kept: the time was over before they could be listed. Allow more.")
        return self.main.kept.networks

    @property
    def family_shares(self) -> NetworkSummary | None:
        """The exact shares of families, if the networks are draws from a credible set."""
        return None if self.main.kept is None else self.main.kept.shares

    @property
    def ess(self) -> float:
        """The equivalent sample size of the network's parameters."""
        return float(self.main.recipe.score.get("ess", 1.0))

    @property
    def gaps(self) -> Incomplete | None:
        """The data with their gaps, if they were completed while learning."""
        return self.prepared.data if isinstance(self.prepared.data, Incomplete) else None

    @property
    def digest(self) -> str:
        """The fingerprint of the data, with their gaps."""
        return self.prepared.data.digest

    @property
    def steps(self) -> tuple[str, ...]:
        """What was done to make the data complete and discrete, one sentence each."""
        return self.prepared.steps

    @property
    def sets(self) -> tuple[Averaged, ...]:
        """The main set of networks, and those that it is compared with."""
        return (self.main, *self.comparisons)

    @property
    def constraints(self) -> Constraints | None:
        """What every network had to satisfy; None for nothing."""
        return known_of(self.options, self.data)

    @property
    def origins(self) -> Origins:
        """Where each edge comes from: the data, or what was said."""
        return Origins(
            self.constraints,
            self.consensus,
            self.without_constraints,
            self.main,
            self.without_beliefs,
            self.data.targets,
        )

    @property
    def confidence(self) -> EdgeConfidence:
        """How far each edge can be trusted, by the main method."""
        assert self.main.confidence is not None
        return self.main.confidence

    @property
    def probability(self) -> EdgeProbability:
        """How probable each edge is, and its directions: of edges with 0.9, nine in ten are real."""
        return self.confidence.probability

    @property
    def expected(self) -> Expected:
        """How many of the edges above the cut-off are expected to be false, and how many real ones below it."""
        return self.probability.expected(self.confidence.vector > self.threshold)

    @property
    def has_few_networks(self) -> bool:
        """Whether so few networks were sampled that their shares say nothing."""
        return is_few(self.confidence.n_networks, self.main.recipe)

    @property
    def threshold(self) -> float:
        """The cut-off: the consensus network has the edges with a confidence above it."""
        return self.thresholds.chosen.threshold.value

    @property
    def dag(self) -> Dag:
        """The consensus network's structure."""
        return self.consensus.dag

    @cached_property
    def settled(self) -> frozenset[tuple[str, str]]:
        """The directions that are settled, each as (tail, head)."""
        return frozenset((edge.tail, edge.head) for edge in self.edges if edge.is_settled)

    @property
    def cpdag(self) -> Pdag:
        """Its equivalence class: directions that neither the structure nor the constraints settle are left open."""
        return self.consensus.cpdag

    @property
    def by_time(self) -> bool:
        """Whether the clock decided something: a run with more time, or on a faster machine, may differ."""
        notes = () if self.cuts is None else self.cuts.notes
        others = (*self.sets, self.without_constraints, self.without_beliefs)
        if any(one is not None and one.hurried for one in others):
            return True
        return any(remark.by_time for remark in (*self.remarks, *self.prior.notes, *notes))

    @property
    def status(self) -> Status:
        """COMPLETE; or the limit that cut the main set of networks short, or that of time if it decided anything.

        INTERRUPTED if the user stopped the run, or this is a first result that more is to be added to.
        """
        if self.unfinished:
            return Status.INTERRUPTED
        if self.main.status is not Status.COMPLETE:
            return self.main.status
        return Status.TIME_LIMIT if self.by_time else Status.COMPLETE

    @property
    def complete(self) -> bool:
        """False if a limit cut the main set of networks short, or the clock decided what else was computed."""
        return self.status is Status.COMPLETE

    def edge(self, first: str, second: str) -> EdgeFinding:
        """Return what was found about one pair of variables, in either order."""
        for edge in self.edges:
            if {edge.first, edge.second} == {first, second}:
                return edge
        self.confidence.pair(first, second)  # refuses unknown names
        # Too unlikely for the report; but that there is no edge is a finding, too.
        first, second = sorted((first, second), key=self.data.index)
        found = describe_edge(self.data, self.sets, self.origins, (first, second))
        return found if self.options.beliefs is None else replace(found, belief=self.belief(first, second))

    def belief(self, first: str, second: str) -> EdgeBelief:
        """Return what was believed about a pair of variables, in the order of the data; there must be prior odds."""
        assert self.options.beliefs is not None
        without = None if self.without_beliefs is None else self.without_beliefs.confidence
        return believed_of(self.options.beliefs, self.constraints, without, (first, second), self.data.n_variables)

    def explain(self, first: str, second: str | None = None) -> str:
        """Say in plain words how far the edge between two variables can be trusted, or what one depends on."""
        from arcwise.analysis.prose.edges import explain_edge
        from arcwise.analysis.prose.variable import variable_answer

        if second is None:
            return variable_answer(self.variable(first)).to_text()
        return explain_edge(self, self.edge(first, second))

    def to_frame(self) -> pd.DataFrame:
        """Return the described edges as a table, the most certain first: what ``edges.csv`` holds.

        ``confidence`` is that of an edge, in either direction, and ``probability`` how probable it is that it is
        real. ``forward_if_edge`` (first -> second),
        ``backward_if_edge`` and ``either_if_edge`` say where it points if it is there: they sum to 1, as in the report.
        ``from`` and ``to`` are the arc of the network, or the more credible direction. ``agreement`` compares the
        confidences by other methods and scores, which have a column each. ``origin`` says whether the edge is found or
        was said, ``said`` by what, and ``without_constraints`` what its confidence would be if nothing had been.
        ``explanation`` is what `explain` says. Where there were prior odds, ``odds_forward``, ``odds_backward``,
        ``confidence_without_beliefs`` and ``belief`` say what they were and did.
        """
        from arcwise.analysis.prose.edges import explain_edge

        titles = [other.title for other in self.comparisons]
        return edge_frame(self.edges, titles, lambda edge: explain_edge(self, edge))

    @cached_property
    def report(self) -> Report:
        """The content of the report: sections, tables, figures and the network."""
        from arcwise.analysis.prose.report import build_report

        return build_report(self)

    def to_html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return self.report.to_html()

    def to_text(self, *, width: int = 100) -> str:
        """Return the report as plain text."""
        return self.report.to_text(width=width)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write report.html, edges.csv, network.bif, cpdag.dot, cpdag.graphml, confidence.parquet and run.json.

        For later questions (`open_analysis`), also the data as they were learned from (data.parquet), how they were
        coded (coding.json), and the networks or draws from them (networks.nets, families.nets).
        The folder appears whole or not at all. One that is there already is refused, unless `force` is True and
        everything in it was written by arcwise.
        """
        from arcwise.analysis.folder import save_analysis

        return save_analysis(self, folder, force=force)

    def plot(self, kind: Literal["network", "matrix", "forest"] = "network", *, ax: Axes | None = None) -> Axes:
        """Draw the network with its confidences, their matrix, or their ranges over all methods; return the axes."""
        from arcwise.plotting.charts import plot_forest

        if kind == "network":
            return self.consensus.plot(ax=ax)
        if kind != "forest":
            return self.confidence.plot(kind, ax=ax)
        known = [[value for _, value in edge.by_method if value is not None] for edge in self.edges]
        names = [f"{edge.first} — {edge.second}" for edge in self.edges]
        present = [edge.present for edge in self.edges]
        return plot_forest(names, present, [min(own) for own in known], [max(own) for own in known], ax=ax)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        kept = sum(edge.fate.in_network for edge in self.consensus.edges)
        return (
            f"Analysis({self.name}: {self.data.n_variables} variables, {self.data.n_cases:,} cases; {self.main.title}; "
            f"{kept} edges above {self.threshold:.3g})"
        )

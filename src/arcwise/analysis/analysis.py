"""`Analysis`: everything that `learn` found, as one object with a report."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from arcwise.analysis.folder import save_analysis
from arcwise.analysis.questions import Questions
from arcwise.base.errors import UnfinishedError
from arcwise.base.run import Status
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.findings.checks import CutChecks, TargetFocus
from arcwise.findings.coding import Coding
from arcwise.findings.edge_record import EdgeRecord, edge_frame
from arcwise.findings.edges import Origins, believed_of, constraints_for, describe_edge, with_methods
from arcwise.findings.method_result import MethodResult, NotBegun, is_few
from arcwise.findings.parts import (
    Answer,
    Comparisons,
    Fit,
    GrowingParts,
    MainSet,
    Part,
    PosteriorShare,
    PriceOfConstraints,
    ShuffledColumns,
    SimulatedData,
    WithoutBeliefs,
    WithoutConstraints,
)
from arcwise.plotting.charts import plot_forest
from arcwise.report.edges import explain_edge
from arcwise.report.page import build_report
from arcwise.report.remarks import analysis_remarks
from arcwise.report.sections import variable_answer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.confidence.consensus import ConsensusNetwork
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.confidence.probability import EdgeProbability, Expected
    from arcwise.confidence.self_calibration import SelfCalibration
    from arcwise.evaluate.fit_check import FitCheck
    from arcwise.findings.checks import PriorChecks
    from arcwise.findings.options import LearnOptions
    from arcwise.findings.preparation import Prepared
    from arcwise.findings.price import ConstraintPrice
    from arcwise.findings.remark import Remark
    from arcwise.findings.thresholds import Thresholds
    from arcwise.graph.constraints import Constraints
    from arcwise.graph.dag import Dag, Pdag
    from arcwise.model.network import BayesianNetwork
    from arcwise.networks.network_list import NetworkSet
    from arcwise.networks.summary import NetworkSummary
    from arcwise.report.report import Report

P = TypeVar("P", bound=Part)


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
    parts
        What the steps found, in their order: see `arcwise.findings.parts`. A step that was not taken has none.
    unfinished
        What was still to be done when the user stopped the run, or when this first result was given out.
    stopped
        Whether the user stopped the run.
    """

    prepared: Prepared
    options: LearnOptions
    parts: tuple[Part, ...] = ()
    unfinished: tuple[str, ...] = ()
    stopped: bool = False

    def part(self, kind: type[P]) -> P:
        """Return what a step found; an empty part if it was not taken."""
        return self._find(kind) or kind()

    def _find(self, kind: type[P]) -> P | None:
        return next((part for part in self.parts if isinstance(part, kind)), None)

    def plus(self, part: Part | None) -> Analysis:
        """Return the same with one more part, in the place of an earlier one of its kind."""
        if part is None:
            return self
        parts = {type(one): one for one in self.parts} | {type(part): part}
        return replace(self, parts=tuple(parts.values()))

    @cached_property
    def main(self) -> MethodResult:
        """The set of networks that the answer rests on."""
        found, known = self.part(MainSet).result, self.part(PosteriorShare).credible
        return found if known is None else replace(found, credible=known)

    @property
    def comparisons(self) -> tuple[MethodResult, ...]:
        """Other sets of networks that the answer is compared with."""
        return self.part(Comparisons).made

    @property
    def missing(self) -> tuple[tuple[str, MethodResult | NotBegun], ...]:
        """The comparisons that were not made: a title, and what became of it or why it was not begun."""
        return self.part(Comparisons).missing

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What the reader has to know: why another method was used, what was not computed."""
        return analysis_remarks(self)

    @cached_property
    def thresholds(self) -> Thresholds:
        """The cut-offs of all rules, and which was chosen."""
        found, broom = self.part(Answer).thresholds, self.part(ShuffledColumns).mark
        return found if broom is None else replace(found, marks=(*found.marks, broom))

    @property
    def consensus(self) -> ConsensusNetwork:
        """The network of the edges above the cut-off."""
        return self.part(Answer).consensus

    @cached_property
    def network(self) -> BayesianNetwork:
        """The consensus network with its parameters."""
        return self.part(Answer).network

    @cached_property
    def edges(self) -> tuple[EdgeRecord, ...]:
        """Every pair of variables with a confidence above 0.01, the most certain first."""
        found = self.part(Answer).edges
        return with_methods(found, self.sets) if self.comparisons else found

    @cached_property
    def prior(self) -> PriorChecks:
        """Sensitivity to the prior, and saturation."""
        found, grown = self.part(Answer).prior, self.part(GrowingParts)
        return replace(found, saturation=grown.saturation, notes=() if grown.note is None else (grown.note,))

    @property
    def without_constraints(self) -> MethodResult | None:
        """The main set once more without the constraints; None if there are none or the time did not suffice."""
        return self.part(WithoutConstraints).result

    @property
    def without_beliefs(self) -> MethodResult | None:
        """The main set again without prior odds; None if there were none, or if it was too much."""
        return self.part(WithoutBeliefs).result

    @property
    def price(self) -> ConstraintPrice | None:
        """What the constraints cost; None if there are none or the time did not suffice."""
        return self.part(PriceOfConstraints).found

    @property
    def cuts(self) -> CutChecks | None:
        """Which edges depend on how numbers were cut; None if none were, or without comparisons."""
        return self._find(CutChecks)

    @property
    def fit(self) -> FitCheck | None:
        """Whether the data are as the network says; None if that was too much to test."""
        return self.part(Fit).found

    @property
    def focus(self) -> TargetFocus | None:
        """What the target depends on and how well it is predicted; None if there is none."""
        return self._find(TargetFocus)

    @property
    def simulated(self) -> SelfCalibration | None:
        """How often confidences were right on data simulated from the networks found; None where there are none."""
        return self.part(SimulatedData).found or self.part(MainSet).simulated

    @property
    def unsimulated(self) -> str:
        """Why there are none, in words; "" where there are some, or none were asked for."""
        found = self.part(SimulatedData)
        return found.refusal or ("the time allowed did not suffice" if found.shortage and found.found is None else "")

    @property
    def name(self) -> str:
        """What the data are called: a file name, or "data"."""
        return self.prepared.name

    @property
    def data(self) -> Dataset:
        """The data that were learned from; of data with gaps, one completion."""
        completion = self.part(Answer).completion
        if completion is not None:
            return completion
        assert isinstance(self.prepared.data, Dataset)
        return self.prepared.data

    @property
    def stacked(self) -> Dataset:
        """The data that were learned from; of data with gaps, all completions, one below the other."""
        completions = self.part(Answer).completions
        return self.data if completions is None else completions

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
    def sets(self) -> tuple[MethodResult, ...]:
        """The main set of networks, and those that it is compared with."""
        return (self.main, *self.comparisons)

    @property
    def constraints(self) -> Constraints | None:
        """What every network had to satisfy; None for nothing."""
        return constraints_for(self.options, self.data)

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

    def edge(self, first: str, second: str) -> EdgeRecord:
        """Return what was found about one pair of variables, in either order."""
        for edge in self.edges:
            if {edge.first, edge.second} == {first, second}:
                return edge
        self.confidence.pair(first, second)  # refuses unknown names
        # Too unlikely for the report; but that there is no edge is a finding, too.
        first, second = sorted((first, second), key=self.data.index)
        found = describe_edge(self.data, self.sets, self.origins, (first, second))
        return found if self.options.beliefs is None else self._believed(found)

    def belief(self, first: str, second: str) -> EdgeRecord:
        """Return what was believed about a pair of variables, in the order of the data; there must be prior odds."""
        return self._believed(EdgeRecord.of(self.confidence, first, second))

    def _believed(self, edge: EdgeRecord) -> EdgeRecord:
        assert self.options.beliefs is not None
        without = None if self.without_beliefs is None else self.without_beliefs.confidence
        return believed_of(edge, self.options.beliefs, self.constraints, without, self.data.n_variables)

    def explain(self, first: str, second: str | None = None) -> str:
        """Return how far the edge between two variables can be trusted, or what one depends on."""
        if second is None:
            return variable_answer(self.variable(first)).to_text()
        return explain_edge(self, self.edge(first, second))

    def to_frame(self) -> pd.DataFrame:
        """Return the described edges as a table, the most certain first: what ``edges.csv`` holds.

        ``confidence`` is that of an edge, in either direction, and ``probability`` how probable it is that it is real;
        ``from`` and ``to`` are the arc of the network, or the more credible direction. The page on files says what
        every column holds.
        """
        titles = [other.title for other in self.comparisons]
        return edge_frame(self.edges, titles, lambda edge: explain_edge(self, edge))

    @cached_property
    def report(self) -> Report:
        """The content of the report: sections, tables, figures and the network."""
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
        return save_analysis(self, folder, force=force)

    def plot(self, kind: Literal["network", "matrix", "forest"] = "network", *, ax: Axes | None = None) -> Axes:
        """Draw the network with its confidences, their matrix, or their ranges over all methods; return the axes."""
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

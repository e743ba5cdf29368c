"""`Findings`: all that the steps of `learn` found, part by part, and what is read off the parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from arcwise.base.errors import Argument, OptionError, Remedy, UnfinishedError
from arcwise.confidence.consensus import Fate
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.evaluate.fit import TripleFit, find_triples
from arcwise.findings import parts as found_parts
from arcwise.findings.checks import CutChecks, PriorChecks, TargetFocus
from arcwise.findings.coding import Coding
from arcwise.findings.edge_picture import MOST_PICTURED, EdgePicture, picture_of
from arcwise.findings.edge_record import EdgeRecord
from arcwise.findings.edges import (
    LEAST_DESCRIBED,
    Origins,
    believed_of,
    constraints_for,
    describe_edge,
    with_methods,
    with_sets,
)
from arcwise.findings.method_result import MethodResult, is_few
from arcwise.findings.regression import EdgeRegression, Missed, Reason, Regressions
from arcwise.model.mixed_network import MixedNetwork

if TYPE_CHECKING:
    from arcwise.confidence.consensus import ConsensusNetwork
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.confidence.probability import EdgeProbability, Expected
    from arcwise.data.mixed import MixedData
    from arcwise.evaluate.fit import FitCheck
    from arcwise.findings.options import LearnOptions
    from arcwise.findings.preparation import Prepared
    from arcwise.findings.price import ConstraintPrice
    from arcwise.findings.thresholds import Thresholds
    from arcwise.graph.constraints import Constraints
    from arcwise.graph.dag import Dag, Pdag
    from arcwise.model.network import BayesianNetwork
    from arcwise.networks.network_list import NetworkSet, NetworkSummary

P = TypeVar("P", bound=found_parts.Part)


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found, without words: an `Analysis` without its report."""

    prepared: Prepared
    options: LearnOptions
    parts: tuple[found_parts.Part, ...] = ()
    unfinished: tuple[str, ...] = ()
    stopped: bool = False

    def part(self, kind: type[P]) -> P:
        """Return what a step found; an empty part if it was not taken."""
        return self._find(kind) or kind()

    def _find(self, kind: type[P]) -> P | None:
        return next((part for part in self.parts if isinstance(part, kind)), None)

    def plus(self, part: found_parts.Part | None) -> Self:
        """Return the same with one more part, in the place of an earlier one of its kind."""
        if part is None:
            return self
        parts = {type(one): one for one in self.parts} | {type(part): part}
        return replace(self, parts=tuple(parts.values()))

    @cached_property
    def main(self) -> MethodResult:
        """The set of networks that the answer rests on."""
        found, known = self.part(found_parts.MainSet).result, self.part(found_parts.PosteriorShare).credible
        return found if known is None else replace(found, credible=known)

    @property
    def comparisons(self) -> tuple[MethodResult, ...]:
        """Other sets of networks that the answer is compared with."""
        return self.part(found_parts.Comparisons).made

    @property
    def missing(self) -> tuple[tuple[str, MethodResult], ...]:
        """The comparisons that were not made: a title, and what became of it or why it was not begun."""
        return self.part(found_parts.Comparisons).missing

    @cached_property
    def thresholds(self) -> Thresholds:
        """The cut-offs of all rules, and which was chosen."""
        found, broom = self.part(found_parts.MainAnswer).thresholds, self.part(found_parts.ShuffledColumns).mark
        return found if broom is None else replace(found, marks=(*found.marks, broom))

    @property
    def consensus(self) -> ConsensusNetwork:
        """The network of the edges above the cut-off."""
        return self.part(found_parts.MainAnswer).consensus

    @cached_property
    def network(self) -> BayesianNetwork:
        """The consensus network with its tables: of numbers as they are, those of a copy whose numbers are cut.

        `mixed_network` has the same edges over the numbers themselves; so the two answer P() a little differently.
        """
        return self.part(found_parts.MainAnswer).network

    @property
    def mixed(self) -> MixedData | None:
        """The rows with numbers and scales as they are, all completions of them; None if numbers were cut."""
        return self.part(found_parts.MainAnswer).numbers or self.prepared.mixed

    @property
    def mixed_copies(self) -> int:
        """How many completions `mixed` holds: 1 without gaps."""
        return 1 if self.mixed is None else self.mixed.n_cases // self.data.n_cases

    @cached_property
    def mixed_network(self) -> MixedNetwork:
        """The consensus network over numbers as they are, which `query` and `predict` ask; `network` has them cut."""
        if self.mixed is None:
            raise OptionError(
                "the numbers were cut.", remedies=Remedy("learn with", Argument("numbers", "as-they-are"))
            )
        return MixedNetwork.fit(self.consensus.dag, self.mixed)

    @cached_property
    def edges(self) -> tuple[EdgeRecord, ...]:
        """Every pair of variables with a confidence above 0.01, the most certain first."""
        found = self.part(found_parts.MainAnswer).edges
        known = tuple(map(self._checked, with_methods(found, self.sets) if self.comparisons else found))
        # Of tables of categories, whose answers stay as they are, edges are told one by one.
        if self.mixed is not None and self.main.kept is not None and not self.has_few_networks:
            known = with_sets(known, self.networks, self.probability.calibration.curve)
        return self._with_missed(known)

    def _with_missed(self, known: tuple[EdgeRecord, ...]) -> tuple[EdgeRecord, ...]:
        """Return the edges, and the pairs without one that a regression on all other columns shows, with the reason."""
        if self.regressions is None:
            return known
        records, of = list(known), {(edge.first, edge.second): k for k, edge in enumerate(known)}
        for pair, t in self.regressions.shown().items():
            if pair not in of:
                of[pair] = len(records)
                found = self._checked(describe_edge(self.data, self.sets, self.origins, pair))
                records.append(found if self.options.beliefs is None else self._believed(found))
            edge = records[of[pair]]
            if edge.fate is Fate.BELOW:
                records[of[pair]] = replace(edge, missed=self._why_missed(edge, t))
        return tuple(records)

    def _why_missed(self, edge: EdgeRecord, t: float) -> Missed:
        assert self.regressions is not None
        if not edge.origin.is_found:
            return Missed(Reason.YOURS, t)
        if edge.one_of:
            return Missed(Reason.ONE_OF, t)
        found = self.regressions.reason(edge.first, edge.second, t, self.dag)
        is_open = found.reason is Reason.UNKNOWN and edge.real >= LEAST_DESCRIBED
        return replace(found, reason=Reason.UNSURE) if is_open else found

    def _checked(self, edge: EdgeRecord) -> EdgeRecord:
        """Return an edge with what the checks say of it: other bins, and whether there are networks enough."""
        cuts = () if self.cuts is None else self.cuts.edges
        few = self.has_few_networks
        return replace(
            edge,
            cuts_decide=any(cut.depends for cut in cuts if {cut.first, cut.second} == {edge.first, edge.second}),
            is_guess=few,
            regression=None if self.regressions is None else self._regression(edge),
            probability=None if few or self.probability.calibration.kind == "none" else edge.probability,
        )

    @cached_property
    def regressions(self) -> Regressions | None:
        """Linear regressions of numbers, as a check of edges; None if numbers were cut."""
        return None if self.mixed is None else Regressions(self.mixed, self.mixed_copies)

    def _regression(self, edge: EdgeRecord) -> EdgeRegression | None:
        assert self.regressions is not None
        # Of a pair without an arc, what is held fixed are the parents of that which comes later.
        last = edge.tail if edge.head in self.dag.ancestors(edge.tail) else edge.head
        return self.regressions.of(edge.tail, edge.head, self.dag.parents_of(last))

    @cached_property
    def triples(self) -> tuple[TripleFit, ...]:
        """Three variables that depend on each other at once, which no edge between two of them shows."""
        data: Dataset | MixedData = self.data
        if self.mixed is not None:
            data = self.mixed.take(np.arange(self.mixed.n_rows // self.mixed_copies))
        return () if self.has_few_networks else find_triples(self.dag, data)

    @cached_property
    def pictures(self) -> tuple[EdgePicture | None, ...]:
        """What the ends of each edge look like together; None for two with states, and for what is unlikely."""
        data = self.mixed
        if data is None:
            return (None,) * len(self.edges)
        if data.n_rows > MOST_PICTURED:
            data = data.take(np.sort(np.random.default_rng(0).permutation(data.n_rows)[:MOST_PICTURED]))
        return tuple(
            picture_of(data, edge.tail, edge.head, self.mixed_copies)
            if edge.fate.in_network or edge.real >= LEAST_DESCRIBED
            else None
            for edge in self.edges
        )

    @cached_property
    def prior(self) -> PriorChecks:
        """Sensitivity to the prior, and saturation."""
        found, grown = self.part(found_parts.MainAnswer).prior, self.part(found_parts.GrowingParts)
        return replace(found, saturation=grown.saturation, notes=() if grown.note is None else (grown.note,))

    @property
    def without_constraints(self) -> MethodResult | None:
        """The main set once more without the constraints; None if there are none or the time did not suffice."""
        return self.part(found_parts.WithoutConstraints).result

    @property
    def without_beliefs(self) -> MethodResult | None:
        """The main set again without prior odds; None if there were none, or if it was too much."""
        return self.part(found_parts.WithoutBeliefs).result

    @property
    def price(self) -> ConstraintPrice | None:
        """What the constraints cost; None if there are none or the time did not suffice."""
        return self.part(found_parts.PriceOfConstraints).found

    @property
    def cuts(self) -> CutChecks | None:
        """Which edges depend on how numbers were cut; None if none were, or without comparisons."""
        return self._find(CutChecks)

    @property
    def when_cut(self) -> MethodResult | None:
        """What numbers that were learned from as they are say when they are cut; None without comparisons."""
        return self.part(found_parts.WhenCut).result

    @property
    def fit(self) -> FitCheck | None:
        """Whether the data are as the network says; None if that was too much to test."""
        return self.part(found_parts.Fit).found

    @property
    def focus(self) -> TargetFocus | None:
        """What the target depends on and how well it is predicted; None if there is none."""
        return self._find(TargetFocus)

    @property
    def name(self) -> str:
        """What the data are called: a file name, or "data"."""
        return self.prepared.name

    @property
    def data(self) -> Dataset:
        """The data that were learned from; of data with gaps, one completion."""
        completion = self.part(found_parts.MainAnswer).completion
        if completion is not None:
            return completion
        assert self.prepared.data.gapless is not None
        return self.prepared.data.gapless

    @property
    def stacked(self) -> Dataset:
        """The data that were learned from; of data with gaps, all completions, one below the other."""
        completions = self.part(found_parts.MainAnswer).completions
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
            raise UnfinishedError("no networks were kept: time ran out before they were listed; raise limit_seconds.")
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
        return self.prepared.data.gaps

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

    def edge(self, first: str, second: str | None = None) -> EdgeRecord:
        """Return what was found about one pair of variables, in either order: two names, or "smoke--cough"."""
        first, second = self.confidence.two_names(first, second, "edge('x--y').")
        for edge in self.edges:
            if {edge.first, edge.second} == {first, second}:
                return edge
        self.confidence.pair(first, second)  # refuses unknown names
        # Too unlikely for the report; but that there is no edge is a finding, too.
        first, second = sorted((first, second), key=self.data.index)
        found = self._checked(describe_edge(self.data, self.sets, self.origins, (first, second)))
        return found if self.options.beliefs is None else self._believed(found)

    def belief(self, first: str, second: str) -> EdgeRecord:
        """Return what was believed about a pair of variables, in the order of the data; there must be prior odds."""
        return self._believed(EdgeRecord.of(self.confidence, first, second))

    def _believed(self, edge: EdgeRecord) -> EdgeRecord:
        assert self.options.beliefs is not None
        without = None if self.without_beliefs is None else self.without_beliefs.confidence
        return believed_of(edge, self.options.beliefs, self.constraints, without, self.data.n_variables)

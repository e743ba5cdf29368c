"""`Questions`: what can be asked of an analysis, in memory or opened from its folder.

What does x depend on, what if it were set, how well is it predicted, how sure are we, and does the network fit.
"""

from __future__ import annotations

import os
import warnings
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.analysis.mixed_questions import MixedQuestions, Rows, classes_of, state_frame, table_from
from arcwise.base.errors import Argument, DataError, DataWarning, Hinted, OptionError
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed
from arcwise.confidence.reach import FamilyReach, family_reach
from arcwise.data.dataset import Dataset
from arcwise.data.mixed import MixedData
from arcwise.effects.effect import PossibleEffects, find_effect, possible_effects, refuse_copy
from arcwise.effects.effect_matrix import EffectMatrix, find_effects
from arcwise.effects.mixed_effect import (
    MixedEffect,
    MixedEffects,
    find_mixed_effect,
    find_mixed_effects,
    possible_mixed_effects,
)
from arcwise.effects.model_average import AveragedDistribution, AveragedNumber, ModelAverage
from arcwise.evaluate.fit import FitCheck, check_fit
from arcwise.evaluate.prediction import NumberScores, PredictionScores, cross_validate
from arcwise.findings.method_result import is_few, learn_dag
from arcwise.findings.variable import describe_variable
from arcwise.model.fitting import fit_parameters
from arcwise.model.mixed_network import MixedNetwork
from arcwise.plotting.charts import plot_forest
from arcwise.plotting.layout import plot_network
from arcwise.report.sections import variable_answer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.confidence.consensus import ConsensusNetwork
    from arcwise.effects.effect import Effect
    from arcwise.findings.coding import Coded, Unseen
    from arcwise.findings.edge_record import EdgeRecord
    from arcwise.findings.variable import VariableFinding
    from arcwise.model.network import BayesianNetwork
    from arcwise.networks.network_list import NetworkSummary
    from arcwise.report.report import Report, SavedReport


class Questions(MixedQuestions, Hinted):
    """The questions, for whatever has a network, its confidences, the data, and the networks behind them."""

    _KIND = "analysis"

    if TYPE_CHECKING:  # what an analysis has beside: fields of one class, files of the other

        @property
        def network(self) -> BayesianNetwork:
            """The consensus network with its parameters."""

        @property
        def consensus(self) -> ConsensusNetwork:
            """The network of the edges above the cut-off."""

        @property
        def edges(self) -> tuple[EdgeRecord, ...]:
            """Every pair of variables that is described."""

        @property
        def report(self) -> Report | SavedReport:
            """The report."""

        @property
        def settled(self) -> frozenset[tuple[str, str]]:
            """The directions that are settled, each as (tail, head)."""

        @property
        def stacked(self) -> Dataset:
            """The data; of data with gaps, all completions."""

        @property
        def ess(self) -> float:
            """The equivalent sample size of the parameters."""

        @property
        def family_shares(self) -> NetworkSummary | None:
            """The exact shares of families, if networks were drawn."""

    @cached_property
    def reach(self) -> FamilyReach:
        """The families of all networks with what they reach: what effects need to know."""
        self._warn_of_few()
        return family_reach(self.networks, shares=self.family_shares, confidence=self.confidence)

    @cached_property
    def average(self) -> ModelAverage:
        """All networks with their parameters, each with its weight."""
        self._warn_of_few()
        return ModelAverage(self.networks, self.stacked, ess=self.ess, copies=self.copies)

    def _warn_of_few(self) -> None:
        """Warn if answers would average over networks whose shares say nothing."""
        recipe, count = self.confidence.recipe, self.confidence.n_networks
        if recipe is not None and is_few(count, recipe):
            several = f"{count:,} networks" if count > 1 else "one network"
            warnings.warn(
                f"the analysis has {several} by {recipe.title}: how often they agree says nothing, so that intervals "
                "and probabilities of an effect are too sure. Give the analysis more time, or a method that averages.",
                DataWarning,
                stacklevel=4,
            )

    # What was found?

    def explain(self, first: str | None = None, second: str | None = None) -> str:
        """Return how far the edge between two variables can be trusted, or what one depends on.

        An edge is two names or one text, "smoke->cough" or "smoke--cough". Without a name, every edge of the network.
        """
        if first is None:
            kept = [edge for edge in self.edges if edge.fate.in_network]
            sentences = (f"{edge.name}: {self._words_about(edge.first, edge.second)}" for edge in kept)
            return "\n\n".join(sentences) or "The network has no edge."
        if second is None and self.confidence.link(first) is None:
            return variable_answer(self.variable(first), self.edges).to_text()
        return self._words_about(*self.confidence.two_names(first, second, "explain('x->y')."))

    def _words_about(self, first: str, second: str) -> str:
        raise NotImplementedError

    def summary(self) -> str:
        """Return the answer on one screen: which links to rely on, what to expect, and what the checks say."""
        raise NotImplementedError

    def show(self) -> None:
        """Open the report in the browser; where there is none, print where the page is. A notebook shows it itself."""
        page = self._page()
        if not webbrowser.open(page.resolve().as_uri()):
            print(f"No browser can be started here. The report is {page}")

    def _page(self) -> Path:
        """Return the file of the page."""
        raise NotImplementedError

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as one self-contained HTML page, and write it to a file if one is named."""
        page = self.report.to_html()
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def plot(self, kind: Literal["network", "matrix", "forest"] = "network", *, ax: Axes | None = None) -> Axes:
        """Draw the network with its probabilities, the confidences, or their ranges over all methods."""
        if kind == "network":
            dag, of = self.consensus.dag, {frozenset((edge.first, edge.second)): edge for edge in self.edges}
            arcs = {arc: of[frozenset(arc)] for arc in dag.arcs}  # a head only where most networks have it
            places = {arc: (dag.names.index(arc[0]), dag.names.index(arc[1])) for arc in arcs}
            return plot_network(
                dag.names,
                [places[arc] for arc, edge in arcs.items() if edge.is_pointed],
                [places[arc] for arc, edge in arcs.items() if not edge.is_pointed],
                weights={frozenset(places[arc]): edge.real for arc, edge in arcs.items()},
                ax=ax,
            )
        if kind != "forest":
            return self.confidence.plot(kind, ax=ax)
        spreads = [edge.spread for edge in self.edges]
        names = [f"{edge.first} — {edge.second}" for edge in self.edges]
        present = [edge.present for edge in self.edges]
        return plot_forest(names, present, [low for low, _ in spreads], [high for _, high in spreads], ax=ax)

    # What does x depend on?

    def variable(self, name: str) -> VariableFinding:
        """Return what one variable depends on: its neighbours, its Markov blanket, and what remains open."""
        return describe_variable(self, name)

    # What if?

    def effect(
        self, cause: str, outcome: str | None = None, *, level: float = 0.95, by: float = 1.0
    ) -> Effect | MixedEffect:
        """Return P(outcome | do(cause)) over all networks: see `arcwise.effects.find_effect`.

        The two are names, or one text, "smoke->cough"; `effects` has those of all variables.
        Of numbers as they are, what it changes in units, a number being changed `by` so much: see `find_mixed_effect`.
        It assumes that no common cause of the variables is missing from the data.
        """
        cause, outcome = self.confidence.two_names(cause, outcome, "effect('x', 'y'), or effects().")
        refuse_copy(self.networks, cause)
        if self.mixed is not None:
            return find_mixed_effect(
                self.reach, self.mixed, cause, outcome, by=by, level=level, copies=self.mixed_copies
            )
        if by != 1.0:
            raise OptionError(Argument("by", by), "is for numbers as they are; the states of a category are set.")
        return find_effect(self.reach, self.stacked, cause, outcome, level=level, ess=self.ess, copies=self.copies)

    def effects(
        self,
        *,
        causes: Sequence[str] | None = None,
        level: float = 0.95,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> EffectMatrix | MixedEffects:
        """Return the effect of each variable on each other one: see `arcwise.effects.find_effects`.

        Of numbers as they are, `causes` may be some of the variables: see `find_mixed_effects`.
        """
        given: dict[str, Any] = {"level": level, "limits": limits, "progress": progress}
        if self.mixed is not None:
            return find_mixed_effects(self.reach, self.mixed, causes=causes, copies=self.mixed_copies, **given)
        return find_effects(self.reach, self.stacked, ess=self.ess, copies=self.copies, **given)

    def possible_effects(
        self, cause: str, outcome: str, *, level: float = 0.95
    ) -> PossibleEffects | list[tuple[tuple[str, ...], MixedEffect]]:
        """Return the range of an effect within the class of the consensus network (IDA).

        Of numbers as they are, the possible sets of parents of the cause, each with the effect.
        """
        if self.mixed is not None:
            return possible_mixed_effects(self.cpdag, self.mixed, cause, outcome, level=level, copies=self.mixed_copies)
        return possible_effects(self.cpdag, self.stacked, cause, outcome, level=level, ess=self.ess, copies=self.copies)

    # How sure are we, given evidence?

    def query(
        self,
        variables: str | Sequence[str],
        evidence: Mapping[str, object] | None = None,
        **options: Any,
    ) -> AveragedDistribution | AveragedNumber:
        """Return a distribution averaged over networks and parameters, with intervals: see `ModelAverage.query`.

        ``query("cough", {"smoke": "yes"})`` and ``query("P(cough | smoke=yes)")`` are the same; `network.query` asks
        the consensus network alone. Evidence is a state, or a value of the data, which is coded as these were: a number
        is its interval. Of numbers as they are (`mixed_network.query` asks the consensus network), it is a value or a
        range, ``{"age": "> 40"}``, and one variable is asked for at a time: see `MixedAverage.query`.
        """
        if self.mixed is not None:
            return self.query_mixed(variables, evidence, **options)
        variables, evidence = self.average.read(variables, evidence)
        states = {name: self.state_of(name, value) for name, value in (evidence or {}).items()}
        return self.average.query(variables, states or None, **options)

    def state_of(self, name: str, value: object) -> str:
        """Return the state of a variable that a value of the data is coded as: 50 is in ``(37,61]``.

        Cut points have all their digits here; the labels of states, which are all that a network has, may have fewer.
        """
        network, text = self.network, str(value)
        states = network.states[network.index(name)]
        found = None if text in states else self.coding.state_of(name, text)
        return states[network.state_index(name, value)] if found is None else found

    # How well is it predicted?

    def code(self, rows: Rows | pd.DataFrame, *, unseen: Unseen = "missing") -> Coded:
        """Cut and code new rows as the data were that were learned from."""
        return self.coding.apply(table_from(rows), unseen=unseen)

    @property
    def target(self) -> str | None:
        """The variable of interest that was named when the networks were learned, if any."""
        raise NotImplementedError

    def target_or(self, target: str | None) -> str:
        """Return the variable to predict: the one that is named here, else the one named when learning."""
        if target is None and self.target is None:
            raise OptionError("which variable is to be predicted? Name it, target='y', here or when learning.")
        return str(target or self.target)

    def predict_proba(
        self,
        rows: Rows | pd.DataFrame,
        target: str | None = None,
        *,
        average: bool = False,
        unseen: Unseen = "missing",
        **options: Any,
    ) -> pd.DataFrame:
        """Return the probability of each state of `target` for new rows, given all their other variables: its columns.

        The columns are the classes as pandas reads them, 0 and 1 rather than "0" and "1". Rows are cut and coded as the
        training data were. `average` averages over all networks instead of asking the consensus network alone. A state
        that no training row had is taken as not observed, with a `DataWarning`, or is an "error". Without a `target`,
        it is that of the analysis. Numbers that are as they are have no states: see `predict_numbers`.
        """
        target = self.target_or(target)
        network: MixedNetwork | BayesianNetwork = self.network if self.mixed is None else self.mixed_network
        if self.mixed is not None:
            made = self.predict_states(rows, target, average=average, unseen=unseen, **options)
        else:
            coded = self.code(rows, unseen=unseen)
            for remark in replace(coded.without(target), missing=()).remarks():
                warnings.warn(remark, DataWarning, stacklevel=2)
            model = self.average if average else self.network
            made = model.predict_proba(coded.table, target, **options)
        return state_frame(classes_of(network.states[network.index(target)], rows, target), made)

    def predict(self, rows: Rows | pd.DataFrame, target: str | None = None, **options: Any) -> NDArray[Any]:
        """Return the most probable state of `target` for new rows, see `predict_proba`; of a number its mean."""
        target = self.target_or(target)
        if self.mixed is not None:
            return self.predict_mixed(rows, target, **options)
        found = self.predict_proba(rows, target, **options)
        classes = classes_of(self.network.states[self.network.index(target)], rows, target)
        return np.asarray(classes[found.to_numpy().argmax(axis=1)])

    def cross_validate(
        self,
        target: str | None = None,
        *,
        folds: int = 10,
        seed: Seed = 0,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> PredictionScores | NumberScores:
        """Return how well a variable is predicted in cases that were not learned from.

        In every fold networks are made anew by the recipe of the analysis, and averaged into a consensus network with
        the same cut-off; where the time for a fold does not suffice, hill climbing by the same score finds one.
        Completions of gaps and cut points stay as they are, those of all cases: where "mdl" cut numbers by the target,
        they know a little of the cases that are held out. Of numbers as they are, the first completion counts.
        """
        target = self.target_or(target)
        if self.confidence.recipe is None:
            raise OptionError("the confidences do not say how they were found, so it cannot be done again.")
        recipe = self.confidence.recipe.without_recuts  # the data are cut
        clock = Run.of(limits)
        hurried: list[int] = []

        def learner(training: Any, fold: int) -> Any:
            run = Run(seed=fold, limits=clock.part(folds - fold).limits, progress=False)
            dag, in_time = learn_dag(recipe, training, self.threshold, run)
            hurried.extend([] if in_time else [fold])
            if isinstance(training, MixedData):
                return MixedNetwork.fit(dag, training)
            return fit_parameters(dag, training, estimator="bd", ess=self.ess, progress=False)

        data: Any = self.one_copy if self.mixed is None else self.one_mixed
        found: PredictionScores | NumberScores = cross_validate(
            learner, data, target, folds=folds, seed=seed, progress=progress
        )
        return replace(found, by_time=bool(hurried))

    # Does it fit?

    def check_fit(self, rows: Rows | pd.DataFrame | None = None, **options: Any) -> FitCheck:
        """Return how far data look as the network says: those that it was learned from, or new ones."""
        if self.mixed is not None:
            return self.check_mixed_fit(rows, **options)
        if rows is None:
            return check_fit(self.network, self.one_copy, **options)
        return check_fit(self.network, self.complete_rows(rows), **options)

    def complete_rows(self, rows: Rows | pd.DataFrame) -> Dataset:
        """Return the new rows that have every variable, coded as the training data were."""
        coded = self.code(rows)
        if coded.missing:
            raise DataError(f"the rows have no column {', '.join(repr(name) for name in coded.missing)}.")
        whole = ~np.any([column.is_missing for column in coded.table.columns], axis=0)
        if not whole.any():
            raise DataError("no row has a known value of every variable.")
        states = dict(zip(self.network.names, self.network.states, strict=True))
        return coded.table.take(whole).select(self.network.names).to_dataset(states=states)

    @cached_property
    def one_copy(self) -> Dataset:
        """The data that were learned from; of data with gaps, the first completion."""
        if self.copies == 1:
            return self.stacked
        return self.stacked.take(np.arange(self.stacked.n_rows // self.copies))

    def __dir__(self) -> list[str]:
        """Return what a user asks for: what is computed on the way, and the parts behind it, are not listed."""
        return [name for name in LISTED_NAMES if hasattr(type(self), name)]


# What `dir` and the completion of a console show of an analysis, in memory or opened.
LISTED_NAMES = (
    *("check_fit", "confidence", "consensus", "cpdag", "cross_validate", "data", "edge", "edges", "effect", "effects"),
    *("explain", "mixed_network", "network", "networks", "plot", "possible_effects", "predict", "predict_proba"),
    *("query", "report", "save", "show", "steps", "summary", "target", "threshold", "to_frame", "to_html", "variable"),
)

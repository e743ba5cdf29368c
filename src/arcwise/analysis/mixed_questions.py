"""`MixedQuestions`: what can be asked of an analysis whose numbers are as they are, in units."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import DataError, DataWarning, OptionError
from arcwise.base.showing import counted, data_frame
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.large import Grouping
from arcwise.data.mixed import NOMINAL, NUMBER, MixedData
from arcwise.data.read import read_table
from arcwise.data.table import Table
from arcwise.effects.model_average import AveragedNumber, MixedAverage
from arcwise.evaluate.fit import check_mixed_fit
from arcwise.findings.coding import table_of
from arcwise.model.mixed_network import MixedNetwork
from arcwise.model.tables import parse_question, read_asked

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.effects.model_average import AveragedDistribution
    from arcwise.evaluate.fit import FitCheck
    from arcwise.findings.coding import CodedValues, Coding, Unseen
    from arcwise.graph.dag import Pdag
    from arcwise.networks.network_list import NetworkSet


Rows = Dataset | Incomplete | Table | str | os.PathLike[str]
WHOLE = re.compile(r"-?(0|[1-9]\d*)")  # a whole number as pandas writes it


def table_from(rows: Rows | pd.DataFrame) -> Table:
    """Return rows of any kind as a table."""
    if isinstance(rows, str | os.PathLike):
        rows = read_table(rows, progress=False, grouping=Grouping(always=False))
    if isinstance(rows, Dataset | Incomplete):
        rows = table_of(rows)
    return rows if isinstance(rows, Table) else Table.from_dataframe(rows)


def classes_of(states: Sequence[str], rows: object, target: str) -> NDArray[Any]:
    """Return states as pandas reads them: whole numbers and truth values, so that predictions compare with a column.

    A column of text that the rows have under this name decides: then they stay text.

    >>> classes_of(("0", "1"), None, "y"), classes_of(("False", "True"), None, "y"), classes_of(("a", "b"), None, "y")
    (array([0, 1]), array([False,  True]), array(['a', 'b'], dtype=object))
    """
    told = list(rows[target]) if target in getattr(rows, "columns", ()) else []  # type: ignore[index]
    is_text = any(isinstance(value, str) for value in told)
    made: list[Any] = list(states)
    if not is_text and {*states} <= {str(True), str(False)}:
        made = [state == str(True) for state in states]
    elif not is_text and all(WHOLE.fullmatch(state) for state in states):
        made = [int(state) for state in states]
    return np.array(made, dtype=object if isinstance(made[0], str) else None)


def state_frame(states: NDArray[Any], probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """Return the probabilities of states, a column for each."""
    return data_frame(probabilities, columns=list(states))


class MixedQuestions:
    """The questions about numbers as they are, for whatever has a network over them, and the networks behind it."""

    if TYPE_CHECKING:  # what an analysis has: fields of one class, files of another

        @property
        def mixed(self) -> MixedData | None:
            """The rows with numbers and scales as they are, if networks were learned from these."""

        @property
        def mixed_network(self) -> MixedNetwork:
            """The consensus network over these."""

        @property
        def confidence(self) -> EdgeConfidence:
            """How far each edge can be trusted."""

        @property
        def cpdag(self) -> Pdag:
            """The class of the consensus network."""

        @property
        def copies(self) -> int:
            """How many completions the rows with states are."""

        @property
        def mixed_copies(self) -> int:
            """How many completions the rows with numbers are."""

        @property
        def threshold(self) -> float:
            """The cut-off."""

        @property
        def coding(self) -> Coding:
            """How columns became variables."""

        @property
        def networks(self) -> NetworkSet:
            """The networks, or draws from them."""

        def _warn_of_few(self) -> None: ...

        def target_or(self, target: str | None) -> str:
            """Return the variable that is named here, else the one named when learning."""

    @cached_property
    def mixed_average(self) -> MixedAverage:
        """All networks over numbers as they are, each with its weight."""
        self._warn_of_few()
        return MixedAverage(self.networks, self._whole, copies=self.mixed_copies)

    @property
    def _whole(self) -> MixedData:
        if self.mixed is None:
            _ = self.mixed_network  # says what to do
        assert self.mixed is not None
        return self.mixed

    # How sure are we, given evidence?

    def query_mixed(
        self, variables: str | Sequence[str], evidence: Mapping[str, object] | None, **options: Any
    ) -> AveragedDistribution | AveragedNumber:
        """Return the distribution of one variable, averaged over networks and parameters: see `MixedAverage.query`."""
        text = variables
        variables, evidence = read_asked(variables, evidence, self.mixed_average.names)
        if isinstance(text, str) and variables != text and (states := parse_question(text).states):
            options = {"within": states[0], **options}  # P(x>1 | y=a)
        names = [variables] if isinstance(variables, str) else list(variables)
        if len(names) != 1:
            raise OptionError(f"with numbers as they are, one variable is asked for at a time; got {', '.join(names)}.")
        return self.mixed_average.query(names[0], self.plain_evidence(evidence), **options)

    def plain_evidence(self, evidence: Mapping[str, object] | None) -> dict[str, object]:
        """Return evidence with values as the data have them in the spelling that was learned from."""
        found: dict[str, object] = {}
        for name, value in (evidence or {}).items():
            plain = self.coding.plain(name, value) if isinstance(value, str) else value
            if plain is None:
                raise OptionError(f"'{value}' stands for a missing value of '{name}', which is no evidence.")
            found[name] = plain
        return found

    # How well is it predicted?

    def code_values(self, rows: Rows | pd.DataFrame, *, unseen: Unseen = "missing") -> CodedValues:
        """Return new rows as the network of numbers as they are has them; see `Coding.values`."""
        return self.coding.values(table_from(rows), self.mixed_network, unseen=unseen)

    def predict_mixed(self, rows: Rows | pd.DataFrame, target: str, **options: Any) -> NDArray[Any]:
        """Return the mean of a number, or the most probable state, for new rows."""
        v = self.mixed_network.index(target)
        if self.mixed_network.kinds[v] is not NOMINAL:
            return np.asarray(self.predict_numbers(rows, target, **options)[target])
        own = classes_of(self.mixed_network.states[v], rows, target)
        return np.asarray(own[self.predict_states(rows, target, **options).argmax(axis=1)])

    def predict_states(self, rows: Rows | pd.DataFrame, target: str, **options: Any) -> NDArray[np.float64]:
        """Return the probability of each state of a category for new rows."""
        found = self._predicted(rows, target, **options)
        if isinstance(found, tuple):
            raise OptionError(f"'{target}' is a number; predict_numbers gives its mean and interval.")
        return found

    def predict_numbers(self, rows: Rows | pd.DataFrame, target: str | None = None, **options: Any) -> pd.DataFrame:
        """Return mean, low and high of a number for new rows, given all their other variables.

        `level` is the share of values that lie between; a missing value is not observed. The rest is as in
        `predict_proba`.
        """
        target = self.target_or(target)
        found = self._predicted(rows, target, **options)
        if not isinstance(found, tuple):
            raise OptionError(f"'{target}' is nominal; predict_proba gives the probabilities of its states.")
        return data_frame(dict(zip((target, "low", "high"), found, strict=True)))

    def _predicted(
        self,
        rows: Rows | pd.DataFrame,
        target: str,
        *,
        average: bool = False,
        unseen: Unseen = "missing",
        **options: Any,
    ) -> tuple[NDArray[np.float64], ...] | NDArray[np.float64]:
        """Return what is predicted of numbers as they are, with a warning of what was not as in the training data."""
        coded = self.code_values(rows, unseen=unseen)
        for remark in (*replace(coded.without(target), missing=()).remarks(), *self.beyond(coded.values, target)):
            warnings.warn(remark, DataWarning, stacklevel=3)
        return self.predict_values(coded.values, target, average=average, **options)

    def beyond(self, values: NDArray[np.float64], target: str) -> tuple[str, ...]:
        """Return which numbers of new rows are far beyond all that were learned from, and what is made of them.

        One new row in a few dozen is the largest of all by chance: it has to be beyond by a tenth of the range.
        """
        found = []
        for own, name, kind in zip(values, self.mixed_network.names, self.mixed_network.kinds, strict=True):
            if kind is not NUMBER or name == target:
                continue
            known = self._whole.scores(name)
            low, high = float(known.min()), float(known.max())
            margin = (high - low) / 10
            if rows := int(((own < low - margin) | (own > high + margin)).sum()):
                found.append(
                    f"Column '{name}' is far beyond its range in the training data, {low:g} to {high:g}, in "
                    f"{counted(rows, 'row')}: there the fitted lines go on. No data tell whether they hold."
                )
        return tuple(found)

    def predict_values(
        self, values: NDArray[np.float64], target: str, *, average: bool = False, **options: Any
    ) -> tuple[NDArray[np.float64], ...] | NDArray[np.float64]:
        """Return what is predicted for values as the network of numbers as they are has them, NaN where missing."""
        if average:
            return self.mixed_average.predict_table(values, target, **options)
        return self.mixed_network.predict_table(values, target, **options)

    @cached_property
    def one_mixed(self) -> MixedData:
        """The data with numbers as they are; of data with gaps, the first completion."""
        assert self.mixed is not None
        count = self.mixed_copies
        return self.mixed if count == 1 else self.mixed.take(np.arange(self.mixed.n_rows // count))

    # Does it fit?

    def check_mixed_fit(self, rows: Rows | pd.DataFrame | None, **options: Any) -> FitCheck:
        """Return how far data look as the network says: those that it was learned from, or new ones."""
        data = self.one_mixed if rows is None else self.complete_values(rows)
        return check_mixed_fit(self.mixed_network, data, **options)

    def complete_values(self, rows: Rows | pd.DataFrame) -> MixedData:
        """Return the new rows that have every variable, with numbers as they are."""
        coded, network = self.code_values(rows), self.mixed_network
        if coded.missing:
            raise DataError(f"the rows have no column {', '.join(repr(name) for name in coded.missing)}.")
        values = coded.values[:, ~np.isnan(coded.values).any(axis=0)]
        if not values.shape[1]:
            raise DataError("no row has a known value of every variable.")
        return network.data_of(values)

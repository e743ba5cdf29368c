"""`SavedAnalysis`: the folder of an analysis, opened again for questions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from arcwise.analysis.questions import Questions
from arcwise.base.errors import UNREADABLE, Argument, FormatError, OptionError, Remedy
from arcwise.base.files import parse_json, read_bytes
from arcwise.confidence.consensus import ConsensusNetwork, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.cases import Cases
from arcwise.data.checks import COLUMN
from arcwise.data.design import COLUMN as GROUPS
from arcwise.data.design import REPLICATE, WEIGHTS
from arcwise.data.large import Grouping
from arcwise.data.mixed import MixedData
from arcwise.data.read import read_data, read_table
from arcwise.findings.coding import Coding
from arcwise.findings.edge_record import SETTLED, EdgeRecord, read_frame, short_frame
from arcwise.graph.dag import Pdag
from arcwise.graph.files import read_graph
from arcwise.model.mixed_network import MixedNetwork
from arcwise.model.network import read_bif
from arcwise.networks.network_list import NetworkSet, NetworkSummary
from arcwise.report.explanation import explain_folder, list_edges, read_edges, read_record
from arcwise.report.report import SavedReport, Words, answer_text

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.dataset import Dataset
    from arcwise.model.network import BayesianNetwork

D = TypeVar("D", bound=Cases)


@dataclass(frozen=True, eq=False)
class SavedAnalysis(Questions):
    """What `arcwise learn -o` or `Analysis.save` wrote: each file is read when it is asked for.

    Examples
    --------
    >>> import tempfile
    >>> from arcwise import datasets, learn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = learn(datasets.load("balance-scale"), compare=False, seed=1).save(f"{folder}/balance")
    ...     saved = open(f"{folder}/balance")
    ...     round(float(saved.network.predict_proba(saved.data, "class")[0].sum()), 6)
    1.0
    """

    folder: Path

    @cached_property
    def network(self) -> BayesianNetwork:
        """The consensus network with its parameters."""
        return read_bif(self._file("network.bif"))

    @cached_property
    def cpdag(self) -> Pdag:
        """Its class: directions that neither the structure nor the constraints settle are left open."""
        found = read_graph(self._file("cpdag.graphml"))
        graph = found if isinstance(found, Pdag) else None
        if graph is None:
            dag = found.reorder(self.network.names)  # type: ignore[union-attr]
            return Pdag(dag.names, [list(p) for p in dag.parents], [[] for _ in dag.names])
        return graph.reorder(self.network.names)

    @cached_property
    def confidence(self) -> EdgeConfidence:
        """How far each edge can be trusted."""
        return EdgeConfidence.load(self._file("confidence.parquet"))

    @cached_property
    def consensus(self) -> ConsensusNetwork:
        """The network of the edges above the cut-off."""
        return consensus_network(self.confidence, self.threshold)

    @cached_property
    def _lines(self) -> list[tuple[dict[str, str], EdgeRecord]]:
        self._file("edges.csv")
        return read_edges(self.folder, self.record)

    @cached_property
    def edges(self) -> tuple[EdgeRecord, ...]:
        """Every pair of variables with a confidence above 0.01, the most certain first, as far as the file tells."""
        return tuple(edge for _, edge in self._lines)

    def edge(self, first: str, second: str | None = None) -> EdgeRecord:
        """Return what was found about one pair of variables, in either order: two names, or "smoke--cough"."""
        first, second = self.confidence.two_names(first, second, "edge('x--y').")
        return explain_folder(self.folder, [(first, second)])[0].edge

    def _words_about(self, first: str, second: str) -> str:
        return explain_folder(self.folder, [(first, second)])[0].words

    def to_frame(self, *, full: bool = False) -> pd.DataFrame:
        """Return the described edges as a table, the most certain first: see `Analysis.to_frame`."""
        if not full:
            return short_frame(self.edges)
        return read_frame([row for row, _ in self._lines])

    @property
    def steps(self) -> tuple[str, ...]:
        """What was done to make the data complete and discrete, one sentence each."""
        return tuple(map(str, self.record.get("data", {}).get("steps", ())))

    @property
    def target(self) -> str | None:
        """The variable of interest that was named when the networks were learned, if any."""
        name = self.record.get("options", {}).get("target")
        return None if name is None else str(name)

    def _page(self) -> Path:
        return self.report.path

    def summary(self) -> str:
        """Return the answer on one screen: which links to rely on, what to expect, and what the checks say."""
        return answer_text(self.words, list_edges(self.folder, self.record, self.threshold), target=self.target)

    @property
    def report(self) -> SavedReport:
        """The page."""
        return SavedReport(self._file("report.html"))

    @property
    def words(self) -> Words:
        """What the report says; in a folder of a version that kept only the page, what run.json tells."""
        path = self.folder / "report.json"
        if path.is_file():
            return Words.read(path)
        data, again = self.record.get("data", {}), self.record.get("command", "arcwise learn DATA -o FOLDER")
        summary = f"A Bayesian network of {data.get('variables', '?')} variables from {data.get('cases', '?')} rows"
        old = f"An older version wrote this folder: what else it found is in report.html only. Write it again: {again}"
        return Words(f"Which edges to trust: {data.get('name', self.folder.name)}", summary, summary=(old,))

    @cached_property
    def settled(self) -> frozenset[tuple[str, str]]:
        """The directions that are settled, each as (tail, head)."""
        if any(edge.settled is None for edge in self.edges):
            raise FormatError(
                f"{self.folder / 'edges.csv'}: there is no column '{SETTLED}': the folder was written by an older "
                f"version. Write it again: {self.record.get('command', 'arcwise learn DATA -o FOLDER')}"
            )
        return frozenset((edge.tail, edge.head) for edge in self.edges if edge.settled)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What run.json says."""
        return read_record(self._file("run.json"))

    @cached_property
    def stacked(self) -> Dataset:
        """The data that were learned from; of data with gaps, all completions, one below the other."""
        return self._rows("data.parquet", "data", read_data)

    @cached_property
    def mixed(self) -> MixedData | None:
        """The same rows with numbers and scales as they are, if networks were learned from these; else None."""
        if "numbers" not in self._facts:
            return None

        def read(path: Path, **given: Any) -> MixedData:
            return MixedData.from_table(read_table(path, **given))

        return self._rows("columns.parquet", "numbers", read)

    @property
    def mixed_copies(self) -> int:
        """How many completions `mixed` holds: 1 without gaps."""
        return 1 if self.mixed is None else self.mixed.n_cases * self.copies // self.stacked.n_cases

    @cached_property
    def mixed_network(self) -> MixedNetwork:
        """The consensus network over numbers as they are."""
        if self.mixed is None:
            raise OptionError(
                f"{self.folder}: the numbers were cut.",
                remedies=Remedy("learn with", Argument("numbers", "as-they-are")),
            )
        return MixedNetwork.read(self._file("network.json"))

    def _rows(self, name: str, fact: str, read: Callable[..., D]) -> D:
        """Read rows of this analysis, with what experiments set and which belong together."""
        path = self._file(name)
        # The column of what experiments set is there if they set anything.
        column = COLUMN if self._facts.get("experiments") else None
        if hashlib.sha256(read_bytes(path)).hexdigest() != self._facts.get(fact):
            raise FormatError(f"{path}: not the data of this analysis: another fingerprint. Run `arcwise learn` again.")
        # Whatever its size: the rows are in an order, completion after completion.
        groups = self._facts.get("groups")
        drawn: dict[str, Any] = {"groups": GROUPS} if groups and groups.get("grouped", True) else {}
        if groups and "weighed_by" in groups:
            replicates = [f"{REPLICATE} {k}" for k in range(1, 1 + int(groups["replicates"]))]
            drawn |= {"weights": WEIGHTS, "replicate_weights": replicates}
        data = read(path, progress=False, interventions=column, grouping=Grouping(always=False), **drawn)
        if not groups or data.design is None:
            return data
        try:
            known = self._facts.get(f"{fact}_alike", groups["alike"])
            alike = None if known is None else float(known)
            design = replace(data.design, name=str(groups["name"]), alike=alike, found=str(groups["found"]))
            design = replace(design, weighed_by=str(groups.get("weighed_by", WEIGHTS)))
        except UNREADABLE as error:
            raise FormatError(f"{self.folder / 'coding.json'}: its groups cannot be read ({error!r}).") from error
        return data.with_groups(design)

    @property
    def copies(self) -> int:
        """How many completions `data` holds: 1 for data without gaps."""
        return int(self._facts.get("completions", 1))

    @property
    def ess(self) -> float:
        """The equivalent sample size of the parameters."""
        return float(self._facts.get("ess", 1.0))

    @cached_property
    def coding(self) -> Coding:
        """How columns became variables: new rows are coded in the same way."""
        return Coding.from_description(self._facts.get("columns"), str(self.folder / "coding.json"))

    @cached_property
    def networks(self) -> NetworkSet:
        """The networks of the main set, or draws from it."""
        return NetworkSet.load(self._file("networks.nets"))

    @cached_property
    def family_shares(self) -> NetworkSummary | None:
        """The exact shares of families, if the networks are draws from a credible set."""
        path = self.folder / "families.nets"
        return NetworkSummary.load(path) if path.is_file() else None

    @property
    def data(self) -> Dataset:
        """The data that were learned from; of data with gaps, one completion."""
        return self.one_copy

    @property
    def threshold(self) -> float:
        """The cut-off."""
        return self._number("threshold")

    def _number(self, name: str) -> float:
        try:
            return float(self.record["result"][name])
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise FormatError(f"{self.folder / 'run.json'}: there is no {name} ({error!r}).") from error

    @cached_property
    def _facts(self) -> dict[str, Any]:
        path = self._file("coding.json")
        found = parse_json(read_bytes(path), source=str(path))
        if not isinstance(found, dict):
            raise FormatError(f"{path}: not how data were coded.")
        return found

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise FormatError(
                f"{self.folder}: the file {name} is missing: the folder was written by an older version, or the file "
                f"was removed. `arcwise learn DATA -o FOLDER` writes it."
            )
        return path

    def __repr__(self) -> str:
        return f"SavedAnalysis({self.folder})"


def open(folder: str | os.PathLike[str]) -> SavedAnalysis:  # noqa: A001 - called arcwise.open
    """Open the folder of an analysis, which `arcwise learn -o` or `Analysis.save` wrote, for questions."""
    path = Path(folder)
    if not path.is_dir():
        raise FormatError(f"{path}: no such folder; `arcwise learn DATA -o {path}` would write it.")
    return SavedAnalysis(path)

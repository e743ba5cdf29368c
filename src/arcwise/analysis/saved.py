"""`SavedAnalysis`: the folder of an analysis, opened again for questions."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arcwise.analysis.coding import Coding
from arcwise.analysis.edge_table import SETTLED
from arcwise.analysis.questions import Questions
from arcwise.confidence import EdgeConfidence
from arcwise.data import Dataset, read_data
from arcwise.data.large import Grouping
from arcwise.data.targets import COLUMN
from arcwise.ensemble import NetworkSet, NetworkSummary
from arcwise.errors import FormatError
from arcwise.files import parse_json, read_bytes
from arcwise.graph import Pdag, read_graph
from arcwise.model import BayesianNetwork, read_bif

__all__ = ["SavedAnalysis", "open_analysis"]


@dataclass(frozen=True, eq=False)
class SavedAnalysis(Questions):
    """What `arcwise learn -o` or `Analysis.save` wrote: each file is read when it is asked for.

    Examples
    --------
    >>> import tempfile
    >>> from arcwise import datasets, learn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = learn(datasets.load("balance-scale"), compare=False, seed=1).save(f"{folder}/balance")
    ...     saved = open_analysis(f"{folder}/balance")
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
    def settled(self) -> frozenset[tuple[str, str]]:
        """The directions that are settled, each as (tail, head)."""
        import pandas as pd

        path, columns = self._file("edges.csv"), ["from", "to", SETTLED]
        try:
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        except ValueError as error:
            raise FormatError(f"{path}: damaged: {error}. `arcwise learn DATA -o FOLDER` writes it.") from error
        if missing := [name for name in columns if name not in frame]:
            again = self.record.get("command", "arcwise learn DATA -o FOLDER")
            raise FormatError(
                f"{path}: there is no column '{missing[0]}': the folder was written by an older version. "
                f"Write it again: {again}"
            )
        rows = frame[columns].itertuples(index=False)
        return frozenset((tail, head) for tail, head, said in rows if said == str(True))

    @cached_property
    def record(self) -> dict[str, Any]:
        """What run.json says."""
        path = self._file("run.json")
        try:
            found = parse_json(read_bytes(path), source=str(path))
        except json.JSONDecodeError as error:
            raise FormatError(f"{path}: not JSON ({error}).") from error
        if not isinstance(found, dict):
            raise FormatError(f"{path}: not the record of a run.")
        return found

    @cached_property
    def stacked(self) -> Dataset:
        """The data that were learned from; of data with gaps, all completions, one below the other."""
        path = self._file("data.parquet")
        # The column of what experiments set is there if they set anything.
        column = COLUMN if self._facts.get("experiments") else None
        if hashlib.sha256(read_bytes(path)).hexdigest() != self._facts.get("data"):
            raise FormatError(f"{path}: not the data of this analysis: another fingerprint. Run `arcwise learn` again.")
        # Whatever its size: the rows are in an order, completion after completion.
        return read_data(path, progress=False, interventions=column, grouping=Grouping(always=False))

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


def open_analysis(folder: str | os.PathLike[str]) -> SavedAnalysis:
    """Open the folder of an analysis for questions."""
    path = Path(folder)
    if not path.is_dir():
        raise FormatError(f"{path}: no such folder; `arcwise learn DATA -o {path}` would write it.")
    return SavedAnalysis(path)

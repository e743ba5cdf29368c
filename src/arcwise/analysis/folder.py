"""The output folder of an analysis: written whole or not at all, and opened again for questions."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.analysis.questions import Questions
from arcwise.base.errors import Argument, FormatError, Remedy
from arcwise.base.files import parse_json, read_bytes, write_text
from arcwise.base.options import record_of
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.checks import COLUMN
from arcwise.data.large import Grouping
from arcwise.data.read import read_data
from arcwise.findings.coding import Coding
from arcwise.findings.edge_record import SETTLED
from arcwise.graph.constraints import assert_obeys
from arcwise.graph.dag import Pdag
from arcwise.graph.drawings import write_dot, write_graphml
from arcwise.graph.files import read_graph
from arcwise.model.bif import write_bif
from arcwise.model.network import read_bif
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.summary import NetworkSummary
from arcwise.report.remarks import analysis_remarks, status_of
from arcwise.report.sections import repeat_line, versions

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.exact.optimum import Optimum
    from arcwise.findings.findings import Findings
    from arcwise.model.network import BayesianNetwork

FILES = (
    "report.html",
    "edges.csv",
    "network.bif",
    "cpdag.dot",
    "cpdag.graphml",
    "confidence.parquet",
    "run.json",
    "data.parquet",
    "coding.json",
    "networks.nets",
)
# Written where the networks are draws from a credible set.
SOMETIMES = ("families.nets",)


def check_folder(folder: str | os.PathLike[str], *, force: bool) -> Path:
    """Refuse a folder that cannot be written, before any work is lost to it.

    A folder that is there is replaced only if `force` is True and it is empty or holds nothing but files of ours.
    """
    target = Path(folder)
    if target.name in ("", ".."):
        raise FormatError(f"cannot write {target}: give the name of a folder to make, e.g. report.")
    if not target.parent.is_dir():
        raise FormatError(f"cannot write {target}: the folder {target.parent} does not exist. Create it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FormatError(f"cannot write {target}: you may not write in the folder {target.parent}.")
    if not os.path.lexists(target):
        return target
    if target.is_symlink() or not target.is_dir():
        raise FormatError(f"cannot write {target}: it exists and is not a folder. Give another name.")
    # A folder called as one of our files is somebody else's, whatever is in it.
    ours = {*FILES, *SOMETIMES}
    foreign = sorted(p.name for p in target.iterdir() if p.name not in ours or p.is_symlink() or not p.is_file())
    if foreign:
        raise FormatError(
            f"cannot write {target}: it holds files that are not from an earlier run, such as {foreign[0]}. "
            "Give a folder that does not exist."
        )
    if any(target.iterdir()) and not force:
        raise FormatError(
            f"cannot write {target}: it holds the result of an earlier run.",
            remedies=(Remedy("give another folder"), Remedy("replace it with", Argument("force", True))),
        )
    return target


def write_files(analysis: Findings, folder: Path, texts: Mapping[str, str]) -> None:
    """Write all files of an analysis into a folder; `texts` are those that have words."""
    for graph in (analysis.network.dag, analysis.dag, analysis.cpdag, analysis.consensus.pattern):
        assert_obeys(graph, analysis.main.recipe.constraints_on(analysis.data.names))
    labels = {(edge.tail, edge.head): edge.present for edge in analysis.consensus.edges}
    record = json.dumps(run_record(analysis), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    for name, text in {**texts, "run.json": record}.items():
        write_text(folder / name, text)
    write_bif(analysis.network, folder / "network.bif")
    write_dot(folder / "cpdag.dot", analysis.cpdag, labels=labels)
    write_graphml(folder / "cpdag.graphml", analysis.cpdag, labels=labels)
    analysis.confidence.save(folder / "confidence.parquet")
    _write_means(analysis, folder)


def _write_means(analysis: Findings, folder: Path) -> None:
    """Write what later questions need: the data as they were learned from, how they were coded, and networks."""
    analysis.stacked.to_file(folder / "data.parquet")
    coding = analysis.prepared.coding
    facts = {
        "columns": [] if coding is None else coding.describe(),
        "completions": analysis.copies,
        "data": hashlib.sha256(read_bytes(folder / "data.parquet")).hexdigest(),
        "ess": analysis.ess,
        "experiments": analysis.stacked.targets is not None and not analysis.stacked.targets.is_empty,
    }
    write_text(folder / "coding.json", json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    kept = analysis.main.kept
    if kept is not None:
        kept.networks.save(folder / "networks.nets")
        if kept.shares is not None:
            kept.shares.save(folder / "families.nets")


def run_record(analysis: Findings) -> dict[str, Any]:
    """Return everything that is needed to repeat the run, and its main figures; nothing depends on time or place."""
    credible = analysis.main.credible
    return {
        "command": repeat_line(analysis),
        "versions": versions(),
        "data": {
            "name": analysis.name,
            "digest": analysis.digest,
            "variables": analysis.data.n_variables,
            "cases": analysis.data.n_cases,
            "steps": list(analysis.prepared.steps),
        },
        "options": record_of(analysis.options),
        "recipe": analysis.main.recipe.describe(),
        "result": {
            "status": str(status_of(analysis)),
            "networks": analysis.confidence.n_networks,
            "classes": None if credible is None else credible.classes,
            "optimum": None if credible is None else credible.optimum,
            "posterior_covered": None if credible is None else credible.covered,
            **_next_experiments(analysis),
            "posterior_covered_error": None if credible is None else credible.covered_error,
            **_unfinished(analysis),
            "verdict": dict(analysis.main.verdict) or None,
            "threshold": analysis.threshold,
            "calibration": analysis.probability.calibration.describe(),
            # Shares of so few networks say nothing.
            "expected_false": None if analysis.has_few_networks else round(analysis.expected.false, 6),
            "expected_missed": None if analysis.has_few_networks else round(analysis.expected.missed, 6),
            "rules": {mark.label: mark.threshold.value for mark in analysis.thresholds.marks},
            "arcs": [list(arc) for arc in analysis.dag.arcs],
            "dropped": [[edge.tail, edge.head] for edge in analysis.consensus.dropped],
            "compared": [other.title for other in analysis.comparisons],
            "depends_on_cuts": [
                [edge.first, edge.second] for edge in (analysis.cuts.edges if analysis.cuts else ()) if edge.depends
            ],
            "remarks": [remark.text for remark in analysis_remarks(analysis)],
            "constraints": None if analysis.price is None else analysis.price.describe(),
        },
    }


def _unfinished(analysis: Findings) -> dict[str, Any]:
    """Return what was asked for and is not there, and what is known about the best network instead."""
    main = analysis.main
    known: dict[str, Any] = {} if main.asked is None else {"asked": main.asked.describe()}
    if main.optimum is not None:
        known["best"] = _best(main.optimum)
    others = {
        title: _best(made.unfinished.found)
        for title, made in analysis.missing
        if made.unfinished is not None and made.unfinished.found is not None
    }
    return known | ({"best_of_missing": others} if others else {})


def _best(found: Optimum) -> dict[str, Any]:
    finite = math.isfinite(found.gap)
    return {
        "score": found.score,
        "upper_bound": found.upper_bound if finite else None,
        "gap": found.gap if finite else None,
        "most_parents": found.most_parents,  # what the bound holds for; None for all that was asked
        "proved": found.is_proved,
    }


def _next_experiments(analysis: Findings) -> dict[str, Any]:
    found = analysis.main.experiments
    if found is None:
        return {}
    settled = {name: round(value, 6) for name, value in zip(found.names, found.settled.tolist(), strict=True)}
    return {"experiments": {"open": round(found.open_now, 6), "settled": settled}}


# `SavedAnalysis`: the folder of an analysis, opened again for questions.


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

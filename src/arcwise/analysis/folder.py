"""The output folder of an analysis: written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import Argument, FormatError, Remedy
from arcwise.base.files import read_bytes, write_text
from arcwise.base.options import record_of
from arcwise.graph.constraints import assert_obeys
from arcwise.graph.files import write_dot, write_graphml
from arcwise.model.files import write_bif
from arcwise.report.remarks import analysis_remarks, status_of
from arcwise.report.sections import repeat_line, versions

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.data.design import Design
    from arcwise.exact.proof import Optimum
    from arcwise.findings.findings import Findings

FILES = (
    "report.html",
    "report.json",
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
# Written where the networks are draws from a credible set, and where numbers were learned from as they are.
OPTIONAL_FILES = ("families.nets", "network.json", "columns.parquet")


def check_folder(folder: str | os.PathLike[str], *, force: bool) -> Path:
    """Refuse a folder that cannot be written, before any work is lost to it.

    A folder that is there is replaced only if `force` is True and it is empty or holds nothing but files of ours.
    """
    target = Path(folder)
    if target.name in ("", ".."):
        raise FormatError(f"cannot write {target}: give the name of a folder to make, e.g. report.")
    if target.is_symlink():  # it stays, and what it points to is written
        target = Path(os.path.realpath(target))
    if not target.parent.is_dir():
        raise FormatError(f"cannot write {target}: the folder {target.parent} does not exist. Create it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FormatError(f"cannot write {target}: you may not write in the folder {target.parent.resolve()}.")
    if not os.path.lexists(target):
        return Path(folder)
    if not target.is_dir():
        raise FormatError(f"cannot write {target}: it exists and is not a folder. Give another name.")
    # A folder called as one of our files is somebody else's, whatever is in it.
    ours = {*FILES, *OPTIONAL_FILES}
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
    return Path(folder)


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
    _write_for_questions(analysis, folder)


def _write_for_questions(analysis: Findings, folder: Path) -> None:
    """Write what later questions need: the data as they were learned from, how they were coded, and networks."""
    analysis.stacked.to_file(folder / "data.parquet")
    numbers: dict[str, Any] = {}
    if analysis.mixed is not None:
        analysis.mixed.to_file(folder / "columns.parquet")
        analysis.mixed_network.write(folder / "network.json")
        numbers["numbers"] = hashlib.sha256(read_bytes(folder / "columns.parquet")).hexdigest()
        # Numbers say by themselves how alike the rows of a group are; cut, they say something else.
        numbers["numbers_alike"] = None if analysis.mixed.design is None else analysis.mixed.design.alike
    coding, design = analysis.prepared.coding, analysis.stacked.design
    facts = {
        "columns": [] if coding is None else coding.describe(),
        "completions": analysis.copies,
        "data": hashlib.sha256(read_bytes(folder / "data.parquet")).hexdigest(),
        "ess": analysis.ess,
        "groups": None if design is None else _record_of_design(design),
        "experiments": analysis.stacked.targets is not None and not analysis.stacked.targets.is_empty,
        **numbers,
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
            **_record_of_groups(analysis.data),
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
            "false_range": None if analysis.has_few_networks else list(analysis.expected.false_range),
            "missed_range": None if analysis.has_few_networks else list(analysis.expected.missed_range),
            "chance": None if analysis.confidence.chance is None else analysis.confidence.chance.describe(),
            "rules": {mark.label: mark.threshold.value for mark in analysis.thresholds.marks},
            "arcs": [list(arc) for arc in analysis.dag.arcs],
            "dropped": [[edge.tail, edge.head] for edge in analysis.consensus.dropped],
            "compared": [other.title for other in analysis.comparisons],
            "remarks": [remark.text for remark in analysis_remarks(analysis)],
            "constraints": None if analysis.price is None else analysis.price.describe(),
        },
    }


def _record_of_design(design: Design) -> dict[str, Any]:
    """Return what the columns of the data file do not say of how the rows were drawn."""
    record: dict[str, Any] = {"name": design.name, "alike": design.alike, "found": design.found}
    if design.weights is None:
        return record
    replicates = 0 if design.replicates is None else len(design.replicates)
    return {**record, "weighed_by": design.weighed_by, "replicates": replicates, "grouped": design.is_grouped}


def _record_of_groups(data: Dataset) -> dict[str, Any]:
    """Return what rows that belong together are worth."""
    if data.design is None:
        return {}
    record = {"dependence": data.design.found} if data.design.found else {"groups": data.design.n_groups}
    if data.is_survey and not data.design.is_grouped:
        record = {"survey": data.design.weighed_by}
    return {**record, "effective_cases": data.n_effective}


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

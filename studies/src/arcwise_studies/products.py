"""What the package takes from studies.

From a discovery study the learned thresholds and the training table of the ensemble, from a calibration study the ways
from confidences to probabilities, of edges and of paths, and thresholds for its recipes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from arcwise.base.errors import suggestion
from arcwise.base.files import atomic_write, write_text
from arcwise.confidence import LearnedTable
from arcwise.confidence.calibration import ANY, BY_CASES, CalibrationTable, StudiedTable
from arcwise.confidence.meta_ensemble import FIXED, KIND, TrainingTable
from arcwise.confidence.paths import PathTable
from arcwise.errors import FormatError, UnknownNameError
from arcwise_studies.experiments.calibration_fit import Samples
from arcwise_studies.experiments.calibration_paths import paths_table
from arcwise_studies.experiments.ensemble_study import COMBINERS, EnsembleStudy, ensemble_predictions
from arcwise_studies.experiments.instances import Instances
from arcwise_studies.frames import read_frames
from arcwise_studies.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Product",
    "calibration_product",
    "ensemble_product",
    "export_product",
    "paths_product",
    "thresholds_product",
    "training_bytes",
]

T = TypeVar("T", bound=StudiedTable)
Product = Literal["thresholds", "ensemble", "calibration", "paths", "told"]
EXPERIMENT = "discovery"
CALIBRATION = "calibration"
CHECK = "calibration_check"


def export_product(store: str | os.PathLike[str], path: str | os.PathLike[str], product: str) -> int:
    """Write a product to a file and return its number of entries.

    "thresholds", "calibration" and "paths" are JSON, "ensemble" is a compressed CSV. What the file has of
    recipes that a calibration study does not have is kept, with the study that it is from. "told" adds to the
    calibrations in a file on how many samples of a check they were judged whose learner was told something.
    """
    if product not in get_args(Product):
        raise UnknownNameError(suggestion("product", product, get_args(Product)))
    if product == "thresholds":
        table = _with_kept(thresholds_product(store), path)
        write_text(path, table.to_json())
        return len(table.entries)
    if product == "calibration":
        calibrations = _with_kept(calibration_product(store), path)
        write_text(path, calibrations.to_json())
        return len(calibrations.entries)
    if product == "told":
        return _add_told(store, path)
    if product == "paths":
        paths = _with_kept(paths_product(store), path)
        write_text(path, paths.to_json())
        return len(paths.entries)
    training = ensemble_product(store)
    with atomic_write(path) as file:
        file.write(training_bytes(training))
    return len(training)


def _add_told(store: str | os.PathLike[str], path: str | os.PathLike[str]) -> int:
    """Add to the calibrations of a file how many samples with constraints a check has, and return how many."""
    source = Store(store)
    rows, _ = _frames(source, CHECK)
    method, _, score = source.study().experiments[CHECK].recipe.partition(":")
    table = CalibrationTable.from_json(Path(path).read_text(encoding="utf-8"), where=str(path))
    count = int(rows["told"].notna().sum()) if "told" in rows else 0
    entry = replace(table.entries[method, score], constrained=count)
    provenance = {**table.provenance, "told": source.facts()["digest"]}
    write_text(path, replace(table, entries={**table.entries, entry.key: entry}, provenance=provenance).to_json())
    return count


def _with_kept(table: T, path: str | os.PathLike[str]) -> T:
    """Return a table of a calibration study with the entries that a file has of other recipes."""
    if table.provenance.get("parents") != BY_CASES or not Path(path).exists():
        return table
    before = type(table).from_json(Path(path).read_text(encoding="utf-8"), where=str(path))
    recipes, known = table.provenance["recipes"], before.provenance["recipes"]
    sources = {label.partition(":")[0] for label in recipes}

    def is_kept(entry: Any) -> bool:
        source, score = getattr(entry, "source", None) or entry.method, entry.score
        return source not in sources if score == ANY else f"{source}:{score}" not in recipes

    kept = {key: entry for key, entry in before.entries.items() if is_kept(entry)}
    if not kept:
        return table
    labels = set(known) - set(recipes)
    facts = {name: before.provenance[name] for name in ("configuration", "results", "version", "cells")}
    earlier = before.provenance.get("kept", [])
    own = labels.difference(*(study["recipes"] for study in earlier))
    studies = [(facts, own), *((study, labels.intersection(study["recipes"])) for study in earlier)]
    provenance = {
        **table.provenance,
        "recipes": {**{label: known[label] for label in sorted(labels)}, **recipes},
        "kept": [{**study, "recipes": sorted(own)} for study, own in studies if own],
    }
    return replace(table, entries={**kept, **table.entries}, provenance=provenance)


def thresholds_product(store: str | os.PathLike[str]) -> LearnedTable:
    """Learn all thresholds from a store: of the members, and of ensembles on benchmarks that they have not seen.

    From a calibration study those of its recipes, which are those of `learn`.
    """
    if CALIBRATION in Store(store).study().experiments:
        rows, provenance = _calibration(store)
        return LearnedTable.of(Instances.of(rows).learn_all(), provenance)
    instances, provenance = _instances(store)
    entries = instances.learn_all()
    for (metric, weight), made in ensemble_predictions(instances).items():
        entries += [entry for entry in made.learn(metric, weight) if entry.score in COMBINERS]
    return LearnedTable.of(entries, provenance)


def ensemble_product(store: str | os.PathLike[str]) -> TrainingTable:
    """Choose the pairs that the ensemble is trained on."""
    instances, provenance = _instances(store)
    return EnsembleStudy(instances).training_table(provenance)


def training_bytes(table: TrainingTable) -> bytes:
    """Return a table as the compressed CSV that `TrainingTable.from_bytes` reads; the same table gives the same bytes.

    Confidences are written in thousandths and weights to five digits: finer ones would not change a tree.
    """
    text = io.StringIO()
    text.write("# " + json.dumps({"kind": KIND, **table.provenance}, sort_keys=True) + "\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FIXED, *table.confidences])
    columns = [np.rint(values * 1000).astype(int) for values in table.confidences.values()]
    for k in range(len(table)):
        facts = (table.network[k], table.cases[k], table.edge[k], f"{table.weight[k]:.5g}")
        writer.writerow([*facts, *("" if c[k] < 0 else c[k] for c in columns)])
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)


def calibration_product(store: str | os.PathLike[str]) -> CalibrationTable:
    """Fit how confidences become probabilities, for every recipe of a calibration study."""
    rows, provenance = _calibration(store)
    return Samples(rows).table(provenance)


def paths_product(store: str | os.PathLike[str]) -> PathTable:
    """Fit how probable it is that one variable leads to another, for every recipe of a calibration study."""
    rows, provenance = _calibration(store)
    return paths_table(Samples(rows), Store(store).study().experiments[CALIBRATION].made_recipes(), provenance)


def _calibration(store: str | os.PathLike[str]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the rows of a calibration study, and how they were made: with limits on parents that move with N."""
    source = Store(store)
    rows, cells = _frames(source, CALIBRATION)
    settings = source.study().experiments[CALIBRATION]
    recipes = {label: recipe.describe() for label, recipe in settings.made_recipes().items()}
    return rows, {**_provenance(source, Samples(rows).digest, cells, recipes), "parents": BY_CASES}


def _instances(store: str | os.PathLike[str]) -> tuple[Instances, dict[str, Any]]:
    source = Store(store)
    rows, cells = _frames(source, EXPERIMENT)
    instances = Instances.of(rows)
    recipes = source.study().experiments[EXPERIMENT].recipes()
    return instances, _provenance(source, instances.digest, cells, recipes)


def _frames(source: Store, experiment: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    frames = read_frames(source)
    if experiment not in frames or not len(frames[experiment][0]):
        raise FormatError(f"{source.path}: no result of the experiment '{experiment}', which the product is made from.")
    return frames[experiment]


def _provenance(source: Store, results: str, cells: pd.DataFrame, recipes: dict[str, Any]) -> dict[str, Any]:
    facts = source.facts()
    counts = cells["status"].value_counts()
    return {
        "study": facts["name"],
        "configuration": facts["digest"],
        "results": results,
        "version": facts["version"],
        "cells": {status: int(count) for status, count in sorted(counts.items())},
        "recipes": recipes,
        "made_by": "arcwise study export --product",
    }

"""What the package takes from a discovery study: the learned thresholds and the training table of the ensemble."""

from __future__ import annotations

import os
from typing import Any, Literal, get_args

from arcwise.confidence import LearnedTable
from arcwise.confidence.training_table import TrainingTable
from arcwise.errors import FormatError, UnknownNameError, suggestion
from arcwise.files import atomic_write, write_text
from arcwise.study.experiments.ensemble_study import COMBINERS, EnsembleStudy, ensemble_predictions
from arcwise.study.experiments.instances import Instances
from arcwise.study.frames import read_frames
from arcwise.study.store import Store

__all__ = ["Product", "ensemble_product", "export_product", "thresholds_product"]

Product = Literal["thresholds", "ensemble"]
EXPERIMENT = "discovery"


def export_product(store: str | os.PathLike[str], path: str | os.PathLike[str], product: str) -> int:
    """Write a product to a file and return its number of entries: "thresholds" (JSON) or "ensemble" (CSV, gzip)."""
    if product not in get_args(Product):
        raise UnknownNameError(suggestion("product", product, get_args(Product)))
    if product == "thresholds":
        table = thresholds_product(store)
        write_text(path, table.to_json())
        return len(table.entries)
    training = ensemble_product(store)
    with atomic_write(path) as file:
        file.write(training.to_bytes())
    return len(training)


def thresholds_product(store: str | os.PathLike[str]) -> LearnedTable:
    """Learn all thresholds from a store: of the members, and of ensembles on benchmarks that they have not seen."""
    instances, provenance = _instances(store)
    entries = instances.learn_all()
    for (metric, weight), made in ensemble_predictions(instances).items():
        entries += [entry for entry in made.learn(metric, weight) if entry.score in COMBINERS]
    return LearnedTable.of(entries, provenance)


def ensemble_product(store: str | os.PathLike[str]) -> TrainingTable:
    """Choose the pairs that the ensemble is trained on."""
    instances, provenance = _instances(store)
    return EnsembleStudy(instances).training_table(provenance)


def _instances(store: str | os.PathLike[str]) -> tuple[Instances, dict[str, Any]]:
    source = Store(store)
    facts = source.facts()
    frames = read_frames(source)
    if EXPERIMENT not in frames or not len(frames[EXPERIMENT][0]):
        raise FormatError(f"{store}: no result of the experiment '{EXPERIMENT}', which products are made from.")
    rows, cells = frames[EXPERIMENT]
    instances = Instances.of(rows)
    counts = cells["status"].value_counts()
    provenance = {
        "study": facts["name"],
        "configuration": facts["digest"],
        "results": instances.digest,
        "version": facts["version"],
        "cells": {status: int(count) for status, count in sorted(counts.items())},
        "recipes": source.study().experiments[EXPERIMENT].recipes(),
        "made_by": "arcwise study export --product",
    }
    return instances, provenance

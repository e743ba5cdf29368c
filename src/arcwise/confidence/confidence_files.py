"""Files of edge confidences: Parquet with all facts, or CSV for people and spreadsheets."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, cast

import numpy as np

from arcwise.confidence.edge_confidence import EdgeConfidence, Orientation
from arcwise.ensemble.recipe import Recipe
from arcwise.errors import FormatError
from arcwise.files import write_text
from arcwise.parquet import read_parquet, write_parquet

__all__ = ["load_confidence", "save_confidence"]

COLUMNS = ("first", "second", "forward", "backward", "undirected")
FACTS = ("orient", "origin", "n_networks", "weights", "exact", "complete", "n_cases", "data_digest", "feature")


def save_confidence(confidence: EdgeConfidence, path: str | os.PathLike[str]) -> None:
    """Write one row per pair of variables; the suffix says how: .parquet, .csv or .csv.gz."""
    name = Path(path).name
    frame = confidence.to_frame(above=-1.0)
    if name.endswith(".parquet"):
        facts: dict[str, Any] = {"kind": "edge confidence", "names": list(confidence.names)}
        facts |= {fact: getattr(confidence, fact) for fact in FACTS}
        facts["recipe"] = None if confidence.recipe is None else confidence.recipe.describe()
        write_parquet(frame, path, facts=facts)
    elif name.endswith((".csv", ".csv.gz")):
        text = io.StringIO()
        frame.to_csv(text, index=False)
        write_text(path, text.getvalue())
    else:
        raise FormatError(f"cannot write {path}: the name must end in .parquet, .csv or .csv.gz.")


def load_confidence(path: str | os.PathLike[str]) -> EdgeConfidence:
    """Read a Parquet file that `save_confidence` wrote, and check it."""
    if not str(path).endswith(".parquet"):
        raise FormatError(f"{path}: confidences are read from .parquet; a CSV does not hold what thresholds need.")
    frame, facts = read_parquet(path)
    if facts is None or facts.get("kind") != "edge confidence":
        raise FormatError(f"{path}: a Parquet file, but not one of edge confidences. Make one with arcwise confidence.")
    if missing := [column for column in COLUMNS if column not in frame.columns]:
        raise FormatError(f"{path}: the column '{missing[0]}' is missing; the file was edited. Write it again.")
    try:
        names = tuple(str(name) for name in facts["names"])
        known = {fact: facts[fact] for fact in FACTS}
        recipe = None if facts["recipe"] is None else Recipe.from_description(facts["recipe"])
    except (KeyError, TypeError, FormatError) as error:
        raise FormatError(
            f"{path}: the facts of the confidences cannot be read ({error!r}). Write it again."
        ) from error
    index = {name: position for position, name in enumerate(names)}
    n = len(names)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    seen = set()
    for row in frame[list(COLUMNS)].itertuples(index=False):
        i, j = index.get(row[0], -1), index.get(row[1], -1)
        values = np.array(row[2:], dtype=np.float64)
        if i < 0 or j < 0 or i == j or (min(i, j), max(i, j)) in seen:
            raise FormatError(f"{path}: the pair {row[0]}, {row[1]} is unknown or listed twice. Write the file again.")
        if not ((values >= -1e-9).all() and values.sum() <= 1 + 1e-6):
            raise FormatError(f"{path}: the confidences of {row[0]}, {row[1]} are not probabilities: {row[2:]}.")
        seen.add((min(i, j), max(i, j)))
        directed[i, j], directed[j, i] = values[0], values[1]
        undirected[i, j] = undirected[j, i] = values[2]
    if len(seen) < n * (n - 1) // 2:
        raise FormatError(f"{path}: {n * (n - 1) // 2 - len(seen)} pairs are missing; the file was edited.")
    known["orient"] = cast(Orientation, known["orient"])
    return EdgeConfidence(names=names, directed=directed, undirected=undirected, recipe=recipe, **known)

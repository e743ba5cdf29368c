"""From the files of the UCI repository to the published optima: reading, filling gaps, cutting, scoring, searching."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from arcwise.data import Dataset, discretize, impute, read_table
from arcwise.exact import find_optimal
from arcwise.parent_sets import build_parent_sets

# The file, and its name in published_optima.csv (Liao, Sharma, Cussens & van Beek 2019).
FILES = {
    "abalone": "abalone",
    "australian": "aus",
    "balance_scale": "balance",
    "diabetes_pima": "diabetes",
    "ecoli": "ecoli",
    "glass_with_id": "glass",
    "heart_statlog": "heart-st",
    "iris": "iris",
    "letter": "letter",
    "liver_bupa": "liver",
    "post_operative": "post-op",
    "thyroid_new": "thyroid",
    "wine": "wine",
    "yeast": "yeast",
}


def prepared(shared: Path, name: str) -> Dataset:
    """The recipe of the reference data's README: gaps by the mode, quantities into three intervals of equal width.

    In australian all attributes are numbers, categories too; whoever published the optimum cut them all.
    """
    facts = {entry["file"]: entry for entry in json.loads((shared / "data/meta.json").read_text(encoding="utf-8"))}
    table = impute(read_table(shared / f"data/uci/{name}.csv.gz"), method="mode", progress=False)
    columns = facts[f"uci/{name}.csv.gz"]["continuous_vars"]
    if name == "australian":
        columns = [column.name for column in table.columns if len(column.labels) > 3]
    return discretize(table, method="width", bins=3, columns=columns).to_dataset(categorical=True)


@pytest.mark.parametrize("name", FILES)
def test_the_optimum_from_the_raw_file(shared: Path, name: str) -> None:
    """Both scores, to the digits that GOBNILP printed: it read scores rounded to six places for each family."""
    with gzip.open(shared / "data/liao2019/published_optima.csv.gz", "rt", encoding="utf-8") as file:
        published = {row["benchmark"]: float(row["GOBNILP"] or "nan") for row in csv.DictReader(file)}
    data = prepared(shared, name)
    for score, suffix in (("bic", "BIC"), ("bdeu:ess=1", "BDe")):
        best = find_optimal(build_parent_sets(data, score, progress=False), progress=False)
        assert best.is_proved
        assert best.score == pytest.approx(published[f"{FILES[name]}_{suffix}"], abs=4e-6), suffix

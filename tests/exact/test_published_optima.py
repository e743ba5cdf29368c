"""From the files of the UCI repository to the published optima: reading, filling gaps, cutting, scoring, searching."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from sklearn.datasets import load_iris, load_wine

from arcwise.data import Dataset, Table, discretize, impute, read_table
from arcwise.datasets import load
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


def assert_optima(data: Dataset, bic: float, bdeu: float) -> None:
    """Both scores, to the digits that GOBNILP printed: it read scores rounded to six places for each family."""
    for score, published in (("bic", bic), ("bdeu:ess=1", bdeu)):
        best = find_optimal(build_parent_sets(data, score, progress=False), progress=False)
        assert best.is_proved
        assert best.score == pytest.approx(published, abs=4e-6), score


@pytest.mark.parametrize("name", FILES)
def test_the_optimum_from_the_raw_file(shared: Path, name: str) -> None:
    with gzip.open(shared / "data/liao2019/published_optima.csv.gz", "rt", encoding="utf-8") as file:
        published = {row["benchmark"]: float(row["GOBNILP"] or "nan") for row in csv.DictReader(file)}
    assert_optima(prepared(shared, name), published[f"{FILES[name]}_BIC"], published[f"{FILES[name]}_BDe"])


@pytest.mark.parametrize(
    ("name", "bic", "bdeu"),
    [
        ("balance-scale", -4521.017766, -4549.055352),
        ("iris", -465.435028, -452.214297),
        ("wine", -1891.694807, -1866.406129),
    ],
)
def test_the_optimum_of_data_that_are_everywhere(name: str, bic: float, bdeu: float) -> None:
    if name == "balance-scale":
        assert_optima(load(name), bic, bdeu)
        return
    frame = {"iris": load_iris, "wine": load_wine}[name](as_frame=True).frame
    table = discretize(Table.from_dataframe(frame), method="width", bins=3, columns=list(frame.columns[:-1]))
    assert_optima(table.to_dataset(categorical=True), bic, bdeu)

"""Files that are read as their distinct rows, on the command line: rows in, rows out, and counts of cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from arcwise.data import large as grouping

QUERY = """SELECT (hash(i) % 2)::INT a, (hash(i) % 2)::INT + (hash(i + 7) % 1000) / 1000 x, (hash(i + 99) % 3)::INT c,
    CASE WHEN i % 20 = 0 THEN NULL ELSE (hash(i + 5) % 2)::INT END d, i AS id FROM range(600) t(i)"""
QUICK = ("--quiet", "--no-compare", "--permutations", 0, "--replicates", 10, "--seed", 1)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "large.parquet"
    duckdb.connect().execute(f"COPY ({QUERY}) TO '{path}' (FORMAT PARQUET)")
    monkeypatch.setattr(grouping, "GROUPED_CELLS", 100)
    return path


def test_rows_are_predicted_asked_about_and_compared_one_by_one(
    cli: Callable[..., str], large: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    cli("learn", large, "--yes", "--column", "#1", "--column", "#2", "--column", "c", "-o", folder, *QUICK)
    assert json.loads((folder / "run.json").read_text())["data"]["cases"] == 600
    assert len(cli("predict", folder, large, "--target", "a", "--quiet").splitlines()) == 601
    assert json.loads(cli("query", folder, "P(a)", "--evidence", large, "--json"))["answers"][0]["rows"] == 600
    assert json.loads(cli("check-fit", folder, large, "--json"))["n_cases"] == 600
    assert "--sample" in cli("predict", folder, large, "--target", "a", "--sample", 5, code=2)
    assert "not for rows" in cli("check-fit", folder, large, "--sample", 5, code=1)


def test_rows_that_are_written_are_those_of_the_file(cli: Callable[..., str], large: Path, tmp_path: Path) -> None:
    found = json.loads(cli("impute", large, "--method", "drop", "-o", tmp_path / "a.csv", "--json"))
    assert (found["rows"], found["rows_dropped"]) == (570, 30)
    assert [line.rsplit(",", 1)[1] for line in (tmp_path / "a.csv").read_text().splitlines()[1:4]] == ["1", "2", "3"]
    asked = ("--method", "quantile", "--cut", "x", "-o", tmp_path / "b.csv", "--json")
    assert json.loads(cli("discretize", large, *asked))["rows"] == 600


def test_the_audit_counts_cases_and_tells_what_the_reader_did(cli: Callable[..., str], large: Path) -> None:
    told = " ".join(cli("check", large).split())
    assert "The data have 4 columns and 600 rows" in told
    assert "Left out column 'id', which has about" in told and "Cut column 'x' into 3 bins" in told
    whole = " ".join(cli("check", large, "--whole").split())
    assert "The data have 5 columns and 600 rows" in whole and "before rows were counted" not in whole


def test_other_verbs_say_how_to_read_a_large_file(cli: Callable[..., str], large: Path) -> None:
    asked = ("search", large, "--drop", "id", "--drop", "x", "--drop", "d", "--json")
    assert json.loads(cli(*asked))["score"] == pytest.approx(json.loads(cli(*asked, "--whole"))["score"])
    assert "--whole" in cli("search", large, "--drop", "id", "--drop", "d", code=1)


def test_a_structure_needs_no_columns_but_its_own(cli: Callable[..., str], large: Path, tmp_path: Path) -> None:
    cli("search", large, "--column", "a", "--column", "c", "-o", tmp_path / "graph.graphml")
    for whole, name in (((), "one.bif"), (("--whole",), "other.bif")):
        cli("fit", tmp_path / "graph.graphml", large, *whole, "-o", tmp_path / name)
    assert (tmp_path / "one.bif").read_bytes() == (tmp_path / "other.bif").read_bytes()
    assert json.loads(cli("check-fit", tmp_path / "one.bif", large, "--json"))["n_cases"] == 600

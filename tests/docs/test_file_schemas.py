"""What docs/reference/files.md says of our files is what is in them: columns and types, and versions."""

from __future__ import annotations

import math
import re
from pathlib import Path

import duckdb
import pytest

from arcwise import build_parent_sets, datasets, edge_confidence, find_credible

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "docs").is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)
PAGE = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")


def documented(heading: str) -> dict[str, str]:
    """The names and types of the first table of columns below a heading."""
    rows = re.findall(
        r"^ *\| (`.*?) \| (\w+) \|", PAGE[PAGE.index(f"## {heading}\n") :].split("\n## ")[0], re.MULTILINE
    )
    return {name: kind for names, kind in rows for name in re.findall(r"`([^`]+)`", names)}


def written(path: Path) -> dict[str, str]:
    """The names and types that a file holds."""
    rows = duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
    return {row[0]: {"VARCHAR": "string", "DOUBLE": "double"}[row[1]] for row in rows}


@pytest.mark.parametrize("heading", ["Networks of an ensemble", "Edge confidences"])
def test_parquet_files_have_the_columns_that_are_documented(heading: str, tmp_path: Path) -> None:
    data = datasets.load("iris")
    networks = find_credible(build_parent_sets(data, "bic", slack=math.log(3)), bayes_factor=3)
    path = tmp_path / "a.parquet"
    made = networks if heading.startswith("Networks") else edge_confidence(networks)
    made.save(path)
    expected = documented(heading)
    parents = expected.pop("parents of NAME", None)
    if parents is not None:
        expected |= {f"parents of {name}": parents for name in data.names}
    assert written(path) == expected


def test_the_versions_of_files_are_those_that_are_documented() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "arcwise").rglob("*.py"))
    kinds = dict(re.findall(r'^[A-Z_]+ = b?"arcwise-([a-z-]+) (\d+)(?:\\n)?"$', sources, re.MULTILINE))
    assert set(kinds) >= {"networks", "summary", "chains", "parent-sets", "replicates"}
    for name, version in re.findall(r"`arcwise-([a-z-]+) (\d+)`", PAGE):
        assert kinds[name] == version

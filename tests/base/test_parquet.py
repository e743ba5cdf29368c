from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from arcwise.base.arrays import read_parquet, write_parquet
from arcwise.errors import FormatError


def test_table_and_facts_survive(tmp_path: Path) -> None:
    frame = pd.DataFrame({"it's": [1.5, 2.5], "b": ["x", None]})
    facts = {"quote": "it's", "names": ["ä", 'say "hi"'], "n": 3}
    write_parquet(frame, tmp_path / "a'b.parquet", facts=facts)
    again, found = read_parquet(tmp_path / "a'b.parquet")
    assert found == facts
    assert again["it's"].tolist() == [1.5, 2.5]
    assert again["b"].isna().tolist() == [False, True]
    assert [p.name for p in tmp_path.iterdir()] == ["a'b.parquet"]


def test_a_file_without_facts_has_none(tmp_path: Path) -> None:
    write_parquet(pd.DataFrame({"a": [1]}), tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet")[1] is None


def test_what_is_not_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        read_parquet(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="No such file"):
        read_parquet(tmp_path / "b.parquet")


def test_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot write"):
        write_parquet(pd.DataFrame({"a": [1]}), tmp_path / "no" / "a.parquet")


def test_ctrl_c_while_pandas_loads_is_no_broken_file(tmp_path: Path) -> None:
    """DuckDB imports pandas when it is asked for a frame, and takes any exception of that for its absence."""
    write_parquet(pd.DataFrame({"a": [1, 2]}), tmp_path / "a.parquet")
    code = """
import sys
from arcwise.base.arrays import read_parquet
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt
for name in [name for name in sys.modules if name.partition(".")[0] == "pandas"]:
    del sys.modules[name]
sys.meta_path.insert(0, Finder())
try:
    read_parquet(sys.argv[1])
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.parquet")], capture_output=True, text=True, check=False
    )
    assert done.stdout == "heard\n", done.stderr

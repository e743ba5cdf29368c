from __future__ import annotations

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

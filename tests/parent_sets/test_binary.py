from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.base.arrays import format_array_file
from arcwise.errors import FormatError
from arcwise.limits import Status
from arcwise.parent_sets import (
    ParentSetTable,
    format_binary,
    format_jkl,
    parse_binary,
    parse_jkl,
    read_parent_sets,
    write_parent_sets,
)
from arcwise.parent_sets.table import KIND

TABLE = ParentSetTable.from_lists(
    ["a b", "µ", "c"],
    [[(-1.25, []), (-0.1, [1, 2])], [(-2.0, [0])], [(-1e-300, []), (-3.0, [0, 1])]],
    slack=math.log(20),
    max_parents=2,
    score={"name": "bdeu", "ess": 1.0},
    data_digest="0" * 64,
    status=Status.TIME_LIMIT,
)


def test_everything_comes_back() -> None:
    again = parse_binary(format_binary(TABLE))
    assert again.digest == TABLE.digest
    assert (again.names, again.slack, again.max_parents, again.score) == (
        TABLE.names,
        TABLE.slack,
        2,
        {"name": "bdeu", "ess": 1.0},
    )
    assert (again.data_digest, again.status) == ("0" * 64, Status.TIME_LIMIT)


@pytest.mark.parametrize("slack", [math.nan, math.inf, 0.0])
def test_special_slacks_come_back_in_both_formats(slack: float) -> None:
    table = ParentSetTable.from_lists(["a"], [[(-1.0, [])]], slack=slack)
    for again in (parse_binary(format_binary(table)), parse_jkl(format_jkl(table))):
        assert again.slack == slack or (math.isnan(again.slack) and math.isnan(slack))


@given(st.integers(0, len(format_binary(TABLE)) - 1))
def test_every_truncation_is_refused(length: int) -> None:
    with pytest.raises(FormatError):
        parse_binary(format_binary(TABLE)[:length])


@given(st.integers(0, len(format_binary(TABLE)) - 1), st.integers(1, 255))
def test_every_changed_byte_is_refused(position: int, difference: int) -> None:
    content = bytearray(format_binary(TABLE))
    content[position] ^= difference
    with pytest.raises(FormatError):
        parse_binary(bytes(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda facts, arrays: facts.pop("slack"),
        lambda facts, arrays: facts.update(slack=-1.0),
        lambda facts, arrays: facts.update(names=["a", "b"]),
        lambda facts, arrays: facts.update(names=["a", "a", "c"]),
        lambda facts, arrays: facts.update(status="ready"),
        lambda facts, arrays: facts.update(extra=1),
        lambda facts, arrays: arrays.pop("rows"),
        lambda facts, arrays: arrays.update(scores=np.array([1, 2], dtype="<i8")),
        lambda facts, arrays: arrays.update(scores=np.array([np.nan] * 5)),
        lambda facts, arrays: arrays.update(members=np.array([9] * 5, dtype="<u1")),
        lambda facts, arrays: arrays.update(sizes=np.array([0, 2, 1, 0, 99], dtype="<u1")),
    ],
)
def test_a_well_signed_file_with_wrong_content_is_refused(change: object) -> None:
    facts = {
        "slack": 0.0,
        "max_parents": None,
        "score": {},
        "data_digest": None,
        "status": "complete",
        "names": ["a", "b", "c"],
    }
    arrays = {
        "rows": np.array([2, 1, 2], dtype="<u1"),
        "sizes": np.array([0, 2, 1, 0, 2], dtype="<u1"),
        "members": np.array([1, 2, 0, 0, 1], dtype="<u1"),
        "scores": np.array([-0.5, -1.0, -2.0, -0.5, -3.0]),
    }
    parse_binary(format_array_file(KIND, facts, arrays))
    change(facts, arrays)  # type: ignore[operator]
    with pytest.raises(FormatError):
        parse_binary(format_array_file(KIND, facts, arrays), source="table.arct")


def test_malformed_headers_and_other_kinds_are_refused() -> None:
    def signed(header: bytes, length: int | None = None, kind: str = KIND) -> bytes:
        body = f"{kind}\n".encode() + (len(header) if length is None else length).to_bytes(8, "little") + header
        return body + hashlib.sha256(body).digest()

    for content in (
        b"",
        b"not ours",
        signed(b"{"),
        signed(b"{}"),
        signed(b"[]"),
        signed(b"{}", length=2**63),
        signed(json.dumps({"facts": {}, "arrays": [["x"]]}).encode()),
        signed(json.dumps({"facts": {}, "arrays": [["x", "<f8", [10**15]]]}).encode()),
        signed(json.dumps({"facts": {}, "arrays": [["x", "<f8", [-1]]]}).encode()),
        signed(json.dumps({"facts": {}, "arrays": [["x", "<f8", [0, 10**30]]]}).encode()),
        signed(b'{"facts": {}, "arrays": [["x", "<f8", [Infinity]]]}'),
        signed(b"[" * 10**6),
        signed(json.dumps({"facts": {}, "arrays": [["x", "|O", [0]]]}).encode()),
        signed(json.dumps({"facts": [], "arrays": []}).encode()),
        signed(json.dumps({"facts": {}, "arrays": []}).encode(), kind="arcwise-networks 1"),
    ):
        with pytest.raises(FormatError):
            parse_binary(content)


def test_files_are_told_by_their_content_and_written_by_their_name(tmp_path: Path) -> None:
    for name in ("t.jkl", "t.arct", "t.jkl.gz", "t.arct.gz"):
        write_parent_sets(tmp_path / name, TABLE)
        disguised = tmp_path / "t.dat"
        disguised.write_bytes((tmp_path / name).read_bytes())
        assert read_parent_sets(disguised).digest == TABLE.digest
    with pytest.raises(FormatError, match=r"ends in \.arct"):
        write_parent_sets(tmp_path / "t.txt", TABLE)

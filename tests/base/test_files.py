from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from arcwise.base.errors import suggestion
from arcwise.base.files import atomic_write, read_bytes, unpack_gzip, write_text
from arcwise.errors import FormatError
from arcwise.limits import Limits, Status


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_by_name_and_by_content(tmp_path: Path) -> None:
    write_text(tmp_path / "a.gz", "text")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"
    assert read_bytes(tmp_path / "a.gz") == b"text"
    (tmp_path / "b.gz").write_bytes((tmp_path / "a.gz").read_bytes()[:-6])
    with pytest.raises(FormatError, match="damaged gzip"):
        read_bytes(tmp_path / "b.gz")


@pytest.mark.parametrize("content", [b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(40), b"\x1f\x8b\xff" * 10])
def test_any_damaged_gzip_is_a_format_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(FormatError, match="damaged gzip"):
        read_bytes(tmp_path / "a.gz")


def test_a_gzip_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = gzip.compress(bytes(2**27))
    assert len(bomb) < 2**18
    (tmp_path / "a.gz").write_bytes(bomb)
    monkeypatch.setattr("arcwise.base.files.MAX_UNPACKED", 2**25)
    tracemalloc.start()
    with pytest.raises(FormatError, match="unpacks to more than 33,554,432 bytes"):
        read_bytes(tmp_path / "a.gz")
    assert tracemalloc.get_traced_memory()[1] < 2**26 + 2**24
    tracemalloc.stop()


def test_gzip_in_several_members_and_up_to_the_limit() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(512)
    assert unpack_gzip(packed, source="a", limit=7) == b"one two"
    with pytest.raises(FormatError, match="a: the gzip file unpacks to more than 6 bytes"):
        unpack_gzip(packed, source="a", limit=6)


def test_a_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot read"):
        read_bytes(tmp_path / "a")
    with pytest.raises(FormatError, match="cannot write"):
        write_text(tmp_path / "no" / "a", "")


def test_status_has_the_native_order() -> None:
    assert [Status.from_native(k) for k in range(5)] == list(Status)


def test_limits_are_positive() -> None:
    with pytest.raises(ValueError, match="seconds=0 must be positive"):
        Limits(seconds=0)
    assert Limits().native_seconds == float("inf")


def test_suggestion() -> None:
    assert suggestion("score", "zzz", ["b", "a"]) == "unknown score 'zzz'. Known: a, b."

"""The page on testing names a test for every finding; each of them must be there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
ROW = re.compile(r"^\| (\d+)\. .*\| `(tests/\S+\.py)::(test_\w+)` \|$", re.MULTILINE)


def test_every_finding_has_a_test_that_exists() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [int(number) for number, _, _ in rows] == list(range(1, 23))
    for number, path, name in rows:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", source, re.MULTILINE), f"finding {number}: {path} has no {name}"


def test_every_command_of_the_page_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([\w-]+)`", PAGE.read_text(encoding="utf-8"))):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target

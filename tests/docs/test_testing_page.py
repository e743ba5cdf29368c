"""The page on testing names the tests of every finding, and of all that attacks it; each of them must be there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
LOG = ROOT / "docs" / "benchmarks" / "testing.md"
ROW = re.compile(r"^\| (\d+)\. .*$", re.MULTILINE)
TEST = re.compile(r"`((?:studies/)?tests/\S+?\.py)::(test_\w+)`")


def test_every_finding_has_a_test() -> None:
    rows = {int(row[1]): row[0] for row in ROW.finditer(LOG.read_text(encoding="utf-8"))}
    assert list(rows) == list(range(1, 23))
    for number, row in rows.items():
        assert TEST.search(row), f"finding {number} has no test"


def test_every_test_of_the_page_exists() -> None:
    tests = TEST.findall(LOG.read_text(encoding="utf-8"))
    assert len(tests) > 50
    for path, name in tests:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", source, re.MULTILINE), f"{path} has no {name}"


def test_every_command_of_the_page_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([\w-]+)`", PAGE.read_text(encoding="utf-8"))):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target

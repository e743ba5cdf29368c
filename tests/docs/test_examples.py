"""The examples of the reference: each file in docs/examples is a doctest, run in an empty folder."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "examples").glob("*.txt"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_do_what_they_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_those_of_public_names(path: Path) -> None:
    module = importlib.import_module(f"arcwise.{path.stem}")
    names = re.findall(r"^## (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert names[0] == "setup"
    assert set(names[1:]) <= set(module.__all__)

"""The examples of the reference: each file in docs/examples is a doctest, run in an empty folder."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples"
if not EXAMPLES_FOLDER.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)
EXAMPLES = sorted(EXAMPLES_FOLDER.glob("*.txt"))
SOURCES = EXAMPLES_FOLDER.parents[1] / "src"
DOCSTRINGS = sorted(
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in SOURCES.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def module_of(path: Path) -> ModuleType:
    """The module that a file is about: a stage, or the package of studies."""
    return importlib.import_module(path.stem if path.stem == "arcwise_studies" else f"arcwise.{path.stem}")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_do_what_they_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_examples_of_docstrings_do_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL  # the module of an error is not told
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert failed == 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_those_of_public_names(path: Path) -> None:
    module = module_of(path)
    names = re.findall(r"^## (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert names[0] == "setup"
    assert set(names[1:]) <= set(module.__all__)


def test_every_public_function_has_an_example() -> None:
    pages = (EXAMPLES_FOLDER.parent / "reference").glob("*.md")
    stages = re.findall(r"<!-- built stage (\w+) -->", "".join(page.read_text(encoding="utf-8") for page in pages))
    assert len(stages) >= 20
    missing = []
    for stage in stages:
        file = EXAMPLES_FOLDER / f"{stage}.txt"
        module = module_of(file)
        shown = re.findall(r"^## (\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE) if file.exists() else []
        missing += [
            f"{stage}.{name}"
            for name in getattr(module, "__all__", [])
            if inspect.isroutine(thing := getattr(module, name))
            and name not in shown
            and ">>> " not in (inspect.getdoc(thing) or "")
        ]
    assert not missing

"""The figures of the pages are what the code draws; `python docs/figures.py` writes them anew."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def test_the_figures_are_current() -> None:
    spec = importlib.util.spec_from_file_location("docs_figures", DOCS / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.make()
    assert set(made) == {path.name for path in (DOCS / "figures").glob("*.svg")}
    for name, text in made.items():
        ElementTree.fromstring(text)  # well-formed
        assert (DOCS / "figures" / name).read_text(encoding="utf-8") == text, "run: python docs/figures.py"

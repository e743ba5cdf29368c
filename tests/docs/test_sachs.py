"""The tables of the worked experiments are what the published data give; `python docs/sachs.py` rewrites them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def test_the_tables_of_sachs_are_current(shared: Path) -> None:
    spec = importlib.util.spec_from_file_location("docs_sachs", DOCS / "sachs.py")
    assert spec is not None
    assert spec.loader is not None
    sachs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sachs)
    text = sachs.PAGE.read_text(encoding="utf-8")
    assert sachs.regenerated(text, shared) == text, "run: python docs/sachs.py"
    assert sachs.counts(sachs.published(), sachs.read(shared)[2]) == (15, 0, 0, 5, 2)

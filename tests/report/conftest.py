"""Reports to test with: one that is learned, and a browser to show it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arcwise
from arcwise import datasets


def load_chromium() -> ModuleType:
    """Tests are imported by path, so the module beside them is too."""
    spec = importlib.util.spec_from_file_location("report_chromium", Path(__file__).with_name("chromium.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["report_chromium"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium; without one the tests are skipped, and say how to get it."""
    chromium = load_chromium()
    if chromium.find_browser() is None:
        pytest.skip("NO BROWSER: install chromium and chromium-driver to test the report (apt-get install ...)")
    with chromium.open_browser() as page:
        yield page


@pytest.fixture(scope="session")
def wine() -> arcwise.Analysis:
    return arcwise.learn(datasets.load("wine"), seed=1, permutations=5, name="wine")

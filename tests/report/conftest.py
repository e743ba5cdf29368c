"""Reports to test with: one that is learned, and a browser to show it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
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


@pytest.fixture
def page(browser: Any, wine: arcwise.Analysis, tmp_path: Path) -> Any:
    """The report of the wine data, freshly opened; at the end the console must be silent and nothing fetched."""
    path = tmp_path / "report.html"
    yield opened(browser, wine, path)
    assert browser.log("browser") == []
    assert browser.requests() == [path.resolve().as_uri()]


@pytest.fixture(scope="session")
def ladder() -> arcwise.Analysis:
    """Forty-five variables in three parts that are joined weakly, and one variable with many neighbours."""
    rng = np.random.default_rng(3)
    columns: list[np.ndarray] = []
    for v in range(45):
        if v % 15 == 0:
            columns.append(rng.integers(0, 2, 600))
            continue
        before = columns[v - 1] if v % 15 > 6 else columns[15 * (v // 15)]
        columns.append(np.where(rng.random(600) < 0.85, before, rng.integers(0, 2, 600)))
    frame = pd.DataFrame({f"x{v}": column for v, column in enumerate(columns)})
    return arcwise.learn(frame, method="bootstrap", score="bic", replicates=20, permutations=0, compare=False)


def opened(browser: Any, analysis: arcwise.Analysis, path: Path) -> Any:
    """Open the report of an analysis."""
    path.write_text(analysis.to_html(), encoding="utf-8")
    browser.resize(1440, 1000)
    browser.emulate()
    browser.log("browser")
    browser.requests()
    browser.open(path)
    browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
    return browser


@pytest.fixture
def large(browser: Any, ladder: arcwise.Analysis, tmp_path: Path) -> Any:
    """The report of forty-five variables, freshly opened."""
    yield opened(browser, ladder, tmp_path / "large.html")
    assert browser.log("browser") == []

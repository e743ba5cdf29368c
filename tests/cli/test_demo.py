"""The demo: everything that a new user sees first, without any data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise.analysis import open_analysis


def test_the_demo_writes_a_report_and_says_where_it_is(
    cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = cli("demo")
    assert "A Bayesian network of 14 variables from 178 cases" in shown
    assert "Report: demo-output/report.html" in shown
    question = shown.split("Ask it: arcwise ")[1].split()
    assert f"What {question[2]} depends on" in cli(*question)
    assert "cultivar" in open_analysis("demo-output").data.names
    assert "demo-output: it holds the result of an earlier run" in cli("demo", code=1)

"""A few of the random analyses; `python -m tests.obedience` runs as many as you like."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.obedience.cases import check


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(12, 84, 12))])
def test_no_file_breaks_the_constraints(start: int, tmp_path: Path) -> None:
    for number in range(start, start + 12):
        check(number, tmp_path / str(number))


def test_an_edge_that_no_network_has_points_as_constraints_allow(tmp_path: Path) -> None:
    """It was said to point either way, which a tier or a forbidden arc excludes."""
    check(1361417120, tmp_path / "analysis")

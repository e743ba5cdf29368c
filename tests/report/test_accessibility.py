"""What axe-core, the usual checker of accessibility, finds in the page: nothing serious."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

# `make axe` downloads it; it is a tool of the tests and no part of the package.
AXE = Path(os.environ.get("ARCWISE_AXE", Path(__file__).resolve().parents[2] / "build" / "axe.min.js"))
RUN = """const done = arguments[arguments.length - 1];
    axe.run(document).then(found => done(
        found.violations.map(v => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 120)])))"""


def serious(page: Any) -> list[Any]:
    page.run(AXE.read_text(encoding="utf-8") + "; window.axe = axe;")
    found = page.run_later(RUN)
    return [one for one in found if one[0] in ("serious", "critical")]


@pytest.fixture(autouse=True)
def axe() -> None:
    if not AXE.is_file():
        pytest.skip(f"NO AXE: {AXE} is missing; `make axe` downloads it (needs npm and a network)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Any, scheme: str) -> None:
    page.emulate(scheme=scheme)
    assert serious(page) == []
    page.run("document.querySelector('.node').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.run("document.querySelector('#cards .state-bar').click()")
    assert serious(page) == []
    page.run("document.querySelector('.edge').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert serious(page) == []


def test_axe_finds_nothing_serious_around_a_variable(large: Any) -> None:
    large.click("#around")
    assert serious(large) == []

"""What is linked into the native module is named, and its licence goes where the module goes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["nanobind", "robin-map"])
def test_licences_of_what_is_linked(name: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"]["license-files"]
    text = ROOT / "licenses" / f"{name}.txt"
    assert text in [path for pattern in settings for path in ROOT.glob(pattern)]
    assert "Copyright (c)" in text.read_text()
    assert f"licenses/{name}.txt" in (ROOT / "NOTICE").read_text()

"""The notebooks run from top to bottom in an empty folder, as a reader would run them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[str]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*Transform.*:UserWarning")
@pytest.mark.filterwarnings("default:Column .* is far beyond its range")  # of new wines, one is
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "notebook"}
    for number, code in enumerate(cells(path, "code"), start=1):
        exec(compile(code, f"{path.name}, cell {number}", "exec"), namespace)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_in_the_form_of_jupyter_without_outputs(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert (found["nbformat"], found["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert cells(path, "markdown")[0].startswith("# ")
    for cell in found["cells"]:
        assert cell["cell_type"] != "code" or (cell["outputs"] == [] and cell["execution_count"] is None)


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4

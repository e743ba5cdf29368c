"""What the pages take from the code is what the code says; `python docs/update.py` rewrites it."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


update = script("update")
hooks = script("hooks")
CHECKED = ("how-to/choose-a-score.md", "reference/command-line.md")


@pytest.mark.parametrize("page", CHECKED)
def test_generated_parts_are_current(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert "<!-- begin " in text
    assert update.regenerated(text) == text, f"docs/{page} is out of date; run: python docs/update.py"


@pytest.mark.parametrize("stage", update.STAGES)
def test_every_public_name_is_on_the_page_of_its_stage(stage: str) -> None:
    text = (DOCS / "reference" / f"{stage}.md").read_text(encoding="utf-8")
    listed = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}
    names = set(importlib.import_module(f"arcwise.{stage}").__all__)
    assert names - listed == set(), "run: python docs/update.py"


def test_every_stage_has_a_page() -> None:
    stages = {
        path.parent.name
        for path in (ROOT / "src" / "arcwise").glob("*/__init__.py")
        if not path.parent.name.startswith("_") and path.parent.name != "cli"
    }
    assert stages - set(update.STAGES) == set()


@pytest.mark.parametrize("stage", update.STAGES)
def test_every_public_name_has_a_description(stage: str) -> None:
    rows = update.stage_names(stage).splitlines()[2:]
    for row in rows:
        name, description = (cell.strip() for cell in row.strip("|").split("|", 1))
        assert len(description) > 8, f"arcwise.{stage}: {name} has no description"


def test_a_stale_part_is_noticed() -> None:
    assert "`bdeu`" in update.regenerated("<!-- begin scores -->\nold\n<!-- end -->")


def test_the_navigation_lists_every_page_once() -> None:
    def pages(tree: list[object]) -> list[str]:
        found: list[str] = []
        for entry in tree:
            found += [entry] if isinstance(entry, str) else [p for part in entry.values() for p in part]  # type: ignore[attr-defined]
        return found

    listed = pages(hooks.navigation(DOCS))
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    assert listed[:2] == ["index.md", "tutorial.md"]

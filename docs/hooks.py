"""mkdocs hooks: the navigation from the files that are there, and the docstrings on the pages of the reference."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

# Sections in the order of the navigation; a folder that is not named here comes after them.
SECTIONS = {"how-to": "How to", "reference": "Reference", "papers": "Papers", "benchmarks": "Benchmarks"}

# Pages that come first in their section, in this order; the others follow by name.
FIRST = (
    "index",
    "install",
    "tutorial",
    "worked-analysis",
    "worked-experiments",
    "comparison",
    "glossary",
    "design",
    "testing",
    "learn",
    "read-your-report",
    "mistakes",
    "compare-answers",
    "read-data",
    "choose-a-score",
    "choose-a-prior",
    "threshold",
    "constraints",
    "large-problems",
    "cluster",
    "data",
    "graph",
    "counts",
    "scores",
    "parent_sets",
    "search",
    "ensemble",
    "confidence",
    "priors",
    "model",
    "evaluate",
    "command-line",
    "files",
)


def on_config(config: Any) -> Any:
    """Set the navigation, unless mkdocs.yml has one."""
    if config["nav"] is None:
        config["nav"] = navigation(Path(config["docs_dir"]))
    return config


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Add signatures and docstrings to the page of a stage, after the table of its names."""
    stage = re.search(r"<!-- begin names (\w+) -->", markdown)
    if stage is None:
        return markdown
    docs = Path(config["docs_dir"])
    if importlib.util.find_spec("arcwise") is None:
        sys.path[:0] = [str(docs.parent / "src"), str(docs.parent / "studies" / "src")]
    spec = importlib.util.spec_from_file_location("api", docs / "api.py")
    assert spec is not None
    assert spec.loader is not None
    api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
    return f"{markdown}\n## In full\n\n{api.stage_reference(stage[1])}"


def navigation(docs: Path) -> list[Any]:
    """Return the pages at the top, then one section per folder. Titles are those of the pages."""
    tree: list[Any] = _pages(docs, docs)
    folders = sorted({path.parent for path in docs.rglob("*.md") if path.parent != docs}, key=_section_order)
    return tree + [{_section_title(folder): _pages(folder, docs)} for folder in folders]


def _pages(folder: Path, docs: Path) -> list[str]:
    return [path.relative_to(docs).as_posix() for path in sorted(folder.glob("*.md"), key=_page_order)]


def _page_order(path: Path) -> tuple[int, str]:
    return (FIRST.index(path.stem) if path.stem in FIRST else len(FIRST), path.stem)


def _section_order(folder: Path) -> tuple[int, str]:
    known = list(SECTIONS)
    return (known.index(folder.name) if folder.name in known else len(known), folder.name)


def _section_title(folder: Path) -> str:
    return SECTIONS.get(folder.name, folder.name.replace("-", " ").capitalize())

"""mkdocs hooks: the navigation, what the build makes from the code, and which pages the search leaves out.

Nothing that can be made from the code is kept in the repository: `<!-- built WHAT -->` stands for it on a page, and
`docs/update.py` knows how to make each WHAT.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

# The pages that a reader may want, in the order of the navigation. Every other page is a log of a measurement, or of
# what a paper says beside what we find: pages link to it, but the navigation and the search leave it out.
NAVIGATION: dict[str, tuple[str, ...]] = {
    "Start": ("index", "install", "tutorial", "read-your-report", "worked-analysis", "glossary"),
    "Questions": (
        "questions/which-edges",
        "questions/what-if",
        "questions/causes",
        "questions/how-many-rows",
        "questions/what-you-know",
        "questions/experiments",
        "questions/predict",
        "questions/messy-data",
        "questions/gaps",
        "questions/numbers",
        "questions/dependent-rows",
        "questions/score-and-prior",
        "questions/best-network",
        "questions/other-networks",
        "questions/large-data",
        "questions/step-by-step",
        "questions/mistakes",
    ),
    "Coming from": (
        "coming-from/bnlearn",
        "coming-from/pgmpy",
        "coming-from/gobnilp",
        "coming-from/comparison",
    ),
    "Reference": (
        "reference/command-line",
        "reference/files",
        "reference/python-data",
        "reference/python-networks",
        "reference/python-search",
        "reference/python-confidence",
        "reference/python-answers",
        "reference/studies",
    ),
    "Evidence": ("evidence", "benchmarks/index", "benchmarks/calibration", "papers/index", "testing"),
}
PAGES = frozenset(f"{name}.md" for names in NAVIGATION.values() for name in names)


def on_config(config: Any) -> Any:
    """Set the navigation."""
    config["nav"] = [{title: [f"{name}.md" for name in names]} for title, names in NAVIGATION.items()]
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Add the tutorial as a notebook."""
    from mkdocs.structure.files import File  # the tests read this file where mkdocs is not installed

    notebook = _beside(config, "update").tutorial_notebook()
    files.append(File.generated(config, "tutorial.ipynb", content=notebook))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Make what the page takes from the code; keep logs out of the search."""
    if page.file.src_uri not in PAGES:
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri.removesuffix(".md") in NAVIGATION["Evidence"]:
        page.meta["search"] = {"boost": 0.5}  # after the pages that answer a question
    made: str = _beside(config, "update").with_built_parts(markdown)
    return made


def _beside(config: Any, name: str) -> Any:
    """Return a module of the folder of the pages, which is no package."""
    docs = Path(config["docs_dir"])
    if importlib.util.find_spec("arcwise") is None:
        sys.path[:0] = [str(docs.parent / "src"), str(docs.parent / "studies" / "src")]
    spec = importlib.util.spec_from_file_location(name, docs / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

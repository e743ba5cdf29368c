"""What the pages take from the code is what the code says; `python docs/update.py` rewrites it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


update = script("update")
hooks = script("hooks")
api = script("api")
BUILT = re.compile(r"<!-- built (.+?) -->")
MADE = sorted({name for path in DOCS.rglob("*.md") for name in BUILT.findall(path.read_text(encoding="utf-8"))})
# Pages with parts that are kept, although they come from the summaries of studies.
KEPT = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if "<!-- begin " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("page", KEPT)
def test_generated_parts_are_current(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert update.regenerated(text) == text, f"docs/{page} is out of date; run: python docs/update.py"


@pytest.mark.parametrize("what", [name for name in MADE if not name.startswith("stage ")])
def test_what_the_build_makes_can_be_made(what: str) -> None:
    made = update.with_built_parts(f"Before.\n\n<!-- built {what} -->\n")
    assert len(made.splitlines()) > 4
    assert "<!-- built" not in made


def test_the_keywords_of_functions_are_current() -> None:
    keywords = script("keywords")
    assert keywords.STUB.read_text(encoding="utf-8") == keywords.stub(), "run: python docs/update.py"


def test_the_names_for_type_checkers_are_current() -> None:
    stubs = {update.PACKAGE / "__init__.pyi": update.package_stub(), **update.door_stubs()}
    for path, made in stubs.items():
        assert (update.PACKAGE / path).read_text(encoding="utf-8") == made, "run: python docs/update.py"


def test_every_stage_is_on_one_page_of_the_reference() -> None:
    assert sorted(name.removeprefix("stage ") for name in MADE if name.startswith("stage ")) == sorted(update.STAGES)
    marks = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    assert all(marks.count(f"<!-- built stage {stage} -->") == 1 for stage in update.STAGES)


@pytest.mark.parametrize("stage", update.STAGES)
def test_every_public_name_has_a_description(stage: str) -> None:
    rows = update.stage_names(stage).splitlines()[2:]
    for row in rows:
        name, description = (cell.strip() for cell in row.strip("|").split("|", 1))
        assert len(description) > 8, f"{stage}: {name} has no description"


def test_a_stale_part_is_noticed() -> None:
    assert "`bdeu`" in update.regenerated("<!-- begin scores -->\nold\n<!-- end -->")


def test_the_navigation_has_pages_that_are_there_and_all_others_are_logs() -> None:
    assert {name for name in hooks.PAGES if not (DOCS / name).is_file()} == set()
    (first, *_) = hooks.NAVIGATION["Start"]
    assert first == "index"
    linked = "".join((DOCS / name).read_text(encoding="utf-8") for name in hooks.PAGES)
    logs = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - hooks.PAGES
    assert {log for log in logs if log.rpartition("/")[2] not in linked and not log.startswith("papers/")} == set()


def test_a_log_stays_out_of_the_search() -> None:
    for name, left_out in (("benchmarks/exact.md", True), ("questions/gaps.md", False)):
        page = SimpleNamespace(file=SimpleNamespace(src_uri=name), meta={})
        hooks.on_page_markdown("Words.", page=page, config={"docs_dir": str(DOCS)})
        assert page.meta.get("search", {}).get("exclude", False) is left_out


@pytest.mark.parametrize("stage", update.STAGES)
def test_the_full_reference_describes_every_class_and_function(stage: str) -> None:
    module = api.module_of(stage)
    text = api.stage_reference(stage)
    described = {line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")}
    assert {name for name in module.__all__ if callable(getattr(module, name))} <= described
    assert text.count("```") % 2 == 0


def test_docstrings_become_markdown() -> None:
    text = (
        "Do it.\n\nMore <here>.\n\nParameters\n----------\na, b\n    The *two*\n    of them.\n\n"
        "Examples\n--------\n>>> 1\n1\n"
    )
    expected = "- `a, b`: The \\*two* of them."
    made = api.from_docstring(text)
    assert expected in made
    assert "More &lt;here>." in made
    assert "```pycon\n>>> 1\n1\n```" in made


def slug(heading: str) -> str:
    """What the toc extension of Markdown makes of a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower())


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: p.stem)
def test_links_lead_to_pages_and_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = text if "<!-- built stage" in text else update.with_built_parts(text)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        if target == "tutorial.ipynb":
            continue  # the build makes it
        other = (page.parent / target).resolve() if target else page
        assert other.is_file(), f"{page}: {target}"
        if not anchor:
            continue
        headings = {slug(h) for h in re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.MULTILINE)}
        assert anchor in headings, f"{page}: {target}#{anchor}"


def test_slopes_are_powers() -> None:
    growth = script("growth")
    assert growth.slope([(1, 3), (10, 300), (100, 30_000)]) == pytest.approx(2)
    assert growth.slope([(2, 5), (32, 20)]) == pytest.approx(0.5)
    assert len(growth.exact_points("optimum")["alarm"]) == 4  # 5,000, 10,000, 20,000 and 50,000 cases
    assert "pathfinder" not in growth.learn_points("CPU s")  # a limit ended all but one of its rows


def test_the_table_of_peers_has_the_extremes_of_the_pages() -> None:
    peers = script("peers")
    assert peers.number("1,137x") == 1137
    assert peers.number("+905.8") == 905.8
    assert peers.times([84.0]) == "84 times as fast"
    assert peers.times([12.6, 2.16, 577.4]) == "2.16 to 577 times as fast"
    (first, *_) = peers.rows("inference", "All marginals")
    assert first["network"] == "asia"
    assert set(first) >= {"arcwise, CPU s", "pyAgrum, CPU s", "ratio"}

"""One word for each idea, and short sentences: in the pages, the help, the messages and the templates of the report.

The words are those of docs/glossary.md. What is not mended yet is counted below, page by page and room by room. A
number may only fall: lower it when you mend something.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SOURCES = ROOT / "src" / "arcwise"
if not DOCS.is_dir():
    pytest.skip("a source distribution has no docs", allow_module_level=True)

# What not to write, and what to write instead.
WORDS = {
    r"(?<!upper )(?<!lower )(?<!in )(?-i:[Cc]ases?)(?!-)": "row",  # CASE is SQL; labels may differ in case
    r"data ?points?": "row",
    r"(?<!direct )(?<!symbolic )links?": "edge",
    r"nodes?": "variable",
    r"(?:into|three|two|ten) intervals": "bin",
    r"imagin(?:ed|ary) (?:cases|observations)": "imaginary rows",
    r"thresholds?": "cut-off",
    r"cutoffs?": "cut-off",
    r"missing cells?": "gap",
    r"null values?": "gap",
    r"confounding": "common cause",
    r"equivalence classes of dags": "class",
    r"(?:edge|arc) strengths?": "confidence",
    r"model[- ]averaged network": "consensus",
    r"(?:black|white)listed": "forbidden, required",
}
# Turns of phrase that nobody says.
PHRASES = (
    r"what (?:was|is|has been) (?:said|believed|told)",
    r"(?:be|is|are|was|were) turned round",
    r"there (?:is|are) to be",
    r"by weight",
    r"those that",
    r"that which",
    r"of the .{3,40} the share that",
    r"(?:is|are|was|were) told",
    r"whoever",
    r"give or take",
    r"in all and one by one",
    r"not to speak of",
    r"the more so",
)
# What only an author of the program knows: pages say what is, not what was.
HISTORY = (
    r"early versions?",
    r"an? earlier version",
    r"today's",
    r"no longer",
    r"used to (?:be|have|take)",
    r"formerly",
    r"before, it",
)
LONGEST = 25  # words of a sentence

# How many words and phrases of the lists above there are still, and how many sentences are longer. Pages without a line
# have none.
STILL: dict[str, tuple[int, int]] = {
    "docs/benchmarks/calibration.md": (48, 18),
    "analysis": (1, 0),
    "base": (3, 0),
    "cli": (6, 1),
    "confidence": (12, 0),
    "credible": (1, 2),
    "data": (4, 5),
    "effects": (0, 2),
    "evaluate": (3, 0),
    "graph": (50, 1),
    "local": (0, 1),
    "model": (17, 2),
    "networks": (6, 0),
    "parent_sets": (8, 0),
    "posterior": (0, 3),
    "priors": (0, 1),
    "recipes": (0, 1),
    "scores": (2, 1),
}

PATTERN = re.compile(rf"\b(?:{'|'.join([*WORDS, *PHRASES])})\b", re.IGNORECASE)


def navigation() -> dict[str, tuple[str, ...]]:
    """The pages of the site, read without running the hook."""
    tree = ast.parse((DOCS / "hooks.py").read_text(encoding="utf-8"))
    found = next(
        node for node in tree.body if isinstance(node, ast.AnnAssign) and "NAVIGATION" in ast.dump(node.target)
    )
    assert found.value is not None
    value: dict[str, tuple[str, ...]] = ast.literal_eval(found.value)
    return value


PAGES = {"README.md": ROOT / "README.md"} | {
    f"docs/{name}.md": DOCS / f"{name}.md" for names in navigation().values() for name in names
}


def plain(text: str) -> str:
    """A page without code, the targets of its links, and marks."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", text))


def paragraphs(text: str) -> list[str]:
    """The running text of a page: no headings, tables, pictures or indented code; an item of a list is a paragraph."""
    kept = [line for line in plain(text).splitlines() if not re.match(r" *\||#|!\[|    \S|---", line)]
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n *(?:[-*]|\d+\.) ", "\n" + "\n".join(kept))]


def sentences(text: str) -> list[str]:
    """Split where a sentence ends; an abbreviation in the middle of one is followed by a small letter or a digit."""
    return [
        one
        for one in re.split(r"(?<=[.?!:;])[)\"*]*\s+(?=[\"(*\[]*(?:[A-Z`\d]|arcwise|bnlearn|pgmpy))", text)
        if one.strip()
    ]


def length(sentence: str) -> int:
    return len(re.findall(r"[^\W\d_][\w'-]*", sentence))


@functools.cache
def messages(room: str) -> list[str]:
    """The words of a room that users see: its strings with a blank, without docstrings; values stand as X."""
    found = []
    for path in sorted((SOURCES / room).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                if isinstance(node, ast.Expr | ast.JoinedStr | ast.FormattedValue):
                    continue  # a docstring; or part of a string that is taken whole
                if isinstance(child, ast.Constant) and isinstance(child.value, str):
                    found.append(child.value)
                elif isinstance(child, ast.JoinedStr):
                    parts = [str(part.value) if isinstance(part, ast.Constant) else "X" for part in child.values]
                    found.append("".join(parts))
    prose = (text for text in found if " " in text.strip() and not re.search(r"<\w|\(\?|SELECT|\|\w+\|", text))
    return [re.sub(r"`[^`]*`|--[a-z-]+", "CODE", text) for text in prose if "{font:" not in text]  # no SQL or drawings


def counts(texts: list[str]) -> tuple[int, int]:
    hits = sum(len(PATTERN.findall(text)) for text in texts)
    return hits, sum(length(one) > LONGEST for text in texts for one in sentences(text))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_word_for_each_idea_and_short_sentences(page: str) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    words = [] if page.endswith("glossary.md") else [match[0] for match in PATTERN.finditer(plain(text))]
    long = [one for part in paragraphs(text) for one in sentences(part) if length(one) > LONGEST]
    most = STILL.get(page, (0, 0))
    assert len(words) <= most[0], f"see docs/glossary.md for {Counter(words)}"
    assert len(long) <= most[1], long


ROOMS = sorted(path.parent.name for path in SOURCES.glob("[!_]*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_the_words_of_a_room_do_not_get_worse(room: str) -> None:
    """Help, errors, terminal and report: no more strange words and long sentences than are counted."""
    words, long = counts(messages(room))
    assert words <= STILL.get(room, (0, 0))[0], "one word for each idea: docs/glossary.md, and the lists of this file"
    assert long <= STILL.get(room, (0, 0))[1], [
        one for text in messages(room) for one in sentences(text) if length(one) > LONGEST
    ]


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"docs/benchmarks/calibration.md"}))
def test_a_page_says_what_is_and_not_what_was(page: str) -> None:
    found = re.findall(rf"\b(?:{'|'.join(HISTORY)})\b", plain(PAGES[page].read_text(encoding="utf-8")), re.IGNORECASE)
    assert not found


@pytest.mark.parametrize("page", PAGES)
def test_an_output_is_no_placeholder(page: str) -> None:
    """In a printed line, one "..." may stand for a time or a path."""
    printed = re.findall(r"^```text\n(.*?)^```$", PAGES[page].read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert not [line for text in printed for line in text.splitlines() if line.count("...") > 1 and "(" not in line]


def test_the_readme_is_read_in_a_minute() -> None:
    assert len(PAGES["README.md"].read_text(encoding="utf-8").splitlines()) <= 60


def test_a_reader_has_few_pages() -> None:
    names = [name for group in navigation().values() for name in group]
    assert len(names) == len(set(names)) <= 40
    logs = {f"docs/{path.relative_to(DOCS).as_posix()}" for path in DOCS.rglob("*.md")} - set(PAGES)
    assert {Path(name).parent.name for name in logs} <= {"benchmarks", "papers"}, "a page that nobody finds"


def test_the_words_of_a_newcomer_are_on_the_pages() -> None:
    """What people search for first finds something that is no log."""
    everything = "\n".join(path.read_text(encoding="utf-8").lower() for path in PAGES.values())
    for word in (
        "confounder",
        "common cause",
        "sample size",
        "how many rows",
        "order in time",
        "time order",
        "interaction",
        "causal",
        "missing value",
        "p-value",
    ):
        assert word in everything, word


def test_strange_words_are_noticed() -> None:
    assert counts(["Of the cases, those that were told."])[0] == 3
    assert counts(["A " + "long " * 26 + "one."])[1] == 1
    assert counts(["A showcase."]) == (0, 0)

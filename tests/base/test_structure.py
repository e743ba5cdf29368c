"""Code does not read prose: nothing branches on the words of a remark, a title or a message."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcwise
import arcwise_studies

SOURCES = Path(arcwise.__file__).parent
STUDIES = Path(arcwise_studies.__file__).parent
# What is written for people.
PROSE = {"remark", "message", "title", "reason", "note", "error", "text", "what", "proposal", "details", "meaning"}
READS = {"startswith", "endswith", "split", "partition", "rpartition", "rsplit", "find", "index", "count"}


@functools.cache
def parsed(path: Path) -> ast.Module:
    """Return what a source file says, read once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def is_prose(node: ast.expr) -> bool:
    """`outcome.message`, `remark`, `str(error)`."""
    if isinstance(node, ast.Attribute):
        return node.attr in PROSE - {"text"}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in PROSE
    return isinstance(node, ast.Name) and node.id in PROSE - {"text", "error"}


def is_words(node: ast.expr) -> bool:
    """`"if "`, `("too ", "no ")`: a word and a space, which no name, key or separator has."""
    if isinstance(node, ast.Tuple):
        return any(is_words(element) for element in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(re.search(r"[a-z]{2} ", node.value))


def branches(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=ast.Constant(value=str()) as part, ops=[ast.In() | ast.NotIn()], comparators=[text]):
                found = is_prose(text) or (is_words(part) and not isinstance(text, ast.Tuple | ast.List | ast.Set))
            case ast.Call(func=ast.Attribute(attr=name, value=text), args=[part, *_]):  # split() folds white space
                found = name in READS and (is_prose(text) or is_words(part))
            case _:
                found = False
        if found:
            yield node.lineno


@pytest.mark.parametrize(
    "code",
    [
        '"time" in remark',
        'x.title.split(", ", 1)',
        'str(error).startswith("no")',
        'obstacle.what.partition(" (")[2]',
        'last.startswith("if ")',
        '"the time" in found',
    ],
)
def test_the_check_finds_what_it_is_for(code: str) -> None:
    assert list(branches(ast.parse(code))) == [1]


def test_nothing_branches_on_prose() -> None:
    found = [
        f"{path.relative_to(root)}:{line}"
        for root in (SOURCES, STUDIES)
        for path in sorted(root.rglob("*.py"))
        for line in branches(parsed(path))
    ]
    allowed = {"base/bibliography.py"}  # the full stop after a title
    assert [place for place in found if place.partition(":")[0] not in allowed] == []


def test_the_library_spells_no_option_of_the_command_line() -> None:
    """Mentions (`arcwise.base.errors`) do: the same words are read in Python. Rows of tables of options name flags."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        room, *_ = parts = path.relative_to(SOURCES).parts
        if room in ("cli", "analysis", "findings", "report") or parts in (
            ("base", "options.py"),
            ("base", "errors.py"),
        ):
            continue
        tree = parsed(path)
        documented = ast.Module | ast.ClassDef | ast.FunctionDef
        bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
        exempt = {id(first.value) for first in bodies if isinstance(first, ast.Expr)}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        rows = [node for node in calls if ast.unparse(node.func) in ("option", "row")]
        exempt |= {id(part) for node in rows for part in ast.walk(node)}
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in exempt:
                continue
            if re.search(r"(^|[\s(`'])--[a-z]", node.value):
                found.append(f"{path.name}:{node.lineno}: {node.value}")
    assert not found


def compared_sources(tree: ast.AST) -> Iterator[int]:
    """Yield where the name of a source of networks is compared; ways to weigh and to resample have some of these."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and not {"weights", "resampling"} & set(re.findall(r"\w+", ast.unparse(node))):
            words = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
            if words & {"bootstrap", "credible", "posterior", "optimum"}:
                yield node.lineno


def test_everyone_asks_a_source_and_nobody_compares_its_name() -> None:
    assert list(compared_sources(ast.parse('recipe.source != "bootstrap"'))) == [1]
    assert list(compared_sources(ast.parse('networks.origin in ("draws", "posterior")'))) == [1]
    found = {path.relative_to(SOURCES): parsed(path) for path in SOURCES.rglob("*.py")}
    assert not [(str(path), line) for path, tree in found.items() for line in compared_sources(tree)]

"""The map of the package: how large each room is, that no import leads in a circle, and how far a reader must go.

What makes a reader's way long has a ceiling at what is measured today. Size has one for the whole package, with room
for a week's work: so everyday change is free, and growth is a decision that a commit gives a reason for.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

import arcwise

ROOT = Path(arcwise.__file__).parent
CHECKOUT = Path(__file__).resolve().parents[2]
MOST_LINES = 74_500  # the next 500 that leave at least 250 free; it falls as soon as it can
LARGEST_ROOM = 8_000  # a room beyond this is two
LONGEST_CHAIN = 25
LARGEST_FAN_OUT = 20  # but for doors, which only pass names on
SMALL_WITH_ONE_IMPORTER = 5
IMPORT_SHARE = 0.055  # of all lines; what was a second noun of a long file has a file of its own
# Who may import inside functions, so that commands start at once: verbs, the package itself, the options of `learn`,
# which the command line reads at every start.
LAZY = ("arcwise.cli.", "arcwise.findings.options")


@dataclass(frozen=True)
class Module:
    """A source file: whom it imports at run time, inside functions too, and which of these imports are inside."""

    name: str
    lines: int
    import_lines: int
    imports: frozenset[str]
    inside: frozenset[str]
    is_package: bool

    @property
    def room(self) -> str:
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 or (self.is_package and len(parts) > 1) else ""


def module_name(path: Path) -> str:
    parts = ("arcwise", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def modules() -> dict[str, Module]:
    paths = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
    return {name: read_module(name, path, paths.keys()) for name, path in paths.items()}


def read_module(name: str, path: Path, known: object) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    for_types = {id(node) for guard in guards for part in guard.body for node in ast.walk(part)}
    top = {id(node) for node in tree.body}
    imports, inside, lines = set(), set(), 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines += (node.end_lineno or node.lineno) - node.lineno + 1
            if id(node) not in for_types:
                found = {known_prefix(full, known) for full in imported(node)} - {"", name, "arcwise"}
                imports |= found
                inside |= found if id(node) not in top else set()
    return Module(name, text.count("\n"), lines, frozenset(imports), frozenset(inside), path.name == "__init__.py")


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert not node.level, "imports are absolute"
    return [f"{node.module}.{alias.name}" for alias in node.names]


def known_prefix(full: str, known: object) -> str:
    while full and full not in known:  # type: ignore[operator]
        full = full.rpartition(".")[0]
    return full


def below(name: str) -> frozenset[str]:
    return frozenset() if name == "arcwise" else modules()[name].imports


def find_circle() -> list[str]:
    """Return a path that leads back to where it began, or nothing."""
    state: dict[str, str] = {}

    def visit(name: str, path: list[str]) -> list[str]:
        state[name] = "open"
        for other in sorted(below(name)):
            if state.get(other) == "open":
                return [*path[path.index(other) :], other] if other in path else [name, other]
            if other not in state and (circle := visit(other, [*path, other])):
                return circle
        state[name] = "closed"
        return []

    for name in modules():
        if name not in state and (circle := visit(name, [name])):
            return circle
    return []


@functools.cache
def depth(name: str) -> int:
    return 1 + max((depth(other) for other in below(name)), default=0)


def test_no_import_leads_in_a_circle() -> None:
    assert find_circle() == []


def test_imports_stand_at_the_top_of_files() -> None:
    inside = {module.name: sorted(module.inside) for module in modules().values() if module.room}
    assert {name: found for name, found in inside.items() if found and not name.startswith(LAZY)} == {}


def test_the_longest_chain_of_imports() -> None:
    assert max(depth(name) for name in modules()) <= LONGEST_CHAIN


def test_no_module_imports_too_many_others() -> None:
    fan_out = {m.name: len(m.imports) for m in modules().values() if m.room and not m.is_package}
    assert {name: count for name, count in fan_out.items() if count > LARGEST_FAN_OUT} == {}


def test_a_small_module_has_more_than_one_reader() -> None:
    readers = Counter(other for name in modules() for other in below(name))
    small = [m.name for m in modules().values() if not m.is_package and readers[m.name] == 1 and m.lines <= 120]
    assert len(small) <= SMALL_WITH_ONE_IMPORTER, small


def test_the_package_and_its_rooms_stay_small() -> None:
    lines: Counter[str] = Counter()
    for module in modules().values():
        lines[module.room] += module.lines
    assert {room: count for room, count in lines.items() if count > LARGEST_ROOM} == {}
    assert lines.total() <= MOST_LINES, lines.most_common()


def test_few_lines_are_imports() -> None:
    lines = sum(module.lines for module in modules().values())
    assert sum(module.import_lines for module in modules().values()) <= IMPORT_SHARE * lines


@pytest.mark.parametrize("room", sorted({module.room for module in modules().values()} - {"", "_core"}))
def test_nobody_imports_from_the_door_of_a_room(room: str) -> None:
    """Names come from the module that defines them: a room's `__init__` is for users, and for verbs."""
    door = f"arcwise.{room}"
    assert [m.name for m in modules().values() if door in m.imports and m.room not in ("", "cli")] == []


def layers() -> dict[str, int]:
    """The rooms as the linter orders them: the lowest has the smallest number."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    return {room: -at for at, layer in enumerate(contract["layers"]) for room in re.findall(r"\w+", layer)}


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("ARCHITECTURE.md", r"^    (?:data|     ->) .*"),
        ("ARCHITECTURE.md", r"^\| `\w+` \|"),
        ("docs/questions/step-by-step.md", r"^\|.*?\|"),
    ],
)
def test_the_stages_have_one_order(page: str, words: str) -> None:
    """Pages tell the rooms in the order in which the linter allows them to build on each other."""
    lines = [found[0] for found in re.finditer(words, (CHECKOUT / page).read_text(encoding="utf-8"), re.MULTILINE)]
    told = re.findall(r"\w+", re.sub(r"\(.*?\)", "", " ".join(lines)).replace("parent sets", "parent_sets"))
    rooms = [word for word in told if word in layers()]
    assert len(rooms) > 10
    assert rooms == sorted(rooms, key=layers().__getitem__)

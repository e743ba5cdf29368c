"""`import arcwise` is fast, and type checkers see the names that it resolves when they are first used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import arcwise

HEAVY = ("pandas", "sklearn", "matplotlib", "networkx", "duckdb", "scipy", "rich", "typer", "highspy")


def for_type_checkers() -> dict[str, str]:
    """The names that a type checker sees, and the modules that it takes them from."""
    tree = ast.parse(Path(arcwise.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            (alias,) = node.names
            assert alias.asname == alias.name, "a name is exported to type checkers only as `name as name`"
            names[alias.name] = str(node.module)
    return names


def test_type_checkers_see_the_names_that_are_resolved() -> None:
    seen = for_type_checkers()
    assert set(seen) == {*arcwise.__all__, *arcwise._MODULES} - {"__version__"}
    for name, module in seen.items():
        if name not in arcwise._MODULES:
            assert getattr(importlib.import_module(module), name) is getattr(arcwise, name)


@pytest.mark.parametrize("name", arcwise.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(arcwise, name)
    assert name in dir(arcwise)
    if name not in ("__version__", "datasets"):
        assert value.__doc__
        assert value is getattr(importlib.import_module(f"arcwise.{arcwise._STAGE[name]}"), name)


def test_the_names_of_a_first_day_are_at_most_thirty() -> None:
    assert len(arcwise.__all__) == len(set(arcwise.__all__)) <= 30


def test_a_name_of_a_stage_is_found_for_those_who_look_for_it_at_the_top() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'k_best'; it is arcwise\.ensemble\.k_best"):
        _ = arcwise.k_best
    assert not hasattr(arcwise, "__wrapped__")


def test_every_stage_is_an_attribute() -> None:
    """The rooms that have names for users; the others are behind the door of `arcwise.ensemble`, or inside."""
    rooms = [module.name for module in pkgutil.iter_modules(arcwise.__path__) if module.ispkg]
    public = {room for room in rooms if hasattr(importlib.import_module(f"arcwise.{room}"), "__all__")}
    assert public <= set(arcwise._MODULES)
    for name in arcwise._MODULES:
        assert getattr(arcwise, name).__name__ == f"arcwise.{name}"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'teach'"):
        _ = arcwise.teach


def test_the_import_loads_no_heavy_package() -> None:
    program = f"import sys, arcwise; arcwise.limits; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_a_stage_loads_no_heavy_package_either() -> None:
    heavy = tuple(name for name in HEAVY if name != "scipy")
    program = (
        "import sys, arcwise; arcwise.data, arcwise.graph, arcwise.model, arcwise.evaluate, arcwise.scores\n"
        f"print(*(name for name in {heavy!r} if name in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []

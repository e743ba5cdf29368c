"""The settings of functions as keywords, for type checkers: src/arcwise/keywords.pyi, made from the dataclasses."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "arcwise"
STUB = PACKAGE / "keywords.pyi"
HEAD = '"""The settings of functions as keywords, one by one or whole. Written by docs/update.py."""\n\n'
Fields = dict[str, str]


def stub() -> str:
    """Return the stub: a TypedDict for every ``XKeywords`` that a function takes, from the dataclass ``XSettings``."""
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    classes = {
        node.name: (path, node)
        for path, tree in modules.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    asked = [
        alias.name.removesuffix("Keywords")
        for tree in modules.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "arcwise.keywords"
        for alias in node.names
    ]
    imports: set[tuple[str, str]] = {("typing", "TypedDict")}
    parts = []
    for name in sorted(set(asked)):
        settings = f"{name}Settings" if f"{name}Settings" in classes else name
        fields = _fields(settings, classes, modules, imports)
        listed = "".join(f"    {field}: {hint}\n" for field, hint in {"settings": settings, **fields}.items())
        parts.append(f"class {name}Keywords(TypedDict, total=False):\n{listed}")
        imports.add((_module(classes[settings][0]), settings))
    return HEAD + _import_lines(imports) + "\n".join(parts)


def _import_lines(imports: set[tuple[str, str]]) -> str:
    """Return the imports in three groups: Python's, others', ours."""
    groups: list[list[str]] = [[], [], []]
    for module in sorted({module for module, _ in imports}):
        names = sorted(name for where, name in imports if where == module)
        top = module.partition(".")[0]
        group = 2 if top == "arcwise" else 0 if not top or top in sys.stdlib_module_names else 1
        groups[group] += (
            [f"from {module} import {', '.join(names)}"] if module else [f"import {name}" for name in names]
        )
    return "".join("\n".join(group) + "\n\n" for group in groups if group)


def _fields(
    settings: str,
    classes: dict[str, tuple[Path, ast.ClassDef]],
    modules: dict[Path, ast.Module],
    imports: set[tuple[str, str]],
) -> Fields:
    """Return the fields of a dataclass and those of its bases, and note what their types are imported from."""
    path, node = classes[settings]
    found: Fields = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found |= _fields(base.id, classes, modules, imports)
    origins = _origins(path, modules[path])
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = ast.unparse(item.annotation)
            names = {part.id for part in ast.walk(item.annotation) if isinstance(part, ast.Name)}
            imports |= {origins[name] for name in names if name in origins}
    return found


def _origins(path: Path, tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Return where each name of a module comes from: another module, or the module itself."""
    origins: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origins |= {alias.name: (str(node.module), alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            origins |= {alias.name: ("", alias.name) for alias in node.names}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        defined = [target.id for target in targets if isinstance(target, ast.Name)]
        defined += [node.name] if isinstance(node, ast.ClassDef) else []
        origins |= {name: (_module(path), name) for name in defined}
    return origins


def _module(path: Path) -> str:
    return ".".join(("arcwise", *path.relative_to(PACKAGE).with_suffix("").parts))

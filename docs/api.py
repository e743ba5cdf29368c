"""From docstrings to Markdown: the full descriptions that the build adds to the pages of the reference."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
LISTED = {"Parameters", "Returns", "Raises", "Attributes", "Yields", "See Also"}


def module_of(stage: str) -> ModuleType:
    """Return the module that a page of the reference is about: a stage of arcwise, or the package of studies."""
    return importlib.import_module(stage if stage == "arcwise_studies" else f"arcwise.{stage}")


def stage_reference(stage: str) -> str:
    """Return signature and docstring of every class and function of a stage, in the order of the alphabet."""
    module = module_of(stage)
    examples = read_examples(stage)
    parts = [f"In the examples:\n\n```pycon\n{examples['setup']}\n```\n"] if "setup" in examples else []
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            parts.append(describe(name, thing))
            if name in examples:
                parts.append(f"**Examples**\n\n```pycon\n{examples[name]}\n```\n")
    return "\n".join(parts)


def read_examples(stage: str) -> dict[str, str]:
    """Return the examples of a stage by name, from docs/examples; "setup" is what all of them begin with."""
    path = Path(__file__).resolve().parent / "examples" / f"{stage}.txt"
    if not path.exists():
        return {}
    blocks = re.split(r"^## (\w+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: body.strip() for name, body in zip(blocks[::2], blocks[1::2], strict=True)}


def describe(name: str, thing: Any) -> str:
    """Return a heading, the signature, the docstring and, of a class, one line per public member."""
    lines = [f"### {name}", "", "```py", signature(name, thing), "```", "", from_docstring(inspect.getdoc(thing) or "")]
    if inspect.isclass(thing):
        lines.append(members(thing))
    return "\n".join(lines)


def signature(name: str, thing: Any) -> str:
    """Return how it is called, one parameter per line if it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    short = name + str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    short = short.replace("<factory>", "...")
    if len(short) <= 100:
        return short
    inner = short[len(name) + 1 : -1]
    return f"{name}(\n" + "".join(f"    {part},\n" for part in re.split(r", (?=[\w*]+(?:=|,|$))", inner)) + ")"


def from_docstring(text: str) -> str:
    """Return a numpydoc docstring as Markdown."""
    marks = list(SECTION.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    parts = [prose(text[: marks[0].start()] if marks else text)]
    for mark, end in zip(marks, ends, strict=True):
        body = text[mark.end() : end].strip("\n")
        parts.append(f"**{mark['title']}**\n")
        if mark["title"] == "Examples":
            parts.append(f"```pycon\n{body}\n```\n")
        else:
            parts.append(listed(body) if mark["title"] in LISTED else prose(body))
    return "\n".join(parts)


def listed(body: str) -> str:
    """Return terms with indented descriptions as a list; what is no such list stays prose."""
    items: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line and not line.startswith(" "):
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    rows = [f"- `{term}`{': ' if about else ''}{escaped(' '.join(about).strip())}" for term, about in items]
    return "\n".join(rows) + "\n"


def prose(text: str) -> str:
    """Return paragraphs; drawn tables and examples become code."""
    parts = []
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        if paragraph.lstrip().startswith((">>>", "===")):
            language = "pycon" if ">>>" in paragraph else "text"
            parts.append(f"```{language}\n{paragraph}\n```")
        else:
            parts.append(paragraph if paragraph.startswith("    ") else escaped(paragraph))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Return text that Markdown does not take for HTML; code in backticks stays."""
    pieces = text.replace("``", "`").split("`")
    pieces[::2] = [re.sub(r"(?<!\w)\*|\*(?=\w)", r"\\*", piece.replace("<", "&lt;")) for piece in pieces[::2]]
    return "`".join(pieces)


def members(thing: type) -> str:
    """Return a table of the public methods and properties of a class, and of bases without an entry of their own."""
    rows = []
    own = {
        name: value
        for base in reversed(thing.__mro__)
        if base is thing or is_hidden(base)
        for name, value in vars(base).items()
    }
    for name, value in own.items():
        # What a class or static method, a property, or a cached property wraps.
        wrapped = (getattr(value, attribute, None) for attribute in ("__func__", "fget", "func"))
        inner = next((function for function in wrapped if function is not None), value)
        if name.startswith("_") or not callable(inner) or not inspect.getdoc(inner):
            continue
        first = " ".join((inspect.getdoc(inner) or "").split("\n\n", 1)[0].split())
        label = name if isinstance(value, property | functools.cached_property) else f"{name}()"
        rows.append(f"| `{label}` | {escaped(first).replace('|', chr(92) + '|')} |")
    return "\n".join(["| member | what it is |", "|---|---|", *rows, ""]) if rows else ""


def is_hidden(base: type) -> bool:
    """Whether a class is ours and its stage does not export it."""
    package, _, rest = base.__module__.partition(".")
    stage = rest.partition(".")[0]
    return package == "arcwise" and base.__name__ not in getattr(
        importlib.import_module(f"arcwise.{stage}"), "__all__", ()
    )

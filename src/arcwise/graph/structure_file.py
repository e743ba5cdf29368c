"""Lau's structure files: one line per node, its name and its parents in square brackets.

    G [B]
    B []
    M [B, L]
    L []

Lau and Bush (2004), section 1.1. A name that could be misread (it holds a bracket, a comma, a quotation mark or white
space at an end) is written as a JSON string in double quotes, which the paper's files never need.
"""

from __future__ import annotations

import json
import os
import re

from arcwise.errors import FormatError, GraphError
from arcwise.files import read_bytes, write_text
from arcwise.graph.dag import Dag

__all__ = ["format_structure", "parse_structure", "read_structure", "write_structure"]

# Every alternative is linear in the text: no backtracking.
TOKEN = re.compile(
    r'\s*+(?:(?P<mark>[\[\],])|(?P<quoted>"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?P<plain>[^\[\],"\n][^\[\],\n]*))'
)


def read_structure(path: str | os.PathLike[str]) -> Dag:
    """Read a structure file, plain or gzip."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None
    return parse_structure(text, source=str(path))


def write_structure(path: str | os.PathLike[str], dag: Dag) -> None:
    """Write a structure file; a name that ends in .gz is compressed."""
    write_text(path, format_structure(dag))


def format_structure(dag: Dag) -> str:
    """Return the text of a structure file.

    >>> format_structure(Dag.from_parents({"M": ["B"], "B": []}))
    'M [B]\\nB []\\n'
    """
    quoted = [_quote(name) for name in dag.names]
    lines = (f"{quoted[v]} [{', '.join(quoted[p] for p in ps)}]\n" for v, ps in enumerate(dag.parents))
    return "".join(lines)


def parse_structure(text: str, *, source: str = "structure") -> Dag:
    """Read the text of a structure file; `source` is what errors call it."""
    parents: dict[str, list[str]] = {}
    where: dict[str, int] = {}
    tokens = _Tokens(text, source)
    while tokens.kind != "end":
        line = tokens.line
        node = tokens.take_name("a node")
        if node in parents:
            raise FormatError(f"{source}, line {line}: node '{node}' is described twice.")
        where[node] = line
        parents[node] = []
        tokens.take_mark("[", f"after '{node}'")
        if tokens.kind != "]":
            parents[node].append(tokens.take_name(f"a parent of '{node}'"))
            while tokens.kind == ",":
                tokens.take_mark(",", "between parents")
                parents[node].append(tokens.take_name(f"a parent of '{node}'"))
        tokens.take_mark("]", f"after the parents of '{node}'")
    if not parents:
        raise FormatError(f"{source}: no node; a line has the form: M [B, L].")
    for node, names in parents.items():
        for name in names:
            if name not in parents:
                raise FormatError(f"{source}, line {where[node]}: parent '{name}' of '{node}' has no line of its own.")
    try:
        return Dag.from_parents(parents)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None


class _Tokens:
    """Names and marks, one ahead: `kind` is "name", a mark, or "end"."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text.rstrip(), source
        self._end = self._start = 0
        self._value = self.kind = ""
        self.line = 1
        self._advance()

    def take_name(self, what: str) -> str:
        if self.kind != "name":
            raise self._error(f"expected {what}")
        value = self._value
        self._advance()
        return value

    def take_mark(self, mark: str, where: str) -> None:
        if self.kind != mark:
            raise self._error(f"expected '{mark}' {where}")
        self._advance()

    def _advance(self) -> None:
        if self._end >= len(self._text):
            self.line += self._text.count("\n", self._start)
            self._start = len(self._text)
            self.kind = "end"
            return
        match = TOKEN.match(self._text, self._end)
        start = self._end if match is None else match.start(match.lastgroup or 0)
        self.line += self._text.count("\n", self._start, start)
        self._start = start
        if match is None:
            raise self._error("a quotation mark is not closed")
        self._end = match.end()
        self._value = match.group(match.lastgroup or 0)
        self.kind = self._value if match.lastgroup == "mark" else "name"
        if match.lastgroup == "plain":
            self._value = self._value.strip()
        if match.lastgroup == "quoted":
            try:
                self._value = json.loads(self._value)
            except json.JSONDecodeError:
                raise self._error("a name in quotation marks is not a JSON string") from None

    def _error(self, message: str) -> FormatError:
        column = self._start - (self._text.rfind("\n", 0, self._start) + 1) + 1
        found = "the end" if self.kind == "end" else repr(self._text[self._start : self._start + 20])
        return FormatError(f"{self._source}, line {self.line}, column {column}: {message}, found {found}.")


def _quote(name: str) -> str:
    if name != name.strip() or re.search(r'[\[\],"\r\n\v\f\x1c-\x1e\x85\u2028\u2029]', name):
        return json.dumps(name, ensure_ascii=False)
    return name

"""Read graphs in Graphviz' DOT language: the nodes and edges, and whether an edge has an arrow head.

It reads the language's grammar with these limits: names in HTML (`<...>`) and edges to whole subgraphs are
refused, ports are left out, and of the attributes only `dir` counts (`none` and `both` make an undirected edge, `back`
turns the arc round). A node is called by its name in the file, not by its label.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from arcwise.errors import FormatError, GraphError
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag

__all__ = ["parse_dot"]

# Every alternative is linear in the text: no backtracking.
TOKEN = re.compile(
    r"(?P<skip>\s++|//[^\n]*+|/\*.*?\*/|(?<![^\n])\#[^\n]*+)"
    r'|(?P<quoted>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<mark>->|--|[{}\[\]=;,:+])"
    r"|(?P<word>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[^\W0-9]\w*)",
    re.DOTALL,
)
KEYWORDS = frozenset(("strict", "graph", "digraph", "node", "edge", "subgraph"))
UNDIRECTED = frozenset(("none", "both"))


def parse_dot(text: str, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a DOT text, a `Dag` if all edges are arcs; `source` is what errors call the text."""
    reader = _Reader(text, source)
    reader.read()
    try:
        if reader.edges:
            return Pdag.from_edges(tuple(reader.nodes), reader.arcs, reader.edges)
        return Dag.from_arcs(tuple(reader.nodes), reader.arcs)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None


class _Reader:
    """The grammar's rules, one token ahead: `kind` is "name", a mark, a keyword, or "end"."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source, self._start = text, source, 0
        self._tokens = self._split()
        self.nodes: dict[str, None] = {}
        self.arcs: list[tuple[str, str]] = []
        self.edges: list[tuple[str, str]] = []
        self._link = "->"
        self.kind = self.value = ""
        self._advance()

    def read(self) -> None:
        if self._is("strict"):
            self._advance()
        if not (self._is("digraph") or self._is("graph")):
            raise self._error("expected 'digraph' or 'graph'")
        self._link = "->" if self._is("digraph") else "--"
        self._advance()
        if self.kind == "name":
            self._advance()
        self._read_block()
        if self.kind != "end":
            raise self._error("expected the end after the graph")
        if not self.nodes:
            raise FormatError(f"{self._source}: the graph has no node.")

    def _read_block(self) -> None:
        """Read `{ statement ... }`, and the blocks inside it, which share the graph's nodes."""
        self._take("{")
        depth = 1
        while depth:
            if self.kind == "}":
                depth -= 1
                self._advance()
                if self.kind in ("->", "--"):
                    raise self._error("an edge from a whole subgraph is not read; write one edge per node")
            elif self.kind == "{" or self._is("subgraph"):
                if self._is("subgraph"):
                    self._advance()
                    if self.kind == "name":
                        self._advance()
                self._take("{")
                depth += 1
            elif self.kind == ";":
                self._advance()
            else:
                self._read_statement()

    def _read_statement(self) -> None:
        if self._is("graph") or self._is("node") or self._is("edge"):
            self._advance()
            self._read_attributes()
            return
        chain = [self._read_node()]
        if self.kind == "=":  # an attribute of the graph
            self._advance()
            self._take_name("a value")
            return
        while self.kind in ("->", "--"):
            if self.kind != self._link:
                raise self._error(f"expected '{self._link}', the edges of this kind of graph")
            self._advance()
            if self.kind == "{" or self._is("subgraph"):
                raise self._error("an edge to a whole subgraph is not read; write one edge per node")
            chain.append(self._read_node())
        facts = self._read_attributes()
        self.nodes.update(dict.fromkeys(chain))
        heads = facts.get("dir", "forward")
        for a, b in itertools.pairwise(chain):
            if self._link == "--" or heads in UNDIRECTED:
                self.edges.append((a, b))
            else:
                self.arcs.append((b, a) if heads == "back" else (a, b))

    def _read_node(self) -> str:
        name = self._take_name("a node")
        for _ in range(2):  # a port, and the side of the node that it is on
            if self.kind == ":":
                self._advance()
                self._take_name("a port")
        return name

    def _read_attributes(self) -> dict[str, str]:
        facts: dict[str, str] = {}
        while self.kind == "[":
            self._advance()
            while self.kind != "]":
                key = self._take_name("an attribute")
                self._take("=")
                facts[key] = self._take_name(f"a value of {key}")
                if self.kind in (";", ","):
                    self._advance()
            self._advance()
        return facts

    def _is(self, keyword: str) -> bool:
        return self.kind == "name" and self.value.lower() == keyword and self._text[self._start] != '"'

    def _take(self, mark: str) -> None:
        if self.kind != mark:
            raise self._error(f"expected '{mark}'")
        self._advance()

    def _take_name(self, what: str) -> str:
        if self.kind != "name" or any(self._is(keyword) for keyword in KEYWORDS):
            raise self._error(f"expected {what}")
        parts = [self.value]
        self._advance()
        while self.kind == "+":  # strings may be joined
            self._advance()
            if self.kind != "name":
                raise self._error("expected a string after '+'")
            parts.append(self.value)
            self._advance()
        return "".join(parts)

    def _advance(self) -> None:
        self.kind, self.value = next(self._tokens)

    def _split(self) -> Iterator[tuple[str, str]]:
        position = 0
        while position < len(self._text):
            match = TOKEN.match(self._text, position)
            self._start = position
            if match is None:
                raise self._error("a name in HTML is not read" if self._text[position] == "<" else "unexpected text")
            position = match.end()
            token = match.group()
            if match.lastgroup == "mark":
                yield token, token
            elif match.lastgroup == "word":
                yield "name", token
            elif match.lastgroup == "quoted":
                yield "name", _unquoted(token)
        while True:
            self._start = len(self._text)
            yield "end", ""

    def _error(self, message: str) -> FormatError:
        line = self._text.count("\n", 0, self._start) + 1
        column = self._start - self._text.rfind("\n", 0, self._start)
        found = repr(self._text[self._start : self._start + 20]) if self._start < len(self._text) else "the end"
        return FormatError(f"{self._source}, line {line}, column {column}: {message}, found {found}.")


def _unquoted(token: str) -> str:
    """Return what a quoted string stands for; Graphviz itself knows only the escaped quotation mark and line end."""
    joined = token[1:-1].replace("\\\n", "")
    return re.sub(r'\\(["\\n])', lambda match: "\n" if match[1] == "n" else match[1], joined)

"""Graphs for other programs: DOT (Graphviz) and GraphML (yEd, Gephi, Cytoscape, networkx, igraph)."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from arcwise.base.errors import FormatError, errors_within
from arcwise.base.files import write_text
from arcwise.graph.dag import Dag, Pdag

# What no XML document may contain, not even escaped (XML 1.0, section 2.2).
NOT_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A number to write next to an edge, such as its confidence; keys are pairs of names, in either order.
EdgeLabels = Mapping[tuple[str, str], float]
Arc = tuple[str, str]


def _edges(graph: Dag | Pdag, labels: EdgeLabels | None) -> list[tuple[str, str, bool, float | None]]:
    pairs = [(a, b, True) for a, b in graph.arcs]
    if isinstance(graph, Pdag):
        pairs += [(a, b, False) for a, b in graph.edges]
    known = labels or {}
    return [(a, b, directed, known.get((a, b), known.get((b, a)))) for a, b, directed in pairs]


def format_dot(graph: Dag | Pdag, *, labels: EdgeLabels | None = None) -> str:
    """Return the graph in Graphviz' DOT language; undirected edges have no arrow head."""
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in graph.names)]
    for a, b, directed, label in _edges(graph, labels):
        facts = ([] if directed else ["dir=none"]) + ([] if label is None else [f'label="{label:.2f}"'])
        lines.append(f"  {_quoted(a)} -> {_quoted(b)}{' [' + ', '.join(facts) + ']' if facts else ''};")
    return "\n".join([*lines, "}", ""])


def format_graphml(graph: Dag | Pdag, *, labels: EdgeLabels | None = None) -> str:
    """Return the graph as GraphML; the label is the edge attribute `confidence`.

    An edge without a direction is there as two arcs, one each way, unless no edge of the graph has one: networkx and
    others refuse a graph in which some edges are directed and some are not.
    """
    for name in graph.names:
        if bad := NOT_XML.search(name):
            raise FormatError(f"the name {name!r} cannot stand in GraphML: XML has no character {bad[0]!r}. Rename it.")
    found = _edges(graph, labels)
    undirected = bool(found) and not any(directed for _, _, directed, _ in found)
    if not undirected:
        found = [
            (*ends, True, label)
            for a, b, directed, label in found
            for ends in (((a, b),) if directed else ((a, b), (b, a)))
        ]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="confidence" for="edge" attr.name="confidence" attr.type="double"/>',
        f'  <graph edgedefault="{"undirected" if undirected else "directed"}">',
        *(f"    <node id={quoteattr(name)}/>" for name in graph.names),
    ]
    for a, b, _, label in found:
        data = "" if label is None else f'<data key="confidence">{escape(repr(float(label)))}</data>'
        lines.append(f"    <edge source={quoteattr(a)} target={quoteattr(b)}>{data}</edge>")
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def write_dot(path: str | os.PathLike[str], graph: Dag | Pdag, *, labels: EdgeLabels | None = None) -> None:
    """Write a DOT file."""
    write_text(path, format_dot(graph, labels=labels))


def write_graphml(path: str | os.PathLike[str], graph: Dag | Pdag, *, labels: EdgeLabels | None = None) -> None:
    """Write a GraphML file."""
    write_text(path, format_graphml(graph, labels=labels))


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# Read graphs in Graphviz' DOT language: the nodes and edges, and whether an edge has an arrow head.
#
# It reads the language's grammar with these limits: names in HTML (`<...>`) and edges to whole subgraphs are refused,
# ports are left out, and of the attributes only `dir` counts (`none` and `both` make an undirected edge, `back` turns
# the arc round). A node is called by its name in the file, not by its label.


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


class Tokens:
    """The names and marks of a text, one ahead: `kind` is "name", a mark, or "end"; errors name line and column.

    A pattern has the groups `mark`, `quoted`, any for names, and perhaps `skip`.
    """

    PATTERN: ClassVar[re.Pattern[str]]

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.start = self._end = 0
        self.kind = self.value = ""
        self.advance()

    def advance(self) -> None:
        """Go on to the next name or mark."""
        group: str | None = "skip"
        while group == "skip":
            self.start = self._end
            if self._end >= len(self.text):
                self.kind, self.value = "end", ""
                return
            match = self.PATTERN.match(self.text, self._end)
            if match is None:
                raise self.error(self.unreadable())
            group = match.lastgroup
            self.start, self._end = match.start(group or 0), match.end()
            self.value = match[group or 0].strip()
        self.kind = self.value if group == "mark" else "name"
        if group == "quoted":
            self.value = self.unquoted(self.value)

    def take(self, mark: str, where: str = "") -> None:
        """Pass a mark."""
        if self.kind != mark:
            raise self.error(f"expected '{mark}'{where}")
        self.advance()

    def take_name(self, what: str) -> str:
        """Pass a name, and return it."""
        if self.kind != "name":
            raise self.error(f"expected {what}")
        value = self.value
        self.advance()
        return value

    def unreadable(self) -> str:
        """Return why the text goes on with no token."""
        raise NotImplementedError

    def unquoted(self, token: str) -> str:
        """Return what a quoted string stands for."""
        raise NotImplementedError

    def line_of(self, start: int) -> int:
        """Return the line of a place in the text."""
        return self.text.count("\n", 0, start) + 1

    def error(self, message: str) -> FormatError:
        """Return the error that something is wrong at the present token."""
        column = self.start - self.text.rfind("\n", 0, self.start)
        found = repr(self.text[self.start : self.start + 20]) if self.start < len(self.text) else "the end"
        place = f"{self.source}, line {self.line_of(self.start)}, column {column}"
        return FormatError(f"{place}: {message}, found {found}.")


def parse_dot(text: str, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a DOT text, a `Dag` if all edges are arcs; `source` is what errors call the text."""
    reader = _DotReader(text, source)
    reader.read()
    return make_graph(reader.nodes, reader.arcs, reader.edges, source=source)


def make_graph(names: Iterable[str], arcs: Iterable[Arc], edges: Sequence[Arc], *, source: str) -> Dag | Pdag:
    """Return the graph that a file describes, a `Dag` if all edges are arcs; what is wrong is a FormatError."""
    nodes = tuple(names)
    with errors_within(f"{source}:", kind=FormatError):
        return Pdag.from_edges(nodes, arcs, edges) if edges else Dag.from_arcs(nodes, arcs)


class _DotReader(Tokens):
    """The grammar's rules."""

    PATTERN = TOKEN

    def __init__(self, text: str, source: str) -> None:
        self.nodes: dict[str, None] = {}
        self.arcs: list[Arc] = []
        self.edges: list[Arc] = []
        self._link = "->"
        super().__init__(text, source)

    def read(self) -> None:
        if self._is("strict"):
            self.advance()
        if not (self._is("digraph") or self._is("graph")):
            raise self.error("expected 'digraph' or 'graph'")
        self._link = "->" if self._is("digraph") else "--"
        self.advance()
        if self.kind == "name":
            self.advance()
        self._read_block()
        if self.kind != "end":
            raise self.error("expected the end after the graph")
        if not self.nodes:
            raise FormatError(f"{self.source}: the graph has no node.")

    def _read_block(self) -> None:
        """Read `{ statement ... }`, and the blocks inside it, which share the graph's nodes."""
        self.take("{")
        depth = 1
        while depth:
            if self.kind == "}":
                depth -= 1
                self.advance()
                if self.kind in ("->", "--"):
                    raise self.error("an edge from a whole subgraph is not read; write one edge per node")
            elif self.kind == "{" or self._is("subgraph"):
                if self._is("subgraph"):
                    self.advance()
                    if self.kind == "name":
                        self.advance()
                self.take("{")
                depth += 1
            elif self.kind == ";":
                self.advance()
            else:
                self._read_statement()

    def _read_statement(self) -> None:
        if self._is("graph") or self._is("node") or self._is("edge"):
            self.advance()
            self._read_attributes()
            return
        chain = [self._read_node()]
        if self.kind == "=":  # an attribute of the graph
            self.advance()
            self.take_name("a value")
            return
        while self.kind in ("->", "--"):
            if self.kind != self._link:
                raise self.error(f"expected '{self._link}', the edges of this kind of graph")
            self.advance()
            if self.kind == "{" or self._is("subgraph"):
                raise self.error("an edge to a whole subgraph is not read; write one edge per node")
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
        name = self.take_name("a node")
        for _ in range(2):  # a port, and the side of the node that it is on
            if self.kind == ":":
                self.advance()
                self.take_name("a port")
        return name

    def _read_attributes(self) -> dict[str, str]:
        facts: dict[str, str] = {}
        while self.kind == "[":
            self.advance()
            while self.kind != "]":
                key = self.take_name("an attribute")
                self.take("=")
                facts[key] = self.take_name(f"a value of {key}")
                if self.kind in (";", ","):
                    self.advance()
            self.advance()
        return facts

    def _is(self, keyword: str) -> bool:
        return self.kind == "name" and self.value.lower() == keyword and self.text[self.start] != '"'

    def take_name(self, what: str) -> str:
        """Pass a name; strings may be joined by +."""
        if any(self._is(keyword) for keyword in KEYWORDS):
            raise self.error(f"expected {what}")
        parts = [super().take_name(what)]
        while self.kind == "+":
            self.advance()
            parts.append(super().take_name("a string after '+'"))
        return "".join(parts)

    def unreadable(self) -> str:
        """Return why the text goes on with no token."""
        return "a name in HTML is not read" if self.text[self.start] == "<" else "unexpected text"

    def unquoted(self, token: str) -> str:
        """Return what a string stands for; Graphviz itself knows only the escaped quotation mark and line end."""
        joined = token[1:-1].replace("\\\n", "")
        return re.sub(r'\\(["\\n])', lambda match: "\n" if match[1] == "n" else match[1], joined)


# A node is called by one of these attributes where every node has one of its own (igraph, Gephi), else by its id.
NAMING = ("name", "label")


def parse_graphml(content: bytes, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a GraphML file, as this package, networkx, igraph, yEd and Gephi write it.

    It is a `Dag` if all edges are arcs; `source` is what errors call the file.

    A document type is refused: it is of no use here, and its entities can grow without bound.
    """
    reader = _GraphmlReader(source)
    reader.parse(content)
    names = reader.names()
    arcs = dict.fromkeys((names[a], names[b]) for a, b, directed in reader.edges if directed)
    if len(arcs) < sum(directed for _, _, directed in reader.edges):
        raise FormatError(f"{source}: an arc is there twice.")
    # An edge in both directions is one without a direction: so this package writes it, since networkx refuses graphs
    # that have edges of both kinds.
    edges = [(names[a], names[b]) for a, b, directed in reader.edges if not directed]
    edges += [arc for arc in arcs if arc[::-1] in arcs and arc[0] != arc[1] and arc < arc[::-1]]
    arcs = dict.fromkeys(arc for arc in arcs if arc[::-1] not in arcs or arc[0] == arc[1])
    return make_graph(names.values(), arcs, edges, source=source)


class _GraphmlReader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._nodes: dict[str, dict[str, list[str]]] = {}
        self.edges: list[tuple[str, str, bool]] = []
        self._keys: dict[str, str] = {}  # from key ids to the attributes that they name
        self._node = ""
        self._key = ""
        self._graphs = 0
        self._directed = True
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def parse(self, content: bytes) -> None:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            raise FormatError(f"{self._source}, line {error.lineno}: {expat.ErrorString(error.code)}.") from None
        except (ValueError, LookupError) as error:  # an encoding that nobody knows
            raise FormatError(f"{self._source}: {error}.") from None
        if not self._graphs:
            raise FormatError(f"{self._source}: there is no graph element; a GraphML file was expected.")
        if not self._nodes:
            raise FormatError(f"{self._source}: the graph has no node.")
        for a, b, _ in self.edges:
            for node in (a, b):
                if node not in self._nodes:
                    raise FormatError(f"{self._source}: an edge names the node '{node}', which does not exist.")

    def names(self) -> dict[str, str]:
        """Return what each node id is called."""
        for attribute in NAMING:
            called = ["".join(facts.get(attribute, ())).strip() for facts in self._nodes.values()]
            if all(called) and len(set(called)) == len(called):
                return dict(zip(self._nodes, called, strict=True))
        return {node: node for node in self._nodes}

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(" ")[2]
        if kind == "graph":
            self._graphs += 1
            if self._graphs > 1:
                raise self._error("there is more than one graph; only one can be read")
            self._directed = attributes.get("edgedefault", "directed") != "undirected"
        elif kind == "key":
            self._keys[attributes.get("id", "")] = attributes.get("attr.name", "").lower()
        elif kind == "node":
            self._node = self._attribute(attributes, "id", "node")
            if self._node in self._nodes:
                raise self._error(f"the node '{self._node}' is there twice")
            self._nodes[self._node] = {}
        elif kind == "edge":
            ends = self._attribute(attributes, "source", "edge"), self._attribute(attributes, "target", "edge")
            directed = attributes.get("directed")
            self.edges.append((*ends, self._directed if directed is None else directed in ("true", "1")))
        elif kind == "data":
            self._key = self._keys.get(attributes.get("key", ""), "")
        elif kind == "hyperedge":
            raise self._error("hyperedges are not read")

    def _end(self, tag: str) -> None:
        kind = tag.rpartition(" ")[2]
        if kind == "node":
            self._node = ""
        elif kind == "data":
            self._key = ""

    def _text(self, text: str) -> None:
        if self._node and self._key in NAMING:
            self._nodes[self._node].setdefault(self._key, []).append(text)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("a document type is not read. Remove the line <!DOCTYPE ...>")

    def _attribute(self, attributes: dict[str, str], name: str, what: str) -> str:
        if name not in attributes:
            raise self._error(f"an element '{what}' has no attribute '{name}'")
        return attributes[name]

    def _error(self, message: str) -> FormatError:
        return FormatError(f"{self._source}, line {self._parser.CurrentLineNumber}: {message}.")

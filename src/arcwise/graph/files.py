"""Graphs from files of every format that the package writes, by one function."""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from arcwise.base.errors import FormatError, errors_within
from arcwise.base.files import csv_rows, decode_text, format_of, parse_json, read_bytes, read_text, write_text
from arcwise.base.showing import one_screen
from arcwise.graph.dag import Dag, Pdag, parse_model_string

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
    check_xml_names(graph.names)
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


def check_xml_names(names: Iterable[str]) -> None:
    """Refuse names that no XML document can hold."""
    for name in names:
        if bad := NOT_XML.search(name):
            raise FormatError(f"the name {name!r} cannot stand in GraphML: XML has no character {bad[0]!r}. Rename it.")


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
DOT_TOKEN = re.compile(
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
        self._line, self._line_end, self._counted = 1, -1, 0  # as far as `line` has counted
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

    @property
    def line(self) -> int:
        """The line of the present token, counted from the last one that was asked for: all of them cost one pass."""
        self._line += self.text.count("\n", self._counted, self.start)
        self._line_end = max(self._line_end, self.text.rfind("\n", self._counted, self.start))
        self._counted = self.start
        return self._line

    @property
    def place(self) -> str:
        """Where the present token begins, its line and column."""
        return f"line {self.line}, column {self.start - self._line_end}"

    def error(self, message: str) -> FormatError:
        """Return the error that something is wrong at the present token."""
        found = repr(self.text[self.start : self.start + 20]) if self.start < len(self.text) else "the end"
        return FormatError(f"{self.source}, {self.place}: {message}, found {found}.")


def parse_dot(text: str, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a DOT text, a `Dag` if all edges are arcs; `source` is what errors call the text."""
    reader = _DotReader(text, source)
    reader.read()
    return make_graph(reader.nodes, reader.arcs, reader.edges, source=source)


def make_graph(names: Iterable[str], arcs: Iterable[Arc], edges: Sequence[Arc], *, source: str) -> Dag | Pdag:
    """Return the graph that a file describes, a `Dag` if all edges are arcs; what is wrong is a FormatError."""
    with errors_within(f"{source}:", kind=FormatError):
        return ArcList(tuple(arcs), tuple(edges)).graph(tuple(names))


class _DotReader(Tokens):
    """The grammar's rules."""

    PATTERN = DOT_TOKEN

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
        for _ in range(2):  # a port, and the side of the node where it is
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


# One of these attributes names the nodes if every node has a distinct value of it (igraph, Gephi), else the id does.
NAMING = ("name", "label")


def parse_graphml(content: bytes, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a GraphML file, as this package, networkx, igraph, yEd and Gephi write it.

    It is a `Dag` if all edges are arcs; `source` is what errors call the file.
    """
    every = list(read_xml(content, source, with_type=False).inside())
    graphs = [element for element in every if element.tag == "graph"]
    if not graphs:
        raise FormatError(f"{source}: there is no graph element; a GraphML file was expected.")
    for element in (*graphs[1:], *(element for element in every if element.tag == "hyperedge")):
        words = "hyperedges are not read" if element.tag == "hyperedge" else "only one graph can be read, not several"
        raise element.error(f"{words}.")
    called = _node_names(every)
    if not called:
        raise FormatError(f"{source}: the graph has no node.")
    usual = graphs[0].attributes.get("edgedefault", "directed") != "undirected"
    arcs: dict[Arc, None] = {}
    edges: list[Arc] = []
    for edge in (element for element in every if element.tag == "edge"):
        for end in (ends := (edge.attribute("source"), edge.attribute("target"))):
            if end not in called:
                raise FormatError(f"{source}: an edge names the node '{end}', which does not exist.")
        pair = (called[ends[0]], called[ends[1]])
        directed = edge.attributes.get("directed")
        if not (usual if directed is None else directed in ("true", "1")):
            edges.append(pair)
        elif pair in arcs:
            raise FormatError(f"{source}: an arc is there twice.")
        else:
            arcs[pair] = None
    # An edge in both directions is one without a direction: so this package writes it, since networkx refuses graphs
    # that have edges of both kinds.
    edges += [arc for arc in arcs if arc[::-1] in arcs and arc[0] != arc[1] and arc < arc[::-1]]
    arcs = dict.fromkeys(arc for arc in arcs if arc[::-1] not in arcs or arc[0] == arc[1])
    return make_graph(called.values(), arcs, edges, source=source)


def _node_names(every: Sequence[Element]) -> dict[str, str]:
    """Return what each node of a GraphML file is called, by its id."""
    declared = (element.attributes for element in every if element.tag == "key")
    keys = {key.get("id", ""): key.get("attr.name", "").lower() for key in declared}
    nodes: dict[str, dict[str, str]] = {}
    for node in (element for element in every if element.tag == "node"):
        name = node.attribute("id")
        if name in nodes:
            raise node.error(f"the node '{name}' is there twice.")
        nodes[name] = {keys.get(data.attributes.get("key", ""), ""): data.text.strip() for data in node.named("data")}
    for naming in NAMING:
        own = [facts.get(naming, "") for facts in nodes.values()]
        if all(own) and len(set(own)) == len(own):
            return dict(zip(nodes, own, strict=True))
    return {node: node for node in nodes}


# The elements of an XML file from anywhere, read with limits.
#
# Entities are refused, so that none can grow without bound or name a file, and nothing outside the file is ever
# fetched. A document type is refused, or skipped where files begin with one, as XMLBIF does; the attributes for which
# it gives default values, which an XML reader adds to every element, are limited in number and length.


MOST_DEPTH = 64  # no editor nests deeper; a file that does is an attack
MOST_DEFAULTS = 64  # default values of attributes are copied into every element
LONGEST_DEFAULT = 256  # bytes of such a value


@dataclass(slots=True)
class Element:
    """An element: its tag without namespace, attributes, where it begins, its children, and its own text."""

    tag: str
    attributes: dict[str, str]
    source: str
    line: int
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside the element."""
        return "".join(self.texts)

    def inside(self) -> Iterator[Element]:
        """Yield the element and all that are in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.inside()

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children with a tag, in any case of letters."""
        return (child for child in self.children if child.tag.lower() == tag.lower())

    def first(self, tag: str) -> Element | None:
        """Return the first child with a tag, or None."""
        return next(self.named(tag), None)

    def attribute(self, name: str) -> str:
        """Return an attribute, which the element must have."""
        if name not in self.attributes:
            raise self.error(f"an element '{self.tag}' has no attribute '{name}'.")
        return self.attributes[name]

    def error(self, message: str) -> FormatError:
        """Return the error that something is wrong with the element."""
        return FormatError(f"{self.source}, line {self.line}: {message}")


def read_xml(content: bytes, source: str, *, with_type: bool) -> Element:
    """Return the root element; what is not XML, or asks for more than it may, is a FormatError with its line.

    A document type is skipped if `with_type`, else refused.
    """
    reader = _XmlReader(source, with_type=with_type)
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise FormatError(f"{source}, {place}: {expat.ErrorString(error.code)}.") from None
    except FormatError:
        raise
    except (ValueError, LookupError) as error:  # an unknown encoding
        raise FormatError(f"{source}: {error}.") from None
    return reader.path[0]


class _XmlReader:
    def __init__(self, source: str, *, with_type: bool) -> None:
        self._source = source
        self.path: list[Element] = []  # from the root, which stays, to the element that is open
        self._defaults = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.AttlistDeclHandler = self._check_default
        refused = {"EntityDeclHandler": "entities are not read. Remove the lines <!ENTITY ...>"}
        if not with_type:
            refused["StartDoctypeDeclHandler"] = "a document type is not read. Remove the line <!DOCTYPE ...>"
        for handler, message in refused.items():
            setattr(self.parser, handler, functools.partial(self._refuse, message))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag.rpartition(":")[2], attributes, self._source, self.parser.CurrentLineNumber)
        if self.path:
            self.path[-1].children.append(element)
        self.path.append(element)
        if len(self.path) > MOST_DEPTH:
            self._refuse(f"more than {MOST_DEPTH} elements inside each other")

    def _end(self, _: str) -> None:
        if len(self.path) > 1:
            self.path.pop()

    def _text(self, text: str) -> None:
        self.path[-1].texts.append(text)

    def _check_default(self, element: str, attribute: str, kind: str, default: str | None, required: int) -> None:
        del element, attribute, kind, required
        self._defaults += default is not None
        if self._defaults > MOST_DEFAULTS or (default is not None and len(default) > LONGEST_DEFAULT):
            self._refuse("a document type with so many or so long default values is not read. Remove <!ATTLIST ...>")

    def _refuse(self, message: str, *_: object) -> NoReturn:
        raise FormatError(f"{self._source}, line {self.parser.CurrentLineNumber}: {message}.")


# Graphs as CSV: an adjacency matrix, or a list of arcs.
#
# An adjacency matrix has the node names as its header, with or without a first column that repeats them; entry (i, j)
# is 1 for an arc i -> j, and an undirected edge is there in both directions. An arc list has the columns ``from,to``;
# an undirected edge is listed in both directions (bnlearn's way), or once with ``--`` in a third column ``kind``.


EXPECTED = "an adjacency matrix or an arc list was expected"
# What Python's reader of CSV takes for a field.
LONGEST_CELL = 131_072
ENTRIES = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
KINDS = {"->": True, "--": False, "-": False}


@one_screen
@dataclass(frozen=True)
class ArcList:
    """Arcs and undirected edges by name. It does not say which nodes have no edge: `graph` takes all the names."""

    arcs: tuple[tuple[str, str], ...]
    edges: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes that occur, sorted."""
        return tuple(sorted({name for pair in (*self.arcs, *self.edges) for name in pair}))

    def graph(self, names: Sequence[str] | None = None) -> Dag | Pdag:
        """Return the graph over the given nodes: a `Dag` if all edges are arcs."""
        nodes = self.names if names is None else names
        return Pdag.from_edges(nodes, self.arcs, self.edges) if self.edges else Dag.from_arcs(nodes, self.arcs)


def read_graph_csv(path: str | os.PathLike[str]) -> Dag | Pdag | ArcList:
    """Read a graph from CSV, plain or gzip: an arc list if the header is from,to[,kind], else an adjacency matrix."""
    return parse_graph_csv(read_text(path), source=str(path))


def parse_graph_csv(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Read the text of a graph in CSV; `source` is what errors call it."""
    rows = csv_rows(text, source=source, expected=EXPECTED)
    if tuple(cell.lower() for cell in rows[0][1][:2]) == ("from", "to"):
        return _arc_list(source, rows)
    return _adjacency(source, rows)


def read_arc_list(path: str | os.PathLike[str]) -> ArcList:
    """Read a list of arcs with the columns from,to and perhaps kind."""
    rows = csv_rows(read_text(path), source=str(path), expected=EXPECTED)
    if tuple(cell.lower() for cell in rows[0][1][:2]) != ("from", "to"):
        raise FormatError(f"{path}: the header of an arc list is from,to or from,to,kind.")
    return _arc_list(str(path), rows)


def write_adjacency(path: str | os.PathLike[str], graph: Dag | Pdag) -> None:
    """Write the adjacency matrix as CSV, with the names as header and as first column."""
    _check_names(graph.names)
    lines = [
        ["", *graph.names],
        *([n, *row] for n, row in zip(graph.names, graph.to_adjacency().tolist(), strict=True)),
    ]
    write_text(path, _csv_text(lines))


def write_arc_list(path: str | os.PathLike[str], graph: Dag | Pdag) -> None:
    """Write the arcs as CSV with the columns from,to,kind; nodes without an edge are not in it."""
    write_text(path, format_arc_list(graph))


def format_arc_list(graph: Dag | Pdag) -> str:
    """Return the arcs as CSV with the columns from,to,kind."""
    _check_names(graph.names)
    edges = () if isinstance(graph, Dag) else graph.edges
    arcs = [[a, b, "->"] for a, b in graph.arcs]
    return _csv_text([["from", "to", "kind"], *arcs, *([a, b, "--"] for a, b in edges)])


def _csv_text(lines: Sequence[Sequence[object]]) -> str:
    return "".join(",".join(_cell(str(value)) for value in line) + "\n" for line in lines)


def _cell(text: str) -> str:
    """Return a cell in quotes if it needs them. (Python 3.11's own writer leaves a carriage return bare.)"""
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def _check_names(names: Sequence[str]) -> None:
    """Refuse names that would not be read back as they are: blanks around a cell do not count."""
    for name in names:
        if name != name.strip() or len(name) > LONGEST_CELL:
            raise FormatError(
                f"cannot write the node {name[:40]!r} to CSV: a name must not begin or end with a blank, nor have more "
                f"than {LONGEST_CELL:,} characters. Rename it, or write .graphml, .dot or a structure file."
            )


def _arc_list(source: str, rows: list[tuple[int, list[str]]]) -> ArcList:
    arcs: dict[tuple[str, str], int] = {}
    edges: dict[tuple[str, str], int] = {}
    for line, row in rows[1:]:
        if len(row) not in (2, 3) or not (row[0] and row[1]):
            raise FormatError(f"{source}, line {line}: expected from,to or from,to,kind; found {','.join(row)}.")
        kind = row[2] if len(row) == 3 and row[2] else "->"
        if kind not in KINDS:
            raise FormatError(f"{source}, line {line}: unknown kind '{kind}'; '->' is an arc, '--' an undirected edge.")
        pair = (row[0], row[1])
        target = arcs if KINDS[kind] else edges
        if pair in target:
            raise FormatError(f"{source}, line {line}: {row[0]},{row[1]} was given on line {target[pair]} already.")
        target[pair] = line
    both = [(a, b) for a, b in arcs if (b, a) in arcs and arcs[a, b] < arcs[b, a]]
    directed = tuple(arc for arc in arcs if arc[::-1] not in arcs)
    return ArcList(directed, (*both, *edges))


def _adjacency(source: str, rows: list[tuple[int, list[str]]]) -> Dag | Pdag:
    header = rows[0][1]
    first = rows[1][1] if len(rows) > 1 else []
    corner = header[0] == "" or (len(header) == len(rows) and first[:1] != [] and first[0] not in ENTRIES)
    names = header[1:] if corner else header
    labelled = corner or len(first) == len(header) + 1  # R leaves the corner out
    if len(rows) - 1 != len(names):
        raise FormatError(
            f"{source}: {len(names)} names in the header but {len(rows) - 1} rows; the matrix is square. A graph is "
            "asked for here, not data; where both are given, the graph comes first."
        )
    entries = np.zeros((len(names), len(names)), dtype=np.uint8)
    for v, (line, row) in enumerate(rows[1:]):
        cells = row[1:] if labelled else row
        if labelled and row[0] != names[v]:
            raise FormatError(f"{source}, line {line}: row '{row[0]}' where '{names[v]}' was expected.")
        if len(cells) != len(names):
            raise FormatError(f"{source}, line {line}: {len(cells)} entries, expected {len(names)}.")
        for u, cell in enumerate(cells):
            if cell not in ENTRIES:
                raise FormatError(f"{source}, line {line}: entry '{cell}' for {names[v]} -> {names[u]}; write 0 or 1.")
            entries[v, u] = ENTRIES[cell]
    with errors_within(f"{source}:", kind=FormatError):
        if (entries & entries.T).any():
            return Pdag.from_adjacency(entries, names=names)
        return Dag.from_adjacency(entries, names=names)


# Read graphs from JSON: what the verbs print with ``--json``, and the node-link form of networkx and D3.


FORM = '{"variables": ["a", "b"], "arcs": [["a", "b"]], "undirected": []}'


def parse_json_graph(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Return the graph of an object with `arcs`, and perhaps `variables` (or `nodes`) and `undirected` edges.

    Without a list of variables it is a list of arcs, which does not say which nodes have no edge. The record that
    ``arcwise learn`` writes, run.json, has its arcs under `result`.
    """
    found = parse_json(text, source=source)
    if isinstance(found, dict) and isinstance(found.get("result"), dict):
        found = found["result"]
    if not isinstance(found, dict):
        raise FormatError(f"{source}: a graph is an object such as {FORM}.")
    links = found.get("links", found.get("edges"))
    if "arcs" not in found and isinstance(links, list) and isinstance(found.get("nodes"), list):
        return _node_link(found, links, source)
    arcs = _pairs(found.get("arcs"), "arcs", source)
    edges = _pairs(found.get("undirected", []), "undirected", source)
    names = found.get("variables", found.get("nodes"))
    if not isinstance(names, list):  # `arcwise optimal` counts the nodes of its search
        return ArcList(arcs, edges)
    if not all(isinstance(name, str) for name in names):
        raise FormatError(f"{source}: the variables are a list of names.")
    return make_graph(names, arcs, edges, source=source)


def _node_link(found: dict[str, Any], links: list[Any], source: str) -> Dag | Pdag:
    try:
        names = [str(node["id"]) for node in found["nodes"]]
        pairs = tuple((str(link["source"]), str(link["target"])) for link in links)
    except (TypeError, KeyError, ValueError):  # the last: a number too long to be printed
        raise FormatError(f"{source}: a node needs an 'id', a link a 'source' and a 'target'.") from None
    arcs, edges = (pairs, ()) if found.get("directed", False) is True else ((), pairs)
    return make_graph(names, arcs, edges, source=source)


def _pairs(value: Any, key: str, source: str) -> tuple[tuple[str, str], ...]:
    if value is None:
        raise FormatError(f"{source}: there is no key '{key}'; a graph is an object such as {FORM}.")
    ok = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in value
    )
    if not ok:
        raise FormatError(f"{source}: '{key}' must be a list of pairs of names, such as {FORM}.")
    return tuple((a, b) for a, b in value)


# Lau's structure files: one line per node, its name and its parents in square brackets.
#
#     G [B]
#     B []
#     M [B, L]
#     L []
#
# Lau and Bush (2004), section 1.1. A name that could be misread (it holds a bracket, a comma, a quotation mark or
# white space at an end) is written as a JSON string in double quotes, which the paper's files never need.


# Every alternative is linear in the text: no backtracking.
STRUCTURE_TOKEN = re.compile(
    r'\s*+(?:(?P<mark>[\[\],])|(?P<quoted>"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?P<plain>[^\[\],"\n][^\[\],\n]*))'
)


def read_structure(path: str | os.PathLike[str]) -> Dag:
    """Read a structure file, plain or gzip."""
    return parse_structure(read_text(path), source=str(path))


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
    tokens = _StructureTokens(text.rstrip(), source)
    while tokens.kind != "end":
        line = tokens.line
        node = tokens.take_name("a node")
        if node in parents:
            raise FormatError(f"{source}, line {line}: node '{node}' is described twice.")
        where[node] = line
        parents[node] = []
        tokens.take("[", f" after '{node}'")
        if tokens.kind != "]":
            parents[node].append(tokens.take_name(f"a parent of '{node}'"))
            while tokens.kind == ",":
                tokens.take(",")
                parents[node].append(tokens.take_name(f"a parent of '{node}'"))
        tokens.take("]", f" after the parents of '{node}'")
    if not parents:
        raise FormatError(f"{source}: no node; a line has the form: M [B, L].")
    for node, names in parents.items():
        for name in names:
            if name not in parents:
                raise FormatError(f"{source}, line {where[node]}: parent '{name}' of '{node}' has no line of its own.")
    with errors_within(f"{source}:", kind=FormatError):
        return Dag.from_parents(parents)


class _StructureTokens(Tokens):
    PATTERN = STRUCTURE_TOKEN

    def unreadable(self) -> str:
        return "a quotation mark is not closed"

    def unquoted(self, token: str) -> str:
        try:
            return str(json.loads(token))
        except json.JSONDecodeError:
            raise self.error("a name in quotation marks is not a JSON string") from None


def _quote(name: str) -> str:
    if name != name.strip() or re.search(r'^\ufeff|[\[\],"\r\n\v\f\x1c-\x1e\x85\u2028\u2029]', name):
        return json.dumps(name, ensure_ascii=False)
    return name


# Formats, and the suffixes that stand for them.
GRAPH_FORMATS: dict[str, tuple[str, ...]] = {
    "structure": (".txt", ".str"),
    "csv": (".csv",),
    "dot": (".dot", ".gv"),
    "graphml": (".graphml",),
    "json": (".json",),
    "model_string": (".modelstring",),
}
_PARSERS: dict[str, Callable[..., Dag | Pdag | ArcList]] = {
    "structure": parse_structure,
    "csv": parse_graph_csv,
    "dot": parse_dot,
    "json": parse_json_graph,
    "model_string": parse_model_string,
}


def read_graph(path: str | os.PathLike[str]) -> Dag | Pdag | ArcList:
    """Read a graph, plain or gzip; the suffix (before .gz) says how it is written.

    - .txt, .str: Lau's structure file, lines such as ``M [B, L]``;
    - .csv: an arc list with the columns from,to (an `ArcList`, which does not name all nodes) or an adjacency matrix;
    - .dot, .gv: Graphviz; .graphml: GraphML;
    - .modelstring: bnlearn's model string, ``[A][B|A]``, which a .txt file may hold, too;
    - .json: what ``arcwise optimal --json`` and other verbs print, or networkx's node-link form.

    Returns a `Dag` if all edges are arcs, else a `Pdag`.
    """
    kind = graph_format(path)
    return parse_graph(read_bytes(path), kind, source=str(path))


def graph_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a name stands for."""
    return format_of(path, GRAPH_FORMATS, "what kind of graph file it is")


def parse_graph(content: bytes, kind: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Return the graph that a file's content describes in the given format, a key of `GRAPH_FORMATS`."""
    if kind == "graphml":
        return parse_graphml(content, source=source)
    text = decode_text(content, source=source)
    if kind == "structure" and text.lstrip().startswith("["):  # a structure file begins with the name of a node
        kind = "model_string"
    return _PARSERS[kind](text, source=source)

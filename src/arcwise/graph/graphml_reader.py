"""Read GraphML, as this package, networkx, igraph, yEd and Gephi write it: nodes and edges, one graph."""

from __future__ import annotations

from xml.parsers import expat

from arcwise.errors import FormatError, GraphError
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag

__all__ = ["parse_graphml"]

# A node is called by one of these attributes where every node has one of its own (igraph, Gephi), else by its id.
NAMING = ("name", "label")


def parse_graphml(content: bytes, *, source: str = "graph") -> Dag | Pdag:
    """Return the graph of a GraphML file, a `Dag` if all edges are arcs; `source` is what errors call the file.

    A document type is refused: it is of no use here, and its entities can grow without bound.
    """
    reader = _Reader(source)
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
    try:
        if edges:
            return Pdag.from_edges(tuple(names.values()), arcs, edges)
        return Dag.from_arcs(tuple(names.values()), arcs)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None


class _Reader:
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

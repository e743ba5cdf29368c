"""Graphs for other programs: DOT (Graphviz) and GraphML (yEd, Gephi, Cytoscape, networkx, igraph)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from arcwise.errors import FormatError
from arcwise.files import write_text
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag

__all__ = ["EdgeLabels", "format_dot", "format_graphml", "write_dot", "write_graphml"]

# What no XML document may contain, not even escaped (XML 1.0, section 2.2).
NOT_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A number to write next to an edge, such as its confidence; keys are pairs of names, in either order.
EdgeLabels = Mapping[tuple[str, str], float]


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
